/* Findings of a path in words. */
#include "report/finding.h"

#include "base/bits.h"
#include "base/math.h"
#include "pci/regs.h"
#include "report/path.h"
#include "report/tree.h"

#define NAMED_MAX 4 /* of the functions that share a hop */

/* Of an end: "root port 00:1c.4 can do 5 GT/s x1". */
static void ability(struct text *text, const struct pci_end *end)
{
    char address[PATH_ADDRESS_BYTES];

    path_address(&end->address, address);
    text_printf(text, "%s can do %s GT/s x%u", address, path_speed(end->speed_max), end->width_max);
}

static void both_abilities(struct text *text, const struct pci_hop *hop)
{
    ability(text, &hop->above);
    text_string(text, ", ");
    ability(text, &hop->below);
}

static void state(struct text *text, const struct pci_end *end)
{
    char address[PATH_ADDRESS_BYTES];

    path_address(&end->address, address);
    text_printf(text, "%s says %s GT/s x%u", address, path_speed(end->speed), end->width);
}

static void neighbours(struct text *text, const struct pci_path *path, uint32_t index)
{
    const struct pci_hop *hop = &path->hops[index];
    uint32_t others = pci_finding_others(path, index), named = 0;

    text_string(text, " is shared with ");
    for (uint32_t i = 0; i < hop->shared_count && i < PCI_HOP_SHARED_MAX && named < NAMED_MAX;
         i++) {
        const struct pci_neighbour *other = &hop->shared[i];
        char address[PATH_ADDRESS_BYTES];

        if (pci_finding_is_on_path(path, &other->address))
            continue;

        path_address(&other->address, address);
        text_printf(text, "%s%s (", named++ > 0 ? ", " : "", address);
        report_class(text, other->class_base, other->class_sub, other->prog_if);
        text_char(text, ')');
    }
    if (others > named)
        text_printf(text, " and %u more", others - named);
    text_char(text, '.');
}

/* Smallest size set among ends that have links. */
static uint16_t payload_set(const struct pci_path *path)
{
    uint16_t least = 0;

    for (uint32_t i = 0; i < path->count; i++) {
        const struct pci_end *end = &path->hops[i].below;

        if (end->has_link && end->payload_bytes != 0 && (least == 0 || end->payload_bytes < least))
            least = end->payload_bytes;
    }
    return least;
}

static void sleep_states(struct text *text, const char *before, const struct pci_end *end)
{
    static const char *const names[] = {"off", "L0s", "L1", "L0s and L1"};
    char address[PATH_ADDRESS_BYTES];

    path_address(&end->address, address);
    text_printf(text, "%s%s %s", before, address, names[end->aspm & 3]);
}

/* (PCI Express Base 5.0, sections 7.8.4.2 and 7.8.4.5.) */
static void error_bits(struct text *text, const struct pci_end *end, uint32_t uncorrectable,
                       uint32_t correctable)
{
    static const struct {
        bool correctable;
        uint8_t bit;
        const char *name;
    } names[] = {
        {false, 4, "data link protocol error"},
        {false, 5, "surprise down"},
        {false, 12, "poisoned packet"},
        {false, 13, "flow control error"},
        {false, 14, "completion timeout"},
        {false, 15, "completer abort"},
        {false, 16, "unexpected completion"},
        {false, 17, "receiver overflow"},
        {false, 18, "malformed packet"},
        {false, 19, "ECRC error"},
        {false, 20, "unsupported request"},
        {true, 0, "receiver error"},
        {true, 6, "bad packet"},
        {true, 7, "bad DLLP"},
        {true, 8, "replay rollover"},
        {true, 12, "replay timeout"},
        {true, 13, "advisory error"},
    };
    char address[PATH_ADDRESS_BYTES];

    path_address(&end->address, address);
    text_printf(text, " %s:", address);
    for (uint32_t i = 0; i < COUNT_OF(names); i++)
        if (((names[i].correctable ? correctable : uncorrectable) >> names[i].bit & 1) != 0)
            text_printf(text, " %s,", names[i].name);
    text_printf(text, " status %08x/%08x.", end->aer_uncorrectable, end->aer_correctable);
}

/* What stands in the registers of an end before the run. */
static void standing_errors(struct text *text, const struct pci_end *end)
{
    uint32_t uncorrectable = end->aer_uncorrectable & PCI_FINDING_AER_UNCORRECTABLE;
    uint32_t correctable = end->aer_correctable & PCI_FINDING_AER_CORRECTABLE;

    if ((uncorrectable | correctable) != 0)
        error_bits(text, end, uncorrectable, correctable);
}

/* (PCI Express Base 5.0, section 7.5.3.5.) */
static void device_bits(struct text *text, const struct pci_end *end, uint32_t device)
{
    static const char *const names[] = {"correctable error", "non-fatal error", "fatal error",
                                        "unsupported request"};
    char address[PATH_ADDRESS_BYTES];

    path_address(&end->address, address);
    text_printf(text, " %s:", address);
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if ((device >> i & 1) != 0)
            text_printf(text, " %s,", names[i]);
    text_printf(text, " Device Status %04x.", end->dev_sta);
}

/* Bits of the status registers that `now` has beyond `old`. */
void finding_new_errors(struct text *text, const struct pci_end *old, const struct pci_end *now)
{
    uint32_t uncorrectable = now->aer_uncorrectable & ~old->aer_uncorrectable;
    uint32_t correctable = now->aer_correctable & ~old->aer_correctable;
    uint32_t device = now->dev_sta & ~old->dev_sta & PCI_WATCH_DEV_STA_ERRORS;

    if ((uncorrectable | correctable) != 0)
        error_bits(text, now, uncorrectable, correctable);
    else if (device != 0)
        device_bits(text, now, device);
}

