/* Finding out what is attached to a port (AHCI 1.3.1, sections 10.1.2 and 10.4). */
#include "drivers/ahci/identify.h"
#include "drivers/ahci/limits.h"
#include "drivers/ahci/port.h"
#include "drivers/ahci/quirks.h"

#include <stddef.h>

#define UNUSABLE "the controller cannot reach memory: wrong address or IOMMU"

static enum status decide(struct ahci_port *port, enum ahci_port_kind kind, const char *reason)
{
    port->kind = kind;
    port->reason = reason;
    return STATUS_OK;
}

const char *ahci_port_kind_name(enum ahci_port_kind kind)
{
    static const char *const names[] = {
        [AHCI_PORT_ABSENT] = "absent",
        [AHCI_PORT_EMPTY] = "empty",
        [AHCI_PORT_DRIVE] = "drive",
        [AHCI_PORT_ATAPI] = "packet device",
        [AHCI_PORT_MULTIPLIER] = "port multiplier",
        [AHCI_PORT_ENCLOSURE] = "enclosure",
        [AHCI_PORT_LINK_DOWN] = "link down",
        [AHCI_PORT_NOT_READY] = "not ready",
        [AHCI_PORT_NO_IDENTIFY] = "not identified",
        [AHCI_PORT_IGNORED] = "left alone",
    };

    return (unsigned)kind < COUNT_OF(names) ? names[kind] : "unknown";
}

/*
 * Where the controller staggers spin-up, a disk starts when PxCMD.SUD is set (AHCI 1.3.1, 10.9.1).
 * Ports are probed one after the other and each until its disk is ready, so that no two start at
 * once. *ret_on is when the link was switched on: now, or with all others.
 */
static enum status spin_up(struct ahci_port *port, uint64_t *ret_on)
{
    uint32_t cmd = 0;
    enum status status;

    *ret_on = port->controller->links_on_ticks;
    if ((port->controller->cap & AHCI_CAP_SSS) == 0)
        return STATUS_OK;
    status = ahci_port_get(port, AHCI_PX_CMD, &cmd);
    if (status != STATUS_OK || (cmd & AHCI_PX_CMD_SUD) != 0)
        return status;
    port->settling = true;
    cmd &= AHCI_PX_CMD_SETTINGS | AHCI_PX_CMD_FRE;
    ahci_port_write(port, AHCI_PX_CMD, cmd | AHCI_PX_CMD_SUD);
    *ret_on = hw_ticks();
    return STATUS_OK;
}

/* What is left of the time a link gets after it was switched on. */
static uint32_t detect_ms_left(const struct ahci_port *port, uint64_t on_ticks)
{
    const struct ahci_controller *controller = port->controller;
    uint64_t ns = hw_clock_ns(controller->clock, hw_ticks() - on_ticks);
    uint64_t ms = ns / 1000000;

    return ms < AHCI_LIMIT_DETECT_MS ? (uint32_t)(AHCI_LIMIT_DETECT_MS - ms) : 0;
}

/*
 * Until DET says communication. A device that is seen but does not communicate may be asleep since
 * the previous owner (DET 1 with IPM 2, 6 or 8) or in trouble; both are cured by a COMRESET.
 * STATUS_NOT_FOUND: nothing there.
 */
static enum status bring_link_up(struct ahci_port *port)
{
    const struct hw_wait_for up = {
        .offset = AHCI_PX_SSTS, .mask = AHCI_PX_SSTS_DET, .want = AHCI_PX_SSTS_DET_UP};
    uint64_t on_ticks;
    uint32_t ssts;
    enum status status = spin_up(port, &on_ticks);

    if (status == STATUS_OK)
        status = ahci_port_wait(port, &up, detect_ms_left(port, on_ticks));
    for (unsigned attempt = 0; status == STATUS_TIMEOUT && attempt < 2; attempt++) {
        status = ahci_port_get(port, AHCI_PX_SSTS, &ssts);
        if (status != STATUS_OK)
            return status;
        if ((ssts & AHCI_PX_SSTS_DET) == AHCI_PX_SSTS_DET_NONE && attempt == 0)
            return STATUS_NOT_FOUND;
        status = ahci_port_comreset(port);
    }
    return status;
}

/* The device is ready and has sent its signature, after a COMRESET if it must be. */
static enum status make_ready(struct ahci_port *port, uint32_t *ret_sig)
{
    enum status status = ahci_port_wait_ready(port, AHCI_LIMIT_SIGNATURE_MS);

