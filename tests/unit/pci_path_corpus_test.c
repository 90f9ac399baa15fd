/*
 * Ends and paths of real machines (BARELANE_CORPUS; without it the tests are skipped): every
 * function's link registers against what lspci of pciutils prints of the same dump, and whole paths
 * of some machines whose layout is known.
 */
#define _POSIX_C_SOURCE 200809L /* popen */

#include "pci/ceiling.h"
#include "pci/path_read.h"

#include "base/bits.h"
#include "pci/regs.h"
#include "tests/unit/pci_corpus.h"

/* What lspci prints of one function; -1: it prints no such line. */
struct shown {
    int payload_max, payload, request;
    int speed_max, width_max, speed, width;
};

static const char *const speeds[] = {"unknown", "2.5GT/s", "5GT/s", "8GT/s",
                                     "16GT/s",  "32GT/s",  "64GT/s"};

static int speed_code(const char *text)
{
    for (size_t i = 0; i < COUNT_OF(speeds); i++)
        if (strcmp(speeds[i], text) == 0)
            return (int)i;
    return 99;
}

/* Functions of which lspci prints what no register says. */
static const struct {
    const char *file;
    struct pci_address address;
} exceptions[] = {
    /* The row with the capability is missing from the dump. lspci decodes the ff in its place as a
     * link of 63 lanes; for us there is no capability. */
    {"rockpro64-switch-88se9123.lspci", {0, 4, 0, 0}},
};

/* Whether the function is an exception; its capability must then be absent here. */
static bool is_exception(const char *file, const struct pci_end *end)
{
    for (size_t i = 0; i < COUNT_OF(exceptions); i++) {
        if (strcmp(exceptions[i].file, file) != 0 ||
            exceptions[i].address.bus != end->address.bus ||
            exceptions[i].address.device != end->address.device ||
            exceptions[i].address.function != end->address.function)
            continue;
        assert_false(end->has_pcie);
        return true;
    }
    return false;
}

/* Our registers in the same form. lspci knows no reserved sizes: it shifts whatever is there. */
static struct shown show(const struct pci_end *end)
{
    struct shown shown = {-1, -1, -1, -1, -1, -1, -1};

    if (end->has_pcie) {
        shown.payload_max = 128 << base_field(end->dev_cap, PCIE_DEV_CAP_MPS);
        shown.payload = 128 << base_field(end->dev_ctl, PCIE_DEV_CTL_MPS);
        shown.request = 128 << base_field(end->dev_ctl, PCIE_DEV_CTL_MRRS);
    }
    if (end->has_link) {
        unsigned speed_max = base_field(end->lnk_cap, PCIE_LNK_SPEED);

        shown.speed_max = speed_max < COUNT_OF(speeds) ? (int)speed_max : 0;
        shown.width_max = end->width_max;
        shown.speed = end->speed < COUNT_OF(speeds) ? end->speed : 0;
        shown.width = end->width;
    }
    return shown;
}

/* Text after `name` in a line that begins with it behind white space; NULL: another line. */
static const char *after(const char *line, const char *name)
{
    line += strspn(line, " \t");
    return strncmp(line, name, strlen(name)) == 0 ? line + strlen(name) : NULL;
}

static void parse_line(const char *line, struct shown *shown)
{
    const char *rest;
    char speed[32];

    if ((rest = after(line, "DevCap:")) != NULL)
        sscanf(rest, " MaxPayload %d", &shown->payload_max);
    else if (after(line, "MaxPayload") != NULL)
        sscanf(line, " MaxPayload %d bytes, MaxReadReq %d", &shown->payload, &shown->request);
    else if ((rest = after(line, "LnkCap:")) != NULL &&
             sscanf(rest, " Port #%*d, Speed %31[^, ], Width x%d", speed, &shown->width_max) == 2)
        shown->speed_max = speed_code(speed);
    else if ((rest = after(line, "LnkSta:")) != NULL &&
             sscanf(rest, " Speed %31[^, ]%*[^W]Width x%d", speed, &shown->width) == 2)
        shown->speed = speed_code(speed);
}

static void compare(const char *file, struct pci_address at, const struct shown *expected)
{
    struct pci_config config = host_dump_config(&dump);
    int32_t index = pci_walk_find(&tree, at);
    struct pci_end end;
    struct shown shown;

    /* Powered down, every byte is ff: no walk finds it. */
    if (index == PCI_NO_PARENT)
        return;
    end = pci_end_read(&config, &tree, index);
    if (is_exception(file, &end))
        return;
    shown = show(&end);
    if (memcmp(&shown, expected, sizeof shown) != 0)
        fail_msg("%s %04x:%02x:%02x.%x: payload %d %d, request %d, at most %d x%d, now %d x%d; "
                 "lspci: %d %d, %d, %d x%d, %d x%d",
                 file, at.segment, at.bus, at.device, at.function, shown.payload_max, shown.payload,
                 shown.request, shown.speed_max, shown.width_max, shown.speed, shown.width,
                 expected->payload_max, expected->payload, expected->request, expected->speed_max,
                 expected->width_max, expected->speed, expected->width);
}

