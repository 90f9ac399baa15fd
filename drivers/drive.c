/* Names of fault kinds. */
#include "drivers/drive.h"

#include "base/bits.h"

const char *drive_fault_name(enum drive_fault_kind kind)
{
    static const char *const names[] = {
        [DRIVE_FAULT_NONE] = "none",
        [DRIVE_FAULT_TASK_FILE] = "task-file error",
        [DRIVE_FAULT_INTERFACE] = "interface error",
        [DRIVE_FAULT_HOST_BUS] = "host bus error",
        [DRIVE_FAULT_OVERFLOW] = "wrong amount of data",
        [DRIVE_FAULT_TIMEOUT] = "time-out",
        [DRIVE_FAULT_LINK_LOST] = "link lost",
        [DRIVE_FAULT_GONE] = "controller gone",
    };

    return (unsigned)kind < COUNT_OF(names) ? names[kind] : "unknown fault";
}
