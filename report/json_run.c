/* result.json: plan, outcome and figures of one drive's run. Times are in ns. */
#include "report/json_run.h"

#include "report/result.h"

#include <stddef.h>

struct writer {
    struct json *json;
    const struct hw_clock *clock;
};

static void ns(const struct writer *out, const char *key, uint64_t ticks)
{
    json_number(out->json, key, hw_clock_ns(out->clock, ticks));
}

static const char *command_name(enum drive_command command)
{
    return command == DRIVE_READ_QUEUED ? "READ FPDMA QUEUED" : "READ DMA";
}

static void write_plan(struct json *json, const struct plan_step *step)
{
    json_open(json, "plan", '{');
    json_string(json, "command", command_name(step->command));
    json_number(json, "depth", step->depth);
    json_number(json, "command_sectors", step->command_sectors);
    json_number(json, "count", step->count);
    if (step->kind == PLAN_TRANSFER) {
        json_number(json, "run_in", step->run_in);
        json_number(json, "seek_sectors", step->seek_sectors);
        json_number(json, "lead", step->lead);
        json_number(json, "counted", step->counted);
        json_number(json, "tail", step->tail);
        json_number(json, "first_lba", step->first_lba);
        json_number(json, "spacing_sectors", step->spacing_sectors);
        json_number(json, "warm_up_ms", step->warm_up_ms);
    } else if (step->kind == PLAN_ACCESS || step->kind == PLAN_DEPTH) {
        json_number(json, "first_lba", step->first_lba);
        json_number(json, "spacing_sectors", step->spacing_sectors);
        json_number(json, "places", step->places);
        json_hex(json, "seed", step->seed, 16);
        json_number(json, "warm_up_ms", step->warm_up_ms);
    }
    if (step->limit_ms != 0)
        json_number(json, "limit_ms", step->limit_ms);
    json_close(json, '}');
}

static void write_time(const struct writer *out, const struct bench_test *test)
{
    const struct bench_time *time = &test->time;

    json_open(out->json, "time", '{');
    ns(out, "begin_ns", time->begin_ticks);
    ns(out, "elapsed_ns", time->elapsed_ticks);
    ns(out, "counted_ns", time->counted_ticks);
    ns(out, "pause_ns", time->pause_ticks);
    ns(out, "warm_up_ns", time->warm_up_ticks);
    json_number(out->json, "counted_commands", test->counted_commands);
    json_number(out->json, "counted_bytes", test->counted_bytes);
    json_number(out->json, "uncounted_commands", time->uncounted_commands);
    json_number(out->json, "uncounted_bytes", time->uncounted_bytes);
    json_close(out->json, '}');
}

