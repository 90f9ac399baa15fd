/* The state of a port's SATA link (AHCI 1.3.1, sections 3.3.10 to 3.3.12). */
#include "drivers/ahci/port.h"

/* Bits that PxIS.PRCS and PxIS.PCS follow. */
#define SERR_ALARM (AHCI_PX_SERR_N | AHCI_PX_SERR_X)

/* A generation as CAP.ISS, PxSSTS.SPD and PxSCTL.SPD have it; 0: none, or a reserved value. */
static uint8_t generation(uint32_t value, uint32_t mask)
{
    uint32_t field = base_field(value, mask);

    return field <= 3 ? (uint8_t)field : 0;
}

static uint8_t power(uint32_t ssts)
{
    uint32_t field = base_field(ssts, AHCI_PX_SSTS_IPM);

    switch (field) {
    case AHCI_PX_SSTS_IPM_ACTIVE:
    case AHCI_PX_SSTS_IPM_PARTIAL:
    case AHCI_PX_SSTS_IPM_SLUMBER:
    case AHCI_PX_SSTS_IPM_DEVSLP:
        return (uint8_t)field;
    default:
        return 0;
    }
}

/*
 * Shows each bit once and clears it, all but those that raise an alarm: by it a command that meets
 * a lost link fails at once and not after its time limit. They go when the engine is started anew.
 */
static uint32_t take_errors(struct ahci_port *port, uint32_t serr)
{
    uint32_t errors;

    ahci_port_note_errors(port, serr);
    port->serr_shown = serr & SERR_ALARM;
    if ((serr & ~SERR_ALARM) != 0)
        ahci_port_write(port, AHCI_PX_SERR, serr & ~SERR_ALARM);
    errors = port->serr_seen;
    port->serr_seen = 0;
    return errors;
}

void ahci_drive_look(struct drive *drive, struct drive_link *ret_link)
{
    struct ahci_port *port = drive->self;
    uint32_t ssts = 0, sctl = 0, serr = 0;
    enum status status = port->stuck ? STATUS_GONE : ahci_port_get(port, AHCI_PX_SSTS, &ssts);

    if (status == STATUS_OK)
        status = ahci_port_get(port, AHCI_PX_SCTL, &sctl);
    if (status == STATUS_OK)
        status = ahci_port_get(port, AHCI_PX_SERR, &serr);
    *ret_link = (struct drive_link){.known = status == STATUS_OK};
    if (status != STATUS_OK)
        return;
    ret_link->speed = generation(ssts, AHCI_PX_SSTS_SPD);
    ret_link->limit = generation(sctl, AHCI_PX_SCTL_SPD);
    ret_link->speed_max = generation(port->controller->cap, AHCI_CAP_ISS);
    ret_link->power = power(ssts);
    ret_link->status = ssts;
    ret_link->control = sctl;
    ret_link->errors = take_errors(port, serr);
}
