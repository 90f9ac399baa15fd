/* The fit of the tick rate to brackets of a slower counter, whose true rate is known here. */
#include "base/random.h"
#include "hw/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PM_HZ  UINT64_C(3579545) /* ACPI 6.4, section 4.8.2.1 */
#define COUNT  256
#define GAP_NS 1000u

struct world {
    uint64_t tick_hz;
    uint64_t counter_hz;
    unsigned counter_bits;
    uint64_t start_ns;        /* where the counter stands at the beginning */
    uint64_t step_ns;         /* between brackets */
    uint32_t jitter_ns;       /* of a bracket's length, at random */
    unsigned disturbed_every; /* every n-th bracket is interrupted; 0: none */
    uint64_t disturbance_ns;
    uint64_t tick_base;
};

static const struct world quiet = {.tick_hz = 2500000000,
                                   .counter_hz = PM_HZ,
                                   .counter_bits = 24,
                                   .step_ns = 400000,
                                   .tick_base = 123456789};

static uint64_t ticks_at(const struct world *world, uint64_t ns)
{
    return world->tick_base + base_mul_div(ns, world->tick_hz, 1000000000);
}

static void take(const struct world *world, struct hw_bracket *brackets, size_t count)
{
    struct base_random random = {.state = 7};
    uint64_t ns = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t length =
            GAP_NS + (world->jitter_ns != 0 ? base_random_below(&random, world->jitter_ns) : 0);
        /* The counter is read somewhere between the two looks at the ticks. */
        uint64_t when = ns + base_random_below(&random, length);
        uint64_t counter = base_mul_div(world->start_ns + when, world->counter_hz, 1000000000);

        /* An interruption comes either before or after the counter is read. */
        if (world->disturbed_every != 0 && i % world->disturbed_every == 1) {
            length += world->disturbance_ns;
            if (i % 4 == 1)
                counter = base_mul_div(world->start_ns + when + world->disturbance_ns,
                                       world->counter_hz, 1000000000);
        }
        brackets[i].before = ticks_at(world, ns);
        brackets[i].after = ticks_at(world, ns + length);
        brackets[i].counter = (uint32_t)(world->counter_bits == 24 ? counter & 0xffffff : counter);
        ns += length + world->step_ns;
    }
}

static struct hw_clock fit(const struct world *world, enum status want)
{
    static struct hw_bracket brackets[COUNT], before[COUNT];
    struct hw_clock clock = {.hz = 0};

    take(world, brackets, COUNT);
    memcpy(before, brackets, sizeof brackets);
    assert_int_equal(hw_clock_fit(brackets, COUNT, world->counter_hz, world->counter_bits, &clock),
                     want);
    assert_memory_equal(before, brackets, sizeof brackets);
    return clock;
}

static uint64_t ppm_off(uint64_t got, uint64_t truth)
{
    return base_mul_div(got > truth ? got - truth : truth - got, 1000000, truth);
}

static void finds_the_rate(void **state)
{
    static const uint64_t rates[] = {800000000, 1995384000, 2500000000, 3700000001, 5800000000};

    (void)state;
    for (unsigned i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct world world = quiet;
        struct hw_clock clock;

        world.tick_hz = rates[i];
        clock = fit(&world, STATUS_OK);
        assert_in_range(ppm_off(clock.hz, rates[i]), 0, 20);
        assert_in_range(clock.spread_ppm, 0, 60);
        assert_int_equal(clock.brackets, COUNT);
        assert_int_equal(clock.brackets_kept, COUNT);
    }
}

static void follows_wraps_of_24_and_32_bits(void **state)
{
    struct world world = quiet;

    (void)state;
    world.step_ns = 50000000; /* 12.8 s in all, nearly three wraps */
    assert_in_range(ppm_off(fit(&world, STATUS_OK).hz, world.tick_hz), 0, 2);
    world.step_ns = UINT64_C(4500000000); /* just less than one wrap apart */
    assert_in_range(ppm_off(fit(&world, STATUS_OK).hz, world.tick_hz), 0, 2);
    world = quiet;
    world.counter_bits = 32;
    world.start_ns = base_mul_div(UINT32_MAX - 1000, 1000000000, PM_HZ);
    assert_in_range(ppm_off(fit(&world, STATUS_OK).hz, world.tick_hz), 0, 20);
}

