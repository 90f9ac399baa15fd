/* The machine's configuration space: ECAM where the table covers a bus, ports elsewhere. */
#include "pci/config.h"

#include "pci/regs.h"
#include "pci/walk.h"
#include "tests/model/model.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define ECAM_0 UINT64_C(0xe0000000)   /* segment 0, buses 0 to 3f */
#define ECAM_1 UINT64_C(0x4000000000) /* segment 1, buses 80 to ff */

static struct pci_host host;
static struct pci_space space;
static uint32_t port_selected;
static unsigned port_accesses, memory_accesses;

static struct pci_address port_address(void)
{
    return pci_space_at(port_selected >> 16 & 255, port_selected >> 11 & 31,
                        port_selected >> 8 & 7);
}

static uint32_t port_read(void *context, uint16_t port)
{
    struct pci_config config = pci_space_config(context);

    assert_int_equal(port, 0xcfc);
    port_accesses++;
    return pci_config_read32(&config, port_address(), port_selected & 0xff);
}

static void port_write(void *context, uint16_t port, uint32_t value)
{
    struct pci_config config = pci_space_config(context);

    if (port == 0xcf8) {
        /* Enable bit, reserved bits zero, dword aligned. */
        assert_int_equal(value & 0xff000003, 0x80000000);
        port_selected = value;
        return;
    }
    assert_int_equal(port, 0xcfc);
    port_accesses++;
    pci_config_write32(&config, port_address(), port_selected & 0xff, value);
}

static struct pci_address memory_address(uint64_t address)
{
    struct pci_address place;
    uint64_t offset;
    unsigned bus;

    memory_accesses++;
    if (address >= ECAM_1) {
        offset = address - ECAM_1;
        bus = (unsigned)(offset >> 20);
        assert_in_range(bus, 0x80, 0xff);
    } else {
        assert_true(address >= ECAM_0);
        offset = address - ECAM_0;
        bus = (unsigned)(offset >> 20);
        assert_in_range(bus, 0, 0x3f);
    }
    place = pci_space_at(bus, offset >> 15 & 31, offset >> 12 & 7);
    place.segment = address >= ECAM_1 ? 1 : 0;
    return place;
}

static uint32_t reg_read(void *context, uint64_t address)
{
    struct pci_config config = pci_space_config(context);

    return pci_config_read32(&config, memory_address(address), address & 0xfff);
}

static void reg_write(void *context, uint64_t address, uint32_t value)
{
    struct pci_config config = pci_space_config(context);

    pci_config_write32(&config, memory_address(address), address & 0xfff, value);
}

static int set_up(void **state)
{
    struct model_io_hooks hooks = {.port_read = port_read,
                                   .port_write = port_write,
                                   .reg_read = reg_read,
                                   .reg_write = reg_write,
                                   .context = &space};

    (void)state;
    pci_space_init(&space);
    host =
        (struct pci_host){.ecam = {{ECAM_0, 0, 0, 0x3f}, {ECAM_1, 1, 0x80, 0xff}}, .ecam_count = 2};
    port_accesses = memory_accesses = 0;
    model_set_io_hooks(&hooks);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    model_set_io_hooks(NULL);
    pci_space_free(&space);
    return 0;
}

static struct pci_space_function *add(unsigned segment, unsigned bus, unsigned device,
                                      unsigned function)
{
    struct pci_address address = pci_space_at(bus, device, function);

    address.segment = (uint16_t)segment;
    return pci_space_add(&space, address);
}

static void test_widths(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_address address = pci_space_at(0, 0, 0);

    (void)state;
    pci_space_put32(add(0, 0, 0, 0), 0x40, 0x44332211);
    assert_int_equal(pci_config_read32(&config, address, 0x40), 0x44332211);
    assert_int_equal(pci_config_read16(&config, address, 0x40), 0x2211);
    assert_int_equal(pci_config_read16(&config, address, 0x42), 0x4433);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pci_config_read8(&config, address, (uint16_t)(0x40 + i)), 0x11 * (i + 1));
}

static void test_ecam(void **state)
{
    struct pci_config config = pci_config_host(&host);
    struct pci_space_function *f = add(0, 0x3f, 31, 7);
    struct pci_space_function *g = add(1, 0x80, 1, 2);

    (void)state;
    pci_space_put32(f, 0xffc, 0x11223344);
    pci_space_let_write(f, 0x100, UINT32_MAX);
    pci_space_put32(g, 0x100, 0x55667788);
    assert_int_equal(pci_config_read32(&config, f->address, 0xffc), 0x11223344);
    pci_config_write32(&config, f->address, 0x100, 0xcafe);
    assert_int_equal(pci_space_get32(f, 0x100), 0xcafe);
    assert_int_equal(pci_config_read32(&config, g->address, 0x100), 0x55667788);
    assert_int_equal(port_accesses, 0);
}

static void test_ports(void **state)
{
    struct pci_config config = pci_config_host(&host);
    struct pci_space_function *f = add(0, 0xff, 31, 7);

    (void)state;
    pci_space_put32(f, 0xfc, 0x11223344);
    pci_space_put32(f, 0x100, 0x55667788);
    pci_space_let_write(f, 0x40, UINT32_MAX);
    pci_space_let_write(f, 0x104, UINT32_MAX);
    assert_int_equal(pci_config_read32(&config, f->address, 0xfc), 0x11223344);
    assert_int_equal(pci_config_read32(&config, f->address, 0x100), UINT32_MAX);
    pci_config_write32(&config, f->address, 0x40, 0xcafe);
    pci_config_write32(&config, f->address, 0x104, 0xcafe);
    assert_int_equal(pci_space_get32(f, 0x40), 0xcafe);
    assert_int_equal(pci_space_get32(f, 0x104), 0);
    assert_int_equal(memory_accesses, 0);
}

