/*
 * TRANSFER: how fast is the drive over its surface?
 *
 * A position is a small read that moves the heads, and then a stream of equal commands. The clock
 * starts when the first of them completes and stops when the last but one does (with one command in
 * flight: the last), so that both ends of the interval see the same state: data flowing. A start on
 * an idle drive would count its start-up, and with a drive behind a rate limiter the seek read
 * would pay for the last command of the position before it, which reads up to a third too fast.
 */
#include "bench/engine.h"

#define PAUSE_MIN_NS UINT64_C(1000000) /* shorter rests vanish in the lead command */

struct stream {
    uint64_t lba; /* of its first command */
    uint32_t group;
    uint32_t issued;
    uint32_t completed;
    uint64_t begin; /* clock at the completion of the lead */
    uint64_t end;   /* and at that of the last counted command */
};

/* Keeps the drive as busy as the plan says: prepares and starts what is missing. */
static enum status stream_fill(struct bench *bench, struct stream *stream)
{
    const struct plan_step *step = engine_step(bench);
    struct drive *drive = bench->setup.drive;
    uint32_t total = step->lead + step->counted + step->tail;
    uint32_t mask = 0;
    uint64_t t0;

    for (uint32_t slot = 0; slot < step->depth && stream->issued < total; slot++) {
        struct drive_read order = {.sectors = step->command_sectors, .command = step->command};
        enum status status;

        if ((bench->outstanding >> slot & 1) != 0)
            continue;
        order.lba = stream->lba + (uint64_t)stream->issued * step->command_sectors;
        order.bus = bench->setup.buffer.bus +
                    (uint64_t)slot * step->command_sectors * drive->info.logical_bytes;
        status = drive->ops->prepare(drive, slot, &order);
        if (status != STATUS_OK)
            return status;
        bench->slot_lba[slot] = order.lba;
        stream->issued++;
        mask |= 1u << slot;
    }
    if (mask != 0) {
        enum status status = drive->ops->start(drive, mask, &t0);

        if (status != STATUS_OK)
            return status;
        bench->outstanding |= mask;
        for (uint32_t slot = 0; slot < step->depth; slot++)
            if ((mask >> slot & 1) != 0)
                bench->slot_t0[slot] = t0;
    }
    return STATUS_OK;
}

/* Books the completed slots in the order in which they count. */
static void stream_complete(struct bench *bench, struct stream *stream,
                            const struct drive_done *done)
{
    const struct plan_step *step = engine_step(bench);

    for (uint32_t slot = 0; slot < step->depth; slot++) {
        struct engine_read read = {.lba = bench->slot_lba[slot],
                                   .sectors = step->command_sectors,
                                   .group = (uint16_t)stream->group,
                                   .t0 = bench->slot_t0[slot],
                                   .t1 = done->t1};
        bool counted;

        if ((done->slots >> slot & 1) == 0)
            continue;
        counted = stream->completed >= step->lead && stream->completed < step->lead + step->counted;
        stream->completed++;
        if (stream->completed == step->lead)
            stream->begin = done->t1;
        if (stream->completed == step->lead + step->counted)
            stream->end = done->t1;
        engine_sample(bench, &read, counted ? SAMPLE_COUNTED : SAMPLE_UNCOUNTED);
    }
    bench->outstanding &= ~done->slots;
    bench->now_ticks = done->t1;
}

static enum status stream_read(struct bench *bench, struct stream *stream)
{
    const struct plan_step *step = engine_step(bench);
    struct drive *drive = bench->setup.drive;
    struct drive_done done;

    while (stream->completed < step->lead + step->counted + step->tail) {
        enum status status = stream_fill(bench, stream);

        if (status == STATUS_OK)
            status = drive->ops->await(drive, bench->outstanding, bench->await_ticks, &done);
        if (status != STATUS_OK)
            return status;
        stream_complete(bench, stream, &done);
    }
    return STATUS_OK;
}

/*
 * Reads, uncounted, for as long as the drive has rested, behind the position before: in a rest a
 * rate limiter saves up a burst, and a drive or a link may fall asleep.
 */
