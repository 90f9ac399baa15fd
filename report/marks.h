/* What sets a drive apart from an ordinary one, in words that help to judge its figures. */
#ifndef REPORT_MARKS_H
#define REPORT_MARKS_H

#include "base/text.h"
#include "drivers/drive.h"

/* Longest line of marks, with its NUL. */
#define MARKS_BYTES 256

/* "host-aware zones, removable": the marks of a drive between commas; nothing for most drives. */
void marks_of_drive(struct text *text, const struct drive_info *info);

#endif
