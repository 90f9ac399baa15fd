/*
 * Configuration space as the MCFG table divides it, from the table's bytes to a function's path:
 * several segments, and tables that cover less than the machine has.
 */
#include "pci/acpi.h"
#include "tests/model/model.h"
#include "tests/unit/pci_rig.h"

/* Where the model has ECAM: 256 MiB for each segment, one after the other. */
#define ECAM UINT64_C(0x4000000000)

static struct pci_host host;
static uint32_t port_selected;
static unsigned port_accesses;

static uint32_t port_read(void *context, uint16_t port)
{
    struct pci_config ports = pci_space_config(context);

    assert_int_equal(port, 0xcfc);
    port_accesses++;
    return pci_config_read32(
        &ports,
        pci_space_at(port_selected >> 16 & 255, port_selected >> 11 & 31, port_selected >> 8 & 7),
        port_selected & 0xfc);
}

static void port_write(void *context, uint16_t port, uint32_t value)
{
    (void)context;
    assert_int_equal(port, 0xcf8); /* nothing is written to a function */
    port_selected = value;
}

static uint32_t reg_read(void *context, uint64_t address)
{
    struct pci_config memory = pci_space_config(context);
    struct pci_address at =
        pci_space_at(address >> 20 & 255, address >> 15 & 31, address >> 12 & 7);
    bool covered = false;

    assert_true(address >= ECAM);
    at.segment = (uint16_t)((address - ECAM) >> 28);
    for (uint32_t i = 0; i < host.ecam_count; i++)
        covered |= host.ecam[i].segment == at.segment && host.ecam[i].start_bus <= at.bus &&
                   host.ecam[i].end_bus >= at.bus;
    assert_true(covered);
    return pci_config_read32(&memory, at, address & 0xfff);
}

static void reg_write(void *context, uint64_t address, uint32_t value)
{
    (void)context;
    fail_msg("%x written to %llx", value, (unsigned long long)address);
}

static int take_down(void **state)
{
    model_set_io_hooks(NULL);
    return tear_down(state);
}

static int build(void **state)
{
    struct model_io_hooks hooks = {.port_read = port_read,
                                   .port_write = port_write,
                                   .reg_read = reg_read,
                                   .reg_write = reg_write,
                                   .context = &space};

    set_up(state);
    port_accesses = 0;
    host = (struct pci_host){.ecam_count = 0};
    config = pci_config_host(&host);
    model_set_io_hooks(&hooks);
    return 0;
}

struct entry {
    unsigned segment, start_bus, end_bus;
};

/* The list of ECAM out of an MCFG table with these entries. */
static void read_table(const struct entry *entries, unsigned count)
{
    uint8_t table[44 + 16 * 4] = {'M', 'C', 'F', 'G'};
    uint32_t bytes = 44 + 16 * count, dropped;
    uint8_t sum = 0;

    table[4] = (uint8_t)bytes;
    for (unsigned i = 0; i < count; i++) {
        uint64_t base = ECAM + ((uint64_t)entries[i].segment << 28);
        uint8_t *entry = table + 44 + 16 * (size_t)i;

        for (unsigned byte = 0; byte < 8; byte++)
            entry[byte] = (uint8_t)(base >> 8 * byte);
        entry[8] = (uint8_t)entries[i].segment;
        entry[10] = (uint8_t)entries[i].start_bus;
        entry[11] = (uint8_t)entries[i].end_bus;
    }
    for (uint32_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + table[i]);
    table[9] = (uint8_t)(0x100 - sum);
    assert_int_equal(pci_acpi_mcfg(table, bytes, &host, &dropped), STATUS_OK);
    assert_int_equal(dropped, 0);
}

static struct pci_address at(unsigned segment, unsigned bus, unsigned device, unsigned function)
{
    struct pci_address address = pci_space_at(bus, device, function);

    address.segment = (uint16_t)segment;
    return address;
}

static struct pci_path path_of(struct pci_address address)
{
    struct pci_path path;
    int32_t index = pci_walk_find(&tree, address);

    assert_int_not_equal(index, PCI_NO_PARENT);
    assert_int_equal(pci_path_read(&config, &tree, index, &path), STATUS_OK);
    return path;
}

/*
 * A chipset (`lpc`) with its host bridge, its own controller, and two ports: a controller behind
 * one, behind the other a PCI bridge with a card. The same bus numbers in every segment.
 */
static void add_chipset(unsigned segment, uint32_t lpc)
{
    struct pci_space_function *f;

    add(at(segment, 0, 0, 0), 0x0d008086, 0x060000);
    f = add_port(at(segment, 0, 0x1c, 0), 2, 2, PCIE_TYPE_ROOT_PORT);
    pci_space_put8(f, PCI_HEADER_TYPE, 0x81);
    pci_space_set_link(f, 1 + segment, 1, 1 + segment, 1);
    f = add_controller(at(segment, 2, 0, 0), 0x91231b4b);
    pci_space_set_link(f, 1 + segment, 1, 2, 1);
    pci_space_put32(f, 0x100, 1 << 16 | PCIE_EXT_CAP_ID_AER);
    pci_space_put32(f, 0x100 + PCIE_AER_CORRECTABLE, segment + 1);
    add_port(at(segment, 0, 0x1c, 1), 3, 4, PCIE_TYPE_ROOT_PORT);
    f = add_port(at(segment, 3, 0, 0), 4, 4, PCIE_TYPE_PCIE_TO_PCI);
    pci_space_put16(f, PCI_SEC_STATUS, PCI_STATUS_66MHZ);
    add(at(segment, 4, 1, 0), 0x43214321, 0x010000);
    pci_space_put8(add(at(segment, 0, 0x1f, 0), lpc, 0x060100), PCI_HEADER_TYPE, 0x80);
    add(at(segment, 0, 0x1f, 2), 0x3b228086, 0x010601);
}

