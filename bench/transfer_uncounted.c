/*
 * The reads of TRANSFER that are not counted: those that find out whether the drive seeks, those
 * that make up for a pause, those that load the drive for a look at it, and the seek itself.
 */
#include "bench/engine.h"

#define PROBE_READS  9u
#define PROBE_NS     UINT64_C(2000000) /* half a turn at 15,000 rpm, without any seek */
#define PAUSE_MIN_NS UINT64_C(1000000) /* shorter rests vanish in the run-in */

/* Finds out by a few far-apart reads whether the drive has heads that must travel. */
enum status transfer_probe(struct bench *bench)
{
    struct plan_step *step = &bench->run->plan.steps[bench->step];
    uint64_t ticks[PROBE_READS];

    for (uint32_t i = 0; i < PROBE_READS; i++) {
        /* To and fro, and not where positions begin, so that nothing is read in advance. */
        uint32_t position = step->count * (i * 4 % PROBE_READS) / PROBE_READS;
        struct engine_read read = {.lba = plan_position_lba(step, position) + step->seek_sectors +
                                          step->command_sectors * step->counted,
                                   .sectors = 1};
        enum status status = engine_read_one(bench, bench->setup.drive, step->command, &read);

        if (status != STATUS_OK)
            return status;
        engine_count_not(bench, 1, 1);
        ticks[i] = read.t1 - read.t0;
    }
    summary_sort(ticks, PROBE_READS);
    bench->run->transfer.probe_ticks = ticks[PROBE_READS / 2];
    if (ticks[PROBE_READS / 2] < hw_clock_ticks(bench->setup.clock, PROBE_NS))
        plan_transfer_stream(&bench->setup.drive->info, step);
    return STATUS_OK;
}

/*
 * Where reads go that only keep the drive busy: behind the position before (at the beginning:
 * behind the first), or over it if nothing fits in there.
 */
struct ground {
    uint64_t first_lba;
    uint64_t end_lba;
    uint64_t next_lba;
};

static struct ground ground_of(const struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    uint32_t before = bench->done > 0 ? bench->done - 1 : 0;
    uint64_t stream = plan_position_lba(step, before) + step->seek_sectors;
    struct ground ground = {
        .first_lba = stream + (uint64_t)step->command_sectors * engine_position_commands(step),
        .end_lba = bench->setup.drive->info.sectors,
    };

    if (before + 1 < step->count)
        ground.end_lba = plan_position_lba(step, before + 1);
    if (ground.first_lba + step->command_sectors > ground.end_lba)
        ground.first_lba = stream;
    ground.next_lba = ground.first_lba;
    return ground;
}

/* Of the next read; round and round, around the place that the drive could not read. */
static uint64_t ground_next(const struct bench *bench, struct ground *ground, uint32_t sectors)
{
    uint64_t lba = ground->next_lba;

    for (uint32_t i = 0; i < 2; i++) {
        if (engine_is_bad(bench, lba, sectors))
            lba = bench->bad_lba + bench->bad_sectors;
        if (lba + sectors > ground->end_lba)
            lba = ground->first_lba;
    }
    ground->next_lba = lba + sectors;
    return lba;
}

/*
 * Reads, uncounted, for as long as the drive has rested: in a rest a rate limiter saves up a burst,
 * and a drive or a link may fall asleep.
 */
enum status transfer_make_up(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    struct ground ground = ground_of(bench);
    uint64_t most = engine_ms(bench, step->warm_up_ms);
    uint64_t begin = hw_ticks();
    uint64_t rest = bench->pause_ticks < most ? bench->pause_ticks : most;

    bench->now_ticks = begin;
    bench->pause_ticks = 0;
    if (rest < hw_clock_ticks(bench->setup.clock, PAUSE_MIN_NS))
        return STATUS_OK;
    while (bench->now_ticks - begin < rest) {
        struct engine_read read = {.lba = ground_next(bench, &ground, step->command_sectors),
                                   .sectors = step->command_sectors};
        enum status status = engine_read_one(bench, bench->setup.drive, step->command, &read);

        if (status != STATUS_OK)
            return status;
        engine_count_not(bench, 1, step->command_sectors);
    }
    engine_test(bench)->time.warm_up_ticks += bench->now_ticks - begin;
    return STATUS_OK;
}

enum status transfer_load(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    struct drive *drive = bench->setup.drive;
    struct ground ground = ground_of(bench);
    struct drive_read order = {.sectors = step->command_sectors, .command = step->command};
    uint64_t slot_bytes = (uint64_t)step->command_sectors * drive->info.logical_bytes;
    uint32_t mask = 0;
    enum status status;

    for (uint32_t slot = 0; slot < step->depth; slot++) {
        order.lba = ground_next(bench, &ground, step->command_sectors);
        order.bus = bench->setup.buffer.bus + slot * slot_bytes;
        status = drive->ops->prepare(drive, slot, &order);
        if (status != STATUS_OK)
            return status;
        mask |= 1u << slot;
    }
    status = drive->ops->start(drive, mask, &bench->load_ticks);
    if (status == STATUS_OK)
        bench->outstanding = mask;
    return status;
}

enum status transfer_seek(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    struct engine_read read = {.lba = plan_position_lba(step, bench->done),
                               .sectors = step->seek_sectors};
    enum status status;

    if (step->seek_sectors == 0)
        return STATUS_OK;
    status = engine_read_one(bench, bench->setup.drive, step->command, &read);
    if (status == STATUS_OK)
        engine_count_not(bench, 1, step->seek_sectors);
    return status;
}
