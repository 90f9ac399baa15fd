/* ACPI tables: sound ones, and every way to damage them that fits in a loop. */
#include "pci/acpi.h"

#include "base/bits.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Physical memory: blocks in their own allocations, so that reading beyond one is seen. */
struct block {
    uint64_t physical;
    size_t bytes;
    uint8_t *data;
};

enum {
    RSDP,
    RSDT,
    XSDT,
    MCFG,
    FADT,
    BLOCKS
};

static struct block blocks[BLOCKS];
static size_t largest_map;

static const void *map(void *context, uint64_t physical, size_t bytes)
{
    (void)context;
    largest_map = bytes > largest_map ? bytes : largest_map;
    assert_in_range(bytes, 1, 16 << 20);
    assert_true(physical + bytes > physical);
    for (unsigned i = 0; i < BLOCKS; i++)
        if (physical >= blocks[i].physical &&
            physical + bytes <= blocks[i].physical + blocks[i].bytes)
            return blocks[i].data + (physical - blocks[i].physical);
    return NULL;
}

static const struct pci_acpi_memory memory = {.map = map};

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void seal(uint8_t *data, size_t bytes, size_t checksum_at)
{
    uint8_t sum = 0;

    data[checksum_at] = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + data[i]);
    data[checksum_at] = (uint8_t)(0x100 - sum);
}

static uint8_t *make(unsigned index, uint64_t physical, size_t bytes)
{
    free(blocks[index].data);
    blocks[index] = (struct block){physical, bytes, calloc(1, bytes)};
    assert_non_null(blocks[index].data);
    return blocks[index].data;
}

/* A table of this name, its checksum to be made by seal_table. */
static uint8_t *make_table(unsigned index, uint64_t physical, const char *signature, size_t bytes)
{
    uint8_t *data = make(index, physical, bytes);

    memcpy(data, signature, 4);
    put(data + 4, bytes, 4);
    return data;
}

static void seal_table(unsigned index)
{
    seal(blocks[index].data, blocks[index].bytes, 9);
}

static void seal_rsdp(void)
{
    seal(blocks[RSDP].data, 20, 8);
    if (blocks[RSDP].bytes >= 36)
        seal(blocks[RSDP].data, 36, 32);
}

static void put_entry(uint8_t *mcfg, unsigned index, uint64_t base, unsigned segment,
                      unsigned start, unsigned end)
{
    uint8_t *entry = mcfg + 44 + 16 * index;

    put(entry, base, 8);
    put(entry + 8, segment, 2);
    entry[10] = (uint8_t)start;
    entry[11] = (uint8_t)end;
}

/*
 * A machine with RSDP version 2; the RSDT leads to the FADT only, so it shows which of the two root
 * tables was used.
 */
static int set_up(void **state)
{
    uint8_t *data;

    (void)state;
    data = make(RSDP, 0xe0000, 36);
    memcpy(data, "RSD PTR ", 8);
    data[15] = 2;
    put(data + 16, 0x7f001000, 4);
    put(data + 20, 36, 4);
    put(data + 24, UINT64_C(0x17f002000), 8);
    seal_rsdp();
    data = make_table(RSDT, 0x7f001000, "RSDT", 40);
    put(data + 36, 0x7f004000, 4);
    seal_table(RSDT);
    data = make_table(XSDT, UINT64_C(0x17f002000), "XSDT", 36 + 4 * 8);
    put(data + 44, 0x12345678, 8); /* leads nowhere; the entry before it is null */
    put(data + 52, UINT64_C(0x17f003000), 8);
    put(data + 60, 0x7f004000, 8);
    seal_table(XSDT);
    data = make_table(MCFG, UINT64_C(0x17f003000), "MCFG", 60);
    put_entry(data, 0, 0xe0000000, 0, 0, 0x3f);
    seal_table(MCFG);
    data = make_table(FADT, 0x7f004000, "FACP", 244);
    put(data + 76, 0x408, 4);
    data[91] = 4;
    seal_table(FADT);
    largest_map = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BLOCKS; i++)
        free(blocks[i].data);
    memset(blocks, 0, sizeof blocks);
    return 0;
}

