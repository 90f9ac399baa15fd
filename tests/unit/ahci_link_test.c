/* Looks at the SATA link of a drive: what stands in the registers, and each error once. */
#include "drivers/ahci/port.h"
#include "tests/unit/ahci_rig.h"

#define SERR (AHCI_PORT_BASE + AHCI_PX_SERR)
#define SSTS (AHCI_PORT_BASE + AHCI_PX_SSTS)
#define SCTL (AHCI_PORT_BASE + AHCI_PX_SCTL)

/* PxSERR: data integrity, CRC, 10b to 8b decoding. */
#define ERR_T  BIT32(8)
#define DIAG_C BIT32(21)
#define DIAG_B BIT32(19)

static struct drive_link look(struct drive *drive)
{
    struct drive_link link;

    drive->ops->look(drive, &link);
    return link;
}

static struct drive *drive_of(struct rig *rig, enum model_personality personality)
{
    const struct model_disk disk = rig_disk(1 << 20);

    rig_build(rig, personality, &disk, 1);
    return rig_drive(rig);
}

static void shows_the_link(void **state)
{
    struct drive_link link;
    struct drive *drive;
    struct rig rig;

    (void)state;
    drive = drive_of(&rig, MODEL_88SE9128_HBA);
    link = look(drive);
    assert_true(link.known);
    assert_int_equal(link.speed, 3);
    assert_int_equal(link.limit, 0);
    assert_int_equal(link.speed_max, 3);
    assert_int_equal(link.power, 1);
    assert_int_equal(link.status, 0x133);
    assert_int_equal(link.control, 0x300);
    assert_int_equal(drive->info.link_reported, 3);
    rig_end(&rig);

    drive = drive_of(&rig, MODEL_ICH9_QEMU);
    link = look(drive);
    assert_int_equal(link.speed, 1);
    assert_int_equal(link.speed_max, 1);
    assert_int_equal(drive->info.link_reported, 1);
    rig_end(&rig);
}

/* A limit that the firmware left is kept, by a COMRESET too, and shown beside what it leads to. */
static void shows_a_limit_and_its_effect(void **state)
{
    struct model_disk disk = rig_disk(1 << 20);
    struct drive_link link;
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.busy_as_found = true;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    model_hba_poke(rig.hba, SCTL, 0x20);
    drive = rig_drive(&rig);
    link = look(drive);
    assert_int_equal(link.speed, 2);
    assert_int_equal(link.limit, 2);
    assert_int_equal(link.speed_max, 3);
    assert_int_equal(link.control, 0x320);
    assert_int_equal(drive->info.link_reported, 2);
    rig_end(&rig);
}

static void shows_no_reserved_value(void **state)
{
    static const struct {
        uint32_t ssts;
        uint8_t speed, power;
    } cases[] = {{0x000, 0, 0}, {0x113, 1, 1}, {0x221, 2, 2},
                 {0x631, 3, 6}, {0x833, 3, 8}, {0x743, 0, 0}};
    struct drive_link link;
    struct drive *drive;
    struct rig rig;

    (void)state;
    drive = drive_of(&rig, MODEL_88SE9128_HBA);
    rig.controller.cap |= AHCI_CAP_ISS;
    model_hba_poke(rig.hba, SCTL, 0x340);
    link = look(drive);
    assert_int_equal(link.speed_max, 0);
    assert_int_equal(link.limit, 0);
    assert_int_equal(link.control, 0x340);
    model_hba_poke(rig.hba, SCTL, 0x300);
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        model_hba_poke(rig.hba, SSTS, cases[i].ssts);
        link = look(drive);
        assert_int_equal(link.speed, cases[i].speed);
        assert_int_equal(link.power, cases[i].power);
        assert_int_equal(link.status, cases[i].ssts);
    }
    rig_end(&rig);
}

