/*
 * The PCI walk. The list it fills is its own queue: functions are looked at in the order they were
 * found, so there is no recursion whose depth a malformed tree could choose.
 */
#include "pci/walk.h"

#include "pci/cap_list.h"
#include "pci/regs.h"

#include <stdbool.h>
#include <stddef.h>

#define DEVICES_PER_BUS      32
#define FUNCTIONS_PER_DEVICE 8

struct walk {
    const struct pci_config *config;
    struct pci_tree *tree;
    uint32_t first; /* index of this segment's first function in the tree */
    uint16_t segment;
    uint8_t start_bus;
    uint8_t end_bus;
    bool full;
    uint32_t visited[256 / 32]; /* a bit for each bus */
};

static bool is_visited(const struct walk *walk, uint8_t bus)
{
    return (walk->visited[bus / 32] & BIT32(bus % 32)) != 0;
}

/*
 * Whether the first dword is that of a function. Vendor ffff: nothing there (also virtual functions
 * of SR-IOV, which are not ours to use). Zeros, and all zeros but the device id: broken boards.
 * Vendor 0001: the root complex says that the function is not ready (PCI Express Base 5.0, section
 * 2.3.2, Configuration Request Retry Status).
 */
static bool is_function(uint32_t id)
{
    uint32_t vendor = id & 0xffffu;

    return vendor != 0xffff && vendor != 0x0001 && id != 0 && id != 0xffff0000u;
}

static uint8_t port_type(const struct walk *walk, const struct pci_device *device)
{
    uint16_t offset = (uint16_t)(device->pcie_cap + PCIE_CAPS);

    return (uint8_t)base_field(pci_config_read16(walk->config, device->address, offset),
                               PCIE_CAPS_PORT_TYPE);
}

/*
 * A link has one device at its other end, number 0 (PCI Express Base 5.0, section 7.3.1). Some
 * devices do not look at the number and answer to all 32. A "downstream port" directly below a
 * link's end must be an upstream port that says the wrong thing: its bus has up to 32 ports.
 */
static unsigned devices_below(const struct walk *walk, const struct pci_device *bridge)
{
    const struct pci_device *above;
    uint8_t type;

    if (bridge->pcie_cap == 0)
        return DEVICES_PER_BUS;
    type = port_type(walk, bridge);
    if (type == PCIE_TYPE_DOWNSTREAM && bridge->parent != PCI_NO_PARENT) {
        above = &walk->tree->devices[bridge->parent];
        if (above->pcie_cap != 0 && port_type(walk, above) != PCIE_TYPE_UPSTREAM)
            return DEVICES_PER_BUS;
    }
    return type == PCIE_TYPE_ROOT_PORT || type == PCIE_TYPE_DOWNSTREAM ||
                   type == PCIE_TYPE_PCI_TO_PCIE
               ? 1
               : DEVICES_PER_BUS;
}

/* Whether the port passes on requests to all function numbers of the one device below it. */
static bool forwards_ari(const struct walk *walk, const struct pci_device *port)
{
    uint16_t caps = (uint16_t)(port->pcie_cap + PCIE_CAPS);
    uint16_t control2 = (uint16_t)(port->pcie_cap + PCIE_DEV_CTL2);

    /* Version 1 of the capability ends before this register. */
    if (control2 >= PCI_CONFIG_BYTES ||
        base_field(pci_config_read16(walk->config, port->address, caps), PCIE_CAPS_VERSION) < 2)
        return false;
    return (pci_config_read16(walk->config, port->address, control2) & PCIE_DEV_CTL2_ARI) != 0;
}

static uint32_t bar_count(uint8_t header_type)
{
    switch (header_type) {
    case PCI_HEADER_TYPE_NORMAL:
        return 6;
    case PCI_HEADER_TYPE_BRIDGE:
        return 2;
    case PCI_HEADER_TYPE_CARDBUS:
        return 1;
    default:
        return 0;
    }
}

static bool is_bridge(const struct pci_device *device)
{
    return device->header_type == PCI_HEADER_TYPE_BRIDGE ||
           device->header_type == PCI_HEADER_TYPE_CARDBUS;
}

