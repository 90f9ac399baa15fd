/*
 * Builds the path of a function: follows the parents of the walk's list up to the root bus, then
 * says of each step down what kind of hop it is.
 */
#include "pci/path_read.h"

#include "pci/regs.h"
#include "pci/uplink.h"

#include <stdbool.h>

/* Port types that have a link above them, towards the processor. */
static bool faces_up(const struct pci_end *end)
{
    return end->has_pcie &&
           (end->port_type == PCIE_TYPE_ENDPOINT || end->port_type == PCIE_TYPE_LEGACY_ENDPOINT ||
            end->port_type == PCIE_TYPE_UPSTREAM || end->port_type == PCIE_TYPE_PCIE_TO_PCI);
}

/* The hop below a bridge that shows no capability: what the function there says decides. */
static enum pci_hop_kind kind_below_plain(const struct pci_end *below)
{
    if (!below->answers || below->hidden)
        return PCI_HOP_UNKNOWN;
    if (faces_up(below))
        return PCI_HOP_LINK;
    if (below->has_pcie && below->port_type != PCIE_TYPE_PCI_TO_PCIE)
        return PCI_HOP_INTERNAL;
    return PCI_HOP_BUS;
}

/*
 * Links and the insides of switches take turns, so a port that names its own direction wrongly is
 * found by what is above it: `before` is the hop that leads to it.
 */
static enum pci_hop_kind kind_below(const struct pci_hop *before, const struct pci_hop *hop)
{
    const struct pci_end *port = &hop->above;

    if (!port->answers || port->hidden)
        return PCI_HOP_UNKNOWN;
    if (!port->has_pcie)
        return kind_below_plain(&hop->below);
    switch (port->port_type) {
    case PCIE_TYPE_ROOT_PORT:
    case PCIE_TYPE_PCI_TO_PCIE:
        return PCI_HOP_LINK;
    case PCIE_TYPE_DOWNSTREAM:
        return before->kind == PCI_HOP_LINK ? PCI_HOP_INTERNAL : PCI_HOP_LINK;
    case PCIE_TYPE_UPSTREAM:
        return before->kind == PCI_HOP_INTERNAL && before->above.index != PCI_NO_PARENT
                   ? PCI_HOP_LINK
                   : PCI_HOP_INTERNAL;
    case PCIE_TYPE_PCIE_TO_PCI:
        return PCI_HOP_BUS;
    default:
        return PCI_HOP_UNKNOWN;
    }
}

static uint8_t lower(uint8_t a, uint8_t b)
{
    if (a == 0 || b == 0)
        return a | b;
    return a < b ? a : b;
}

/*
 * A port without a partner may show left-overs, more lanes than it has among them, and a port whose
 * registers nobody filled shows 0 beside a partner that works: an end counts only if it gives both
 * figures, and not more than it says it can.
 */
static bool is_believed(const struct pci_end *end)
{
    return end->speed != 0 && end->width != 0 &&
           (end->speed_max == 0 || end->speed <= end->speed_max) &&
           (end->width_max == 0 || end->width <= end->width_max);
}

static void join_ends(struct pci_hop *hop)
{
    const struct pci_end *above = &hop->above, *below = &hop->below;
    bool up = is_believed(above), down = is_believed(below);

    hop->speed = lower(up ? above->speed : 0, down ? below->speed : 0);
    hop->width = lower(up ? above->width : 0, down ? below->width : 0);
    hop->speed_max = lower(above->speed_max, below->speed_max);
    hop->width_max = lower(above->width_max, below->width_max);
    hop->nominal = above->is_tunnel || below->is_tunnel;
    hop->ends_differ = above->has_link && below->has_link &&
                       (above->speed != below->speed || above->width != below->width);
}

/*
 * Boards with an I/O hub show the upper end of the uplink: the host bridge, header type 0, has the
 * capability of a root port.
 */
static void join_uplink(const struct pci_config *config, const struct pci_tree *tree,
                        struct pci_hop *hop)
{
    struct pci_address host = {.segment = hop->below.address.segment,
                               .bus = hop->below.address.bus};
    int32_t index = pci_walk_find(tree, host);
    struct pci_end end = pci_end_read(config, tree, index);

    if (index == PCI_NO_PARENT || !end.has_link || end.port_type != PCIE_TYPE_ROOT_PORT ||
        tree->devices[index].header_type != PCI_HEADER_TYPE_NORMAL)
        return;
    hop->above = end;
    if (end.speed == 0 || end.width == 0)
        return;
    hop->nominal = false;
    hop->speed = end.speed;
    hop->width = end.width;
    hop->speed_max = end.speed_max;
    hop->width_max = end.width_max;
}

