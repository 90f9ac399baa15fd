/* pci.txt: configuration space as text. */
#include "report/dump.h"

#include "base/bits.h"
#include "report/result.h"

/* PCI 3.0, sections 6.2.3 and 6.7. */
#define STATUS_OFFSET       0x06
#define STATUS_CAPABILITIES 0x10
#define HEADER_TYPE         0x0e
#define CAPABILITY_POINTER  0x34
#define CARDBUS_POINTER     0x14 /* header type 2 (PC Card Standard, volume 7) */
#define HEADER_BYTES        0x40
#define CONVENTIONAL_BYTES  0x100
#define CAPABILITY_VPD      0x03
#define VPD_DATA            4

/* PCI Express Base 5.0, sections 7.6.3 and 7.9.3. */
#define EXTENDED_FIRST      0x100u
#define EXTENDED_SERIAL     0x0003
#define EXTENDED_SERIAL_END 12

/* As many capabilities as fit: a list that is longer has a loop. */
#define CAPABILITIES_MAX ((CONVENTIONAL_BYTES - HEADER_BYTES) / 4)
#define EXTENDED_MAX     ((REPORT_DUMP_CONFIG_BYTES - EXTENDED_FIRST) / 4)

static void clear(uint8_t *config, size_t from, size_t to, size_t count)
{
    for (size_t i = from; i < to && i < count; i++)
        config[i] = 0;
}

static void anonymise_vpd(uint8_t *config)
{
    bool cardbus = (config[HEADER_TYPE] & 0x7f) == 2;
    size_t offset = config[cardbus ? CARDBUS_POINTER : CAPABILITY_POINTER] & 0xfcu;

    if ((config[STATUS_OFFSET] & STATUS_CAPABILITIES) == 0)
        return;
    for (unsigned i = 0; i < CAPABILITIES_MAX && offset >= HEADER_BYTES; i++) {
        if (config[offset] == CAPABILITY_VPD)
            clear(config, offset + VPD_DATA, offset + VPD_DATA + 4, CONVENTIONAL_BYTES);
        offset = config[offset + 1] & 0xfcu;
    }
}

void report_dump_anonymise(uint8_t *config, size_t count)
{
    size_t offset = EXTENDED_FIRST;

    anonymise_vpd(config);
    /* Whether or not a PCI Express capability leads to it: rather one register too many. */
    for (unsigned i = 0; i < EXTENDED_MAX && offset >= EXTENDED_FIRST && offset + 4 <= count; i++) {
        uint32_t header = base_le32(config + offset);

        if (header == 0 || header == UINT32_MAX)
            return;
        if ((header & 0xffff) == EXTENDED_SERIAL)
            clear(config, offset + 4, offset + EXTENDED_SERIAL_END, count);
        offset = header >> 20 & 0xffcu;
    }
}

void report_dump_function(struct text *text, const struct pci_device *device, const uint8_t *config,
                          size_t count)
{
    char address[RESULT_ADDRESS_BYTES];

    result_address(&device->address, address);
    text_printf(text, "%s %02x%02x: %04x:%04x (rev %02x)\n", address, device->class_base,
                device->class_sub, device->vendor_id, device->device_id, device->revision);
    for (size_t row = 0; row < count; row += 16) {
        text_printf(text, "%02x:", (unsigned)row);
        for (size_t i = 0; i < 16; i++)
            text_printf(text, " %02x", config[row + i]);
        text_char(text, '\n');
    }
    text_char(text, '\n');
}
