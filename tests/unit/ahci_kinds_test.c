/* Drives and ports of every kind: which are named, which are measured, and within which limits. */
#include "bench/plan.h"
#include "drivers/ahci/identify.h"
#include "tests/unit/ahci_rig.h"

static const uint64_t gib = UINT64_C(2) << 20; /* in sectors of 512 bytes */

static void put_string(uint16_t *words, const char *string)
{
    for (size_t i = 0; string[i] != '\0'; i++)
        words[i / 2] |= (uint16_t)((unsigned char)string[i] << (i % 2 == 0 ? 8 : 0));
}

/* What a drive of 1 GiB says, from which each test departs. */
static void make_words(uint16_t *w, const char *model, const char *firmware)
{
    memset(w, 0, AHCI_IDENTIFY_WORDS * sizeof *w);
    w[0] = 0x0040;
    w[2] = 0xc837;
    put_string(&w[10], "SECRET");
    put_string(&w[23], firmware);
    put_string(&w[27], model);
    w[60] = w[100] = (uint16_t)gib;
    w[61] = w[101] = (uint16_t)(gib >> 16);
    w[75] = 31;
    w[76] = 0x010e;
    w[83] = 0x4400;
    w[87] = 0x4000;
    w[106] = 0x4000;
}

static uint32_t reads(const struct rig *rig)
{
    return model_hba_commands(rig->hba, ATA_READ_DMA) +
           model_hba_commands(rig->hba, ATA_READ_DMA_EXT) +
           model_hba_commands(rig->hba, ATA_READ_FPDMA_QUEUED);
}

static const struct ahci_port *probe(struct rig *rig, unsigned port)
{
    assert_int_equal(ahci_port_probe(&rig->controller, port), STATUS_OK);
    return &rig->controller.ports[port];
}

/* Attaches to a controller with this one disk, and probes it. */
static const struct ahci_port *find(struct rig *rig, const struct model_disk *disk)
{
    rig_build(rig, MODEL_88SE9128_HBA, disk, 1);
    assert_int_equal(rig_attach(rig), STATUS_OK);
    return probe(rig, 0);
}

/* A drive that is named but must not be read; nothing but IDENTIFY was sent to find that out. */
static void check_refused(const struct model_disk *disk, const char *why)
{
    struct rig rig;
    const struct ahci_port *port = find(&rig, disk);

    assert_int_equal(port->kind, AHCI_PORT_DRIVE);
    assert_string_equal(port->drive.info.model, "A MODEL");
    assert_non_null(strstr(drive_refusal(&port->drive.info), why));
    assert_int_equal(reads(&rig), 0);
    assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_DEVICE), 1);
    rig_end(&rig);
}

static void names_drives_that_it_does_not_measure(void **state)
{
    struct model_disk disk = rig_disk(gib);
    uint16_t w[AHCI_IDENTIFY_WORDS];

    (void)state;
    make_words(w, "A MODEL", "1.0");
    disk.identify = w;
    disk.signature = AHCI_PX_SIG_ZONED;
    check_refused(&disk, "host-managed");
    disk.signature = 0;
    w[128] = 7;
    check_refused(&disk, "locked");
    w[128] = 0;
    w[0] = 0x0044;
    w[2] = 0x37c8;
    w[60] = w[61] = 0;
    check_refused(&disk, "spun up");
}

/* A zoned drive that also works without its host's care is measured, and marked. */
static void measures_drives_that_manage_zones_themselves(void **state)
{
    static const enum drive_zones zones[] = {DRIVE_ZONES_NONE, DRIVE_ZONES_HOST_AWARE,
                                             DRIVE_ZONES_DEVICE_MANAGED};
    uint16_t w[AHCI_IDENTIFY_WORDS];

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(zones); i++) {
        struct model_disk disk = rig_disk(gib);
        struct drive *drive;
        struct rig rig;

        make_words(w, "A MODEL", "1.0");
        w[0] |= 0x0080;
        w[69] = (uint16_t)i;
        disk.identify = w;
        rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
        drive = rig_drive(&rig);
        assert_int_equal(drive->info.zones, zones[i]);
        assert_true(drive->info.removable);
        assert_string_equal(drive_refusal(&drive->info), "");
        rig_read_checked(&rig, drive, gib - 8, 8, DRIVE_READ_QUEUED);
        rig_end(&rig);
    }
}

