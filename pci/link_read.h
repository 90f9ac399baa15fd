/* Reading the state of a link out of the walk's list. The values are in pci/link.h. */
#ifndef PCI_LINK_READ_H
#define PCI_LINK_READ_H

#include "pci/config.h"
#include "pci/link.h"
#include "pci/walk.h"

#include <stdint.h>

/*
 * The link directly above function `index` of *tree, read now: the port above it, and the
 * function's own end. A function that has no link above it (root ports, switch downstream ports,
 * chipset functions, functions on a conventional bus, an index outside the list) has both ends
 * absent. An end without a PCI Express capability is absent alone. Reads only. (PCI Express
 * Base 5.0, 7.5.3.)
 */
void pci_link_read(const struct pci_config *config, const struct pci_tree *tree, int32_t index,
                   struct pci_link *ret_link);

#endif
