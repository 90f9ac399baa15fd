/*
 * A whole run on one controller, with up to two faults at given register accesses: attach, probe,
 * reads of both kinds, more reads after each failure, detach. What must hold whatever the faults
 * are is checked here: records are complete, time is bounded, a port that is said to work does,
 * nothing is left running or owned by the controller, and the registers are as they were found.
 */
#ifndef TESTS_UNIT_AHCI_SCENARIO_H
#define TESTS_UNIT_AHCI_SCENARIO_H

#include "tests/unit/ahci_snapshot.h"

#define SCENARIO_QUEUE    8u
#define SCENARIO_FAILURES 4u

struct scenario {
    enum model_personality personality;
    enum model_fault faults[2];
    uint64_t accesses[2];
};

/* What one run came to. */
struct outcome {
    enum status attach;
    enum status probe;
    enum ahci_port_kind kind;
    const char *reason;       /* of the port */
    unsigned failures;        /* reads that failed ... */
    enum status read;         /* ... the first of them: its status ... */
    struct drive_fault fault; /* ... and record */
    bool works;               /* reads worked in the end */
    bool abandoned;           /* memory was left to the controller */
    uint32_t resets;          /* of the controller */
    uint64_t first_read;      /* register accesses before the first read */
    uint64_t accesses;        /* ... and in all */
    uint64_t ns;
};

/* The run under way, for the message when a check fails. */
static struct scenario scenario_doing;

static inline int scenario_name_the_point(void **state)
{
    const struct scenario *doing = &scenario_doing;

    (void)state;
    if (doing->faults[0] != MODEL_FAULT_NONE)
        print_message("stopped at: %s, %s at access %u, %s at access %u\n",
                      model_personality_name(doing->personality),
                      model_fault_name(doing->faults[0]), (unsigned)doing->accesses[0],
                      model_fault_name(doing->faults[1]), (unsigned)doing->accesses[1]);
    return 0;
}

static inline bool scenario_has(const struct scenario *scenario, enum model_fault fault)
{
    return scenario->faults[0] == fault || scenario->faults[1] == fault;
}

/* The controller keeps what it has: it is gone, or nothing stops it. */
static inline bool scenario_is_hopeless(const struct scenario *scenario)
{
    return scenario_has(scenario, MODEL_FAULT_GONE) ||
           scenario_has(scenario, MODEL_FAULT_STUCK_FOREVER);
}

static inline void scenario_check_record(const struct rig *rig, enum status status,
                                         const struct drive_fault *fault)
{
    assert_int_not_equal(fault->kind, DRIVE_FAULT_NONE);
    assert_non_null(fault->operation);
    assert_in_range(fault->register_count, 0, DRIVE_FAULT_REGISTERS);
    for (unsigned i = 0; i < fault->register_count; i++)
        assert_non_null(fault->registers[i].name);
    assert_int_equal(status == STATUS_GONE, fault->kind == DRIVE_FAULT_GONE);
    if (status == STATUS_GONE)
        assert_true(rig->controller.gone);
    assert_int_equal(fault->error != NULL, fault->kind == DRIVE_FAULT_TASK_FILE);
    if (fault->recovered)
        assert_int_equal(fault->register_count, DRIVE_FAULT_REGISTERS);
    if (fault->error_lba_known)
        assert_true(fault->error_lba >= fault->lba &&
                    fault->error_lba < fault->lba + fault->sectors);
    if (fault->sectors != 0)
        assert_int_equal(fault->sectors, 8);
}

