/* Repeatable random numbers: the published sequence, and even shares below a limit. */
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* First numbers of splitmix64 from seed 1234567, as other implementations give them. */
static void test_sequence(void **state)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821),
    };
    struct base_random random = {.state = 1234567};

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(base_random_next(&random) == expected[i]);
    random.state = 0;
    assert_true(base_random_next(&random) == UINT64_C(0xe220a8397b1dcdaf));
}

static void test_below(void **state)
{
    static const uint64_t limits[] = {
        1, 2, 3, 10, UINT64_C(1) << 32, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX};
    struct base_random random = {.state = 9};

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        for (unsigned n = 0; n < 1000; n++)
            assert_true(base_random_below(&random, limits[i]) < limits[i]);
}

/* 10,000 expected in each of 12 classes; 6 standard deviations are 575. */
static void test_even(void **state)
{
    struct base_random random = {.state = 11};
    unsigned classes[12] = {0};

    (void)state;
    for (unsigned n = 0; n < 120000; n++)
        classes[base_random_below(&random, 12)]++;
    for (unsigned i = 0; i < 12; i++)
        assert_in_range(classes[i], 10000 - 575, 10000 + 575);
}

/*
 * With the limit 3 x 2^62 a quarter of all numbers has to be drawn again; without that the lowest
 * third would come twice as often.
 */
static void test_even_at_large_limit(void **state)
{
    struct base_random random = {.state = 13};
    unsigned classes[3] = {0};

    (void)state;
    for (unsigned n = 0; n < 30000; n++)
        classes[base_random_below(&random, UINT64_C(3) << 62) >> 62]++;
    for (unsigned i = 0; i < 3; i++)
        assert_in_range(classes[i], 10000 - 500, 10000 + 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_even_at_large_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
