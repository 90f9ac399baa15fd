/* One port of a model controller: its registers and engines. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <inttypes.h>

#define SERR_BITS   0x07ff0f03u
#define IE_BITS     0xfdc000ffu
#define EARLY_NS    10000000u
#define RECEIVER_NS 1000u

static uint64_t fall_time(const struct model_hba *hba, uint64_t usual)
{
    if (hba->stuck)
        return MODEL_NO_TIME;
    return model_now_ns() + (hba->chip.engine_fall_ns != 0 ? hba->chip.engine_fall_ns : usual);
}

static bool just_lost(const struct model_port *port)
{
    return port->lost_at != 0 && port->hba->accesses - port->lost_at < 3;
}

static void start_engine(struct model_port *port)
{
    if (!port->receiver || (port->cmd & AHCI_PX_CMD_FRE) == 0)
        model_violation("port %u: ST without FRE", port->number);
    if (port->engine)
        model_violation("port %u: ST while CR is set", port->number);
    /* A cable pulled between the last look and this write is nobody's fault. */
    if (!just_lost(port) && (!port->ready || !model_link_is_up(port) || (port->tfd & 0x88) != 0))
        model_violation("port %u: ST while the device is not ready", port->number);
    if (port->clb % 1024 != 0 || port->clbu != 0)
        model_violation("port %u: command list at %" PRIx32, port->number, port->clb);
    if (port->holds_queue)
        model_violation("port %u: ST while the drive still holds queued commands", port->number);
    model_dma_at(port->clb, 1024, "command list");
    port->engine = true;
    model_port_drop_commands(port);
}

static void stop_engine(struct model_port *port)
{
    for (unsigned i = 0; i < 32; i++)
        if (port->commands[i].pending && (port->sact >> i & 1) != 0 && !port->log_wanted)
            port->holds_queue = true;
    port->ci = 0;
    port->sact = 0;
    model_port_drop_commands(port);
    if (port->engine)
        port->engine_falls_at = fall_time(port->hba, 2000);
}

static void start_receiver(struct model_port *port)
{
    if (port->receiver)
        model_violation("port %u: FRE while FR is set", port->number);
    if (port->fb % 256 != 0 || port->fbu != 0)
        model_violation("port %u: received FIS area at %" PRIx32, port->number, port->fb);
    model_dma_at(port->fb, 256, "received FIS area");
    port->receiver = true;
    port->receiver_is_fresh = port->ready;
    if (port->fis_waits)
        model_port_post_signature(port);
}

static void change_engines(struct model_port *port, uint32_t rises, uint32_t falls)
{
    if ((falls & AHCI_PX_CMD_ST) != 0)
        stop_engine(port);
    if ((falls & AHCI_PX_CMD_FRE) != 0) {
        if (port->engine)
            model_violation("port %u: FRE cleared while the engine runs", port->number);
        port->receiver_falls_at =
            port->hba->chip.fr_sticks ? MODEL_NO_TIME : fall_time(port->hba, RECEIVER_NS);
    }
    if ((rises & AHCI_PX_CMD_FRE) != 0)
        start_receiver(port);
    if ((rises & AHCI_PX_CMD_ST) != 0)
        start_engine(port);
}

static void write_cmd(struct model_port *port, uint32_t value)
{
    uint32_t writable = model_port_cmd_writable(port);
    uint32_t rises = value & ~port->cmd;
    uint32_t falls = port->cmd & ~value;

    if ((value & ~writable) != 0)
        model_violation("port %u: PxCMD = %08" PRIx32, port->number, value);
    if ((value & AHCI_PX_CMD_CLO) != 0 && (port->hba->cap & AHCI_CAP_SCLO) == 0)
        model_violation("port %u: CLO is not offered", port->number);
    if ((value & AHCI_PX_CMD_CLO) != 0 && ((value & AHCI_PX_CMD_ST) != 0 || port->engine))
        model_violation("port %u: CLO while the engine runs", port->number);
    if ((rises & AHCI_PX_CMD_PMA) != 0)
        model_violation("port %u: PMA set", port->number);
    port->cmd = value & ~(AHCI_PX_CMD_ICC | AHCI_PX_CMD_CLO);
    if ((value & AHCI_PX_CMD_CLO) != 0)
        port->tfd &= ~(AHCI_PX_TFD_BSY | AHCI_PX_TFD_DRQ);
    if ((value & AHCI_PX_CMD_ICC) == AHCI_PX_CMD_ICC_ACTIVE)
        model_link_wake(port);
    if (((rises | falls) & AHCI_PX_CMD_SUD) != 0)
        model_link_spin_up(port, (rises & AHCI_PX_CMD_SUD) != 0);
    change_engines(port, rises, falls);
}

