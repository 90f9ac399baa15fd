/* The walk over synthetic trees: one for each thing that is wrong on some machine. */
#include "pci/walk.h"

#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CAPACITY 300

static struct pci_device devices[CAPACITY];
static struct pci_tree tree;
static struct pci_space space;

static int set_up(void **state)
{
    (void)state;
    memset(devices, 0xaa, sizeof devices);
    tree = (struct pci_tree){.devices = devices, .capacity = CAPACITY};
    pci_space_init(&space);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static struct pci_space_function *add(unsigned bus, unsigned device, unsigned function)
{
    return pci_space_add(&space, pci_space_at(bus, device, function));
}

static struct pci_space_function *add_bridge(unsigned bus, unsigned device, unsigned secondary,
                                             unsigned subordinate)
{
    return pci_space_add_bridge(&space, pci_space_at(bus, device, 0), secondary, subordinate);
}

static void walk(void)
{
    struct pci_config config = pci_space_config(&space);

    assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_OK);
}

static int32_t find(unsigned bus, unsigned device, unsigned function)
{
    return pci_walk_find(&tree, pci_space_at(bus, device, function));
}

static void assert_walk(uint32_t count, uint32_t oddities)
{
    walk();
    assert_int_equal(tree.count, count);
    assert_int_equal(tree.oddities, oddities);
}

static void test_empty(void **state)
{
    (void)state;
    assert_walk(0, 0);
    assert_int_equal(find(0, 0, 0), PCI_NO_PARENT);
    /* 32 reads for an absent bus, all functions of the first: the documented cost. */
    assert_in_range(space.reads, 1, 32 * 255 + 32 * 8);
}

static void test_all_fields(void **state)
{
    struct pci_space_function *f = add(0, 3, 2);
    const struct pci_device *d = &devices[1];

    (void)state;
    pci_space_put8(add(0, 3, 0), PCI_HEADER_TYPE, 0x80);
    pci_space_put32(f, 0x00, 0x91231b4b);
    pci_space_put32(f, 0x08, 0x01060111);
    pci_space_put32(f, 0x2c, 0x43218765);
    for (unsigned i = 0; i < 6; i++)
        pci_space_put32(f, PCI_BAR0 + 4 * i, 0x1000 * (i + 1));
    pci_space_add_pcie(f, PCIE_TYPE_LEGACY_ENDPOINT);
    assert_walk(2, 0);
    assert_true(devices[0].multi_function);
    assert_int_equal(find(0, 3, 2), 1);
    assert_int_equal(d->address.function, 2);
    assert_int_equal(d->vendor_id, 0x1b4b);
    assert_int_equal(d->device_id, 0x9123);
    assert_int_equal(d->revision, 0x11);
    assert_int_equal(d->prog_if, 0x01);
    assert_int_equal(d->class_sub, 0x06);
    assert_int_equal(d->class_base, 0x01);
    assert_int_equal(d->subsystem_vendor_id, 0x8765);
    assert_int_equal(d->subsystem_id, 0x4321);
    assert_int_equal(d->header_type, 0);
    assert_false(d->multi_function);
    assert_int_equal(d->parent, PCI_NO_PARENT);
    assert_int_equal(d->pcie_cap, 0x40);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(d->bar[i], 0x1000 * (i + 1));
    assert_int_equal(d->primary_bus + d->secondary_bus + d->subordinate_bus, 0);
}

static void test_bridge_fields(void **state)
{
    struct pci_space_function *f = add_bridge(0, 1, 5, 7);

    (void)state;
    pci_space_put32(f, PCI_BAR0, 0xfe000000);
    pci_space_put32(f, 0x2c, 0x12345678); /* prefetchable limit, upper half: no subsystem */
    add(5, 0, 0);
    assert_walk(2, 0);
    assert_int_equal(devices[0].header_type, 1);
    assert_int_equal(devices[0].secondary_bus, 5);
    assert_int_equal(devices[0].subordinate_bus, 7);
    assert_int_equal(devices[0].bar[0], 0xfe000000);
    assert_int_equal(devices[0].bar[2], 0);
    assert_int_equal(devices[0].subsystem_id, 0);
    assert_int_equal(devices[1].parent, 0);
}

