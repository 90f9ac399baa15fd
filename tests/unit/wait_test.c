/* The wait loops on virtual time, against registers that change when the test says. */
#include "hw/wait.h"
#include "tests/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000) /* in ns */

static const struct hw_window window = {.base = 0x1000, .bytes = 0x100};

/* Register 0 turns from one value into another; register 4 too. */
static struct {
    uint64_t when_ns[2];
    uint32_t before[2], after[2];
    unsigned reads[2];
} world;

static uint32_t read_world(void *context, uint64_t address)
{
    unsigned i = (unsigned)(address - window.base) / 4;

    (void)context;
    assert_in_range(i, 0, 1);
    world.reads[i]++;
    return model_now_ns() >= world.when_ns[i] ? world.after[i] : world.before[i];
}

static int set_up(void **state)
{
    const struct model_io_hooks hooks = {.reg_read = read_world};

    (void)state;
    model_reset();
    model_set_io_hooks(&hooks);
    memset(&world, 0, sizeof world);
    world.when_ns[0] = world.when_ns[1] = UINT64_MAX;
    return 0;
}

static uint64_t ticks(uint64_t ns)
{
    return hw_clock_ticks(&model_clock, ns);
}

static void waits_until_the_whole_field_matches(void **state)
{
    const struct hw_wait_for wait = {.offset = 0, .mask = 0xf, .want = 3};
    uint64_t start = model_now_ns();
    uint32_t last = 0;

    (void)state;
    world.before[0] = 0x131; /* shares bits with 3, but is not 3 */
    world.after[0] = 0x133;
    world.when_ns[0] = start + 5 * MS;
    assert_int_equal(hw_wait_reg(&window, &wait, ticks(10 * MS), &last), STATUS_OK);
    assert_int_equal(last, 0x133);
    assert_in_range(model_now_ns() - start, 5 * MS, 6 * MS);
}

static void times_out_in_time(void **state)
{
    const struct hw_wait_for wait = {.offset = 0, .mask = 0xf, .want = 3};
    uint64_t start = model_now_ns();
    uint32_t last = 0;

    (void)state;
    world.before[0] = 1;
    assert_int_equal(hw_wait_reg(&window, &wait, ticks(30000 * MS), &last), STATUS_TIMEOUT);
    assert_int_equal(last, 1);
    assert_in_range(model_now_ns() - start, 30000 * MS, 33000 * MS);
}

/* The machine stands still between two looks; what came true meanwhile counts. */
static void looks_once_more_after_the_limit(void **state)
{
    const struct model_costs slow = {.read_ns = 1000, .ticks_ns = 10, .pause_ns = 3000000};
    const struct hw_wait_for wait = {.offset = 0, .mask = 1, .want = 1};

    (void)state;
    model_set_costs(&slow);
    world.after[0] = 1;
    world.when_ns[0] = model_now_ns() + 2 * MS;
    assert_int_equal(hw_wait_reg(&window, &wait, ticks(MS), NULL), STATUS_OK);
}

/* The limit passes after a look that came too early: there is another one. */
static void the_last_look_is_later_than_the_limit(void **state)
{
    const struct model_costs slow = {.read_ns = 1000, .ticks_ns = 600000, .pause_ns = 10};
    const struct hw_wait_for wait = {.offset = 0, .mask = 1, .want = 1};

    (void)state;
    model_set_costs(&slow);
    world.after[0] = 1;
    world.when_ns[0] = model_now_ns() + MS + MS / 2;
    assert_int_equal(hw_wait_reg(&window, &wait, ticks(MS), NULL), STATUS_OK);
    assert_int_equal(world.reads[0], 2);
}

static void a_limit_of_zero_is_one_look(void **state)
{
    const struct hw_wait_for wait = {.offset = 0, .mask = 1, .want = 1};

    (void)state;
    assert_int_equal(hw_wait_reg(&window, &wait, 0, NULL), STATUS_TIMEOUT);
    assert_int_equal(world.reads[0], 1);
    world.before[0] = 1;
    assert_int_equal(hw_wait_reg(&window, &wait, 0, NULL), STATUS_OK);
    assert_int_equal(world.reads[0], 2);
}

static void all_ones_is_gone(void **state)
{
    const struct hw_wait_for falls = {.offset = 0, .mask = 1, .want = 0};
    const struct hw_wait_for rises = {.offset = 0, .mask = 1, .want = 1};
    uint32_t last = 0;

    (void)state;
    world.before[0] = 1;
    world.after[0] = UINT32_MAX;
    world.when_ns[0] = model_now_ns() + MS;
    assert_int_equal(hw_wait_reg(&window, &falls, ticks(100 * MS), &last), STATUS_GONE);
    assert_int_equal(last, UINT32_MAX);
    assert_int_equal(hw_wait_reg(&window, &rises, ticks(100 * MS), &last), STATUS_GONE);
}

