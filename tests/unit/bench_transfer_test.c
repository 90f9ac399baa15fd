/* TRANSFER: the right rate whatever the drive is like and however the screen gets in between. */
#include "tests/unit/bench_fake.h"

#include "base/bits.h"

static struct rig *transfer_rig(void)
{
    struct rig *rig = rig_new();

    rig->options.tests = PLAN_TEST(PLAN_TRANSFER);
    return rig;
}

/* Every position at its place, equally long, side by side, at the right depth. */
static void check_places(const struct rig *rig)
{
    const struct plan_step *step = &rig->run.plan.steps[rig_index(rig, PLAN_TRANSFER)];
    const struct drive_info *info = &rig->fake.drive.info;
    uint32_t commands = step->lead + step->counted + step->tail;
    uint64_t seen = 0;

    for (uint32_t i = 0; i < rig->run.sample_count; i++) {
        const struct sample *sample = &rig->setup.samples[i];
        uint64_t begin = plan_position_lba(step, sample->group) + step->seek_sectors;

        if (rig->run.plan.steps[sample->step].kind != PLAN_TRANSFER)
            continue;
        assert_int_equal(sample->group, seen / commands);
        assert_true(sample->lba >= begin);
        assert_true(sample->lba + sample->sectors <=
                    begin + (uint64_t)commands * step->command_sectors);
        assert_int_equal(sample->sectors, step->command_sectors);
        assert_int_equal(sample->role, seen % commands >= step->lead &&
                                               seen % commands < step->lead + step->counted
                                           ? SAMPLE_COUNTED
                                           : SAMPLE_UNCOUNTED);
        seen++;
    }
    assert_int_equal(seen, (uint64_t)step->count * commands);
    assert_int_equal(rig->run.transfer.positions, step->count);
    assert_int_equal(rig->run.transfer.position_bytes,
                     (uint64_t)step->counted * step->command_sectors * info->logical_bytes);
    assert_int_equal(rig->fake.in_flight_most, step->depth);
}

static void check_limited(double rate, uint64_t pause_ns, uint32_t pause_each)
{
    struct rig *rig = transfer_rig();
    const struct bench_transfer *transfer = &rig->run.transfer;
    double bytes;

    rig->fake.limit_bytes_per_s = rate;
    rig->fake.latency_ns = 20000;
    rig->fake.media_bytes_per_s = 3000000000;
    rig->pause_ns = pause_ns;
    rig->pause_each = pause_each;
    rig_run(rig);
    check_places(rig);
    bytes = (double)transfer->position_bytes * (double)MODEL_HZ;
    assert_near(rig_mean(rig), rate, 0.0005);
    assert_near(bytes / (double)transfer->min_ticks, rate, 0.003);
    assert_near(bytes / (double)transfer->max_ticks, rate, 0.003);
    rig_free(rig);
}

/* Behind a rate limiter, with no, short, frequent and long pauses between steps. */
static void test_limited_rate(void **state)
{
    static const double rates[] = {23e6, 40e6, 201e6, 407e6, 590e6};
    static const uint64_t pauses_ns[] = {0, 20000, 900000, 1100000, 5000000, 60000000, 2000000000};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        for (size_t k = 0; k < COUNT_OF(pauses_ns); k++) {
            check_limited(rates[i], pauses_ns[k], 1);
            check_limited(rates[i], pauses_ns[k], 7);
        }
}

/* No limiter: the media's own rate, one command after the other, latency included. */
static void test_media_rate(void **state)
{
    struct rig *rig = transfer_rig();
    double per_command;

    (void)state;
    rig_run(rig);
    check_places(rig);
    per_command = 100e-6 + 1048576 / 1e9;
    assert_near(rig_mean(rig), 1048576 / per_command, 0.001);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->state, BENCH_DONE);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->counted_bytes, UINT64_C(256) << 22);
    rig_free(rig);
}

