/* 64 x 64 / 64 arithmetic against the compiler's 128-bit division. */
#include "base/math.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t wide(uint64_t a, uint64_t b, uint64_t add, uint64_t c)
{
    unsigned __int128 quotient;

    if (c == 0)
        return UINT64_MAX;
    quotient = ((unsigned __int128)a * b + add) / c;
    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
}

static void check(uint64_t a, uint64_t b, uint64_t c)
{
    if (base_mul_div(a, b, c) != wide(a, b, 0, c))
        fail_msg("%llx * %llx / %llx", (unsigned long long)a, (unsigned long long)b,
                 (unsigned long long)c);
    if (base_mul_div_round(a, b, c) != wide(a, b, c / 2, c))
        fail_msg("%llx * %llx / %llx, rounded", (unsigned long long)a, (unsigned long long)b,
                 (unsigned long long)c);
}

/* Neighbours of every power of two, where carries begin and end. */
static void test_edges(void **state)
{
    uint64_t edges[64 * 3];
    size_t count = 0;

    (void)state;
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned step = 0; step < 3; step++)
            edges[count++] = (UINT64_C(1) << bit) - 1 + step;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a; b < count; b += 1 + a % 5)
            for (size_t c = 0; c < count; c += 1 + b % 7)
                check(edges[a], edges[b], edges[c]);
}

static void test_random(void **state)
{
    struct base_random random = {.state = 42};

    (void)state;
    for (unsigned i = 0; i < 300000; i++) {
        uint64_t a = base_random_next(&random) >> base_random_below(&random, 64);
        uint64_t b = base_random_next(&random) >> base_random_below(&random, 64);

        check(a, b, base_random_next(&random) >> base_random_below(&random, 64));
    }
}

static void test_impossible(void **state)
{
    (void)state;
    assert_true(base_mul_div(1, 1, 0) == UINT64_MAX);
    assert_true(base_mul_div(0, 0, 0) == UINT64_MAX);
    assert_true(base_mul_div_round(5, 5, 0) == UINT64_MAX);
    assert_true(base_mul_div(UINT64_MAX, 2, 1) == UINT64_MAX);
    assert_true(base_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
    assert_true(base_mul_div(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX) == UINT64_MAX - 1);
}

static void test_rounding(void **state)
{
    (void)state;
    assert_int_equal(base_mul_div(7, 1, 2), 3);
    assert_int_equal(base_mul_div_round(7, 1, 2), 4);
    assert_int_equal(base_mul_div_round(1, 1, 3), 0);
    assert_int_equal(base_mul_div_round(2, 1, 3), 1);
    assert_int_equal(base_mul_div_round(4, 1, 3), 1);
    assert_int_equal(base_mul_div_round(5, 1, 3), 2);
}

/* 1,000,000 x ticks wraps after 1.7 hours at 3 GHz; this does not. */
static void test_long_time(void **state)
{
    uint64_t ticks = UINT64_C(3000000000) * 3600 * 24 * 30;

    (void)state;
    assert_true(base_mul_div(ticks, 1000000000, 3000000000) == UINT64_C(2592000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),      cmocka_unit_test(test_random),
        cmocka_unit_test(test_impossible), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_long_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
