/*
 * The text console: ASCII only (serial terminals show anything else as garbage), 80 columns.
 */
#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>

/* Looks for the shell's break event and starts paging if asked. */
void console_init(bool page);

/* Ends paging. */
void console_close(void);

/* `\n` starts a new line. */
void console_print(const char *string);
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Overwrites the current line with `string`, at most 79 columns, and stays on it; "" clears it. */
void console_status(const char *string);

void console_clear(void);

/* Keys that have no character. */
#define CONSOLE_NO_KEY 0
#define CONSOLE_ENTER  '\r'
#define CONSOLE_ESCAPE 27
#define CONSOLE_CTRL_C 3
#define CONSOLE_OTHER  127 /* some key without a character of its own */

/* Waits up to `ms` for a key, letters in lower case; CONSOLE_NO_KEY if none came. */
char console_wait_key(uint32_t ms);

/* Forgets keys typed before now, and a wish to stop. */
void console_drain(void);

/*
 * The user asked to stop: Ctrl-C, the shell's break, or q (also Esc, which a serial line delivers
 * late) and a confirmation. Other keys met on the way are dropped.
 */
bool console_break(void);

/* Writes to every serial port the firmware knows, byte by byte; false if there is none. */
bool console_serial(const char *bytes, UINTN count);

#endif
