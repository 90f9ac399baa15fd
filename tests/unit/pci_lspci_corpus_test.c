/*
 * Bridges and capability lists of real machines (BARELANE_CORPUS; without it the test is skipped)
 * against what lspci of pciutils prints of the same dump, function by function: bus numbers,
 * windows, both capability lists, and which bridge leads to which bus.
 */
#define _POSIX_C_SOURCE 200809L /* popen */

#include "pci/bridge.h"
#include "pci/cap_list.h"

#include "base/bits.h"
#include "pci/regs.h"
#include "tests/unit/pci_corpus.h"

#define CAPS_MAX 64

enum {
    IO,
    MEMORY,
    PREFETCHABLE,
    WINDOWS
};

struct shown_window {
    bool shown;
    bool open; /* a size is shown */
    uint64_t base, limit, size;
    unsigned bits;
};

struct shown_cap {
    unsigned offset;
    unsigned version;
    bool extended;
    char name[80];
};

/* What lspci prints of one function. */
struct shown {
    struct pci_address at;
    bool unknown_header;
    bool bridge;
    unsigned primary, secondary, subordinate;
    struct shown_window windows[WINDOWS];
    struct shown_cap caps[CAPS_MAX];
    uint32_t cap_count;
};

/* Beginnings of lspci's names; where one stands for two ids, both are there. */
static const struct {
    bool extended;
    uint16_t id;
    const char *name;
} names[] = {
    {false, 0x01, "Power Management"},
    {false, 0x02, "AGP version"},
    {false, 0x03, "Vital Product Data"},
    {false, 0x04, "Slot ID"},
    {false, 0x05, "MSI:"},
    {false, 0x06, "CompactPCI hot-swap"},
    {false, 0x07, "PCI-X"},
    {false, 0x08, "HyperTransport"},
    {false, 0x09, "Vendor Specific Information"},
    {false, 0x0a, "Debug port"},
    {false, 0x0c, "Hot-plug capable"},
    {false, 0x0d, "Subsystem"},
    {false, 0x0f, "Secure device"},
    {false, 0x10, "Express"},
    {false, 0x11, "MSI-X:"},
    {false, 0x12, "SATA HBA"},
    {false, 0x13, "PCI Advanced Features"},
    {false, 0x14, "Enhanced Allocation"},
    {true, 0x0001, "Advanced Error Reporting"},
    {true, 0x0002, "Virtual Channel"},
    {true, 0x0009, "Virtual Channel"},
    {true, 0x0003, "Device Serial Number"},
    {true, 0x0004, "Power Budgeting"},
    {true, 0x0005, "Root Complex Link"},
    {true, 0x0008, "Multi-Function Virtual Channel"},
    {true, 0x000b, "Vendor Specific Information"},
    {true, 0x000d, "Access Control Services"},
    {true, 0x000e, "Alternative Routing-ID Interpretation"},
    {true, 0x000f, "Address Translation Service"},
    {true, 0x0010, "Single Root I/O Virtualization"},
    {true, 0x0012, "Multicast"},
    {true, 0x0013, "Page Request Interface"},
    {true, 0x0015, "Physical Resizable BAR"},
    {true, 0x0017, "Transaction Processing Hints"},
    {true, 0x0018, "Latency Tolerance Reporting"},
    {true, 0x0019, "Secondary PCI Express"},
    {true, 0x001b, "Process Address Space ID"},
    {true, 0x001d, "Downstream Port Containment"},
    {true, 0x001e, "L1 PM Substates"},
    {true, 0x001f, "Precision Time Measurement"},
    {true, 0x0023, "Designated Vendor-Specific"},
    {true, 0x0025, "Data Link Feature"},
    {true, 0x0026, "Physical Layer 16.0 GT/s"},
    {true, 0x0027, "Lane Margining at the Receiver"},
    {true, 0x002a, "Extended Capability ID 0x2a"},
    {true, 0x002b, "Extended Capability ID 0x2b"},
    {true, 0x002e, "Data Object Exchange"},
    {true, 0x002f, "Extended Capability ID 0x2f"},
};

static size_t functions, bridges, windows, open_windows, conventional, extended, named, below;

/* Where the bridges of one dump lead, as lspci says. */
static struct {
    struct pci_address at;
    unsigned secondary;
} leads[CAPACITY];
static size_t lead_count;

static void fail_at(const char *file, struct pci_address at, const char *what)
{
    fail_msg("%s %04x:%02x:%02x.%x: %s", file, at.segment, at.bus, at.device, at.function, what);
}

/* Text after `name` in a line that begins with it; NULL: another line. */
static const char *after(const char *line, const char *name)
{
    return strncmp(line, name, strlen(name)) == 0 ? line + strlen(name) : NULL;
}

