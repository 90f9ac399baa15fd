/* Looks under load between the steps of TRANSFER: real load, and figures that do not notice. */
#include "tests/unit/bench_fake.h"

/* How a caller looks: so long after a step, for so long, and then for so long something else. */
struct looker {
    uint64_t before_ns, look_ns, after_ns;
    uint32_t begun, loaded;
};

static struct rig *load_rig(void)
{
    struct rig *rig = rig_new();

    rig->options.tests = PLAN_TEST(PLAN_TRANSFER);
    rig->fake.drive.info.rotation_rpm = 1;
    return rig;
}

static void look(struct rig *rig, struct looker *looker)
{
    const struct plan_step *step = &rig->run.plan.steps[rig->bench.step];

    model_advance_ns(looker->before_ns);
    if (bench_load_begin(&rig->bench)) {
        assert_int_equal(__builtin_popcount(rig->fake.started), step->depth);
        looker->begun++;
        model_advance_ns(looker->look_ns);
        looker->loaded += bench_load_end(&rig->bench);
    }
    assert_int_equal(rig->fake.started, 0);
    model_advance_ns(looker->after_ns);
}

/* Up to the end of the first step of TRANSFER. */
static void begin_transfer(struct rig *rig)
{
    rig_begin(rig);
    do
        assert_true(bench_step(&rig->bench));
    while (rig_test(rig, PLAN_TRANSFER)->state != BENCH_RUNNING);
}

static void run_looking(struct rig *rig, struct looker *looker)
{
    rig_begin(rig);
    while (bench_step(&rig->bench))
        look(rig, looker);
    assert_false(bench_load_begin(&rig->bench));
    assert_int_equal(rig->run.samples_dropped, 0);
}

