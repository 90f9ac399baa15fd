/* The wait loops. */
#include "hw/wait.h"

#include "hw/clock.h"

#include <stdbool.h>
#include <stddef.h>

#define ALL_ONES    UINT32_MAX
#define ALARM_LOOKS 16u

enum status hw_wait_reg(const struct hw_window *window, const struct hw_wait_for *wait,
                        uint64_t limit_ticks, uint32_t *ret_last)
{
    uint64_t start = hw_ticks();
    enum status status = STATUS_TIMEOUT;
    uint32_t value;

    for (;;) {
        /* The time is taken before the register: a stall between the two cannot cause a false
         * time-out, because the register is always read after the limit was noticed. */
        bool late = hw_ticks() - start >= limit_ticks;

        value = hw_reg_read(window, wait->offset);
        if ((value & wait->mask) == wait->want) {
            status = STATUS_OK;
            /* All ones satisfies a wait for set bits, but then nothing answers any more. */
            if (value == ALL_ONES && wait->want != ALL_ONES)
                status = STATUS_GONE;
            break;
        }
        if (value == ALL_ONES) {
            status = STATUS_GONE;
            break;
        }
        if (late)
            break;
        hw_pause();
    }
    if (ret_last != NULL)
        *ret_last = value;
    return status;
}

void hw_wait_ticks(uint64_t ticks)
{
    uint64_t start = hw_ticks();

    while (hw_ticks() - start < ticks)
        hw_pause();
}

/* Whether one of the bits has fallen. */
static inline bool look(const struct hw_window *window, const struct hw_wait_fall *wait,
                        struct hw_wait_fallen *ret)
{
    ret->value = hw_reg_read(window, wait->offset);
    ret->ticks = hw_ticks();
    return (~ret->value & wait->bits) != 0;
}

enum status hw_wait_fall(const struct hw_window *window, const struct hw_wait_fall *wait,
                         uint64_t limit_ticks, struct hw_wait_fallen *ret)
{
    uint64_t start = hw_ticks();
    unsigned looks = ALARM_LOOKS; /* until the alarm register is looked at */

    ret->alarm = 0;
    while (!look(window, wait, ret)) {
        bool late = ret->ticks - start >= limit_ticks;

        /* No pause: a register read already takes about a microsecond, and a pause would only
         * coarsen the time stamp. */
        if (!late && --looks > 0)
            continue;
        looks = ALARM_LOOKS;
        ret->alarm = hw_reg_read(window, wait->alarm_offset);
        if (ret->alarm == ALL_ONES)
            return STATUS_GONE;
        if (!late && (ret->alarm & wait->alarm_mask) == 0)
            continue;
        /* Whatever completed up to now counts as completed. */
        if (look(window, wait, ret))
            return STATUS_OK;
        return (ret->alarm & wait->alarm_mask) != 0 ? STATUS_DEVICE : STATUS_TIMEOUT;
    }
    return STATUS_OK;
}
