/* Judges a rate against the ceilings of its path. */
#include "report/verdict.h"

#include "base/bits.h"
#include "base/math.h"
#include "pci/finding.h"
#include "report/sata.h"

#include <stddef.h>

/* Mean rate of the transfer test; 0: it did not end well. */
static uint64_t rate_of(const struct result *result, const struct result_drive *drive)
{
    const struct bench_run *run = drive->run;

    for (uint32_t i = 0; i < run->plan.step_count; i++)
        if (run->plan.steps[i].kind == PLAN_TRANSFER && run->tests[i].state == BENCH_DONE)
            return result_rate(run->tests[i].counted_bytes, run->tests[i].time.counted_ticks,
                               &result->clock);
    return 0;
}

/* Whether a rate above the ceiling rather speaks against the ceiling. */
static bool is_assumed(const struct pci_hop *hop)
{
    if (hop->kind == PCI_HOP_BUS)
        return !hop->bus.clock_known || !hop->bus.width_known;
    return hop->nominal;
}

/* By how much a rate may seem to be above a ceiling because the clock is not exact. */
static uint64_t with_margin(const struct verdict *verdict, uint64_t bytes_per_s)
{
    return bytes_per_s + base_mul_div(bytes_per_s, verdict->margin_permille, 1000);
}

static void judge_hop(struct verdict *verdict, uint32_t index, uint64_t most)
{
    struct verdict_hop *hop = &verdict->hops[index];

    hop->known = true;
    hop->permille = base_mul_div(verdict->rate_bytes_per_s, 1000, hop->ceiling_bytes_per_s);
    hop->exceeded = verdict->rate_bytes_per_s > with_margin(verdict, most);
    if (!hop->exceeded)
        return;
    hop->refuted = hop->assumed || verdict->virtual_machine;
    if (verdict->virtual_machine)
        verdict->emulated_link = true;
}

static void fill_pci_hops(struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->path.count; i++) {
        const struct pci_ceiling *ceiling = &verdict->ceiling.hops[i];
        enum pci_hop_kind kind = verdict->path.hops[i].kind;

        if (ceiling->known) {
            verdict->hops[i].raw_bytes_per_s = ceiling->raw_bytes_per_s;
            verdict->hops[i].ceiling_bytes_per_s = ceiling->to_memory_bytes_per_s;
            verdict->hops[i].assumed = is_assumed(&verdict->path.hops[i]);
            /* Of a bus the ceiling is the best that is usual; only the raw rate is a limit. */
            judge_hop(verdict, i,
                      kind == PCI_HOP_BUS ? ceiling->raw_bytes_per_s
                                          : ceiling->to_memory_bytes_per_s);
        }
        if (kind != PCI_HOP_INTERNAL && (!ceiling->known || verdict->hops[i].refuted))
            verdict->unknown_hops++;
    }
}

/* Whether a PCI Express link whose state was read carries the rate, and none is exceeded. */
static bool links_carry(const struct verdict *verdict)
{
    bool any = false;

    for (uint32_t i = 0; i < verdict->path.count; i++) {
        const struct verdict_hop *hop = &verdict->hops[i];

        if (!hop->known || hop->assumed)
            continue;
        if (hop->exceeded)
            return false;
        any = any || verdict->path.hops[i].kind == PCI_HOP_LINK;
    }
    return any;
}

static void fill_hops(const struct result_drive *drive, struct verdict *verdict)
{
    struct verdict_hop *sata = &verdict->hops[VERDICT_SATA];
    unsigned generation = sata_generation(drive);

    if (verdict->has_path)
        fill_pci_hops(verdict);
    else
        verdict->unknown_hops = 1;
    if (generation == 0)
        return;
    sata->raw_bytes_per_s = UINT64_C(150000000) << (generation - 1);
    sata->ceiling_bytes_per_s = pci_ceiling_sata(generation, PCI_SATA_TURNAROUND_MIN);
    judge_hop(verdict, VERDICT_SATA, sata->ceiling_bytes_per_s);
    if (sata->exceeded && verdict->has_path && links_carry(verdict))
        sata->refuted = true;
}

/* The lowest ceiling of those that can be the limit, leaving out hop `except`. */
static uint32_t lowest(const struct verdict *verdict, uint32_t except)
{
    uint32_t found = VERDICT_NO_HOP;

    for (uint32_t i = 0; i < VERDICT_HOPS_MAX; i++) {
        const struct verdict_hop *hop = &verdict->hops[i];

        if (!hop->known || hop->refuted || i == except)
            continue;
        if (found == VERDICT_NO_HOP ||
            hop->ceiling_bytes_per_s < verdict->hops[found].ceiling_bytes_per_s)
            found = i;
    }
    return found;
}

static bool is_asleep(const struct pci_path *path)
{
    for (uint32_t i = 0; i < path->count; i++)
        if (path->hops[i].kind == PCI_HOP_LINK &&
            (path->hops[i].above.aspm != 0 || path->hops[i].below.aspm != 0))
            return true;
    return false;
}

