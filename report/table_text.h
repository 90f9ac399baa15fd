/* Figures and lines as the table shows them. Private to report/. */
#ifndef REPORT_TABLE_TEXT_H
#define REPORT_TABLE_TEXT_H

#include "base/text.h"
#include "hw/clock.h"
#include "report/result.h"

#include <stddef.h>
#include <stdint.h>

#define TABLE_COLUMNS 79
#define TABLE_VALUE   12 /* column at which the values of a drive start */

/* Bytes per second as MB/s with one decimal. */
void table_rate(struct text *text, uint64_t bytes_per_second);
/* Ticks as us: two decimals below 100 us, one below 10000, none above. */
void table_us(struct text *text, uint64_t ticks, const struct hw_clock *clock);
/* Bytes as MB, GB or TB (powers of ten). */
void table_capacity(struct text *text, uint64_t bytes);
/* Text of a foreign source: what is not printable ASCII becomes '?', at most `most` characters. */
void table_foreign(struct text *text, const char *string, size_t most);
/* A line under `label`, broken at spaces before TABLE_COLUMNS, further lines at TABLE_VALUE. */
void table_wrapped(struct text *text, const char *label, const char *string);
/* The same without a label: the first line begins at the left edge. */
void table_paragraph(struct text *text, const char *string);

/* One drive; also a port without one, if there is something to say about it. */
void table_drive(struct text *text, const struct result *result, uint32_t controller,
                 uint32_t port_index);

/* The path to each drive of a controller that was measured, the verdicts and the findings. */
void table_path(struct text *text, const struct result *result, uint32_t controller);

#endif