static enum status find(const char *signature)
{
    const uint8_t *table = NULL;
    size_t bytes = 77;
    enum status status = pci_acpi_find(&memory, 0xe0000, signature, &table, &bytes);

    if (status == STATUS_OK) {
        assert_memory_equal(table, signature, 4);
        assert_int_equal(bytes, base_le32(table + 4));
    } else {
        assert_null(table);
        assert_int_equal(bytes, 77);
    }
    return status;
}

static void test_xsdt(void **state)
{
    (void)state;
    assert_int_equal(find("MCFG"), STATUS_OK);
    assert_int_equal(find("FACP"), STATUS_OK);
    assert_int_equal(find("DMAR"), STATUS_NOT_FOUND);
}

static void test_version_1(void **state)
{
    (void)state;
    blocks[RSDP].data[15] = 0;
    blocks[RSDP].bytes = 20; /* nothing after it may be looked at */
    seal_rsdp();
    assert_int_equal(find("FACP"), STATUS_OK);
    assert_int_equal(find("MCFG"), STATUS_NOT_FOUND);
}

static void test_version_2_without_xsdt(void **state)
{
    (void)state;
    put(blocks[RSDP].data + 24, 0, 8);
    seal_rsdp();
    assert_int_equal(find("FACP"), STATUS_OK);
    assert_int_equal(find("MCFG"), STATUS_NOT_FOUND);
}

static void test_rsdp_length(void **state)
{
    static const uint32_t lengths[] = {0, 20, 35, 37, 4097, 0x80000000, UINT32_MAX};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(lengths); i++) {
        put(blocks[RSDP].data + 20, lengths[i], 4);
        seal_rsdp();
        assert_int_equal(find("FACP"), STATUS_INVALID);
    }
    assert_in_range(largest_map, 1, 4096);
}

static void test_no_root(void **state)
{
    const uint8_t *table;
    size_t bytes;

    (void)state;
    assert_int_equal(pci_acpi_find(&memory, 0, "MCFG", &table, &bytes), STATUS_INVALID);
    assert_int_equal(pci_acpi_find(&memory, UINT64_MAX, "MCFG", &table, &bytes), STATUS_INVALID);
    put(blocks[RSDP].data + 24, UINT64_MAX - 10, 8);
    seal_rsdp();
    assert_int_equal(find("FACP"), STATUS_INVALID);
    put(blocks[RSDP].data + 24, 0, 8);
    put(blocks[RSDP].data + 16, 0, 4);
    seal_rsdp();
    assert_int_equal(find("FACP"), STATUS_INVALID);
}

/* Lengths that lie, with a checksum that is right for the bytes there are. */
static void test_lengths(void **state)
{
    static const uint32_t lengths[] = {0, 35, 61, (16 << 20) + 1, 0x80000000, UINT32_MAX};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(lengths); i++) {
        put(blocks[MCFG].data + 4, lengths[i], 4);
        seal_table(MCFG);
        assert_int_equal(find("MCFG"), STATUS_INVALID);
        put(blocks[XSDT].data + 4, lengths[i] == 61 ? 69 : lengths[i], 4);
        seal_table(XSDT);
        assert_int_equal(find("FACP"), STATUS_INVALID);
        set_up(NULL);
    }
}

static void test_xsdt_with_a_rest(void **state)
{
    (void)state;
    for (uint32_t length = 36; length <= 68; length++) {
        put(blocks[XSDT].data + 4, length, 4);
        seal(blocks[XSDT].data, length, 9);
        assert_int_equal(find("MCFG"), length >= 60 ? STATUS_OK : STATUS_NOT_FOUND);
        assert_int_equal(find("FACP"), length >= 68 ? STATUS_OK : STATUS_NOT_FOUND);
    }
}

