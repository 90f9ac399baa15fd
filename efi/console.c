/* The text console. */
#include "efi/console.h"

#include "base/text.h"
#include "efi/firmware.h"

#include <efishell.h>
#include <stdarg.h>

#define COLUMNS 79
#define POLL_MS 20

/* SimpleTextInput scan code of Escape (UEFI 2.10, section 12.3.3). */
#define SCAN_CODE_ESCAPE 0x17

static EFI_SHELL_PROTOCOL *shell;
static bool paging;
static bool break_seen;
static UINTN status_length; /* characters of the status line on screen */

void console_init(bool page)
{
    static const EFI_GUID shell_guid = EFI_SHELL_PROTOCOL_GUID;

    shell = firmware_locate(&shell_guid);
    paging = page && shell != NULL;
    if (paging)
        shell->EnablePageBreak();
}

void console_close(void)
{
    if (paging)
        shell->DisablePageBreak();
    paging = false;
}

void console_print(const char *string)
{
    CHAR16 piece[128];
    UINTN length = 0;

    if (firmware.system->ConOut == NULL)
        return;
    for (; *string != '\0'; string++) {
        if (length + 3 > sizeof piece / sizeof piece[0]) {
            piece[length] = 0;
            firmware.system->ConOut->OutputString(firmware.system->ConOut, piece);
            length = 0;
        }
        if (*string == '\n')
            piece[length++] = '\r';
        piece[length++] = (CHAR16)(unsigned char)*string;
    }
    piece[length] = 0;
    firmware.system->ConOut->OutputString(firmware.system->ConOut, piece);
}

/* console_print of a formatted line. */
void console_printf(const char *format, ...)
{
    char buffer[512];
    struct text text;
    va_list arguments;

    text_init(&text, buffer, sizeof buffer);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    console_print(buffer);
}

void console_status(const char *string)
{
    char buffer[COLUMNS + 4];
    struct text text;
    UINTN length = 0;

    text_init(&text, buffer, sizeof buffer);
    text_char(&text, '\r');
    for (; string[length] != '\0' && length < COLUMNS; length++)
        text_char(&text, string[length]);
    for (UINTN i = length; i < status_length; i++)
        text_char(&text, ' ');
    if (length == 0)
        text_char(&text, '\r');
    status_length = length;
    console_print(buffer);
}

void console_clear(void)
{
    if (firmware.system->ConOut != NULL)
        firmware.system->ConOut->ClearScreen(firmware.system->ConOut);
}

/* A waiting key or CONSOLE_NO_KEY. Does not wait. */
static char take_key(void)
{
    SIMPLE_INPUT_INTERFACE *input = firmware.system->ConIn;
    EFI_INPUT_KEY key;
    CHAR16 c;

    if (input == NULL || EFI_ERROR(input->ReadKeyStroke(input, &key)))
        return CONSOLE_NO_KEY;
    if (key.ScanCode == SCAN_CODE_ESCAPE)
        return CONSOLE_ESCAPE;
    /* Some firmware puts the character into the scan code. */
    c = key.UnicodeChar != 0 ? key.UnicodeChar : key.ScanCode;
    if (c == '\n')
        c = CONSOLE_ENTER;
    if (c >= 'A' && c <= 'Z' && key.UnicodeChar != 0)
        c = (CHAR16)(c | 0x20);
    if (c == CONSOLE_CTRL_C && key.UnicodeChar != 0)
        return CONSOLE_CTRL_C;
    if (key.UnicodeChar == 0 && c != CONSOLE_ENTER)
        return CONSOLE_OTHER;
    return c < 127 ? (char)c : CONSOLE_OTHER;
}

static bool shell_break(void)
{
    return shell != NULL && shell->ExecutionBreak != NULL &&
           firmware.boot->CheckEvent(shell->ExecutionBreak) == EFI_SUCCESS;
}

char console_wait_key(uint32_t ms)
{
    for (uint32_t waited = 0;; waited += POLL_MS) {
        char key = take_key();

        if (key != CONSOLE_NO_KEY || waited >= ms)
            return key;
        if (shell_break())
            return CONSOLE_CTRL_C;
        firmware.boot->Stall(POLL_MS * 1000);
    }
}

void console_drain(void)
{
    /* Bounded: a key that repeats for ever must not hold the program. */
    for (int i = 0; i < 64 && take_key() != CONSOLE_NO_KEY; i++)
        ;
    break_seen = false;
}

/* A single key that may have been touched by accident does not discard a long run. */
static bool confirm_stop(void)
{
    char key;

    console_status("");
    console_print("Stop the run? y stops it, any other key goes on: ");
    key = console_wait_key(10000);
    console_print("\n");
    return key == 'y' || key == CONSOLE_CTRL_C;
}

bool console_break(void)
{
    break_seen = break_seen || shell_break();
    for (int i = 0; i < 8; i++) {
        char key = take_key();

        if (key == CONSOLE_CTRL_C || ((key == CONSOLE_ESCAPE || key == 'q') && confirm_stop()))
            break_seen = true;
        if (key == CONSOLE_NO_KEY || break_seen)
            break;
    }
    return break_seen;
}

bool console_serial(const char *bytes, UINTN count)
{
    static const EFI_GUID serial_guid = SERIAL_IO_PROTOCOL;
    UINTN handle_count;
    EFI_HANDLE *handles = firmware_handles(&serial_guid, &handle_count);
    bool written = false;

    for (UINTN i = 0; i < handle_count; i++) {
        SERIAL_IO_INTERFACE *serial = firmware_protocol(handles[i], &serial_guid);
        UINTN done = 0;

        /* A write ends early when the other side is slow; it fails when there is none. */
        while (serial != NULL && done < count) {
            UINTN piece = count - done < 256 ? count - done : 256;
            EFI_STATUS status = serial->Write(serial, &piece, (char *)(UINTN)(bytes + done));

            done += piece;
            if (piece == 0 || (EFI_ERROR(status) && status != EFI_TIMEOUT))
                break;
        }
        written = written || (done == count && count > 0);
    }
    firmware_free_pool(handles);
    return written;
}
