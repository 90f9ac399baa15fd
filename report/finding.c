/* Collects what stands out on the way to the drives of a controller, and says it. */
#include "report/finding.h"

#include "base/bits.h"
#include "report/path.h"
#include "report/sata.h"

#include <stddef.h>

const char *finding_name(const struct finding *finding)
{
    switch (finding->kind) {
    case FINDING_PATH:
        return pci_finding_name(finding->path_kind);
    case FINDING_LINK_CHANGED:
        return "link changed";
    case FINDING_LINK_ERRORS:
        return "errors during the run";
    case FINDING_LINK_RESTS:
        return "link rests";
    case FINDING_SATA_SPEED:
        return "SATA speed";
    case FINDING_SATA_PORT:
        return "SATA port";
    case FINDING_SATA_CHANGED:
        return "SATA link changed";
    case FINDING_SATA_ERRORS:
        return "SATA errors";
    case FINDING_IOMMU:
        return "IOMMU";
    }
    return "unknown";
}

/* The drive of a port if it was measured, else NULL. */
static const struct result_drive *measured(const struct result_controller *controller,
                                           uint32_t port)
{
    const struct result_drive *drive = controller->ports[port].drive;

    return drive != NULL && drive->planned && drive->run != NULL ? drive : NULL;
}

const struct pci_path *finding_path(const struct result_controller *controller)
{
    for (uint32_t i = 0; i < controller->port_count; i++) {
        const struct result_drive *drive = measured(controller, i);

        if (drive != NULL && drive->watch.looks > 0)
            return &drive->watch.loaded;
    }
    return controller->has_path ? &controller->path : NULL;
}

static void add(struct findings *findings, struct finding finding)
{
    if (findings->count < FINDINGS_MAX)
        findings->list[findings->count++] = finding;
    else
        findings->dropped++;
}

static void add_hops(struct findings *findings, enum finding_kind kind, uint32_t mask,
                     uint32_t port)
{
    for (uint32_t hop = 0; hop < PCI_PATH_HOPS_MAX; hop++)
        if ((mask >> hop & 1) != 0)
            add(findings, (struct finding){.kind = kind, .hop = hop, .port = port});
}

static void collect_sata(const struct result_drive *drive, uint32_t port, struct findings *findings)
{
    unsigned own = sata_drive_max(&drive->info);
    unsigned controller = drive->sata_before.known ? drive->sata_before.speed_max : 0;
    unsigned link = sata_generation(drive);
    struct finding finding = {.hop = FINDING_NO_HOP, .port = port};

    if (link != 0 && own > link && controller > link) {
        finding.kind = FINDING_SATA_SPEED;
        add(findings, finding);
    } else if (controller != 0 && own > controller) {
        finding.kind = FINDING_SATA_PORT;
        add(findings, finding);
    }
    if (sata_changed(drive)) {
        finding.kind = FINDING_SATA_CHANGED;
        add(findings, finding);
    }
    if (sata_errors(drive) != 0) {
        finding.kind = FINDING_SATA_ERRORS;
        add(findings, finding);
    }
}

/* The path that a finding of a kind is seen on. Errors are those from before any run. */
static const struct pci_path *path_of(const struct result_controller *controller,
                                      enum pci_finding_kind kind)
{
    if (kind == PCI_FINDING_ERRORS)
        return controller->has_path ? &controller->path : NULL;
    return finding_path(controller);
}

/* Findings of the kind ERRORS, or of all others. */
static void collect_path(const struct result_controller *controller, bool errors,
                         struct findings *findings)
{
    const struct pci_path *path =
        path_of(controller, errors ? PCI_FINDING_ERRORS : PCI_FINDING_SPEED);
    struct pci_findings found;

    if (path == NULL)
        return;
    pci_finding_collect(path, &found);
    for (uint32_t i = 0; i < found.count; i++)
        if ((found.list[i].kind == PCI_FINDING_ERRORS) == errors)
            add(findings, (struct finding){.kind = FINDING_PATH,
                                           .path_kind = found.list[i].kind,
                                           .hop = found.list[i].hop,
                                           .port = FINDING_NO_PORT});
}

void finding_collect(const struct result *result, uint32_t controller,
                     struct findings *ret_findings)
{
    const struct result_controller *owner = &result->controllers[controller];

    ret_findings->count = ret_findings->dropped = 0;
    for (uint32_t port = 0; port < owner->port_count; port++) {
        const struct result_drive *drive = measured(owner, port);

        if (drive == NULL)
            continue;
        add_hops(ret_findings, FINDING_LINK_CHANGED, pci_watch_changed(&drive->watch), port);
        add_hops(ret_findings, FINDING_LINK_ERRORS, pci_watch_errors(&drive->watch), port);
        add_hops(ret_findings, FINDING_LINK_RESTS, pci_watch_rests(&drive->watch), port);
        collect_sata(drive, port, ret_findings);
    }
    collect_path(owner, false, ret_findings);
    if (result_iommu_translates(&result->machine))
        add(ret_findings, (struct finding){.kind = FINDING_IOMMU,
                                           .hop = FINDING_NO_HOP,
                                           .port = FINDING_NO_PORT});
    collect_path(owner, true, ret_findings);
}

static void link_state(struct text *text, const char *when, const struct pci_path *path,
                       uint32_t hop)
{
    text_printf(text, "%s %s GT/s x%u", when, path_speed(path->hops[hop].speed),
                path->hops[hop].width);
}

