/* Loads dumps in the text form of `lspci -F` into a configuration space, for tests. */
#ifndef TESTS_MODEL_PCI_DUMP_H
#define TESTS_MODEL_PCI_DUMP_H

#include "tests/model/pci_space.h"

#include <stddef.h>

/*
 * Adds the functions of the file to *space. Bytes that no row gives read as ff. Functions of
 * domains above ffffh (Intel VMD under Linux) are left out and counted in *ret_skipped. False: the
 * file cannot be opened.
 */
bool pci_dump_load(const char *path, struct pci_space *space, size_t *ret_skipped);

#endif
