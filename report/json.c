/* result.json: the run, the machine, the controllers and what is attached to them. */
#include "report/json.h"

#include "report/json_machine.h"
#include "report/json_path.h"
#include "report/json_run.h"
#include "report/json_text.h"

#include <stddef.h>

#define SCHEMA_VERSION 1

static void known(struct json *json, const char *key, enum result_known value)
{
    if (value == RESULT_UNKNOWN)
        json_null(json, key);
    else
        json_bool(json, key, value == RESULT_YES);
}

static void write_run(struct json *json, const struct result *result)
{
    const struct result_tool *tool = &result->tool;

    json_open(json, "run", '{');
    json_string(json, "id", tool->id);
    json_string_or_null(json, "rtc", tool->rtc);
    if (tool->rtc_zone_known)
        json_signed(json, "rtc_zone_minutes", tool->rtc_zone_minutes);
    else
        json_null(json, "rtc_zone_minutes");
    json_string(json, "tool", "barelane");
    json_string(json, "tool_version", tool->version);
    json_string(json, "started_by", tool->started_by);
    json_string(json, "arguments", tool->arguments);
    json_string(json, "status", base_status_name(result->status));
    json_bool(json, "finished", result->finished);
    json_close(json, '}');
}

static const char *source_name(enum hw_clock_source source)
{
    switch (source) {
    case HW_CLOCK_NONE:
        return "none";
    case HW_CLOCK_PM_TIMER:
        return "pm-timer";
    case HW_CLOCK_CPUID:
        return "cpuid";
    case HW_CLOCK_STALL:
        return "stall";
    }
    return "none";
}

static void write_clock(struct json *json, const struct hw_clock *clock)
{
    json_open(json, "clock", '{');
    json_number(json, "hz", clock->hz);
    json_string(json, "source", source_name(clock->source));
    json_bool(json, "invariant", clock->invariant);
    json_number(json, "spread_ppm", clock->spread_ppm);
    json_number(json, "brackets", clock->brackets);
    json_number(json, "brackets_kept", clock->brackets_kept);
    json_number_or_null(json, "cpuid_hz", clock->cpuid_hz);
    if (clock->cpuid_hz != 0 && clock->source != HW_CLOCK_CPUID)
        json_signed(json, "cpuid_differs_ppm", clock->cpuid_differs_ppm);
    else
        json_null(json, "cpuid_differs_ppm");
    json_close(json, '}');
}

static void pair(struct json *json, const char *key, uint16_t first, uint16_t second)
{
    char name[10];
    struct text text;

    text_init(&text, name, sizeof name);
    text_printf(&text, "%04x:%04x", first, second);
    json_string(json, key, name);
}

static void write_pci(struct json *json, const struct pci_device *pci)
{
    char name[RESULT_ADDRESS_BYTES];
    struct text text;

    json_open(json, "pci", '{');
    result_address(&pci->address, name);
    json_string(json, "address", name);
    pair(json, "id", pci->vendor_id, pci->device_id);
    pair(json, "subsystem", pci->subsystem_vendor_id, pci->subsystem_id);
    json_number(json, "revision", pci->revision);
    text_init(&text, name, sizeof name);
    text_printf(&text, "%02x%02x%02x", pci->class_base, pci->class_sub, pci->prog_if);
    json_string(json, "class", name);
    json_close(json, '}');
}

static void write_info(struct json *json, const struct drive_info *info)
{
    json_string(json, "model", info->model);
    json_string(json, "firmware", info->firmware);
    json_number(json, "sectors", info->sectors);
    json_number(json, "logical_bytes", info->logical_bytes);
    json_number(json, "physical_bytes", info->physical_bytes);
    json_number(json, "alignment_sectors", info->alignment_sectors);
    json_number_or_null(json, "rotation_rpm", info->rotation_rpm);
    json_number(json, "queue_depth", info->queue_depth);
    json_number(json, "command_sectors_max", info->command_sectors_max);
    json_open_inline(json, "sata_generations", '[');
    for (unsigned generation = 1; generation <= 3; generation++)
        if ((info->sata_speeds >> generation & 1) != 0)
            json_number(json, NULL, generation);
    json_close(json, ']');
    json_number_or_null(json, "sata_generation", info->link_speed);
    json_number_or_null(json, "sata_generation_reported", info->link_reported);
    json_number_or_null(json, "acoustic_level", info->acoustic);
    json_string_or_null(json, "zones", drive_zones_name(info->zones));
    if (info->look_ahead_known)
        json_bool(json, "look_ahead", info->look_ahead);
    else
        json_null(json, "look_ahead");
    json_bool(json, "lba48", info->lba48);
    json_bool(json, "checksum_valid", info->checksum_valid);
    json_bool(json, "removable", info->removable);
    json_bool(json, "array", info->array);
    json_bool(json, "locked", info->locked);
    json_bool(json, "standby", info->standby);
    json_bool(json, "starts_in_standby", info->starts_in_standby);
}