static void fill_first(const struct pci_config *config, const struct pci_tree *tree,
                       struct pci_hop *hop, struct pci_uplink_facts *facts)
{
    hop->kind = PCI_HOP_INTERNAL;
    if (pci_uplink_find(tree, (uint32_t)hop->below.index, facts)) {
        hop->kind = PCI_HOP_UPLINK;
        hop->uplink = facts->kind;
        hop->nominal = true;
        hop->speed = hop->speed_max = facts->speed;
        hop->width = hop->width_max = facts->width;
        join_uplink(config, tree, hop);
    } else if (faces_up(&hop->below) && hop->below.speed != 0 && hop->below.width != 0) {
        /* The port above does not show itself: some Arm boards, functions given to a guest. */
        hop->kind = PCI_HOP_LINK;
        join_ends(hop);
    }
}

static void fill_later(const struct pci_config *config, const struct pci_tree *tree,
                       const struct pci_hop *before, struct pci_hop *hop)
{
    uint32_t above = (uint32_t)hop->above.index, below = (uint32_t)hop->below.index;

    hop->kind = kind_below(before, hop);
    hop->indirect = tree->devices[above].secondary_bus != tree->devices[below].address.bus;
    if (hop->kind == PCI_HOP_LINK)
        join_ends(hop);
    else if (hop->kind == PCI_HOP_BUS)
        hop->bus = pci_bus_read(config, tree, above, below);
}

/*
 * Whether function `index` is reached through the hop: below its port, or if there is none in the
 * list, behind the same uplink or in the same device of the root bus.
 */
static bool is_behind(const struct pci_tree *tree, const struct pci_hop *hop,
                      const struct pci_uplink_facts *facts, uint32_t index)
{
    const struct pci_device *first = &tree->devices[hop->below.index], *device;
    int32_t up = (int32_t)index;

    while (tree->devices[up].parent != PCI_NO_PARENT) {
        /* A list in which a parent is not before its child has no end. */
        if (tree->devices[up].parent < 0 || tree->devices[up].parent >= up)
            return false;
        up = tree->devices[up].parent;
        if (hop->kind != PCI_HOP_UPLINK && up == hop->above.index)
            return true;
    }
    device = &tree->devices[up];
    if (first->parent != PCI_NO_PARENT || device->address.segment != first->address.segment ||
        device->address.bus != first->address.bus)
        return false;
    if (hop->kind == PCI_HOP_UPLINK)
        return device->address.device >= facts->first_device &&
               device->address.device <= facts->last_device;
    return device->address.device == first->address.device;
}

static struct pci_neighbour neighbour_of(const struct pci_device *device)
{
    return (struct pci_neighbour){
        .address = device->address,
        .vendor_id = device->vendor_id,
        .device_id = device->device_id,
        .class_base = device->class_base,
        .class_sub = device->class_sub,
        .prog_if = device->prog_if,
    };
}

static void find_shared(const struct pci_tree *tree, const struct pci_path *path,
                        const struct pci_uplink_facts *facts, struct pci_hop *hop)
{
    int32_t target = path->hops[path->count - 1].below.index;

    if (hop->kind == PCI_HOP_INTERNAL)
        return;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pci_device *device = &tree->devices[i];

        /* Bridges, and host and ISA bridges (class 06h), move no data of their own. */
        if ((int32_t)i == target || device->header_type != PCI_HEADER_TYPE_NORMAL ||
            device->class_base == 0x06 || !is_behind(tree, hop, facts, i))
            continue;
        if (hop->shared_count < PCI_HOP_SHARED_MAX)
            hop->shared[hop->shared_count] = neighbour_of(device);
        hop->shared_count++;
    }
}

/* Number of functions from the root bus down to `index`; 0: the list is not sound. */
static uint32_t depth_of(const struct pci_tree *tree, int32_t index)
{
    uint32_t depth = 1;

    while (tree->devices[index].parent != PCI_NO_PARENT) {
        if (tree->devices[index].parent < 0 || tree->devices[index].parent >= index)
            return 0;
        index = tree->devices[index].parent;
        depth++;
    }
    return depth;
}

enum status pci_path_read(const struct pci_config *config, const struct pci_tree *tree,
                          int32_t index, struct pci_path *ret_path)
{
    struct pci_path *path = ret_path;
    struct pci_uplink_facts facts = {PCI_UPLINK_NONE, 0, 0, 0, 0};
    uint32_t depth;

    if (index < 0 || (uint32_t)index >= tree->count)
        return STATUS_INVALID;
    depth = depth_of(tree, index);
    if (depth == 0)
        return STATUS_INVALID;
    if (depth > PCI_PATH_HOPS_MAX)
        return STATUS_FULL;
    *path = (struct pci_path){.count = depth};
    for (uint32_t i = depth; i-- > 0; index = tree->devices[index].parent)
        path->hops[i].below = pci_end_read(config, tree, index);
    for (uint32_t i = 0; i < depth; i++) {
        struct pci_hop *hop = &path->hops[i];

        hop->above = (struct pci_end){.index = PCI_NO_PARENT};
        if (i == 0) {
            fill_first(config, tree, hop, &facts);
        } else {
            hop->above = path->hops[i - 1].below;
            fill_later(config, tree, &path->hops[i - 1], hop);
        }
        find_shared(tree, path, &facts, hop);
    }
    return STATUS_OK;
}
