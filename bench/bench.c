/* The engine's frame: beginning and end of the run and of each test, one block per step. */
#include "bench/bench.h"

#include "bench/engine.h"

#include <string.h>

/* Of a step. Longer where each pause costs a batch and a dip of the queue, or a run-in. */
#define STEP_MS          25u
#define STEP_DEPTH_MS    100u
#define STEP_TRANSFER_MS 400u

const char *bench_state_name(enum bench_state state)
{
    switch (state) {
    case BENCH_NOT_RUN:
        return "not run";
    case BENCH_SKIPPED:
        return "skipped";
    case BENCH_RUNNING:
        return "running";
    case BENCH_DONE:
        return "done";
    case BENCH_FAILED:
        return "failed";
    case BENCH_ABORTED:
        return "aborted";
    }
    return "unknown";
}

static bool setup_complete(const struct bench_setup *setup)
{
    return setup->drive != NULL && setup->null_drive != NULL && setup->clock != NULL &&
           setup->clock->hz != 0 && setup->buffer.cpu != NULL &&
           setup->buffer.bytes >= PLAN_BUFFER_BYTES && setup->samples != NULL &&
           setup->scratch != NULL;
}

enum status bench_begin(struct bench *bench, const struct bench_setup *setup, struct bench_run *run)
{
    struct plan plan = run->plan;

    if (!setup_complete(setup) || plan.step_count > PLAN_STEPS_MAX ||
        setup->capacity < plan_samples_max(&plan))
        return STATUS_INVALID;
    memset(bench, 0, sizeof *bench);
    memset(run, 0, sizeof *run);
    run->plan = plan;
    run->reason = "";
    for (uint32_t i = 0; i < PLAN_STEPS_MAX; i++)
        run->tests[i].reason = "";
    bench->setup = *setup;
    bench->run = run;
    bench->await_ticks = engine_ms(bench, BENCH_COMMAND_LIMIT_MS);
    run->origin_ticks = hw_ticks();
    bench->now_ticks = run->origin_ticks;
    return STATUS_OK;
}

static void begin_test(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    struct bench_test *test = engine_test(bench);
    uint64_t warm_up = engine_ms(bench, step->warm_up_ms);

    test->state = BENCH_RUNNING;
    test->time.begin_ticks = bench->now_ticks - bench->run->origin_ticks;
    bench->part = 0;
    bench->done = 0;
    bench->careful = 0;
    bench->bad_sectors = 0;
    bench->again = 0;
    bench->first_sample = bench->run->sample_count;
    bench->random.state = step->seed;
    bench->pause_ticks = warm_up;
    bench->warm_end_ticks = bench->now_ticks + warm_up;
    bench->deadline_ticks = UINT64_MAX;
    if (step->limit_ms != 0)
        bench->deadline_ticks = bench->now_ticks + warm_up + engine_ms(bench, step->limit_ms);
}

/* What the limit of a test's time leads to: reads at random are complete at any number of them. */
static enum engine_next out_of_time(struct bench *bench)
{
    enum plan_kind kind = engine_step(bench)->kind;

    if ((kind == PLAN_ACCESS || kind == PLAN_DEPTH) && engine_test(bench)->counted_commands > 0)
        return ENGINE_DONE;
    return engine_fail_test(bench, "it took too long");
}

static enum engine_next run_unit(struct bench *bench)
{
    switch (engine_step(bench)->kind) {
    case PLAN_OVERHEAD:
        return overhead_unit(bench);
    case PLAN_VERIFY:
        return verify_unit(bench);
    case PLAN_TRANSFER:
        return transfer_unit(bench);
    case PLAN_ACCESS:
        return access_unit(bench);
    case PLAN_DEPTH:
        return depth_unit(bench);
    case PLAN_KINDS:
        break;
    }
    return engine_fail_test(bench, "unknown kind of test");
}

