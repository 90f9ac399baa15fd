/*
 * AHCI controllers: take over, find the drives, read, give back.
 *
 * Order of use: ahci_match, ahci_attach, ahci_port_probe for each implemented port, then the
 * drives, then ahci_detach. Nothing in here touches the command register of configuration space or
 * the firmware's driver: the caller owns those (memory decode is on from before attach until after
 * detach, bus mastering from before the first probe). (AHCI 1.3.1; Serial ATA 3.x; ATA/ATAPI
 * Command Set-4.)
 */
#ifndef DRIVERS_AHCI_AHCI_H
#define DRIVERS_AHCI_AHCI_H

#include "base/status.h"
#include "drivers/drive.h"
#include "hw/clock.h"
#include "hw/dma.h"
#include "hw/reg.h"
#include "pci/device.h"

#include <stdbool.h>
#include <stdint.h>

#define AHCI_PORTS_MAX 32

enum ahci_match {
    AHCI_MATCH_NO, /* not an AHCI controller */
    AHCI_MATCH_YES,
    AHCI_MATCH_REFUSED, /* it may be one, but must be left alone; *ret_reason says why */
};

/* Judges a function by vendor, device and class code. *ret_reason is static text, "" unless
 * refused. */
enum ahci_match ahci_match(const struct pci_device *device, const char **ret_reason);

/* What is attached to a port. */
enum ahci_port_kind {
    AHCI_PORT_ABSENT,      /* not implemented */
    AHCI_PORT_EMPTY,       /* implemented, nothing connected */
    AHCI_PORT_DRIVE,       /* an ATA drive, identified; ahci_port_drive gives it */
    AHCI_PORT_ATAPI,       /* named (drive.info.model, if it answered), not measured */
    AHCI_PORT_MULTIPLIER,  /* port multiplier: not supported */
    AHCI_PORT_ENCLOSURE,   /* enclosure management bridge */
    AHCI_PORT_LINK_DOWN,   /* something is there, but the link does not come up */
    AHCI_PORT_NOT_READY,   /* link is up, the device stays busy */
    AHCI_PORT_NO_IDENTIFY, /* ready, but IDENTIFY DEVICE failed or is not plausible */
    AHCI_PORT_IGNORED,     /* deliberately left alone, see `reason` */
};

/* Short name for people ("drive", "empty", "port multiplier"). Never NULL. */
const char *ahci_port_kind_name(enum ahci_port_kind kind);

/* Registers of a port that are put back at the end, and those kept as evidence. */
struct ahci_port_saved {
    uint32_t clb, clbu, fb, fbu, ie, cmd, sctl; /* restored */
    uint32_t devslp;                            /* restored; only with CAP2.SDS */
    uint32_t is, tfd, sig, ssts, serr;          /* evidence */
};

struct ahci_controller;

struct ahci_port {
    struct ahci_controller *controller;
    uint8_t number;
    enum ahci_port_kind kind;
    const char *reason;           /* one clause why the kind is not a drive; "" otherwise; static */
    struct ahci_port_saved saved; /* as found before the first write */
    uint32_t serr_seen;           /* PxSERR bits met since the previous look at the link */
    uint32_t serr_shown;          /* PxSERR bits that a look has shown and left standing */
    bool settling;                /* PxSERR tells of the firmware or a reset: until ST is set */
    uint32_t restarts;            /* times the engine was restarted after a failure */
    bool taken;                   /* its registers were written by us */
    bool receiving;               /* FRE is set by us */
    bool running;                 /* ST is set by us */
    bool interrupted;             /* running until a reset of the controller stopped it */
    bool stuck;                   /* an engine did not stop: neither it nor its memory is touched */
    bool queued;                  /* PxSACT is in use by the outstanding commands */
    bool plain;                   /* ... and nothing but it tells whether they are complete */
    bool link_suspect;            /* an interface error since the last COMRESET */
    uint32_t prepared;            /* slots with a built command not yet started */
    uint32_t prepared_queued;     /* of these, queued ones */
    uint32_t outstanding;         /* slots started and not yet complete */
    uint64_t slot_lba[DRIVE_SLOTS_MAX];
    uint32_t slot_bytes[DRIVE_SLOTS_MAX];
    struct hw_dma memory;   /* command list, received FIS area, command tables */
    uint16_t identify[256]; /* IDENTIFY DEVICE data, all zero unless kind is AHCI_PORT_DRIVE */
    struct drive drive;
};

struct ahci_controller {
    struct hw_window window; /* ABAR, BAR 5 */
    const struct hw_clock *clock;
    uint16_t vendor_id, device_id;
    uint8_t revision;
    uint32_t quirks;            /* flags of drivers/ahci/quirks.h */
    uint32_t cap, cap2, vs, pi; /* as found; pi is cut to what the window holds */
    uint32_t pi_found;          /* PI as it reads */
    uint32_t ghc_found;         /* GHC before the first write */
    uint32_t slots;             /* command slots, 1 to 32 */
    uint64_t links_on_ticks;    /* when all links were switched on */
    bool ownership_taken;       /* BOHC.OOS was set by us */
    uint32_t bohc_found;        /* BOHC before that, without its status bits */
    bool attached;
    bool gone;       /* all ones, or a reset that does not end: no register is touched any more */
    bool unusable;   /* it could not reach memory: no command is sent any more, to any drive */
    uint32_t resets; /* of the whole controller, because an engine did not stop */
    /* Set by the caller before ahci_detach, in an emergency: each wait gets 100 ms at most. */
    bool emergency;
    struct ahci_port ports[AHCI_PORTS_MAX];
};

struct ahci_attach_info {
    struct hw_window window;
    const struct hw_clock *clock; /* must outlive the controller; calibrated */
    uint16_t vendor_id, device_id;
    uint8_t revision;
};

/*
 * Saves every register, enables AHCI mode, stops the ports, gives each its own memory, and switches
 * interrupts off. *controller is the caller's (large) memory, filled from scratch.
 * On failure everything written so far is put back and *ret_reason (static text) says what stood
 * in the way.
 */
enum status ahci_attach(struct ahci_controller *controller, const struct ahci_attach_info *info,
                        const char **ret_reason) MUST_CHECK;

/*
 * Finds out what is attached to an implemented port and identifies a drive; fills port->kind,
 * reason and drive. May take as long as a disk needs to spin up (limits.h). Only a dead controller
 * is a failure (STATUS_GONE); anything else is a kind of port.
 */
enum status ahci_port_probe(struct ahci_controller *controller, unsigned port) MUST_CHECK;

/* The drive of a port whose kind is AHCI_PORT_DRIVE, else NULL. Valid until ahci_detach. */
struct drive *ahci_port_drive(struct ahci_controller *controller, unsigned port);

/* What was given back, for the result. */
struct ahci_restored {
    uint32_t ports_restored; /* mask: every saved register reads back as found */
    uint32_t ports_differ;   /* mask: something reads differently, see `reason` */
    bool memory_abandoned;   /* an engine did not stop: its memory is never freed */
    const char *reason;      /* "" or static text */
};

/*
 * Stops all engines, puts the registers back in reverse order, frees the memory. Never fails
 * half-way: it does what can still be done and says what could not.
 */
void ahci_detach(struct ahci_controller *controller, struct ahci_restored *ret_restored);

#endif
