/* The engine as a whole: random reads, overhead, verification, steps, abort. */
#include "tests/unit/bench_fake.h"

#include "base/bits.h"
#include "base/crc32.h"

/* A constant latency is what every figure says. */
static void test_constant_latency(void **state)
{
    struct rig *rig = rig_new();
    const struct summary *latency;
    uint64_t ticks = (100000 + 4096 + 200 + 500) * (MODEL_HZ / 500000000) / 2;

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_ACCESS);
    rig_run(rig);
    latency = &rig_test(rig, PLAN_ACCESS)->latency;
    assert_int_equal(latency->count, 2000);
    assert_in_range(latency->min_ticks, ticks - 520, ticks);
    assert_in_range(latency->max_ticks, latency->min_ticks, ticks);
    assert_in_range(latency->median_ticks, latency->min_ticks, ticks);
    rig_free(rig);
}

/* Each 50th read is slow: the 98 % below are fast, the rest is slow, to the tick. */
static void test_two_latencies(void **state)
{
    struct rig *rig = rig_new();
    const struct summary *latency;

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_ACCESS);
    rig->fake.slow_every = 50;
    rig->fake.slow_latency_ns = 5000000;
    rig_run(rig);
    latency = &rig_test(rig, PLAN_ACCESS)->latency;
    assert_near((double)latency->p95_ticks, 104.6e-6 * (double)MODEL_HZ, 0.01);
    assert_near((double)latency->p99_ticks, 5.0046e-3 * (double)MODEL_HZ, 0.01);
    assert_near((double)latency->total_ticks, 2000 * (104.6e-6 + 4.9e-3 / 50) * (double)MODEL_HZ,
                0.01);
    rig_free(rig);
}

/* Random, 4 KiB aligned, in both halves of the drive, the same again with the same seed. */
static void test_places_and_seed(void **state)
{
    struct rig *a = rig_new();
    struct rig *b = rig_new();
    struct rig *c = rig_new();
    uint32_t low = 0, same = 0;
    uint32_t first;

    (void)state;
    c->options.seed = 43;
    rig_run(a);
    rig_run(b);
    rig_run(c);
    first = a->run.sample_count - 2000;
    assert_int_equal(a->run.sample_count, b->run.sample_count);
    for (uint32_t i = first; i < a->run.sample_count; i++) {
        uint64_t lba = a->setup.samples[i].lba;

        assert_int_equal(lba % 8, 0);
        assert_int_equal(lba, b->setup.samples[i].lba);
        low += lba < a->fake.drive.info.sectors / 2;
        same += i < c->run.sample_count && lba == c->setup.samples[i].lba;
    }
    assert_in_range(low, 850, 1150);
    assert_true(same < 20);
    rig_free(a);
    rig_free(b);
    rig_free(c);
}

/* One server: its rate, with all slots filled, and the latency that follows from it. */
static void test_depth(void **state)
{
    struct rig *rig = rig_new();
    const struct bench_test *test;
    double rate;

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_DEPTH);
    rig->pause_each = 3;
    rig->pause_ns = 7000000;
    rig_run(rig);
    test = rig_test(rig, PLAN_DEPTH);
    assert_int_equal(test->state, BENCH_DONE);
    assert_int_equal(rig->fake.in_flight_most, 32);
    rate = (double)test->counted_commands / ((double)test->time.counted_ticks / (double)MODEL_HZ);
    assert_near(rate, 1 / 104.096e-6, 0.001);
    assert_int_equal(test->counted_commands, test->latency.count);
    assert_in_range(test->counted_commands, 32768, 32768 + 31);
    assert_near((double)test->latency.median_ticks, 32 * 104.096e-6 * (double)MODEL_HZ, 0.01);
    assert_true(test->time.pause_ticks > 0);
    for (uint32_t i = 2000; i < rig->run.sample_count; i++) /* nothing of the warm-up */
        assert_true(rig->setup.samples[i].t0 + rig->setup.samples[i].ticks >=
                    test->time.begin_ticks + MODEL_HZ / 10);
    rig_free(rig);
}

