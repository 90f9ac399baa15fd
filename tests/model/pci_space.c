/* Configuration space in memory. */
#include "tests/model/pci_space.h"

#include "base/bits.h"
#include "pci/regs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void violation(const char *what, unsigned offset)
{
    fprintf(stderr, "pci_space: %s at offset %x\n", what, offset);
    abort();
}

void pci_space_init(struct pci_space *space)
{
    *space = (struct pci_space){
        .last_bus = 255, .reach = 4096, .gone_at_write = UINT32_MAX, .stuck_at_write = UINT32_MAX};
}

void pci_space_free(struct pci_space *space)
{
    for (size_t i = 0; i < space->count; i++)
        free(space->functions[i]);
    free(space->functions);
    space->functions = NULL;
    space->count = 0;
}

struct pci_address pci_space_at(unsigned bus, unsigned device, unsigned function)
{
    return (struct pci_address){
        .bus = (uint8_t)bus, .device = (uint8_t)device, .function = (uint8_t)function};
}

static struct pci_space_function *find(const struct pci_space *space, struct pci_address address)
{
    for (size_t i = 0; i < space->count; i++) {
        struct pci_space_function *function = space->functions[i];
        const struct pci_address *at = &function->address;

        if (at->segment == address.segment && at->bus == address.bus &&
            at->function == address.function &&
            (at->device == address.device || function->all_device_numbers))
            return function;
    }
    return NULL;
}

static void check(struct pci_address address, uint16_t offset)
{
    if (offset % 4 != 0)
        violation("unaligned access", offset);
    if (offset >= 4096 || address.device > 31 || address.function > 7)
        violation("address out of range", offset);
}

static uint32_t space_read(const struct pci_config *config, struct pci_address address,
                           uint16_t offset)
{
    struct pci_space *space = config->context;
    const struct pci_space_function *function;

    check(address, offset);
    space->reads++;
    function = find(space, address);
    if (function == NULL || address.bus > space->last_bus || offset >= space->reach ||
        space->writes > space->gone_at_write)
        return UINT32_MAX;
    return base_le32(function->data + offset);
}

static void space_write(const struct pci_config *config, struct pci_address address,
                        uint16_t offset, uint32_t value)
{
    struct pci_space *space = config->context;
    struct pci_space_function *function;

    check(address, offset);
    if (offset == PCI_COMMAND && value >> 16 != 0)
        violation("status bits written", offset);
    space->writes++;
    function = find(space, address);
    if (function == NULL || address.bus > space->last_bus || offset >= space->reach ||
        space->writes > space->gone_at_write || space->writes > space->stuck_at_write)
        return;
    for (unsigned i = 0; i < 4; i++) {
        uint8_t mask = function->writable[offset + i];
        uint8_t byte = (uint8_t)(value >> 8 * i);

        function->data[offset + i] =
            (uint8_t)((function->data[offset + i] & ~mask) | (byte & mask));
    }
}

static uint16_t space_reach(const struct pci_config *config, uint16_t segment, uint8_t bus)
{
    const struct pci_space *space = config->context;

    (void)segment;
    return bus > space->last_bus ? 0 : space->reach;
}

struct pci_config pci_space_config(struct pci_space *space)
{
    static const struct pci_config_ops ops = {
        .read = space_read,
        .write = space_write,
        .reach = space_reach,
    };

    return (struct pci_config){.ops = &ops, .context = space};
}

struct pci_space_function *pci_space_add(struct pci_space *space, struct pci_address address)
{
    struct pci_space_function *function = calloc(1, sizeof *function);
    struct pci_space_function **list =
        realloc(space->functions, (space->count + 1) * sizeof(struct pci_space_function *));

    if (function == NULL || list == NULL)
        abort();
    space->functions = list;
    space->functions[space->count++] = function;
    function->address = address;
    pci_space_put32(function, PCI_VENDOR_ID, 0x56781234);
    return function;
}

struct pci_space_function *pci_space_add_bridge(struct pci_space *space, struct pci_address address,
                                                unsigned secondary, unsigned subordinate)
{
    struct pci_space_function *function = pci_space_add(space, address);

    pci_space_put8(function, PCI_HEADER_TYPE, PCI_HEADER_TYPE_BRIDGE);
    pci_space_put8(function, 0x0b, 0x06);
    pci_space_put8(function, 0x0a, 0x04);
    pci_space_put8(function, PCI_BUS_NUMBERS, address.bus);
    pci_space_put8(function, PCI_BUS_NUMBERS + 1, secondary);
    pci_space_put8(function, PCI_BUS_NUMBERS + 2, subordinate);
    return function;
}

void pci_space_put8(struct pci_space_function *function, unsigned offset, uint32_t value)
{
    function->data[offset] = (uint8_t)value;
}

void pci_space_put16(struct pci_space_function *function, unsigned offset, uint32_t value)
{
    pci_space_put8(function, offset, value);
    pci_space_put8(function, offset + 1, value >> 8);
}

void pci_space_put32(struct pci_space_function *function, unsigned offset, uint32_t value)
{
    pci_space_put16(function, offset, value);
    pci_space_put16(function, offset + 2, value >> 16);
}

uint32_t pci_space_get32(const struct pci_space_function *function, unsigned offset)
{
    return base_le32(function->data + offset);
}

void pci_space_let_write(struct pci_space_function *function, unsigned offset, uint32_t mask)
{
    for (unsigned i = 0; i < 4; i++)
        function->writable[offset + i] = (uint8_t)(mask >> 8 * i);
}

void pci_space_add_cap(struct pci_space_function *function, unsigned offset, unsigned id)
{
    bool cardbus = function->data[PCI_HEADER_TYPE] == PCI_HEADER_TYPE_CARDBUS;
    unsigned list = cardbus ? PCI_CAP_PTR_CB : PCI_CAP_PTR;

    function->data[PCI_STATUS] |= (uint8_t)PCI_STATUS_CAP_LIST;
    pci_space_put8(function, offset, id);
    pci_space_put8(function, offset + 1, function->data[list]);
    pci_space_put8(function, list, offset);
}

void pci_space_add_pcie(struct pci_space_function *function, unsigned port_type)
{
    pci_space_add_cap(function, 0x40, PCI_CAP_ID_PCIE);
    pci_space_put16(function, 0x40 + PCIE_CAPS, port_type << 4 | 2);
}

void pci_space_set_link(struct pci_space_function *function, unsigned speed, unsigned width,
                        unsigned speed_max, unsigned width_max)
{
    pci_space_put32(function, 0x40 + PCIE_LNK_CAP, width_max << 4 | speed_max);
    pci_space_put16(function, 0x40 + PCIE_LNK_STA, width << 4 | speed);
}
