/* Windows and capabilities under a function: the words, and where lines are broken. */
#include "report/detail.h"

#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static char shown[REPORT_DETAIL_BYTES];

static const char *show(unsigned depth, const struct pci_bridge *bridge, const struct pci_cap *caps,
                        uint32_t count)
{
    struct text text;

    text_init(&text, shown, sizeof shown);
    report_detail(&text, depth, bridge, caps, count);
    assert_false(text.truncated);
    return shown;
}

/* Columns of the longest line; every line has some and ends. */
static size_t width(void)
{
    size_t longest = 0;

    for (const char *line = shown, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        assert_int_equal(strspn(line, " ") % 2, 0);
        assert_true(strspn(line, " ") < (size_t)(end - line));
        assert_int_not_equal(end[-1], ' ');
        longest = (size_t)(end - line) > longest ? (size_t)(end - line) : longest;
    }
    return longest;
}

static struct pci_window window(unsigned bits, uint64_t base, uint64_t limit)
{
    return (struct pci_window){
        .address_bits = (uint8_t)bits, .open = base <= limit, .base = base, .limit = limit};
}

static void test_windows(void **state)
{
    struct pci_bridge bridge = {.io = window(16, 0x1000, 0x1fff),
                                .memory = window(32, 0xe0000000, 0xe00fffff),
                                .prefetchable = window(64, 0xfff00000, 0xfffff)};

    (void)state;
    assert_string_equal(show(0, &bridge, NULL, 0),
                        "    I/O 1000-1fff, memory e0000000-e00fffff, prefetchable closed\n");
    bridge.io = (struct pci_window){0};
    bridge.memory = window(32, 0, 0xfffff);
    bridge.prefetchable = window(32, 0x100000, 0x1fffff);
    assert_string_equal(show(1, &bridge, NULL, 0), "      I/O none, memory 00000000-000fffff, "
                                                   "prefetchable 00100000-001fffff\n");
    bridge.io = window(32, 0x1b000, 0x1bfff);
    bridge.memory = window(32, 0xfff00000, 0);
    bridge.prefetchable = window(64, UINT64_C(0x4000000000), UINT64_C(0x40001fffff));
    assert_string_equal(show(0, &bridge, NULL, 0), "    I/O 0001b000-0001bfff, memory closed, "
                                                   "prefetchable 4000000000-40001fffff\n");
    bridge.io = window(16, 0xf000, 0xfff);
    assert_non_null(strstr(show(0, &bridge, NULL, 0), "I/O closed, "));
    bridge.prefetchable = (struct pci_window){0};
    assert_non_null(strstr(show(0, &bridge, NULL, 0), "prefetchable none\n"));
}

static void test_caps(void **state)
{
    static const struct pci_cap caps[] = {{0x40, 0x10, 0},     {0x80, 0x01, 0},   {0xfc, 0x05, 0},
                                          {0x44, 0x00, 0},     {0x48, 0x16, 0},   {0x4c, 0xfe, 0},
                                          {0x100, 0x01, 2},    {0x148, 0x00, 1},  {0xffc, 0x2d, 1},
                                          {0x150, 0xffff, 15}, {0x160, 0x000c, 1}};

    (void)state;
    assert_string_equal(show(0, NULL, caps, 0), "");
    assert_string_equal(show(0, NULL, caps, 1), "    [40] PCI Express\n");
    assert_string_equal(show(2, NULL, caps, COUNT_OF(caps)),
                        "        [40] PCI Express, [80] power management, [fc] MSI, [44] id 00,\n"
                        "        [48] id 16, [4c] id fe, [100] AER, [148] id 0000, [ffc] id 002d,\n"
                        "        [150] id ffff, [160] id 000c\n");
}

/* Ids at both ends of the tables, and one that means different things in the two lists. */
static void test_names(void **state)
{
    static const struct {
        struct pci_cap cap;
        const char *line;
    } names[] = {
        {{0x40, 0x01, 0}, "    [40] power management\n"},
        {{0x40, 0x12, 0}, "    [40] SATA index and data\n"},
        {{0x40, 0x15, 0}, "    [40] flattening portal bridge\n"},
        {{0x40, 0x03, 0}, "    [40] vital product data\n"},
        {{0x100, 0x03, 1}, "    [100] serial number\n"},
        {{0xfc, 0x0d, 0}, "    [fc] bridge subsystem\n"},
        {{0x100, 0x0d, 1}, "    [100] ACS\n"},
        {{0x100, 0x2c, 1}, "    [100] SFI\n"},
        {{0x100, 0x1e, 1}, "    [100] L1 substates\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_string_equal(show(0, NULL, &names[i].cap, 1), names[i].line);
}

/* The longest window at every depth, and the line that it just fits into. */
static void test_columns(void **state)
{
    struct pci_bridge bridge = {.io = window(32, 0, UINT32_MAX),
                                .memory = window(32, 0, UINT32_MAX),
                                .prefetchable = window(64, 0, UINT64_MAX)};

    (void)state;
    bridge.prefetchable.base = UINT64_C(0x1000000000000000);
    for (unsigned depth = 0; depth < 300; depth++) {
        show(depth, &bridge, NULL, 0);
        assert_in_range(width(), 46, 79);
        assert_non_null(strstr(shown, " prefetchable 1000000000000000-ffffffffffffffff\n"));
        assert_int_equal(strspn(shown, " "), depth < 14 ? 2 * depth + 4 : 32);
    }
    show(UINT32_MAX, &bridge, NULL, 0);
    assert_int_equal(strspn(shown, " "), 32);
    assert_int_equal(width(), 78);
    bridge.io = (struct pci_window){0};
    bridge.prefetchable = window(64, 0x1000000000, 0x1fffffffff);
    assert_string_equal(show(0, &bridge, NULL, 0), "    I/O none, memory 00000000-ffffffff, "
                                                   "prefetchable 1000000000-1fffffffff\n");
}

/* Every id in both lists, as many as there can be, at every depth. */
static void test_any_caps(void **state)
{
    static struct pci_cap caps[PCI_CAP_LIST_MAX];
    struct pci_bridge bridge = {.io = window(32, 0, UINT32_MAX)};

    (void)state;
    for (unsigned depth = 0; depth < 20; depth++) {
        for (uint32_t i = 0; i < PCI_CAP_LIST_MAX; i++) {
            caps[i].offset = (uint16_t)(0x40 + 4 * i);
            caps[i].id = (uint16_t)((depth + i) % 300);
        }
        show(depth, &bridge, caps, PCI_CAP_LIST_MAX);
        assert_in_range(width(), 60, 79);
        assert_non_null(strstr(shown, "[ffc] "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),  cmocka_unit_test(test_caps),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_columns),
        cmocka_unit_test(test_any_caps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
