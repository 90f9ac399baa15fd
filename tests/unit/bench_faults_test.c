/* Failures: counted apart, in no figure, and never an endless run. */
#include "tests/unit/bench_fake.h"

/* No sample of a counted read may touch the bad sector, and figures cover the rest. */
static void test_bad_sector_everywhere(void **state)
{
    struct rig *rig = rig_new();

    (void)state;
    rig->fake.drive.info.sectors = 4000; /* small: random reads meet it often */
    rig->fake.bad_lba = 2000;
    rig_run(rig);
    assert_int_equal(rig->run.status, STATUS_OK);
    assert_true(rig_test(rig, PLAN_VERIFY)->faults.count > 0);
    assert_true(rig->run.verify.unread > 0);
    assert_int_equal(rig->run.verify.equal + rig->run.verify.unread, PLAN_VERIFY_PLACES);
    for (uint32_t i = 0; i < rig->run.plan.step_count; i++) {
        const struct bench_test *test = &rig->run.tests[i];

        assert_true(test->faults.kept <= BENCH_FAULTS_MAX);
        assert_true(test->faults.kept <= test->faults.count);
        if (test->state == BENCH_FAILED) {
            assert_string_equal(test->reason, "too many commands failed");
            assert_int_equal(test->latency.count, 0);
        }
    }
    for (uint32_t i = 2000; i < rig->run.sample_count; i++) {
        const struct sample *sample = &rig->setup.samples[i];

        assert_false(sample->lba <= 2000 && sample->lba + sample->sectors > 2000);
    }
    rig_free(rig);
}

/* A failure at depth voids all that was under way; the interval starts afresh. */
static void test_depth_fault(void **state)
{
    struct rig *rig = rig_new();
    const struct bench_test *test;
    double rate;

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_DEPTH);
    rig->fake.drive.info.sectors = 40000;
    rig->fake.bad_lba = 20000;
    rig->options.depth_commands = 30000;
    rig_run(rig);
    test = rig_test(rig, PLAN_DEPTH);
    assert_true(test->faults.count > 2);
    assert_true(test->faults.commands > test->faults.count * 20);
    if (test->state == BENCH_DONE) {
        rate =
            (double)test->counted_commands / ((double)test->time.counted_ticks / (double)MODEL_HZ);
        assert_near(rate, 1 / 104.096e-6, 0.01);
    }
    rig_free(rig);
}

/* One time-out is survived; the second ends the run, in bounded time, whatever the test. */
static void test_time_outs(void **state)
{
    (void)state;
    for (uint64_t every = 1; every < 2000; every += 1 + every / 3) {
        struct rig *rig = rig_new();
        uint64_t begin = model_now_ns();

        rig->fake.hang_every = every;
        rig_run(rig);
        assert_int_equal(rig->run.status, STATUS_TIMEOUT);
        assert_int_equal(rig->run.time_outs, 2);
        assert_string_equal(rig->run.reason, "two commands timed out");
        assert_true(model_now_ns() - begin < UINT64_C(100000000000));
        rig_free(rig);
    }
}

/* After any number of commands: the run ends at once, what was done before stays. */
static void test_gone(void **state)
{
    (void)state;
    for (uint64_t after = 0; after < 7000; after += 1 + after / 4) {
        struct rig *rig = rig_new();
        bool before = true;

        rig->fake.gone_after = after;
        rig->options.depth_commands = 4000;
        rig_run(rig);
        assert_int_equal(rig->run.status, STATUS_GONE);
        for (uint32_t i = 0; i < rig->run.plan.step_count; i++) {
            enum bench_state is = rig->run.tests[i].state;

            if (before && is == BENCH_FAILED) {
                assert_int_equal(rig->run.tests[i].faults.count, 1);
                assert_int_equal(rig->run.tests[i].faults.fault[0].kind, DRIVE_FAULT_GONE);
                before = false;
            } else {
                assert_int_equal(is, before ? BENCH_DONE : BENCH_NOT_RUN);
            }
        }
        rig_free(rig);
    }
}

static void test_no_recovery(void **state)
{
    struct rig *rig = rig_new();

    (void)state;
    rig->fake.bad_lba = 0;
    rig->fake.never_recovers = true;
    rig_run(rig);
    assert_int_equal(rig->run.status, STATUS_DEVICE);
    assert_string_equal(rig->run.reason, "the port did not recover from a failure");
    assert_int_equal(rig_test(rig, PLAN_VERIFY)->state, BENCH_FAILED);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_sector_everywhere),
        cmocka_unit_test(test_depth_fault),
        cmocka_unit_test(test_time_outs),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_no_recovery),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
