/*
 * Devices with up to 256 functions (ARI): which are found, and under which address. (PCI Express
 * Base 5.0, sections 6.13 and 7.8.8.)
 */
#include "pci/path_read.h"
#include "pci/walk.h"

#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARI 0x150 /* where these functions have the extended capability */

static struct pci_device devices[300];
static struct pci_tree tree;
static struct pci_space space;
static struct pci_config config;
static struct pci_space_function *port;

/* A root port at 00:01.0 that forwards ARI. */
static int set_up(void **state)
{
    (void)state;
    tree = (struct pci_tree){.devices = devices, .capacity = COUNT_OF(devices)};
    pci_space_init(&space);
    config = pci_space_config(&space);
    port = pci_space_add_bridge(&space, pci_space_at(0, 1, 0), 1, 1);
    pci_space_add_pcie(port, PCIE_TYPE_ROOT_PORT);
    pci_space_set_link(port, 3, 4, 3, 4);
    pci_space_put16(port, 0x40 + PCIE_DEV_CTL2, PCIE_DEV_CTL2_ARI);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static void put_next(struct pci_space_function *function, unsigned next)
{
    pci_space_put32(function, 0x100, ARI << 20 | 1 << 16 | PCIE_EXT_CAP_ID_AER);
    pci_space_put32(function, ARI, 1 << 16 | PCIE_EXT_CAP_ID_ARI);
    pci_space_put32(function, ARI + PCIE_ARI_CAP, next << 8 | 0x03); /* and function groups */
}

/* Function `number` below the port, without the multi-function bit; the next one is `next`. */
static struct pci_space_function *add(unsigned number, unsigned next)
{
    struct pci_space_function *function =
        pci_space_add(&space, pci_space_at(1, number >> 3, number & 7));

    pci_space_add_pcie(function, PCIE_TYPE_ENDPOINT);
    pci_space_set_link(function, 3, 4, 3, 4);
    pci_space_put8(function, 0x0b, 0x01);
    put_next(function, next);
    return function;
}

static void assert_walk(uint32_t count, uint32_t oddities)
{
    tree.count = tree.oddities = 0;
    assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_OK);
    assert_int_equal(tree.count, count);
    assert_int_equal(tree.oddities, oddities);
}

static int32_t find(unsigned number)
{
    return pci_walk_find(&tree, pci_space_at(1, number >> 3, number & 7));
}

/* The list leads to them, whatever the multi-function bits say; what it leaves out is not there. */
static void test_list_is_followed(void **state)
{
    static const unsigned numbers[] = {0, 3, 8, 9, 77, 255, 0};

    (void)state;
    for (unsigned i = 0; i + 1 < COUNT_OF(numbers); i++)
        add(numbers[i], numbers[i + 1]);
    add(16, 0);
    assert_walk(7, 0);
    for (unsigned i = 0; i + 1 < COUNT_OF(numbers); i++)
        assert_int_equal(find(numbers[i]), i + 1);
    assert_int_equal(find(16), PCI_NO_PARENT);
    assert_int_equal(devices[find(77)].address.device, 9);
    assert_int_equal(devices[find(77)].address.function, 5);
    assert_int_equal(devices[find(77)].parent, 0);
}

static void test_all_256(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 256; number++)
        add(number, (number + 1) % 256);
    assert_walk(257, 0);
    /* With the bit set, functions 1 to 7 are found twice and listed once. */
    pci_space_put8(space.functions[1], PCI_HEADER_TYPE, 0x80);
    assert_walk(257, 0);
    /* The list that is full while the functions go on. */
    for (uint32_t capacity = 2; capacity < 257; capacity += 5) {
        tree = (struct pci_tree){.devices = devices, .capacity = capacity};
        assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_FULL);
        assert_int_equal(tree.count, capacity);
        assert_int_equal(tree.oddities, 0);
    }
}

/* Where the port does not forward them they never answer, and nothing asks. */
static void test_port_does_not_forward(void **state)
{
    uint32_t reads;

    (void)state;
    add(0, 8);
    add(8, 0);
    assert_walk(3, 0);
    reads = space.reads;
    pci_space_put16(port, 0x40 + PCIE_DEV_CTL2, (uint16_t)~PCIE_DEV_CTL2_ARI);
    assert_walk(2, 0);
    assert_true(space.reads - reads < reads);
    /* Version 1 of the capability has something else there. */
    pci_space_put16(port, 0x40 + PCIE_DEV_CTL2, PCIE_DEV_CTL2_ARI);
    pci_space_put16(port, 0x40 + PCIE_CAPS, PCIE_TYPE_ROOT_PORT << 4 | 1);
    assert_walk(2, 0);
    /* So has a capability that the 256 bytes cut off: all of it but Device Control 2. */
    pci_space_put8(port, PCI_CAP_PTR, 0xd8);
    pci_space_put32(port, 0xd8, (PCIE_TYPE_ROOT_PORT << 4 | 2) << 16 | PCI_CAP_ID_PCIE);
    pci_space_put16(port, 0xd8 + PCIE_DEV_CTL2, PCIE_DEV_CTL2_ARI);
    assert_walk(2, 0);
}