/* Without the multi-function bit functions above 0 are copies or nothing: not looked at. */
static void test_multi_function_bit(void **state)
{
    struct pci_space_function *f = add(0, 0, 0);

    (void)state;
    for (unsigned i = 1; i < 8; i++)
        add(0, 0, i);
    assert_walk(1, 0);
    pci_space_put8(f, PCI_HEADER_TYPE, 0x80);
    tree.count = 0;
    assert_walk(8, 0);
}

static void test_function_0_absent(void **state)
{
    (void)state;
    add(0, 0, 0);
    add(0, 28, 3);
    add(0, 28, 5);
    assert_walk(3, 1);
    assert_int_equal(find(0, 28, 5), 2);
}

static void test_all_ones_amid_good(void **state)
{
    struct pci_space_function *f = add(0, 1, 0);

    (void)state;
    pci_space_put8(f, PCI_HEADER_TYPE, 0x80);
    memset(add(0, 1, 1)->data, 0xff, 4096);
    add(0, 1, 2);
    memset(add(0, 2, 0)->data, 0xff, 4096);
    assert_walk(2, 0);
    assert_int_equal(find(0, 1, 1), PCI_NO_PARENT);
}

static void test_not_functions(void **state)
{
    static const uint32_t ids[] = {0xffff0001, 0x56780001, 0x00000000, 0xffff0000, 0x1234ffff};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(ids); i++)
        pci_space_put32(add(0, i, 0), PCI_VENDOR_ID, ids[i]);
    add(0, 9, 0);
    assert_walk(1, 2); /* the two that are not ready yet */
    assert_int_equal(devices[0].address.device, 9);
}

static void test_header_types(void **state)
{
    (void)state;
    for (unsigned type = 3; type < 0x80; type++) {
        struct pci_space_function *f = add(0, type % 32, 0);

        pci_space_put8(f, PCI_HEADER_TYPE, type);
        pci_space_put32(f, PCI_BUS_NUMBERS, 0x00010100);
        pci_space_add_cap(f, 0x40, PCI_CAP_ID_PCIE);
        tree.count = tree.oddities = 0;
        assert_walk(1, 1);
        assert_int_equal(devices[0].header_type, type);
        assert_int_equal(devices[0].secondary_bus, 0);
        assert_int_equal(devices[0].pcie_cap, 0);
        pci_space_free(&space);
        pci_space_init(&space);
    }
}

static void test_cardbus(void **state)
{
    struct pci_space_function *f = add_bridge(0, 4, 2, 5);

    (void)state;
    pci_space_put8(f, PCI_HEADER_TYPE, PCI_HEADER_TYPE_CARDBUS);
    pci_space_put32(f, PCI_BAR0, 0xd0000000);
    pci_space_add_cap(f, 0x80, 0x01);
    pci_space_add_cap(f, 0x90, PCI_CAP_ID_PCIE); /* the list starts at 14h, not at 34h */
    add(2, 0, 0);
    assert_walk(2, 0);
    assert_int_equal(devices[0].bar[0], 0xd0000000);
    assert_int_equal(devices[0].bar[1], 0);
    assert_int_equal(devices[0].pcie_cap, 0x90);
    assert_int_equal(devices[1].parent, 0);
}

static void test_unnumbered_bridge(void **state)
{
    (void)state;
    add(0, 0, 0);
    add_bridge(0, 1, 0, 0);
    assert_walk(2, 0);
}

static void test_bad_ranges(void **state)
{
    (void)state;
    add_bridge(0, 1, 0, 5);   /* secondary bus 0 again */
    add_bridge(0, 2, 6, 4);   /* ends before it begins */
    add_bridge(0, 3, 7, 9);   /* sound */
    add_bridge(7, 0, 7, 9);   /* its own bus */
    add_bridge(7, 1, 3, 9);   /* upwards */
    add_bridge(7, 2, 20, 21); /* outside what the bridge above passes on */
    add_bridge(7, 3, 8, 200); /* ends too late: still reaches bus 8 */
    add(8, 0, 0);
    assert_walk(8, 5);
    assert_int_equal(devices[find(8, 0, 0)].parent, find(7, 3, 0));
}

