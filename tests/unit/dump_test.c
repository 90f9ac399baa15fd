/* Dumps of configuration space as text: what is read, what is not, and the walk over them. */
#include "host/dump.h"

#include "base/bits.h"
#include "base/random.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct host_dump dump;

static enum status read_bytes(const void *bytes, size_t count)
{
    FILE *file = tmpfile();
    enum status status;

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    rewind(file);
    status = host_dump_read(&dump, file);
    fclose(file);
    return status;
}

static enum status read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static int tear_down(void **state)
{
    (void)state;
    host_dump_free(&dump);
    return 0;
}

static struct pci_address at(unsigned segment, unsigned bus, unsigned device, unsigned function)
{
    struct pci_address address = pci_space_at(bus, device, function);

    address.segment = (uint16_t)segment;
    return address;
}

static const struct host_dump_function *found(unsigned segment, unsigned bus, unsigned device,
                                              unsigned function)
{
    const struct host_dump_function *result =
        host_dump_find(&dump, at(segment, bus, device, function));

    assert_non_null(result);
    return result;
}

static void test_forms(void **state)
{
    (void)state;
    assert_int_equal(read_text("00:1f.2 SATA controller: of some kind (rev 02)\n"
                               "00: 86 80 22 29 07 04 10 00\n"
                               "f0: FF 0a Bc\n"
                               "10: 01\n"
                               "\n"
                               "0001:3a:00.7 0108: 1234:5678\r\n"
                               "00: 34 12 78 56\r\n"
                               "100: 01 00\r\n"
                               "ff0: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\r\n"
                               "00000002:00:00.0\n"
                               "00: 11"),
                     STATUS_OK);
    assert_int_equal(dump.count, 3);
    assert_int_equal(dump.skipped, 0);
    assert_int_equal(dump.repeated, 0);
    assert_int_equal(found(0, 0, 0x1f, 2)->bytes, 0xf3);
    assert_memory_equal(found(0, 0, 0x1f, 2)->data, "\x86\x80\x22\x29\x07\x04\x10\x00\xff\xff", 10);
    assert_memory_equal(found(0, 0, 0x1f, 2)->data + 0xf0, "\xff\x0a\xbc\xff", 4);
    assert_int_equal(found(1, 0x3a, 0, 7)->bytes, 4096);
    assert_int_equal(found(1, 0x3a, 0, 7)->data[0x100], 1);
    assert_int_equal(found(1, 0x3a, 0, 7)->data[4095], 0x0f);
    assert_int_equal(found(2, 0, 0, 0)->bytes, 1);
    assert_null(host_dump_find(&dump, at(0, 0, 0x1f, 3)));
    assert_null(host_dump_find(&dump, at(3, 0, 0, 0)));
}

/* Lines that look a little like rows or slots; each leaves the function's first bytes alone. */
static void test_text_is_ignored(void **state)
{
    static const char *const lines[] = {
        "\tCapabilities: [48] MSI: Enable+",
        "\tRegion 0: Memory at 10: 11",
        "Region 0: 11",
        "\t00: 11 22",
        " 00: 11 22",
        "0: 11 22",
        "00 11 22",
        "00:11 22",
        "00: 1",
        "00: 111",
        "00: 1g",
        "00:  11",
        "00: Foo",
        "01: 11",
        "add: 11",
        "1000: 11",
        "fff0: 11",
        "00:1f.2x 11",
        "00:1f.8 11",
        "00:20.0 11",
        "0:1f.2 11",
        "000:1f.2 11",
        "00:00:1f 11",
        "0000:000:1f.2 11",
        "000000000:00:1f.2 11",
        "-1:00:1f.2 11",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        char text[256];

        snprintf(text, sizeof text, "00:01.0 x\n00: aa bb\n%s\n", lines[i]);
        assert_int_equal(read_text(text), STATUS_OK);
        if (dump.count != 1 || dump.functions[0]->bytes != 2 || dump.functions[0]->data[0] != 0xaa)
            fail_msg("'%s' is taken for a row or a slot", lines[i]);
        host_dump_free(&dump);
    }
}

