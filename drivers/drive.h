/*
 * What a drive can do: read. The engine knows drives only by this method table; ahci/, null/ and
 * the tests implement it.
 *
 * A read goes through three steps, so that building it stays outside the timed interval:
 *   prepare   builds the command of one slot in memory (not timed)
 *   start     rings the doorbell for one or more prepared slots; t0 is read just before
 *   await     polls until at least one started slot is complete; t1 is read just after
 */
#ifndef DRIVERS_DRIVE_H
#define DRIVERS_DRIVE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define DRIVE_SLOTS_MAX 32

/* The commands the engine can ask for; never mixed while one is outstanding. */
enum drive_command {
    DRIVE_READ_DMA,    /* READ DMA EXT, or READ DMA on a drive without 48-bit addresses */
    DRIVE_READ_QUEUED, /* READ FPDMA QUEUED */
};

struct drive_read {
    uint64_t lba;
    uint32_t sectors; /* 1 to info.command_sectors_max */
    enum drive_command command;
    uint64_t bus; /* device address of the destination, even; sectors * logical_bytes long */
};

/* Who looks after the zones of a drive that writes in tracks that overlap. */
enum drive_zones {
    DRIVE_ZONES_NONE,           /* it has none, or does not say so */
    DRIVE_ZONES_DEVICE_MANAGED, /* the drive: data may lie elsewhere than their addresses say */
    DRIVE_ZONES_HOST_AWARE,     /* the drive, where the host does not */
    DRIVE_ZONES_HOST_MANAGED,   /* the host: reads of what it has not written fail */
};

/* Facts of a drive (ATA/ATAPI Command Set-4, IDENTIFY DEVICE); by design no serial number, no WWN.
 */
struct drive_info {
    char model[41];
    char firmware[9];
    uint64_t sectors;             /* addressable logical sectors; 0 in standby only */
    uint32_t logical_bytes;       /* bytes of a logical sector: 512 to 4096 */
    uint32_t physical_bytes;      /* of a physical sector */
    uint32_t alignment_sectors;   /* logical sector 0 lies this far into a physical one */
    uint32_t rotation_rpm;        /* 0: not reported; 1: no rotating medium */
    uint32_t queue_depth;         /* slots usable with DRIVE_READ_QUEUED; 0: not offered */
    uint32_t command_sectors_max; /* most sectors one command may carry */
    uint32_t sata_speeds;         /* bit n: the drive can do generation n (word 76, bits 3:1) */
    uint32_t link_speed;          /* current speed of the SATA link: 1, 2, 3; 0: unknown */
    uint32_t link_reported;       /* the same as the drive sees it (word 77, bits 3:1) */
    uint32_t acoustic; /* seeks: 128 (quietest) to 254 (fastest); 0: no such setting in force */
    enum drive_zones zones;
    bool lba48;
    bool checksum_valid;    /* IDENTIFY carries a checksum and it is right */
    bool removable;         /* its medium is */
    bool array;             /* a volume that a RAID firmware makes of several drives */
    bool locked;            /* security locked: reads will fail */
    bool standby;           /* not spun up since power-on: it does not know its size */
    bool starts_in_standby; /* power-up in standby is enabled: it may not be spun up */
    bool look_ahead_known;  /* the drive can read ahead ... */
    bool look_ahead;        /* ... and does */
};

/* Why a drive cannot be measured whatever its reads would do; "": it can. Static. Never NULL. */
const char *drive_refusal(const struct drive_info *info);

/* Name of a kind of zones ("host-aware"); "" for none. Never NULL. */
const char *drive_zones_name(enum drive_zones zones);

/* What was seen when a command or a port failed; kinds follow the classes of AHCI's error model. */
enum drive_fault_kind {
    DRIVE_FAULT_NONE,
    DRIVE_FAULT_TASK_FILE, /* the drive reported an error */
    DRIVE_FAULT_INTERFACE, /* CRC, handshake or protocol on the SATA link */
    DRIVE_FAULT_HOST_BUS,  /* the controller could not reach memory */
    DRIVE_FAULT_OVERFLOW,  /* more or fewer data than the command asked for */
    DRIVE_FAULT_TIMEOUT,
    DRIVE_FAULT_LINK_LOST,
    DRIVE_FAULT_GONE, /* registers read as all ones */
};

