/* The dump as configuration space: look-up, access and walk. Reading one is in host/dump_read.c. */
#include "host/dump.h"

#include "base/bits.h"
#include "pci/regs.h"

#include <assert.h>

static uint32_t address_key(struct pci_address address)
{
    return (uint32_t)address.segment << 16 | (uint32_t)address.bus << 8 |
           (uint32_t)(address.device & 31) << 3 | (address.function & 7u);
}

/* Index of the first function that is not before `address`; dump->count: all are. */
static size_t lower_bound(const struct host_dump *dump, struct pci_address address)
{
    size_t low = 0, high = dump->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (address_key(dump->functions[middle]->address) < address_key(address))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct host_dump_function *find(const struct host_dump *dump, struct pci_address address)
{
    size_t index = lower_bound(dump, address);

    if (index == dump->count ||
        address_key(dump->functions[index]->address) != address_key(address))
        return NULL;
    return dump->functions[index];
}

const struct host_dump_function *host_dump_find(const struct host_dump *dump,
                                                struct pci_address address)
{
    return find(dump, address);
}

static uint32_t dump_config_read(const struct pci_config *config, struct pci_address address,
                                 uint16_t offset)
{
    const struct host_dump_function *function = find(config->context, address);

    assert(offset % 4 == 0 && offset < PCIE_CONFIG_BYTES);
    return function == NULL ? UINT32_MAX : base_le32(function->data + offset);
}

static void dump_config_write(const struct pci_config *config, struct pci_address address,
                              uint16_t offset, uint32_t value)
{
    (void)config;
    (void)address;
    (void)offset;
    (void)value;
}

static uint16_t dump_config_reach(const struct pci_config *config, uint16_t segment, uint8_t bus)
{
    const struct host_dump *dump = config->context;
    struct pci_address first = {.segment = segment, .bus = bus};

    for (size_t i = lower_bound(dump, first); i < dump->count; i++) {
        const struct host_dump_function *function = dump->functions[i];

        if (function->address.segment != segment || function->address.bus != bus)
            break;
        if (function->bytes > PCI_CONFIG_BYTES)
            return PCIE_CONFIG_BYTES;
    }
    return PCI_CONFIG_BYTES;
}

struct pci_config host_dump_config(struct host_dump *dump)
{
    static const struct pci_config_ops ops = {
        .read = dump_config_read,
        .write = dump_config_write,
        .reach = dump_config_reach,
    };

    return (struct pci_config){.ops = &ops, .context = dump};
}

enum status host_dump_walk(struct host_dump *dump, struct pci_tree *tree)
{
    struct pci_config config = host_dump_config(dump);
    enum status status = STATUS_OK;
    uint32_t before = tree->count;

    /* The first function of a segment stands on its lowest bus: that of its host bridge. */
    for (size_t i = 0; i < dump->count && status == STATUS_OK; i++) {
        struct pci_address at = dump->functions[i]->address;

        if (i == 0 || dump->functions[i - 1]->address.segment != at.segment)
            status = pci_walk_segment(&config, at.segment, at.bus, 255, tree);
    }
    for (uint32_t i = before; i < tree->count; i++) {
        struct host_dump_function *function = find(dump, tree->devices[i].address);

        if (function != NULL)
            function->reached = true;
    }
    return status;
}
