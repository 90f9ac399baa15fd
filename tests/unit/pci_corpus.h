/* Walks over the dumps of configuration space in the corpus. */
#ifndef TESTS_UNIT_PCI_CORPUS_H
#define TESTS_UNIT_PCI_CORPUS_H

#include "pci/walk.h"
#include "tests/model/pci_dump.h"
#include "tests/unit/corpus.h"

#define CAPACITY 512

static struct pci_device devices[CAPACITY];
static struct pci_tree tree;
static struct pci_space space;

/* Lowest bus of the dump's functions in this segment: the start bus of its host bridge. */
static uint8_t start_bus(uint16_t segment)
{
    uint8_t lowest = 255;

    for (size_t i = 0; i < space.count; i++)
        if (space.functions[i]->address.segment == segment &&
            space.functions[i]->address.bus < lowest)
            lowest = space.functions[i]->address.bus;
    return lowest;
}

/* Loads a dump and walks each segment that it has. */
static size_t load_and_walk(const char *path)
{
    struct pci_config config = pci_space_config(&space);
    size_t skipped = 0;

    pci_space_init(&space);
    tree = (struct pci_tree){.devices = devices, .capacity = CAPACITY};
    if (!pci_dump_load(path, &space, &skipped))
        fail_msg("cannot read %s", path);
    for (size_t i = 0; i < space.count; i++) {
        uint16_t segment = space.functions[i]->address.segment;
        bool done = false;

        for (uint32_t j = 0; j < tree.count; j++)
            done = done || devices[j].address.segment == segment;
        if (!done)
            assert_int_equal(pci_walk_segment(&config, segment, start_bus(segment), 255, &tree),
                             STATUS_OK);
    }
    return skipped;
}

#endif
