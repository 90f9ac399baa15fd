/* The classes of AHCI's errors, one by one: what is recorded, what is done, what is not. */
#include "drivers/ahci/port.h"
#include "tests/unit/ahci_snapshot.h"

#define SECTORS (UINT64_C(1) << 28)

static void inject_next(struct rig *rig, enum model_fault fault)
{
    model_hba_inject(rig->hba, fault, 0, model_hba_accesses(rig->hba) + 1);
}

static struct drive *drive_on(struct rig *rig, enum model_personality personality,
                              const struct model_disk *disk)
{
    rig_build(rig, personality, disk, 1);
    return rig_drive(rig);
}

/* Prepares and starts `count` queued reads, 8 sectors each, from slot 0 on. */
static void start_queue(struct rig *rig, struct drive *drive, unsigned count)
{
    uint64_t t0;

    for (unsigned slot = 0; slot < count; slot++) {
        const struct drive_read read = {.lba = 1000 + 64 * slot,
                                        .sectors = 8,
                                        .command = DRIVE_READ_QUEUED,
                                        .bus = rig->buffer.bus + slot * 4096};

        assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
    }
    assert_int_equal(drive->ops->start(drive, BIT32(count) - 1, &t0), STATUS_OK);
}

static enum status await_queue(struct drive *drive, unsigned count)
{
    uint32_t left = BIT32(count) - 1;
    struct drive_done done;
    enum status status = STATUS_OK;

    while (left != 0 && status == STATUS_OK) {
        status = drive->ops->await(drive, left, 10 * SECOND, &done);
        if (status == STATUS_OK)
            left &= ~done.slots;
    }
    return status;
}

/* E1: the word, the range and the place; nothing is reset. */
static void an_error_of_one_command(void **state)
{
    static const struct {
        enum model_fault fault;
        const char *word;
    } cases[] = {{MODEL_FAULT_TASK_FILE, "UNC"},
                 {MODEL_FAULT_NOT_FOUND, "IDNF"},
                 {MODEL_FAULT_REFUSED, "ABRT"},
                 {MODEL_FAULT_DEFECT, "DF"}};
    const uint64_t lba = 0x8765432;

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++)
        for (unsigned short_lba = 0; short_lba < 2; short_lba++) {
            struct model_disk disk = rig_disk(SECTORS - 1);
            struct drive *drive;
            struct rig rig;
            uint32_t comresets;

            disk.no_lba48 = short_lba != 0;
            drive = drive_on(&rig, MODEL_C216, &disk);
            rig_read_checked(&rig, drive, lba + 1, 50, DRIVE_READ_DMA); /* leaves a FIS */
            comresets = model_hba_comresets(rig.hba);
            inject_next(&rig, cases[i].fault);
            assert_int_equal(rig_read(&rig, drive, lba, 100, DRIVE_READ_DMA), STATUS_DEVICE);
            assert_int_equal(drive->fault.kind, DRIVE_FAULT_TASK_FILE);
            assert_string_equal(drive->fault.error, cases[i].word);
            assert_int_equal(drive->fault.lba, lba);
            assert_int_equal(drive->fault.sectors, 100);
            assert_true(drive->fault.error_lba_known);
            assert_int_equal(drive->fault.error_lba, lba + 50);
            assert_true(drive->fault.recovered);
            assert_int_equal(model_hba_comresets(rig.hba), comresets);
            assert_int_equal(
                model_hba_commands(rig.hba, short_lba != 0 ? ATA_READ_DMA : ATA_READ_DMA_EXT), 2);
            rig_read_checked(&rig, drive, lba, 100, DRIVE_READ_DMA);
            rig_end(&rig);
        }
}

/* What a FIS in memory would say of a failed read of sector 5000, if it were believed. */
static void forge_fis(struct rig *rig, uint8_t type, uint8_t error, uint16_t sector)
{
    uint8_t *fis = (uint8_t *)rig->controller.ports[0].memory.cpu + AHCI_MEMORY_FIS + AHCI_RFIS_D2H;

    fis[AHCI_FIS_TYPE] = type;
    fis[AHCI_FIS_COMMAND] = 0x41;
    fis[AHCI_FIS_FEATURES] = error;
    fis[AHCI_FIS_LBA] = (uint8_t)sector;
    fis[AHCI_FIS_LBA + 1] = (uint8_t)(sector >> 8);
}

