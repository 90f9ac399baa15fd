/* The command builder: which of all opcodes exist, and what is built for them. */
#include "drivers/ahci/command.h"
#include "drivers/ahci/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct ahci_header header;
static struct ahci_table table;
static const struct ahci_slot slot = {.header = &header, .table = &table, .table_bus = 0x12345680};

static void wipe(void)
{
    memset(&header, 0xa5, sizeof header);
    memset(&table, 0, sizeof table);
}

static enum status build(const struct ahci_command *command)
{
    wipe();
    return ahci_command_build(&slot, command);
}

/* The whole truth about what this program can say to a drive. */
static const uint8_t allowed[] = {0x25, 0x2f, 0x60, 0xa1, 0xc8, 0xec};

static bool is_on_the_list(unsigned opcode)
{
    return memchr(allowed, (int)opcode, sizeof allowed) != NULL;
}

/* For every opcode, arguments of every sort: none but the six is ever built. */
static void builds_only_what_is_on_the_list(void **state)
{
    static const uint64_t lbas[] = {0, 1, 0x10, 0x110, 0x0ffffffe, UINT64_C(0xfffffffffffe)};
    static const uint32_t counts[] = {0, 1, 255, 256, 65535, 65536};

    (void)state;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        unsigned built = 0;

        for (unsigned i = 0; i < COUNT_OF(lbas); i++)
            for (unsigned j = 0; j < COUNT_OF(counts); j++)
                for (uint8_t tag = 0; tag < 33; tag++) {
                    const struct ahci_command command = {.opcode = (uint8_t)opcode,
                                                         .tag = tag,
                                                         .count = counts[j],
                                                         .lba = lbas[i],
                                                         .bus = 0x100000,
                                                         .bytes = 512};
                    struct ahci_header before;
                    enum status status;

                    wipe();
                    before = header;
                    status = ahci_command_build(&slot, &command);
                    if (status == STATUS_OK) {
                        built++;
                        assert_int_equal(table.cfis[AHCI_FIS_COMMAND], opcode);
                        assert_int_equal(header.dw0 & AHCI_HEADER_W, 0);
                        assert_int_equal(header.dw0 & 0xffff, 5);
                    } else {
                        assert_int_equal(status, STATUS_INVALID);
                        assert_memory_equal(&before, &header, sizeof header);
                    }
                }
        assert_int_equal(built > 0, is_on_the_list(opcode));
        assert_int_equal(strcmp(ahci_command_name((uint8_t)opcode), "refused command") != 0,
                         is_on_the_list(opcode));
    }
}

static void builds_the_fis(void **state)
{
    static const struct {
        struct ahci_command command;
        uint8_t fis[20];
    } cases[] = {
        {{.opcode = 0xec, .bytes = 512}, {0x27, 0x80, 0xec}},
        {{.opcode = 0xa1, .bytes = 512}, {0x27, 0x80, 0xa1}},
        {{.opcode = 0xc8, .lba = 0x0abcdef1, .count = 256, .bytes = 131072},
         {0x27, 0x80, 0xc8, 0, 0xf1, 0xde, 0xbc, 0x4a, 0, 0, 0, 0, 0, 0}},
        {{.opcode = 0x25, .lba = UINT64_C(0x123456789abc), .count = 65536, .bytes = 32u << 20},
         {0x27, 0x80, 0x25, 0, 0xbc, 0x9a, 0x78, 0x40, 0x56, 0x34, 0x12, 0, 0, 0}},
        {{.opcode = 0x25, .lba = 1, .count = 0x1234, .bytes = 0x1234 * 512},
         {0x27, 0x80, 0x25, 0, 1, 0, 0, 0x40, 0, 0, 0, 0, 0x34, 0x12}},
        {{.opcode = 0x60,
          .tag = 31,
          .lba = UINT64_C(0x123456789abc),
          .count = 0x1234,
          .bytes = 0x1234 * 512},
         {0x27, 0x80, 0x60, 0x34, 0xbc, 0x9a, 0x78, 0x40, 0x56, 0x34, 0x12, 0x12, 0xf8, 0}},
        {{.opcode = 0x2f, .lba = 0x10, .count = 1, .bytes = 512},
         {0x27, 0x80, 0x2f, 0, 0x10, 0, 0, 0x40, 0, 0, 0, 0, 1, 0}},
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(build(&cases[i].command), STATUS_OK);
        assert_memory_equal(table.cfis, cases[i].fis, sizeof cases[i].fis);
        assert_int_equal(header.ctba, slot.table_bus);
        assert_int_equal(header.ctbau, 0);
        assert_int_equal(header.prdbc, 0);
    }
}