static void write_ci(struct model_port *port, uint32_t value)
{
    if (port->hba->host_error)
        model_violation("port %u: a command after a host bus error", port->number);
    if (!port->engine || (port->cmd & AHCI_PX_CMD_ST) == 0)
        model_violation("port %u: PxCI written while the engine is stopped", port->number);
    if (value == 0 || (value & port->ci) != 0)
        model_violation("port %u: PxCI = %08" PRIx32 ", %08" PRIx32 " pending", port->number, value,
                        port->ci);
    for (unsigned i = 0; i < 32; i++) {
        if ((value >> i & 1) == 0)
            continue;
        if (port->commands[i].pending)
            model_violation("port %u: slot %u is in use", port->number, i);
        if (i > base_field(port->hba->cap, AHCI_CAP_NCS))
            model_violation("port %u: slot %u does not exist", port->number, i);
        port->ci |= BIT32(i);
        if (!model_link_is_up(port)) /* the cable was pulled: nobody will answer */
            continue;
        model_port_issue(port, i);
    }
}

static void write_sact(struct model_port *port, uint32_t value)
{
    if ((port->cmd & AHCI_PX_CMD_ST) == 0)
        model_violation("port %u: PxSACT written while ST is 0", port->number);
    if ((value & port->sact) != 0)
        model_violation("port %u: PxSACT = %08" PRIx32 ", %08" PRIx32 " pending", port->number,
                        value, port->sact);
    port->sact |= value;
}

static void write_base(struct model_port *port, uint32_t *reg, uint32_t value, bool busy)
{
    if (busy)
        model_violation("port %u: a base address is changed under a running engine", port->number);
    *reg = value;
}

/* The times may be changed only while they do not count (AHCI 1.3.1, 3.3.16). */
static void write_devslp(struct model_port *port, uint32_t value)
{
    uint32_t changes = value ^ port->devslp;

    if ((port->hba->chip.found.cap2 & AHCI_CAP2_SDS) == 0)
        model_violation("port %u: PxDEVSLP is not offered", port->number);
    if ((changes & ~AHCI_PX_DEVSLP_ADSE) != 0 || (port->cmd & AHCI_PX_CMD_ST) != 0)
        model_violation("port %u: PxDEVSLP = %08" PRIx32, port->number, value);
    port->devslp = value;
}

/* A bit may be cleared once for each read that showed it: else a later event would be lost. */
static void check_shown(const struct model_port *port, const char *name, uint32_t value,
                        uint32_t *shown)
{
    if ((value & ~*shown) != 0)
        model_violation("port %u: %s = %08" PRIx32 ", %08" PRIx32 " were read", port->number, name,
                        value, *shown);
    *shown &= ~value;
}

void model_port_write(struct model_port *port, uint32_t reg, uint32_t value)
{
    bool list_busy = port->engine || (port->cmd & AHCI_PX_CMD_ST) != 0;
    bool area_busy = port->receiver || (port->cmd & AHCI_PX_CMD_FRE) != 0;

    if (port->hba->chip.console && port->number == 7)
        model_violation("the console port is written to");
    switch (reg) {
    case AHCI_PX_CLB:
        write_base(port, &port->clb, value, list_busy);
        break;
    case AHCI_PX_CLBU:
        write_base(port, &port->clbu, value, list_busy);
        break;
    case AHCI_PX_FB:
        write_base(port, &port->fb, value, area_busy);
        break;
    case AHCI_PX_FBU:
        write_base(port, &port->fbu, value, area_busy);
        break;
    case AHCI_PX_IS:
        check_shown(port, "PxIS", value, &port->is_shown);
        port->is &= ~value;
        break;
    case AHCI_PX_IE:
        if ((value & ~IE_BITS) != 0)
            model_violation("port %u: PxIE = %08" PRIx32, port->number, value);
        port->ie = value;
        break;
    case AHCI_PX_CMD:
        write_cmd(port, value);
        break;
    case AHCI_PX_SCTL:
        model_link_write_sctl(port, value);
        break;
    case AHCI_PX_SERR:
        if ((value & ~SERR_BITS) != 0)
            model_violation("port %u: PxSERR = %08" PRIx32, port->number, value);
        check_shown(port, "PxSERR", value, &port->serr_shown);
        port->serr &= ~value;
        break;
    case AHCI_PX_SACT:
        write_sact(port, value);
        break;
    case AHCI_PX_CI:
        write_ci(port, value);
        break;
    case AHCI_PX_DEVSLP:
        write_devslp(port, value);
        break;
    default:
        model_violation("write to port register %02" PRIx32, reg);
    }
}

