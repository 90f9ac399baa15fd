/* Failures: counted apart, in no figure, and never an endless run. */
#include "base/bits.h"
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

/* TRANSFER over a drive with one bad sector: it is read once, and one position is lost at most. */
static void transfer_with_bad(uint64_t bad, uint32_t positions)
{
    struct rig *rig = rig_new();
    const struct bench_test *test;

    rig->options.tests = PLAN_TEST(PLAN_TRANSFER);
    rig->options.positions = positions;
    rig->fake.drive.info.rotation_rpm = 1;
    rig->fake.drive.info.sectors = 4000000;
    rig->fake.names_command = true;
    rig->fake.bad_lba = bad;
    rig_run(rig);
    test = rig_test(rig, PLAN_TRANSFER);
    assert_int_equal(test->state, BENCH_DONE);
    assert_int_equal(rig->fake.bad_reads, test->faults.count);
    assert_true(rig->fake.bad_reads <= 1);
    assert_int_equal(test->faults.retries, 0);
    assert_true(rig->run.transfer.positions + 1 >= positions);
    rig_free(rig);
}

/* What a command could not read is not read again, whatever else was under way. */
static void test_medium_error_is_not_retried(void **state)
{
    (void)state;
    for (uint64_t bad = 12000; bad < 3900000; bad += 77777)
        transfer_with_bad(bad, 200);
    /* Between positions, where a run-in may meet it: that of a train, when one begins there. */
    for (uint64_t position = 20; position < 45; position++)
        transfer_with_bad(position * 20000 - 3000, 200);
}

/* One position at a time: the one with the bad sector is lost, wherever in it that lies. */
static void test_medium_error_of_a_disk(void **state)
{
    (void)state;
    for (uint64_t bad = 0; bad < 3900000; bad += 98765) {
        struct rig *rig = rig_new();
        const struct bench_test *test;

        rig->options.tests = PLAN_TEST(PLAN_TRANSFER);
        rig->options.positions = 50;
        rig->fake.drive.info.rotation_rpm = 7200;
        rig->fake.drive.info.sectors = 4000000;
        rig->fake.names_command = true;
        rig->fake.bad_lba = bad;
        rig_run(rig);
        test = rig_test(rig, PLAN_TRANSFER);
        assert_int_equal(test->state, BENCH_DONE);
        assert_int_equal(rig->fake.bad_reads, test->faults.count);
        assert_true(rig->fake.bad_reads <= 1);
        assert_int_equal(rig->run.transfer.positions, 50 - test->faults.count);
        rig_free(rig);
    }
}

/* One test, in which every so manieth command is garbled on the link, `left` of them in all. */
static void run_garbled(uint32_t kind, uint64_t every, uint64_t left, struct rig *rig)
{
    rig->options.tests = PLAN_TEST(kind);
    rig->options.positions = 100;
    rig->options.accesses = 500;
    rig->options.depth_commands = 5000;
    rig->fake.crc_every = every;
    rig->fake.crc_left = left;
    rig_run(rig);
}

/* Up to five errors of the link in each test: everything is read in the end, nothing is missing. */
static void test_link_errors_are_retried(void **state)
{
    static const enum plan_kind kinds[] = {PLAN_VERIFY, PLAN_TRANSFER, PLAN_ACCESS, PLAN_DEPTH};

    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(kinds); k++)
        for (uint64_t left = 1; left <= 5; left++) {
            struct rig *rig = rig_new();
            const struct bench_test *test;

            run_garbled(kinds[k], kinds[k] == PLAN_VERIFY ? 3 : 70, left, rig);
            test = rig_test(rig, kinds[k]);
            assert_int_equal(rig->run.status, STATUS_OK);
            assert_int_equal(test->state, BENCH_DONE);
            assert_int_equal(test->faults.count, left);
            assert_int_equal(test->faults.retries, left);
            assert_int_equal(test->faults.commands, rig->fake.lost);
            assert_int_equal(test->faults.fault[0].kind, DRIVE_FAULT_INTERFACE);
            assert_int_equal(rig->run.verify.unread, 0);
            if (kinds[k] == PLAN_TRANSFER)
                assert_int_equal(rig->run.transfer.positions, 100);
            if (kinds[k] == PLAN_ACCESS)
                assert_int_equal(test->counted_commands + left, 500);
            if (kinds[k] == PLAN_DEPTH)
                assert_int_equal(test->counted_commands, 5000);
            rig_free(rig);
        }
}

