/* Fuzz target: hostile configuration spaces. Their form is in tests/fuzz/space.h. */
#include "tests/fuzz/look.h"
#include "tests/fuzz/space.h"

#include "base/bits.h"
#include "pci/bar.h"
#include "pci/cap_list.h"
#include "pci/regs.h"
#include "report/dump.h"

#define CROWD 5

/* Bit of the choice: the function chosen is also written out, which takes long. */
#define CHOICE_TEXT 0x80

/* Sizing: a write and a read back of two registers, twice the id, the registers below, Command. */
#define BAR_READS  20
#define BAR_WRITES 6

static void check_bar(struct space *space, const struct pci_device *device, unsigned index)
{
    const struct pci_config config = space_config(space);
    uint32_t reads = space->reads, writes = space->writes;
    struct hw_window window = {0};
    uint32_t before[6], command = 0;
    enum status status;

    for (unsigned i = 0; i < 6 && space_is_steady(space); i++)
        before[i] = pci_config_read32(&config, device->address, (uint16_t)(PCI_BAR0 + 4 * i));
    command = pci_config_read32(&config, device->address, PCI_COMMAND);
    reads = space->reads;
    status = pci_bar_size(&config, device, index, &window);
    REQUIRE(space->reads - reads <= BAR_READS && space->writes - writes <= BAR_WRITES);
    REQUIRE(device->header_type == PCI_HEADER_TYPE_NORMAL || status == STATUS_INVALID);
    if (status == STATUS_OK) {
        REQUIRE(window.bytes != 0 && (window.bytes & (window.bytes - 1)) == 0);
        REQUIRE(window.base != 0 && window.base % window.bytes == 0);
    } else {
        REQUIRE(window.bytes == 0);
    }
    for (unsigned i = 0; i < 6 && space_is_steady(space); i++)
        REQUIRE(pci_config_read32(&config, device->address, (uint16_t)(PCI_BAR0 + 4 * i)) ==
                before[i]);
    if (space_is_steady(space))
        REQUIRE(pci_config_read32(&config, device->address, PCI_COMMAND) == command);
}

/* Where pci/ finds a register that identifies the hardware, report/ has cleared it. */
static void check_cleared(const struct pci_config *config, const struct pci_device *device,
                          const uint8_t *bytes, size_t count)
{
    uint16_t vpd = pci_cap_find(config, device, 0x03);
    uint16_t serial = pci_ext_cap_find(config, device, 0x0003);

    for (size_t i = 4; i < 8 && vpd != 0 && vpd + i < PCI_CONFIG_BYTES; i++)
        REQUIRE(bytes[vpd + i] == 0);
    for (size_t i = 4; i < 12 && serial != 0 && serial + i < count; i++)
        REQUIRE(bytes[serial + i] == 0);
}

static void check_text(const struct pci_device *device, const uint8_t *bytes, size_t count)
{
    char *buffer = malloc(REPORT_DUMP_BYTES);
    struct text text;

    REQUIRE(buffer != NULL);
    text_init(&text, buffer, REPORT_DUMP_BYTES);
    report_dump_function(&text, device, bytes, count);
    REQUIRE(!text.truncated && text.length > 3 * count);
    free(buffer);
}

static void check_dump(struct space *space, const struct pci_device *device)
{
    static uint8_t config_bytes[4096], once[4096], twice[4096];
    const struct pci_config config = space_config(space);
    size_t count = (space->flags & SPACE_SHORT) != 0 ? 256 : 4096;
    for (uint16_t i = 0; i < count; i = (uint16_t)(i + 4)) {
        uint32_t value = pci_config_read32(&config, device->address, i);

        for (unsigned k = 0; k < 4; k++)
            config_bytes[i + k] = (uint8_t)(value >> 8 * k);
    }
    memcpy(once, config_bytes, count);
    report_dump_anonymise(once, count);
    for (size_t i = 0; i < count; i++)
        REQUIRE(once[i] == config_bytes[i] || once[i] == 0);
    memcpy(twice, once, count);
    report_dump_anonymise(twice, count);
    REQUIRE(memcmp(once, twice, count) == 0);
    if (space_is_steady(space))
        check_cleared(&config, device, once, count);
    if ((space->choice & CHOICE_TEXT) != 0)
        check_text(device, once, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct space space;
    struct pci_tree tree = {.capacity = 64};
    struct pci_config config;
    struct look look;

    space_build(&space, data, size);
    config = space_config(&space);
    look = (struct look){&config, &space.reads, 0, space.start_bus, space.end_bus};
    if ((space.flags & SPACE_CROWDED) != 0)
        tree.capacity = CROWD;
    tree.devices = calloc(tree.capacity, sizeof *tree.devices);
    REQUIRE(tree.devices != NULL);
    space.read_only = true;
    look_walk(&look, &tree);
    look_functions(&look, &tree);
    if (tree.count > 0)
        check_dump(&space, &tree.devices[space.choice % tree.count]);
    space.read_only = false;
    for (uint32_t i = 0; i < tree.count; i++)
        for (unsigned index = 0; index < 7; index++)
            check_bar(&space, &tree.devices[i], index);
    free(tree.devices);
    return 0;
}
