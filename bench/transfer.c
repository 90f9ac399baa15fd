/*
 * TRANSFER: how fast is the drive over its surface?
 *
 * Positions are read in trains. In a train the queue never runs empty, and the clock of a position
 * runs from the completion of the last command of the position before to that of its own: data is
 * flowing at both ends. An idle drive at either end would bend the rate: its start-up would count,
 * and a drive behind a rate limiter would have saved up a burst. So a train begins with a run-in.
 *
 * On a rotating drive a train is one position behind a seek read that is waited for, and a lead
 * takes the place of the run-in: with the heads still elsewhere the drive might otherwise take
 * the commands of a position in any order.
 */
#include "bench/engine.h"

#define ACTIVE_MAX  16u /* positions begun and not complete, at most */
#define NO_POSITION UINT32_MAX

struct active {
    uint32_t completed; /* commands */
    uint64_t end;       /* completion of the last counted one */
};

struct train {
    uint32_t first_sample;
    uint32_t first;       /* position */
    uint32_t limit;       /* the position after its last one, at most */
    uint32_t oldest;      /* position: all before it are complete and booked */
    uint32_t next;        /* position that is being issued ... */
    uint32_t issued;      /* ... and commands of it that are under way or done */
    uint32_t run_in;      /* uncounted commands still to be issued before the first position */
    uint32_t run_in_left; /* and to be completed */
    uint64_t run_in_lba;
    uint64_t mark; /* clock at the end of the latest interval, or at the beginning of the first */
    uint32_t slot_position[DRIVE_SLOTS_MAX];
    struct active active[ACTIVE_MAX]; /* by position modulo ACTIVE_MAX */
};

/* Whether a command is to be issued, and which. At the end of the step no position is begun. */
static bool train_next(struct bench *bench, struct train *train, uint64_t *ret_lba,
                       uint32_t *ret_position)
{
    const struct plan_step *step = engine_step(bench);

    if (train->run_in > 0) {
        *ret_lba = train->run_in_lba;
        *ret_position = NO_POSITION;
        train->run_in_lba += step->command_sectors;
        train->run_in--;
        return true;
    }
    if (train->issued == engine_position_commands(step)) {
        train->next++;
        train->issued = 0;
    }
    if (train->issued == 0) {
        if (train->next >= train->limit || train->next - train->oldest >= ACTIVE_MAX)
            return false;
        if (train->next > train->first && bench->now_ticks >= bench->block_end_ticks)
            return false;
        train->active[train->next % ACTIVE_MAX] = (struct active){0};
    }
    *ret_lba = plan_position_lba(step, train->next) + step->seek_sectors +
               (uint64_t)train->issued * step->command_sectors;
    *ret_position = train->next;
    train->issued++;
    return true;
}

/* Fills the idle slots and starts them together. */
static enum status train_fill(struct bench *bench, struct train *train)
{
    const struct plan_step *step = engine_step(bench);
    struct drive *drive = bench->setup.drive;
    struct drive_read order = {.sectors = step->command_sectors, .command = step->command};
    uint64_t slot_bytes = (uint64_t)step->command_sectors * drive->info.logical_bytes;
    uint32_t mask = 0;
    enum status status;
    uint64_t t0;

    for (uint32_t slot = 0; slot < step->depth; slot++) {
        if ((bench->outstanding >> slot & 1) != 0)
            continue;
        if (!train_next(bench, train, &order.lba, &train->slot_position[slot]))
            break;
        order.bus = bench->setup.buffer.bus + slot * slot_bytes;
        status = drive->ops->prepare(drive, slot, &order);
        if (status != STATUS_OK)
            return status;
        bench->slot_lba[slot] = order.lba;
        mask |= 1u << slot;
    }
    if (mask == 0)
        return STATUS_OK;
    status = drive->ops->start(drive, mask, &t0);
    if (status != STATUS_OK)
        return status;
    bench->outstanding |= mask;
    for (uint32_t slot = 0; slot < step->depth; slot++)
        if ((mask >> slot & 1) != 0)
            bench->slot_t0[slot] = t0;
    return STATUS_OK;
}

