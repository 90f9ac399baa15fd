/* Taking the controllers, finding their drives, giving them back. */
#include "base/crc32.h"
#include "base/text.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/pure/device_path.h"
#include "efi/session.h"

static const EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
static const EFI_GUID block_guid = EFI_BLOCK_IO_PROTOCOL_GUID;

/* Sector size of optical media, which are not measured. */
#define OPTICAL_BLOCK 2048

/* CRC of every verify place of a drive, read by the firmware's own driver. False: a read failed. */
static bool read_references(EFI_BLOCK_IO *block, struct session_references *ret_references)
{
    EFI_BLOCK_IO_MEDIA *media = block->Media;
    EFI_PHYSICAL_ADDRESS buffer = 0;
    UINTN pages = PLAN_VERIFY_BYTES / 4096;
    bool good = true;

    if (EFI_ERROR(firmware.boot->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, &buffer)))
        return false;
    for (uint32_t i = 0; i < PLAN_VERIFY_PLACES && good; i++) {
        struct plan_place place = plan_verify_place(media->LastBlock + 1, media->BlockSize, i);
        UINTN bytes = (UINTN)place.sectors * media->BlockSize;

        good = bytes <= PLAN_VERIFY_BYTES &&
               !EFI_ERROR(block->ReadBlocks(block, media->MediaId, place.lba, bytes,
                                            (void *)(UINTN)buffer));
        if (good)
            ret_references->crc[i] = base_crc32(0, (void *)(UINTN)buffer, bytes);
    }
    firmware.boot->FreePages(buffer, pages);
    ret_references->sectors = media->LastBlock + 1;
    ret_references->logical_bytes = media->BlockSize;
    return good;
}

static void add_references(struct session_target *target, EFI_HANDLE handle)
{
    EFI_BLOCK_IO *block = firmware_protocol(handle, &block_guid);
    int port = device_path_sata_port(firmware_protocol(handle, &path_guid), target->handover.path);
    struct session_references *references;

    if (block == NULL || port < 0 || target->references[port] != NULL)
        return;
    if (!block->Media->MediaPresent || block->Media->LogicalPartition ||
        block->Media->LastBlock == 0 || block->Media->BlockSize < 512 ||
        block->Media->BlockSize == OPTICAL_BLOCK || block->Media->BlockSize > 4096)
        return;
    references = firmware_allocate(sizeof *references);
    if (references == NULL)
        return;
    if (read_references(block, references))
        target->references[port] = references;
    else
        firmware_free(references);
}

/* Before the take-over: what the firmware reads at the places that the verify test will read. */
static void collect_references(struct session_target *target)
{
    UINTN count;
    EFI_HANDLE *handles;

    if (target->handover.path == NULL)
        return;
    handover_start_driver(&target->handover);
    handles = firmware_handles(&block_guid, &count);
    for (UINTN i = 0; i < count; i++)
        add_references(target, handles[i]);
    firmware_free_pool(handles);
}

/*
 * The firmware may count ports or sectors otherwise; what it read then says nothing about this
 * drive, and verify compares two commands instead.
 */
static void check_references(struct session *session, struct session_target *target, unsigned port)
{
    const struct session_references *references = target->references[port];
    const struct drive_info *info = &target->drives[port]->info;

    if (references == NULL ||
        (references->sectors == info->sectors && references->logical_bytes == info->logical_bytes))
        return;
    firmware_free(target->references[port]);
    target->references[port] = NULL;
    result_note(&session->result, "The firmware gives a drive another size than the drive itself: "
                                  "its reads are no reference.");
}

/* Registers as the result shows them. */
static void note_ports(struct session *session, struct session_target *target,
                       struct result_controller *controller)
{
    struct ahci_controller *ahci = target->ahci;

    controller->taken = true;
    controller->cap = ahci->cap;
    controller->cap2 = ahci->cap2;
    controller->vs = ahci->vs;
    controller->pi = ahci->pi;
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++) {
        struct ahci_port *port = &ahci->ports[i];
        struct result_port *entry = &controller->ports[controller->port_count];
        struct drive *drive = ahci_port_drive(ahci, i);

        if (port->kind == AHCI_PORT_ABSENT)
            continue;
        entry->number = (uint8_t)i;
        entry->kind = ahci_port_kind_name(port->kind);
        /* That nothing is connected needs no explanation, and no line in the table. */
        entry->reason = port->kind == AHCI_PORT_EMPTY ? "" : port->reason;
        for (unsigned c = 0; drive == NULL && c < sizeof entry->model; c++)
            entry->model[c] = port->drive.info.model[c];
        if (drive != NULL)
            target->drives[i] = firmware_allocate(sizeof *target->drives[i]);
        entry->drive = target->drives[i];
        if (entry->drive != NULL) {
            entry->drive->info = drive->info;
            entry->drive->left_alone = "";
            check_references(session, target, i);
        }
        controller->port_count++;
    }
}