/* Some queued reads at once, then until all are there. */
static inline enum status scenario_read_queued(struct rig *rig, struct drive *drive)
{
    enum status status = STATUS_OK;
    uint32_t left = BIT32(SCENARIO_QUEUE) - 1;
    struct drive_done done;
    uint64_t t0;

    if (drive->info.queue_depth == 0)
        return STATUS_OK;
    memset(rig->buffer.cpu, 0xee, SCENARIO_QUEUE * 4096);
    for (unsigned slot = 0; slot < SCENARIO_QUEUE && status == STATUS_OK; slot++) {
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
    for (unsigned slot = 0; slot < SCENARIO_QUEUE; slot++)
        if ((left >> slot & 1) == 0)
            assert_true(model_disk_matches((uint8_t *)rig->buffer.cpu + slot * 4096, 4096,
                                           1000 + 64 * slot, 512));
    return status;
}

static inline enum status scenario_read(struct rig *rig, struct drive *drive)
{
    enum status status = rig_read(rig, drive, 4711, 8, DRIVE_READ_DMA);
    struct drive_link link;

    if (status == STATUS_OK)
        assert_true(model_disk_matches(rig->buffer.cpu, 8 * 512, 4711, 512));
    drive->ops->look(drive, &link);
    assert_int_equal(link.known, !rig->controller.gone && !rig->controller.ports[0].stuck);
    return status == STATUS_OK ? scenario_read_queued(rig, drive) : status;
}

/* A recovered port works, but for the next fault. */
static inline void scenario_read_on(struct rig *rig, struct outcome *outcome)
{
    struct drive *drive = ahci_port_drive(&rig->controller, 0);
    enum status status = STATUS_OK;

    assert_int_equal(hw_dma_alloc(1 << 16, &rig->buffer), STATUS_OK);
    while (outcome->failures < SCENARIO_FAILURES) {
        status = scenario_read(rig, drive);
        if (status == STATUS_OK)
            break;
        scenario_check_record(rig, status, &drive->fault);
        if (outcome->failures++ == 0) {
            outcome->read = status;
            outcome->fault = drive->fault;
        }
        if (!drive->fault.recovered)
            break;
    }
    outcome->works = status == STATUS_OK;
    if (outcome->works)
        return;
    /* The end of it: no command is started any more, whatever is asked for. */
    assert_false(drive->fault.recovered);
    status = scenario_read(rig, drive);
    assert_true(status == STATUS_DEVICE || status == STATUS_GONE);
    scenario_check_record(rig, status, &drive->fault);
}

static inline void scenario_end(struct rig *rig, const struct scenario *scenario,
                                const struct snapshot *found, struct outcome *outcome)
{
    ahci_detach(&rig->controller, &rig->restored);
    outcome->abandoned = rig->restored.memory_abandoned;
    outcome->resets = model_hba_resets(rig->hba);
    outcome->accesses = model_hba_accesses(rig->hba);
    /* Whatever the engines may still reach is left alone, and all else given back. */
    if (!rig->restored.memory_abandoned)
        assert_int_equal(model_dma_live(), rig->buffer.cpu != NULL);
    if (scenario_is_hopeless(scenario)) {
        if (model_hba_running(rig->hba) && outcome->attach == STATUS_OK)
            assert_string_not_equal(rig->restored.reason, "");
        return;
    }
    assert_false(rig->restored.memory_abandoned);
    assert_false(model_hba_running(rig->hba));
    assert_string_equal(rig->restored.reason, "");
    assert_int_equal(rig->restored.ports_differ, 0);
    snapshot_compare(rig->hba, found);
}

static inline struct outcome scenario_run(const struct scenario *scenario)
{
    struct model_disk disk = {.kind = MODEL_DISK_ATA,
                              .sectors = UINT64_C(1) << 22,
                              .queue_depth = 32,
                              .command_ns = 2500,
                              .order = MODEL_ORDER_RANDOM};
    struct outcome outcome = {.read = STATUS_OK, .reason = ""};
    struct snapshot found;
    static struct rig rig;
    uint64_t start;

    scenario_doing = *scenario;
    rig_build(&rig, scenario->personality, &disk, 1);
    /* Two ports, and the last of eight, stand for all. */
    model_hba_poke(rig.hba, AHCI_PI, model_personality(scenario->personality)->found.pi & 0x83);
    snapshot_take(rig.hba, &found);
    model_hba_inject(rig.hba, scenario->faults[0], 0, scenario->accesses[0]);
    model_hba_inject_also(rig.hba, scenario->faults[1], 0, scenario->accesses[1]);
    start = model_now_ns();
    outcome.attach = rig_attach(&rig);
    if (outcome.attach == STATUS_OK) {
        outcome.probe = ahci_port_probe(&rig.controller, 0);
        outcome.kind = rig.controller.ports[0].kind;
        outcome.reason = rig.controller.ports[0].reason;
        assert_int_equal(outcome.kind == AHCI_PORT_DRIVE,
                         outcome.reason[0] == '\0' && outcome.probe == STATUS_OK);
        outcome.first_read = model_hba_accesses(rig.hba);
        if (outcome.probe == STATUS_OK && outcome.kind == AHCI_PORT_DRIVE)
            scenario_read_on(&rig, &outcome);
    } else {
        assert_string_not_equal(rig.reason, "");
    }
    scenario_end(&rig, scenario, &found, &outcome);
    outcome.ns = model_now_ns() - start;
    return outcome;
}

#endif