/* A FIS that is not there, is none, or tells of something else, names no place. */
static void a_place_is_not_made_up(void **state)
{
    static const struct {
        uint8_t type, error;
        uint16_t sector;
        bool restarts; /* the engine, between the FIS and the failure */
        bool known;
    } cases[] = {
        {0, 0, 0, false, false},          {0x34, 0x40, 5000, false, true},
        {0x34, 0x40, 5007, false, true},  {0x34, 0x40, 5008, false, false},
        {0x34, 0x40, 4999, false, false}, {0x34, 0x10, 5000, false, false},
        {0xa1, 0x40, 5000, false, false}, {0x34, 0x40, 5000, true, false},
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        const struct model_disk disk = rig_disk(SECTORS);
        struct drive *drive;
        struct rig rig;

        drive = drive_on(&rig, MODEL_88SE9128_RAID, &disk); /* posts none itself */
        forge_fis(&rig, cases[i].type, cases[i].error, cases[i].sector);
        if (cases[i].restarts) {
            inject_next(&rig, MODEL_FAULT_INTERFACE);
            assert_int_equal(rig_read(&rig, drive, 1, 8, DRIVE_READ_DMA), STATUS_DEVICE);
        }
        inject_next(&rig, MODEL_FAULT_TASK_FILE);
        assert_int_equal(rig_read(&rig, drive, 5000, 8, DRIVE_READ_DMA), STATUS_DEVICE);
        assert_string_equal(drive->fault.error, "UNC");
        assert_int_equal(drive->fault.sectors, 8);
        assert_int_equal(drive->fault.error_lba_known, cases[i].known);
        assert_int_equal(drive->fault.error_lba, cases[i].known ? cases[i].sector : 0);
        rig_end(&rig);
    }
}

/* E2: what each kind of log leads to. The drive works afterwards, and one fault is recorded. */
static void an_error_in_a_queue(void **state)
{
    static const struct {
        enum model_log log;
        bool command_known, place_known, reset;
    } cases[] = {
        {MODEL_LOG_GOOD, true, true, false},        {MODEL_LOG_ABORTED, false, false, true},
        {MODEL_LOG_HANGS, false, false, true},      {MODEL_LOG_BAD_SUM, false, false, false},
        {MODEL_LOG_BLANK, false, false, false},     {MODEL_LOG_NOT_QUEUED, false, false, false},
        {MODEL_LOG_WRONG_TAG, false, false, false}, {MODEL_LOG_WRONG_LBA, true, false, false},
    };

    (void)state;
    assert_int_equal(COUNT_OF(cases), MODEL_LOGS);
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct model_disk disk = rig_disk(SECTORS);
        const struct drive_fault *fault;
        struct drive *drive;
        struct rig rig;
        uint32_t comresets;
        uint64_t begin;

        disk.order = MODEL_ORDER_LIFO;
        disk.log = cases[i].log;
        drive = drive_on(&rig, MODEL_C216, &disk);
        fault = &drive->fault;
        comresets = model_hba_comresets(rig.hba);
        begin = model_now_ns();
        inject_next(&rig, MODEL_FAULT_TASK_FILE);
        start_queue(&rig, drive, 16);
        assert_int_equal(await_queue(drive, 16), STATUS_DEVICE);
        assert_int_equal(fault->kind, DRIVE_FAULT_TASK_FILE);
        assert_string_equal(fault->operation, "READ FPDMA QUEUED");
        assert_string_equal(fault->error, "UNC");
        /* The last one comes first here, and it is not the one with the lowest address. */
        assert_int_equal(fault->lba, cases[i].command_known ? 1000 + 64 * 15 : 1000);
        assert_int_equal(fault->sectors, cases[i].command_known ? 8 : 0);
        assert_int_equal(fault->error_lba_known, cases[i].place_known);
        assert_int_equal(fault->error_lba, cases[i].place_known ? 1000 + 64 * 15 + 4 : 0);
        assert_true(fault->recovered);
        assert_int_equal(model_hba_comresets(rig.hba) - comresets, cases[i].reset);
        assert_int_equal(model_hba_commands(rig.hba, ATA_READ_LOG_EXT), 1);
        assert_int_equal(rig.controller.ports[0].restarts, 1);
        assert_true(model_now_ns() - begin < UINT64_C(1200000000));
        start_queue(&rig, drive, 16);
        assert_int_equal(await_queue(drive, 16), STATUS_OK);
        rig_end(&rig);
    }
}

