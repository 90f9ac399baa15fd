/*
 * Writer of samples.csv: every timed command. The file can be long, so it is written row by row;
 * the caller empties its buffer in between.
 */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/text.h"
#include "report/result.h"

/* A row, its LF included, is never longer. */
#define REPORT_CSV_ROW_BYTES 128

void report_csv_header(struct text *text);

/*
 * Row of sample `index` of a drive with a run; `controller` and `port` are the index of the
 * controller in the result and the number of the port, as in result.json.
 */
void report_csv_row(struct text *text, const struct result_drive *drive, uint32_t index,
                    uint32_t controller, uint32_t port);

#endif
