/*
 * What stands under a function in the tree of PCI functions: windows and capabilities. ASCII, at
 * most 79 columns, LF.
 */
#ifndef REPORT_DETAIL_H
#define REPORT_DETAIL_H

#include "base/text.h"
#include "pci/bridge.h"
#include "pci/cap_list.h"

#include <stdint.h>

/* Bytes that one function needs at most, the final NUL included: no line holds less than a window
 * or a capability. */
#define REPORT_DETAIL_BYTES ((3 + PCI_CAP_LIST_MAX) * 80 + 1)

/*
 * Further indented than a function at `depth` of the tree (report/tree.h):
 *
 *   I/O none, memory e0000000-e00fffff, prefetchable closed
 *   [40] PCI Express, [80] id 7f, [100] AER
 *
 * That is: the windows of a bridge (NULL: the function is none), first and last address, all
 * hexadecimal; the offsets and names of the capabilities, of which there are up to
 * PCI_CAP_LIST_MAX, "id" for those without a name here. Nothing for a function with neither.
 */
void report_detail(struct text *text, unsigned depth, const struct pci_bridge *bridge,
                   const struct pci_cap *caps, uint32_t count);

#endif