/* Two bridges with one secondary bus: the first has it, nothing is listed twice. */
static void test_overlapping_ranges(void **state)
{
    (void)state;
    add_bridge(0, 1, 1, 4);
    add_bridge(0, 2, 1, 4);
    add_bridge(0, 3, 3, 6);
    add_bridge(1, 0, 3, 3);
    add(3, 0, 0);
    assert_walk(5, 2);
    assert_int_equal(devices[find(1, 0, 0)].parent, find(0, 1, 0));
    assert_int_equal(devices[find(3, 0, 0)].parent, find(0, 3, 0));
}

static void test_wrong_primary(void **state)
{
    struct pci_space_function *f = add_bridge(0, 1, 2, 2);

    (void)state;
    pci_space_put8(f, PCI_BUS_NUMBERS, 9);
    add(2, 0, 0);
    assert_walk(2, 1);
    assert_int_equal(devices[0].primary_bus, 9);
    assert_int_equal(devices[1].parent, 0);
}

static void test_deep_chain(void **state)
{
    (void)state;
    for (unsigned bus = 0; bus < 255; bus++)
        add_bridge(bus, 0, bus + 1, 255);
    add(255, 0, 0);
    assert_walk(256, 0);
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(devices[i].parent, i == 0 ? PCI_NO_PARENT : (int)i - 1);
}

static void test_second_root_bus(void **state)
{
    (void)state;
    add(0, 0, 0);
    add_bridge(0x80, 0, 0x81, 0x82);
    add(0x81, 0, 0);
    add(0xff, 8, 0);
    assert_walk(4, 0);
    assert_int_equal(devices[find(0x80, 0, 0)].parent, PCI_NO_PARENT);
    assert_int_equal(devices[find(0x81, 0, 0)].parent, find(0x80, 0, 0));
    assert_int_equal(devices[find(0xff, 8, 0)].parent, PCI_NO_PARENT);
}

/*
 * Buses that answer, whose bridge does not show itself, within the ranges of several that do. All
 * device numbers are looked at there: what is between may be more than a link.
 */
static void test_hidden_bridge(void **state)
{
    (void)state;
    add_bridge(0, 1, 1, 9);
    pci_space_add_pcie(add_bridge(1, 0, 2, 6), PCIE_TYPE_ROOT_PORT);
    add_bridge(1, 1, 3, 12); /* looser, met later; ends too late */
    add_bridge(1, 2, 1, 8);  /* its own bus: leads nowhere */
    add(5, 2, 0);
    add(8, 0, 0);
    assert_walk(6, 3);
    assert_int_equal(devices[find(5, 2, 0)].parent, find(1, 0, 0));
    assert_int_equal(devices[find(8, 0, 0)].parent, find(0, 1, 0));
}

/* The first bus is a root bus even if none of its devices has a function 0. */
static void test_first_bus_without_function_0(void **state)
{
    (void)state;
    add(0, 28, 3);
    assert_walk(1, 1);
}

static void test_bus_range(void **state)
{
    struct pci_config config = pci_space_config(&space);

    (void)state;
    add(2, 0, 0);
    add_bridge(4, 1, 5, 9);
    add(5, 0, 0);
    add_bridge(5, 1, 8, 9);
    add(8, 0, 0);
    assert_int_equal(pci_walk_segment(&config, 0, 4, 7, &tree), STATUS_OK);
    assert_int_equal(tree.count, 3);
    assert_int_equal(tree.oddities, 1);
}

/* Buses without any access to configuration space cost nothing and end a branch. */
static void test_reach(void **state)
{
    (void)state;
    add_bridge(0, 1, 1, 200);
    add_bridge(1, 0, 64, 200);
    add(64, 0, 0);
    space.last_bus = 63;
    assert_walk(2, 1);
    assert_in_range(space.reads, 1, 32 * 64 + 3 * 32 * 8);
}

static void test_full(void **state)
{
    struct pci_config config = pci_space_config(&space);

    (void)state;
    add_bridge(0, 0, 1, 1);
    for (unsigned i = 1; i < 32; i++)
        add(0, i, 0);
    add(1, 0, 0);
    for (uint32_t capacity = 0; capacity < 33; capacity++) {
        tree = (struct pci_tree){.devices = devices, .capacity = capacity};
        memset(devices, 0xaa, sizeof devices);
        assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_FULL);
        assert_int_equal(tree.count, capacity);
        assert_int_equal(devices[capacity].vendor_id, 0xaaaa);
    }
    tree = (struct pci_tree){.devices = devices, .capacity = 33};
    assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_OK);
}

