/*
 * Facts about the machine that the firmware's tables and the processor give: where ACPI's tables
 * are, what SMBIOS and CPUID say, what the firmware calls itself, whether this is a virtual
 * machine, the time of day.
 */
#ifndef EFI_MACHINE_H
#define EFI_MACHINE_H

#include "base/status.h"
#include "pci/acpi.h"
#include "pci/config.h"
#include "pci/iommu.h"
#include "report/result.h"

#include <stdbool.h>
#include <stdint.h>

/* An ACPI table of this machine, as pci_acpi_find delivers it. */
enum status machine_acpi_table(const char signature[4], const uint8_t **ret_table,
                               size_t *ret_bytes) MUST_CHECK;

/*
 * Entries of MCFG into *host; without a usable table it stays empty and configuration space is
 * reached through ports only. *ret_note: "" or what is wrong with the table (static).
 */
void machine_read_mcfg(struct pci_host *host, const char **ret_note);

/*
 * The IOMMUs that ACPI names (efi/iommu.c), and what their registers say; only read. Kind
 * PCI_IOMMU_NONE: no table, or none that is sound. A unit stays unknown if its address cannot be
 * read safely: memory, or above 4 GiB and not mapped for certain. *ret_note: "" or what is wrong
 * with the table (static).
 */
void machine_iommu(struct pci_iommu *ret_iommu, const char **ret_note);

/* The ACPI PM timer. STATUS_NOT_FOUND or STATUS_INVALID as pci_acpi_fadt_pm_timer. */
enum status machine_pm_timer(struct pci_acpi_pm_timer *ret_timer) MUST_CHECK;

/*
 * What SMBIOS says; without tables nothing is known. *ret_note: "" or what is wrong with them
 * (static).
 */
void machine_smbios(struct result_smbios *facts, const char **ret_note);

/* What CPUID says of the processor that this runs on. */
void machine_cpu(struct result_cpu *ret_cpu);

/* CPUID leaf 1, ECX bit 31: a hypervisor is present. */
bool machine_virtual(void);

/* Firmware vendor in ASCII. */
void machine_firmware(char *buffer, uint32_t capacity);

/* 1: Secure Boot is on; 0: off; -1: the firmware does not say. */
int machine_secure_boot(void);

struct machine_time {
    bool known;
    uint16_t year;
    uint8_t month, day, hour, minute, second;
    bool zone_known;
    int16_t zone_minutes; /* local time = UTC - zone_minutes, as EFI_TIME.TimeZone */
};

void machine_time(struct machine_time *ret_time);

/* 128 random bits: the firmware's generator if it has one, else tick jitter. Not for secrets. */
void machine_random(uint64_t ret_bits[2]);

#endif
