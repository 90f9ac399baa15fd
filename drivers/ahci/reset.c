/* Reset of a whole controller (AHCI 1.3.1, section 10.4.3): the last means, and what it costs. */
#include "drivers/ahci/limits.h"
#include "drivers/ahci/port.h"
#include "hw/wait.h"

#include <stddef.h>

/* Whether a port other than this one would lose commands. */
static bool is_busy(const struct ahci_controller *controller, const struct ahci_port *culprit)
{
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++)
        if (&controller->ports[i] != culprit && controller->ports[i].outstanding != 0)
            return true;
    return false;
}

/* Firmware writes these once after power-on, and a reset takes what it wrote. */
static enum status rewrite(struct ahci_controller *controller, uint32_t offset, uint32_t found)
{
    uint32_t value = hw_reg_read(&controller->window, offset);

    if (value == UINT32_MAX && found != UINT32_MAX) {
        controller->gone = true;
        return STATUS_GONE;
    }
    if (value != found)
        hw_reg_write(&controller->window, offset, found);
    return STATUS_OK;
}

static enum status rewrite_all(struct ahci_controller *controller)
{
    enum status status = rewrite(controller, AHCI_CAP, controller->cap);

    if (status == STATUS_OK && controller->vs >= AHCI_VS_1_2)
        status = rewrite(controller, AHCI_CAP2, controller->cap2);
    if (status == STATUS_OK)
        status = rewrite(controller, AHCI_PI, controller->pi_found);
    return status;
}

enum status ahci_controller_reset(struct ahci_controller *controller,
                                  const struct ahci_port *culprit)
{
    const struct hw_wait_for over = {.offset = AHCI_GHC, .mask = AHCI_GHC_HR, .want = 0};
    uint32_t ms = controller->emergency ? AHCI_LIMIT_EMERGENCY_MS : AHCI_LIMIT_RESET_MS;
    uint64_t limit = hw_clock_ticks(controller->clock, ms * UINT64_C(1000000));
    enum status status;

    if (controller->gone)
        return STATUS_GONE;
    if (is_busy(controller, culprit))
        return STATUS_TIMEOUT;
    hw_reg_write(&controller->window, AHCI_GHC, AHCI_GHC_AE | AHCI_GHC_HR);
    status = hw_wait_reg(&controller->window, &over, limit, NULL);
    if (status == STATUS_OK) {
        controller->resets++;
        for (unsigned i = 0; i < AHCI_PORTS_MAX; i++) {
            struct ahci_port *port = &controller->ports[i];

            port->interrupted = port->running;
            port->receiving = false;
            port->running = false;
            port->stuck = false;
            port->settling = true;
        }
        status = ahci_controller_enable(controller);
    }
    if (status == STATUS_OK)
        status = rewrite_all(controller);
    if (status == STATUS_OK)
        return STATUS_OK;
    /* Hung, or it cannot be switched on again: nothing that it shows means anything now. */
    controller->gone = true;
    return STATUS_GONE;
}

/* A drive that does not come back is no failure of the others: its port does not run. */
static enum status resume_port(struct ahci_port *port)
{
    enum status status = ahci_port_start_receiving(port);

    if (status == STATUS_OK)
        status = ahci_port_restart(port);
    return status == STATUS_GONE ? status : STATUS_OK;
}

enum status ahci_controller_resume(struct ahci_controller *controller)
{
    enum status status = STATUS_OK;

    for (unsigned i = 0; i < AHCI_PORTS_MAX && status == STATUS_OK; i++)
        if (controller->ports[i].taken)
            status = ahci_port_set_up(&controller->ports[i]);
    controller->links_on_ticks = hw_ticks();
    for (unsigned i = 0; i < AHCI_PORTS_MAX && status == STATUS_OK; i++)
        if (controller->ports[i].interrupted)
            status = resume_port(&controller->ports[i]);
    return status;
}
