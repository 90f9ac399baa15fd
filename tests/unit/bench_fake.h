/*
 * A drive of the tests' own, on the model's time: one server behind a queue, perhaps behind a rate
 * limiter, with faults on order. It knows nothing of AHCI.
 */
#ifndef TESTS_UNIT_BENCH_FAKE_H
#define TESTS_UNIT_BENCH_FAKE_H

#include "bench/bench.h"
#include "drivers/drive.h"
#include "drivers/null/null.h"
#include "tests/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FAKE_BUS     UINT64_C(0x40000000)
#define FAKE_NEVER   UINT64_MAX
#define FAKE_LOG_MAX 100000

struct fake {
    struct drive drive;
    uint8_t *memory; /* the buffer behind FAKE_BUS */
    size_t memory_bytes;

    /* How fast: a command takes latency, and its bytes at `media` bytes per second. */
    uint64_t latency_ns;
    uint64_t slow_latency_ns; /* of every slow_every-th command, if that is not 0 */
    uint64_t slow_every;
    uint64_t media_bytes_per_s;
    uint64_t slow_from_lba; /* from there on half of that */
    /*
     * A leaky bucket as QEMU's throttle groups have it: a command may begin when the level is at
     * most a tenth of a second's bytes, and adds its bytes then; so the wait for a command's bytes
     * falls on the command after it. 0: none.
     */
    double limit_bytes_per_s;

    /* One look in n, at random, comes late: something else has the processor. 0: none. */
    uint64_t away_every;
    uint64_t away_ns;

    /* What goes wrong. */
    uint64_t bad_lba;      /* commands that touch it fail with STATUS_DEVICE */
    uint64_t bad_from_lba; /* so do all that begin at or behind it */
    uint64_t corrupt_lba;  /* the queued command delivers one wrong byte there */
    uint64_t hang_every;   /* every n-th command never completes; 0: none */
    uint64_t gone_after;   /* after so many commands nothing answers */
    bool never_recovers;
    bool names_command; /* a fault tells which of the commands under way has the bad sector */
    uint64_t crc_every; /* every n-th command fails with an interface error; 0: none ... */
    uint64_t crc_left;  /* ... so often at most; set both */
    enum drive_fault_kind final; /* the kind of fault that bad_lba is, without recovery */

    struct drive_link link; /* what a look at it shows */

    /* State. */
    struct drive_read slot[DRIVE_SLOTS_MAX];
    uint64_t done_ns[DRIVE_SLOTS_MAX];
    bool garbled[DRIVE_SLOTS_MAX];
    uint32_t prepared, started;
    double level_bytes;
    double bucket_ns; /* time at which level_bytes was true */
    uint64_t server_free_ns;

    /* What was seen. */
    uint64_t commands;
    struct base_random random;
    uint32_t in_flight_most;
    uint32_t bad_reads; /* of the bad sector */
    uint32_t lost;      /* commands under way at interface errors ... */
    uint64_t lost_at;   /* ... and commands so far at the last of them */
    struct drive_read *log;
};

static inline uint8_t fake_byte(uint64_t lba, uint32_t at)
{
    return (uint8_t)(lba * 37 + (lba >> 8) * 11 + at * (1 + (lba & 1)));
}

/* Fills what small reads deliver; large ones are nobody's business here. */
static inline void fake_deliver(struct fake *fake, const struct drive_read *read)
{
    uint32_t logical = fake->drive.info.logical_bytes;
    uint64_t at = read->bus - FAKE_BUS;

    assert_true(read->bus >= FAKE_BUS);
    assert_true(at + (uint64_t)read->sectors * logical <= fake->memory_bytes);
    if (read->sectors * logical > PLAN_VERIFY_BYTES)
        return;
    for (uint32_t i = 0; i < read->sectors; i++)
        for (uint32_t k = 0; k < logical; k++) {
            uint64_t lba = read->lba + i;
            bool wrong = lba == fake->corrupt_lba && k == 7 && read->command == DRIVE_READ_QUEUED;

            fake->memory[at + (uint64_t)i * logical + k] = (uint8_t)(fake_byte(lba, k) ^ wrong);
        }
}

