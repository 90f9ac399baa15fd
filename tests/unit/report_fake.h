/*
 * A whole result without a machine: two controllers, one of them left alone, a drive with a full
 * (short) run and a failed read, and one with an evil name whose run was aborted. The runs are real
 * ones on virtual time, so that figures and samples belong together.
 */
#ifndef TESTS_UNIT_REPORT_FAKE_H
#define TESTS_UNIT_REPORT_FAKE_H

#include "pci/ceiling.h"
#include "report/result.h"
#include "tests/unit/bench_fake.h"

struct report_rig {
    struct rig *rig[2];
    struct result_drive drives[2];
    struct result_controller controllers[2];
    struct result result;
};

/* Much fewer reads than any real plan has: the golden files are to be read by people. */
static inline void shorten_plan(struct plan *plan)
{
    static const uint32_t counts[PLAN_KINDS] = {20, PLAN_VERIFY_PLACES, 12, 60, 200};

    for (uint32_t i = 0; i < plan->step_count; i++)
        plan->steps[i].count = counts[plan->steps[i].kind];
}

/* Runs, the outer parts of the drive being the faster ones. Stops in a test on request. */
static inline void report_run(struct rig *rig, enum plan_kind stop_in)
{
    uint64_t outermost = rig->fake.media_bytes_per_s;

    rig_begin(rig);
    shorten_plan(&rig->run.plan);
    while (bench_step(&rig->bench)) {
        struct bench_progress progress = bench_progress(&rig->bench);

        if (progress.kind == PLAN_TRANSFER && progress.permille > 0)
            rig->fake.media_bytes_per_s = outermost - progress.permille * (outermost / 2000);
        if (progress.kind == stop_in && progress.permille > 300)
            bench_abort(&rig->bench);
        model_advance_ns(40000);
    }
}

/* A card that can do 5 GT/s x2 behind a port of 5 GT/s x1 which also serves another device. */
static inline struct pci_path report_path(void)
{
    struct pci_end port = {
        .index = 1,
        .address = {0, 0, 0x1c, 4},
        .vendor_id = 0x8086,
        .device_id = 0x1c18,
        .answers = true,
        .has_pcie = true,
        .has_link = true,
        .has_link2 = true,
        .has_slot = true,
        .version = 2,
        .port_type = 4,
        .dev_cap = 0x8000,
        .lnk_cap = 0x05134c12,
        .lnk_sta = 0x7012,
        .lnk_ctl2 = 2,
        .speed = 2,
        .width = 1,
        .speed_max = 2,
        .width_max = 1,
        .payload_bytes = 128,
        .payload_max_bytes = 128,
        .request_bytes = 128,
        .rcb_bytes = 64,
        .aspm_supported = 3,
        .common_clock = true,
        .slot_number = 4,
        .slot_power_mw = 10000,
    };
    struct pci_end card = port;
    struct pci_path path = {.count = 2};

    card.index = 2;
    card.address = (struct pci_address){0, 1, 0, 0};
    card.vendor_id = 0x1b4b;
    card.device_id = 0x9230;
    card.port_type = 1;
    card.has_slot = false;
    card.has_aer = true;
    card.width_max = 2;
    card.payload_max_bytes = 512;
    card.request_bytes = 512;
    path.hops[0] = (struct pci_hop){
        .kind = PCI_HOP_INTERNAL, .above = {.index = PCI_NO_PARENT}, .below = port};
    path.hops[1] = (struct pci_hop){.kind = PCI_HOP_LINK,
                                    .above = port,
                                    .below = card,
                                    .speed = 2,
                                    .width = 1,
                                    .speed_max = 2,
                                    .width_max = 1,
                                    .shared_count = 1,
                                    .shared = {{{0, 2, 0, 0}, 0x10ec, 0x8168, 2, 0, 0}}};
    return path;
}

/* Looks that found nothing but what was there before. */
static inline void report_fill_watch(struct result_drive *drive)
{
    const struct pci_path path = report_path();
    const struct drive_link link = {
        .known = true, .speed = 3, .speed_max = 3, .power = 1, .status = 0x133, .control = 0x300};

    drive->watch =
        (struct pci_watch){.has_before = true, .has_after = true, .before = path, .after = path};
    pci_watch_look(&drive->watch, &path);
    drive->sata_before = drive->sata_after = link;
}

