/*
 * Writer of result.txt and of the table on the screen: ASCII, at most 79 columns, LF.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/text.h"
#include "report/result.h"

#define REPORT_TABLE_BYTES(controllers, drives)                                                    \
    (16384u + (size_t)(controllers)*49152u + (size_t)(drives)*16384u)

/* The whole table: head, every controller with its drives, paths and verdicts, notes. */
void report_table(struct text *text, const struct result *result);

#endif
