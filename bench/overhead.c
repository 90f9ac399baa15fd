/*
 * OVERHEAD: what does measuring itself cost? Reads of a drive that is done at once, one at a time
 * and at full depth, and looks at the completion register of the drive: the resolution.
 */
#include "bench/engine.h"

enum part {
    PART_NULL,
    PART_POLL,
    PART_DEPTH,
};

#define NO_NULL_DRIVE "the null drive failed"

static enum engine_next null_read(struct bench *bench)
{
    struct engine_read read = {.sectors = engine_step(bench)->command_sectors};

    if (engine_read_one(bench, bench->setup.null_drive, engine_step(bench)->command, &read) !=
        STATUS_OK)
        return engine_fail_test(bench, NO_NULL_DRIVE);
    engine_sample(bench, &read, SAMPLE_COUNTED);
    return ENGINE_MORE;
}

static enum engine_next poll_once(struct bench *bench)
{
    struct drive *drive = bench->setup.drive;
    struct engine_read look = {0};

    look.t0 = hw_ticks();
    drive->ops->poll(drive);
    look.t1 = hw_ticks();
    bench->now_ticks = look.t1;
    engine_sample(bench, &look, SAMPLE_COUNTED);
    return ENGINE_MORE;
}

/* DEPTH on the null drive. Its samples are written, as they would be, but not kept. */
static enum engine_next null_depth(struct bench *bench)
{
    struct drive *drive = bench->setup.null_drive;
    const struct drive_info *info = &drive->info;
    uint32_t kept = bench->run->sample_count;
    struct plan_step step = {
        .command = DRIVE_READ_QUEUED,
        .depth = info->queue_depth < DRIVE_SLOTS_MAX ? info->queue_depth : DRIVE_SLOTS_MAX,
        .command_sectors = 1,
        .count = PLAN_OVERHEAD_DEPTH,
        .spacing_sectors = 1,
        .places = info->sectors,
    };
    enum engine_next next = ENGINE_MORE;

    if (step.depth == 0)
        return ENGINE_DONE;
    while (next == ENGINE_MORE)
        next = depth_turn(bench, drive, &step);
    bench->run->sample_count = kept;
    if (next == ENGINE_DONE && depth_drain(bench, drive) != STATUS_OK)
        next = ENGINE_FAILED;
    return next == ENGINE_DONE ? next : engine_fail_test(bench, NO_NULL_DRIVE);
}

enum engine_next overhead_unit(struct bench *bench)
{
    enum engine_next next;

    if (bench->part == PART_DEPTH)
        return null_depth(bench);
    next = bench->part == PART_NULL ? null_read(bench) : poll_once(bench);
    bench->done++;
    if (bench->done == engine_step(bench)->count) {
        bench->done = 0;
        bench->part++;
    }
    return next;
}

void overhead_finish(struct bench *bench)
{
    struct bench_overhead *overhead = &bench->run->overhead;
    struct bench_test *test = engine_test(bench);
    size_t count = engine_collect(bench, ENGINE_READS);

    summary_make(bench->setup.scratch, count, &overhead->null_drive);
    count = engine_collect(bench, ENGINE_POLLS);
    summary_make(bench->setup.scratch, count, &overhead->poll);
    overhead->depth_commands = test->counted_commands;
    overhead->depth_ticks = test->time.counted_ticks;
    /* None of this was read from the drive. */
    test->counted_commands = 0;
    test->counted_bytes = 0;
    test->time.counted_ticks = 0;
    test->time.uncounted_commands = 0;
    test->time.uncounted_bytes = 0;
}
