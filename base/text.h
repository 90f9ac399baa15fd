/*
 * Text into a bounded buffer. The buffer is always NUL-terminated; what does not fit is dropped and
 * remembered, so a writer checks once at the end instead of after each piece.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *buffer;    /* owned by the caller */
    size_t capacity; /* bytes of buffer, at least 1; the last is for the NUL */
    size_t length;   /* characters in it */
    bool truncated;  /* something did not fit */
};

/* Empties `text` over `buffer`. */
void text_init(struct text *text, char *buffer, size_t capacity);

void text_char(struct text *text, char c);
void text_string(struct text *text, const char *string);

/* printf for integers and strings (no floating point): see text_decimal for fractions. */
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/*
 * Text of a foreign source, which need not end in a NUL: without blanks and control characters at
 * its ends, '?' for what is not printable ASCII; nothing at all if no byte can be read.
 */
void text_trimmed(struct text *text, const uint8_t *bytes, size_t length);

/*
 * value / 10^decimals with a decimal point: text_decimal(t, 4313, 1) gives "431.3". At most 18
 * decimals.
 */
void text_decimal(struct text *text, uint64_t value, unsigned decimals);

/* Spaces up to column `column` of the current line, at least none. */
void text_column(struct text *text, size_t column);

#endif