static void give_back(struct session_target *target, struct result_controller *controller)
{
    struct ahci_restored ahci = {.reason = ""};
    struct handover *handover = &target->handover;
    struct result_restored *restored = &controller->restored;

    /* A detach that abandons memory says so; the data buffer then may still be written to. */
    if (target->ahci != NULL)
        ahci_detach(target->ahci, &ahci);
    if (!ahci.memory_abandoned)
        hw_dma_free(&target->buffer);
    handover_give_back(handover);
    restored->known = true;
    restored->ports_restored = ahci.ports_restored;
    restored->ports_differ = ahci.ports_differ;
    restored->memory_abandoned = ahci.memory_abandoned;
    restored->reason = ahci.reason;
    if (handover->driver_bound)
        restored->firmware_back = handover->reconnected ? RESULT_YES : RESULT_NO;
    if (handover->volume_count > 0)
        restored->volumes_back =
            handover->volumes_back == handover->volume_count ? RESULT_YES : RESULT_NO;
    if (restored->reason[0] != '\0')
        return;
    if (!handover->command_restored)
        restored->reason = "the command register reads differently";
    else if (!handover->reconnected)
        restored->reason = "the firmware's driver did not start again";
    else if (restored->volumes_back == RESULT_NO)
        restored->reason = "not all volumes came back";
}

static enum status attach(struct session_target *target, struct hw_window window,
                          const struct hw_clock *clock, const char **ret_reason)
{
    const struct ahci_attach_info info = {
        .window = window,
        .clock = clock,
        .vendor_id = target->device->vendor_id,
        .device_id = target->device->device_id,
        .revision = target->device->revision,
    };
    struct ahci_controller *ahci = firmware_allocate(sizeof *ahci);
    struct ahci_restored restored;
    enum status status;

    *ret_reason = "not enough memory below 4 GiB";
    if (ahci == NULL)
        return STATUS_NO_MEMORY;
    status = hw_dma_alloc(PLAN_BUFFER_BYTES, &target->buffer);
    if (status == STATUS_OK)
        status = ahci_attach(ahci, &info, ret_reason);
    if (status == STATUS_OK) {
        status = handover_let_master(&target->handover, ret_reason);
        if (status != STATUS_OK)
            ahci_detach(ahci, &restored);
    }
    if (status != STATUS_OK) {
        firmware_free(ahci);
        return status;
    }
    target->ahci = ahci;
    return STATUS_OK;
}

static void claim(struct session *session, uint32_t number)
{
    struct session_target *target = &session->targets[number];
    struct result_controller *controller = &session->controllers[number];
    struct hw_window window = {0, 0};
    char line[80];
    struct text text;

    if (!session->options.list && (session->options.plan.tests & PLAN_TEST(PLAN_VERIFY)) != 0) {
        text_init(&text, line, sizeof line);
        text_printf(&text, "Controller %u: reading reference places through the firmware",
                    (unsigned)number);
        console_status(line);
        collect_references(target);
    }
    if (handover_take(&target->handover, &window, &controller->left_alone) != STATUS_OK)
        return;
    if (attach(target, window, &session->result.clock, &controller->left_alone) != STATUS_OK) {
        give_back(target, controller);
        return;
    }
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++) {
        if ((target->ahci->pi & (UINT32_C(1) << i)) == 0)
            continue;
        text_init(&text, line, sizeof line);
        text_printf(&text, "Controller %u: looking for a drive on port %u", (unsigned)number, i);
        console_status(line);
        if (ahci_port_probe(target->ahci, i) == STATUS_GONE) {
            result_note(&session->result, "A controller stopped answering while its ports were "
                                          "looked at.");
            break;
        }
    }
    console_status("");
    note_ports(session, target, controller);
}

/* Is there a drive, and not just a port, for every -d? */
static enum status check_drives(const struct session *session)
{
    for (uint32_t i = 0; i < session->options.drive_count; i++) {
        struct options_drive wanted = session->options.drives[i];
        const char *left_alone = "";

        if (wanted.controller < session->target_count) {
            if (session->targets[wanted.controller].drives[wanted.port] != NULL)
                continue;
            left_alone = session->controllers[wanted.controller].left_alone;
        }
        console_printf("barelane: there is no drive %u:%u to test: ", (unsigned)wanted.controller,
                       (unsigned)wanted.port);
        if (left_alone[0] != '\0')
            console_printf("controller %u is left alone, %s\n", (unsigned)wanted.controller,
                           left_alone);
        else
            console_print("-l lists the drives\n");
        return STATUS_NOT_FOUND;
    }
    return STATUS_OK;
}

/* With -d, a controller none of whose drives are wanted is not touched. */
static bool wanted(const struct session *session, uint32_t number)
{
    if (session->options.drive_count == 0 || session->options.list)
        return true;
    for (uint32_t i = 0; i < session->options.drive_count; i++) {
        if (session->options.drives[i].controller == number)
            return true;
    }
    return false;
}

enum status session_claim(struct session *session)
{
    EFI_HANDLE boot = firmware.loaded != NULL ? firmware.loaded->DeviceHandle : NULL;

    for (uint32_t i = 0; i < session->target_count; i++) {
        struct result_controller *controller = &session->controllers[i];

        if (controller->left_alone[0] != '\0')
            continue;
        if (!wanted(session, i))
            controller->left_alone = "not asked for";
        else if (handover_carries(&session->targets[i].handover, boot) && !session->options.force)
            controller->left_alone = "it carries the boot volume (--force tests it too)";
        else
            claim(session, i);
    }
    return session->options.list ? STATUS_OK : check_drives(session);
}

void session_release(struct session *session)
{
    for (uint32_t i = session->target_count; i-- > 0;) {
        struct session_target *target = &session->targets[i];

        if (target->ahci != NULL) {
            char line[80];
            struct text text;

            text_init(&text, line, sizeof line);
            text_printf(&text, "Controller %u: giving it back to the firmware", (unsigned)i);
            console_status(line);
            give_back(target, &session->controllers[i]);
            console_status("");
            firmware_free(target->ahci);
            target->ahci = NULL;
        }
        handover_forget(&target->handover);
    }
}
