/* Names of fault kinds; which drives are not measured. */
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

const char *drive_zones_name(enum drive_zones zones)
{
    static const char *const names[] = {
        [DRIVE_ZONES_NONE] = "",
        [DRIVE_ZONES_DEVICE_MANAGED] = "device-managed",
        [DRIVE_ZONES_HOST_AWARE] = "host-aware",
        [DRIVE_ZONES_HOST_MANAGED] = "host-managed",
    };

    return (unsigned)zones < COUNT_OF(names) ? names[zones] : "";
}

const char *drive_refusal(const struct drive_info *info)
{
    if (info->locked)
        return "security locked: it refuses reads";
    if (info->standby)
        return "it has not spun up since power-on and does not know its size; no command that "
               "spins it up is sent";
    /* Which zones are written only REPORT ZONES tells, one of the commands that can also reset
     * them and are therefore not in this program. */
    if (info->zones == DRIVE_ZONES_HOST_MANAGED)
        return "host-managed zoned drive: it can be read only where it was written, and which "
               "zones these are is not asked";
    return "";
}