static void rests(void **state)
{
    uint64_t start = model_now_ns();

    (void)state;
    hw_wait_ticks(ticks(10 * MS));
    assert_in_range(model_now_ns() - start, 10 * MS, 11 * MS);
    start = model_now_ns();
    hw_wait_ticks(0);
    assert_in_range(model_now_ns() - start, 0, 100);
}

static const struct hw_wait_fall fall = {
    .offset = 0, .bits = 0xf0, .alarm_offset = 4, .alarm_mask = 0x40000000};

static void any_bit_that_falls_ends_the_wait(void **state)
{
    struct hw_wait_fallen fallen;
    uint64_t start = hw_ticks();

    (void)state;
    world.before[0] = 0xff;
    world.after[0] = 0xdf;
    world.when_ns[0] = model_now_ns() + MS;
    assert_int_equal(hw_wait_fall(&window, &fall, ticks(10 * MS), &fallen), STATUS_OK);
    assert_int_equal(fallen.value, 0xdf);
    assert_in_range(fallen.ticks - start, ticks(MS), ticks(MS + MS / 10));
}

/* All 32 tags outstanding is all ones too; only the alarm register tells. */
static void all_ones_outstanding_is_not_gone(void **state)
{
    const struct hw_wait_fall all = {
        .offset = 0, .bits = UINT32_MAX, .alarm_offset = 4, .alarm_mask = 0x40000000};
    struct hw_wait_fallen fallen;

    (void)state;
    world.before[0] = UINT32_MAX;
    world.after[0] = 0x7fffffff;
    world.when_ns[0] = model_now_ns() + MS;
    assert_int_equal(hw_wait_fall(&window, &all, ticks(10 * MS), &fallen), STATUS_OK);
    world.before[1] = UINT32_MAX;
    world.when_ns[0] = UINT64_MAX;
    assert_int_equal(hw_wait_fall(&window, &all, ticks(10 * MS), &fallen), STATUS_GONE);
}

static void an_alarm_ends_the_wait_early(void **state)
{
    struct hw_wait_fallen fallen;
    uint64_t start = model_now_ns();

    (void)state;
    world.before[0] = 0xf0;
    world.after[1] = 0x40000001;
    world.when_ns[1] = start + MS;
    assert_int_equal(hw_wait_fall(&window, &fall, ticks(1000 * MS), &fallen), STATUS_DEVICE);
    assert_int_equal(fallen.alarm, 0x40000001);
    assert_true(model_now_ns() - start < 20 * MS);
}

/* The command completed while the alarm was being read: it counts. */
static void a_completion_beats_the_alarm(void **state)
{
    struct hw_wait_fallen fallen;

    (void)state;
    world.before[0] = 0xf0;
    world.before[1] = 0x40000000;
    world.after[0] = 0xe0;
    world.when_ns[0] = model_now_ns() + 16 * 1010 + 500;
    assert_int_equal(hw_wait_fall(&window, &fall, ticks(1000 * MS), &fallen), STATUS_OK);
    assert_int_equal(fallen.value, 0xe0);
}

static void a_fall_times_out_in_time(void **state)
{
    struct hw_wait_fallen fallen;
    uint64_t start = model_now_ns();

    (void)state;
    world.before[0] = 0xf0;
    assert_int_equal(hw_wait_fall(&window, &fall, ticks(5000 * MS), &fallen), STATUS_TIMEOUT);
    assert_in_range(model_now_ns() - start, 5000 * MS, 6500 * MS);
    start = world.reads[0];
    assert_int_equal(hw_wait_fall(&window, &fall, 0, &fallen), STATUS_TIMEOUT);
    assert_in_range(world.reads[0] - start, 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(waits_until_the_whole_field_matches, set_up),
        cmocka_unit_test_setup(times_out_in_time, set_up),
        cmocka_unit_test_setup(looks_once_more_after_the_limit, set_up),
        cmocka_unit_test_setup(the_last_look_is_later_than_the_limit, set_up),
        cmocka_unit_test_setup(a_limit_of_zero_is_one_look, set_up),
        cmocka_unit_test_setup(all_ones_is_gone, set_up),
        cmocka_unit_test_setup(rests, set_up),
        cmocka_unit_test_setup(any_bit_that_falls_ends_the_wait, set_up),
        cmocka_unit_test_setup(all_ones_outstanding_is_not_gone, set_up),
        cmocka_unit_test_setup(an_alarm_ends_the_wait_early, set_up),
        cmocka_unit_test_setup(a_completion_beats_the_alarm, set_up),
        cmocka_unit_test_setup(a_fall_times_out_in_time, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
