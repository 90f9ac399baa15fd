/*
 * Faults by loop: each kind of fault at each register access of a whole run (attach, probe, reads,
 * detach), on each personality. Whatever happens: the status is right, time is bounded, no
 * forbidden access is made, and no memory is freed that a running engine may know.
 */
#include "tests/model/personality.h"
#include "tests/unit/ahci_rig.h"

#include <stdio.h>

#define SECTORS (UINT64_C(1) << 22)

static struct {
    const char *personality, *fault;
    uint64_t access;
} doing;

/* What one run came to. */
struct outcome {
    enum status attach;
    enum status probe;
    enum status read; /* the first failure among the reads */
    enum ahci_port_kind kind;
    struct drive_fault fault; /* of that failure */
    bool read_again;          /* a read after the failure worked */
    uint64_t accesses;
    uint64_t ns;
};

static void check_fault_record(const struct rig *rig, enum status status,
                               const struct drive_fault *fault)
{
    assert_int_not_equal(fault->kind, DRIVE_FAULT_NONE);
    assert_non_null(fault->operation);
    assert_in_range(fault->register_count, 0, DRIVE_FAULT_REGISTERS);
    for (unsigned i = 0; i < fault->register_count; i++)
        assert_non_null(fault->registers[i].name);
    assert_int_equal(status == STATUS_GONE, fault->kind == DRIVE_FAULT_GONE);
    assert_int_equal(status == STATUS_GONE, rig->controller.gone);
    if (status != STATUS_GONE)
        assert_int_equal(fault->register_count, DRIVE_FAULT_REGISTERS);
}

/* 16 queued reads at once, then until all are there. */
static enum status read_queued(struct rig *rig, struct drive *drive)
{
    enum status status = STATUS_OK;
    uint32_t left = 0xffff;
    struct drive_done done;
    uint64_t t0;

    if (drive->info.queue_depth == 0)
        return STATUS_OK;
    memset(rig->buffer.cpu, 0xee, 16 * 4096);
    for (unsigned slot = 0; slot < 16 && status == STATUS_OK; slot++) {
        const struct drive_read read = {.lba = 1000 + 64 * slot,
                                        .sectors = 8,
                                        .command = DRIVE_READ_QUEUED,
                                        .bus = rig->buffer.bus + slot * 4096};

        status = drive->ops->prepare(drive, slot, &read);
    }
    if (status == STATUS_OK)
        status = drive->ops->start(drive, left, &t0);
    while (status == STATUS_OK && left != 0) {
        status = drive->ops->await(drive, left, 10 * SECOND, &done);
        if (status == STATUS_OK)
            left &= ~done.slots;
    }
    for (unsigned slot = 0; slot < 16; slot++)
        if ((left >> slot & 1) == 0)
            assert_true(model_disk_matches((uint8_t *)rig->buffer.cpu + slot * 4096, 4096,
                                           1000 + 64 * slot, 512));
    return status;
}

static void read_some(struct rig *rig, struct outcome *outcome)
{
    struct drive *drive = ahci_port_drive(&rig->controller, 0);

    assert_int_equal(hw_dma_alloc(1 << 16, &rig->buffer), STATUS_OK);
    for (unsigned i = 0; i < 4 && outcome->read == STATUS_OK; i++) {
        enum status status = i % 2 == 0 ? rig_read(rig, drive, i * 100, 64, DRIVE_READ_DMA)
                                        : read_queued(rig, drive);

        struct drive_link link;

        drive->ops->look(drive, &link);
        assert_int_equal(link.known, !rig->controller.gone);
        if (status == STATUS_OK && i % 2 == 0)
            assert_true(model_disk_matches(rig->buffer.cpu, 64 * 512, i * 100, 512));
        outcome->read = status;
    }
    if (outcome->read == STATUS_OK)
        return;
    outcome->fault = drive->fault;
    check_fault_record(rig, outcome->read, &outcome->fault);
    if (!outcome->fault.recovered)
        return;
    /* "Recovered" is a promise, unless the next fault is already waiting. */
    outcome->read_again = rig_read(rig, drive, 4711, 8, DRIVE_READ_DMA) == STATUS_OK &&
                          model_disk_matches(rig->buffer.cpu, 8 * 512, 4711, 512) &&
                          read_queued(rig, drive) == STATUS_OK;
}

