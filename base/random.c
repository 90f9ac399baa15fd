/* Repeatable random numbers. */
#include "base/random.h"

uint64_t base_random_next(struct base_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t base_random_below(struct base_random *random, uint64_t limit)
{
    /* Values below 2^64 mod limit would make small results likelier: draw again. */
    uint64_t reject_below = (UINT64_MAX - limit + 1) % limit;
    uint64_t value;

    do
        value = base_random_next(random);
    while (value < reject_below);
    return value % limit;
}
