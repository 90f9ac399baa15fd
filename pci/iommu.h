/*
 * IOMMUs: which units the ACPI tables DMAR (Intel VT-d) and IVRS (AMD-Vi) name, and what a unit's
 * register says of its work. A unit that translates stands between a device and memory, and
 * stops what it was not told of.
 * (Intel Virtualization Technology for Directed I/O 4.1, sections 8 and 11.4.4.2; AMD I/O
 * Virtualization Technology (IOMMU) Specification, 48882, section 5.2 and MMIO offset 0018h.)
 */
#ifndef PCI_IOMMU_H
#define PCI_IOMMU_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pci_iommu_kind {
    PCI_IOMMU_NONE, /* no table */
    PCI_IOMMU_VTD,
    PCI_IOMMU_AMD
};

enum pci_iommu_state {
    PCI_IOMMU_UNKNOWN,    /* not read, or no answer */
    PCI_IOMMU_OFF,        /* DMA passes untouched */
    PCI_IOMMU_TRANSLATING /* on; what it does to one device stands in memory, not in a register */
};

struct pci_iommu_unit {
    uint64_t base;    /* physical address of its registers; not 0, 4 KiB aligned */
    uint16_t segment; /* of the PCI devices behind it */
    bool all;         /* VT-d: it serves all devices of the segment that no other unit names */
    enum pci_iommu_state state;
};

#define PCI_IOMMU_UNITS_MAX 64

struct pci_iommu {
    enum pci_iommu_kind kind;
    uint32_t unit_count; /* at most PCI_IOMMU_UNITS_MAX */
    struct pci_iommu_unit units[PCI_IOMMU_UNITS_MAX];
    uint32_t dropped; /* entries of the table that make no sense */
};

/*
 * Units of a DMAR table (DRHD structures) or an IVRS table (IVHD blocks), states unknown, in the
 * table's order; each address once, because IVRS names a unit in blocks of up to three types.
 * Dropped and counted: entries too short for their type, units whose base is 0 or not 4 KiB
 * aligned; an entry that is cut off or shorter than its own header, with all that follows it.
 * STATUS_INVALID: the table is not one (signature, length, checksum); *ret_iommu is left alone.
 * STATUS_FULL: more than PCI_IOMMU_UNITS_MAX units; the first are delivered.
 */
enum status pci_iommu_dmar(const uint8_t *table, size_t bytes,
                           struct pci_iommu *ret_iommu) MUST_CHECK;
enum status pci_iommu_ivrs(const uint8_t *table, size_t bytes,
                           struct pci_iommu *ret_iommu) MUST_CHECK;

/*
 * Offset of the 32-bit register that says whether a unit of this kind translates: Global Status, or
 * the lower half of the control register. It is in the first 4 KiB of any unit.
 */
uint32_t pci_iommu_register(enum pci_iommu_kind kind);

/* What that register's value means. All ones is no answer. */
enum pci_iommu_state pci_iommu_state(enum pci_iommu_kind kind, uint32_t value);

#endif