static size_t compared, with_link;

static void check_lspci(const char *directory, const char *file)
{
    static const struct shown nothing = {-1, -1, -1, -1, -1, -1, -1};
    char command[1200], line[1024];
    struct pci_address at = {0};
    struct shown shown = nothing;
    bool inside = false;
    FILE *lspci;

    snprintf(command, sizeof command, "%s/%s", directory, file);
    load_and_walk(command);
    snprintf(command, sizeof command, "lspci -D -n -vvv -F '%s/%s' 2>/dev/null", directory, file);
    lspci = popen(command, "r");
    assert_non_null(lspci);
    while (fgets(line, sizeof line, lspci) != NULL) {
        unsigned segment, bus, device, function;

        if (sscanf(line, "%4x:%2x:%2x.%1x ", &segment, &bus, &device, &function) == 4) {
            at = pci_space_at(bus, device, function);
            at.segment = (uint16_t)segment;
            shown = nothing;
            inside = true;
        } else if (line[0] == '\n' && inside) {
            compare(file, at, &shown);
            compared++;
            with_link += shown.width >= 0;
            inside = false;
        }
        parse_line(line, &shown);
    }
    assert_int_equal(pclose(lspci), 0);
    assert_false(inside);
    host_dump_free(&dump);
}

static void test_lspci(void **state)
{
    (void)state;
    corpus();
    if (system("lspci --version >/dev/null 2>&1") != 0)
        skip();
    compared = with_link = 0;
    check_directory("pci/hex", ".lspci", check_lspci);
    check_directory("pci/qemu", ".lspci", check_lspci);
    print_message("# %zu functions, %zu with a link\n", compared, with_link);
    assert_in_range(compared, 500, 100000);
    assert_in_range(with_link, 100, compared);
}

/* Reads a path at segment 0 of a file of the corpus. The dump stays loaded. */
static struct pci_path load_path(const char *file, struct pci_address at)
{
    struct pci_config config = host_dump_config(&dump);
    struct pci_path path = {0};
    char name[1024];
    int32_t index;

    snprintf(name, sizeof name, "%s/pci/%s", corpus(), file);
    load_and_walk(name);
    index = pci_walk_find(&tree, at);
    assert_int_not_equal(index, PCI_NO_PARENT);
    assert_int_equal(pci_path_read(&config, &tree, index, &path), STATUS_OK);
    return path;
}

/*
 * Kinds of the hops as letters, speed and width of the links and uplinks among them in their order,
 * the hop that limits, and its ceilings with 3- and 4-dword headers in MB/s.
 */
static const struct {
    const char *file;
    struct pci_address at;
    const char *kinds;
    uint8_t links[3][2];
    uint16_t payload;
    int32_t limit;
    unsigned ceiling_3dw, ceiling_4dw;
} paths[] = {
    {"hex/rockpro64-switch-88se9123.lspci",
     {0, 6, 0, 0},
     "ILIL",
     {{1, 1}, {2, 1}},
     256,
     1,
     231,
     228},
    {"hex/arm-n1sdp-pex8749.lspci", {0, 6, 0, 0}, "ILIL", {{2, 16}, {2, 1}}, 128, 3, 431, 420},
    {"hex/pciutils-tree-asus-p6t6.lspci",
     {0, 4, 0, 0},
     "ILIL",
     {{2, 16}, {2, 8}},
     128,
     3,
     3450,
     3360},
    /* Behind the chipset's uplink, which the I/O hub shows. */
    {"hex/pciutils-tree-asus-p6t6.lspci", {0, 0, 0x1f, 2}, "U", {{1, 4}}, 128, 0, 863, 840},
    {"hex/gigabyte-p61-s3-b3.lspci", {0, 1, 0, 0}, "IL", {{1, 16}}, 256, 1, 3700, 3648},
    {"hex/gigabyte-p61-s3-b3.lspci", {0, 3, 0, 0}, "UL", {{2, 4}, {1, 1}}, 128, 1, 216, 210},
    {"hex/gigabyte-p61-s3-b3.lspci", {0, 5, 0, 0}, "UL", {{2, 4}, {1, 1}}, 128, 1, 216, 210},
    {"hex/gigabyte-p61-s3-b3.lspci", {0, 0, 0x1f, 2}, "U", {{2, 4}}, 128, 0, 1725, 1680},
    {"qemu/rp-gen1x1-nvme_rp-gen2x1-ahci.lspci", {0, 1, 0, 0}, "IL", {{1, 1}}, 128, 1, 216, 210},
    {"qemu/rp-gen1x1-nvme_rp-gen2x1-ahci.lspci", {0, 2, 0, 0}, "IL", {{2, 1}}, 128, 1, 431, 420},
    {"qemu/pxb-pcie-bus80_rp_nvme.lspci", {0, 0x81, 0, 0}, "IL", {{1, 1}}, 128, 1, 216, 210},
    {"qemu/switch-gen2x4-up_4down_nvme_ahci_pcibridge.lspci",
     {0, 4, 0, 0},
     "ILIL",
     {{1, 1}, {1, 1}},
     128,
     1,
     216,
     210},
    {"qemu/switch-gen2x4-up_4down_nvme_ahci_pcibridge.lspci",
     {0, 7, 5, 0},
     "ILILBB",
     {{1, 1}, {1, 1}},
     128,
     5,
     129,
     129},
};

