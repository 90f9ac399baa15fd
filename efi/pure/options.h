/*
 * The command line: parsing it, and the help text. Pure functions over plain strings, so the host
 * tests cover them; where the strings come from is efi/start.c's business.
 */
#ifndef EFI_PURE_OPTIONS_H
#define EFI_PURE_OPTIONS_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_DRIVES_MAX 16

/* Tests that can be asked for, as bits. */
enum options_test {
    OPTIONS_TEST_VERIFY = 1,
    OPTIONS_TEST_TRANSFER = 2,
    OPTIONS_TEST_ACCESS = 4,
    OPTIONS_TEST_DEPTH = 8,
    OPTIONS_TEST_ALL = 15,
};

/* A drive by the numbers that the list shows. */
struct options_drive {
    uint32_t controller;
    uint32_t port;
};

struct options {
    bool help;
    bool version;
    bool list;
    bool yes;   /* unattended: no countdown, no question */
    bool force; /* also the controller that carries the boot volume */
    bool page;
    uint32_t tests; /* bits of enum options_test */
    uint32_t drive_count;
    struct options_drive drives[OPTIONS_DRIVES_MAX]; /* none: all drives */
    bool seed_given;
    uint64_t seed;
    uint32_t positions; /* 0: the plan's own number; so for the next two */
    uint32_t access_count;
    uint32_t depth_count;
};

/* Limits of the numeric options, also named in the help text. */
#define OPTIONS_POSITIONS_MIN 256
#define OPTIONS_POSITIONS_MAX 4096
#define OPTIONS_ACCESS_MIN    2000
#define OPTIONS_ACCESS_MAX    100000
#define OPTIONS_DEPTH_MIN     1000
#define OPTIONS_DEPTH_MAX     2000000

/*
 * Parses `count` arguments (the program's name not among them). STATUS_INVALID: *error holds one
 * line that says what is wrong and what would be right; *options is not usable then.
 */
enum status options_parse(const char *const *arguments, uint32_t count, struct options *options,
                          struct text *error) MUST_CHECK;

/* The text of -h: at most 24 lines of at most 79 columns. */
const char *options_help(void);

#endif
