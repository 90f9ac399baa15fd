/* Both capability lists of a function in their order, sound and not. */
#include "pci/cap_list.h"

#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct pci_space space;
static struct pci_space_function *function;
static struct pci_device device;
static struct pci_cap caps[PCI_CAP_LIST_MAX + 1];

static int set_up(void **state)
{
    (void)state;
    pci_space_init(&space);
    function = pci_space_add(&space, pci_space_at(0, 0, 0));
    device = (struct pci_device){.address = function->address, .pcie_cap = 0x40};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static uint32_t read_list(void)
{
    struct pci_config config = pci_space_config(&space);
    uint32_t count = 0;

    space.reads = 0;
    assert_int_equal(pci_cap_list_read(&config, &device, caps, PCI_CAP_LIST_MAX, &count),
                     STATUS_OK);
    assert_in_range(space.reads, 0, 2 + 48 + 960);
    return count;
}

static void check(uint32_t index, unsigned offset, unsigned id, unsigned version)
{
    assert_int_equal(caps[index].offset, offset);
    assert_int_equal(caps[index].id, id);
    assert_int_equal(caps[index].version, version);
}

static void put_ext(unsigned offset, unsigned id, unsigned version, unsigned next)
{
    pci_space_put32(function, offset, id | version << 16 | next << 20);
}

static void test_both(void **state)
{
    (void)state;
    assert_int_equal(read_list(), 0);
    pci_space_add_cap(function, 0x40, 0x10);
    pci_space_add_cap(function, 0xfc, 0x05);
    pci_space_add_cap(function, 0x70, 0x00); /* an empty entry is one */
    put_ext(0x100, 0x0001, 2, 0x14b);        /* the two lowest bits are no part of an offset */
    put_ext(0x148, 0xffff, 15, 0xffc);
    put_ext(0xffc, 0x0000, 1, 0);
    assert_int_equal(read_list(), 6);
    assert_int_equal(space.reads, 2 + 6);
    check(0, 0x70, 0x00, 0);
    check(1, 0xfc, 0x05, 0);
    check(2, 0x40, 0x10, 0);
    check(3, 0x100, 0x0001, 2);
    check(4, 0x148, 0xffff, 15);
    check(5, 0xffc, 0x0000, 1);
}

/* The two lowest bits of the conventional pointers are reserved. */
static void test_low_bits(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    pci_space_add_cap(function, 0x50, 0x05);
    pci_space_put8(function, PCI_CAP_PTR, 0x53);
    pci_space_put8(function, 0x51, 0x42);
    device.pcie_cap = 0;
    assert_int_equal(read_list(), 2);
    check(0, 0x50, 0x05, 0);
    check(1, 0x40, 0x01, 0);
}

/* Extended capabilities need a PCI Express capability and 4096 bytes. */
static void test_out_of_reach(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x10);
    put_ext(0x100, 0x0001, 1, 0);
    assert_int_equal(read_list(), 2);
    space.reach = 256;
    assert_int_equal(read_list(), 1);
    space.reach = 4096;
    device.pcie_cap = 0;
    assert_int_equal(read_list(), 1);
    check(0, 0x40, 0x10, 0);
}

static void test_headers(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    pci_space_put8(function, PCI_CAP_PTR_CB, 0x48);
    pci_space_put16(function, 0x48, 0x400d);
    device.pcie_cap = 0;
    for (unsigned type = 0; type < 128; type++) {
        device.header_type = (uint8_t)type;
        assert_int_equal(read_list(), type < 2 ? 1 : type == PCI_HEADER_TYPE_CARDBUS ? 2 : 0);
    }
    device.header_type = PCI_HEADER_TYPE_NORMAL;
    pci_space_put16(function, PCI_STATUS, 0);
    assert_int_equal(read_list(), 0);
}

