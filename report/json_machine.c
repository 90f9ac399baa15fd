/* The machine: firmware, board, system, BIOS, processor, memory, slots. */
#include "report/json_machine.h"

#include "report/json_path.h"

static void write_product(struct json *json, const char *key, const struct result_product *product)
{
    json_open(json, key, '{');
    json_string_or_null(json, "vendor", product->vendor);
    json_string_or_null(json, "product", product->product);
    json_string_or_null(json, "version", product->version);
    json_close(json, '}');
}

static void write_bios(struct json *json, const struct result_bios *bios)
{
    json_open(json, "bios", '{');
    json_string_or_null(json, "vendor", bios->vendor);
    json_string_or_null(json, "version", bios->version);
    json_string_or_null(json, "date", bios->date);
    json_close(json, '}');
}

static void write_cpu(struct json *json, const struct result_machine *machine)
{
    const struct result_cpu *cpu = &machine->cpu;

    json_open(json, "cpu", '{');
    json_string_or_null(json, "name", cpu->name);
    json_string_or_null(json, "smbios_name", machine->smbios.cpu);
    json_string_or_null(json, "vendor", cpu->vendor);
    json_number_or_null(json, "family", cpu->family);
    /* Model and stepping 0 exist; no 64-bit processor has family 0. */
    if (cpu->family != 0) {
        json_number(json, "model", cpu->model);
        json_number(json, "stepping", cpu->stepping);
    } else {
        json_null(json, "model");
        json_null(json, "stepping");
    }
    json_close(json, '}');
}

static void write_slot(struct json *json, const struct result_slot *slot)
{
    char address[RESULT_ADDRESS_BYTES];

    json_open_inline(json, NULL, '{');
    json_string_or_null(json, "designation", slot->designation);
    json_number_or_null(json, "type", slot->type);
    json_number_or_null(json, "width", slot->width);
    json_number_or_null(json, "lanes", result_slot_lanes(slot->width));
    if (slot->addressed) {
        result_address(&slot->address, address);
        json_string(json, "address", address);
    } else {
        json_null(json, "address");
    }
    json_close(json, '}');
}

void json_machine(struct json *json, const struct result_machine *machine)
{
    const struct result_smbios *smbios = &machine->smbios;

    json_open(json, "machine", '{');
    json_string_or_null(json, "firmware_vendor", machine->firmware_vendor);
    json_hex(json, "firmware_revision", machine->firmware_revision, 8);
    json_hex(json, "uefi_revision", machine->uefi_revision, 8);
    if (machine->secure_boot == RESULT_UNKNOWN)
        json_null(json, "secure_boot");
    else
        json_bool(json, "secure_boot", machine->secure_boot == RESULT_YES);
    json_bool(json, "hypervisor", machine->hypervisor);
    write_product(json, "board", &smbios->board);
    write_product(json, "system", &smbios->system);
    write_bios(json, &smbios->bios);
    write_cpu(json, machine);
    json_number_or_null(json, "memory_mib", smbios->memory_mib);
    json_iommu(json, &machine->iommu);
    json_open(json, "slots", '[');
    for (uint32_t i = 0; i < smbios->slot_count; i++)
        write_slot(json, &smbios->slots[i]);
    json_close(json, ']');
    json_close(json, '}');
}