#define DRIVE_FAULT_REGISTERS 8

struct drive_fault_register {
    const char *name; /* the specification's name, static */
    uint32_t value;
};

struct drive_fault {
    enum drive_fault_kind kind;
    const char *operation; /* what was attempted, static ("READ FPDMA QUEUED") */
    /*
     * The drive's word for a task-file error, static: "CRC", "UNC" (it cannot read the medium),
     * "IDNF" (or find the sector), "DF" (it is defective), "ABRT" (it refused), "" (none of these).
     * NULL for all other kinds.
     */
    const char *error;
    uint64_t lba;     /* of the command that failed; 0 if the operation has none */
    uint32_t sectors; /* of it; 0: which one failed is not known, and lba is the lowest of all */
    bool error_lba_known;
    uint64_t error_lba; /* first of these sectors that the drive names as the bad one */
    uint64_t waited_ticks;
    bool recovered; /* the port works again */
    uint32_t register_count;
    struct drive_fault_register registers[DRIVE_FAULT_REGISTERS];
};

/* Lower-case name of a fault kind ("task-file error"). Never NULL. */
const char *drive_fault_name(enum drive_fault_kind kind);

/*
 * The SATA link of a drive as its registers stand now. (AHCI 1.3.1, sections 3.3.10 to 3.3.12;
 * Serial ATA 3.1, section 14.) Of a field with a reserved value the meaning is 0.
 */
struct drive_link {
    bool known;        /* false: the drive has no such link (null drive), or it is gone */
    uint8_t speed;     /* generation in force: 1, 2, 3; 0: none (PxSSTS.SPD) */
    uint8_t limit;     /* highest generation allowed by PxSCTL.SPD; 0: no limit */
    uint8_t speed_max; /* of the controller: CAP.ISS */
    uint8_t power;     /* PxSSTS.IPM: 1 active, 2 partial, 6 slumber, 8 DevSleep; 0: none */
    uint32_t status;   /* PxSSTS and PxSCTL as read */
    uint32_t control;
    /*
     * PxSERR bits met since the previous look; the first look: since the command engine was first
     * started, so IDENTIFY is in it. What a reset of the link raises, by the driver's own doing, is
     * not in it, nor is what the firmware left.
     */
    uint32_t errors;
};

struct drive_done {
    uint32_t slots; /* started slots that are now complete */
    uint64_t t1;    /* ticks, read directly after the register that showed it */
};

struct drive;

struct drive_ops {
    /*
     * STATUS_INVALID: slot, length, address or range cannot be; nothing was built. `slot` is below
     * 1 for DRIVE_READ_DMA and below info.queue_depth for DRIVE_READ_QUEUED.
     */
    enum status (*prepare)(struct drive *drive, uint32_t slot, const struct drive_read *read);
    /*
     * Starts the slots of the mask, all prepared and idle; a slot is prepared for one start only.
     * *ret_t0 is read before the doorbell. On a failure other than STATUS_INVALID nothing was
     * started, and drive->fault says why nothing ever will be.
     */
    enum status (*start)(struct drive *drive, uint32_t slots, uint64_t *ret_t0);
    /*
     * Until a slot of the mask completes, at most limit_ticks. On failure *ret_done is not written,
     * drive->fault holds the evidence, all outstanding and prepared slots are void, and the port
     * was restarted if it could be (fault.recovered).
     */
    enum status (*await)(struct drive *drive, uint32_t slots, uint64_t limit_ticks,
                         struct drive_done *ret_done);
    /* Reads the completion register once: the cost of a look, to be timed by the caller. */
    void (*poll)(struct drive *drive);
    /* Allowed at any time, commands under way included; it does not disturb them. */
    void (*look)(struct drive *drive, struct drive_link *ret_link);
};

struct drive {
    const struct drive_ops *ops;
    struct drive_info info;
    struct drive_fault fault; /* of the last failure */
    void *self;               /* the driver's own state */
};

#endif