static inline enum status fake_prepare(struct drive *drive, uint32_t slot,
                                       const struct drive_read *read)
{
    struct fake *fake = drive->self;
    uint32_t depth = read->command == DRIVE_READ_QUEUED ? drive->info.queue_depth : 1;

    assert_true(slot < depth);
    assert_int_equal(fake->started >> slot & 1, 0);
    assert_in_range(read->sectors, 1, drive->info.command_sectors_max);
    assert_true(read->lba < drive->info.sectors);
    assert_true(read->lba + read->sectors <= drive->info.sectors);
    fake->slot[slot] = *read;
    fake->prepared |= 1u << slot;
    return STATUS_OK;
}

/* When the rate limiter lets the bytes of a command begin. */
static inline double fake_admit(struct fake *fake, double now_ns, double bytes)
{
    double rate = fake->limit_bytes_per_s / 1e9;
    double begin = now_ns > fake->bucket_ns ? now_ns : fake->bucket_ns;
    double bucket = fake->limit_bytes_per_s / 10;

    if (rate == 0)
        return now_ns;
    fake->level_bytes -= (begin - fake->bucket_ns) * rate;
    if (fake->level_bytes < 0)
        fake->level_bytes = 0;
    if (fake->level_bytes > bucket) {
        begin += (fake->level_bytes - bucket) / rate;
        fake->level_bytes = bucket;
    }
    fake->level_bytes += bytes;
    fake->bucket_ns = begin;
    return begin;
}

static inline void fake_begin(struct fake *fake, uint32_t slot)
{
    struct drive_read *read = &fake->slot[slot];
    uint64_t bytes = (uint64_t)read->sectors * fake->drive.info.logical_bytes;
    uint64_t media = fake->media_bytes_per_s / (read->lba >= fake->slow_from_lba ? 2 : 1);
    uint64_t begin = (uint64_t)fake_admit(fake, (double)model_now_ns(), (double)bytes);
    bool slow;

    if (begin < fake->server_free_ns)
        begin = fake->server_free_ns;
    if (fake->commands < FAKE_LOG_MAX)
        fake->log[fake->commands] = *read;
    fake->commands++;
    slow = fake->slow_every != 0 && fake->commands % fake->slow_every == 0;
    fake->server_free_ns = begin + (slow ? fake->slow_latency_ns : fake->latency_ns) +
                           bytes * 1000000 / (media / 1000);
    fake->done_ns[slot] = fake->server_free_ns;
    fake->garbled[slot] = fake->crc_left > 0 && fake->commands % fake->crc_every == 0;
    fake->crc_left -= fake->garbled[slot];
    if (fake->hang_every != 0 && fake->commands % fake->hang_every == 0)
        fake->done_ns[slot] = FAKE_NEVER;
}

static inline enum status fake_start(struct drive *drive, uint32_t slots, uint64_t *ret_t0)
{
    struct fake *fake = drive->self;

    assert_int_equal(slots & ~fake->prepared, 0);
    assert_int_equal(slots & fake->started, 0);
    *ret_t0 = hw_ticks();
    model_advance_ns(200);
    for (uint32_t slot = 0; slot < DRIVE_SLOTS_MAX; slot++)
        if ((slots >> slot & 1) != 0)
            fake_begin(fake, slot);
    fake->prepared &= ~slots;
    fake->started |= slots;
    if ((uint32_t)__builtin_popcount(fake->started) > fake->in_flight_most)
        fake->in_flight_most = (uint32_t)__builtin_popcount(fake->started);
    return STATUS_OK;
}

static inline enum status fake_fail(struct fake *fake, enum status status,
                                    enum drive_fault_kind kind, uint64_t lba)
{
    if (fake->final != DRIVE_FAULT_NONE)
        kind = fake->final;
    fake->drive.fault =
        (struct drive_fault){.kind = kind,
                             .operation = "READ",
                             .lba = lba,
                             .recovered = !fake->never_recovers && fake->final == DRIVE_FAULT_NONE,
                             .register_count = 1,
                             .registers = {{"PxTFD", 0x4051}}};
    fake->started = 0;
    fake->server_free_ns = model_now_ns();
    return status;
}

static inline enum status fake_await(struct drive *drive, uint32_t slots, uint64_t limit_ticks,
                                     struct drive_done *ret_done)
{
    struct fake *fake = drive->self;
    uint64_t limit_ns = limit_ticks * 2 / (MODEL_HZ / 500000000);
    uint64_t next = FAKE_NEVER;
    uint32_t done = 0;

