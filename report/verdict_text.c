/* The verdict in words. */
#include "report/verdict.h"

#include "base/bits.h"
#include "base/math.h"
#include "report/table_text.h"

const char *verdict_state_name(enum verdict_state state)
{
    switch (state) {
    case VERDICT_UNKNOWN:
        return "unknown";
    case VERDICT_LIMIT:
        return "limit";
    case VERDICT_SUSPECT:
        return "suspect";
    case VERDICT_DRIVE:
        return "drive";
    case VERDICT_IMPOSSIBLE:
        return "impossible";
    case VERDICT_NONE:
        break;
    }
    return "none";
}

const char *verdict_void_name(unsigned bit)
{
    static const char *const names[VERDICT_VOIDS] = {"data differ",       "impossible rate",
                                                     "link changed",      "link errors",
                                                     "SATA link changed", "SATA errors"};

    return bit < VERDICT_VOIDS ? names[bit] : "unknown";
}

const char *verdict_cause_name(unsigned bit)
{
    static const char *const names[VERDICT_CAUSES] = {"64-byte packets", "link sleep (ASPM)",
                                                      "IOMMU",           "no command queue",
                                                      "rotating disk",   "short bursts"};

    return bit < VERDICT_CAUSES ? names[bit] : "unknown";
}

void verdict_hop_name(struct text *text, const struct verdict *verdict, uint32_t hop)
{
    if (hop == VERDICT_SATA)
        text_string(text, "SATA link");
    else
        path_hop_name(text, &verdict->path, hop);
}

struct path_figures verdict_figures(const struct verdict *verdict, uint32_t hop)
{
    const struct verdict_hop *shown = &verdict->hops[hop];
    struct path_figures figures = {
        .known = shown->known,
        .raw = shown->raw_bytes_per_s,
        .ceiling = shown->ceiling_bytes_per_s,
        .measured = shown->known && verdict->rate_bytes_per_s != 0,
        .permille = shown->permille,
        .mark = "",
    };

    if (shown->refuted)
        figures.mark = verdict->virtual_machine ? "emulated" : "assumed";
    else if (hop == verdict->hop && verdict->state == VERDICT_LIMIT)
        figures.mark = "<- LIMIT";
    else if (hop == verdict->hop && verdict->state == VERDICT_SUSPECT)
        figures.mark = "<- limit?";
    else if (hop == verdict->hop && verdict->state == VERDICT_IMPOSSIBLE)
        figures.mark = "<- VOID";
    return figures;
}

/* "190.0 MB/s is 44 % of the 431.3 MB/s that", and then whose they are. */
static void share(struct text *text, const struct verdict *verdict)
{
    const struct verdict_hop *hop = &verdict->hops[verdict->hop];

    table_rate(text, verdict->rate_bytes_per_s);
    if (verdict->state == VERDICT_IMPOSSIBLE)
        text_string(text, " MB/s is more than the ");
    else
        text_printf(text, " MB/s is %llu %% of the ",
                    (unsigned long long)base_mul_div_round(hop->permille, 1, 10));
    table_rate(text, hop->ceiling_bytes_per_s);
    text_string(text, " MB/s that ");
}

static void share_of_hop(struct text *text, const struct verdict *verdict)
{
    share(text, verdict);
    text_string(text, "the ");
    verdict_hop_name(text, verdict, verdict->hop);
    text_string(text, " can carry");
}

static void list_causes(struct text *text, const struct verdict *verdict)
{
    bool link =
        verdict->hop != VERDICT_SATA && verdict->path.hops[verdict->hop].kind != PCI_HOP_BUS;
    bool first = true;

    for (unsigned bit = 0; bit < VERDICT_CAUSES; bit++)
        if ((verdict->causes >> bit & 1) != 0) {
            text_printf(text, "%s%s", first ? " Possible: " : ", ", verdict_cause_name(bit));
            first = false;
        }
    if (!first)
        text_char(text, '.');
    else
        text_printf(text, " No cause shows: %sthe controller itself or the drive.",
                    link ? "small packets, " : "");
}

