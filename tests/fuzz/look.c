/* The walk, and what is read of each function it finds. */
#include "tests/fuzz/look.h"

#include "pci/bridge.h"
#include "pci/cap_list.h"
#include "pci/ceiling.h"
#include "pci/finding.h"
#include "pci/path_read.h"
#include "pci/regs.h"
#include "report/detail.h"
#include "report/path_report.h"

#define COLUMNS 79

/* Reads at most, from the bounds of the loops. */
#define CAP_READS     (2 + (PCI_CONFIG_BYTES - PCI_HEADER_END) / 4)
#define BRIDGE_READS  6
#define EXT_CAP_READS ((PCIE_CONFIG_BYTES - PCIE_EXT_CAP_FIRST) / 4)
/* Error reporting is looked for, then the vendor's own capabilities and what each of them is. */
#define END_READS (12 + 3 * EXT_CAP_READS)
/* Of the walk: the id of every function of every bus, once more for functions 0 of a bus no bridge
 * leads to; for a function in the list its header, its capabilities, and its own as a bridge. */
#define SCAN_READS     (256 * 32 * 8 + 256 * 32)
#define DESCRIBE_READS (2 + 6 + 1 + CAP_READS + 4)

static uint32_t path_reads(const struct pci_tree *tree)
{
    /* A bus costs the capability of both ends, four registers, the status of all on it. */
    uint32_t bus = 2 * CAP_READS + 4 + tree->count;

    return (PCI_PATH_HOPS_MAX + 1) * END_READS + PCI_PATH_HOPS_MAX * bus;
}

static void check_parent(const struct pci_tree *tree, uint32_t index)
{
    const struct pci_device *device = &tree->devices[index];
    const struct pci_device *parent;

    if (device->parent == PCI_NO_PARENT)
        return;
    REQUIRE(device->parent >= 0 && (uint32_t)device->parent < index);
    parent = &tree->devices[device->parent];
    REQUIRE(parent->header_type == PCI_HEADER_TYPE_BRIDGE ||
            parent->header_type == PCI_HEADER_TYPE_CARDBUS);
    REQUIRE(device->address.bus > parent->address.bus);
    REQUIRE(device->address.bus >= parent->secondary_bus);
    REQUIRE(device->address.bus <= parent->subordinate_bus);
}

/* Each function once, within the range, below a bridge that stands before it. */
static void check_tree(const struct look *look, const struct pci_tree *tree)
{
    static uint8_t seen[1 << 16];

    REQUIRE(tree->count <= tree->capacity);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pci_device *device = &tree->devices[i];
        const struct pci_address *at = &device->address;
        size_t place = (size_t)at->bus << 8 | (size_t)at->device << 3 | at->function;

        REQUIRE(at->segment == look->segment && at->device < 32 && at->function < 8);
        REQUIRE(at->bus >= look->start_bus && at->bus <= look->end_bus);
        REQUIRE(seen[place]++ == 0);
        REQUIRE(device->vendor_id != 0xffff && device->vendor_id != 0x0001);
        REQUIRE(device->pcie_cap == 0 || device->pcie_cap >= PCI_HEADER_END);
        REQUIRE(device->pcie_cap % 4 == 0 && device->pcie_cap < PCI_CONFIG_BYTES);
        REQUIRE(pci_walk_find(tree, *at) == (int32_t)i);
        check_parent(tree, i);
    }
}

void look_walk(const struct look *look, struct pci_tree *tree)
{
    uint32_t before = *look->reads;
    enum status status;

    REQUIRE(tree->count == 0 && tree->oddities == 0);
    status = pci_walk_segment(look->config, look->segment, look->start_bus, look->end_bus, tree);
    REQUIRE(status == STATUS_OK || (status == STATUS_FULL && tree->count == tree->capacity));
    REQUIRE(*look->reads - before <= SCAN_READS + tree->count * DESCRIBE_READS);
    check_tree(look, tree);
}

