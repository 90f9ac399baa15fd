/*
 * Access to configuration space: a method table, because ECAM and port I/O live in one program and
 * dumps stand in for both in tests.
 */
#ifndef PCI_CONFIG_H
#define PCI_CONFIG_H

#include "base/status.h"
#include "pci/device.h"

#include <stdbool.h>
#include <stdint.h>

struct pci_config;

struct pci_config_ops {
    /* Aligned 32-bit read; all ones where nothing answers or nothing can be reached. */
    uint32_t (*read)(const struct pci_config *config, struct pci_address address, uint16_t offset);
    /* Aligned 32-bit write; ignored where nothing can be reached. */
    void (*write)(const struct pci_config *config, struct pci_address address, uint16_t offset,
                  uint32_t value);
    /* Bytes of configuration space that can be reached there: 4096, 256, or 0. */
    uint16_t (*reach)(const struct pci_config *config, uint16_t segment, uint8_t bus);
};

struct pci_config {
    const struct pci_config_ops *ops;
    void *context;
};

uint32_t pci_config_read32(const struct pci_config *config, struct pci_address address,
                           uint16_t offset);
uint16_t pci_config_read16(const struct pci_config *config, struct pci_address address,
                           uint16_t offset);
uint8_t pci_config_read8(const struct pci_config *config, struct pci_address address,
                         uint16_t offset);
void pci_config_write32(const struct pci_config *config, struct pci_address address,
                        uint16_t offset, uint32_t value);

/* One run of buses that ECAM covers: an entry of the MCFG table (PCI Firmware 3.3, 4.1.2). */
struct pci_ecam {
    uint64_t base; /* address of bus 0 of the segment, even if start_bus is not 0 */
    uint16_t segment;
    uint8_t start_bus;
    uint8_t end_bus; /* inclusive */
};

#define PCI_ECAM_MAX 64

/* The machine's own configuration space: ECAM where it covers a bus, ports CF8h/CFCh elsewhere. */
struct pci_host {
    struct pci_ecam ecam[PCI_ECAM_MAX];
    uint32_t ecam_count; /* at most PCI_ECAM_MAX */
};

/*
 * Compares what ECAM and the ports say of function 0000:00:00.0. False, and the ECAM list emptied:
 * they differ, so the table points somewhere else. True if they agree, or cannot be compared (ECAM
 * does not cover that bus, or the ports find nothing there).
 */
bool pci_config_check_ecam(struct pci_host *host);

/* A pci_config over *host, which must outlive it. */
struct pci_config pci_config_host(struct pci_host *host);

#endif