static enum status make_up_for_pause(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    const struct drive_info *info = &bench->setup.drive->info;
    uint32_t before = bench->done > 0 ? bench->done - 1 : step->count - 1;
    uint64_t stream = plan_position_lba(step, before) + step->seek_sectors;
    uint64_t lba =
        stream + (uint64_t)step->command_sectors * (step->lead + step->counted + step->tail);
    uint64_t limit = bench->done > 0 ? plan_position_lba(step, bench->done) : info->sectors;
    uint64_t most = engine_ms(bench, step->warm_up_ms);
    uint64_t begin = hw_ticks();
    uint64_t rest = bench->pause_ticks < most ? bench->pause_ticks : most;

    bench->now_ticks = begin;
    bench->pause_ticks = 0;
    if (rest < hw_clock_ticks(bench->setup.clock, PAUSE_MIN_NS))
        return STATUS_OK;
    for (uint64_t at = lba; bench->now_ticks - begin < rest; at += step->command_sectors) {
        struct engine_read read = {.sectors = step->command_sectors};
        enum status status;

        if (at + step->command_sectors > limit)
            at = lba + step->command_sectors > limit ? stream : lba;
        read.lba = at;
        status = engine_read_one(bench, bench->setup.drive, step->command, &read);
        if (status != STATUS_OK)
            return status;
        engine_count_not(bench, 1, step->command_sectors);
    }
    engine_test(bench)->time.warm_up_ticks += bench->now_ticks - begin;
    return STATUS_OK;
}

static enum status read_position(struct bench *bench, struct stream *stream)
{
    const struct plan_step *step = engine_step(bench);
    struct engine_read seek = {.lba = plan_position_lba(step, bench->done),
                               .sectors = step->seek_sectors};
    enum status status = make_up_for_pause(bench);

    if (status == STATUS_OK)
        status = engine_read_one(bench, bench->setup.drive, step->command, &seek);
    if (status == STATUS_OK)
        engine_count_not(bench, 1, step->seek_sectors);
    stream->lba = seek.lba + step->seek_sectors;
    stream->group = bench->done;
    if (status == STATUS_OK)
        status = stream_read(bench, stream);
    return status;
}

enum engine_next transfer_unit(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    struct bench_transfer *transfer = &bench->run->transfer;
    uint32_t first_sample = bench->run->sample_count;
    struct stream stream = {0};
    enum status status = read_position(bench, &stream);

    if (status != STATUS_OK) {
        uint32_t commands = stream.issued - stream.completed;
        enum engine_next next =
            engine_failure(bench, bench->setup.drive, status, commands > 0 ? commands : 1);

        /* What did complete of this position is in no figure, so it is in no file either. */
        bench->run->sample_count = first_sample;
        engine_count_not(bench, stream.completed,
                         (uint64_t)stream.completed * step->command_sectors);
        if (next != ENGINE_MORE)
            return next;
    } else {
        uint32_t uncounted = step->lead + step->tail;

        engine_count(bench, step->counted, (uint64_t)step->counted * step->command_sectors);
        engine_count_not(bench, uncounted, (uint64_t)uncounted * step->command_sectors);
        transfer->ticks[bench->done] = stream.end - stream.begin;
        engine_test(bench)->time.counted_ticks += stream.end - stream.begin;
    }
    bench->done++;
    if (bench->done < step->count)
        return ENGINE_MORE;
    if (engine_test(bench)->counted_commands == 0)
        return engine_fail_test(bench, "no position could be read");
    return ENGINE_DONE;
}

void transfer_finish(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    struct bench_transfer *transfer = &bench->run->transfer;

    transfer->position_bytes = plan_position_bytes(step, bench->setup.drive->info.logical_bytes);
    for (uint32_t i = 0; i < step->count; i++) {
        uint64_t ticks = transfer->ticks[i];

        if (ticks == 0)
            continue;
        if (transfer->positions == 0 || ticks < transfer->min_ticks)
            transfer->min_ticks = ticks;
        if (ticks > transfer->max_ticks)
            transfer->max_ticks = ticks;
        transfer->positions++;
    }
}
