/* Marks of a drive. */
#include "report/marks.h"

#define MARKS_TRANSFER_BYTES (UINT32_C(1) << 20) /* what a sequential read would like to carry */

static void mark(struct text *text, const char *words)
{
    text_printf(text, "%s%s", text->length > 0 ? ", " : "", words);
}

static void mark_states(struct text *text, const struct drive_info *info)
{
    if (info->array)
        mark(text, "RAID volume");
    if (info->zones != DRIVE_ZONES_NONE) {
        mark(text, drive_zones_name(info->zones));
        text_string(text, " zones");
    }
    if (info->removable)
        mark(text, "removable");
    if (info->locked)
        mark(text, "security locked");
    if (info->standby)
        mark(text, "not spun up");
    else if (info->starts_in_standby)
        mark(text, "starts in standby");
}

static void mark_limits(struct text *text, const struct drive_info *info)
{
    uint64_t command_bytes = (uint64_t)info->command_sectors_max * info->logical_bytes;

    if (info->standby)
        return;
    if (!info->lba48)
        mark(text, "28-bit addresses");
    if (command_bytes < MARKS_TRANSFER_BYTES) {
        mark(text, "commands of at most ");
        text_printf(text, "%llu bytes", (unsigned long long)command_bytes);
    }
    if (info->alignment_sectors != 0) {
        mark(text, "physical sectors shifted by ");
        text_printf(text, "%u", info->alignment_sectors);
    }
    if (info->look_ahead_known && !info->look_ahead)
        mark(text, "read look-ahead off");
    if (info->acoustic != 0 && info->acoustic < 254) {
        mark(text, "quiet seeks ");
        text_printf(text, "(%u of 254)", info->acoustic);
    }
}

void marks_of_drive(struct text *text, const struct drive_info *info)
{
    char line[MARKS_BYTES];
    struct text marks;

    text_init(&marks, line, sizeof line);
    mark_states(&marks, info);
    mark_limits(&marks, info);
    text_string(text, line);
}
