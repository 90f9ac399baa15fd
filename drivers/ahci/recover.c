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

/* Looked up in this order: a garbled transfer is aborted, too. */
static const struct {
    uint32_t mask; /* of PxTFD */
    const char *word;
} errors[] = {
    {ATA_ERROR_ICRC << 8, "CRC"}, {ATA_ERROR_UNC << 8, "UNC"},   {ATA_ERROR_IDNF << 8, "IDNF"},
    {AHCI_PX_TFD_DF, "DF"},       {ATA_ERROR_ABRT << 8, "ABRT"},
};

static const char *error_word(uint32_t tfd)
{
    for (unsigned i = 0; i < COUNT_OF(errors); i++)
        if ((tfd & errors[i].mask) != 0)
            return errors[i].word;
    return "";
}

/*
 * An error that a drive reports is the link's if the drive says so, or if it gives no other reason
 * and the link had errors. One of the medium never is: it would be read again.
 */
static bool is_of_link(const uint32_t *values)
{
    uint32_t error = base_field(values[TFD], AHCI_PX_TFD_ERROR);
    bool garbled = (values[IS] & AHCI_PX_IS_INFS) != 0 || (values[SERR] & AHCI_PX_SERR_LINK) != 0;

    if ((error & ATA_ERROR_ICRC) != 0)
        return true;
    if ((error & (ATA_ERROR_UNC | ATA_ERROR_IDNF)) != 0 || (values[TFD] & AHCI_PX_TFD_DF) != 0)
        return false;
    return (values[IS] & AHCI_PX_IS_IFS) != 0 || garbled;
}

/*
 * The worst thing that can be seen comes first. INFS alone decides nothing: it stays from a
 * transfer that was repeated and succeeded.
 */
static enum drive_fault_kind classify(enum status status, const uint32_t *values)
{
    uint32_t is = values[IS];

    if ((is & (AHCI_PX_IS_HBFS | AHCI_PX_IS_HBDS)) != 0)
        return DRIVE_FAULT_HOST_BUS;
    if ((values[SSTS] & AHCI_PX_SSTS_DET) != AHCI_PX_SSTS_DET_UP ||
        (is & (AHCI_PX_IS_PRCS | AHCI_PX_IS_PCS)) != 0)
        return DRIVE_FAULT_LINK_LOST;
    if ((is & AHCI_PX_IS_TFES) != 0)
        return is_of_link(values) ? DRIVE_FAULT_INTERFACE : DRIVE_FAULT_TASK_FILE;
    if ((is & AHCI_PX_IS_IFS) != 0)
        return DRIVE_FAULT_INTERFACE;
    if ((is & (AHCI_PX_IS_OFS | AHCI_PX_IS_UFS)) != 0 || status == STATUS_MISMATCH)
        return DRIVE_FAULT_OVERFLOW;
    return status == STATUS_DEVICE ? DRIVE_FAULT_TASK_FILE : DRIVE_FAULT_TIMEOUT;
}

static uint64_t lba_of(const uint8_t *low, const uint8_t *high)
{
    return low[0] | (uint64_t)low[1] << 8 | (uint64_t)low[2] << 16 | (uint64_t)high[0] << 24 |
           (uint64_t)high[1] << 32 | (uint64_t)high[2] << 40;
}

/* Believes a place that a drive names only if the command went there. */
static void note_error_lba(struct drive_fault *fault, uint64_t lba)
{
    fault->error_lba_known = lba >= fault->lba && lba - fault->lba < fault->sectors;
    fault->error_lba = fault->error_lba_known ? lba : 0;
}

/* The FIS by which the drive reported the error of an unqueued command, if this is it. */
static void read_error_fis(struct ahci_port *port, uint32_t tfd)
{
    const uint8_t *memory = port->memory.cpu;
    const uint8_t *fis = memory + AHCI_MEMORY_FIS + AHCI_RFIS_D2H;
    uint8_t high[3] = {fis[AHCI_FIS_DEVICE] & 0xf};
    bool lba48 = port->drive.info.lba48;

    if (fis[AHCI_FIS_TYPE] == AHCI_FIS_TYPE_D2H &&
        (fis[AHCI_FIS_COMMAND] | (uint32_t)fis[AHCI_FIS_FEATURES] << 8) == (tfd & 0xffff))
        note_error_lba(&port->drive.fault,
                       lba_of(fis + AHCI_FIS_LBA, lba48 ? fis + AHCI_FIS_LBA_EXP : high));
}

enum status ahci_port_record(struct ahci_port *port, const struct ahci_failure *failure)
{
    struct drive_fault *fault = &port->drive.fault;
    uint32_t values[REGISTERS] = {0};
    bool gone = failure->status == STATUS_GONE || port->controller->gone;

