/*
 * Commands that go wrong in ways of their own, one script each. What goes wrong at any access of
 * any run is in ahci_fault_test.c, what a command must look like in ahci_command_test.c.
 */
#include "tests/unit/ahci_snapshot.h"

#define SECTORS (UINT64_C(1) << 22)
#define SLOTS   32u

static const uint64_t ms = 1000000; /* in ns */

static uint64_t lba_of(unsigned slot)
{
    return 1000 + 64 * slot;
}

/* Starts reads of 8 sectors in all slots. */
static void start_all(struct rig *rig, struct drive *drive)
{
    uint64_t t0;

    memset(rig->buffer.cpu, 0xee, SLOTS * 4096);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        const struct drive_read read = {.lba = lba_of(slot),
                                        .sectors = 8,
                                        .command = DRIVE_READ_QUEUED,
                                        .bus = rig->buffer.bus + slot * 4096};

        assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
    }
    assert_int_equal(drive->ops->start(drive, UINT32_MAX, &t0), STATUS_OK);
}

/* Waits for all; what is reported as done must be there. */
static enum status await_all(struct rig *rig, struct drive *drive)
{
    uint32_t left = UINT32_MAX;
    enum status status = STATUS_OK;
    struct drive_done done;

    while (left != 0 && status == STATUS_OK) {
        status = drive->ops->await(drive, left, 10 * SECOND, &done);
        if (status == STATUS_OK)
            left &= ~done.slots;
    }
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if ((left >> slot & 1) == 0)
            assert_true(model_disk_matches((uint8_t *)rig->buffer.cpu + slot * 4096, 4096,
                                           lba_of(slot), 512));
    return status;
}

static uint32_t register_of(const struct drive_fault *fault, const char *name)
{
    for (unsigned i = 0; i < fault->register_count; i++)
        if (strcmp(fault->registers[i].name, name) == 0)
            return fault->registers[i].value;
    fail_msg("%s is not in the record", name);
    return 0;
}

/* The drive works after a failure, with both kinds of commands. */
static void check_recovered(struct rig *rig, struct drive *drive)
{
    assert_true(drive->fault.recovered);
    rig_read_checked(rig, drive, 5, 64, DRIVE_READ_DMA);
    start_all(rig, drive);
    assert_int_equal(await_all(rig, drive), STATUS_OK);
}

/* An error shows in TFES alone: no register FIS is reported, and the slot's bit stays. */
static void tfes_comes_alone_and_ci_stays(void **state)
{
    struct model_disk disk = rig_disk(SECTORS);
    static struct rig rig;
    struct drive *drive;

    (void)state;
    disk.sectors_max = 100;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    assert_int_equal(rig_read(&rig, drive, 4000, 101, DRIVE_READ_DMA), STATUS_DEVICE);
    assert_int_equal(drive->fault.kind, DRIVE_FAULT_TASK_FILE);
    assert_int_equal(register_of(&drive->fault, "PxIS") & (AHCI_PX_IS_TFES | AHCI_PX_IS_DHRS),
                     AHCI_PX_IS_TFES);
    assert_int_equal(register_of(&drive->fault, "PxCI"), 1);
    check_recovered(&rig, drive);
    rig_end(&rig);
}

/* The controller says done where the drive said error, and names another slot in CCS. */
static void errors_complete_and_ccs_is_wrong(void **state)
{
    struct model_disk disk = rig_disk(SECTORS);
    static struct rig rig;
    struct drive *drive;

    (void)state;
    disk.sectors_max = 100;
    disk.order = MODEL_ORDER_LIFO;
    rig_build(&rig, MODEL_ASM1061, &disk, 1);
    drive = rig_drive(&rig);
    assert_int_equal(rig_read(&rig, drive, 4000, 101, DRIVE_READ_DMA), STATUS_DEVICE);
    assert_int_equal(drive->fault.kind, DRIVE_FAULT_TASK_FILE);
    assert_in_range(drive->fault.lba, 4000, 4100);
    assert_int_equal(register_of(&drive->fault, "PxCI"), 0);
    assert_int_equal(register_of(&drive->fault, "PxCMD") & AHCI_PX_CMD_CCS, AHCI_PX_CMD_CCS);
    check_recovered(&rig, drive);

    /* Of a queue the last begins, and its log page tells which it was. */
    start_all(&rig, drive);
    model_hba_inject(rig.hba, MODEL_FAULT_TASK_FILE, 0, model_hba_accesses(rig.hba) + 1);
    assert_int_equal(await_all(&rig, drive), STATUS_DEVICE);
    assert_int_equal(drive->fault.kind, DRIVE_FAULT_TASK_FILE);
    assert_in_range(drive->fault.lba, lba_of(SLOTS - 1), lba_of(SLOTS - 1) + 7);
    check_recovered(&rig, drive);
    rig_end(&rig);
}

