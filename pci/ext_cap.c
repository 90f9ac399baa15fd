/* Extended capabilities: the linked list that starts at 100h. */
#include "pci/ext_cap.h"

#include "pci/regs.h"

#include <stddef.h>

uint16_t pci_ext_cap_find(const struct pci_config *config, const struct pci_device *device,
                          uint16_t id)
{
    uint32_t visited[PCIE_CONFIG_BYTES / 4 / 32] = {0}; /* a bit for each dword */
    uint16_t offset = PCIE_EXT_CAP_FIRST;

    if (device->pcie_cap == 0 || config->ops->reach(config, device->address.segment,
                                                    device->address.bus) < PCIE_CONFIG_BYTES)
        return 0;
    while (offset >= PCIE_EXT_CAP_FIRST) {
        uint32_t place = offset / 4u;
        uint32_t header;

        if ((visited[place / 32] & BIT32(place % 32)) != 0)
            return 0;
        visited[place / 32] |= BIT32(place % 32);
        header = pci_config_read32(config, device->address, offset);
        if (header == 0 || header == UINT32_MAX)
            return 0;
        if (base_field(header, PCIE_EXT_CAP_ID) == id)
            return offset;
        offset = (uint16_t)(base_field(header, PCIE_EXT_CAP_NEXT) & 0xffcu);
    }
    return 0;
}
