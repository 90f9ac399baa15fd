/* Whole boards that mislead, rebuilt: which hop of a path limits, and who shares it. */
#include "tests/unit/pci_rig.h"

/* QEMU's switch: its downstream port has Link Capabilities 0 beside Link Status 2.5 GT/s x1. */
static void test_port_without_link_capabilities(void **state)
{
    struct pci_space_function *up, *down;
    struct pci_path path;

    (void)state;
    add_port(pci_space_at(0, 4, 0), 1, 3, PCIE_TYPE_ROOT_PORT);
    up = add_port(pci_space_at(1, 0, 0), 2, 3, PCIE_TYPE_UPSTREAM);
    down = add_port(pci_space_at(2, 0, 0), 3, 3, PCIE_TYPE_DOWNSTREAM);
    pci_space_set_link(up, 1, 1, 1, 1);
    pci_space_set_link(down, 1, 1, 0, 0);
    add(pci_space_at(3, 0, 0), 0x29228086, 0x010601);
    path = read_path(3, 0, 0);
    assert_kinds(&path, "ILIL");
    assert_link(&path.hops[3], 1, 1);
    assert_max(&path.hops[3], 0, 0);
    assert_lowest(&path, 1, 2157);
}

/* Ports of a Thunderbolt or USB4 tunnel say 2.5 GT/s whatever the cable does: told as they say. */
static void test_tunnel(void **state)
{
    struct pci_space_function *drive;
    struct pci_path path;

    (void)state;
    pci_space_set_link(add_port(pci_space_at(0, 7, 0), 0x2b, 0x60, PCIE_TYPE_ROOT_PORT), 1, 4, 1,
                       4);
    pci_space_set_link(add_port(pci_space_at(0x2b, 0, 0), 0x2c, 0x60, PCIE_TYPE_UPSTREAM), 1, 4, 1,
                       4);
    pci_space_set_link(add_port(pci_space_at(0x2c, 1, 0), 0x2d, 0x40, PCIE_TYPE_DOWNSTREAM), 3, 4,
                       3, 4);
    drive = add_controller(pci_space_at(0x2d, 0, 0), 0x12345678);
    pci_space_set_link(drive, 3, 4, 3, 4);
    path = read_path(0x2d, 0, 0);
    assert_kinds(&path, "ILIL");
    assert_link(&path.hops[1], 1, 4);
    assert_max(&path.hops[1], 1, 4);
    assert_link(&path.hops[3], 3, 4);
    assert_lowest(&path, 1, 8626);
    assert_false(path.hops[1].nominal);
}

/* Intel's ports say what they are: their link is then marked. Others with the same number do not.
 */
static void test_tunnel_marked(void **state)
{
    struct pci_space_function *port =
        add_port(pci_space_at(0, 7, 0), 0x2b, 0x2b, PCIE_TYPE_ROOT_PORT);
    struct pci_path path;

    (void)state;
    pci_space_set_link(port, 1, 4, 1, 4);
    pci_space_put32(port, 0x100, 0x20010001); /* AER, then the vendor's own */
    pci_space_put32(port, 0x200, 0x0001000b);
    pci_space_put32(port, 0x204, 0x00c01234);
    add_controller(pci_space_at(0x2b, 0, 0), 0x91231b4b);
    pci_space_put16(port, PCI_VENDOR_ID, 0x8086);
    path = read_path(0x2b, 0, 0);
    assert_true(path.hops[1].above.is_tunnel && path.hops[1].nominal);
    assert_false(path.hops[1].below.is_tunnel);
    pci_space_put32(port, 0x204, 0x00c01235);
    path = read_path(0x2b, 0, 0);
    assert_false(path.hops[1].above.is_tunnel || path.hops[1].nominal);
    pci_space_put32(port, 0x204, 0x00c01234);
    pci_space_put16(port, PCI_VENDOR_ID, 0x1234);
    path = read_path(0x2b, 0, 0);
    assert_false(path.hops[1].above.is_tunnel);
    /* The last dword there is: its header lies beyond. */
    pci_space_put16(port, PCI_VENDOR_ID, 0x8086);
    pci_space_put32(port, 0x100, 0xffc10001);
    pci_space_put32(port, 0xffc, 0x0001000b);
    path = read_path(0x2b, 0, 0);
    assert_false(path.hops[1].above.is_tunnel);
}

/*
 * ASUS P8P67 Deluxe: one x1 port of the chipset carries a switch with network, FireWire, two SATA
 * controllers, a PCI bridge with a card, and network again.
 */