/* Books the positions that are complete, in their order. */
static void book_positions(struct bench *bench, struct train *train)
{
    const struct plan_step *step = engine_step(bench);
    uint32_t uncounted = step->lead + step->tail;

    while (train->oldest < train->limit && train->oldest <= train->next) {
        const struct active *active = &train->active[train->oldest % ACTIVE_MAX];
        uint64_t ticks = active->end > train->mark ? active->end - train->mark : 0;

        if (train->oldest == train->next && train->issued < engine_position_commands(step))
            break;
        if (active->completed < engine_position_commands(step))
            break;
        engine_count(bench, step->counted, (uint64_t)step->counted * step->command_sectors);
        engine_count_not(bench, uncounted, (uint64_t)uncounted * step->command_sectors);
        bench->run->transfer.ticks[train->oldest] = ticks;
        engine_test(bench)->time.counted_ticks += ticks;
        train->mark += ticks;
        train->oldest++;
        bench->done = train->oldest;
    }
}

/* A completed command of a position. Commands count in the order in which they complete. */
static void position_complete(struct bench *bench, struct train *train,
                              const struct engine_read *read)
{
    const struct plan_step *step = engine_step(bench);
    struct active *active = &train->active[read->group % ACTIVE_MAX];
    bool counted =
        active->completed >= step->lead && active->completed < step->lead + step->counted;

    active->completed++;
    if (counted)
        active->end = read->t1;
    else if (active->completed <= step->lead)
        train->mark = read->t1;
    engine_sample(bench, read, counted ? SAMPLE_COUNTED : SAMPLE_UNCOUNTED);
}

/* Of the run-in only the last sample is kept: the beginning of the first interval. */
static void run_in_complete(struct bench *bench, struct train *train, struct engine_read *read)
{
    engine_count_not(bench, 1, read->sectors);
    train->run_in_left--;
    if (train->run_in_left > 0)
        return;
    train->mark = read->t1;
    read->group = (uint16_t)train->first;
    engine_sample(bench, read, SAMPLE_UNCOUNTED);
}

static void train_complete(struct bench *bench, struct train *train, const struct drive_done *done)
{
    const struct plan_step *step = engine_step(bench);

    for (uint32_t slot = 0; slot < step->depth; slot++) {
        uint32_t position = train->slot_position[slot];
        struct engine_read read = {.lba = bench->slot_lba[slot],
                                   .sectors = step->command_sectors,
                                   .group = (uint16_t)position,
                                   .t0 = bench->slot_t0[slot],
                                   .t1 = done->t1};

        if ((done->slots >> slot & 1) == 0)
            continue;
        if (position == NO_POSITION)
            run_in_complete(bench, train, &read);
        else
            position_complete(bench, train, &read);
    }
    bench->outstanding &= ~done->slots;
    bench->now_ticks = done->t1;
    if (train->run_in_left == 0)
        book_positions(bench, train);
}

static enum status train_run(struct bench *bench, struct train *train)
{
    struct drive *drive = bench->setup.drive;
    struct drive_done done;

    for (;;) {
        enum status status = train_fill(bench, train);

        if (status != STATUS_OK || bench->outstanding == 0)
            return status;
        status = drive->ops->await(drive, bench->outstanding, bench->await_ticks, &done);
        if (status != STATUS_OK)
            return status;
        train_complete(bench, train, &done);
    }
}

/* The first unit of the test, if the plan leaves a question open. */
static enum engine_next probe_unit(struct bench *bench)
{
    enum status status = transfer_probe(bench);
    enum engine_next next;

    bench->run->plan.steps[bench->step].probe = false;
    if (status == STATUS_OK)
        return ENGINE_MORE;
    next = engine_failure(bench, bench->setup.drive, status, 1);
    if (next == ENGINE_MORE && engine_retry(bench, bench->setup.drive))
        bench->run->plan.steps[bench->step].probe = true;
    return next;
}

