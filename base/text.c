/* Bounded text. Number formatting is stb_sprintf's (Debian: libstb-dev), built without floats. */
#include "base/text.h"

#define STB_SPRINTF_STATIC
#define STB_SPRINTF_NOFLOAT
#define STB_SPRINTF_NOUNALIGNED
#define STB_SPRINTF_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_sprintf.h>
#pragma GCC diagnostic pop

void text_init(struct text *text, char *buffer, size_t capacity)
{
    text->buffer = buffer;
    text->capacity = capacity;
    text->length = 0;
    text->truncated = false;
    buffer[0] = '\0';
}

void text_char(struct text *text, char c)
{
    if (text->length + 1 >= text->capacity) {
        text->truncated = true;
        return;
    }
    text->buffer[text->length++] = c;
    text->buffer[text->length] = '\0';
}

void text_string(struct text *text, const char *string)
{
    while (*string != '\0')
        text_char(text, *string++);
}

void text_trimmed(struct text *text, const uint8_t *bytes, size_t length)
{
    bool readable = false;

    while (length > 0 && bytes[length - 1] <= ' ')
        length--;
    for (; length > 0 && bytes[0] <= ' '; length--)
        bytes++;
    for (size_t i = 0; i < length; i++)
        readable |= bytes[i] > ' ' && bytes[i] <= '~';
    for (size_t i = 0; readable && i < length; i++)
        text_char(text, bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '?');
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    char piece[512];
    int length = stbsp_vsnprintf(piece, (int)sizeof piece, format, arguments);

    if (length < 0 || (size_t)length >= sizeof piece)
        text->truncated = true;
    text_string(text, piece);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void text_decimal(struct text *text, uint64_t value, unsigned decimals)
{
    uint64_t scale = 1;

    for (unsigned i = 0; i < decimals && i < 18; i++)
        scale *= 10;
    text_printf(text, "%llu", (unsigned long long)(value / scale));
    if (scale == 1)
        return;
    text_char(text, '.');
    while (scale > 1) {
        scale /= 10;
        text_char(text, (char)('0' + value / scale % 10));
    }
}

void text_column(struct text *text, size_t column)
{
    size_t start = text->length;

    while (start > 0 && text->buffer[start - 1] != '\n')
        start--;
    while (text->length - start < column && !text->truncated)
        text_char(text, ' ');
}
