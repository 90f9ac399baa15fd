/* Arguments out of LoadOptions. */
#include "efi/pure/arguments.h"

#include "base/bits.h"

#include <stdbool.h>

/* Characters before the NUL; SIZE_MAX if one of them is not printable ASCII or a blank. */
static size_t text_length(const uint8_t *bytes, size_t size)
{
    size_t length = size / 2;

    if (size % 2 != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < length; i++) {
        uint16_t c = base_le16(bytes + 2 * i);

        if (c == 0)
            return i;
        if ((c < ' ' && c != '\t') || c > '~')
            return SIZE_MAX;
    }
    return length;
}

static bool ends_in_efi(const char *word)
{
    static const char suffix[] = ".efi";
    size_t length = 0;

    while (word[length] != '\0')
        length++;
    if (length < 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        char c = word[length - 4 + i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c | 0x20);
        if (c != suffix[i])
            return false;
    }
    return true;
}

void arguments_from_load_options(const uint8_t *bytes, size_t size, struct arguments *arguments)
{
    size_t length = text_length(bytes, size);
    size_t used = 0;
    bool quoted = false;
    bool in_word = false;

    arguments->count = 0;
    if (length == SIZE_MAX || length + 1 > ARGUMENTS_TEXT_MAX)
        return;
    for (size_t i = 0; i < length; i++) {
        char c = (char)bytes[2 * i];
        bool blank = (c == ' ' || c == '\t') && !quoted;

        if (blank && in_word) {
            arguments->text[used++] = '\0';
            in_word = false;
        }
        if (blank)
            continue;
        if (!in_word) {
            if (arguments->count == ARGUMENTS_MAX) {
                arguments->count = 0;
                return;
            }
            arguments->list[arguments->count++] = &arguments->text[used];
            in_word = true;
        }
        if (c == '"')
            quoted = !quoted;
        else
            arguments->text[used++] = c;
    }
    arguments->text[used] = '\0';
    if (arguments->count > 0 && ends_in_efi(arguments->list[0])) {
        for (uint32_t i = 1; i < arguments->count; i++)
            arguments->list[i - 1] = arguments->list[i];
        arguments->count--;
    }
}
