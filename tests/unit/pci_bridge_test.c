/* Windows of bridges: each form, closed, absent, malformed, and of a bridge that goes away. */
#include "pci/bridge.h"

#include "pci/regs.h"
#include "pci/walk.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct pci_space space;
static struct pci_space_function *function;
static struct pci_device device;

static int set_up(void **state)
{
    (void)state;
    pci_space_init(&space);
    function = pci_space_add_bridge(&space, pci_space_at(0, 0x1c, 0), 1, 1);
    device =
        (struct pci_device){.address = function->address, .header_type = PCI_HEADER_TYPE_BRIDGE};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static struct pci_bridge read_bridge(void)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_bridge bridge;

    assert_int_equal(pci_bridge_read(&config, &device, &bridge), STATUS_OK);
    assert_in_range(space.reads, 1, 6);
    space.reads = 0;
    return bridge;
}

static void check(struct pci_window window, unsigned bits, uint64_t base, uint64_t limit)
{
    assert_int_equal(window.address_bits, bits);
    assert_int_equal(window.base, base);
    assert_int_equal(window.limit, limit);
    assert_int_equal(window.open, bits != 0 && base <= limit);
}

static void test_io(void **state)
{
    (void)state;
    pci_space_put16(function, PCI_IO_BASE, 0xd0b0);
    pci_space_put32(function, PCI_IO_UPPER, 0x00020001); /* not part of a 16-bit window */
    check(read_bridge().io, 16, 0xb000, 0xdfff);
    pci_space_put16(function, PCI_IO_BASE, 0xd1b1);
    check(read_bridge().io, 32, 0x1b000, 0x2dfff);
    pci_space_put16(function, PCI_IO_BASE, 0xf101);
    pci_space_put32(function, PCI_IO_UPPER, 0xffff0000);
    check(read_bridge().io, 32, 0, 0xffffffff);
    pci_space_put16(function, PCI_SEC_STATUS, 0xffff); /* in the same dword */
    check(read_bridge().io, 32, 0, 0xffffffff);
}

static void test_memory(void **state)
{
    (void)state;
    pci_space_put32(function, PCI_MEMORY_BASE, 0xfeb0fea0);
    check(read_bridge().memory, 32, 0xfea00000, 0xfebfffff);
    pci_space_put32(function, PCI_MEMORY_BASE, 0xfff00000);
    check(read_bridge().memory, 32, 0, 0xffffffff);
    /* Always there: zeros are a window at 0. */
    pci_space_put32(function, PCI_MEMORY_BASE, 0);
    check(read_bridge().memory, 32, 0, 0xfffff);
}

static void test_prefetchable(void **state)
{
    (void)state;
    pci_space_put32(function, PCI_PREF_BASE, 0xdff0d000);
    pci_space_put32(function, PCI_PREF_BASE_UPPER, 2); /* not part of a 32-bit window */
    pci_space_put32(function, PCI_PREF_LIMIT_UPPER, 3);
    check(read_bridge().prefetchable, 32, 0xd0000000, 0xdfffffff);
    pci_space_put32(function, PCI_PREF_BASE, 0xdff1d001);
    check(read_bridge().prefetchable, 64, 0x2d0000000, 0x3dfffffff);
    pci_space_put32(function, PCI_PREF_BASE, 0xfff10001);
    pci_space_put32(function, PCI_PREF_BASE_UPPER, 0);
    pci_space_put32(function, PCI_PREF_LIMIT_UPPER, UINT32_MAX);
    check(read_bridge().prefetchable, 64, 0, UINT64_MAX);
}

static void test_closed(void **state)
{
    struct pci_bridge bridge;

    (void)state;
    pci_space_put16(function, PCI_IO_BASE, 0x00f0);
    pci_space_put32(function, PCI_MEMORY_BASE, 0x0000fff0);
    pci_space_put32(function, PCI_PREF_BASE, 0x0001fff1);
    bridge = read_bridge();
    check(bridge.io, 16, 0xf000, 0x0fff);
    check(bridge.memory, 32, 0xfff00000, 0xfffff);
    check(bridge.prefetchable, 64, 0xfff00000, 0xfffff);
    /* One step too high, and as high as the limit. */
    pci_space_put32(function, PCI_MEMORY_BASE, 0xfea0feb0);
    check(read_bridge().memory, 32, 0xfeb00000, 0xfeafffff);
    pci_space_put32(function, PCI_MEMORY_BASE, 0xfeb0feb0);
    check(read_bridge().memory, 32, 0xfeb00000, 0xfebfffff);
    /* The upper halves alone decide. */
    pci_space_put32(function, PCI_PREF_BASE_UPPER, 1);
    pci_space_put32(function, PCI_PREF_BASE, 0xfff10001);
    check(read_bridge().prefetchable, 64, 0x100000000, 0xffffffff);
    pci_space_put32(function, PCI_PREF_LIMIT_UPPER, 1);
    check(read_bridge().prefetchable, 64, 0x100000000, 0x1ffffffff);
}

