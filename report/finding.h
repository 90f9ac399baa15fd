/*
 * Everything that stands out on the way to a drive, in words: evidence and advice. METHOD.md,
 * section "Findings".
 */
#ifndef REPORT_FINDING_H
#define REPORT_FINDING_H

#include "base/text.h"
#include "pci/finding.h"
#include "report/result.h"

#include <stdbool.h>
#include <stdint.h>

/* Findings of a run, beside those of the path itself (pci/finding.h). */
enum finding_kind {
    FINDING_PATH = 0,     /* `path` says which */
    FINDING_LINK_CHANGED, /* during the run */
    FINDING_LINK_ERRORS,  /* during the run */
    FINDING_LINK_RESTS,   /* a link is slower at rest than under load */
    FINDING_SATA_SPEED,   /* slower than drive and controller can */
    FINDING_SATA_PORT,    /* the controller can do less than the drive */
    FINDING_SATA_CHANGED,
    FINDING_SATA_ERRORS,
    FINDING_IOMMU,
};

struct finding {
    enum finding_kind kind;
    enum pci_finding_kind path_kind;
    uint32_t hop;  /* FINDING_NO_HOP: none */
    uint32_t port; /* index of the controller's ports; FINDING_NO_PORT: of the controller */
};

#define FINDING_NO_HOP  UINT32_MAX
#define FINDING_NO_PORT UINT32_MAX

/* Name for result files ("link speed"). Never NULL. */
const char *finding_name(const struct finding *finding);

/* The path that the findings of a controller are about: under load if it was looked at then, else
 * as found; NULL: there is none. */
const struct pci_path *finding_path(const struct result_controller *controller);

/* More than any machine should have; what is beyond is counted. */
#define FINDINGS_MAX 96

struct findings {
    uint32_t count;
    uint32_t dropped;
    struct finding list[FINDINGS_MAX]; /* those of runs by port, then of the controller */
};

void finding_collect(const struct result *result, uint32_t controller,
                     struct findings *ret_findings);

/* What was seen, and what a person can do: a sentence or two each, without a line's end. */
void finding_evidence(struct text *text, const struct result *result, uint32_t controller,
                      const struct finding *finding);
void finding_advice(struct text *text, const struct result *result, uint32_t controller,
                    const struct finding *finding);

/* The same for findings of a path alone. */
void finding_path_evidence(struct text *text, const struct pci_path *path,
                           const struct pci_finding *finding);
void finding_path_advice(struct text *text, const struct pci_path *path,
                         const struct pci_finding *finding);

/* Error bits that `now` has beyond `old`, another look at the same end; nothing if there are none.
 */
void finding_new_errors(struct text *text, const struct pci_end *old, const struct pci_end *now);

#endif
