/*
 * Controllers and links that misbehave, one script each: what cannot be had from an emulator and
 * rarely from a machine at hand. Commands that go wrong are in ahci_script_command_test.c.
 */
#include "tests/unit/ahci_snapshot.h"

static const uint64_t gib = UINT64_C(2) << 20; /* in sectors of 512 bytes */
static const uint64_t ms = 1000000;            /* in ns */

/* A controller of the table, for a test to change. */
static struct model_chip chip_of(enum model_personality personality)
{
    return *model_personality(personality);
}

/* With a disk on port 0. */
static void load(struct rig *rig, const struct model_chip *chip)
{
    const struct model_disk disk = rig_disk(gib);

    rig_load(rig, chip, &disk, 1);
}

/* The controller is not taken, for this reason, and nothing of it is left changed. */
static void check_refused(const struct model_chip *chip, enum status status, const char *reason)
{
    struct snapshot before;
    static struct rig rig;
    uint64_t start;

    load(&rig, chip);
    snapshot_take(rig.hba, &before);
    start = model_now_ns();
    assert_int_equal(rig_attach(&rig), status);
    assert_non_null(strstr(rig.reason, reason));
    assert_true(model_now_ns() - start < 1000 * ms);
    assert_int_equal(model_dma_live(), 0);
    snapshot_compare(rig.hba, &before);
    ahci_detach(&rig.controller, &rig.restored);
    snapshot_compare(rig.hba, &before);
}

/* The drive on port 0 is found and read, and all is given back. */
static void check_works(struct rig *rig)
{
    struct snapshot before;

    snapshot_take(rig->hba, &before);
    rig_read_checked(rig, rig_drive(rig), 123, 64, DRIVE_READ_DMA);
    ahci_detach(&rig->controller, &rig->restored);
    snapshot_compare(rig->hba, &before);
    rig_end(rig);
}

static enum ahci_port_kind kind_of(struct rig *rig, unsigned port)
{
    assert_int_equal(ahci_port_probe(&rig->controller, port), STATUS_OK);
    return rig->controller.ports[port].kind;
}

/* --- taking over ----------------------------------------------------------------------------- */

static void ae_needs_three_writes(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);
    static struct rig rig;

    (void)state;
    chip.found.ghc = 0;
    chip.enable_writes = 3;
    load(&rig, &chip);
    check_works(&rig);
}

static void ae_never_sticks(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);

    (void)state;
    chip.found.ghc = 0;
    chip.enable_writes = UINT32_MAX;
    check_refused(&chip, STATUS_TIMEOUT, "AHCI mode cannot be switched on");
}

static void vs_is_0_or_all_ones(void **state)
{
    struct model_chip chip = chip_of(MODEL_88SE9128_HBA);

    (void)state;
    chip.found.vs = 0;
    check_refused(&chip, STATUS_UNSUPPORTED, "zero");
    chip.found.vs = UINT32_MAX;
    check_refused(&chip, STATUS_GONE, "all ones");
    chip.found.vs = 0x00010000;
    chip.found.cap = 0;
    check_refused(&chip, STATUS_UNSUPPORTED, "zero");
    chip.all_ones = true;
    check_refused(&chip, STATUS_GONE, "all ones");
}

static void pi_is_0(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);
    static struct rig rig;

    (void)state;
    load(&rig, &chip);
    model_hba_poke(rig.hba, AHCI_PI, 0);
    assert_int_equal(rig_attach(&rig), STATUS_UNSUPPORTED);
    assert_non_null(strstr(rig.reason, "no port"));
    assert_int_equal(model_dma_live(), 0);
    /* Before AHCI 1.3 it may be left at 0: CAP.NP counts. */
    chip = chip_of(MODEL_JMB363);
    load(&rig, &chip);
    model_hba_poke(rig.hba, AHCI_PI, 0);
    check_works(&rig);
    assert_int_equal(rig.controller.pi, 0x3);
}

static void np_is_less_than_pi(void **state)
{
    struct model_chip chip = chip_of(MODEL_JMB585);
    const struct model_disk disks[] = {[4] = rig_disk(gib)};
    static struct rig rig;

    (void)state;
    chip.found.cap &= ~AHCI_CAP_NP;
    rig_load(&rig, &chip, disks, 5);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(rig.controller.pi, 0x1f);
    assert_int_equal(kind_of(&rig, 4), AHCI_PORT_DRIVE);
    rig_end(&rig);
}

