/* The tree of PCI functions: its order, and the line of one function. */
#include "report/tree.h"

#include "base/bits.h"
#include "pci/regs.h"
#include "report/path.h"
#include "report/result.h"

#include <stdbool.h>

#define COLUMNS (REPORT_TREE_LINE_BYTES - 1)
#define INDENT  2

/* More than any function needs, whatever its registers say. */
#define PIECES_BYTES 160

/* How much is left out of a line that is too long. */
enum brevity {
    BREVITY_NONE,
    BREVITY_NO_SWITCH, /* the word */
    BREVITY_NO_BUS,    /* likewise */
    BREVITY_NO_REVISION,
};

static bool is_bridge(const struct pci_device *device)
{
    return device->header_type == PCI_HEADER_TYPE_BRIDGE ||
           device->header_type == PCI_HEADER_TYPE_CARDBUS;
}

static int32_t next_below(const struct pci_device *devices, uint32_t count, int32_t parent,
                          int32_t after)
{
    for (uint32_t i = (uint32_t)(after + 1); i < count; i++)
        if (devices[i].parent == parent)
            return (int32_t)i;
    return PCI_NO_PARENT;
}

int32_t report_tree_next(const struct pci_device *devices, uint32_t count, int32_t index,
                         unsigned *depth)
{
    int32_t next;

    if (index == PCI_NO_PARENT) {
        *depth = 0;
        return next_below(devices, count, PCI_NO_PARENT, PCI_NO_PARENT);
    }
    if (is_bridge(&devices[index])) {
        next = next_below(devices, count, index, index);
        if (next != PCI_NO_PARENT) {
            ++*depth;
            return next;
        }
    }
    /* Ends: what can be reached stands behind its parent. */
    while (index != PCI_NO_PARENT) {
        next = next_below(devices, count, devices[index].parent, index);
        if (next != PCI_NO_PARENT)
            return next;
        index = devices[index].parent;
        *depth -= *depth > 0;
    }
    return PCI_NO_PARENT;
}

/* Class codes: base class, sub-class, programming interface, as far as an entry looks at them. */
struct class_name {
    uint32_t code;
    uint32_t mask;
    const char *name;
};

#define INTERFACE(code) (code), 0xffffff
#define SUB(code)       (code) << 8, 0xffff00
#define BASE(code)      (code) << 16, 0xff0000

/* PCI Code and ID Assignment Specification 1.11, section 1. The first that fits counts. */
static const struct class_name class_names[] = {
    {SUB(0x0001), "VGA"},
    {SUB(0x0100), "SCSI"},
    {SUB(0x0101), "IDE"},
    {SUB(0x0102), "floppy"},
    {SUB(0x0104), "RAID"},
    {SUB(0x0105), "ATA"},
    {INTERFACE(0x010601), "SATA AHCI"},
    {SUB(0x0106), "SATA"},
    {SUB(0x0107), "SAS"},
    {INTERFACE(0x010802), "NVMe"},
    {SUB(0x0108), "flash storage"},
    {SUB(0x0109), "UFS"},
    {BASE(0x01), "storage"},
    {SUB(0x0200), "Ethernet"},
    {SUB(0x0207), "InfiniBand"},
    {BASE(0x02), "network"},
    {SUB(0x0300), "VGA"},
    {SUB(0x0302), "3D"},
    {BASE(0x03), "display"},
    {SUB(0x0400), "video"},
    {SUB(0x0401), "audio"},
    {SUB(0x0403), "HD audio"},
    {BASE(0x04), "multimedia"},
    {BASE(0x05), "memory"},
    {SUB(0x0600), "host bridge"},
    {SUB(0x0601), "ISA bridge"},
    {SUB(0x0602), "EISA bridge"},
    {SUB(0x0604), "PCI bridge"},
    {SUB(0x0605), "PCMCIA bridge"},
    {SUB(0x0607), "CardBus bridge"},
    {SUB(0x0609), "PCI bridge"},
    {BASE(0x06), "bridge"},
    {SUB(0x0700), "serial port"},
    {SUB(0x0701), "parallel port"},
    {SUB(0x0703), "modem"},
    {BASE(0x07), "communication"},
    {SUB(0x0800), "interrupts"},
    {SUB(0x0801), "DMA"},
    {SUB(0x0802), "timer"},
    {SUB(0x0803), "clock"},
    {SUB(0x0805), "SD host"},
    {SUB(0x0806), "IOMMU"},
    {SUB(0x0807), "event collector"},
    {BASE(0x08), "system"},
    {BASE(0x09), "input"},
    {BASE(0x0a), "docking station"},
    {SUB(0x0b40), "co-processor"},
    {BASE(0x0b), "processor"},
    {SUB(0x0c00), "FireWire"},
    {INTERFACE(0x0c0300), "USB UHCI"},
    {INTERFACE(0x0c0310), "USB OHCI"},
    {INTERFACE(0x0c0320), "USB EHCI"},
    {INTERFACE(0x0c0330), "USB xHCI"},
    {INTERFACE(0x0c0340), "USB4"},
    {SUB(0x0c03), "USB"},
    {SUB(0x0c04), "Fibre Channel"},
    {SUB(0x0c05), "SMBus"},
    {SUB(0x0c07), "IPMI"},
    {BASE(0x0c), "serial bus"},
    {BASE(0x0d), "wireless"},
    {BASE(0x0e), "I2O"},
    {BASE(0x0f), "satellite"},
    {BASE(0x10), "encryption"},
    {BASE(0x11), "signal processing"},
    {BASE(0x12), "accelerator"},
    {BASE(0x13), "instrumentation"},
};

