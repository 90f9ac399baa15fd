/*
 * The table of chipset uplinks. Nominal: what the chipset is made for, not what the board did with
 * it. Chipsets that were built with uplinks of different speeds under one id are left out.
 */
#include "pci/uplink.h"

#include "base/bits.h"

#define INTEL 0x8086
#define ATI   0x1002
#define AMD   0x1022

static const struct {
    uint16_t vendor_id;
    uint16_t first_id;
    uint16_t last_id;
    uint8_t first_revision;
    uint8_t last_revision;
    struct pci_uplink_facts facts;
} chipsets[] = {
    /* By the LPC bridge. ICH9 and ICH10 of desktops; the mobile ones may have two lanes. */
    {INTEL, 0x2912, 0x2916, 0, 0xff, {PCI_UPLINK_DMI, 1, 4, 0x19, 0x1f}},
    {INTEL, 0x2918, 0x2918, 0, 0xff, {PCI_UPLINK_DMI, 1, 4, 0x19, 0x1f}},
    {INTEL, 0x3a10, 0x3a1f, 0, 0xff, {PCI_UPLINK_DMI, 1, 4, 0x19, 0x1f}},
    /* 5 series (P55), 6 (P67), C600 (X79), 7, 8, 9, C610 (X99). */
    {INTEL, 0x3b00, 0x3b1f, 0, 0xff, {PCI_UPLINK_DMI, 1, 4, 0x16, 0x1f}},
    {INTEL, 0x1c40, 0x1c5f, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x16, 0x1f}},
    {INTEL, 0x1d40, 0x1d41, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x11, 0x1f}},
    {INTEL, 0x1e40, 0x1e5f, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x14, 0x1f}},
    {INTEL, 0x8c40, 0x8c5f, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x14, 0x1f}},
    {INTEL, 0x8cc0, 0x8cdf, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x14, 0x1f}},
    {INTEL, 0x8d40, 0x8d4f, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x11, 0x1f}},
    /* 100 and 200 series, 300, 400; H110 and H310 have the slower uplink. */
    {INTEL, 0xa143, 0xa143, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x12, 0x1f}},
    {INTEL, 0xa140, 0xa15f, 0, 0xff, {PCI_UPLINK_DMI, 3, 4, 0x12, 0x1f}},
    {INTEL, 0xa2c0, 0xa2df, 0, 0xff, {PCI_UPLINK_DMI, 3, 4, 0x12, 0x1f}},
    {INTEL, 0xa303, 0xa303, 0, 0xff, {PCI_UPLINK_DMI, 2, 4, 0x12, 0x1f}},
    {INTEL, 0xa300, 0xa31f, 0, 0xff, {PCI_UPLINK_DMI, 3, 4, 0x12, 0x1f}},
    {INTEL, 0x0680, 0x069f, 0, 0xff, {PCI_UPLINK_DMI, 3, 4, 0x12, 0x1f}},
    /* By the SMBus controller: SB7x0 and SB8x0 share all ids and differ in its revision. */
    {ATI, 0x4385, 0x4385, 0x30, 0x3f, {PCI_UPLINK_A_LINK, 1, 4, 0x11, 0x16}},
    {ATI, 0x4385, 0x4385, 0x40, 0xff, {PCI_UPLINK_A_LINK, 2, 4, 0x11, 0x16}},
    /* By the processor: the same chipset is also built into others, without an uplink. */
    {AMD, 0x1705, 0x1705, 0, 0xff, {PCI_UPLINK_UMI, 2, 4, 0x10, 0x16}},
    {AMD, 0x1410, 0x1410, 0, 0xff, {PCI_UPLINK_UMI, 2, 4, 0x10, 0x16}},
    {AMD, 0x1422, 0x1422, 0, 0xff, {PCI_UPLINK_UMI, 2, 4, 0x10, 0x16}},
};

static bool recognise(const struct pci_device *device, struct pci_uplink_facts *ret_facts)
{
    for (uint32_t i = 0; i < COUNT_OF(chipsets); i++) {
        if (device->vendor_id != chipsets[i].vendor_id ||
            device->device_id < chipsets[i].first_id || device->device_id > chipsets[i].last_id ||
            device->revision < chipsets[i].first_revision ||
            device->revision > chipsets[i].last_revision)
            continue;
        *ret_facts = chipsets[i].facts;
        return true;
    }
    return false;
}

bool pci_uplink_find(const struct pci_tree *tree, uint32_t index,
                     struct pci_uplink_facts *ret_facts)
{
    const struct pci_device *device = &tree->devices[index];

    if (device->parent != PCI_NO_PARENT)
        return false;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pci_device *other = &tree->devices[i];
        struct pci_uplink_facts facts;

        if (other->parent != PCI_NO_PARENT || other->address.segment != device->address.segment ||
            other->address.bus != device->address.bus || !recognise(other, &facts))
            continue;
        if (device->address.device < facts.first_device ||
            device->address.device > facts.last_device)
            return false;
        *ret_facts = facts;
        return true;
    }
    return false;
}
