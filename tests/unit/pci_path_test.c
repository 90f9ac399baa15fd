/* Paths of functions in synthetic trees: ordinary ones, and those that real machines mislead with.
 */
#include "pci/ceiling.h"
#include "pci/path_read.h"

#include "base/bits.h"
#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CAP 0x40 /* where the model puts the PCI Express capability */

static struct pci_device devices[64];
static struct pci_tree tree;
static struct pci_space space;
static struct pci_config config;

static int set_up(void **state)
{
    (void)state;
    tree = (struct pci_tree){.devices = devices, .capacity = COUNT_OF(devices)};
    pci_space_init(&space);
    config = pci_space_config(&space);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

/* A bridge with the capability; its link speed and width now, and at most. */
static struct pci_space_function *add_port(struct pci_address at, unsigned secondary,
                                           unsigned subordinate, unsigned type)
{
    struct pci_space_function *port = pci_space_add_bridge(&space, at, secondary, subordinate);

    pci_space_add_pcie(port, type);
    pci_space_set_link(port, 2, 1, 2, 1);
    return port;
}

static struct pci_space_function *add_endpoint(struct pci_address at)
{
    struct pci_space_function *function = pci_space_add(&space, at);

    pci_space_add_pcie(function, PCIE_TYPE_ENDPOINT);
    pci_space_set_link(function, 2, 1, 2, 1);
    pci_space_put8(function, 0x0b, 0x01);
    return function;
}

static void walk(void)
{
    tree.count = 0;
    assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_OK);
}

static struct pci_path read_path(unsigned bus, unsigned device, unsigned function)
{
    struct pci_path path;
    int32_t index;

    walk();
    index = pci_walk_find(&tree, pci_space_at(bus, device, function));
    assert_int_not_equal(index, PCI_NO_PARENT);
    memset(&path, 0xaa, sizeof path);
    assert_int_equal(pci_path_read(&config, &tree, index, &path), STATUS_OK);
    assert_int_equal(path.hops[path.count - 1].below.index, index);
    return path;
}

/* The kinds of a path's hops, a letter each. */
static void assert_kinds(const struct pci_path *path, const char *expected)
{
    char kinds[PCI_PATH_HOPS_MAX + 1] = {0};

    for (uint32_t i = 0; i < path->count; i++)
        kinds[i] = "?ILBU"[path->hops[i].kind];
    assert_string_equal(kinds, expected);
}

static void assert_link(const struct pci_hop *hop, unsigned speed, unsigned width)
{
    assert_int_equal(hop->speed, speed);
    assert_int_equal(hop->width, width);
}

/* 00:1c.0 - 01:00.0 switch 02:00.0, 02:01.0 - 03:00.0 */
static struct pci_space_function *port, *up, *down, *endpoint;

static void add_switch(void)
{
    port = add_port(pci_space_at(0, 0x1c, 0), 1, 4, PCIE_TYPE_ROOT_PORT);
    up = add_port(pci_space_at(1, 0, 0), 2, 4, PCIE_TYPE_UPSTREAM);
    down = add_port(pci_space_at(2, 0, 0), 3, 3, PCIE_TYPE_DOWNSTREAM);
    add_port(pci_space_at(2, 1, 0), 4, 4, PCIE_TYPE_DOWNSTREAM);
    endpoint = add_endpoint(pci_space_at(3, 0, 0));
}

static void test_switch(void **state)
{
    struct pci_path path;

    (void)state;
    add_switch();
    path = read_path(3, 0, 0);
    assert_kinds(&path, "ILIL");
    assert_int_equal(path.hops[0].above.index, PCI_NO_PARENT);
    assert_int_equal(path.hops[1].above.port_type, PCIE_TYPE_ROOT_PORT);
    assert_int_equal(path.hops[1].below.port_type, PCIE_TYPE_UPSTREAM);
    assert_int_equal(path.hops[3].above.port_type, PCIE_TYPE_DOWNSTREAM);
    assert_int_equal(path.hops[3].above.address.bus, 2);
    for (uint32_t i = 0; i < path.count; i++) {
        assert_int_equal(path.hops[i].shared_count, 0);
        assert_false(path.hops[i].indirect || path.hops[i].ends_differ || path.hops[i].nominal);
        assert_int_equal(path.hops[i].uplink, PCI_UPLINK_NONE);
    }
    /* The internal bus shows no state of a link, whatever its ports' registers say. */
    assert_link(&path.hops[2], 0, 0);
    assert_link(&path.hops[3], 2, 1);
}