static struct outcome run(enum model_personality personality, enum model_fault fault,
                          uint64_t access)
{
    struct model_disk disk = rig_disk(SECTORS);
    struct outcome outcome = {.read = STATUS_OK};
    static struct rig rig;
    uint64_t start;

    disk.order = MODEL_ORDER_RANDOM;
    disk.command_ns = 2500;
    rig_build(&rig, personality, &disk, 1);
    /* Two ports, and the last of eight, stand for all. */
    model_hba_poke(rig.hba, AHCI_PI, model_personality(personality)->found.pi & 0x83);
    model_hba_inject(rig.hba, fault, 0, access);
    start = model_now_ns();
    outcome.attach = rig_attach(&rig);
    if (outcome.attach == STATUS_OK) {
        outcome.probe = ahci_port_probe(&rig.controller, 0);
        outcome.kind = rig.controller.ports[0].kind;
        if (outcome.probe == STATUS_OK && outcome.kind == AHCI_PORT_DRIVE)
            read_some(&rig, &outcome);
        else
            assert_string_not_equal(rig.controller.ports[0].reason, "x");
    } else {
        assert_string_not_equal(rig.reason, "");
    }
    ahci_detach(&rig.controller, &rig.restored);
    /* Whatever the engines may still reach is left alone, and all else given back. */
    if (!rig.restored.memory_abandoned)
        assert_int_equal(model_dma_live(), rig.buffer.cpu != NULL);
    if (model_hba_running(rig.hba) && outcome.attach == STATUS_OK)
        assert_string_not_equal(rig.restored.reason, "");
    outcome.accesses = model_hba_accesses(rig.hba);
    outcome.ns = model_now_ns() - start;
    return outcome;
}

/* Nothing takes longer than the sum of all limits that can follow one another. */
#define BOUND_NS UINT64_C(120000000000)

static void check(enum model_fault fault, const struct outcome *outcome)
{
    assert_true(outcome->ns < BOUND_NS);
    switch (fault) {
    case MODEL_FAULT_GONE:
        /* It is noticed in whichever step comes next; the last accesses may come too late. */
        assert_true(outcome->attach == STATUS_OK || outcome->attach == STATUS_GONE);
        assert_true(outcome->probe == STATUS_OK || outcome->probe == STATUS_GONE);
        assert_true(outcome->read == STATUS_OK || outcome->read == STATUS_GONE);
        break;
    case MODEL_FAULT_STUCK_ENGINE:
        /* A chip that hides its engines' state cannot tell; all others work until they stop. */
        assert_int_equal(outcome->attach, STATUS_OK);
        assert_int_equal(outcome->read, STATUS_OK);
        break;
    case MODEL_FAULT_LINK_LOST:
        assert_int_equal(outcome->attach, STATUS_OK);
        assert_int_equal(outcome->probe, STATUS_OK);
        if (outcome->read != STATUS_OK) {
            assert_int_equal(outcome->fault.kind, DRIVE_FAULT_LINK_LOST);
            assert_false(outcome->fault.recovered);
        }
        break;
    case MODEL_FAULT_BUSY_FOREVER:
        assert_int_equal(outcome->attach, STATUS_OK);
        if (outcome->kind == AHCI_PORT_DRIVE && outcome->read != STATUS_OK) {
            assert_int_equal(outcome->read, STATUS_TIMEOUT);
            assert_false(outcome->fault.recovered);
        }
        break;
    case MODEL_FAULT_NONE:
    case MODEL_FAULTS:
    case MODEL_FAULT_DROPPED:
    case MODEL_FAULT_TASK_FILE:
    case MODEL_FAULT_INTERFACE:
    case MODEL_FAULT_HOST_BUS:
    case MODEL_FAULT_BUSY:
    case MODEL_FAULT_SHORT:
        /* One command goes wrong: during probe it is repeated, later it is reported, and in both
         * cases the drive works afterwards. */
        assert_int_equal(outcome->attach, STATUS_OK);
        assert_int_equal(outcome->probe, STATUS_OK);
        assert_int_equal(outcome->kind, AHCI_PORT_DRIVE);
        if (outcome->read != STATUS_OK) {
            assert_true(outcome->fault.recovered);
            assert_true(outcome->read_again);
        }
        break;
    }
}

