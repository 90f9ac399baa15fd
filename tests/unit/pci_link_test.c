/* Both ends of a link as pci_link_read gives them. */
#include "pci/link_read.h"

#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pci_device devices[16];
static struct pci_tree tree;
static struct pci_space space;
static struct pci_space_function *port, *endpoint;

/* A root port at 00:01.0 and an endpoint at 01:00.0. */
static int set_up(void **state)
{
    (void)state;
    tree = (struct pci_tree){.devices = devices, .capacity = 16};
    pci_space_init(&space);
    port = pci_space_add_bridge(&space, pci_space_at(0, 1, 0), 1, 4);
    pci_space_add_pcie(port, PCIE_TYPE_ROOT_PORT);
    pci_space_set_link(port, 1, 1, 2, 16);
    endpoint = pci_space_add(&space, pci_space_at(1, 0, 0));
    pci_space_add_pcie(endpoint, PCIE_TYPE_LEGACY_ENDPOINT);
    pci_space_set_link(endpoint, 1, 1, 2, 2);
    pci_space_put16(endpoint, 0x40 + PCIE_DEV_CTL, 0x2810 | 1 << 5);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static struct pci_link read_link(unsigned bus, unsigned number)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_link link;
    int32_t index;

    tree.count = 0;
    assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_OK);
    index = pci_walk_find(&tree, pci_space_at(bus, number, 0));
    assert_int_not_equal(index, PCI_NO_PARENT);
    memset(&link, 0xaa, sizeof link);
    pci_link_read(&config, &tree, index, &link);
    return link;
}

static void assert_absent(const struct pci_link_end *end)
{
    assert_false(end->present);
    assert_int_equal(end->port_type | end->speed | end->width | end->speed_max | end->width_max, 0);
    assert_int_equal(end->payload_bytes | end->request_bytes, 0);
}

static void test_both_ends(void **state)
{
    struct pci_link link = read_link(1, 0);

    (void)state;
    assert_true(link.upstream.present);
    assert_int_equal(link.upstream.port_type, PCIE_TYPE_ROOT_PORT);
    assert_int_equal(link.upstream.speed, 1);
    assert_int_equal(link.upstream.width, 1);
    assert_int_equal(link.upstream.speed_max, 2);
    assert_int_equal(link.upstream.width_max, 16);
    assert_int_equal(link.upstream.payload_bytes, 128);
    assert_int_equal(link.upstream.request_bytes, 128);
    assert_true(link.downstream.present);
    assert_int_equal(link.downstream.port_type, PCIE_TYPE_LEGACY_ENDPOINT);
    assert_int_equal(link.downstream.width_max, 2);
    assert_int_equal(link.downstream.payload_bytes, 256);
    assert_int_equal(link.downstream.request_bytes, 512);
}

static void test_sizes(void **state)
{
    static const uint16_t sizes[8] = {128, 256, 512, 1024, 2048, 4096, 0, 0};

    (void)state;
    for (unsigned code = 0; code < 8; code++) {
        struct pci_link link;

        pci_space_put16(endpoint, 0x40 + PCIE_DEV_CTL, code << 5 | (7 - code) << 12);
        link = read_link(1, 0);
        assert_int_equal(link.downstream.payload_bytes, sizes[code]);
        assert_int_equal(link.downstream.request_bytes, sizes[7 - code]);
    }
}

/* As QEMU's AHCI controller behind a root port: only the port knows of the link. */
static void test_endpoint_without_capability(void **state)
{
    struct pci_link link;

    (void)state;
    pci_space_put16(endpoint, PCI_STATUS, 0);
    link = read_link(1, 0);
    assert_absent(&link.downstream);
    assert_int_equal(link.upstream.width_max, 16);
}

static void test_port_without_capability(void **state)
{
    struct pci_link link;

    (void)state;
    pci_space_put16(port, PCI_STATUS, 0);
    link = read_link(1, 0);
    assert_absent(&link.upstream);
    assert_int_equal(link.downstream.width_max, 2);
}

/* The registers of a root port are about the link below it; above it there is none. */
static void test_root_port_itself(void **state)
{
    struct pci_link link = read_link(0, 1);

    (void)state;
    assert_absent(&link.upstream);
    assert_absent(&link.downstream);
}

static void test_integrated_endpoint(void **state)
{
    struct pci_link link;

    (void)state;
    pci_space_add_pcie(pci_space_add(&space, pci_space_at(0, 31, 0)), 9);
    link = read_link(0, 31);
    assert_absent(&link.upstream);
    assert_absent(&link.downstream);
}

