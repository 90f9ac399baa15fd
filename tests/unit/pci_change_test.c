/*
 * Configuration space that changes between two reads: from each read on, or at one alone, all ones
 * come back (a function is removed, powers down, or a request times out). Whatever was being read,
 * no figure appears that the sound machine does not show.
 */
#include "tests/unit/pci_rig.h"

#define END_BUS 6

/* What stands between the readers and the space. */
static struct {
    struct pci_config space;
    uint32_t reads;
    uint32_t first; /* the reads that fail: first to last */
    uint32_t last;
} line;

static uint32_t line_read(const struct pci_config *unused, struct pci_address address,
                          uint16_t offset)
{
    uint32_t read = line.reads++;

    (void)unused;
    return read >= line.first && read <= line.last
               ? UINT32_MAX
               : pci_config_read32(&line.space, address, offset);
}

static void line_write(const struct pci_config *unused, struct pci_address address, uint16_t offset,
                       uint32_t value)
{
    (void)unused;
    (void)address;
    fail_msg("%x written to offset %x", value, offset);
}

static uint16_t line_reach(const struct pci_config *unused, uint16_t segment, uint8_t bus)
{
    (void)unused;
    return line.space.ops->reach(&line.space, segment, bus);
}

static void put_registers(struct pci_space_function *function, unsigned type)
{
    pci_space_put16(function, CAP + PCIE_CAPS, 0x100 | type << 4 | 2);
    pci_space_put32(function, CAP + PCIE_DEV_CAP, 1);
    pci_space_put16(function, CAP + PCIE_DEV_CTL, 1 << 5 | 2 << 12);
    pci_space_put32(function, CAP + PCIE_SLT_CAP, 3u << 19 | 25 << 7);
    pci_space_put32(function, CAP + PCIE_LNK_CAP2, 0x06);
    pci_space_put32(function, 0x100, 0x200u << 20 | 1 << 16 | 3);
    pci_space_put32(function, 0x200, 1 << 16 | PCIE_EXT_CAP_ID_AER);
}

/*
 * 00:01.0 - 01:00.0 switch 02:00.0 - 03:00.0 with functions 0, 8 and 9; 00:02.0 - 04:00.0 bridge to
 * PCI-X, 66 MHz, 64 bits - 05:00.0, a 32-bit card.
 */
static void make_space(void)
{
    static const struct pci_config_ops ops = {line_read, line_write, line_reach};
    struct pci_space_function *f;

    put_registers(add_port(pci_space_at(0, 1, 0), 1, 3, PCIE_TYPE_ROOT_PORT), PCIE_TYPE_ROOT_PORT);
    put_registers(add_port(pci_space_at(1, 0, 0), 2, 3, PCIE_TYPE_UPSTREAM), PCIE_TYPE_UPSTREAM);
    f = add_port(pci_space_at(2, 0, 0), 3, 3, PCIE_TYPE_DOWNSTREAM);
    put_registers(f, PCIE_TYPE_DOWNSTREAM);
    pci_space_put16(f, CAP + PCIE_DEV_CTL2, PCIE_DEV_CTL2_ARI);
    for (unsigned number = 0, next; number < 10; number = number == 0 ? 8 : number + 1) {
        next = number == 0 ? 8 : number == 8 ? 9 : 0;
        f = add_controller(pci_space_at(3, number >> 3, number & 7), 0x91231b4b);
        put_registers(f, PCIE_TYPE_ENDPOINT);
        pci_space_put32(f, 0x200, 0x300u << 20 | 1 << 16 | PCIE_EXT_CAP_ID_AER);
        pci_space_put32(f, 0x300, 1 << 16 | PCIE_EXT_CAP_ID_ARI);
        pci_space_put32(f, 0x300 + PCIE_ARI_CAP, next << 8);
    }
    put_registers(add_port(pci_space_at(0, 2, 0), 4, 5, PCIE_TYPE_ROOT_PORT), PCIE_TYPE_ROOT_PORT);
    f = add_port(pci_space_at(4, 0, 0), 5, 5, PCIE_TYPE_PCIE_TO_PCI);
    put_registers(f, PCIE_TYPE_PCIE_TO_PCI);
    pci_space_add_cap(f, 0x80, PCI_CAP_ID_PCIX);
    pci_space_put16(f, 0x82, 1 << 6 | PCIX_SEC_STATUS_64BIT);
    pci_space_add_cap(add(pci_space_at(5, 0, 0), 0x11041095, 0x010400), 0x60, PCI_CAP_ID_PCIX);
    line.space = config;
    config = (struct pci_config){.ops = &ops};
}

