/* What the parts of the model know of each other; tests include model.h only. */
#ifndef TESTS_MODEL_INTERNAL_H
#define TESTS_MODEL_INTERNAL_H

#include "tests/model/personality.h"

#define MODEL_HBAS 4

/* --- machine.c --- */
uint64_t model_random(void);

/* --- dma.c --- */

/* CPU address of device memory; a violation, naming `what`, outside of live allocations. */
void *model_dma_at(uint64_t bus, size_t bytes, const char *what);
bool model_dma_covers(uint64_t bus, size_t bytes);
void model_dma_reset(void);

/* --- hba.c --- */

/* A command the controller fetched and the drive has not yet answered. */
struct model_command {
    bool pending;
    uint8_t opcode;
    uint64_t lba;
    uint32_t sectors;
    uint32_t bytes;
    uint64_t sequence; /* order of arrival */
    uint32_t header_bus;
    uint32_t table_bus;
    uint32_t prds;
};

/* A fault that a test has ordered. */
struct model_injected {
    enum model_fault fault;
    unsigned port;
    uint64_t access;
    bool hit;
};

struct model_port {
    struct model_hba *hba;
    unsigned number;
    struct model_disk disk;
    uint32_t clb, clbu, fb, fbu, is, ie, cmd, tfd, sig, ssts, sctl, serr, sact, ci, fbs, devslp;
    uint32_t cmd_fixed; /* bits of PxCMD that cannot be written; not in cmd */
    /* The engines' true state, whatever FR and CR show. */
    bool engine, receiver;
    bool receiver_is_fresh; /* FRE rose after the device had become ready */
    uint64_t engine_falls_at, receiver_falls_at;
    bool halted; /* an error stopped the service of commands until ST = 0 */
    bool ready;  /* the device takes commands */
    bool link_lost;
    uint64_t reset_since; /* DET is 1 since; MODEL_NO_TIME: it is not */
    uint64_t link_at, ready_at, sig_at;
    uint64_t link_since;
    bool fis_waits; /* the signature comes as soon as FRE is set */
    struct model_command commands[32];
    int serving; /* slot, or -1 */
    uint64_t served_at;
    uint64_t sequence;
    bool log_wanted;  /* after a queued error only the log can be read */
    bool holds_queue; /* queued commands were dropped of which the drive still knows */
    uint8_t log[512];
    struct model_injected *armed; /* strikes the next command; NULL: none */
    bool busy_forever;
    uint32_t is_shown, serr_shown; /* bits that a read has told the driver */
    uint64_t lost_at;              /* access at which the cable was pulled */
    uint64_t done_ns[32];          /* when the slot's bit fell */
};

struct model_hba {
    struct model_chip chip;
    uint64_t base;
    uint32_t cap, pi, vs, ghc, is, bohc;
    uint32_t implemented; /* the ports that exist, whatever PI says */
    uint32_t enable_writes;
    uint64_t handoff_at; /* the firmware lets go */
    struct model_port ports[MODEL_PORTS];
    uint64_t accesses;
    struct model_injected injected[2];
    bool stuck;         /* engines do not stop any more ... */
    bool stuck_forever; /* ... and a reset of the controller does not end */
    bool host_error;    /* it could not reach memory: no command may follow */
    uint32_t resets, comresets;
    uint64_t reset_over_at;
    bool once; /* CAP, CAP2 and PI may be written: a reset has cleared them */
    uint32_t cap2, pi_found;
    bool gone;
    bool gone_seen; /* a read has told the driver */
    uint32_t commands[256];
    uint32_t most_outstanding;
};

/* The controller whose window holds the address, or NULL. */
struct model_hba *model_hba_at(uint64_t address);
uint32_t model_hba_read(struct model_hba *hba, uint32_t offset);
void model_hba_write(struct model_hba *hba, uint32_t offset, uint32_t value);
uint64_t model_hba_next_event(void);
bool model_hba_run(uint64_t now); /* true: something happened */
void model_hba_reset(void);
/* A violation if a running engine may still use the memory. */
void model_hba_check_free(uint64_t bus, size_t bytes);

/* Something may have changed the time of the next event. */
void model_hba_changed(void);

/* --- fault.c --- */

/* Status bits without a meaning for a command: SDBS, DPS, IPMS, INFS; recovered link errors. */
#define MODEL_NOISE_IS   0x04800028u
#define MODEL_NOISE_SERR 0x00040003u

void model_hba_count_access(struct model_hba *hba);
void model_port_halt(struct model_port *port, uint32_t is, uint32_t serr);
/* The fault that is armed takes this command. True: it is done with, in one way or another. */
bool model_port_meet_fault(struct model_port *port, unsigned slot);
/* Whether this command will transfer half of its data only. */
bool model_port_is_short(const struct model_port *port, bool queued);

/* --- reset.c --- */
#define MODEL_RESET_NS 900000000u

void model_hba_begin_reset(struct model_hba *hba);
void model_hba_end_reset(struct model_hba *hba);
/* CAP, CAP2 and PI; false: it is another register. */
bool model_hba_write_once(struct model_hba *hba, uint32_t offset, uint32_t value);

/* --- found.c --- */

/* Bits of PxCMD that software may write; CLO and ICC read as 0. */
uint32_t model_port_cmd_writable(const struct model_port *port);

/* The port as firmware leaves it, with a drive or (NULL) none. */
void model_port_found(struct model_port *port, const struct model_disk *disk);
void model_port_poke(struct model_port *port, uint32_t reg, uint32_t value);

/* --- link.c --- */
uint32_t model_port_active_ssts(const struct model_port *port);
void model_port_lose_link(struct model_port *port);
void model_port_pull_cable(struct model_port *port);
bool model_link_is_up(const struct model_port *port);
/* What is due at link_at and ready_at. */
void model_link_comes_up(struct model_port *port);
void model_link_become_ready(struct model_port *port);
/* What software does: PxSCTL; PxCMD.ICC and SUD. */
void model_link_write_sctl(struct model_port *port, uint32_t value);
void model_link_wake(struct model_port *port);
void model_link_spin_up(struct model_port *port, bool on);

/* --- port.c --- */
uint32_t model_port_read(const struct model_port *port, uint32_t reg);
void model_port_write(struct model_port *port, uint32_t reg, uint32_t value);
uint64_t model_port_next(const struct model_port *port);
void model_port_run(struct model_port *port, uint64_t now);

/* --- device.c --- */
void model_port_issue(struct model_port *port, unsigned slot);
void model_port_serve(struct model_port *port);
/* The command being served comes to its end, and perhaps others with it. */
void model_port_complete_some(struct model_port *port);
/* The register FIS that ends an unqueued command; PxTFD holds its status. */
void model_port_post_status(const struct model_port *port, uint64_t lba);
/* `tfd`: the status, and the error register above it. */
void model_port_end_with_error(struct model_port *port, unsigned slot, uint32_t tfd);
void model_port_drop_commands(struct model_port *port);
/* Readiness after a reset, and (later, on some) the signature with the FIS that holds it. */
void model_port_post_signature(struct model_port *port);
void model_port_send_signature(struct model_port *port);

/* --- disk.c --- */
/* `speed` is that of its link. */
void model_disk_identify(const struct model_disk *disk, uint32_t speed, uint8_t *bytes);
void model_disk_read(const struct model_disk *disk, uint64_t lba, void *bytes, size_t count);

#endif