/* How sure the figure is that the rate is compared with. */
static void say_how_known(struct text *text, const struct verdict *verdict)
{
    if (!verdict->hops[verdict->hop].assumed)
        return;
    text_string(text, verdict->path.hops[verdict->hop].kind == PCI_HOP_BUS
                          ? " Its clock or width is assumed, not read."
                          : " That is nominal, not read from registers.");
}

static void limit(struct text *text, const struct verdict *verdict)
{
    text_string(text, "The ");
    verdict_hop_name(text, verdict, verdict->hop);
    text_string(text, verdict->state == VERDICT_LIMIT ? " is the limit: " : " may be the limit: ");
    share(text, verdict);
    text_string(text, "it can carry.");
    say_how_known(text, verdict);
    if (verdict->rival != VERDICT_NO_HOP) {
        text_string(text, " The ");
        verdict_hop_name(text, verdict, verdict->rival);
        text_string(text, " is so near that it may be the limit as well.");
    } else if (verdict->state == VERDICT_LIMIT) {
        text_printf(text, " No other%s hop comes near.",
                    verdict->unknown_hops > 0 && !verdict->virtual_machine ? " known" : "");
    }
    if (verdict->state == VERDICT_SUSPECT)
        list_causes(text, verdict);
}

/* Far below every ceiling: that acquits the path only if all of it is known. */
static void acquit(struct text *text, const struct verdict *verdict)
{
    if (verdict->unknown_hops == 0 || verdict->virtual_machine) {
        text_string(text, "The drive, or the controller itself, is the limit, not the path: ");
        share_of_hop(text, verdict);
        text_string(text, ", the lowest hop.");
        return;
    }
    text_string(text, "No known hop explains the rate: ");
    share_of_hop(text, verdict);
    text_printf(text, ", the lowest that is known. %u hop%s of the path %s no ceiling.",
                verdict->unknown_hops, verdict->unknown_hops == 1 ? "" : "s",
                verdict->unknown_hops == 1 ? "has" : "have");
}

/* Reasons, but that the rate is impossible, which has a sentence of its own. */
static bool say_void(struct text *text, const struct verdict *verdict)
{
    uint32_t voids = verdict->voids & ~(uint32_t)VERDICT_VOID_IMPOSSIBLE;
    bool first = true;

    for (unsigned bit = 0; bit < VERDICT_VOIDS; bit++)
        if ((voids >> bit & 1) != 0) {
            text_printf(text, "%s%s", first ? "Void: " : ", ", verdict_void_name(bit));
            first = false;
        }
    if (first)
        return false;
    text_string(text, ". The rate may not be used, so no hop is named.");
    return true;
}

static void machine(struct text *text, const struct verdict *verdict)
{
    bool first = true;

    text_string(text, " Taken in a virtual machine, whose links are nominal");
    for (uint32_t i = 0; i < VERDICT_HOPS_MAX; i++)
        if (verdict->hops[i].refuted) {
            text_string(text, first ? "; emulated link, above its ceiling: " : ", ");
            verdict_hop_name(text, verdict, i);
            first = false;
        }
    text_char(text, '.');
}

void verdict_sentence(struct text *text, const struct verdict *verdict)
{
    if (say_void(text, verdict))
        return;
    switch (verdict->state) {
    case VERDICT_UNKNOWN:
        text_string(text, "No working ceiling of the path is known, so nothing can be named.");
        break;
    case VERDICT_LIMIT:
    case VERDICT_SUSPECT:
        limit(text, verdict);
        break;
    case VERDICT_DRIVE:
        acquit(text, verdict);
        break;
    case VERDICT_IMPOSSIBLE:
        text_string(text, "Impossible: ");
        share_of_hop(text, verdict);
        text_string(text, ". Reads came from a cache, or the link data are wrong.");
        break;
    case VERDICT_NONE:
        text_string(text, "There is no rate to judge.");
        break;
    }
    if (verdict->hops[VERDICT_SATA].refuted && !verdict->virtual_machine)
        text_string(text, " It is more than the SATA link could carry: there is none behind this "
                          "port, or reads came from a cache.");
    if (verdict->virtual_machine && verdict->state != VERDICT_NONE)
        machine(text, verdict);
}
