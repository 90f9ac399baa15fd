/* Writer of the tree of PCI functions, a line each: ASCII, at most 79 columns, LF. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "base/text.h"
#include "pci/device.h"
#include "pci/path.h"

/* In words, "class 0b 40" where there are none. (PCI Code and ID Assignment 1.11, section 1.) */
void report_class(struct text *text, uint8_t base, uint8_t sub, uint8_t prog_if);

/* A function below `depth` bridges, with its link registers. */
void report_tree_function(struct text *text, const struct pci_device *device, unsigned depth,
                          const struct pci_end *end);

#endif