static const enum drive_fault_kind expected[MODEL_FAULTS] = {
    [MODEL_FAULT_GONE] = DRIVE_FAULT_GONE,
    [MODEL_FAULT_DROPPED] = DRIVE_FAULT_TIMEOUT,
    [MODEL_FAULT_TASK_FILE] = DRIVE_FAULT_TASK_FILE,
    [MODEL_FAULT_LINK_LOST] = DRIVE_FAULT_LINK_LOST,
    [MODEL_FAULT_INTERFACE] = DRIVE_FAULT_INTERFACE,
    [MODEL_FAULT_HOST_BUS] = DRIVE_FAULT_HOST_BUS,
    [MODEL_FAULT_BUSY] = DRIVE_FAULT_TIMEOUT,
    [MODEL_FAULT_BUSY_FOREVER] = DRIVE_FAULT_TIMEOUT,
    [MODEL_FAULT_SHORT] = DRIVE_FAULT_OVERFLOW,
};

/* Says at which point a check failed. */
static int name_the_point(void **state)
{
    (void)state;
    if (doing.fault != NULL)
        print_message("stopped at: %s, %s, access %u\n", doing.personality, doing.fault,
                      (unsigned)doing.access);
    return 0;
}

/* FR and CR that cannot be seen cannot be waited for; bytes that are not counted are not missed. */
static bool is_hidden(enum model_personality personality, enum model_fault fault)
{
    const struct model_chip *chip = model_personality(personality);

    return (fault == MODEL_FAULT_STUCK_ENGINE && chip->hides_fr_cr) ||
           (fault == MODEL_FAULT_SHORT && chip->miscounts);
}

static void every_fault_at_every_access(void **state)
{
    unsigned points = 0;

    (void)state;
    for (int p = 0; p < MODEL_PERSONALITIES; p++) {
        enum model_personality personality = (enum model_personality)p;
        struct outcome clean;

        if (personality == MODEL_ALL_ONES)
            continue;
        clean = run(personality, MODEL_FAULT_NONE, MODEL_NEVER);
        assert_int_equal(clean.read, STATUS_OK);
        for (int f = MODEL_FAULT_GONE; f < MODEL_FAULTS; f++) {
            enum model_fault fault = (enum model_fault)f;
            unsigned seen = 0;

            if (is_hidden(personality, fault))
                continue;
            for (uint64_t access = 1; access <= clean.accesses; access++) {
                struct outcome outcome;

                doing.personality = model_personality_name(personality);
                doing.fault = model_fault_name(fault);
                doing.access = access;
                outcome = run(personality, fault, access);

                check(fault, &outcome);
                if (outcome.read != STATUS_OK) {
                    assert_int_equal(outcome.fault.kind, expected[fault]);
                    seen++;
                }
                points++;
            }
            if (fault != MODEL_FAULT_STUCK_ENGINE)
                assert_true(seen > 0);
        }
        print_message("%s: %u accesses\n", model_personality_name(personality),
                      (unsigned)clean.accesses);
    }
    model_reset();
    doing.fault = NULL;
    print_message("%u fault points\n", points);
}

