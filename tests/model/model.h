/*
 * A model of the machine below hw/: registers, DMA memory and time, for tests on the host.
 *
 * It implements hw/reg.h, hw/dma.h and the seam of hw/clock.h on virtual time: nothing ever sleeps,
 * each access costs a set number of nanoseconds, and repeated looks at an unchanging machine cost
 * more and more (never past the next event), so that a limit of 30 s is tested in an instant. The
 * AHCI controllers in it are stricter than hardware: whatever the specification calls undefined or
 * forbidden is a violation and ends the test.
 */
#ifndef TESTS_MODEL_MODEL_H
#define TESTS_MODEL_MODEL_H

#include "hw/clock.h"
#include "hw/reg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the machine ---------------------------------------------------------------------------- */

#define MODEL_HZ UINT64_C(2500000000)

/* The clock record that fits the model's ticks. */
extern const struct hw_clock model_clock;

/* Time 0, default costs, no controllers, hooks, faults or DMA memory (left-overs are released). */
void model_reset(void);

struct model_costs {
    uint32_t read_ns;
    uint32_t write_ns;
    uint32_t ticks_ns; /* reading the tick counter */
    uint32_t pause_ns;
};
void model_set_costs(const struct model_costs *costs);

uint64_t model_now_ns(void);
void model_advance_ns(uint64_t ns);