/* Waits for what is still under way; what comes of that decides how the test ends. */
static enum engine_next drain(struct bench *bench, enum engine_next next)
{
    enum engine_next after;
    enum status status;

    if (bench->outstanding == 0)
        return next;
    status = depth_drain(bench, bench->setup.drive);
    if (status == STATUS_OK)
        return next;
    after = engine_failure(bench, bench->setup.drive, status, engine_slots(bench->outstanding));
    return after == ENGINE_MORE ? next : after;
}

static void finish_figures(struct bench *bench)
{
    enum plan_kind kind = engine_step(bench)->kind;

    if (kind == PLAN_OVERHEAD)
        overhead_finish(bench);
    else if (kind == PLAN_TRANSFER)
        transfer_finish(bench);
    else if (kind == PLAN_ACCESS || kind == PLAN_DEPTH)
        summary_make(bench->setup.scratch, engine_collect(bench, ENGINE_READS),
                     &engine_test(bench)->latency);
}

/* Marks every test from `first` on as not run, because of the end of the run. */
static void leave_out(struct bench *bench, uint32_t first)
{
    struct bench_run *run = bench->run;

    for (uint32_t i = first; i < run->plan.step_count; i++) {
        run->tests[i].state = BENCH_NOT_RUN;
        run->tests[i].reason = run->reason;
    }
    bench->ended = true;
}

static void finish_test(struct bench *bench, enum engine_next next)
{
    struct bench_test *test = engine_test(bench);

    next = drain(bench, next);
    if (engine_step(bench)->kind == PLAN_VERIFY)
        next = verify_judge(bench, next);
    test->time.elapsed_ticks = bench->now_ticks - bench->run->origin_ticks - test->time.begin_ticks;
    bench->counting = false;
    if (next == ENGINE_DONE) {
        test->state = BENCH_DONE;
        finish_figures(bench);
    } else {
        test->state = BENCH_FAILED;
    }
    bench->step++;
    if (next == ENGINE_END_RUN)
        leave_out(bench, bench->step);
}

/* Steps over tests that the plan skips; false if none is left. */
static bool find_test(struct bench *bench)
{
    while (bench->step < bench->run->plan.step_count && engine_step(bench)->skip != NULL) {
        engine_test(bench)->state = BENCH_SKIPPED;
        engine_test(bench)->reason = engine_step(bench)->skip;
        bench->step++;
    }
    bench->ended = bench->step == bench->run->plan.step_count;
    return !bench->ended;
}

/* Ends the test under way and finds the next one. */
static void go_on(struct bench *bench, enum engine_next next)
{
    finish_test(bench, next);
    if (!bench->ended)
        (void)find_test(bench);
}

static uint32_t block_ms(enum plan_kind kind)
{
    if (kind == PLAN_TRANSFER)
        return STEP_TRANSFER_MS;
    return kind == PLAN_DEPTH ? STEP_DEPTH_MS : STEP_MS;
}

/* Time that was the caller's; in it the drive has rested, unless it was under load. */
static void book_pause(struct bench *bench, uint64_t ticks, bool rested)
{
    engine_test(bench)->time.pause_ticks += ticks;
    if (rested && bench->pause_ticks <= UINT64_MAX - ticks)
        bench->pause_ticks += ticks;
}

static void end_pause(struct bench *bench)
{
    uint64_t last = bench->now_ticks;

    bench->now_ticks = hw_ticks();
    book_pause(bench, bench->now_ticks - last, true);
}

bool bench_step(struct bench *bench)
{
    enum engine_next next = ENGINE_MORE;

    if (bench->ended || !find_test(bench))
        return false;
    if (engine_test(bench)->state == BENCH_RUNNING) {
        end_pause(bench);
    } else {
        bench->now_ticks = hw_ticks();
        begin_test(bench);
    }
    bench->counting = false;
    bench->block_end_ticks =
        bench->now_ticks + engine_ms(bench, block_ms(engine_step(bench)->kind));
    while (next == ENGINE_MORE && bench->now_ticks < bench->block_end_ticks) {
        next = run_unit(bench);
        if (next == ENGINE_MORE && bench->now_ticks >= bench->deadline_ticks)
            next = out_of_time(bench);
    }
    if (next != ENGINE_MORE)
        go_on(bench, next);
    return !bench->ended;
}

