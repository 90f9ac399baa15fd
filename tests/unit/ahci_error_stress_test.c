/*
 * Random interleavings: commands of both kinds, completions out of order, late, several at once,
 * with status bits that mean nothing, on several controllers. Data, order and times must be right
 * in every run, and each run follows from its number.
 */
#include "base/random.h"
#include "tests/unit/ahci_rig.h"

#define RUNS       10000u
#define SLOT_BYTES 4096u
#define COMMANDS   24u /* of a run */

/* The longest time between the fall of a bit and the reading of the clock that follows: the look
 * under way, the alarm register on a 16th turn, and the look after it. */
#define LOOK_NS 4000u

struct stress {
    struct rig rig;
    struct base_random random;
    struct drive *drive;
    uint32_t depth;
    uint32_t busy; /* slots under way */
    uint64_t lba[DRIVE_SLOTS_MAX];
    uint64_t started_ns[DRIVE_SLOTS_MAX];
    uint64_t last_ns;   /* when what was found complete last had become so */
    uint32_t left;      /* commands not yet started */
    uint32_t at_once;   /* most that one look found complete */
    uint64_t overtaken; /* commands found complete before one that was started earlier */
};

static uint64_t below(struct stress *stress, uint64_t limit)
{
    return base_random_below(&stress->random, limit);
}

static void build(struct stress *stress, uint64_t run)
{
    static const enum model_personality personalities[] = {
        MODEL_ICH9_QEMU, MODEL_88SE9128_HBA, MODEL_88SE9172, MODEL_C216, MODEL_ASM1061};
    struct model_disk disk = {.kind = MODEL_DISK_ATA, .sectors = 1 << 20};

    stress->random.state = run * 2654435761u + 1;
    disk.queue_depth = (uint32_t)below(stress, 32) + 1;
    disk.command_ns = 500 + below(stress, 20000);
    disk.jitter_ns = below(stress, 2) != 0 ? below(stress, 200000) + 1 : 0;
    disk.batch = (unsigned)below(stress, 8);
    disk.noise = (unsigned)below(stress, 500);
    disk.order = (enum model_order)below(stress, 3);
    rig_build(&stress->rig, personalities[run % COUNT_OF(personalities)], &disk, 1);
    model_hba_poke(stress->rig.hba, AHCI_PI, 1);
    assert_int_equal(rig_attach(&stress->rig), STATUS_OK);
    assert_int_equal(ahci_port_probe(&stress->rig.controller, 0), STATUS_OK);
    stress->drive = ahci_port_drive(&stress->rig.controller, 0);
    assert_non_null(stress->drive);
    assert_int_equal(hw_dma_alloc(32 * SLOT_BYTES, &stress->rig.buffer), STATUS_OK);
    stress->depth = stress->drive->info.queue_depth;
    stress->busy = 0;
    stress->left = COMMANDS;
    stress->last_ns = 0;
}

static uint8_t *slot_memory(struct stress *stress, uint32_t slot)
{
    return (uint8_t *)stress->rig.buffer.cpu + slot * SLOT_BYTES;
}

/* Starts some of the idle slots together. */
static void start_some(struct stress *stress, enum drive_command command)
{
    struct drive *drive = stress->drive;
    uint32_t slots = command == DRIVE_READ_DMA ? 1 : stress->depth;
    uint32_t mask = 0;
    uint64_t t0;

    for (uint32_t slot = 0; slot < slots && stress->left > 0; slot++) {
        struct drive_read read = {
            .sectors = 8, .command = command, .bus = stress->rig.buffer.bus + slot * SLOT_BYTES};

        if ((stress->busy >> slot & 1) != 0 || (slots > 1 && below(stress, 3) == 0))
            continue;
        read.lba = below(stress, (1 << 20) - 8);
        memset(slot_memory(stress, slot), 0xee, SLOT_BYTES);
        assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
        stress->lba[slot] = read.lba;
        stress->left--;
        mask |= BIT32(slot);
    }
    if (mask == 0)
        return;
    assert_int_equal(drive->ops->start(drive, mask, &t0), STATUS_OK);
    for (uint32_t slot = 0; slot < slots; slot++)
        if ((mask >> slot & 1) != 0)
            stress->started_ns[slot] = t0 * 2 / (MODEL_HZ / 500000000);
    stress->busy |= mask;
}