static void check_caps(const struct look *look, const struct pci_device *device)
{
    /* Those that are looked for, and one that no device has. */
    static const uint8_t ids[] = {0x03, PCI_CAP_ID_PCIX, PCI_CAP_ID_PCIE, 0xfe};
    static const uint16_t ext_ids[] = {0x0003, 0xfffe};

    for (unsigned i = 0; i < COUNT_OF(ids); i++) {
        uint32_t before = *look->reads;
        uint16_t offset = pci_cap_find(look->config, device, ids[i]);

        REQUIRE(*look->reads - before <= CAP_READS);
        REQUIRE(offset == 0 || (offset >= PCI_HEADER_END && offset < PCI_CONFIG_BYTES));
        REQUIRE(offset % 4 == 0);
    }
    for (unsigned i = 0; i < COUNT_OF(ext_ids); i++) {
        uint32_t before = *look->reads;
        uint16_t offset = pci_ext_cap_find(look->config, device, ext_ids[i]);

        REQUIRE(*look->reads - before <= EXT_CAP_READS);
        REQUIRE(offset == 0 || (offset >= PCIE_EXT_CAP_FIRST && offset < PCIE_CONFIG_BYTES));
        REQUIRE(offset % 4 == 0);
    }
}

/* What a writer has made: whole lines of ASCII, none too long. */
static void check_text(const struct text *text)
{
    size_t column = 0;

    REQUIRE(!text->truncated && text->buffer[text->length] == '\0');
    for (size_t i = 0; i < text->length; i++) {
        column = text->buffer[i] == '\n' ? 0 : column + 1;
        REQUIRE(column == 0 || (text->buffer[i] >= ' ' && text->buffer[i] <= '~'));
        REQUIRE(column <= COLUMNS);
    }
    REQUIRE(column == 0);
}

static void check_window(const struct pci_window *window, unsigned narrow, unsigned wide,
                         uint64_t step)
{
    unsigned bits = window->address_bits;

    REQUIRE(bits == 0 || bits == narrow || bits == wide);
    if (bits == 0) {
        REQUIRE(!window->open && window->base == 0 && window->limit == 0);
        return;
    }
    REQUIRE(window->open == (window->base <= window->limit));
    REQUIRE(window->base % step == 0 && window->limit % step == step - 1);
    REQUIRE(bits == 64 || (window->base >> bits == 0 && window->limit >> bits == 0));
}

/* False: there are no windows, and *bridge is left alone. */
static bool read_windows(const struct look *look, const struct pci_device *device,
                         struct pci_bridge *bridge)
{
    static struct pci_bridge untouched;
    uint32_t before = *look->reads;
    enum status status;

    memset(&untouched, 0x5a, sizeof untouched);
    memset(bridge, 0x5a, sizeof *bridge);
    status = pci_bridge_read(look->config, device, bridge);
    REQUIRE(*look->reads - before <= BRIDGE_READS);
    REQUIRE(status == STATUS_OK || status == STATUS_GONE || status == STATUS_UNSUPPORTED);
    REQUIRE((status == STATUS_UNSUPPORTED) == (device->header_type != PCI_HEADER_TYPE_BRIDGE));
    if (status != STATUS_OK) {
        REQUIRE(memcmp(bridge, &untouched, sizeof untouched) == 0);
        return false;
    }
    check_window(&bridge->io, 16, 32, 1u << 12);
    check_window(&bridge->memory, 32, 32, 1u << 20);
    check_window(&bridge->prefetchable, 32, 64, 1u << 20);
    return true;
}

