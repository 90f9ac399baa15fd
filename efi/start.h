/* How the program was started, and with which arguments. */
#ifndef EFI_START_H
#define EFI_START_H

#include "base/status.h"
#include "efi/session.h"

/*
 * Reads the arguments, from the shell's parameters protocol where there is one, else from
 * LoadOptions, and fills options, from_shell, attended and arguments. STATUS_INVALID: a message was
 * printed.
 */
enum status start_read(struct session *session) MUST_CHECK;

#endif
