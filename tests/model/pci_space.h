/*
 * A configuration space in memory: functions with their bytes, which of these can be written, and
 * BARs that answer sizing.
 *
 * Stricter than hardware: an unaligned or out-of-range access and a write of ones to the status
 * half of the command dword abort the test.
 */
#ifndef TESTS_MODEL_PCI_SPACE_H
#define TESTS_MODEL_PCI_SPACE_H

#include "pci/config.h"
#include "pci/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pci_space_function {
    struct pci_address address;
    bool all_device_numbers; /* answers to every device number of its bus */
    uint8_t data[4096];
    uint8_t writable[4096]; /* mask for each byte */
};

struct pci_space {
    struct pci_space_function **functions; /* each its own allocation: pointers stay good */
    size_t count;
    uint8_t last_bus; /* reach is 0 above; 255 after init */
    uint16_t reach;   /* bytes of every function that can be reached; 4096 after init */
    uint32_t reads;
    uint32_t writes;
    /* From this write on (counted from 0) everything reads all ones and ignores writes. */
    uint32_t gone_at_write;
    uint32_t stuck_at_write; /* from this write on writes are ignored */
};

void pci_space_init(struct pci_space *space);
void pci_space_free(struct pci_space *space);
struct pci_config pci_space_config(struct pci_space *space);

/* Place of a function in a space, in the order of lspci: segment 0 only. */
struct pci_address pci_space_at(unsigned bus, unsigned device, unsigned function);

/* A new header type 0 function, vendor 1234h, device 5678h; nothing of it can be written. */
struct pci_space_function *pci_space_add(struct pci_space *space, struct pci_address address);

/* As pci_space_add, header type 1 with these bus numbers, primary bus as the address says. */
struct pci_space_function *pci_space_add_bridge(struct pci_space *space, struct pci_address address,
                                                unsigned secondary, unsigned subordinate);

void pci_space_put8(struct pci_space_function *function, unsigned offset, uint32_t value);
void pci_space_put16(struct pci_space_function *function, unsigned offset, uint32_t value);
void pci_space_put32(struct pci_space_function *function, unsigned offset, uint32_t value);
uint32_t pci_space_get32(const struct pci_space_function *function, unsigned offset);

/* Makes the bits of `mask` in the dword at `offset` writable. */
void pci_space_let_write(struct pci_space_function *function, unsigned offset, uint32_t mask);

/* Puts a capability before those already there. */
void pci_space_add_cap(struct pci_space_function *function, unsigned offset, unsigned id);

/* The PCI Express capability, version 2, of this port type at offset 40h. */
void pci_space_add_pcie(struct pci_space_function *function, unsigned port_type);

/* Link of a PCI Express capability at 40h: speed codes and lanes, now and at most. */
void pci_space_set_link(struct pci_space_function *function, unsigned speed, unsigned width,
                        unsigned speed_max, unsigned width_max);

#endif
