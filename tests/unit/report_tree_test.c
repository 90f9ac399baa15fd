/* The tree of PCI functions: the order of its lines, what one says, and that none is too long. */
#include "report/tree.h"

#include "base/bits.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char line[REPORT_TREE_LINE_BYTES + 1];

static const char *show(const struct pci_device *device, unsigned depth, const struct pci_end *end)
{
    struct text text;

    text_init(&text, line, sizeof line);
    report_tree_function(&text, device, depth, end);
    assert_false(text.truncated);
    return line;
}

static const struct pci_end silent = {.answers = true};

/* Functions of this class; header type 0. */
static struct pci_device of_class(uint32_t code)
{
    return (struct pci_device){
        .address = {.segment = 0, .bus = 0x1a, .device = 0x1f, .function = 2},
        .vendor_id = 0x8086,
        .device_id = 0x0a2f,
        .revision = 0xc1,
        .class_base = (uint8_t)(code >> 16),
        .class_sub = (uint8_t)(code >> 8),
        .prog_if = (uint8_t)code,
    };
}

static struct pci_device bridge(unsigned secondary, unsigned subordinate)
{
    struct pci_device device = of_class(0x060400);

    device.header_type = 1;
    device.secondary_bus = (uint8_t)secondary;
    device.subordinate_bus = (uint8_t)subordinate;
    return device;
}

static struct pci_end port(unsigned type)
{
    return (struct pci_end){.answers = true, .has_pcie = true, .port_type = (uint8_t)type};
}

static struct pci_end link(unsigned speed, unsigned width, unsigned speed_max, unsigned width_max)
{
    struct pci_end end = port(0);

    end.has_link = true;
    end.speed = (uint8_t)speed;
    end.width = (uint8_t)width;
    end.speed_max = (uint8_t)speed_max;
    end.width_max = (uint8_t)width_max;
    return end;
}

static void test_classes(void **state)
{
    static const struct {
        uint32_t code;
        const char *name;
    } classes[] = {
        {0x010000, "SCSI"},        {0x01018a, "IDE"},         {0x010400, "RAID"},
        {0x010601, "SATA AHCI"},   {0x010600, "SATA"},        {0x010602, "SATA"},
        {0x010700, "SAS"},         {0x010802, "NVMe"},        {0x010801, "flash storage"},
        {0x018000, "storage"},     {0x020000, "Ethernet"},    {0x028000, "network"},
        {0x030000, "VGA"},         {0x030200, "3D"},          {0x040300, "HD audio"},
        {0x060000, "host bridge"}, {0x060100, "ISA bridge"},  {0x068000, "bridge"},
        {0x060400, "PCI bridge"},  {0x0c0300, "USB UHCI"},    {0x0c0330, "USB xHCI"},
        {0x0c0380, "USB"},         {0x0c0500, "SMBus"},       {0x0c8000, "serial bus"},
        {0xff0000, "class ff00"},  {0x000000, "class 0000"},  {0x000100, "VGA"},
        {0x14ab00, "class 14ab"},  {0x120000, "accelerator"}, {0x088000, "system"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        struct pci_device device = of_class(classes[i].code);
        char expected[REPORT_TREE_LINE_BYTES];

        snprintf(expected, sizeof expected, "0000:1a:1f.2 8086:0a2f rev c1 %s\n", classes[i].name);
        assert_string_equal(show(&device, 0, &silent), expected);
    }
}

static void test_links(void **state)
{
    static const struct {
        uint8_t speed, width, speed_max, width_max;
        const char *shown;
    } links[] = {
        {2, 1, 2, 1, ", PCIe 5 GT/s x1\n"},
        {2, 1, 2, 4, ", PCIe 5 GT/s x1 of x4\n"},
        {1, 4, 3, 4, ", PCIe 2.5 of 8 GT/s x4\n"},
        {4, 8, 5, 16, ", PCIe 16 of 32 GT/s x8 of x16\n"},
        {6, 2, 6, 2, ", PCIe 64 GT/s x2\n"},
        {0, 0, 3, 16, ", PCIe ? of 8 GT/s x16\n"}, /* no link up */
        {1, 0, 3, 16, ", PCIe ? of 8 GT/s x16\n"},
        {0, 0, 0, 0, ", PCIe ?\n"},
        {1, 1, 0, 0, ", PCIe 2.5 GT/s x1\n"}, /* Link Capabilities say nothing */
        {15, 1, 15, 1, ", PCIe ? GT/s x1\n"}, /* a speed without a name */
    };
    struct pci_device device = of_class(0x010601);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(links); i++) {
        struct pci_end end =
            link(links[i].speed, links[i].width, links[i].speed_max, links[i].width_max);
        const char *shown = strchr(show(&device, 0, &end), ',');

        assert_non_null(shown);
        assert_string_equal(shown, links[i].shown);
    }
}