static void test_absent(void **state)
{
    struct pci_bridge bridge;

    (void)state;
    pci_space_put32(function, PCI_PREF_BASE_UPPER, 1);
    pci_space_put32(function, PCI_IO_UPPER, 1);
    pci_space_put16(function, PCI_SEC_STATUS, 0x2000);
    bridge = read_bridge();
    check(bridge.io, 0, 0, 0);
    check(bridge.prefetchable, 0, 0, 0);
    /* Wide windows of zeros are there: their type is not zero. */
    pci_space_put32(function, PCI_PREF_BASE, 0x00010001);
    pci_space_put32(function, PCI_PREF_BASE_UPPER, 0);
    pci_space_put16(function, PCI_IO_BASE, 0x0101);
    pci_space_put32(function, PCI_IO_UPPER, 0);
    bridge = read_bridge();
    check(bridge.io, 32, 0, 0xfff);
    check(bridge.prefetchable, 64, 0, 0xfffff);
}

/* Every pair of types of a base and a limit: two are known. */
static void test_types(void **state)
{
    (void)state;
    for (unsigned base = 0; base < 16; base++)
        for (unsigned limit = 0; limit < 16; limit++) {
            bool known = base == limit && base <= 1;
            struct pci_bridge bridge;

            pci_space_put16(function, PCI_IO_BASE, 0x2010 | limit << 8 | base);
            pci_space_put32(function, PCI_MEMORY_BASE, 0x00200010 | limit << 16 | base);
            pci_space_put32(function, PCI_PREF_BASE, 0x00200010 | limit << 16 | base);
            bridge = read_bridge();
            assert_int_equal(bridge.io.address_bits, known ? 16 << base : 0);
            assert_int_equal(bridge.prefetchable.address_bits, known ? 32 << base : 0);
            assert_int_equal(bridge.memory.address_bits, base == 0 && limit == 0 ? 32 : 0);
            check(bridge.io, bridge.io.address_bits, known ? 0x1000 : 0, known ? 0x2fff : 0);
        }
}

/* A configuration space whose function goes away after some reads. */
static uint32_t reads_left;

static uint32_t going_read(const struct pci_config *config, struct pci_address address,
                           uint16_t offset)
{
    struct pci_config whole = pci_space_config(config->context);

    return reads_left > 0 && reads_left-- > 0 ? pci_config_read32(&whole, address, offset)
                                              : UINT32_MAX;
}

static void test_gone(void **state)
{
    static const struct pci_config_ops ops = {.read = going_read};
    struct pci_config config = {.ops = &ops, .context = &space};
    struct pci_bridge bridge;

    (void)state;
    pci_space_put16(function, PCI_IO_BASE, 0x2111);
    pci_space_put32(function, PCI_MEMORY_BASE, 0xfeb0fea0);
    pci_space_put32(function, PCI_PREF_BASE, 0xdff1d001);
    memset(&bridge, 0x55, sizeof bridge);
    for (uint32_t reads = 0; reads < 6; reads++) {
        reads_left = reads;
        assert_int_equal(pci_bridge_read(&config, &device, &bridge), STATUS_GONE);
        assert_int_equal(bridge.io.base, UINT64_C(0x5555555555555555));
    }
    reads_left = 6;
    assert_int_equal(pci_bridge_read(&config, &device, &bridge), STATUS_OK);
    check(bridge.memory, 32, 0xfea00000, 0xfebfffff);
}

static void test_other_headers(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct pci_bridge bridge;

    (void)state;
    for (unsigned type = 0; type < 128; type++) {
        device.header_type = (uint8_t)type;
        assert_int_equal(pci_bridge_read(&config, &device, &bridge),
                         type == PCI_HEADER_TYPE_BRIDGE ? STATUS_OK : STATUS_UNSUPPORTED);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_io),     TEST(test_memory), TEST(test_prefetchable), TEST(test_closed),
        TEST(test_absent), TEST(test_types),  TEST(test_gone),         TEST(test_other_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
