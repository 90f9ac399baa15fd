/* Tables DMAR and IVRS: sound ones, and every way to damage them that fits in a loop. */
#include "pci/iommu.h"

#include "base/bits.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TABLE_BYTES_MAX 8192

/* The table under construction; what is decoded is a copy in an allocation of its own size. */
static struct {
    uint8_t data[TABLE_BYTES_MAX];
    size_t bytes;
} table;

static struct pci_iommu iommu;

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void begin(const char *signature)
{
    memset(&table, 0, sizeof table);
    memcpy(table.data, signature, 4);
    memset(table.data + 36, 0xee, 12); /* the table's own fields are of no interest */
    table.bytes = 48;
}

static uint8_t *add(size_t bytes)
{
    uint8_t *entry = table.data + table.bytes;

    assert_true(table.bytes + bytes <= TABLE_BYTES_MAX);
    memset(entry, 0xee, bytes);
    table.bytes += bytes;
    return entry;
}

/* A remapping hardware unit definition with `bytes` bytes of device scopes. */
static uint8_t *add_drhd(uint64_t base, unsigned flags, unsigned segment, size_t bytes)
{
    uint8_t *entry = add(16 + bytes);

    put(entry, 0, 2);
    put(entry + 2, 16 + bytes, 2);
    entry[4] = (uint8_t)flags;
    entry[5] = 0; /* registers of 2^0 pages */
    put(entry + 6, segment, 2);
    put(entry + 8, base, 8);
    return entry;
}

/* A hardware definition block with `bytes` bytes of device entries. */
static uint8_t *add_ivhd(unsigned type, uint64_t base, unsigned segment, size_t bytes)
{
    size_t whole = (type == 0x10 ? 24 : 40) + bytes;
    uint8_t *entry = add(whole);

    entry[0] = (uint8_t)type;
    entry[1] = 0xb0;
    put(entry + 2, whole, 2);
    put(entry + 8, base, 8);
    put(entry + 16, segment, 2);
    return entry;
}

/* An entry of another type, which is passed over. */
static void add_other(unsigned type, size_t bytes)
{
    uint8_t *entry = add(bytes);

    put(entry, type, 2);
    put(entry + 2, bytes, 2);
}

/* Decodes the first `bytes` bytes, of which the table says it has `length`; checksum right. */
static enum status decode_as(size_t bytes, size_t length)
{
    uint8_t *copy = malloc(bytes == 0 ? 1 : bytes);
    bool dmar = table.data[0] == 'D';
    enum status status;
    uint8_t sum = 0;

    assert_non_null(copy);
    put(table.data + 4, length, 4);
    memcpy(copy, table.data, bytes);
    if (bytes > 9) {
        copy[9] = 0;
        for (size_t i = 0; i < bytes && i < length; i++)
            sum = (uint8_t)(sum + copy[i]);
        copy[9] = (uint8_t)(0x100 - sum);
    }
    memset(&iommu, 0x77, sizeof iommu);
    status = dmar ? pci_iommu_dmar(copy, bytes, &iommu) : pci_iommu_ivrs(copy, bytes, &iommu);
    free(copy);
    if (status == STATUS_INVALID)
        assert_int_equal(iommu.unit_count, 0x77777777);
    else
        assert_int_equal(iommu.kind, dmar ? PCI_IOMMU_VTD : PCI_IOMMU_AMD);
    return status;
}

static enum status decode(void)
{
    return decode_as(table.bytes, table.bytes);
}

static void assert_counts(uint32_t units, uint32_t dropped)
{
    assert_int_equal(iommu.unit_count, units);
    assert_int_equal(iommu.dropped, dropped);
}

static void assert_unit(uint32_t index, uint64_t base, unsigned segment, bool all)
{
    assert_true(index < iommu.unit_count);
    assert_true(iommu.units[index].base == base);
    assert_int_equal(iommu.units[index].segment, segment);
    assert_int_equal(iommu.units[index].all, all);
    assert_int_equal(iommu.units[index].state, PCI_IOMMU_UNKNOWN);
}

static void test_dmar(void **state)
{
    (void)state;
    begin("DMAR");
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(0, 0);
    add_drhd(0xfed90000, 0, 0, 8);
    add_other(1, 32);
    add_drhd(UINT64_C(0xfedcba9876543000), 0xfe, 0xffff, 0);
    add_other(0x100, 24); /* the type has two bytes */
    add_other(2, 4);
    add_drhd(0x1000, 0x01, 0x0123, 88)[5] = 0xf;
    add_other(5, 33);
    add_other(5, 4); /* nothing but its header */
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(3, 0);
    assert_unit(0, 0xfed90000, 0, false);
    assert_unit(1, UINT64_C(0xfedcba9876543000), 0xffff, false);
    assert_unit(2, 0x1000, 0x0123, true);
}