/* Sixteen of 20 ports exist on paper only; they cost next to nothing. */
static void phantom_ports(void **state)
{
    struct model_chip chip = chip_of(MODEL_ASM1064);
    static struct rig rig;
    uint64_t start;

    (void)state;
    load(&rig, &chip);
    start = model_now_ns();
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    for (unsigned i = 1; i < AHCI_PORTS_MAX; i++)
        assert_int_equal(kind_of(&rig, i),
                         chip.found.pi >> i & 1 ? AHCI_PORT_EMPTY : AHCI_PORT_ABSENT);
    assert_true(model_now_ns() - start < 1500 * ms); /* each for itself: 19 x 200 ms */
    assert_int_equal(kind_of(&rig, 0), AHCI_PORT_DRIVE);
    rig_end(&rig);
}

/* The model stops the test at any access beyond the window. */
static void window_of_512_bytes(void **state)
{
    struct model_chip chip = chip_of(MODEL_88SE9172);
    static struct rig rig;

    (void)state;
    chip.found.pi = UINT32_MAX;
    load(&rig, &chip);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(rig.controller.pi, 0x3);
    assert_int_equal(kind_of(&rig, 0), AHCI_PORT_DRIVE);
    assert_int_equal(kind_of(&rig, 1), AHCI_PORT_EMPTY);
    for (unsigned i = 2; i < AHCI_PORTS_MAX; i++)
        assert_int_equal(kind_of(&rig, i), AHCI_PORT_ABSENT);
    rig_end(&rig);
    chip.window_bytes = 0x17c;
    load(&rig, &chip);
    assert_int_equal(rig_attach(&rig), STATUS_INVALID);
    assert_int_equal(model_hba_accesses(rig.hba), 0);
}

/* Rapid Storage option: NVMe drives are reached through this window by somebody else. */
static void drives_are_remapped(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);
    static struct rig rig;

    (void)state;
    chip.window_bytes = AHCI_INTEL_REMAP_WINDOW;
    chip.vscap = 0x01800200 | AHCI_INTEL_VSCAP_SRA;
    chip.remap = 0x1;
    check_refused(&chip, STATUS_UNSUPPORTED, "set AHCI in firmware setup");
    chip.remap = 0;
    load(&rig, &chip);
    check_works(&rig);
}

static void attach_takes(enum model_personality personality, uint64_t min_ms, uint64_t max_ms)
{
    struct model_chip chip = chip_of(personality);
    static struct rig rig;
    uint64_t start;

    load(&rig, &chip);
    start = model_now_ns();
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_in_range(model_now_ns() - start, min_ms * ms, max_ms * ms);
    assert_int_not_equal(model_hba_peek(rig.hba, AHCI_BOHC) & AHCI_BOHC_OOS, 0);
    rig_end(&rig);
}

static void firmware_owns_the_controller(void **state)
{
    struct model_chip chip = chip_of(MODEL_JMB585);
    static struct rig rig;

    (void)state;
    attach_takes(MODEL_JMB585, 1500, 2000); /* busy for 1.5 s, then it lets go */
    attach_takes(MODEL_JMB585_HELD, 2000, 4500);
    /* One that has already let go is not asked. */
    chip.found.bohc = 0;
    load(&rig, &chip);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(model_hba_peek(rig.hba, AHCI_BOHC), 0);
    rig_end(&rig);
}

/* --- engines --------------------------------------------------------------------------------- */

static void fr_and_cr_are_always_0(void **state)
{
    struct model_chip chip = chip_of(MODEL_88SE9172);
    static struct rig rig;

    (void)state;
    chip.engine_fall_ns = 9 * ms;
    load(&rig, &chip);
    check_works(&rig);
}

/* Only a reset of the link ends the receiver, when the port is taken and when it is given back. */
static void fr_never_clears(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);
    static struct rig rig;
    uint64_t start;

    (void)state;
    chip.fr_sticks = true;
    load(&rig, &chip);
    model_hba_poke(rig.hba, AHCI_PORT_BASE + AHCI_PX_CMD, AHCI_PX_CMD_SUD | AHCI_PX_CMD_FRE);
    start = model_now_ns();
    check_works(&rig);
    assert_true(model_now_ns() - start < 5000 * ms);
}

/* --- links and readiness --------------------------------------------------------------------- */

/* No CLO is offered, and its use would stop the test: a reset of the link has to do. */
static void busy_is_stuck_without_clo(void **state)
{
    struct model_chip chip = chip_of(MODEL_88SE9128_HBA);
    struct model_disk disk = rig_disk(gib);
    static struct rig rig;

    (void)state;
    assert_int_equal(chip.found.cap & AHCI_CAP_SCLO, 0);
    disk.busy_as_found = true;
    rig_load(&rig, &chip, &disk, 1);
    check_works(&rig);
}

