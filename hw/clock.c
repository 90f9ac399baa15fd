/* Rate of the tick counter from short brackets of a slower, free-running counter. */
#include "hw/clock.h"

/* A bracket is undisturbed when its gap is at most this many times the shortest gap seen ... */
#define GAP_FACTOR 2
/* ... and the fit needs this many of them. */
#define KEPT_MIN 16
/* The run is cut into this many consecutive parts; each pair of neighbours gives a rate. */
#define PARTS 8

/* Sums over the undisturbed brackets of one part: a point on the line ticks(counter). */
struct point {
    uint64_t ticks_sum;   /* of the middles, relative to the first bracket */
    uint64_t counter_sum; /* unwrapped, relative to the first bracket */
    uint64_t count;
};

static uint64_t shortest_gap(const struct hw_bracket *brackets, size_t count)
{
    uint64_t shortest = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        uint64_t gap = brackets[i].after - brackets[i].before;
        if (gap < shortest)
            shortest = gap;
    }
    return shortest;
}

/* Hz of the ticks on the line from one point to another; 0 if the counter did not move. */
static uint64_t rate_between(const struct point *from, const struct point *to, uint64_t counter_hz)
{
    /* Means are kept times 2^8, so that a quarter of a tick is not lost in them. */
    uint64_t ticks = base_mul_div(to->ticks_sum, 256, to->count) -
                     base_mul_div(from->ticks_sum, 256, from->count);
    uint64_t counter = base_mul_div(to->counter_sum, 256, to->count) -
                       base_mul_div(from->counter_sum, 256, from->count);

    if (counter == 0)
        return 0;
    return base_mul_div_round(ticks, counter_hz, counter);
}

static uint32_t ppm_apart(uint64_t low, uint64_t high)
{
    uint64_t ppm = base_mul_div_round(high - low, 1000000, low);

    return ppm > UINT32_MAX ? UINT32_MAX : (uint32_t)ppm;
}

static size_t gather(const struct hw_bracket *brackets, size_t count, unsigned counter_bits,
                     struct point *points)
{
    uint32_t wrap_mask = counter_bits == 24 ? 0xffffffu : UINT32_MAX;
    uint64_t gap_limit = shortest_gap(brackets, count) * GAP_FACTOR + 1;
    uint64_t counter = 0;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct hw_bracket *b = &brackets[i];
        struct point *point = &points[i * PARTS / count];

        if (i > 0)
            counter += (b->counter - brackets[i - 1].counter) & wrap_mask;
        if (b->after - b->before > gap_limit)
            continue;
        point->ticks_sum += b->before - brackets[0].before + (b->after - b->before) / 2;
        point->counter_sum += counter;
        point->count++;
        kept++;
    }
    return kept;
}

enum status hw_clock_fit(const struct hw_bracket *brackets, size_t count, uint64_t counter_hz,
                         unsigned counter_bits, struct hw_clock *clock)
{
    struct point points[PARTS] = {{0, 0, 0}};
    const struct point *first = NULL;
    const struct point *last = NULL;
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
    uint64_t hz;
    size_t kept;

    if (count < KEPT_MIN || (counter_bits != 24 && counter_bits != 32))
        return STATUS_INVALID;
    kept = gather(brackets, count, counter_bits, points);
    if (kept < KEPT_MIN)
        return STATUS_INVALID;

    /* Rates over half the run each, overlapping: how much they differ is the spread. */
    for (unsigned i = 0; i + PARTS / 2 < PARTS; i++) {
        const struct point *from = &points[i];
        const struct point *to = &points[i + PARTS / 2];
        uint64_t rate;

        if (from->count == 0 || to->count == 0)
            continue;
        rate = rate_between(from, to, counter_hz);
        if (rate < low)
            low = rate;
        if (rate > high)
            high = rate;
    }
    for (unsigned i = 0; i < PARTS; i++) {
        if (points[i].count == 0)
            continue;
        if (first == NULL)
            first = &points[i];
        last = &points[i];
    }
    if (first == last || high == 0 || low == 0)
        return STATUS_INVALID;
    hz = rate_between(first, last, counter_hz);
    if (hz == 0)
        return STATUS_INVALID;
    clock->hz = hz;
    clock->spread_ppm = ppm_apart(low, high);
    clock->brackets = (uint32_t)count;
    clock->brackets_kept = (uint32_t)kept;
    return STATUS_OK;
}
