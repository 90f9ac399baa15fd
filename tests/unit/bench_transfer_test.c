/* TRANSFER: the right rate whatever the drive is like and however the screen gets in between. */
#include "tests/unit/bench_fake.h"

#include "base/bits.h"

static struct rig *transfer_rig(void)
{
    struct rig *rig = rig_new();

    rig->options.tests = PLAN_TEST(PLAN_TRANSFER);
    return rig;
}

static void check_limited(double rate, uint64_t pause_ns, uint32_t pause_each, uint32_t rpm)
{
    struct rig *rig = transfer_rig();
    const struct bench_transfer *transfer = &rig->run.transfer;
    double bytes;

    rig->fake.drive.info.rotation_rpm = rpm;
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
            check_limited(rates[i], pauses_ns[k], 1, 1);
            check_limited(rates[i], pauses_ns[k], 7, 1);
            check_limited(rates[i], pauses_ns[k], 1, 7200);
            check_limited(rates[i], pauses_ns[k], 7, 0);
        }
}

static double disturbed_rate(double rate, uint64_t away_every, uint64_t seed)
{
    struct rig *rig = transfer_rig();
    double mean;

    rig->fake.drive.info.rotation_rpm = 1;
    rig->fake.limit_bytes_per_s = rate;
    rig->fake.media_bytes_per_s = 3000000000;
    rig->fake.away_every = away_every;
    rig->fake.away_ns = 1000000 + 500000 * away_every;
    rig->fake.random.state = seed;
    rig->pause_each = 1;
    rig->pause_ns = 300000;
    rig_run(rig);
    mean = rig_mean(rig);
    rig_free(rig);
    return mean;
}

/*
 * The processor is away for up to 16 ms at a time, a good part of the time. Single figures scatter
 * then, but no burst is taken for the rate: their average is right.
 */
static void test_disturbed_machine(void **state)
{
    static const double rates[] = {40e6, 201e6, 407e6};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        double sum = 0;
        unsigned count = 0;

        for (uint64_t every = 5; every <= 30; every += 5)
            for (uint64_t seed = 0; seed < 5; seed++, count++)
                sum += disturbed_rate(rates[i], every, seed);
        assert_near(sum / count, rates[i], 0.005);
    }
}

/* No limiter: the media's own rate, one command after the other, latency included. */
static void check_media_rate(uint32_t rpm)
{
    struct rig *rig = transfer_rig();
    double per_command;

    rig->fake.drive.info.rotation_rpm = rpm;
    rig_run(rig);
    check_places(rig);
    per_command = 100e-6 + 1048576 / 1e9;
    assert_near(rig_mean(rig), 1048576 / per_command, 0.001);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->state, BENCH_DONE);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->counted_bytes, UINT64_C(256) << 22);
    rig_free(rig);
}

static void test_media_rate(void **state)
{
    (void)state;
    check_media_rate(0);
    check_media_rate(1);
    check_media_rate(5400);
}

/* A drive that does not say whether it rotates is asked by its latency. */
static void test_probe(void **state)
{
    static const uint64_t latencies_ns[] = {60000, 1800000, 2100000, 12000000};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(latencies_ns); i++) {
        struct rig *rig = transfer_rig();

        rig->fake.latency_ns = latencies_ns[i];
        rig_run(rig);
        assert_near((double)rig->run.transfer.probe_ticks,
                    (double)latencies_ns[i] * 1e-9 * (double)MODEL_HZ, 0.05);
        assert_int_equal(rig->run.plan.steps[1].seek_sectors, i < 2 ? 0 : 512);
        check_places(rig);
        rig_free(rig);
    }
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

/* Each half of the drive has its own rate: the curve's step stands where it is. */
static void check_curve(uint32_t rpm)
{
    struct rig *rig = transfer_rig();

    rig->fake.drive.info.rotation_rpm = rpm;
    rig->fake.slow_from_lba = rig->fake.drive.info.sectors / 2;
    rig_run(rig);
    for (uint32_t i = 0; i < 256; i++) {
        double rate = i < 128 ? 1e9 : 5e8;

        assert_near((double)rig->run.transfer.ticks[i],
                    4 * (100e-6 + 1048576 / rate) * (double)MODEL_HZ, 0.01);
    }
    rig_free(rig);
}

static void test_curve(void **state)
{
    (void)state;
    check_curve(1);
    check_curve(7200);
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
            rig->fake.drive.info.rotation_rpm = i % 2;
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
static void check_bad_sector(uint32_t rpm, uint32_t position, uint32_t offset)
{
    struct rig *rig = transfer_rig();
    const struct bench_test *test;

    rig->fake.drive.info.rotation_rpm = rpm;
    assert_int_equal(plan_make(&rig->fake.drive.info, &rig->options, &rig->run.plan), STATUS_OK);
    rig->fake.bad_lba = plan_position_lba(&rig->run.plan.steps[1], position) + offset;
    rig_run(rig);
    test = rig_test(rig, PLAN_TRANSFER);
    assert_int_equal(test->state, BENCH_DONE);
    assert_int_equal(rig->run.status, STATUS_OK);
    assert_int_equal(rig->run.transfer.positions, 255);
    assert_int_equal(rig->run.transfer.ticks[position], 0);
    assert_in_range(test->faults.count, 1, 2);
    assert_int_equal(test->faults.fault[0].lba, rig->fake.bad_lba);
    assert_int_equal(test->counted_bytes, UINT64_C(255) << 22);
    assert_near((double)test->counted_bytes / (double)test->time.counted_ticks * (double)MODEL_HZ,
                1048576 / (100e-6 + 1048576 / 1e9), 0.001);
    for (uint32_t i = 0; i < rig->run.sample_count; i++)
        assert_false(rig->setup.samples[i].step == 1 && rig->setup.samples[i].group == position);
    rig_free(rig);
}

static void test_bad_sector(void **state)
{
    (void)state;
    for (uint32_t offset = 0; offset < 8192; offset += 1300) {
        check_bad_sector(7200, 100, offset);
        check_bad_sector(1, 100, offset);
        check_bad_sector(1, 1, offset);
        check_bad_sector(1, 255, offset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limited_rate), cmocka_unit_test(test_disturbed_machine),
        cmocka_unit_test(test_media_rate),   cmocka_unit_test(test_probe),
        cmocka_unit_test(test_no_queue),     cmocka_unit_test(test_curve),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_bad_sector),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
