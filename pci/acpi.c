/*
 * Finding ACPI tables, and the two that are used: MCFG (where configuration space is) and FADT
 * (where the PM timer is).
 */
#include "pci/acpi.h"

#include "base/bits.h"

/* Root System Description Pointer (ACPI 6.4, section 5.2.5.3). */
#define RSDP_V1_BYTES  20
#define RSDP_V2_BYTES  36
#define RSDP_REVISION  15
#define RSDP_RSDT      16
#define RSDP_LENGTH    20
#define RSDP_XSDT      24
#define RSDP_BYTES_MAX 4096

/* System description table header (ACPI 6.4, section 5.2.6). */
#define TABLE_LENGTH       4
#define TABLE_HEADER_BYTES 36
/* Far above any table that is read here: a wilder length is damage, not a table. */
#define TABLE_BYTES_MAX (16u << 20)

/* MCFG (PCI Firmware 3.3, section 4.1.2). */
#define MCFG_ENTRIES       44
#define MCFG_ENTRY_BYTES   16
#define ECAM_BYTES_PER_BUS (UINT64_C(1) << 20)

/* FADT (ACPI 6.4, section 5.2.9); version 1 ends after the flags. */
#define FADT_V1_BYTES         116
#define FADT_PM_TMR_BLK       76
#define FADT_PM_TMR_LEN       91
#define FADT_FLAGS            112
#define FADT_X_PM_TMR_BLK     208
#define FADT_X_PM_TMR_BLK_END 220
#define FADT_TMR_VAL_EXT      BIT32(8)
#define FADT_HW_REDUCED       BIT32(20)

/* Generic address structure (ACPI 6.4, section 5.2.3.2). */
#define GAS_SPACE        0
#define GAS_ADDRESS      4
#define GAS_SPACE_MEMORY 0
#define GAS_SPACE_IO     1

static bool sums_to_zero(const uint8_t *bytes, size_t count)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return sum == 0;
}

static bool has_signature(const uint8_t *bytes, const char *signature, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != (uint8_t)signature[i])
            return false;
    return true;
}

static const uint8_t *map(const struct pci_acpi_memory *memory, uint64_t physical, size_t bytes)
{
    if (physical == 0 || physical > UINT64_MAX - bytes)
        return NULL;
    return memory->map(memory->context, physical, bytes);
}

uint32_t pci_acpi_table_bytes(const uint8_t *table, size_t bytes, const char signature[4])
{
    uint32_t length;

    if (bytes < TABLE_HEADER_BYTES || !has_signature(table, signature, 4))
        return 0;
    length = base_le32(table + TABLE_LENGTH);
    if (length < TABLE_HEADER_BYTES || length > bytes || !sums_to_zero(table, length))
        return 0;
    return length;
}

/* The table at `physical`, header first because its length is only known from there; NULL: unsound.
 */
static const uint8_t *map_table(const struct pci_acpi_memory *memory, uint64_t physical,
                                const char signature[4], size_t *ret_bytes)
{
    const uint8_t *table = map(memory, physical, TABLE_HEADER_BYTES);
    uint32_t length;

    if (table == NULL)
        return NULL;
    length = base_le32(table + TABLE_LENGTH);
    if (length < TABLE_HEADER_BYTES || length > TABLE_BYTES_MAX)
        return NULL;
    table = map(memory, physical, length);
    if (table == NULL || pci_acpi_table_bytes(table, length, signature) == 0)
        return NULL;
    *ret_bytes = length;
    return table;
}

/* The root table's address; *ret_xsdt: it is an XSDT. 0: the RSDP is unsound or names none. */
static uint64_t root_address(const struct pci_acpi_memory *memory, uint64_t rsdp, bool *ret_xsdt)
{
    const uint8_t *pointer = map(memory, rsdp, RSDP_V1_BYTES);
    uint32_t length;

    *ret_xsdt = false;
    if (pointer == NULL || !has_signature(pointer, "RSD PTR ", 8) ||
        !sums_to_zero(pointer, RSDP_V1_BYTES))
        return 0;
    if (pointer[RSDP_REVISION] < 2)
        return base_le32(pointer + RSDP_RSDT);
    pointer = map(memory, rsdp, RSDP_V2_BYTES);
    if (pointer == NULL)
        return 0;
    length = base_le32(pointer + RSDP_LENGTH);
    if (length < RSDP_V2_BYTES || length > RSDP_BYTES_MAX)
        return 0;
    pointer = map(memory, rsdp, length);
    if (pointer == NULL || !sums_to_zero(pointer, length))
        return 0;
    *ret_xsdt = base_le64(pointer + RSDP_XSDT) != 0;
    return *ret_xsdt ? base_le64(pointer + RSDP_XSDT) : base_le32(pointer + RSDP_RSDT);
}

