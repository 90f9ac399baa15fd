/* The path of a controller, its ceilings and findings, in JSON. */
#include "report/json_path.h"

#include "base/bits.h"
#include "pci/ceiling.h"
#include "report/finding.h"
#include "report/path.h"

#include <stddef.h>

static void write_address(struct json *json, const char *key, const struct pci_address *address)
{
    char name[RESULT_ADDRESS_BYTES];

    result_address(address, name);
    json_string(json, key, name);
}

static void write_id(struct json *json, uint16_t vendor, uint16_t device)
{
    char name[10];
    struct text text;

    text_init(&text, name, sizeof name);
    text_printf(&text, "%04x:%04x", vendor, device);
    json_string(json, "id", name);
}

/* null where the register is not there. */
static void write_register(struct json *json, const char *key, bool there, uint32_t value,
                           unsigned digits)
{
    if (there)
        json_hex(json, key, value, digits);
    else
        json_null(json, key);
}

static void write_registers(struct json *json, const struct pci_end *end)
{
    json_open(json, "registers", '{');
    write_register(json, "dev_cap", end->has_pcie, end->dev_cap, 8);
    write_register(json, "dev_ctl", end->has_pcie, end->dev_ctl, 4);
    write_register(json, "dev_sta", end->has_pcie, end->dev_sta, 4);
    write_register(json, "lnk_cap", end->has_link, end->lnk_cap, 8);
    write_register(json, "lnk_ctl", end->has_link, end->lnk_ctl, 4);
    write_register(json, "lnk_sta", end->has_link, end->lnk_sta, 4);
    write_register(json, "lnk_cap2", end->has_link2, end->lnk_cap2, 8);
    write_register(json, "lnk_ctl2", end->has_link2, end->lnk_ctl2, 4);
    write_register(json, "aer_uncorrectable", end->has_aer, end->aer_uncorrectable, 8);
    write_register(json, "aer_correctable", end->has_aer, end->aer_correctable, 8);
    json_close(json, '}');
}

static void write_aspm(struct json *json, const char *key, unsigned states)
{
    static const char *const names[] = {"none", "L0s", "L1", "L0s L1"};

    json_string(json, key, names[states & 3]);
}

static void write_link(struct json *json, const struct pci_end *end)
{
    if (!end->has_link) {
        json_null(json, "link");
        return;
    }
    json_open(json, "link", '{');
    json_number(json, "speed", end->speed);
    json_number(json, "width", end->width);
    json_number(json, "speed_max", end->speed_max);
    json_number(json, "width_max", end->width_max);
    write_aspm(json, "aspm", end->aspm);
    write_aspm(json, "aspm_supported", end->aspm_supported);
    json_bool(json, "common_clock", end->common_clock);
    json_number(json, "rcb_bytes", end->rcb_bytes);
    json_close(json, '}');
}

static void write_end(struct json *json, const struct pci_end *end)
{
    if (end->index == PCI_NO_PARENT) {
        json_null(json, NULL);
        return;
    }
    json_open(json, NULL, '{');
    write_address(json, "address", &end->address);
    write_id(json, end->vendor_id, end->device_id);
    json_bool(json, "answers", end->answers);
    json_string_or_null(json, "port", path_port_name(end));
    if (end->has_pcie)
        json_number(json, "capability_version", end->version);
    else
        json_null(json, "capability_version");
    json_number_or_null(json, "payload_bytes", end->payload_bytes);
    json_number_or_null(json, "payload_max_bytes", end->payload_max_bytes);
    json_number_or_null(json, "request_bytes", end->request_bytes);
    json_bool(json, "ecrc", end->ecrc);
    write_link(json, end);
    if (end->has_slot) {
        json_open_inline(json, "slot", '{');
        json_number(json, "number", end->slot_number);
        json_number_or_null(json, "power_mw", end->slot_power_mw);
        json_close(json, '}');
    } else {
        json_null(json, "slot");
    }
    write_registers(json, end);
    json_close(json, '}');
}

static void write_bus(struct json *json, const struct pci_hop *hop)
{
    const struct pci_bus *bus = &hop->bus;

    if (hop->kind != PCI_HOP_BUS) {
        json_null(json, "bus");
        return;
    }
    json_open_inline(json, "bus", '{');
    json_string(json, "mode", path_bus_mode_name(bus->mode));
    json_number(json, "clock_thirds", bus->clock_thirds);
    json_bool(json, "clock_known", bus->clock_known);
    json_number(json, "width_bytes", bus->width_bytes);
    json_bool(json, "width_known", bus->width_known);
    json_close(json, '}');
}

static void write_ceiling(struct json *json, const struct pci_ceiling *ceiling)
{
    if (!ceiling->known) {
        json_null(json, "ceiling");
        return;
    }
    json_open_inline(json, "ceiling", '{');
    json_number(json, "raw_bytes_per_s", ceiling->raw_bytes_per_s);
    json_number(json, "to_memory_bytes_per_s", ceiling->to_memory_bytes_per_s);
    json_number(json, "from_memory_bytes_per_s", ceiling->from_memory_bytes_per_s);
    json_number(json, "from_memory_rcb_bytes_per_s", ceiling->from_memory_rcb_bytes_per_s);
    json_close(json, '}');
}

