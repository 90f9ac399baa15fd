/* Faults: what a test lets go wrong, at which register access, and what it does. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <string.h>

#define SERR_CRC (BIT32(10) | BIT32(21))

/* What a fault that takes a command does with it. */
enum effect {
    EFFECT_NOT_A_COMMAND, /* it strikes at the access itself */
    EFFECT_DROP,          /* the command never completes */
    EFFECT_ERROR,         /* the drive ends it with an error */
    EFFECT_HALT,          /* the controller stops */
    EFFECT_BUSY,          /* BSY stays until a COMRESET */
    EFFECT_SHORT,         /* half of the data */
    EFFECT_NOISE,         /* status bits that mean nothing, and no harm */
};

static const struct {
    const char *name;
    enum effect effect;
    uint32_t error; /* low byte of PxTFD, and the error register above */
    uint32_t is, serr;
} faults[MODEL_FAULTS] = {
    [MODEL_FAULT_NONE] = {.name = "none"},
    [MODEL_FAULT_GONE] = {.name = "gone"},
    [MODEL_FAULT_STUCK_ENGINE] = {.name = "stuck engine"},
    [MODEL_FAULT_STUCK_FOREVER] = {.name = "stuck for ever"},
    [MODEL_FAULT_LINK_LOST] = {.name = "link lost"},
    [MODEL_FAULT_LINK_FLAP] = {.name = "link lost and found"},
    [MODEL_FAULT_DROPPED] = {"dropped completion", EFFECT_DROP, 0, 0, 0},
    [MODEL_FAULT_TASK_FILE] = {"unreadable", EFFECT_ERROR, 0x4041, 0, 0},
    [MODEL_FAULT_NOT_FOUND] = {"not found", EFFECT_ERROR, 0x1041, 0, 0},
    [MODEL_FAULT_REFUSED] = {"refused", EFFECT_ERROR, 0x0441, 0, 0},
    [MODEL_FAULT_DEFECT] = {"device fault", EFFECT_ERROR, 0x0061, 0, 0},
    [MODEL_FAULT_GARBLED] = {"garbled, said by the drive", EFFECT_ERROR, 0x8441, 0, 0},
    [MODEL_FAULT_INTERFACE] = {"interface", EFFECT_HALT, 0, AHCI_PX_IS_IFS, SERR_CRC},
    [MODEL_FAULT_HOST_BUS] = {"host bus", EFFECT_HALT, 0, AHCI_PX_IS_HBFS, BIT32(11)},
    [MODEL_FAULT_HOST_DATA] = {"host bus data", EFFECT_HALT, 0, AHCI_PX_IS_HBDS, BIT32(11)},
    [MODEL_FAULT_BUSY] = {"busy", EFFECT_BUSY, 0, 0, 0},
    [MODEL_FAULT_BUSY_FOREVER] = {"busy for ever", EFFECT_BUSY, 0, 0, 0},
    [MODEL_FAULT_SHORT] = {"short of data", EFFECT_SHORT, 0, AHCI_PX_IS_OFS, 0},
    [MODEL_FAULT_OVERFLOW] = {"too many data", EFFECT_HALT, 0, AHCI_PX_IS_OFS, 0},
    [MODEL_FAULT_UNKNOWN_FIS] = {"unknown FIS", EFFECT_HALT, 0, AHCI_PX_IS_UFS, BIT32(25)},
    /* What a device may send at any time, and what the link repaired by itself. */
    [MODEL_FAULT_NOISE] = {"noise", EFFECT_NOISE, 0, MODEL_NOISE_IS, MODEL_NOISE_SERR},
};

const char *model_fault_name(enum model_fault fault)
{
    return faults[fault].name;
}

void model_hba_inject(struct model_hba *hba, enum model_fault fault, unsigned port, uint64_t access)
{
    hba->injected[0] = (struct model_injected){fault, port, access, false};
    hba->injected[1] = (struct model_injected){.fault = MODEL_FAULT_NONE};
}

void model_hba_inject_also(struct model_hba *hba, enum model_fault fault, unsigned port,
                           uint64_t access)
{
    hba->injected[1] = (struct model_injected){fault, port, access, false};
}

bool model_hba_fault_hit(const struct model_hba *hba)
{
    return hba->injected[0].hit;
}

static void strike(struct model_hba *hba, struct model_injected *injected)
{
    struct model_port *port = &hba->ports[injected->port];

    if (faults[injected->fault].effect != EFFECT_NOT_A_COMMAND) {
        port->armed = injected;
        return;
    }
    injected->hit = true;
    if (injected->fault == MODEL_FAULT_GONE) {
        hba->gone = true;
    } else if (injected->fault == MODEL_FAULT_LINK_LOST ||
               injected->fault == MODEL_FAULT_LINK_FLAP) {
        model_port_pull_cable(port);
        port->link_lost = injected->fault == MODEL_FAULT_LINK_LOST;
    } else {
        hba->stuck = true;
        hba->stuck_forever = injected->fault == MODEL_FAULT_STUCK_FOREVER;
        for (unsigned i = 0; i < MODEL_PORTS; i++) {
            hba->ports[i].engine_falls_at = MODEL_NO_TIME;
            hba->ports[i].receiver_falls_at = MODEL_NO_TIME;
        }
    }
}

