/* Base address registers: what a memory BAR decodes, and how much of it. */
#include "pci/bar.h"

#include "pci/regs.h"

#include <stdbool.h>
#include <stddef.h>

#define BAR_COUNT 6

/* A memory BAR as it stands in the header. */
struct bar {
    uint16_t offset;
    bool wide; /* 64 bits: a second register follows */
    uint32_t low;
    uint32_t high;
};

static uint16_t bar_offset(unsigned index)
{
    return (uint16_t)(PCI_BAR0 + 4 * index);
}

static bool is_wide(uint32_t low)
{
    return (low & PCI_BAR_IO) == 0 && base_field(low, PCI_BAR_TYPE) == PCI_BAR_TYPE_64;
}

/* Whether register `index` is the upper half of a 64-bit BAR that starts below it. */
static bool is_upper_half(const struct pci_config *config, struct pci_address address,
                          unsigned index)
{
    unsigned i = 0;

    while (i < index)
        i += is_wide(pci_config_read32(config, address, bar_offset(i))) ? 2 : 1;
    return i != index;
}

/* Failures as those of pci_bar_size. */
static enum status read_bar(const struct pci_config *config, struct pci_address address,
                            unsigned index, struct bar *ret_bar)
{
    struct bar bar = {.offset = bar_offset(index)};

    if (is_upper_half(config, address, index))
        return STATUS_INVALID;
    bar.low = pci_config_read32(config, address, bar.offset);
    if ((bar.low & PCI_BAR_IO) != 0)
        return STATUS_NOT_FOUND;
    bar.wide = is_wide(bar.low);
    if (!bar.wide && base_field(bar.low, PCI_BAR_TYPE) != PCI_BAR_TYPE_32)
        return STATUS_INVALID;
    if (bar.wide && index + 1 >= BAR_COUNT)
        return STATUS_INVALID;
    if (bar.wide)
        bar.high = pci_config_read32(config, address, bar_offset(index + 1));
    if ((bar.low & ~PCI_BAR_MEMORY_FLAGS) == 0 && bar.high == 0)
        return STATUS_NOT_FOUND;
    *ret_bar = bar;
    return STATUS_OK;
}

/* The bits of a register that can be set; `old` is what it holds and is given back. */
static uint32_t writable_bits(const struct pci_config *config, struct pci_address address,
                              uint16_t offset, uint32_t old)
{
    uint32_t bits;

    pci_config_write32(config, address, offset, UINT32_MAX);
    bits = pci_config_read32(config, address, offset);
    pci_config_write32(config, address, offset, old);
    return bits;
}

/*
 * Address bits that the BAR implements; 0: none. Memory decode is off meanwhile, or the function
 * would claim the addresses that the all-ones value means. The status half of the command dword is
 * written as zero: its bits are cleared by writing ones (PCI 3.0, section 6.2.3).
 */
static uint64_t address_bits(const struct pci_config *config, struct pci_address address,
                             const struct bar *bar)
{
    uint32_t command = pci_config_read32(config, address, PCI_COMMAND) & 0xffffu;
    uint64_t high = UINT32_MAX;
    uint64_t low;

    /* Gone: all ones are not a value to write back. */
    if (command == 0xffff)
        return 0;
    pci_config_write32(config, address, PCI_COMMAND, command & ~PCI_COMMAND_MEMORY);
    low = writable_bits(config, address, bar->offset, bar->low) & ~PCI_BAR_MEMORY_FLAGS;
    if (bar->wide)
        high = writable_bits(config, address, (uint16_t)(bar->offset + 4), bar->high);
    pci_config_write32(config, address, PCI_COMMAND, command);
    return high << 32 | low;
}

/* Implemented bits and assigned address to a window. */
static enum status decode(uint64_t bits, uint64_t base, struct hw_window *ret_window)
{
    uint64_t bytes = bits & (~bits + 1);
    uint64_t above = bits + bytes;

    if (bits == 0)
        return STATUS_NOT_FOUND;
    /* The implemented bits are one run: adding the lowest of them carries through all others. */
    if ((above & (above - 1)) != 0)
        return STATUS_INVALID;
    if ((base & ~bits) != 0)
        return STATUS_INVALID;
    *ret_window = (struct hw_window){.base = base, .bytes = bytes};
    return STATUS_OK;
}

enum status pci_bar_size(const struct pci_config *config, const struct pci_device *device,
                         unsigned index, struct hw_window *ret_window)
{
    struct pci_address address = device->address;
    struct hw_window window;
    enum status status;
    struct bar bar;
    uint64_t bits;

    if (index >= BAR_COUNT || device->header_type != PCI_HEADER_TYPE_NORMAL)
        return STATUS_INVALID;
    if (pci_config_read32(config, address, PCI_VENDOR_ID) == UINT32_MAX)
        return STATUS_GONE;
    status = read_bar(config, address, index, &bar);
    if (status != STATUS_OK)
        return status;
    bits = address_bits(config, address, &bar);
    status = decode(bits, (uint64_t)bar.high << 32 | (bar.low & ~PCI_BAR_MEMORY_FLAGS), &window);
    /* A function that fell off the bus meanwhile has answered all ones to everything. */
    if (pci_config_read32(config, address, PCI_VENDOR_ID) == UINT32_MAX)
        return STATUS_GONE;
    if (pci_config_read32(config, address, bar.offset) != bar.low)
        return STATUS_DEVICE;
    if (status == STATUS_OK)
        *ret_window = window;
    return status;
}