static void test_ivrs(void **state)
{
    (void)state;
    begin("IVRS");
    add_ivhd(0x10, 0xfd200000, 0, 8);
    add_other(0x20, 32);
    add_ivhd(0x11, UINT64_C(0xfedcba9876543000), 0xffff, 0);
    add_other(0x12, 40);
    add_ivhd(0x40, 0x1000, 0x0123, 33);
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(3, 0);
    assert_unit(0, 0xfd200000, 0, false);
    assert_unit(1, UINT64_C(0xfedcba9876543000), 0xffff, false);
    assert_unit(2, 0x1000, 0x0123, false);
}

/* Three blocks for each unit, of one or of several types, make one unit. */
static void test_duplicates(void **state)
{
    (void)state;
    begin("IVRS");
    add_ivhd(0x10, 0xfd200000, 0, 0);
    add_ivhd(0x11, 0xfd200000, 0, 0);
    add_ivhd(0x40, 0xfd200000, 0, 0);
    add_ivhd(0x40, 0xfd300000, 1, 0);
    add_ivhd(0x10, 0xfd200000, 0, 0);
    add_ivhd(0x11, 0xfd300000, 1, 0);
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(2, 0);
    assert_unit(0, 0xfd200000, 0, false);
    assert_unit(1, 0xfd300000, 1, false);
    begin("DMAR");
    add_drhd(0xfed90000, 0, 0, 0);
    add_drhd(0xfed91000, 1, 0, 0);
    add_drhd(0xfed90000, 0, 0, 0);
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(2, 0);
    assert_unit(1, 0xfed91000, 0, true);
}

static void test_bases(void **state)
{
    (void)state;
    begin("DMAR");
    add_drhd(0, 1, 0, 0);
    for (unsigned bit = 0; bit < 64; bit++)
        add_drhd(UINT64_C(1) << bit, 0, 0, 0);
    add_drhd(0xfed90001, 0, 0, 0);
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(64 - 12, 1 + 12 + 1);
    assert_unit(0, 0x1000, 0, false);
    assert_unit(51, UINT64_C(1) << 63, 0, false);
    begin("IVRS");
    add_ivhd(0x10, 0, 0, 0);
    add_ivhd(0x11, 0xfd200800, 0, 0);
    add_ivhd(0x40, 0xfd201000, 0, 0);
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(1, 2);
}

/* Each length of an entry whose bytes are all there, with a sound unit on both sides of it. */
static void test_entry_lengths(void **state)
{
    static const struct {
        const char *signature;
        unsigned type;
        size_t least;
    } kinds[] = {{"DMAR", 0, 16}, {"IVRS", 0x10, 24}, {"IVRS", 0x11, 40}, {"IVRS", 0x40, 40}};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(kinds); i++) {
        bool dmar = kinds[i].signature[0] == 'D';

        for (size_t n = 0; n <= 48; n++) {
            uint8_t *entry, whole[64] = {0};

            begin(kinds[i].signature);
            dmar ? add_drhd(0x1000, 0, 0, 0) : add_ivhd(0x10, 0x1000, 0, 0);
            put(whole, kinds[i].type, 2);
            put(whole + 2, n, 2);
            put(whole + 8, 0x2000, 8);
            entry = add(n < 4 ? 4 : n);
            memcpy(entry, whole, n < 4 ? 4 : n);
            dmar ? add_drhd(0x3000, 0, 0, 0) : add_ivhd(0x10, 0x3000, 0, 0);
            assert_int_equal(decode(), STATUS_OK);
            /* Below 4 nothing after it is reached; below the least, only itself is lost. */
            assert_counts(n < 4 ? 1 : n < kinds[i].least ? 2 : 3, n < kinds[i].least ? 1 : 0);
            assert_unit(0, 0x1000, 0, false);
            if (n >= 4)
                assert_unit(iommu.unit_count - 1, 0x3000, 0, false);
        }
    }
}

