/* The hidden uplinks of chipsets: which functions of a root bus stand behind one. */
#ifndef PCI_UPLINK_H
#define PCI_UPLINK_H

#include "pci/path.h"
#include "pci/walk.h"

#include <stdbool.h>
#include <stdint.h>

/* What a chipset's uplink is known for. */
struct pci_uplink_facts {
    enum pci_uplink kind;
    uint8_t speed; /* as in struct pci_end */
    uint8_t width;
    uint8_t first_device; /* device numbers of the chipset on its root bus */
    uint8_t last_device;
};

/*
 * Whether function `index` of *tree is on a root bus and belongs to a chipset whose uplink is
 * known. The chipset is recognised by the ids of another function of that bus, because the uplink
 * itself has no registers on most boards.
 */
bool pci_uplink_find(const struct pci_tree *tree, uint32_t index,
                     struct pci_uplink_facts *ret_facts);

#endif