/* Link Control 2, Target Link Speed (PCI Express Base 5.0, section 7.5.3.19): it may be the cause.
 */
static void target_speed(struct text *text, const struct pci_end *port)
{
    unsigned target = port->lnk_ctl2 & PCIE_LNK_SPEED;
    char address[PATH_ADDRESS_BYTES];

    if (!port->has_link2 || target == 0 || target >= port->speed_max)
        return;
    path_address(&port->address, address);
    text_printf(text, "; %s is told to use %s GT/s at most", address, path_speed(target));
}

static void link_evidence(struct text *text, const struct pci_hop *hop, enum pci_finding_kind kind)
{
    if (kind == PCI_FINDING_SPEED) {
        text_printf(text, " runs at %s GT/s: ", path_speed(hop->speed));
        both_abilities(text, hop);
        target_speed(text, &hop->above);
        text_char(text, '.');
    } else if (kind == PCI_FINDING_WIDTH) {
        text_printf(text, " uses %u lane%s: ", hop->width, hop->width == 1 ? "" : "s");
        both_abilities(text, hop);
        text_char(text, '.');
    } else if (kind == PCI_FINDING_SLOT) {
        text_string(text, ": the port above holds it back: ");
        both_abilities(text, hop);
        text_char(text, '.');
    } else if (kind == PCI_FINDING_ASPM) {
        sleep_states(text, " may fall asleep: ", &hop->above);
        sleep_states(text, ", ", &hop->below);
        text_char(text, '.');
    } else if (kind == PCI_FINDING_ENDS_DIFFER) {
        text_string(text, ": its ends differ: ");
        state(text, &hop->above);
        text_string(text, ", ");
        state(text, &hop->below);
        text_char(text, '.');
    } else {
        text_string(text, " has bits of errors in its status registers.");
        standing_errors(text, &hop->above);
        standing_errors(text, &hop->below);
    }
}

void finding_path_evidence(struct text *text, const struct pci_path *path,
                           const struct pci_finding *finding)
{
    const struct pci_hop *hop = &path->hops[finding->hop];

    if (finding->kind == PCI_FINDING_PAYLOAD) {
        text_printf(text, "Packets carry %u bytes, though every function of the path can take %u.",
                    payload_set(path), pci_finding_payload_max(path));
        return;
    }
    text_string(text, "The ");
    path_hop_name(text, path, finding->hop);
    switch (finding->kind) {
    case PCI_FINDING_SPEED:
    case PCI_FINDING_WIDTH:
    case PCI_FINDING_SLOT:
    case PCI_FINDING_ASPM:
    case PCI_FINDING_ENDS_DIFFER:
    case PCI_FINDING_ERRORS:
        link_evidence(text, hop, finding->kind);
        break;
    case PCI_FINDING_SHARED:
        neighbours(text, path, finding->hop);
        break;
    case PCI_FINDING_UPLINK:
        text_printf(text, " (%s GT/s x%u%s) carries this path", path_speed(hop->speed), hop->width,
                    hop->nominal ? ", nominal" : "");
        if (hop->shared_count > 0)
            text_printf(text, " and %u other function%s", hop->shared_count,
                        hop->shared_count == 1 ? "" : "s");
        text_char(text, '.');
        break;
    case PCI_FINDING_BUS:
        text_string(text, " is on the path: all its devices share it, in both directions.");
        break;
    case PCI_FINDING_PAYLOAD:
    case PCI_FINDING_KINDS:
        break;
    }
}

/* A function of the chipset itself cannot go elsewhere, nor can a chip that is on no slot. */
static const char *advice_of_place(const struct pci_path *path, const struct pci_finding *finding)
{
    if (finding->kind == PCI_FINDING_UPLINK)
        return path->count == 1 ? "All that hangs on the chipset shares it."
                                : "All that hangs on the chipset shares it: a slot of the "
                                  "processor avoids it.";
    return path->hops[finding->hop].above.has_slot
               ? "Another slot may give the card more: compare the slots in the board's manual."
               : "The chip is fixed to that port: only another controller can do more.";
}

void finding_path_advice(struct text *text, const struct pci_path *path,
                         const struct pci_finding *finding)
{
    static const char *const advice[PCI_FINDING_KINDS] = {
        [PCI_FINDING_SPEED] =
            "Set the slot's speed to automatic in the firmware's setup, reseat the card, try "
            "without riser or extender. Links of sleeping devices may be slow until they work.",
        [PCI_FINDING_WIDTH] =
            "Reseat the card and clean its contacts; see in the board's manual whether another "
            "slot takes lanes away from this one.",
        [PCI_FINDING_PAYLOAD] =
            "The firmware chose it; an operating system may choose more (Linux: "
            "pci=pcie_bus_perf).",
        [PCI_FINDING_ASPM] =
            "Costs time with single small reads, not in a stream: switch ASPM off in the "
            "firmware's setup to compare.",
        [PCI_FINDING_SHARED] =
            "What they move is missing here: leave them idle, or use a slot with a link of its "
            "own.",
        [PCI_FINDING_BUS] = "Use a PCI Express slot if there is one.",
        [PCI_FINDING_ENDS_DIFFER] =
            "The link may be changing just now, or an end reports it wrongly: trust the lower one.",
        [PCI_FINDING_ERRORS] =
            "They may be left from power-up and matter only if they come again: then reseat the "
            "card, try without riser, another slot, a lower link speed.",
    };

    text_string(text, advice[finding->kind] != NULL ? advice[finding->kind]
                                                    : advice_of_place(path, finding));
}