/* Parked in Slumber or Partial by the previous owner, and deaf to PxCMD.ICC. */
static void links_are_asleep(void **state)
{
    static const uint32_t ssts[] = {0x631, 0x231, 0x611, 0x633, 0x831};

    (void)state;
    for (unsigned i = 0; i < 2 * COUNT_OF(ssts); i++) {
        struct model_chip chip = chip_of(MODEL_C216);
        struct model_disk disk = rig_disk(gib);
        static struct rig rig;

        disk.ssts = ssts[i / 2];
        chip.sleeps_on = i % 2 != 0;
        rig_load(&rig, &chip, &disk, 1);
        check_works(&rig);
    }
}

static void det_is_0_for_150_ms(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);
    struct model_disk disks[] = {rig_disk(gib), rig_disk(gib)};
    static struct rig rig;
    uint64_t start;

    (void)state;
    disks[0].found_ns = disks[1].found_ns = 150 * ms;
    rig_load(&rig, &chip, disks, 2);
    start = model_now_ns();
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(kind_of(&rig, i), i < 2 ? AHCI_PORT_DRIVE : AHCI_PORT_EMPTY);
    assert_true(model_now_ns() - start < 500 * ms);
    rig_end(&rig);
}

static void busy_for_20_s(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);
    struct model_disk disk = rig_disk(gib);
    static struct rig rig;

    (void)state;
    disk.busy_as_found = true;
    disk.ready_ns = 20000 * ms;
    rig_load(&rig, &chip, &disk, 1);
    check_works(&rig);
    disk.ready_ns = 40000 * ms;
    rig_load(&rig, &chip, &disk, 1);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(kind_of(&rig, 0), AHCI_PORT_NOT_READY);
    rig_end(&rig);
}

static void signature_comes_late(void **state)
{
    struct model_chip chip = chip_of(MODEL_C216);
    static struct rig rig;

    (void)state;
    chip.late_sig_ns = 40 * ms;
    load(&rig, &chip);
    check_works(&rig);
    chip.late_sig_ns = 120000 * ms;
    load(&rig, &chip);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(kind_of(&rig, 0), AHCI_PORT_NOT_READY);
    assert_non_null(strstr(rig.controller.ports[0].reason, "signature"));
    rig_end(&rig);
}

/* With both firmware personalities: PxSIG alone tells. */
static void fis_is_never_written(void **state)
{
    static const enum model_personality of[] = {MODEL_88SE9128_RAID, MODEL_88SE9128_HBA};

    (void)state;
    for (unsigned i = 0; i < 2 * COUNT_OF(of); i++) {
        struct model_chip chip = chip_of(of[i / 2]);
        struct model_disk disk = rig_disk(gib);
        static struct rig rig;

        chip.posts_no_fis = true;
        disk.busy_as_found = i % 2 != 0;
        rig_load(&rig, &chip, &disk, 1);
        check_works(&rig);
    }
}

/* PxTFD looks ready while a disk still spins up, and busy only later. */
static void ready_is_shown_too_early(void **state)
{
    static const uint64_t early_ms[] = {10, 45, 60, 5000, 9000};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(early_ms); i++) {
        struct model_chip chip = chip_of(MODEL_88SE9128_HBA);
        struct model_disk disk = rig_disk(gib);
        static struct rig rig;

        chip.early_ns = early_ms[i] * ms;
        disk.busy_as_found = true;
        disk.ready_ns = 8000 * ms;
        rig_load(&rig, &chip, &disk, 1);
        check_works(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ae_needs_three_writes),
        cmocka_unit_test(ae_never_sticks),
        cmocka_unit_test(vs_is_0_or_all_ones),
        cmocka_unit_test(pi_is_0),
        cmocka_unit_test(np_is_less_than_pi),
        cmocka_unit_test(phantom_ports),
        cmocka_unit_test(window_of_512_bytes),
        cmocka_unit_test(drives_are_remapped),
        cmocka_unit_test(firmware_owns_the_controller),
        cmocka_unit_test(fr_and_cr_are_always_0),
        cmocka_unit_test(fr_never_clears),
        cmocka_unit_test(busy_is_stuck_without_clo),
        cmocka_unit_test(links_are_asleep),
        cmocka_unit_test(det_is_0_for_150_ms),
        cmocka_unit_test(busy_for_20_s),
        cmocka_unit_test(signature_comes_late),
        cmocka_unit_test(fis_is_never_written),
        cmocka_unit_test(ready_is_shown_too_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