/* An entry that says it goes on beyond the table. */
static void test_entry_beyond_table(void **state)
{
    static const unsigned beyond[] = {1, 2, 16, 0xffff - 16};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(beyond); i++) {
        begin("DMAR");
        add_drhd(0x1000, 0, 0, 0);
        put(add_drhd(0x2000, 0, 0, 0) + 2, 16 + beyond[i], 2);
        assert_int_equal(decode(), STATUS_OK);
        assert_counts(1, 1);
    }
    begin("IVRS");
    put(add_ivhd(0x40, 0x2000, 0, 0) + 2, 41, 2);
    assert_int_equal(decode(), STATUS_OK);
    assert_counts(0, 1);
}

static void make_three_units(bool dmar)
{
    begin(dmar ? "DMAR" : "IVRS");
    for (unsigned i = 1; i <= 3; i++) {
        if (dmar)
            add_drhd(0x1000 * i, 1, 0, 8);
        else
            add_ivhd(0x10, 0x1000 * i, 0, 0);
        if (i < 3)
            add_other(0x20, 32);
    }
}

#define UNIT_BYTES  24 /* of either kind there */
#define OTHER_BYTES 32

/* Every number of bytes, with the length of the whole table, and with its own. */
static void test_truncated(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        size_t whole;

        make_three_units(kind == 0);
        whole = table.bytes;
        for (size_t n = 0; n < whole; n++) {
            uint32_t units = 0;
            bool between = false; /* two entries */

            assert_int_equal(decode_as(n, whole), STATUS_INVALID);
            assert_int_equal(decode_as(n, n), n < 48 ? STATUS_INVALID : STATUS_OK);
            if (n < 48)
                continue;
            for (size_t at = 48; at <= n; at += UNIT_BYTES + OTHER_BYTES) {
                units += at + UNIT_BYTES <= n;
                between = between || at == n || at + UNIT_BYTES == n;
            }
            assert_counts(units, between ? 0 : 1);
            for (uint32_t i = 0; i < units; i++)
                assert_unit(i, 0x1000 * (i + 1), 0, kind == 0);
        }
        assert_int_equal(decode(), STATUS_OK);
        assert_counts(3, 0);
    }
}

/* Lengths that lie, with a checksum that is right for the bytes there are. */
static void test_lengths(void **state)
{
    static const uint32_t beyond[] = {1, 4096, 0x80000000, UINT32_MAX - 4096};

    (void)state;
    make_three_units(true);
    for (size_t n = 0; n < 48; n++)
        assert_int_equal(decode_as(table.bytes, n), STATUS_INVALID);
    for (unsigned i = 0; i < COUNT_OF(beyond); i++)
        assert_int_equal(decode_as(table.bytes, table.bytes + beyond[i]), STATUS_INVALID);
    assert_int_equal(decode_as(table.bytes, 48), STATUS_OK);
    assert_counts(0, 0);
}

/* Every bit flipped: all of them are under the checksum. */
static void test_flipped(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        uint8_t sum = 0;

        make_three_units(kind == 0);
        put(table.data + 4, table.bytes, 4);
        for (size_t i = 0; i < table.bytes; i++)
            sum = (uint8_t)(sum + table.data[i]);
        table.data[9] = (uint8_t)(0x100 - sum);
        for (size_t bit = 0; bit <= 8 * table.bytes; bit++) {
            bool sound = bit == 8 * table.bytes;
            uint8_t *byte = &table.data[bit / 8];
            enum status status;

            *byte = (uint8_t)(*byte ^ (sound ? 0 : 1u << bit % 8));
            status = kind == 0 ? pci_iommu_dmar(table.data, table.bytes, &iommu)
                               : pci_iommu_ivrs(table.data, table.bytes, &iommu);
            assert_int_equal(status, sound ? STATUS_OK : STATUS_INVALID);
            *byte = (uint8_t)(*byte ^ (sound ? 0 : 1u << bit % 8));
        }
    }
}

static void test_other_table(void **state)
{
    (void)state;
    make_three_units(true);
    assert_int_equal(decode(), STATUS_OK);
    memcpy(table.data, "DMAS", 4);
    assert_int_equal(decode(), STATUS_INVALID);
    memcpy(table.data, "IVRT", 4);
    assert_int_equal(decode(), STATUS_INVALID);
}

