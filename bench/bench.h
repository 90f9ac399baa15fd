/*
 * The engine: runs the plan of one drive, a short block per call.
 *
 *     bench_begin(&bench, &setup, &run);
 *     while (bench_step(&bench)) {
 *         ... draw bench_progress(), look for a key, perhaps bench_abort(&bench)
 *     }
 *     ... run holds the outcome
 *
 * The engine obtains no memory and prints nothing. Between two steps the caller may take its time:
 * no counted interval spans steps. (Each pause lets drive and link rest, so the fewer the better.)
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/random.h"
#include "base/status.h"
#include "bench/plan.h"
#include "bench/run.h"
#include "bench/sample.h"
#include "drivers/drive.h"
#include "hw/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that the drive reads into. */
struct bench_buffer {
    void *cpu;
    uint64_t bus;
    size_t bytes; /* PLAN_BUFFER_BYTES or more */
};

/* Everything is the caller's and must outlive the run. */
struct bench_setup {
    struct drive *drive;
    struct drive *null_drive;
    const struct hw_clock *clock;
    struct bench_buffer buffer;
    struct sample *samples;
    uint64_t *scratch; /* for sorting */
    size_t capacity;   /* entries of samples and of scratch, each: plan_samples_max(plan) */
    /* CRC-32 of each plan_verify_place as the firmware's driver read it; NULL: there are none. */
    const uint32_t *references;
};

/* The engine's own; the caller provides the memory and looks at it through functions only. */
struct bench {
    struct bench_setup setup;
    struct bench_run *run;
    bool ended;
    uint32_t step;            /* index of the test under way */
    uint32_t part;            /* OVERHEAD: part under way */
    uint32_t done;            /* places, positions or reads done in it */
    uint32_t first_sample;    /* of the test */
    uint64_t now_ticks;       /* latest reading of the clock */
    uint64_t block_end_ticks; /* when this step should return */
    uint64_t deadline_ticks;  /* of the test; UINT64_MAX: none */
    uint64_t await_ticks;     /* limit of one command */
    uint64_t pause_ticks;     /* TRANSFER: rest that uncounted reads have to make up for */
    uint32_t careful;         /* TRANSFER: positions to be read one by one after a failure */
    uint64_t bad_lba;         /* of the last command that the drive could not do; never read ... */
    uint32_t bad_sectors;     /* ... again just because it failed; 0: none */
    struct base_random random;
    uint32_t again;          /* ACCESS, DEPTH: slots whose read, in slot_lba, is repeated */
    uint64_t load_ticks;     /* TRANSFER: when the reads of bench_load_begin were started */
    uint32_t outstanding;    /* slots started and not complete */
    bool counting;           /* DEPTH: an interval is open ... */
    uint64_t mark_ticks;     /* ... and counted up to here */
    uint64_t warm_end_ticks; /* DEPTH: end of the warm-up */
    uint64_t slot_lba[DRIVE_SLOTS_MAX];
    uint64_t slot_t0[DRIVE_SLOTS_MAX];
};

/*
 * Prepares a run of run->plan (made by plan_make for this drive) and clears the rest of *run.
 * STATUS_INVALID: something is missing, the clock has no rate, or the buffer or the arrays are too
 * small.
 */
enum status bench_begin(struct bench *bench, const struct bench_setup *setup,
                        struct bench_run *run) MUST_CHECK;

/*
 * Runs on for about 25 ms (DEPTH: 100 ms; TRANSFER: 400 ms and at least one position; longer only
 * while a drive does not answer) and returns true while there is more to do. When a test ends its
 * figures are in the run before this returns.
 */
bool bench_step(struct bench *bench);

/*
 * While TRANSFER is under way and between steps: starts uncounted reads, as many as the test keeps
 * in flight, and returns while they run, so that the caller can look at link registers under load.
 * false: there is nothing to load now (another test, the end, or the drive failed).
 */
bool bench_load_begin(struct bench *bench) MUST_CHECK;

/*
 * Waits for them. true: what was read since bench_load_begin was read under load: the reads took at
 * least twice as long, from their start, as the time from their start to this call. Must follow
 * each bench_load_begin that returned true, before anything else but bench_abort. A failure is
 * booked like any other: it may have ended the test or the run.
 */
bool bench_load_end(struct bench *bench) MUST_CHECK;

/*
 * Ends the run now: waits for what is outstanding, marks the test as aborted and the run as
 * STATUS_ABORTED. Nothing happens after the end.
 */
void bench_abort(struct bench *bench);

struct bench_progress {
    uint32_t step; /* index of the test under way, or step_count at the end */
    uint32_t step_count;
    enum plan_kind kind; /* of that test; PLAN_KINDS at the end */
    uint32_t permille;   /* of that test, by count or by time, whichever is further */
    uint64_t bytes;      /* counted so far in that test ... */
    uint64_t commands;
    uint64_t ticks;      /* ... in this time; 0: no rate to show yet */
    uint64_t left_ticks; /* estimate for that test; 0: not known yet */
};

struct bench_progress bench_progress(const struct bench *bench);

/* Longest time one command may take; METHOD.md names it. */
#define BENCH_COMMAND_LIMIT_MS 30000u

#endif
