/*
 * SMBIOS tables in memory: the entry point and the table in allocations of their own, so that
 * reading beyond one is seen.
 */
#ifndef TESTS_UNIT_SMBIOS_RIG_H
#define TESTS_UNIT_SMBIOS_RIG_H

#include "efi/pure/smbios.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ENTRY_AT UINT64_C(0x000f0010)
#define TABLE_AT UINT64_C(0x7ff00020)

struct smbios_rig {
    uint8_t *entry;
    size_t entry_bytes;
    uint8_t *table;
    size_t table_bytes;
};

static inline const void *rig_map(void *context, uint64_t physical, size_t bytes)
{
    const struct smbios_rig *rig = context;

    assert_in_range(bytes, 1, 16 << 20);
    assert_true(physical + bytes > physical);
    if (physical == ENTRY_AT && bytes <= rig->entry_bytes)
        return rig->entry;
    if (physical == TABLE_AT && bytes <= rig->table_bytes)
        return rig->table;
    return NULL;
}

static inline enum status rig_read(struct smbios_rig *rig, struct result_smbios *facts)
{
    const struct pci_acpi_memory memory = {rig_map, rig};

    memset(facts, 0x5a, sizeof *facts);
    return smbios_read(&memory, ENTRY_AT, facts);
}

static inline void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline void seal(uint8_t *data, size_t bytes, size_t checksum_at)
{
    uint8_t sum = 0;

    data[checksum_at] = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + data[i]);
    data[checksum_at] = (uint8_t)(0x100 - sum);
}

/* Exactly `bytes` bytes at `data`. */
static inline void resize(uint8_t **data, size_t *size, size_t bytes)
{
    uint8_t *fresh = malloc(bytes > 0 ? bytes : 1);

    assert_non_null(fresh);
    memset(fresh, 0, bytes);
    if (*data != NULL)
        memcpy(fresh, *data, bytes < *size ? bytes : *size);
    free(*data);
    *data = fresh;
    *size = bytes;
}

static inline void rig_free(struct smbios_rig *rig)
{
    free(rig->entry);
    free(rig->table);
    *rig = (struct smbios_rig){.entry = NULL};
}

/* An entry point of version 3 for a table of `bytes` bytes at most. */
static inline void rig_entry3(struct smbios_rig *rig, uint64_t bytes)
{
    resize(&rig->entry, &rig->entry_bytes, 0x18);
    memcpy(rig->entry, "_SM3_", 5);
    rig->entry[6] = 0x18;
    rig->entry[7] = 3;
    rig->entry[10] = 1;
    put(rig->entry + 0x0c, bytes, 4);
    put(rig->entry + 0x10, TABLE_AT, 8);
    seal(rig->entry, 0x18, 5);
}

static inline void rig_seal2(struct smbios_rig *rig)
{
    seal(rig->entry + 0x10, 0x0f, 5);
    seal(rig->entry, rig->entry[5] < 0x1f ? rig->entry[5] : 0x1f, 4);
}

/* An entry point of version 2 for a table of `bytes` bytes and `count` structures. */
static inline void rig_entry2(struct smbios_rig *rig, size_t bytes, unsigned count)
{
    resize(&rig->entry, &rig->entry_bytes, 0x1f);
    memcpy(rig->entry, "_SM_", 4);
    rig->entry[5] = 0x1f;
    rig->entry[6] = 2;
    rig->entry[7] = 8;
    memcpy(rig->entry + 0x10, "_DMI_", 5);
    put(rig->entry + 0x16, bytes, 2);
    put(rig->entry + 0x18, TABLE_AT, 4);
    put(rig->entry + 0x1c, count, 2);
    rig_seal2(rig);
}

/*
 * Adds a structure with a formatted part of `length` bytes, of which `fields` are the first behind
 * the header, and with strings: "one\0two\0". Returns the formatted part.
 */
static inline uint8_t *rig_add(struct smbios_rig *rig, unsigned type, unsigned length,
                               const char *strings, size_t strings_bytes)
{
    size_t at = rig->table_bytes;
    uint8_t *bytes;

    resize(&rig->table, &rig->table_bytes,
           at + length + (strings_bytes > 0 ? strings_bytes + 1 : 2));
    bytes = rig->table + at;
    bytes[0] = (uint8_t)type;
    bytes[1] = (uint8_t)length;
    put(bytes + 2, at & 0xffff, 2);
    if (strings_bytes > 0)
        memcpy(bytes + length, strings, strings_bytes);
    return bytes;
}

/* For string literals: each string with its NUL. */
#define ADD(rig, type, length, strings) rig_add(rig, type, length, strings, sizeof(strings) - 1)

static inline void rig_slot(struct smbios_rig *rig, const char *name, struct pci_address address)
{
    char strings[80] = "";
    uint8_t *slot;

    strcpy(strings, name);
    slot = rig_add(rig, 9, 0x11, strings, strlen(name) + 1);
    slot[4] = 1;
    slot[5] = 0xa5;
    slot[6] = 0x08;
    put(slot + 0x0d, address.segment, 2);
    slot[0x0f] = address.bus;
    slot[0x10] = (uint8_t)(address.device << 3 | address.function);
}