/* All that the list holds of a function whose first dword is `id`. */
static struct pci_device describe(const struct pci_config *config, struct pci_address address,
                                  uint32_t id)
{
    struct pci_device device = {.address = address, .parent = PCI_NO_PARENT};
    uint32_t revision = pci_config_read32(config, address, PCI_REVISION_ID);
    uint32_t type = pci_config_read8(config, address, PCI_HEADER_TYPE);
    uint32_t value;

    device.vendor_id = (uint16_t)id;
    device.device_id = (uint16_t)(id >> 16);
    device.revision = (uint8_t)revision;
    device.prog_if = (uint8_t)(revision >> 8);
    device.class_sub = (uint8_t)(revision >> 16);
    device.class_base = (uint8_t)(revision >> 24);
    device.header_type = (uint8_t)(type & PCI_HEADER_TYPE_MASK);
    device.multi_function = (type & PCI_HEADER_TYPE_MULTI) != 0;
    for (uint32_t i = 0; i < bar_count(device.header_type); i++)
        device.bar[i] = pci_config_read32(config, address, (uint16_t)(PCI_BAR0 + 4 * i));
    if (is_bridge(&device)) {
        value = pci_config_read32(config, address, PCI_BUS_NUMBERS);
        device.primary_bus = (uint8_t)base_field(value, PCI_BUS_NUMBERS_PRIMARY);
        device.secondary_bus = (uint8_t)base_field(value, PCI_BUS_NUMBERS_SECONDARY);
        device.subordinate_bus = (uint8_t)base_field(value, PCI_BUS_NUMBERS_SUBORD);
    } else if (device.header_type == PCI_HEADER_TYPE_NORMAL) {
        value = pci_config_read32(config, address, PCI_SUBSYSTEM);
        device.subsystem_vendor_id = (uint16_t)value;
        device.subsystem_id = (uint16_t)(value >> 16);
    }
    device.pcie_cap = pci_cap_find(config, &device, PCI_CAP_ID_PCIE);
    return device;
}

/* Adds the function at `address` and returns its entry; NULL if there is none or no room. */
static const struct pci_device *look(struct walk *walk, struct pci_address address, int32_t parent)
{
    uint32_t id = pci_config_read32(walk->config, address, PCI_VENDOR_ID);
    struct pci_tree *tree = walk->tree;
    struct pci_device *device;

    if (!is_function(id)) {
        if ((id & 0xffffu) == 0x0001)
            tree->oddities++;
        return NULL;
    }
    if (tree->count >= tree->capacity) {
        walk->full = true;
        return NULL;
    }
    device = &tree->devices[tree->count++];
    *device = describe(walk->config, address, id);
    device->parent = parent;
    if (device->header_type > PCI_HEADER_TYPE_CARDBUS)
        tree->oddities++;
    return device;
}

/*
 * The functions of one device. Functions above 0 are looked for if function 0 says so, and also if
 * it is absent: the specification forbids that (PCI 3.0, section 3.2.2.3.4), hidden and
 * powered-down functions do it.
 */
static void scan_device(struct walk *walk, struct pci_address address, int32_t parent)
{
    const struct pci_device *first = look(walk, address, parent);
    uint32_t before = walk->tree->count;

    if (first != NULL && !first->multi_function)
        return;
    for (uint8_t function = 1; function < FUNCTIONS_PER_DEVICE && !walk->full; function++) {
        address.function = function;
        look(walk, address, parent);
    }
    if (first == NULL && walk->tree->count != before)
        walk->tree->oddities++;
}

static void scan_bus(struct walk *walk, uint8_t bus, unsigned devices, int32_t parent)
{
    struct pci_address address = {.segment = walk->segment, .bus = bus};

    walk->visited[bus / 32] |= BIT32(bus % 32);
    for (unsigned device = 0; device < devices && !walk->full; device++) {
        address.device = (uint8_t)device;
        scan_device(walk, address, parent);
    }
}

/* The number of the function after `function` in an ARI device; 0: none, or it does not say. */
static unsigned next_function(const struct walk *walk, const struct pci_device *function)
{
    uint16_t ari = pci_ext_cap_find(walk->config, function, PCIE_EXT_CAP_ID_ARI);

    if (ari == 0 || ari + PCIE_ARI_CAP + 4u > PCIE_CONFIG_BYTES)
        return 0;
    ari = (uint16_t)(ari + PCIE_ARI_CAP);
    return base_field(pci_config_read16(walk->config, function->address, ari), PCIE_ARI_CAP_NEXT);
}

/*
 * The further functions of an ARI device, up to 256: each names the next higher one, from function
 * 0 on (PCI Express Base 5.0, sections 6.13 and 7.8.8). Only that list makes it one: a device
 * without it may answer to every number. A number that is not higher ends it.
 */
static void follow_ari(struct walk *walk, uint8_t bus, int32_t parent)
{
    struct pci_tree *tree = walk->tree;
    struct pci_address address = {.segment = walk->segment, .bus = bus};
    int32_t index = pci_walk_find(tree, address);

    for (unsigned number = 0, next; index != PCI_NO_PARENT; number = next) {
        next = next_function(walk, &tree->devices[index]);
        if (next == 0)
            return;
        address.device = (uint8_t)(next / FUNCTIONS_PER_DEVICE);
        address.function = (uint8_t)(next % FUNCTIONS_PER_DEVICE);
        index = next > number ? pci_walk_find(tree, address) : PCI_NO_PARENT;
        if (index == PCI_NO_PARENT && next > number && look(walk, address, parent) != NULL)
            index = (int32_t)tree->count - 1;
        if (index == PCI_NO_PARENT && !walk->full)
            tree->oddities++;
    }
}

