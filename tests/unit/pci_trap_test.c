/*
 * Ends and functions that mislead, each rebuilt from what a real machine shows. Traps of the walk
 * alone stand in pci_walk_test.c, those of paths in general in pci_path_test.c.
 */
#include "tests/unit/pci_rig.h"

/* A "PCIe 2.0" port (version 2 of the capability) of a chipset that can do 2.5 GT/s. */
static void test_version_2_port_of_first_generation(void **state)
{
    struct pci_space_function *port = add_port(pci_space_at(0, 0x1c, 0), 1, 1, PCIE_TYPE_ROOT_PORT);
    struct pci_space_function *card = add_controller(pci_space_at(1, 0, 0), 0x91231b4b);
    struct pci_path path;

    (void)state;
    pci_space_set_link(port, 1, 1, 1, 1);
    pci_space_set_link(card, 1, 1, 2, 1);
    path = read_path(1, 0, 0);
    assert_int_equal(path.hops[1].above.version, 2);
    assert_link(&path.hops[1], 1, 1);
    assert_max(&path.hops[1], 1, 1);
    assert_int_equal(path.hops[1].below.speed_max, 2);
    assert_false(path.hops[1].ends_differ);
}

/*
 * Firmware programs Link Capabilities: ports of one chip differ. One without a card shows speed 0,
 * width 1, and that is no link.
 */
static void test_ports_of_one_chip(void **state)
{
    struct pci_space_function *slow = add_port(pci_space_at(0, 0x15, 0), 3, 3, PCIE_TYPE_ROOT_PORT);
    struct pci_space_function *fast = add_port(pci_space_at(0, 0x15, 1), 4, 4, PCIE_TYPE_ROOT_PORT);
    struct pci_path path;

    (void)state;
    pci_space_put8(slow, PCI_HEADER_TYPE, 0x81);
    pci_space_set_link(slow, 0, 1, 1, 1);
    pci_space_set_link(fast, 2, 1, 2, 1);
    add_controller(pci_space_at(4, 0, 0), 0x91281b4b);
    path = read_path(4, 0, 0);
    assert_max(&path.hops[1], 2, 1);
    path = read_path(0, 0x15, 0);
    assert_int_equal(path.hops[0].below.speed, 0);
    assert_int_equal(path.hops[0].below.width, 1);
    assert_int_equal(path.hops[0].below.speed_max, 1);
    /* The port says so although something without a capability answers below it. */
    add(pci_space_at(3, 0, 0), 0x06121b21, 0x010601);
    path = read_path(3, 0, 0);
    assert_kinds(&path, "IL");
    assert_link(&path.hops[1], 0, 0);
    assert_max(&path.hops[1], 1, 1);
    assert_false(path.hops[1].ends_differ);
}

/* Status above capabilities, left over from an attempt: a card that says what it has corrects it.
 */
static void test_status_above_capabilities(void **state)
{
    struct pci_space_function *port = add_port(pci_space_at(0, 1, 0), 1, 1, PCIE_TYPE_ROOT_PORT);
    struct pci_path path;

    (void)state;
    pci_space_set_link(port, 1, 16, 4, 8);
    path = read_path(0, 1, 0);
    assert_int_equal(path.hops[0].below.width, 16);
    assert_int_equal(path.hops[0].below.width_max, 8);
    assert_link(&path.hops[0], 0, 0); /* the port's own path does not lead over its link */
    add_controller(pci_space_at(1, 0, 0), 0x91231b4b);
    path = read_path(1, 0, 0);
    assert_link(&path.hops[1], 2, 1);
    assert_true(path.hops[1].ends_differ);
    assert_max(&path.hops[1], 2, 1);
}

/* The same port with something below that says nothing: what it shows is not believed. */
static void test_status_above_capabilities_alone(void **state)
{
    struct pci_space_function *port = add_port(pci_space_at(0, 1, 0), 1, 1, PCIE_TYPE_ROOT_PORT);
    struct pci_path path;

    (void)state;
    pci_space_add(&space, pci_space_at(1, 0, 0));
    pci_space_set_link(port, 1, 16, 4, 8);
    path = read_path(1, 0, 0);
    assert_link(&path.hops[1], 0, 0);
    pci_space_set_link(port, 3, 8, 2, 8);
    path = read_path(1, 0, 0);
    assert_link(&path.hops[1], 0, 0);
    pci_space_set_link(port, 2, 8, 2, 8);
    path = read_path(1, 0, 0);
    assert_link(&path.hops[1], 2, 8);
}

/*
 * A host bridge (header type 0) that is a root port by its capability: what lies where a bridge has
 * its bus numbers is an address, and the link is not above the functions beside it.
 */
