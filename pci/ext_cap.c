/* Extended capabilities: the linked list that starts at 100h. */
#include "pci/ext_cap.h"

#include "pci/cap_list.h"

uint16_t pci_ext_cap_find(const struct pci_config *config, const struct pci_device *device,
                          uint16_t id)
{
    struct pci_cap_cursor cursor = pci_ext_cap_start(config, device);
    struct pci_cap cap;

    while (pci_cap_next(&cursor, &cap))
        if (cap.id == id)
            return cap.offset;
    return 0;
}
