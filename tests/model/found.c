/* Ports as firmware leaves them, and what a test may change in them. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

/* Slot, switch, hot plug, cold presence, external and FBS capabilities. */
#define CMD_FIXED                                                                                  \
    (AHCI_PX_CMD_CCS | BIT32(13) | BIT32(16) | BIT32(18) | BIT32(19) | AHCI_PX_CMD_CPD |           \
     BIT32(21) | BIT32(22))

uint32_t model_port_cmd_writable(const struct model_port *port)
{
    uint32_t settings = AHCI_PX_CMD_SETTINGS & ~AHCI_PX_CMD_APSTE;

    if ((port->hba->chip.found.cap2 & AHCI_CAP2_APST) != 0)
        settings |= AHCI_PX_CMD_APSTE;
    return settings | AHCI_PX_CMD_ST | AHCI_PX_CMD_CLO | AHCI_PX_CMD_FRE | AHCI_PX_CMD_ICC;
}

static void set_cmd(struct model_port *port, uint32_t cmd)
{
    port->cmd_fixed = cmd & CMD_FIXED;
    port->cmd = cmd & model_port_cmd_writable(port) & ~(AHCI_PX_CMD_ICC | AHCI_PX_CMD_CLO);
}

static void complete_disk(struct model_disk *disk)
{
    if (disk->logical_bytes == 0)
        disk->logical_bytes = 512;
    if (disk->model == NULL)
        disk->model = "MODEL DISK";
    if (disk->link_ns == 0)
        disk->link_ns = 2000000;
    if (disk->ready_ns == 0)
        disk->ready_ns = 3000000;
}

static void set_registers(struct model_port *port, const struct model_port_registers *found)
{
    port->clb = found->clb;
    port->clbu = found->clbu;
    port->fb = found->fb;
    port->fbu = found->fbu;
    port->is = found->is & ~(AHCI_PX_IS_PCS | AHCI_PX_IS_PRCS); /* these follow PxSERR */
    port->ie = found->ie;
    port->tfd = found->tfd;
    port->sig = found->sig;
    port->ssts = found->ssts;
    port->sctl = found->sctl;
    port->serr = found->serr;
    port->fbs = found->fbs;
    port->devslp = found->devslp;
    set_cmd(port, found->cmd);
}

/* As recorded: an operating system or a firmware may have left the port running. Commands it had
 * under way are not known, and none are. */
static void port_recorded(struct model_port *port, uint32_t cmd)
{
    port->engine = (cmd & AHCI_PX_CMD_CR) != 0;
    port->receiver = (cmd & AHCI_PX_CMD_FR) != 0;
    port->ready =
        (port->tfd & (AHCI_PX_TFD_BSY | AHCI_PX_TFD_DRQ)) == 0 && port->sig != AHCI_PX_SIG_NONE;
    port->fis_waits = port->disk.kind != MODEL_DISK_NONE && !port->ready;
}

void model_port_found(struct model_port *port, const struct model_disk *disk)
{
    /* Addresses of a firmware whose memory is long gone. */
    const struct model_port_registers usual = {
        .clb = 0x7f000000 + port->number * 0x1000,
        .fb = 0x7f000400 + port->number * 0x1000,
        .cmd = AHCI_PX_CMD_SUD | AHCI_PX_CMD_POD,
        .tfd = 0x7f,
        .sig = AHCI_PX_SIG_NONE,
    };
    const struct model_port_registers *recorded = &port->hba->chip.found.ports[port->number];

    if (disk != NULL)
        port->disk = *disk;
    complete_disk(&port->disk);
    port->reset_since = MODEL_NO_TIME;
    port->link_at = port->ready_at = port->sig_at = MODEL_NO_TIME;
    port->engine_falls_at = port->receiver_falls_at = MODEL_NO_TIME;
    model_port_drop_commands(port);
    set_registers(port, port->hba->chip.ports_found ? recorded : &usual);
    if (port->hba->chip.ports_found) {
        port_recorded(port, recorded->cmd);
        return;
    }
    if (port->disk.kind == MODEL_DISK_NONE)
        return;
    if (port->disk.found_ns != 0) {
        port->link_at = model_now_ns() + port->disk.found_ns;
        return;
    }
    port->ssts = port->disk.ssts != 0 ? port->disk.ssts : model_port_active_ssts(port);
    port->serr = AHCI_PX_SERR_X | AHCI_PX_SERR_N;
    port->tfd = port->disk.busy_as_found ? 0xd0 : 0x80;
    port->fis_waits = !port->disk.busy_as_found;
}

static void poke_cmd(struct model_port *port, uint32_t value)
{
    set_cmd(port, value);
    port->engine = (value & AHCI_PX_CMD_ST) != 0;
    port->receiver = (value & AHCI_PX_CMD_FRE) != 0;
    if ((value & AHCI_PX_CMD_SUD) == 0 && (port->hba->cap & AHCI_CAP_SSS) != 0)
        model_port_lose_link(port);
    if (port->receiver && port->fis_waits) {
        port->fis_waits = false;
        port->ready = true;
        port->tfd = 0x50;
        port->sig = AHCI_PX_SIG_ATA;
    }
}

void model_port_poke(struct model_port *port, uint32_t reg, uint32_t value)
{
    switch (reg) {
    case AHCI_PX_CLB:
        port->clb = value;
        break;
    case AHCI_PX_IE:
        port->ie = value;
        break;
    case AHCI_PX_SCTL:
        port->sctl = value;
        break;
    case AHCI_PX_SERR:
        port->serr = value;
        break;
    case AHCI_PX_SSTS:
        port->ssts = value;
        break;
    case AHCI_PX_CMD:
        poke_cmd(port, value);
        break;
    case AHCI_PX_SIG:
        port->sig = value;
        break;
    case AHCI_PX_FBS:
        port->fbs = value;
        break;
    case AHCI_PX_DEVSLP:
        port->devslp = value;
        break;
    default:
        model_violation("poke of port register %02x", (unsigned)reg);
    }
}
