/* One line for a PCI function. */
#include "report/tree.h"

#include "base/bits.h"
#include "pci/regs.h"
#include "report/path.h"

#define COLUMNS   79
#define DEPTH_MAX 10 /* deeper ones are not indented further */
#define ANY       0xff

/* The first row that fits; more special ones stand before. */
static const struct {
    uint8_t base;
    uint8_t sub;
    uint8_t prog_if;
    const char *name;
} classes[] = {
    {0x01, 0x00, ANY, "SCSI"},
    {0x01, 0x01, ANY, "IDE"},
    {0x01, 0x04, ANY, "RAID"},
    {0x01, 0x05, ANY, "ATA"},
    {0x01, 0x06, 0x01, "SATA AHCI"},
    {0x01, 0x06, ANY, "SATA"},
    {0x01, 0x07, ANY, "SAS"},
    {0x01, 0x08, 0x02, "NVMe"},
    {0x01, 0x08, ANY, "non-volatile memory"},
    {0x01, ANY, ANY, "storage"},
    {0x02, 0x00, ANY, "Ethernet"},
    {0x02, ANY, ANY, "network"},
    {0x03, ANY, ANY, "display"},
    {0x04, 0x03, ANY, "audio"},
    {0x04, ANY, ANY, "multimedia"},
    {0x05, ANY, ANY, "memory"},
    {0x06, 0x00, ANY, "host bridge"},
    {0x06, 0x01, ANY, "ISA bridge"},
    {0x06, 0x04, ANY, "PCI bridge"},
    {0x06, 0x07, ANY, "CardBus bridge"},
    {0x06, ANY, ANY, "bridge"},
    {0x07, 0x00, ANY, "serial port"},
    {0x07, ANY, ANY, "communication"},
    {0x08, 0x05, ANY, "SD host"},
    {0x08, 0x06, ANY, "IOMMU"},
    {0x08, ANY, ANY, "system device"},
    {0x09, ANY, ANY, "input device"},
    {0x0c, 0x00, ANY, "FireWire"},
    {0x0c, 0x03, 0x00, "USB UHCI"},
    {0x0c, 0x03, 0x10, "USB OHCI"},
    {0x0c, 0x03, 0x20, "USB EHCI"},
    {0x0c, 0x03, 0x30, "USB xHCI"},
    {0x0c, 0x03, 0x40, "USB4"},
    {0x0c, 0x03, ANY, "USB"},
    {0x0c, 0x05, ANY, "SMBus"},
    {0x0c, ANY, ANY, "serial bus"},
    {0x0d, ANY, ANY, "wireless"},
    {0x10, ANY, ANY, "encryption"},
    {0x11, ANY, ANY, "signal processing"},
    {0x12, ANY, ANY, "accelerator"},
};

void report_class(struct text *text, uint8_t base, uint8_t sub, uint8_t prog_if)
{
    for (size_t i = 0; i < COUNT_OF(classes); i++)
        if (classes[i].base == base && (classes[i].sub == ANY || classes[i].sub == sub) &&
            (classes[i].prog_if == ANY || classes[i].prog_if == prog_if)) {
            text_string(text, classes[i].name);
            return;
        }
    text_printf(text, "class %02x%02x", base, sub);
}

/* What it is; of a bridge with the capability its port type says more than its class. */
static void show_kind(struct text *text, const struct pci_device *device, const struct pci_end *end)
{
    bool bridge = device->header_type != PCI_HEADER_TYPE_NORMAL;

    if (bridge && end->has_pcie)
        text_string(text, path_port_name(end));
    else
        report_class(text, device->class_base, device->class_sub, device->prog_if);
    if (bridge)
        text_printf(text, " to %02x-%02x", device->secondary_bus, device->subordinate_bus);
    if (!end->answers)
        text_string(text, ", does not answer");
}

static void show_link(struct text *text, const struct pci_end *end)
{
    if (!end->has_link)
        return;
    if (end->speed == 0 || end->width == 0)
        text_string(text, ", no link");
    else
        text_printf(text, ", %s GT/s x%u", path_speed(end->speed), end->width);
    if (end->speed_max > end->speed || end->width_max > end->width)
        text_printf(text, " of %s x%u", path_speed(end->speed_max), end->width_max);
}

void report_tree_function(struct text *text, const struct pci_device *device, unsigned depth,
                          const struct pci_end *end)
{
    char address[PATH_ADDRESS_BYTES];
    char buffer[160];
    struct text line;

    path_address(&device->address, address);
    text_init(&line, buffer, sizeof buffer);
    for (unsigned i = 0; i < depth && i < DEPTH_MAX; i++)
        text_string(&line, "  ");
    text_printf(&line, "%s %04x:%04x ", address, device->vendor_id, device->device_id);
    show_kind(&line, device, end);
    show_link(&line, end);
    text_printf(text, "%.*s\n", COLUMNS, buffer);
}
