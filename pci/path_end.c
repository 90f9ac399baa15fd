/* Reads what one function says of itself as the end of a hop. */
#include "pci/path_read.h"

#include "pci/cap_list.h"
#include "pci/regs.h"

#include <stdbool.h>

#define VENDOR_INTEL     0x8086
#define VSEC_THUNDERBOLT 0x1234

/* Size code of Device Capabilities and Control in bytes; 0 for the two reserved codes. */
static uint16_t size_bytes(uint32_t code)
{
    return (uint16_t)(code > 5 ? 0 : 128u << code);
}

/* Number of the highest bit set in Link Capabilities 2's vector: the speed code; 0: none. */
static uint8_t highest_speed(uint32_t lnk_cap2)
{
    uint32_t vector = base_field(lnk_cap2, PCIE_LNK_CAP2_SPEEDS);
    uint8_t speed = 0;

    for (; vector != 0; vector >>= 1)
        speed++;
    return speed;
}

/* Slot Power Limit: value and scale; F0h and above name fixed powers (7.5.3.9). */
static uint32_t slot_power_mw(uint32_t slt_cap)
{
    static const uint32_t unit_mw[] = {1000, 100, 10, 1};
    uint32_t value = base_field(slt_cap, PCIE_SLT_CAP_POWER);
    uint32_t scale = base_field(slt_cap, PCIE_SLT_CAP_SCALE);

    if (scale == 0 && value >= 0xf0)
        return 250000 + (value - 0xf0) * 25000;
    return value * unit_mw[scale];
}

/* Whether `bytes` bytes of the capability's register at `offset` lie in the first 256 bytes. */
static bool within(const struct pci_device *device, uint32_t offset, uint32_t bytes)
{
    return device->pcie_cap + offset + bytes <= PCI_CONFIG_BYTES;
}

static uint32_t read_cap(const struct pci_config *config, const struct pci_device *device,
                         uint32_t offset)
{
    return pci_config_read32(config, device->address, (uint16_t)(device->pcie_cap + offset));
}

static void read_link(const struct pci_config *config, const struct pci_device *device,
                      struct pci_end *end)
{
    uint32_t lnk_cap = read_cap(config, device, PCIE_LNK_CAP);
    uint32_t both = read_cap(config, device, PCIE_LNK_CTL);

    /* All ones would read as a 63-lane link. */
    if (lnk_cap == UINT32_MAX || both == UINT32_MAX)
        return;
    end->has_link = true;
    end->lnk_cap = lnk_cap;
    end->lnk_ctl = (uint16_t)both;
    end->lnk_sta = (uint16_t)(both >> 16);
    end->speed = (uint8_t)base_field(end->lnk_sta, PCIE_LNK_SPEED);
    end->width = (uint8_t)base_field(end->lnk_sta, PCIE_LNK_WIDTH);
    end->speed_max = (uint8_t)base_field(lnk_cap, PCIE_LNK_SPEED);
    end->width_max = (uint8_t)base_field(lnk_cap, PCIE_LNK_WIDTH);
    end->aspm = (uint8_t)base_field(end->lnk_ctl, PCIE_LNK_CTL_ASPM);
    end->aspm_supported = (uint8_t)base_field(lnk_cap, PCIE_LNK_CAP_ASPM);
    end->common_clock = (end->lnk_ctl & PCIE_LNK_CTL_COMMON) != 0;
    end->rcb_bytes = (end->lnk_ctl & PCIE_LNK_CTL_RCB) != 0 ? 128 : 64;
}

/* Registers that version 1 of the capability does not have: something else is in their place. */
static void read_link2(const struct pci_config *config, const struct pci_device *device,
                       struct pci_end *end)
{
    uint32_t lnk_cap2, lnk_ctl2;

    if (!end->has_link || end->version < 2 || !within(device, PCIE_LNK_CTL2, 4))
        return;
    lnk_cap2 = read_cap(config, device, PCIE_LNK_CAP2);
    lnk_ctl2 = read_cap(config, device, PCIE_LNK_CTL2);
    if (lnk_cap2 == UINT32_MAX || lnk_ctl2 == UINT32_MAX)
        return;
    end->has_link2 = true;
    end->lnk_cap2 = lnk_cap2;
    end->lnk_ctl2 = (uint16_t)lnk_ctl2;
    if (highest_speed(lnk_cap2) != 0)
        end->speed_max = highest_speed(lnk_cap2);
}

static void read_slot(const struct pci_config *config, const struct pci_device *device,
                      struct pci_end *end)
{
    uint32_t slt_cap;

    if (!within(device, PCIE_SLT_CAP, 4) ||
        (end->port_type != PCIE_TYPE_ROOT_PORT && end->port_type != PCIE_TYPE_DOWNSTREAM &&
         end->port_type != PCIE_TYPE_PCI_TO_PCIE))
        return;
    slt_cap = read_cap(config, device, PCIE_SLT_CAP);
    if (slt_cap == UINT32_MAX)
        return;
    end->has_slot = true;
    end->slot_number = (uint16_t)base_field(slt_cap, PCIE_SLT_CAP_NUMBER);
    end->slot_power_mw = slot_power_mw(slt_cap);
}

static void read_aer(const struct pci_config *config, const struct pci_device *device,
                     struct pci_end *end)
{
    uint16_t aer = pci_ext_cap_find(config, device, PCIE_EXT_CAP_ID_AER);
    uint32_t uncorrectable, correctable, control;

