/* What stands out on a path, and what does not. */
#include "tests/unit/path_fake.h"

#include "base/bits.h"
#include "pci/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Kinds and hops of all findings, "speed@1" and so on, in their order. */
static void assert_findings(const struct pci_path *path, const char *expected)
{
    static const char *const names[PCI_FINDING_KINDS] = {
        "speed", "width", "slot", "payload", "aspm", "shared", "uplink", "bus", "differ", "errors"};
    struct pci_findings findings;
    char line[512] = "";

    pci_finding_collect(path, &findings);
    for (uint32_t i = 0; i < findings.count; i++) {
        char word[32];

        snprintf(word, sizeof word, "%s%s@%u", i > 0 ? " " : "", names[findings.list[i].kind],
                 findings.list[i].hop);
        strncat(line, word, sizeof line - strlen(line) - 1);
    }
    assert_string_equal(line, expected);
}

static void test_nothing(void **state)
{
    struct pci_path path = fake_lane(2, 1);
    struct pci_path none = {.count = 0};

    (void)state;
    assert_findings(&path, "");
    assert_findings(&none, "");
}

static void test_speed_and_width(void **state)
{
    struct pci_path path = fake_lane(1, 1);

    (void)state;
    path.hops[1].above.speed_max = path.hops[1].below.speed_max = 3;
    path.hops[1].speed_max = 3;
    assert_findings(&path, "speed@1");
    path.hops[1].above.width_max = path.hops[1].below.width_max = 4;
    path.hops[1].width_max = 4;
    assert_findings(&path, "speed@1 width@1");
    /* One end alone says nothing about what both can do. */
    path.hops[1].above.speed_max = path.hops[1].above.width_max = 0;
    assert_findings(&path, "");
}

static void test_slot(void **state)
{
    struct pci_path path = fake_lane(1, 1);

    (void)state;
    path.hops[1].below.speed_max = 2;
    assert_findings(&path, "slot@1");
    path.hops[1].below.speed_max = 1;
    path.hops[1].below.width_max = 2;
    assert_findings(&path, "slot@1");
    /* A slow card in a fast slot is normal. */
    path.hops[1].below.width_max = 1;
    path.hops[1].above.speed_max = 3;
    path.hops[1].above.width_max = 16;
    assert_findings(&path, "");
}

static void test_payload(void **state)
{
    struct pci_path path = fake_lane(2, 1);

    (void)state;
    path.hops[0].below.payload_max_bytes = path.hops[1].above.payload_max_bytes = 256;
    assert_findings(&path, "");
    path.hops[1].below.payload_max_bytes = 512;
    assert_findings(&path, "payload@0");
    assert_int_equal(pci_finding_payload_max(&path), 256);
    path.hops[0].below.payload_bytes = path.hops[1].above.payload_bytes = 256;
    assert_findings(&path, "payload@1");
    path.hops[1].below.payload_bytes = 256;
    assert_findings(&path, "");
    /* A function without the capability has no say. */
    path.hops[1].below = (struct pci_end){.index = 5, .answers = true};
    assert_int_equal(pci_finding_payload_max(&path), 256);
    path.count = 0;
    assert_int_equal(pci_finding_payload_max(&path), 0);
}

static void test_aspm(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 2; which++) {
        struct pci_path path = fake_lane(2, 1);

        (which == 0 ? &path.hops[1].above : &path.hops[1].below)->aspm = 2;
        assert_findings(&path, "aspm@1");
    }
}

static void test_shared(void **state)
{
    struct pci_path path = fake_lane(1, 1);

    (void)state;
    path.hops[1].shared_count = 1;
    /* The other function of the same card. */
    path.hops[1].shared[0] = (struct pci_neighbour){.address = {0, 1, 0, 1}};
    assert_findings(&path, "");
    path.hops[1].shared_count = 2;
    path.hops[1].shared[1] = (struct pci_neighbour){.address = {0, 1, 1, 0}};
    assert_findings(&path, "shared@1");
    path.hops[1].shared[1].address = (struct pci_address){0, 2, 0, 0};
    assert_findings(&path, "shared@1");
    /* A function of the switch is none of the others either. */
    path.hops[1].shared[1].address = (struct pci_address){0, 0, 0x1c, 3};
    assert_findings(&path, "");
    assert_int_equal(pci_finding_others(&path, 1), 0);
    /* More than are kept: some of them must be others. */
    for (unsigned i = 0; i < PCI_HOP_SHARED_MAX; i++)
        path.hops[1].shared[i].address = (struct pci_address){0, 1, 0, 1};
    path.hops[1].shared_count = PCI_HOP_SHARED_MAX;
    assert_findings(&path, "");
    path.hops[1].shared_count++;
    assert_findings(&path, "shared@1");
}