static void write_shared(struct json *json, const struct pci_hop *hop)
{
    json_number(json, "shared_count", hop->shared_count);
    json_open(json, "shared", '[');
    for (uint32_t i = 0; i < hop->shared_count && i < PCI_HOP_SHARED_MAX; i++) {
        const struct pci_neighbour *other = &hop->shared[i];
        char name[7];
        struct text text;

        json_open_inline(json, NULL, '{');
        write_address(json, "address", &other->address);
        write_id(json, other->vendor_id, other->device_id);
        text_init(&text, name, sizeof name);
        text_printf(&text, "%02x%02x%02x", other->class_base, other->class_sub, other->prog_if);
        json_string(json, "class", name);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_hop(struct json *json, const struct pci_hop *hop,
                      const struct pci_ceiling *ceiling)
{
    json_open(json, NULL, '{');
    json_string(json, "kind", path_kind_name(hop->kind));
    json_string_or_null(json, "uplink", path_uplink_name(hop->uplink));
    json_bool(json, "nominal", hop->nominal);
    json_bool(json, "indirect", hop->indirect);
    json_number_or_null(json, "speed", hop->speed);
    json_number_or_null(json, "width", hop->width);
    json_number_or_null(json, "speed_max", hop->speed_max);
    json_number_or_null(json, "width_max", hop->width_max);
    json_bool(json, "ends_differ", hop->ends_differ);
    write_bus(json, hop);
    write_ceiling(json, ceiling);
    write_shared(json, hop);
    json_close(json, '}');
}

static void write_packets(struct json *json, const struct pci_packets *packets)
{
    json_open_inline(json, "packets", '{');
    json_number(json, "header_bytes", packets->header_bytes);
    json_number(json, "payload_bytes", packets->payload_bytes);
    json_number(json, "request_bytes", packets->request_bytes);
    json_number(json, "rcb_bytes", packets->rcb_bytes);
    json_bool(json, "ecrc_to_memory", packets->ecrc_to_memory);
    json_bool(json, "ecrc_from_memory", packets->ecrc_from_memory);
    json_close(json, '}');
}

static void write_lowest(struct json *json, const char *key, int32_t hop)
{
    if (hop == PCI_NO_HOP)
        json_null(json, key);
    else
        json_number(json, key, (uint64_t)hop);
}

static void write_path(struct json *json, const struct result_controller *controller)
{
    const struct pci_path *path = finding_path(controller);
    struct pci_path_ceiling ceiling;

    if (path == NULL) {
        json_null(json, "path");
        return;
    }
    pci_ceiling_path(path, controller->header_bytes, &ceiling);
    json_open(json, "path", '{');
    write_packets(json, &ceiling.packets);
    write_lowest(json, "lowest_to_memory", ceiling.to_memory_hop);
    write_lowest(json, "lowest_from_memory", ceiling.from_memory_hop);
    json_open(json, "hops", '[');
    for (uint32_t i = 0; i < path->count; i++)
        write_hop(json, &path->hops[i], &ceiling.hops[i]);
    json_close(json, ']');
    /* One more than hops: the end above the first hop comes first. */
    json_open(json, "ends", '[');
    if (path->count > 0)
        write_end(json, &path->hops[0].above);
    for (uint32_t i = 0; i < path->count; i++)
        write_end(json, &path->hops[i].below);
    json_close(json, ']');
    json_close(json, '}');
}

static void write_finding(struct json *json, const struct result *result, uint32_t controller,
                          const struct finding *finding)
{
    const struct result_controller *owner = &result->controllers[controller];
    char buffer[1200];
    struct text text;

    json_open(json, NULL, '{');
    json_string(json, "kind", finding_name(finding));
    if (finding->hop == FINDING_NO_HOP)
        json_null(json, "hop");
    else
        json_number(json, "hop", finding->hop);
    if (finding->port == FINDING_NO_PORT)
        json_null(json, "port");
    else
        json_number(json, "port", owner->ports[finding->port].number);
    text_init(&text, buffer, sizeof buffer);
    finding_evidence(&text, result, controller, finding);
    json_string(json, "evidence", buffer);
    text_init(&text, buffer, sizeof buffer);
    finding_advice(&text, result, controller, finding);
    json_string(json, "advice", buffer);
    json_close(json, '}');
}

void json_path(struct json *json, const struct result *result, uint32_t controller)
{
    struct findings findings;

    write_path(json, &result->controllers[controller]);
    finding_collect(result, controller, &findings);
    json_open(json, "findings", '[');
    for (uint32_t i = 0; i < findings.count; i++)
        write_finding(json, result, controller, &findings.list[i]);
    json_close(json, ']');
    json_number(json, "findings_dropped", findings.dropped);
}
