/* The path to a drive with its ceilings, the verdict, and what stands out on the way. */
#include "report/table_text.h"

#include "report/finding.h"
#include "report/path.h"
#include "report/sata.h"
#include "report/verdict.h"

#define FINDINGS_SHOWN 24 /* of one controller; all are in result.json */

static bool measured(const struct result_port *port)
{
    return port->drive != NULL && port->drive->planned && port->drive->run != NULL;
}

static void show_pci_hops(struct text *text, const struct verdict *verdict)
{
    const struct pci_path *path = &verdict->path;

    for (uint32_t i = 0; verdict->has_path && i < path->count; i++) {
        struct path_figures figures = verdict_figures(verdict, i);

        /* The way inside a chip carries what comes: not a line's worth. */
        if (path->hops[i].kind != PCI_HOP_INTERNAL)
            path_hop(text, path, i, &figures);
        path_end(text, &path->hops[i].below);
    }
}

static void show_sata(struct text *text, const struct verdict *verdict,
                      const struct result_drive *drive)
{
    struct path_figures figures = verdict_figures(verdict, VERDICT_SATA);
    char buffer[80];
    struct text words;

    text_init(&words, buffer, sizeof buffer);
    text_printf(&words, "SATA %s Gb/s", sata_speed(sata_generation(drive)));
    if (sata_drive_max(&drive->info) != 0)
        text_printf(&words, ", drive %s", sata_speed(sata_drive_max(&drive->info)));
    if (drive->sata_before.known)
        text_printf(&words, ", controller %s", sata_speed(drive->sata_before.speed_max));
    if (drive->sata_before.known && drive->sata_before.limit != 0)
        text_printf(&words, ", limit %s", sata_speed(drive->sata_before.limit));
    path_line(text, buffer, &figures);
}

static void show_voids(struct text *text, uint32_t voids)
{
    char buffer[160];
    struct text line;

    if (voids == 0)
        return;
    text_init(&line, buffer, sizeof buffer);
    for (unsigned bit = 0; bit < VERDICT_VOIDS; bit++)
        if ((voids >> bit & 1) != 0)
            text_printf(&line, "%s%s", line.length > 0 ? ", " : "", verdict_void_name(bit));
    text_string(&line, ": no figure of this drive may be used");
    table_wrapped(text, "VOID", buffer);
}

static void show_drive(struct text *text, const struct result *result, uint32_t controller,
                       uint32_t port_index)
{
    const struct result_port *port = &result->controllers[controller].ports[port_index];
    struct verdict verdict;
    char buffer[1200];
    struct text line;

    verdict_judge(result, controller, port_index, &verdict);
    text_init(&line, buffer, sizeof buffer);
    text_printf(&line, "Path to drive %u:%u", controller, port->number);
    path_heading(text, buffer, true);
    text_string(text, "  processor\n");
    show_pci_hops(text, &verdict);
    show_sata(text, &verdict, port->drive);
    text_init(&line, buffer, sizeof buffer);
    text_string(&line, "  ");
    if (port->drive->info.model[0] != '\0')
        table_foreign(&line, port->drive->info.model, 40);
    else
        text_string(&line, "a drive without a name");
    if (verdict.rate_bytes_per_s != 0) {
        text_column(&line, 56);
        text_string(&line, "measured ");
        table_rate(&line, verdict.rate_bytes_per_s);
        text_string(&line, " MB/s");
    }
    text_printf(text, "%s\n", buffer);
    show_voids(text, verdict.voids);
    text_init(&line, buffer, sizeof buffer);
    verdict_sentence(&line, &verdict);
    table_wrapped(text, "verdict", buffer);
}

static void show_findings(struct text *text, const struct result *result, uint32_t controller)
{
    struct findings findings;
    uint32_t shown;

    finding_collect(result, controller, &findings);
    shown = findings.count < FINDINGS_SHOWN ? findings.count : FINDINGS_SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        char buffer[1600];
        struct text line;

        text_init(&line, buffer, sizeof buffer);
        finding_evidence(&line, result, controller, &findings.list[i]);
        text_char(&line, ' ');
        finding_advice(&line, result, controller, &findings.list[i]);
        table_wrapped(text, "finding", buffer);
    }
    if (findings.count + findings.dropped > shown)
        text_printf(text, "  %u more findings are in result.json\n",
                    findings.count + findings.dropped - shown);
}

void table_path(struct text *text, const struct result *result, uint32_t controller)
{
    const struct result_controller *owner = &result->controllers[controller];
    bool any = false;

    for (uint32_t i = 0; i < owner->port_count; i++) {
        if (!measured(&owner->ports[i]))
            continue;
        text_char(text, '\n');
        show_drive(text, result, controller, i);
        any = true;
    }
    if (any)
        show_findings(text, result, controller);
}
