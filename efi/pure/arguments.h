/*
 * Arguments out of LoadOptions, which may be anything: a command line with or without the
 * program's name, or binary junk that firmware or an operating system left in a boot entry.
 * (UEFI 2.10, section 9.1.)
 */
#ifndef EFI_PURE_ARGUMENTS_H
#define EFI_PURE_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#define ARGUMENTS_MAX      64
#define ARGUMENTS_TEXT_MAX 1024

struct arguments {
    char text[ARGUMENTS_TEXT_MAX]; /* the strings, each NUL-terminated */
    const char *list[ARGUMENTS_MAX];
    uint32_t count;
};

/*
 * Splits LoadOptions at blanks; double quotes keep blanks. A first word that names an .efi file is
 * dropped: some loaders put the program's name there, some do not. Anything that is not printable
 * UCS-2 text, is odd-sized or too long gives no arguments at all.
 */
void arguments_from_load_options(const uint8_t *bytes, size_t size, struct arguments *arguments);

#endif