static unsigned megabytes(uint64_t bytes_per_s)
{
    return (unsigned)((bytes_per_s + 500000) / 1000000);
}

static void check_path(size_t row)
{
    struct pci_path path = load_path(paths[row].file, paths[row].at);
    char kinds[PCI_PATH_HOPS_MAX + 1] = {0};
    struct pci_path_ceiling ceiling;
    int32_t limit = paths[row].limit;
    unsigned link = 0;

    for (uint32_t i = 0; i < path.count; i++) {
        const struct pci_hop *hop = &path.hops[i];

        kinds[i] = "?ILBU"[hop->kind];
        if (hop->kind != PCI_HOP_LINK && hop->kind != PCI_HOP_UPLINK)
            continue;
        assert_int_equal(hop->speed, paths[row].links[link][0]);
        assert_int_equal(hop->width, paths[row].links[link][1]);
        link++;
    }
    assert_string_equal(kinds, paths[row].kinds);
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &ceiling);
    assert_int_equal(ceiling.packets.payload_bytes, paths[row].payload);
    assert_int_equal(ceiling.to_memory_hop, limit);
    assert_int_equal(megabytes(ceiling.hops[limit].to_memory_bytes_per_s), paths[row].ceiling_3dw);
    pci_ceiling_path(&path, PCI_TLP_HEADER_4DW, &ceiling);
    assert_int_equal(megabytes(ceiling.hops[limit].to_memory_bytes_per_s), paths[row].ceiling_4dw);
    host_dump_free(&dump);
}

static void test_paths(void **state)
{
    (void)state;
    corpus();
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        check_path(i);
}

/* What single machines are known for. */
static void test_details(void **state)
{
    struct pci_path path;

    (void)state;
    /* The graphics card idles at 2.5 GT/s though both ends can do 8; its sound shares the slot. */
    path = load_path("hex/gigabyte-p61-s3-b3.lspci", pci_space_at(1, 0, 0));
    assert_int_equal(path.hops[1].speed_max, 3);
    assert_int_equal(path.hops[1].width_max, 16);
    assert_int_equal(path.hops[1].shared_count, 1);
    host_dump_free(&dump);
    /* A bridge without the capability, below a root port with the id of a PCI bridge. */
    path = load_path("hex/gigabyte-p61-s3-b3.lspci", pci_space_at(3, 0, 0));
    assert_int_equal(path.hops[1].above.device_id, 0x244e);
    assert_int_equal(path.hops[1].above.port_type, PCIE_TYPE_ROOT_PORT);
    assert_false(path.hops[1].below.has_pcie);
    assert_true(path.hops[0].nominal);
    host_dump_free(&dump);
    path = load_path("hex/pciutils-tree-asus-p6t6.lspci", pci_space_at(0, 0x1f, 2));
    assert_false(path.hops[0].nominal);
    assert_int_equal(path.hops[0].above.device_id, 0x3405);
    host_dump_free(&dump);
    /* Four DMA engines beside the upstream port, two more controllers behind the switch. */
    path = load_path("hex/arm-n1sdp-pex8749.lspci", pci_space_at(6, 0, 0));
    assert_int_equal(path.hops[1].shared_count, 6);
    assert_int_equal(path.hops[3].shared_count, 0);
    host_dump_free(&dump);
}

static size_t functions;

/* Every path of every dump can be read, and is sound. */
static void check_all_paths(const char *directory, const char *file)
{
    struct pci_config config = host_dump_config(&dump);
    char name[1200];

    snprintf(name, sizeof name, "%s/%s", directory, file);
    load_and_walk(name);
    for (uint32_t i = 0; i < tree.count; i++) {
        struct pci_path_ceiling ceiling;
        struct pci_path path;

        if (pci_path_read(&config, &tree, (int32_t)i, &path) != STATUS_OK)
            fail_msg("%s: no path of function %u", file, i);
        assert_in_range(path.count, 1, PCI_PATH_HOPS_MAX);
        for (uint32_t hop = 0; hop < path.count; hop++)
            assert_true(path.hops[hop].shared_count < tree.count);
        pci_ceiling_path(&path, PCI_TLP_HEADER_4DW, &ceiling);
        functions++;
    }
    host_dump_free(&dump);
}

static void test_all_paths(void **state)
{
    (void)state;
    corpus();
    check_directory("pci/hex", ".lspci", check_all_paths);
    check_directory("pci/qemu", ".lspci", check_all_paths);
    check_directory("pci/partial", ".lspci", check_all_paths);
    check_directory("pci/header-only", ".lspci", check_all_paths);
    assert_in_range(functions, 1000, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lspci),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_all_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
