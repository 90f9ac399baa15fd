/* BARs of all kinds: what is found, and that everything written is put back. */
#include "pci/bar.h"

#include "pci/regs.h"
#include "tests/model/pci_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pci_space space;
static struct pci_space_function *function;
static struct pci_device device;

static int set_up(void **state)
{
    (void)state;
    pci_space_init(&space);
    function = pci_space_add(&space, pci_space_at(3, 0, 0));
    /* Received Master Abort is set: writing it back as a one would clear it. */
    pci_space_put32(function, PCI_COMMAND, 0x20000407);
    pci_space_let_write(function, PCI_COMMAND, 0xffff);
    device = (struct pci_device){.address = function->address};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pci_space_free(&space);
    return 0;
}

static void put_bar(unsigned index, uint32_t value, uint32_t mask)
{
    pci_space_put32(function, PCI_BAR0 + 4 * index, value);
    pci_space_let_write(function, PCI_BAR0 + 4 * index, mask);
}

/* Sizes a BAR, checks that configuration space is as before, and that failures touch nothing. */
static enum status size(unsigned index, struct hw_window *ret_window)
{
    struct pci_config config = pci_space_config(&space);
    static uint8_t before[4096];
    struct hw_window window = {.base = 77, .bytes = 78};
    enum status status;

    memcpy(before, function->data, sizeof before);
    status = pci_bar_size(&config, &device, index, &window);
    assert_memory_equal(before, function->data, sizeof before);
    if (status != STATUS_OK)
        assert_true(window.base == 77 && window.bytes == 78);
    *ret_window = window;
    return status;
}

static void assert_size(unsigned index, uint64_t base, uint64_t bytes)
{
    struct hw_window window;

    assert_int_equal(size(index, &window), STATUS_OK);
    assert_true(window.base == base);
    assert_true(window.bytes == bytes);
}

static void assert_fails(unsigned index, enum status status)
{
    struct hw_window window;

    assert_int_equal(size(index, &window), status);
}

static void test_32_bit(void **state)
{
    (void)state;
    for (unsigned bit = 4; bit < 32; bit++) {
        uint32_t mask = ~((UINT32_C(1) << bit) - 1);

        put_bar(5, mask | 8, mask);
        assert_size(5, mask, UINT64_C(1) << bit);
    }
    put_bar(5, 0xfe9ff000, 0xfffff800);
    assert_size(5, 0xfe9ff000, 2048);
}

static void test_64_bit(void **state)
{
    (void)state;
    put_bar(2, 0xfe000004, 0xffff0000);
    put_bar(3, 0x00000000, 0xffffffff);
    assert_size(2, 0xfe000000, 0x10000);
    put_bar(3, 0x00000042, 0xffffffff);
    assert_size(2, UINT64_C(0x42fe000000), 0x10000);
    /* 8 GiB: no writable bit in the lower half. */
    put_bar(2, 0x0000000c, 0);
    put_bar(3, 0x00000042, 0xfffffffe);
    assert_size(2, UINT64_C(0x4200000000), UINT64_C(2) << 32);
    /* Only 40 address bits implemented. */
    put_bar(2, 0xfe000004, 0xffff0000);
    put_bar(3, 0x00000042, 0x000000ff);
    assert_size(2, UINT64_C(0x42fe000000), 0x10000);
}

static void test_not_there(void **state)
{
    (void)state;
    assert_fails(0, STATUS_NOT_FOUND);
    put_bar(0, 0, 0xfffff000); /* unassigned */
    assert_fails(0, STATUS_NOT_FOUND);
    put_bar(1, 0xe001, 0xfffffff0); /* I/O */
    assert_fails(1, STATUS_NOT_FOUND);
    put_bar(2, 0xffffffff, 0); /* reads as an I/O BAR */
    assert_fails(2, STATUS_NOT_FOUND);
    assert_int_equal(space.writes, 0);
}

static void test_cannot_be(void **state)
{
    (void)state;
    put_bar(0, 0xfe000002, 0xfffff000); /* below 1 MiB, reserved since PCI 3.0 */
    assert_fails(0, STATUS_INVALID);
    put_bar(0, 0xfe000006, 0xfffff000); /* reserved */
    assert_fails(0, STATUS_INVALID);
    put_bar(5, 0xfe000004, 0xfffff000); /* 64 bits without a second register */
    assert_fails(5, STATUS_INVALID);
    put_bar(5, 0xfe000000, 0xfffff000);
    put_bar(4, 0xfd000004, 0xfffff000); /* swallows BAR 5 */
    assert_fails(5, STATUS_INVALID);
    assert_fails(6, STATUS_INVALID);
    assert_fails(UINT32_MAX, STATUS_INVALID);
    assert_int_equal(space.writes, 0);
}

