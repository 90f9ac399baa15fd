/* Clock, PCI walk, AHCI controllers. */
#include "base/text.h"
#include "efi/clock.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/machine.h"
#include "efi/pure/smbios.h"
#include "efi/session.h"
#include "pci/ceiling.h"
#include "pci/path_read.h"

static void note_time(struct result_tool *tool)
{
    struct machine_time time;
    struct text text;

    machine_time(&time);
    text_init(&text, tool->rtc, sizeof tool->rtc);
    if (time.known)
        text_printf(&text, "%04u-%02u-%02uT%02u:%02u:%02u", time.year, time.month, time.day,
                    time.hour, time.minute, time.second);
    tool->rtc_zone_known = time.zone_known;
    /* EFI_TIME.TimeZone is UTC minus local time. */
    tool->rtc_zone_minutes = (int16_t)-time.zone_minutes;
}

static void note_machine(struct session *session)
{
    struct result_machine *machine = &session->result.machine;
    int secure_boot = machine_secure_boot();
    const char *note;

    machine_firmware(session->firmware_vendor, sizeof session->firmware_vendor);
    machine->firmware_vendor = session->firmware_vendor;
    machine->firmware_revision = firmware.system->FirmwareRevision;
    machine->uefi_revision = firmware.system->Hdr.Revision;
    machine->secure_boot = secure_boot < 0   ? RESULT_UNKNOWN
                           : secure_boot > 0 ? RESULT_YES
                                             : RESULT_NO;
    machine->hypervisor = machine_virtual();
    machine_cpu(&machine->cpu);
    machine_smbios(&machine->smbios, &note);
    if (note[0] != '\0')
        result_note(&session->result, note);
    machine_iommu(&machine->iommu, &note);
    if (note[0] != '\0')
        result_note(&session->result, note);
}

static void note_run(struct session *session)
{
    struct result_tool *tool = &session->result.tool;
    struct text text;
    uint64_t id[2] = {0, 0};

    machine_random(id);
    text_init(&text, tool->id, sizeof tool->id);
    text_printf(&text, "%016llx%016llx", (unsigned long long)id[0], (unsigned long long)id[1]);
    if (!session->options.seed_given)
        session->options.plan.seed = id[0] ^ id[1];
    note_time(tool);
    tool->version = BARELANE_VERSION;
    tool->started_by = session->from_shell ? "shell" : "boot";
    tool->arguments = session->arguments;
}

static void calibrate(struct session *session)
{
    struct pci_acpi_pm_timer timer;
    bool found = machine_pm_timer(&timer) == STATUS_OK;
    struct hw_clock *clock = &session->result.clock;

    clock_calibrate(found ? &timer : NULL, clock);
    if (clock->source == HW_CLOCK_STALL)
        result_note(&session->result, "The clock was measured with the firmware's Stall only: "
                                      "every rate may be several per cent wrong.");
    if (!clock->invariant)
        result_note(&session->result, "The processor does not promise a constant TSC rate.");
}

static void add_target(struct session *session, uint32_t index, const char *left_alone)
{
    struct session_target *target = &session->targets[session->target_count];
    struct result_controller *controller = &session->controllers[session->target_count];
    const struct result_slot *slot =
        smbios_slot_of(&session->result.machine.smbios, session->tree.devices, index);
    EFI_TPL level;

    target->device = &session->tree.devices[index];
    controller->slot = slot != NULL ? slot->designation : "";
    controller->pci = *target->device;
    controller->left_alone = left_alone;
    controller->restored.reason = "";
    level = firmware_quiet();
    controller->has_path = pci_path_read(&session->config, &session->tree, (int32_t)index,
                                         &controller->path) == STATUS_OK;
    firmware_resume(level);
    controller->header_bytes = PCI_TLP_HEADER_3DW; /* DMA memory is below 4 GiB: hw/dma.h */
    if (!controller->has_path)
        result_note(&session->result, "The path to a controller has more hops than are followed.");
    handover_find(&target->handover, &session->config, target->device);
    session->target_count++;
}

static enum status find_controllers(struct session *session)
{
    for (uint32_t i = 0; i < session->tree.count; i++) {
        const char *reason = "";
        enum ahci_match match = ahci_match(&session->tree.devices[i], &reason);

        if (match == AHCI_MATCH_NO)
            continue;
        if (session->target_count == SESSION_CONTROLLERS_MAX) {
            result_note(&session->result, "There are more AHCI controllers than are handled.");
            break;
        }
        add_target(session, i, match == AHCI_MATCH_REFUSED ? reason : "");
    }
    session->result.controllers = session->controllers;
    session->result.controller_count = session->target_count;
    return session->target_count > 0 ? STATUS_OK : STATUS_NOT_FOUND;
}

enum status session_walk(struct session *session)
{
    const char *note;
    enum status status;
    EFI_TPL level = firmware_quiet();

    machine_read_mcfg(&session->host, &note);
    firmware_resume(level);
    if (note[0] != '\0')
        result_note(&session->result, note);
    session->config = pci_config_host(&session->host);
    session->tree.capacity = SESSION_FUNCTIONS_MAX;
    session->tree.devices =
        firmware_allocate(SESSION_FUNCTIONS_MAX * sizeof *session->tree.devices);
    if (session->tree.devices == NULL)
        return STATUS_NO_MEMORY;
    level = firmware_quiet();
    status = pci_walk_host(&session->host, &session->tree);
    firmware_resume(level);
    if (status == STATUS_FULL)
        result_note(&session->result, "There are more PCI functions than are listed.");
    return status == STATUS_FULL ? STATUS_OK : status;
}

enum status session_discover(struct session *session)
{
    enum status status;

    note_run(session);
    note_machine(session);
    calibrate(session);
    if (session->result.clock.hz == 0)
        return STATUS_UNSUPPORTED;
    status = session_walk(session);
    return status == STATUS_OK ? find_controllers(session) : status;
}
