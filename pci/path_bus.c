/* Reads what is known of a conventional bus, PCI or PCI-X. */
#include "pci/path_read.h"

#include "pci/cap_list.h"
#include "pci/regs.h"

#include <stdbool.h>

/* A status register's 66 MHz bit; all ones are no status. */
static bool status_66mhz(const struct pci_config *config, const struct pci_device *device,
                         uint16_t offset)
{
    uint16_t status = pci_config_read16(config, device->address, offset);

    return status != 0xffff && (status & PCI_STATUS_66MHZ) != 0;
}

/* Whether all functions of the bus but `below` can do 66 MHz: the slowest sets the clock. */
static bool others_66mhz(const struct pci_config *config, const struct pci_tree *tree,
                         const struct pci_device *below)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pci_device *device = &tree->devices[i];

        if (device != below && device->address.segment == below->address.segment &&
            device->address.bus == below->address.bus && !status_66mhz(config, device, PCI_STATUS))
            return false;
    }
    return true;
}

/* Clock and protocol as the bridge set them (PCI-X Protocol Addendum 2.0a, section 8.6.2.2). */
static void decode_pcix(struct pci_bus *bus)
{
    static const enum pci_bus_mode modes[] = {PCI_BUS_PCIX, PCI_BUS_PCIX_ECC, PCI_BUS_PCIX_266,
                                              PCI_BUS_PCIX_533};
    uint32_t clock = base_field(bus->pcix_sec_status, PCIX_SEC_STATUS_CLOCK);

    if (clock == 0)
        return;
    bus->mode = modes[base_field(bus->pcix_sec_status, PCIX_SEC_STATUS_PROTOCOL)];
    bus->clock_thirds = (uint8_t)(clock + 1);
    bus->clock_known = true;
}

/* The bus is as wide as the narrower of its ends. */
static void decode_width(const struct pci_config *config, const struct pci_device *below,
                         struct pci_bus *bus)
{
    uint16_t cap;
    uint32_t status;

    bus->width_bytes = 4;
    bus->width_known = (bus->pcix_sec_status & PCIX_SEC_STATUS_64BIT) == 0;
    if (bus->width_known)
        return;
    bus->width_bytes = 8;
    cap = pci_cap_find(config, below, PCI_CAP_ID_PCIX);
    if (cap == 0 || cap + PCIX_STATUS + 4u > PCI_CONFIG_BYTES)
        return;
    status = pci_config_read32(config, below->address, (uint16_t)(cap + PCIX_STATUS));
    if (status == UINT32_MAX)
        return;
    bus->width_known = true;
    bus->width_bytes = (status & PCIX_STATUS_64BIT) != 0 ? 8 : 4;
}

struct pci_bus pci_bus_read(const struct pci_config *config, const struct pci_tree *tree,
                            uint32_t above, uint32_t below)
{
    const struct pci_device *bridge = &tree->devices[above];
    const struct pci_device *device = &tree->devices[below];
    struct pci_bus bus = {.width_bytes = 4};
    uint16_t cap = 0, status;

    /* A CardBus bridge has other registers there; its bus is 32 bits at 33 MHz (PC Card 8.0). */
    if (bridge->header_type == PCI_HEADER_TYPE_BRIDGE) {
        cap = pci_cap_find(config, bridge, PCI_CAP_ID_PCIX);
        bus.bridge_66mhz = status_66mhz(config, bridge, PCI_SEC_STATUS);
    }
    bus.device_66mhz = status_66mhz(config, device, PCI_STATUS);
    bus.others_66mhz = others_66mhz(config, tree, device);
    bus.clock_thirds = bus.bridge_66mhz && bus.device_66mhz && bus.others_66mhz ? 2 : 1;
    if (cap == 0)
        return bus;
    status = pci_config_read16(config, bridge->address, (uint16_t)(cap + PCIX_SEC_STATUS));
    /* All ones would read as the fastest mode at the highest clock. */
    if (status == 0xffff)
        return bus;
    bus.has_pcix = true;
    bus.pcix_sec_status = status;
    decode_pcix(&bus);
    decode_width(config, device, &bus);
    return bus;
}