/* A slow drive ends by time, with the figures of what it did. */
static void test_depth_time_limit(void **state)
{
    struct rig *rig = rig_new();
    const struct bench_test *test;

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_DEPTH);
    rig->fake.latency_ns = 6000000;
    rig_run(rig);
    test = rig_test(rig, PLAN_DEPTH);
    assert_int_equal(test->state, BENCH_DONE);
    assert_in_range(test->counted_commands, 1500, 1700);
    assert_in_range(test->time.elapsed_ticks, 10 * MODEL_HZ, 11 * MODEL_HZ);
    rig_free(rig);
}

static void test_overhead(void **state)
{
    struct rig *rig = rig_new();
    const struct bench_overhead *overhead = &rig->run.overhead;

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_OVERHEAD);
    rig_run(rig);
    assert_int_equal(rig->run.sample_count, 2000);
    assert_int_equal(overhead->null_drive.count, 1000);
    assert_int_equal(overhead->poll.count, 1000);
    assert_int_equal(overhead->poll.min_ticks, 700 * (MODEL_HZ / 500000000) / 2);
    assert_int_equal(overhead->poll.median_ticks, overhead->poll.min_ticks);
    assert_in_range(overhead->depth_commands, PLAN_OVERHEAD_DEPTH, PLAN_OVERHEAD_DEPTH + 31);
    assert_int_equal(rig->fake.commands, 0);
    rig_free(rig);
}

static uint32_t place_crc(const struct rig *rig, uint32_t index)
{
    const struct drive_info *info = &rig->fake.drive.info;
    struct plan_place place = plan_verify_place(info->sectors, info->logical_bytes, index);
    uint32_t crc = 0;

    for (uint32_t i = 0; i < place.sectors; i++)
        for (uint32_t k = 0; k < info->logical_bytes; k++) {
            uint8_t byte = fake_byte(place.lba + i, k);

            crc = base_crc32(crc, &byte, 1);
        }
    return crc;
}

static void check_verify(uint32_t depth, uint32_t command_sectors, bool references,
                         enum bench_verify_method method)
{
    uint32_t crc[PLAN_VERIFY_PLACES];
    struct rig *rig = rig_new();

    rig->options.tests = PLAN_TEST(PLAN_VERIFY);
    rig->fake.drive.info.queue_depth = depth;
    rig->fake.drive.info.command_sectors_max = command_sectors;
    for (uint32_t i = 0; i < PLAN_VERIFY_PLACES; i++)
        crc[i] = place_crc(rig, i);
    rig->setup.references = references ? crc : NULL;
    rig_run(rig);
    assert_int_equal(rig->run.status, STATUS_OK);
    assert_int_equal(rig->run.verify.method, method);
    assert_int_equal(rig->run.verify.equal, PLAN_VERIFY_PLACES);
    for (uint32_t i = 0; i < PLAN_VERIFY_PLACES; i++)
        assert_int_equal(rig->run.verify.places[i].crc, crc[i]);
    rig_free(rig);
}

static void test_verify(void **state)
{
    (void)state;
    check_verify(32, 65536, true, BENCH_VERIFY_FIRMWARE);
    check_verify(32, 65536, false, BENCH_VERIFY_TWO_COMMANDS);
    check_verify(0, 65536, false, BENCH_VERIFY_TWICE);
    check_verify(32, 50, false, BENCH_VERIFY_TWO_COMMANDS);
}

