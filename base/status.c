/* Names of the statuses. */
#include "base/status.h"

const char *base_status_name(enum status status)
{
    static const char *const names[STATUS_COUNT] = {
        [STATUS_OK] = "ok",
        [STATUS_INVALID] = "invalid",
        [STATUS_NOT_FOUND] = "not found",
        [STATUS_UNSUPPORTED] = "unsupported",
        [STATUS_TIMEOUT] = "time-out",
        [STATUS_DEVICE] = "device error",
        [STATUS_GONE] = "device gone",
        [STATUS_NO_MEMORY] = "no memory",
        [STATUS_ABORTED] = "aborted",
        [STATUS_FULL] = "full",
        [STATUS_READ_ONLY] = "read-only",
        [STATUS_MISMATCH] = "data mismatch",
        [STATUS_VOID] = "void",
    };

    if ((unsigned)status >= STATUS_COUNT)
        return "unknown status";
    return names[status];
}
