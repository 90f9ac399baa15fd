/* The wait loops. */
#include "hw/wait.h"

#include "hw/clock.h"

#include <stdbool.h>
#include <stddef.h>

#define ALL_ONES UINT32_MAX

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

enum status hw_wait_fall(const struct hw_window *window, const struct hw_wait_fall *wait,
                         uint64_t limit_ticks, struct hw_wait_fallen *ret)
{
    uint64_t start = hw_ticks();

    ret->alarm = 0;
    for (unsigned turn = 1;; turn++) {
        bool late = turn > 1 && ret->ticks - start >= limit_ticks;

        ret->value = hw_reg_read(window, wait->offset);
        ret->ticks = hw_ticks();
        if ((~ret->value & wait->bits) != 0)
            return STATUS_OK;
        if (turn % 16 == 0 || late) {
            ret->alarm = hw_reg_read(window, wait->alarm_offset);
            if (ret->alarm == ALL_ONES)
                return STATUS_GONE;
            if ((ret->alarm & wait->alarm_mask) != 0) {
                /* A command may have completed between the two reads; it counts as completed. */
                ret->value = hw_reg_read(window, wait->offset);
                ret->ticks = hw_ticks();
                return (~ret->value & wait->bits) != 0 ? STATUS_OK : STATUS_DEVICE;
            }
            ret->alarm = 0;
        }
        if (late)
            return STATUS_TIMEOUT;
        /* No pause: a register read already takes about a microsecond, and a pause would only
         * coarsen the time stamp. */
    }
}
