/* pci.txt: its form, and that nothing in it identifies one piece of hardware. */
#include "report/dump.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct pci_device device = {
    .address = {1, 0x3a, 0x1f, 7},
    .vendor_id = 0x1b4b,
    .device_id = 0x9128,
    .revision = 0x11,
    .class_base = 1,
    .class_sub = 6,
};

static void test_form(void **state)
{
    static char buffer[REPORT_DUMP_BYTES];
    uint8_t config[256];
    struct text text;
    size_t lines = 0;

    (void)state;
    for (unsigned i = 0; i < sizeof config; i++)
        config[i] = (uint8_t)i;
    text_init(&text, buffer, sizeof buffer);
    report_dump_function(&text, &device, config, sizeof config);
    assert_false(text.truncated);
    assert_int_equal(strncmp(buffer,
                             "0001:3a:1f.7 0106: 1b4b:9128 (rev 11)\n"
                             "00: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n",
                             38 + 52),
                     0);
    for (const char *c = buffer; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 16 + 1);
    assert_non_null(strstr(buffer, "\nf0: f0 f1 f2"));
}

static void test_4096_bytes_fit(void **state)
{
    static char buffer[REPORT_DUMP_BYTES];
    static const uint8_t config[4096];
    struct text text;

    (void)state;
    text_init(&text, buffer, sizeof buffer);
    report_dump_function(&text, &device, config, sizeof config);
    assert_false(text.truncated);
    assert_non_null(strstr(buffer, "\nff0: 00"));
}

/* A function with VPD at 50h, PCI Express at 60h, and the serial number capability at 140h. */
static void make_function(uint8_t *config)
{
    memset(config, 0xaa, 4096);
    config[0x06] = 0x10;
    config[0x34] = 0x50;
    memcpy(config + 0x50, (const uint8_t[]){0x03, 0x60}, 2);
    memcpy(config + 0x60, (const uint8_t[]){0x10, 0x00}, 2);
    memcpy(config + 0x100, (const uint8_t[]){0x01, 0x00, 0x01, 0x14}, 4);
    memcpy(config + 0x140, (const uint8_t[]){0x03, 0x00, 0x01, 0x00}, 4);
}

/* Exactly the bytes from `from` to `to` and from `also` to `also_to` are cleared. */
static void assert_cleared(const uint8_t *config, size_t count, const size_t ranges[4])
{
    static uint8_t original[4096];

    make_function(original);
    for (size_t i = 0; i < count; i++) {
        int cleared = (i >= ranges[0] && i < ranges[1]) || (i >= ranges[2] && i < ranges[3]);

        assert_int_equal(config[i], cleared ? 0 : original[i]);
    }
}

static void test_serial_numbers_are_cleared(void **state)
{
    static uint8_t config[4096];

    (void)state;
    make_function(config);
    report_dump_anonymise(config, 4096);
    assert_cleared(config, 4096, (const size_t[]){0x54, 0x58, 0x144, 0x14c});
    /* With 256 bytes only the conventional part exists. */
    make_function(config);
    report_dump_anonymise(config, 256);
    assert_cleared(config, 4096, (const size_t[]){0x54, 0x58, 0, 0});
}

/* Product data that the end of the 256 bytes cuts off does not hide the list that starts there. */
static void test_cut_off_product_data(void **state)
{
    static uint8_t config[4096];

    (void)state;
    make_function(config);
    config[0x34] = 0xfc;
    memcpy(config + 0xfc, (const uint8_t[]){0x03, 0x50}, 2);
    report_dump_anonymise(config, 4096);
    assert_memory_equal(config + 0x100, ((const uint8_t[]){0x01, 0x00, 0x01, 0x14}), 4);
    assert_memory_equal(config + 0x54, (const uint8_t[4]){0}, 4);
    assert_memory_equal(config + 0x144, (const uint8_t[8]){0}, 8);
}

/* Any content, in memory of exactly its size: it ends, and nothing beyond is touched. */
static void test_random_content(void **state)
{
    struct base_random random = {3};

    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        size_t count = round % 2 == 0 ? 256 : 4096;
        uint8_t *config = malloc(count);

        assert_non_null(config);
        for (size_t i = 0; i < count; i++)
            config[i] = (uint8_t)base_random_next(&random);
        config[0x06] |= 0x10;
        if (round % 4 == 1)
            memcpy(config + (config[0x34] & 0xfc), (const uint8_t[]){0x10, 0}, 2);
        report_dump_anonymise(config, count);
        free(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_4096_bytes_fit),
        cmocka_unit_test(test_serial_numbers_are_cleared),
        cmocka_unit_test(test_cut_off_product_data),
        cmocka_unit_test(test_random_content),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
