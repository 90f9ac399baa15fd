/* Which PCI functions are taken for AHCI controllers, and which quirks they get. */
#include "drivers/ahci/ahci.h"
#include "drivers/ahci/quirks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BAR5 0xf7d00000u

static void judges_functions(void **state)
{
    static const struct {
        uint16_t vendor, device;
        uint32_t class_code;
        uint32_t bar5;
        enum ahci_match want;
    } cases[] = {
        {0x8086, 0x2922, 0x010601, BAR5, AHCI_MATCH_YES},
        {0x1234, 0x5678, 0x010601, BAR5, AHCI_MATCH_YES},
        {0x1234, 0x5678, 0x010600, BAR5, AHCI_MATCH_NO},
        {0x1234, 0x5678, 0x010180, BAR5, AHCI_MATCH_NO},
        {0x1234, 0x5678, 0x010802, BAR5, AHCI_MATCH_NO}, /* NVMe */
        {0x1234, 0x5678, 0x010601, 0, AHCI_MATCH_REFUSED},
        {0x1234, 0x5678, 0x010601, 0xf0a1, AHCI_MATCH_REFUSED}, /* I/O space */
        {0x8086, 0x2822, 0x010400, BAR5, AHCI_MATCH_REFUSED},
        {0x1000, 0x005b, 0x010400, 0, AHCI_MATCH_NO}, /* some other RAID controller */
        {0x1b4b, 0x9128, 0x010601, BAR5, AHCI_MATCH_YES},
        {0x1b4b, 0x9128, 0x010185, BAR5, AHCI_MATCH_YES},
        {0x1b4b, 0x9130, 0x010400, BAR5, AHCI_MATCH_YES},
        {0x1b4b, 0x9230, 0x010400, BAR5, AHCI_MATCH_YES},
        {0x1b4b, 0x91a4, 0x010185, 0, AHCI_MATCH_NO}, /* function 1, without AHCI registers */
        {0x1b4b, 0x9485, 0x010400, BAR5, AHCI_MATCH_NO},
        {0x1b4b, 0x9485, 0x010601, BAR5, AHCI_MATCH_REFUSED},
        {0x1103, 0x0642, 0x010400, BAR5, AHCI_MATCH_YES},
        {0x11ab, 0x6121, 0x010185, BAR5, AHCI_MATCH_YES},
        {0x1106, 0x3349, 0x010180, BAR5, AHCI_MATCH_YES},
        {0xffff, 0xffff, 0x010601, BAR5, AHCI_MATCH_NO},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct pci_device device = {.vendor_id = cases[i].vendor,
                                          .device_id = cases[i].device,
                                          .class_base = (uint8_t)(cases[i].class_code >> 16),
                                          .class_sub = (uint8_t)(cases[i].class_code >> 8),
                                          .prog_if = (uint8_t)cases[i].class_code,
                                          .bar = {[5] = cases[i].bar5}};
        const char *reason = NULL;

        assert_int_equal(ahci_match(&device, &reason), cases[i].want);
        assert_int_equal(reason[0] != '\0', cases[i].want == AHCI_MATCH_REFUSED);
    }
}

/* Every chip known to be AHCI under any name, and the class codes they have been seen with. */
static void takes_known_chips_under_any_class(void **state)
{
    static const uint16_t known[][2] = {
        {0x1b4b, 0x9120}, {0x1b4b, 0x9122}, {0x1b4b, 0x9123}, {0x1b4b, 0x9125}, {0x1b4b, 0x9128},
        {0x1b4b, 0x9130}, {0x1b4b, 0x9170}, {0x1b4b, 0x9171}, {0x1b4b, 0x9172}, {0x1b4b, 0x9178},
        {0x1b4b, 0x917a}, {0x1b4b, 0x9182}, {0x1b4b, 0x9183}, {0x1b4b, 0x9186}, {0x1b4b, 0x9192},
        {0x1b4b, 0x91a0}, {0x1b4b, 0x91a3}, {0x1b4b, 0x91b0}, {0x1b4b, 0x9215}, {0x1b4b, 0x9220},
        {0x1b4b, 0x9230}, {0x1b4b, 0x9235}, {0x1103, 0x0620}, {0x1103, 0x0622}, {0x1103, 0x0640},
        {0x1103, 0x0641}, {0x1103, 0x0642}, {0x1103, 0x0644}, {0x1103, 0x0645}, {0x1103, 0x0646},
        {0x11ab, 0x6101}, {0x11ab, 0x6111}, {0x11ab, 0x6121}, {0x11ab, 0x6141}, {0x11ab, 0x6145},
    };
    static const struct {
        uint8_t sub, interface;
    } classes[] = {{0x06, 0x01}, {0x06, 0x00}, {0x04, 0x00}, {0x01, 0x85}, {0x01, 0x8f}};

    (void)state;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        for (unsigned j = 0; j < sizeof classes / sizeof classes[0]; j++) {
            struct pci_device device = {.vendor_id = known[i][0],
                                        .device_id = known[i][1],
                                        .class_base = 1,
                                        .class_sub = classes[j].sub,
                                        .prog_if = classes[j].interface,
                                        .bar = {[5] = BAR5}};
            const char *reason;

            assert_int_equal(ahci_match(&device, &reason), AHCI_MATCH_YES);
            device.class_base = 2; /* no chip of them is anything but storage */
            assert_int_equal(ahci_match(&device, &reason), AHCI_MATCH_NO);
        }
}

