/*
 * Faults by loop: each kind of fault at each register access of a whole run (attach, probe, reads,
 * detach), on each personality. What must hold for all is in ahci_scenario.h, what must hold for
 * each kind of fault here.
 */
#include "tests/unit/ahci_scenario.h"

#define SECTORS (UINT64_C(1) << 22)

/* Nothing takes longer than the sum of all limits that can follow one another. */
#define BOUND_NS UINT64_C(120000000000)

/* What a fault must lead to if it meets a read. */
static const struct expected {
    enum drive_fault_kind kind; /* NONE: reads do not notice */
    enum status status;
    const char *error;
    bool recovers; /* the next read works */
} expected[MODEL_FAULTS] = {
    [MODEL_FAULT_GONE] = {DRIVE_FAULT_GONE, STATUS_GONE, NULL, false},
    [MODEL_FAULT_STUCK_ENGINE] = {DRIVE_FAULT_NONE, STATUS_OK, NULL, true},
    [MODEL_FAULT_STUCK_FOREVER] = {DRIVE_FAULT_NONE, STATUS_OK, NULL, true},
    [MODEL_FAULT_LINK_LOST] = {DRIVE_FAULT_LINK_LOST, STATUS_DEVICE, NULL, false},
    [MODEL_FAULT_LINK_FLAP] = {DRIVE_FAULT_LINK_LOST, STATUS_DEVICE, NULL, true},
    [MODEL_FAULT_DROPPED] = {DRIVE_FAULT_TIMEOUT, STATUS_TIMEOUT, NULL, true},
    [MODEL_FAULT_TASK_FILE] = {DRIVE_FAULT_TASK_FILE, STATUS_DEVICE, "UNC", true},
    [MODEL_FAULT_NOT_FOUND] = {DRIVE_FAULT_TASK_FILE, STATUS_DEVICE, "IDNF", true},
    [MODEL_FAULT_REFUSED] = {DRIVE_FAULT_TASK_FILE, STATUS_DEVICE, "ABRT", true},
    [MODEL_FAULT_DEFECT] = {DRIVE_FAULT_TASK_FILE, STATUS_DEVICE, "DF", true},
    [MODEL_FAULT_GARBLED] = {DRIVE_FAULT_INTERFACE, STATUS_DEVICE, NULL, true},
    [MODEL_FAULT_INTERFACE] = {DRIVE_FAULT_INTERFACE, STATUS_DEVICE, NULL, true},
    [MODEL_FAULT_HOST_BUS] = {DRIVE_FAULT_HOST_BUS, STATUS_DEVICE, NULL, false},
    [MODEL_FAULT_HOST_DATA] = {DRIVE_FAULT_HOST_BUS, STATUS_DEVICE, NULL, false},
    [MODEL_FAULT_BUSY] = {DRIVE_FAULT_TIMEOUT, STATUS_TIMEOUT, NULL, true},
    [MODEL_FAULT_BUSY_FOREVER] = {DRIVE_FAULT_TIMEOUT, STATUS_TIMEOUT, NULL, false},
    [MODEL_FAULT_SHORT] = {DRIVE_FAULT_OVERFLOW, STATUS_DEVICE, NULL, false},
    [MODEL_FAULT_OVERFLOW] = {DRIVE_FAULT_OVERFLOW, STATUS_DEVICE, NULL, false},
    [MODEL_FAULT_UNKNOWN_FIS] = {DRIVE_FAULT_OVERFLOW, STATUS_DEVICE, NULL, false},
    [MODEL_FAULT_NOISE] = {DRIVE_FAULT_NONE, STATUS_OK, NULL, true},
};

/* Faults by which the port may turn out as something else than a drive. */
static bool spoils_probe(enum model_personality personality, enum model_fault fault)
{
    /* On some the receiver has to stop and start before a drive works. */
    if (model_personality(personality)->cycles_fre &&
        (fault == MODEL_FAULT_STUCK_ENGINE || fault == MODEL_FAULT_STUCK_FOREVER))
        return true;
    return fault == MODEL_FAULT_GONE || fault == MODEL_FAULT_LINK_LOST ||
           fault == MODEL_FAULT_LINK_FLAP || fault == MODEL_FAULT_BUSY_FOREVER ||
           fault == MODEL_FAULT_HOST_BUS || fault == MODEL_FAULT_HOST_DATA;
}

static void check(enum model_personality personality, enum model_fault fault,
                  const struct outcome *outcome)
{
    const struct expected *want = &expected[fault];

    assert_true(outcome->ns < BOUND_NS);
    /* It is noticed in whichever step comes next; the last accesses may come too late. */
    if (fault != MODEL_FAULT_GONE) {
        assert_int_equal(outcome->attach, STATUS_OK);
        assert_int_equal(outcome->probe, STATUS_OK);
    } else {
        assert_true(outcome->attach == STATUS_OK || outcome->attach == STATUS_GONE);
        assert_true(outcome->probe == STATUS_OK || outcome->probe == STATUS_GONE);
    }
    if (!spoils_probe(personality, fault))
        assert_int_equal(outcome->kind, AHCI_PORT_DRIVE);
    if ((fault == MODEL_FAULT_HOST_BUS || fault == MODEL_FAULT_HOST_DATA) &&
        outcome->kind != AHCI_PORT_DRIVE)
        assert_string_equal(outcome->reason,
                            "the controller cannot reach memory: wrong address or IOMMU");
    if (outcome->failures == 0)
        return;
    assert_int_equal(outcome->failures, 1);
    assert_int_equal(outcome->read, want->status);
    assert_int_equal(outcome->fault.kind, want->kind);
    if (want->error != NULL)
        assert_string_equal(outcome->fault.error, want->error);
    assert_int_equal(outcome->fault.recovered, want->recovers);
    assert_int_equal(outcome->works, want->recovers);
}

