/*
 * Walks over the dumps of real machines in the folder that the environment variable BARELANE_CORPUS
 * names; without it the tests are skipped.
 */
#ifndef TESTS_UNIT_PCI_CORPUS_H
#define TESTS_UNIT_PCI_CORPUS_H

#include "pci/walk.h"
#include "tests/model/pci_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#include <cmocka.h>

#define CAPACITY 512

static struct pci_device devices[CAPACITY];
static struct pci_tree tree;
static struct pci_space space;

static const char *corpus(void)
{
    const char *path = getenv("BARELANE_CORPUS");

    if (path == NULL || *path == '\0')
        skip();
    return path;
}

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

/* Calls `check` for each file of a folder of the corpus whose name ends so. */
static void check_directory(const char *name, const char *ending,
                            void (*check)(const char *directory, const char *file))
{
    char path[1024];
    struct dirent *entry;
    size_t count = 0;
    DIR *directory;

    snprintf(path, sizeof path, "%s/pci/%s", corpus(), name);
    directory = opendir(path);
    if (directory == NULL)
        fail_msg("cannot open %s", path);
    while ((entry = readdir(directory)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');

        if (dot == NULL || strcmp(dot, ending) != 0)
            continue;
        check(path, entry->d_name);
        count++;
    }
    closedir(directory);
    assert_true(count > 0);
    print_message("# %s: %zu files\n", name, count);
}

#endif