static void parse_window(const char *text, struct shown_window *window)
{
    const char *size = strstr(text, "[size=");
    const char *bits = strrchr(text, '[');
    unsigned long long base, limit, amount;
    char unit = ']';

    assert_int_equal(sscanf(text, "%llx-%llx", &base, &limit), 2);
    assert_true(bits != NULL && sscanf(bits, "[%u-bit]", &window->bits) == 1);
    window->shown = true;
    window->base = base;
    window->limit = limit;
    if (size == NULL) {
        assert_non_null(strstr(text, "[disabled]"));
        return;
    }
    assert_int_equal(sscanf(size, "[size=%llu%c", &amount, &unit), 2);
    window->open = true;
    window->size = amount << (unit == 'K'   ? 10
                              : unit == 'M' ? 20
                              : unit == 'G' ? 30
                              : unit == 'T' ? 40
                                            : 0);
}

static void parse_cap(const char *text, struct shown *shown)
{
    struct shown_cap *cap = &shown->caps[shown->cap_count++];

    assert_in_range(shown->cap_count, 1, CAPS_MAX);
    cap->extended = sscanf(text, "%x v%u] %79[^\n]", &cap->offset, &cap->version, cap->name) == 3;
    if (!cap->extended)
        assert_int_equal(sscanf(text, "%x] %79[^\n]", &cap->offset, cap->name), 2);
}

/* "Capabilities: <access denied>", the end of a short dump, is the end of the list for both. */
static void parse_line(const char *line, struct shown *shown)
{
    static const char *const titles[WINDOWS] = {
        "\tI/O behind bridge:", "\tMemory behind bridge:", "\tPrefetchable memory behind bridge:"};
    const char *rest;

    if (after(line, "\t!!! Unknown header type") != NULL)
        shown->unknown_header = true;
    else if ((rest = after(line, "\tCapabilities: [")) != NULL)
        parse_cap(rest, shown);
    else if (sscanf(line, "\tBus: primary=%x, secondary=%x, subordinate=%x", &shown->primary,
                    &shown->secondary, &shown->subordinate) == 3)
        shown->bridge = true;
    for (size_t i = 0; i < WINDOWS; i++)
        if ((rest = after(line, titles[i])) != NULL)
            parse_window(rest, &shown->windows[i]);
}

/* lspci knows no absent windows: it shows the zeros as a narrow one at address 0. */
static bool window_is(struct pci_window window, const struct shown_window *shown,
                      const struct pci_window *absent)
{
    windows++;
    open_windows += window.address_bits != 0 && window.open;
    if (window.address_bits == 0)
        window = *absent;
    return shown->shown && window.base == shown->base && window.limit == shown->limit &&
           window.address_bits == shown->bits && window.open == shown->open &&
           (!window.open || window.limit - window.base + 1 == shown->size);
}

static void compare_bridge(const char *file, const struct pci_device *device,
                           const struct shown *shown)
{
    static const struct pci_window no_io = {.address_bits = 16, .open = true, .limit = 0xfff};
    static const struct pci_window no_memory = {.address_bits = 32, .open = true, .limit = 0xfffff};
    struct pci_config config = host_dump_config(&dump);
    struct pci_bridge bridge;

    if (shown->bridge != (device->header_type == PCI_HEADER_TYPE_BRIDGE ||
                          device->header_type == PCI_HEADER_TYPE_CARDBUS))
        fail_at(file, shown->at, "a bridge for one only");
    if (!shown->bridge)
        return;
    if (device->primary_bus != shown->primary || device->secondary_bus != shown->secondary ||
        device->subordinate_bus != shown->subordinate)
        fail_at(file, shown->at, "other bus numbers");
    bridges++;
    assert_in_range(lead_count, 0, CAPACITY - 1);
    leads[lead_count].at = shown->at;
    leads[lead_count++].secondary = shown->secondary;
    if (device->header_type == PCI_HEADER_TYPE_CARDBUS)
        return;
    assert_int_equal(pci_bridge_read(&config, device, &bridge), STATUS_OK);
    if (!window_is(bridge.io, &shown->windows[IO], &no_io))
        fail_at(file, shown->at, "another I/O window");
    if (bridge.memory.address_bits != 32 ||
        !window_is(bridge.memory, &shown->windows[MEMORY], &no_memory))
        fail_at(file, shown->at, "another memory window");
    if (!window_is(bridge.prefetchable, &shown->windows[PREFETCHABLE], &no_memory))
        fail_at(file, shown->at, "another prefetchable window");
}