static void test_rows_end_at_the_first_wrong_byte(void **state)
{
    (void)state;
    assert_int_equal(read_text("00:01.0 x\n"
                               "00: 01 02 zz 04\n"
                               "10: 11 12 1\n"
                               "20: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 77 78\n"),
                     STATUS_OK);
    assert_memory_equal(found(0, 0, 1, 0)->data, "\x01\x02\xff\xff", 4);
    assert_memory_equal(found(0, 0, 1, 0)->data + 0x10, "\x11\x12\xff\xff", 4);
    assert_memory_equal(found(0, 0, 1, 0)->data + 0x2f, "\x0f\xff", 2);
    assert_int_equal(found(0, 0, 1, 0)->bytes, 0x30);
}

static void test_rows_before_any_slot(void **state)
{
    (void)state;
    assert_int_equal(read_text("00: 01 02\n10: 03\n00:01.0 x\n20: 05\n"), STATUS_OK);
    assert_int_equal(dump.count, 1);
    assert_int_equal(found(0, 0, 1, 0)->data[0], 0xff);
    assert_int_equal(found(0, 0, 1, 0)->data[0x20], 5);
}

static void test_domains_above_16_bits(void **state)
{
    (void)state;
    assert_int_equal(read_text("ffff:00:01.0 x\n00: 01\n10000:00:01.0 x\n00: 02\n"
                               "ffffffff:00:02.0 x\n00: 03\n"),
                     STATUS_OK);
    assert_int_equal(dump.count, 1);
    assert_int_equal(dump.skipped, 2);
    assert_int_equal(found(0xffff, 0, 1, 0)->data[0], 1);
}

/* `lspci` before `lspci -xxxx`, or behind it; and the same thing twice. */
static void test_the_longest_counts(void **state)
{
    (void)state;
    assert_int_equal(read_text("00:01.0 a\n00:02.0 b\n"
                               "00:01.0 a\n00: 01 02\n00:02.0 b\n00: 03\n"
                               "00:02.0 b\n00: 04 05\n00:01.0 a\n00: 06\n"
                               "00:02.0 b\n00: 07 08\n00:01.0 a\n"),
                     STATUS_OK);
    assert_int_equal(dump.count, 2);
    assert_int_equal(dump.repeated, 6);
    assert_memory_equal(found(0, 0, 1, 0)->data, "\x01\x02\xff", 3);
    assert_memory_equal(found(0, 0, 2, 0)->data, "\x04\x05\xff", 3);
}

static void test_nothing_to_read(void **state)
{
    FILE *directory = fopen(".", "r");

    (void)state;
    assert_int_equal(read_text(""), STATUS_NOT_FOUND);
    assert_int_equal(dump.count, 0);
    host_dump_free(&dump);
    assert_int_equal(read_text("00: 01 02\n"), STATUS_NOT_FOUND);
    host_dump_free(&dump);
    assert_int_equal(read_text("00:01.0 Host bridge\n00:02.0 VGA\n"), STATUS_NOT_FOUND);
    assert_int_equal(dump.count, 2);
    host_dump_free(&dump);
    assert_non_null(directory);
    assert_int_equal(host_dump_read(&dump, directory), STATUS_DEVICE);
    fclose(directory);
}

/* A NUL ends a line for the reader, a long line is one line. */
static void test_odd_lines(void **state)
{
    static const char with_nul[] = "00:01.0 x\0y\n00: 01 02\0 03\n\0\n00:02.0\0\n00: 05\n";
    static char text[100000];
    size_t length;

    (void)state;
    assert_int_equal(read_bytes(with_nul, sizeof with_nul - 1), STATUS_OK);
    assert_int_equal(dump.count, 2);
    assert_int_equal(found(0, 0, 1, 0)->bytes, 2);
    assert_int_equal(found(0, 0, 2, 0)->data[0], 5);
    host_dump_free(&dump);

    /* At every length a slot and a row stand where a reader that cuts lines would see one. */
    length = (size_t)snprintf(text, sizeof text, "00:01.0 ");
    while (length < sizeof text - 100)
        length += (size_t)snprintf(text + length, 100, "00:03.0 00: 07 ");
    snprintf(text + length, 100, "\n00: 01\n");
    assert_int_equal(read_text(text), STATUS_OK);
    assert_int_equal(dump.count, 1);
    assert_int_equal(found(0, 0, 1, 0)->bytes, 1);
    assert_int_equal(found(0, 0, 1, 0)->data[0], 1);
}