static void load_failed(struct bench *bench, enum status status)
{
    uint32_t commands = engine_slots(bench->outstanding);
    enum engine_next next =
        engine_failure(bench, bench->setup.drive, status, commands > 0 ? commands : 1);

    if (next != ENGINE_MORE)
        go_on(bench, next);
}

bool bench_load_begin(struct bench *bench)
{
    enum status status;

    if (bench->ended || engine_step(bench)->kind != PLAN_TRANSFER ||
        engine_test(bench)->state != BENCH_RUNNING)
        return false;
    end_pause(bench);
    status = transfer_load(bench);
    if (status != STATUS_OK)
        load_failed(bench, status);
    return status == STATUS_OK;
}

bool bench_load_end(struct bench *bench)
{
    uint64_t looked = hw_ticks() - bench->load_ticks;
    uint64_t took;
    enum status status;
    bool loaded;

    if (bench->outstanding == 0)
        return false;
    status = depth_drain(bench, bench->setup.drive);
    if (status != STATUS_OK) {
        load_failed(bench, status);
        return false;
    }
    took = bench->now_ticks - bench->load_ticks;
    loaded = took / 2 >= looked;
    book_pause(bench, took, !loaded);
    return loaded;
}

void bench_abort(struct bench *bench)
{
    if (bench->ended)
        return;
    if (find_test(bench) && engine_test(bench)->state == BENCH_RUNNING) {
        struct bench_test *test = engine_test(bench);

        (void)drain(bench, ENGINE_DONE); /* a failure is in the test's faults, and no news now */
        bench->now_ticks = hw_ticks();
        test->time.elapsed_ticks =
            bench->now_ticks - bench->run->origin_ticks - test->time.begin_ticks;
        test->state = BENCH_ABORTED;
        test->reason = "stopped by the user";
        bench->step++;
    }
    bench->run->status = STATUS_ABORTED;
    bench->run->reason = "stopped by the user";
    leave_out(bench, bench->step);
}

/* a of b in thousandths. */
static uint32_t permille(uint64_t a, uint64_t b)
{
    if (b == 0 || a >= b)
        return b == 0 ? 0 : 1000;
    return (uint32_t)base_mul_div(a, 1000, b);
}

struct bench_progress bench_progress(const struct bench *bench)
{
    struct bench_progress progress = {
        .step = bench->step, .step_count = bench->run->plan.step_count, .kind = PLAN_KINDS};
    const struct bench_test *test;
    const struct plan_step *step;
    uint64_t elapsed;

    if (bench->step >= progress.step_count)
        return progress;
    step = engine_step(bench);
    test = &bench->run->tests[bench->step];
    progress.kind = step->kind;
    if (test->state != BENCH_RUNNING)
        return progress;
    elapsed = bench->now_ticks - bench->run->origin_ticks - test->time.begin_ticks;
    progress.permille = permille(bench->done, step->count);
    if (step->kind == PLAN_OVERHEAD)
        progress.permille = (progress.permille + 1000 * bench->part) / 3;
    if (step->kind == PLAN_ACCESS || step->kind == PLAN_DEPTH) {
        uint32_t by_time = permille(elapsed, engine_ms(bench, step->limit_ms + step->warm_up_ms));

        progress.permille = progress.permille > by_time ? progress.permille : by_time;
    }
    progress.bytes = test->counted_bytes;
    progress.commands = test->counted_commands;
    progress.ticks = test->time.counted_ticks != 0 ? test->time.counted_ticks : elapsed;
    if (progress.permille > 0)
        progress.left_ticks = base_mul_div(elapsed, 1000 - progress.permille, progress.permille);
    return progress;
}
