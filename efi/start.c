/* How the program was started. */
#include "efi/start.h"

#include "base/text.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/pure/arguments.h"

#include <efishell.h>

/* Copies the shell's arguments behind the program's name; what is not ASCII becomes '?'. */
static bool from_shell(const EFI_SHELL_PARAMETERS_PROTOCOL *shell, struct arguments *arguments)
{
    struct text text;

    text_init(&text, arguments->text, sizeof arguments->text);
    for (UINTN i = 1; i < shell->Argc; i++) {
        const CHAR16 *wide = shell->Argv[i];

        if (arguments->count == ARGUMENTS_MAX)
            return false;
        arguments->list[arguments->count++] = text.buffer + text.length;
        for (; *wide != 0; wide++)
            text_char(&text, *wide > ' ' && *wide <= '~' ? (char)*wide : '?');
        /* The NUL between two strings, which text itself does not count. */
        if (text.length + 2 > text.capacity)
            return false;
        text.buffer[++text.length] = '\0';
    }
    return !text.truncated;
}

static void join(const struct arguments *arguments, char *buffer, size_t capacity)
{
    struct text text;

    text_init(&text, buffer, capacity);
    for (uint32_t i = 0; i < arguments->count; i++)
        text_printf(&text, i > 0 ? " %s" : "%s", arguments->list[i]);
}

enum status start_read(struct session *session)
{
    static const EFI_GUID parameters_guid = EFI_SHELL_PARAMETERS_PROTOCOL_GUID;
    EFI_SHELL_PARAMETERS_PROTOCOL *shell = firmware_protocol(firmware.image, &parameters_guid);
    struct arguments *arguments = firmware_allocate(sizeof *arguments);
    char line[200];
    struct text error;
    bool fits = true;
    enum status status;

    if (arguments == NULL)
        return STATUS_NO_MEMORY;
    session->from_shell = shell != NULL;
    if (shell != NULL)
        fits = from_shell(shell, arguments);
    else if (firmware.loaded != NULL && firmware.loaded->LoadOptions != NULL)
        arguments_from_load_options(firmware.loaded->LoadOptions, firmware.loaded->LoadOptionsSize,
                                    arguments);
    text_init(&error, line, sizeof line);
    status = options_parse(arguments->list, arguments->count, &session->options, &error);
    if (!fits) {
        text_init(&error, line, sizeof line);
        text_printf(&error, "too many arguments: at most %d, of %d characters together",
                    ARGUMENTS_MAX, ARGUMENTS_TEXT_MAX - ARGUMENTS_MAX);
        status = STATUS_INVALID;
    }
    join(arguments, session->arguments, sizeof session->arguments);
    firmware_free(arguments);
    if (status != STATUS_OK)
        console_printf("barelane: %s\n", line);
    session->attended = session->from_shell && !session->options.yes;
    return status;
}
