/*
 * What makes one AHCI controller differ from another, as data: its registers as firmware leaves
 * them, and how it behaves. A record of registers from a real machine becomes such a personality
 * by model_registers_set and model_hba_load.
 */
#ifndef TESTS_MODEL_PERSONALITY_H
#define TESTS_MODEL_PERSONALITY_H

#include "tests/model/model.h"

#include <stdbool.h>
#include <stdint.h>

#define MODEL_PORTS 32

/* Time that never comes. */
#define MODEL_NO_TIME UINT64_MAX

/* Registers of a port (AHCI 1.3.1, 3.3). */
struct model_port_registers {
    uint32_t clb, clbu, fb, fbu, is, ie, cmd, tfd, sig, ssts, sctl, serr, sact, ci, sntf, fbs;
    uint32_t devslp;
};

/* Registers of a controller (AHCI 1.3.1, 3.1), and of its ports. */
struct model_registers {
    uint32_t cap, ghc, is, pi, vs, ccc_ctl, ccc_ports, em_loc, em_ctl, cap2, bohc;
    struct model_port_registers ports[MODEL_PORTS];
};

/*
 * Sets a register by its name in the specification: "CAP" to "BOHC" with `port` -1, "PxCLB" to
 * "PxDEVSLP" with the number of a port. False: there is no such register.
 */
bool model_registers_set(struct model_registers *registers, int port, const char *name,
                         uint32_t value);

/* The devices that the registers tell of, one per port: by signature; an ATA disk where a link is
 * up without one. */
void model_registers_disks(const struct model_registers *registers,
                           struct model_disk disks[MODEL_PORTS]);

struct model_chip {
    const char *name;
    uint16_t vendor, device;
    uint32_t window_bytes;
    struct model_registers found;
    bool ports_found; /* found.ports counts; else the ports are as a firmware usually leaves them */

    /* --- the controller --- */
    bool all_ones;          /* every register reads as all ones */
    uint32_t enable_writes; /* of GHC.AE until it sticks */
    uint64_t handoff_ns;    /* from BOHC.OOS until the firmware lets go, busy meanwhile */
    uint32_t untouchable;   /* ports whose registers must not be accessed: not SATA */
    bool console;           /* the last of eight ports must not be written to */
    bool dma_blocked;       /* an IOMMU swallows whatever the controller sends to memory */
    uint32_t vscap, remap;  /* Intel: vendor capabilities, and drives remapped behind this one */

    /* --- the engines --- */
    uint64_t engine_fall_ns; /* until an engine has stopped; 0: a few microseconds */
    bool hides_fr_cr;        /* FR and CR are never set */
    bool fr_sticks;          /* FR falls by a COMRESET only */
    bool cycles_fre;         /* no command runs until FRE has risen after the device was ready */
    uint32_t ccs;            /* what PxCMD.CCS shows */

    /* --- resets --- */
    bool quiet_reset;     /* a reset shows in no error bit and takes no time */
    bool posts_no_fis;    /* the received FIS area is not written after a reset */
    bool early_ready;     /* PxTFD shows ready for a while before it is */
    uint64_t early_ns;    /* ... for so long after the link came up; 0: 10 ms */
    bool busy_sticks;     /* the signature does not clear BSY; CLO does */
    bool sleeps_on;       /* a sleeping link is woken by a COMRESET only */
    uint64_t late_sig_ns; /* from readiness to the signature */

    /* --- commands --- */
    bool completes_errors;      /* a failed command's bit falls as if it had worked */
    bool no_logs;               /* READ LOG EXT is not known */
    bool miscounts;             /* PRDBC stays 0 */
    bool posts_dhrs;            /* PIO data end with a register FIS, too */
    uint32_t command_bytes_max; /* more in one command is a violation; 0: no limit */
};

/* The data of a personality, to be loaded as they are or changed. */
const struct model_chip *model_personality(enum model_personality personality);

/* As model_hba_add. *chip is copied. */
struct model_hba *model_hba_load(const struct model_chip *chip, const struct model_disk *disks,
                                 unsigned count);

#endif