/* What a violation does; the default prints it and aborts. The handler must not return. */
void model_on_violation(void (*handler)(const char *message));
void model_violation(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * I/O ports, and memory windows that no controller of the model covers, for the tests of other
 * rooms. A missing hook is a violation. *hooks is copied; NULL removes them.
 */
struct model_io_hooks {
    uint32_t (*port_read)(void *context, uint16_t port);
    void (*port_write)(void *context, uint16_t port, uint32_t value);
    uint32_t (*reg_read)(void *context, uint64_t address);
    void (*reg_write)(void *context, uint64_t address, uint32_t value);
    void *context;
};
void model_set_io_hooks(const struct model_io_hooks *hooks);

/* --- DMA memory ------------------------------------------------------------------------------ */

/* Allocations not yet freed, and the next allocation number `n` from now (0: the next) that fails.
 */
unsigned model_dma_live(void);
void model_dma_fail_at(unsigned n);
#define MODEL_NEVER UINT32_MAX

/* --- drives ---------------------------------------------------------------------------------- */

enum model_disk_kind {
    MODEL_DISK_NONE,
    MODEL_DISK_ATA,
    MODEL_DISK_ATAPI,
    MODEL_DISK_MULTIPLIER,
    MODEL_DISK_ENCLOSURE,
};

/* In which order a drive answers queued commands. */
enum model_order {
    MODEL_ORDER_FIFO,
    MODEL_ORDER_LIFO,
    MODEL_ORDER_RANDOM,
};

/* What a drive makes of READ LOG EXT after a queued error. */
enum model_log {
    MODEL_LOG_GOOD,
    MODEL_LOG_ABORTED,    /* it knows no logs */
    MODEL_LOG_HANGS,      /* it does not answer */
    MODEL_LOG_BAD_SUM,    /* the page's checksum is wrong */
    MODEL_LOG_BLANK,      /* the page is all zero */
    MODEL_LOG_NOT_QUEUED, /* it says that the command was no queued one */
    MODEL_LOG_WRONG_TAG,  /* it names a command that was not under way */
    MODEL_LOG_WRONG_LBA,  /* it names a sector that the command did not read */
    MODEL_LOGS
};

struct model_disk {
    enum model_disk_kind kind;
    const char *model; /* NULL: a default */
    uint64_t sectors;
    uint32_t logical_bytes;        /* 0: 512 */
    uint32_t physical_per_logical; /* 0: 1 */
    bool no_lba48;
    uint32_t queue_depth; /* 0: no queued commands */
    uint64_t command_ns;  /* from the start of a command's service to its data */
    uint64_t bytes_per_s; /* 0: data take no time */
    enum model_order order;
    uint32_t sectors_max; /* a longer command is aborted by the drive; 0: none is */
    uint64_t jitter_ns;   /* a command takes up to so much longer, at random */
    unsigned batch;       /* up to so many queued commands end at once, at random; 0: one */
    unsigned noise;       /* of 1000 completions, those with MODEL_FAULT_NOISE */
    enum model_log log;
    uint64_t found_ns;   /* until DET is 3 as found; 0: it already is */
    uint64_t link_ns;    /* until DET is 3 after COMRESET */
    uint64_t ready_ns;   /* until BSY is 0 after that */
    uint32_t ssts;       /* as found; 0: active at the highest speed */
    bool busy_as_found;  /* BSY until a COMRESET */
    bool identify_fails; /* IDENTIFY is aborted */
    bool locked;
    uint32_t signature;       /* PxSIG; 0: that of its kind */
    const uint16_t *identify; /* the 256 words it says; NULL: made from what stands above */
};

/* Eight bytes of the content: word `index` of logical sector `lba`. */
uint64_t model_disk_word(uint64_t lba, uint32_t index);

/* Whether `bytes` at `data` are the content from sector `lba` on. */
bool model_disk_matches(const void *data, size_t bytes, uint64_t lba, uint32_t logical_bytes);

/* --- AHCI controllers ------------------------------------------------------------------------ */

enum model_personality {
    MODEL_ICH9_QEMU,     /* as QEMU's ich9-ahci: 6 ports, AE fixed, FRE posts the signature */
    MODEL_88SE9128_HBA,  /* plain firmware: 2 ports, no CLO */
    MODEL_88SE9128_RAID, /* RAID firmware: 8 ports, no FIS posted, console on the last port */
    MODEL_88SE9172,      /* FR and CR are never set, window of 512 bytes */
    MODEL_88SE9230,      /* FRE has to rise once more when the device is ready */
    MODEL_88SE6121,      /* no queued commands, no byte counts, a port that is not SATA */
    MODEL_C216,          /* Intel's, as of 2012 */
    MODEL_ASM1061,       /* failed commands complete, CCS is wrong */
    MODEL_ASM1064,       /* 20 ports of which 16 do not exist, staggered spin-up, device sleep */
    MODEL_SB600,         /* long commands fail */
    MODEL_VT8251,        /* BSY stays set after a reset */
    MODEL_NFORCE,        /* FR and CR are never set */
    MODEL_JMB363,        /* without surprises */
    MODEL_JMB585,        /* the firmware owns it, and takes its time to let go */
    MODEL_JMB585_HELD,   /* the firmware never lets go */
    MODEL_ALL_ONES,      /* every register reads as all ones */
    MODEL_PERSONALITIES
};

const char *model_personality_name(enum model_personality personality);

struct model_hba;

/* Adds a controller as firmware leaves it. Drives are copied; port of disks[i] is i. */
struct model_hba *model_hba_add(enum model_personality personality, const struct model_disk *disks,
                                unsigned count);

struct hw_window model_hba_window(const struct model_hba *hba);
uint16_t model_hba_vendor(const struct model_hba *hba);
uint16_t model_hba_device(const struct model_hba *hba);

/*
 * Overrides a register before the driver comes: CAP, PI, VS, GHC or a port register as found.
 * PxSSTS and PxSERR at any time.
 */
void model_hba_poke(struct model_hba *hba, uint32_t offset, uint32_t value);
uint32_t model_hba_peek(const struct model_hba *hba, uint32_t offset);

/* Register accesses so far; the numbering of faults. */
uint64_t model_hba_accesses(const struct model_hba *hba);

/* Whether any engine of the controller may still reach memory. */
bool model_hba_running(const struct model_hba *hba);

/* Commands of an opcode that were accepted, and the most ever outstanding on one port. */
uint32_t model_hba_commands(const struct model_hba *hba, uint8_t opcode);
uint32_t model_hba_most_outstanding(const struct model_hba *hba);

enum model_fault {
    MODEL_FAULT_NONE,
    MODEL_FAULT_GONE,          /* all registers read as all ones from here on */
    MODEL_FAULT_STUCK_ENGINE,  /* CR and FR fall only when the controller is reset */
    MODEL_FAULT_STUCK_FOREVER, /* ... and that does not help: HR does not fall either */
    MODEL_FAULT_LINK_LOST,     /* the cable is pulled for good */
    MODEL_FAULT_LINK_FLAP,     /* ... or until a COMRESET */
    /* These take the next command: */
    MODEL_FAULT_DROPPED,      /* it never completes */
    MODEL_FAULT_TASK_FILE,    /* it ends with UNC */
    MODEL_FAULT_NOT_FOUND,    /* with IDNF */
    MODEL_FAULT_REFUSED,      /* with ABRT */
    MODEL_FAULT_DEFECT,       /* with DF */
    MODEL_FAULT_GARBLED,      /* with ICRC and ABRT: the drive saw the link fail */
    MODEL_FAULT_INTERFACE,    /* with a fatal interface error: the controller did */
    MODEL_FAULT_HOST_BUS,     /* with a host bus fatal error */
    MODEL_FAULT_HOST_DATA,    /* with a host bus data error */
    MODEL_FAULT_BUSY,         /* it leaves BSY set until a COMRESET */
    MODEL_FAULT_BUSY_FOREVER, /* ... and a COMRESET does not help */
    MODEL_FAULT_SHORT,        /* it transfers fewer bytes than asked for */
    MODEL_FAULT_OVERFLOW,     /* the drive sends more bytes than asked for */
    MODEL_FAULT_UNKNOWN_FIS,  /* the drive sends a FIS of no known type */
    MODEL_FAULT_NOISE,        /* none of this: status bits without a meaning, and it completes */
    MODEL_FAULTS
};

const char *model_fault_name(enum model_fault fault);

/* Lets `fault` happen at register access number `access` (the first is 1), on `port`. */
void model_hba_inject(struct model_hba *hba, enum model_fault fault, unsigned port,
                      uint64_t access);

/* A second one, beside that. */
void model_hba_inject_also(struct model_hba *hba, enum model_fault fault, unsigned port,
                           uint64_t access);

/* Times the controller, and its links, were reset; when the bit of a slot last fell. */
uint32_t model_hba_resets(const struct model_hba *hba);
uint32_t model_hba_comresets(const struct model_hba *hba);
uint64_t model_hba_done_ns(const struct model_hba *hba, unsigned port, unsigned slot);

/* Whether the injected fault (the first of two) has had its effect. */
bool model_hba_fault_hit(const struct model_hba *hba);

#endif