/* A device on a link that answers to all 32 device numbers is one device. */
static void test_link_has_one_device(void **state)
{
    struct pci_space_function *port = add_bridge(0, 1, 1, 1);
    struct pci_space_function *bridge = add_bridge(0, 2, 2, 2);

    (void)state;
    pci_space_add_pcie(port, PCIE_TYPE_ROOT_PORT);
    pci_space_add_pcie(bridge, PCIE_TYPE_PCIE_TO_PCI);
    add(1, 0, 0)->all_device_numbers = true;
    add(2, 0, 0)->all_device_numbers = true;
    assert_walk(2 + 1 + 32, 0);
}

/* A switch: upstream port, then downstream ports with any device number on its inner bus. */
static void add_switch(unsigned upstream_type)
{
    pci_space_add_pcie(add_bridge(0, 1, 1, 4), PCIE_TYPE_ROOT_PORT);
    pci_space_add_pcie(add_bridge(1, 0, 2, 4), upstream_type);
    pci_space_add_pcie(add_bridge(2, 1, 3, 3), PCIE_TYPE_DOWNSTREAM);
    pci_space_add_pcie(add_bridge(2, 7, 4, 4), PCIE_TYPE_DOWNSTREAM);
    add(3, 0, 0)->all_device_numbers = true;
    add(4, 0, 0);
}

static void test_switch(void **state)
{
    (void)state;
    add_switch(PCIE_TYPE_UPSTREAM);
    assert_walk(6, 0);
    assert_int_equal(devices[find(4, 0, 0)].parent, find(2, 7, 0));
}

static void test_upstream_port_says_downstream(void **state)
{
    (void)state;
    add_switch(PCIE_TYPE_DOWNSTREAM);
    walk();
    assert_int_not_equal(find(4, 0, 0), PCI_NO_PARENT);
}

static void test_segments_append(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_address address = pci_space_at(0, 0, 0);

    (void)state;
    add_bridge(0, 0, 1, 1);
    add(1, 0, 0);
    for (unsigned segment = 1; segment < 3; segment++) {
        address.segment = (uint16_t)segment;
        pci_space_add_bridge(&space, address, 1, 1);
        address.bus = 1;
        pci_space_add(&space, address);
        address.bus = 0;
    }
    address.segment = 2;
    address.bus = 6; /* no bridge of this segment leads there; one of segment 0 might */
    pci_space_add(&space, address);
    pci_space_put8(space.functions[0], PCI_BUS_NUMBERS + 2, 9);
    for (unsigned segment = 0; segment < 3; segment++)
        assert_int_equal(pci_walk_segment(&config, (uint16_t)segment, 0, 255, &tree), STATUS_OK);
    assert_int_equal(tree.count, 7);
    assert_int_equal(tree.oddities, 0);
    assert_int_equal(devices[6].parent, PCI_NO_PARENT);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(devices[i].address.segment, i / 2);
        assert_int_equal(devices[i].parent, i % 2 == 0 ? PCI_NO_PARENT : i - 1);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_empty),
        TEST(test_all_fields),
        TEST(test_bridge_fields),
        TEST(test_multi_function_bit),
        TEST(test_function_0_absent),
        TEST(test_all_ones_amid_good),
        TEST(test_not_functions),
        TEST(test_header_types),
        TEST(test_cardbus),
        TEST(test_unnumbered_bridge),
        TEST(test_bad_ranges),
        TEST(test_overlapping_ranges),
        TEST(test_wrong_primary),
        TEST(test_deep_chain),
        TEST(test_second_root_bus),
        TEST(test_hidden_bridge),
        TEST(test_first_bus_without_function_0),
        TEST(test_bus_range),
        TEST(test_reach),
        TEST(test_full),
        TEST(test_link_has_one_device),
        TEST(test_switch),
        TEST(test_upstream_port_says_downstream),
        TEST(test_segments_append),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
