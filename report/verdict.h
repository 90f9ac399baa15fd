/*
 * Which hop between processor and drive explains the rate that was measured. Recomputed from the
 * facts of a run whenever it is written; METHOD.md, section "Verdict".
 */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include "base/text.h"
#include "pci/ceiling.h"
#include "report/path.h"
#include "report/result.h"

#include <stdbool.h>
#include <stdint.h>

enum verdict_state {
    VERDICT_NONE = 0,   /* there is no rate to judge */
    VERDICT_UNKNOWN,    /* no ceiling of the path is known */
    VERDICT_LIMIT,      /* the rate is at the ceiling of a hop: that hop limits */
    VERDICT_SUSPECT,    /* near it: perhaps that hop, with something that makes it worse */
    VERDICT_DRIVE,      /* far below all: the drive, or the controller itself, limits */
    VERDICT_IMPOSSIBLE, /* above a ceiling: the rate or the link data are wrong */
};

/* Shares of a ceiling from which on a hop is the limit, or suspected to be. */
#define VERDICT_LIMIT_PERMILLE   880u
#define VERDICT_SUSPECT_PERMILLE 700u
/* The same for a conventional bus, whose usual bursts are much shorter than the best ones. */
#define VERDICT_SUSPECT_BUS_PERMILLE 600u
/* A clock measured with the firmware's Stall can be wrong by as much. */
#define VERDICT_STALL_PERMILLE 60u

/* Why no figure of the drive may be used. */
enum verdict_void {
    VERDICT_VOID_DATA = 1u << 0,         /* verify found data that differ */
    VERDICT_VOID_IMPOSSIBLE = 1u << 1,   /* above a ceiling */
    VERDICT_VOID_LINK_CHANGED = 1u << 2, /* a PCI Express link changed during the run */
    VERDICT_VOID_LINK_ERRORS = 1u << 3,  /* errors on the PCI Express path during the run */
    VERDICT_VOID_SATA_CHANGED = 1u << 4,
    VERDICT_VOID_SATA_ERRORS = 1u << 5,
};
#define VERDICT_VOIDS 6

/* What can keep a rate below the ceiling of the hop that is suspected. */
enum verdict_cause {
    VERDICT_CAUSE_SMALL_PACKETS = 1u << 0, /* the rate fits packets of 64 bytes */
    VERDICT_CAUSE_ASPM = 1u << 1,          /* a link may fall asleep, between reads one at a time */
    VERDICT_CAUSE_IOMMU = 1u << 2,         /* an IOMMU translates */
    VERDICT_CAUSE_UNQUEUED = 1u << 3,      /* the drive has no queue: each command waits */
    VERDICT_CAUSE_ROTATES = 1u << 4,       /* a disk gets slower towards its end */
    VERDICT_CAUSE_BURSTS = 1u << 5,        /* short bursts on a conventional bus */
};
#define VERDICT_CAUSES 6

/* The SATA link stands behind the hops of the path. */
#define VERDICT_SATA     PCI_PATH_HOPS_MAX
#define VERDICT_HOPS_MAX (PCI_PATH_HOPS_MAX + 1)
#define VERDICT_NO_HOP   UINT32_MAX

struct verdict_hop {
    bool known; /* the fields below are meaningful */
    /*
     * The rate is above the ceiling, but the ceiling was not read from working registers: the links
     * of a virtual machine, a nominal link, a bus whose clock shows nowhere; or it is that of a
     * SATA link, and a PCI Express link that was read carries the rate: then there is no SATA wire
     * behind the port. Such a ceiling does not count.
     */
    bool refuted;
    bool assumed; /* not read: nominal, or a bus whose clock or width is */
    uint64_t raw_bytes_per_s;
    uint64_t ceiling_bytes_per_s;
    uint64_t permille; /* rate / ceiling, rounded down */
    bool exceeded; /* the rate is above it, of a bus above the raw rate, by more than the margin */
};

struct verdict {
    enum verdict_state state;
    uint32_t voids; /* of enum verdict_void; 0: the figures may be used */
    bool virtual_machine;
    bool emulated_link;        /* a refuted hop of a virtual machine */
    uint64_t margin_permille;  /* by which the clock may be wrong; 0 unless it was Stall */
    uint64_t rate_bytes_per_s; /* mean of the transfer test; 0: none */
    uint32_t hop;    /* with the lowest ceiling that is not refuted: an index of hops, or NO_HOP */
    uint32_t rival;  /* SATA link or hop that is so near that the two cannot be told apart */
    uint32_t causes; /* of enum verdict_cause, for SUSPECT */
    uint32_t unknown_hops; /* links and buses of the path that have no ceiling to compare with */
    struct pci_path path;  /* as it stood under load, else before the run */
    bool has_path;
    struct pci_path_ceiling ceiling;
    struct verdict_hop hops[VERDICT_HOPS_MAX];
};

/* Judges the drive on port `port_index` of a controller, both indices within their bounds. */
void verdict_judge(const struct result *result, uint32_t controller, uint32_t port_index,
                   struct verdict *ret_verdict);

/* "limit", "suspect", "drive", "impossible", "unknown", "none". */
const char *verdict_state_name(enum verdict_state state);

/* Name of the void reason or cause with this bit number ("link changed", "64-byte packets"). */
const char *verdict_void_name(unsigned bit);
const char *verdict_cause_name(unsigned bit);

/* The verdict in a few sentences, on one line without its end. */
void verdict_sentence(struct text *text, const struct verdict *verdict);

/* "PCIe link 00:1c.4 - 05:00.0" or "SATA link". */
void verdict_hop_name(struct text *text, const struct verdict *verdict, uint32_t hop);

/* What a line of the drawn chain says of a hop. */
struct path_figures verdict_figures(const struct verdict *verdict, uint32_t hop);

#endif
