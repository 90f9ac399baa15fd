/* The two linked lists of capabilities. */
#include "pci/cap_list.h"

#include "pci/config.h"
#include "pci/regs.h"

#include <stddef.h>

struct pci_cap_cursor pci_cap_start(const struct pci_config *config,
                                    const struct pci_device *device)
{
    struct pci_cap_cursor cursor = {.config = config, .address = device->address};
    uint16_t list = device->header_type == PCI_HEADER_TYPE_CARDBUS ? PCI_CAP_PTR_CB : PCI_CAP_PTR;

    if (device->header_type <= PCI_HEADER_TYPE_CARDBUS &&
        (pci_config_read16(config, device->address, PCI_STATUS) & PCI_STATUS_CAP_LIST) != 0)
        cursor.next = pci_config_read8(config, device->address, list) & 0xfcu;
    return cursor;
}

struct pci_cap_cursor pci_ext_cap_start(const struct pci_config *config,
                                        const struct pci_device *device)
{
    struct pci_cap_cursor cursor = {.config = config, .address = device->address, .extended = true};

    if (device->pcie_cap != 0 && config->ops->reach(config, device->address.segment,
                                                    device->address.bus) >= PCIE_CONFIG_BYTES)
        cursor.next = PCIE_EXT_CAP_FIRST;
    return cursor;
}

bool pci_cap_next(struct pci_cap_cursor *cursor, struct pci_cap *ret_cap)
{
    uint16_t offset = cursor->next;
    uint32_t place = offset / 4u;
    uint32_t header;

    if (offset < (cursor->extended ? PCIE_EXT_CAP_FIRST : PCI_HEADER_END) ||
        (cursor->visited[place / 32] & BIT32(place % 32)) != 0)
        return false;
    cursor->visited[place / 32] |= BIT32(place % 32);
    header = pci_config_read32(cursor->config, cursor->address, offset);
    if (cursor->extended) {
        if (header == 0 || header == UINT32_MAX)
            return false;
        cursor->next = (uint16_t)(base_field(header, PCIE_EXT_CAP_NEXT) & 0xffcu);
        *ret_cap = (struct pci_cap){.offset = offset,
                                    .id = (uint16_t)base_field(header, PCIE_EXT_CAP_ID),
                                    .version = (uint8_t)base_field(header, PCIE_EXT_CAP_VERSION)};
        return true;
    }
    if ((header & 0xffu) == 0xff)
        return false;
    cursor->next = header >> 8 & 0xfcu;
    *ret_cap = (struct pci_cap){.offset = offset, .id = header & 0xffu};
    return true;
}

static uint16_t find(struct pci_cap_cursor cursor, uint16_t id)
{
    struct pci_cap cap;

    while (pci_cap_next(&cursor, &cap))
        if (cap.id == id)
            return cap.offset;
    return 0;
}

uint16_t pci_cap_find(const struct pci_config *config, const struct pci_device *device, uint8_t id)
{
    return find(pci_cap_start(config, device), id);
}

uint16_t pci_ext_cap_find(const struct pci_config *config, const struct pci_device *device,
                          uint16_t id)
{
    return find(pci_ext_cap_start(config, device), id);
}

enum status pci_cap_list_read(const struct pci_config *config, const struct pci_device *device,
                              struct pci_cap *caps, uint32_t capacity, uint32_t *count)
{
    struct pci_cap_cursor cursors[] = {pci_cap_start(config, device),
                                       pci_ext_cap_start(config, device)};
    struct pci_cap cap;

    *count = 0;
    for (size_t i = 0; i < COUNT_OF(cursors); i++) {
        while (pci_cap_next(&cursors[i], &cap)) {
            if (*count == capacity)
                return STATUS_FULL;
            caps[(*count)++] = cap;
        }
    }
    return STATUS_OK;
}