/* Four logs and their first pages, of all addresses and page numbers there are. */
static void reads_only_the_logs_on_the_list(void **state)
{
    struct ahci_command command = {.opcode = 0x2f, .count = 1, .bytes = 512};
    unsigned built = 0;

    (void)state;
    for (command.lba = 0; command.lba < 0x30000; command.lba++) {
        unsigned log = command.lba & 0xff;
        unsigned page = (unsigned)(command.lba >> 8);
        bool listed = (log == 0x00 && page == 0) || (log == 0x04 && page <= 7) ||
                      (log == 0x10 && page == 0) || (log == 0x30 && page <= 8);

        assert_int_equal(build(&command), listed ? STATUS_OK : STATUS_INVALID);
        built += listed;
    }
    assert_int_equal(built, 1 + 8 + 1 + 9);
    for (unsigned bit = 16; bit < 64; bit++)
        for (unsigned log = 0; log < 256; log++) {
            command.lba = UINT64_C(1) << bit | log;
            assert_int_equal(build(&command), STATUS_INVALID);
        }
}

static void cuts_the_destination_into_4_mib(void **state)
{
    struct ahci_command command = {.opcode = 0x25, .count = 1, .bus = 0x40000002};

    (void)state;
    command.bytes = (9u << 20) + 2;
    assert_int_equal(build(&command), STATUS_OK);
    assert_int_equal(header.dw0 >> 16, 3);
    assert_int_equal(table.prd[0].dba, 0x40000002);
    assert_int_equal(table.prd[0].dbc, 0x3fffff);
    assert_int_equal(table.prd[1].dba, 0x40400002);
    assert_int_equal(table.prd[1].dbc, 0x3fffff);
    assert_int_equal(table.prd[2].dba, 0x40800002);
    assert_int_equal(table.prd[2].dbc, 0x100001);
    command.bytes = 32u << 20;
    assert_int_equal(build(&command), STATUS_OK);
    assert_int_equal(header.dw0 >> 16, 8);
}

static void refuses_bad_arguments(void **state)
{
    static const struct ahci_command bad[] = {
        {.opcode = 0x25, .count = 0, .bytes = 512},
        {.opcode = 0x25, .count = 65537, .bytes = 512},
        {.opcode = 0x25, .count = 1, .bytes = 0},
        {.opcode = 0x25, .count = 1, .bytes = 511},
        {.opcode = 0x25, .count = 1, .bytes = (32u << 20) + 2},
        {.opcode = 0x25, .count = 1, .bytes = 512, .bus = 1},
        {.opcode = 0x25, .count = 1, .bytes = 512, .bus = 0xfffffe02},
        {.opcode = 0x25, .count = 1, .bytes = 512, .bus = UINT64_C(0x100000000)},
        {.opcode = 0x25, .count = 1, .bytes = 512, .lba = UINT64_C(0x1000000000000)},
        {.opcode = 0x25, .count = 1, .bytes = 512, .tag = 1},
        {.opcode = 0x60, .count = 1, .bytes = 512, .tag = 32},
        {.opcode = 0xc8, .count = 257, .bytes = 512},
        {.opcode = 0xc8, .count = 1, .bytes = 512, .lba = 0x10000000},
        {.opcode = 0xec, .count = 1, .bytes = 512},
        {.opcode = 0xec, .lba = 1, .bytes = 512},
        {.opcode = 0x2f, .lba = 0x10, .count = 2, .bytes = 512},
        {.opcode = 0x2f, .lba = 0x11, .count = 1, .bytes = 512},
        {.opcode = 0x2f, .lba = 0x0f, .count = 1, .bytes = 512},
    };
    const struct ahci_command last = {.opcode = 0x25, .count = 1, .bytes = 512, .bus = 0xfffffe00};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(build(&bad[i]), STATUS_INVALID);
    assert_int_equal(build(&last), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_only_what_is_on_the_list),
        cmocka_unit_test(builds_the_fis),
        cmocka_unit_test(reads_only_the_logs_on_the_list),
        cmocka_unit_test(cuts_the_destination_into_4_mib),
        cmocka_unit_test(refuses_bad_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
