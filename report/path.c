/* Words for hops, and the drawn chain. */
#include "report/path.h"

#include "base/bits.h"
#include "base/math.h"
#include "pci/finding.h"
#include "pci/regs.h"

/* Columns at which the figures of a line end. */
#define COLUMN_RAW     56
#define COLUMN_CEILING 63
#define COLUMN_LAST    70
#define COLUMN_WORDS   (COLUMN_RAW - 6) /* where the words end at the latest */

const char *path_speed(unsigned speed)
{
    static const char *const speeds[] = {"?", "2.5", "5", "8", "16", "32", "64"};

    return speeds[speed < COUNT_OF(speeds) ? speed : 0];
}

const char *path_kind_name(enum pci_hop_kind kind)
{
    switch (kind) {
    case PCI_HOP_INTERNAL:
        return "internal";
    case PCI_HOP_LINK:
        return "link";
    case PCI_HOP_BUS:
        return "bus";
    case PCI_HOP_UPLINK:
        return "uplink";
    case PCI_HOP_UNKNOWN:
        break;
    }
    return "unknown";
}

const char *path_uplink_name(enum pci_uplink uplink)
{
    switch (uplink) {
    case PCI_UPLINK_DMI:
        return "DMI";
    case PCI_UPLINK_A_LINK:
        return "A-Link";
    case PCI_UPLINK_UMI:
        return "UMI";
    case PCI_UPLINK_NONE:
        break;
    }
    return "";
}

const char *path_bus_mode_name(enum pci_bus_mode mode)
{
    switch (mode) {
    case PCI_BUS_PCIX:
        return "PCI-X";
    case PCI_BUS_PCIX_ECC:
        return "PCI-X ECC";
    case PCI_BUS_PCIX_266:
        return "PCI-X 266";
    case PCI_BUS_PCIX_533:
        return "PCI-X 533";
    case PCI_BUS_CONVENTIONAL:
        break;
    }
    return "PCI";
}

const char *path_port_name(const struct pci_end *end)
{
    if (!end->has_pcie)
        return "";
    switch (end->port_type) {
    case PCIE_TYPE_ENDPOINT:
        return "endpoint";
    case PCIE_TYPE_LEGACY_ENDPOINT:
        return "legacy endpoint";
    case PCIE_TYPE_ROOT_PORT:
        return "root port";
    case PCIE_TYPE_UPSTREAM:
        return "switch upstream port";
    case PCIE_TYPE_DOWNSTREAM:
        return "switch downstream port";
    case PCIE_TYPE_PCIE_TO_PCI:
        return "PCIe-to-PCI bridge";
    case PCIE_TYPE_PCI_TO_PCIE:
        return "PCI-to-PCIe bridge";
    case PCIE_TYPE_INTEGRATED:
        return "integrated endpoint";
    case PCIE_TYPE_EVENT_COLLECTOR:
        return "event collector";
    default:
        return "port of an unknown type";
    }
}

void path_address(const struct pci_address *address, char ret_name[PATH_ADDRESS_BYTES])
{
    struct text text;

    text_init(&text, ret_name, PATH_ADDRESS_BYTES);
    if (address->segment != 0)
        text_printf(&text, "%04x:", address->segment);
    text_printf(&text, "%02x:%02x.%x", address->bus, address->device, address->function & 7u);
}

void path_hop_name(struct text *text, const struct pci_path *path, uint32_t hop)
{
    const struct pci_hop *named = &path->hops[hop];
    char above[PATH_ADDRESS_BYTES], below[PATH_ADDRESS_BYTES];

    path_address(&named->above.address, above);
    path_address(&named->below.address, below);
    if (named->kind == PCI_HOP_UPLINK)
        text_printf(text, "%s uplink of the chipset", path_uplink_name(named->uplink));
    else if (named->kind == PCI_HOP_BUS)
        text_printf(text, "%s bus %02x", path_bus_mode_name(named->bus.mode),
                    named->below.address.bus);
    else if (named->kind == PCI_HOP_INTERNAL || named->above.index == PCI_NO_PARENT)
        text_printf(text, "hop above %s", below);
    else
        text_printf(text, "PCIe link %s - %s", above, below);
}

/* Right-aligned up to `column`. */
static void number(struct text *text, uint64_t value, const char *unit, size_t column)
{
    char buffer[32];
    struct text figure;

    text_init(&figure, buffer, sizeof buffer);
    text_printf(&figure, "%llu%s", (unsigned long long)value, unit);
    text_column(text, column - figure.length);
    text_string(text, buffer);
}