    if (aer == 0 || aer + PCIE_AER_CONTROL + 4u > PCIE_CONFIG_BYTES)
        return;
    uncorrectable =
        pci_config_read32(config, device->address, (uint16_t)(aer + PCIE_AER_UNCORRECTABLE));
    correctable =
        pci_config_read32(config, device->address, (uint16_t)(aer + PCIE_AER_CORRECTABLE));
    control = pci_config_read32(config, device->address, (uint16_t)(aer + PCIE_AER_CONTROL));
    if (uncorrectable == UINT32_MAX || correctable == UINT32_MAX || control == UINT32_MAX)
        return;
    end->has_aer = true;
    end->aer_uncorrectable = uncorrectable;
    end->aer_correctable = correctable;
    end->ecrc = (control & PCIE_AER_CONTROL_ECRC) != 0;
}

/* The number of a vendor-specific capability; 0: it is cut off. */
static uint32_t vendor_header_id(const struct pci_config *config, const struct pci_device *device,
                                 const struct pci_cap *cap)
{
    if (cap->offset + PCIE_VENDOR_HEADER + 4u > PCIE_CONFIG_BYTES)
        return 0;
    return base_field(
        pci_config_read32(config, device->address, (uint16_t)(cap->offset + PCIE_VENDOR_HEADER)),
        PCIE_VENDOR_HEADER_ID);
}

/*
 * Ports of Intel's Thunderbolt controllers carry a vendor-specific extended capability of their
 * own. (Vendor-Specific Header: PCI Express Base 5.0, section 7.9.5.2; the number is what the Linux
 * kernel looks for, PCI_VSEC_ID_INTEL_TBT.)
 */
static bool read_tunnel(const struct pci_config *config, const struct pci_device *device)
{
    struct pci_cap_cursor cursor = pci_ext_cap_start(config, device);
    struct pci_cap cap;

    if (device->vendor_id != VENDOR_INTEL)
        return false;
    while (pci_cap_next(&cursor, &cap))
        if (cap.id == PCIE_EXT_CAP_ID_VENDOR &&
            vendor_header_id(config, device, &cap) == VSEC_THUNDERBOLT)
            return true;
    return false;
}

static void read_pcie(const struct pci_config *config, const struct pci_device *device,
                      struct pci_end *end)
{
    uint32_t caps = read_cap(config, device, 0) >> 16;
    uint32_t dev_cap = read_cap(config, device, PCIE_DEV_CAP);
    uint32_t control = read_cap(config, device, PCIE_DEV_CTL);

    if (caps == 0xffff || dev_cap == UINT32_MAX || control == UINT32_MAX)
        return;
    end->has_pcie = true;
    end->version = (uint8_t)base_field(caps, PCIE_CAPS_VERSION);
    end->port_type = (uint8_t)base_field(caps, PCIE_CAPS_PORT_TYPE);
    end->dev_cap = dev_cap;
    end->dev_ctl = (uint16_t)control;
    end->dev_sta = (uint16_t)(control >> 16);
    end->payload_max_bytes = size_bytes(base_field(end->dev_cap, PCIE_DEV_CAP_MPS));
    end->payload_bytes = size_bytes(base_field(control, PCIE_DEV_CTL_MPS));
    end->request_bytes = size_bytes(base_field(control, PCIE_DEV_CTL_MRRS));
    if (end->port_type != PCIE_TYPE_INTEGRATED && end->port_type != PCIE_TYPE_EVENT_COLLECTOR &&
        within(device, PCIE_LNK_CTL, 4))
        read_link(config, device, end);
    read_link2(config, device, end);
    if ((caps & PCIE_CAPS_SLOT) != 0)
        read_slot(config, device, end);
    read_aer(config, device, end);
    end->is_tunnel = end->has_link && read_tunnel(config, device);
}

/* Whether the first capability of a list cannot be read. */
static bool is_hidden(const struct pci_config *config, const struct pci_device *device)
{
    uint16_t status = pci_config_read16(config, device->address, PCI_STATUS);
    uint16_t list = device->header_type == PCI_HEADER_TYPE_CARDBUS ? PCI_CAP_PTR_CB : PCI_CAP_PTR;
    uint16_t first;

    if (status == 0xffff || (status & PCI_STATUS_CAP_LIST) == 0)
        return false;
    first = pci_config_read16(config, device->address, list) & 0xfc;
    return first >= PCI_HEADER_END &&
           pci_config_read32(config, device->address, first) == UINT32_MAX;
}

struct pci_end pci_end_read(const struct pci_config *config, const struct pci_tree *tree,
                            int32_t index)
{
    struct pci_end end = {.index = PCI_NO_PARENT};
    const struct pci_device *device;

    if (index < 0 || (uint32_t)index >= tree->count)
        return end;
    device = &tree->devices[index];
    end.index = index;
    end.address = device->address;
    end.vendor_id = device->vendor_id;
    end.device_id = device->device_id;
    end.answers = pci_config_read32(config, device->address, PCI_VENDOR_ID) != UINT32_MAX;
    /* A capability cut off by the end of the 256 bytes has no Device Control. */
    if (end.answers && device->pcie_cap != 0 && within(device, PCIE_DEV_CTL, 4))
        read_pcie(config, device, &end);
    else if (end.answers)
        end.hidden = is_hidden(config, device);
    return end;
}