static void test_bad_sizes(void **state)
{
    (void)state;
    put_bar(0, 0xfe000000, 0xfff0f000); /* a hole in the mask */
    assert_fails(0, STATUS_INVALID);
    put_bar(0, 0xfebff000, 0); /* nothing writable: reads back its address */
    assert_fails(0, STATUS_INVALID);
    put_bar(0, 0xfe001000, 0xff000000); /* an address bit below the size reads as one */
    assert_fails(0, STATUS_INVALID);
    put_bar(0, 0x00001000, 0x00fff000); /* decoder of 24 bits: claims all the rest too */
    assert_fails(0, STATUS_INVALID);
}

static void test_header_types(void **state)
{
    (void)state;
    put_bar(0, 0xfe000000, 0xfffff000);
    for (unsigned type = 1; type < 128; type++) {
        device.header_type = (uint8_t)type;
        assert_fails(0, STATUS_INVALID);
    }
    assert_int_equal(space.writes, 0);
}

/* Memory decode is off while a BAR holds a wrong address. */
static void test_decode_is_off(void **state)
{
    struct pci_config config;
    struct hw_window window;

    (void)state;
    put_bar(5, 0xfe000000, 0xfffff000);
    for (uint32_t n = 1; n < 4; n++) {
        pci_space_put32(function, PCI_COMMAND, 0x20000407);
        put_bar(5, 0xfe000000, 0xfffff000);
        space.writes = 0;
        space.gone_at_write = n;
        config = pci_space_config(&space);
        assert_int_equal(pci_bar_size(&config, &device, 5, &window), STATUS_GONE);
        /* As the n writes before it vanished left it: off from the first to after the last. */
        assert_int_equal(pci_space_get32(function, PCI_COMMAND), 0x20000405);
        assert_int_equal(pci_space_get32(function, PCI_BAR0 + 20),
                         n == 2 ? 0xfffff000 : 0xfe000000);
    }
}

static void test_decode_stays_off(void **state)
{
    (void)state;
    pci_space_put32(function, PCI_COMMAND, 0x00000001);
    put_bar(5, 0xfe000000, 0xfffff000);
    assert_size(5, 0xfe000000, 4096);
}

/* The old value is not taken back: said, not hidden. */
static void test_stuck(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct hw_window window;

    (void)state;
    put_bar(5, 0xfe000000, 0xfffff000);
    space.stuck_at_write = 2;
    assert_int_equal(pci_bar_size(&config, &device, 5, &window), STATUS_DEVICE);
}

static void test_gone(void **state)
{
    struct pci_config config = pci_space_config(&space);
    struct hw_window window;

    (void)state;
    memset(function->data, 0xff, sizeof function->data);
    assert_int_equal(pci_bar_size(&config, &device, 5, &window), STATUS_GONE);
    assert_int_equal(space.writes, 0);
}

/* A function that answers what the script says, whatever is written to it. */
struct script {
    uint32_t command;
    uint32_t bar[8]; /* answers of BAR 0 in turn */
    unsigned next;
    unsigned writes;
};

static uint32_t script_read(const struct pci_config *config, struct pci_address address,
                            uint16_t offset)
{
    struct script *script = config->context;

    (void)address;
    if (offset == PCI_COMMAND)
        return script->command;
    return offset == PCI_BAR0 ? script->bar[script->next++ % 8] : 0x56781234;
}

static void script_write(const struct pci_config *config, struct pci_address address,
                         uint16_t offset, uint32_t value)
{
    struct script *script = config->context;

    (void)address;
    (void)offset;
    (void)value;
    script->writes++;
}

static enum status play(struct script *script)
{
    static const struct pci_config_ops ops = {.read = script_read, .write = script_write};
    struct pci_config config = {.ops = &ops, .context = script};
    struct hw_window window;

    return pci_bar_size(&config, &device, 0, &window);
}

static void test_contradictions(void **state)
{
    /* Read, sized, read again: an address that is no multiple of the size. */
    struct script odd = {.bar = {0xfe001000, 0xff000000, 0xfe001000}};
    struct script nothing = {.bar = {0xfe001000, 0, 0xfe001000}};
    /* A command register of all ones is a function on its way out: nothing is written. */
    struct script leaving = {.command = UINT32_MAX, .bar = {0xfe000000, 0xfe000000}};
    struct script sound = {.bar = {0xfe000000, 0xfff00000, 0xfe000000}};

    (void)state;
    assert_int_equal(play(&odd), STATUS_INVALID);
    assert_int_equal(play(&nothing), STATUS_INVALID);
    assert_int_equal(play(&leaving), STATUS_NOT_FOUND);
    assert_int_equal(leaving.writes, 0);
    assert_int_equal(play(&sound), STATUS_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_32_bit),        TEST(test_64_bit),
        TEST(test_not_there),     TEST(test_cannot_be),
        TEST(test_bad_sizes),     TEST(test_header_types),
        TEST(test_decode_is_off), TEST(test_decode_stays_off),
        TEST(test_stuck),         TEST(test_contradictions),
        TEST(test_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