    if (status == STATUS_OK) {
        *ret_sig = ahci_port_read(port, AHCI_PX_SIG);
        if (*ret_sig != AHCI_PX_SIG_NONE)
            return STATUS_OK;
    }
    /* All ones may be the signature of none, or the end of the controller. */
    if (status == STATUS_OK || status == STATUS_TIMEOUT)
        status = ahci_port_comreset(port);
    if (status == STATUS_OK)
        status = ahci_port_wait_ready(port, AHCI_LIMIT_READY_MS);
    if (status != STATUS_OK)
        return status;
    *ret_sig = ahci_port_read(port, AHCI_PX_SIG);
    if (*ret_sig != AHCI_PX_SIG_NONE)
        return STATUS_OK;
    ahci_port_rest(port, AHCI_LIMIT_SIGNATURE_MS);
    status = ahci_port_wait_ready(port, 0);
    if (status == STATUS_OK)
        *ret_sig = ahci_port_read(port, AHCI_PX_SIG);
    return status;
}

static void copy_identify(struct ahci_port *port)
{
    const uint16_t *words = ahci_port_scratch(port);

    for (unsigned i = 0; i < AHCI_IDENTIFY_WORDS; i++)
        port->identify[i] = base_le16(&words[i]);
}

static void forget_identify(struct ahci_port *port)
{
    for (unsigned i = 0; i < AHCI_IDENTIFY_WORDS; i++)
        port->identify[i] = 0;
}

/* Cuts what the drive offers to what the controller and the quirk tables allow. */
static void limit_to_controller(struct ahci_port *port)
{
    const struct ahci_controller *controller = port->controller;
    struct drive_info *info = &port->drive.info;
    uint32_t most = AHCI_LIMIT_COMMAND_BYTES / info->logical_bytes;
    uint32_t quirk = ahci_quirks_sectors_max(info->model, info->firmware);

    if (most > quirk)
        most = quirk;
    if ((controller->quirks & AHCI_QUIRK_64_KIB) != 0 && most > 65536 / info->logical_bytes)
        most = 65536 / info->logical_bytes;
    if (info->command_sectors_max > most)
        info->command_sectors_max = most;
    if (info->queue_depth > controller->slots)
        info->queue_depth = controller->slots;
    if ((controller->cap & AHCI_CAP_SNCQ) == 0 || (controller->quirks & AHCI_QUIRK_NO_NCQ) != 0)
        info->queue_depth = 0;
}

/* IDENTIFY with one repetition after recovery; STATUS_GONE or a decided kind otherwise. */
static enum status fetch_identify(struct ahci_port *port, uint8_t opcode)
{
    enum status status = ahci_port_start(port);

    if (status != STATUS_OK)
        return status;
    status = ahci_port_fetch(port, opcode, 0, AHCI_LIMIT_IDENTIFY_MS);
    if (status == STATUS_OK || status == STATUS_GONE)
        return status;
    status = ahci_port_recover(port, 0);
    if (status == STATUS_OK)
        status = ahci_port_fetch(port, opcode, 0, AHCI_LIMIT_IDENTIFY_AGAIN_MS);
    return status;
}

/* Nothing that a Marvell chip sends to memory arrives where an IOMMU watches: it says that it is
 * function 1, which does not exist. */
static const char *why_unidentified(const struct ahci_port *port)
{
    if (port->controller->unusable)
        return UNUSABLE;
    if ((port->controller->quirks & AHCI_QUIRK_MARVELL) != 0 &&
        port->drive.fault.kind == DRIVE_FAULT_TIMEOUT)
        return "IDENTIFY DEVICE timed out (an IOMMU may block this controller: "
               "its DMA comes from function 1)";
    return "IDENTIFY DEVICE failed";
}

static enum status identify_drive(struct ahci_port *port, uint32_t sig)
{
    const char *reason;
    uint32_t ssts = 0;
    enum status status = fetch_identify(port, ATA_IDENTIFY_DEVICE);