static void finish(struct text *text, const struct path_figures *figures)
{
    if (figures->known) {
        number(text, base_mul_div_round(figures->raw, 1, 1000000), "", COLUMN_RAW);
        number(text, base_mul_div_round(figures->ceiling, 1, 1000000), "", COLUMN_CEILING);
    }
    if (figures->measured)
        number(text, base_mul_div_round(figures->permille, 1, 10), "%", COLUMN_LAST);
    else if (figures->known && figures->from_memory != 0)
        number(text, base_mul_div_round(figures->from_memory, 1, 1000000), "", COLUMN_LAST);
    if (figures->mark[0] != '\0')
        text_printf(text, " %.8s", figures->mark);
    text_char(text, '\n');
}

void path_heading(struct text *text, const char *title, bool measured)
{
    text_printf(text, "%.*s", COLUMN_RAW - 9, title);
    text_column(text, COLUMN_RAW - 8);
    text_printf(text, "MB/s raw %s\n", measured ? "usable   used" : " reads writes");
}

void path_end(struct text *text, const struct pci_end *end)
{
    char address[PATH_ADDRESS_BYTES];

    path_address(&end->address, address);
    text_printf(text, "  %s  %04x:%04x", address, end->vendor_id, end->device_id);
    if (!end->answers)
        text_string(text, "  does not answer");
    else if (end->hidden)
        text_string(text, "  capabilities not readable");
    else if (!end->has_pcie)
        text_string(text, "  no PCIe capability");
    else
        text_printf(text, "  %s", path_port_name(end));
    if (end->has_slot)
        text_printf(text, ", slot %u", end->slot_number);
    if (end->payload_bytes != 0)
        text_printf(text, ", payload %u", end->payload_bytes);
    text_char(text, '\n');
}

static void link_words(struct text *text, const char *name, const struct pci_hop *hop)
{
    text_printf(text, "%s %s GT/s x%u", name, path_speed(hop->speed), hop->width);
    if (hop->nominal)
        text_string(text, ", nominal");
    else if (hop->speed_max > hop->speed || hop->width_max > hop->width)
        text_printf(text, " of %s x%u", path_speed(hop->speed_max), hop->width_max);
}

/* Clocks of 33, 66, 100 and 133 MHz. */
static unsigned megahertz(const struct pci_bus *bus)
{
    return (unsigned)(bus->clock_thirds * 100u / 3);
}

static void bus_words(struct text *text, const struct pci_bus *bus)
{
    text_printf(text, "%s %u MHz%s, %u bit%s", path_bus_mode_name(bus->mode), megahertz(bus),
                bus->clock_known ? "" : "?", bus->width_bytes * 8u, bus->width_known ? "" : "?");
}

static void hop_words(struct text *text, const struct pci_path *path, uint32_t index)
{
    const struct pci_hop *hop = &path->hops[index];

    switch (hop->kind) {
    case PCI_HOP_INTERNAL:
        text_string(text, index == 0 ? "in the root complex" : "in the switch");
        break;
    case PCI_HOP_LINK:
        if (hop->speed == 0 || hop->width == 0)
            text_string(text, "PCIe, state not readable");
        else
            link_words(text, "PCIe", hop);
        break;
    case PCI_HOP_BUS:
        bus_words(text, &hop->bus);
        break;
    case PCI_HOP_UPLINK:
        link_words(text, path_uplink_name(hop->uplink), hop);
        break;
    case PCI_HOP_UNKNOWN:
    default:
        text_string(text, "unknown");
        break;
    }
    if (pci_finding_others(path, index) > 0)
        text_printf(text, ", shared with %u", pci_finding_others(path, index));
}

void path_hop(struct text *text, const struct pci_path *path, uint32_t hop,
              const struct path_figures *figures)
{
    char buffer[80];
    struct text words;

    text_init(&words, buffer, sizeof buffer);
    hop_words(&words, path, hop);
    path_line(text, buffer, figures);
}

void path_line(struct text *text, const char *words, const struct path_figures *figures)
{
    text_printf(text, "    |  %.*s", COLUMN_WORDS - 7, words);
    while (text->length > 0 && text->buffer[text->length - 1] == ' ')
        text->buffer[--text->length] = '\0';
    finish(text, figures);
}
