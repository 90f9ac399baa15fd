/* The link of a port: its cable, its resets, its sleep, and the device at its end. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <inttypes.h>

#define RESET_MIN_NS 1000000u

/* Up and active, at the highest speed that PxSCTL.SPD allows. */
uint32_t model_port_active_ssts(const struct model_port *port)
{
    uint32_t speed = base_field(port->hba->cap, AHCI_CAP_ISS);
    uint32_t limit = base_field(port->sctl, AHCI_PX_SCTL_SPD);

    if (limit != 0 && limit < speed)
        speed = limit;
    return 0x103 | speed << 4;
}

bool model_link_is_up(const struct model_port *port)
{
    return (port->ssts & 0xf) == 3;
}

void model_port_lose_link(struct model_port *port)
{
    port->ssts = 0;
    port->tfd = 0x7f;
    port->ready = false;
    port->fis_waits = false;
    port->link_at = port->ready_at = port->sig_at = MODEL_NO_TIME;
    port->serving = -1;
    port->served_at = MODEL_NO_TIME;
}

void model_port_pull_cable(struct model_port *port)
{
    port->link_lost = true;
    port->lost_at = port->hba->accesses;
    model_port_lose_link(port);
    port->serr |= AHCI_PX_SERR_N;
}

void model_link_comes_up(struct model_port *port)
{
    port->link_at = MODEL_NO_TIME;
    port->link_since = model_now_ns();
    port->ssts = model_port_active_ssts(port);
    port->ready_at = model_now_ns() + port->disk.ready_ns;
    if (!port->hba->chip.quiet_reset)
        port->serr |= AHCI_PX_SERR_X | AHCI_PX_SERR_N;
}

void model_link_become_ready(struct model_port *port)
{
    port->ready_at = MODEL_NO_TIME;
    if (port->busy_forever)
        return;
    port->receiver_is_fresh = false;
    port->log_wanted = false;
    port->holds_queue = false;
    if (port->receiver)
        model_port_post_signature(port);
    else
        port->fis_waits = true;
}

static void begin_reset(struct model_port *port)
{
    port->hba->comresets++;
    if (port->hba->chip.fr_sticks && (port->cmd & AHCI_PX_CMD_FRE) == 0)
        port->receiver_falls_at = model_now_ns();
    if (port->engine || (port->cmd & AHCI_PX_CMD_ST) != 0) {
        /* The last means against an engine that does not stop is allowed. */
        if (!port->hba->stuck)
            model_violation("port %u: COMRESET while the engine runs", port->number);
    }
    model_port_lose_link(port);
    model_port_drop_commands(port);
    port->sig = AHCI_PX_SIG_NONE;
    port->tfd = 0x80;
    port->reset_since = model_now_ns();
}

static void end_reset(struct model_port *port)
{
    if (model_now_ns() - port->reset_since < RESET_MIN_NS)
        model_violation("port %u: COMRESET shorter than 1 ms", port->number);
    port->reset_since = MODEL_NO_TIME;
    if (port->disk.kind == MODEL_DISK_NONE || port->link_lost)
        return;
    port->link_at = model_now_ns() + (port->hba->chip.quiet_reset ? 0 : port->disk.link_ns);
}

void model_link_write_sctl(struct model_port *port, uint32_t value)
{
    uint32_t det = value & 0xf;

    if ((value & ~0xfffu) != 0 || (det != 0 && det != 1 && det != 4))
        model_violation("port %u: PxSCTL = %08" PRIx32, port->number, value);
    if (det == 1 && (port->sctl & 0xf) != 1)
        begin_reset(port);
    if (det == 0 && (port->sctl & 0xf) == 1)
        end_reset(port);
    port->sctl = value;
}

/* ICC: a link that may sleep no more wakes up. */
void model_link_wake(struct model_port *port)
{
    uint32_t ipm = base_field(port->ssts, AHCI_PX_SSTS_IPM);

    if (port->hba->chip.sleeps_on || (port->devslp & AHCI_PX_DEVSLP_ADSE) != 0)
        return;
    if (ipm != AHCI_PX_SSTS_IPM_ACTIVE && (port->ssts & AHCI_PX_SSTS_DET) != 0)
        port->ssts = model_port_active_ssts(port);
}

/* Staggered spin-up: without SUD the port does not look for a device (AHCI 1.3.1, 10.10.1). */
void model_link_spin_up(struct model_port *port, bool on)
{
    if ((port->hba->cap & AHCI_CAP_SSS) == 0)
        return;
    model_port_lose_link(port);
    if (on && port->disk.kind != MODEL_DISK_NONE && !port->link_lost)
        port->link_at = model_now_ns() + port->disk.link_ns;
}
