/*
 * Walks over configuration spaces of random bytes: whatever is read, the walk ends within its
 * bounds, and its list is sound.
 */
#include "pci/bar.h"
#include "pci/ceiling.h"
#include "pci/path_read.h"
#include "pci/walk.h"

#include "base/random.h"
#include "pci/regs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SPACES 30000

/* Which values a space prefers; the rest of it is the hash of seed and place. */
struct random_space {
    uint64_t seed;
    unsigned present; /* of 256 functions, how many answer */
    unsigned bridges; /* of 256 functions, how many are bridges */
    uint8_t end_bus;
    bool changing; /* a second look sees something else */
    uint32_t reads;
};

static uint64_t hash(const struct random_space *space, struct pci_address address, uint16_t offset)
{
    struct base_random random = {.state = space->seed ^ (uint64_t)address.bus << 40 ^
                                          (uint64_t)address.device << 32 ^
                                          (uint64_t)address.function << 24 ^ offset};

    if (space->changing)
        random.state ^= (uint64_t)space->reads << 48;
    return base_random_next(&random);
}

/* Bus numbers a little beyond the range, so that most of them lead somewhere. */
static uint32_t bus_numbers(const struct random_space *space, uint64_t bits)
{
    uint32_t limit = space->end_bus + 3u;
    uint32_t primary = (uint32_t)(bits & 0xff);
    uint32_t secondary = (uint32_t)(bits >> 8 & 0xffff) % limit;
    uint32_t subordinate = (uint32_t)(bits >> 24 & 0xffff) % limit;

    return primary | (secondary & 0xff) << 8 | (subordinate & 0xff) << 16 |
           (uint32_t)(bits >> 40 & 0xff) << 24;
}

static uint32_t random_read(const struct pci_config *config, struct pci_address address,
                            uint16_t offset)
{
    struct random_space *space = config->context;
    uint64_t bits = hash(space, address, offset);
    uint64_t kind = hash(space, address, 0xffff);
    uint32_t value = (uint32_t)bits;

    assert_int_equal(offset % 4, 0);
    assert_in_range(offset, 0, 4092);
    assert_true(address.device < 32 && address.function < 8);
    space->reads++;
    if ((kind & 0xff) >= space->present)
        return UINT32_MAX;
    if (offset == (PCI_HEADER_TYPE & ~3u) && (kind >> 8 & 0xff) < space->bridges)
        return (value & 0xff80ffff) | (uint32_t)(1 + (kind >> 16 & 1)) << 16;
    if (offset == (PCI_HEADER_TYPE & ~3u) && (kind >> 24 & 7) != 0)
        return value & 0xff80ffff;
    if (offset == PCI_BUS_NUMBERS)
        return bus_numbers(space, bits);
    return value;
}

static void random_write(const struct pci_config *config, struct pci_address address,
                         uint16_t offset, uint32_t value)
{
    (void)config;
    (void)address;
    if (offset == PCI_COMMAND)
        assert_int_equal(value >> 16, 0);
}

static uint16_t random_reach(const struct pci_config *config, uint16_t segment, uint8_t bus)
{
    (void)config;
    (void)segment;
    (void)bus;
    return 4096;
}

static struct pci_config make(struct random_space *space, struct base_random *random)
{
    static const struct pci_config_ops ops = {random_read, random_write, random_reach};
    static const unsigned densities[] = {1, 4, 20, 100, 256};

    space->seed = base_random_next(random);
    space->present = densities[base_random_below(random, 5)];
    space->bridges = densities[base_random_below(random, 5)];
    space->end_bus = (uint8_t)base_random_below(random, 12);
    if (base_random_below(random, 100) == 0)
        space->end_bus = 255;
    space->changing = base_random_below(random, 4) == 0;
    space->reads = 0;
    return (struct pci_config){.ops = &ops, .context = space};
}

/* Each function once, within the range, after its parent, which is a bridge. */
static void check_tree(const struct pci_tree *tree, const struct random_space *space)
{
    static uint8_t seen[1 << 16];

    assert_true(tree->count <= tree->capacity);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pci_device *device = &tree->devices[i];
        unsigned place = (unsigned)(device->address.bus << 8 | device->address.device << 3 |
                                    device->address.function);

        assert_int_equal(seen[place], 0);
        seen[place] = 1;
        assert_true(device->address.bus <= space->end_bus);
        assert_in_range(device->parent + 1, 0, i);
        if (device->parent != PCI_NO_PARENT)
            assert_in_range(tree->devices[device->parent].header_type, 1, 2);
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pci_address *address = &tree->devices[i].address;

        seen[address->bus << 8 | address->device << 3 | address->function] = 0;
    }
}

/* Reads that a walk may take: the ids of each bus twice, and what is kept of each function. */
static void check_cost(const struct pci_tree *tree, const struct random_space *space)
{
    uint32_t buses = space->end_bus + 1u;

    assert_in_range(space->reads, 1, buses * 32 * 9 + (tree->count + 1) * 80);
}

