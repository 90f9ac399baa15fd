/* One port: its registers, its memory, and the state machines of AHCI 1.3.1, section 10. */
#ifndef DRIVERS_AHCI_PORT_H
#define DRIVERS_AHCI_PORT_H

#include "base/status.h"
#include "drivers/ahci/ahci.h"
#include "drivers/ahci/command.h"
#include "drivers/ahci/regs.h"
#include "hw/wait.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The port's DMA memory. The received FIS area has a page of its own, because a port that firmware
 * left in FIS-based switching writes up to 4 KiB there (AHCI 1.3.1, 9.3).
 */
#define AHCI_MEMORY_LIST    0x0000u
#define AHCI_MEMORY_SCRATCH 0x0400u /* 512 bytes for IDENTIFY data and the error log */
#define AHCI_MEMORY_FIS     0x1000u
#define AHCI_MEMORY_TABLES  0x2000u
#define AHCI_MEMORY_BYTES   (AHCI_MEMORY_TABLES + DRIVE_SLOTS_MAX * sizeof(struct ahci_table))

#define AHCI_SCRATCH_BYTES 512u

static inline uint32_t ahci_port_offset(const struct ahci_port *port, uint32_t reg)
{
    return AHCI_PORT_BASE + AHCI_PORT_STRIDE * port->number + reg;
}

static inline uint32_t ahci_port_read(const struct ahci_port *port, uint32_t reg)
{
    return hw_reg_read(&port->controller->window, ahci_port_offset(port, reg));
}

static inline void ahci_port_write(const struct ahci_port *port, uint32_t reg, uint32_t value)
{
    hw_reg_write(&port->controller->window, ahci_port_offset(port, reg), value);
}

/* As ahci_port_read, for registers that never are all ones: STATUS_GONE then, and remembered. */
enum status ahci_port_get(struct ahci_port *port, uint32_t reg, uint32_t *ret_value) MUST_CHECK;

/* Waits for (register & mask) == want, at most `ms`. Remembers a controller that is gone. */
enum status ahci_port_wait(struct ahci_port *port, const struct hw_wait_for *wait,
                           uint32_t ms) MUST_CHECK;

void ahci_port_rest(const struct ahci_port *port, uint32_t ms);

/* Memory of a slot, for the command builder. */
struct ahci_slot ahci_port_slot(const struct ahci_port *port, uint32_t slot);

/* Sectors of the read last prepared in a slot of an identified drive. */
static inline uint32_t ahci_port_slot_sectors(const struct ahci_port *port, uint32_t slot)
{
    return port->slot_bytes[slot] / port->drive.info.logical_bytes;
}

/*
 * Stops the command engine: ST = 0, then CR = 0 (10.1.2). If CR stays, COMRESET is tried; if that
 * does not help either, STATUS_TIMEOUT and port->stuck.
 */
enum status ahci_port_stop(struct ahci_port *port) MUST_CHECK;

/* The same for the FIS receive engine, whose command engine must be stopped. */
enum status ahci_port_stop_receiving(struct ahci_port *port) MUST_CHECK;

/* FRE = 1 (10.3.2), with the rest some chips need. */
enum status ahci_port_start_receiving(struct ahci_port *port) MUST_CHECK;

/* Keeps bits read from PxSERR for the next look at the link, unless they are of our own making. */
void ahci_port_note_errors(struct ahci_port *port, uint32_t serr);

/* Notes and clears PxSERR, then clears PxIS (10.4.1: PCS and PRCS follow PxSERR). */
enum status ahci_port_clear_errors(struct ahci_port *port) MUST_CHECK;

/* Gives a stopped port our memory and the settings of a measurement. */
enum status ahci_port_set_up(struct ahci_port *port) MUST_CHECK;

/* GHC.AE = 1 and GHC.IE = 0 (10.1.2); some controllers take AE only after several writes. */
enum status ahci_controller_enable(struct ahci_controller *controller) MUST_CHECK;

/* Clears the errors and sets ST; the device must be ready and the link up (10.3.1). */
enum status ahci_port_start(struct ahci_port *port) MUST_CHECK;

/* COMRESET (10.4.2) of a port whose command engine is stopped, until the link is up. */
enum status ahci_port_comreset(struct ahci_port *port) MUST_CHECK;

/* COMRESET and what must follow until the engine of the stopped port runs again. */
enum status ahci_port_restart(struct ahci_port *port) MUST_CHECK;

/* Until the device has cleared BSY and DRQ. */
enum status ahci_port_wait_ready(struct ahci_port *port, uint32_t ms) MUST_CHECK;

/*
 * One command that reads AHCI_SCRATCH_BYTES into the scratch memory, alone on the running port.
 * On failure port->drive.fault is filled and the port is NOT restarted: ahci_port_recover does.
 */
enum status ahci_port_fetch(struct ahci_port *port, uint8_t opcode, uint64_t lba,
                            uint32_t ms) MUST_CHECK;

/* The scratch memory, little-endian 16-bit words. */
const uint16_t *ahci_port_scratch(const struct ahci_port *port);

/* recover.c */

/* What was being waited for when it failed, for the fault record. */
struct ahci_failure {
    enum status status; /* of the wait: STATUS_TIMEOUT, STATUS_DEVICE or STATUS_GONE */
    const char *operation;
    uint64_t lba;
    uint32_t sectors; /* 0: not known, as in struct drive_fault */
    uint64_t waited_ticks;
};

/* Fills port->drive.fault with the registers as they are. Voids all outstanding commands. */
enum status ahci_port_record(struct ahci_port *port, const struct ahci_failure *failure);

/*
 * Brings the port back after a recorded fault (6.2.2): engine stopped, errors cleared, COMRESET
 * where needed, reset of the controller where nothing else helps, engine started; fault.recovered
 * says whether it works again. `queued`: slots of the queued commands that failed or became void;
 * the drive then wants its error log read first, which tells the one that failed. After a host bus
 * error the port stays stopped and the controller is marked as unusable: STATUS_DEVICE.
 */
enum status ahci_port_recover(struct ahci_port *port, uint32_t queued);

/* reset.c */

/*
 * Resets the whole controller (10.4.3), the last means against an engine that does not stop, and
 * writes what firmware is meant to write once (CAP, CAP2, PI) again. All engines are stopped then,
 * and no port has its memory. STATUS_TIMEOUT: not this time, because another port has commands
 * under way. STATUS_GONE: it does not come back from it.
 */
enum status ahci_controller_reset(struct ahci_controller *controller,
                                  const struct ahci_port *culprit) MUST_CHECK;

/* Brings all ports back to where they were before the reset. */
enum status ahci_controller_resume(struct ahci_controller *controller) MUST_CHECK;

/* link.c */
void ahci_drive_look(struct drive *drive, struct drive_link *ret_link);

/* read.c */
extern const struct drive_ops ahci_drive_ops;

#endif