static void check_end(const struct pci_end *end)
{
    assert_true(end->width <= 1 && end->width_max <= 1);
    assert_true(end->speed <= 2 && end->speed_max <= 2);
    assert_true(end->payload_bytes == 0 || end->payload_bytes == 256);
    assert_true(end->payload_max_bytes == 0 || end->payload_max_bytes == 256);
    assert_true(end->request_bytes == 0 || end->request_bytes == 512);
    assert_true(end->slot_number == 0 || end->slot_number == 3);
    assert_true(end->slot_power_mw == 0 || end->slot_power_mw == 25000);
    assert_true(end->dev_cap <= 1 && end->dev_sta == 0 && end->lnk_ctl2 == 0);
    assert_int_equal(end->aer_uncorrectable | end->aer_correctable, 0);
    assert_false(end->ecrc || end->common_clock);
}

static void check_hop(const struct pci_hop *hop)
{
    check_end(&hop->above);
    check_end(&hop->below);
    assert_true(hop->width <= 1 && hop->width_max <= 1 && hop->speed <= 2 && hop->speed_max <= 2);
    assert_true(hop->shared_count <= 3);
    /* What is not known of a bus counts as what is usual, or as wide as the bridge's. */
    assert_true(hop->bus.clock_thirds <= 2 && hop->bus.mode <= PCI_BUS_PCIX);
    assert_true(hop->bus.pcix_sec_status == 0 || hop->bus.pcix_sec_status == 0x41);
    assert_true(hop->bus.width_bytes <= 4 || !hop->bus.width_known);
    assert_false(hop->bus.bridge_66mhz || hop->bus.device_66mhz);
}

/* All that is read of the machine; how many reads it took. */
static uint32_t read_all(uint32_t first, uint32_t last)
{
    line.reads = 0;
    line.first = first;
    line.last = last;
    tree.count = tree.oddities = 0;
    assert_int_equal(pci_walk_segment(&config, 0, 0, END_BUS, &tree), STATUS_OK);
    assert_in_range(tree.count, 0, 9);
    for (uint32_t i = 0; i < tree.count; i++) {
        struct pci_path path;

        assert_in_range(devices[i].parent + 1, 0, i);
        assert_int_equal(pci_path_read(&config, &tree, (int32_t)i, &path), STATUS_OK);
        for (uint32_t hop = 0; hop < path.count; hop++)
            check_hop(&path.hops[hop]);
    }
    return line.reads;
}

/* The machine as it is, so that the bounds above are the figures it shows. */
static void test_sound(void **state)
{
    struct pci_path path;

    (void)state;
    make_space();
    assert_in_range(read_all(UINT32_MAX, UINT32_MAX), 700, 4000);
    assert_int_equal(tree.count, 9);
    assert_int_equal(tree.oddities, 0);
    assert_int_equal(pci_path_read(&config, &tree, find(3, 1, 1), &path), STATUS_OK);
    assert_kinds(&path, "ILIL");
    assert_link(&path.hops[3], 2, 1);
    assert_true(path.hops[3].below.has_aer && path.hops[3].above.has_slot);
    assert_int_equal(path.hops[3].below.payload_max_bytes, 256);
    assert_int_equal(path.hops[3].shared_count, 2);
    assert_int_equal(pci_path_read(&config, &tree, find(5, 0, 0), &path), STATUS_OK);
    assert_kinds(&path, "ILB");
    assert_int_equal(path.hops[2].bus.clock_thirds, 2);
    assert_int_equal(path.hops[2].bus.width_bytes, 4);
    assert_true(path.hops[2].bus.width_known);
}

static void test_gone_from_a_read_on(void **state)
{
    uint32_t reads;

    (void)state;
    make_space();
    reads = read_all(UINT32_MAX, UINT32_MAX);
    for (uint32_t first = 0; first < reads; first++)
        read_all(first, UINT32_MAX);
}

static void test_one_read_fails(void **state)
{
    uint32_t reads;

    (void)state;
    make_space();
    reads = read_all(UINT32_MAX, UINT32_MAX);
    for (uint32_t first = 0; first < reads; first++)
        read_all(first, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_sound),
        T(test_gone_from_a_read_on),
        T(test_one_read_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
