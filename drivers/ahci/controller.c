/* Taking a controller over (AHCI 1.3.1, sections 10.1 and 10.6). */
#include "drivers/ahci/limits.h"
#include "drivers/ahci/port.h"
#include "drivers/ahci/quirks.h"
#include "hw/wait.h"

#include <stddef.h>
#include <string.h>

static bool is_implemented(const struct ahci_controller *controller, unsigned number)
{
    return (controller->pi >> number & 1) != 0;
}

static uint32_t read_generic(const struct ahci_controller *controller, uint32_t offset)
{
    return hw_reg_read(&controller->window, offset);
}

/* NVMe drives that Intel's RAID option moved into this window; their owner must not be disturbed.
 */
static bool hides_drives(const struct ahci_controller *controller)
{
    if ((controller->quirks & AHCI_QUIRK_REMAP) == 0 ||
        controller->window.bytes < AHCI_INTEL_REMAP_WINDOW)
        return false;
    if ((read_generic(controller, AHCI_INTEL_VSCAP) & AHCI_INTEL_VSCAP_SRA) == 0)
        return false;
    return (read_generic(controller, AHCI_INTEL_REMAP_CAP) & AHCI_INTEL_REMAP_DEVICES) != 0;
}

/*
 * The ports that exist. PI is believed even when it has more bits than CAP.NP says (phantom ports
 * are found empty); only before AHCI 1.3 may it be left at 0. Ports beyond the window do not exist.
 */
static uint32_t ports_implemented(const struct ahci_controller *controller)
{
    uint64_t room = (controller->window.bytes - AHCI_PORT_BASE) / AHCI_PORT_STRIDE;
    uint32_t pi = controller->pi_found;

    if (pi == 0 && controller->vs < AHCI_VS_1_3)
        pi = UINT32_MAX >> (31 - (controller->cap & AHCI_CAP_NP));
    if ((controller->quirks & AHCI_QUIRK_PATA_PORT) != 0 && (pi == 0x7 || pi == 0x1f))
        pi >>= 1;
    return room >= AHCI_PORTS_MAX ? pi : pi & (BIT32(room) - 1);
}

