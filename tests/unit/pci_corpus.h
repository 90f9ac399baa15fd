/* Walks over the dumps of real machines (tests/unit/corpus.h). */
#ifndef TESTS_UNIT_PCI_CORPUS_H
#define TESTS_UNIT_PCI_CORPUS_H

#include "host/dump.h"
#include "tests/model/pci_space.h"
#include "tests/unit/corpus.h"

#define CAPACITY 512

static struct pci_device devices[CAPACITY];
static struct pci_tree tree;
static struct host_dump dump;

/* Loads a dump and walks it; the number of functions that no segment leads to. */
static size_t load_and_walk(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file == NULL)
        fail_msg("cannot open %s", path);
    tree = (struct pci_tree){.devices = devices, .capacity = CAPACITY};
    if (host_dump_read(&dump, file) != STATUS_OK)
        fail_msg("cannot read %s", path);
    fclose(file);
    assert_int_equal(host_dump_walk(&dump, &tree), STATUS_OK);
    return dump.skipped;
}

#endif
