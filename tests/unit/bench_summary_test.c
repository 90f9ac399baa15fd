/* Percentiles against the plainest way to find them. */
#include "bench/summary.h"

#include "base/bits.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 3000

/* Smallest value that at least numerator/denominator of all values do not exceed, by counting. */
static uint64_t counted_rank(const uint64_t *values, size_t count, uint64_t numerator,
                             uint64_t denominator)
{
    uint64_t best = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        uint64_t below = 0;

        for (size_t k = 0; k < count; k++)
            below += values[k] <= values[i];
        if (below * denominator >= count * numerator && values[i] < best)
            best = values[i];
    }
    return best;
}

static void check(const uint64_t *values, size_t count)
{
    uint64_t *copy = malloc(count * sizeof *copy); /* exactly as large: the sanitizer watches */
    struct summary summary;
    uint64_t total = 0;

    memcpy(copy, values, count * sizeof *copy);
    summary_make(copy, count, &summary);
    for (size_t i = 0; i < count; i++)
        total += values[i];
    for (size_t i = 1; i < count; i++)
        assert_true(copy[i - 1] <= copy[i]);
    assert_int_equal(summary.count, count);
    assert_int_equal(summary.total_ticks, total);
    assert_int_equal(summary.min_ticks, counted_rank(values, count, 1, count));
    assert_int_equal(summary.median_ticks, counted_rank(values, count, 1, 2));
    assert_int_equal(summary.p95_ticks, counted_rank(values, count, 95, 100));
    assert_int_equal(summary.p99_ticks, counted_rank(values, count, 99, 100));
    assert_int_equal(summary.p999_ticks, counted_rank(values, count, 999, 1000));
    assert_int_equal(summary.max_ticks, counted_rank(values, count, 1, 1));
    free(copy);
}

/* All lengths up to 300 and a few around the ranks' steps; values with many and with few ties. */
static void test_against_counting(void **state)
{
    static const size_t lengths[] = {999, 1000, 1001, 1999, 2000, 2001, MOST};
    static const uint64_t ranges[] = {1, 2, 10, UINT64_C(1) << 50};
    static uint64_t values[MOST];
    struct base_random random = {5};

    (void)state;
    for (size_t r = 0; r < COUNT_OF(ranges); r++) {
        for (size_t count = 1; count <= 300; count++) {
            for (size_t i = 0; i < count; i++)
                values[i] = base_random_below(&random, ranges[r]);
            check(values, count);
        }
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            for (size_t i = 0; i < lengths[k]; i++)
                values[i] = base_random_below(&random, ranges[r]);
            check(values, lengths[k]);
        }
    }
}

static void test_orders(void **state)
{
    uint64_t values[500];

    (void)state;
    for (size_t i = 0; i < 500; i++)
        values[i] = i;
    check(values, 500);
    for (size_t i = 0; i < 500; i++)
        values[i] = 500 - i;
    check(values, 500);
}

/* Known by hand: 1 to 10 in any order. */
static void test_by_hand(void **state)
{
    uint64_t values[] = {7, 3, 10, 1, 5, 9, 2, 8, 6, 4};
    struct summary summary;

    (void)state;
    summary_make(values, COUNT_OF(values), &summary);
    assert_int_equal(summary.median_ticks, 5);
    assert_int_equal(summary.p95_ticks, 10);
    assert_int_equal(summary_rank(values, 10, 1, 10), 1);
    assert_int_equal(summary_rank(values, 10, 11, 100), 2);
    assert_int_equal(summary.total_ticks, 55);
}

static void test_nothing_measured(void **state)
{
    struct summary summary = {.count = 5, .max_ticks = 3};

    (void)state;
    summary_make(NULL, 0, &summary);
    assert_int_equal(summary.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_counting),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_nothing_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