/* Reads only. */
static enum status read_generics(struct ahci_controller *controller, const char **ret_reason)
{
    controller->cap = read_generic(controller, AHCI_CAP);
    controller->vs = read_generic(controller, AHCI_VS);
    controller->ghc_found = read_generic(controller, AHCI_GHC);
    if (controller->cap == UINT32_MAX || controller->vs == UINT32_MAX ||
        controller->ghc_found == UINT32_MAX) {
        controller->gone = true;
        *ret_reason = "its registers read as all ones";
        return STATUS_GONE;
    }
    if (controller->cap == 0 || controller->vs == 0) {
        *ret_reason = "its registers read as zero";
        return STATUS_UNSUPPORTED;
    }
    if (hides_drives(controller)) {
        *ret_reason = "Intel Rapid Storage remaps drives behind it: set AHCI in firmware setup";
        return STATUS_UNSUPPORTED;
    }
    if (controller->vs >= AHCI_VS_1_2)
        controller->cap2 = read_generic(controller, AHCI_CAP2);
    controller->quirks = ahci_quirks_refine(controller->quirks, controller->cap);
    controller->slots = base_field(controller->cap, AHCI_CAP_NCS) + 1;
    controller->pi_found = read_generic(controller, AHCI_PI);
    controller->pi = ports_implemented(controller);
    if (controller->pi == 0) {
        *ret_reason = "it implements no port";
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

/* The last of eight ports of a Marvell RAID firmware is its own console, unless a drive shows. */
static bool is_console(const struct ahci_controller *controller, const struct ahci_port *port)
{
    return (controller->quirks & AHCI_QUIRK_RAID) != 0 &&
           base_field(controller->cap, AHCI_CAP_NP) == 7 && port->number == 7 &&
           port->saved.sig != AHCI_PX_SIG_ATA;
}

/* Reads only. */
static enum status save_port(struct ahci_controller *controller, struct ahci_port *port)
{
    struct ahci_port_saved *saved = &port->saved;
    enum status status = ahci_port_get(port, AHCI_PX_CMD, &saved->cmd);

    if (status != STATUS_OK)
        return status;
    saved->clb = ahci_port_read(port, AHCI_PX_CLB);
    saved->clbu = ahci_port_read(port, AHCI_PX_CLBU);
    saved->fb = ahci_port_read(port, AHCI_PX_FB);
    saved->fbu = ahci_port_read(port, AHCI_PX_FBU);
    saved->ie = ahci_port_read(port, AHCI_PX_IE);
    saved->sig = ahci_port_read(port, AHCI_PX_SIG);
    saved->is = ahci_port_read(port, AHCI_PX_IS);
    saved->tfd = ahci_port_read(port, AHCI_PX_TFD);
    saved->serr = ahci_port_read(port, AHCI_PX_SERR);
    if ((controller->cap2 & AHCI_CAP2_SDS) != 0)
        saved->devslp = ahci_port_read(port, AHCI_PX_DEVSLP);
    saved->sctl = ahci_port_read(port, AHCI_PX_SCTL);
    return ahci_port_get(port, AHCI_PX_SSTS, &saved->ssts);
}

/* Everything that can be refused or run short is found out before the first write. */
static enum status survey_ports(struct ahci_controller *controller, const char **ret_reason)
{
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++) {
        struct ahci_port *port = &controller->ports[i];
        enum status status;

        port->controller = controller;
        port->number = (uint8_t)i;
        port->reason = "";
        if (!is_implemented(controller, i))
            continue;
        port->kind = AHCI_PORT_EMPTY;
        status = save_port(controller, port);
        if (status != STATUS_OK) {
            *ret_reason = "it stopped answering";
            return status;
        }
        if (is_console(controller, port)) {
            port->kind = AHCI_PORT_IGNORED;
            port->reason = "console of a RAID firmware, not a drive";
            continue;
        }
        status = hw_dma_alloc(AHCI_MEMORY_BYTES, &port->memory);
        if (status != STATUS_OK) {
            *ret_reason = "no memory below 4 GiB for its command lists";
            return status;
        }
    }
    return STATUS_OK;
}

enum status ahci_controller_enable(struct ahci_controller *controller)
{
    const struct hw_wait_for enabled = {
        .offset = AHCI_GHC, .mask = AHCI_GHC_AE | AHCI_GHC_IE, .want = AHCI_GHC_AE};
    uint64_t limit = hw_clock_ticks(controller->clock, AHCI_LIMIT_ENABLE_MS * UINT64_C(1000000));
    enum status status = STATUS_TIMEOUT;

    for (unsigned i = 0; i < AHCI_LIMIT_ENABLE_TRIES && status == STATUS_TIMEOUT; i++) {
        hw_reg_write(&controller->window, AHCI_GHC, AHCI_GHC_AE);
        status = hw_wait_reg(&controller->window, &enabled, limit, NULL);
    }
    return status;
}

/* BIOS/OS hand-off (10.6.3), where it is offered. A firmware that does not let go is overruled. */
static enum status hand_off(struct ahci_controller *controller)
{
    const struct hw_wait_for owned = {.offset = AHCI_BOHC, .mask = AHCI_BOHC_BOS, .want = 0};
    uint64_t ms = hw_clock_ticks(controller->clock, 1000000);
    uint32_t bohc = 0;
    enum status status;

    if ((controller->cap2 & AHCI_CAP2_BOH) == 0)
        return STATUS_OK;
    bohc = read_generic(controller, AHCI_BOHC);
    if (bohc == UINT32_MAX)
        return STATUS_GONE;
    if ((bohc & AHCI_BOHC_BOS) == 0)
        return STATUS_OK;
    /* BOS and SOOE stay: the first is the firmware's to clear, the second calls the firmware. */
    controller->bohc_found = bohc & ~(AHCI_BOHC_OOC | AHCI_BOHC_BB);
    hw_reg_write(&controller->window, AHCI_BOHC, controller->bohc_found | AHCI_BOHC_OOS);
    controller->ownership_taken = true;
    status = hw_wait_reg(&controller->window, &owned, AHCI_LIMIT_HANDOFF_MS * ms, &bohc);
    if (status == STATUS_TIMEOUT && (bohc & AHCI_BOHC_BB) != 0)
        status = hw_wait_reg(&controller->window, &owned, AHCI_LIMIT_HANDOFF_BUSY_MS * ms, &bohc);
    return status == STATUS_GONE ? status : STATUS_OK;
}

enum status ahci_port_set_up(struct ahci_port *port)
{
    const struct ahci_controller *controller = port->controller;
    uint32_t cmd = port->saved.cmd & AHCI_PX_CMD_SETTINGS & ~AHCI_PX_CMD_ALPE;
    uint8_t *memory = port->memory.cpu;

