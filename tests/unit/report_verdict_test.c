/* The same rates on different paths: which hop explains them, and when nothing may be used. */
#include "tests/unit/path_fake.h"

#include "pci/ceiling.h"
#include "report/finding.h"
#include "report/table.h"
#include "report/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MB UINT64_C(1000000)

/* A controller with one drive that was read at some rate. */
struct rig {
    struct bench_run run;
    struct result_drive drive;
    struct result_controller controller;
    struct result result;
    struct verdict verdict;
    char text[4096];
};

/* A rate of 0 is a run whose transfer test did not end. */
static struct rig *rig_new(const struct pci_path *path, uint64_t rate)
{
    struct rig *rig = calloc(1, sizeof *rig);
    const struct drive_link link = {.known = true, .speed = 3, .speed_max = 3};

    rig->run.plan.step_count = 1;
    rig->run.plan.steps[0].kind = PLAN_TRANSFER;
    rig->run.tests[0].state = rate != 0 ? BENCH_DONE : BENCH_FAILED;
    rig->run.tests[0].reason = rig->run.reason = "";
    rig->run.tests[0].counted_bytes = rate * 5;
    rig->run.tests[0].time.counted_ticks = 5000000000;
    rig->drive = (struct result_drive){.info = {.model = "DISK",
                                                .sectors = 8000000,
                                                .logical_bytes = 512,
                                                .queue_depth = 32,
                                                .sata_speeds = 0xe,
                                                .rotation_rpm = 1},
                                       .planned = true,
                                       .left_alone = "",
                                       .run = &rig->run,
                                       .sata_before = link,
                                       .sata_after = link};
    rig->drive.watch =
        (struct pci_watch){.has_before = true, .has_after = true, .before = *path, .after = *path};
    pci_watch_look(&rig->drive.watch, path);
    rig->controller = (struct result_controller){.has_path = true,
                                                 .path = *path,
                                                 .header_bytes = PCI_TLP_HEADER_3DW,
                                                 .slot = "",
                                                 .taken = true,
                                                 .left_alone = "",
                                                 .restored = {.reason = ""},
                                                 .port_count = 1,
                                                 .ports = {{0, "drive", "", &rig->drive, ""}}};
    rig->result = (struct result){.tool = {.version = "", .arguments = ""},
                                  .machine = {.firmware_vendor = ""},
                                  .clock = {.hz = 1000000000, .invariant = true},
                                  .controller_count = 1,
                                  .controllers = &rig->controller,
                                  .finished = true};
    return rig;
}

/* Judges, and gives the sentence. */
static const char *judge(struct rig *rig)
{
    struct text text;

    verdict_judge(&rig->result, 0, 0, &rig->verdict);
    text_init(&text, rig->text, sizeof rig->text);
    verdict_sentence(&text, &rig->verdict);
    assert_false(text.truncated);
    return rig->text;
}

static void assert_says(const struct rig *rig, const char *words)
{
    if (strstr(rig->text, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, rig->text);
}

static void assert_verdict(struct rig *rig, enum verdict_state state, uint32_t hop)
{
    judge(rig);
    assert_int_equal(rig->verdict.state, state);
    assert_int_equal(rig->verdict.hop, hop);
}

/* Kinds of the findings in their order, joined by commas. */
static void assert_findings(struct rig *rig, const char *expected)
{
    struct findings findings;
    char line[512] = "";

    finding_collect(&rig->result, 0, &findings);
    assert_int_equal(findings.dropped, 0);
    for (uint32_t i = 0; i < findings.count; i++) {
        struct text text;

        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i > 0 ? "," : "",
                 finding_name(&findings.list[i]));
        text_init(&text, rig->text, sizeof rig->text);
        finding_evidence(&text, &rig->result, 0, &findings.list[i]);
        assert_true(text.length > 20 && text.buffer[text.length - 1] == '.');
        text_init(&text, rig->text, sizeof rig->text);
        finding_advice(&text, &rig->result, 0, &findings.list[i]);
        assert_true(text.length > 20 && text.buffer[text.length - 1] == '.');
    }
    assert_string_equal(line, expected);
}

static void evidence(struct rig *rig, uint32_t index)
{
    struct findings findings;
    struct text text;

    finding_collect(&rig->result, 0, &findings);
    assert_true(index < findings.count);
    text_init(&text, rig->text, sizeof rig->text);
    finding_evidence(&text, &rig->result, 0, &findings.list[index]);
}

