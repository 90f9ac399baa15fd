/* Capability lists, sound and not. */
#include "pci/cap_list.h"

#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct pci_space space;
static struct pci_space_function *function;
static struct pci_device device;

static int set_up(void **state)
{
    (void)state;
    pci_space_init(&space);
    function = pci_space_add(&space, pci_space_at(0, 0, 0));
    device = (struct pci_device){.address = function->address};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static uint16_t find(unsigned id)
{
    struct pci_config config = pci_space_config(&space);

    return pci_cap_find(&config, &device, (uint8_t)id);
}

static void test_found(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    pci_space_add_cap(function, 0xfc, 0x05);
    pci_space_add_cap(function, 0x70, 0x12);
    assert_int_equal(find(0x01), 0x40);
    assert_int_equal(find(0x05), 0xfc);
    space.reads = 0;
    assert_int_equal(find(0x12), 0x70);
    assert_int_equal(space.reads, 2 + 1);
    assert_int_equal(find(0x10), 0);
    assert_int_equal(space.reads, 2 + 1 + 2 + 3);
}

/* The two lowest bits of the pointers are reserved. */
static void test_low_bits(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    pci_space_add_cap(function, 0x50, 0x05);
    pci_space_put8(function, PCI_CAP_PTR, 0x53);
    pci_space_put8(function, 0x51, 0x42);
    assert_int_equal(find(0x01), 0x40);
    assert_int_equal(find(0x05), 0x50);
}

static void test_without_status_bit(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    pci_space_put16(function, PCI_STATUS, 0);
    assert_int_equal(find(0x01), 0);
}

static void test_first_of_two(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x09);
    pci_space_add_cap(function, 0x50, 0x09);
    assert_int_equal(find(0x09), 0x50);
}

static void test_loops(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    pci_space_put8(function, 0x41, 0x40);
    assert_int_equal(find(0x10), 0);
    assert_int_equal(space.reads, 2 + 1);
    pci_space_put8(function, 0x41, 0x80);
    pci_space_put8(function, 0x80, 0x03);
    pci_space_put8(function, 0x81, 0x40);
    assert_int_equal(find(0x10), 0);
    assert_int_equal(find(0x03), 0x80);
}

/* Pointers into the header end the list; so does id ff. */
static void test_bad_entries(void **state)
{
    (void)state;
    pci_space_add_cap(function, 0x40, 0x01);
    for (unsigned pointer = 1; pointer < 0x40; pointer++) {
        pci_space_put8(function, pointer & 0xfc, 0x10);
        pci_space_put8(function, PCI_VENDOR_ID, 0x34);
        pci_space_put8(function, PCI_STATUS, PCI_STATUS_CAP_LIST);
        pci_space_put8(function, PCI_CAP_PTR, 0x40);
        pci_space_put8(function, 0x41, pointer);
        assert_int_equal(find(0x10), 0);
    }
    pci_space_put16(function, 0x40, 0x50ff);
    pci_space_put8(function, 0x50, 0x10);
    assert_int_equal(find(0x10), 0);
}

/* The longest list there can be is followed to its end. */
static void test_longest(void **state)
{
    (void)state;
    for (unsigned offset = 0x40; offset < 0x100; offset += 4)
        pci_space_add_cap(function, offset, offset == 0x40 ? 0x10 : 0x09);
    assert_int_equal(find(0x10), 0x40);
}

static void test_gone(void **state)
{
    (void)state;
    for (unsigned offset = 0; offset < 256; offset++)
        pci_space_put8(function, offset, 0xff);
    assert_int_equal(find(0x10), 0);
    assert_int_equal(find(0xff), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_found), TEST(test_low_bits),     TEST(test_without_status_bit),
        TEST(test_loops), TEST(test_first_of_two), TEST(test_bad_entries),
        TEST(test_gone),  TEST(test_longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
