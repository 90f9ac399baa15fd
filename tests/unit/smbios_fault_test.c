/* SMBIOS: every way to damage its tables that fits in a loop. */
#include "tests/unit/smbios_rig.h"

#include "base/bits.h"
#include "base/random.h"

static bool same_or_none(const char *string, const char *whole)
{
    return string[0] == '\0' || strcmp(string, whole) == 0;
}

/* Every bit of an entry point turned; every length of it; addresses and sizes that cannot be. */
static void damage_entry(struct smbios_rig *rig)
{
    struct result_smbios facts;
    size_t bytes = rig->entry_bytes;
    uint8_t whole[0x1f];

    memcpy(whole, rig->entry, bytes);
    assert_int_equal(rig_read(rig, &facts), STATUS_OK);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        rig->entry[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(rig_read(rig, &facts), STATUS_INVALID);
        assert_int_equal(facts.slot_count, 0);
        assert_string_equal(facts.bios.vendor, "");
        rig->entry[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t length = 0; length < bytes; length++) {
        resize(&rig->entry, &rig->entry_bytes, length);
        assert_int_equal(rig_read(rig, &facts), STATUS_INVALID);
        resize(&rig->entry, &rig->entry_bytes, bytes);
        memcpy(rig->entry, whole, bytes);
    }
}

/* The old entry point has a part with a name and a checksum of its own, inside the whole's. */
static void test_damaged_intermediate(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;
    unsigned count;

    (void)state;
    count = rig_machine(&rig);
    for (size_t bit = 8 * 0x10; bit < 8 * 0x1f; bit++) {
        rig_entry2(&rig, rig.table_bytes, count);
        rig.entry[bit / 8] ^= (uint8_t)(1u << bit % 8);
        seal(rig.entry, 0x1f, 4);
        assert_int_equal(rig_read(&rig, &facts), STATUS_INVALID);
    }
    for (size_t at = 0x10; at < 0x15; at++) {
        rig_entry2(&rig, rig.table_bytes, count);
        rig.entry[at] = 'x';
        rig_seal2(&rig);
        assert_int_equal(rig_read(&rig, &facts), STATUS_INVALID);
    }
    rig_free(&rig);
}

static void test_damaged_entry(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;
    unsigned count;

    (void)state;
    count = rig_machine(&rig);
    rig_entry3(&rig, rig.table_bytes);
    damage_entry(&rig);
    rig_entry2(&rig, rig.table_bytes, count);
    damage_entry(&rig);

    for (unsigned length = 0; length < 256; length++) {
        rig_entry3(&rig, rig.table_bytes);
        resize(&rig.entry, &rig.entry_bytes, 256);
        rig.entry[6] = (uint8_t)length;
        seal(rig.entry, length < 6 ? 6 : length, 5);
        assert_int_equal(rig_read(&rig, &facts),
                         length >= 0x18 && length <= 0x40 ? STATUS_OK : STATUS_INVALID);
    }
    static const uint64_t sizes[] = {0, (16u << 20) + 1, UINT32_MAX};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        rig_entry3(&rig, sizes[i]);
        assert_int_equal(rig_read(&rig, &facts), STATUS_INVALID);
    }
    static const uint64_t addresses[] = {0, 1, TABLE_AT - 1, UINT64_MAX, UINT64_MAX - 100};

    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        rig_entry3(&rig, rig.table_bytes);
        put(rig.entry + 0x10, addresses[i], 8);
        seal(rig.entry, 0x18, 5);
        assert_int_equal(rig_read(&rig, &facts), STATUS_INVALID);
    }
    rig_free(&rig);
}

/* Cut anywhere, each fact is right or missing, and the size of the memory is not a part of it. */
static void test_cut(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios whole, facts;
    size_t bytes;
    uint8_t *copy;

    (void)state;
    rig_machine(&rig);
    bytes = rig.table_bytes;
    copy = malloc(bytes);
    memcpy(copy, rig.table, bytes);
    rig_entry3(&rig, bytes);
    assert_int_equal(rig_read(&rig, &whole), STATUS_OK);
    for (size_t length = 1; length < bytes; length++) {
        enum status status;

        resize(&rig.table, &rig.table_bytes, length);
        memcpy(rig.table, copy, length);
        rig_entry3(&rig, length);
        status = rig_read(&rig, &facts);
        check_sane(&facts);
        assert_true(same_or_none(facts.bios.date, whole.bios.date));
        assert_true(same_or_none(facts.system.product, whole.system.product));
        assert_true(same_or_none(facts.board.version, whole.board.version));
        assert_true(same_or_none(facts.cpu, whole.cpu));
        assert_true(status == STATUS_OK || facts.memory_mib == 0);
        assert_true(facts.slot_count <= whole.slot_count);
        for (uint32_t i = 0; i < facts.slot_count; i++)
            assert_string_equal(facts.slots[i].designation, whole.slots[i].designation);
    }
    free(copy);
    rig_free(&rig);
}

/* The table has no checksum: whatever a byte turns into must be survived. */
static void test_flipped(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;

    (void)state;
    rig_machine(&rig);
    rig_entry3(&rig, rig.table_bytes);
    for (size_t at = 0; at < rig.table_bytes; at++) {
        uint8_t byte = rig.table[at];

        for (unsigned value = 0; value < 256; value++) {
            rig.table[at] = (uint8_t)value;
            (void)!rig_read(&rig, &facts);
            check_sane(&facts);
        }
        rig.table[at] = byte;
    }
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    check_machine(&facts);
    rig_free(&rig);
}

static void test_random(void **state)
{
    struct base_random random = {42};
    struct smbios_rig rig = {0};
    struct result_smbios facts;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        size_t bytes = 1 + base_random_next(&random) % 300;

        resize(&rig.table, &rig.table_bytes, bytes);
        for (size_t i = 0; i < bytes; i++)
            rig.table[i] = (uint8_t)base_random_next(&random);
        /* Mostly something that is looked at: lengths that occur, a type that is known, NULs. */
        for (size_t i = 0; round % 4 != 0 && i + 44 <= bytes; i += 44) {
            static const uint8_t types[] = {0, 1, 2, 4, 9, 17, 127};

            rig.table[i] = types[base_random_next(&random) % COUNT_OF(types)];
            rig.table[i + 1] = (uint8_t)(base_random_next(&random) % 40);
            rig.table[i + 4] = rig.table[i + 5] = (uint8_t)(base_random_next(&random) % 4);
            rig.table[i + 37] = rig.table[i + 42] = rig.table[i + 43] = 0;
        }
        if (round % 2 == 0)
            rig_entry3(&rig, bytes);
        else
            rig_entry2(&rig, bytes, (unsigned)(base_random_next(&random) % 20));
        (void)!rig_read(&rig, &facts);
        check_sane(&facts);
    }
    rig_free(&rig);
}

/* A structure whose length reaches over the next one, or is shorter than its own header. */
static void test_overlap(void **state)
{
    for (unsigned length = 0; length < 256; length++) {
        struct smbios_rig rig = {0};
        struct result_smbios facts;

        (void)state;
        rig_machine(&rig);
        rig.table[1] = (uint8_t)length;
        rig_entry3(&rig, rig.table_bytes);
        if (length < 4) {
            assert_int_equal(rig_read(&rig, &facts), STATUS_INVALID);
            assert_string_equal(facts.system.vendor, "");
        } else {
            (void)!rig_read(&rig, &facts);
        }
        check_sane(&facts);
        rig_free(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_entry), cmocka_unit_test(test_damaged_intermediate),
        cmocka_unit_test(test_cut),           cmocka_unit_test(test_flipped),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_overlap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
