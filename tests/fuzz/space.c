/* Builds a configuration space out of an input, and answers for it. */
#include "tests/fuzz/space.h"

#include "base/bits.h"
#include "pci/regs.h"

#define PCIE_AT 0x40

static void put(struct space_function *function, size_t offset, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        function->data[offset + i] = (uint8_t)(value >> 8 * i);
}

/* `count` bytes of the input to `offset`, none beyond `end`. */
static void fill(struct space_function *function, struct fuzz_input *input, size_t offset,
                 size_t end)
{
    size_t count = fuzz_byte(input);

    for (size_t i = 0; i < count && input->left > 0; i++) {
        uint8_t byte = fuzz_byte(input);

        if (offset + i < end)
            function->data[offset + i] = byte;
    }
}

static struct space_function *add(struct space *space, struct fuzz_input *input, bool bridge)
{
    uint8_t bus = fuzz_byte(input);
    uint8_t place = fuzz_byte(input);
    uint8_t *index = &space->index[bus << 8 | place];
    struct space_function *function;

    if (*index == 0 && space->count == SPACE_FUNCTIONS_MAX)
        return NULL;
    if (*index == 0)
        *index = (uint8_t)++space->count;
    function = &space->functions[*index - 1];
    memset(function, 0, sizeof *function);
    put(function, PCI_VENDOR_ID, 0x56781234, 4);
    put(function, PCI_HEADER_TYPE, PCI_HEADER_TYPE_MULTI, 1);
    if (bridge) {
        put(function, PCI_HEADER_TYPE, PCI_HEADER_TYPE_MULTI | PCI_HEADER_TYPE_BRIDGE, 1);
        put(function, PCI_REVISION_ID, 0x06040000, 4);
        put(function, PCI_BUS_NUMBERS, bus, 1);
        put(function, PCI_BUS_NUMBERS + 1, fuzz_byte(input), 1);
        put(function, PCI_BUS_NUMBERS + 2, fuzz_byte(input), 1);
    }
    return function;
}

static void link_cap(struct space_function *function, size_t offset, uint8_t id)
{
    uint8_t type = function->data[PCI_HEADER_TYPE] & PCI_HEADER_TYPE_MASK;
    size_t list = type == PCI_HEADER_TYPE_CARDBUS ? PCI_CAP_PTR_CB : PCI_CAP_PTR;

    function->data[PCI_STATUS] |= (uint8_t)PCI_STATUS_CAP_LIST;
    put(function, offset, id, 1);
    put(function, offset + 1, function->data[list], 1);
    put(function, list, (uint32_t)offset, 1);
}

static void add_cap(struct space_function *function, struct fuzz_input *input)
{
    size_t offset = fuzz_byte(input) & 0xfcu;

    offset = offset < PCI_HEADER_END ? offset | PCI_HEADER_END : offset;
    link_cap(function, offset, fuzz_byte(input));
    fill(function, input, offset + 2, PCI_CONFIG_BYTES);
}

static void add_pcie(struct space_function *function, struct fuzz_input *input)
{
    uint8_t type = fuzz_byte(input);
    uint8_t flags = fuzz_byte(input);
    uint8_t speed = fuzz_byte(input);
    uint8_t width = fuzz_byte(input);
    uint8_t sizes = fuzz_byte(input);

    link_cap(function, PCIE_AT, PCI_CAP_ID_PCIE);
    put(function, PCIE_AT + PCIE_CAPS, (uint32_t)(type & 0xf) << 4 | type >> 4, 1);
    put(function, PCIE_AT + PCIE_CAPS + 1, flags & 1, 1);
    put(function, PCIE_AT + PCIE_DEV_CAP, sizes & 7u, 1);
    put(function, PCIE_AT + PCIE_DEV_CTL,
        (uint32_t)(sizes & 7) << 5 | (uint32_t)(sizes >> 3 & 7) << 12, 2);
    put(function, PCIE_AT + PCIE_LNK_CAP, (uint32_t)(width & 0x3f) << 4 | speed >> 4, 2);
    put(function, PCIE_AT + PCIE_LNK_CTL, flags, 1);
    put(function, PCIE_AT + PCIE_LNK_STA, (uint32_t)(width & 0x3f) << 4 | (speed & 0xf), 2);
    put(function, PCIE_AT + PCIE_DEV_CTL2, flags & PCIE_DEV_CTL2_ARI, 1);
}

/* The first must stand at 100h. Those that follow go between it and the one after it. */
static void add_ext_cap(struct space_function *function, struct fuzz_input *input)
{
    size_t offset = fuzz_word(input) & 0xffcu;
    uint32_t first = base_le32(function->data + PCIE_EXT_CAP_FIRST);
    uint32_t header = UINT32_C(1) << 16 | fuzz_byte(input);

    offset = offset < PCIE_EXT_CAP_FIRST ? offset | PCIE_EXT_CAP_FIRST : offset;
    if (first == 0) {
        offset = PCIE_EXT_CAP_FIRST;
    } else {
        header |= first & PCIE_EXT_CAP_NEXT;
        put(function, PCIE_EXT_CAP_FIRST, (first & ~PCIE_EXT_CAP_NEXT) | (uint32_t)offset << 20, 4);
    }
    put(function, offset, header, 4);
    fill(function, input, offset + 4, PCIE_CONFIG_BYTES);
}