/* A loaded machine interrupts brackets; those are seen by their length and do not count. */
static void drops_disturbed_brackets(void **state)
{
    static const uint64_t disturbances[] = {20000, 1000000, 100000000};

    (void)state;
    for (unsigned i = 0; i < sizeof disturbances / sizeof disturbances[0]; i++) {
        struct world world = quiet;
        struct hw_clock clock;

        world.disturbed_every = 3;
        world.disturbance_ns = disturbances[i];
        world.jitter_ns = 300;
        clock = fit(&world, STATUS_OK);
        assert_in_range(ppm_off(clock.hz, world.tick_hz), 0, 30);
        assert_in_range(clock.brackets_kept, COUNT / 2, COUNT * 3 / 4);
    }
}

static void says_how_far_its_parts_are_apart(void **state)
{
    struct hw_bracket brackets[COUNT];
    struct hw_clock clock;

    (void)state;
    take(&quiet, brackets, COUNT);
    /* From the middle on the ticks run 1 % faster. */
    for (size_t i = COUNT / 2; i < COUNT; i++) {
        brackets[i].before += (brackets[i].before - brackets[COUNT / 2 - 1].before) / 100;
        brackets[i].after += (brackets[i].after - brackets[COUNT / 2 - 1].before) / 100;
    }
    assert_int_equal(hw_clock_fit(brackets, COUNT, PM_HZ, 24, &clock), STATUS_OK);
    assert_in_range(clock.spread_ppm, 5000, 11000);
}

static void refuses_what_gives_no_rate(void **state)
{
    struct hw_bracket brackets[COUNT];
    struct hw_clock clock = {.hz = 42};

    (void)state;
    take(&quiet, brackets, COUNT);
    assert_int_equal(hw_clock_fit(brackets, 15, PM_HZ, 24, &clock), STATUS_INVALID);
    assert_int_equal(hw_clock_fit(brackets, 0, PM_HZ, 24, &clock), STATUS_INVALID);
    assert_int_equal(hw_clock_fit(brackets, COUNT, PM_HZ, 16, &clock), STATUS_INVALID);
    for (size_t i = 0; i < COUNT; i++)
        brackets[i].counter = 0xffffff; /* a counter that is not there */
    assert_int_equal(hw_clock_fit(brackets, COUNT, PM_HZ, 24, &clock), STATUS_INVALID);
    /* One short bracket makes all others look disturbed. */
    take(&quiet, brackets, COUNT);
    brackets[0].after = brackets[0].before + 1;
    assert_int_equal(hw_clock_fit(brackets, COUNT, PM_HZ, 24, &clock), STATUS_INVALID);
    memset(brackets, 0, sizeof brackets);
    assert_int_equal(hw_clock_fit(brackets, COUNT, PM_HZ, 24, &clock), STATUS_INVALID);
    assert_int_equal(clock.hz, 42);
}

static void converts_without_overflow(void **state)
{
    const struct hw_clock clock = {.hz = 2500000000};

    (void)state;
    assert_int_equal(hw_clock_ns(&clock, 5), 2);
    assert_int_equal(hw_clock_ns(&clock, 4), 2);
    assert_int_equal(hw_clock_ticks(&clock, 1000000000), 2500000000);
    /* A day, for which ticks times 10^9 does not fit 64 bits. */
    assert_int_equal(hw_clock_ns(&clock, UINT64_C(86400) * 2500000000), UINT64_C(86400000000000));
    assert_int_equal(hw_clock_ticks(&clock, UINT64_MAX), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_rate),
        cmocka_unit_test(follows_wraps_of_24_and_32_bits),
        cmocka_unit_test(drops_disturbed_brackets),
        cmocka_unit_test(says_how_far_its_parts_are_apart),
        cmocka_unit_test(refuses_what_gives_no_rate),
        cmocka_unit_test(converts_without_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
