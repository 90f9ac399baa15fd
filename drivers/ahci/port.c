/* Engines, link and single commands of one port. */
#include "drivers/ahci/port.h"

#include "drivers/ahci/limits.h"
#include "drivers/ahci/quirks.h"
#include "hw/wait.h"

#include <stddef.h>

static uint64_t ticks_of(const struct ahci_port *port, uint32_t ms)
{
    return hw_clock_ticks(port->controller->clock, ms * UINT64_C(1000000));
}

static bool has_quirk(const struct ahci_port *port, enum ahci_quirk quirk)
{
    return (port->controller->quirks & (uint32_t)quirk) != 0;
}

enum status ahci_port_get(struct ahci_port *port, uint32_t reg, uint32_t *ret_value)
{
    uint32_t value;

    if (port->controller->gone)
        return STATUS_GONE;
    value = ahci_port_read(port, reg);
    if (value == UINT32_MAX) {
        port->controller->gone = true;
        return STATUS_GONE;
    }
    *ret_value = value;
    return STATUS_OK;
}

enum status ahci_port_wait(struct ahci_port *port, const struct hw_wait_for *wait, uint32_t ms)
{
    struct hw_wait_for there = *wait;
    enum status status;

    if (port->controller->gone)
        return STATUS_GONE;
    if (port->controller->emergency && ms > AHCI_LIMIT_EMERGENCY_MS)
        ms = AHCI_LIMIT_EMERGENCY_MS;
    there.offset = ahci_port_offset(port, wait->offset);
    status = hw_wait_reg(&port->controller->window, &there, ticks_of(port, ms), NULL);
    if (status == STATUS_GONE)
        port->controller->gone = true;
    return status;
}

void ahci_port_rest(const struct ahci_port *port, uint32_t ms)
{
    hw_wait_ticks(ticks_of(port, ms));
}

struct ahci_slot ahci_port_slot(const struct ahci_port *port, uint32_t slot)
{
    uint8_t *memory = port->memory.cpu;

    return (struct ahci_slot){
        .header = (struct ahci_header *)(void *)(memory + AHCI_MEMORY_LIST) + slot,
        .table = (struct ahci_table *)(void *)(memory + AHCI_MEMORY_TABLES) + slot,
        .table_bus =
            (uint32_t)(port->memory.bus + AHCI_MEMORY_TABLES + slot * sizeof(struct ahci_table)),
    };
}

const uint16_t *ahci_port_scratch(const struct ahci_port *port)
{
    const uint8_t *memory = port->memory.cpu;

    return (const uint16_t *)(const void *)(memory + AHCI_MEMORY_SCRATCH);
}

/* Writes PxCMD with some bits changed; states and commands in it are never written back. */
static enum status change_cmd(struct ahci_port *port, uint32_t clear, uint32_t set)
{
    uint32_t keep = AHCI_PX_CMD_SETTINGS | AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE;
    uint32_t cmd;
    enum status status = ahci_port_get(port, AHCI_PX_CMD, &cmd);

    if (status == STATUS_OK)
        ahci_port_write(port, AHCI_PX_CMD, (cmd & keep & ~clear) | set);
    return status;
}

/* Clears an engine's run bit and waits for its state bit to follow. */
static enum status halt(struct ahci_port *port, uint32_t run, uint32_t state)
{
    const struct hw_wait_for stopped = {.offset = AHCI_PX_CMD, .mask = state, .want = 0};
    enum status status = change_cmd(port, run, 0);

    if (status != STATUS_OK)
        return status;
    if (!has_quirk(port, AHCI_QUIRK_NO_FR_CR))
        return ahci_port_wait(port, &stopped, AHCI_LIMIT_ENGINE_MS);
    /* The state bits mean nothing here; a rest has to do. But a controller that vanished meanwhile
     * may not have heard of it. */
    ahci_port_rest(port, AHCI_LIMIT_SETTLE_MS);
    return ahci_port_get(port, AHCI_PX_CMD, &(uint32_t){0});
}

static enum status assert_comreset(struct ahci_port *port)
{
    uint32_t sctl;
    enum status status = ahci_port_get(port, AHCI_PX_SCTL, &sctl);

    if (status != STATUS_OK)
        return status;
    port->settling = true;
    sctl &= AHCI_PX_SCTL_SPD | AHCI_PX_SCTL_IPM;
    ahci_port_write(port, AHCI_PX_SCTL, sctl | AHCI_PX_SCTL_DET_RESET);
    ahci_port_rest(port, AHCI_LIMIT_COMRESET_MS);
    /* Gone in the meantime? Then no register is written any more. */
    status = ahci_port_get(port, AHCI_PX_SCTL, &(uint32_t){0});
    if (status == STATUS_OK)
        ahci_port_write(port, AHCI_PX_SCTL, sctl);
    return status;
}

