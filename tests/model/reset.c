/* Reset of a controller (AHCI 1.3.1, 10.4.3), and the registers that may be written once. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <inttypes.h>

/* Of CAP: bits that firmware sets for the board it is on. */
#define CAP_ONCE (BIT32(26) | AHCI_CAP_SSS | BIT32(28))

static void forget_port(struct model_port *port)
{
    model_port_lose_link(port);
    model_port_drop_commands(port);
    port->engine = port->receiver = false;
    port->engine_falls_at = port->receiver_falls_at = MODEL_NO_TIME;
    port->clb = port->clbu = port->fb = port->fbu = port->ie = port->is = port->cmd = 0;
    port->sctl = port->serr = port->ci = port->sact = port->fbs = port->devslp = 0;
    port->sig = AHCI_PX_SIG_NONE;
    port->reset_since = MODEL_NO_TIME;
    port->holds_queue = port->log_wanted = false;
}

void model_hba_begin_reset(struct model_hba *hba)
{
    hba->resets++;
    hba->ghc |= AHCI_GHC_HR;
    if (hba->stuck_forever)
        return;
    hba->reset_over_at = model_now_ns() + (hba->chip.quiet_reset ? 0 : MODEL_RESET_NS);
    hba->stuck = false;
    hba->once = true;
    hba->enable_writes = 0;
    hba->cap &= ~CAP_ONCE;
    hba->cap2 &= ~(AHCI_CAP2_SDS | AHCI_CAP2_APST);
    hba->pi = hba->implemented;
    /* The console of a RAID firmware is none of the chip's ports. */
    for (unsigned i = 0; i < MODEL_PORTS; i++)
        if ((hba->implemented >> i & 1) != 0 && !(hba->chip.console && i == 7))
            forget_port(&hba->ports[i]);
    model_hba_changed();
}

void model_hba_end_reset(struct model_hba *hba)
{
    hba->reset_over_at = MODEL_NO_TIME;
    hba->ghc = (hba->cap & AHCI_CAP_SAM) != 0 ? AHCI_GHC_AE : 0;
    for (unsigned i = 0; i < MODEL_PORTS; i++) {
        struct model_port *port = &hba->ports[i];

        if (port->disk.kind != MODEL_DISK_NONE && !port->link_lost)
            port->link_at = model_now_ns() + port->disk.link_ns;
    }
}

static void write_once(struct model_hba *hba, uint32_t *reg, uint32_t value, uint32_t found)
{
    if (!hba->once)
        model_violation("a register that firmware writes once is written");
    if (value != found || *reg == found)
        model_violation("%08" PRIx32 " written once, %08" PRIx32 " was found", value, found);
    *reg = value;
}

bool model_hba_write_once(struct model_hba *hba, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case AHCI_CAP:
        write_once(hba, &hba->cap, value, hba->chip.found.cap);
        return true;
    case AHCI_CAP2:
        write_once(hba, &hba->cap2, value, hba->chip.found.cap2);
        return true;
    case AHCI_PI:
        write_once(hba, &hba->pi, value, hba->pi_found);
        return true;
    default:
        return false;
    }
}