/* One command in the queue is the one that failed, whatever the log says. QEMU knows no log. */
static void an_error_in_a_queue_of_one(void **state)
{
    const struct model_disk disk = rig_disk(SECTORS);
    struct drive *drive;
    struct rig rig;

    (void)state;
    drive = drive_on(&rig, MODEL_ICH9_QEMU, &disk);
    inject_next(&rig, MODEL_FAULT_REFUSED);
    assert_int_equal(rig_read(&rig, drive, 77, 8, DRIVE_READ_QUEUED), STATUS_DEVICE);
    assert_string_equal(drive->fault.error, "ABRT");
    assert_int_equal(drive->fault.lba, 77);
    assert_int_equal(drive->fault.sectors, 8);
    assert_true(drive->fault.recovered);
    rig_read_checked(&rig, drive, 77, 8, DRIVE_READ_QUEUED);
    rig_end(&rig);
}

/* E3: a restart; a COMRESET when it repeats, and always when the drive still holds a queue. */
static void an_error_of_the_link(void **state)
{
    static const struct {
        enum model_fault fault;
        enum drive_command command;
        unsigned comresets[4]; /* after the first, second ... error */
    } cases[] = {
        {MODEL_FAULT_INTERFACE, DRIVE_READ_DMA, {0, 1, 1, 2}},
        {MODEL_FAULT_GARBLED, DRIVE_READ_DMA, {0, 1, 1, 2}},
        {MODEL_FAULT_INTERFACE, DRIVE_READ_QUEUED, {1, 2, 3, 4}},
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        const struct model_disk disk = rig_disk(SECTORS);
        struct drive *drive;
        struct rig rig;
        uint32_t before;

        drive = drive_on(&rig, MODEL_C216, &disk);
        before = model_hba_comresets(rig.hba);
        for (unsigned k = 0; k < 4; k++) {
            inject_next(&rig, cases[i].fault);
            assert_int_equal(rig_read(&rig, drive, 9, 8, cases[i].command), STATUS_DEVICE);
            assert_int_equal(drive->fault.kind, DRIVE_FAULT_INTERFACE);
            assert_null(drive->fault.error);
            assert_true(drive->fault.recovered);
            assert_int_equal(model_hba_comresets(rig.hba) - before, cases[i].comresets[k]);
            rig_read_checked(&rig, drive, 9, 8, cases[i].command);
        }
        rig_end(&rig);
    }
}

/* What the link repaired by itself makes no error of it, unless the drive gives no other reason. */
static void an_old_trace_of_the_link_decides_little(void **state)
{
    static const struct {
        enum model_fault fault;
        enum drive_fault_kind kind;
    } cases[] = {{MODEL_FAULT_TASK_FILE, DRIVE_FAULT_TASK_FILE},
                 {MODEL_FAULT_NOT_FOUND, DRIVE_FAULT_TASK_FILE},
                 {MODEL_FAULT_DEFECT, DRIVE_FAULT_TASK_FILE},
                 {MODEL_FAULT_REFUSED, DRIVE_FAULT_INTERFACE},
                 {MODEL_FAULT_DROPPED, DRIVE_FAULT_TIMEOUT}};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        const struct model_disk disk = rig_disk(SECTORS);
        struct drive *drive;
        struct rig rig;

        drive = drive_on(&rig, MODEL_C216, &disk);
        inject_next(&rig, MODEL_FAULT_NOISE);
        rig_read_checked(&rig, drive, 9, 8, DRIVE_READ_QUEUED); /* E9 */
        assert_true(model_hba_fault_hit(rig.hba));
        inject_next(&rig, cases[i].fault);
        assert_int_not_equal(rig_read(&rig, drive, 9, 8, DRIVE_READ_DMA), STATUS_OK);
        assert_int_equal(drive->fault.kind, cases[i].kind);
        assert_int_equal(model_hba_peek(rig.hba, AHCI_PORT_BASE + AHCI_PX_IS), 0);
        rig_end(&rig);
    }
}

