/* Windows and capabilities of a function, as lists that are broken between their pieces. */
#include "report/detail.h"

#include "base/bits.h"
#include "pci/regs.h"

#define COLUMNS 79

/* As the tree indents, and one step more than what is below the function. */
#define INDENT 2

/* A window with two addresses of 16 digits; names of capabilities are shorter. */
#define PIECE_COLUMNS 46
#define INDENT_MAX    (COLUMNS - PIECE_COLUMNS - 1)

/* PCI Code and ID Assignment Specification 1.11, sections 2 and 3; by id. */
static const char *const cap_names[] = {
    [0x01] = "power management",
    [0x02] = "AGP",
    [0x03] = "vital product data",
    [0x04] = "slot identification",
    [0x05] = "MSI",
    [0x06] = "CompactPCI hot swap",
    [0x07] = "PCI-X",
    [0x08] = "HyperTransport",
    [0x09] = "vendor-specific",
    [0x0a] = "debug port",
    [0x0b] = "CompactPCI control",
    [0x0c] = "hot-plug",
    [0x0d] = "bridge subsystem",
    [0x0e] = "AGP 8x",
    [0x0f] = "secure device",
    [0x10] = "PCI Express",
    [0x11] = "MSI-X",
    [0x12] = "SATA index and data",
    [0x13] = "advanced features",
    [0x14] = "enhanced allocation",
    [0x15] = "flattening portal bridge",
};

static const char *const ext_cap_names[] = {
    [0x0001] = "AER",
    [0x0002] = "virtual channels",
    [0x0003] = "serial number",
    [0x0004] = "power budgeting",
    [0x0005] = "root complex links",
    [0x0006] = "root complex internal link",
    [0x0007] = "event collector endpoints",
    [0x0008] = "multi-function virtual channels",
    [0x0009] = "virtual channels",
    [0x000a] = "RCRB header",
    [0x000b] = "vendor-specific",
    [0x000d] = "ACS",
    [0x000e] = "ARI",
    [0x000f] = "ATS",
    [0x0010] = "SR-IOV",
    [0x0011] = "MR-IOV",
    [0x0012] = "multicast",
    [0x0013] = "page requests",
    [0x0015] = "resizable BAR",
    [0x0016] = "dynamic power allocation",
    [0x0017] = "TPH",
    [0x0018] = "LTR",
    [0x0019] = "secondary PCI Express",
    [0x001a] = "protocol multiplexing",
    [0x001b] = "PASID",
    [0x001c] = "LN requester",
    [0x001d] = "DPC",
    [0x001e] = "L1 substates",
    [0x001f] = "PTM",
    [0x0020] = "M-PCIe",
    [0x0021] = "FRS queueing",
    [0x0022] = "readiness time",
    [0x0023] = "designated vendor-specific",
    [0x0024] = "VF resizable BAR",
    [0x0025] = "data link feature",
    [0x0026] = "16 GT/s",
    [0x0027] = "lane margining",
    [0x0028] = "hierarchy id",
    [0x0029] = "NPEM",
    [0x002a] = "32 GT/s",
    [0x002b] = "alternate protocol",
    [0x002c] = "SFI",
};

struct list {
    struct text *text;
    size_t indent;
    size_t column; /* 0: no piece yet */
};

static void add(struct list *list, const struct text *piece)
{
    /* Behind it there may be a comma. */
    bool fits = list->column + 2 + piece->length + 1 <= COLUMNS;

    if (list->column > 0) {
        text_string(list->text, fits ? ", " : ",\n");
        list->column += 2;
    }
    if (list->column == 0 || !fits) {
        text_column(list->text, list->indent);
        list->column = list->indent;
    }
    text_string(list->text, piece->buffer);
    list->column += piece->length;
}

static void end(struct list *list)
{
    if (list->column > 0)
        text_char(list->text, '\n');
    list->column = 0;
}

static void add_window(struct list *list, const char *name, const struct pci_window *window)
{
    /* As many digits as the narrow form of the window has. */
    int digits = window->address_bits == 16 ? 4 : 8;
    char buffer[PIECE_COLUMNS + 1];
    struct text piece;

    text_init(&piece, buffer, sizeof buffer);
    text_string(&piece, name);
    if (window->address_bits == 0)
        text_string(&piece, " none");
    else if (!window->open)
        text_string(&piece, " closed");
    else
        text_printf(&piece, " %0*llx-%0*llx", digits, (unsigned long long)window->base, digits,
                    (unsigned long long)window->limit);
    add(list, &piece);
}

static const char *cap_name(const struct pci_cap *cap)
{
    if (cap->offset >= PCIE_EXT_CAP_FIRST)
        return cap->id < COUNT_OF(ext_cap_names) ? ext_cap_names[cap->id] : NULL;
    return cap->id < COUNT_OF(cap_names) ? cap_names[cap->id] : NULL;
}

static void add_cap(struct list *list, const struct pci_cap *cap)
{
    const char *name = cap_name(cap);
    char buffer[PIECE_COLUMNS + 1];
    struct text piece;

    text_init(&piece, buffer, sizeof buffer);
    text_printf(&piece, "[%02x] ", cap->offset);
    if (name != NULL)
        text_string(&piece, name);
    else
        text_printf(&piece, "id %0*x", cap->offset >= PCIE_EXT_CAP_FIRST ? 4 : 2, cap->id);
    add(list, &piece);
}

void report_detail(struct text *text, unsigned depth, const struct pci_bridge *bridge,
                   const struct pci_cap *caps, uint32_t count)
{
    size_t indent = depth < INDENT_MAX / INDENT ? ((size_t)depth + 2) * INDENT : INDENT_MAX;
    struct list list = {.text = text, .indent = indent < INDENT_MAX ? indent : INDENT_MAX};

    if (bridge != NULL) {
        add_window(&list, "I/O", &bridge->io);
        add_window(&list, "memory", &bridge->memory);
        add_window(&list, "prefetchable", &bridge->prefetchable);
        end(&list);
    }
    for (uint32_t i = 0; i < count; i++)
        add_cap(&list, &caps[i]);
    end(&list);
}
