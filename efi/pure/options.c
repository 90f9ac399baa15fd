/* The command line. */
#include "efi/pure/options.h"

#include "base/bits.h"

#include <stddef.h>

const char *options_help(void)
{
    return "barelane " BARELANE_VERSION
           ": measures what a disk controller and its PCIe lane deliver\n"
           "It never writes to a disk it tests.\n"
           "\n"
           "barelane.efi [OPTION...]\n"
           "  -l, --list            list controllers, ports and drives, then stop\n"
           "  -d, --drive C:P       only the drive on controller C, port P (see -l);\n"
           "                        may be given up to 16 times\n"
           "  -p, --path            print PCI functions, paths and ceilings, then stop\n"
           "  -t, --tests LIST      verify,transfer,access,depth or all (the default)\n"
           "  -y, --yes             unattended: no question, no countdown\n"
           "      --force           also test the controller that carries the boot volume\n"
           "      --seed N          repeat the random places of another run\n"
           "      --positions N     places of the transfer test, 256 to 4096\n"
           "      --access-count N  reads of the access test, 2000 to 100000\n"
           "      --depth-count N   reads of the depth test, 1000 to 2000000\n"
           "  -b, --page            stop after each screenful (UEFI shell)\n"
           "  -V, --version         print the version\n"
           "  -h, --help            print this text\n"
           "\n"
           "Results: \\barelane\\RESULT-NAME\\ on the volume the program was started from.\n"
           "Exit status: 0 done, 2 bad option, 3 unsupported, 7 a drive failed, 8 or 11\n"
           "results not saved (no place, full), 9 no memory, 14 no controller or drive,\n"
           "21 aborted, 27 data differ, 33 void. Ctrl-C stops a run; its results are kept.\n";
}

/* Both strings equal up to the end of `name`, and `argument` ends or has '=' there. */
static bool is_option(const char *argument, const char *name)
{
    while (*name != '\0' && *argument == *name) {
        argument++;
        name++;
    }
    return *name == '\0' && (*argument == '\0' || *argument == '=');
}