static void test_host_bridge_is_root_port(void **state)
{
    struct pci_space_function *host = add(pci_space_at(0, 0, 0), 0x0d008086, 0x060000);
    struct pci_path path;

    (void)state;
    pci_space_add_pcie(host, PCIE_TYPE_ROOT_PORT);
    pci_space_set_link(host, 2, 4, 2, 4);
    pci_space_put32(host, PCI_BUS_NUMBERS, 0x00050300);
    add(pci_space_at(3, 0, 0), 0x56781234, 0x010601);
    add(pci_space_at(0, 0x1f, 2), 0x11118086, 0x010601);
    pci_space_put8(add(pci_space_at(0, 0x1f, 0), 0x22228086, 0x060100), PCI_HEADER_TYPE, 0x80);
    path = read_path(0, 0x1f, 2);
    assert_kinds(&path, "I");
    assert_link(&path.hops[0], 0, 0);
    assert_int_equal(path.hops[0].above.index, PCI_NO_PARENT);
    path = read_path(3, 0, 0); /* a root bus of its own */
    assert_int_equal(devices[find(3, 0, 0)].parent, PCI_NO_PARENT);
    assert_kinds(&path, "I");
}

/* A CardBus bridge has other registers where a PCI bridge has its secondary status. */
static void test_cardbus(void **state)
{
    struct pci_space_function *bridge = pci_space_add_bridge(&space, pci_space_at(0, 4, 0), 2, 5);
    struct pci_space_function *card = add(pci_space_at(2, 0, 0), 0x2363197b, 0x010601);
    struct pci_path path;

    (void)state;
    pci_space_put8(bridge, PCI_HEADER_TYPE, PCI_HEADER_TYPE_CARDBUS);
    pci_space_put16(bridge, PCI_SEC_STATUS, 0xfff0);
    pci_space_add_cap(bridge, 0x80, PCI_CAP_ID_PCIX);
    pci_space_put16(bridge, 0x82, 3 << 6 | 1);
    pci_space_put16(card, PCI_STATUS, PCI_STATUS_66MHZ);
    path = read_path(2, 0, 0);
    assert_kinds(&path, "IB");
    assert_false(path.hops[1].bus.has_pcix || path.hops[1].bus.bridge_66mhz);
    assert_int_equal(path.hops[1].bus.mode, PCI_BUS_CONVENTIONAL);
    assert_int_equal(path.hops[1].bus.clock_thirds, 1);
    assert_int_equal(path.hops[1].bus.width_bytes, 4);
    assert_lowest(&path, 1, 1293);
}

/* AHCI in function 0, the IDE function beside it; no extended tags. Both share the link. */
static void test_controller_of_two_functions(void **state)
{
    struct pci_space_function *ahci, *ide;
    struct pci_path path;

    (void)state;
    add_port(pci_space_at(0, 0x1c, 0), 1, 1, PCIE_TYPE_ROOT_PORT);
    ahci = add_controller(pci_space_at(1, 0, 0), 0x91231b4b);
    pci_space_put8(ahci, PCI_HEADER_TYPE, 0x80);
    ide = add_controller(pci_space_at(1, 0, 1), 0x91a41b4b);
    name(ide, 0x91a41b4b, 0x01018f);
    pci_space_put16(ahci, CAP + PCIE_DEV_CTL, 1 << 12);
    pci_space_put16(ide, CAP + PCIE_DEV_CTL, 1 << 12);
    for (unsigned function = 0; function < 2; function++) {
        path = read_path(1, 0, function);
        assert_kinds(&path, "IL");
        assert_link(&path.hops[1], 2, 1);
        assert_int_equal(path.hops[1].shared_count, 1);
        assert_int_equal(path.hops[1].below.dev_ctl & 0x100, 0);
        assert_int_equal(pci_ceiling_packets(&path, PCI_TLP_HEADER_3DW).request_bytes, 256);
    }
    /* The same where no port shows itself above. */
    tear_down(state);
    set_up(state);
    pci_space_put8(add_controller(pci_space_at(0, 9, 0), 0x91231b4b), PCI_HEADER_TYPE, 0x80);
    add_controller(pci_space_at(0, 9, 1), 0x91a41b4b);
    path = read_path(0, 9, 0);
    assert_kinds(&path, "L");
    assert_int_equal(path.hops[0].shared_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_version_2_port_of_first_generation), T(test_ports_of_one_chip),
        T(test_status_above_capabilities),          T(test_status_above_capabilities_alone),
        T(test_host_bridge_is_root_port),           T(test_cardbus),
        T(test_controller_of_two_functions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