/* An IOMMU swallows what the controller sends: the first IDENTIFY is the first to be missed. */
static void first_identify_times_out(void **state)
{
    struct model_chip chip = *model_personality(MODEL_88SE9128_HBA);
    const struct model_disk disk = rig_disk(SECTORS);
    struct snapshot before;
    static struct rig rig;
    uint64_t start;

    (void)state;
    chip.dma_blocked = true;
    rig_load(&rig, &chip, &disk, 1);
    snapshot_take(rig.hba, &before);
    start = model_now_ns();
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(ahci_port_probe(&rig.controller, 0), STATUS_OK);
    assert_int_equal(rig.controller.ports[0].kind, AHCI_PORT_NO_IDENTIFY);
    assert_int_equal(rig.controller.ports[0].drive.fault.kind, DRIVE_FAULT_TIMEOUT);
    assert_non_null(strstr(rig.controller.ports[0].reason, "an IOMMU may block"));
    assert_in_range(model_now_ns() - start, 5000 * ms, 40000 * ms);
    ahci_detach(&rig.controller, &rig.restored);
    snapshot_compare(rig.hba, &before);
    rig_end(&rig);
}

/* With 32 commands under way PxSACT is all ones by right, and by wrong when the controller goes. */
static void all_ones_in_the_middle_of_a_transfer(void **state)
{
    (void)state;
    for (unsigned later = 1; later < 60; later++) {
        const struct model_disk disk = rig_disk(SECTORS);
        static struct rig rig;
        struct drive *drive;
        uint64_t accesses;

        rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
        drive = rig_drive(&rig);
        start_all(&rig, drive);
        model_hba_inject(rig.hba, MODEL_FAULT_GONE, 0, model_hba_accesses(rig.hba) + later);
        assert_int_equal(await_all(&rig, drive), STATUS_GONE);
        assert_int_equal(drive->fault.kind, DRIVE_FAULT_GONE);
        assert_false(drive->fault.recovered);
        accesses = model_hba_accesses(rig.hba);
        assert_int_equal(rig_read(&rig, drive, 0, 8, DRIVE_READ_DMA), STATUS_GONE);
        ahci_detach(&rig.controller, &rig.restored);
        assert_int_equal(model_hba_accesses(rig.hba), accesses);
        assert_true(rig.restored.memory_abandoned);
        assert_string_not_equal(rig.restored.reason, "");
    }
    model_reset();
}

/* BSY stays after each reset, and nothing is offered that would take it away. */
static void busy_stays_and_clo_is_missing(void **state)
{
    struct model_chip chip = *model_personality(MODEL_VT8251);
    const struct model_disk disk = rig_disk(SECTORS);
    static struct rig rig;

    (void)state;
    chip.found.cap &= ~AHCI_CAP_SCLO;
    rig_load(&rig, &chip, &disk, 1);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(ahci_port_probe(&rig.controller, 0), STATUS_OK);
    assert_int_equal(rig.controller.ports[0].kind, AHCI_PORT_NOT_READY);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tfes_comes_alone_and_ci_stays),
        cmocka_unit_test(errors_complete_and_ccs_is_wrong),
        cmocka_unit_test(first_identify_times_out),
        cmocka_unit_test(all_ones_in_the_middle_of_a_transfer),
        cmocka_unit_test(busy_stays_and_clo_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