/* FR and CR that cannot be seen cannot be waited for; bytes that are not counted are not missed. */
static bool is_hidden(enum model_personality personality, enum model_fault fault)
{
    const struct model_chip *chip = model_personality(personality);

    return ((fault == MODEL_FAULT_STUCK_ENGINE || fault == MODEL_FAULT_STUCK_FOREVER) &&
            chip->hides_fr_cr) ||
           (fault == MODEL_FAULT_SHORT && chip->miscounts);
}

/* Returns how many points there were. */
static unsigned strike_everywhere(enum model_personality personality, enum model_fault fault,
                                  uint64_t accesses)
{
    unsigned seen = 0, resets = 0;

    for (uint64_t access = 1; access <= accesses; access++) {
        const struct scenario scenario = {personality, {fault, MODEL_FAULT_NONE}, {access, 0}};
        struct outcome outcome = scenario_run(&scenario);

        check(personality, fault, &outcome);
        seen += outcome.failures;
        resets += outcome.resets;
    }
    assert_int_equal(seen > 0, expected[fault].kind != DRIVE_FAULT_NONE);
    assert_int_equal(resets > 0,
                     fault == MODEL_FAULT_STUCK_ENGINE || fault == MODEL_FAULT_STUCK_FOREVER);
    return (unsigned)accesses;
}

static void every_fault_at_every_access(void **state)
{
    unsigned points = 0;

    (void)state;
    for (int p = 0; p < MODEL_PERSONALITIES; p++) {
        enum model_personality personality = (enum model_personality)p;
        const struct scenario clean = {.personality = personality};
        struct outcome outcome;

        if (personality == MODEL_ALL_ONES)
            continue;
        outcome = scenario_run(&clean);
        assert_int_equal(outcome.failures, 0);
        assert_true(outcome.works);
        for (int f = MODEL_FAULT_GONE; f < MODEL_FAULTS; f++)
            if (!is_hidden(personality, (enum model_fault)f))
                points += strike_everywhere(personality, (enum model_fault)f, outcome.accesses);
        print_message("%s: %u accesses\n", model_personality_name(personality),
                      (unsigned)outcome.accesses);
    }
    model_reset();
    scenario_doing.faults[0] = MODEL_FAULT_NONE;
    print_message("%u fault points\n", points);
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

/* Firmware left an engine running that stops only when the controller is reset. */
static void a_firmware_engine_is_stopped_by_a_reset(void **state)
{
    const struct model_disk disks[] = {rig_disk(SECTORS), rig_disk(SECTORS)};
    struct snapshot found;
    struct rig rig;

    (void)state;
    for (unsigned port = 0; port < 2; port++) {
        rig_build(&rig, MODEL_ASM1064, disks, 2);
        snapshot_take(rig.hba, &found);
        model_hba_poke(rig.hba, AHCI_PORT_BASE + port * AHCI_PORT_STRIDE + AHCI_PX_CMD,
                       AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE | AHCI_PX_CMD_SUD | AHCI_PX_CMD_POD);
        model_hba_inject(rig.hba, MODEL_FAULT_STUCK_ENGINE, port, 1);
        assert_int_equal(rig_attach(&rig), STATUS_OK);
        assert_int_equal(model_hba_resets(rig.hba), 1);
        /* What firmware writes once is there again, and both drives can be read. */
        assert_int_equal(model_hba_peek(rig.hba, AHCI_CAP), rig.controller.cap);
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(ahci_port_probe(&rig.controller, i), STATUS_OK);
            assert_non_null(ahci_port_drive(&rig.controller, i));
        }
        assert_int_equal(hw_dma_alloc(BUFFER, &rig.buffer), STATUS_OK);
        rig_read_checked(&rig, ahci_port_drive(&rig.controller, port), 7, 9, DRIVE_READ_QUEUED);
        ahci_detach(&rig.controller, &rig.restored);
        assert_string_equal(rig.restored.reason, "");
        snapshot_compare(rig.hba, &found);
        hw_dma_free(&rig.buffer);
        assert_int_equal(model_dma_live(), 0);
    }
    model_reset();
}

/* ... or not even then: the controller is left alone, and no memory of ours is lost to it. */
static void a_firmware_engine_that_does_not_stop(void **state)
{
    const struct model_disk disks[] = {rig_disk(SECTORS), rig_disk(SECTORS)};
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, disks, 2);
    model_hba_poke(rig.hba, AHCI_PORT_BASE + AHCI_PX_CMD, AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE);
    model_hba_inject(rig.hba, MODEL_FAULT_STUCK_FOREVER, 0, 1);
    assert_int_equal(rig_attach(&rig), STATUS_GONE);
    assert_string_equal(rig.reason, "it stopped answering");
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
    model_hba_inject(rig.hba, MODEL_FAULT_STUCK_FOREVER, 0, model_hba_accesses(rig.hba) + 1);
    ahci_detach(&rig.controller, &rig.restored);
    hw_dma_free(&rig.buffer);
    assert_true(rig.restored.memory_abandoned);
    assert_string_not_equal(rig.restored.reason, "");
    assert_int_equal(rig.restored.ports_differ, 3);
    assert_int_equal(rig.restored.ports_restored, 0);
    assert_int_equal(model_dma_live(), 1);
    model_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_at_a_place_is_reported_with_it),
        cmocka_unit_test(a_locked_drive_fails_but_stays),
        cmocka_unit_test(a_firmware_engine_is_stopped_by_a_reset),
        cmocka_unit_test(a_firmware_engine_that_does_not_stop),
        cmocka_unit_test(memory_of_a_stuck_engine_is_abandoned),
        cmocka_unit_test_teardown(every_fault_at_every_access, scenario_name_the_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