/* Neither what the firmware left nor what the link raised when it came up. */
static void shows_nothing_of_the_probe(void **state)
{
    struct model_disk disk = rig_disk(1 << 20);
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.busy_as_found = true; /* a COMRESET is needed */
    for (int p = 0; p < MODEL_PERSONALITIES; p++) {
        if (p == MODEL_ALL_ONES)
            continue;
        rig_build(&rig, (enum model_personality)p, &disk, 1);
        model_hba_poke(rig.hba, SERR, ERR_T | DIAG_C);
        drive = rig_drive(&rig);
        assert_int_equal(look(drive).errors, 0);
        rig_end(&rig);
    }
}

static void shows_each_error_once(void **state)
{
    struct drive *drive;
    struct rig rig;

    (void)state;
    drive = drive_of(&rig, MODEL_88SE9128_HBA);
    assert_int_equal(look(drive).errors, 0);
    model_hba_poke(rig.hba, SERR, DIAG_C);
    rig_read_checked(&rig, drive, 7, 8, DRIVE_READ_DMA);
    assert_int_equal(look(drive).errors, DIAG_C);
    assert_int_equal(model_hba_peek(rig.hba, SERR), 0);
    assert_int_equal(look(drive).errors, 0);
    model_hba_poke(rig.hba, SERR, DIAG_B | ERR_T);
    assert_int_equal(look(drive).errors, DIAG_B | ERR_T);
    model_hba_poke(rig.hba, SERR, DIAG_C);
    assert_int_equal(look(drive).errors, DIAG_C);
    rig_end(&rig);
}

/* Recovery clears the register; the bits are shown all the same, those of its COMRESET are not. */
static void shows_errors_of_a_failed_command(void **state)
{
    static const struct {
        enum model_fault fault;
        uint32_t errors;
    } cases[] = {
        {MODEL_FAULT_INTERFACE, BIT32(10) | BIT32(21)},
        {MODEL_FAULT_HOST_BUS, BIT32(11)},
        {MODEL_FAULT_TASK_FILE, 0},
        {MODEL_FAULT_BUSY, 0},
    };
    struct drive *drive;
    struct rig rig;

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        drive = drive_of(&rig, MODEL_88SE9128_HBA);
        model_hba_inject(rig.hba, cases[i].fault, 0, model_hba_accesses(rig.hba) + 1);
        assert_int_not_equal(rig_read(&rig, drive, 7, 8, DRIVE_READ_QUEUED), STATUS_OK);
        assert_int_equal(drive->fault.recovered, cases[i].fault != MODEL_FAULT_HOST_BUS);
        assert_int_equal(model_hba_peek(rig.hba, SERR), 0);
        model_hba_poke(rig.hba, SERR, DIAG_B);
        assert_int_equal(look(drive).errors, cases[i].errors | DIAG_B);
        assert_int_equal(look(drive).errors, 0);
        rig_end(&rig);
    }
}

/*
 * Communication was lost for a moment. The look shows that once and leaves the alarm standing, so
 * that the next command fails at once; after its recovery there is nothing left to show.
 */
static void leaves_the_alarm_of_a_lost_link(void **state)
{
    struct drive *drive;
    struct rig rig;
    uint64_t begin;

    (void)state;
    drive = drive_of(&rig, MODEL_88SE9128_HBA);
    model_hba_inject(rig.hba, MODEL_FAULT_LINK_LOST, 0, model_hba_accesses(rig.hba) + 1);
    assert_int_equal(look(drive).errors, AHCI_PX_SERR_N);
    model_hba_poke(rig.hba, SERR, AHCI_PX_SERR_N | DIAG_B);
    assert_int_equal(look(drive).errors, DIAG_B);
    assert_int_equal(look(drive).errors, 0);
    assert_int_equal(model_hba_peek(rig.hba, SERR), AHCI_PX_SERR_N);
    assert_int_equal(look(drive).speed, 0);
    assert_int_equal(look(drive).power, 0);
    begin = model_now_ns();
    assert_int_equal(rig_read(&rig, drive, 7, 8, DRIVE_READ_DMA), STATUS_DEVICE);
    assert_int_equal(drive->fault.kind, DRIVE_FAULT_LINK_LOST);
    assert_true(model_now_ns() - begin < UINT64_C(2000000000)); /* the reset's own limit is in it */
    assert_int_equal(look(drive).errors, 0);
    rig_end(&rig);
}