    assert_int_equal(slots & ~fake->started, 0);
    if (fake->commands > fake->gone_after)
        return fake_fail(fake, STATUS_GONE, DRIVE_FAULT_GONE, 0);
    for (uint32_t slot = 0; slot < DRIVE_SLOTS_MAX; slot++)
        if ((slots >> slot & 1) != 0 && fake->done_ns[slot] < next)
            next = fake->done_ns[slot];
    if (next == FAKE_NEVER || next > model_now_ns() + limit_ns) {
        model_advance_ns(limit_ns);
        return fake_fail(fake, STATUS_TIMEOUT, DRIVE_FAULT_TIMEOUT, 0);
    }
    if (next > model_now_ns())
        model_advance_ns(next - model_now_ns());
    if (fake->away_every != 0 && base_random_below(&fake->random, fake->away_every) == 0)
        model_advance_ns(fake->away_ns);
    model_advance_ns(500); /* until the look that sees it */
    for (uint32_t slot = 0; slot < DRIVE_SLOTS_MAX; slot++) {
        const struct drive_read *read = &fake->slot[slot];

        if ((slots >> slot & 1) == 0 || fake->done_ns[slot] > model_now_ns())
            continue;
        if (read->lba >= fake->bad_from_lba)
            return fake_fail(fake, STATUS_DEVICE, DRIVE_FAULT_TASK_FILE, read->lba);
        if (fake->garbled[slot]) {
            fake->lost += (uint32_t)__builtin_popcount(fake->started);
            fake->lost_at = fake->commands;
            return fake_fail(fake, STATUS_DEVICE, DRIVE_FAULT_INTERFACE, read->lba);
        }
        if (fake->bad_lba >= read->lba && fake->bad_lba < read->lba + read->sectors) {
            fake->bad_reads++;
            (void)fake_fail(fake, STATUS_DEVICE, DRIVE_FAULT_TASK_FILE, fake->bad_lba);
            if (fake->names_command) {
                fake->drive.fault.lba = read->lba;
                fake->drive.fault.sectors = read->sectors;
            }
            return STATUS_DEVICE;
        }
        fake_deliver(fake, read);
        done |= 1u << slot;
    }
    fake->started &= ~done;
    ret_done->slots = done;
    ret_done->t1 = hw_ticks();
    return STATUS_OK;
}

static inline void fake_poll(struct drive *drive)
{
    (void)drive;
    model_advance_ns(700);
}

static inline void fake_look(struct drive *drive, struct drive_link *ret_link)
{
    struct fake *fake = drive->self;

    *ret_link = fake->link;
}

static const struct drive_ops fake_ops = {fake_prepare, fake_start, fake_await, fake_poll,
                                          fake_look};

/* A plan's worth of everything, with a drive of 4 GB, 32 slots, 100 us and 1 GB/s. */
struct rig {
    struct fake fake;
    struct null_drive null;
    struct plan_options options;
    struct bench_setup setup;
    struct bench_run run;
    struct bench bench;
    uint32_t steps;
    uint64_t pause_ns;   /* between steps ... */
    uint32_t pause_each; /* ... after every so many; 0: none */
};

static inline struct rig *rig_new(void)
{
    /* Free looks: the model makes repeated ones dearer, and a fake never ends them by an event. */
    static const struct model_costs free_of_charge = {0, 0, 0, 0};
    struct rig *rig = calloc(1, sizeof *rig);
    struct fake *fake = &rig->fake;

    model_reset();
    model_set_costs(&free_of_charge);
    fake->drive = (struct drive){.ops = &fake_ops, .self = fake};
    fake->drive.info = (struct drive_info){.model = "FAKE",
                                           .sectors = 8000000,
                                           .logical_bytes = 512,
                                           .physical_bytes = 512,
                                           .queue_depth = 32,
                                           .command_sectors_max = 65536};
    fake->memory_bytes = PLAN_BUFFER_BYTES;
    fake->memory = calloc(1, fake->memory_bytes);
    fake->log = calloc(FAKE_LOG_MAX, sizeof *fake->log);
    fake->latency_ns = 100000;
    fake->media_bytes_per_s = 1000000000;
    fake->slow_from_lba = FAKE_NEVER;
    fake->bad_lba = FAKE_NEVER;
    fake->bad_from_lba = FAKE_NEVER;
    fake->corrupt_lba = FAKE_NEVER;
    fake->gone_after = FAKE_NEVER;
    rig->options.seed = 42;
    return rig;
}