/* Slot lines of functions 0 to count - 1, the second half of them first. */
static enum status read_many(unsigned count)
{
    char *text = malloc(count * 32u);
    size_t length = 0;
    enum status status;

    assert_non_null(text);
    for (unsigned i = 0; i < count; i++) {
        unsigned n = (i + count / 2) % count;

        length += (size_t)sprintf(text + length, "%04x:%02x:%02x.%x\n00: %02x %02x\n", n >> 16,
                                  n >> 8 & 0xff, n >> 3 & 31, n & 7, n & 0xff, n >> 8 & 0xff);
    }
    status = read_bytes(text, length);
    free(text);
    return status;
}

static void test_many_functions(void **state)
{
    const unsigned most = HOST_DUMP_FUNCTIONS_MAX;

    (void)state;
    assert_int_equal(read_many(most + 1), STATUS_FULL);
    host_dump_free(&dump);
    assert_int_equal(read_many(most), STATUS_OK);
    assert_int_equal(dump.count, most);
    for (unsigned n = 0; n < most; n++)
        assert_int_equal(base_le16(found(n >> 16, n >> 8 & 0xff, n >> 3 & 31, n & 7)->data), n);
    assert_null(host_dump_find(&dump, at(0, most >> 8, most >> 3 & 31, most & 7)));
}

static void test_configuration_space(void **state)
{
    struct pci_config config;

    (void)state;
    assert_int_equal(read_text("00:01.0 x\n00: 01 02 03 04 05 06\n"
                               "00:02.0 x\nf0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
                               "02:00.0 x\n00: 01\n"
                               "02:00.1 x\n100: 01\n"
                               "02:00.2 x\n00: 01\n"
                               "0001:07:00.0 x\n100: 01\n"),
                     STATUS_OK);
    config = host_dump_config(&dump);
    assert_int_equal(pci_config_read32(&config, at(0, 0, 1, 0), 0), 0x04030201);
    assert_int_equal(pci_config_read32(&config, at(0, 0, 1, 0), 4), 0xffff0605);
    assert_int_equal(pci_config_read32(&config, at(0, 0, 1, 0), 0x10), UINT32_MAX);
    assert_int_equal(pci_config_read32(&config, at(0, 0, 1, 0), 4092), UINT32_MAX);
    assert_int_equal(pci_config_read32(&config, at(0, 0, 1, 1), 0), UINT32_MAX);
    pci_config_write32(&config, at(0, 0, 1, 0), 0, 0);
    pci_config_write32(&config, at(0, 0, 1, 1), 0, 0);
    assert_int_equal(pci_config_read32(&config, at(0, 0, 1, 0), 0), 0x04030201);
    assert_int_equal(config.ops->reach(&config, 0, 0), 256);
    assert_int_equal(config.ops->reach(&config, 0, 1), 256);
    assert_int_equal(config.ops->reach(&config, 0, 2), 4096);
    assert_int_equal(config.ops->reach(&config, 1, 2), 256);
    assert_int_equal(config.ops->reach(&config, 0, 7), 256);
    assert_int_equal(config.ops->reach(&config, 1, 7), 4096);
}

