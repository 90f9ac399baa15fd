/* Real machines: dumps of configuration space (BARELANE_CORPUS: pci/hex, pci/qemu,
 * pci/header-only).
 */
#include "pci/walk.h"

#include "pci/regs.h"
#include "tests/unit/pci_corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#include <cmocka.h>

/* Functions that a dump has and no walk can find. */
static const struct {
    const char *file;
    struct pci_address address;
} not_found[] = {
    /* Its slot line is what the kernel remembers; the device is powered down, every byte is ff. */
    {"gl9755-laptop.lspci", {0, 0x2f, 0, 0}},
    /* Likewise: the sound function of a graphics card that is switched off. */
    {"latitude-e6430.lspci", {0, 0x01, 0, 1}},
};

/*
 * Functions in domains above ffffh: numbers that Linux makes up (Intel VMD, Hyper-V) for buses that
 * no segment of the machine leads to.
 */
static const struct {
    const char *file;
    size_t count;
} no_segment[] = {
    {"ideapad-tigerlake-vmd.lspci", 2},
    {"hwloc-2pa-pcidomain32bits.lspci", 2},
};

static bool is_exception(const char *file, struct pci_address address)
{
    for (size_t i = 0; i < COUNT_OF(not_found); i++)
        if (strcmp(not_found[i].file, file) == 0 && not_found[i].address.bus == address.bus &&
            not_found[i].address.device == address.device &&
            not_found[i].address.function == address.function)
            return true;
    return false;
}

static size_t expected_skips(const char *file)
{
    for (size_t i = 0; i < COUNT_OF(no_segment); i++)
        if (strcmp(no_segment[i].file, file) == 0)
            return no_segment[i].count;
    return 0;
}

/* Every function of the dump is found, but for the known ones; each below the right bridge. */
static void check_dump(const char *directory, const char *file)
{
    char path[1024];
    size_t missing = 0;

    snprintf(path, sizeof path, "%s/%s", directory, file);
    if (load_and_walk(path) != expected_skips(file))
        fail_msg("%s: other functions than expected are outside every segment", file);
    for (size_t i = 0; i < dump.count; i++) {
        struct pci_address at = dump.functions[i]->address;
        bool found = pci_walk_find(&tree, at) != PCI_NO_PARENT;

        if (found == is_exception(file, at))
            fail_msg("%s: %04x:%02x:%02x.%x %s", file, at.segment, at.bus, at.device, at.function,
                     found ? "found" : "not found");
        missing += !found;
    }
    assert_int_equal(tree.count + missing, dump.count);
    for (uint32_t i = 0; i < tree.count; i++) {
        int32_t parent = devices[i].parent;

        if (parent != PCI_NO_PARENT)
            assert_int_equal(devices[parent].secondary_bus, devices[i].address.bus);
    }
    host_dump_free(&dump);
}

static void test_full_dumps(void **state)
{
    (void)state;
    check_directory("pci/hex", ".lspci", check_dump);
}

static void test_qemu_dumps(void **state)
{
    (void)state;
    check_directory("pci/qemu", ".lspci", check_dump);
}

static void test_header_dumps(void **state)
{
    (void)state;
    check_directory("pci/header-only", ".lspci", check_dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_dumps),
        cmocka_unit_test(test_qemu_dumps),
        cmocka_unit_test(test_header_dumps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