void model_hba_count_access(struct model_hba *hba)
{
    hba->accesses++;
    for (unsigned i = 0; i < COUNT_OF(hba->injected); i++) {
        struct model_injected *injected = &hba->injected[i];

        if (injected->fault == MODEL_FAULT_NONE || injected->access != hba->accesses)
            continue;
        model_hba_changed();
        strike(hba, injected);
    }
}

/* Of an unqueued command only; of a queued one the controller notices by itself. */
bool model_port_is_short(const struct model_port *port, bool queued)
{
    return port->armed != NULL && port->armed->fault == MODEL_FAULT_SHORT && !queued;
}

void model_port_halt(struct model_port *port, uint32_t is, uint32_t serr)
{
    port->is |= is;
    port->serr |= serr;
    port->halted = true;
}

/* Of a command that fails: the sector that the drive names. */
static uint64_t bad_sector(const struct model_command *command)
{
    return command->lba + command->sectors / 2;
}

static void fill_log(struct model_port *port, unsigned slot, uint8_t error)
{
    uint64_t lba = bad_sector(&port->commands[slot]);
    enum model_log fault = port->disk.log;
    uint8_t sum = 0;

    memset(port->log, 0, sizeof port->log);
    if (fault == MODEL_LOG_BLANK)
        return;
    if (fault == MODEL_LOG_WRONG_LBA)
        lba += port->commands[slot].sectors;
    if (fault == MODEL_LOG_WRONG_TAG)
        slot = 31;
    port->log[0] = (uint8_t)(slot | (fault == MODEL_LOG_NOT_QUEUED ? ATA_LOG_10_NQ : 0));
    port->log[ATA_LOG_10_STATUS] = (uint8_t)port->tfd;
    port->log[3] = error;
    for (unsigned i = 0; i < 3; i++) {
        port->log[4 + i] = (uint8_t)(lba >> 8 * i);
        port->log[8 + i] = (uint8_t)(lba >> (24 + 8 * i));
    }
    for (unsigned i = 0; i < 511; i++)
        sum = (uint8_t)(sum + port->log[i]);
    port->log[511] = (uint8_t)((fault == MODEL_LOG_BAD_SUM ? 0x101 : 0x100) - sum);
}

void model_port_post_status(const struct model_port *port, uint64_t lba)
{
    uint8_t *fis;

    if (port->hba->chip.posts_no_fis || !model_dma_covers(port->fb, 256))
        return;
    fis = (uint8_t *)model_dma_at(port->fb, 256, "received FIS area") + AHCI_RFIS_D2H;
    fis[AHCI_FIS_TYPE] = AHCI_FIS_TYPE_D2H;
    fis[AHCI_FIS_COMMAND] = (uint8_t)port->tfd;
    fis[AHCI_FIS_FEATURES] = (uint8_t)(port->tfd >> 8);
    for (unsigned i = 0; i < 3; i++) {
        fis[AHCI_FIS_LBA + i] = (uint8_t)(lba >> 8 * i);
        fis[AHCI_FIS_LBA_EXP + i] = (uint8_t)(port->disk.no_lba48 ? 0xff : lba >> (24 + 8 * i));
    }
    fis[AHCI_FIS_DEVICE] = (uint8_t)(0x40 | (port->disk.no_lba48 ? lba >> 24 & 0xf : 0));
}

void model_port_end_with_error(struct model_port *port, unsigned slot, uint32_t tfd)
{
    port->tfd = tfd;
    if ((port->sact >> slot & 1) != 0) {
        fill_log(port, slot, (uint8_t)(tfd >> 8));
        port->log_wanted = true;
    } else {
        model_port_post_status(port, bad_sector(&port->commands[slot]));
    }
    if (port->hba->chip.completes_errors) {
        port->ci &= ~BIT32(slot);
        port->sact &= ~BIT32(slot);
    }
    model_port_halt(port, AHCI_PX_IS_TFES, 0);
}

bool model_port_meet_fault(struct model_port *port, unsigned slot)
{
    struct model_injected *injected = port->armed;
    bool queued = (port->sact >> slot & 1) != 0;
    enum model_fault fault;

    if (injected == NULL)
        return false;
    fault = injected->fault;
    port->armed = NULL;
    injected->hit = true;
    switch (faults[fault].effect) {
    case EFFECT_DROP:
        port->commands[slot].pending = false;
        return true;
    case EFFECT_ERROR:
        port->serr |= faults[fault].serr;
        model_port_end_with_error(port, slot, faults[fault].error);
        return true;
    case EFFECT_HALT:
        port->hba->host_error =
            port->hba->host_error || (faults[fault].is & (AHCI_PX_IS_HBFS | AHCI_PX_IS_HBDS)) != 0;
        model_port_halt(port, faults[fault].is, faults[fault].serr);
        return true;
    case EFFECT_BUSY:
        port->busy_forever = fault == MODEL_FAULT_BUSY_FOREVER;
        port->tfd = 0xd0;
        port->halted = true;
        return true;
    case EFFECT_SHORT:
        if (queued)
            model_port_halt(port, faults[fault].is, 0);
        return queued;
    case EFFECT_NOISE:
        port->is |= faults[fault].is;
        port->serr |= faults[fault].serr;
        return false;
    case EFFECT_NOT_A_COMMAND:
        break;
    }
    model_violation("fault %d does not belong to a command", (int)fault);
}