static uint32_t port_cmd(const struct model_port *port)
{
    uint32_t value = port->cmd | port->cmd_fixed | port->hba->chip.ccs << 8;

    if (port->hba->chip.hides_fr_cr)
        return value;
    return value | (port->receiver ? AHCI_PX_CMD_FR : 0) | (port->engine ? AHCI_PX_CMD_CR : 0);
}

static uint32_t port_tfd(const struct model_port *port)
{
    const struct model_chip *chip = &port->hba->chip;
    uint64_t early_ns = chip->early_ns != 0 ? chip->early_ns : EARLY_NS;

    if (chip->early_ready && model_link_is_up(port) && port->link_since != 0 && !port->ready &&
        model_now_ns() - port->link_since < early_ns && port->ready_at != MODEL_NO_TIME)
        return 0x50;
    return port->tfd;
}

uint32_t model_port_read(const struct model_port *port, uint32_t reg)
{
    switch (reg) {
    case AHCI_PX_CLB:
        return port->clb;
    case AHCI_PX_CLBU:
        return port->clbu;
    case AHCI_PX_FB:
        return port->fb;
    case AHCI_PX_FBU:
        return port->fbu;
    case AHCI_PX_IS:
        return port->is | ((port->serr & AHCI_PX_SERR_X) != 0 ? AHCI_PX_IS_PCS : 0) |
               ((port->serr & AHCI_PX_SERR_N) != 0 ? AHCI_PX_IS_PRCS : 0);
    case AHCI_PX_IE:
        return port->ie;
    case AHCI_PX_CMD:
        return port_cmd(port);
    case AHCI_PX_TFD:
        return port_tfd(port);
    case AHCI_PX_SIG:
        return port->sig;
    case AHCI_PX_SSTS:
        return port->ssts;
    case AHCI_PX_SCTL:
        return port->sctl;
    case AHCI_PX_SERR:
        return port->serr;
    case AHCI_PX_SACT:
        return port->sact;
    case AHCI_PX_CI:
        return port->ci;
    case AHCI_PX_SNTF:
        return port->hba->chip.found.ports[port->number].sntf;
    case AHCI_PX_FBS:
        return port->fbs;
    case AHCI_PX_DEVSLP:
        return port->devslp;
    default:
        model_violation("read of port register %02" PRIx32, reg);
    }
}

uint64_t model_port_next(const struct model_port *port)
{
    const uint64_t times[] = {port->link_at,   port->ready_at,        port->sig_at,
                              port->served_at, port->engine_falls_at, port->receiver_falls_at};
    uint64_t next = MODEL_NO_TIME;

    for (unsigned i = 0; i < COUNT_OF(times); i++)
        if (times[i] < next)
            next = times[i];
    return next;
}

void model_port_run(struct model_port *port, uint64_t now)
{
    if (port->link_at <= now)
        model_link_comes_up(port);
    if (port->ready_at <= now)
        model_link_become_ready(port);
    if (port->sig_at <= now)
        model_port_send_signature(port);
    if (port->engine_falls_at <= now) {
        port->engine = false;
        port->engine_falls_at = MODEL_NO_TIME;
    }
    if (port->receiver_falls_at <= now) {
        port->receiver = false;
        port->receiver_falls_at = MODEL_NO_TIME;
    }
    if (port->served_at <= now)
        model_port_complete_some(port);
}