static void test_no_queue(void **state)
{
    struct rig *rig = transfer_rig();

    (void)state;
    rig->fake.drive.info.queue_depth = 0;
    rig->fake.limit_bytes_per_s = 201e6;
    rig_run(rig);
    check_places(rig);
    assert_int_equal(rig->run.plan.steps[1].depth, 1);
    assert_int_equal(rig->run.plan.steps[1].command, DRIVE_READ_DMA);
    assert_near(rig_mean(rig), 201e6, 0.0005);
    rig_free(rig);
}

/* Each part of the drive has its own rate: the curve's step stands where it is. */
static void test_curve(void **state)
{
    struct rig *rig = transfer_rig();

    (void)state;
    rig_begin(rig);
    while (bench_step(&rig->bench))
        if (rig_test(rig, PLAN_TRANSFER)->state == BENCH_RUNNING && rig->bench.done >= 128)
            rig->fake.media_bytes_per_s = 500000000;
    for (uint32_t i = 0; i < 256; i++) {
        double rate = i < 128 ? 1e9 : 5e8;
        double ticks = (double)rig->run.transfer.ticks[i];

        /* The step of 25 ms that crosses the middle may go a few positions on. */
        if (i < 128 || i >= 140)
            assert_near(ticks, 4 * (100e-6 + 1048576 / rate) * (double)MODEL_HZ, 0.01);
    }
    rig_free(rig);
}

/* Sizes from next to nothing to large; odd sectors, lengths and alignments. */
static void test_sizes(void **state)
{
    static const uint64_t sizes[] = {7,      8,       100,     1000,    1793,      16383,
                                     100000, 1000003, 3000000, 4194304, 5860533168};
    static const uint32_t logical[] = {512, 4096};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t k = 0; k < COUNT_OF(logical); k++) {
            struct rig *rig = transfer_rig();

            rig->fake.drive.info.sectors = sizes[i];
            rig->fake.drive.info.logical_bytes = logical[k];
            rig->fake.drive.info.physical_bytes = 4096;
            rig->fake.drive.info.alignment_sectors = logical[k] == 512 ? i % 8 : 0;
            rig->fake.drive.info.command_sectors_max = i % 3 == 0 ? 256 : 65536;
            rig_run(rig);
            if (rig_test(rig, PLAN_TRANSFER)->state == BENCH_DONE)
                check_places(rig);
            else
                assert_true(sizes[i] < 16);
            rig_free(rig);
        }
}

/* A position with a failure has no rate; the others do, and their sum is theirs alone. */
static void test_bad_sector(void **state)
{
    struct rig *rig = transfer_rig();
    const struct bench_test *test;

    (void)state;
    assert_int_equal(plan_make(&rig->fake.drive.info, &rig->options, &rig->run.plan), STATUS_OK);
    rig->fake.bad_lba = plan_position_lba(&rig->run.plan.steps[1], 100) + 5000;
    rig_run(rig);
    test = rig_test(rig, PLAN_TRANSFER);
    assert_int_equal(test->state, BENCH_DONE);
    assert_int_equal(rig->run.status, STATUS_OK);
    assert_int_equal(rig->run.transfer.positions, 255);
    assert_int_equal(rig->run.transfer.ticks[100], 0);
    assert_int_equal(test->faults.count, 1);
    assert_int_equal(test->faults.fault[0].lba, rig->fake.bad_lba);
    assert_int_equal(test->counted_bytes, UINT64_C(255) << 22);
    assert_near(rig_mean(rig), 1048576 / (100e-6 + 1048576 / 1e9), 0.001);
    for (uint32_t i = 0; i < rig->run.sample_count; i++)
        assert_false(rig->setup.samples[i].step == 1 && rig->setup.samples[i].group == 100);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limited_rate), cmocka_unit_test(test_media_rate),
        cmocka_unit_test(test_no_queue),     cmocka_unit_test(test_curve),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_bad_sector),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
