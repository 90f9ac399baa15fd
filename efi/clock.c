/*
 * Calibration: many short brackets of the PM timer over a second, so that an interrupted reading
 * spoils itself only; CPUID leaf 15h compared with it; Stall as the last resort.
 */
#include "efi/clock.h"

#include "efi/firmware.h"
#include "efi/hw.h"

#include <stddef.h>

#define PM_TIMER_HZ 3579545u /* ACPI 6.4, section 4.8.2.1 */

#define BRACKETS       4000
#define BRACKET_COUNTS 895      /* a quarter of a millisecond: 4000 of them make a second */
#define READS_MAX      20000000 /* in all; a read takes up to about a microsecond */
#define STALL_US       100000

#define CPUID_TSC              0x15u
#define CPUID_POWER            0x80000007u
#define CPUID_POWER_TSC_STABLE (1u << 8)

/* CPUID leaf 15h: TSC = crystal * EBX / EAX (Intel SDM volume 2, CPUID). 0 where not given. */
static uint64_t cpuid_rate(void)
{
    uint32_t r[4];

    hw_cpuid(0, 0, r);
    if (r[0] < CPUID_TSC)
        return 0;
    hw_cpuid(CPUID_TSC, 0, r);
    if (r[0] == 0 || r[1] == 0 || r[2] == 0)
        return 0;
    return base_mul_div_round(r[2], r[1], r[0]);
}

static bool tsc_invariant(void)
{
    uint32_t r[4];

    hw_cpuid(0x80000000u, 0, r);
    if (r[0] < CPUID_POWER)
        return false;
    hw_cpuid(CPUID_POWER, 0, r);
    return (r[3] & CPUID_POWER_TSC_STABLE) != 0;
}

/*
 * Brackets a quarter of a millisecond apart by the counter's own count. False if the counter stands
 * still or crawls.
 */
static bool take_brackets(const struct pci_acpi_pm_timer *timer, struct hw_bracket *brackets)
{
    struct hw_counter counter = {timer->memory, timer->address};
    uint32_t reads = 0;
    uint32_t mask = timer->bits == 24 ? 0xffffffu : UINT32_MAX;

    hw_counter_bracket(&counter, &brackets[0]);
    for (size_t i = 1; i < BRACKETS; i++) {
        do {
            if (reads++ == READS_MAX)
                return false;
            hw_counter_bracket(&counter, &brackets[i]);
        } while (((brackets[i].counter - brackets[i - 1].counter) & mask) < BRACKET_COUNTS);
    }
    return true;
}

static enum status fit_pm_timer(const struct pci_acpi_pm_timer *timer, struct hw_clock *clock)
{
    struct hw_bracket *brackets = firmware_allocate(BRACKETS * sizeof *brackets);
    enum status status = STATUS_DEVICE;

    if (brackets == NULL)
        return STATUS_NO_MEMORY;
    if (take_brackets(timer, brackets))
        status = hw_clock_fit(brackets, BRACKETS, PM_TIMER_HZ, timer->bits, clock);
    firmware_free(brackets);
    return status;
}

static void stall_rate(struct hw_clock *clock)
{
    uint64_t start = hw_ticks();

    firmware.boot->Stall(STALL_US);
    clock->hz = (hw_ticks() - start) * (1000000 / STALL_US);
    clock->source = clock->hz != 0 ? HW_CLOCK_STALL : HW_CLOCK_NONE;
}

void clock_calibrate(const struct pci_acpi_pm_timer *timer, struct hw_clock *clock)
{
    *clock = (struct hw_clock){.invariant = tsc_invariant(), .cpuid_hz = cpuid_rate()};

    if (timer != NULL && fit_pm_timer(timer, clock) == STATUS_OK) {
        clock->source = HW_CLOCK_PM_TIMER;
        if (clock->cpuid_hz != 0) {
            int64_t apart = (int64_t)(clock->cpuid_hz - clock->hz);
            clock->cpuid_differs_ppm = apart / (int64_t)(clock->hz / 1000000 + 1);
        }
        return;
    }
    if (clock->cpuid_hz != 0) {
        clock->hz = clock->cpuid_hz;
        clock->source = HW_CLOCK_CPUID;
        return;
    }
    stall_rate(clock);
}