static void keeps_to_the_limits_of_single_drives(void **state)
{
    static const struct {
        const char *model, *firmware;
        uint32_t sectors_max;
        bool array;
    } cases[] = {
        {"MARVELL Raid VD", "MV.R00-0", 8191, true},
        {"MARVELL Raid VD 0", "", 8191, true},
        {"DELLBOSS VD", "MV.R00-0", 8191, true},
        {"INTEL SSDSC2KG480G8", "XCV10120", 8191, false},
        {"INTEL SSDSC2KG480G8", "XCV10132", 65536, false},
        {"LITEON CX1-JB512-HP", "1", 1024, false},
        {"LITEON EP1-KB480", "1", 1024, false},
        {"MARVELL SSD", "1", 65536, false},
        {"", "", 65536, false},
    };
    uint16_t w[AHCI_IDENTIFY_WORDS];

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct drive_read read = {.sectors = cases[i].sectors_max + 1};
        struct model_disk disk = rig_disk(gib);
        struct drive *drive;
        struct rig rig;

        make_words(w, cases[i].model, cases[i].firmware);
        disk.identify = w;
        disk.sectors_max = cases[i].sectors_max;
        rig_build(&rig, MODEL_88SE9128_RAID, &disk, 1);
        drive = rig_drive(&rig);
        read.bus = rig.buffer.bus;
        assert_int_equal(drive->info.command_sectors_max, cases[i].sectors_max);
        assert_int_equal(drive->info.array, cases[i].array);
        assert_int_equal(drive->ops->prepare(drive, 0, &read), STATUS_INVALID);
        rig_read_checked(&rig, drive, 3, cases[i].sectors_max, DRIVE_READ_DMA);
        rig_end(&rig);
    }
}

/* Physical sectors of 4 KiB that begin at logical sector 7, 15, ...: reads begin there, too. */
static void reads_aligned_to_shifted_sectors(void **state)
{
    const struct plan_options options = {.seed = 3};
    struct model_disk disk = rig_disk(gib);
    uint16_t w[AHCI_IDENTIFY_WORDS];
    const struct ahci_port *port;
    struct plan plan;
    struct rig rig;

    (void)state;
    make_words(w, "A MODEL", "1.0");
    w[106] = 0x6003;
    w[209] = 0x4001;
    disk.identify = w;
    port = find(&rig, &disk);
    assert_int_equal(port->drive.info.physical_bytes, 4096);
    assert_int_equal(port->drive.info.alignment_sectors, 1);
    assert_int_equal(plan_make(&port->drive.info, &options, &plan), STATUS_OK);
    for (unsigned i = 0; i < plan.step_count; i++) {
        const struct plan_step *step = &plan.steps[i];

        if (step->kind == PLAN_OVERHEAD || step->kind == PLAN_VERIFY)
            continue;
        assert_int_equal(step->first_lba, 7);
        assert_int_equal(step->spacing_sectors % 8, 0);
        assert_int_equal(step->command_sectors % 8, 0);
    }
    rig_end(&rig);
}

