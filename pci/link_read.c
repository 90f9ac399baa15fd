/* Reads the two ends of a PCI Express link. */
#include "pci/link_read.h"

#include "pci/regs.h"

#include <stddef.h>

/* Size code of Device Control in bytes; 0 for the two reserved codes. */
static uint16_t size_bytes(uint32_t code)
{
    return (uint16_t)(code > 5 ? 0 : 128u << code);
}

/* One function's link registers, absent if it has none that can be read. */
static struct pci_link_end read_end(const struct pci_config *config,
                                    const struct pci_device *device)
{
    struct pci_link_end end = {0};
    uint16_t cap = device->pcie_cap;
    uint32_t caps, control, link_caps, link_status;

    /* A capability cut off by the end of the 256 bytes has no link registers. */
    if (cap == 0 || cap + PCIE_LNK_STA + 2 > PCI_CONFIG_BYTES)
        return end;
    caps = pci_config_read16(config, device->address, (uint16_t)(cap + PCIE_CAPS));
    control = pci_config_read16(config, device->address, (uint16_t)(cap + PCIE_DEV_CTL));
    link_caps = pci_config_read32(config, device->address, (uint16_t)(cap + PCIE_LNK_CAP));
    link_status = pci_config_read16(config, device->address, (uint16_t)(cap + PCIE_LNK_STA));
    /* Powered down or removed since the walk: all ones would read as a 63-lane link. */
    if (caps == 0xffff || link_caps == UINT32_MAX || link_status == 0xffff)
        return end;
    end.present = true;
    end.port_type = (uint8_t)base_field(caps, PCIE_CAPS_PORT_TYPE);
    end.speed = (uint8_t)base_field(link_status, PCIE_LNK_SPEED);
    end.width = (uint8_t)base_field(link_status, PCIE_LNK_WIDTH);
    end.speed_max = (uint8_t)base_field(link_caps, PCIE_LNK_SPEED);
    end.width_max = (uint8_t)base_field(link_caps, PCIE_LNK_WIDTH);
    end.payload_bytes = size_bytes(base_field(control, PCIE_DEV_CTL_MPS));
    end.request_bytes = size_bytes(base_field(control, PCIE_DEV_CTL_MRRS));
    return end;
}

/* Port types whose link registers describe the link below them, away from the processor. */
static bool faces_down(uint8_t type)
{
    return type == PCIE_TYPE_ROOT_PORT || type == PCIE_TYPE_DOWNSTREAM ||
           type == PCIE_TYPE_PCI_TO_PCIE;
}

static bool faces_up(uint8_t type)
{
    return type == PCIE_TYPE_ENDPOINT || type == PCIE_TYPE_LEGACY_ENDPOINT ||
           type == PCIE_TYPE_UPSTREAM || type == PCIE_TYPE_PCIE_TO_PCI;
}

void pci_link_read(const struct pci_config *config, const struct pci_tree *tree, int32_t index,
                   struct pci_link *ret_link)
{
    struct pci_link link = {0};
    const struct pci_device *device;

    *ret_link = link;
    if (index < 0 || (uint32_t)index >= tree->count)
        return;
    device = &tree->devices[index];
    link.downstream = read_end(config, device);
    if (link.downstream.present && !faces_up(link.downstream.port_type))
        return;
    if (device->parent >= 0 && (uint32_t)device->parent < tree->count)
        link.upstream = read_end(config, &tree->devices[device->parent]);
    if (link.upstream.present && !faces_down(link.upstream.port_type))
        link.upstream = (struct pci_link_end){0};
    *ret_link = link;
}
