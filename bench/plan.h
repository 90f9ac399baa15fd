/*
 * The plan: which tests run on a drive, with every number that decides what is read. It is data,
 * made before anything runs, and it stands in the result: the same plan reads the same places.
 */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "base/status.h"
#include "base/text.h"
#include "drivers/drive.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tests in the order they run. */
enum plan_kind {
    PLAN_OVERHEAD, /* the null drive and bare looks at the drive's completion register */
    PLAN_VERIFY,   /* places read by two ways and compared */
    PLAN_TRANSFER, /* equally spaced positions read in sequence */
    PLAN_ACCESS,   /* random reads, one at a time */
    PLAN_DEPTH,    /* random reads at the full queue depth */
    PLAN_KINDS
};

/* Lower-case name of a test ("transfer"). Never NULL. */
const char *plan_kind_name(enum plan_kind kind);

#define PLAN_TEST(kind) (1u << (kind)) /* bit of a test in plan_options.tests */
#define PLAN_TESTS_ALL  (PLAN_TEST(PLAN_KINDS) - 1u)

#define PLAN_POSITIONS_MIN     256u
#define PLAN_POSITIONS_DEFAULT 256u
#define PLAN_POSITIONS_MAX     4096u
#define PLAN_ACCESSES_MIN      2000u
#define PLAN_ACCESSES_DEFAULT  2000u
#define PLAN_ACCESSES_MAX      100000u
#define PLAN_DEPTH_MIN         1000u
#define PLAN_DEPTH_DEFAULT     32768u
#define PLAN_DEPTH_MAX         2000000u

/* Reads of the null drive at full depth, beside plan_step.count ones at depth 1. */
#define PLAN_OVERHEAD_DEPTH 4096u

/* Data buffer that every plan fits into. */
#define PLAN_BUFFER_BYTES (8u << 20)

/* What the user may choose. 0 means the default, except for the seed, which has none. */
struct plan_options {
    uint32_t tests; /* PLAN_TEST bits; OVERHEAD always runs */
    uint32_t positions;
    uint32_t accesses;
    uint32_t depth_commands;
    uint64_t seed;
};

/* Places compared by PLAN_VERIFY: 64 equally spread, and the last sectors of the drive. */
#define PLAN_VERIFY_PLACES 65u
#define PLAN_VERIFY_BYTES  65536u

struct plan_place {
    uint64_t lba;
    uint32_t sectors;
};

/*
 * Place `index` (below PLAN_VERIFY_PLACES) of a drive of that size: never beyond its end, smaller
 * on a drive that is smaller than all places together. A pure function, so that the same places can
 * be read by the firmware's driver before the take-over. sectors and logical_bytes must not be 0.
 */
struct plan_place plan_verify_place(uint64_t sectors, uint32_t logical_bytes, uint32_t index);

/* One test. Fields that a kind does not use are 0. */
struct plan_step {
    enum plan_kind kind;
    const char *skip; /* why it does not run, static; NULL: it runs */
    enum drive_command command;
    uint32_t depth;           /* commands in flight */
    uint32_t command_sectors; /* logical sectors of one command */
    uint32_t count;           /* VERIFY: places. TRANSFER: positions. Else: counted reads */
    /*
     * TRANSFER: on a drive that rotates, a position is one read of seek_sectors that is waited for,
     * and then a stream of lead + counted + tail commands; the clock runs from the completion of
     * the lead to that of the last counted command. On one that does not, the counted commands of
     * all positions are one stream, in which the clock never stops; run_in uncounted ones stand
     * before it, after each pause anew.
     */
    bool probe; /* it is not known whether the drive rotates: the engine finds out */
    uint32_t run_in;
    uint32_t seek_sectors;
    uint32_t lead;
    uint32_t counted;
    uint32_t tail;
    uint64_t first_lba;       /* TRANSFER: of position 0. ACCESS, DEPTH: place 0 */
    uint64_t spacing_sectors; /* from one position or place to the next */
    uint64_t places;          /* ACCESS, DEPTH: places to choose from */
    uint64_t seed;            /* ACCESS, DEPTH: of base/random.h */
    uint32_t warm_up_ms;      /* TRANSFER, DEPTH: uncounted reads before the first counted one */
    uint32_t limit_ms;        /* the test ends after it; 0: no limit */
};

#define PLAN_STEPS_MAX PLAN_KINDS

struct plan {
    uint64_t seed;
    uint32_t step_count;
    struct plan_step steps[PLAN_STEPS_MAX];
};

/*
 * STATUS_INVALID: a number is out of range; *why gets one line that says which, and what is right.
 */
enum status plan_check(const struct plan_options *options, struct text *why) MUST_CHECK;

/*
 * The plan for a drive. Options must have passed plan_check. Tests not asked for do not appear,
 * tests that cannot run on this drive appear with `skip`. STATUS_INVALID: the drive's facts cannot
 * be (no sectors, a sector size that is not a power of two from 512 to 4096, no command length).
 */
enum status plan_make(const struct drive_info *info, const struct plan_options *options,
                      struct plan *ret_plan) MUST_CHECK;

/*
 * Turns the TRANSFER step of a drive that rotates, or may do so, into that of one that does not.
 * The positions stay where they are.
 */
void plan_transfer_stream(const struct drive_info *info, struct plan_step *step);

/* Samples that a run of the plan can deliver at most. */
size_t plan_samples_max(const struct plan *plan);

/* A TRANSFER position: LBA of its seek read, and bytes of its counted reads. */
uint64_t plan_position_lba(const struct plan_step *step, uint32_t position);
uint64_t plan_position_bytes(const struct plan_step *step, uint32_t logical_bytes);

#endif