/* `state` is CR or FR. A reset of the link is the last means to stop an engine that does not. */
static enum status halt_for_certain(struct ahci_port *port, uint32_t run, uint32_t state)
{
    const struct hw_wait_for stopped = {.offset = AHCI_PX_CMD, .mask = state, .want = 0};
    enum status status = halt(port, run, state);

    if (status == STATUS_TIMEOUT) {
        status = assert_comreset(port);
        if (status == STATUS_OK)
            status = ahci_port_wait(port, &stopped, AHCI_LIMIT_ENGINE_MS);
        if (status == STATUS_TIMEOUT)
            port->stuck = true;
    }
    return status;
}

enum status ahci_port_stop(struct ahci_port *port)
{
    enum status status = halt_for_certain(port, AHCI_PX_CMD_ST, AHCI_PX_CMD_CR);

    if (status == STATUS_OK)
        port->running = false;
    return status;
}

enum status ahci_port_stop_receiving(struct ahci_port *port)
{
    enum status status = halt_for_certain(port, AHCI_PX_CMD_FRE, AHCI_PX_CMD_FR);

    if (status == STATUS_OK)
        port->receiving = false;
    return status;
}

enum status ahci_port_start_receiving(struct ahci_port *port)
{
    enum status status = change_cmd(port, 0, AHCI_PX_CMD_FRE | AHCI_PX_CMD_SUD);

    /* FR is not waited for: some chips never show it, and nothing depends on it. */
    if (status != STATUS_OK)
        return status;
    port->receiving = true;
    if (has_quirk(port, AHCI_QUIRK_FRE_SETTLE))
        ahci_port_rest(port, AHCI_LIMIT_SETTLE_MS);
    return STATUS_OK;
}

void ahci_port_note_errors(struct ahci_port *port, uint32_t serr)
{
    if (!port->settling)
        port->serr_seen |= serr & ~port->serr_shown;
}

enum status ahci_port_clear_errors(struct ahci_port *port)
{
    uint32_t value;
    enum status status = ahci_port_get(port, AHCI_PX_SERR, &value);

    if (status != STATUS_OK)
        return status;
    ahci_port_note_errors(port, value);
    port->serr_shown = 0;
    ahci_port_write(port, AHCI_PX_SERR, value);
    status = ahci_port_get(port, AHCI_PX_IS, &value);
    if (status == STATUS_OK)
        ahci_port_write(port, AHCI_PX_IS, value);
    return status;
}

enum status ahci_port_start(struct ahci_port *port)
{
    uint32_t ssts = 0, tfd = 0;
    uint8_t *memory = port->memory.cpu;
    enum status status = STATUS_OK;

    /* What an earlier command left must not pass for the word on a later one. */
    memory[AHCI_MEMORY_FIS + AHCI_RFIS_D2H + AHCI_FIS_TYPE] = 0;
    if (has_quirk(port, AHCI_QUIRK_FRE_CYCLE)) {
        status = ahci_port_stop_receiving(port);
        if (status == STATUS_OK)
            status = ahci_port_start_receiving(port);
    }
    if (status == STATUS_OK)
        status = ahci_port_clear_errors(port);
    if (status == STATUS_OK)
        status = ahci_port_get(port, AHCI_PX_SSTS, &ssts);
    if (status == STATUS_OK)
        status = ahci_port_get(port, AHCI_PX_TFD, &tfd);
    if (status != STATUS_OK)
        return status;
    if ((ssts & AHCI_PX_SSTS_DET) != AHCI_PX_SSTS_DET_UP ||
        (tfd & (AHCI_PX_TFD_BSY | AHCI_PX_TFD_DRQ)) != 0)
        return STATUS_DEVICE;
    port->settling = false;
    status = change_cmd(port, 0, AHCI_PX_CMD_ST);
    if (status == STATUS_OK)
        port->running = true;
    return status;
}

enum status ahci_port_comreset(struct ahci_port *port)
{
    const struct hw_wait_for up = {
        .offset = AHCI_PX_SSTS, .mask = AHCI_PX_SSTS_DET, .want = AHCI_PX_SSTS_DET_UP};
    uint8_t *memory = port->memory.cpu;
    enum status status;

    /* Busy until a FIS says otherwise: an old status cannot be taken for a new one. */
    memory[AHCI_MEMORY_FIS + AHCI_RFIS_D2H_STATUS] = AHCI_PX_TFD_BSY;
    hw_dma_barrier();
    status = assert_comreset(port);
    if (status == STATUS_OK)
        status = ahci_port_wait(port, &up, AHCI_LIMIT_LINK_MS);
    if (status == STATUS_OK)
        status = ahci_port_clear_errors(port);
    if (status == STATUS_OK)
        port->link_suspect = false;
    return status;
}

