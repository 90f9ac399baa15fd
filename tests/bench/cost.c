/*
 * What cost.py counts under callgrind: queued reads by the AHCI driver on the model, in phases.
 *
 * callgrind collects while counted_submit, counted_harvest or counted_poll runs, and writes what it
 * has when phase_end returns; so the n-th line of the output belongs to the n-th of its files. The
 * words of a line: what was counted; KiB of a command; commands in flight; commands that complete
 * together; how many of them there were; register accesses made while counting.
 */
#include "drivers/ahci/ahci.h"
#include "drivers/ahci/regs.h"
#include "hw/dma.h"
#include "tests/model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE    __attribute__((noinline))
#define KIB         UINT32_C(1024)
#define SECTOR      UINT32_C(512)
#define MOST_KIB    UINT32_C(1024)
#define COMMAND_NS  UINT64_C(20000)
#define LIMIT_TICKS MODEL_HZ

enum counted {
    COUNT_SUBMIT,
    COUNT_HARVEST,
    COUNT_WAIT,
    COUNT_POLL
};

static const char *const counted_names[] = {"submit", "harvest", "wait", "poll"};

struct phase {
    enum counted counted;
    uint32_t kib;      /* of a command */
    uint32_t depth;    /* commands in flight */
    uint32_t together; /* commands that one look finds complete */
    uint32_t rounds;
};

static const struct phase phases[] = {
    {COUNT_SUBMIT, 4, 1, 1, 64},   {COUNT_HARVEST, 4, 1, 1, 64},   {COUNT_SUBMIT, 4, 32, 1, 64},
    {COUNT_HARVEST, 4, 32, 1, 64}, {COUNT_SUBMIT, 4, 32, 32, 4},   {COUNT_HARVEST, 4, 32, 32, 4},
    {COUNT_SUBMIT, 1024, 1, 1, 8}, {COUNT_HARVEST, 1024, 1, 1, 8}, {COUNT_WAIT, 4, 1, 1, 64},
    {COUNT_POLL, 4, 1, 1, 64},
};

static struct ahci_controller controller;
static struct drive *drive;
static struct model_hba *hba;
static struct hw_dma buffer;
static uint64_t counted_accesses;

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "cost: %s\n", what);
    exit(1);
}

/* --- what is counted ------------------------------------------------------------------------- */

static NOINLINE void submit(const struct drive_read *reads, uint32_t slots)
{
    enum status status = STATUS_OK;
    uint64_t t0;

    for (uint32_t left = slots; left != 0 && status == STATUS_OK; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(left);

        status = drive->ops->prepare(drive, slot, &reads[slot]);
    }
    if (status == STATUS_OK)
        status = drive->ops->start(drive, slots, &t0);
    must(status == STATUS_OK, "a command was not started");
}

static NOINLINE uint32_t harvest(uint32_t slots)
{
    struct drive_done done;

    must(drive->ops->await(drive, slots, LIMIT_TICKS, &done) == STATUS_OK, "a command failed");
    return done.slots;
}

static NOINLINE void counted_submit(const struct drive_read *reads, uint32_t slots)
{
    uint64_t before = model_hba_accesses(hba);

    submit(reads, slots);
    counted_accesses += model_hba_accesses(hba) - before;
}

static NOINLINE uint32_t counted_harvest(uint32_t slots)
{
    uint64_t before = model_hba_accesses(hba);
    uint32_t done = harvest(slots);

    counted_accesses += model_hba_accesses(hba) - before;
    return done;
}

static NOINLINE void counted_poll(void)
{
    uint64_t before = model_hba_accesses(hba);

    drive->ops->poll(drive);
    counted_accesses += model_hba_accesses(hba) - before;
}

static NOINLINE void phase_end(const struct phase *phase)
{
    printf("%s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 "\n",
           counted_names[phase->counted], phase->kib, phase->depth, phase->together,
           phase->rounds * phase->together, counted_accesses);
    counted_accesses = 0;
}

/* --- phases ---------------------------------------------------------------------------------- */

static void set_up(void)
{
    const struct model_disk disk = {.kind = MODEL_DISK_ATA,
                                    .sectors = UINT32_C(1) << 22,
                                    .queue_depth = DRIVE_SLOTS_MAX,
                                    .command_ns = COMMAND_NS};
    struct ahci_attach_info info = {.clock = &model_clock};
    const char *reason;

    model_reset();
    hba = model_hba_add(MODEL_ICH9_QEMU, &disk, 1);
    info.window = model_hba_window(hba);
    info.vendor_id = model_hba_vendor(hba);
    info.device_id = model_hba_device(hba);
    must(ahci_attach(&controller, &info, &reason) == STATUS_OK, "attach failed");
    must(ahci_port_probe(&controller, 0) == STATUS_OK, "probe failed");
    drive = ahci_port_drive(&controller, 0);
    must(drive != NULL && drive->info.queue_depth == DRIVE_SLOTS_MAX, "no drive with 32 slots");
    must(hw_dma_alloc(DRIVE_SLOTS_MAX * MOST_KIB * KIB, &buffer) == STATUS_OK, "no memory");
}

static void tear_down(void)
{
    struct ahci_restored restored;

    ahci_detach(&controller, &restored);
    hw_dma_free(&buffer);
    model_reset();
}

/* Lets time pass, without a register access, until `count` of the commands are complete. */
static void let_complete(const struct phase *phase, uint32_t count)
{
    uint32_t left = phase->depth - count;

    while ((uint32_t)__builtin_popcount(model_hba_peek(hba, AHCI_PORT_BASE + AHCI_PX_SACT)) > left)
        model_advance_ns(COMMAND_NS / 20);
}

/* One round: the commands that complete together are harvested and started again. */
static void run_round(const struct phase *phase, const struct drive_read *reads, uint32_t all)
{
    uint32_t done;

    if (phase->counted != COUNT_WAIT)
        let_complete(phase, phase->together);
    if (phase->counted == COUNT_POLL)
        counted_poll();
    if (phase->counted == COUNT_HARVEST || phase->counted == COUNT_WAIT)
        done = counted_harvest(all);
    else
        done = harvest(all);
    must((uint32_t)__builtin_popcount(done) == phase->together, "not as many as planned");
    if (phase->counted == COUNT_SUBMIT)
        counted_submit(reads, done);
    else
        submit(reads, done);
}

static void run_phase(const struct phase *phase)
{
    uint32_t all = UINT32_MAX >> (DRIVE_SLOTS_MAX - phase->depth);
    struct drive_read reads[DRIVE_SLOTS_MAX];

    for (uint32_t i = 0; i < DRIVE_SLOTS_MAX; i++)
        reads[i] = (struct drive_read){.lba = 1000000 + i * phase->kib * KIB / SECTOR,
                                       .sectors = phase->kib * KIB / SECTOR,
                                       .command = DRIVE_READ_QUEUED,
                                       .bus = buffer.bus + i * phase->kib * KIB};
    submit(reads, all);
    for (uint32_t round = 0; round < phase->rounds; round++)
        run_round(phase, reads, all);
    let_complete(phase, phase->depth);
    must(harvest(all) == all, "a command was left over");
    must(model_disk_matches(buffer.cpu, phase->kib * KIB, reads[0].lba, SECTOR), "wrong data");
    phase_end(phase);
}

int main(void)
{
    set_up();
    for (size_t i = 0; i < COUNT_OF(phases); i++)
        run_phase(&phases[i]);
    tear_down();
    return fflush(stdout) == 0 ? 0 : 1;
}
