/* JSON into a bounded text: commas, indentation and escapes, nothing of what it says. */
#ifndef REPORT_JSON_TEXT_H
#define REPORT_JSON_TEXT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct json {
    struct text *text;
    unsigned depth;        /* open objects and arrays */
    unsigned inline_depth; /* from this depth on all stands on one line; 0: none does */
    bool first;            /* nothing stands yet in the innermost one */
};

/* `key` is NULL for an element of an array. */
void json_open(struct json *json, const char *key, char bracket);
void json_open_inline(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

void json_string(struct json *json, const char *key, const char *value);
void json_number(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* A string that may be missing, as NULL or ""; a number that 0 means "not known" for. */
void json_string_or_null(struct json *json, const char *key, const char *value);
void json_number_or_null(struct json *json, const char *key, uint64_t value);
/* Bit patterns, as text, because they can exceed what a reader's numbers hold: "0x0000002a". */
void json_hex(struct json *json, const char *key, uint64_t value, unsigned digits);

#endif
