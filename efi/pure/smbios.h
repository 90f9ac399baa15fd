/*
 * SMBIOS: what the firmware says of board, system, BIOS, processor, memory and slots. Everything in
 * the tables is hostile input: lengths, checksums and addresses are checked before use.
 * (DMTF DSP0134, version 3.6.)
 *
 * No field with a serial number, a UUID, an SKU number or an asset tag is looked at.
 */
#ifndef EFI_PURE_SMBIOS_H
#define EFI_PURE_SMBIOS_H

#include "base/status.h"
#include "pci/acpi.h"
#include "report/result.h"

#include <stdint.h>

/*
 * Reads the tables from the entry point at physical address `entry`, of either kind (_SM_ or
 * _SM3_), in place of what is in *facts. The same demands on `memory` as in pci/acpi.h.
 * STATUS_INVALID: the entry point is unsound, or the tables are from some structure on; what stands
 * before that is delivered, but no size of the memory, which would be too small. STATUS_FULL: more
 * than RESULT_SLOTS_MAX slots; the first are delivered.
 */
enum status smbios_read(const struct pci_acpi_memory *memory, uint64_t entry,
                        struct result_smbios *facts) MUST_CHECK;

/*
 * The slot that function `index` of the walk's list is in: the one that bears its address or, in
 * this order, that of each bridge above it. NULL: none does, or two of them do.
 */
const struct result_slot *smbios_slot_of(const struct result_smbios *facts,
                                         const struct pci_device *devices, uint32_t index);

#endif