/* Port 2.5 GT/s x1, switch, controller at 5 GT/s: the first hop limits. */
static void test_slow_uplink(void **state)
{
    struct pci_path_ceiling ceiling;
    struct pci_path path;

    (void)state;
    add_switch();
    pci_space_set_link(port, 1, 1, 1, 1);
    pci_space_set_link(up, 1, 1, 2, 1);
    path = read_path(3, 0, 0);
    assert_link(&path.hops[1], 1, 1);
    assert_int_equal(path.hops[1].speed_max, 1);
    assert_false(path.hops[1].ends_differ);
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &ceiling);
    assert_int_equal(ceiling.to_memory_hop, 1);
    assert_in_range(ceiling.hops[1].to_memory_bytes_per_s, 215600000, 215800000);
    assert_in_range(ceiling.hops[3].to_memory_bytes_per_s, 431200000, 431400000);
}

/* A port that could do x16 with an x2 card running at x1. */
static void test_ends(void **state)
{
    struct pci_path path;

    (void)state;
    add_switch();
    pci_space_set_link(down, 1, 2, 3, 16);
    pci_space_set_link(endpoint, 2, 1, 2, 2);
    path = read_path(3, 0, 0);
    assert_link(&path.hops[3], 1, 1); /* the ends disagree: the lower figures */
    assert_true(path.hops[3].ends_differ);
    assert_int_equal(path.hops[3].speed_max, 2);
    assert_int_equal(path.hops[3].width_max, 2);
    /* An end that says 0 for either says nothing; nor does a maximum of 0. */
    pci_space_set_link(down, 1, 0, 0, 0);
    path = read_path(3, 0, 0);
    assert_link(&path.hops[3], 2, 1);
    assert_int_equal(path.hops[3].speed_max, 2);
    assert_int_equal(path.hops[3].width_max, 2);
    pci_space_set_link(endpoint, 0, 1, 2, 2);
    path = read_path(3, 0, 0);
    assert_link(&path.hops[3], 0, 0);
}

static void test_no_capability(void **state)
{
    struct pci_path path;

    (void)state;
    /* The function has none: the port's end tells. */
    port = add_port(pci_space_at(0, 4, 0), 1, 1, PCIE_TYPE_ROOT_PORT);
    pci_space_add(&space, pci_space_at(1, 0, 0));
    path = read_path(1, 0, 0);
    assert_kinds(&path, "IL");
    assert_link(&path.hops[1], 2, 1);
    assert_true(path.hops[1].below.answers);
    assert_false(path.hops[1].below.has_pcie);
    assert_false(path.hops[1].ends_differ);
    /* The bridge has none, the function below has: its end tells. */
    pci_space_add_bridge(&space, pci_space_at(0, 5, 0), 2, 2);
    add_endpoint(pci_space_at(2, 0, 0));
    path = read_path(2, 0, 0);
    assert_kinds(&path, "IL");
    assert_false(path.hops[1].above.has_pcie);
    assert_link(&path.hops[1], 2, 1);
    /* Integrated functions have no link even below such a bridge. */
    pci_space_add_bridge(&space, pci_space_at(0, 6, 0), 3, 3);
    pci_space_add_pcie(pci_space_add(&space, pci_space_at(3, 0, 0)), PCIE_TYPE_INTEGRATED);
    path = read_path(3, 0, 0);
    assert_kinds(&path, "II");
    assert_false(path.hops[1].below.has_link);
}

