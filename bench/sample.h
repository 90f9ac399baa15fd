/* One timed command. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdint.h>

enum sample_role {
    /*
     * Read and timed, but not counted; the interval that counts begins when it completes (or, for
     * the last read of a position, was over before).
     */
    SAMPLE_UNCOUNTED,
    SAMPLE_COUNTED,
};

struct sample {
    uint64_t lba;
    uint64_t t0;      /* ticks from the beginning of the drive's run to the start of the command */
    uint64_t ticks;   /* from start to completion */
    uint32_t sectors; /* logical ones; 0: no command, one look at the completion register */
    uint16_t group;   /* position of a transfer, else 0 */
    uint8_t step;     /* index in the plan */
    uint8_t role;     /* enum sample_role */
};

#endif