/* Looks at one completed slot: its data, and that it was found when it had just completed. */
static uint64_t check_slot(struct stress *stress, uint32_t slot, uint64_t t1_ns)
{
    uint64_t done_ns = model_hba_done_ns(stress->rig.hba, 0, slot);

    assert_true(model_disk_matches(slot_memory(stress, slot), SLOT_BYTES, stress->lba[slot], 512));
    assert_true(done_ns > stress->started_ns[slot]);
    assert_true(t1_ns > done_ns);
    assert_true(done_ns > stress->last_ns);
    return done_ns;
}

/* Whether a command that was started earlier is still under way. */
static bool is_overtaking(const struct stress *stress, uint32_t slot, uint32_t done)
{
    for (uint32_t other = 0; other < DRIVE_SLOTS_MAX; other++)
        if (((stress->busy & ~done) >> other & 1) != 0 &&
            stress->started_ns[other] < stress->started_ns[slot])
            return true;
    return false;
}

static void await_some(struct stress *stress)
{
    struct drive *drive = stress->drive;
    uint64_t from_ns = model_now_ns();
    uint64_t latest = stress->last_ns;
    struct drive_done done;
    uint64_t t1_ns;
    uint32_t count = 0;

    assert_int_equal(drive->ops->await(drive, stress->busy, 10 * SECOND, &done), STATUS_OK);
    assert_int_not_equal(done.slots, 0);
    assert_int_equal(done.slots & ~stress->busy, 0);
    t1_ns = done.t1 * 2 / (MODEL_HZ / 500000000);
    for (uint32_t slot = 0; slot < DRIVE_SLOTS_MAX; slot++) {
        uint64_t done_ns;

        if ((done.slots >> slot & 1) == 0)
            continue;
        count++;
        done_ns = check_slot(stress, slot, t1_ns);
        latest = done_ns > latest ? done_ns : latest;
        /* Within a look of its completion, or of the beginning of this wait. */
        assert_true(t1_ns - (done_ns > from_ns ? done_ns : from_ns) < LOOK_NS);
        stress->overtaken += is_overtaking(stress, slot, done.slots);
    }
    stress->at_once = count > stress->at_once ? count : stress->at_once;
    stress->last_ns = latest;
    stress->busy &= ~done.slots;
}

static void run_once(struct stress *stress, uint64_t run)
{
    build(stress, run);
    while (stress->left > 0 || stress->busy != 0) {
        bool queued = stress->depth > 1 && below(stress, 8) != 0;

        /* The two kinds never mix: drain before the other. */
        if (!queued)
            while (stress->busy != 0)
                await_some(stress);
        start_some(stress, queued ? DRIVE_READ_QUEUED : DRIVE_READ_DMA);
        if (below(stress, 4) == 0)
            stress->drive->ops->look(stress->drive, &(struct drive_link){.known = false});
        if (below(stress, 16) == 0)
            model_advance_ns(below(stress, 300000)); /* somebody else had the processor */
        do {
            if (stress->busy != 0)
                await_some(stress);
        } while (stress->busy != 0 && (!queued || below(stress, 2) != 0));
    }
    rig_end(&stress->rig);
}

static uint64_t running;

static int name_the_run(void **state)
{
    (void)state;
    if (running < RUNS)
        print_message("stopped in run %u\n", (unsigned)running);
    return 0;
}

static void random_interleavings(void **state)
{
    static struct stress stress;
    (void)state;
    for (running = 0; running < RUNS; running++)
        run_once(&stress, running);
    assert_true(stress.at_once >= 8);
    assert_true(stress.overtaken > RUNS);
    print_message("%u runs of %u commands; up to %u completed at once, %u overtook another\n", RUNS,
                  COMMANDS, stress.at_once, (unsigned)stress.overtaken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_interleavings, name_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