static void test_reach(void **state)
{
    struct pci_config config = pci_config_host(&host);

    (void)state;
    assert_int_equal(config.ops->reach(&config, 0, 0x3f), 4096);
    assert_int_equal(config.ops->reach(&config, 0, 0x40), 256);
    assert_int_equal(config.ops->reach(&config, 1, 0x7f), 0);
    assert_int_equal(config.ops->reach(&config, 1, 0x80), 4096);
    assert_int_equal(config.ops->reach(&config, 2, 0), 0);
}

/* What cannot be reached is not touched. */
static void test_out_of_range(void **state)
{
    static const struct pci_address bad[] = {
        {1, 0x7f, 0, 0}, {2, 0, 0, 0}, {0, 0, 32, 0}, {0, 0, 0, 8}, {0, 0xff, 32, 0},
    };
    struct pci_config config = pci_config_host(&host);

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(pci_config_read32(&config, bad[i], 0), UINT32_MAX);
        pci_config_write32(&config, bad[i], 0, 0);
    }
    assert_int_equal(pci_config_read32(&config, pci_space_at(0, 0, 0), 4096), UINT32_MAX);
    assert_int_equal(pci_config_read32(&config, pci_space_at(0, 0, 0), 2), UINT32_MAX);
    pci_config_write32(&config, pci_space_at(0, 0, 0), 0xfffe, 0);
    assert_int_equal(port_accesses + memory_accesses, 0);
}

static void assert_found(const struct pci_tree *tree, unsigned segment, unsigned bus)
{
    struct pci_address address = pci_space_at(bus, 0, 0);

    address.segment = (uint16_t)segment;
    assert_int_not_equal(pci_walk_find(tree, address), PCI_NO_PARENT);
}

static void test_walk_host(void **state)
{
    struct pci_device devices[8];
    struct pci_tree tree = {.devices = devices, .capacity = 8, .count = 5, .oddities = 9};

    (void)state;
    add(0, 0, 0, 0);
    pci_space_add_bridge(&space, pci_space_at(0, 1, 0), 0x7e, 0x7e);
    add(0, 0x7e, 0, 0); /* above the end of ECAM: through the ports */
    add(0, 0xff, 0, 0);
    add(1, 0x80, 0, 0);
    add(1, 0xff, 0, 0);
    add(1, 0x10, 0, 0); /* cannot be reached */
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_OK);
    assert_int_equal(tree.count, 6);
    assert_int_equal(tree.oddities, 0);
    assert_found(&tree, 0, 0);
    assert_found(&tree, 0, 0x7e);
    assert_found(&tree, 0, 0xff);
    assert_found(&tree, 1, 0x80);
    assert_found(&tree, 1, 0xff);
    tree.capacity = 5;
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_FULL);
}

/* A machine without an MCFG table still has segment 0. */
static void test_walk_without_ecam(void **state)
{
    struct pci_device devices[8];
    struct pci_tree tree = {.devices = devices, .capacity = 8};

    (void)state;
    host.ecam_count = 0;
    add(0, 0, 0, 0);
    add(0, 0x80, 0, 0);
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_OK);
    assert_int_equal(tree.count, 2);
    assert_int_equal(memory_accesses, 0);
}

/* A segment whose buses stand in several entries is walked once, over all of them. */
static void test_walk_split_segment(void **state)
{
    struct pci_device devices[8];
    struct pci_tree tree = {.devices = devices, .capacity = 8};

    (void)state;
    host.ecam_count = 3;
    host.ecam[1] = (struct pci_ecam){ECAM_1, 1, 0xc0, 0xff};
    host.ecam[2] = (struct pci_ecam){ECAM_1, 1, 0x80, 0x8f};
    add(1, 0x81, 0, 0);
    add(1, 0xa0, 0, 0); /* between the entries */
    add(1, 0xc0, 0, 0);
    assert_int_equal(pci_walk_host(&host, &tree), STATUS_OK);
    assert_int_equal(tree.count, 2);
    assert_int_equal(devices[0].address.bus, 0x81);
    assert_int_equal(devices[1].address.bus, 0xc0);
}

static uint32_t reg_read_nothing(void *context, uint64_t address)
{
    (void)context;
    (void)address;
    return UINT32_MAX;
}

static void test_check_ecam(void **state)
{
    struct model_io_hooks astray = {.port_read = port_read,
                                    .port_write = port_write,
                                    .reg_read = reg_read_nothing,
                                    .reg_write = reg_write,
                                    .context = &space};

    (void)state;
    assert_true(pci_config_check_ecam(&host)); /* no function to compare */
    assert_int_equal(host.ecam_count, 2);
    add(0, 0, 0, 0);
    assert_true(pci_config_check_ecam(&host));
    assert_int_equal(host.ecam_count, 2);
    model_set_io_hooks(&astray);
    assert_false(pci_config_check_ecam(&host));
    assert_int_equal(host.ecam_count, 0);
    assert_true(pci_config_check_ecam(&host));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_widths),
        TEST(test_ecam),
        TEST(test_ports),
        TEST(test_reach),
        TEST(test_walk_host),
        TEST(test_out_of_range),
        TEST(test_walk_without_ecam),
        TEST(test_walk_split_segment),
        TEST(test_check_ecam),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
