/* The verdict on a drive, and the looks at its links that it rests on, in JSON. */
#include "report/json_path.h"
#include "report/verdict.h"

#include <stddef.h>

static void write_sata(struct json *json, const char *key, const struct drive_link *link)
{
    if (!link->known) {
        json_null(json, key);
        return;
    }
    json_open_inline(json, key, '{');
    json_number_or_null(json, "generation", link->speed);
    json_number_or_null(json, "limit", link->limit);
    json_number_or_null(json, "controller_max", link->speed_max);
    json_hex(json, "ssts", link->status, 8);
    json_hex(json, "sctl", link->control, 8);
    json_hex(json, "serr", link->errors, 8);
    json_close(json, '}');
}

/* The registers of an end that may change during a run. */
static void write_end(struct json *json, const char *key, const struct pci_end *end)
{
    if (!end->has_pcie) {
        json_null(json, key);
        return;
    }
    json_open_inline(json, key, '{');
    if (end->has_link)
        json_hex(json, "lnk_sta", end->lnk_sta, 4);
    else
        json_null(json, "lnk_sta");
    json_hex(json, "dev_sta", end->dev_sta, 4);
    if (end->has_aer) {
        json_hex(json, "aer_uncorrectable", end->aer_uncorrectable, 8);
        json_hex(json, "aer_correctable", end->aer_correctable, 8);
    } else {
        json_null(json, "aer_uncorrectable");
        json_null(json, "aer_correctable");
    }
    json_close(json, '}');
}

/* Ends in the order of the path's "ends". */
static void write_look(struct json *json, const char *key, bool there, const struct pci_path *path)
{
    if (!there || path->count == 0) {
        json_null(json, key);
        return;
    }
    json_open(json, key, '[');
    write_end(json, NULL, &path->hops[0].above);
    for (uint32_t i = 0; i < path->count; i++)
        write_end(json, NULL, &path->hops[i].below);
    json_close(json, ']');
}

static void write_mask(struct json *json, const char *key, uint32_t mask)
{
    json_open_inline(json, key, '[');
    for (uint32_t hop = 0; hop < PCI_PATH_HOPS_MAX; hop++)
        if ((mask >> hop & 1) != 0)
            json_number(json, NULL, hop);
    json_close(json, ']');
}

static void write_watch(struct json *json, const struct pci_watch *watch)
{
    json_open(json, "watch", '{');
    json_number(json, "looks_under_load", watch->looks);
    write_look(json, "before", watch->has_before, &watch->before);
    write_look(json, "loaded", watch->looks > 0, &watch->loaded);
    write_look(json, "after", watch->has_after, &watch->after);
    write_mask(json, "changed_hops", pci_watch_changed(watch));
    write_mask(json, "resting_hops", pci_watch_rests(watch));
    write_mask(json, "error_hops", pci_watch_errors(watch));
    json_close(json, '}');
}

static void write_hop(struct json *json, const char *key, uint32_t hop)
{
    if (hop == VERDICT_NO_HOP)
        json_null(json, key);
    else if (hop == VERDICT_SATA)
        json_string(json, key, "sata");
    else
        json_number(json, key, hop);
}

static void write_hops(struct json *json, const struct verdict *verdict)
{
    json_open(json, "hops", '[');
    for (uint32_t i = 0; i < VERDICT_HOPS_MAX; i++) {
        const struct verdict_hop *hop = &verdict->hops[i];

        if (!hop->known)
            continue;
        json_open_inline(json, NULL, '{');
        write_hop(json, "hop", i);
        json_number(json, "raw_bytes_per_s", hop->raw_bytes_per_s);
        json_number(json, "ceiling_bytes_per_s", hop->ceiling_bytes_per_s);
        if (verdict->rate_bytes_per_s != 0)
            json_number(json, "share_permille", hop->permille);
        else
            json_null(json, "share_permille");
        json_bool(json, "assumed", hop->assumed);
        json_bool(json, "refuted", hop->refuted);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_names(struct json *json, const char *key, uint32_t mask,
                        const char *(*name)(unsigned bit))
{
    json_open_inline(json, key, '[');
    for (unsigned bit = 0; bit < 32; bit++)
        if ((mask >> bit & 1) != 0)
            json_string(json, NULL, name(bit));
    json_close(json, ']');
}

static void write_verdict(struct json *json, const struct verdict *verdict)
{
    char buffer[1200];
    struct text text;

    json_open(json, "verdict", '{');
    json_string(json, "state", verdict_state_name(verdict->state));
    write_names(json, "void", verdict->voids, verdict_void_name);
    json_bool(json, "virtual_machine", verdict->virtual_machine);
    json_bool(json, "emulated_link", verdict->emulated_link);
    json_number_or_null(json, "rate_bytes_per_s", verdict->rate_bytes_per_s);
    write_hop(json, "hop", verdict->hop);
    write_hop(json, "rival", verdict->rival);
    write_names(json, "causes", verdict->causes, verdict_cause_name);
    json_number(json, "unknown_hops", verdict->unknown_hops);
    write_hops(json, verdict);
    text_init(&text, buffer, sizeof buffer);
    verdict_sentence(&text, verdict);
    json_string(json, "sentence", buffer);
    json_close(json, '}');
}

void json_verdict(struct json *json, const struct result *result, uint32_t controller,
                  uint32_t port_index)
{
    const struct result_drive *drive = result->controllers[controller].ports[port_index].drive;
    struct verdict verdict;

    json_open(json, "sata_link", '{');
    write_sata(json, "before", &drive->sata_before);
    write_sata(json, "after", &drive->sata_after);
    json_close(json, '}');
    write_watch(json, &drive->watch);
    verdict_judge(result, controller, port_index, &verdict);
    write_verdict(json, &verdict);
}

void json_iommu(struct json *json, const struct pci_iommu *iommu)
{
    static const char *const states[] = {"unknown", "off", "translating"};

    if (iommu->kind == PCI_IOMMU_NONE) {
        json_null(json, "iommu");
        return;
    }
    json_open(json, "iommu", '{');
    json_string(json, "kind", iommu->kind == PCI_IOMMU_VTD ? "VT-d" : "AMD-Vi");
    json_open(json, "units", '[');
    for (uint32_t i = 0; i < iommu->unit_count && i < PCI_IOMMU_UNITS_MAX; i++) {
        const struct pci_iommu_unit *unit = &iommu->units[i];

        json_open_inline(json, NULL, '{');
        json_hex(json, "base", unit->base, 16);
        json_number(json, "segment", unit->segment);
        json_string(json, "state", states[unit->state]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}