/* E4: nothing is sent to any drive any more, probed already or not. */
static void a_host_bus_error_ends_all(void **state)
{
    const struct model_disk disks[] = {rig_disk(SECTORS), rig_disk(SECTORS), rig_disk(SECTORS)};
    const enum model_fault faults[] = {MODEL_FAULT_HOST_BUS, MODEL_FAULT_HOST_DATA};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct drive *drive, *other;
        struct rig rig;

        rig_build(&rig, MODEL_C216, disks, 3);
        drive = rig_drive(&rig);
        assert_int_equal(ahci_port_probe(&rig.controller, 1), STATUS_OK);
        other = ahci_port_drive(&rig.controller, 1);
        inject_next(&rig, faults[i]);
        assert_int_equal(rig_read(&rig, drive, 9, 8, DRIVE_READ_DMA), STATUS_DEVICE);
        assert_int_equal(drive->fault.kind, DRIVE_FAULT_HOST_BUS);
        assert_false(drive->fault.recovered);
        assert_int_equal(drive->fault.register_count, DRIVE_FAULT_REGISTERS);
        assert_int_equal(rig_read(&rig, other, 9, 8, DRIVE_READ_QUEUED), STATUS_DEVICE);
        assert_int_equal(other->fault.kind, DRIVE_FAULT_HOST_BUS);
        assert_int_equal(ahci_port_probe(&rig.controller, 2), STATUS_OK);
        assert_int_equal(rig.controller.ports[2].kind, AHCI_PORT_IGNORED);
        assert_string_equal(rig.controller.ports[2].reason,
                            "the controller cannot reach memory: wrong address or IOMMU");
        rig_end(&rig);
    }
}

/* A command that was under way meanwhile fails for itself, and its port is not started anew. */
static void a_host_bus_error_on_another_port(void **state)
{
    struct model_disk disks[] = {rig_disk(SECTORS), rig_disk(SECTORS)};
    struct drive_read read = {.lba = 5, .sectors = 8, .command = DRIVE_READ_DMA};
    struct drive *drive, *other;
    struct drive_done done;
    struct hw_dma memory;
    struct rig rig;
    uint64_t t0;

    (void)state;
    disks[1].command_ns = 50000000;
    rig_build(&rig, MODEL_C216, disks, 2);
    drive = rig_drive(&rig);
    assert_int_equal(ahci_port_probe(&rig.controller, 1), STATUS_OK);
    other = ahci_port_drive(&rig.controller, 1);
    assert_int_equal(hw_dma_alloc(4096, &memory), STATUS_OK);
    read.bus = memory.bus;
    model_hba_inject(rig.hba, MODEL_FAULT_HOST_BUS, 0, model_hba_accesses(rig.hba) + 2);
    model_hba_inject_also(rig.hba, MODEL_FAULT_TASK_FILE, 1, model_hba_accesses(rig.hba) + 1);
    assert_int_equal(other->ops->prepare(other, 0, &read), STATUS_OK);
    assert_int_equal(other->ops->start(other, 1, &t0), STATUS_OK);
    assert_int_equal(rig_read(&rig, drive, 9, 8, DRIVE_READ_DMA), STATUS_DEVICE);
    assert_int_equal(drive->fault.kind, DRIVE_FAULT_HOST_BUS);
    assert_int_equal(other->ops->await(other, 1, SECOND, &done), STATUS_DEVICE);
    assert_int_equal(other->fault.kind, DRIVE_FAULT_TASK_FILE);
    assert_false(other->fault.recovered);
    assert_false(rig.controller.ports[1].running);
    hw_dma_free(&memory);
    rig_end(&rig);
}