/* 205 MB/s through a lane at 2.5 GT/s: 95 % of 215.7. */
static void test_lane(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    path.hops[1].below.speed_max = path.hops[1].above.speed_max = 2;
    assert_verdict(rig, VERDICT_LIMIT, 1);
    assert_int_equal(rig->verdict.hops[1].permille, 950);
    assert_int_equal(rig->verdict.rival, VERDICT_NO_HOP);
    assert_int_equal(rig->verdict.voids, 0);
    assert_string_equal(rig->text,
                        "The PCIe link 00:1c.0 - 01:00.0 is the limit: 205.0 MB/s is "
                        "95 % of the 215.7 MB/s that it can carry. No other hop comes near.");
    assert_findings(rig, "");
    assert_int_equal(result_judge(&rig->result), STATUS_OK);
    free(rig);
}

/* The same rate through a switch whose uplink of one lane another controller shares. */
static void test_shared_uplink(void **state)
{
    struct pci_path path = fake_path(fake_end(0, 0x1c, PCIE_TYPE_ROOT_PORT, 1, 1));
    struct rig *rig;

    (void)state;
    fake_hop(&path, PCI_HOP_LINK, fake_end(1, 0, PCIE_TYPE_UPSTREAM, 1, 1));
    path.hops[1].shared_count = 1;
    path.hops[1].shared[0] = (struct pci_neighbour){{0, 4, 0, 0}, 0x10ec, 0x8168, 2, 0, 0};
    fake_hop(&path, PCI_HOP_INTERNAL, fake_end(2, 1, PCIE_TYPE_DOWNSTREAM, 2, 1));
    fake_hop(&path, PCI_HOP_LINK, fake_end(3, 0, PCIE_TYPE_LEGACY_ENDPOINT, 2, 1));
    rig = rig_new(&path, 205 * MB);
    assert_verdict(rig, VERDICT_LIMIT, 1);
    assert_says(rig, "The PCIe link 00:1c.0 - 01:00.0 is the limit");
    assert_findings(rig, "shared hop");
    evidence(rig, 0);
    assert_says(rig, "is shared with 04:00.0 (Ethernet).");
    free(rig);
}

/* The same rate where every hop could carry far more. */
static void test_drive(void **state)
{
    struct pci_path path = fake_lane(2, 2);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    assert_verdict(rig, VERDICT_DRIVE, VERDICT_SATA);
    assert_int_equal(rig->verdict.hops[VERDICT_SATA].permille, 346);
    assert_says(rig, "The drive, or the controller itself, is the limit, not the path");
    assert_says(rig, "205.0 MB/s is 35 % of the 592.4 MB/s that the SATA link can carry");
    assert_int_equal(rig->verdict.causes, 0);
    free(rig);
}

static void test_sata(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig = rig_new(&path, 140 * MB);

    (void)state;
    rig->drive.sata_before.speed = rig->drive.sata_after.speed = 1;
    rig->drive.sata_before.limit = 1;
    assert_verdict(rig, VERDICT_LIMIT, VERDICT_SATA);
    assert_says(rig, "The SATA link is the limit: 140.0 MB/s is 95 % of the 148.1 MB/s");
    assert_findings(rig, "SATA speed");
    evidence(rig, 0);
    assert_string_equal(rig->text, "The SATA link runs at 1.5 Gb/s: the drive can do 6, the "
                                   "controller 6; the port is limited to 1.5.");
    /* A controller that can do no more is another matter. */
    rig->drive.sata_before.limit = 0;
    rig->drive.sata_before.speed_max = 1;
    assert_findings(rig, "SATA port");
    /* Without a look the generation is that of the probe. */
    rig->drive.sata_before.known = false;
    rig->drive.info.link_speed = 1;
    assert_verdict(rig, VERDICT_LIMIT, VERDICT_SATA);
    rig->drive.info.link_speed = 0;
    assert_verdict(rig, VERDICT_DRIVE, 1);
    assert_false(rig->verdict.hops[VERDICT_SATA].known);
    free(rig);
}

static void test_impossible(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    struct rig *rig = rig_new(&path, 216 * MB);

    (void)state;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, 1);
    assert_int_equal(rig->verdict.voids, VERDICT_VOID_IMPOSSIBLE);
    assert_says(rig, "Impossible: 216.0 MB/s is more than the 215.7 MB/s");
    assert_says(rig, "Reads came from a cache, or the link data are wrong.");
    assert_int_equal(result_judge(&rig->result), STATUS_VOID);
    free(rig);
}

