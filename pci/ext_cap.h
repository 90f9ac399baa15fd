/* Extended capabilities, beyond the first 256 bytes of configuration space. */
#ifndef PCI_EXT_CAP_H
#define PCI_EXT_CAP_H

#include "pci/config.h"
#include "pci/device.h"

#include <stdint.h>

/*
 * Offset of extended capability `id` of a function, 0 if it has none within reach. Looked for only
 * if there is a PCI Express capability: without one, what lies above may be the header once more.
 * Bounded against loops: no offset is visited twice. (PCI Express Base 5.0, section 7.6.3.)
 */
uint16_t pci_ext_cap_find(const struct pci_config *config, const struct pci_device *device,
                          uint16_t id);

#endif
