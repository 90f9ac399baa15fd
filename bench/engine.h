/* What the parts of the engine share. Private to bench/. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "base/status.h"
#include "bench/bench.h"

#include <stdint.h>

/* What the next thing to do is after one unit of work of a test. */
enum engine_next {
    ENGINE_MORE,    /* the next unit */
    ENGINE_DONE,    /* the test is complete */
    ENGINE_FAILED,  /* the test is over without a figure; its reason is set */
    ENGINE_END_RUN, /* so is the run; its status and reason are set */
};

static inline const struct plan_step *engine_step(const struct bench *bench)
{
    return &bench->run->plan.steps[bench->step];
}

static inline struct bench_test *engine_test(struct bench *bench)
{
    return &bench->run->tests[bench->step];
}

/* Commands in the stream of a TRANSFER position. */
static inline uint32_t engine_position_commands(const struct plan_step *step)
{
    return step->lead + step->counted + step->tail;
}

static inline uint64_t engine_ms(const struct bench *bench, uint32_t ms)
{
    return hw_clock_ticks(bench->setup.clock, ms * UINT64_C(1000000));
}

/* Number of slots in a mask. (The compiler's own would be a call into its library.) */
static inline uint32_t engine_slots(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* One read, as a sample keeps it, but with absolute ticks. */
struct engine_read {
    uint64_t lba;
    uint32_t sectors;
    uint16_t group;
    uint64_t t0;
    uint64_t t1;
};

static inline void engine_sample(struct bench *bench, const struct engine_read *read,
                                 enum sample_role role)
{
    struct bench_run *run = bench->run;
    struct sample *sample;

    if (run->sample_count >= bench->setup.capacity) {
        run->samples_dropped++;
        return;
    }
    sample = &bench->setup.samples[run->sample_count++];
    sample->lba = read->lba;
    sample->t0 = read->t0 - run->origin_ticks;
    sample->ticks = read->t1 - read->t0;
    sample->sectors = read->sectors;
    sample->group = read->group;
    sample->step = (uint8_t)bench->step;
    sample->role = (uint8_t)role;
}

/* Notes a counted, or an uncounted, read in the sums of the test. */
void engine_count(struct bench *bench, uint64_t commands, uint64_t sectors);
void engine_count_not(struct bench *bench, uint64_t commands, uint64_t sectors);

/*
 * Reads read->sectors from read->lba alone, into the beginning of the buffer, and fills t0 and t1.
 * The result is the driver's.
 */
enum status engine_read_one(struct bench *bench, struct drive *drive, enum drive_command command,
                            struct engine_read *read) MUST_CHECK;

/*
 * Books a failure of the drive by which `commands` became void, and decides whether the test goes
 * on: ENGINE_MORE, ENGINE_FAILED or ENGINE_END_RUN.
 */
enum engine_next engine_failure(struct bench *bench, const struct drive *drive, enum status status,
                                uint32_t commands);

/*
 * After ENGINE_MORE: whether what became void is to be read again, because the link failed and not
 * the drive, and it has not done so too often. Counts the retry.
 */
bool engine_retry(struct bench *bench, const struct drive *drive);

/* Whether sectors are among those of the last command that the drive could not do. */
static inline bool engine_is_bad(const struct bench *bench, uint64_t lba, uint64_t sectors)
{
    return lba < bench->bad_lba + bench->bad_sectors && bench->bad_lba < lba + sectors;
}

enum engine_next engine_fail_test(struct bench *bench, const char *reason);
enum engine_next engine_end_run(struct bench *bench, enum status status, const char *reason);

/* Durations of the test's counted samples go to scratch; returns how many. */
enum engine_pick {
    ENGINE_READS,
    ENGINE_POLLS,
};
size_t engine_collect(struct bench *bench, enum engine_pick pick);

/* The tests: one unit of work each, and the figures at the end. */
enum engine_next overhead_unit(struct bench *bench);
void overhead_finish(struct bench *bench);
enum engine_next verify_unit(struct bench *bench);

/* However verify ends: one difference ends the run. */
enum engine_next verify_judge(struct bench *bench, enum engine_next next);
enum engine_next transfer_unit(struct bench *bench);
enum status transfer_probe(struct bench *bench) MUST_CHECK;
enum status transfer_make_up(struct bench *bench) MUST_CHECK;
enum status transfer_seek(struct bench *bench) MUST_CHECK;
/* Starts uncounted reads in all slots of the step and returns. */
enum status transfer_load(struct bench *bench) MUST_CHECK;
void transfer_finish(struct bench *bench);
enum engine_next access_unit(struct bench *bench);
enum engine_next depth_unit(struct bench *bench);

/* Depth on any drive: `step` says what; used by depth_unit and for the overhead. */
enum engine_next depth_turn(struct bench *bench, struct drive *drive, const struct plan_step *step);
/* Waits for what is outstanding; counts none of it. The status is the driver's. */
enum status depth_drain(struct bench *bench, struct drive *drive) MUST_CHECK;

#endif