/* Two segments with the same buses: nothing of one shows in the paths of the other. */
static void test_two_segments(void **state)
{
    static const struct entry table[] = {{0, 0, 255}, {1, 0, 255}};
    struct pci_path path;

    (void)state;
    read_table(table, 2);
    add_chipset(0, 0x3b028086); /* P55 */
    add_chipset(1, 0x1c468086); /* P67; its host bridge shows the uplink, and at half the width */
    pci_space_add_pcie(space.functions[8], PCIE_TYPE_ROOT_PORT);
    pci_space_set_link(space.functions[8], 2, 2, 2, 4);
    /* The card of segment 0 can do 66 MHz, that of segment 1 not. */
    pci_space_put16(space.functions[5], PCI_STATUS, PCI_STATUS_66MHZ);
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_OK);
    assert_int_equal(tree.count, 16);
    assert_int_equal(tree.oddities, 0);
    assert_int_equal(port_accesses, 0);
    for (unsigned segment = 0; segment < 2; segment++) {
        path = path_of(at(segment, 2, 0, 0));
        assert_kinds(&path, "UL");
        assert_link(&path.hops[0], 1 + segment, segment == 0 ? 4 : 2);
        assert_int_equal(path.hops[0].nominal, segment == 0);
        assert_int_equal(path.hops[0].shared_count, 2);
        assert_link(&path.hops[1], 1 + segment, 1);
        assert_int_equal(path.hops[1].above.address.segment, segment);
        assert_int_equal(path.hops[1].shared_count, 0);
        assert_int_equal(path.hops[1].below.aer_correctable, segment + 1);
        path = path_of(at(segment, 4, 1, 0));
        assert_kinds(&path, "ULB");
        assert_int_equal(path.hops[2].bus.clock_thirds, segment == 0 ? 2 : 1);
        assert_int_equal(path.hops[2].shared_count, 0);
    }
}

/* Segment 1 is without a chipset that is known: that of segment 0 does not stand in. */
static void test_uplink_of_one_segment(void **state)
{
    static const struct entry table[] = {{1, 0, 63}, {0, 0, 63}};
    struct pci_path path;

    (void)state;
    read_table(table, 2);
    add_chipset(0, 0x3b028086);
    add_chipset(1, 0x12348086);
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_OK);
    assert_int_equal(tree.count, 16);
    path = path_of(at(0, 2, 0, 0));
    assert_kinds(&path, "UL");
    path = path_of(at(1, 2, 0, 0));
    assert_kinds(&path, "IL");
}

/* Firecracker: the table covers bus 0 alone. All above it is there, in 256 bytes each. */
static void test_only_bus_0(void **state)
{
    static const struct entry table[] = {{0, 0, 0}};
    struct pci_path path;

    (void)state;
    read_table(table, 1);
    assert_int_equal(host.ecam_count, 1);
    add_chipset(0, 0x3b028086);
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_OK);
    assert_int_equal(tree.count, 8);
    assert_int_equal(tree.oddities, 0);
    assert_in_range(port_accesses, 1, 32 * 255 + 8 * 100);
    path = path_of(at(0, 2, 0, 0));
    assert_kinds(&path, "UL");
    assert_link(&path.hops[1], 1, 1);
    assert_true(path.hops[1].below.has_link2);
    assert_false(path.hops[1].below.has_aer);
}

/*
 * Bridges whose buses go on where the table ends, or leaves a gap. Segment 0 has the ports for the
 * rest; of any other segment the rest is out of reach, and is not read.
 */
static void test_end_within_a_bridge(void **state)
{
    static const struct entry table[] = {{0, 0, 2}, {1, 0, 2}, {1, 8, 9}};
    struct pci_path path;

    (void)state;
    read_table(table, 3);
    add_chipset(0, 0x3b028086);
    add_chipset(1, 0x3b028086);
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_OK);
    assert_int_equal(tree.count, 8 + 6);
    assert_int_equal(tree.oddities, 1);
    path = path_of(at(0, 4, 1, 0));
    assert_kinds(&path, "ULB");
    path = path_of(at(1, 2, 0, 0));
    assert_kinds(&path, "UL");
    assert_true(path.hops[1].below.has_aer);
    assert_int_equal(path.hops[0].shared_count, 1);
    assert_int_equal(pci_walk_find(&tree, at(1, 3, 0, 0)), PCI_NO_PARENT);
    assert_int_equal(pci_walk_find(&tree, at(1, 4, 1, 0)), PCI_NO_PARENT);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, build, take_down)
    const struct CMUnitTest tests[] = {
        TEST(test_two_segments),
        TEST(test_uplink_of_one_segment),
        TEST(test_only_bus_0),
        TEST(test_end_within_a_bridge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