static void test_uplink_and_bus(void **state)
{
    struct pci_path path = fake_lane(2, 1);

    (void)state;
    path.hops[0].kind = PCI_HOP_UPLINK;
    path.hops[0].shared_count = 3;
    fake_hop(&path, PCI_HOP_BUS, (struct pci_end){.index = 9, .answers = true});
    assert_findings(&path, "uplink@0 bus@2");
}

static void test_ends_differ(void **state)
{
    struct pci_path path = fake_lane(2, 1);

    (void)state;
    path.hops[1].ends_differ = true;
    assert_findings(&path, "differ@1");
}

/* Each bit alone, at each end. */
static void test_errors(void **state)
{
    static const uint8_t uncorrectable[] = {4, 5, 12, 13, 14, 17, 18, 19};
    static const uint8_t correctable[] = {0, 6, 7, 8, 12};
    uint32_t some = 0;

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(uncorrectable); i++)
        some |= BIT32(uncorrectable[i]);
    assert_int_equal(some, PCI_FINDING_AER_UNCORRECTABLE);
    some = 0;
    for (unsigned i = 0; i < COUNT_OF(correctable); i++)
        some |= BIT32(correctable[i]);
    assert_int_equal(some, PCI_FINDING_AER_CORRECTABLE);
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned which = 0; which < 2; which++) {
            struct pci_path path = fake_lane(2, 1);
            struct pci_end *end = which == 0 ? &path.hops[1].above : &path.hops[1].below;
            bool counts = bit < 32 ? (PCI_FINDING_AER_UNCORRECTABLE >> bit & 1) != 0
                                   : (PCI_FINDING_AER_CORRECTABLE >> (bit - 32) & 1) != 0;

            *(bit < 32 ? &end->aer_uncorrectable : &end->aer_correctable) = BIT32(bit % 32);
            assert_findings(&path, counts ? "errors@1" : "");
        }
}

/* As much as a path can have fits. */
static void test_everything(void **state)
{
    struct pci_path path = fake_path(fake_end(0, 1, PCIE_TYPE_ROOT_PORT, 1, 1));
    struct pci_findings findings;

    (void)state;
    for (unsigned i = 1; i < PCI_PATH_HOPS_MAX; i++) {
        struct pci_end end = fake_end(i, 0, PCIE_TYPE_DOWNSTREAM, 1, 1);
        struct pci_hop *hop;

        end.speed_max = end.width_max = 4;
        end.payload_max_bytes = 256;
        end.aspm = 3;
        end.aer_correctable = 1;
        hop = fake_hop(&path, PCI_HOP_LINK, end);
        hop->above.speed_max = hop->above.width_max = 2;
        hop->speed_max = hop->width_max = 2;
        hop->ends_differ = true;
        hop->shared_count = 1;
        hop->shared[0].address.bus = 99;
    }
    path.hops[0].below.payload_max_bytes = 256;
    pci_finding_collect(&path, &findings);
    assert_int_equal(findings.count, (PCI_PATH_HOPS_MAX - 1) * 7 + 1);
    assert_true(findings.count <= PCI_FINDINGS_MAX);
    for (unsigned kind = 0; kind <= PCI_FINDING_KINDS; kind++)
        assert_true(strlen(pci_finding_name((enum pci_finding_kind)kind)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),        cmocka_unit_test(test_speed_and_width),
        cmocka_unit_test(test_slot),           cmocka_unit_test(test_payload),
        cmocka_unit_test(test_aspm),           cmocka_unit_test(test_shared),
        cmocka_unit_test(test_uplink_and_bus), cmocka_unit_test(test_ends_differ),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_everything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