static void write_fault(const struct writer *out, const struct drive_fault *fault)
{
    struct json *json = out->json;

    json_open(json, NULL, '{');
    json_string(json, "kind", drive_fault_name(fault->kind));
    json_string(json, "operation", fault->operation != NULL ? fault->operation : "");
    if (fault->error != NULL)
        json_string(json, "error", fault->error);
    else
        json_null(json, "error");
    json_number(json, "lba", fault->lba);
    if (fault->sectors != 0)
        json_number(json, "sectors", fault->sectors);
    else
        json_null(json, "sectors");
    if (fault->error_lba_known)
        json_number(json, "error_lba", fault->error_lba);
    else
        json_null(json, "error_lba");
    ns(out, "waited_ns", fault->waited_ticks);
    json_bool(json, "recovered", fault->recovered);
    json_open(json, "registers", '[');
    for (uint32_t i = 0; i < fault->register_count && i < DRIVE_FAULT_REGISTERS; i++) {
        json_open_inline(json, NULL, '{');
        json_string(json, "name", fault->registers[i].name);
        json_hex(json, "value", fault->registers[i].value, 8);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_faults(const struct writer *out, const struct bench_faults *faults)
{
    json_open(out->json, "faults", '{');
    json_number(out->json, "count", faults->count);
    json_number(out->json, "commands", faults->commands);
    json_number(out->json, "retries", faults->retries);
    json_open(out->json, "kept", '[');
    for (uint32_t i = 0; i < faults->kept; i++)
        write_fault(out, &faults->fault[i]);
    json_close(out->json, ']');
    json_close(out->json, '}');
}

/* null where nothing was measured. */
static void write_summary(const struct writer *out, const char *key, const struct summary *summary)
{
    if (summary->count == 0) {
        json_null(out->json, key);
        return;
    }
    json_open(out->json, key, '{');
    json_number(out->json, "count", summary->count);
    ns(out, "min", summary->min_ticks);
    ns(out, "median", summary->median_ticks);
    ns(out, "p95", summary->p95_ticks);
    ns(out, "p99", summary->p99_ticks);
    ns(out, "p999", summary->p999_ticks);
    ns(out, "max", summary->max_ticks);
    json_number(
        out->json, "mean",
        base_mul_div_round(hw_clock_ns(out->clock, summary->total_ticks), 1, summary->count));
    json_close(out->json, '}');
}

static const char *method_name(enum bench_verify_method method)
{
    switch (method) {
    case BENCH_VERIFY_FIRMWARE:
        return "firmware";
    case BENCH_VERIFY_TWO_COMMANDS:
        return "two commands";
    case BENCH_VERIFY_TWICE:
        return "twice";
    }
    return "none";
}

static void write_place(struct json *json, const struct bench_place *place)
{
    json_open_inline(json, NULL, '{');
    json_number(json, "lba", place->lba);
    json_number(json, "sectors", place->sectors);
    if (place->state == BENCH_PLACE_UNREAD) {
        json_null(json, "crc32");
        json_null(json, "other");
        json_string(json, "state", "unread");
    } else {
        json_hex(json, "crc32", place->crc, 8);
        json_hex(json, "other", place->other, 8);
        json_string(json, "state", place->state == BENCH_PLACE_EQUAL ? "equal" : "differs");
    }
    json_close(json, '}');
}

static void write_verify(struct json *json, const struct bench_verify *verify)
{
    json_open(json, "verify", '{');
    json_string(json, "method", method_name(verify->method));
    json_number(json, "equal", verify->equal);
    json_number(json, "differ", verify->differ);
    json_number(json, "unread", verify->unread);
    json_open(json, "places", '[');
    for (uint32_t i = 0; i < PLAN_VERIFY_PLACES; i++)
        if (verify->places[i].sectors != 0) /* reached */
            write_place(json, &verify->places[i]);
    json_close(json, ']');
    json_close(json, '}');
}

static void write_transfer(const struct writer *out, const struct bench_run *run, uint32_t index)
{
    const struct bench_transfer *transfer = &run->transfer;
    uint64_t bytes = transfer->position_bytes;
    struct json *json = out->json;

    json_open(json, "transfer", '{');
    if (transfer->probe_ticks != 0)
        ns(out, "probe_ns", transfer->probe_ticks);
    else
        json_null(json, "probe_ns");
    json_number(json, "positions", transfer->positions);
    json_number(json, "position_bytes", bytes);
    json_number(json, "min_bytes_per_s", result_rate(bytes, transfer->max_ticks, out->clock));
    json_number(json, "mean_bytes_per_s",
                result_rate(run->tests[index].counted_bytes, run->tests[index].time.counted_ticks,
                            out->clock));
    json_number(json, "max_bytes_per_s", result_rate(bytes, transfer->min_ticks, out->clock));
    json_open_inline(json, "position_ns", '[');
    for (uint32_t i = 0; i < run->plan.steps[index].count; i++) {
        if (transfer->ticks[i] != 0)
            ns(out, NULL, transfer->ticks[i]);
        else
            json_null(json, NULL);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_overhead(const struct writer *out, const struct bench_overhead *overhead)
{
    struct json *json = out->json;

    json_open(json, "overhead", '{');
    write_summary(out, "null_drive_ns", &overhead->null_drive);
    write_summary(out, "poll_ns", &overhead->poll);
    if (overhead->depth_commands == 0) {
        json_null(json, "null_depth");
    } else {
        json_open(json, "null_depth", '{');
        json_number(json, "commands", overhead->depth_commands);
        ns(out, "ns", overhead->depth_ticks);
        json_close(json, '}');
    }
    json_close(json, '}');
}

/* Figures stand only in a test that ended by itself; what verify found stands also otherwise. */
static void write_figures(const struct writer *out, const struct bench_run *run, uint32_t index)
{
    const struct bench_test *test = &run->tests[index];
    bool done = test->state == BENCH_DONE;

    switch (run->plan.steps[index].kind) {
    case PLAN_OVERHEAD:
        if (done)
            write_overhead(out, &run->overhead);
        break;
    case PLAN_VERIFY:
        if (test->state != BENCH_NOT_RUN && test->state != BENCH_SKIPPED)
            write_verify(out->json, &run->verify);
        break;
    case PLAN_TRANSFER:
        if (done)
            write_transfer(out, run, index);
        break;
    case PLAN_ACCESS:
        if (done)
            write_summary(out, "latency_ns", &test->latency);
        break;
    case PLAN_DEPTH:
        if (done) {
            json_number(out->json, "reads_per_s",
                        result_rate(test->counted_commands, test->time.counted_ticks, out->clock));
            write_summary(out, "latency_ns", &test->latency);
        }
        break;
    case PLAN_KINDS:
        break;
    }
}

static void write_test(const struct writer *out, const struct bench_run *run, uint32_t index)
{
    const struct plan_step *step = &run->plan.steps[index];
    const struct bench_test *test = &run->tests[index];
    struct json *json = out->json;

    json_open(json, NULL, '{');
    json_string(json, "test", plan_kind_name(step->kind));
    json_number(json, "method_version", 1);
    json_string(json, "state", bench_state_name(test->state));
    json_string(json, "reason", test->reason);
    if (test->state != BENCH_SKIPPED)
        write_plan(json, step);
    if (test->state != BENCH_SKIPPED && test->state != BENCH_NOT_RUN) {
        write_time(out, test);
        write_faults(out, &test->faults);
        write_figures(out, run, index);
    }
    json_close(json, '}');
}

void json_run(struct json *json, const struct bench_run *run, const struct hw_clock *clock)
{
    const struct writer out = {json, clock};

    json_open(json, "run", '{');
    json_string(json, "status", base_status_name(run->status));
    json_string(json, "reason", run->reason);
    json_bool(json, "voided", run->voided);
    json_hex(json, "seed", run->plan.seed, 16);
    json_number(json, "time_outs", run->time_outs);
    json_number(json, "samples", run->sample_count);
    json_number(json, "samples_dropped", run->samples_dropped);
    json_open(json, "tests", '[');
    for (uint32_t i = 0; i < run->plan.step_count; i++)
        write_test(&out, run, i);
    json_close(json, ']');
    json_close(json, '}');
}
