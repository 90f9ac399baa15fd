/* SMBIOS: sound tables of both kinds, and what their fields mean. */
#include "tests/unit/smbios_rig.h"

static void test_version_3(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;

    (void)state;
    rig_machine(&rig);
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    check_machine(&facts);
    check_sane(&facts);
    for (size_t i = 0; i + 6 <= sizeof facts; i++)
        assert_memory_not_equal((const uint8_t *)&facts + i, "SECRET", 6);
    /* The size is an upper limit: what follows the end mark is not looked at. */
    rig_add(&rig, 0, 0x18, "Other\0", 6)[4] = 1;
    rig_module(&rig, 1024, 0, 0x18);
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    check_machine(&facts);
    rig_free(&rig);
}

static void test_version_2(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;
    unsigned count;

    (void)state;
    count = rig_machine(&rig);
    rig_entry2(&rig, rig.table_bytes, count);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    check_machine(&facts);
    /* The length that version 2.1 printed. */
    rig.entry[5] = 0x1e;
    rig_seal2(&rig);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    check_machine(&facts);
    /* No end mark: the number of structures, or the end of the bytes. */
    rig_entry2(&rig, rig.table_bytes - 6, count - 1);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    check_machine(&facts);
    rig_entry2(&rig, rig.table_bytes - 6, 0);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    check_machine(&facts);
    rig_entry2(&rig, rig.table_bytes, 1);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    assert_string_equal(facts.bios.version, "F.42");
    assert_string_equal(facts.system.vendor, "");
    assert_int_equal(facts.memory_mib, 0);
    rig_free(&rig);
}

/* Strings without an end, numbers of strings that are not there, names too long, blanks only. */
static void test_strings(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;
    char longest[300];
    uint8_t *bytes;

    (void)state;
    bytes = ADD(&rig, 0, 0x18, "\0second\0 \t \0");
    put(bytes + 4, 0x0201, 2);
    bytes[8] = 3;
    bytes = ADD(&rig, 1, 0x08, "only\0");
    bytes[4] = 2;
    bytes[5] = 255;
    bytes[6] = 1;
    memset(longest, 'x', sizeof longest);
    longest[299] = '\0';
    bytes = rig_add(&rig, 2, 0x08, longest, sizeof longest);
    bytes[4] = bytes[5] = 1;
    bytes[6] = 0;
    bytes = rig_add(&rig, 4, 0x1a, "", 0);
    bytes[0x10] = 1;
    bytes[0x18] = 0x41;
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    assert_string_equal(facts.bios.vendor, "");
    assert_string_equal(facts.bios.version, "second");
    assert_string_equal(facts.bios.date, "");
    assert_string_equal(facts.system.vendor, "");
    assert_string_equal(facts.system.product, "");
    assert_string_equal(facts.system.version, "only");
    assert_int_equal(strlen(facts.board.vendor), RESULT_TEXT_BYTES - 1);
    assert_string_equal(facts.board.version, "");
    assert_string_equal(facts.cpu, "");
    /* No end up to the end of the bytes: the structure is not taken. */
    memset(rig.table + 0x18 + 4, 'x', rig.table_bytes - 0x18 - 4);
    assert_int_equal(rig_read(&rig, &facts), STATUS_INVALID);
    assert_string_equal(facts.bios.version, "");
    rig_free(&rig);
}

/* Structures of the first versions, without the fields that came later. */
static void test_short_structures(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;
    uint8_t *bytes;

    (void)state;
    for (unsigned length = 4; length < 0x11; length++) {
        bytes = rig_add(&rig, 9, length, "S\xff\0", 3);
        if (length > 4)
            bytes[4] = 1;
        if (length > 5)
            bytes[5] = 2;
        if (length > 6)
            bytes[6] = 2;
    }
    rig_add(&rig, 0, 4, "", 0);
    rig_add(&rig, 1, 4, "", 0);
    rig_add(&rig, 2, 5, "x\0", 2)[4] = 1;
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    assert_int_equal(facts.slot_count, 0x11 - 4);
    for (uint32_t i = 0; i < facts.slot_count; i++) {
        assert_string_equal(facts.slots[i].designation, i == 0 ? "" : "S?");
        assert_int_equal(facts.slots[i].type, 0);
        assert_int_equal(facts.slots[i].width, 0);
        assert_false(facts.slots[i].addressed);
    }
    assert_string_equal(facts.board.vendor, "x");
    assert_int_equal(facts.memory_mib, 0);
    rig_free(&rig);
}

static uint64_t memory_of(unsigned size, uint32_t extended, unsigned type)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;

    rig_module(&rig, 1024, 0, 0x1a);
    rig_module(&rig, size, extended, type);
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    rig_free(&rig);
    return facts.memory_mib;
}

static void test_memory(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;

    (void)state;
    assert_int_equal(memory_of(0, 0, 0x02), 1024);
    assert_int_equal(memory_of(2048, 99, 0x1a), 3072);
    assert_int_equal(memory_of(0x7ffe, 0, 0x1a), 1024 + 0x7ffe);
    assert_int_equal(memory_of(0x7fff, 65536, 0x1a), 1024 + 65536);
    assert_int_equal(memory_of(0x7fff, UINT32_MAX, 0x1a), 1024 + UINT64_C(0x7fffffff));
    assert_int_equal(memory_of(0x8000 | 1024, 0, 0x1a), 1025);
    /* A module that is there, but of unknown size, makes the whole unknown. */
    assert_int_equal(memory_of(0xffff, 0, 0x1a), 0);
    assert_int_equal(memory_of(0x7fff, 0, 0x1a), 0);
    for (unsigned type = 0x08; type <= 0x0c; type++)
        assert_int_equal(memory_of(16, 0, type), 1024);
    /* No module at all, or one too short to say. */
    rig_module(&rig, 1024, 0, 0x1a);
    rig_add(&rig, 17, 0x0d, "", 0);
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    assert_int_equal(facts.memory_mib, 0);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_3), cmocka_unit_test(test_version_2),
        cmocka_unit_test(test_strings),   cmocka_unit_test(test_short_structures),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