/* Each block in turn is only n bytes long, for every n below what it says. */
static void test_truncated(void **state)
{
    (void)state;
    for (unsigned index = 0; index < BLOCKS; index++) {
        size_t whole = blocks[index].bytes;

        for (size_t n = 0; n < whole; n++) {
            const char *name = index == FADT ? "FACP" : "MCFG";
            uint8_t *data;

            if (index == RSDT)
                continue; /* not used while there is an XSDT */
            data = malloc(n == 0 ? 1 : n);
            assert_non_null(data);
            memcpy(data, blocks[index].data, n);
            free(blocks[index].data);
            blocks[index].data = data;
            blocks[index].bytes = n;
            assert_int_not_equal(find(name), STATUS_OK);
            set_up(NULL);
        }
    }
}

/* Every bit of every block flipped; all of them are under a checksum. */
static void test_flipped(void **state)
{
    (void)state;
    for (unsigned index = 0; index < BLOCKS; index++) {
        if (index == RSDT)
            continue;
        for (size_t bit = 0; bit < 8 * blocks[index].bytes; bit++) {
            uint8_t *byte = &blocks[index].data[bit / 8];
            enum status status;

            *byte = (uint8_t)(*byte ^ 1u << bit % 8);
            status = find(index == FADT ? "FACP" : "MCFG");
            assert_int_not_equal(status, STATUS_OK);
            /* Only another name, in a table that is not followed further, hides a table. */
            if (status == STATUS_NOT_FOUND)
                assert_true((index == MCFG || index == FADT) && bit < 32);
            *byte = (uint8_t)(*byte ^ 1u << bit % 8);
        }
    }
    assert_int_equal(find("MCFG"), STATUS_OK);
}

static void test_mcfg(void **state)
{
    struct pci_host host = {.ecam_count = 9};
    uint8_t *table = make_table(MCFG, 0, "MCFG", 44 + 16 * 3);
    uint32_t dropped = 77;

    (void)state;
    put_entry(table, 0, UINT64_C(0x3ffe0000000), 0, 0, 0x7f);
    put_entry(table, 1, UINT64_C(0x4000000000), 1, 0x80, 0xff);
    put_entry(table, 2, UINT64_C(0x4000000000), 0xffff, 0, 0x7f);
    seal_table(MCFG);
    assert_int_equal(pci_acpi_mcfg(table, 92, &host, &dropped), STATUS_OK);
    assert_int_equal(dropped, 0);
    assert_int_equal(host.ecam_count, 3);
    assert_true(host.ecam[0].base == UINT64_C(0x3ffe0000000));
    assert_int_equal(host.ecam[0].end_bus, 0x7f);
    assert_true(host.ecam[1].base == UINT64_C(0x4000000000));
    assert_int_equal(host.ecam[1].segment, 1);
    assert_int_equal(host.ecam[1].start_bus, 0x80);
    assert_int_equal(host.ecam[1].end_bus, 0xff);
    assert_int_equal(host.ecam[2].segment, 0xffff);
}

static void test_mcfg_bad_entries(void **state)
{
    struct pci_host host = {0};
    uint8_t *table = make_table(MCFG, 0, "MCFG", 44 + 16 * 8 + 15);
    uint32_t dropped = 0;

    (void)state;
    put_entry(table, 0, 0xe0000000, 0, 0, 0x3f);
    put_entry(table, 1, 0xd0000000, 0, 0x40, 0x3f);                /* ends before it begins */
    put_entry(table, 2, 0, 1, 0, 0x3f);                            /* no base */
    put_entry(table, 3, UINT64_C(0xfffffffff8000000), 1, 0, 0xff); /* wraps */
    put_entry(table, 4, 0xc0001000, 1, 0, 0x3f);                   /* not aligned */
    put_entry(table, 5, 0xd0000000, 0, 0x3f, 0x7f);                /* bus 3f again */
    put_entry(table, 6, 0xe0000000, 1, 0x3f, 0x7f);                /* an address again */
    put_entry(table, 7, 0xe0000000, 0, 0x40, 0x7f);                /* sound */
    seal_table(MCFG);
    assert_int_equal(pci_acpi_mcfg(table, blocks[MCFG].bytes, &host, &dropped), STATUS_OK);
    assert_int_equal(dropped, 7); /* and the last one, cut off */
    assert_int_equal(host.ecam_count, 2);
    assert_int_equal(host.ecam[1].start_bus, 0x40);
}

