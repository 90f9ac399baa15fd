/*
 * A drive that completes every command at once and transfers nothing: run through the engine, it
 * shows what the engine itself costs.
 */
#ifndef DRIVERS_NULL_NULL_H
#define DRIVERS_NULL_NULL_H

#include "drivers/drive.h"

#include <stdint.h>

struct null_drive {
    uint32_t prepared; /* slots */
    uint32_t started;
    struct drive drive;
};

/* Makes `null` ready for use and returns its drive, valid as long as *null is. */
struct drive *null_drive_init(struct null_drive *null);

#endif
