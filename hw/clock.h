/*
 * Time. Ticks are the processor's time-stamp counter; what a tick is worth stands in a clock
 * record that travels with every result.
 */
#ifndef HW_CLOCK_H
#define HW_CLOCK_H

#include "base/math.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The seam: implemented by efi/ (RDTSC, ordered) and by tests/model/ (virtual time). */
uint64_t hw_ticks(void);

/* Tells the processor that this is a waiting loop (PAUSE). */
void hw_pause(void);

enum hw_clock_source {
    HW_CLOCK_NONE,     /* not calibrated: ticks have no known rate */
    HW_CLOCK_PM_TIMER, /* measured against the ACPI PM timer (ACPI 6.4, section 4.8.2.1) */
    HW_CLOCK_CPUID,    /* CPUID leaf 15h, no PM timer to measure against */
    HW_CLOCK_STALL,    /* measured against the firmware's Stall: may be several per cent wrong */
};

struct hw_clock {
    uint64_t hz; /* the rate used for every figure */
    enum hw_clock_source source;
    bool invariant;         /* CPUID 80000007h EDX bit 8: constant rate in all P-, C-, T-states */
    uint32_t spread_ppm;    /* how far apart independent parts of the calibration were */
    uint32_t brackets;      /* counter readings taken */
    uint32_t brackets_kept; /* of these, undisturbed ones */
    uint64_t cpuid_hz;      /* what CPUID leaf 15h says; 0: it says nothing */
    int64_t cpuid_differs_ppm; /* (cpuid_hz - measured) / measured; only if both are known */
};

/* Saturate at UINT64_MAX instead of wrapping. clock->hz must not be 0. */
static inline uint64_t hw_clock_ns(const struct hw_clock *clock, uint64_t ticks)
{
    return base_mul_div_round(ticks, UINT64_C(1000000000), clock->hz);
}

static inline uint64_t hw_clock_ticks(const struct hw_clock *clock, uint64_t ns)
{
    return base_mul_div(ns, clock->hz, UINT64_C(1000000000));
}

/*
 * One reading of a free-running counter between two readings of the tick counter: the counter had
 * the value `counter` at some tick from `before` to `after`.
 */
struct hw_bracket {
    uint64_t before;
    uint64_t after;
    uint32_t counter;
};

/*
 * Rate of the ticks from brackets in the order they were taken. Disturbed brackets (the gap between
 * before and after far above the usual) are dropped; counter wraps are followed, so brackets must
 * be closer than one wrap (4.6 s at 24 bits). `counter_bits` is 24 or 32. Sorts nothing, keeps
 * `brackets` as they are. Fills hz, spread_ppm, brackets and brackets_kept of *clock.
 * STATUS_INVALID: fewer than 16 usable brackets, or the counter does not move.
 */
enum status hw_clock_fit(const struct hw_bracket *brackets, size_t count, uint64_t counter_hz,
                         unsigned counter_bits, struct hw_clock *clock) MUST_CHECK;

#endif