/* ... and one in the recovery of another error takes its place in the record. */
static void a_host_bus_error_while_the_log_is_read(void **state)
{
    unsigned seen = 0;

    (void)state;
    for (unsigned after = 3; after < 40; after++) {
        const struct model_disk disk = rig_disk(SECTORS);
        struct drive *drive;
        struct rig rig;

        drive = drive_on(&rig, MODEL_C216, &disk);
        inject_next(&rig, MODEL_FAULT_TASK_FILE);
        model_hba_inject_also(rig.hba, MODEL_FAULT_HOST_BUS, 0,
                              model_hba_accesses(rig.hba) + after);
        start_queue(&rig, drive, 2);
        assert_int_equal(await_queue(drive, 2), STATUS_DEVICE);
        if (drive->fault.kind == DRIVE_FAULT_HOST_BUS &&
            strcmp(drive->fault.operation, "READ LOG EXT") == 0)
            seen++;
        assert_int_equal(drive->fault.recovered, !rig.controller.unusable);
        assert_int_equal(drive->fault.kind == DRIVE_FAULT_HOST_BUS, rig.controller.unusable);
        rig_end(&rig);
    }
    assert_true(seen > 0);
}

/* E6: an engine that only a reset of the controller stops. Both drives go on. */
static void a_time_out_that_takes_a_reset(void **state)
{
    const struct model_disk disks[] = {rig_disk(SECTORS), rig_disk(SECTORS)};
    static const enum model_personality personalities[] = {MODEL_ICH9_QEMU, MODEL_88SE9128_HBA,
                                                           MODEL_ASM1064, MODEL_JMB585};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(personalities); i++) {
        struct drive *drive, *other;
        struct snapshot found;
        struct rig rig;

        rig_build(&rig, personalities[i], disks, 2);
        snapshot_take(rig.hba, &found);
        drive = rig_drive(&rig);
        assert_int_equal(ahci_port_probe(&rig.controller, 1), STATUS_OK);
        other = ahci_port_drive(&rig.controller, 1);
        inject_next(&rig, MODEL_FAULT_DROPPED);
        model_hba_inject_also(rig.hba, MODEL_FAULT_STUCK_ENGINE, 0,
                              model_hba_accesses(rig.hba) + 2);
        assert_int_equal(rig_read(&rig, drive, 9, 8, DRIVE_READ_DMA), STATUS_TIMEOUT);
        assert_int_equal(drive->fault.kind, DRIVE_FAULT_TIMEOUT);
        /* The record is from before all that was done about it. */
        assert_string_equal(drive->fault.registers[0].name, "PxCI");
        assert_int_equal(drive->fault.registers[0].value, 1);
        assert_true(drive->fault.recovered);
        assert_int_equal(model_hba_resets(rig.hba), 1);
        assert_int_equal(rig.controller.resets, 1);
        rig_read_checked(&rig, drive, 9, 8, DRIVE_READ_QUEUED);
        rig_read_checked(&rig, other, 9, 8, DRIVE_READ_QUEUED);
        ahci_detach(&rig.controller, &rig.restored);
        assert_string_equal(rig.restored.reason, "");
        snapshot_compare(rig.hba, &found);
        hw_dma_free(&rig.buffer);
        assert_int_equal(model_dma_live(), 0);
    }
    model_reset();
}

/* What did not run before it does not run after it either. */
static void a_reset_starts_no_other_engine(void **state)
{
    const struct model_disk disks[] = {rig_disk(SECTORS), {.kind = MODEL_DISK_ATAPI}};
    struct drive *drive;
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_C216, disks, 2);
    drive = rig_drive(&rig);
    assert_int_equal(ahci_port_probe(&rig.controller, 1), STATUS_OK);
    assert_int_equal(rig.controller.ports[1].kind, AHCI_PORT_ATAPI);
    inject_next(&rig, MODEL_FAULT_STUCK_ENGINE);
    model_hba_inject_also(rig.hba, MODEL_FAULT_DROPPED, 0, model_hba_accesses(rig.hba) + 1);
    assert_int_equal(rig_read(&rig, drive, 9, 8, DRIVE_READ_DMA), STATUS_TIMEOUT);
    assert_int_equal(model_hba_resets(rig.hba), 1);
    assert_true(rig.controller.ports[0].running);
    assert_false(rig.controller.ports[1].running);
    rig_end(&rig);
}

