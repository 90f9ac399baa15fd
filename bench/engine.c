/* What the tests have in common: one read, samples, and what a failure leads to. */
#include "bench/engine.h"

#include <stddef.h>

#define TIME_OUTS_MAX 2u  /* of a run: each costs half a minute, and none of them is news */
#define RETRIES_MAX   5u  /* of a test, after errors of the link */
#define FAULTS_MAX    16u /* of a test: a failing drive can take seconds for each */

void engine_count(struct bench *bench, uint64_t commands, uint64_t sectors)
{
    struct bench_test *test = engine_test(bench);

    test->counted_commands += commands;
    test->counted_bytes += sectors * bench->setup.drive->info.logical_bytes;
}

void engine_count_not(struct bench *bench, uint64_t commands, uint64_t sectors)
{
    struct bench_time *time = &engine_test(bench)->time;

    time->uncounted_commands += commands;
    time->uncounted_bytes += sectors * bench->setup.drive->info.logical_bytes;
}

enum status engine_read_one(struct bench *bench, struct drive *drive, enum drive_command command,
                            struct engine_read *read)
{
    const struct drive_read order = {
        .lba = read->lba,
        .sectors = read->sectors,
        .command = command,
        .bus = bench->setup.buffer.bus,
    };
    struct drive_done done;
    enum status status = drive->ops->prepare(drive, 0, &order);

    if (status != STATUS_OK)
        return status;
    status = drive->ops->start(drive, 1, &read->t0);
    if (status != STATUS_OK)
        return status;
    status = drive->ops->await(drive, 1, bench->await_ticks, &done);
    if (status != STATUS_OK)
        return status;
    read->t1 = done.t1;
    bench->now_ticks = done.t1;
    return STATUS_OK;
}

enum engine_next engine_fail_test(struct bench *bench, const char *reason)
{
    engine_test(bench)->reason = reason;
    return ENGINE_FAILED;
}

enum engine_next engine_end_run(struct bench *bench, enum status status, const char *reason)
{
    bench->run->status = status;
    bench->run->reason = reason;
    engine_test(bench)->reason = reason;
    return ENGINE_END_RUN;
}

static const char *final_reason(enum drive_fault_kind kind)
{
    switch (kind) {
    case DRIVE_FAULT_HOST_BUS:
        return "the controller cannot reach memory: wrong address or IOMMU";
    case DRIVE_FAULT_OVERFLOW:
        return "the drive moved more or fewer data than it was asked for";
    case DRIVE_FAULT_LINK_LOST:
        return "the link to the drive is lost";
    case DRIVE_FAULT_NONE:
    case DRIVE_FAULT_TASK_FILE:
    case DRIVE_FAULT_INTERFACE:
    case DRIVE_FAULT_TIMEOUT:
    case DRIVE_FAULT_GONE:
        break;
    }
    return "the port did not recover from a failure";
}

/* Keeps the fault, and the place where a drive cannot read. */
static void book_fault(struct bench *bench, const struct drive_fault *fault, uint32_t commands)
{
    struct bench_faults *faults = &engine_test(bench)->faults;

    if (faults->kept < BENCH_FAULTS_MAX)
        faults->fault[faults->kept++] = *fault;
    faults->count++;
    faults->commands += commands;
    if (fault->kind == DRIVE_FAULT_TASK_FILE && fault->sectors != 0) {
        bench->bad_lba = fault->lba;
        bench->bad_sectors = fault->sectors;
    }
}

bool engine_retry(struct bench *bench, const struct drive *drive)
{
    struct bench_faults *faults = &engine_test(bench)->faults;

    if (drive->fault.kind != DRIVE_FAULT_INTERFACE || faults->retries >= RETRIES_MAX)
        return false;
    faults->retries++;
    return true;
}

enum engine_next engine_failure(struct bench *bench, const struct drive *drive, enum status status,
                                uint32_t commands)
{
    const struct drive_fault *fault = &drive->fault;

    bench->now_ticks = hw_ticks();
    bench->outstanding = 0;
    bench->counting = false;
    bench->pause_ticks = UINT64_MAX; /* the drive has rested, or worse */
    if (status == STATUS_INVALID)
        return engine_end_run(bench, status, "the driver refused a command of the plan");
    book_fault(bench, fault, commands);
    if (status == STATUS_TIMEOUT)
        bench->run->time_outs++;
    if (status == STATUS_GONE)
        return engine_end_run(bench, status, "the device no longer answers");
    if (bench->run->time_outs >= TIME_OUTS_MAX)
        return engine_end_run(bench, STATUS_TIMEOUT, "two commands timed out");
    if (!fault->recovered)
        return engine_end_run(bench, status, final_reason(fault->kind));
    if (engine_test(bench)->faults.count >= FAULTS_MAX)
        return engine_fail_test(bench, "too many commands failed");
    return ENGINE_MORE;
}

size_t engine_collect(struct bench *bench, enum engine_pick pick)
{
    size_t count = 0;

    for (uint32_t i = bench->first_sample; i < bench->run->sample_count; i++) {
        const struct sample *sample = &bench->setup.samples[i];

        if (sample->role == SAMPLE_COUNTED && (sample->sectors == 0) == (pick == ENGINE_POLLS))
            bench->setup.scratch[count++] = sample->ticks;
    }
    return count;
}