/* The same in a virtual machine: no void, a mark, and the next hop that explains the rate. */
static void test_virtual_machine(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    struct rig *rig = rig_new(&path, 216 * MB);

    (void)state;
    rig->result.machine.hypervisor = true;
    assert_verdict(rig, VERDICT_DRIVE, VERDICT_SATA);
    assert_true(rig->verdict.emulated_link && rig->verdict.virtual_machine);
    assert_true(rig->verdict.hops[1].refuted);
    assert_int_equal(rig->verdict.voids, 0);
    assert_says(rig, "Taken in a virtual machine, whose links are nominal; emulated link, above "
                     "its ceiling: PCIe link 00:1c.0 - 01:00.0.");
    assert_int_equal(result_judge(&rig->result), STATUS_OK);
    rig->drive.sata_before.speed = rig->drive.sata_after.speed = 1;
    assert_verdict(rig, VERDICT_UNKNOWN, VERDICT_NO_HOP);
    assert_says(rig, "PCIe link 00:1c.0 - 01:00.0, SATA link.");
    /* Below every ceiling there is nothing to mark but where it was taken. */
    rig->run.tests[0].counted_bytes = 5 * 140 * MB;
    assert_verdict(rig, VERDICT_LIMIT, VERDICT_SATA);
    assert_false(rig->verdict.emulated_link);
    assert_says(rig, "Taken in a virtual machine, whose links are nominal.");
    free(rig);
}

/* Ceilings that nobody read from a working register are refuted by a higher rate, not it by them.
 */
static void test_assumed(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig;

    (void)state;
    path.hops[0].kind = PCI_HOP_UPLINK;
    path.hops[0].uplink = PCI_UPLINK_DMI;
    path.hops[0].nominal = true;
    path.hops[0].speed = path.hops[0].width = 1;
    rig = rig_new(&path, 300 * MB);
    assert_verdict(rig, VERDICT_DRIVE, 1);
    assert_true(rig->verdict.hops[0].refuted);
    assert_false(rig->verdict.emulated_link);
    assert_string_equal(verdict_figures(&rig->verdict, 0).mark, "assumed");
    rig->drive.watch.loaded.hops[0].nominal = false;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, 0);
    free(rig);
    path = fake_lane(2, 1);
    fake_hop(&path, PCI_HOP_BUS, (struct pci_end){.index = 9, .answers = true});
    path.hops[2].bus = (struct pci_bus){.clock_thirds = 1, .width_bytes = 4, .width_known = true};
    rig = rig_new(&path, 200 * MB);
    assert_verdict(rig, VERDICT_DRIVE, 1);
    assert_true(rig->verdict.hops[2].refuted);
    rig->drive.watch.loaded.hops[2].bus.clock_known = true;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, 2);
    rig->drive.watch.loaded.hops[2].bus.width_known = false;
    assert_verdict(rig, VERDICT_DRIVE, 1);
    free(rig);
}

/* From 88 % on it is the hop, from 70 % on it may be, up to 100 %. */
static void test_limits(void **state)
{
    static const struct {
        uint64_t rate;
        enum verdict_state state;
    } rows[] = {
        {1, VERDICT_DRIVE},
        {301915439, VERDICT_DRIVE},
        {301915440, VERDICT_SUSPECT},
        {379550838, VERDICT_SUSPECT},
        {379550839, VERDICT_LIMIT},
        {431307771, VERDICT_LIMIT},
        {431307772, VERDICT_IMPOSSIBLE},
    };
    struct pci_path path = fake_lane(2, 1);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig *rig = rig_new(&path, rows[i].rate);

        assert_verdict(rig, rows[i].state, 1);
        free(rig);
    }
}