static void set_bar(struct space_function *function, struct fuzz_input *input)
{
    unsigned index = fuzz_byte(input) % 6;
    uint32_t value = (uint32_t)fuzz_byte(input) << 24;
    uint32_t type = fuzz_byte(input) & PCI_BAR_MEMORY_FLAGS;
    uint8_t lowest = fuzz_byte(input);

    put(function, PCI_BAR0 + 4 * index, value | type, 4);
    function->bar_mask[index] = lowest < 32 ? UINT32_MAX << lowest : 0;
}

static void answer_everywhere(struct space *space, const struct space_function *function)
{
    uint8_t number = (uint8_t)(function - space->functions + 1);
    const uint8_t *found = memchr(space->index, number, sizeof space->index);
    size_t place = (size_t)(found - space->index);

    for (size_t device = 0; device < 32; device++) {
        uint8_t *index = &space->index[(place & 0xff07) | device << 3];

        *index = *index == 0 ? number : *index;
    }
}

static void change(struct space *space, struct space_function *function, struct fuzz_input *input,
                   enum space_order order)
{
    size_t offset;

    switch (order) {
    case SPACE_CAP:
        add_cap(function, input);
        break;
    case SPACE_PCIE:
        add_pcie(function, input);
        break;
    case SPACE_EXT_CAP:
        add_ext_cap(function, input);
        break;
    case SPACE_POKE:
        offset = fuzz_word(input) % PCIE_CONFIG_BYTES;
        fill(function, input, offset, PCIE_CONFIG_BYTES);
        break;
    case SPACE_BAR:
        set_bar(function, input);
        break;
    case SPACE_EVERYWHERE:
        answer_everywhere(space, function);
        break;
    case SPACE_FUNCTION:
    case SPACE_BRIDGE:
    case SPACE_ORDERS:
    default:
        break;
    }
}

void space_build(struct space *space, const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct space_function *function = NULL;

    space->count = 0;
    space->reads = space->writes = 0;
    space->read_only = false;
    memset(space->index, 0, sizeof space->index);
    space->flags = fuzz_byte(&input);
    space->start_bus = fuzz_byte(&input);
    space->end_bus = fuzz_byte(&input);
    space->gone_at_write = fuzz_byte(&input);
    space->choice = fuzz_byte(&input);
    for (size_t i = 0; i < SPACE_CHANGES && (space->flags & SPACE_CHANGING) != 0; i++)
        space->changes[i] = fuzz_byte(&input);
    while (input.left > 0) {
        enum space_order order = (enum space_order)(fuzz_byte(&input) % SPACE_ORDERS);

        if (order == SPACE_FUNCTION || order == SPACE_BRIDGE)
            function = add(space, &input, order == SPACE_BRIDGE);
        else if (function != NULL)
            change(space, function, &input, order);
    }
}

static struct space_function *find(struct space *space, struct pci_address address)
{
    size_t place = (size_t)address.bus << 8 | (size_t)address.device << 3 | address.function;

    REQUIRE(address.device < 32 && address.function < 8);
    return space->index[place] == 0 ? NULL : &space->functions[space->index[place] - 1];
}

static bool is_gone(const struct space *space)
{
    return space->gone_at_write != 255 && space->writes > space->gone_at_write;
}

static uint32_t reach(const struct space *space)
{
    return (space->flags & SPACE_SHORT) != 0 ? PCI_CONFIG_BYTES : PCIE_CONFIG_BYTES;
}

static uint32_t changed(const struct space *space, uint32_t value)
{
    uint8_t how = space->changes[space->reads % SPACE_CHANGES];

    switch (how) {
    case 1:
        return UINT32_MAX;
    case 2:
        return 0;
    default:
        return value ^ (uint32_t)how << 8 * (space->reads % 4);
    }
}

static uint32_t space_read(const struct pci_config *config, struct pci_address address,
                           uint16_t offset)
{
    struct space *space = config->context;
    const struct space_function *function = find(space, address);
    uint32_t value = UINT32_MAX;

    REQUIRE(offset % 4 == 0 && offset < reach(space));
    space->reads++;
    if (is_gone(space))
        return UINT32_MAX;
    if (function != NULL)
        value = base_le32(function->data + offset);
    if ((space->flags & SPACE_CHANGING) != 0 &&
        (function != NULL || (space->flags & SPACE_GHOSTS) != 0))
        value = changed(space, value);
    return value;
}

static void space_write(const struct pci_config *config, struct pci_address address,
                        uint16_t offset, uint32_t value)
{
    struct space *space = config->context;
    struct space_function *function = find(space, address);
    uint32_t mask = 0xffff, old;

    REQUIRE(!space->read_only);
    REQUIRE(offset == PCI_COMMAND ||
            (offset % 4 == 0 && offset >= PCI_BAR0 && offset < PCI_BAR0 + 24));
    REQUIRE(offset != PCI_COMMAND || value >> 16 == 0);
    space->writes++;
    if (function == NULL || is_gone(space) || (space->flags & SPACE_STUCK) != 0)
        return;
    if (offset != PCI_COMMAND)
        mask = function->bar_mask[(offset - PCI_BAR0) / 4];
    old = base_le32(function->data + offset);
    put(function, offset, (old & ~mask) | (value & mask), 4);
}

static uint16_t space_reach(const struct pci_config *config, uint16_t segment, uint8_t bus)
{
    (void)segment;
    (void)bus;
    return (uint16_t)reach(config->context);
}

struct pci_config space_config(struct space *space)
{
    static const struct pci_config_ops ops = {space_read, space_write, space_reach};

    return (struct pci_config){.ops = &ops, .context = space};
}

bool space_is_steady(const struct space *space)
{
    return (space->flags & (SPACE_CHANGING | SPACE_STUCK)) == 0 && space->gone_at_write == 255;
}