static void test_mcfg_full(void **state)
{
    static struct pci_host host;
    uint32_t dropped = 77;

    (void)state;
    for (unsigned count = PCI_ECAM_MAX; count <= PCI_ECAM_MAX + 1; count++) {
        size_t bytes = 44 + 16 * (size_t)count;
        uint8_t *table = make_table(MCFG, 0, "MCFG", bytes);

        for (unsigned i = 0; i < count; i++)
            put_entry(table, i, UINT64_C(0x100000000) * (i + 1), i, 0, 0xff);
        seal_table(MCFG);
        assert_int_equal(pci_acpi_mcfg(table, bytes, &host, &dropped),
                         count == PCI_ECAM_MAX ? STATUS_OK : STATUS_FULL);
        assert_int_equal(host.ecam_count, PCI_ECAM_MAX);
        assert_int_equal(host.ecam[PCI_ECAM_MAX - 1].segment, PCI_ECAM_MAX - 1);
        assert_int_equal(dropped, 0);
    }
}

/* The length field says n while the bytes are all there; and fewer bytes than it says. */
static void test_mcfg_lengths(void **state)
{
    uint8_t *table = blocks[MCFG].data;
    struct pci_host host = {.ecam_count = 9};
    uint32_t dropped = 77;

    (void)state;
    for (uint32_t n = 0; n < 60; n++)
        assert_int_equal(pci_acpi_mcfg(table, n, &host, &dropped), STATUS_INVALID);
    for (uint32_t n = 0; n < 44; n++) {
        put(table + 4, n, 4);
        seal(table, n < 36 ? 60 : n, 9);
        assert_int_equal(pci_acpi_mcfg(table, 60, &host, &dropped), STATUS_INVALID);
    }
    assert_int_equal(host.ecam_count, 9);
    assert_int_equal(dropped, 77);
    put(table + 4, 44, 4);
    seal(table, 44, 9);
    assert_int_equal(pci_acpi_mcfg(table, 60, &host, &dropped), STATUS_OK);
    assert_int_equal(host.ecam_count, 0);
    assert_int_equal(dropped, 0);
}

/* Random content under a right checksum: what is delivered keeps the promises of the header. */
static void test_mcfg_random(void **state)
{
    struct base_random random = {.state = 2};
    static struct pci_host host;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        size_t bytes = 36 + (size_t)base_random_below(&random, 44 + 16 * 8 - 36);
        uint8_t *table = make_table(MCFG, 0, "MCFG", bytes);
        uint32_t dropped;

        for (size_t i = 8; i < bytes; i++)
            table[i] = (uint8_t)base_random_next(&random);
        for (size_t i = 44; i + 16 <= bytes; i += 16) {
            put(table + i, base_random_below(&random, 8) << 29, 8);
            put(table + i + 8, base_random_below(&random, 3), 2);
        }
        seal_table(MCFG);
        if (pci_acpi_mcfg(table, bytes, &host, &dropped) != STATUS_OK) {
            assert_true(bytes < 44);
            continue;
        }
        assert_int_equal(host.ecam_count + dropped, (bytes - 44 + 15) / 16);
        for (uint32_t i = 0; i < host.ecam_count; i++) {
            assert_true(host.ecam[i].start_bus <= host.ecam[i].end_bus);
            assert_true(host.ecam[i].base != 0);
            for (uint32_t j = 0; j < i; j++)
                assert_false(host.ecam[i].segment == host.ecam[j].segment &&
                             host.ecam[i].start_bus <= host.ecam[j].end_bus &&
                             host.ecam[j].start_bus <= host.ecam[i].end_bus);
        }
    }
}

static enum status timer(struct pci_acpi_pm_timer *ret_timer)
{
    seal_table(FADT);
    return pci_acpi_fadt_pm_timer(blocks[FADT].data, blocks[FADT].bytes, ret_timer);
}

static void assert_timer(bool in_memory, uint64_t address, unsigned bits)
{
    struct pci_acpi_pm_timer t;

    assert_int_equal(timer(&t), STATUS_OK);
    assert_int_equal(t.memory, in_memory);
    assert_true(t.address == address);
    assert_int_equal(t.bits, bits);
}