static void test_full(void **state)
{
    (void)state;
    for (unsigned count = PCI_IOMMU_UNITS_MAX; count <= PCI_IOMMU_UNITS_MAX + 1; count++) {
        bool full = count > PCI_IOMMU_UNITS_MAX;

        begin("DMAR");
        add_drhd(0x800, 0, 0, 0);
        for (unsigned i = 1; i <= count; i++)
            add_drhd(0x1000 * i, 1, i, 0);
        add_drhd(0x1000, 1, 1, 0); /* a duplicate needs no room */
        assert_int_equal(decode(), full ? STATUS_FULL : STATUS_OK);
        assert_counts(PCI_IOMMU_UNITS_MAX, 1);
        assert_unit(0, 0x1000, 1, true);
        assert_unit(PCI_IOMMU_UNITS_MAX - 1, 0x1000 * PCI_IOMMU_UNITS_MAX, PCI_IOMMU_UNITS_MAX,
                    true);
    }
    begin("IVRS");
    for (unsigned i = 1; i <= PCI_IOMMU_UNITS_MAX + 1; i++)
        add_ivhd(0x10, 0x1000 * i, 0, 0);
    assert_int_equal(decode(), STATUS_FULL);
    assert_counts(PCI_IOMMU_UNITS_MAX, 0);
}

/* Random content under a right checksum: what is delivered keeps the promises of the header. */
static void test_random(void **state)
{
    struct base_random random = {.state = 3};

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        size_t bytes = 36 + (size_t)base_random_below(&random, 400);
        enum status status;

        begin(round % 2 == 0 ? "DMAR" : "IVRS");
        table.bytes = bytes;
        for (size_t i = 8; i < bytes; i++)
            table.data[i] = (uint8_t)(base_random_below(&random, 4) * 16);
        for (size_t i = 48; i + 4 <= bytes; i += table.data[i + 2]) {
            table.data[i] = (uint8_t)(round % 2 == 0 ? 0 : 0x10);
            table.data[i + 1] = 0;
            put(table.data + i + 2, 20 + base_random_below(&random, 30), 2);
        }
        status = decode();
        assert_int_equal(status, bytes < 48 ? STATUS_INVALID : STATUS_OK);
        if (status != STATUS_OK)
            continue;
        assert_true(iommu.unit_count + iommu.dropped <= (bytes - 48) / 20 + 1);
        for (uint32_t i = 0; i < iommu.unit_count; i++) {
            assert_true(iommu.units[i].base != 0 && iommu.units[i].base % 4096 == 0);
            for (uint32_t j = 0; j < i; j++)
                assert_true(iommu.units[i].base != iommu.units[j].base);
        }
    }
}

static void test_states(void **state)
{
    (void)state;
    assert_int_equal(pci_iommu_register(PCI_IOMMU_VTD), 0x1c);
    assert_int_equal(pci_iommu_register(PCI_IOMMU_AMD), 0x18);
    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t one = BIT32(bit);

        assert_int_equal(pci_iommu_state(PCI_IOMMU_VTD, one),
                         bit == 31 ? PCI_IOMMU_TRANSLATING : PCI_IOMMU_OFF);
        assert_int_equal(pci_iommu_state(PCI_IOMMU_VTD, ~one),
                         bit == 31 ? PCI_IOMMU_OFF : PCI_IOMMU_TRANSLATING);
        assert_int_equal(pci_iommu_state(PCI_IOMMU_AMD, one),
                         bit == 0 ? PCI_IOMMU_TRANSLATING : PCI_IOMMU_OFF);
        assert_int_equal(pci_iommu_state(PCI_IOMMU_AMD, ~one),
                         bit == 0 ? PCI_IOMMU_OFF : PCI_IOMMU_TRANSLATING);
        assert_int_equal(pci_iommu_state(PCI_IOMMU_NONE, one), PCI_IOMMU_UNKNOWN);
    }
    assert_int_equal(pci_iommu_state(PCI_IOMMU_VTD, 0), PCI_IOMMU_OFF);
    assert_int_equal(pci_iommu_state(PCI_IOMMU_AMD, 0), PCI_IOMMU_OFF);
    assert_int_equal(pci_iommu_state(PCI_IOMMU_VTD, UINT32_MAX), PCI_IOMMU_UNKNOWN);
    assert_int_equal(pci_iommu_state(PCI_IOMMU_AMD, UINT32_MAX), PCI_IOMMU_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dmar),          cmocka_unit_test(test_ivrs),
        cmocka_unit_test(test_duplicates),    cmocka_unit_test(test_bases),
        cmocka_unit_test(test_entry_lengths), cmocka_unit_test(test_entry_beyond_table),
        cmocka_unit_test(test_truncated),     cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_flipped),       cmocka_unit_test(test_other_table),
        cmocka_unit_test(test_full),          cmocka_unit_test(test_random),
        cmocka_unit_test(test_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