/* No reset while another drive works: that one is not disturbed. At give-back it is time. */
static void a_reset_waits_for_a_busy_port(void **state)
{
    struct model_disk disks[] = {rig_disk(SECTORS), rig_disk(SECTORS)};
    struct drive_read read = {.lba = 5, .sectors = 8, .command = DRIVE_READ_QUEUED};
    struct drive *drive, *other;
    struct drive_done done;
    struct hw_dma memory;
    struct rig rig;
    uint64_t t0;

    (void)state;
    disks[1].command_ns = UINT64_C(4000000000); /* longer than the recovery of the first */
    rig_build(&rig, MODEL_C216, disks, 2);
    drive = rig_drive(&rig);
    assert_int_equal(ahci_port_probe(&rig.controller, 1), STATUS_OK);
    other = ahci_port_drive(&rig.controller, 1);
    assert_non_null(other);
    assert_int_equal(hw_dma_alloc(4096, &memory), STATUS_OK);
    inject_next(&rig, MODEL_FAULT_BUSY);
    model_hba_inject_also(rig.hba, MODEL_FAULT_STUCK_ENGINE, 0, model_hba_accesses(rig.hba) + 4);
    start_queue(&rig, drive, 1);
    read.bus = memory.bus;
    assert_int_equal(other->ops->prepare(other, 0, &read), STATUS_OK);
    assert_int_equal(other->ops->start(other, 1, &t0), STATUS_OK);
    assert_int_equal(drive->ops->await(drive, 1, SECOND, &done), STATUS_TIMEOUT);
    assert_false(drive->fault.recovered);
    assert_int_equal(model_hba_resets(rig.hba), 0);
    assert_int_equal(rig_read(&rig, drive, 9, 8, DRIVE_READ_DMA), STATUS_DEVICE);
    assert_int_equal(other->ops->await(other, 1, 10 * SECOND, &done), STATUS_OK);
    assert_true(model_disk_matches(memory.cpu, 4096, 5, 512));
    hw_dma_free(&memory);
    rig_end(&rig);
}

/* In an emergency each wait has a tenth of a second, whatever does not stop. */
static void an_emergency_is_short(void **state)
{
    static const enum model_fault faults[] = {MODEL_FAULT_NONE, MODEL_FAULT_STUCK_ENGINE,
                                              MODEL_FAULT_STUCK_FOREVER, MODEL_FAULT_GONE};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(faults); i++) {
        const struct model_disk disk = rig_disk(SECTORS);
        struct drive *drive;
        struct rig rig;
        uint64_t begin;

        drive = drive_on(&rig, MODEL_88SE9128_HBA, &disk);
        start_queue(&rig, drive, 16);
        inject_next(&rig, faults[i]);
        rig.controller.emergency = true;
        begin = model_now_ns();
        ahci_detach(&rig.controller, &rig.restored);
        assert_true(model_now_ns() - begin < UINT64_C(400000000));
        assert_int_equal(rig.restored.memory_abandoned, faults[i] != MODEL_FAULT_NONE);
        assert_int_equal(rig.restored.reason[0] == '\0', faults[i] == MODEL_FAULT_NONE);
        if (faults[i] == MODEL_FAULT_NONE)
            assert_false(model_hba_running(rig.hba));
        hw_dma_free(&rig.buffer);
    }
    model_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_of_one_command),
        cmocka_unit_test(a_place_is_not_made_up),
        cmocka_unit_test(an_error_in_a_queue),
        cmocka_unit_test(an_error_in_a_queue_of_one),
        cmocka_unit_test(an_error_of_the_link),
        cmocka_unit_test(an_old_trace_of_the_link_decides_little),
        cmocka_unit_test(a_host_bus_error_ends_all),
        cmocka_unit_test(a_host_bus_error_on_another_port),
        cmocka_unit_test(a_host_bus_error_while_the_log_is_read),
        cmocka_unit_test(a_time_out_that_takes_a_reset),
        cmocka_unit_test(a_reset_starts_no_other_engine),
        cmocka_unit_test(a_reset_waits_for_a_busy_port),
        cmocka_unit_test(an_emergency_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