/* A device without the capability that answers to all 32 device numbers is still one. */
static void test_port_forwards_to_another_device(void **state)
{
    struct pci_space_function *function = add(0, 0);

    (void)state;
    function->all_device_numbers = true;
    pci_space_put8(function, PCI_HEADER_TYPE, 0x80);
    pci_space_put32(function, ARI, 0);
    add(1, 0)->all_device_numbers = true;
    assert_walk(3, 0);
}

/* Lists that go nowhere: to themselves, back, to an absent function, to one of all ones. */
static void test_bad_lists(void **state)
{
    struct pci_space_function *middle;

    (void)state;
    add(0, 9);
    middle = add(9, 9);
    assert_walk(3, 1);
    put_next(middle, 5);
    add(5, 9);
    assert_walk(3, 1);
    put_next(middle, 200);
    assert_walk(3, 1);
    memset(add(200, 0)->data, 0xff, 4096);
    assert_walk(3, 1);
    put_next(middle, 0);
    assert_walk(3, 0);
    /* A later function without the capability ends the list. */
    put_next(middle, 11);
    pci_space_put32(add(11, 12), ARI, 0);
    add(12, 0);
    assert_walk(4, 0);
    /* The capability at the very end: its register is beyond. */
    pci_space_put32(middle, 0x100, 0xffc00000u | 1 << 16 | PCIE_EXT_CAP_ID_AER);
    pci_space_put32(middle, 0xffc, 1 << 16 | PCIE_EXT_CAP_ID_ARI);
    assert_walk(3, 0);
}

/* The list breaks off or is out of reach; functions 1 to 7 are found by the multi-function bit. */
static void test_multi_function_bit(void **state)
{
    (void)state;
    pci_space_put8(add(0, 0), PCI_HEADER_TYPE, 0x80);
    add(4, 8);
    add(8, 0);
    assert_walk(3, 0);
    put_next(space.functions[1], 4);
    assert_walk(4, 0);
    space.reach = 256;
    assert_walk(3, 0);
    /* Function 0 absent: no list. */
    space.reach = 4096;
    pci_space_put32(space.functions[1], PCI_VENDOR_ID, UINT32_MAX);
    assert_walk(2, 1);
}

/* Function 8 and above hang on the one link; what they share is all of the device. */
static void test_path(void **state)
{
    struct pci_path path;

    (void)state;
    add(0, 1);
    add(1, 20);
    add(20, 0);
    assert_walk(4, 0);
    assert_int_equal(pci_path_read(&config, &tree, find(20), &path), STATUS_OK);
    assert_int_equal(path.count, 2);
    assert_int_equal(path.hops[1].kind, PCI_HOP_LINK);
    assert_int_equal(path.hops[1].width, 4);
    assert_false(path.hops[1].indirect || path.hops[1].ends_differ);
    assert_int_equal(path.hops[1].shared_count, 2);
}

/* Below a switch's downstream port; its upstream port is function 0 of such a device itself. */
static void test_switch(void **state)
{
    struct pci_space_function *up = pci_space_add_bridge(&space, pci_space_at(1, 0, 0), 2, 3);
    struct pci_space_function *down = pci_space_add_bridge(&space, pci_space_at(2, 4, 0), 3, 3);
    struct pci_space_function *first = pci_space_add(&space, pci_space_at(3, 0, 0));

    (void)state;
    pci_space_put8(port, PCI_BUS_NUMBERS + 2, 3);
    pci_space_add_pcie(up, PCIE_TYPE_UPSTREAM);
    put_next(up, 10);
    add(10, 0);
    pci_space_add_pcie(down, PCIE_TYPE_DOWNSTREAM);
    pci_space_put16(down, 0x40 + PCIE_DEV_CTL2, PCIE_DEV_CTL2_ARI);
    pci_space_add_pcie(first, PCIE_TYPE_ENDPOINT);
    put_next(first, 31);
    pci_space_add_pcie(pci_space_add(&space, pci_space_at(3, 3, 7)), PCIE_TYPE_ENDPOINT);
    assert_walk(6, 0);
    assert_int_equal(devices[pci_walk_find(&tree, pci_space_at(3, 3, 7))].parent,
                     pci_walk_find(&tree, pci_space_at(2, 4, 0)));
    assert_int_equal(devices[find(10)].parent, 0);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_list_is_followed),
        T(test_all_256),
        T(test_port_does_not_forward),
        T(test_port_forwards_to_another_device),
        T(test_bad_lists),
        T(test_multi_function_bit),
        T(test_path),
        T(test_switch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
