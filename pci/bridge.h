/*
 * The address windows of a PCI-to-PCI bridge: what goes down through it. (PCI-to-PCI Bridge 1.2,
 * sections 3.2.5.6 and 3.2.5.8 to 3.2.5.11.)
 */
#ifndef PCI_BRIDGE_H
#define PCI_BRIDGE_H

#include "base/status.h"
#include "pci/device.h"

#include <stdbool.h>
#include <stdint.h>

struct pci_config;

struct pci_window {
    uint8_t address_bits; /* 16, 32 or 64; 0: the bridge has no such window, all else is 0 */
    bool open;            /* base <= limit; the Command register can still keep it shut */
    uint64_t base;
    uint64_t limit; /* inclusive */
};

struct pci_bridge {
    struct pci_window io;           /* 16 or 32 bits, steps of 4 KiB */
    struct pci_window memory;       /* 32 bits, steps of 1 MiB */
    struct pci_window prefetchable; /* 32 or 64 bits, steps of 1 MiB */
};

/*
 * The windows of a function with header type 1, read now, with up to six reads. I/O and
 * prefetchable windows are optional: registers of zeros mean that there is none, which cannot be
 * told from a 16-bit or 32-bit window that lies at address 0. Reserved or differing types of base
 * and limit: no window that this header knows.
 * STATUS_UNSUPPORTED: another header type (CardBus bridges have other windows). STATUS_GONE: reads
 * as all ones. *ret_bridge is written only on success.
 */
enum status pci_bridge_read(const struct pci_config *config, const struct pci_device *device,
                            struct pci_bridge *ret_bridge) MUST_CHECK;

#endif
