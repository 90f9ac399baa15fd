/* Compares looks at the same path. */
#include "pci/watch.h"

#include "base/bits.h"
#include "pci/finding.h"
#include "pci/regs.h"

#include <stddef.h>

static bool same_state(const struct pci_end *a, const struct pci_end *b)
{
    return a->answers == b->answers && a->has_link == b->has_link && a->speed == b->speed &&
           a->width == b->width;
}

/* The ends whose registers describe the link of a hop: of an uplink only the upper one's do. */
static bool has_lower_end(const struct pci_hop *hop)
{
    return hop->kind == PCI_HOP_LINK;
}

static bool has_upper_end(const struct pci_hop *hop)
{
    return hop->kind == PCI_HOP_LINK || hop->kind == PCI_HOP_UPLINK;
}

static uint32_t differences(const struct pci_path *a, const struct pci_path *b)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        const struct pci_hop *first = &a->hops[i], *second = &b->hops[i];

        if (first->kind != second->kind ||
            (has_upper_end(first) && !same_state(&first->above, &second->above)) ||
            (has_lower_end(first) && !same_state(&first->below, &second->below)))
            mask |= BIT32(i);
    }
    return mask;
}

static bool is_lower(const struct pci_hop *hop, const struct pci_hop *than)
{
    return hop->speed < than->speed || hop->width < than->width;
}

/* Hops that are slower or narrower in *a than in *b. */
static uint32_t lower_hops(const struct pci_path *a, const struct pci_path *b)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (has_upper_end(&a->hops[i]) && is_lower(&a->hops[i], &b->hops[i]))
            mask |= BIT32(i);
    return mask;
}

void pci_watch_look(struct pci_watch *watch, const struct pci_path *path)
{
    if (watch->looks == 0)
        watch->loaded = *path;
    else
        watch->loaded_changed |= differences(&watch->loaded, path);
    watch->looks++;
}

/* The port reports that its link was retrained, or made slower because it was not reliable. */
static uint32_t reported_changes(const struct pci_path *before, const struct pci_path *after)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < before->count && i < after->count; i++) {
        uint32_t old = before->hops[i].above.lnk_sta, now = after->hops[i].above.lnk_sta;

        if (has_upper_end(&after->hops[i]) && (now & ~old & PCIE_LNK_STA_LBMS) != 0)
            mask |= BIT32(i);
    }
    return mask;
}

uint32_t pci_watch_rests(const struct pci_watch *watch)
{
    if (!watch->has_before || watch->looks == 0)
        return 0;
    return lower_hops(&watch->before, &watch->loaded) & ~watch->loaded_changed;
}

uint32_t pci_watch_changed(const struct pci_watch *watch)
{
    uint32_t mask = watch->loaded_changed;

    if (!watch->has_before)
        return mask;
    if (watch->looks > 0)
        mask |= lower_hops(&watch->loaded, &watch->before);
    if (watch->has_after) {
        uint32_t rests = pci_watch_rests(watch);
        uint32_t after = differences(&watch->before, &watch->after);

        /* After the run a link that rests may rest again, or not yet. */
        if (rests != 0)
            after &= ~rests | differences(&watch->loaded, &watch->after);
        mask |= after | (reported_changes(&watch->before, &watch->after) & ~rests);
    }
    return mask;
}

/* Where there is no AER, Device Status has to do: its bits stand for more than link errors. */
static bool new_errors(const struct pci_end *old, const struct pci_end *now)
{
    if (!old->has_aer || !now->has_aer)
        return (now->dev_sta & ~old->dev_sta & PCI_WATCH_DEV_STA_ERRORS) != 0;
    return (now->aer_uncorrectable & ~old->aer_uncorrectable & PCI_FINDING_AER_UNCORRECTABLE) !=
               0 ||
           (now->aer_correctable & ~old->aer_correctable & PCI_FINDING_AER_CORRECTABLE) != 0;
}

uint32_t pci_watch_errors(const struct pci_watch *watch)
{
    uint32_t mask = 0;

    if (!watch->has_before || !watch->has_after)
        return 0;
    for (uint32_t i = 0; i < watch->before.count && i < watch->after.count; i++) {
        const struct pci_hop *old = &watch->before.hops[i], *now = &watch->after.hops[i];

        if ((has_upper_end(now) && new_errors(&old->above, &now->above)) ||
            (has_lower_end(now) && new_errors(&old->below, &now->below)))
            mask |= BIT32(i);
    }
    return mask;
}

const struct pci_path *pci_watch_path(const struct pci_watch *watch)
{
    if (watch->looks > 0)
        return &watch->loaded;
    return watch->has_before ? &watch->before : NULL;
}