static const struct hw_wait_for ready = {
    .offset = AHCI_PX_TFD, .mask = AHCI_PX_TFD_BSY | AHCI_PX_TFD_DRQ, .want = 0};

/* Whether the device has said by a FIS that it is ready: a COMRESET makes the area say busy. */
static bool has_reported(const struct ahci_port *port)
{
    const uint8_t *memory = port->memory.cpu;

    hw_dma_barrier();
    return (memory[AHCI_MEMORY_FIS + AHCI_RFIS_D2H_STATUS] & AHCI_PX_TFD_BSY) == 0;
}

/* A device that has reported is ready, but BSY stays until it is overridden (AHCI 1.3.1, 3.3.7). */
static enum status wait_or_override(struct ahci_port *port, uint32_t ms)
{
    const struct hw_wait_for done = {.offset = AHCI_PX_CMD, .mask = AHCI_PX_CMD_CLO, .want = 0};
    uint64_t start = hw_ticks();
    enum status status;

    do {
        status = ahci_port_wait(port, &ready, AHCI_LIMIT_SIGNATURE_MS);
        if (status == STATUS_TIMEOUT && (port->controller->cap & AHCI_CAP_SCLO) != 0 &&
            has_reported(port)) {
            status = change_cmd(port, 0, AHCI_PX_CMD_CLO);
            return status == STATUS_OK ? ahci_port_wait(port, &done, AHCI_LIMIT_ENGINE_MS) : status;
        }
    } while (status == STATUS_TIMEOUT && hw_ticks() - start < ticks_of(port, ms));
    return status;
}

/* PxTFD may look ready while a disk still spins up: it is, when it has reported or has a signature
 * (all ones is none, or the end of the controller, which the last wait finds out). */
static enum status wait_for_report(struct ahci_port *port, uint32_t ms)
{
    uint64_t start = hw_ticks();
    enum status status;

    do {
        status = ahci_port_wait(port, &ready, ms);
        if (status != STATUS_OK)
            return status;
        ahci_port_rest(port, AHCI_LIMIT_SIGNATURE_MS);
    } while (!has_reported(port) && ahci_port_read(port, AHCI_PX_SIG) == AHCI_PX_SIG_NONE &&
             hw_ticks() - start < ticks_of(port, ms));
    return ahci_port_wait(port, &ready, ms);
}

enum status ahci_port_wait_ready(struct ahci_port *port, uint32_t ms)
{
    if (has_quirk(port, AHCI_QUIRK_BUSY_STAYS))
        return wait_or_override(port, ms);
    if (has_quirk(port, AHCI_QUIRK_EARLY_READY))
        return wait_for_report(port, ms);
    return ahci_port_wait(port, &ready, ms);
}

enum status ahci_port_fetch(struct ahci_port *port, uint8_t opcode, uint64_t lba, uint32_t ms)
{
    const struct ahci_command command = {
        .opcode = opcode,
        .count = opcode == ATA_READ_LOG_EXT ? 1 : 0,
        .lba = lba,
        .bus = port->memory.bus + AHCI_MEMORY_SCRATCH,
        .bytes = AHCI_SCRATCH_BYTES,
    };
    const struct hw_wait_fall done = {.offset = ahci_port_offset(port, AHCI_PX_CI),
                                      .bits = 1,
                                      .alarm_offset = ahci_port_offset(port, AHCI_PX_IS),
                                      .alarm_mask = AHCI_PX_IS_FATAL};
    struct ahci_slot slot = ahci_port_slot(port, 0);
    uint8_t *memory = port->memory.cpu;
    struct hw_wait_fallen fallen;
    uint64_t start = hw_ticks();
    enum status status;

    if (port->controller->unusable)
        return STATUS_DEVICE;
    if (ahci_command_build(&slot, &command) != STATUS_OK)
        return STATUS_INVALID;
    for (unsigned i = 0; i < AHCI_SCRATCH_BYTES; i++)
        memory[AHCI_MEMORY_SCRATCH + i] = 0;
    hw_dma_barrier();
    ahci_port_write(port, AHCI_PX_CI, 1);
    status = hw_wait_fall(&port->controller->window, &done, ticks_of(port, ms), &fallen);
    if (status == STATUS_OK && (port->controller->quirks & AHCI_QUIRK_NO_PRDBC) == 0 &&
        slot.header->prdbc != AHCI_SCRATCH_BYTES)
        status = STATUS_MISMATCH;
    if (status != STATUS_OK) {
        const struct ahci_failure failure = {.status = status,
                                             .operation = ahci_command_name(opcode),
                                             .waited_ticks = fallen.ticks - start};
        status = ahci_port_record(port, &failure);
    }
    return status;
}
