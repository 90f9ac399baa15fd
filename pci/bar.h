/* Base address registers: decoding and sizing. (PCI 3.0, section 6.2.5.1.) */
#ifndef PCI_BAR_H
#define PCI_BAR_H

#include "base/status.h"
#include "hw/reg.h"
#include "pci/config.h"
#include "pci/device.h"

#include <stdint.h>

/*
 * Memory window behind BAR `index` (0 to 5) of a header type 0 function, 32- or 64-bit, with its
 * size. Sizing writes the register and puts it back; memory decode of the function is switched off
 * meanwhile and left as it was. Do this only to a function nobody else uses.
 * STATUS_NOT_FOUND: unassigned, an I/O BAR, or size 0. STATUS_INVALID: a value that cannot be
 * (reserved type, 64-bit in the last BAR, the upper half of the BAR before it, address not a
 * multiple of the size). STATUS_GONE: the function answers all ones. STATUS_DEVICE: the register
 * did not take its old value back.
 */
enum status pci_bar_size(const struct pci_config *config, const struct pci_device *device,
                         unsigned index, struct hw_window *ret_window) MUST_CHECK;

#endif