static void names_packet_devices(void **state)
{
    struct model_disk disks[] = {{.kind = MODEL_DISK_ATAPI, .model = "MODEL CD"},
                                 {.kind = MODEL_DISK_ATAPI, .model = "MODEL CD"}};
    uint16_t w[AHCI_IDENTIFY_WORDS];
    const struct ahci_port *port;
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, disks, 2);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    for (unsigned i = 0; i < 2; i++) {
        port = probe(&rig, i);
        assert_int_equal(port->kind, AHCI_PORT_ATAPI);
        assert_string_equal(port->drive.info.model, "MODEL CD");
    }
    assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_PACKET_DEVICE), 2);
    rig_end(&rig);

    /* One that does not answer stays what it is. */
    disks[0] = rig_disk(gib);
    disks[0].signature = AHCI_PX_SIG_ATAPI;
    port = find(&rig, disks);
    assert_int_equal(port->kind, AHCI_PORT_ATAPI);
    assert_string_equal(port->drive.info.model, "");
    assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_PACKET_DEVICE), 1);
    rig_end(&rig);

    /* One with the signature of a drive gives itself away in its words. */
    make_words(w, "A MODEL", "1.0");
    w[0] = 0x85c0;
    disks[0].signature = 0;
    disks[0].identify = w;
    port = find(&rig, disks);
    assert_int_equal(port->kind, AHCI_PORT_ATAPI);
    assert_string_equal(port->drive.info.model, "A MODEL");
    assert_null(ahci_port_drive(&rig.controller, 0));
    rig_end(&rig);
}

/* RAID firmware, told by CAP.SPM: its console is the packet device on the last port, no other. */
static void asks_the_raid_console_nothing(void **state)
{
    const struct model_disk disks[] = {{.kind = MODEL_DISK_ATAPI, .model = "MODEL CD"},
                                       {.kind = MODEL_DISK_ATAPI, .model = "MARVELL VIRTUALL"}};
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, disks, 2);
    model_hba_poke(rig.hba, AHCI_CAP, model_hba_peek(rig.hba, AHCI_CAP) & ~AHCI_CAP_SPM);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(probe(&rig, 1)->kind, AHCI_PORT_IGNORED);
    assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_PACKET_DEVICE), 0);
    assert_int_equal(probe(&rig, 0)->kind, AHCI_PORT_ATAPI);
    assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_PACKET_DEVICE), 1);
    rig_end(&rig);
}

static void tells_what_is_wrong_with_a_port(void **state)
{
    static const struct {
        uint32_t signature, ssts;
        uint64_t link_ns;
        enum ahci_port_kind kind;
        const char *reason;
    } cases[] = {
        {AHCI_PX_SIG_NONE, 0, 0, AHCI_PORT_NOT_READY, "no signature"},
        {0x12345678, 0, 0, AHCI_PORT_NOT_READY, "unknown signature"},
        {0, 0x101, UINT64_C(5000000000), AHCI_PORT_LINK_DOWN, "link"},
        {0, 0x101, 150000000, AHCI_PORT_DRIVE, ""}, /* seen, and woken by a reset */
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct model_disk disk = rig_disk(gib);
        const struct ahci_port *port;
        struct rig rig;

        disk.signature = cases[i].signature;
        disk.ssts = cases[i].ssts;
        disk.link_ns = cases[i].link_ns;
        port = find(&rig, &disk);
        assert_int_equal(port->kind, cases[i].kind);
        assert_non_null(strstr(port->reason, cases[i].reason));
        rig_end(&rig);
    }
}

static uint32_t port_register(const struct rig *rig, unsigned port, uint32_t reg)
{
    return model_hba_peek(rig->hba, AHCI_PORT_BASE + port * AHCI_PORT_STRIDE + reg);
}

/* Two disks behind a controller that staggers spin-up, neither started; CAP as it then is. */
static void build_staggered(struct rig *rig, uint64_t link_ns, uint32_t cap_sss)
{
    struct model_disk disks[] = {rig_disk(gib), rig_disk(gib)};

    disks[0].link_ns = link_ns;
    disks[0].ready_ns = disks[1].ready_ns = UINT64_C(8000000000);
    rig_build(rig, MODEL_88SE9128_HBA, disks, 2);
    model_hba_poke(rig->hba, AHCI_CAP, model_hba_peek(rig->hba, AHCI_CAP) | cap_sss);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t base = AHCI_PORT_BASE + i * AHCI_PORT_STRIDE;

        model_hba_poke(rig->hba, base + AHCI_PX_CMD, AHCI_PX_CMD_POD);
        model_hba_poke(rig->hba, base + AHCI_PX_SSTS, 0);
    }
    assert_int_equal(rig_attach(rig), STATUS_OK);
}

