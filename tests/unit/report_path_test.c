/* Paths as people see them: every kind of hop and finding, whole lines, room for the worst. */
#include "tests/unit/path_fake.h"

#include "base/random.h"
#include "pci/ceiling.h"
#include "report/json.h"
#include "report/path_report.h"
#include "report/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ASCII, no line above 79 columns, none with blanks at its end, the last one ended. */
static void check_lines(const char *text)
{
    assert_int_equal(text[strlen(text) - 1], '\n');
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        if (length > 79 || (length > 0 && text[length - 1] == ' '))
            fail_msg("a line too long or with blanks at its end: %.*s", (int)length, text);
        for (size_t i = 0; i < length; i++)
            assert_in_range(text[i], 0x20, 0x7e);
        text += length + 1;
    }
}

static char *show(const struct pci_path *path)
{
    char *buffer = malloc(REPORT_PATH_BYTES);
    struct text text;

    text_init(&text, buffer, REPORT_PATH_BYTES);
    report_path(&text, path, "Path to 0000:01:00.0");
    assert_false(text.truncated);
    check_lines(buffer);
    return buffer;
}

static void test_lane(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    char *shown;

    (void)state;
    path.hops[1].below.speed_max = 2;
    path.hops[0].below.has_slot = path.hops[1].above.has_slot = true;
    path.hops[0].below.slot_number = 7;
    shown = show(&path);
    assert_string_equal(
        shown, "Path to 0000:01:00.0                            MB/s raw  reads writes\n"
               "  processor\n"
               "  00:1c.0  1234:1004  root port, slot 7, payload 128\n"
               "    |  PCIe 2.5 GT/s x1                              250    216    216 <lowest\n"
               "  01:00.0  1234:1001  legacy endpoint, payload 128\n"
               "  finding   The PCIe link 00:1c.0 - 01:00.0: the port above holds it back:\n"
               "            00:1c.0 can do 2.5 GT/s x1, 01:00.0 can do 5 GT/s x1. Another slot\n"
               "            may give the card more: compare the slots in the board's manual.\n");
    free(shown);
}

/* A chipset's uplink, a link of less than it can, a switch, PCI-X, and a function that is gone. */
static void test_kinds(void **state)
{
    struct pci_path path = fake_path(fake_end(0, 0x1c, PCIE_TYPE_ROOT_PORT, 1, 1));
    char *shown;

    (void)state;
    path.hops[0].kind = PCI_HOP_UPLINK;
    path.hops[0].uplink = PCI_UPLINK_UMI;
    path.hops[0].nominal = true;
    path.hops[0].speed = path.hops[0].speed_max = 2;
    path.hops[0].width = path.hops[0].width_max = 4;
    path.hops[0].shared_count = 12;
    fake_hop(&path, PCI_HOP_LINK, fake_end(1, 0, PCIE_TYPE_UPSTREAM, 1, 1));
    path.hops[1].speed_max = 3;
    path.hops[1].width_max = 4;
    fake_hop(&path, PCI_HOP_INTERNAL, fake_end(2, 1, PCIE_TYPE_DOWNSTREAM, 2, 1));
    fake_hop(&path, PCI_HOP_LINK, fake_end(3, 0, PCIE_TYPE_PCIE_TO_PCI, 2, 1));
    fake_hop(&path, PCI_HOP_BUS, (struct pci_end){.index = 4, .address = {0, 4, 0, 0}})->bus =
        (struct pci_bus){.mode = PCI_BUS_PCIX_533,
                         .clock_known = true,
                         .clock_thirds = 4,
                         .width_bytes = 8,
                         .width_known = true};
    fake_hop(&path, PCI_HOP_UNKNOWN, (struct pci_end){.index = 5, .address = {1, 5, 0, 0}});
    path.hops[4].below.answers = true;
    shown = show(&path);
    assert_non_null(strstr(shown, "    |  UMI 5 GT/s x4, nominal, shared with 12 "));
    assert_non_null(strstr(shown, "    |  PCIe 2.5 GT/s x1 of 8 x4 "));
    assert_non_null(strstr(shown, "    |  PCI-X 533 133 MHz, 64 bit "));
    assert_non_null(strstr(shown, "    |  unknown\n"));
    assert_non_null(strstr(shown, "  04:00.0  0000:0000  no PCIe capability\n"));
    assert_non_null(strstr(shown, "  0001:05:00.0  0000:0000  does not answer\n"));
    assert_non_null(
        strstr(shown, "The UMI uplink of the chipset (5 GT/s x4, nominal) carries this"));
    assert_non_null(strstr(shown, "The PCI-X 533 bus 04 is on the path"));
    free(shown);
}

static uint64_t random_bits(struct base_random *random, unsigned bits)
{
    return base_random_next(random) >> (64 - bits);
}

static struct pci_end random_end(struct base_random *random)
{
    struct pci_end end;
    uint8_t *bytes = (uint8_t *)&end;