enum status pci_acpi_find(const struct pci_acpi_memory *memory, uint64_t rsdp,
                          const char signature[4], const uint8_t **ret_table, size_t *ret_bytes)
{
    const uint8_t *root, *header;
    size_t root_bytes, entry_bytes, bytes;
    bool xsdt;
    uint64_t physical = root_address(memory, rsdp, &xsdt);

    root = map_table(memory, physical, xsdt ? "XSDT" : "RSDT", &root_bytes);
    if (root == NULL)
        return STATUS_INVALID;
    entry_bytes = xsdt ? 8 : 4;
    for (size_t at = TABLE_HEADER_BYTES; at + entry_bytes <= root_bytes; at += entry_bytes) {
        physical = xsdt ? base_le64(root + at) : base_le32(root + at);
        header = map(memory, physical, TABLE_HEADER_BYTES);
        /* Null entries and addresses that lead nowhere do not hide the tables after them. */
        if (header == NULL || !has_signature(header, signature, 4))
            continue;
        header = map_table(memory, physical, signature, &bytes);
        if (header == NULL)
            return STATUS_INVALID;
        *ret_table = header;
        *ret_bytes = bytes;
        return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}

/* Address of the first bus of an entry, and of the byte after its last. */
static uint64_t ecam_first(const struct pci_ecam *ecam)
{
    return ecam->base + ecam->start_bus * ECAM_BYTES_PER_BUS;
}

static uint64_t ecam_end(const struct pci_ecam *ecam)
{
    return ecam->base + (ecam->end_bus + UINT64_C(1)) * ECAM_BYTES_PER_BUS;
}

static bool ecam_is_sound(const struct pci_ecam *ecam)
{
    return ecam->start_bus <= ecam->end_bus && ecam->base != 0 &&
           ecam->base % ECAM_BYTES_PER_BUS == 0 &&
           ecam->base <= UINT64_MAX - 256 * ECAM_BYTES_PER_BUS;
}

/* Two entries for one bus contradict each other; two for one address would show a device twice. */
static bool ecam_overlaps(const struct pci_ecam *a, const struct pci_ecam *b)
{
    if (a->segment == b->segment && a->start_bus <= b->end_bus && b->start_bus <= a->end_bus)
        return true;
    return ecam_first(a) < ecam_end(b) && ecam_first(b) < ecam_end(a);
}

static bool ecam_is_usable(const struct pci_host *host, const struct pci_ecam *ecam)
{
    if (!ecam_is_sound(ecam))
        return false;
    for (uint32_t i = 0; i < host->ecam_count; i++)
        if (ecam_overlaps(&host->ecam[i], ecam))
            return false;
    return true;
}

enum status pci_acpi_mcfg(const uint8_t *table, size_t bytes, struct pci_host *host,
                          uint32_t *ret_dropped)
{
    uint32_t length = pci_acpi_table_bytes(table, bytes, "MCFG");
    uint32_t dropped = 0;
    uint32_t at;

    if (length < MCFG_ENTRIES)
        return STATUS_INVALID;
    host->ecam_count = 0;
    for (at = MCFG_ENTRIES; length - at >= MCFG_ENTRY_BYTES; at += MCFG_ENTRY_BYTES) {
        struct pci_ecam ecam = {
            .base = base_le64(table + at),
            .segment = base_le16(table + at + 8),
            .start_bus = table[at + 10],
            .end_bus = table[at + 11],
        };

        if (!ecam_is_usable(host, &ecam)) {
            dropped++;
            continue;
        }
        if (host->ecam_count == PCI_ECAM_MAX) {
            *ret_dropped = dropped;
            return STATUS_FULL;
        }
        host->ecam[host->ecam_count++] = ecam;
    }
    *ret_dropped = dropped + (at != length ? 1 : 0);
    return STATUS_OK;
}

/* The timer that X_PM_TMR_BLK names, if it names one that can be read. */
static bool read_x_pm_timer(const uint8_t *table, uint32_t length,
                            struct pci_acpi_pm_timer *ret_timer)
{
    const uint8_t *gas = table + FADT_X_PM_TMR_BLK;
    uint64_t address;

    if (length < FADT_X_PM_TMR_BLK_END)
        return false;
    address = base_le64(gas + GAS_ADDRESS);
    if (address == 0 || address % 4 != 0)
        return false;
    if (gas[GAS_SPACE] == GAS_SPACE_IO ? address > 0xffff : gas[GAS_SPACE] != GAS_SPACE_MEMORY)
        return false;
    ret_timer->memory = gas[GAS_SPACE] == GAS_SPACE_MEMORY;
    ret_timer->address = address;
    return true;
}

enum status pci_acpi_fadt_pm_timer(const uint8_t *table, size_t bytes,
                                   struct pci_acpi_pm_timer *ret_timer)
{
    struct pci_acpi_pm_timer timer = {0};
    uint32_t length = pci_acpi_table_bytes(table, bytes, "FACP");
    uint32_t flags;

    if (length < FADT_V1_BYTES)
        return STATUS_INVALID;
    flags = base_le32(table + FADT_FLAGS);
    /* Hardware-reduced machines have no fixed hardware; whatever the fields hold is left over. */
    if ((flags & FADT_HW_REDUCED) != 0)
        return STATUS_NOT_FOUND;
    timer.bits = (flags & FADT_TMR_VAL_EXT) != 0 ? 32 : 24;
    if (!read_x_pm_timer(table, length, &timer)) {
        timer.address = base_le32(table + FADT_PM_TMR_BLK);
        if (timer.address == 0 || timer.address % 4 != 0 || timer.address > 0xffff ||
            table[FADT_PM_TMR_LEN] == 0)
            return STATUS_NOT_FOUND;
    }
    *ret_timer = timer;
    return STATUS_OK;
}