static void watch_evidence(struct text *text, const struct pci_watch *watch,
                           const struct finding *finding)
{
    uint32_t hop = finding->hop;

    text_string(text, "The ");
    path_hop_name(text, &watch->before, hop);
    if (finding->kind == FINDING_LINK_ERRORS) {
        text_string(text, " had errors during the run.");
        finding_new_errors(text, &watch->before.hops[hop].above, &watch->after.hops[hop].above);
        finding_new_errors(text, &watch->before.hops[hop].below, &watch->after.hops[hop].below);
        return;
    }
    text_string(text, finding->kind == FINDING_LINK_RESTS ? " is slower at rest:"
                                                          : " changed during the run:");
    link_state(text, " before", &watch->before, hop);
    if (watch->looks > 0)
        link_state(text, ", under load", &watch->loaded, hop);
    if ((watch->loaded_changed >> hop & 1) != 0)
        text_string(text, " (and otherwise later)");
    if (watch->has_after)
        link_state(text, ", after", &watch->after, hop);
    text_printf(text, "; Link Status of the port %04x before, %04x after.",
                watch->before.hops[hop].above.lnk_sta, watch->after.hops[hop].above.lnk_sta);
}

static void sata_evidence(struct text *text, const struct result_drive *drive,
                          enum finding_kind kind)
{
    const struct drive_link *before = &drive->sata_before, *after = &drive->sata_after;

    if (kind == FINDING_SATA_SPEED) {
        text_printf(text, "The SATA link runs at %s Gb/s: the drive can do %s, the controller %s",
                    sata_speed(sata_generation(drive)), sata_speed(sata_drive_max(&drive->info)),
                    sata_speed(before->speed_max));
        if (before->limit != 0)
            text_printf(text, "; the port is limited to %s", sata_speed(before->limit));
        text_char(text, '.');
    } else if (kind == FINDING_SATA_PORT) {
        text_printf(text, "The drive can do %s Gb/s, the controller only %s.",
                    sata_speed(sata_drive_max(&drive->info)), sata_speed(before->speed_max));
    } else if (kind == FINDING_SATA_CHANGED) {
        text_printf(text, "The SATA link changed during the run: %s Gb/s before, %s after.",
                    sata_speed(before->speed), sata_speed(after->speed));
    } else {
        text_string(text, "The SATA link had errors during the run: ");
        sata_error_words(text, sata_errors(drive));
        text_printf(text, " (PxSERR %08x).", after->errors);
    }
}

static void iommu_evidence(struct text *text, const struct pci_iommu *iommu)
{
    uint32_t on = 0;

    for (uint32_t i = 0; i < iommu->unit_count; i++)
        on += iommu->units[i].state == PCI_IOMMU_TRANSLATING;
    text_printf(text, "An IOMMU translates the addresses of DMA: %u of %u %s units are on.", on,
                iommu->unit_count, iommu->kind == PCI_IOMMU_AMD ? "AMD-Vi" : "VT-d");
}

void finding_evidence(struct text *text, const struct result *result, uint32_t controller,
                      const struct finding *finding)
{
    const struct result_controller *owner = &result->controllers[controller];
    const struct pci_finding on_path = {finding->path_kind, finding->hop};

    switch (finding->kind) {
    case FINDING_PATH:
        finding_path_evidence(text, path_of(owner, on_path.kind), &on_path);
        break;
    case FINDING_IOMMU:
        iommu_evidence(text, &result->machine.iommu);
        break;
    case FINDING_LINK_CHANGED:
    case FINDING_LINK_ERRORS:
    case FINDING_LINK_RESTS:
        watch_evidence(text, &owner->ports[finding->port].drive->watch, finding);
        break;
    case FINDING_SATA_SPEED:
    case FINDING_SATA_PORT:
    case FINDING_SATA_CHANGED:
    case FINDING_SATA_ERRORS:
        sata_evidence(text, owner->ports[finding->port].drive, finding->kind);
        break;
    }
}

void finding_advice(struct text *text, const struct result *result, uint32_t controller,
                    const struct finding *finding)
{
    const struct result_controller *owner = &result->controllers[controller];
    const struct pci_finding on_path = {finding->path_kind, finding->hop};

    switch (finding->kind) {
    case FINDING_PATH:
        finding_path_advice(text, path_of(owner, on_path.kind), &on_path);
        break;
    case FINDING_LINK_CHANGED:
        text_string(text, "The figures mix two states and are void: repeat the run; if it happens "
                          "again, reseat the card or set a fixed speed in the firmware's setup.");
        break;
    case FINDING_LINK_ERRORS:
        text_string(text,
                    "Packets were damaged, lost or sent again, and the figures are void: reseat "
                    "the card, try without riser or another slot, and repeat the run.");
        break;
    case FINDING_LINK_RESTS:
        text_string(text, "Power saving: the figures and ceilings are those under load.");
        break;
    case FINDING_SATA_SPEED:
        text_string(text,
                    "On many boards only some ports are fast ones: see the board's manual. Else "
                    "try another cable, look for a limit in the firmware's setup or a jumper "
                    "on the drive.");
        break;
    case FINDING_SATA_PORT:
        text_string(text, "A faster port or controller may give the drive more.");
        break;
    case FINDING_SATA_CHANGED:
        text_string(text, "The figures are void: try another cable and repeat the run.");
        break;
    case FINDING_SATA_ERRORS:
        text_string(text, "Frames were damaged and the figures are void: try another cable, port "
                          "or power supply, and repeat the run.");
        break;
    case FINDING_IOMMU:
        text_string(text,
                    "Accesses of the controller may be looked up first: switch VT-d or AMD-Vi "
                    "off in the firmware's setup to compare.");
        break;
    }
}
