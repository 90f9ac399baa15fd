/*
 * The PCI walk: finds every function by reading configuration space, trusting nothing it reads.
 *
 * Starts at each root bus and follows bridges (header types 1 and 2). Bounded: each bus is visited
 * at most once, so loops, overlapping ranges and secondary bus 0 end by themselves. An ARI device's
 * functions above 7 are found where the port above forwards them and its list of functions, an
 * extended capability, is within reach.
 */
#ifndef PCI_WALK_H
#define PCI_WALK_H

#include "base/status.h"
#include "pci/config.h"
#include "pci/device.h"

#include <stdint.h>

/* The list; `devices` is the caller's memory. A child comes after its parent. */
struct pci_tree {
    struct pci_device *devices;
    uint32_t capacity;
    uint32_t count;
    uint32_t
        oddities; /* malformed things met and stepped over: loops, bad headers, bad bus ranges */
};

/*
 * Walks one segment and appends to *tree (start with count and oddities 0). Root buses: start_bus,
 * and every later bus up to end_bus that no bridge led to but on which something answers (second
 * root bridges: X99, pxb-pcie). Such a bus that lies in the range of a bridge already found hangs
 * under the tightest of these, behind something that does not show itself. Bridges not numbered
 * yet (secondary and subordinate 0) are listed and not followed.
 * STATUS_FULL: more functions than tree->capacity; what fitted is there.
 */
enum status pci_walk_segment(const struct pci_config *config, uint16_t segment, uint8_t start_bus,
                             uint8_t end_bus, struct pci_tree *tree) MUST_CHECK;

/*
 * Walks all segments of *host into *tree, whose old content is dropped: segment 0, buses 0 to 255,
 * always, then those with ECAM. Costs 32 configuration reads for each bus without anything on it.
 */
enum status pci_walk_host(struct pci_host *host, struct pci_tree *tree) MUST_CHECK;

/* Index of the function at `address`, or PCI_NO_PARENT. */
int32_t pci_walk_find(const struct pci_tree *tree, struct pci_address address);

#endif
