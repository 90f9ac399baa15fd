/* Figures and lines as the table shows them. */
#include "report/table_text.h"

void table_rate(struct text *text, uint64_t bytes_per_second)
{
    text_decimal(text, base_mul_div_round(bytes_per_second, 1, 100000), 1);
}

void table_us(struct text *text, uint64_t ticks, const struct hw_clock *clock)
{
    uint64_t ns = hw_clock_ns(clock, ticks);

    if (ns < 100000)
        text_decimal(text, base_mul_div_round(ns, 1, 10), 2);
    else if (ns < 10000000)
        text_decimal(text, base_mul_div_round(ns, 1, 100), 1);
    else
        text_decimal(text, base_mul_div_round(ns, 1, 1000), 0);
}

void table_capacity(struct text *text, uint64_t bytes)
{
    static const struct {
        uint64_t unit;
        const char *name;
    } units[] = {
        {UINT64_C(1000000000000), "TB"}, {UINT64_C(1000000000), "GB"}, {UINT64_C(1000000), "MB"}};
    size_t i = 0;

    while (i < 2 && bytes < units[i].unit)
        i++;
    text_decimal(text, base_mul_div_round(bytes, 10, units[i].unit), 1);
    text_printf(text, " %s", units[i].name);
}

void table_foreign(struct text *text, const char *string, size_t most)
{
    for (size_t i = 0; i < most && string[i] != '\0'; i++)
        text_char(text, string[i] >= 0x20 && string[i] < 0x7f ? string[i] : '?');
}

static size_t word_length(const char *string)
{
    size_t length = 0;

    while (string[length] != '\0' && string[length] != ' ')
        length++;
    return length;
}

/* Words from column `begin` on, further lines at TABLE_VALUE. */
static void wrap(struct text *text, size_t begin, const char *string)
{
    size_t column = begin;

    while (*string != '\0') {
        size_t length = word_length(string);

        if (column > begin && column + 1 + length > TABLE_COLUMNS) {
            text_char(text, '\n');
            text_column(text, TABLE_VALUE);
            column = begin = TABLE_VALUE;
        } else if (column > begin) {
            text_char(text, ' ');
            column++;
        }
        if (length > TABLE_COLUMNS - TABLE_VALUE) /* no place to break: cut */
            table_foreign(text, string, TABLE_COLUMNS - TABLE_VALUE);
        else
            table_foreign(text, string, length);
        column += length;
        string += length;
        while (*string == ' ')
            string++;
    }
    text_char(text, '\n');
}

void table_wrapped(struct text *text, const char *label, const char *string)
{
    text_printf(text, "  %s", label);
    if (*string != '\0')
        text_column(text, TABLE_VALUE);
    wrap(text, TABLE_VALUE, string);
}

void table_paragraph(struct text *text, const char *string)
{
    wrap(text, 0, string);
}
