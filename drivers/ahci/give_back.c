/* Giving a controller back: everything that was taken, in reverse order. */
#include "drivers/ahci/port.h"

#include <stddef.h>

static void differs(struct ahci_restored *restored, const struct ahci_port *port,
                    const char *reason)
{
    restored->ports_differ |= BIT32(port->number);
    restored->reason = reason;
}

static void abandon(struct ahci_port *port, struct ahci_restored *restored, const char *reason)
{
    if (port->memory.cpu != NULL)
        restored->memory_abandoned = true;
    port->memory = (struct hw_dma){.cpu = NULL};
    differs(restored, port, reason);
}

static void write_saved(const struct ahci_controller *controller, const struct ahci_port *port)
{
    const struct ahci_port_saved *saved = &port->saved;
    uint32_t det = saved->sctl & AHCI_PX_SCTL_DET;

    /* A port found in the middle of a COMRESET is not put back into one. */
    ahci_port_write(port, AHCI_PX_SCTL,
                    det == AHCI_PX_SCTL_DET_RESET ? saved->sctl - det : saved->sctl);
    ahci_port_write(port, AHCI_PX_CMD, saved->cmd & AHCI_PX_CMD_SETTINGS);
    if ((controller->cap2 & AHCI_CAP2_SDS) != 0)
        ahci_port_write(port, AHCI_PX_DEVSLP, saved->devslp);
    ahci_port_write(port, AHCI_PX_FBU, saved->fbu);
    ahci_port_write(port, AHCI_PX_FB, saved->fb);
    ahci_port_write(port, AHCI_PX_CLBU, saved->clbu);
    ahci_port_write(port, AHCI_PX_CLB, saved->clb);
    ahci_port_write(port, AHCI_PX_IE, saved->ie);
}

static bool reads_as_saved(const struct ahci_port *port)
{
    const struct ahci_port_saved *saved = &port->saved;

    return ahci_port_read(port, AHCI_PX_CLB) == saved->clb &&
           ahci_port_read(port, AHCI_PX_CLBU) == saved->clbu &&
           ahci_port_read(port, AHCI_PX_FB) == saved->fb &&
           ahci_port_read(port, AHCI_PX_FBU) == saved->fbu &&
           ahci_port_read(port, AHCI_PX_IE) == saved->ie &&
           ahci_port_read(port, AHCI_PX_SCTL) == saved->sctl &&
           ((ahci_port_read(port, AHCI_PX_CMD) ^ saved->cmd) & AHCI_PX_CMD_SETTINGS) == 0;
}

/* Leaves the port's engines stopped, if it can be done. */
static enum status stop_port(struct ahci_port *port)
{
    enum status status = port->stuck ? STATUS_TIMEOUT : ahci_port_stop(port);

    return status == STATUS_OK ? ahci_port_stop_receiving(port) : status;
}

/* All of them; a reset of the controller is the last means, and comes before anything is put back.
 */
static void stop_ports(struct ahci_controller *controller)
{
    const struct ahci_port *stuck = NULL;

    for (unsigned i = AHCI_PORTS_MAX; i-- > 0;) {
        struct ahci_port *port = &controller->ports[i];

        if ((port->taken || port->stuck) && stop_port(port) == STATUS_TIMEOUT)
            stuck = port;
        port->outstanding = 0;
    }
    if (stuck != NULL && ahci_controller_reset(controller, stuck) == STATUS_GONE)
        controller->gone = true;
}

static void give_back_port(struct ahci_controller *controller, struct ahci_port *port,
                           struct ahci_restored *restored)
{
    enum status status;

    if (port->stuck && !port->taken) {
        hw_dma_free(&port->memory); /* that engine has never heard of it */
        differs(restored, port, "an engine left running by the firmware does not stop");
        return;
    }
    if (port->stuck) {
        abandon(port, restored, "an engine does not stop; its memory is left to it");
        return;
    }
    status = ahci_port_clear_errors(port);
    if (status == STATUS_OK) {
        write_saved(controller, port);
        if (reads_as_saved(port))
            restored->ports_restored |= BIT32(port->number);
        else
            differs(restored, port, "a register does not read as it was found");
        status = ahci_port_get(port, AHCI_PX_CMD, &(uint32_t){0});
    }
    if (status != STATUS_OK) {
        /* Without an answer nobody knows whether the engines still run; memory that they may know
         * of is never used for anything else again. */
        restored->ports_restored &= ~BIT32(port->number);
        if (port->receiving || port->running)
            abandon(port, restored, "the controller stopped answering");
        else
            differs(restored, port, "the controller stopped answering");
    }
    hw_dma_free(&port->memory);
}

/* Own traces in the generic registers; AE goes last, and only if it was found off. */
static void give_back_generics(struct ahci_controller *controller)
{
    uint32_t is = hw_reg_read(&controller->window, AHCI_IS);

    if (is == UINT32_MAX && hw_reg_read(&controller->window, AHCI_GHC) == UINT32_MAX)
        return;
    hw_reg_write(&controller->window, AHCI_IS, is);
    if (controller->ownership_taken)
        hw_reg_write(&controller->window, AHCI_BOHC, controller->bohc_found);
    hw_reg_write(&controller->window, AHCI_GHC,
                 AHCI_GHC_AE | (controller->ghc_found & AHCI_GHC_IE));
    if ((controller->ghc_found & AHCI_GHC_AE) == 0 && (controller->cap & AHCI_CAP_SAM) == 0)
        hw_reg_write(&controller->window, AHCI_GHC, controller->ghc_found & AHCI_GHC_IE);
}

void ahci_detach(struct ahci_controller *controller, struct ahci_restored *ret_restored)
{
    struct ahci_restored restored = {.reason = ""};

    stop_ports(controller);
    for (unsigned i = AHCI_PORTS_MAX; i-- > 0;) {
        struct ahci_port *port = &controller->ports[i];

        if (port->taken || port->stuck)
            give_back_port(controller, port, &restored);
        hw_dma_free(&port->memory);
        port->taken = false;
        if (port->kind == AHCI_PORT_DRIVE)
            port->kind = AHCI_PORT_EMPTY;
    }
    if (controller->attached && !controller->gone)
        give_back_generics(controller);
    controller->attached = false;
    *ret_restored = restored;
}