static bool equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* A whole decimal number, or hexadecimal after 0x; *ret_end is the character behind it. */
static bool parse_number(const char *string, uint64_t *ret_value, const char **ret_end)
{
    uint32_t base = 10;
    uint64_t value = 0;
    const char *start;

    if (string[0] == '0' && (string[1] == 'x' || string[1] == 'X')) {
        base = 16;
        string += 2;
    }
    start = string;
    for (;; string++) {
        char c = *string;
        uint32_t digit;

        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (base == 16 && (c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a') + 10;
        else
            break;
        if (value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *ret_value = value;
    *ret_end = string;
    return string != start;
}

enum option_id {
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_LIST,
    OPTION_PATH,
    OPTION_YES,
    OPTION_FORCE,
    OPTION_PAGE,
    OPTION_DRIVE,
    OPTION_TESTS,
    OPTION_SEED,
    OPTION_POSITIONS,
    OPTION_ACCESS_COUNT,
    OPTION_DEPTH_COUNT,
};

static const struct option {
    enum option_id id;
    const char *short_name; /* "" where there is none */
    const char *long_name;
    const char *value; /* what its value is, for messages; NULL: takes none */
} options_table[] = {
    {OPTION_HELP, "-h", "--help", NULL},
    {OPTION_VERSION, "-V", "--version", NULL},
    {OPTION_LIST, "-l", "--list", NULL},
    {OPTION_PATH, "-p", "--path", NULL},
    {OPTION_YES, "-y", "--yes", NULL},
    {OPTION_FORCE, "", "--force", NULL},
    {OPTION_PAGE, "-b", "--page", NULL},
    {OPTION_DRIVE, "-d", "--drive", "controller:port, such as 0:1"},
    {OPTION_TESTS, "-t", "--tests", "a list of verify, transfer, access, depth or all"},
    {OPTION_SEED, "", "--seed", "a number below 2^64"},
    {OPTION_POSITIONS, "", "--positions", "a number from 256 to 4096"},
    {OPTION_ACCESS_COUNT, "", "--access-count", "a number from 2000 to 100000"},
    {OPTION_DEPTH_COUNT, "", "--depth-count", "a number from 1000 to 2000000"},
};

static const struct option *find_option(const char *argument)
{
    for (size_t i = 0; i < COUNT_OF(options_table); i++) {
        const struct option *option = &options_table[i];

        if (is_option(argument, option->long_name))
            return option;
        if (option->short_name[0] != '\0' && equal(argument, option->short_name))
            return option;
    }
    return NULL;
}

/* 0 is no number here: in a plan it would mean the default. */
static bool parse_count(const char *string, uint32_t *ret_value)
{
    uint64_t value;
    const char *end;

    if (!parse_number(string, &value, &end) || *end != '\0' || value == 0 || value > UINT32_MAX)
        return false;
    *ret_value = (uint32_t)value;
    return true;
}

static bool parse_drive(const char *string, struct options *options)
{
    uint64_t controller;
    uint64_t port;
    const char *end;

    if (options->drive_count == OPTIONS_DRIVES_MAX)
        return false;
    if (!parse_number(string, &controller, &end) || *end != ':' || controller > 255)
        return false;
    if (!parse_number(end + 1, &port, &end) || *end != '\0' || port > 31)
        return false;
    options->drives[options->drive_count].controller = (uint32_t)controller;
    options->drives[options->drive_count].port = (uint32_t)port;
    options->drive_count++;
    return true;
}

/* Bits of the test whose name is the first `length` characters of `string`; 0: there is none. */
static uint32_t test_bits(const char *string, size_t length)
{
    if (length == 3 && string[0] == 'a' && string[1] == 'l' && string[2] == 'l')
        return PLAN_TESTS_ALL;
    for (int kind = PLAN_VERIFY; kind < PLAN_KINDS; kind++) {
        const char *name = plan_kind_name((enum plan_kind)kind);
        size_t same = 0;

        while (same < length && name[same] == string[same])
            same++;
        if (same == length && name[same] == '\0')
            return PLAN_TEST(kind);
    }
    return 0;
}

static bool parse_tests(const char *string, uint32_t *ret_tests)
{
    uint32_t tests = 0;

    for (;;) {
        size_t length = 0;
        uint32_t bits;

        while (string[length] != '\0' && string[length] != ',')
            length++;
        bits = test_bits(string, length);
        if (bits == 0)
            return false;
        tests |= bits;
        if (string[length] == '\0')
            break;
        string += length + 1;
    }
    *ret_tests = tests;
    return true;
}

static bool apply_flag(enum option_id id, struct options *options)
{
    switch (id) {
    case OPTION_HELP:
        return options->help = true;
    case OPTION_VERSION:
        return options->version = true;
    case OPTION_LIST:
        return options->list = true;
    case OPTION_PATH:
        return options->path = true;
    case OPTION_YES:
        return options->yes = true;
    case OPTION_FORCE:
        return options->force = true;
    case OPTION_PAGE:
        return options->page = true;
    case OPTION_DRIVE:
    case OPTION_TESTS:
    case OPTION_SEED:
    case OPTION_POSITIONS:
    case OPTION_ACCESS_COUNT:
    case OPTION_DEPTH_COUNT:
        break;
    }
    return false;
}

static bool apply_value(enum option_id id, const char *value, struct options *options)
{
    const char *end;

    switch (id) {
    case OPTION_DRIVE:
        return parse_drive(value, options);
    case OPTION_TESTS:
        return parse_tests(value, &options->plan.tests);
    case OPTION_SEED:
        options->seed_given = true;
        return parse_number(value, &options->plan.seed, &end) && *end == '\0';
    case OPTION_POSITIONS:
        return parse_count(value, &options->plan.positions);
    case OPTION_ACCESS_COUNT:
        return parse_count(value, &options->plan.accesses);
    case OPTION_DEPTH_COUNT:
        return parse_count(value, &options->plan.depth_commands);
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_LIST:
    case OPTION_PATH:
    case OPTION_YES:
    case OPTION_FORCE:
    case OPTION_PAGE:
        break;
    }
    return false;
}

/* The value behind '=' of a long option, or NULL. */
static const char *inline_value(const char *argument)
{
    if (argument[0] != '-' || argument[1] != '-')
        return NULL;
    while (*argument != '\0' && *argument != '=')
        argument++;
    return *argument == '=' ? argument + 1 : NULL;
}

enum status options_parse(const char *const *arguments, uint32_t count, struct options *options,
                          struct text *error)
{
    *options = (struct options){.plan.tests = PLAN_TESTS_ALL};

    for (uint32_t i = 0; i < count; i++) {
        const char *argument = arguments[i];
        const struct option *option = find_option(argument);
        const char *value = inline_value(argument);

        if (option == NULL) {
            text_printf(error, "unknown option \"%.60s\": -h lists the options", argument);
            return STATUS_INVALID;
        }
        if (option->value == NULL) {
            if (value != NULL || !apply_flag(option->id, options)) {
                text_printf(error, "option %s takes no value, but \"%.40s\" gives one",
                            option->long_name, argument);
                return STATUS_INVALID;
            }
            continue;
        }
        if (value == NULL && i + 1 == count) {
            text_printf(error, "option %s needs %s", option->long_name, option->value);
            return STATUS_INVALID;
        }
        if (value == NULL)
            value = arguments[++i];
        if (!apply_value(option->id, value, options)) {
            text_printf(error, "option %s: \"%.40s\" is not %s", option->long_name, value,
                        option->value);
            return STATUS_INVALID;
        }
    }
    return plan_check(&options->plan, error);
}
