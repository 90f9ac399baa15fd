/*
 * Reading ACPI tables. Everything in them is hostile input: lengths, checksums and addresses are
 * checked before use. (ACPI 6.4, section 5.2; PCI Firmware 3.3, section 4.1.2 for MCFG.)
 */
#ifndef PCI_ACPI_H
#define PCI_ACPI_H

#include "base/status.h"
#include "pci/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How physical memory is looked at: `map` returns NULL for a range that cannot be read. What it
 * returned stays readable. It is never asked for more than 16 MiB or for a range that wraps.
 */
struct pci_acpi_memory {
    const void *(*map)(void *context, uint64_t physical, size_t bytes);
    void *context;
};

/*
 * Finds a table by signature ("MCFG") from the RSDP at physical address `rsdp`: through the XSDT
 * where there is one, else the RSDT. Checks the checksums of RSDP, root table and the table found.
 * *ret_table points to its *ret_bytes bytes (header included).
 * STATUS_NOT_FOUND: no such table. STATUS_INVALID: a table on the way has a bad signature, length
 * or checksum.
 */
enum status pci_acpi_find(const struct pci_acpi_memory *memory, uint64_t rsdp,
                          const char signature[4], const uint8_t **ret_table,
                          size_t *ret_bytes) MUST_CHECK;

/*
 * Bytes that the table says it has, header included, or 0: it is not a whole and sound table of
 * that name (signature, length, checksum). `bytes` of it can be read.
 */
uint32_t pci_acpi_table_bytes(const uint8_t *table, size_t bytes, const char signature[4]);

/*
 * Entries of an MCFG table, in place of those in *host. Dropped and counted in *ret_dropped:
 * entries with start bus above end bus, base 0, a base that wraps or is not 1 MiB aligned; entries
 * that overlap an earlier one in buses or in addresses; a last entry that is cut off.
 * STATUS_INVALID: the table is not one (signature, length, checksum); *host is left alone.
 * STATUS_FULL: more than PCI_ECAM_MAX entries; the first are delivered.
 */
enum status pci_acpi_mcfg(const uint8_t *table, size_t bytes, struct pci_host *host,
                          uint32_t *ret_dropped) MUST_CHECK;

/* Where the PM timer is (FADT; ACPI 6.4, sections 4.8.3.3 and 5.2.9). */
struct pci_acpi_pm_timer {
    bool memory; /* address is memory, else an I/O port */
    uint64_t address;
    unsigned bits; /* 24 or 32 */
};

/*
 * X_PM_TMR_BLK where the table has it, else PM_TMR_BLK. STATUS_NOT_FOUND: this machine has none
 * that can be read by aligned 32-bit accesses. STATUS_INVALID: not a FADT.
 */
enum status pci_acpi_fadt_pm_timer(const uint8_t *table, size_t bytes,
                                   struct pci_acpi_pm_timer *ret_timer) MUST_CHECK;

#endif
