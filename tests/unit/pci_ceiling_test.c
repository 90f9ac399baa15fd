/* Ceilings of links, buses and paths against figures worked out by hand. */
#include "pci/ceiling.h"

#include "base/bits.h"
#include "pci/regs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pci_packets packets(unsigned payload, unsigned header)
{
    return (struct pci_packets){.header_bytes = (uint16_t)header,
                                .payload_bytes = (uint16_t)payload,
                                .request_bytes = 512,
                                .rcb_bytes = 64};
}

/* In units of 0.1 MB/s, rounded to nearest. */
static uint64_t tenths(uint64_t bytes_per_s)
{
    return (bytes_per_s + 50000) / 100000;
}

static void test_to_memory(void **state)
{
    static const struct {
        unsigned speed, width, payload, header;
        uint64_t tenths;
    } cases[] = {
        {1, 1, 128, 12, 2157},  {1, 1, 128, 16, 2100},  {1, 1, 256, 12, 2313},
        {1, 1, 256, 16, 2280},  {2, 1, 128, 12, 4313},  {2, 1, 128, 16, 4200},
        {2, 1, 256, 12, 4626},  {2, 1, 256, 16, 4560},  {1, 4, 128, 12, 8626},
        {2, 2, 128, 12, 8626},  {2, 4, 128, 12, 17252}, {3, 1, 256, 16, 8978},
        {4, 1, 256, 16, 17956}, {1, 1, 64, 12, 1900},   {2, 1, 64, 12, 3800},
        {2, 1, 64, 16, 3627},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pci_packets cut = packets(cases[i].payload, cases[i].header);
        struct pci_ceiling ceiling = pci_ceiling_link(cases[i].speed, cases[i].width, &cut);

        assert_true(ceiling.known);
        assert_int_equal(tenths(ceiling.to_memory_bytes_per_s), cases[i].tenths);
    }
}

static void test_raw(void **state)
{
    static const uint64_t rates[] = {250000000, 500000000, 984615385, 1969230769, 3938461538};
    struct pci_packets cut = packets(128, 12);

    (void)state;
    for (unsigned speed = 1; speed <= 5; speed++)
        assert_true(pci_ceiling_link(speed, 1, &cut).raw_bytes_per_s == rates[speed - 1]);
    assert_true(pci_ceiling_link(1, 16, &cut).raw_bytes_per_s == UINT64_C(4000000000));
}

/* A published measurement must lie below the ceiling: 8 GT/s x8, 256 bytes: 57.46 and 58.29 Gb/s.
 */
static void test_eight_lanes(void **state)
{
    struct pci_packets cut = packets(256, 16);
    struct pci_ceiling ceiling = pci_ceiling_link(3, 8, &cut);

    (void)state;
    assert_int_equal((ceiling.to_memory_bytes_per_s * 8 + 5000000) / 10000000, 5746);
    assert_int_equal((ceiling.from_memory_bytes_per_s * 8 + 5000000) / 10000000, 5829);
}

static void test_from_memory(void **state)
{
    struct pci_packets cut = packets(128, 16);
    struct pci_ceiling ceiling = pci_ceiling_link(2, 1, &cut);

    (void)state;
    /* Completions have 3-dword headers whatever the requests have. */
    assert_int_equal(tenths(ceiling.from_memory_bytes_per_s), 4313);
    assert_int_equal(tenths(ceiling.from_memory_rcb_bytes_per_s), 3800);
    cut.rcb_bytes = 128;
    assert_int_equal(tenths(pci_ceiling_link(2, 1, &cut).from_memory_rcb_bytes_per_s), 4313);
    cut.payload_bytes = 512;
    cut.request_bytes = 128; /* a completion is no longer than what was asked for */
    assert_int_equal(tenths(pci_ceiling_link(2, 1, &cut).from_memory_bytes_per_s), 4313);
    cut.request_bytes = 16; /* then the requests fill the other direction: 498.7 * 16 / 24 */
    assert_int_equal(tenths(pci_ceiling_link(2, 1, &cut).from_memory_bytes_per_s), 2216);
    cut.request_bytes = 4; /* 4 / (4 + 20) for completions, 4 / 24 for requests */
    assert_int_equal(tenths(pci_ceiling_link(2, 1, &cut).from_memory_bytes_per_s), 831);
    cut.header_bytes = 100; /* 4 / 108: the requests are what limits */
    assert_int_equal(tenths(pci_ceiling_link(2, 1, &cut).from_memory_bytes_per_s), 185);
}

static void test_ecrc(void **state)
{
    struct pci_packets cut = packets(128, 12);
    struct pci_ceiling ceiling;

    (void)state;
    cut.ecrc_to_memory = true;
    ceiling = pci_ceiling_link(1, 1, &cut);
    /* 249.35 * 128 / 152 */
    assert_int_equal(tenths(ceiling.to_memory_bytes_per_s), 2100);
    assert_int_equal(tenths(ceiling.from_memory_bytes_per_s), 2157);
    cut.ecrc_to_memory = false;
    cut.ecrc_from_memory = true;
    ceiling = pci_ceiling_link(1, 1, &cut);
    assert_int_equal(tenths(ceiling.to_memory_bytes_per_s), 2157);
    assert_int_equal(tenths(ceiling.from_memory_bytes_per_s), 2100);
}