    if (status == STATUS_GONE)
        return status;
    if (status != STATUS_OK)
        return decide(port, AHCI_PORT_NO_IDENTIFY, why_unidentified(port));
    copy_identify(port);
    status = ahci_identify_parse(port->identify, &port->drive.info, &reason);
    ahci_identify_blank(port->identify);
    if (status != STATUS_OK) {
        forget_identify(port);
        return decide(port, status == STATUS_UNSUPPORTED ? AHCI_PORT_ATAPI : AHCI_PORT_NO_IDENTIFY,
                      reason);
    }
    if (sig == AHCI_PX_SIG_ZONED)
        port->drive.info.zones = DRIVE_ZONES_HOST_MANAGED;
    port->drive.info.array = ahci_quirks_is_array(port->drive.info.model);
    limit_to_controller(port);
    status = ahci_port_get(port, AHCI_PX_SSTS, &ssts);
    if (status != STATUS_OK)
        return status;
    port->drive.info.link_speed = base_field(ssts, AHCI_PX_SSTS_SPD);
    port->drive.ops = &ahci_drive_ops;
    port->drive.self = port;
    return decide(port, AHCI_PORT_DRIVE, "");
}

/* A packet device is asked for its name and nothing else; no name is no misfortune. */
static enum status name_packet_device(struct ahci_port *port)
{
    enum status status = decide(port, AHCI_PORT_ATAPI, "packet devices are not measured");

    /* The console that Marvell's RAID firmware shows on its last port fails most commands. */
    if ((port->controller->quirks & AHCI_QUIRK_RAID) != 0 &&
        port->controller->pi >> port->number == 1)
        return decide(port, AHCI_PORT_IGNORED, "console of a RAID firmware, not a drive");
    status = ahci_port_start(port);
    if (status == STATUS_OK)
        status = ahci_port_fetch(port, ATA_IDENTIFY_PACKET_DEVICE, 0, AHCI_LIMIT_IDENTIFY_MS);
    if (status == STATUS_OK) {
        copy_identify(port);
        ahci_identify_names(port->identify, &port->drive.info);
        forget_identify(port);
    }
    return status == STATUS_GONE ? status : STATUS_OK;
}

static enum status classify(struct ahci_port *port, uint32_t sig)
{
    switch (sig) {
    case AHCI_PX_SIG_ATA:
    case AHCI_PX_SIG_ZONED:
        return identify_drive(port, sig);
    case AHCI_PX_SIG_ATAPI:
        return name_packet_device(port);
    case AHCI_PX_SIG_MULTIPLIER:
        return decide(port, AHCI_PORT_MULTIPLIER, "port multipliers are not supported");
    case AHCI_PX_SIG_ENCLOSURE:
        return decide(port, AHCI_PORT_ENCLOSURE, "an enclosure has nothing to measure");
    case AHCI_PX_SIG_NONE:
        return decide(port, AHCI_PORT_NOT_READY, "the device sends no signature");
    default:
        return decide(port, AHCI_PORT_NOT_READY, "the device sends an unknown signature");
    }
}

static enum status probe(struct ahci_port *port)
{
    uint32_t sig = AHCI_PX_SIG_NONE;
    enum status status = bring_link_up(port);

    if (status == STATUS_NOT_FOUND)
        return decide(port, AHCI_PORT_EMPTY, "nothing connected");
    if (status == STATUS_TIMEOUT)
        return decide(port, AHCI_PORT_LINK_DOWN, "the SATA link does not come up");
    if (status == STATUS_OK)
        status = ahci_port_start_receiving(port);
    if (status == STATUS_OK)
        status = make_ready(port, &sig);
    if (status == STATUS_TIMEOUT)
        return decide(port, AHCI_PORT_NOT_READY, "the device stays busy after a reset");
    if (status == STATUS_OK)
        status = classify(port, sig);
    return status;
}

enum status ahci_port_probe(struct ahci_controller *controller, unsigned number)
{
    struct ahci_port *port;
    enum status status;

    if (number >= AHCI_PORTS_MAX)
        return STATUS_INVALID;
    port = &controller->ports[number];
    if (controller->gone)
        return STATUS_GONE;
    if (!port->taken || port->stuck)
        return STATUS_OK;
    if (controller->unusable)
        return decide(port, AHCI_PORT_IGNORED, UNUSABLE);
    if (port->running && ahci_port_stop(port) != STATUS_OK)
        return controller->gone ? STATUS_GONE : STATUS_OK;
    status = probe(port);
    /* An engine with nothing to do is stopped at once: the fewer run, the less can go wrong. */
    if (status == STATUS_OK && port->kind != AHCI_PORT_DRIVE && port->running)
        status = ahci_port_stop(port);
    return status == STATUS_GONE ? STATUS_GONE : STATUS_OK;
}

struct drive *ahci_port_drive(struct ahci_controller *controller, unsigned port)
{
    if (port >= AHCI_PORTS_MAX || controller->ports[port].kind != AHCI_PORT_DRIVE)
        return NULL;
    return &controller->ports[port].drive;
}