/* Two segments, neither from bus 0; below a bridge of the first an empty bus. */
static void test_walk(void **state)
{
    static const uint16_t ids[] = {2, 3, 4, 1}; /* in the order of the walk */
    struct pci_device devices[8];
    struct pci_tree tree = {.devices = devices, .capacity = COUNT_OF(devices)};

    (void)state;
    assert_int_equal(
        read_text("0007:41:00.0 x\n00: 34 12 01 00 00 00 00 00 00 00 00 06 00 00 00 00\n"
                  "0001:20:01.0 x\n00: 34 12 02 00 00 00 00 00 00 00 04 06 00 00 01 00\n"
                  "10: 00 00 00 00 00 00 00 00 20 21 21 00 00 00 00 00\n"
                  "0001:20:02.0 x\n00: 34 12 03 00 00 00 00 00 00 00 04 06 00 00 01 00\n"
                  "10: 00 00 00 00 00 00 00 00 20 22 22 00 00 00 00 00\n"
                  "0001:21:00.0 x\n00: 34 12 04 00 00 00 00 00 00 00 00 02 00 00 00 00\n"
                  "0001:21:00.1 x\n00: ff ff ff ff\n"),
        STATUS_OK);
    assert_int_equal(host_dump_walk(&dump, &tree), STATUS_OK);
    assert_int_equal(tree.count, 4);
    assert_int_equal(tree.oddities, 0);
    for (uint32_t i = 0; i < tree.count; i++)
        assert_int_equal(devices[i].device_id, ids[i]);
    assert_int_equal(devices[2].parent, 0);
    assert_int_equal(devices[3].parent, PCI_NO_PARENT);
    assert_true(found(1, 0x21, 0, 0)->reached);
    assert_true(found(7, 0x41, 0, 0)->reached);
    assert_false(found(1, 0x21, 0, 1)->reached);

    tree = (struct pci_tree){.devices = devices, .capacity = 3};
    assert_int_equal(host_dump_walk(&dump, &tree), STATUS_FULL);
    assert_int_equal(tree.count, 3);
}

/* A slot line, a row with the header of some bridge, or a few characters that mean nothing. */
static size_t add_piece(char *text, struct base_random *random)
{
    static const char pieces[] = "0123456789abcdefABCDEF::::....    \n\n\n\r\t\0x";
    uint64_t r = base_random_next(random);
    size_t length;

    if ((r & 15) == 0) {
        text[0] = pieces[base_random_below(random, sizeof pieces)];
        return 1;
    }
    if ((r & 15) < 5)
        return (size_t)sprintf(text, "\n%02x:%02x.%x x\n", (unsigned)(r >> 8 & 3),
                               (unsigned)(r >> 16 & 33), (unsigned)(r >> 24 & 1));
    length = (size_t)sprintf(text, "%02x:", (unsigned)(r >> 8 & 0x50));
    for (unsigned i = 0; i < 16; i++) {
        r = base_random_next(random);
        length += (size_t)sprintf(text + length, " %02x",
                                  (unsigned)(r >> 8 & ((r & 7) == 0 ? 0xff : 0x13)));
    }
    text[length++] = '\n';
    return length;
}

/* Whatever the text says: it is read and walked without harm. */
static void test_any_text(void **state)
{
    static char text[4096];
    struct base_random random = {30};
    size_t walked = 0, below = 0;

    (void)state;
    for (unsigned round = 0; round < 1000; round++) {
        struct pci_tree tree = {0};
        size_t length = 0;
        enum status status;

        while (length < sizeof text - 80)
            length += add_piece(text + length, &random);
        status = read_bytes(text, length);
        assert_true(status == STATUS_OK || status == STATUS_NOT_FOUND);
        tree.devices = calloc(dump.count + 1, sizeof *tree.devices);
        assert_non_null(tree.devices);
        tree.capacity = (uint32_t)dump.count;
        assert_int_equal(host_dump_walk(&dump, &tree), STATUS_OK);
        for (uint32_t i = 0; i < tree.count; i++) {
            assert_non_null(host_dump_find(&dump, tree.devices[i].address));
            below += tree.devices[i].parent != PCI_NO_PARENT;
        }
        walked += tree.count;
        free(tree.devices);
        host_dump_free(&dump);
    }
    /* It is not all noise. */
    assert_in_range(walked, 1000, 100000);
    assert_in_range(below, 20, walked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_forms, tear_down),
        cmocka_unit_test_teardown(test_text_is_ignored, tear_down),
        cmocka_unit_test_teardown(test_rows_end_at_the_first_wrong_byte, tear_down),
        cmocka_unit_test_teardown(test_rows_before_any_slot, tear_down),
        cmocka_unit_test_teardown(test_domains_above_16_bits, tear_down),
        cmocka_unit_test_teardown(test_the_longest_counts, tear_down),
        cmocka_unit_test_teardown(test_nothing_to_read, tear_down),
        cmocka_unit_test_teardown(test_odd_lines, tear_down),
        cmocka_unit_test_teardown(test_many_functions, tear_down),
        cmocka_unit_test_teardown(test_configuration_space, tear_down),
        cmocka_unit_test_teardown(test_walk, tear_down),
        cmocka_unit_test_teardown(test_any_text, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