static void assert_unknown(struct pci_ceiling ceiling)
{
    assert_false(ceiling.known);
    assert_true(ceiling.raw_bytes_per_s == 0 && ceiling.to_memory_bytes_per_s == 0 &&
                ceiling.from_memory_bytes_per_s == 0 && ceiling.from_memory_rcb_bytes_per_s == 0);
}

static void test_unknown(void **state)
{
    struct pci_packets cut = packets(128, 12), none = packets(0, 12);
    struct pci_bus bus = {0};

    (void)state;
    assert_unknown(pci_ceiling_link(0, 1, &cut));
    assert_unknown(pci_ceiling_link(1, 0, &cut));
    assert_unknown(pci_ceiling_link(6, 1, &cut));
    assert_unknown(pci_ceiling_link(15, 63, &cut));
    assert_unknown(pci_ceiling_link(1, 64, &cut));
    assert_unknown(pci_ceiling_link(1, 1, &none));
    assert_unknown(pci_ceiling_bus(&bus));
    assert_true(pci_ceiling_burst(4, 1, 0, 0) == 0);
}

static void test_bursts(void **state)
{
    (void)state;
    /* Peaks. */
    assert_true(pci_ceiling_burst(4, 1, 1, 0) == 133333333);
    assert_true(pci_ceiling_burst(8, 1, 1, 0) == 266666667);
    assert_true(pci_ceiling_burst(4, 2, 1, 0) == 266666667);
    assert_true(pci_ceiling_burst(8, 2, 1, 0) == 533333333);
    assert_true(pci_ceiling_burst(8, 3, 1, 0) == 800000000);
    assert_true(pci_ceiling_burst(8, 4, 1, 0) == 1066666667);
    /* Cut at a cache line of 64 bytes; 128 phases. */
    assert_int_equal(tenths(pci_ceiling_burst(4, 1, 16, 4)), 1067);
    assert_int_equal(tenths(pci_ceiling_burst(4, 1, 16, 8)), 889);
    assert_int_equal(tenths(pci_ceiling_burst(4, 1, 128, 4)), 1293);
    /* 133 MHz: 4 KiB and 512 bytes. */
    assert_int_equal(tenths(pci_ceiling_burst(8, 4, 512, 6)), 10543);
    assert_int_equal(tenths(pci_ceiling_burst(8, 4, 64, 6)), 9752);
}

static void test_bus(void **state)
{
    struct pci_bus bus = {.clock_thirds = 1, .width_bytes = 4};
    struct pci_ceiling ceiling = pci_ceiling_bus(&bus);

    (void)state;
    assert_true(ceiling.known);
    assert_int_equal(ceiling.raw_bytes_per_s, 133333333);
    assert_int_equal(tenths(ceiling.to_memory_bytes_per_s), 1293);
    assert_int_equal(tenths(ceiling.from_memory_bytes_per_s), 1293);
    bus = (struct pci_bus){.clock_thirds = 4, .width_bytes = 8, .mode = PCI_BUS_PCIX};
    ceiling = pci_ceiling_bus(&bus);
    assert_int_equal(tenths(ceiling.raw_bytes_per_s), 10667);
    assert_int_equal(tenths(ceiling.to_memory_bytes_per_s), 10543);
    bus.mode = PCI_BUS_PCIX_266;
    ceiling = pci_ceiling_bus(&bus);
    assert_int_equal(tenths(ceiling.raw_bytes_per_s), 21333);
    /* 256 clocks of data and 6 others. */
    assert_int_equal(tenths(ceiling.to_memory_bytes_per_s), 20845);
    bus.mode = PCI_BUS_PCIX_533;
    assert_int_equal(tenths(pci_ceiling_bus(&bus).raw_bytes_per_s), 42667);
}

