/*
 * The measured path: a drive's method table.
 *
 * Register accesses cost about a microsecond each and are all that a command costs here, so they
 * are counted: start writes PxSACT (queued commands only) and PxCI, once for any number of slots;
 * await reads one register per turn and nothing else. What is left out, and why that is safe:
 *   - PxIS is not cleared per command. Nothing waits for its completion bits, and its error bits
 *     are cleared when the engine starts; after any of them the engine is started anew.
 *   - PxIS is not read after a completion. A command that failed keeps its bit in PxCI or PxSACT
 *     (AHCI 1.3.1, 5.3.8 and 6.2.2), so that a failure never looks like a completion. Controllers
 *     known to break that rule are looked at every time (AHCI_QUIRK_LOST_ERRORS).
 *   - PxCI is not read for queued commands: the drive clears its bit before it may clear PxSACT.
 */
#include "drivers/ahci/limits.h"
#include "drivers/ahci/port.h"
#include "drivers/ahci/quirks.h"
#include "hw/wait.h"

#include <stddef.h>

/* Kept out of the functions that call it, so that they need not save registers for it. */
#define NOINLINE __attribute__((noinline))

static struct ahci_port *port_of(struct drive *drive)
{
    return drive->self;
}

static bool is_readable(const struct ahci_port *port, uint32_t slot, const struct drive_read *read)
{
    const struct drive_info *info = &port->drive.info;
    bool queued = read->command == DRIVE_READ_QUEUED;

    if (slot >= (queued ? info->queue_depth : 1) || (port->outstanding >> slot & 1) != 0)
        return false;
    if (read->sectors == 0 || read->sectors > info->command_sectors_max)
        return false;
    return read->lba < info->sectors && read->sectors <= info->sectors - read->lba;
}

static enum status prepare(struct drive *drive, uint32_t slot, const struct drive_read *read)
{
    struct ahci_port *port = port_of(drive);
    bool queued = read->command == DRIVE_READ_QUEUED;
    struct ahci_command command = {.lba = read->lba, .count = read->sectors, .bus = read->bus};
    struct ahci_slot memory;
    enum status status;

    if (!is_readable(port, slot, read))
        return STATUS_INVALID;
    memory = ahci_port_slot(port, slot);
    command.opcode = ATA_READ_DMA;
    if (drive->info.lba48)
        command.opcode = ATA_READ_DMA_EXT;
    if (queued) {
        command.opcode = ATA_READ_FPDMA_QUEUED;
        command.tag = (uint8_t)slot;
    }
    command.bytes = read->sectors * drive->info.logical_bytes;
    status = ahci_command_build(&memory, &command);
    if (status != STATUS_OK)
        return status;
    port->slot_lba[slot] = read->lba;
    port->slot_bytes[slot] = command.bytes;
    port->prepared |= BIT32(slot);
    port->prepared_queued &= ~BIT32(slot);
    if (queued)
        port->prepared_queued |= BIT32(slot);
    return STATUS_OK;
}

static const char *operation_name(const struct ahci_port *port)
{
    if (port->queued)
        return ahci_command_name(ATA_READ_FPDMA_QUEUED);
    return ahci_command_name(port->drive.info.lba48 ? ATA_READ_DMA_EXT : ATA_READ_DMA);
}

/* Nothing can be started any more, because of what happened before. */
static enum status refuse(struct ahci_port *port, enum status status, enum drive_fault_kind kind)
{
    port->drive.fault = (struct drive_fault){.kind = kind, .operation = operation_name(port)};
    return status;
}

/* The record says why already, unless the controller was reset for the sake of another port. */
static enum status refuse_stopped(struct ahci_port *port)
{
    const struct drive_fault *fault = &port->drive.fault;

    if (fault->kind != DRIVE_FAULT_NONE && !fault->recovered)
        return STATUS_DEVICE;
    return refuse(port, STATUS_DEVICE, DRIVE_FAULT_LINK_LOST);
}

static enum status start(struct drive *drive, uint32_t slots, uint64_t *ret_t0)
{
    struct ahci_port *port = port_of(drive);
    bool queued = (port->prepared_queued & slots) != 0;
    uint64_t t0;

    if (port->controller->gone)
        return refuse(port, STATUS_GONE, DRIVE_FAULT_GONE);
    if (port->controller->unusable)
        return refuse(port, STATUS_DEVICE, DRIVE_FAULT_HOST_BUS);
    if (slots == 0 || (slots & ~port->prepared) != 0)
        return STATUS_INVALID;
    if (!port->running || port->stuck)
        return refuse_stopped(port);
    /* Queued and other commands are never outstanding together (Serial ATA 3.x, 13.6.4). */
    if (queued && (slots & ~port->prepared_queued) != 0)
        return STATUS_INVALID;
    if (port->outstanding != 0 && (!queued || !port->queued))
        return STATUS_INVALID;

