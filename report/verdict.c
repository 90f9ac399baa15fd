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

static void judge_hop(struct verdict *verdict, uint32_t index, bool assumed)
{
    struct verdict_hop *hop = &verdict->hops[index];

    hop->known = true;
    hop->permille = base_mul_div(verdict->rate_bytes_per_s, 1000, hop->ceiling_bytes_per_s);
    if (verdict->rate_bytes_per_s <= hop->ceiling_bytes_per_s)
        return;
    hop->refuted = assumed || verdict->virtual_machine;
    if (verdict->virtual_machine)
        verdict->emulated_link = true;
}

static void fill_hops(const struct result_drive *drive, struct verdict *verdict)
{
    unsigned generation = sata_generation(drive);

    for (uint32_t i = 0; verdict->has_path && i < verdict->path.count; i++) {
        const struct pci_ceiling *ceiling = &verdict->ceiling.hops[i];

        if (!ceiling->known)
            continue;
        verdict->hops[i].raw_bytes_per_s = ceiling->raw_bytes_per_s;
        verdict->hops[i].ceiling_bytes_per_s = ceiling->to_memory_bytes_per_s;
        judge_hop(verdict, i, is_assumed(&verdict->path.hops[i]));
    }
    if (generation == 0)
        return;
    verdict->hops[VERDICT_SATA].raw_bytes_per_s = UINT64_C(150000000) << (generation - 1);
    verdict->hops[VERDICT_SATA].ceiling_bytes_per_s =
        pci_ceiling_sata(generation, PCI_SATA_TURNAROUND_MIN);
    judge_hop(verdict, VERDICT_SATA, false);
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
        if (is_asleep(&verdict->path))
            causes |= VERDICT_CAUSE_ASPM;
        if (result_iommu_translates(&result->machine))
            causes |= VERDICT_CAUSE_IOMMU;
    }
    if (info->queue_depth == 0)
        causes |= VERDICT_CAUSE_UNQUEUED;
    if (info->rotation_rpm > 1)
        causes |= VERDICT_CAUSE_ROTATES;
    return causes;
}

static enum verdict_state state_of(const struct verdict *verdict)
{
    const struct verdict_hop *hop;

    if (verdict->rate_bytes_per_s == 0)
        return VERDICT_NONE;
    if (verdict->hop == VERDICT_NO_HOP)
        return VERDICT_UNKNOWN;
    hop = &verdict->hops[verdict->hop];
    if (verdict->rate_bytes_per_s > hop->ceiling_bytes_per_s)
        return VERDICT_IMPOSSIBLE;
    if (hop->permille >= VERDICT_LIMIT_PERMILLE)
        return VERDICT_LIMIT;
    return hop->permille >= VERDICT_SUSPECT_PERMILLE ? VERDICT_SUSPECT : VERDICT_DRIVE;
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
    verdict->rival = lowest(verdict, verdict->hop);
    if (verdict->rival != VERDICT_NO_HOP &&
        verdict->hops[verdict->rival].permille < VERDICT_LIMIT_PERMILLE)
        verdict->rival = VERDICT_NO_HOP;
    if (verdict->state == VERDICT_SUSPECT)
        verdict->causes = find_causes(result, &drive->info, verdict);
}
