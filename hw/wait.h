/*
 * The only places where the program waits for hardware. Every wait has a limit in ticks, looks once
 * more after the limit, and returns what it saw last.
 */
#ifndef HW_WAIT_H
#define HW_WAIT_H

#include "base/status.h"
#include "hw/reg.h"

#include <stdint.h>

/* The state of a register that is waited for: (value & mask) == want, the whole field compared. */
struct hw_wait_for {
    uint32_t offset;
    uint32_t mask;
    uint32_t want;
};

/*
 * Polls until the register has the wanted state. STATUS_TIMEOUT after limit_ticks; STATUS_GONE as
 * soon as the register reads all ones (unless that is the state wanted). *ret_last is the last
 * value read, written in every case; may be NULL.
 */
enum status hw_wait_reg(const struct hw_window *window, const struct hw_wait_for *wait,
                        uint64_t limit_ticks, uint32_t *ret_last) MUST_CHECK;

/* Lets at least `ticks` pass. */
void hw_wait_ticks(uint64_t ticks);

/* Completion of commands: bits of one register that fall, with an eye on an error register. */
struct hw_wait_fall {
    uint32_t offset;       /* register whose bits fall */
    uint32_t bits;         /* any of these falling ends the wait */
    uint32_t alarm_offset; /* looked at on every 16th turn and after the limit */
    uint32_t alarm_mask;   /* any of these set ends the wait */
};

struct hw_wait_fallen {
    uint64_t ticks; /* read directly after `value` */
    uint32_t value; /* last value of the register */
    uint32_t alarm; /* last value of the alarm register; 0 if it was not read */
};

/*
 * STATUS_OK: at least one of the bits is 0 in ret->value. STATUS_DEVICE: an alarm bit is set while
 * no waited-for bit has fallen. STATUS_TIMEOUT: neither within limit_ticks. STATUS_GONE: the alarm
 * register reads all ones (the first register cannot tell: all 32 tags outstanding is all ones
 * too). *ret is written in every case.
 */
enum status hw_wait_fall(const struct hw_window *window, const struct hw_wait_fall *wait,
                         uint64_t limit_ticks, struct hw_wait_fallen *ret) MUST_CHECK;

#endif