/* Eight commands of 1 MiB take 9.19 ms; a look may take half of that. */
static void test_load_and_look(void **state)
{
    static const struct {
        uint64_t look_ns;
        bool loaded;
    } cases[] = {{0, true}, {1000000, true}, {4550000, true}, {4650000, false}, {20000000, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = load_rig();
        struct looker looker = {.look_ns = cases[i].look_ns};

        run_looking(rig, &looker);
        assert_in_range(looker.begun, 2, 10);
        assert_int_equal(looker.loaded, cases[i].loaded ? looker.begun : 0);
        check_places(rig);
        rig_free(rig);
    }
}

/* Reads under load are in no figure, and there is no sample of them. */
static void test_counts_nothing(void **state)
{
    struct rig *rig = load_rig();
    struct looker looker = {.look_ns = 1000000};
    const struct bench_test *test;
    uint32_t samples, plain_steps;

    (void)state;
    rig_run(rig);
    plain_steps = rig->steps;
    samples = rig->run.sample_count;
    rig_free(rig);

    rig = load_rig();
    run_looking(rig, &looker);
    test = rig_test(rig, PLAN_TRANSFER);
    assert_int_equal(test->counted_bytes, UINT64_C(256) << 22);
    assert_int_equal(test->counted_commands + test->time.uncounted_commands, rig->fake.commands);
    assert_int_equal(test->counted_bytes + test->time.uncounted_bytes, rig->fake.commands << 20);
    assert_in_range(looker.begun, plain_steps - 2, plain_steps);
    assert_int_equal(rig->run.sample_count, samples);
    /* The looks were pauses: eight commands each, and all of the caller's own time. */
    assert_near((double)test->time.pause_ticks, looker.begun * 9.19e-3 * (double)MODEL_HZ, 0.01);
    rig_free(rig);
}

static void check_limited(double rate, const struct looker *how, uint32_t rpm)
{
    struct rig *rig = load_rig();
    struct looker looker = *how;
    double bytes;

    rig->fake.drive.info.rotation_rpm = rpm;
    rig->fake.limit_bytes_per_s = rate;
    rig->fake.latency_ns = 20000;
    rig->fake.media_bytes_per_s = 3000000000;
    run_looking(rig, &looker);
    assert_true(looker.begun > 2);
    check_places(rig);
    bytes = (double)rig->run.transfer.position_bytes * (double)MODEL_HZ;
    assert_near(rig_mean(rig), rate, 0.0005);
    assert_near(bytes / (double)rig->run.transfer.min_ticks, rate, 0.003);
    assert_near(bytes / (double)rig->run.transfer.max_ticks, rate, 0.003);
    rig_free(rig);
}

/* The figures behind a rate limiter are those without looks, whenever and however long they are. */
static void test_limited_rate(void **state)
{
    static const double rates[] = {23e6, 40e6, 201e6, 407e6, 590e6};
    static const struct looker hows[] = {
        {.look_ns = 100000},
        {.look_ns = 1000000},
        {.look_ns = 1000000, .after_ns = 900000},
        {.look_ns = 900000, .before_ns = 600000, .after_ns = 600000},
        {.look_ns = 1000000, .before_ns = 5000000, .after_ns = 60000000},
        {.look_ns = 300000000, .after_ns = 300000},
        {.look_ns = 1000000, .before_ns = 2000000000},
        {.look_ns = 2000000000, .before_ns = 1000000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        for (size_t k = 0; k < sizeof hows / sizeof hows[0]; k++) {
            check_limited(rates[i], &hows[k], 1);
            check_limited(rates[i], &hows[k], 7200);
            check_limited(rates[i], &hows[k], 0);
        }
}

/* The fake drive sees that no read leaves it; slow, so that tiny drives have more than one step. */
static void test_sizes(void **state)
{
    static const uint64_t sizes[] = {7,      8,       100,     1000,    1793,      16383,
                                     100000, 1000003, 3000000, 4194304, 5860533168};
    uint32_t begun = 0;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t rpm = 0; rpm < 3; rpm++) {
            struct rig *rig = load_rig();
            struct looker looker = {.look_ns = 1000000};

            rig->fake.drive.info.sectors = sizes[i];
            rig->fake.drive.info.rotation_rpm = rpm == 2 ? 7200 : rpm;
            rig->fake.drive.info.command_sectors_max = i % 3 == 0 ? 256 : 65536;
            rig->fake.drive.info.queue_depth = i % 2 == 0 ? 32 : 0;
            rig->fake.latency_ns = 60000000;
            run_looking(rig, &looker);
            begun += looker.begun > 0;
            if (rig_test(rig, PLAN_TRANSFER)->state == BENCH_DONE)
                check_places(rig);
            else
                assert_true(sizes[i] < 16);
            rig_free(rig);
        }
    assert_true(begun > 25);
}

/* Other tests are not loaded, nor is what has not begun or is over. */
static void test_other_tests(void **state)
{
    struct rig *rig = rig_new();

    (void)state;
    rig_begin(rig);
    assert_false(bench_load_begin(&rig->bench));
    while (bench_step(&rig->bench)) {
        uint32_t at = rig->bench.step;
        bool transfer = rig->run.plan.steps[at].kind == PLAN_TRANSFER;
        bool running = rig->run.tests[at].state == BENCH_RUNNING;

        if (bench_load_begin(&rig->bench)) {
            assert_true(transfer && running);
            assert_true(bench_load_end(&rig->bench));
        } else {
            assert_false(transfer && running);
        }
    }
    assert_int_equal(rig->run.status, STATUS_OK);
    for (uint32_t i = 0; i < rig->run.plan.step_count; i++)
        assert_int_equal(rig->run.tests[i].state, BENCH_DONE);
    rig_free(rig);
}

/* One bad sector where the load reads: a failure of the test, and all goes on. */
static void test_failed_read(void **state)
{
    struct rig *rig = load_rig();
    const struct bench_test *test;

    (void)state;
    begin_transfer(rig);
    rig->fake.bad_lba = plan_position_lba(&rig->run.plan.steps[1], rig->bench.done - 1) + 8192;
    test = rig_test(rig, PLAN_TRANSFER);
    assert_true(bench_load_begin(&rig->bench));
    assert_false(bench_load_end(&rig->bench));
    assert_int_equal(test->faults.count, 1);
    assert_int_equal(test->faults.commands, 8);
    assert_int_equal(test->faults.fault[0].lba, rig->fake.bad_lba);
    assert_int_equal(test->state, BENCH_RUNNING);
    rig->fake.bad_lba = FAKE_NEVER;
    while (bench_step(&rig->bench))
        ;
    assert_int_equal(test->state, BENCH_DONE);
    assert_int_equal(rig->run.transfer.positions, 256);
    check_places(rig);
    rig_free(rig);
}

/* Every look fails: the test ends at its sixteenth failure, and the next one takes its turn. */
static void test_too_many_failures(void **state)
{
    struct rig *rig = load_rig();
    const struct bench_test *test;

    (void)state;
    rig->options.tests |= PLAN_TEST(PLAN_ACCESS);
    rig->options.positions = 4096;
    begin_transfer(rig);
    test = rig_test(rig, PLAN_TRANSFER);
    for (uint32_t i = 0; i < 16; i++) {
        rig->fake.bad_from_lba = FAKE_NEVER;
        assert_true(bench_step(&rig->bench));
        rig->fake.bad_from_lba = 0;
        assert_true(bench_load_begin(&rig->bench));
        assert_false(bench_load_end(&rig->bench));
    }
    assert_int_equal(test->state, BENCH_FAILED);
    assert_string_equal(test->reason, "too many commands failed");
    assert_false(bench_load_begin(&rig->bench));
    rig->fake.bad_from_lba = FAKE_NEVER;
    while (bench_step(&rig->bench))
        ;
    assert_int_equal(rig_test(rig, PLAN_ACCESS)->state, BENCH_DONE);
    assert_int_equal(rig->run.status, STATUS_OK);
    rig_free(rig);
}

/* The drive goes, or does not recover, at any command, those of the looks among them. */
static bool check_end(enum status status, uint64_t after)
{
    struct rig *rig = load_rig();
    struct looker looker = {.look_ns = 1000000};
    const struct bench_test *test;
    bool ended;

    rig->options.tests |= PLAN_TEST(PLAN_ACCESS);
    if (status == STATUS_GONE)
        rig->fake.gone_after = after;
    if (status == STATUS_TIMEOUT)
        rig->fake.hang_every = after + 1;
    if (status == STATUS_DEVICE) {
        rig->fake.never_recovers = true;
        rig->fake.bad_lba = after * 7000;
    }
    run_looking(rig, &looker);
    test = rig_test(rig, PLAN_TRANSFER);
    ended = rig->run.status != STATUS_OK;
    if (ended) {
        assert_int_equal(rig->run.status, status);
        assert_false(bench_step(&rig->bench));
        assert_false(bench_load_end(&rig->bench));
        assert_int_equal(rig->fake.started, 0);
        if (test->state != BENCH_DONE)
            assert_int_equal(rig_test(rig, PLAN_ACCESS)->state, BENCH_NOT_RUN);
    }
    rig_free(rig);
    return ended;
}

static void test_ends(void **state)
{
    uint32_t device = 0;

    (void)state;
    for (uint64_t after = 0; after < 1100; after += 7) {
        assert_true(check_end(STATUS_GONE, after));
        assert_true(check_end(STATUS_TIMEOUT, after));
        device += check_end(STATUS_DEVICE, after);
    }
    assert_in_range(device, 40, 120); /* the others lie where nothing is read */
}

static enum status refuse(struct drive *drive, uint32_t slots, uint64_t *ret_t0)
{
    (void)slots;
    (void)ret_t0;
    drive->fault = (struct drive_fault){.kind = DRIVE_FAULT_GONE, .operation = "READ"};
    return STATUS_GONE;
}

static void test_gone_at_the_doorbell(void **state)
{
    struct rig *rig = load_rig();
    struct drive_ops ops = fake_ops;

    (void)state;
    begin_transfer(rig);
    ops.start = refuse;
    rig->fake.drive.ops = &ops;
    assert_false(bench_load_begin(&rig->bench));
    assert_int_equal(rig->run.status, STATUS_GONE);
    assert_int_equal(rig_test(rig, PLAN_TRANSFER)->faults.commands, 1);
    assert_false(bench_step(&rig->bench));
    rig_free(rig);
}

/* What is under way is waited for, and nothing happens afterwards. */
static void test_abort_under_load(void **state)
{
    static struct bench_run after;
    struct rig *rig = load_rig();
    const struct bench_test *test;

    (void)state;
    begin_transfer(rig);
    assert_true(bench_load_begin(&rig->bench));
    assert_int_not_equal(rig->fake.started, 0);
    bench_abort(&rig->bench);
    assert_int_equal(rig->fake.started, 0);
    test = rig_test(rig, PLAN_TRANSFER);
    assert_int_equal(test->state, BENCH_ABORTED);
    assert_int_equal(rig->run.status, STATUS_ABORTED);
    assert_int_equal(test->counted_commands + test->time.uncounted_commands, rig->fake.commands);
    after = rig->run;
    assert_false(bench_load_end(&rig->bench));
    assert_false(bench_load_begin(&rig->bench));
    assert_false(bench_step(&rig->bench));
    assert_memory_equal(&after, &rig->run, sizeof after);
    rig_free(rig);
}

/* The fourth of eight commands fails: three are uncounted, five void, none is both. */
static void test_abort_meets_a_failure(void **state)
{
    struct rig *rig = load_rig();
    const struct bench_test *test = &rig->run.tests[1];

    (void)state;
    begin_transfer(rig);
    rig->fake.bad_lba = plan_position_lba(&rig->run.plan.steps[1], rig->bench.done - 1) + 14336;
    assert_true(bench_load_begin(&rig->bench));
    bench_abort(&rig->bench);
    assert_int_equal(test->faults.count, 1);
    assert_int_equal(test->faults.commands, 5);
    assert_int_equal(test->counted_commands + test->time.uncounted_commands + 5,
                     rig->fake.commands);
    assert_int_equal(test->state, BENCH_ABORTED);
    rig_free(rig);
}

/* The rests before and after a look are made up for together: each alone would be too short. */
static void test_makes_up_for_all_rest(void **state)
{
    struct rig *rig = load_rig();
    struct looker looker = {.before_ns = 600000, .look_ns = 1000000, .after_ns = 600000};
    uint64_t ms = MODEL_HZ / 1000;
    uint64_t ticks;

    (void)state;
    run_looking(rig, &looker);
    ticks = rig_test(rig, PLAN_TRANSFER)->time.warm_up_ticks;
    assert_in_range(ticks, 250 * ms + (looker.begun - 1) * ms * 12 / 10,
                    252 * ms + looker.begun * ms * 3);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_and_look),
        cmocka_unit_test(test_counts_nothing),
        cmocka_unit_test(test_limited_rate),
        cmocka_unit_test(test_makes_up_for_all_rest),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_other_tests),
        cmocka_unit_test(test_failed_read),
        cmocka_unit_test(test_too_many_failures),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_gone_at_the_doorbell),
        cmocka_unit_test(test_abort_under_load),
        cmocka_unit_test(test_abort_meets_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