/* A PCIe-to-PCI bridge that does not say what it is: link above, conventional bus below. */
static void test_plain_bridge(void **state)
{
    struct pci_space_function *bridge, *card;
    struct pci_path path;

    (void)state;
    port = add_port(pci_space_at(0, 0x1c, 3), 3, 4, PCIE_TYPE_ROOT_PORT);
    pci_space_add_bridge(&space, pci_space_at(0, 0x1c, 0), 2, 2);
    pci_space_put8(space.functions[1], PCI_HEADER_TYPE, 0x81);
    bridge = pci_space_add_bridge(&space, pci_space_at(3, 0, 0), 4, 4);
    card = pci_space_add(&space, pci_space_at(4, 0, 0));
    pci_space_add(&space, pci_space_at(4, 1, 0));
    path = read_path(4, 0, 0);
    assert_kinds(&path, "ILB");
    assert_link(&path.hops[1], 2, 1);
    assert_int_equal(path.hops[2].bus.clock_thirds, 1);
    assert_int_equal(path.hops[2].bus.width_bytes, 4);
    assert_false(path.hops[2].bus.has_pcix || path.hops[2].bus.clock_known);
    assert_int_equal(path.hops[2].shared_count, 1);
    /* 66 MHz only if bridge, function and neighbour are capable of it. */
    pci_space_put16(bridge, PCI_SEC_STATUS, PCI_STATUS_66MHZ);
    pci_space_put16(card, PCI_STATUS, PCI_STATUS_66MHZ);
    path = read_path(4, 0, 0);
    assert_int_equal(path.hops[2].bus.clock_thirds, 1);
    assert_true(path.hops[2].bus.bridge_66mhz && path.hops[2].bus.device_66mhz);
    assert_false(path.hops[2].bus.others_66mhz);
    pci_space_put16(space.functions[4], PCI_STATUS, PCI_STATUS_66MHZ);
    path = read_path(4, 0, 0);
    assert_int_equal(path.hops[2].bus.clock_thirds, 2);
    assert_false(path.hops[2].bus.clock_known);
}

static void test_pcix(void **state)
{
    struct pci_space_function *bridge, *card;
    struct pci_path_ceiling ceiling;
    struct pci_path path;
    const struct pci_bus *bus = &path.hops[2].bus;

    (void)state;
    add_port(pci_space_at(0, 1, 0), 1, 2, PCIE_TYPE_ROOT_PORT);
    bridge = add_port(pci_space_at(1, 0, 0), 2, 2, PCIE_TYPE_PCIE_TO_PCI);
    pci_space_add_cap(bridge, 0x80, PCI_CAP_ID_PCIX);
    pci_space_put16(bridge, 0x82, 3 << 6 | 3); /* 133 MHz, 64 bits */
    card = pci_space_add(&space, pci_space_at(2, 4, 0));
    path = read_path(2, 4, 0);
    assert_kinds(&path, "ILB");
    assert_int_equal(bus->mode, PCI_BUS_PCIX);
    assert_int_equal(bus->clock_thirds, 4);
    assert_true(bus->clock_known && bus->has_pcix);
    assert_int_equal(bus->pcix_sec_status, 0xc3);
    assert_int_equal(bus->width_bytes, 8);
    assert_false(bus->width_known);
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &ceiling);
    assert_in_range(ceiling.hops[2].to_memory_bytes_per_s, 1054000000, 1055000000);
    assert_int_equal(ceiling.to_memory_hop, 1);
    /* A 32-bit card; 100 MHz, mode 2. */
    pci_space_add_cap(card, 0x60, PCI_CAP_ID_PCIX);
    pci_space_put16(bridge, 0x82, 0xa << 6 | 3);
    path = read_path(2, 4, 0);
    assert_int_equal(bus->mode, PCI_BUS_PCIX_266);
    assert_int_equal(bus->clock_thirds, 3);
    assert_int_equal(bus->width_bytes, 4);
    assert_true(bus->width_known);
    pci_space_put32(card, 0x64, PCIX_STATUS_64BIT);
    path = read_path(2, 4, 0);
    assert_int_equal(bus->width_bytes, 8);
    /* The capability, but the bus in conventional mode. */
    pci_space_put16(bridge, 0x82, 1);
    path = read_path(2, 4, 0);
    assert_int_equal(bus->mode, PCI_BUS_CONVENTIONAL);
    assert_int_equal(bus->clock_thirds, 1);
    assert_false(bus->clock_known);
}

