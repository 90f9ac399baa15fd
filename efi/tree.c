/* pci.txt: what configuration space holds, once the controllers are given back. */
#include "efi/firmware.h"
#include "efi/session.h"
#include "report/dump.h"

#define DUMP_FILE "pci.txt"

/* Reads one function; 0 if it cannot be reached. Interrupts stay out of port accesses. */
static size_t read_function(const struct session *session, struct pci_address address,
                            uint8_t *config)
{
    size_t count = session->config.ops->reach(&session->config, address.segment, address.bus);
    EFI_TPL level = firmware_quiet();

    for (size_t offset = 0; offset < count; offset += 4) {
        uint32_t dword = pci_config_read32(&session->config, address, (uint16_t)offset);

        __builtin_memcpy(config + offset, &dword, sizeof dword);
    }
    firmware_resume(level);
    return count;
}

enum status session_save_tree(struct session *session)
{
    struct session_files *files = &session->files;
    uint8_t config[REPORT_DUMP_CONFIG_BYTES];
    enum status status = STATUS_OK;
    struct text text;

    text_init(&text, files->rows, SESSION_ROWS_BYTES);
    for (uint32_t i = 0; i < session->tree.count && status == STATUS_OK; i++) {
        const struct pci_device *device = &session->tree.devices[i];
        size_t count = read_function(session, device->address, config);

        report_dump_anonymise(config, count);
        report_dump_function(&text, device, config, count);
        if (text.length + REPORT_DUMP_BYTES < SESSION_ROWS_BYTES && i + 1 < session->tree.count)
            continue;
        status = volume_append(&files->volume, DUMP_FILE, text.buffer, text.length);
        text_init(&text, files->rows, SESSION_ROWS_BYTES);
    }
    return status;
}
