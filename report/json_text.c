/* JSON's outer form. (RFC 8259.) */
#include "report/json_text.h"

#include <stddef.h>

static void escaped(struct text *text, const char *string)
{
    text_char(text, '"');
    for (; *string != '\0'; string++) {
        unsigned char c = (unsigned char)*string;

        if (c == '"' || c == '\\')
            text_printf(text, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            text_printf(text, "\\u%04x", c);
        else
            text_char(text, (char)c);
    }
    text_char(text, '"');
}

static bool on_one_line(const struct json *json)
{
    return json->inline_depth != 0 && json->depth >= json->inline_depth;
}

static void line(struct json *json)
{
    if (on_one_line(json)) {
        if (!json->first)
            text_char(json->text, ' ');
        return;
    }
    text_char(json->text, '\n');
    for (unsigned i = 0; i < json->depth; i++)
        text_string(json->text, "  ");
}

/* All that stands before a value. */
static void begin(struct json *json, const char *key)
{
    if (json->depth > 0) {
        if (!json->first)
            text_char(json->text, ',');
        line(json);
    }
    json->first = false;
    if (key != NULL) {
        escaped(json->text, key);
        text_string(json->text, ": ");
    }
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    text_char(json->text, bracket);
    json->depth++;
    json->first = true;
}

void json_open_inline(struct json *json, const char *key, char bracket)
{
    json_open(json, key, bracket);
    if (json->inline_depth == 0)
        json->inline_depth = json->depth;
}

void json_close(struct json *json, char bracket)
{
    bool flat = on_one_line(json);
    bool empty = json->first;

    if (json->inline_depth == json->depth)
        json->inline_depth = 0;
    json->depth--;
    json->first = true;
    if (!flat && !empty)
        line(json);
    text_char(json->text, bracket);
    json->first = false;
    if (json->depth == 0)
        text_char(json->text, '\n');
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin(json, key);
    escaped(json->text, value);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
    begin(json, key);
    text_printf(json->text, "%llu", (unsigned long long)value);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    begin(json, key);
    text_printf(json->text, "%s%llu", value < 0 ? "-" : "", (unsigned long long)magnitude);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin(json, key);
    text_string(json->text, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
    begin(json, key);
    text_string(json->text, "null");
}

void json_string_or_null(struct json *json, const char *key, const char *value)
{
    if (value == NULL || value[0] == '\0')
        json_null(json, key);
    else
        json_string(json, key, value);
}

void json_number_or_null(struct json *json, const char *key, uint64_t value)
{
    if (value == 0)
        json_null(json, key);
    else
        json_number(json, key, value);
}

void json_hex(struct json *json, const char *key, uint64_t value, unsigned digits)
{
    begin(json, key);
    text_string(json->text, "\"0x");
    while (digits-- > 0)
        text_char(json->text, "0123456789abcdef"[value >> 4 * digits & 15]);
    text_char(json->text, '"');
}
