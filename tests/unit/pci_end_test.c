/*
 * The registers of one end of a hop, extended capabilities, and the chipset's uplink.
 */
#include "pci/cap_list.h"
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

static struct pci_device devices[32];
static struct pci_tree tree;
static struct pci_space space;
static struct pci_config config;
static struct pci_space_function *port;

/* A root port at 00:01.0, with nothing below. */
static int set_up(void **state)
{
    (void)state;
    tree = (struct pci_tree){.devices = devices, .capacity = COUNT_OF(devices)};
    pci_space_init(&space);
    config = pci_space_config(&space);
    port = pci_space_add_bridge(&space, pci_space_at(0, 1, 0), 1, 1);
    pci_space_add_pcie(port, PCIE_TYPE_ROOT_PORT);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static struct pci_end read_end(void)
{
    tree.count = 0;
    assert_int_equal(pci_walk_segment(&config, 0, 0, 255, &tree), STATUS_OK);
    return pci_end_read(&config, &tree, 0);
}

static void test_registers(void **state)
{
    struct pci_end end;

    (void)state;
    pci_space_put32(port, CAP + PCIE_DEV_CAP, 0x8002);
    pci_space_put32(port, CAP + PCIE_DEV_CTL, 0x0009202f);
    pci_space_put32(port, CAP + PCIE_LNK_CAP, 0x03000000 | 3 << 10 | 16 << 4 | 3);
    pci_space_put32(port, CAP + PCIE_LNK_CTL, 0x30000000 | 4u << 20 | 2u << 16 | 0x4a);
    pci_space_put32(port, CAP + PCIE_LNK_CAP2, 0x0e);
    pci_space_put32(port, CAP + PCIE_LNK_CTL2, 0x00010003);
    end = read_end();
    assert_int_equal(end.index, 0);
    assert_int_equal(end.address.device, 1);
    assert_int_equal(end.vendor_id, 0x1234);
    assert_int_equal(end.device_id, 0x5678);
    assert_true(end.answers && end.has_pcie && end.has_link && end.has_link2);
    assert_false(end.has_slot || end.has_aer || end.ecrc);
    assert_int_equal(end.version, 2);
    assert_int_equal(end.port_type, PCIE_TYPE_ROOT_PORT);
    assert_int_equal(end.dev_cap, 0x8002);
    assert_int_equal(end.dev_ctl, 0x202f);
    assert_int_equal(end.dev_sta, 9);
    assert_int_equal(end.payload_max_bytes, 512);
    assert_int_equal(end.payload_bytes, 256);
    assert_int_equal(end.request_bytes, 512);
    assert_int_equal(end.lnk_cap, 0x03000000 | 3 << 10 | 16 << 4 | 3);
    assert_int_equal(end.lnk_ctl, 0x4a);
    assert_int_equal(end.lnk_sta, 0x3042);
    assert_int_equal(end.lnk_cap2, 0x0e);
    assert_int_equal(end.lnk_ctl2, 3);
    assert_int_equal(end.speed, 2);
    assert_int_equal(end.width, 4);
    assert_int_equal(end.speed_max, 3);
    assert_int_equal(end.width_max, 16);
    assert_int_equal(end.rcb_bytes, 128);
    assert_int_equal(end.aspm, 2);
    assert_int_equal(end.aspm_supported, 3);
    assert_true(end.common_clock);
}

/* What lies beyond version 1 of the capability is something else. */
static void test_version_1(void **state)
{
    struct pci_end end;

    (void)state;
    pci_space_put16(port, CAP + PCIE_CAPS, PCIE_TYPE_ROOT_PORT << 4 | 1);
    pci_space_set_link(port, 1, 1, 1, 4);
    pci_space_put32(port, CAP + PCIE_LNK_CAP2, 0x7e);
    pci_space_put32(port, CAP + PCIE_LNK_CTL2, 0x1234);
    end = read_end();
    assert_false(end.has_link2);
    assert_int_equal(end.lnk_cap2 | end.lnk_ctl2, 0);
    assert_int_equal(end.speed_max, 1);
    /* Version 2: the vector is the better source, unless it is empty. */
    pci_space_put16(port, CAP + PCIE_CAPS, PCIE_TYPE_ROOT_PORT << 4 | 2);
    assert_int_equal(read_end().speed_max, 6);
    pci_space_put32(port, CAP + PCIE_LNK_CAP2, 1);
    assert_int_equal(read_end().speed_max, 1);
    assert_true(read_end().has_link2);
}

static void test_sizes(void **state)
{
    static const uint16_t bytes[] = {128, 256, 512, 1024, 2048, 4096, 0, 0};

    (void)state;
    for (unsigned code = 0; code < 8; code++) {
        struct pci_end end;

        pci_space_put32(port, CAP + PCIE_DEV_CAP, code);
        pci_space_put16(port, CAP + PCIE_DEV_CTL, code << 5 | (7 - code) << 12);
        end = read_end();
        assert_int_equal(end.payload_max_bytes, bytes[code]);
        assert_int_equal(end.payload_bytes, bytes[code]);
        assert_int_equal(end.request_bytes, bytes[7 - code]);
    }
}

static void test_slot(void **state)
{
    static const struct {
        uint32_t value, scale, milliwatts;
    } cases[] = {
        {0, 0, 0},         {25, 0, 25000},    {100, 1, 10000},   {65, 2, 650},
        {255, 3, 255},     {0xef, 0, 239000}, {0xf0, 0, 250000}, {0xf1, 0, 275000},
        {0xf2, 0, 300000}, {0xf0, 1, 24000},
    };

    (void)state;
    pci_space_put32(port, CAP + PCIE_SLT_CAP, 5u << 19 | 75 << 7);
    assert_false(read_end().has_slot);
    assert_int_equal(read_end().slot_number | read_end().slot_power_mw, 0);
    pci_space_put16(port, CAP + PCIE_CAPS, 0x100 | PCIE_TYPE_ROOT_PORT << 4 | 2);
    assert_true(read_end().has_slot);
    assert_int_equal(read_end().slot_number, 5);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pci_space_put32(port, CAP + PCIE_SLT_CAP,
                        8191u << 19 | cases[i].scale << 15 | cases[i].value << 7);
        assert_int_equal(read_end().slot_power_mw, cases[i].milliwatts);
        assert_int_equal(read_end().slot_number, 8191);
    }
    /* The bit means nothing at an upstream port. */
    pci_space_put16(port, CAP + PCIE_CAPS, 0x100 | PCIE_TYPE_UPSTREAM << 4 | 2);
    assert_false(read_end().has_slot);
}