static void test_sata(void **state)
{
    static const struct {
        unsigned generation, turnaround, megabytes;
    } cases[] = {
        {3, 6, 592},  {3, 20, 588}, {3, 40, 583}, {2, 6, 296},  {2, 20, 294},
        {2, 40, 291}, {1, 6, 148},  {1, 20, 147}, {1, 40, 146},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal((pci_ceiling_sata(cases[i].generation, cases[i].turnaround) + 500000) /
                             1000000,
                         cases[i].megabytes);
    assert_true(pci_ceiling_sata(0, 6) == 0);
    assert_true(pci_ceiling_sata(4, 6) == 0);
}

static struct pci_end end_of(unsigned port_type, unsigned payload, unsigned request)
{
    return (struct pci_end){.index = 0,
                            .answers = true,
                            .has_pcie = true,
                            .has_link = true,
                            .port_type = (uint8_t)port_type,
                            .payload_bytes = (uint16_t)payload,
                            .request_bytes = (uint16_t)request,
                            .rcb_bytes = 64};
}

/* Root port, switch, endpoint; the links as given. */
static struct pci_path switch_path(unsigned speed1, unsigned width1, unsigned speed2,
                                   unsigned width2)
{
    struct pci_path path = {.count = 4};
    struct pci_hop *hops = path.hops;

    hops[0].kind = PCI_HOP_INTERNAL;
    hops[1].kind = PCI_HOP_LINK;
    hops[2].kind = PCI_HOP_INTERNAL;
    hops[3].kind = PCI_HOP_LINK;
    hops[0].below = hops[1].above = end_of(PCIE_TYPE_ROOT_PORT, 512, 128);
    hops[1].below = hops[2].above = end_of(PCIE_TYPE_UPSTREAM, 256, 128);
    hops[2].below = hops[3].above = end_of(PCIE_TYPE_DOWNSTREAM, 256, 128);
    hops[3].below = end_of(PCIE_TYPE_ENDPOINT, 512, 2048);
    hops[1].speed = (uint8_t)speed1;
    hops[1].width = (uint8_t)width1;
    hops[3].speed = (uint8_t)speed2;
    hops[3].width = (uint8_t)width2;
    return path;
}

static void test_path(void **state)
{
    struct pci_path path = switch_path(1, 1, 2, 1);
    struct pci_path_ceiling all;

    (void)state;
    path.hops[0].below.rcb_bytes = path.hops[1].above.rcb_bytes = 128;
    pci_ceiling_path(&path, PCI_TLP_HEADER_4DW, &all);
    /* The smallest payload on the way, not the endpoint's; its own request size. */
    assert_int_equal(all.packets.payload_bytes, 256);
    assert_int_equal(all.packets.request_bytes, 2048);
    assert_int_equal(all.packets.rcb_bytes, 128);
    assert_int_equal(all.to_memory_hop, 1);
    assert_int_equal(all.from_memory_hop, 1);
    assert_int_equal(tenths(all.hops[1].to_memory_bytes_per_s), 2280);
    assert_int_equal(tenths(all.hops[1].from_memory_bytes_per_s), 2313);
    assert_int_equal(tenths(all.hops[3].to_memory_bytes_per_s), 4560);
    assert_unknown(all.hops[0]);
    assert_unknown(all.hops[2]);
    path = switch_path(3, 4, 2, 1);
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &all);
    assert_int_equal(all.to_memory_hop, 3);
    assert_int_equal(all.packets.rcb_bytes, 64);
}

static void test_path_ties(void **state)
{
    struct pci_path path = switch_path(2, 1, 1, 2);
    struct pci_path_ceiling all;

    (void)state;
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &all);
    assert_true(all.hops[1].to_memory_bytes_per_s == all.hops[3].to_memory_bytes_per_s);
    assert_int_equal(all.to_memory_hop, 1);
    assert_int_equal(all.from_memory_hop, 1);
}

/* Nothing known, and sizes that no end gives. */
static void test_path_unknown(void **state)
{
    struct pci_path path = {.count = 1};
    struct pci_path_ceiling all;

    (void)state;
    path.hops[0].kind = PCI_HOP_INTERNAL;
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &all);
    assert_int_equal(all.to_memory_hop, PCI_NO_HOP);
    assert_int_equal(all.from_memory_hop, PCI_NO_HOP);
    assert_int_equal(all.packets.payload_bytes, 128);
    assert_int_equal(all.packets.request_bytes, 512);
    assert_int_equal(all.packets.rcb_bytes, 64);
    path.count = 0;
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &all);
    assert_int_equal(all.to_memory_hop, PCI_NO_HOP);
    /* A link that is down is not a link of rate 0. */
    path = switch_path(0, 0, 2, 1);
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &all);
    assert_int_equal(all.to_memory_hop, 3);
}

/* The function that asks is the bridge, and a conventional bus limits. */
static void test_path_bridge(void **state)
{
    struct pci_path path = switch_path(1, 1, 1, 1);
    struct pci_path_ceiling all;

    (void)state;
    path.hops[3].below.port_type = PCIE_TYPE_PCIE_TO_PCI;
    path.hops[4].kind = PCI_HOP_BUS;
    path.hops[4].above = path.hops[3].below;
    path.hops[4].bus = (struct pci_bus){.clock_thirds = 1, .width_bytes = 4};
    path.count = 5;
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &all);
    assert_int_equal(all.packets.request_bytes, 2048);
    assert_int_equal(all.to_memory_hop, 4);
    /* A port's own request size says nothing. */
    path = switch_path(1, 1, 1, 1);
    path.hops[3].below.has_pcie = path.hops[3].below.has_link = false;
    path.hops[3].below.request_bytes = 0;
    pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &all);
    assert_int_equal(all.packets.request_bytes, 512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_memory),   cmocka_unit_test(test_raw),
        cmocka_unit_test(test_eight_lanes), cmocka_unit_test(test_from_memory),
        cmocka_unit_test(test_ecrc),        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_bursts),      cmocka_unit_test(test_bus),
        cmocka_unit_test(test_sata),        cmocka_unit_test(test_path),
        cmocka_unit_test(test_path_ties),   cmocka_unit_test(test_path_unknown),
        cmocka_unit_test(test_path_bridge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