static void check_detail(const struct look *look, const struct pci_device *device)
{
    static struct pci_cap caps[PCI_CAP_LIST_MAX];
    static char buffer[REPORT_DETAIL_BYTES];
    struct pci_bridge bridge;
    bool has_windows = read_windows(look, device, &bridge);
    uint32_t before = *look->reads, count = UINT32_MAX;
    uint8_t seen[PCIE_CONFIG_BYTES / 4] = {0};
    struct text text;

    REQUIRE(pci_cap_list_read(look->config, device, caps, COUNT_OF(caps), &count) == STATUS_OK);
    REQUIRE(*look->reads - before <= CAP_READS + EXT_CAP_READS);
    REQUIRE(count <= COUNT_OF(caps));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = caps[i].offset;

        REQUIRE(offset >= PCI_HEADER_END && offset < PCIE_CONFIG_BYTES && offset % 4 == 0);
        REQUIRE(seen[offset / 4]++ == 0);
        REQUIRE(offset >= PCIE_EXT_CAP_FIRST || (caps[i].id < 0xff && caps[i].version == 0));
        REQUIRE(i == 0 || offset >= PCIE_EXT_CAP_FIRST || caps[i - 1].offset < PCIE_EXT_CAP_FIRST);
        REQUIRE(caps[i].version <= 15);
    }
    text_init(&text, buffer, sizeof buffer);
    report_detail(&text, device->address.bus, has_windows ? &bridge : NULL, caps, count);
    check_text(&text);
    REQUIRE((text.length > 0) == (has_windows || count > 0));
}

static void check_end(const struct pci_end *end, const struct pci_tree *tree)
{
    REQUIRE(end->index >= PCI_NO_PARENT && end->index < (int32_t)tree->count);
    REQUIRE(end->index != PCI_NO_PARENT || !end->answers);
    REQUIRE(end->answers || !end->has_pcie);
    REQUIRE(end->has_pcie || (!end->has_link && !end->has_slot && !end->has_aer));
    REQUIRE(end->has_link || (end->speed == 0 && end->width == 0 && !end->has_link2));
    REQUIRE(end->speed <= 15 && end->speed_max <= 15 && end->width <= 63 && end->width_max <= 63);
    REQUIRE(end->payload_bytes <= 4096 && end->payload_max_bytes <= 4096);
    REQUIRE(end->request_bytes <= 4096);
    REQUIRE(end->rcb_bytes == (end->has_link ? ((end->lnk_ctl & BIT32(3)) != 0 ? 128 : 64) : 0));
    REQUIRE(end->slot_power_mw <= 250000 + 15 * 25000);
}

static void check_hop(const struct pci_tree *tree, const struct pci_path *path, uint32_t index)
{
    const struct pci_hop *hop = &path->hops[index];
    uint32_t fit = hop->shared_count < PCI_HOP_SHARED_MAX ? hop->shared_count : PCI_HOP_SHARED_MAX;

    REQUIRE(hop->kind <= PCI_HOP_UPLINK && hop->uplink <= PCI_UPLINK_UMI);
    REQUIRE((hop->kind == PCI_HOP_UPLINK) == (hop->uplink != PCI_UPLINK_NONE));
    check_end(&hop->above, tree);
    check_end(&hop->below, tree);
    REQUIRE(hop->below.index >= 0);
    if (index > 0) {
        REQUIRE(hop->above.index == path->hops[index - 1].below.index);
        REQUIRE(hop->above.index == tree->devices[hop->below.index].parent);
    }
    REQUIRE(hop->speed <= 15 && hop->width <= 63 && hop->bus.mode <= PCI_BUS_PCIX_533);
    REQUIRE(hop->kind == PCI_HOP_BUS || hop->bus.width_bytes == 0);
    REQUIRE(hop->shared_count < tree->count || tree->count == 0);
    REQUIRE(hop->shared_count == 0 || hop->kind != PCI_HOP_INTERNAL);
    for (uint32_t i = 0; i < fit; i++) {
        int32_t shared = pci_walk_find(tree, hop->shared[i].address);

        REQUIRE(shared != PCI_NO_PARENT);
        REQUIRE(shared != path->hops[path->count - 1].below.index);
    }
}

static void check_ceiling(const struct pci_ceiling *ceiling)
{
    if (!ceiling->known) {
        REQUIRE(ceiling->raw_bytes_per_s == 0 && ceiling->to_memory_bytes_per_s == 0);
        REQUIRE(ceiling->from_memory_bytes_per_s == 0);
        return;
    }
    REQUIRE(ceiling->to_memory_bytes_per_s > 0);
    REQUIRE(ceiling->from_memory_rcb_bytes_per_s > 0);
    REQUIRE(ceiling->to_memory_bytes_per_s <= ceiling->raw_bytes_per_s);
    REQUIRE(ceiling->from_memory_bytes_per_s <= ceiling->raw_bytes_per_s);
    REQUIRE(ceiling->from_memory_rcb_bytes_per_s <= ceiling->from_memory_bytes_per_s);
}

