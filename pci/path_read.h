/* Reading the path of a function out of the walk's list. The values are in pci/path.h. */
#ifndef PCI_PATH_READ_H
#define PCI_PATH_READ_H

#include "base/status.h"
#include "pci/config.h"
#include "pci/path.h"
#include "pci/walk.h"

#include <stdint.h>

/*
 * The path of function `index` of *tree, its registers read now. Reads only.
 * STATUS_INVALID: no such function, or its parents are not before it in the list. STATUS_FULL:
 * more hops than PCI_PATH_HOPS_MAX. *ret_path is written only on success.
 */
enum status pci_path_read(const struct pci_config *config, const struct pci_tree *tree,
                          int32_t index, struct pci_path *ret_path) MUST_CHECK;

/*
 * What function `index` says of itself as the end of a hop; an end without a function if there is
 * no such one. Costs up to 12 reads, and where there are extended capabilities one for each up to
 * that of error reporting; of Intel's functions two for each.
 */
struct pci_end pci_end_read(const struct pci_config *config, const struct pci_tree *tree,
                            int32_t index);

/* The conventional bus between the bridge `above` and function `below` of *tree. */
struct pci_bus pci_bus_read(const struct pci_config *config, const struct pci_tree *tree,
                            uint32_t above, uint32_t below);

#endif
