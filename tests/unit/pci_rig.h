/* What tests of paths of misleading machines share: a space, its walk, and what is expected. */
#ifndef TESTS_UNIT_PCI_RIG_H
#define TESTS_UNIT_PCI_RIG_H

#include "pci/ceiling.h"
#include "pci/path_read.h"

#include "base/bits.h"
#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CAP 0x40 /* where the model puts the PCI Express capability */

static struct pci_device devices[64];
static struct pci_tree tree;
static struct pci_space space;
static struct pci_config config;

static inline int set_up(void **state)
{
    (void)state;
    tree = (struct pci_tree){.devices = devices, .capacity = COUNT_OF(devices)};
    pci_space_init(&space);
    config = pci_space_config(&space);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static inline void name(struct pci_space_function *function, uint32_t id, uint32_t class_code)
{
    pci_space_put32(function, PCI_VENDOR_ID, id);
    pci_space_put32(function, PCI_REVISION_ID, class_code << 8);
}

/* A function without a capability. */
static inline struct pci_space_function *add(struct pci_address at, uint32_t id,
                                             uint32_t class_code)
{
    struct pci_space_function *function = pci_space_add(&space, at);

    name(function, id, class_code);
    return function;
}

/* A bridge with the capability; its link at 5 GT/s x1. */
static inline struct pci_space_function *add_port(struct pci_address at, unsigned secondary,
                                                  unsigned subordinate, unsigned type)
{
    struct pci_space_function *port = pci_space_add_bridge(&space, at, secondary, subordinate);

    pci_space_add_pcie(port, type);
    pci_space_set_link(port, 2, 1, 2, 1);
    return port;
}

/* A controller, its link at 5 GT/s x1; payload 128, requests 512 bytes. */
static inline struct pci_space_function *add_controller(struct pci_address at, uint32_t id)
{
    struct pci_space_function *function = add(at, id, 0x010601);

    pci_space_add_pcie(function, PCIE_TYPE_LEGACY_ENDPOINT);
    pci_space_set_link(function, 2, 1, 2, 1);
    pci_space_put16(function, CAP + PCIE_DEV_CTL, 2 << 12);
    return function;
}

static inline int32_t find(unsigned bus, unsigned device, unsigned function)
{
    int32_t index = pci_walk_find(&tree, pci_space_at(bus, device, function));

    assert_int_not_equal(index, PCI_NO_PARENT);
    return index;
}

static inline struct pci_path read_path(unsigned bus, unsigned device, unsigned function)
{
    struct pci_path path;

    tree.count = tree.oddities = 0;
    assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_OK);
    assert_int_equal(tree.oddities, 0);
    assert_int_equal(pci_path_read(&config, &tree, find(bus, device, function), &path), STATUS_OK);
    return path;
}

/* Kinds of a path's hops, a letter each. */
static inline void assert_kinds(const struct pci_path *path, const char *expected)
{
    char kinds[PCI_PATH_HOPS_MAX + 1] = {0};

    for (uint32_t i = 0; i < path->count; i++)
        kinds[i] = "?ILBU"[path->hops[i].kind];
    assert_string_equal(kinds, expected);
}

static inline void assert_link(const struct pci_hop *hop, unsigned speed, unsigned width)
{
    assert_int_equal(hop->speed, speed);
    assert_int_equal(hop->width, width);
}

static inline void assert_max(const struct pci_hop *hop, unsigned speed, unsigned width)
{
    assert_int_equal(hop->speed_max, speed);
    assert_int_equal(hop->width_max, width);
}

/* The hop that limits reads of a drive, and its ceiling in units of 100 kB/s. */
static inline void assert_lowest(const struct pci_path *path, int32_t hop, uint64_t tenths)
{
    struct pci_path_ceiling ceiling;

    pci_ceiling_path(path, PCI_TLP_HEADER_3DW, &ceiling);
    assert_int_equal(ceiling.to_memory_hop, hop);
    assert_int_equal((ceiling.hops[hop].to_memory_bytes_per_s + 50000) / 100000, tenths);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