    port->queued = queued;
    port->plain = queued && (port->controller->quirks & AHCI_QUIRK_LOST_ERRORS) == 0;
    port->prepared &= ~slots;
    port->outstanding |= slots;
    hw_dma_barrier();
    /* PxSACT for an unqueued command hangs some controllers; a 0 in PxCI and PxSACT changes
     * nothing, so only the new bits are written. */
    if (queued)
        ahci_port_write(port, AHCI_PX_SACT, slots);
    t0 = hw_ticks();
    ahci_port_write(port, AHCI_PX_CI, slots);
    *ret_t0 = t0;
    return STATUS_OK;
}

static uint64_t lowest_lba(const struct ahci_port *port, uint32_t slots)
{
    uint64_t lowest = UINT64_MAX;

    for (unsigned slot = 0; slot < DRIVE_SLOTS_MAX; slot++)
        if ((slots >> slot & 1) != 0 && port->slot_lba[slot] < lowest)
            lowest = port->slot_lba[slot];
    return lowest;
}

/* Records, recovers, and gives the status of the failure itself unless the controller went. */
static enum status fail(struct ahci_port *port, enum status status, uint64_t waited_ticks)
{
    struct drive_fault *fault = &port->drive.fault;
    uint32_t slots = port->outstanding;
    struct ahci_failure failure = {.status = status,
                                   .operation = operation_name(port),
                                   .lba = lowest_lba(port, slots),
                                   .waited_ticks = waited_ticks};
    enum status after;

    /* One alone must be the one. */
    if ((slots & (slots - 1)) == 0)
        failure.sectors = ahci_port_slot_sectors(port, (uint32_t)__builtin_ctz(slots));
    status = ahci_port_record(port, &failure);
    if (status == STATUS_GONE)
        return status;
    after = ahci_port_recover(port, port->queued ? slots : 0);
    /* A controller or a drive that once moved a wrong amount of data is not used any more. */
    if (after == STATUS_OK && fault->kind == DRIVE_FAULT_OVERFLOW) {
        fault->recovered = false;
        after = ahci_port_stop(port);
    }
    if (after != STATUS_GONE)
        return status;
    fault->kind = DRIVE_FAULT_GONE;
    fault->error = NULL;
    fault->recovered = false;
    return STATUS_GONE;
}

/* What can be wrong with a command whose bit fell; costs no register access on most controllers. */
static enum status check_done(struct ahci_port *port, uint32_t done)
{
    uint32_t quirks = port->controller->quirks;
    uint32_t is;

    if ((quirks & AHCI_QUIRK_LOST_ERRORS) != 0) {
        is = ahci_port_read(port, AHCI_PX_IS);
        if (is == UINT32_MAX)
            return STATUS_GONE;
        if ((is & AHCI_PX_IS_FATAL) != 0)
            return STATUS_DEVICE;
    }
    /* The byte count is defined for unqueued commands only (AHCI 1.3.1, 5.4.1). */
    if (!port->queued && (quirks & AHCI_QUIRK_NO_PRDBC) == 0 && done == 1 &&
        ahci_port_slot(port, 0).header->prdbc != port->slot_bytes[0])
        return STATUS_MISMATCH;
    return STATUS_OK;
}

/* Until a command of `bits` completes, whatever its kind. */
static NOINLINE enum status await_long(struct ahci_port *port, uint32_t bits, uint64_t limit_ticks,
                                       struct drive_done *ret_done)
{
    const struct hw_wait_fall wait = {
        .offset = ahci_port_offset(port, port->queued ? AHCI_PX_SACT : AHCI_PX_CI),
        .bits = bits,
        .alarm_offset = ahci_port_offset(port, AHCI_PX_IS),
        .alarm_mask = AHCI_PX_IS_FATAL,
    };
    struct hw_wait_fallen fallen;
    uint64_t from = hw_ticks();
    uint32_t done;
    enum status status = hw_wait_fall(&port->controller->window, &wait, limit_ticks, &fallen);

    done = ~fallen.value & bits;
    if (status == STATUS_OK)
        status = check_done(port, done);
    if (status != STATUS_OK)
        return fail(port, status, fallen.ticks - from);
    port->outstanding &= ~done;
    ret_done->slots = done;
    ret_done->t1 = fallen.ticks;
    return STATUS_OK;
}

static enum status await(struct drive *drive, uint32_t slots, uint64_t limit_ticks,
                         struct drive_done *ret_done)
{
    struct ahci_port *port = port_of(drive);
    uint32_t bits = slots & port->outstanding;
    uint32_t done;

    if (bits == 0)
        return STATUS_INVALID;
    if (!port->plain)
        return await_long(port, bits, limit_ticks, ret_done);
    /* At depth the next one is mostly there already. */
    done = ~ahci_port_read(port, AHCI_PX_SACT) & bits;
    if (done == 0)
        return await_long(port, bits, limit_ticks, ret_done);
    ret_done->t1 = hw_ticks();
    ret_done->slots = done;
    port->outstanding &= ~done;
    return STATUS_OK;
}

static void poll(struct drive *drive)
{
    struct ahci_port *port = port_of(drive);

    if (!port->controller->gone)
        (void)ahci_port_read(port, drive->info.queue_depth > 0 ? AHCI_PX_SACT : AHCI_PX_CI);
}

const struct drive_ops ahci_drive_ops = {
    .prepare = prepare,
    .start = start,
    .await = await,
    .poll = poll,
    .look = ahci_drive_look,
};
