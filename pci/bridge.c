/* Reading the windows of a PCI-to-PCI bridge. */
#include "pci/bridge.h"

#include "pci/config.h"
#include "pci/regs.h"

/* The registers of one window; the upper halves are looked at in wide windows only. */
struct registers {
    uint32_t base;
    uint32_t limit;
    uint32_t base_upper;
    uint32_t limit_upper;
};

/*
 * I/O and memory have the same form in two sizes: the register's upper bits become address bits
 * `shift` further up (8: I/O, 16: memory), and a narrow window has 2 * shift address bits.
 */
static struct pci_window decode(struct registers registers, unsigned shift)
{
    uint32_t type = registers.base & PCI_WINDOW_TYPE;
    struct pci_window window = {0};

    if (type > PCI_WINDOW_WIDE || type != (registers.limit & PCI_WINDOW_TYPE))
        return window;
    window.base = (uint64_t)(registers.base - type) << shift;
    /* What lies below the register's bits is all ones in a limit. */
    window.limit = ((uint64_t)(registers.limit - type) << shift) + (BIT32(shift + 4) - 1);
    window.address_bits = (uint8_t)(2 * shift);
    if (type == PCI_WINDOW_WIDE) {
        window.base |= (uint64_t)registers.base_upper << 2 * shift;
        window.limit |= (uint64_t)registers.limit_upper << 2 * shift;
        window.address_bits = (uint8_t)(4 * shift);
    }
    window.open = window.base <= window.limit;
    return window;
}

static struct pci_window read_io(const struct pci_config *config, struct pci_address at)
{
    uint32_t narrow = pci_config_read16(config, at, PCI_IO_BASE);
    struct registers registers = {.base = narrow & 0xffu, .limit = narrow >> 8};

    if (narrow == 0)
        return (struct pci_window){0};
    if ((narrow & PCI_WINDOW_TYPE) == PCI_WINDOW_WIDE) {
        uint32_t upper = pci_config_read32(config, at, PCI_IO_UPPER);

        registers.base_upper = upper & 0xffffu;
        registers.limit_upper = upper >> 16;
    }
    return decode(registers, 8);
}

static struct pci_window read_prefetchable(const struct pci_config *config, struct pci_address at)
{
    uint32_t narrow = pci_config_read32(config, at, PCI_PREF_BASE);
    struct registers registers = {.base = narrow & 0xffffu, .limit = narrow >> 16};

    if (narrow == 0)
        return (struct pci_window){0};
    if ((narrow & PCI_WINDOW_TYPE) == PCI_WINDOW_WIDE) {
        registers.base_upper = pci_config_read32(config, at, PCI_PREF_BASE_UPPER);
        registers.limit_upper = pci_config_read32(config, at, PCI_PREF_LIMIT_UPPER);
    }
    return decode(registers, 16);
}

enum status pci_bridge_read(const struct pci_config *config, const struct pci_device *device,
                            struct pci_bridge *ret_bridge)
{
    struct pci_bridge bridge = {0};
    uint32_t memory;

    if (device->header_type != PCI_HEADER_TYPE_BRIDGE)
        return STATUS_UNSUPPORTED;
    bridge.io = read_io(config, device->address);
    bridge.prefetchable = read_prefetchable(config, device->address);
    /* Last, because of the zeros in it: all ones say that the function went away before now. */
    memory = pci_config_read32(config, device->address, PCI_MEMORY_BASE);
    if (memory == UINT32_MAX)
        return STATUS_GONE;
    if ((memory & PCI_WINDOW_TYPE) == 0)
        bridge.memory =
            decode((struct registers){.base = memory & 0xffffu, .limit = memory >> 16}, 16);
    *ret_bridge = bridge;
    return STATUS_OK;
}