/* The ids of an old PCI bridge on a root port, subtractive class: the capability counts. */
static void test_type_not_id(void **state)
{
    struct pci_path path;

    (void)state;
    port = add_port(pci_space_at(0, 0x1c, 0), 1, 1, PCIE_TYPE_ROOT_PORT);
    pci_space_put32(port, PCI_VENDOR_ID, 0x244e8086);
    pci_space_put8(port, 0x09, 1);
    add_endpoint(pci_space_at(1, 0, 0));
    path = read_path(1, 0, 0);
    assert_kinds(&path, "IL");
}

/* A switch whose upstream port is function 0 beside DMA endpoints: they share its link. */
static void test_upstream_function_0(void **state)
{
    struct pci_path path;

    (void)state;
    add_switch();
    pci_space_put8(up, PCI_HEADER_TYPE, 0x81);
    for (unsigned i = 1; i <= 4; i++)
        add_endpoint(pci_space_at(1, 0, i));
    path = read_path(3, 0, 0);
    assert_kinds(&path, "ILIL");
    assert_int_equal(path.hops[1].shared_count, 4);
    assert_int_equal(path.hops[2].shared_count, 0);
    assert_int_equal(path.hops[3].shared_count, 0);
    path = read_path(1, 0, 2);
    assert_kinds(&path, "IL");
    assert_int_equal(path.hops[1].shared_count, 4);
}

static void test_shared(void **state)
{
    struct pci_space_function *first;
    struct pci_path path;

    (void)state;
    add_switch();
    /* A second controller behind the same switch, and one with two functions. */
    first = add_endpoint(pci_space_at(4, 0, 0));
    pci_space_put8(first, PCI_HEADER_TYPE, 0x80);
    add_endpoint(pci_space_at(4, 0, 1));
    add_endpoint(pci_space_at(0, 2, 0)); /* elsewhere */
    path = read_path(3, 0, 0);
    assert_int_equal(path.hops[1].shared_count, 2);
    assert_int_equal(path.hops[1].shared[0].address.bus, 4);
    assert_int_equal(path.hops[1].shared[1].address.function, 1);
    assert_int_equal(path.hops[3].shared_count, 0);
    path = read_path(4, 0, 1);
    assert_int_equal(path.hops[1].shared_count, 2);
    assert_int_equal(path.hops[3].shared_count, 1);
}

/* More neighbours than the list holds: all are counted, the first are listed. */
static void test_shared_many(void **state)
{
    struct pci_path path;

    (void)state;
    pci_space_add_bridge(&space, pci_space_at(0, 0x1e, 0), 1, 1);
    for (unsigned i = 0; i < 30; i++)
        pci_space_add(&space, pci_space_at(1, i, 0));
    path = read_path(1, 7, 0);
    assert_kinds(&path, "IB");
    assert_int_equal(path.hops[1].shared_count, 29);
    for (unsigned i = 0; i < PCI_HOP_SHARED_MAX; i++)
        assert_int_equal(path.hops[1].shared[i].address.device, i < 7 ? i : i + 1);
}

/* Two bridges that claim the same buses: the function hangs below the one that led to it. */
static void test_overlap(void **state)
{
    struct pci_path path;

    (void)state;
    add_port(pci_space_at(0, 1, 0), 1, 3, PCIE_TYPE_ROOT_PORT);
    add_port(pci_space_at(0, 2, 0), 1, 3, PCIE_TYPE_ROOT_PORT);
    add_port(pci_space_at(0, 3, 0), 0, 0, PCIE_TYPE_ROOT_PORT);
    add_endpoint(pci_space_at(1, 0, 0));
    add_endpoint(pci_space_at(3, 0, 0)); /* within the range, below nothing that shows */
    path = read_path(1, 0, 0);
    assert_kinds(&path, "IL");
    assert_int_equal(path.hops[1].above.address.device, 1);
    assert_false(path.hops[1].indirect);
    path = read_path(3, 0, 0);
    assert_kinds(&path, "IL");
    assert_true(path.hops[1].indirect);
}