/* A memory module of the length that version 2.8 has. */
static inline void rig_module(struct smbios_rig *rig, unsigned size, uint32_t extended,
                              unsigned type)
{
    uint8_t *module = ADD(rig, 17, 0x28, "DIMM 0\0SECRET-MODULE\0");

    put(module + 0x0c, size, 2);
    module[0x10] = 1;
    module[0x12] = (uint8_t)type;
    module[0x18] = 2;
    put(module + 0x1c, extended, 4);
}

/* A common machine, without an entry point; returns the number of structures. */
static inline unsigned rig_machine(struct smbios_rig *rig)
{
    uint8_t *bytes = ADD(rig, 0, 0x18,
                         "Maker Inc.\0F.42\0"
                         "12/24/2025\0");

    put(bytes + 4, 0x0201, 2);
    bytes[8] = 3;
    bytes = ADD(rig, 1, 0x1b, "System Co.\0Box 1\0v2\0SECRET-SYSTEM\0SECRET-SKU\0");
    put(bytes + 4, 0x04030201, 4);
    memcpy(bytes + 8, "SECRET-UUID-SECR", 16);
    bytes[0x19] = 5;
    bytes = ADD(rig, 2, 0x0f, "  Board & Sons \0B-85\0rev \xe4 3\0SECRET-BOARD\0SECRET-TAG\0");
    put(bytes + 4, UINT64_C(0x0504030201), 5);
    ADD(rig, 2, 0x0f, "Riser\0")[4] = 1;
    ADD(rig, 4, 0x2a, "Empty socket\0")[0x10] = 1;
    bytes = ADD(rig, 4, 0x2a, "CPU 1\0Processor 9000\0SECRET-CPU\0");
    bytes[0x10] = 2;
    bytes[0x18] = 0x41;
    bytes[0x20] = 3;
    rig_slot(rig, "PCIEX16", (struct pci_address){0, 0, 1, 0});
    rig_slot(rig, "PCIEX1_2", (struct pci_address){2, 0x3a, 0x1c, 4});
    rig_module(rig, 4096, 0, 0x18);
    rig_module(rig, 0, 0, 0x02);
    rig_module(rig, 0x7fff, 32768, 0x18);
    rig_module(rig, 0x8000 | 2048, 0, 0x18);
    rig_module(rig, 16, 0, 0x09);
    rig_add(rig, 127, 4, "", 0);
    return 14;
}

/* What rig_machine says. */
static inline void check_machine(const struct result_smbios *facts)
{
    const struct result_slot *slot = &facts->slots[1];

    assert_string_equal(facts->bios.vendor, "Maker Inc.");
    assert_string_equal(facts->bios.version, "F.42");
    assert_string_equal(facts->bios.date, "12/24/2025");
    assert_string_equal(facts->system.vendor, "System Co.");
    assert_string_equal(facts->system.product, "Box 1");
    assert_string_equal(facts->system.version, "v2");
    assert_string_equal(facts->board.vendor, "Board & Sons");
    assert_string_equal(facts->board.product, "B-85");
    assert_string_equal(facts->board.version, "rev ? 3");
    assert_string_equal(facts->cpu, "Processor 9000");
    assert_int_equal(facts->memory_mib, 4096 + 32768 + 2);
    assert_int_equal(facts->slot_count, 2);
    assert_string_equal(facts->slots[0].designation, "PCIEX16");
    assert_string_equal(slot->designation, "PCIEX1_2");
    assert_int_equal(slot->type, 0xa5);
    assert_int_equal(slot->width, 0x08);
    assert_true(slot->addressed);
    assert_int_equal(slot->address.segment, 2);
    assert_int_equal(slot->address.bus, 0x3a);
    assert_int_equal(slot->address.device, 0x1c);
    assert_int_equal(slot->address.function, 4);
}

/* Whatever was read: each string ends, is printable and begins with no blank. */
static inline void check_sane(const struct result_smbios *facts)
{
    const char(*strings)[RESULT_TEXT_BYTES] = (const void *)facts;
    size_t count = 10;

    static_assert(offsetof(struct result_smbios, cpu) == 9 * RESULT_TEXT_BYTES, "strings first");
    assert_true(facts->slot_count <= RESULT_SLOTS_MAX);
    for (size_t i = 0; i < count + facts->slot_count; i++) {
        const char *s = i < count ? strings[i] : facts->slots[i - count].designation;
        size_t length;

        assert_non_null(memchr(s, '\0', RESULT_TEXT_BYTES));
        length = strlen(s);
        assert_true(s[0] != ' ');
        for (size_t k = 0; k < length; k++)
            assert_true(s[k] >= ' ' && s[k] <= '~');
    }
    for (uint32_t i = 0; i < facts->slot_count; i++) {
        assert_in_range(facts->slots[i].address.device, 0, 31);
        assert_in_range(facts->slots[i].address.function, 0, 7);
    }
}

#endif
