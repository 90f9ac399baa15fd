/* Exact figures of a set of durations: no histogram, no interpolation. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

/* With count 0 nothing was measured, and the other fields mean nothing. */
struct summary {
    uint64_t count;
    uint64_t min_ticks;
    uint64_t median_ticks;
    uint64_t p95_ticks;
    uint64_t p99_ticks;
    uint64_t p999_ticks;
    uint64_t max_ticks;
    uint64_t total_ticks;
};

/* Ascending, in place, without recursion; n log n at worst. */
void summary_sort(uint64_t *values, size_t count);

/*
 * Nearest rank: the smallest value that at least numerator/denominator of all values do not exceed:
 * number ceil(count * numerator / denominator) of the sorted values. count must not be 0, numerator
 * is above 0 and not above denominator.
 */
uint64_t summary_rank(const uint64_t *sorted, size_t count, uint32_t numerator,
                      uint32_t denominator);

/* Sorts `values` in place and fills *ret_summary. */
void summary_make(uint64_t *values, size_t count, struct summary *ret_summary);

#endif