/* A function that is no end of a link has no link registers, whatever stands there. */
static void test_integrated(void **state)
{
    static const unsigned types[] = {PCIE_TYPE_INTEGRATED, PCIE_TYPE_EVENT_COLLECTOR};

    (void)state;
    pci_space_set_link(port, 1, 1, 1, 4);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        pci_space_put16(port, CAP + PCIE_CAPS, types[i] << 4 | 2);
        assert_true(read_end().has_pcie);
        assert_false(read_end().has_link || read_end().has_link2);
        assert_int_equal(read_end().width | read_end().width_max, 0);
    }
}

/* A capability that the end of the 256 bytes cuts off. */
static void test_cut(void **state)
{
    static const struct {
        unsigned offset;
        bool has_pcie, has_link, has_link2;
    } cases[] = {
        {0xfc, false, false, false}, {0xf8, false, false, false}, {0xf4, true, false, false},
        {0xf0, true, false, false},  {0xec, true, true, false},   {0xd0, true, true, false},
        {0xcc, true, true, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pci_end end;

        pci_space_put8(port, PCI_CAP_PTR, cases[i].offset);
        pci_space_put32(port, cases[i].offset, 0x00420010);
        end = read_end();
        assert_int_equal(devices[0].pcie_cap, cases[i].offset);
        assert_int_equal(end.has_pcie, cases[i].has_pcie);
        assert_int_equal(end.has_link, cases[i].has_link);
        assert_int_equal(end.has_link2, cases[i].has_link2);
        pci_space_put32(port, cases[i].offset, 0);
    }
}

static void test_no_function(void **state)
{
    (void)state;
    read_end();
    assert_int_equal(pci_end_read(&config, &tree, -1).index, PCI_NO_PARENT);
    assert_int_equal(pci_end_read(&config, &tree, 1).index, PCI_NO_PARENT);
    memset(port->data, 0xff, sizeof port->data);
    assert_false(pci_end_read(&config, &tree, 0).answers);
    assert_false(pci_end_read(&config, &tree, 0).has_pcie);
}

static void put_ext(unsigned offset, unsigned id, unsigned next)
{
    pci_space_put32(port, offset, next << 20 | 1 << 16 | id);
}

static void test_aer(void **state)
{
    struct pci_end end;

    (void)state;
    put_ext(0x100, 2, 0x148);
    put_ext(0x148, PCIE_EXT_CAP_ID_AER, 0);
    pci_space_put32(port, 0x148 + PCIE_AER_UNCORRECTABLE, 0x00100000);
    pci_space_put32(port, 0x148 + PCIE_AER_CORRECTABLE, 0x000000c1);
    end = read_end();
    assert_true(end.has_aer);
    assert_int_equal(end.aer_uncorrectable, 0x00100000);
    assert_int_equal(end.aer_correctable, 0xc1);
    assert_false(end.ecrc);
    pci_space_put32(port, 0x148 + PCIE_AER_CONTROL, 0x40);
    assert_true(read_end().ecrc);
    /* Only 256 bytes within reach. */
    space.reach = 256;
    assert_false(read_end().has_aer);
    space.reach = 4096;
    /* All ones. */
    pci_space_put32(port, 0x148 + PCIE_AER_CORRECTABLE, UINT32_MAX);
    assert_false(read_end().has_aer || read_end().ecrc);
    assert_int_equal(read_end().aer_uncorrectable, 0);
    /* At the very end: its registers do not fit. */
    put_ext(0x100, 2, 0xffc);
    put_ext(0xffc, PCIE_EXT_CAP_ID_AER, 0);
    assert_false(read_end().has_aer);
}

static uint16_t find_ext(unsigned id)
{
    read_end();
    return pci_ext_cap_find(&config, &devices[0], (uint16_t)id);
}

static void test_extended_list(void **state)
{
    uint32_t before;

    (void)state;
    assert_int_equal(find_ext(3), 0); /* an empty list */
    put_ext(0x100, 1, 0x200);
    put_ext(0x200, 2, 0x103); /* the two lowest bits are no part of an offset; a circle */
    assert_int_equal(find_ext(1), 0x100);
    assert_int_equal(find_ext(2), 0x200);
    before = space.reads;
    assert_int_equal(pci_ext_cap_find(&config, &devices[0], 3), 0);
    assert_int_equal(space.reads - before, 2);
    put_ext(0x200, 2, 0x200);
    assert_int_equal(find_ext(3), 0);
    put_ext(0x200, 2, 0x40); /* below 100h: the end */
    assert_int_equal(find_ext(0x10), 0);
    pci_space_put32(port, 0x200, UINT32_MAX);
    assert_int_equal(find_ext(0xffff), 0);
    /* The longest list that there can be. */
    for (unsigned offset = 0x100; offset < 0xffc; offset += 4)
        put_ext(offset, 5, offset + 4);
    put_ext(0xffc, 6, 0x100);
    assert_int_equal(find_ext(6), 0xffc);
    assert_int_equal(find_ext(7), 0);
    /* Without a PCI Express capability, the header once more lies there. */
    memcpy(port->data + 0x100, port->data, 0x100);
    pci_space_put8(port, PCI_CAP_PTR, 0);
    assert_int_equal(find_ext(0x1234), 0);
    assert_int_equal(pci_ext_cap_find(&config, &devices[0], 0x1234), 0);
}

static struct pci_space_function *add(unsigned device, unsigned function, uint32_t id)
{
    struct pci_space_function *added = pci_space_add(&space, pci_space_at(0, device, function));

    pci_space_put32(added, PCI_VENDOR_ID, id);
    pci_space_put8(added, PCI_HEADER_TYPE, 0x80);
    pci_space_put8(added, 0x0b, 0x01);
    return added;
}

static struct pci_path read_path(unsigned bus, unsigned device, unsigned function)
{
    struct pci_path path;

    read_end();
    assert_int_equal(pci_path_read(&config, &tree,
                                   pci_walk_find(&tree, pci_space_at(bus, device, function)),
                                   &path),
                     STATUS_OK);
    return path;
}

static void test_uplink(void **state)
{
    static const struct {
        uint32_t key; /* the function that names the chipset */
        unsigned revision, device, sata;
        enum pci_uplink uplink;
        unsigned speed;
    } cases[] = {
        {0x3b028086, 6, 0x1f, 0x1f, PCI_UPLINK_DMI, 1},       /* P55 */
        {0x1c468086, 5, 0x1f, 0x1f, PCI_UPLINK_DMI, 2},       /* P67 */
        {0x43851002, 0x3c, 0x14, 0x11, PCI_UPLINK_A_LINK, 1}, /* SB7x0 */
        {0x43851002, 0x41, 0x14, 0x11, PCI_UPLINK_A_LINK, 2}, /* SB850 */
        {0x14101022, 0, 0, 0x11, PCI_UPLINK_UMI, 2},
        {0x80861234, 0, 0x1f, 0x1f, PCI_UPLINK_NONE, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pci_path_ceiling ceiling;
        struct pci_path path;

        tear_down(state);
        set_up(state);
        pci_space_put8(add(cases[i].device, 0, cases[i].key), PCI_REVISION_ID, cases[i].revision);
        if (cases[i].device == 0x1f)
            add(0x1f, 2, 0x00011111);
        else
            add(cases[i].sata, 0, 0x00011111);
        path = read_path(0, cases[i].sata, cases[i].device == 0x1f ? 2 : 0);
        assert_int_equal(path.count, 1);
        assert_int_equal(path.hops[0].uplink, cases[i].uplink);
        assert_int_equal(path.hops[0].kind,
                         cases[i].speed != 0 ? PCI_HOP_UPLINK : PCI_HOP_INTERNAL);
        assert_int_equal(path.hops[0].nominal, cases[i].speed != 0);
        assert_int_equal(path.hops[0].speed, cases[i].speed);
        assert_int_equal(path.hops[0].width, cases[i].speed != 0 ? 4 : 0);
        assert_int_equal(path.hops[0].above.index, PCI_NO_PARENT);
        pci_ceiling_path(&path, PCI_TLP_HEADER_3DW, &ceiling);
        assert_int_equal(ceiling.to_memory_hop, cases[i].speed != 0 ? 0 : PCI_NO_HOP);
        /* The processor's own port is not behind it. */
        assert_int_equal(read_path(0, 1, 0).hops[0].kind, PCI_HOP_INTERNAL);
    }
}

/* The host bridge, header type 0, has the capability of a root port: the upper end shows. */
static void test_uplink_shown(void **state)
{
    struct pci_space_function *host = add(0, 0, 0x34058086);
    struct pci_path path;

    (void)state;
    add(0x1f, 0, 0x3a168086);
    add(0x1f, 2, 0x3a228086);
    pci_space_add_pcie(host, PCIE_TYPE_ROOT_PORT);
    pci_space_set_link(host, 1, 2, 1, 4);
    path = read_path(0, 0x1f, 2);
    assert_int_equal(path.hops[0].kind, PCI_HOP_UPLINK);
    assert_int_equal(path.hops[0].width, 2);
    assert_int_equal(path.hops[0].width_max, 4);
    assert_false(path.hops[0].nominal);
    assert_true(path.hops[0].above.index >= 0);
    /* Speed 0, width 0: then what the chipset is known for. */
    pci_space_set_link(host, 0, 0, 2, 4);
    path = read_path(0, 0x1f, 2);
    assert_int_equal(path.hops[0].speed, 1);
    assert_int_equal(path.hops[0].width, 4);
    assert_true(path.hops[0].nominal);
    assert_true(path.hops[0].above.has_link);
    /* The host bridge itself. */
    assert_int_equal(read_path(0, 0, 0).hops[0].kind, PCI_HOP_INTERNAL);
}

/* All of the chipset shares the uplink, also what hangs below its ports. */
static void test_uplink_shared(void **state)
{
    struct pci_space_function *bridge;
    struct pci_path path;

    (void)state;
    pci_space_put8(add(0x1f, 0, 0x1c468086), 0x0b, 0x06);
    add(0x1f, 2, 0x1c028086);
    bridge = pci_space_add_bridge(&space, pci_space_at(0, 0x1c, 0), 2, 2);
    pci_space_add_pcie(bridge, PCIE_TYPE_ROOT_PORT);
    pci_space_add(&space, pci_space_at(2, 0, 0));
    pci_space_add(&space, pci_space_at(1, 0, 0)); /* below the processor's port */
    path = read_path(0, 0x1f, 2);
    assert_int_equal(path.hops[0].shared_count, 1);
    assert_int_equal(path.hops[0].shared[0].address.bus, 2);
    path = read_path(2, 0, 0);
    assert_int_equal(path.count, 2);
    assert_int_equal(path.hops[0].kind, PCI_HOP_UPLINK);
    assert_int_equal(path.hops[0].shared_count, 1);
    assert_int_equal(path.hops[0].shared[0].address.function, 2);
    assert_int_equal(path.hops[1].shared_count, 0);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_registers),     T(test_version_1), T(test_sizes),        T(test_slot),
        T(test_integrated),    T(test_cut),       T(test_no_function),  T(test_aer),
        T(test_extended_list), T(test_uplink),    T(test_uplink_shown), T(test_uplink_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