/* Whether the name that lspci shows can be that of this id. */
static bool name_fits(const struct shown_cap *shown, uint16_t id)
{
    bool known = false;

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (names[i].extended != shown->extended || after(shown->name, names[i].name) == NULL)
            continue;
        known = true;
        if (names[i].id != id)
            continue;
        named++;
        return true;
    }
    return !known;
}

static void compare_caps(const char *file, const struct pci_device *device,
                         const struct shown *shown)
{
    struct pci_config config = host_dump_config(&dump);
    struct pci_cap caps[CAPS_MAX];
    uint32_t count;

    assert_int_equal(pci_cap_list_read(&config, device, caps, CAPS_MAX, &count), STATUS_OK);
    for (uint32_t i = 0; i < count && i < shown->cap_count; i++) {
        const struct shown_cap *cap = &shown->caps[i];

        if (caps[i].offset != cap->offset || caps[i].version != cap->version ||
            (caps[i].offset >= PCIE_EXT_CAP_FIRST) != cap->extended)
            fail_at(file, shown->at, cap->name);
        if (!name_fits(cap, caps[i].id))
            fail_at(file, shown->at, cap->name);
        conventional += !cap->extended;
        extended += cap->extended;
    }
    if (count != shown->cap_count)
        fail_at(file, shown->at, "another number of capabilities");
}

static void compare(const char *file, const struct shown *shown)
{
    int32_t index = pci_walk_find(&tree, shown->at);

    /* Powered down, every byte is ff: lspci shows it all the same. */
    if ((index == PCI_NO_PARENT) != shown->unknown_header)
        fail_at(file, shown->at, "found by one only");
    if (index == PCI_NO_PARENT)
        return;
    functions++;
    compare_bridge(file, &devices[index], shown);
    compare_caps(file, &devices[index], shown);
}

/* Each function hangs under the bridge whose secondary bus is its own, or under none. */
static void compare_tree(const char *file)
{
    for (uint32_t i = 0; i < tree.count; i++) {
        int32_t parent = PCI_NO_PARENT;

        for (size_t j = 0; j < lead_count; j++)
            if (leads[j].at.segment == devices[i].address.segment &&
                leads[j].secondary == devices[i].address.bus && leads[j].secondary != 0)
                parent = pci_walk_find(&tree, leads[j].at);
        if (devices[i].parent != parent)
            fail_at(file, devices[i].address, "below another bridge");
        below += parent != PCI_NO_PARENT;
    }
}

static void check_lspci(const char *directory, const char *file)
{
    size_t before = functions;
    char command[1200], line[1024];
    struct shown shown = {0};
    bool inside = false;
    FILE *lspci;

    snprintf(command, sizeof command, "%s/%s", directory, file);
    load_and_walk(command);
    lead_count = 0;
    snprintf(command, sizeof command, "lspci -D -n -vvv -F '%s/%s' 2>/dev/null", directory, file);
    lspci = popen(command, "r");
    assert_non_null(lspci);
    while (fgets(line, sizeof line, lspci) != NULL) {
        unsigned segment, bus, device, function;

        if (sscanf(line, "%4x:%2x:%2x.%1x ", &segment, &bus, &device, &function) == 4) {
            shown = (struct shown){.at = pci_space_at(bus, device, function)};
            shown.at.segment = (uint16_t)segment;
            inside = true;
        } else if (line[0] == '\n' && inside) {
            compare(file, &shown);
            inside = false;
        }
        parse_line(line, &shown);
    }
    assert_int_equal(pclose(lspci), 0);
    assert_false(inside);
    assert_int_equal(functions - before, tree.count);
    compare_tree(file);
    host_dump_free(&dump);
}

static void test_lspci(void **state)
{
    (void)state;
    corpus();
    if (system("lspci --version >/dev/null 2>&1") != 0)
        skip();
    check_directory("pci/hex", ".lspci", check_lspci);
    check_directory("pci/qemu", ".lspci", check_lspci);
    check_directory("pci/partial", ".lspci", check_lspci);
    check_directory("pci/header-only", ".lspci", check_lspci);
    print_message("# %zu functions, %zu below bridges; %zu bridges, %zu windows, %zu of them open; "
                  "%zu and %zu capabilities, %zu of them by name\n",
                  functions, below, bridges, windows, open_windows, conventional, extended, named);
    assert_in_range(functions, 1000, 100000);
    assert_in_range(below, 200, functions);
    assert_in_range(bridges, 200, functions);
    assert_in_range(windows, 3 * 200, 3 * bridges);
    assert_in_range(open_windows, 300, windows);
    assert_in_range(conventional, 1500, 100000);
    assert_in_range(extended, 400, 100000);
    assert_in_range(named, 2000, conventional + extended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lspci),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