    for (size_t i = 0; i < sizeof end; i++)
        bytes[i] = (uint8_t)base_random_next(random);
    end.index = (int32_t)random_bits(random, 8);
    end.answers = random_bits(random, 2) != 0;
    end.has_pcie = random_bits(random, 2) != 0;
    end.has_link = end.has_pcie && random_bits(random, 2) != 0;
    end.has_link2 = end.has_slot = end.has_aer = end.has_link;
    end.hidden = random_bits(random, 3) == 0;
    end.is_tunnel = random_bits(random, 3) == 0;
    end.common_clock = end.ecrc = random_bits(random, 1) != 0;
    end.aspm = (uint8_t)random_bits(random, 2);
    end.address.function &= 7;
    end.address.device &= 31;
    return end;
}

static struct pci_path random_path(struct base_random *random)
{
    struct pci_path path = {.count = 1 + (uint32_t)random_bits(random, 4)};

    for (uint32_t i = 0; i < path.count; i++) {
        struct pci_hop *hop = &path.hops[i];

        hop->kind = (enum pci_hop_kind)(base_random_next(random) % 5);
        hop->above = random_end(random);
        hop->below = random_end(random);
        hop->speed = (uint8_t)random_bits(random, 3);
        hop->width = (uint8_t)random_bits(random, 6);
        hop->speed_max = (uint8_t)random_bits(random, 4);
        hop->width_max = (uint8_t)random_bits(random, 6);
        hop->ends_differ = random_bits(random, 1) != 0;
        hop->uplink = (enum pci_uplink)random_bits(random, 2);
        hop->bus.mode = (enum pci_bus_mode)(base_random_next(random) % 5);
        hop->bus.clock_thirds = (uint8_t)random_bits(random, 8);
        hop->bus.width_bytes = (uint8_t)random_bits(random, 8);
        hop->shared_count = (uint32_t)random_bits(random, 12);
        for (uint32_t k = 0; k < PCI_HOP_SHARED_MAX; k++)
            hop->shared[k].address.bus = (uint8_t)base_random_next(random);
    }
    return path;
}

static void test_random(void **state)
{
    struct base_random random = {1};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct pci_path path = random_path(&random);

        free(show(&path));
    }
}

/* As much as a result can hold of one controller with one drive, in both files. */
static void test_room(void **state)
{
    static struct bench_run run;
    struct base_random random = {2};
    size_t json_bytes = REPORT_JSON_BYTES(1, 1), table_bytes = REPORT_TABLE_BYTES(1, 1);
    char *json = malloc(json_bytes), *table = malloc(table_bytes);

    (void)state;
    run.reason = "";
    for (int i = 0; i < 300; i++) {
        struct pci_path path = random_path(&random), other = random_path(&random);
        struct result_drive drive = {.planned = true, .left_alone = "", .run = &run};
        struct result_controller controller = {.has_path = true,
                                               .path = path,
                                               .header_bytes = PCI_TLP_HEADER_4DW,
                                               .slot = "",
                                               .taken = true,
                                               .left_alone = "",
                                               .restored = {.reason = ""},
                                               .port_count = 1,
                                               .ports = {{0, "drive", "", &drive, ""}}};
        struct result result = {
            .tool = {.version = "1", .id = "0", .arguments = "", .started_by = ""},
            .machine = {.firmware_vendor = "V"},
            .clock = {.hz = 1},
            .controller_count = 1,
            .controllers = &controller};
        struct text text;

        drive.watch = (struct pci_watch){
            .has_before = true, .has_after = true, .before = path, .after = other};
        pci_watch_look(&drive.watch, &other);
        pci_watch_look(&drive.watch, &path);
        drive.sata_before.known = drive.sata_after.known = true;
        drive.sata_after.errors = UINT32_MAX;
        text_init(&text, json, json_bytes);
        report_json(&text, &result);
        assert_false(text.truncated);
        text_init(&text, table, table_bytes);
        report_table(&text, &result);
        assert_false(text.truncated);
        check_lines(table);
    }
    free(json);
    free(table);
}

static void test_iommu(void **state)
{
    struct pci_iommu iommu = {.kind = PCI_IOMMU_NONE};
    char buffer[200];
    struct text text;

    (void)state;
    text_init(&text, buffer, sizeof buffer);
    report_iommu(&text, &iommu);
    assert_string_equal(buffer, "IOMMU: ACPI names none.\n");
    iommu = (struct pci_iommu){.kind = PCI_IOMMU_AMD, .unit_count = 3};
    iommu.units[0].state = PCI_IOMMU_TRANSLATING;
    iommu.units[1].state = PCI_IOMMU_OFF;
    text_init(&text, buffer, sizeof buffer);
    report_iommu(&text, &iommu);
    assert_string_equal(buffer, "IOMMU: 3 AMD-Vi units: 1 translating, 1 off, 1 unknown.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lane), cmocka_unit_test(test_kinds), cmocka_unit_test(test_random),
        cmocka_unit_test(test_room), cmocka_unit_test(test_iommu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