static void test_walk(void **state)
{
    struct base_random random = {.state = 1};
    uint64_t functions = 0, full = 0;

    (void)state;
    for (unsigned round = 0; round < SPACES; round++) {
        struct random_space space;
        struct pci_config config = make(&space, &random);
        struct pci_tree tree = {.capacity = (uint32_t)base_random_below(&random, 200)};
        enum status status;

        /* Exactly as large as said, so that the sanitizer sees one entry too many. */
        tree.devices = malloc(tree.capacity * sizeof *tree.devices + 1);
        assert_non_null(tree.devices);
        status = pci_walk_segment(&config, 0, 0, space.end_bus, &tree);
        assert_true(status == STATUS_OK || (status == STATUS_FULL && tree.count == tree.capacity));
        check_tree(&tree, &space);
        check_cost(&tree, &space);
        functions += tree.count;
        full += status == STATUS_FULL;
        free(tree.devices);
    }
    /* The spaces are neither all empty nor all too large. */
    assert_in_range(functions, SPACES, SPACES * 200);
    assert_in_range(full, SPACES / 10, SPACES - SPACES / 10);
}

/* Links and BARs of what such a walk found. */
static void test_functions(void **state)
{
    struct base_random random = {.state = 3};
    struct pci_device devices[40];

    (void)state;
    for (unsigned round = 0; round < SPACES / 10; round++) {
        struct random_space space;
        struct pci_config config = make(&space, &random);
        struct pci_tree tree = {.devices = devices, .capacity = COUNT_OF(devices)};

        (void)!pci_walk_segment(&config, 0, 0, space.end_bus % 16, &tree);
        for (uint32_t i = 0; i < tree.count; i++) {
            struct hw_window window;

            for (unsigned bar = 0; bar < 6; bar++) {
                if (pci_bar_size(&config, &devices[i], bar, &window) != STATUS_OK)
                    continue;
                assert_true(window.bytes != 0 && (window.bytes & (window.bytes - 1)) == 0);
                assert_true(window.base % window.bytes == 0);
                assert_true(window.base + (window.bytes - 1) >= window.base);
            }
        }
    }
}

static void check_path(const struct pci_tree *tree, const struct pci_path *path, int32_t index)
{
    struct pci_path_ceiling ceiling;

    assert_in_range(path->count, 1, PCI_PATH_HOPS_MAX);
    assert_int_equal(path->hops[path->count - 1].below.index, index);
    for (uint32_t i = 0; i < path->count; i++) {
        const struct pci_hop *hop = &path->hops[i];

        assert_true(hop->shared_count < tree->count);
        for (uint32_t j = 0; j < hop->shared_count && j < PCI_HOP_SHARED_MAX; j++) {
            int32_t shared = pci_walk_find(tree, hop->shared[j].address);

            assert_true(shared != PCI_NO_PARENT && shared != index);
        }
        assert_in_range(hop->kind, PCI_HOP_UNKNOWN, PCI_HOP_UPLINK);
        if (i > 0)
            assert_int_equal(hop->above.index, path->hops[i - 1].below.index);
    }
    pci_ceiling_path(path, PCI_TLP_HEADER_4DW, &ceiling);
    for (uint32_t i = 0; i < path->count; i++) {
        const struct pci_ceiling *hop = &ceiling.hops[i];

        assert_true(hop->to_memory_bytes_per_s <= hop->raw_bytes_per_s);
        assert_true(hop->from_memory_bytes_per_s <= hop->raw_bytes_per_s);
        assert_true(hop->from_memory_rcb_bytes_per_s <= hop->from_memory_bytes_per_s);
        assert_true(hop->known == (hop->to_memory_bytes_per_s != 0));
    }
    assert_in_range(ceiling.to_memory_hop + 1, 0, path->count);
    assert_in_range(ceiling.from_memory_hop + 1, 0, path->count);
}

/* Paths of what such a walk found, with capabilities put at random places. */
static void test_paths(void **state)
{
    struct base_random random = {.state = 5};
    uint64_t hops = 0, links = 0;

    (void)state;
    for (unsigned round = 0; round < SPACES / 10; round++) {
        struct random_space space;
        struct pci_config config = make(&space, &random);
        struct pci_tree tree = {.capacity = (uint32_t)base_random_below(&random, 40)};
        struct pci_path *path = malloc(sizeof *path);

        tree.devices = malloc(tree.capacity * sizeof *tree.devices + 1);
        assert_true(tree.devices != NULL && path != NULL);
        (void)!pci_walk_segment(&config, 0, 0, space.end_bus % 16, &tree);
        for (uint32_t i = 0; i < tree.count; i++)
            if (base_random_below(&random, 3) != 0)
                tree.devices[i].pcie_cap = (uint16_t)(0x40 + 4 * base_random_below(&random, 48));
        for (uint32_t i = 0; i < tree.count; i++) {
            space.reads = 0;
            if (pci_path_read(&config, &tree, (int32_t)i, path) != STATUS_OK)
                continue;
            check_path(&tree, path, (int32_t)i);
            /* An end, its extended capabilities, the list of capabilities, a bus. */
            assert_in_range(space.reads, 1, (path->count + 1) * (24 + 960 + 100 + tree.count));
            hops += path->count;
            for (uint32_t hop = 0; hop < path->count; hop++)
                links += path->hops[hop].kind == PCI_HOP_LINK;
        }
        free(tree.devices);
        free(path);
    }
    assert_in_range(hops, SPACES, SPACES * 40);
    assert_in_range(links, SPACES / 20, hops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
