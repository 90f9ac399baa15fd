/*
 * A path before a run, under load, and after it: did a link change, did errors happen? Each look is
 * a whole path as pci_path_read gives it. (PCI Express Base 5.0, sections 7.5.3.5, 7.5.3.8, 7.8.4.)
 */
#ifndef PCI_WATCH_H
#define PCI_WATCH_H

#include "pci/path.h"

#include <stdbool.h>
#include <stdint.h>

struct pci_watch {
    bool has_before; /* each path is meaningful only with its mark */
    bool has_after;
    uint32_t looks;          /* under load; `loaded` is the first of them */
    uint32_t loaded_changed; /* mask of hops that another look under load found different */
    struct pci_path before;
    struct pci_path loaded;
    struct pci_path after;
};

/* Adds a look under load. */
void pci_watch_look(struct pci_watch *watch, const struct pci_path *path);

/*
 * Masks of hops, bit 0 the first. Nothing is known, and so nothing found, of what was not looked
 * at.
 *
 * rests: the link was slower or narrower before the run than under load; after it, it may be
 * either. changed: speed or width at an end differs otherwise between before and after, or between
 * two looks under load, or is lower under load than before, or the port reports a retraining
 * meanwhile. errors: an end has bits of link errors after the run that it did not have before. A
 * bit that was set all along can hide more errors of its kind.
 */
uint32_t pci_watch_changed(const struct pci_watch *watch);
uint32_t pci_watch_rests(const struct pci_watch *watch);
uint32_t pci_watch_errors(const struct pci_watch *watch);

/* The path that ceilings are computed from: under load, else before; NULL: there is neither. */
const struct pci_path *pci_watch_path(const struct pci_watch *watch);

/*
 * Device Status: correctable and fatal error detected. Non-fatal errors and unsupported requests
 * happen without trouble on a link.
 */
#define PCI_WATCH_DEV_STA_ERRORS 0x0005

#endif
