/*
 * What the run of a plan on one drive brought: plain values, in raw ticks, for the result. A figure
 * that was not measured is marked as missing, never 0.
 */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "base/status.h"
#include "bench/plan.h"
#include "bench/summary.h"
#include "drivers/drive.h"

#include <stdbool.h>
#include <stdint.h>

enum bench_state {
    BENCH_NOT_RUN, /* the run ended before it */
    BENCH_SKIPPED, /* plan_step.skip says why */
    BENCH_RUNNING,
    BENCH_DONE,
    BENCH_FAILED,  /* reason says why; it has no summary */
    BENCH_ABORTED, /* by the user; it has no summary */
};

/* Lower-case name ("not run"). Never NULL. */
const char *bench_state_name(enum bench_state state);

#define BENCH_FAULTS_MAX 8

/* Failures of a test: counted all, the first ones kept. */
struct bench_faults {
    uint32_t count;
    uint32_t retries;  /* of these, errors of the link after which was read again what was void */
    uint32_t commands; /* that were under way at a failure: void, their times are in no figure */
    uint32_t kept;
    struct drive_fault fault[BENCH_FAULTS_MAX];
};

/* Where the time of a test went. */
struct bench_time {
    uint64_t begin_ticks;     /* since the beginning of the run */
    uint64_t elapsed_ticks;   /* from then to the end of the last command */
    uint64_t counted_ticks;   /* TRANSFER, DEPTH: intervals that make the figure */
    uint64_t pause_ticks;     /* between steps: screen, keyboard, looks under load */
    uint64_t uncounted_bytes; /* read outside the counted intervals: seeks, warm-up, tails, loads */
    uint64_t uncounted_commands;
    uint64_t warm_up_ticks; /* uncounted reads before the first interval and after pauses */
};

enum bench_place_state {
    BENCH_PLACE_UNREAD, /* not reached, or the read failed */
    BENCH_PLACE_EQUAL,
    BENCH_PLACE_DIFFERS,
};

struct bench_place {
    uint64_t lba;
    uint32_t sectors;
    uint32_t crc;   /* CRC-32 of the own read */
    uint32_t other; /* CRC-32 it was compared with: see bench_verify.method */
    enum bench_place_state state;
};

enum bench_verify_method {
    BENCH_VERIFY_FIRMWARE,     /* own read against the firmware's driver before the take-over */
    BENCH_VERIFY_TWO_COMMANDS, /* READ DMA against READ FPDMA QUEUED */
    BENCH_VERIFY_TWICE,        /* READ DMA twice: the drive offers no queue */
};

struct bench_verify {
    enum bench_verify_method method;
    uint32_t equal;
    uint32_t differ;
    uint32_t unread;
    struct bench_place places[PLAN_VERIFY_PLACES];
};

struct bench_transfer {
    uint64_t probe_ticks;    /* median of the reads that showed whether it rotates; 0: none */
    uint32_t positions;      /* measured without a failure */
    uint64_t position_bytes; /* counted bytes of each */
    uint64_t min_ticks;      /* of the fastest position; with positions == 0 nothing is measured */
    uint64_t max_ticks;      /* of the slowest */
    uint64_t
        ticks[PLAN_POSITIONS_MAX]; /* per position; 0: not read, or all of it seen by one look */
};

struct bench_overhead {
    struct summary null_drive; /* one read of a drive that is done at once */
    struct summary poll;       /* one look at the completion register of the drive */
    /* Reads of the null drive at full depth: the whole cost of the engine per command. */
    uint64_t depth_commands;
    uint64_t depth_ticks;
};

struct bench_test {
    enum bench_state state;
    const char *reason; /* static; "" unless skipped, not run or failed */
    struct bench_time time;
    struct bench_faults faults;
    uint64_t counted_commands;
    uint64_t counted_bytes;
    struct summary latency; /* ACCESS, DEPTH: of the counted commands */
};

/* A mebibyte at most; the caller's memory. */
struct bench_run {
    struct plan plan;
    enum status status; /* OK: all tests ended by themselves */
    const char *reason; /* why the run ended early, static; "" otherwise */
    bool voided;        /* data differed: no figure of this drive may be used */
    uint32_t time_outs;
    uint64_t origin_ticks; /* reading of the clock at the beginning: t0 of samples counts from it */
    uint32_t sample_count;
    uint32_t samples_dropped; /* did not fit; always 0 if there was room for plan_samples_max */
    struct bench_test tests[PLAN_STEPS_MAX]; /* by index of plan.steps */
    struct bench_overhead overhead;
    struct bench_verify verify;
    struct bench_transfer transfer;
};

#endif