static void write_drive(struct json *json, const struct result *result, uint32_t controller,
                        uint32_t port_index)
{
    const struct result_drive *drive = result->controllers[controller].ports[port_index].drive;

    json_open(json, "drive", '{');
    write_info(json, &drive->info);
    json_string_or_null(json, "left_alone", drive->left_alone);
    if (drive->planned && drive->run != NULL) {
        json_run(json, drive->run, &result->clock);
        json_verdict(json, result, controller, port_index);
    } else {
        json_null(json, "run");
        json_null(json, "sata_link");
        json_null(json, "watch");
        json_null(json, "verdict");
    }
    json_close(json, '}');
}

static void write_port(struct json *json, const struct result *result, uint32_t controller,
                       uint32_t port_index)
{
    const struct result_port *port = &result->controllers[controller].ports[port_index];

    json_open(json, NULL, '{');
    json_number(json, "port", port->number);
    json_string(json, "kind", port->kind);
    json_string_or_null(json, "reason", port->reason);
    json_string_or_null(json, "model", port->model);
    if (port->drive != NULL)
        write_drive(json, result, controller, port_index);
    else
        json_null(json, "drive");
    json_close(json, '}');
}

static void write_ahci(struct json *json, const struct result_controller *controller)
{
    if (!controller->taken) {
        json_null(json, "ahci");
        return;
    }
    json_open(json, "ahci", '{');
    json_hex(json, "cap", controller->cap, 8);
    json_hex(json, "cap2", controller->cap2, 8);
    json_hex(json, "vs", controller->vs, 8);
    json_hex(json, "pi", controller->pi, 8);
    json_close(json, '}');
}

static void write_restored(struct json *json, const struct result_restored *restored)
{
    if (!restored->known) {
        json_null(json, "restored");
        return;
    }
    json_open(json, "restored", '{');
    json_hex(json, "ports_restored", restored->ports_restored, 8);
    json_hex(json, "ports_differ", restored->ports_differ, 8);
    json_bool(json, "memory_abandoned", restored->memory_abandoned);
    known(json, "firmware_back", restored->firmware_back);
    known(json, "volumes_back", restored->volumes_back);
    json_string_or_null(json, "reason", restored->reason);
    json_close(json, '}');
}

static void write_controller(struct json *json, const struct result *result, uint32_t index)
{
    const struct result_controller *controller = &result->controllers[index];

    json_open(json, NULL, '{');
    json_number(json, "index", index);
    write_pci(json, &controller->pci);
    json_path(json, result, index);
    json_string_or_null(json, "slot", controller->slot);
    json_string_or_null(json, "left_alone", controller->left_alone);
    write_ahci(json, controller);
    write_restored(json, &controller->restored);
    json_open(json, "ports", '[');
    for (uint32_t i = 0; i < controller->port_count; i++)
        write_port(json, result, index, i);
    json_close(json, ']');
    json_close(json, '}');
}

void report_json(struct text *text, const struct result *result)
{
    struct json json = {.text = text};

    json_open(&json, NULL, '{');
    json_string(&json, "schema", "barelane-result");
    json_number(&json, "schema_version", SCHEMA_VERSION);
    write_run(&json, result);
    json_machine(&json, &result->machine);
    write_clock(&json, &result->clock);
    json_open(&json, "controllers", '[');
    for (uint32_t i = 0; i < result->controller_count; i++)
        write_controller(&json, result, i);
    json_close(&json, ']');
    json_open(&json, "notes", '[');
    for (uint32_t i = 0; i < result->note_count; i++)
        json_string(&json, NULL, result->notes[i]);
    json_close(&json, ']');
    json_number(&json, "notes_dropped", result->notes_dropped);
    json_string(&json, "end", "complete");
    json_close(&json, '}');
}
