/*
 * The command line: parsing it, and the help text. Pure functions over plain strings, so the host
 * tests cover them; where the strings come from is efi/start.c's business.
 */
#ifndef EFI_PURE_OPTIONS_H
#define EFI_PURE_OPTIONS_H

#include "base/status.h"
#include "base/text.h"
#include "bench/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_DRIVES_MAX 16

/* A drive by the numbers that the list shows. */
struct options_drive {
    uint32_t controller;
    uint32_t port;
};

struct options {
    bool help;
    bool version;
    bool list;
    bool path;  /* the tree and paths alone */
    bool yes;   /* unattended: no countdown, no question */
    bool force; /* also the controller that carries the boot volume */
    bool page;
    uint32_t drive_count;
    struct options_drive drives[OPTIONS_DRIVES_MAX]; /* none: all drives */
    bool seed_given;
    struct plan_options
        plan; /* within its ranges; without seed_given the seed is still to choose */
};

/*
 * Parses `count` arguments (the program's name not among them). STATUS_INVALID: *error holds one
 * line that says what is wrong and what would be right; *options is not usable then.
 */
enum status options_parse(const char *const *arguments, uint32_t count, struct options *options,
                          struct text *error) MUST_CHECK;

/* The text of -h: at most 24 lines of at most 79 columns. */
const char *options_help(void);

#endif
