/*
 * Writer of result.txt and of the table on the screen: ASCII, at most 79 columns, LF.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/text.h"
#include "report/result.h"

#define REPORT_TABLE_BYTES(controllers, drives)                                                    \
    (16384u + (size_t)(controllers)*8192u + (size_t)(drives)*8192u)

/* The whole table: head, every controller with its drives, notes. */
void report_table(struct text *text, const struct result *result);

#endif