    cmd |= AHCI_PX_CMD_ICC_ACTIVE;
    /* With staggered spin-up each disk starts when its port is probed. */
    if ((controller->cap & AHCI_CAP_SSS) == 0)
        cmd |= AHCI_PX_CMD_SUD;
    if ((port->saved.cmd & AHCI_PX_CMD_CPD) != 0)
        cmd |= AHCI_PX_CMD_POD;
    port->taken = true;
    port->settling = true;
    memory[AHCI_MEMORY_FIS + AHCI_RFIS_D2H_STATUS] = AHCI_PX_TFD_BSY;
    hw_dma_barrier();
    ahci_port_write(port, AHCI_PX_IE, 0);
    ahci_port_write(port, AHCI_PX_CLB, (uint32_t)port->memory.bus + AHCI_MEMORY_LIST);
    ahci_port_write(port, AHCI_PX_CLBU, 0);
    ahci_port_write(port, AHCI_PX_FB, (uint32_t)port->memory.bus + AHCI_MEMORY_FIS);
    ahci_port_write(port, AHCI_PX_FBU, 0);
    if ((controller->cap2 & AHCI_CAP2_SDS) != 0)
        ahci_port_write(port, AHCI_PX_DEVSLP, port->saved.devslp & ~AHCI_PX_DEVSLP_ADSE);
    ahci_port_write(port, AHCI_PX_CMD, cmd);
    /* Sleep would be measured as access time; its wake-ups, as link errors. */
    ahci_port_write(port, AHCI_PX_SCTL,
                    (port->saved.sctl & AHCI_PX_SCTL_SPD) | AHCI_PX_SCTL_IPM_NONE);
    return ahci_port_clear_errors(port);
}

static enum status take_port(struct ahci_controller *controller, struct ahci_port *port)
{
    enum status status = ahci_port_stop(port);

    if (status == STATUS_OK)
        status = ahci_port_stop_receiving(port);
    if (status == STATUS_TIMEOUT) {
        status = ahci_controller_reset(controller, port);
        if (status == STATUS_OK)
            status = ahci_controller_resume(controller);
    }
    if (status == STATUS_TIMEOUT) {
        /* It still uses the firmware's memory, and never learnt of ours. */
        port->kind = AHCI_PORT_IGNORED;
        port->reason = "its engine, left running by the firmware, does not stop";
        hw_dma_free(&port->memory);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = ahci_port_set_up(port);
    return status;
}

enum status ahci_attach(struct ahci_controller *controller, const struct ahci_attach_info *info,
                        const char **ret_reason)
{
    struct ahci_restored restored;
    enum status status;

    memset(controller, 0, sizeof *controller);
    controller->window = info->window;
    controller->clock = info->clock;
    controller->vendor_id = info->vendor_id;
    controller->device_id = info->device_id;
    controller->revision = info->revision;
    controller->quirks = ahci_quirks_of(info->vendor_id, info->device_id);
    *ret_reason = "";
    if (info->window.bytes < AHCI_LIMIT_WINDOW_BYTES || info->clock->hz == 0) {
        *ret_reason = "its register window is too small for a port";
        return STATUS_INVALID;
    }
    status = read_generics(controller, ret_reason);
    if (status != STATUS_OK)
        return status;
    status = survey_ports(controller, ret_reason);
    if (status == STATUS_OK) {
        controller->attached = true;
        status = ahci_controller_enable(controller);
        if (status == STATUS_TIMEOUT)
            *ret_reason = "AHCI mode cannot be switched on";
    }
    if (status == STATUS_OK)
        status = hand_off(controller);
    for (unsigned i = 0; i < AHCI_PORTS_MAX && status == STATUS_OK; i++)
        if (controller->ports[i].memory.cpu != NULL)
            status = take_port(controller, &controller->ports[i]);
    controller->links_on_ticks = hw_ticks();
    if (status == STATUS_GONE) {
        controller->gone = true;
        *ret_reason = "it stopped answering";
    }
    if (status != STATUS_OK)
        ahci_detach(controller, &restored);
    return status;
}
