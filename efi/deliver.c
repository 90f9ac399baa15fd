/* The result files: where they go, when they are written, what happens when they cannot be. */
#include "base/text.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/pure/device_path.h"
#include "efi/session.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/table.h"

static const EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;

#define JSON_FILE  "result.json"
#define TABLE_FILE "result.txt"
#define CSV_FILE   "samples.csv"

#define FOLDER_TRIES 8

static const char *why(enum status status)
{
    switch (status) {
    case STATUS_READ_ONLY:
        return "it is read-only";
    case STATUS_FULL:
        return "it is full";
    case STATUS_NOT_FOUND:
        return "there is no file system";
    case STATUS_OK:
    case STATUS_INVALID:
    case STATUS_UNSUPPORTED:
    case STATUS_TIMEOUT:
    case STATUS_DEVICE:
    case STATUS_GONE:
    case STATUS_NO_MEMORY:
    case STATUS_ABORTED:
    case STATUS_MISMATCH:
    case STATUS_VOID:
    case STATUS_COUNT:
        break;
    }
    return "the firmware reports an error";
}

/* RESULT-20261130-231245-1a2b: the clock may be wrong, so a part of the run's id keeps names apart.
 */
static void folder_name(const struct result_tool *tool, uint32_t attempt, struct text *name)
{
    text_string(name, "RESULT-");
    if (tool->rtc[0] == '\0')
        text_string(name, "NOCLOCK");
    for (const char *c = tool->rtc; *c != '\0'; c++) {
        if (*c == 'T')
            text_char(name, '-');
        else if (*c >= '0' && *c <= '9')
            text_char(name, *c);
    }
    text_printf(name, "-%.4s", tool->id + 4 * (attempt % 8));
}

static enum status make_folder(struct session *session)
{
    struct volume *volume = &session->files.volume;
    enum status status = STATUS_INVALID;

    for (uint32_t i = 0; i < FOLDER_TRIES && status == STATUS_INVALID; i++) {
        char name[VOLUME_NAME_MAX];
        struct text text;

        text_init(&text, name, sizeof name);
        folder_name(&session->result.tool, i, &text);
        status = volume_make_folder(volume, name);
    }
    session->files.made = status == STATUS_OK;
    return status;
}

static bool buffers(struct session *session)
{
    struct session_files *files = &session->files;
    struct session_place place = {0, 0};
    uint32_t drives = 0;
    uint32_t port;

    while (session_next_drive(session, &place, &port) != NULL)
        drives++;
    files->json_bytes = REPORT_JSON_BYTES(session->target_count, drives);
    files->table_bytes = REPORT_TABLE_BYTES(session->target_count, drives);
    files->json = firmware_allocate(files->json_bytes);
    files->table = firmware_allocate(files->table_bytes);
    files->rows = firmware_allocate(SESSION_ROWS_BYTES);
    return files->json != NULL && files->table != NULL && files->rows != NULL;
}

/* By its path: while a controller is taken, handles below it do not exist. */
static bool on_tested_controller(const struct session *session, const uint8_t *path)
{
    for (uint32_t i = 0; i < session->target_count; i++) {
        if (session->controllers[i].taken &&
            device_path_below(path, session->targets[i].handover.path))
            return true;
    }
    return false;
}

void session_remember_volume(struct session *session)
{
    struct session_files *files = &session->files;
    EFI_HANDLE handle = firmware.loaded != NULL ? firmware.loaded->DeviceHandle : NULL;

    files->status = volume_remember(&files->volume, handle);
    files->remembered = files->status == STATUS_OK;
}

enum status session_open_files(struct session *session)
{
    struct session_files *files = &session->files;

    if (!buffers(session))
        return STATUS_NO_MEMORY;
    if (!files->remembered) {
        console_printf("The volume barelane was started from cannot take results: %s.\n",
                       why(files->status));
        return STATUS_OK;
    }
    if (on_tested_controller(session, files->volume.path)) {
        console_print("The boot volume's controller is under test: results wait in memory.\n");
        return STATUS_OK;
    }
    files->status = make_folder(session);
    if (files->status != STATUS_OK)
        console_printf("The volume barelane was started from cannot take results: %s.\n",
                       why(files->status));
    return STATUS_OK;
}

static enum status save_json(struct session *session)
{
    struct text text;

    text_init(&text, session->files.json, session->files.json_bytes);
    report_json(&text, &session->result);
    if (text.truncated)
        return STATUS_FULL;
    return volume_replace(&session->files.volume, JSON_FILE, text.buffer, text.length);
}

static enum status save_table(struct session *session)
{
    struct text text;

    text_init(&text, session->files.table, session->files.table_bytes);
    report_table(&text, &session->result);
    return volume_replace(&session->files.volume, TABLE_FILE, text.buffer, text.length);
}

/* Adds the rows of a drive that are not in the file yet. */
static enum status save_rows(struct session *session, uint32_t controller, uint32_t port)
{
    struct session_target *target = &session->targets[controller];
    struct result_drive *drive = target->drives[port];
    uint32_t *saved = &target->rows_saved[port];
    struct text text;