static inline void report_fill_drives(struct report_rig *all)
{
    struct rig *good = all->rig[0] = rig_new();
    struct rig *evil = all->rig[1] = rig_new();

    strcpy(good->fake.drive.info.model, "GOLDEN DISK 4000");
    strcpy(good->fake.drive.info.firmware, "1.0");
    good->fake.drive.info.rotation_rpm = 7200;
    good->fake.drive.info.sata_speeds = 0xe;
    good->fake.drive.info.link_speed = 3;
    good->fake.drive.info.link_reported = 3;
    good->fake.drive.info.lba48 = true;
    good->fake.drive.info.zones = DRIVE_ZONES_HOST_AWARE;
    good->fake.drive.info.look_ahead_known = true;
    good->fake.drive.info.acoustic = 128;
    good->fake.media_bytes_per_s = 200000000;
    good->fake.latency_ns = 80000;
    good->fake.slow_every = 17;
    good->fake.slow_latency_ns = 9000000;
    good->fake.bad_lba = 1000;
    report_run(good, PLAN_KINDS);
    strcpy(evil->fake.drive.info.model, "EVIL \"DISK\" \\ \x01\x1f\x7f\xe4\xff");
    evil->fake.drive.info.queue_depth = 0;
    evil->fake.media_bytes_per_s = 20000000; /* slow enough for a step that can be aborted after */
    report_run(evil, PLAN_TRANSFER);
    for (uint32_t i = 0; i < 2; i++)
        all->drives[i] = (struct result_drive){.info = all->rig[i]->fake.drive.info,
                                               .planned = true,
                                               .left_alone = "",
                                               .run = &all->rig[i]->run,
                                               .samples = all->rig[i]->setup.samples};
    report_fill_watch(&all->drives[0]);
}

static inline void report_fill_controllers(struct report_rig *all)
{
    struct result_controller *used = &all->controllers[0];

    *used = (struct result_controller){
        .pci = {.address = {0, 1, 0, 0},
                .vendor_id = 0x1b4b,
                .device_id = 0x9230,
                .subsystem_vendor_id = 0x1b4b,
                .subsystem_id = 0x9230,
                .revision = 0x11,
                .class_base = 1,
                .class_sub = 6,
                .prog_if = 1},
        .has_path = true,
        .path = report_path(),
        .header_bytes = PCI_TLP_HEADER_3DW,
        .slot = "PCIEX1_1",
        .taken = true,
        .left_alone = "",
        .cap = 0xc734ff02,
        .cap2 = 0x3c,
        .vs = 0x00010301,
        .pi = 0x1f,
        .restored = {true, 0x1f, 0, false, RESULT_YES, RESULT_UNKNOWN, ""},
        .port_count = 5,
        .ports = {{0, "drive", "", &all->drives[0], ""},
                  {1, "drive", "", &all->drives[1], ""},
                  {2, "empty", "", NULL, ""},
                  {3, "link down", "something is connected, but the link does not come up", NULL,
                   ""},
                  {4, "packet device", "packet devices are not measured", NULL, "GOLDEN CD"}},
    };
    all->controllers[1] = (struct result_controller){
        .pci = {.address = {0, 0, 0x1f, 2},
                .vendor_id = 0x8086,
                .device_id = 0x2922,
                .revision = 2,
                .class_base = 1,
                .class_sub = 6,
                .prog_if = 1},
        .left_alone = "it carries the volume barelane was started from; --force takes it all the "
                      "same",
    };
}

static inline void report_fill_machine(struct result_machine *machine)
{
    *machine = (struct result_machine){
        .firmware_vendor = "EDK II",
        .firmware_revision = 0x10000,
        .uefi_revision = 0x20046,
        .secure_boot = RESULT_NO,
        .hypervisor = true,
        .cpu = {"Golden(R) CPU   G9 @ 2.50GHz", "GenuineIntel", 6, 42, 7},
        .smbios = {.bios = {"Golden Megatrends Inc.", "0901", "11/30/2026"},
                   .system = {"To Be Filled By O.E.M.", "System Product Name", ""},
                   .board = {"Golden Computer Inc.", "G9Z68-V \"PRO\"", "Default string"},
                   .cpu = "Golden CPU, socket 0",
                   .memory_mib = 16384,
                   .slot_count = 3,
                   .slots = {{"PCIEX16_1", 0xb1, 0x0d, true, {0, 0, 1, 0}},
                             {"PCIEX1_1", 0xa5, 0x08, true, {0, 0, 0x1c, 4}},
                             {"", 0, 0x05, false, {0, 0, 0, 0}}}},
        .iommu = {.kind = PCI_IOMMU_VTD,
                  .unit_count = 2,
                  .units = {{0xfed90000, 0, false, PCI_IOMMU_OFF},
                            {0xfed91000, 0, true, PCI_IOMMU_UNKNOWN}}},
    };
}

static inline struct report_rig *report_rig_new(void)
{
    struct report_rig *all = calloc(1, sizeof *all);
    struct result *result = &all->result;

    report_fill_drives(all);
    report_fill_controllers(all);
    result->tool = (struct result_tool){.id = "0123456789abcdef0123456789abcdef",
                                        .rtc = "2026-11-30T23:12:45",
                                        .version = "0.1.0",
                                        .started_by = "shell",
                                        .arguments = "--seed 42"};
    report_fill_machine(&result->machine);
    result->clock = model_clock;
    result->clock.spread_ppm = 12;
    result->clock.cpuid_hz = 2499990000;
    result->clock.cpuid_differs_ppm = -4;
    result->controllers = all->controllers;
    result->controller_count = 2;
    result_note(result, "A note with \"quotes\" that is long enough to be broken into two lines, "
                        "as notes on a screen of 80 columns have to be.");
    result->status = result_judge(result);
    result->finished = true;
    return all;
}

static inline void report_rig_free(struct report_rig *all)
{
    rig_free(all->rig[0]);
    rig_free(all->rig[1]);
    free(all);
}

#endif