/* Functions that were there during the walk and now read all ones. */
static void test_gone(void **state)
{
    struct pci_path_ceiling ceiling;
    struct pci_path path;
    int32_t index;

    (void)state;
    add_switch();
    walk();
    index = pci_walk_find(&tree, pci_space_at(3, 0, 0));
    memset(endpoint->data, 0xff, sizeof endpoint->data);
    assert_int_equal(pci_path_read(&config, &tree, index, &path), STATUS_OK);
    assert_kinds(&path, "ILIL");
    assert_false(path.hops[3].below.answers || path.hops[3].below.has_pcie);
    assert_int_equal(path.hops[3].below.width, 0);
    assert_link(&path.hops[3], 2, 1);
    memset(down->data, 0xff, sizeof down->data);
    assert_int_equal(pci_path_read(&config, &tree, index, &path), STATUS_OK);
    assert_kinds(&path, "ILI?");
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &ceiling);
    assert_false(ceiling.hops[3].known);
    /* The identity answers, the capability does not. */
    memset(up->data + CAP, 0xff, 0x3c);
    assert_int_equal(pci_path_read(&config, &tree, index, &path), STATUS_OK);
    assert_true(path.hops[1].below.answers);
    assert_false(path.hops[1].below.has_pcie);
    assert_link(&path.hops[1], 2, 1);
}

/* Below a port that names the wrong direction, links and internal buses still take turns. */
static void test_wrong_direction(void **state)
{
    struct pci_path path;

    (void)state;
    add_switch();
    pci_space_put16(up, CAP + PCIE_CAPS, PCIE_TYPE_DOWNSTREAM << 4 | 2);
    path = read_path(3, 0, 0);
    assert_kinds(&path, "ILIL");
    pci_space_put16(up, CAP + PCIE_CAPS, PCIE_TYPE_UPSTREAM << 4 | 2);
    pci_space_put16(down, CAP + PCIE_CAPS, PCIE_TYPE_UPSTREAM << 4 | 2);
    path = read_path(3, 0, 0);
    assert_kinds(&path, "ILIL");
    /* A bridge that calls itself an endpoint. */
    pci_space_put16(down, CAP + PCIE_CAPS, PCIE_TYPE_ENDPOINT << 4 | 2);
    path = read_path(3, 0, 0);
    assert_kinds(&path, "ILI?");
}

static void test_bounds(void **state)
{
    struct pci_path path = {.count = 77};

    (void)state;
    walk();
    assert_int_equal(pci_path_read(&config, &tree, 0, &path), STATUS_INVALID);
    for (unsigned bus = 0; bus < 20; bus++)
        pci_space_add_bridge(&space, pci_space_at(bus, 0, 0), bus + 1, 40);
    walk();
    assert_int_equal(tree.count, 20);
    assert_int_equal(pci_path_read(&config, &tree, -1, &path), STATUS_INVALID);
    assert_int_equal(pci_path_read(&config, &tree, 20, &path), STATUS_INVALID);
    assert_int_equal(pci_path_read(&config, &tree, 16, &path), STATUS_FULL);
    devices[3].parent = 3; /* not a list that a walk makes */
    assert_int_equal(pci_path_read(&config, &tree, 5, &path), STATUS_INVALID);
    devices[3].parent = 7;
    assert_int_equal(pci_path_read(&config, &tree, 5, &path), STATUS_INVALID);
    assert_int_equal(path.count, 77);
    devices[3].parent = 2;
    assert_int_equal(pci_path_read(&config, &tree, 15, &path), STATUS_OK);
    assert_int_equal(path.count, 16);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_switch),
        T(test_slow_uplink),
        T(test_ends),
        T(test_no_capability),
        T(test_plain_bridge),
        T(test_pcix),
        T(test_type_not_id),
        T(test_upstream_function_0),
        T(test_shared),
        T(test_shared_many),
        T(test_overlap),
        T(test_gone),
        T(test_wrong_direction),
        T(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