/* The sixth is not retried, and 16 end the test, as with all other faults. */
static void test_link_errors_have_an_end(void **state)
{
    static const enum plan_kind kinds[] = {PLAN_VERIFY, PLAN_TRANSFER, PLAN_ACCESS, PLAN_DEPTH};

    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(kinds); k++) {
        struct rig *rig = rig_new();
        const struct bench_test *test;

        run_garbled(kinds[k], 1, FAKE_NEVER, rig);
        test = rig_test(rig, kinds[k]);
        assert_int_equal(test->state, BENCH_FAILED);
        assert_int_equal(test->faults.retries, 5);
        assert_in_range(test->faults.count, 6, 16);
        assert_int_equal(test->counted_commands, 0);
        rig_free(rig);
    }
}

/* What the sixth made void is given up, and not read again one by one. */
static void test_sixth_link_error_is_not_retried(void **state)
{
    struct rig *rig = rig_new();

    (void)state;
    rig->options.tests = PLAN_TEST(PLAN_TRANSFER);
    rig->options.positions = 900;
    rig->fake.drive.info.rotation_rpm = 1;
    rig->fake.crc_every = 500;
    rig->fake.crc_left = 6;
    rig_run(rig);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->faults.count, 6);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->faults.retries, 5);
    assert_in_range(rig->run.transfer.positions, 900 - 8, 900 - 2);
    rig_free(rig);
}

/* The same places are read again, and neither the garbled reads nor their repetitions are counted.
 */
static void test_retries_are_in_no_figure(void **state)
{
    struct rig *rig = rig_new();
    const struct drive_read *log = rig->fake.log;
    const struct bench_test *test;
    uint32_t uncounted = 0, step;

    (void)state;
    run_garbled(PLAN_ACCESS, 100, 3, rig);
    step = rig_index(rig, PLAN_ACCESS);
    test = rig_test(rig, PLAN_ACCESS);
    for (uint32_t i = 100; i <= 300; i += 100)
        assert_int_equal(log[i - 1].lba, log[i].lba);
    for (uint32_t i = 0; i < rig->run.sample_count; i++)
        if (rig->setup.samples[i].step == step)
            uncounted += rig->setup.samples[i].role == SAMPLE_UNCOUNTED;
    assert_int_equal(uncounted, 3);
    assert_int_equal(test->latency.count, 497);
    assert_int_equal(test->time.uncounted_commands, 3);
    rig_free(rig);

    rig = rig_new();
    rig->fake.drive.info.queue_depth = 4;
    run_garbled(PLAN_DEPTH, 2000, 1, rig);
    log = rig->fake.log;
    test = rig_test(rig, PLAN_DEPTH);
    /* One after the other here: those under way are the last four. */
    for (uint64_t i = 0; i < 4; i++) {
        bool found = false;

        for (uint64_t j = 0; j < 4; j++)
            found = found || log[rig->fake.lost_at - 4 + i].lba == log[rig->fake.lost_at + j].lba;
        assert_true(found);
    }
    assert_int_equal(test->faults.commands, 4);
    for (uint32_t i = 0; i < rig->run.sample_count; i++) {
        const struct sample *sample = &rig->setup.samples[i];

        for (uint64_t j = 0; j < 4; j++)
            assert_true(sample->role == SAMPLE_UNCOUNTED ||
                        sample->lba != log[rig->fake.lost_at + j].lba);
    }
    rig_free(rig);
}

/* Why the run ended says what was found. */
static void test_final_faults(void **state)
{
    static const struct {
        enum drive_fault_kind kind;
        const char *reason;
    } cases[] = {
        {DRIVE_FAULT_HOST_BUS, "the controller cannot reach memory: wrong address or IOMMU"},
        {DRIVE_FAULT_OVERFLOW, "the drive moved more or fewer data than it was asked for"},
        {DRIVE_FAULT_LINK_LOST, "the link to the drive is lost"},
        {DRIVE_FAULT_INTERFACE, "the port did not recover from a failure"},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig *rig = rig_new();

        rig->fake.bad_lba = 0;
        rig->fake.final = cases[i].kind;
        rig_run(rig);
        assert_int_equal(rig->run.status, STATUS_DEVICE);
        assert_string_equal(rig->run.reason, cases[i].reason);
        assert_int_equal(rig_test(rig, PLAN_VERIFY)->faults.retries, 0);
        rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_sector_everywhere),
        cmocka_unit_test(test_depth_fault),
        cmocka_unit_test(test_time_outs),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_no_recovery),
        cmocka_unit_test(test_medium_error_is_not_retried),
        cmocka_unit_test(test_medium_error_of_a_disk),
        cmocka_unit_test(test_link_errors_are_retried),
        cmocka_unit_test(test_link_errors_have_an_end),
        cmocka_unit_test(test_sixth_link_error_is_not_retried),
        cmocka_unit_test(test_retries_are_in_no_figure),
        cmocka_unit_test(test_final_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