static void test_one_uplink_for_all(void **state)
{
    struct pci_space_function *bridge;
    struct pci_path path;

    (void)state;
    add(pci_space_at(0, 0x1f, 0), 0x1c468086, 0x060100);
    pci_space_put8(space.functions[0], PCI_HEADER_TYPE, 0x80);
    add(pci_space_at(0, 0x1f, 2), 0x1c028086, 0x010601);
    name(add_port(pci_space_at(0, 0x1c, 7), 5, 0xe, PCIE_TYPE_ROOT_PORT), 0x1c1e8086, 0x060400);
    pci_space_put8(add_port(pci_space_at(0, 0x1c, 0), 4, 4, PCIE_TYPE_ROOT_PORT), PCI_HEADER_TYPE,
                   0x81);
    name(add_port(pci_space_at(5, 0, 0), 6, 0xe, PCIE_TYPE_UPSTREAM), 0x860810b5, 0x060400);
    for (unsigned i = 0; i < 6; i++)
        add_port(pci_space_at(6, 1 + i, 0), 7 + i, i < 5 ? 7 + i : 0xe, PCIE_TYPE_DOWNSTREAM);
    for (unsigned i = 0; i < 5; i++)
        add_controller(pci_space_at(7 + i, 0, 0), i == 3 ? 0x91301b4b : 0x11112222);
    bridge = pci_space_add_bridge(&space, pci_space_at(0xc, 0, 0), 0xd, 0xd);
    name(bridge, 0x10801b21, 0x060401);
    add(pci_space_at(0xd, 2, 0), 0x33334444, 0x040100);
    path = read_path(0xa, 0, 0);
    assert_kinds(&path, "ULIL");
    assert_int_equal(path.hops[0].shared_count, 6); /* with the chipset's own SATA */
    assert_int_equal(path.hops[1].shared_count, 5);
    assert_int_equal(path.hops[3].shared_count, 0);
    assert_lowest(&path, 1, 4313); /* of equals the one nearer the root, which is shared */
    path = read_path(0xd, 2, 0);
    assert_kinds(&path, "ULILB");
    assert_int_equal(path.hops[1].shared_count, 5);
}

/*
 * ASUS P7P55D-E Pro: P55 ports do 2.5 GT/s; a switch on four lanes gives its controllers 5 GT/s.
 * Then the lowest hop is the last; with one lane up it is the first link.
 */
static void test_p7p55d_e_pro(void **state)
{
    struct pci_space_function *port, *up;
    struct pci_path path;

    (void)state;
    add(pci_space_at(0, 0, 0), 0xd1318086, 0x060000);
    port = add_port(pci_space_at(0, 0x1c, 0), 6, 9, PCIE_TYPE_ROOT_PORT);
    name(port, 0x3b428086, 0x060400);
    pci_space_set_link(port, 1, 4, 1, 4);
    pci_space_put8(add(pci_space_at(0, 0x1f, 0), 0x3b028086, 0x060100), PCI_HEADER_TYPE, 0x80);
    add(pci_space_at(0, 0x1f, 2), 0x3b228086, 0x010601);
    up = add_port(pci_space_at(6, 0, 0), 7, 9, PCIE_TYPE_UPSTREAM);
    name(up, 0x860810b5, 0x060400);
    pci_space_set_link(up, 1, 4, 2, 4);
    add_port(pci_space_at(7, 1, 0), 8, 8, PCIE_TYPE_DOWNSTREAM);
    add_port(pci_space_at(7, 5, 0), 9, 9, PCIE_TYPE_DOWNSTREAM);
    add_controller(pci_space_at(8, 0, 0), 0x816810ec);
    pci_space_put8(add_controller(pci_space_at(9, 0, 0), 0x91231b4b), PCI_HEADER_TYPE, 0x80);
    add_controller(pci_space_at(9, 0, 1), 0x91a41b4b);
    path = read_path(9, 0, 0);
    assert_kinds(&path, "ULIL");
    assert_int_equal(path.hops[0].uplink, PCI_UPLINK_DMI);
    assert_true(path.hops[0].nominal);
    assert_link(&path.hops[0], 1, 4);
    assert_link(&path.hops[1], 1, 4);
    assert_max(&path.hops[1], 1, 4); /* the switch could do more, the port not */
    assert_link(&path.hops[3], 2, 1);
    assert_int_equal(path.hops[0].shared_count, 3);
    assert_int_equal(path.hops[1].shared_count, 2);
    assert_int_equal(path.hops[3].shared_count, 1);
    assert_lowest(&path, 3, 4313);
    pci_space_set_link(port, 1, 1, 1, 4);
    pci_space_set_link(up, 1, 1, 2, 4);
    path = read_path(9, 0, 0);
    assert_max(&path.hops[1], 1, 4);
    assert_lowest(&path, 1, 2157);
    /* The chipset's own controller has the uplink to itself, as far as links go. */
    path = read_path(0, 0x1f, 2);
    assert_kinds(&path, "U");
    assert_lowest(&path, 0, 8626);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_port_without_link_capabilities),
        T(test_tunnel),
        T(test_tunnel_marked),
        T(test_one_uplink_for_all),
        T(test_p7p55d_e_pro),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