/* The inner bus of a switch is not a link; the links above and below it are. */
static void test_switch(void **state)
{
    struct pci_space_function *inner;
    struct pci_link link;

    (void)state;
    pci_space_put8(endpoint, PCI_HEADER_TYPE, PCI_HEADER_TYPE_BRIDGE);
    pci_space_put32(endpoint, PCI_BUS_NUMBERS, 0x00040201);
    pci_space_put16(endpoint, 0x40 + PCIE_CAPS, PCIE_TYPE_UPSTREAM << 4 | 2);
    inner = pci_space_add_bridge(&space, pci_space_at(2, 7, 0), 3, 3);
    pci_space_add_pcie(inner, PCIE_TYPE_DOWNSTREAM);
    pci_space_set_link(inner, 2, 1, 3, 4);
    pci_space_add(&space, pci_space_at(3, 0, 0));
    link = read_link(1, 0);
    assert_int_equal(link.downstream.port_type, PCIE_TYPE_UPSTREAM);
    assert_int_equal(link.upstream.port_type, PCIE_TYPE_ROOT_PORT);
    link = read_link(2, 7);
    assert_absent(&link.upstream);
    assert_absent(&link.downstream);
    link = read_link(3, 0);
    assert_absent(&link.downstream);
    assert_int_equal(link.upstream.speed_max, 3);
    assert_int_equal(link.upstream.width_max, 4);
}

/* Behind a bridge to conventional PCI there is no link any more. */
static void test_conventional_bus(void **state)
{
    struct pci_link link;

    (void)state;
    pci_space_put8(endpoint, PCI_HEADER_TYPE, PCI_HEADER_TYPE_BRIDGE);
    pci_space_put32(endpoint, PCI_BUS_NUMBERS, 0x00020201);
    pci_space_put16(endpoint, 0x40 + PCIE_CAPS, PCIE_TYPE_PCIE_TO_PCI << 4 | 2);
    pci_space_add(&space, pci_space_at(2, 4, 0));
    link = read_link(1, 0);
    assert_true(link.upstream.present && link.downstream.present);
    link = read_link(2, 4);
    assert_absent(&link.upstream);
    assert_absent(&link.downstream);
}

/* Gone after the walk: an end of all ones is absent, not 63 lanes wide. */
static void test_gone(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_link link = read_link(1, 0);

    (void)state;
    pci_space_put16(endpoint, 0x40 + PCIE_LNK_STA, 0xffff);
    pci_link_read(&config, &tree, 1, &link);
    assert_absent(&link.downstream);
    memset(endpoint->data, 0xff, sizeof endpoint->data);
    pci_link_read(&config, &tree, 1, &link);
    assert_absent(&link.downstream);
    assert_true(link.upstream.present);
    memset(port->data, 0xff, sizeof port->data);
    pci_link_read(&config, &tree, 1, &link);
    assert_absent(&link.upstream);
}

static void test_index_outside(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_link link = read_link(1, 0);

    (void)state;
    pci_link_read(&config, &tree, 2, &link);
    assert_absent(&link.upstream);
    assert_absent(&link.downstream);
    memset(&link, 0xaa, sizeof link);
    pci_link_read(&config, &tree, -1, &link);
    assert_absent(&link.upstream);
    assert_absent(&link.downstream);
}

/* A capability that the end of the 256 bytes cuts off before Link Status. */
static void test_capability_cut_off(void **state)
{
    struct pci_link link;

    (void)state;
    pci_space_put16(endpoint, PCI_STATUS, 0);
    pci_space_put8(endpoint, PCI_CAP_PTR, 0);
    pci_space_add_cap(endpoint, 0xf0, PCI_CAP_ID_PCIE);
    link = read_link(1, 0);
    assert_absent(&link.downstream);
    pci_space_put8(endpoint, PCI_CAP_PTR, 0);
    pci_space_add_cap(endpoint, 0xec, PCI_CAP_ID_PCIE);
    link = read_link(1, 0);
    assert_true(link.downstream.present);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_both_ends),
        TEST(test_sizes),
        TEST(test_endpoint_without_capability),
        TEST(test_port_without_capability),
        TEST(test_root_port_itself),
        TEST(test_integrated_endpoint),
        TEST(test_switch),
        TEST(test_conventional_bus),
        TEST(test_gone),
        TEST(test_index_outside),
        TEST(test_capability_cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