    *fault = (struct drive_fault){.kind = DRIVE_FAULT_GONE,
                                  .operation = failure->operation,
                                  .lba = failure->lba,
                                  .sectors = failure->sectors,
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
    if (fault->kind == DRIVE_FAULT_HOST_BUS)
        port->controller->unusable = true;
    if (fault->kind == DRIVE_FAULT_TASK_FILE) {
        fault->error = error_word(values[TFD]);
        if (!port->queued)
            read_error_fis(port, values[TFD]);
    }
    return fault->kind == DRIVE_FAULT_TIMEOUT ? STATUS_TIMEOUT : STATUS_DEVICE;
}

enum status ahci_port_restart(struct ahci_port *port)
{
    enum status status = ahci_port_comreset(port);

    if (status == STATUS_OK)
        status = ahci_port_wait_ready(port, AHCI_LIMIT_READY_AGAIN_MS);
    if (status == STATUS_OK)
        status = ahci_port_start(port);
    return status;
}

/*
 * Whether a plain restart of the engine is not enough after this fault (6.2.2). A drive that did
 * not itself end its queue still holds the other commands, and would answer them.
 */
static bool needs_reset(const struct ahci_port *port, uint32_t queued)
{
    const struct drive_fault *fault = &port->drive.fault;
    uint32_t tfd = fault->registers[TFD].value;

    if ((tfd & (AHCI_PX_TFD_BSY | AHCI_PX_TFD_DRQ)) != 0)
        return true;
    if (fault->kind == DRIVE_FAULT_INTERFACE)
        return port->link_suspect || queued != 0;
    return fault->kind != DRIVE_FAULT_TASK_FILE;
}

static void judge_log(struct ahci_port *port, uint32_t queued)
{
    const uint8_t *log = (const uint8_t *)ahci_port_scratch(port);
    struct drive_fault *fault = &port->drive.fault;
    uint32_t tag = log[ATA_LOG_10_TAG] & ATA_LOG_10_TAG_MASK;
    uint8_t sum = 0;

    for (unsigned i = 0; i < AHCI_SCRATCH_BYTES; i++)
        sum = (uint8_t)(sum + log[i]);
    if (sum != 0 || (log[ATA_LOG_10_STATUS] & AHCI_PX_TFD_ERR) == 0)
        return;
    if ((log[ATA_LOG_10_TAG] & ATA_LOG_10_NQ) != 0 || (queued >> tag & 1) == 0)
        return;
    fault->lba = port->slot_lba[tag];
    fault->sectors = ahci_port_slot_sectors(port, tag);
    fault->error = error_word(log[ATA_LOG_10_STATUS] | (uint32_t)log[ATA_LOG_10_ERROR] << 8);
    note_error_lba(fault, lba_of(log + ATA_LOG_10_LBA, log + ATA_LOG_10_LBA_EXP));
}

/*
 * After an error in a queue the drive refuses everything until its log page 10h was read
 * (Serial ATA 3.x, 13.6.3; ATA/ATAPI Command Set-4, 9.13). The log names the command that failed.
 */
static enum status read_queued_error(struct ahci_port *port, uint32_t queued)
{
    struct drive_fault fault = port->drive.fault;
    enum status status =
        ahci_port_fetch(port, ATA_READ_LOG_EXT, ATA_LOG_QUEUED_ERROR, AHCI_LIMIT_LOG_MS);

    /* Not so after a host bus error, the record stays that of the read. */
    if (!port->controller->unusable)
        port->drive.fault = fault;
    if (status == STATUS_OK)
        judge_log(port, queued);
    return status;
}

static enum status restart_engine(struct ahci_port *port, uint32_t queued)
{
    enum status status = ahci_port_start(port);

    port->link_suspect = port->link_suspect || port->drive.fault.kind == DRIVE_FAULT_INTERFACE;
    if (status == STATUS_OK && queued != 0 && port->drive.fault.kind == DRIVE_FAULT_TASK_FILE)
        status = read_queued_error(port, queued);
    return status;
}

static enum status bring_back(struct ahci_port *port, uint32_t queued)
{
    struct ahci_controller *controller = port->controller;
    enum status status = ahci_port_stop(port);

    /* Errors are cleared where the engine starts. */
    if (status == STATUS_OK && !controller->unusable && !needs_reset(port, queued)) {
        status = restart_engine(port, queued);
        if (status == STATUS_OK || status == STATUS_GONE)
            return status;
        status = ahci_port_stop(port);
    }
    if (status == STATUS_OK && controller->unusable) {
        status = ahci_port_clear_errors(port);
        return status == STATUS_OK ? STATUS_DEVICE : status;
    }
    if (status == STATUS_OK)
        return ahci_port_restart(port);
    if (status != STATUS_TIMEOUT)
        return status;
    status = ahci_controller_reset(controller, port);
    if (status == STATUS_OK && !controller->unusable)
        status = ahci_controller_resume(controller);
    return status == STATUS_OK && !port->running ? STATUS_DEVICE : status;
}

enum status ahci_port_recover(struct ahci_port *port, uint32_t queued)
{
    enum status status;

    port->restarts++;
    status = bring_back(port, queued);
    port->drive.fault.recovered = status == STATUS_OK;
    return status;
}