/* A RAID card whose 64-bit BAR 4 fills the fifth place, too, has no window there. */
static void takes_no_upper_half_for_a_window(void **state)
{
    struct pci_device card = {.vendor_id = 0x1000,
                              .device_id = 0x005d,
                              .class_base = 1,
                              .class_sub = 4,
                              .bar = {[4] = 0xf000000c, [5] = 0x00000010}};
    const char *reason;

    (void)state;
    assert_int_equal(ahci_match(&card, &reason), AHCI_MATCH_NO);
    card.bar[4] = 0xf0000008; /* 32 bits */
    assert_int_equal(ahci_match(&card, &reason), AHCI_MATCH_REFUSED);
    card.bar[4] = 0xe005; /* I/O */
    assert_int_equal(ahci_match(&card, &reason), AHCI_MATCH_REFUSED);
}

static void leaves_bridges_alone(void **state)
{
    const struct pci_device bridge = {.vendor_id = 0x8086,
                                      .class_base = 1,
                                      .class_sub = 6,
                                      .prog_if = 1,
                                      .header_type = 1,
                                      .bar = {[5] = BAR5}};
    const char *reason;

    (void)state;
    assert_int_equal(ahci_match(&bridge, &reason), AHCI_MATCH_NO);
}

static void tells_marvell_personalities_apart(void **state)
{
    uint32_t quirks = ahci_quirks_of(0x1b4b, 0x9128);

    (void)state;
    assert_int_equal(ahci_quirks_refine(quirks, 0xe237ff21) & AHCI_QUIRK_RAID, 0);
    assert_int_not_equal(ahci_quirks_refine(quirks, 0xe237ff21) & AHCI_QUIRK_EARLY_READY, 0);
    assert_int_not_equal(ahci_quirks_refine(quirks, 0xc0309f07) & AHCI_QUIRK_RAID, 0);
    assert_int_equal(ahci_quirks_refine(quirks, 0xc0309f07) & AHCI_QUIRK_EARLY_READY, 0);
    assert_int_equal(ahci_quirks_refine(0, 0xc0309f07), 0);
}

static void finds_quirks(void **state)
{
    (void)state;
    assert_int_equal(ahci_quirks_of(0x1234, 0x5678), 0);
    assert_int_not_equal(ahci_quirks_of(0x1b4b, 0x9172) & AHCI_QUIRK_NO_FR_CR, 0);
    assert_int_not_equal(ahci_quirks_of(0x1b4b, 0x9215) & AHCI_QUIRK_NO_FR_CR, 0);
    assert_int_equal(ahci_quirks_of(0x1b4b, 0x9128) & AHCI_QUIRK_NO_FR_CR, 0);
    assert_int_not_equal(ahci_quirks_of(0x1b4b, 0x9230) & AHCI_QUIRK_FRE_CYCLE, 0);
    assert_int_not_equal(ahci_quirks_of(0x11ab, 0x6145) & AHCI_QUIRK_NO_NCQ, 0);
    assert_int_not_equal(ahci_quirks_of(0x1002, 0x4380) & AHCI_QUIRK_64_KIB, 0);
    assert_int_equal(ahci_quirks_sectors_max("MARVELL Raid VD 0", "MV.R00-0"), 8191);
    assert_int_equal(ahci_quirks_sectors_max("DELLBOSS VD", ""), 8191);
    assert_int_equal(ahci_quirks_sectors_max("LITEON CX1-JB512-HP", "1"), 1024);
    assert_int_equal(ahci_quirks_sectors_max("INTEL SSDSC2KG480G8", "XCV10120"), 8191);
    assert_int_equal(ahci_quirks_sectors_max("INTEL SSDSC2KG480G8", "XCV10132"), UINT32_MAX);
    assert_int_equal(ahci_quirks_sectors_max("", ""), UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_functions),
        cmocka_unit_test(takes_known_chips_under_any_class),
        cmocka_unit_test(takes_no_upper_half_for_a_window),
        cmocka_unit_test(leaves_bridges_alone),
        cmocka_unit_test(tells_marvell_personalities_apart),
        cmocka_unit_test(finds_quirks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
