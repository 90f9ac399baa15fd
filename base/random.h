/*
 * Repeatable random numbers: the same seed gives the same sequence on every machine, so that a
 * result's seed is enough to read the same places again.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct base_random {
    uint64_t state;
};

/* Any 64 bits; full period (splitmix64, Steele, Lea and Flood 2014). */
uint64_t base_random_next(struct base_random *random);

/* A number in [0, limit), each equally likely. limit must not be 0. */
uint64_t base_random_below(struct base_random *random, uint64_t limit);

#endif
