/* Evidence of a failure, and bringing the port back after it (AHCI 1.3.1, section 6.2.2). */
#include "drivers/ahci/limits.h"
#include "drivers/ahci/port.h"

#include <stddef.h>

/* Registers of the record, in the order they are read: those that may rightly be all ones come
 * first, so that a controller that vanished among them is noticed at the later ones. */
enum {
    CI,
    SACT,
    IS,
    TFD,
    SERR,
    SSTS,
    CMD,
    REGISTERS
};

static const struct {
    const char *name;
    uint32_t offset;
} registers[REGISTERS] = {
    [CI] = {"PxCI", AHCI_PX_CI},       [SACT] = {"PxSACT", AHCI_PX_SACT},
    [IS] = {"PxIS", AHCI_PX_IS},       [TFD] = {"PxTFD", AHCI_PX_TFD},
    [SERR] = {"PxSERR", AHCI_PX_SERR}, [SSTS] = {"PxSSTS", AHCI_PX_SSTS},
    [CMD] = {"PxCMD", AHCI_PX_CMD},
};
_Static_assert(REGISTERS + 1 <= DRIVE_FAULT_REGISTERS, "and GHC");

static void note(struct drive_fault *fault, const char *name, uint32_t value)
{
    fault->registers[fault->register_count].name = name;
    fault->registers[fault->register_count].value = value;
    fault->register_count++;
}

/* The worst thing that can be seen comes first. */
static enum drive_fault_kind classify(enum status status, const uint32_t *values)
{
    uint32_t is = values[IS];

    if ((is & (AHCI_PX_IS_HBFS | AHCI_PX_IS_HBDS)) != 0)
        return DRIVE_FAULT_HOST_BUS;
    if ((values[SSTS] & AHCI_PX_SSTS_DET) != AHCI_PX_SSTS_DET_UP ||
        (is & (AHCI_PX_IS_PRCS | AHCI_PX_IS_PCS)) != 0)
        return DRIVE_FAULT_LINK_LOST;
    if ((is & (AHCI_PX_IS_IFS | AHCI_PX_IS_INFS)) != 0)
        return DRIVE_FAULT_INTERFACE;
    if ((is & (AHCI_PX_IS_OFS | AHCI_PX_IS_UFS)) != 0 || status == STATUS_MISMATCH)
        return DRIVE_FAULT_OVERFLOW;
    if ((is & AHCI_PX_IS_TFES) != 0 || status == STATUS_DEVICE)
        return DRIVE_FAULT_TASK_FILE;
    return DRIVE_FAULT_TIMEOUT;
}

enum status ahci_port_record(struct ahci_port *port, const struct ahci_failure *failure)
{
    struct drive_fault *fault = &port->drive.fault;
    uint32_t values[REGISTERS] = {0};
    bool gone = failure->status == STATUS_GONE || port->controller->gone;

    *fault = (struct drive_fault){.kind = DRIVE_FAULT_GONE,
                                  .operation = failure->operation,
                                  .lba = failure->lba,
                                  .waited_ticks = failure->waited_ticks};
    port->outstanding = 0;
    port->prepared = 0;
    for (unsigned i = 0; i < REGISTERS && !gone; i++) {
        values[i] = ahci_port_read(port, registers[i].offset);
        gone = i >= IS && values[i] == UINT32_MAX;
        note(fault, registers[i].name, values[i]);
    }
    if (!gone) {
        uint32_t ghc = hw_reg_read(&port->controller->window, AHCI_GHC);

        gone = ghc == UINT32_MAX;
        note(fault, "GHC", ghc);
    }
    if (gone) {
        port->controller->gone = true;
        return STATUS_GONE;
    }
    ahci_port_note_errors(port, values[SERR]);
    fault->kind = classify(failure->status, values);
    return fault->kind == DRIVE_FAULT_TIMEOUT ? STATUS_TIMEOUT : STATUS_DEVICE;
}

static enum status reset_and_start(struct ahci_port *port)
{
    enum status status = ahci_port_comreset(port);

    if (status == STATUS_OK)
        status = ahci_port_wait_ready(port, AHCI_LIMIT_READY_AGAIN_MS);
    if (status == STATUS_OK)
        status = ahci_port_start(port);
    return status;
}

/* Whether a plain restart of the engine is enough after this fault (6.2.2.1). */
static bool needs_reset(const struct ahci_port *port)
{
    const struct drive_fault *fault = &port->drive.fault;
    uint32_t tfd = fault->registers[TFD].value;

    if (fault->kind != DRIVE_FAULT_TASK_FILE && fault->kind != DRIVE_FAULT_INTERFACE)
        return true;
    return (tfd & (AHCI_PX_TFD_BSY | AHCI_PX_TFD_DRQ)) != 0;
}

/*
 * After an error in a queue the drive refuses everything until its log page 10h was read
 * (Serial ATA 3.x, 13.6.3; ATA/ATAPI Command Set-4, 9.13). The log names the command that failed.
 */
static enum status read_queued_error(struct ahci_port *port)
{
    struct drive_fault fault = port->drive.fault;
    enum status status = ahci_port_fetch(port, ATA_READ_LOG_EXT, 0x10, AHCI_LIMIT_LOG_MS);
    const uint16_t *log = ahci_port_scratch(port);
    uint32_t tag = log[0] & 0x1fu;
    bool queued = (log[0] & 0x80) == 0;

    /* The record stays that of the read, whatever became of the log. */
    port->drive.fault = fault;
    if (status == STATUS_OK && queued && tag < port->controller->slots)
        port->drive.fault.lba = port->slot_lba[tag];
    return status;
}

enum status ahci_port_recover(struct ahci_port *port, bool queued)
{
    struct drive_fault *fault = &port->drive.fault;
    enum status status;

    port->restarts++;
    status = ahci_port_stop(port);
    if (status != STATUS_OK)
        return status;
    /* Errors are cleared where the engine starts. */
    if (needs_reset(port)) {
        status = reset_and_start(port);
    } else {
        status = ahci_port_start(port);
        if (status == STATUS_OK && queued && fault->kind == DRIVE_FAULT_TASK_FILE)
            status = read_queued_error(port);
        if (status != STATUS_OK && status != STATUS_GONE) {
            if (port->running)
                status = ahci_port_stop(port);
            else
                status = STATUS_OK;
            if (status == STATUS_OK)
                status = reset_and_start(port);
        }
    }
    fault->recovered = status == STATUS_OK;
    return status;
}
