/*
 * The tree of PCI functions as text: one line for each function, children indented under their
 * bridge. ASCII, at most 79 columns, LF.
 */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "base/text.h"
#include "pci/device.h"
#include "pci/path.h"

#include <stdint.h>

/* A line is never longer, its LF included. */
#define REPORT_TREE_LINE_BYTES 80

/*
 * The function after `index` in the order of the tree: a bridge, then all behind it, then its next
 * sibling; siblings as they stand in the list. Start with PCI_NO_PARENT, which also says that there
 * is none left. *depth follows: 0 on a root bus. In the list a child comes after its parent, a
 * bridge, as the walk puts them; others are left out.
 */
int32_t report_tree_next(const struct pci_device *devices, uint32_t count, int32_t index,
                         unsigned *depth);

/*
 * A class code in words, "class 0b40" where there are none. (PCI Code and ID Assignment
 * Specification 1.11, section 1.)
 */
void report_class(struct text *text, uint8_t base, uint8_t sub, uint8_t prog_if);

/*
 * The line of one function, whose registers *end holds:
 *
 *   0000:00:1c.0 8086:a110 rev f1 root port -> bus 02-05, PCIe 2.5 of 8 GT/s x1 of x4
 *
 * That is: address, ids, class or kind of port, the buses behind a bridge, the link in force and,
 * where that differs, what the function can do; "?": no link, or a speed without a name. A line
 * that would be too long does without the word "switch", then without "bus", then without
 * the revision, then with less indentation.
 */
void report_tree_function(struct text *text, const struct pci_device *device, unsigned depth,
                          const struct pci_end *end);

#endif