static void test_gone(void **state)
{
    struct pci_device device = of_class(0x010802);
    struct pci_end end = {.answers = false};

    (void)state;
    assert_string_equal(show(&device, 0, &end),
                        "0000:1a:1f.2 8086:0a2f rev c1 NVMe, no longer answers\n");
}

static void test_bridges(void **state)
{
    static const char *const names[16] = {
        [0] = "PCI bridge",           [4] = "root port",
        [5] = "switch upstream port", [6] = "switch downstream port",
        [7] = "PCIe-to-PCI bridge",   [8] = "PCI-to-PCIe bridge",
        [15] = "PCI bridge",
    };
    struct pci_device device = bridge(2, 5);
    struct pci_end end;
    char expected[REPORT_TREE_LINE_BYTES];

    (void)state;
    for (unsigned type = 0; type < COUNT_OF(names); type++) {
        if (names[type] == NULL)
            continue;
        end = port(type);
        snprintf(expected, sizeof expected, "0000:1a:1f.2 8086:0a2f rev c1 %s -> bus 02-05\n",
                 names[type]);
        assert_string_equal(show(&device, 0, &end), expected);
    }
    assert_non_null(strstr(show(&device, 0, &silent), " PCI bridge -> bus 02-05\n"));
    device = bridge(0x1b, 0x1b);
    assert_non_null(strstr(show(&device, 0, &silent), " PCI bridge -> bus 1b\n"));
    device = bridge(0, 0);
    assert_non_null(strstr(show(&device, 0, &silent), " PCI bridge -> no bus\n"));
    device = bridge(6, 7);
    device.header_type = 2;
    device.class_sub = 7;
    assert_non_null(strstr(show(&device, 0, &silent), " CardBus bridge -> bus 06-07\n"));
    /* Chipsets have host bridges that call themselves root ports; no bus is behind them. */
    device = of_class(0x060000);
    end = port(4);
    assert_string_equal(show(&device, 0, &end), "0000:1a:1f.2 8086:0a2f rev c1 host bridge\n");
}

/* What a long line leaves out, one step after the other. */
static void test_long_lines(void **state)
{
    struct pci_device device = bridge(2, 5);
    struct pci_end end = link(2, 1, 2, 1);

    (void)state;
    end.port_type = 5;
    assert_string_equal(
        show(&device, 0, &end),
        "0000:1a:1f.2 8086:0a2f rev c1 switch upstream port -> bus 02-05, PCIe 5 GT/s x1\n");
    assert_string_equal(
        show(&device, 1, &end),
        "  0000:1a:1f.2 8086:0a2f rev c1 upstream port -> bus 02-05, PCIe 5 GT/s x1\n");
    assert_string_equal(
        show(&device, 4, &end),
        "        0000:1a:1f.2 8086:0a2f rev c1 upstream port -> 02-05, PCIe 5 GT/s x1\n");
    assert_string_equal(
        show(&device, 6, &end),
        "            0000:1a:1f.2 8086:0a2f upstream port -> 02-05, PCIe 5 GT/s x1\n");
    assert_string_equal(
        show(&device, 40, &end),
        "                  0000:1a:1f.2 8086:0a2f upstream port -> 02-05, PCIe 5 GT/s x1\n");
    assert_int_equal(strlen(line), REPORT_TREE_LINE_BYTES);
    show(&device, UINT32_MAX, &end);
    assert_int_equal(strlen(line), REPORT_TREE_LINE_BYTES);
}