static void train_init(struct bench *bench, struct train *train)
{
    const struct plan_step *step = engine_step(bench);
    uint64_t lba = plan_position_lba(step, bench->done);
    uint64_t run_in = (uint64_t)step->run_in * step->command_sectors;

    *train = (struct train){.first_sample = bench->run->sample_count,
                            .first = bench->done,
                            .limit = step->count,
                            .oldest = bench->done,
                            .next = bench->done};
    if (step->seek_sectors != 0 || bench->careful > 0)
        train->limit = bench->done + 1;
    /* In front of the position; of the first one, behind it. */
    train->run_in = step->run_in;
    train->run_in_left = step->run_in;
    train->run_in_lba = lba - run_in;
    if (lba < run_in || engine_is_bad(bench, lba - run_in, run_in))
        train->run_in_lba = lba + (uint64_t)engine_position_commands(step) * step->command_sectors;
    if (train->run_in_lba + run_in > bench->setup.drive->info.sectors)
        train->run_in_lba = 0;
}

/* Only whole positions stay: drops the samples of those that are not booked. */
static void drop_samples(struct bench *bench, const struct train *train)
{
    struct sample *samples = bench->setup.samples;
    uint32_t kept = train->first_sample;

    for (uint32_t i = kept; i < bench->run->sample_count; i++)
        if (samples[i].group < train->oldest)
            samples[kept++] = samples[i];
    bench->run->sample_count = kept;
}

/*
 * Which position a failure belongs to is not always known if several were under way. Then they are
 * read again, one by one, but not the one with a place that the drive could not read, if it named
 * it. After a time-out, or too many errors of the link, all are given up.
 */
static void train_lost(struct bench *bench, enum status status, uint32_t lost)
{
    bool link = bench->setup.drive->fault.kind == DRIVE_FAULT_INTERFACE;

    if (link && engine_retry(bench, bench->setup.drive)) {
        bench->careful = lost > 1 ? lost : bench->careful;
    } else if (lost > 1 && status != STATUS_TIMEOUT && !link) {
        bench->careful = lost;
    } else {
        bench->done += lost > 0 ? lost : 1;
        bench->careful -= bench->careful > 0;
    }
}

static enum engine_next train_failed(struct bench *bench, struct train *train, enum status status)
{
    uint32_t lost = train->next - train->oldest + (train->issued > 0);
    uint32_t commands = engine_slots(bench->outstanding);
    enum engine_next next =
        engine_failure(bench, bench->setup.drive, status, commands > 0 ? commands : 1);

    for (uint32_t i = 0; i < lost; i++) {
        uint32_t completed = train->active[(train->oldest + i) % ACTIVE_MAX].completed;

        engine_count_not(bench, completed,
                         (uint64_t)completed * engine_step(bench)->command_sectors);
    }
    drop_samples(bench, train);
    if (next == ENGINE_MORE)
        train_lost(bench, status, lost);
    return next;
}

/* Whether the drive has already failed to read a command of this position. */
static bool position_is_bad(const struct bench *bench, uint32_t position)
{
    const struct plan_step *step = engine_step(bench);

    return engine_is_bad(bench, plan_position_lba(step, position),
                         step->seek_sectors +
                             (uint64_t)engine_position_commands(step) * step->command_sectors);
}

static enum engine_next train_unit(struct bench *bench)
{
    struct train train;
    enum status status;

    train_init(bench, &train);
    status = transfer_make_up(bench);
    if (status == STATUS_OK)
        status = transfer_seek(bench);
    if (status == STATUS_OK)
        status = train_run(bench, &train);
    if (status != STATUS_OK)
        return train_failed(bench, &train, status);
    bench->careful -= bench->careful > 0;
    return ENGINE_MORE;
}

enum engine_next transfer_unit(struct bench *bench)
{
    enum engine_next next = ENGINE_MORE;

    if (engine_step(bench)->probe)
        return probe_unit(bench);
    if (position_is_bad(bench, bench->done)) {
        bench->done++;
        bench->careful -= bench->careful > 0;
    } else {
        next = train_unit(bench);
    }
    if (next != ENGINE_MORE)
        return next;
    if (bench->done < engine_step(bench)->count)
        return ENGINE_MORE;
    if (engine_test(bench)->time.counted_ticks == 0)
        return engine_fail_test(bench, engine_test(bench)->faults.count > 0
                                           ? "no position could be read"
                                           : "one look found each position complete: no rate");
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
