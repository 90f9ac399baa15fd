/*
 * The result folder on a FAT volume. Nothing here ever opens a volume that was not handed in.
 */
#ifndef EFI_VOLUME_H
#define EFI_VOLUME_H

#include "base/status.h"

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>

#define VOLUME_NAME_MAX 48

struct volume {
    uint8_t *path;          /* copy of the device path: handles change when drivers reconnect */
    EFI_FILE_HANDLE folder; /* \barelane\NAME; NULL while closed */
    char name[VOLUME_NAME_MAX];
};

/* Remembers the volume with this handle. STATUS_NOT_FOUND: it carries no file system. */
enum status volume_remember(struct volume *volume, EFI_HANDLE handle) MUST_CHECK;

/*
 * Makes the new folder \barelane\NAME and leaves it open. STATUS_INVALID: it exists already, choose
 * another name; STATUS_NOT_FOUND, STATUS_READ_ONLY, STATUS_FULL, STATUS_DEVICE as they say.
 */
enum status volume_make_folder(struct volume *volume, const char *name) MUST_CHECK;

/*
 * Puts a whole file in place of an older one of that name: written as NAME.new, flushed, the old
 * one deleted, renamed, flushed. A power cut leaves the old one, or the new one under either name.
 */
enum status volume_replace(struct volume *volume, const char *name, const void *bytes,
                           UINTN count) MUST_CHECK;

/* Adds to the end of a file and flushes. */
enum status volume_append(struct volume *volume, const char *name, const void *bytes,
                          UINTN count) MUST_CHECK;

void volume_forget(struct volume *volume);

/* Starts the drivers of all USB controllers; handles of removable volumes other than `except`; free
 * with firmware_free_pool. */
EFI_HANDLE *volume_removable(const struct volume *except, UINTN *ret_count);

/* Label of a volume in ASCII, "" if it has none. */
void volume_label(EFI_HANDLE handle, char *buffer, UINTN capacity);

#endif