/* Whatever the registers say: one line, ASCII, within the columns, address and ids whole. */
static void test_any_registers(void **state)
{
    struct base_random random = {20};

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t a = base_random_next(&random), b = base_random_next(&random);
        struct pci_device device = bridge(a & 0xff, a >> 8 & 0xff);
        struct pci_end end = link(b & 15, b >> 4 & 63, b >> 12 & 15, b >> 16 & 63);
        const char *shown;

        device.header_type = a >> 16 & 3;
        device.class_base = a >> 20 & 0x1f;
        device.class_sub = a >> 28 & 0x0f;
        end.port_type = a >> 32 & 15;
        end.has_link = (a >> 36 & 7) != 0;
        shown = show(&device, a >> 40 & 15, &end);
        assert_in_range(strlen(shown), 30, REPORT_TREE_LINE_BYTES);
        assert_ptr_equal(strchr(shown, '\n'), shown + strlen(shown) - 1);
        assert_non_null(strstr(shown, "0000:1a:1f.2 8086:0a2f "));
        for (size_t j = 0; shown[j] != '\n'; j++)
            assert_in_range(shown[j], ' ', '~');
    }
}

/* The list as the walk leaves it, bus by bus, and the order in which it is shown. */
static void test_order(void **state)
{
    static const struct {
        int32_t parent;
        uint8_t header_type;
    } list[] = {{-1, 0}, {-1, 1}, {-1, 1}, {-1, 0}, {1, 1},
                {1, 0},  {2, 0},  {4, 0},  {4, 2},  {-1, 1}};
    static const struct {
        int32_t index;
        unsigned depth;
    } shown[] = {{0, 0}, {1, 0}, {4, 1}, {7, 2}, {8, 2}, {5, 1}, {2, 0}, {6, 1}, {3, 0}, {9, 0}};
    struct pci_device devices[COUNT_OF(list)];
    int32_t index = PCI_NO_PARENT;
    unsigned depth = 77;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        devices[i] = of_class(0);
        devices[i].parent = list[i].parent;
        devices[i].header_type = list[i].header_type;
    }
    for (size_t i = 0; i < COUNT_OF(shown); i++) {
        index = report_tree_next(devices, COUNT_OF(list), index, &depth);
        assert_int_equal(index, shown[i].index);
        assert_int_equal(depth, shown[i].depth);
    }
    assert_int_equal(report_tree_next(devices, COUNT_OF(list), index, &depth), PCI_NO_PARENT);
    assert_int_equal(report_tree_next(devices, 0, PCI_NO_PARENT, &depth), PCI_NO_PARENT);
}

/* Parents that cannot be: it ends, and nothing is shown twice. */
static void test_any_parents(void **state)
{
    struct pci_device devices[12];
    struct base_random random = {21};

    (void)state;
    for (unsigned round = 0; round < 50000; round++) {
        int32_t index = PCI_NO_PARENT;
        uint32_t seen = 0, steps = 0;
        unsigned depth = 0;

        for (size_t i = 0; i < COUNT_OF(devices); i++) {
            devices[i] = of_class(0);
            devices[i].parent = (int32_t)(base_random_next(&random) % 13) - 1;
            devices[i].header_type = base_random_next(&random) % 2;
        }
        while ((index = report_tree_next(devices, COUNT_OF(devices), index, &depth)) !=
               PCI_NO_PARENT) {
            assert_in_range(index, 0, COUNT_OF(devices) - 1);
            assert_false(seen & BIT32(index));
            seen |= BIT32(index);
            assert_true(++steps <= COUNT_OF(devices));
            assert_true(depth < COUNT_OF(devices));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),    cmocka_unit_test(test_links),
        cmocka_unit_test(test_gone),       cmocka_unit_test(test_bridges),
        cmocka_unit_test(test_long_lines), cmocka_unit_test(test_any_registers),
        cmocka_unit_test(test_order),      cmocka_unit_test(test_any_parents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