static void test_causes(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig = rig_new(&path, 320 * MB);

    (void)state;
    assert_verdict(rig, VERDICT_SUSPECT, 1);
    assert_int_equal(rig->verdict.causes, 0);
    assert_says(rig, "may be the limit: 320.0 MB/s is 74 %");
    assert_says(rig, "No cause shows");
    /* 380.0 is what packets of 64 bytes give: 370 is 97 % of that. */
    rig->run.tests[0].counted_bytes = 5 * 370 * MB;
    assert_verdict(rig, VERDICT_SUSPECT, 1);
    assert_int_equal(rig->verdict.causes, VERDICT_CAUSE_SMALL_PACKETS);
    assert_says(rig, "Possible: 64-byte packets.");
    rig->run.tests[0].counted_bytes = 5 * 320 * MB;
    rig->drive.watch.loaded.hops[1].below.aspm = 2;
    rig->result.machine.iommu = (struct pci_iommu){
        .kind = PCI_IOMMU_VTD, .unit_count = 1, .units = {{.state = PCI_IOMMU_TRANSLATING}}};
    rig->drive.info.queue_depth = 0;
    rig->drive.info.rotation_rpm = 7200;
    assert_verdict(rig, VERDICT_SUSPECT, 1);
    assert_says(rig, "Possible: link sleep (ASPM), IOMMU, no command queue, rotating disk.");
    assert_findings(rig, "link sleep,IOMMU");
    evidence(rig, 1);
    assert_says(rig, "1 of 1 VT-d units are on.");
    /* Neither matters to a SATA link. */
    rig->run.tests[0].counted_bytes = 5 * 110 * MB;
    rig->drive.sata_before.speed = rig->drive.sata_after.speed = 1;
    assert_verdict(rig, VERDICT_SUSPECT, VERDICT_SATA);
    assert_int_equal(rig->verdict.causes, VERDICT_CAUSE_UNQUEUED | VERDICT_CAUSE_ROTATES);
    free(rig);
}

/* SSDs that are AHCI controllers themselves, and sets of disks that a card shows as one. */
static void test_no_sata_wire(void **state)
{
    struct pci_path path = fake_lane(2, 2);
    struct rig *rig = rig_new(&path, 780 * MB);

    (void)state;
    assert_verdict(rig, VERDICT_LIMIT, 1);
    assert_true(rig->verdict.hops[VERDICT_SATA].refuted);
    assert_int_equal(rig->verdict.voids, 0);
    assert_false(rig->verdict.emulated_link);
    assert_says(rig, "It is more than the SATA link could carry");
    assert_string_equal(verdict_figures(&rig->verdict, VERDICT_SATA).mark, "assumed");
    /* Above the PCI Express link as well there is no such excuse. */
    rig->run.tests[0].counted_bytes = 5 * 870 * MB;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, VERDICT_SATA);
    /* Nor where no link was read. */
    rig->run.tests[0].counted_bytes = 5 * 780 * MB;
    rig->drive.watch.loaded.hops[1].nominal = true;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, VERDICT_SATA);
    free(rig);
}

/* What is not known cannot be acquitted. */
static void test_unknown_hops(void **state)
{
    struct pci_path path = fake_lane(0, 1);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    assert_verdict(rig, VERDICT_DRIVE, VERDICT_SATA);
    assert_int_equal(rig->verdict.unknown_hops, 1);
    assert_says(rig, "No known hop explains the rate: 205.0 MB/s is 35 %");
    assert_says(rig, "1 hop of the path has no ceiling.");
    rig->run.tests[0].counted_bytes = 5 * 560 * MB;
    assert_verdict(rig, VERDICT_LIMIT, VERDICT_SATA);
    assert_says(rig, "No other known hop comes near.");
    free(rig);
}

/* A bus: above the usual best is at the limit, above the raw rate is impossible. */
static void test_bus(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig;

    (void)state;
    fake_hop(&path, PCI_HOP_BUS, (struct pci_end){.index = 9, .answers = true});
    path.hops[2].bus = (struct pci_bus){
        .clock_thirds = 1, .clock_known = true, .width_bytes = 4, .width_known = true};
    rig = rig_new(&path, 131 * MB);
    assert_verdict(rig, VERDICT_LIMIT, 2);
    rig->run.tests[0].counted_bytes = 5 * 134 * MB;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, 2);
    rig->run.tests[0].counted_bytes = 5 * 89 * MB;
    assert_verdict(rig, VERDICT_SUSPECT, 2);
    assert_int_equal(rig->verdict.causes, VERDICT_CAUSE_BURSTS);
    assert_says(rig, "Possible: short bursts.");
    rig->drive.watch.loaded.hops[2].bus.clock_known = false;
    rig->run.tests[0].counted_bytes = 5 * 120 * MB;
    assert_verdict(rig, VERDICT_LIMIT, 2);
    assert_says(rig, "Its clock or width is assumed, not read.");
    free(rig);
}

