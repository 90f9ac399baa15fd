/* Writer of result.json; report/result.schema.json describes it. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "base/text.h"
#include "report/result.h"

/*
 * Bytes that the file needs at most, with these numbers of controllers and of drives. The bound
 * holds for any content.
 */
#define REPORT_JSON_BYTES(controllers, drives)                                                     \
    (98304u + (size_t)(controllers)*240640u + (size_t)(drives)*214016u)

/*
 * The whole file: ASCII, LF, fixed order of keys, integers only, "end" last. text->truncated tells
 * that it did not fit, and then it must not be used.
 */
void report_json(struct text *text, const struct result *result);

#endif