/* Every entry of a circle once, wherever it closes. */
static void test_circles(void **state)
{
    (void)state;
    for (unsigned back = 0x40; back <= 0x60; back += 0x10) {
        pci_space_put16(function, PCI_STATUS, PCI_STATUS_CAP_LIST);
        pci_space_put8(function, PCI_CAP_PTR, 0x40);
        pci_space_put16(function, 0x40, 0x5001);
        pci_space_put16(function, 0x50, 0x6005);
        pci_space_put16(function, 0x60, 0x09 | back << 8);
        put_ext(0x100, 1, 1, 0x200);
        put_ext(0x200, 2, 1, back == 0x40 ? 0x100 : 0x200);
        assert_int_equal(read_list(), 5);
        check(2, 0x60, 0x09, 0);
        check(4, 0x200, 2, 1);
    }
}

/* What cannot be is the end: ids ff and all ones, empty headers, offsets below the list. */
static void test_ends(void **state)
{
    (void)state;
    for (unsigned low = 0; low < 0x100; low += 4) {
        pci_space_add_cap(function, 0x40, 0x01);
        put_ext(0x100, 1, 1, low);
        pci_space_put8(function, 0x41, low < 0x40 ? low : 0);
        assert_int_equal(read_list(), 2);
    }
    pci_space_put16(function, 0x40, 0x8001);
    pci_space_put16(function, 0x80, 0x40ff);
    put_ext(0x100, 1, 1, 0x200);
    pci_space_put32(function, 0x200, UINT32_MAX);
    assert_int_equal(read_list(), 2);
    memset(function->data, 0xff, sizeof function->data);
    assert_int_equal(read_list(), 0);
}

/* The longest lists that there can be, and tables with less room. */
static void test_longest(void **state)
{
    struct pci_config config = pci_space_config(&space);
    uint32_t count;

    (void)state;
    for (unsigned offset = 0x40; offset < 0x100; offset += 4)
        pci_space_add_cap(function, offset, 0x09);
    for (unsigned offset = 0x100; offset < 0x1000; offset += 4)
        put_ext(offset, 0x000b, 1, offset + 4);
    assert_int_equal(read_list(), 48 + 960);
    assert_int_equal(PCI_CAP_LIST_MAX, 48 + 960);
    check(0, 0xfc, 0x09, 0);
    check(47, 0x40, 0x09, 0);
    check(48, 0x100, 0x000b, 1);
    check(1007, 0xffc, 0x000b, 1);
    memset(caps, 0, sizeof caps);
    assert_int_equal(pci_cap_list_read(&config, &device, caps, 1008, &count), STATUS_OK);
    assert_int_equal(count, 1008);
    for (uint32_t capacity = 0; capacity < PCI_CAP_LIST_MAX; capacity += capacity < 50 ? 1 : 479) {
        memset(caps, 0, sizeof caps);
        assert_int_equal(pci_cap_list_read(&config, &device, caps, capacity, &count), STATUS_FULL);
        assert_int_equal(count, capacity);
        check(capacity, 0, 0, 0);
    }
}

/* The cursor stays at its end. */
static void test_end_stays(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_cap_cursor cursor;
    struct pci_cap cap;

    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    cursor = pci_cap_start(&config, &device);
    assert_true(pci_cap_next(&cursor, &cap));
    for (unsigned i = 0; i < 3; i++)
        assert_false(pci_cap_next(&cursor, &cap));
    pci_space_put8(function, 0x40, 0xff);
    cursor = pci_cap_start(&config, &device);
    for (unsigned i = 0; i < 3; i++)
        assert_false(pci_cap_next(&cursor, &cap));
    assert_int_equal(cap.offset, 0x40);
    put_ext(0x100, 7, 1, 0);
    put_ext(0x200, 8, 1, 0);
    assert_int_equal(pci_ext_cap_find(&config, &device, 7), 0x100);
    assert_int_equal(pci_ext_cap_find(&config, &device, 8), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_both),    TEST(test_low_bits), TEST(test_out_of_reach), TEST(test_headers),
        TEST(test_circles), TEST(test_ends),     TEST(test_longest),      TEST(test_end_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
