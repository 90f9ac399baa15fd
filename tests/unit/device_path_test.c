/* Device paths: sizes, prefixes, SATA ports, and broken ones. */
#include "efi/pure/device_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROOT                   0x02, 0x01, 0x0c, 0x00, 0xd0, 0x41, 0x03, 0x0a, 0, 0, 0, 0
#define PCI(device, function)  0x01, 0x01, 0x06, 0x00, function, device
#define SATA(port, multiplier) 0x03, 18, 10, 0, port, 0, (multiplier)&0xff, (multiplier) >> 8, 0, 0
#define PARTITION              0x04, 0x01, 0x08, 0x00, 1, 0, 0, 0
#define END                    0x7f, 0xff, 0x04, 0x00

static const uint8_t controller[] = {ROOT, PCI(0x1f, 2), END};
static const uint8_t other[] = {ROOT, PCI(0x1f, 3), END};
static const uint8_t drive[] = {ROOT, PCI(0x1f, 2), SATA(4, 0xffff), END};
static const uint8_t partition[] = {ROOT, PCI(0x1f, 2), SATA(4, 0xffff), PARTITION, END};
static const uint8_t multiplied[] = {ROOT, PCI(0x1f, 2), SATA(4, 2), END};
static const uint8_t port_99[] = {ROOT, PCI(0x1f, 2), SATA(99, 0xffff), END};
static const uint8_t end[] = {END};

static void test_size(void **state)
{
    (void)state;
    assert_int_equal(device_path_size(controller), 18);
    assert_int_equal(device_path_size(partition), 36);
    assert_int_equal(device_path_size(end), 0);
    assert_int_equal(device_path_size(NULL), 0);
}

static void test_below(void **state)
{
    (void)state;
    assert_true(device_path_below(controller, controller));
    assert_true(device_path_below(partition, controller));
    assert_false(device_path_below(controller, partition));
    assert_false(device_path_below(partition, other));
    assert_false(device_path_below(partition, end));
    assert_false(device_path_below(NULL, controller));
    assert_false(device_path_below(controller, NULL));
}

static void test_sata_port(void **state)
{
    (void)state;
    assert_int_equal(device_path_sata_port(drive, controller), 4);
    assert_int_equal(device_path_sata_port(partition, controller), -1);
    assert_int_equal(device_path_sata_port(multiplied, controller), -1);
    assert_int_equal(device_path_sata_port(port_99, controller), -1);
    assert_int_equal(device_path_sata_port(drive, other), -1);
    assert_int_equal(device_path_sata_port(controller, controller), -1);
}

static void test_broken(void **state)
{
    static const uint8_t short_node[] = {0x01, 0x01, 0x03, 0x00, END};
    static const uint8_t no_length[] = {0x01, 0x01, 0x00, 0x00, END};
    static uint8_t endless[8192];

    (void)state;
    assert_int_equal(device_path_size(short_node), 0);
    assert_int_equal(device_path_size(no_length), 0);
    for (size_t i = 0; i + 4 <= sizeof endless; i += 4)
        memcpy(endless + i, (const uint8_t[]){0x01, 0x01, 0x04, 0x00}, 4);
    assert_int_equal(device_path_size(endless), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_sata_port),
        cmocka_unit_test(test_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
