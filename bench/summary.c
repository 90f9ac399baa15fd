/* Percentiles by sorting all values: heap sort, because it needs neither memory nor luck. */
#include "bench/summary.h"

/* Lets values[root] sink until the heap in values[0..count) is one again. */
static void sift_down(uint64_t *values, size_t root, size_t count)
{
    uint64_t sinking = values[root];

    for (;;) {
        size_t child = 2 * root + 1;

        if (child >= count)
            break;
        if (child + 1 < count && values[child + 1] > values[child])
            child++;
        if (values[child] <= sinking)
            break;
        values[root] = values[child];
        root = child;
    }
    values[root] = sinking;
}

void summary_sort(uint64_t *values, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(values, root, count);
    for (size_t end = count; end-- > 1;) {
        uint64_t largest = values[0];

        values[0] = values[end];
        values[end] = largest;
        sift_down(values, 0, end);
    }
}

uint64_t summary_rank(const uint64_t *sorted, size_t count, uint32_t numerator,
                      uint32_t denominator)
{
    uint64_t product = (uint64_t)count * numerator;

    return sorted[(product + denominator - 1) / denominator - 1];
}

void summary_make(uint64_t *values, size_t count, struct summary *ret_summary)
{
    struct summary summary = {.count = count};

    if (count > 0) {
        summary_sort(values, count);
        summary.min_ticks = values[0];
        summary.median_ticks = summary_rank(values, count, 1, 2);
        summary.p95_ticks = summary_rank(values, count, 95, 100);
        summary.p99_ticks = summary_rank(values, count, 99, 100);
        summary.p999_ticks = summary_rank(values, count, 999, 1000);
        summary.max_ticks = values[count - 1];
        for (size_t i = 0; i < count; i++)
            summary.total_ticks += values[i];
    }
    *ret_summary = summary;
}
