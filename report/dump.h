/*
 * Writer of pci.txt: configuration space of every function in the text form that `lspci -F` reads
 * (pciutils, lspci(8)), so that others can look at a machine's tree without the machine.
 */
#ifndef REPORT_DUMP_H
#define REPORT_DUMP_H

#include "base/text.h"
#include "pci/device.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of configuration space of one function at most. */
#define REPORT_DUMP_CONFIG_BYTES 4096u

/* Characters that one function needs at most. */
#define REPORT_DUMP_BYTES 16384u

/*
 * Clears what identifies this one piece of hardware: the serial number of the Device Serial Number
 * capability (PCI Express Base 5.0, 7.9.3) and the data register of Vital Product Data (PCI 3.0,
 * appendix I), which may hold a part of one. `count` is 256 or 4096.
 */
void report_dump_anonymise(uint8_t *config, size_t count);

/* One function: `count` bytes of its configuration space, 256 or 4096. */
void report_dump_function(struct text *text, const struct pci_device *device, const uint8_t *config,
                          size_t count);

#endif
