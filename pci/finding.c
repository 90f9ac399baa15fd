/* Looks over a path for what stands out. */
#include "pci/finding.h"

#include "base/bits.h"
#include "pci/regs.h"

#include <stdbool.h>

const char *pci_finding_name(enum pci_finding_kind kind)
{
    static const char *const names[PCI_FINDING_KINDS] = {
        "link speed", "link width",     "slot", "payload",     "link sleep",
        "shared hop", "chipset uplink", "bus",  "ends differ", "link errors",
    };

    return (unsigned)kind < PCI_FINDING_KINDS ? names[kind] : "unknown";
}

static void add(struct pci_findings *findings, enum pci_finding_kind kind, uint32_t hop)
{
    if (findings->count < PCI_FINDINGS_MAX)
        findings->list[findings->count++] = (struct pci_finding){kind, hop};
}

/* Both ends must say what they can do: half of the evidence is none. */
static bool both_say(const struct pci_hop *hop)
{
    return hop->above.speed_max != 0 && hop->above.width_max != 0 && hop->below.speed_max != 0 &&
           hop->below.width_max != 0;
}

bool pci_finding_is_on_path(const struct pci_path *path, const struct pci_address *address)
{
    for (uint32_t i = 0; i < path->count; i++) {
        const struct pci_address *end = &path->hops[i].below.address;

        if (address->segment == end->segment && address->bus == end->bus &&
            address->device == end->device)
            return true;
    }
    return false;
}

uint32_t pci_finding_others(const struct pci_path *path, uint32_t hop)
{
    const struct pci_hop *shared = &path->hops[hop];
    uint32_t others = shared->shared_count;

    for (uint32_t i = 0; i < shared->shared_count && i < PCI_HOP_SHARED_MAX; i++)
        others -= pci_finding_is_on_path(path, &shared->shared[i].address);
    return others;
}

static bool has_errors(const struct pci_end *end)
{
    return (end->aer_uncorrectable & PCI_FINDING_AER_UNCORRECTABLE) != 0 ||
           (end->aer_correctable & PCI_FINDING_AER_CORRECTABLE) != 0;
}

static void collect_link(const struct pci_hop *hop, uint32_t index, struct pci_findings *findings)
{
    if (hop->speed != 0 && hop->speed < hop->speed_max && both_say(hop))
        add(findings, PCI_FINDING_SPEED, index);
    if (hop->width != 0 && hop->width < hop->width_max && both_say(hop))
        add(findings, PCI_FINDING_WIDTH, index);
    if (both_say(hop) && (hop->above.speed_max < hop->below.speed_max ||
                          hop->above.width_max < hop->below.width_max))
        add(findings, PCI_FINDING_SLOT, index);
    if (hop->above.aspm != 0 || hop->below.aspm != 0)
        add(findings, PCI_FINDING_ASPM, index);
    if (hop->ends_differ)
        add(findings, PCI_FINDING_ENDS_DIFFER, index);
    if (has_errors(&hop->above) || has_errors(&hop->below))
        add(findings, PCI_FINDING_ERRORS, index);
}

uint16_t pci_finding_payload_max(const struct pci_path *path)
{
    uint16_t most = 0;

    for (uint32_t i = 0; i < path->count; i++) {
        uint16_t own = path->hops[i].below.payload_max_bytes;

        if (own != 0 && (most == 0 || own < most))
            most = own;
    }
    return most;
}

static void collect_payload(const struct pci_path *path, struct pci_findings *findings)
{
    uint16_t most = pci_finding_payload_max(path);
    uint16_t least = UINT16_MAX;
    uint32_t hop = 0;

    for (uint32_t i = 0; i < path->count; i++) {
        uint16_t set = path->hops[i].below.payload_bytes;

        /* Sizes matter to functions that send packets over a link. */
        if (set != 0 && path->hops[i].below.has_link && set < least) {
            least = set;
            hop = i;
        }
    }
    if (least < most)
        add(findings, PCI_FINDING_PAYLOAD, hop);
}

void pci_finding_collect(const struct pci_path *path, struct pci_findings *ret_findings)
{
    ret_findings->count = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct pci_hop *hop = &path->hops[i];

        if (hop->kind == PCI_HOP_UPLINK)
            add(ret_findings, PCI_FINDING_UPLINK, i);
        if (hop->kind == PCI_HOP_BUS)
            add(ret_findings, PCI_FINDING_BUS, i);
        if (hop->kind == PCI_HOP_LINK)
            collect_link(hop, i, ret_findings);
        if (hop->kind != PCI_HOP_UPLINK && pci_finding_others(path, i) > 0)
            add(ret_findings, PCI_FINDING_SHARED, i);
    }
    collect_payload(path, ret_findings);
}
