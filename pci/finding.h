/*
 * What stands out on a path: kinds and places only. The evidence is in the path itself, the words
 * are the writers'.
 */
#ifndef PCI_FINDING_H
#define PCI_FINDING_H

#include "pci/path.h"

#include <stdbool.h>
#include <stdint.h>

enum pci_finding_kind {
    PCI_FINDING_SPEED = 0,   /* a link runs slower than both of its ends can */
    PCI_FINDING_WIDTH,       /* a link has fewer lanes in use than both of its ends have */
    PCI_FINDING_SLOT,        /* the port above a link can do less than what is below it */
    PCI_FINDING_PAYLOAD,     /* packets are smaller than every end of the path allows */
    PCI_FINDING_ASPM,        /* a link may fall asleep */
    PCI_FINDING_SHARED,      /* other devices are behind the same link or bus */
    PCI_FINDING_UPLINK,      /* the path leads through the uplink of a chipset */
    PCI_FINDING_BUS,         /* the path leads through a conventional bus */
    PCI_FINDING_ENDS_DIFFER, /* the two ends of a link report different states */
    PCI_FINDING_ERRORS,      /* errors of the link stand in its status registers */
    PCI_FINDING_KINDS
};

/* Name of a kind for result files ("link speed"). Never NULL. */
const char *pci_finding_name(enum pci_finding_kind kind);

struct pci_finding {
    enum pci_finding_kind kind;
    uint32_t hop; /* index in the path; of PAYLOAD the first hop with the smallest size set */
};

#define PCI_FINDINGS_MAX (PCI_PATH_HOPS_MAX * (PCI_FINDING_KINDS - 1))

struct pci_findings {
    uint32_t count;
    struct pci_finding list[PCI_FINDINGS_MAX]; /* by hop from the root bus down, PAYLOAD last */
};

/* Everything that stands out on *path. */
void pci_finding_collect(const struct pci_path *path, struct pci_findings *ret_findings);

/* Whether a function belongs to a device that the path leads through: its own card, a switch. */
bool pci_finding_is_on_path(const struct pci_path *path, const struct pci_address *address);

/* Functions that share a hop, without those of devices that the path itself leads through. */
uint32_t pci_finding_others(const struct pci_path *path, uint32_t hop);

/* The largest payload that every end of the path with the capability can take; 0: none has it. */
uint16_t pci_finding_payload_max(const struct pci_path *path);

/*
 * Bits of an end's Uncorrectable and Correctable Error Status that mean trouble on its link.
 * Requests that nobody claimed are left out: looking for devices causes those. (PCI Express Base
 * 5.0, sections 7.8.4.2 and 7.8.4.5.)
 */
#define PCI_FINDING_AER_UNCORRECTABLE UINT32_C(0x000e7030)
#define PCI_FINDING_AER_CORRECTABLE   UINT32_C(0x000011c1)

#endif