/* Whether the bridge would pass on what goes to its secondary bus, and could get it to pass on. */
static bool range_is_sound(const struct walk *walk, const struct pci_device *bridge)
{
    const struct pci_device *above;

    if (bridge->secondary_bus <= bridge->address.bus ||
        bridge->subordinate_bus < bridge->secondary_bus)
        return false;
    if (bridge->parent == PCI_NO_PARENT)
        return true;
    above = &walk->tree->devices[bridge->parent];
    return bridge->secondary_bus <= above->subordinate_bus;
}

static void follow(struct walk *walk, uint32_t index)
{
    const struct pci_device *bridge = &walk->tree->devices[index];
    uint8_t bus = bridge->secondary_bus;
    unsigned devices;

    if (!is_bridge(bridge) || (bus == 0 && bridge->subordinate_bus == 0))
        return;
    if (bridge->primary_bus != bridge->address.bus)
        walk->tree->oddities++;
    if (!range_is_sound(walk, bridge) || bus < walk->start_bus || bus > walk->end_bus ||
        is_visited(walk, bus) || walk->config->ops->reach(walk->config, walk->segment, bus) == 0) {
        walk->tree->oddities++;
        return;
    }
    devices = devices_below(walk, bridge);
    scan_bus(walk, bus, devices, (int32_t)index);
    if (devices == 1 && forwards_ari(walk, bridge))
        follow_ari(walk, bus, (int32_t)index);
}

static bool something_answers(const struct walk *walk, uint8_t bus)
{
    struct pci_address address = {.segment = walk->segment, .bus = bus};

    if (walk->config->ops->reach(walk->config, walk->segment, bus) == 0)
        return false;
    for (unsigned device = 0; device < DEVICES_PER_BUS; device++) {
        address.device = (uint8_t)device;
        if (is_function(pci_config_read32(walk->config, address, PCI_VENDOR_ID)))
            return true;
    }
    return false;
}

/* The bridge whose sound range holds `bus` most tightly, or PCI_NO_PARENT. */
static int32_t tightest_bridge(const struct walk *walk, uint8_t bus)
{
    int32_t best = PCI_NO_PARENT;
    int best_span = 256;

    for (uint32_t i = walk->first; i < walk->tree->count; i++) {
        const struct pci_device *bridge = &walk->tree->devices[i];
        int span = bridge->subordinate_bus - bridge->secondary_bus;

        if (!is_bridge(bridge) || !range_is_sound(walk, bridge))
            continue;
        if (bus > bridge->secondary_bus && bus <= bridge->subordinate_bus && span < best_span) {
            best = (int32_t)i;
            best_span = span;
        }
    }
    return best;
}

enum status pci_walk_segment(const struct pci_config *config, uint16_t segment, uint8_t start_bus,
                             uint8_t end_bus, struct pci_tree *tree)
{
    struct walk walk = {.config = config,
                        .tree = tree,
                        .first = tree->count,
                        .segment = segment,
                        .start_bus = start_bus,
                        .end_bus = end_bus};
    uint32_t next = tree->count;

    for (unsigned bus = start_bus; bus <= end_bus && !walk.full; bus++) {
        int32_t parent;

        if (is_visited(&walk, (uint8_t)bus))
            continue;
        if (bus != start_bus && !something_answers(&walk, (uint8_t)bus))
            continue;
        parent = tightest_bridge(&walk, (uint8_t)bus);
        if (parent != PCI_NO_PARENT)
            tree->oddities++;
        scan_bus(&walk, (uint8_t)bus, DEVICES_PER_BUS, parent);
        while (next < tree->count && !walk.full)
            follow(&walk, next++);
    }
    return walk.full ? STATUS_FULL : STATUS_OK;
}

/* Whether an earlier entry of the table has the segment too. */
static bool segment_is_done(const struct pci_host *host, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (host->ecam[i].segment == host->ecam[index].segment)
            return true;
    return host->ecam[index].segment == 0;
}

enum status pci_walk_host(struct pci_host *host, struct pci_tree *tree)
{
    struct pci_config config = pci_config_host(host);
    enum status status;

    tree->count = 0;
    tree->oddities = 0;
    status = pci_walk_segment(&config, 0, 0, 255, tree);
    for (uint32_t i = 0; i < host->ecam_count && status == STATUS_OK; i++) {
        uint16_t segment = host->ecam[i].segment;
        uint8_t start = 255, end = 0;

        if (segment_is_done(host, i))
            continue;
        for (uint32_t j = i; j < host->ecam_count; j++) {
            if (host->ecam[j].segment != segment)
                continue;
            start = host->ecam[j].start_bus < start ? host->ecam[j].start_bus : start;
            end = host->ecam[j].end_bus > end ? host->ecam[j].end_bus : end;
        }
        status = pci_walk_segment(&config, segment, start, end, tree);
    }
    return status;
}

int32_t pci_walk_find(const struct pci_tree *tree, struct pci_address address)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pci_address *at = &tree->devices[i].address;

        if (at->segment == address.segment && at->bus == address.bus &&
            at->device == address.device && at->function == address.function)
            return (int32_t)i;
    }
    return PCI_NO_PARENT;
}
