/*
 * barelane: from power-on to a result file. This file is the table of contents; each stage stands
 * in the file that session.h names.
 */
#include "base/text.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/session.h"
#include "efi/start.h"
#include "report/table.h"

static void say_what_it_is(const struct session *session)
{
    if (!session->from_shell)
        console_clear();
    console_print("barelane " BARELANE_VERSION
                  ": measures what a disk controller and its PCIe lane deliver\n"
                  "It reads only: it never writes to a disk it tests.\n\n");
}

/* The table stays on the screen whatever happens to the files. */
static void print_table(struct session *session)
{
    struct text text;

    text_init(&text, session->files.table, session->files.table_bytes);
    report_table(&text, &session->result);
    console_print("\n");
    console_print(session->files.table);
    console_print("\n");
}

/* Measures everything that was claimed, gives it back, saves. */
static enum status run(struct session *session)
{
    enum status status = session_plan(session);
    enum status saved;

    if (status == STATUS_NOT_FOUND)
        console_print("There is no drive to measure.\n");
    if (status == STATUS_OK)
        status = session_open_files(session);
    if (status != STATUS_OK) {
        session_release(session);
        return status;
    }
    console_print("Ctrl-C stops the run, q asks first; what was measured is kept.\n");
    status = session_measure(session);
    session_release(session);
    session->result.status = result_judge(&session->result);
    session->result.finished = true;
    print_table(session);
    saved = session_deliver(session);
    if (saved != STATUS_OK)
        return saved == STATUS_FULL ? STATUS_FULL : STATUS_READ_ONLY;
    return status != STATUS_OK ? status : session->result.status;
}

/* What a program that was booted does between finding drives and measuring them. */
static enum menu_choice ask(struct session *session)
{
    enum menu_choice choice;

    if (session->from_shell || session->options.yes)
        return MENU_RUN;
    choice = menu_countdown(session);
    while (choice == MENU_LIST) {
        session_list(session);
        choice = menu_ask();
    }
    return choice;
}

static enum status start(struct session *session, enum menu_choice *ret_choice)
{
    enum status status;

    session_remember_volume(session);
    status = session_discover(session);
    if (status == STATUS_NOT_FOUND)
        console_print("There is no AHCI controller in this machine.\n");
    if (status != STATUS_OK)
        return status;
    status = session_claim(session);
    if (status == STATUS_OK)
        session_list(session);
    if (status == STATUS_OK && !session->options.list)
        *ret_choice = ask(session);
    if (status == STATUS_OK && !session->options.list && *ret_choice == MENU_RUN)
        return run(session);
    session_release(session);
    return status;
}

static void say_how_it_ended(const struct session *session, enum status status)
{
    if (status == STATUS_OK)
        console_print("barelane: done\n");
    else if (session->result.finished && session->files.status != STATUS_OK)
        console_print("barelane: failed: results not saved\n");
    else
        console_printf("barelane: failed: %s\n", base_status_name(status));
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    enum menu_choice choice = MENU_RUN;
    struct session *session;
    enum status status;

    firmware_init(image, system);
    session = firmware_allocate(sizeof *session);
    if (session == NULL)
        return EFI_OUT_OF_RESOURCES;
    status = start_read(session);
    console_init(session->options.page);
    if (status != STATUS_OK || session->options.help || session->options.version) {
        if (status == STATUS_OK)
            console_print(session->options.help ? options_help()
                                                : "barelane " BARELANE_VERSION "\n");
        console_close();
        firmware_free_all();
        return firmware_status(status);
    }
    say_what_it_is(session);
    status = session->options.path ? session_show_tree(session) : start(session, &choice);
    say_how_it_ended(session, status);
    if (!session->from_shell && !session->options.yes && choice == MENU_RUN)
        choice = menu_end();
    console_close();
    firmware_free_all();
    if (choice == MENU_POWER_OFF)
        system->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    return firmware_status(status);
}