/* The log of a queued error names the command that failed. */
static void queued_error_names_the_command(void **state)
{
    struct model_disk disk = rig_disk(SECTORS);
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.order = MODEL_ORDER_LIFO;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    model_hba_inject(rig.hba, MODEL_FAULT_TASK_FILE, 0, model_hba_accesses(rig.hba) + 1);
    assert_int_equal(read_queued(&rig, drive), STATUS_DEVICE);
    assert_int_equal(drive->fault.kind, DRIVE_FAULT_TASK_FILE);
    assert_string_equal(drive->fault.operation, "READ FPDMA QUEUED");
    /* The last one comes first here, and it is not the one with the lowest address. */
    assert_int_equal(drive->fault.lba, 1000 + 64 * 15);
    assert_true(drive->fault.recovered);
    assert_int_equal(model_hba_commands(rig.hba, ATA_READ_LOG_EXT), 1);
    rig_end(&rig);
}

static void an_error_at_a_place_is_reported_with_it(void **state)
{
    struct model_disk disk = rig_disk(SECTORS);
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.sectors_max = 100;
    rig_build(&rig, MODEL_ICH9_QEMU, &disk, 1);
    drive = rig_drive(&rig);
    assert_int_equal(rig_read(&rig, drive, 4242, 101, DRIVE_READ_DMA), STATUS_DEVICE);
    assert_int_equal(drive->fault.kind, DRIVE_FAULT_TASK_FILE);
    assert_int_equal(drive->fault.lba, 4242);
    assert_string_equal(drive->fault.operation, "READ DMA EXT");
    assert_true(drive->fault.recovered);
    rig_read_checked(&rig, drive, 4242, 100, DRIVE_READ_DMA);
    rig_end(&rig);
}

static void a_locked_drive_fails_but_stays(void **state)
{
    struct model_disk disk = rig_disk(SECTORS);
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.locked = true;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    assert_true(drive->info.locked);
    assert_int_equal(rig_read(&rig, drive, 0, 1, DRIVE_READ_DMA), STATUS_DEVICE);
    assert_true(drive->fault.recovered);
    rig_end(&rig);
}

/* Firmware left an engine running that never stops: that port is left alone, its memory too. */
static void a_firmware_engine_that_does_not_stop(void **state)
{
    const struct model_disk disks[] = {rig_disk(SECTORS), rig_disk(SECTORS)};
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, disks, 2);
    model_hba_poke(rig.hba, AHCI_PORT_BASE + AHCI_PX_CMD, AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE);
    model_hba_inject(rig.hba, MODEL_FAULT_STUCK_ENGINE, 0, 1);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(ahci_port_probe(&rig.controller, 0), STATUS_OK);
    assert_int_equal(rig.controller.ports[0].kind, AHCI_PORT_IGNORED);
    assert_null(ahci_port_drive(&rig.controller, 0));
    ahci_detach(&rig.controller, &rig.restored);
    assert_false(rig.restored.memory_abandoned);
    assert_int_equal(rig.restored.ports_differ, 1);
    assert_int_equal(model_dma_live(), 0);
    model_reset();
}

/* Our own engine does not stop: the memory stays allocated for ever, and that is said. */
static void memory_of_a_stuck_engine_is_abandoned(void **state)
{
    const struct model_disk disk = rig_disk(SECTORS);
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    rig_drive(&rig);
    model_hba_inject(rig.hba, MODEL_FAULT_STUCK_ENGINE, 0, model_hba_accesses(rig.hba) + 1);
    ahci_detach(&rig.controller, &rig.restored);
    hw_dma_free(&rig.buffer);
    assert_true(rig.restored.memory_abandoned);
    assert_string_not_equal(rig.restored.reason, "");
    assert_int_equal(rig.restored.ports_differ, 1);
    assert_int_equal(rig.restored.ports_restored, 2);
    assert_int_equal(model_dma_live(), 1);
    model_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queued_error_names_the_command),
        cmocka_unit_test(an_error_at_a_place_is_reported_with_it),
        cmocka_unit_test(a_locked_drive_fails_but_stays),
        cmocka_unit_test(a_firmware_engine_that_does_not_stop),
        cmocka_unit_test(memory_of_a_stuck_engine_is_abandoned),
        cmocka_unit_test_teardown(every_fault_at_every_access, name_the_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
