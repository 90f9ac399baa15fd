/*
 * Looks at a configuration space with everything that reads one, and ends the program if a promise
 * of the headers in pci/ is broken, or if anything reads more often than its design allows.
 */
#ifndef TESTS_FUZZ_LOOK_H
#define TESTS_FUZZ_LOOK_H

#include "pci/config.h"
#include "pci/walk.h"
#include "tests/fuzz/fuzz.h"

#include <stdint.h>

struct look {
    const struct pci_config *config;
    const uint32_t *reads; /* how many `config` has counted */
    uint16_t segment;
    uint8_t start_bus;
    uint8_t end_bus;
};

/* Walks into *tree, which must be empty. */
void look_walk(const struct look *look, struct pci_tree *tree);

/*
 * Capabilities, windows, path, ceilings and findings of every function of *tree, and the text that
 * is written of them.
 */
void look_functions(const struct look *look, const struct pci_tree *tree);

#endif
