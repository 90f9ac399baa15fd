/* Calibration of the tick counter on this machine. */
#ifndef EFI_CLOCK_H
#define EFI_CLOCK_H

#include "hw/clock.h"
#include "pci/acpi.h"

/*
 * Fills *clock; takes about a second. `timer` is the ACPI PM timer or NULL. hz is 0 and the source
 * NONE only if not even Stall gives a rate.
 */
void clock_calibrate(const struct pci_acpi_pm_timer *timer, struct hw_clock *clock);

#endif
