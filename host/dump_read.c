/* Reads a dump's text. Nothing in it is trusted: lines of any length, any bytes, any order. */
#define _POSIX_C_SOURCE 200809L /* getc_unlocked */

#include "host/dump.h"

#include <stdlib.h>
#include <string.h>

/* The longest line that means something is a row of 16 bytes. */
#define LINE_BYTES 128

enum slot {
    SLOT_NONE, /* the line is no slot line */
    SLOT_OPENED,
    SLOT_FOREIGN, /* of a domain above ffffh */
};

struct reader {
    FILE *file;
    uint32_t read; /* characters so far */
    char line[LINE_BYTES];
};

/*
 * The next line, cut to what fits; a NUL in it ends it for whoever looks. False: the end of the
 * file, or of what is read of one.
 */
static bool next_line(struct reader *reader)
{
    size_t length = 0;
    int c = EOF;

    while (reader->read < HOST_DUMP_FILE_BYTES_MAX) {
        c = getc_unlocked(reader->file);
        if (c == EOF)
            break;
        reader->read++;
        if (c == '\n')
            break;
        if (length < LINE_BYTES - 1)
            reader->line[length++] = (char)c;
    }
    reader->line[length] = '\0';
    return c == '\n' || length > 0;
}

/* `least` to `most` (at most 8) hexadecimal digits at *at, which moves behind them. */
static bool take_hex(const char **at, unsigned least, unsigned most, uint32_t *ret_value)
{
    uint32_t value = 0;
    unsigned count = 0;

    for (; count < most; count++, ++*at) {
        char c = **at;

        if (c >= '0' && c <= '9')
            value = value << 4 | (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            value = value << 4 | (uint32_t)(c - 'A' + 10);
        else
            break;
    }
    *ret_value = value;
    return count >= least;
}

static bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

/* Behind a number: lines may end in CR LF. */
static bool is_end(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\0';
}

static enum slot parse_slot(const char *line, struct pci_address *ret_address)
{
    uint32_t domain, bus, device, function;
    const char *at = line;

    if (!take_hex(&at, 1, 8, &domain) || !take_char(&at, ':') || !take_hex(&at, 2, 2, &bus) ||
        !take_char(&at, ':')) {
        at = line;
        domain = 0;
        if (!take_hex(&at, 2, 2, &bus) || !take_char(&at, ':'))
            return SLOT_NONE;
    }
    if (!take_hex(&at, 2, 2, &device) || !take_char(&at, '.') || !take_hex(&at, 1, 1, &function) ||
        !is_end(*at) || device > 31 || function > 7)
        return SLOT_NONE;
    if (domain > 0xffff)
        return SLOT_FOREIGN;
    *ret_address =
        (struct pci_address){(uint16_t)domain, (uint8_t)bus, (uint8_t)device, (uint8_t)function};
    return SLOT_OPENED;
}

static void parse_row(const char *at, struct host_dump_function *function)
{
    uint32_t offset, value;

    if (!take_hex(&at, 2, 3, &offset) || !take_char(&at, ':') || offset % 16 != 0)
        return;
    for (uint32_t end = offset + 16; offset < end; offset++) {
        if (!take_char(&at, ' ') || !take_hex(&at, 2, 2, &value) || !is_end(*at))
            return;
        function->data[offset] = (uint8_t)value;
        if (function->bytes <= offset)
            function->bytes = (uint16_t)(offset + 1);
    }
}

/* A new function at the end of the list, which has room for *capacity; NULL: no memory. */
static struct host_dump_function *add(struct host_dump *dump, size_t *capacity,
                                      struct pci_address address)
{
    struct host_dump_function **list = dump->functions;
    struct host_dump_function *function;

    if (dump->count == *capacity) {
        *capacity = *capacity == 0 ? 64 : 2 * *capacity;
        list = realloc(list, *capacity * sizeof(struct host_dump_function *));
        if (list == NULL)
            return NULL;
        dump->functions = list;
    }
    function = malloc(sizeof *function);
    if (function == NULL)
        return NULL;
    function->address = address;
    function->bytes = 0;
    function->reached = false;
    function->position = (uint32_t)dump->count;
    memset(function->data, 0xff, sizeof function->data);
    list[dump->count++] = function;
    return function;
}

static enum status read_functions(struct host_dump *dump, struct reader *reader)
{
    struct host_dump_function *function = NULL;
    struct pci_address address;
    size_t capacity = 0;

    while (next_line(reader)) {
        enum slot slot = parse_slot(reader->line, &address);

        if (slot == SLOT_NONE && function != NULL)
            parse_row(reader->line, function);
        if (slot == SLOT_FOREIGN) {
            function = NULL;
            dump->skipped++;
        }
        if (slot == SLOT_OPENED) {
            if (dump->count == HOST_DUMP_FUNCTIONS_MAX)
                return STATUS_FULL;
            function = add(dump, &capacity, address);
            if (function == NULL)
                return STATUS_NO_MEMORY;
        }
    }
    if (ferror(reader->file))
        return STATUS_DEVICE;
    return reader->read == HOST_DUMP_FILE_BYTES_MAX ? STATUS_FULL : STATUS_OK;
}

static int compare_address(const struct host_dump_function *a, const struct host_dump_function *b)
{
    if (a->address.segment != b->address.segment)
        return a->address.segment < b->address.segment ? -1 : 1;
    if (a->address.bus != b->address.bus)
        return a->address.bus < b->address.bus ? -1 : 1;
    if (a->address.device != b->address.device)
        return a->address.device < b->address.device ? -1 : 1;
    return (int)a->address.function - (int)b->address.function;
}

/* Of one address the one that counts comes first. */
static int compare(const void *left, const void *right)
{
    const struct host_dump_function *a = *(struct host_dump_function *const *)left;
    const struct host_dump_function *b = *(struct host_dump_function *const *)right;
    int order = compare_address(a, b);

    if (order == 0)
        order = (int)b->bytes - (int)a->bytes;
    return order != 0 ? order : a->position < b->position ? -1 : 1;
}

static void drop_repeated(struct host_dump *dump)
{
    size_t kept = 0;

    for (size_t i = 0; i < dump->count; i++) {
        struct host_dump_function *function = dump->functions[i];

        if (kept > 0 && compare_address(dump->functions[kept - 1], function) == 0) {
            dump->repeated++;
            free(function);
        } else {
            dump->functions[kept++] = function;
        }
    }
    dump->count = kept;
}

enum status host_dump_read(struct host_dump *dump, FILE *file)
{
    struct reader reader = {.file = file};
    bool rows = false;
    enum status status;

    *dump = (struct host_dump){0};
    status = read_functions(dump, &reader);
    if (status != STATUS_OK)
        return status;
    if (dump->count > 0)
        qsort(dump->functions, dump->count, sizeof(struct host_dump_function *), compare);
    drop_repeated(dump);
    for (size_t i = 0; i < dump->count; i++)
        rows = rows || dump->functions[i]->bytes > 0;
    return rows ? STATUS_OK : STATUS_NOT_FOUND;
}

void host_dump_free(struct host_dump *dump)
{
    for (size_t i = 0; i < dump->count; i++)
        free(dump->functions[i]);
    free(dump->functions);
    *dump = (struct host_dump){0};
}