void report_class(struct text *text, uint8_t base, uint8_t sub, uint8_t prog_if)
{
    uint32_t code = (uint32_t)base << 16 | (uint32_t)sub << 8 | prog_if;

    for (size_t i = 0; i < COUNT_OF(class_names); i++) {
        if ((code & class_names[i].mask) == class_names[i].code) {
            text_string(text, class_names[i].name);
            return;
        }
    }
    text_printf(text, "class %04x", (unsigned)(code >> 8));
}

/* What a bridge is to PCI Express; NULL: its class says. */
static const char *port_name(const struct pci_device *device, const struct pci_end *end,
                             enum brevity brevity)
{
    if (!is_bridge(device) || !end->has_pcie)
        return NULL;
    switch (end->port_type) {
    case PCIE_TYPE_UPSTREAM:
        return brevity < BREVITY_NO_SWITCH ? path_port_name(end) : "upstream port";
    case PCIE_TYPE_DOWNSTREAM:
        return brevity < BREVITY_NO_SWITCH ? path_port_name(end) : "downstream port";
    case PCIE_TYPE_ROOT_PORT:
    case PCIE_TYPE_PCIE_TO_PCI:
    case PCIE_TYPE_PCI_TO_PCIE:
        return path_port_name(end);
    default:
        return NULL;
    }
}

static void write_buses(struct text *text, const struct pci_device *device, enum brevity brevity)
{
    if (!is_bridge(device))
        return;
    /* As the firmware leaves a bridge that it did not number. */
    if (device->secondary_bus == 0 && device->subordinate_bus == 0) {
        text_string(text, " -> no bus");
        return;
    }
    text_string(text, brevity < BREVITY_NO_BUS ? " -> bus " : " -> ");
    text_printf(text, "%02x", device->secondary_bus);
    if (device->subordinate_bus != device->secondary_bus)
        text_printf(text, "-%02x", device->subordinate_bus);
}

static void write_link(struct text *text, const struct pci_end *end)
{
    if (!end->answers) {
        text_string(text, ", no longer answers");
        return;
    }
    if (!end->has_link)
        return;
    if (end->width == 0) {
        text_string(text, ", PCIe ?");
        if (end->width_max != 0)
            text_printf(text, " of %s GT/s x%u", path_speed(end->speed_max), end->width_max);
        return;
    }
    text_printf(text, ", PCIe %s", path_speed(end->speed));
    if (end->speed_max != 0 && end->speed_max != end->speed)
        text_printf(text, " of %s", path_speed(end->speed_max));
    text_printf(text, " GT/s x%u", end->width);
    if (end->width_max != 0 && end->width_max != end->width)
        text_printf(text, " of x%u", end->width_max);
}

static void write_pieces(struct text *text, const struct pci_device *device,
                         const struct pci_end *end, enum brevity brevity)
{
    const char *port = port_name(device, end, brevity);
    char address[RESULT_ADDRESS_BYTES];

    result_address(&device->address, address);
    text_printf(text, "%s %04x:%04x ", address, device->vendor_id, device->device_id);
    if (brevity < BREVITY_NO_REVISION)
        text_printf(text, "rev %02x ", device->revision);
    if (port != NULL)
        text_string(text, port);
    else
        report_class(text, device->class_base, device->class_sub, device->prog_if);
    write_buses(text, device, brevity);
    write_link(text, end);
}

void report_tree_function(struct text *text, const struct pci_device *device, unsigned depth,
                          const struct pci_end *end)
{
    size_t indent = depth < COLUMNS / INDENT ? (size_t)depth * INDENT : COLUMNS;
    char pieces[PIECES_BYTES];
    struct text line;

    for (unsigned brevity = BREVITY_NONE; brevity <= BREVITY_NO_REVISION; brevity++) {
        text_init(&line, pieces, sizeof pieces);
        write_pieces(&line, device, end, (enum brevity)brevity);
        if (indent + line.length <= COLUMNS)
            break;
    }
    if (line.length > COLUMNS) {
        line.length = COLUMNS;
        pieces[COLUMNS] = '\0';
    }
    if (indent + line.length > COLUMNS)
        indent = COLUMNS - line.length;
    while (indent-- > 0)
        text_char(text, ' ');
    text_string(text, pieces);
    text_char(text, '\n');
}