/* Measured with Stall, a few per cent above a ceiling prove nothing. */
static void test_clock_margin(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig = rig_new(&path, 450 * MB);

    (void)state;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, 1);
    rig->result.clock.source = HW_CLOCK_STALL;
    assert_verdict(rig, VERDICT_LIMIT, 1);
    rig->run.tests[0].counted_bytes = 5 * 458 * MB;
    assert_verdict(rig, VERDICT_IMPOSSIBLE, 1);
    free(rig);
}

/* Error bits from before the run are not those of the run, and the other way round. */
static void test_whose_errors(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    rig->drive.watch.loaded.hops[1].above.aer_correctable = 0x40;
    rig->drive.watch.after.hops[1].above.aer_correctable = 0x40;
    assert_findings(rig, "errors during the run");
    free(rig);
    path.hops[1].above.aer_correctable = 0x40;
    rig = rig_new(&path, 205 * MB);
    assert_findings(rig, "link errors");
    judge(rig);
    assert_int_equal(rig->verdict.voids, 0);
    free(rig);
}

/* A port that is told to be slow is the cause, not a bad contact. */
static void test_target_speed(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    struct rig *rig;

    (void)state;
    path.hops[1].above.speed_max = path.hops[1].below.speed_max = path.hops[1].speed_max = 3;
    path.hops[1].above.has_link2 = true;
    path.hops[1].above.lnk_ctl2 = 1;
    rig = rig_new(&path, 205 * MB);
    assert_findings(rig, "link speed");
    evidence(rig, 0);
    assert_says(rig, "; 00:1c.0 is told to use 2.5 GT/s at most.");
    free(rig);
}

/* Two hops of nearly the same ceiling cannot be told apart. */
static void test_rival(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    struct rig *rig;

    (void)state;
    fake_hop(&path, PCI_HOP_INTERNAL, fake_end(2, 1, PCIE_TYPE_DOWNSTREAM, 1, 1));
    fake_hop(&path, PCI_HOP_LINK, fake_end(3, 0, PCIE_TYPE_LEGACY_ENDPOINT, 1, 1));
    rig = rig_new(&path, 205 * MB);
    assert_verdict(rig, VERDICT_LIMIT, 1);
    assert_int_equal(rig->verdict.rival, 3);
    assert_says(rig,
                "The PCIe link 02:01.0 - 03:00.0 is so near that it may be the limit as well.");
    free(rig);
}

static void test_no_rate(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    struct rig *rig = rig_new(&path, 0);

    (void)state;
    assert_string_equal(judge(rig), "There is no rate to judge.");
    assert_int_equal(rig->verdict.state, VERDICT_NONE);
    assert_true(rig->verdict.hops[1].known);
    rig->drive.planned = false;
    assert_string_equal(judge(rig), "There is no rate to judge.");
    rig->controller.ports[0].drive = NULL;
    assert_string_equal(judge(rig), "There is no rate to judge.");
    assert_findings(rig, "");
    free(rig);
}

/* The state under load counts, then that before the run, then that of the controller. */
static void test_which_path(void **state)
{
    struct pci_path fast = fake_lane(2, 1), slow = fake_lane(1, 1);
    struct rig *rig = rig_new(&fast, 205 * MB);

    (void)state;
    rig->drive.watch.before = rig->drive.watch.after = slow;
    assert_verdict(rig, VERDICT_DRIVE, 1);
    assert_findings(rig, "link rests");
    evidence(rig, 0);
    assert_string_equal(rig->text,
                        "The PCIe link 00:1c.0 - 01:00.0 is slower at rest: before 2.5 GT/s x1, "
                        "under load 5 GT/s x1, after 2.5 GT/s x1; Link Status of the port 0000 "
                        "before, 0000 after.");
    rig->drive.watch.looks = 0;
    assert_verdict(rig, VERDICT_LIMIT, 1);
    rig->drive.watch.has_before = false;
    assert_verdict(rig, VERDICT_DRIVE, 1);
    rig->controller.has_path = false;
    assert_verdict(rig, VERDICT_DRIVE, VERDICT_SATA);
    free(rig);
}

static void test_changed(void **state)
{
    struct pci_path path = fake_lane(2, 1), slow = fake_lane(1, 1);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    rig->drive.watch.after = slow;
    judge(rig);
    assert_int_equal(rig->verdict.voids, VERDICT_VOID_LINK_CHANGED);
    assert_findings(rig, "link changed");
    evidence(rig, 0);
    assert_says(rig, "changed during the run: before 5 GT/s x1, under load 5 GT/s x1, after 2.5 ");
    assert_int_equal(result_judge(&rig->result), STATUS_VOID);
    rig->drive.watch.after = path;
    pci_watch_look(&rig->drive.watch, &slow);
    judge(rig);
    assert_int_equal(rig->verdict.voids, VERDICT_VOID_LINK_CHANGED);
    evidence(rig, 0);
    assert_says(rig, "(and otherwise later)");
    free(rig);
}