static void assert_no_timer(void)
{
    struct pci_acpi_pm_timer t;

    assert_int_equal(timer(&t), STATUS_NOT_FOUND);
}

static void test_pm_timer(void **state)
{
    uint8_t *fadt = blocks[FADT].data;

    (void)state;
    assert_timer(false, 0x408, 24);
    put(fadt + 112, 1 << 8, 4);
    assert_timer(false, 0x408, 32);
    fadt[208] = 1;
    put(fadt + 212, 0x1808, 8);
    assert_timer(false, 0x1808, 32);
    fadt[208] = 0;
    put(fadt + 212, UINT64_C(0x1fed80808), 8);
    assert_timer(true, UINT64_C(0x1fed80808), 32);
    /* Extended blocks that cannot be used: the older field still says where it is. */
    fadt[208] = 2; /* in configuration space */
    assert_timer(false, 0x408, 32);
    fadt[208] = 1;
    assert_timer(false, 0x408, 32); /* a port above ffff */
    put(fadt + 212, 0x1809, 8);
    assert_timer(false, 0x408, 32); /* not aligned */
}

static void test_pm_timer_none(void **state)
{
    uint8_t *fadt = blocks[FADT].data;

    (void)state;
    put(fadt + 76, 0, 4);
    assert_no_timer();
    put(fadt + 76, 0x10008, 4);
    assert_no_timer();
    put(fadt + 76, 0x40a, 4);
    assert_no_timer();
    put(fadt + 76, 0x408, 4);
    fadt[91] = 0;
    assert_no_timer();
    fadt[91] = 4;
    assert_timer(false, 0x408, 24);
    put(fadt + 112, 1 << 20, 4); /* hardware-reduced */
    assert_no_timer();
}

/* Version 1 of the table, and every length: the extended field counts only if it is all there. */
static void test_fadt_lengths(void **state)
{
    (void)state;
    for (size_t n = 36; n <= 244; n++) {
        struct pci_acpi_pm_timer t;
        uint8_t *fadt = make_table(FADT, 0, "FACP", n);
        uint8_t whole[244] = {0};

        put(whole + 76, 0x408, 4);
        whole[91] = 4;
        whole[208] = 1;
        put(whole + 212, 0x1808, 8);
        memcpy(fadt + 36, whole + 36, n - 36);
        assert_int_equal(timer(&t), n < 116 ? STATUS_INVALID : STATUS_OK);
        if (n >= 116)
            assert_true(t.address == (n >= 220 ? 0x1808 : 0x408));
    }
}

static void test_fadt_damaged(void **state)
{
    uint8_t *fadt = blocks[FADT].data;
    struct pci_acpi_pm_timer t;

    (void)state;
    for (size_t n = 0; n < 244; n++)
        assert_int_equal(pci_acpi_fadt_pm_timer(fadt, n, &t), STATUS_INVALID);
    for (size_t bit = 0; bit < 8 * 244; bit++) {
        fadt[bit / 8] = (uint8_t)(fadt[bit / 8] ^ 1u << bit % 8);
        assert_int_equal(pci_acpi_fadt_pm_timer(fadt, 244, &t), STATUS_INVALID);
        fadt[bit / 8] = (uint8_t)(fadt[bit / 8] ^ 1u << bit % 8);
    }
    assert_int_equal(pci_acpi_fadt_pm_timer(fadt, 244, &t), STATUS_OK);
    assert_int_equal(pci_acpi_fadt_pm_timer(blocks[MCFG].data, 60, &t), STATUS_INVALID);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_xsdt),
        TEST(test_version_1),
        TEST(test_version_2_without_xsdt),
        TEST(test_rsdp_length),
        TEST(test_no_root),
        TEST(test_lengths),
        TEST(test_xsdt_with_a_rest),
        TEST(test_truncated),
        TEST(test_flipped),
        TEST(test_mcfg),
        TEST(test_mcfg_bad_entries),
        TEST(test_mcfg_full),
        TEST(test_mcfg_lengths),
        TEST(test_mcfg_random),
        TEST(test_pm_timer),
        TEST(test_pm_timer_none),
        TEST(test_fadt_lengths),
        TEST(test_fadt_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