/* Where the driver clears the register itself, nothing is lost, and what comes again is news. */
static void loses_nothing_that_is_cleared(void **state)
{
    struct drive *drive;
    struct rig rig;

    (void)state;
    drive = drive_of(&rig, MODEL_88SE9128_HBA);
    for (unsigned i = 0; i < 2; i++) {
        model_hba_poke(rig.hba, SERR, AHCI_PX_SERR_X | DIAG_C);
        assert_int_equal(look(drive).errors, AHCI_PX_SERR_X | DIAG_C);
        model_hba_poke(rig.hba, SERR, AHCI_PX_SERR_X | DIAG_B);
        assert_int_equal(ahci_port_clear_errors(&rig.controller.ports[0]), STATUS_OK);
        assert_int_equal(model_hba_peek(rig.hba, SERR), 0);
        model_hba_poke(rig.hba, SERR, AHCI_PX_SERR_X);
        assert_int_equal(look(drive).errors, AHCI_PX_SERR_X | DIAG_B);
        assert_int_equal(ahci_port_clear_errors(&rig.controller.ports[0]), STATUS_OK);
    }
    rig_end(&rig);
}

/* With 32 reads under way: they all arrive. */
static void disturbs_nothing_under_way(void **state)
{
    struct drive_read read = {.sectors = 8, .command = DRIVE_READ_QUEUED};
    struct drive_done done;
    struct drive *drive;
    struct rig rig;
    uint32_t left = UINT32_MAX;
    uint64_t t0;

    (void)state;
    drive = drive_of(&rig, MODEL_88SE9128_HBA);
    for (unsigned slot = 0; slot < 32; slot++) {
        read.lba = slot * 8;
        read.bus = rig.buffer.bus + slot * 4096;
        assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
    }
    assert_int_equal(drive->ops->start(drive, left, &t0), STATUS_OK);
    while (left != 0) {
        model_hba_poke(rig.hba, SERR, DIAG_C);
        assert_int_equal(look(drive).errors, DIAG_C);
        assert_int_equal(drive->ops->await(drive, left, SECOND, &done), STATUS_OK);
        left &= ~done.slots;
    }
    assert_true(model_disk_matches(rig.buffer.cpu, 32 * 4096, 0, 512));
    rig_end(&rig);
}

/* Wherever the controller vanishes: nothing is known, and no register is touched any more. */
static void knows_when_it_is_gone(void **state)
{
    (void)state;
    for (unsigned access = 1; access <= 4; access++) {
        struct drive *drive;
        struct rig rig;
        uint64_t before;

        drive = drive_of(&rig, MODEL_88SE9128_HBA);
        model_hba_poke(rig.hba, SERR, DIAG_C);
        model_hba_inject(rig.hba, MODEL_FAULT_GONE, 0, model_hba_accesses(rig.hba) + access);
        /* The fourth is a write, which nobody can see fail. */
        assert_int_equal(look(drive).known, access == 4);
        assert_false(look(drive).known);
        assert_true(rig.controller.gone);
        before = model_hba_accesses(rig.hba);
        assert_int_equal(look(drive).status, 0);
        assert_int_equal(model_hba_accesses(rig.hba), before);
        ahci_detach(&rig.controller, &rig.restored);
        model_reset();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_link),
        cmocka_unit_test(shows_a_limit_and_its_effect),
        cmocka_unit_test(shows_no_reserved_value),
        cmocka_unit_test(shows_nothing_of_the_probe),
        cmocka_unit_test(shows_each_error_once),
        cmocka_unit_test(shows_errors_of_a_failed_command),
        cmocka_unit_test(leaves_the_alarm_of_a_lost_link),
        cmocka_unit_test(loses_nothing_that_is_cleared),
        cmocka_unit_test(disturbs_nothing_under_way),
        cmocka_unit_test(knows_when_it_is_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
