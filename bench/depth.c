/*
 * DEPTH: how many random reads does the drive do with all slots filled?
 *
 * Slots that one look finds complete are filled again by one doorbell. An interval counts from the
 * completion of a batch, with all slots filled again, to that of a later one; at a pause between
 * two steps it ends, and the batch that completed during the pause is not counted, because its end
 * was not seen.
 */
#include "bench/engine.h"

/* number / 2^64 of `places`: a random place without a division. */
static uint64_t pick_place(uint64_t number, uint64_t places)
{
    return (uint64_t)((unsigned __int128)number * places >> 64);
}

/* Fills the idle slots of `mask` and starts them together. */
static enum status refill(struct bench *bench, struct drive *drive, const struct plan_step *step,
                          uint32_t mask)
{
    struct drive_read order = {.sectors = step->command_sectors, .command = step->command};
    uint64_t slot_bytes = (uint64_t)step->command_sectors * drive->info.logical_bytes;
    enum status status;
    uint64_t t0;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(left);

        order.lba = bench->slot_lba[slot];
        if ((bench->again >> slot & 1) == 0)
            order.lba =
                step->first_lba +
                step->spacing_sectors * pick_place(base_random_next(&bench->random), step->places);
        order.bus = bench->setup.buffer.bus + slot * slot_bytes;
        status = drive->ops->prepare(drive, slot, &order);
        if (status != STATUS_OK)
            return status;
        bench->slot_lba[slot] = order.lba;
    }
    status = drive->ops->start(drive, mask, &t0);
    if (status != STATUS_OK)
        return status;
    bench->outstanding |= mask;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        bench->slot_t0[__builtin_ctz(left)] = t0;
    return STATUS_OK;
}

/* One sample for each slot of `mask`; for the batch that only opens an interval one is enough. */
static void keep_samples(struct bench *bench, const struct plan_step *step,
                         const struct drive_done *done, enum sample_role role)
{
    struct engine_read read = {.sectors = step->command_sectors, .t1 = done->t1};

    for (uint32_t left = done->slots; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(left);

        read.lba = bench->slot_lba[slot];
        read.t0 = bench->slot_t0[slot];
        engine_sample(bench, &read, role);
        if (role == SAMPLE_UNCOUNTED)
            break;
    }
}

static void account(struct bench *bench, const struct plan_step *step,
                    const struct drive_done *done)
{
    uint32_t commands = engine_slots(done->slots);

    if (bench->counting) {
        keep_samples(bench, step, done, SAMPLE_COUNTED);
        engine_count(bench, commands, (uint64_t)commands * step->command_sectors);
        engine_test(bench)->time.counted_ticks += done->t1 - bench->mark_ticks;
        bench->done += commands;
    } else {
        engine_count_not(bench, commands, (uint64_t)commands * step->command_sectors);
        /* What is read again after an error of the link is not counted either. */
        bench->again &= ~done->slots;
        bench->counting = done->t1 >= bench->warm_end_ticks && bench->again == 0;
        if (bench->counting)
            keep_samples(bench, step, done, SAMPLE_UNCOUNTED);
    }
    bench->mark_ticks = done->t1;
}

static enum engine_next turn_failed(struct bench *bench, const struct drive *drive,
                                    enum status status)
{
    uint32_t lost = bench->outstanding;
    enum engine_next next = engine_failure(bench, drive, status, engine_slots(lost));

    bench->again = next == ENGINE_MORE && engine_retry(bench, drive) ? lost : 0;
    return next;
}

enum engine_next depth_turn(struct bench *bench, struct drive *drive, const struct plan_step *step)
{
    uint32_t all = step->depth == 32 ? UINT32_MAX : (1u << step->depth) - 1;
    uint32_t idle = all & ~bench->outstanding;
    struct drive_done done;
    enum status status = STATUS_OK;

    if (idle != 0)
        status = refill(bench, drive, step, idle);
    if (status == STATUS_OK)
        status = drive->ops->await(drive, all, bench->await_ticks, &done);
    if (status != STATUS_OK)
        return turn_failed(bench, drive, status);
    bench->outstanding &= ~done.slots;
    bench->now_ticks = done.t1;
    account(bench, step, &done);
    return bench->done < step->count ? ENGINE_MORE : ENGINE_DONE;
}

enum status depth_drain(struct bench *bench, struct drive *drive)
{
    while (bench->outstanding != 0) {
        struct drive_done done;
        enum status status =
            drive->ops->await(drive, bench->outstanding, bench->await_ticks, &done);

        if (status != STATUS_OK)
            return status;
        bench->outstanding &= ~done.slots;
        bench->now_ticks = done.t1;
        engine_count_not(bench, engine_slots(done.slots),
                         (uint64_t)engine_slots(done.slots) * engine_step(bench)->command_sectors);
    }
    return STATUS_OK;
}

enum engine_next depth_unit(struct bench *bench)
{
    return depth_turn(bench, bench->setup.drive, engine_step(bench));
}
