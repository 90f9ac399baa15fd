/* The firmware's tables, and small helpers every file of this room uses. */
#ifndef EFI_FIRMWARE_H
#define EFI_FIRMWARE_H

#include "base/status.h"

#include <efi.h>

/* Set once by firmware_init, before anything else; read-only afterwards. */
struct firmware {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *system;
    EFI_BOOT_SERVICES *boot;
    EFI_LOADED_IMAGE *loaded; /* NULL if the firmware does not say */
};

extern struct firmware firmware;

/* Also switches the watchdog off: it would reset the machine after five minutes. */
void firmware_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* Interface of `protocol` on `handle`, or NULL. */
void *firmware_protocol(EFI_HANDLE handle, const EFI_GUID *protocol);

/* The first instance of `protocol`, or NULL. */
void *firmware_locate(const EFI_GUID *protocol);

/* All handles with `protocol`; free with firmware_free_pool. NULL and 0 if there are none. */
EFI_HANDLE *firmware_handles(const EFI_GUID *protocol, UINTN *ret_count);

/* Frees a list that the firmware allocated. */
void firmware_free_pool(void *pool);

/*
 * Zeroed memory of the program, or NULL. The firmware does not clean up after a program that
 * returns, so firmware_free_all gives back whatever is still there.
 */
void *firmware_allocate(UINTN bytes);
void firmware_free(void *memory);
void firmware_free_all(void);

/* A table of the EFI configuration table, or NULL. */
const void *firmware_table(const EFI_GUID *guid);

/*
 * Keeps interrupts, and with them the firmware's timer and drivers, out of what comes until
 * firmware_resume(level): of measurements, and of port accesses that take two steps. Only memory
 * and device registers may be used meanwhile.
 */
EFI_TPL firmware_quiet(void);
void firmware_resume(EFI_TPL level);

/* What the closest EFI status is to the caller of the program. */
EFI_STATUS firmware_status(enum status status);

/* Where gnu-efi's start code goes. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

#endif
