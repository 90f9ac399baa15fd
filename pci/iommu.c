/* Units in the tables DMAR and IVRS, and the register that says whether one translates. */
#include "pci/iommu.h"

#include "base/bits.h"
#include "pci/acpi.h"

/* Both tables: entries follow 12 bytes of the table's own, and have their length at offset 2. */
#define ENTRIES            48
#define ENTRY_LENGTH       2
#define ENTRY_HEADER_BYTES 4

/* DMA Remapping Hardware Unit Definition (VT-d 4.1, section 8.3). */
#define DRHD_TYPE            0
#define DRHD_FLAGS           4
#define DRHD_SEGMENT         6
#define DRHD_BASE            8
#define DRHD_BYTES           16
#define DRHD_INCLUDE_PCI_ALL BIT32(0)

/* I/O Virtualization Hardware Definition (AMD IOMMU, section 5.2.2): one layout so far as it
 * is read; the later types have a longer fixed part. */
#define IVHD_10_TYPE  0x10
#define IVHD_11_TYPE  0x11
#define IVHD_40_TYPE  0x40
#define IVHD_BASE     8
#define IVHD_SEGMENT  16
#define IVHD_10_BYTES 24
#define IVHD_11_BYTES 40

#define BASE_ALIGNMENT 4096

/* Global Status (VT-d 4.1, section 11.4.4.2) and IOMMU Control Register (AMD IOMMU,
 * MMIO offset 0018h; its lower half). */
#define VTD_GSTS        0x1c
#define VTD_GSTS_TES    BIT32(31)
#define AMD_CONTROL     0x18
#define AMD_CONTROL_ON  BIT32(0)
#define REGISTER_ABSENT UINT32_MAX

static enum status add_unit(struct pci_iommu *iommu, const struct pci_iommu_unit *unit)
{
    if (unit->base == 0 || unit->base % BASE_ALIGNMENT != 0) {
        iommu->dropped++;
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < iommu->unit_count; i++)
        if (iommu->units[i].base == unit->base)
            return STATUS_OK;
    if (iommu->unit_count == PCI_IOMMU_UNITS_MAX)
        return STATUS_FULL;
    iommu->units[iommu->unit_count++] = *unit;
    return STATUS_OK;
}

/* An entry of DMAR of `bytes` bytes, at least its header. */
static enum status add_dmar_entry(struct pci_iommu *iommu, const uint8_t *entry, uint32_t bytes)
{
    struct pci_iommu_unit unit = {.state = PCI_IOMMU_UNKNOWN};

    if (base_le16(entry) != DRHD_TYPE)
        return STATUS_OK;
    if (bytes < DRHD_BYTES) {
        iommu->dropped++;
        return STATUS_OK;
    }
    unit.base = base_le64(entry + DRHD_BASE);
    unit.segment = base_le16(entry + DRHD_SEGMENT);
    unit.all = (entry[DRHD_FLAGS] & DRHD_INCLUDE_PCI_ALL) != 0;
    return add_unit(iommu, &unit);
}

/* Likewise of IVRS. */
static enum status add_ivrs_entry(struct pci_iommu *iommu, const uint8_t *entry, uint32_t bytes)
{
    struct pci_iommu_unit unit = {.state = PCI_IOMMU_UNKNOWN};

    if (entry[0] != IVHD_10_TYPE && entry[0] != IVHD_11_TYPE && entry[0] != IVHD_40_TYPE)
        return STATUS_OK;
    if (bytes < (entry[0] == IVHD_10_TYPE ? IVHD_10_BYTES : IVHD_11_BYTES)) {
        iommu->dropped++;
        return STATUS_OK;
    }
    unit.base = base_le64(entry + IVHD_BASE);
    unit.segment = base_le16(entry + IVHD_SEGMENT);
    return add_unit(iommu, &unit);
}

static enum status add_entries(struct pci_iommu *iommu, const uint8_t *table, uint32_t length)
{
    enum status status = STATUS_OK;
    uint32_t at, bytes;

    for (at = ENTRIES; status == STATUS_OK && length - at >= ENTRY_HEADER_BYTES; at += bytes) {
        bytes = base_le16(table + at + ENTRY_LENGTH);
        /* Where the next entry begins is not known either. */
        if (bytes < ENTRY_HEADER_BYTES || bytes > length - at)
            break;
        status = iommu->kind == PCI_IOMMU_VTD ? add_dmar_entry(iommu, table + at, bytes)
                                              : add_ivrs_entry(iommu, table + at, bytes);
    }
    if (status == STATUS_OK && at != length)
        iommu->dropped++;
    return status;
}

enum status pci_iommu_dmar(const uint8_t *table, size_t bytes, struct pci_iommu *ret_iommu)
{
    uint32_t length = pci_acpi_table_bytes(table, bytes, "DMAR");

    if (length < ENTRIES)
        return STATUS_INVALID;
    *ret_iommu = (struct pci_iommu){.kind = PCI_IOMMU_VTD};
    return add_entries(ret_iommu, table, length);
}

enum status pci_iommu_ivrs(const uint8_t *table, size_t bytes, struct pci_iommu *ret_iommu)
{
    uint32_t length = pci_acpi_table_bytes(table, bytes, "IVRS");

    if (length < ENTRIES)
        return STATUS_INVALID;
    *ret_iommu = (struct pci_iommu){.kind = PCI_IOMMU_AMD};
    return add_entries(ret_iommu, table, length);
}

uint32_t pci_iommu_register(enum pci_iommu_kind kind)
{
    return kind == PCI_IOMMU_VTD ? VTD_GSTS : AMD_CONTROL;
}

enum pci_iommu_state pci_iommu_state(enum pci_iommu_kind kind, uint32_t value)
{
    uint32_t on = kind == PCI_IOMMU_VTD ? VTD_GSTS_TES : AMD_CONTROL_ON;

    if (kind == PCI_IOMMU_NONE || value == REGISTER_ABSENT)
        return PCI_IOMMU_UNKNOWN;
    return (value & on) != 0 ? PCI_IOMMU_TRANSLATING : PCI_IOMMU_OFF;
}
