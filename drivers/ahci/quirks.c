/* The quirk tables, and the judgement whether a PCI function is an AHCI controller at all. */
#include "drivers/ahci/quirks.h"

#include "drivers/ahci/ahci.h"
#include "drivers/ahci/regs.h"

#include <stdbool.h>
#include <stddef.h>

#define MARVELL                                                                                    \
    (AHCI_QUIRK_ANY_CLASS | AHCI_QUIRK_MARVELL | AHCI_QUIRK_FRE_SETTLE | AHCI_QUIRK_EARLY_READY)

/* Class 0101 has been seen on it. */
#define VT8251 (AHCI_QUIRK_ANY_CLASS | AHCI_QUIRK_NO_NCQ | AHCI_QUIRK_BUSY_STAYS)

/* `source`: whose experience it is. Lines add up. */
static const struct {
    uint16_t vendor, first, last;
    uint32_t flags;
    const char *source;
} controllers[] = {
    {0x1b4b, 0x9120, 0x9130, MARVELL, "Linux, FreeBSD: classes 0101 and 0104 on AHCI parts"},
    {0x1b4b, 0x9170, 0x9192, MARVELL, "Linux, FreeBSD"},
    {0x1b4b, 0x91a0, 0x91b0, MARVELL, "Linux, FreeBSD"},
    {0x1b4b, 0x9215, 0x9235, MARVELL, "Linux, FreeBSD"},
    {0x1b4b, 0x9172, 0x9172, AHCI_QUIRK_NO_FR_CR, "DragonFly: FR and CR not implemented"},
    {0x1b4b, 0x9215, 0x9215, AHCI_QUIRK_NO_FR_CR, "DragonFly: FR and CR not implemented"},
    {0x1b4b, 0x9230, 0x9230, AHCI_QUIRK_FRE_CYCLE, "DragonFly: FRE has to be cycled"},
    {0x1b4b, 0x9400, 0x94ff, AHCI_QUIRK_NOT_AHCI, "SAS controllers"},
    {0x1103, 0x0620, 0x0646, MARVELL, "HighPoint cards with Marvell chips (Linux)"},
    {0x11ab, 0x6101, 0x6145,
     AHCI_QUIRK_ANY_CLASS | AHCI_QUIRK_NO_NCQ | AHCI_QUIRK_NO_PRDBC | AHCI_QUIRK_PATA_PORT,
     "Linux, FreeBSD: 88SE61xx"},
    {0x1b21, 0x0611, 0x0612, AHCI_QUIRK_LOST_ERRORS, "FreeBSD: ASM1061 class"},
    {0x1002, 0x4380, 0x4380, AHCI_QUIRK_64_KIB, "SB600; Linux: 255 sectors, FreeBSD: 64 KiB"},
    {0x1106, 0x3349, 0x3349, VT8251, "Linux: VT8251"},
    {0x1106, 0x6287, 0x6287, VT8251, "Linux: VT8251"},
    {0x10de, 0x07f0, 0x07fb, AHCI_QUIRK_NO_FR_CR, "DragonFly: nForce 630i"},
    {0x8086, 0x0000, 0xffff, AHCI_QUIRK_REMAP, "Linux: Rapid Storage remapping"},
};

/* Model and firmware by prefix; "" matches any. `array`: a volume made of several drives. */
static const struct {
    const char *model, *firmware;
    uint32_t sectors_max;
    bool array;
    const char *source;
} drives[] = {
    {"MARVELL Raid VD", "", 8191, true, "Linux: reads of 4 MiB fail on these volumes"},
    {"DELLBOSS VD", "", 8191, true, "Linux: reads of 4 MiB fail on these volumes"},
    {"INTEL SSDSC2KG480G8", "XCV10120", 8191, false, "Linux"},
    {"LITEON CX1-", "", 1024, false, "Linux"},
    {"LITEON EP1-", "", 1024, false, "Linux"},
};

static bool starts_with(const char *string, const char *prefix)
{
    while (*prefix != '\0')
        if (*string++ != *prefix++)
            return false;
    return true;
}

uint32_t ahci_quirks_of(uint16_t vendor_id, uint16_t device_id)
{
    uint32_t flags = 0;

    for (size_t i = 0; i < COUNT_OF(controllers); i++)
        if (controllers[i].vendor == vendor_id && controllers[i].first <= device_id &&
            device_id <= controllers[i].last)
            flags |= controllers[i].flags;
    return flags;
}

uint32_t ahci_quirks_refine(uint32_t quirks, uint32_t cap)
{
    /* The RAID firmware hides port multipliers, the plain one offers them (FreeBSD's rule). Only
     * the plain one reports readiness too early. */
    if ((quirks & AHCI_QUIRK_MARVELL) != 0 && (cap & AHCI_CAP_SPM) == 0)
        return (quirks | AHCI_QUIRK_RAID) & ~(uint32_t)AHCI_QUIRK_EARLY_READY;
    return quirks;
}

uint32_t ahci_quirks_sectors_max(const char *model, const char *firmware)
{
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < COUNT_OF(drives); i++)
        if (starts_with(model, drives[i].model) && starts_with(firmware, drives[i].firmware) &&
            drives[i].sectors_max < least)
            least = drives[i].sectors_max;
    return least;
}

bool ahci_quirks_is_array(const char *model)
{
    for (size_t i = 0; i < COUNT_OF(drives); i++)
        if (drives[i].array && starts_with(model, drives[i].model))
            return true;
    return false;
}

static enum ahci_match refuse(const char **ret_reason, const char *reason)
{
    *ret_reason = reason;
    return AHCI_MATCH_REFUSED;
}

enum ahci_match ahci_match(const struct pci_device *device, const char **ret_reason)
{
    uint32_t quirks = ahci_quirks_of(device->vendor_id, device->device_id);
    bool sata = device->class_base == 0x01 && device->class_sub == 0x06;
    bool ahci = sata && device->prog_if == 0x01;
    bool raid = device->class_base == 0x01 && device->class_sub == 0x04;
    bool known = device->class_base == 0x01 && (quirks & AHCI_QUIRK_ANY_CLASS) != 0;
    /* Behind a 64-bit BAR 4 stands its upper half. */
    bool window = (device->bar[4] & 7) != 4 && (device->bar[5] & 1) == 0 &&
                  (device->bar[5] & ~UINT32_C(0xf)) != 0;

    *ret_reason = "";
    if (device->vendor_id == 0xffff || device->header_type != 0)
        return AHCI_MATCH_NO;
    if ((quirks & AHCI_QUIRK_NOT_AHCI) != 0)
        return ahci ? refuse(ret_reason, "a SAS controller, not AHCI") : AHCI_MATCH_NO;
    if (!ahci && !known && !raid)
        return AHCI_MATCH_NO;
    /* A function in IDE or RAID mode without the window is simply something else. */
    if (!window)
        return ahci ? refuse(ret_reason, "BAR 5 holds no memory address") : AHCI_MATCH_NO;
    if (raid && !known)
        return refuse(ret_reason, "in RAID mode: set the controller to AHCI in firmware setup");
    return AHCI_MATCH_YES;
}