static bool is_spun_up(const struct rig *rig, unsigned port)
{
    return (port_register(rig, port, AHCI_PX_CMD) & AHCI_PX_CMD_SUD) != 0;
}

/* One disk after the other, each ready before the next one draws its current. */
static void spins_disks_up_one_by_one(void **state)
{
    struct rig rig;
    uint64_t start;

    (void)state;
    build_staggered(&rig, 150000000, AHCI_CAP_SSS);
    assert_false(is_spun_up(&rig, 0) || is_spun_up(&rig, 1));
    model_advance_ns(UINT64_C(3000000000)); /* whatever else the caller has to do */
    start = model_now_ns();
    assert_int_equal(probe(&rig, 0)->kind, AHCI_PORT_DRIVE);
    assert_true(model_now_ns() - start > UINT64_C(8000000000));
    assert_true(is_spun_up(&rig, 0));
    assert_false(is_spun_up(&rig, 1));
    assert_int_equal(probe(&rig, 1)->kind, AHCI_PORT_DRIVE);
    ahci_detach(&rig.controller, &rig.restored);
    assert_false(is_spun_up(&rig, 0) || is_spun_up(&rig, 1));
    assert_int_equal(rig.restored.ports_restored, 3);
    rig_end(&rig);

    build_staggered(&rig, 400000000, AHCI_CAP_SSS); /* too late */
    assert_int_equal(probe(&rig, 0)->kind, AHCI_PORT_EMPTY);
    rig_end(&rig);
}

/* A fault at each register access from taking over to giving back, while disks spin up. */
static void survives_faults_while_disks_spin_up(void **state)
{
    static const enum model_fault faults[] = {MODEL_FAULT_GONE, MODEL_FAULT_LINK_LOST,
                                              MODEL_FAULT_STUCK_ENGINE};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(faults); i++) {
        uint64_t access = 1;
        struct rig rig;

        do {
            uint64_t start;

            build_staggered(&rig, 150000000, AHCI_CAP_SSS);
            model_hba_inject(rig.hba, faults[i], 0, model_hba_accesses(rig.hba) + access);
            start = model_now_ns();
            for (unsigned port = 0; port < 2; port++)
                (void)!ahci_port_probe(&rig.controller, port);
            ahci_detach(&rig.controller, &rig.restored);
            assert_true(model_now_ns() - start < UINT64_C(100000000000));
            if (!rig.restored.memory_abandoned)
                assert_int_equal(model_dma_live(), 0);
            access++;
        } while (model_hba_fault_hit(rig.hba) && access < 1000);
        assert_in_range(access, 40, 999);
    }
}

static void switches_all_links_on_without_staggering(void **state)
{
    struct rig rig;

    (void)state;
    build_staggered(&rig, 1000000, 0);
    assert_true(is_spun_up(&rig, 0) && is_spun_up(&rig, 1));
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_drives_that_it_does_not_measure),
        cmocka_unit_test(measures_drives_that_manage_zones_themselves),
        cmocka_unit_test(keeps_to_the_limits_of_single_drives),
        cmocka_unit_test(reads_aligned_to_shifted_sectors),
        cmocka_unit_test(names_packet_devices),
        cmocka_unit_test(asks_the_raid_console_nothing),
        cmocka_unit_test(tells_what_is_wrong_with_a_port),
        cmocka_unit_test(spins_disks_up_one_by_one),
        cmocka_unit_test(survives_faults_while_disks_spin_up),
        cmocka_unit_test(switches_all_links_on_without_staggering),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