/* Whether the rate is what the hop can carry in packets of 64 bytes, as some controllers send. */
static bool fits_small_packets(const struct verdict *verdict)
{
    const struct pci_hop *hop = &verdict->path.hops[verdict->hop];
    struct pci_packets packets = verdict->ceiling.packets;
    struct pci_ceiling ceiling;

    if (hop->kind != PCI_HOP_LINK)
        return false;
    packets.payload_bytes = 64;
    ceiling = pci_ceiling_link(hop->speed, hop->width, &packets);
    return verdict->rate_bytes_per_s <= ceiling.to_memory_bytes_per_s &&
           base_mul_div(verdict->rate_bytes_per_s, 1000, ceiling.to_memory_bytes_per_s) >=
               VERDICT_LIMIT_PERMILLE;
}

static uint32_t find_causes(const struct result *result, const struct drive_info *info,
                            const struct verdict *verdict)
{
    uint32_t causes = 0;

    if (verdict->hop != VERDICT_SATA) {
        if (fits_small_packets(verdict))
            causes |= VERDICT_CAUSE_SMALL_PACKETS;
        if (is_asleep(&verdict->path) && info->queue_depth == 0)
            causes |= VERDICT_CAUSE_ASPM;
        if (verdict->path.hops[verdict->hop].kind == PCI_HOP_BUS)
            causes |= VERDICT_CAUSE_BURSTS;
        if (result_iommu_translates(&result->machine))
            causes |= VERDICT_CAUSE_IOMMU;
    }
    if (info->queue_depth == 0)
        causes |= VERDICT_CAUSE_UNQUEUED;
    if (info->rotation_rpm > 1)
        causes |= VERDICT_CAUSE_ROTATES;
    return causes;
}

static uint64_t suspect_permille(const struct verdict *verdict)
{
    bool bus = verdict->hop != VERDICT_SATA && verdict->path.hops[verdict->hop].kind == PCI_HOP_BUS;

    return bus ? VERDICT_SUSPECT_BUS_PERMILLE : VERDICT_SUSPECT_PERMILLE;
}

static enum verdict_state state_of(const struct verdict *verdict)
{
    const struct verdict_hop *hop;

    if (verdict->rate_bytes_per_s == 0)
        return VERDICT_NONE;
    if (verdict->hop == VERDICT_NO_HOP)
        return VERDICT_UNKNOWN;
    hop = &verdict->hops[verdict->hop];
    if (hop->exceeded)
        return VERDICT_IMPOSSIBLE;
    if (hop->permille >= VERDICT_LIMIT_PERMILLE)
        return VERDICT_LIMIT;
    return hop->permille >= suspect_permille(verdict) ? VERDICT_SUSPECT : VERDICT_DRIVE;
}

/* Another hop that the same share would make the limit, or a suspect. */
static uint32_t find_rival(const struct verdict *verdict)
{
    uint32_t rival = lowest(verdict, verdict->hop);
    uint64_t least =
        verdict->state == VERDICT_LIMIT ? VERDICT_LIMIT_PERMILLE : VERDICT_SUSPECT_PERMILLE;

    return rival != VERDICT_NO_HOP && verdict->hops[rival].permille >= least ? rival
                                                                             : VERDICT_NO_HOP;
}

static uint32_t find_voids(const struct result_drive *drive, const struct verdict *verdict)
{
    uint32_t voids = 0;

    if (drive->run->voided)
        voids |= VERDICT_VOID_DATA;
    if (verdict->state == VERDICT_IMPOSSIBLE)
        voids |= VERDICT_VOID_IMPOSSIBLE;
    if (pci_watch_changed(&drive->watch) != 0)
        voids |= VERDICT_VOID_LINK_CHANGED;
    if (pci_watch_errors(&drive->watch) != 0)
        voids |= VERDICT_VOID_LINK_ERRORS;
    if (sata_changed(drive))
        voids |= VERDICT_VOID_SATA_CHANGED;
    if (sata_errors(drive) != 0)
        voids |= VERDICT_VOID_SATA_ERRORS;
    return voids;
}

void verdict_judge(const struct result *result, uint32_t controller, uint32_t port_index,
                   struct verdict *ret_verdict)
{
    const struct result_controller *judged = &result->controllers[controller];
    const struct result_drive *drive = judged->ports[port_index].drive;
    struct verdict *verdict = ret_verdict;
    const struct pci_path *path;

    *verdict = (struct verdict){.virtual_machine = result->machine.hypervisor,
                                .hop = VERDICT_NO_HOP,
                                .rival = VERDICT_NO_HOP};
    if (result->clock.source == HW_CLOCK_STALL)
        verdict->margin_permille = VERDICT_STALL_PERMILLE;
    if (drive == NULL || !drive->planned || drive->run == NULL)
        return;
    path = pci_watch_path(&drive->watch);
    if (path == NULL && judged->has_path)
        path = &judged->path;
    verdict->has_path = path != NULL;
    if (path != NULL) {
        verdict->path = *path;
        pci_ceiling_path(path, judged->header_bytes, &verdict->ceiling);
    }
    if (!drive->run->voided)
        verdict->rate_bytes_per_s = rate_of(result, drive);
    fill_hops(drive, verdict);
    verdict->hop = lowest(verdict, VERDICT_NO_HOP);
    verdict->state = state_of(verdict);
    verdict->voids = find_voids(drive, verdict);
    if (verdict->state != VERDICT_LIMIT && verdict->state != VERDICT_SUSPECT)
        return;
    verdict->rival = find_rival(verdict);
    if (verdict->state == VERDICT_SUSPECT)
        verdict->causes = find_causes(result, &drive->info, verdict);
}