/* One wrong byte in the last place voids the run, and nothing else runs. */
static void test_verify_mismatch(void **state)
{
    struct rig *rig = rig_new();
    const struct bench_place *place = &rig->run.verify.places[PLAN_VERIFY_PLACES - 1];

    (void)state;
    rig->fake.corrupt_lba = rig->fake.drive.info.sectors - 3;
    rig_run(rig);
    assert_int_equal(rig->run.status, STATUS_MISMATCH);
    assert_true(rig->run.voided);
    assert_int_equal(rig->run.verify.differ, 1);
    assert_int_equal(rig->run.verify.equal, PLAN_VERIFY_PLACES - 1);
    assert_int_equal(place->state, BENCH_PLACE_DIFFERS);
    assert_int_equal(place->other, place_crc(rig, PLAN_VERIFY_PLACES - 1));
    assert_int_not_equal(place->crc, place->other);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->state, BENCH_NOT_RUN);
    rig_free(rig);
}

/* One wrong byte early on, and then a drive so bad that verify gives up: void all the same. */
static void test_verify_mismatch_before_failures(void **state)
{
    struct rig *rig = rig_new();

    (void)state;
    rig->fake.corrupt_lba = 3;
    rig->fake.bad_from_lba = rig->fake.drive.info.sectors / 4;
    rig_run(rig);
    assert_true(rig->run.verify.unread >= 16);
    assert_int_equal(rig->run.verify.differ, 1);
    assert_true(rig->run.voided);
    assert_int_equal(rig->run.status, STATUS_MISMATCH);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->state, BENCH_NOT_RUN);
    rig_free(rig);
}

/* A drive that answers without delivering anything must not pass for one that delivers twice. */
static void test_verify_no_data(void **state)
{
    struct rig *rig = rig_new();

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_VERIFY);
    rig->fake.memory_bytes = PLAN_BUFFER_BYTES;
    rig_begin(rig);
    rig->bench.setup.buffer.cpu =
        rig->fake.memory + PLAN_BUFFER_BYTES / 2; /* data goes elsewhere */
    while (bench_step(&rig->bench))
        ;
    assert_true(rig->run.voided);
    rig_free(rig);
}

/* At every step from the first to the last: aborted at once, drained, no figure of that test. */
static void test_abort(void **state)
{
    bool more = true;

    (void)state;
    for (uint32_t steps = 0; more; steps += 29) {
        struct rig *rig = rig_new();
        uint32_t at;

        rig_begin(rig);
        for (uint32_t i = 0; i < steps && more; i++)
            more = bench_step(&rig->bench);
        at = rig->bench.step;
        bench_abort(&rig->bench);
        assert_false(bench_step(&rig->bench));
        assert_int_equal(rig->fake.started, 0);
        assert_int_equal(rig->run.status, more ? STATUS_ABORTED : STATUS_OK);
        for (uint32_t i = 0; i < rig->run.plan.step_count; i++) {
            enum bench_state is = rig->run.tests[i].state;

            if (i < at)
                assert_int_equal(is, BENCH_DONE);
            else if (i > at)
                assert_int_equal(is, BENCH_NOT_RUN);
            else
                assert_true(is == BENCH_ABORTED || is == BENCH_NOT_RUN);
        }
        rig_free(rig);
    }
}

static void test_begin_refuses(void **state)
{
    struct rig *rig = rig_new();
    struct bench_setup setup;

    (void)state;
    rig_begin(rig);
    setup = rig->setup;
    setup.capacity--;
    assert_int_equal(bench_begin(&rig->bench, &setup, &rig->run), STATUS_INVALID);
    setup = rig->setup;
    setup.buffer.bytes--;
    assert_int_equal(bench_begin(&rig->bench, &setup, &rig->run), STATUS_INVALID);
    setup = rig->setup;
    setup.null_drive = NULL;
    assert_int_equal(bench_begin(&rig->bench, &setup, &rig->run), STATUS_INVALID);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_latency),
        cmocka_unit_test(test_two_latencies),
        cmocka_unit_test(test_places_and_seed),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_time_limit),
        cmocka_unit_test(test_overhead),
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_verify_mismatch),
        cmocka_unit_test(test_verify_mismatch_before_failures),
        cmocka_unit_test(test_verify_no_data),
        cmocka_unit_test(test_abort),
        cmocka_unit_test(test_begin_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