/* Makes the plan and begins; arrays are exactly as large as the plan says. */
static inline void rig_begin(struct rig *rig)
{
    struct bench_setup *setup = &rig->setup;

    assert_int_equal(plan_make(&rig->fake.drive.info, &rig->options, &rig->run.plan), STATUS_OK);
    setup->drive = &rig->fake.drive;
    setup->null_drive = null_drive_init(&rig->null);
    setup->clock = &model_clock;
    setup->buffer = (struct bench_buffer){rig->fake.memory, FAKE_BUS, rig->fake.memory_bytes};
    setup->capacity = plan_samples_max(&rig->run.plan);
    setup->samples = calloc(setup->capacity, sizeof *setup->samples);
    setup->scratch = calloc(setup->capacity, sizeof *setup->scratch);
    assert_int_equal(bench_begin(&rig->bench, setup, &rig->run), STATUS_OK);
}

static inline void rig_run(struct rig *rig)
{
    rig_begin(rig);
    while (bench_step(&rig->bench)) {
        assert_true(bench_progress(&rig->bench).permille <= 1000);
        rig->steps++;
        if (rig->pause_each != 0 && rig->steps % rig->pause_each == 0)
            model_advance_ns(rig->pause_ns);
    }
    assert_false(bench_step(&rig->bench));
    assert_int_equal(rig->fake.started, 0);
    assert_int_equal(rig->run.samples_dropped, 0);
}

static inline void rig_free(struct rig *rig)
{
    free(rig->setup.samples);
    free(rig->setup.scratch);
    free(rig->fake.memory);
    free(rig->fake.log);
    free(rig);
}

/* The test of a kind, which must be in the plan. */
static inline uint32_t rig_index(const struct rig *rig, enum plan_kind kind)
{
    for (uint32_t i = 0; i < rig->run.plan.step_count; i++)
        if (rig->run.plan.steps[i].kind == kind)
            return i;
    fail();
    return 0;
}

static inline const struct bench_test *rig_test(const struct rig *rig, enum plan_kind kind)
{
    return &rig->run.tests[rig_index(rig, kind)];
}

/* Bytes per second over all positions. */
static inline double rig_mean(const struct rig *rig)
{
    const struct bench_test *test = rig_test(rig, PLAN_TRANSFER);

    return (double)test->counted_bytes / ((double)test->time.counted_ticks / (double)MODEL_HZ);
}

static inline void assert_near(double value, double truth, double tolerance)
{
    if (value < truth * (1 - tolerance) || value > truth * (1 + tolerance))
        fail_msg("%f is not within %f of %f", value, tolerance, truth);
}

/* TRANSFER: every position at its place, equally long, side by side, at the right depth. */
static inline void check_places(const struct rig *rig)
{
    uint32_t index = rig_index(rig, PLAN_TRANSFER);
    const struct plan_step *step = &rig->run.plan.steps[index];
    const struct drive_info *info = &rig->fake.drive.info;
    uint32_t commands = step->lead + step->counted + step->tail;
    uint64_t seen = 0;

    for (uint32_t i = 0; i < rig->run.sample_count; i++) {
        const struct sample *sample = &rig->setup.samples[i];
        uint64_t place = seen % commands;
        bool counted = place >= step->lead && place < step->lead + step->counted;

        if (sample->step != index || (step->run_in > 0 && sample->role == SAMPLE_UNCOUNTED))
            continue; /* of a run-in */
        assert_int_equal(sample->group, seen / commands);
        assert_int_equal(sample->lba, plan_position_lba(step, sample->group) + step->seek_sectors +
                                          place * step->command_sectors);
        assert_int_equal(sample->sectors, step->command_sectors);
        assert_int_equal(sample->role, counted ? SAMPLE_COUNTED : SAMPLE_UNCOUNTED);
        seen++;
    }
    assert_int_equal(seen, (uint64_t)step->count * commands);
    assert_int_equal(rig->run.transfer.position_bytes,
                     (uint64_t)step->counted * step->command_sectors * info->logical_bytes);
    assert_int_equal(rig->run.tests[index].counted_bytes,
                     step->count * rig->run.transfer.position_bytes);
    if (step->count > 3)
        assert_int_equal(rig->fake.in_flight_most, step->depth);
}

#endif
