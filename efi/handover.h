/*
 * Taking a controller from the firmware's driver and giving it back. The firmware's protocols are
 * used for this only; what exists is found by the PCI walk.
 */
#ifndef EFI_HANDOVER_H
#define EFI_HANDOVER_H

#include "base/status.h"
#include "hw/reg.h"
#include "pci/config.h"

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>

#define HANDOVER_VOLUMES_MAX 64

struct handover {
    const struct pci_config *config;
    const struct pci_device *device;
    EFI_HANDLE handle;           /* the firmware's for this function; NULL: it has none */
    EFI_PCI_IO_PROTOCOL *pci_io; /* NULL: none */
    const uint8_t *path;         /* device path of the handle, the firmware's memory; or NULL */
    bool driver_bound;           /* a firmware driver had it when we came */
    bool driver_started;         /* none had, and handover_start_driver made one take it */
    bool taken;
    uint16_t command_found;                 /* command register after the driver let go */
    uint32_t volume_count;                  /* file systems below it when we came */
    uint8_t *volumes[HANDOVER_VOLUMES_MAX]; /* copies of their device paths */
    uint32_t volumes_back;                  /* of these, found again after giving back */
    bool command_restored;                  /* the command register reads as found */
    bool reconnected;                       /* the firmware's driver has it again */
};

/* Finds the firmware's handle for a function. *device and *config must outlive *handover. */
void handover_find(struct handover *handover, const struct pci_config *config,
                   const struct pci_device *device);

/*
 * Lets the firmware's driver take a controller that it left alone so far, as fast boots do, so that
 * it can be asked to read. After the hand-back it does not have it again.
 */
void handover_start_driver(struct handover *handover);

/* `handle` (a volume, a disk) lies below this controller. */
bool handover_carries(const struct handover *handover, EFI_HANDLE handle);

/*
 * Disconnects the firmware's driver, switches memory decode on and interrupts off, and finds BAR 5.
 * On failure everything is as before and *ret_reason (static) says why.
 */
enum status handover_take(struct handover *handover, struct hw_window *ret_window,
                          const char **ret_reason) MUST_CHECK;

/*
 * Switches bus mastering on, after the ports were stopped: an engine that the firmware left running
 * would write to memory that is not its own any more. On failure *ret_reason (static) says why.
 */
enum status handover_let_master(const struct handover *handover,
                                const char **ret_reason) MUST_CHECK;

/*
 * The reverse: command register, firmware driver, volumes; fills the last members. The driver's
 * own memory must be free of our use by now.
 */
void handover_give_back(struct handover *handover);

/* Frees the copies. */
void handover_forget(struct handover *handover);

#endif