static void check_ceilings(const struct pci_path *path)
{
    static struct pci_path_ceiling narrow, wide;

    pci_ceiling_path(path, PCI_TLP_HEADER_3DW, &narrow);
    pci_ceiling_path(path, PCI_TLP_HEADER_4DW, &wide);
    for (uint32_t i = 0; i < path->count; i++) {
        const struct pci_ceiling *hop = &narrow.hops[i];

        check_ceiling(hop);
        check_ceiling(&wide.hops[i]);
        REQUIRE(wide.hops[i].to_memory_bytes_per_s <= hop->to_memory_bytes_per_s);
        if (!hop->known)
            continue;
        REQUIRE(narrow.to_memory_hop != PCI_NO_HOP && narrow.from_memory_hop != PCI_NO_HOP);
        REQUIRE(narrow.hops[narrow.to_memory_hop].to_memory_bytes_per_s <=
                hop->to_memory_bytes_per_s);
        REQUIRE(narrow.hops[narrow.from_memory_hop].from_memory_bytes_per_s <=
                hop->from_memory_bytes_per_s);
    }
    REQUIRE(narrow.to_memory_hop < (int32_t)path->count);
    REQUIRE(narrow.to_memory_hop == PCI_NO_HOP || narrow.hops[narrow.to_memory_hop].known);
}

static void check_findings(const struct pci_path *path)
{
    static struct pci_findings findings;
    static char buffer[REPORT_PATH_BYTES];
    bool seen[PCI_FINDING_KINDS][PCI_PATH_HOPS_MAX] = {{false}};
    struct text text;

    findings.count = UINT32_MAX;
    pci_finding_collect(path, &findings);
    REQUIRE(findings.count <= PCI_FINDINGS_MAX);
    for (uint32_t i = 0; i < findings.count; i++) {
        const struct pci_finding *finding = &findings.list[i];

        REQUIRE(finding->kind < PCI_FINDING_KINDS && finding->hop < path->count);
        REQUIRE(!seen[finding->kind][finding->hop]);
        seen[finding->kind][finding->hop] = true;
    }
    text_init(&text, buffer, sizeof buffer);
    report_path(&text, path, "Path to 0000:00:00.0");
    check_text(&text);
}

static void check_path(const struct look *look, const struct pci_tree *tree, int32_t index)
{
    static struct pci_path path;
    uint32_t before = *look->reads;
    enum status status = pci_path_read(look->config, tree, index, &path);

    REQUIRE(*look->reads - before <= path_reads(tree));
    REQUIRE(status == STATUS_OK || status == STATUS_FULL);
    if (status != STATUS_OK)
        return;
    REQUIRE(path.count >= 1 && path.count <= PCI_PATH_HOPS_MAX);
    REQUIRE(path.hops[path.count - 1].below.index == index);
    REQUIRE(tree->devices[path.hops[0].below.index].parent == PCI_NO_PARENT);
    for (uint32_t i = 0; i < path.count; i++)
        check_hop(tree, &path, i);
    /* A list of shared functions that is too long ends in the next hop. */
    REQUIRE(path.count == PCI_PATH_HOPS_MAX || path.hops[path.count].kind == PCI_HOP_UNKNOWN);
    check_ceilings(&path);
    check_findings(&path);
}

void look_functions(const struct look *look, const struct pci_tree *tree)
{
    for (int32_t i = PCI_NO_PARENT; i <= (int32_t)tree->count; i++) {
        uint32_t before = *look->reads;
        struct pci_end end = pci_end_read(look->config, tree, i);

        REQUIRE(*look->reads - before <= END_READS);
        check_end(&end, tree);
        if (i == PCI_NO_PARENT || i == (int32_t)tree->count) {
            REQUIRE(end.index == PCI_NO_PARENT);
            continue;
        }
        REQUIRE(end.index == i);
        check_caps(look, &tree->devices[i]);
        check_detail(look, &tree->devices[i]);
        check_path(look, tree, i);
    }
}