static void test_errors(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    rig->drive.watch.after.hops[1].above.aer_correctable = 0x40;
    rig->drive.watch.before.hops[1].below.has_aer = false;
    rig->drive.watch.after.hops[1].below.has_aer = false;
    rig->drive.watch.after.hops[1].below.dev_sta = 1;
    judge(rig);
    assert_int_equal(rig->verdict.voids, VERDICT_VOID_LINK_ERRORS);
    assert_findings(rig, "errors during the run");
    evidence(rig, 0);
    assert_string_equal(rig->text,
                        "The PCIe link 00:1c.0 - 01:00.0 had errors during the run. 00:1c.0: bad "
                        "packet, status 00000000/00000040. 01:00.0: correctable error, Device "
                        "Status 0001.");
    free(rig);
}

/* Every bit of PxSERR: those that are errors void the run. */
static void test_sata_errors(void **state)
{
    struct pci_path path = fake_lane(2, 1);

    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct rig *rig = rig_new(&path, 205 * MB);
        bool counts = bit <= 1 || (bit >= 8 && bit <= 11) || bit == 17 || (bit >= 19 && bit <= 26);

        rig->drive.sata_after.errors = UINT32_C(1) << bit;
        judge(rig);
        assert_int_equal(rig->verdict.voids, counts ? VERDICT_VOID_SATA_ERRORS : 0);
        assert_findings(rig, counts ? "SATA errors" : "");
        if (bit == 21) {
            evidence(rig, 0);
            assert_string_equal(rig->text, "The SATA link had errors during the run: CRC error "
                                           "(PxSERR 00200000).");
        }
        free(rig);
    }
}

static void test_sata_changed(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    rig->drive.sata_after.speed = 2;
    judge(rig);
    assert_int_equal(rig->verdict.voids, VERDICT_VOID_SATA_CHANGED);
    assert_findings(rig, "SATA link changed");
    rig->drive.sata_after.known = false;
    judge(rig);
    assert_int_equal(rig->verdict.voids, 0);
    free(rig);
}

static void test_data(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct rig *rig = rig_new(&path, 205 * MB);

    (void)state;
    rig->run.voided = true;
    assert_string_equal(judge(rig),
                        "Void: data differ. The rate may not be used, so no hop is named.");
    assert_int_equal(rig->verdict.voids, VERDICT_VOID_DATA);
    free(rig);
}

/* What the table says of a void record. */
static void test_table(void **state)
{
    struct pci_path path = fake_lane(1, 1);
    struct rig *rig = rig_new(&path, 230 * MB);
    size_t bytes = REPORT_TABLE_BYTES(1, 1);
    char *buffer = malloc(bytes);
    struct text text;

    (void)state;
    rig->drive.sata_after.errors = 1;
    text_init(&text, buffer, bytes);
    report_table(&text, &rig->result);
    assert_non_null(strstr(buffer, "VOID      impossible rate, SATA errors: no figure of this "
                                   "drive may be used\n"));
    assert_non_null(strstr(buffer, "<- VOID\n"));
    assert_non_null(strstr(buffer, "recovered data error"));
    free(buffer);
    free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lane),         cmocka_unit_test(test_shared_uplink),
        cmocka_unit_test(test_drive),        cmocka_unit_test(test_sata),
        cmocka_unit_test(test_impossible),   cmocka_unit_test(test_virtual_machine),
        cmocka_unit_test(test_assumed),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_causes),       cmocka_unit_test(test_no_sata_wire),
        cmocka_unit_test(test_unknown_hops), cmocka_unit_test(test_bus),
        cmocka_unit_test(test_clock_margin), cmocka_unit_test(test_whose_errors),
        cmocka_unit_test(test_target_speed), cmocka_unit_test(test_rival),
        cmocka_unit_test(test_no_rate),      cmocka_unit_test(test_which_path),
        cmocka_unit_test(test_changed),      cmocka_unit_test(test_errors),
        cmocka_unit_test(test_sata_errors),  cmocka_unit_test(test_sata_changed),
        cmocka_unit_test(test_data),         cmocka_unit_test(test_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
