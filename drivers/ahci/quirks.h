/* What single controllers and drives do differently: one table each, consulted once. */
#ifndef DRIVERS_AHCI_QUIRKS_H
#define DRIVERS_AHCI_QUIRKS_H

#include "base/bits.h"

#include <stdbool.h>
#include <stdint.h>

enum ahci_quirk {
    AHCI_QUIRK_ANY_CLASS = BIT32(0),   /* AHCI although the class code says IDE or RAID */
    AHCI_QUIRK_NO_FR_CR = BIT32(1),    /* PxCMD.FR and CR mean nothing: rest instead of waiting */
    AHCI_QUIRK_FRE_SETTLE = BIT32(2),  /* rest after FRE is set */
    AHCI_QUIRK_FRE_CYCLE = BIT32(3),   /* FRE off and on before ST */
    AHCI_QUIRK_EARLY_READY = BIT32(4), /* PxTFD looks ready too early after a reset */
    AHCI_QUIRK_RAID = BIT32(5),        /* RAID firmware: last port may be a console, not a drive */
    AHCI_QUIRK_NO_NCQ = BIT32(6),
    AHCI_QUIRK_NO_PRDBC = BIT32(7),    /* the byte count of a command is not to be relied upon */
    AHCI_QUIRK_64_KIB = BIT32(8),      /* at most 64 KiB a command */
    AHCI_QUIRK_LOST_ERRORS = BIT32(9), /* failed commands complete: look at PxIS each time */
    AHCI_QUIRK_PATA_PORT = BIT32(10),  /* the highest implemented port is not SATA */
    AHCI_QUIRK_REMAP = BIT32(11),      /* may hide NVMe drives in its window */
    AHCI_QUIRK_NOT_AHCI = BIT32(12),   /* class code or family suggests AHCI, but it is not */
    AHCI_QUIRK_MARVELL = BIT32(13),    /* 88SE91xx/92xx: firmware personality told by CAP.SPM */
    AHCI_QUIRK_BUSY_STAYS = BIT32(14), /* the signature after a reset leaves BSY set */
};

/* Flags of all table lines that match; 0 for an ordinary controller. */
uint32_t ahci_quirks_of(uint16_t vendor_id, uint16_t device_id);

/* Adds what can only be told from CAP: Marvell's two firmware personalities. */
uint32_t ahci_quirks_refine(uint32_t quirks, uint32_t cap);

/* Most sectors a command may carry on this drive (strings as cleaned); UINT32_MAX: no limit. */
uint32_t ahci_quirks_sectors_max(const char *model, const char *firmware);

/* Whether a drive of this model is a volume that a RAID firmware makes of several drives. */
bool ahci_quirks_is_array(const char *model);

#endif