    text_init(&text, session->files.rows, SESSION_ROWS_BYTES);
    if (!session->files.rows_begun)
        report_csv_header(&text);
    while (*saved < drive->run->sample_count || text.length > 0) {
        enum status status;

        while (*saved < drive->run->sample_count &&
               text.length + REPORT_CSV_ROW_BYTES < SESSION_ROWS_BYTES)
            report_csv_row(&text, drive, (*saved)++, controller, port);
        status = volume_append(&session->files.volume, CSV_FILE, text.buffer, text.length);
        if (status != STATUS_OK)
            return status;
        session->files.rows_begun = true;
        text_init(&text, session->files.rows, SESSION_ROWS_BYTES);
    }
    return STATUS_OK;
}

static enum status save_all_rows(struct session *session)
{
    struct session_place place = {0, 0};
    struct result_drive *drive;
    uint32_t port;

    while ((drive = session_next_drive(session, &place, &port)) != NULL) {
        enum status status = STATUS_OK;

        if (drive->planned)
            status = save_rows(session, place.controller, port);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* The smaller files first: when the volume is nearly full, the figures matter more than the rows.
 */
static enum status save(struct session *session)
{
    struct session_files *files = &session->files;
    enum status json;
    enum status table;

    session->result.status = result_judge(&session->result);
    json = save_json(session);
    table = save_table(session);
    /* Rows that once did not fit would leave a hole: they are not tried again. */
    if (files->rows_status == STATUS_OK)
        files->rows_status = save_all_rows(session);
    files->json_saved = json == STATUS_OK;
    if (json != STATUS_OK)
        return json;
    return table != STATUS_OK ? table : files->rows_status;
}

void session_checkpoint(struct session *session)
{
    if (session->files.made)
        session->files.status = save(session);
}

/* The whole result between two marker lines, for whoever listens on a serial port. */
static void send_json(struct session *session)
{
    static const char begin[] = "\r\n-----BEGIN BARELANE RESULT-----\r\n";
    static const char end[] = "-----END BARELANE RESULT-----\r\n";
    struct text text;

    text_init(&text, session->files.json, session->files.json_bytes);
    report_json(&text, &session->result);
    if (console_serial(begin, sizeof begin - 1) && console_serial(text.buffer, text.length) &&
        console_serial(end, sizeof end - 1))
        console_print("result.json was sent to the serial port instead.\n");
    else
        console_print("There is no serial port to send result.json to.\n");
}

static void save_elsewhere(struct session *session, EFI_HANDLE handle)
{
    struct session_files *files = &session->files;

    volume_forget(&files->volume);
    files->made = false;
    files->json_saved = false;
    files->rows_begun = false;
    files->rows_status = STATUS_OK;
    for (uint32_t i = 0; i < session->target_count; i++)
        __builtin_memset(session->targets[i].rows_saved, 0, sizeof session->targets[i].rows_saved);
    files->status = volume_remember(&files->volume, handle);
    if (files->status == STATUS_OK)
        files->status = make_folder(session);
    if (files->status == STATUS_OK)
        files->status = save(session);
    if (files->status != STATUS_OK)
        console_printf("That volume does not take them either: %s.\n", why(files->status));
}

/* Asks an attending user for another, removable volume. */
static void offer_volumes(struct session *session)
{
    UINTN found;
    UINTN count = 0;
    EFI_HANDLE *handles = volume_removable(&session->files.volume, &found);
    char key;

    /* Firmware may call a hot-plug SATA disk removable; a tested disk is never written to. */
    for (UINTN i = 0; i < found; i++) {
        if (!on_tested_controller(session, firmware_protocol(handles[i], &path_guid)))
            handles[count++] = handles[i];
    }
    if (count > 9)
        count = 9;
    for (UINTN i = 0; i < count; i++) {
        char label[48];

        volume_label(handles[i], label, sizeof label);
        console_printf("  %u: removable volume \"%s\"\n", (unsigned)(i + 1), label);
    }
    if (count == 0) {
        console_print("There is no removable FAT volume to save to instead.\n");
        firmware_free_pool(handles);
        return;
    }
    console_drain();
    console_print("Save the results there? Number of the volume, or n for no: ");
    do
        key = console_wait_key(1000);
    while (key != 'n' && key != CONSOLE_ESCAPE && key != CONSOLE_CTRL_C &&
           !(key >= '1' && (UINTN)(key - '0') <= count));
    console_print("\n");
    if (key >= '1' && key <= '9')
        save_elsewhere(session, handles[key - '1']);
    firmware_free_pool(handles);
}

static void say_not_saved(const struct session *session)
{
    const struct session_files *files = &session->files;

    if (files->json_saved)
        console_printf("Not all result files could be saved: %s.\n", why(files->status));
    else
        console_printf("The results could not be saved on the boot volume: %s.\n",
                       why(files->status));
}

enum status session_deliver(struct session *session)
{
    struct session_files *files = &session->files;

    if (files->remembered && !files->made && files->status == STATUS_OK)
        files->status = make_folder(session);
    if (files->made)
        files->status = save(session);
    if (files->status != STATUS_OK) {
        say_not_saved(session);
        if (session->attended)
            offer_volumes(session);
    }
    if (!files->json_saved)
        send_json(session);
    if (files->made && files->json_saved)
        console_printf("Results: \\barelane\\%s\\\n", files->volume.name);
    if (files->status == STATUS_OK && session_save_tree(session) != STATUS_OK)
        console_print("pci.txt could not be saved.\n");
    volume_forget(&files->volume);
    return files->status;
}
