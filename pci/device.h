/*
 * What the walk knows of one PCI function. A value type: no pointers, copied freely, understood by
 * drivers/ and report/.
 */
#ifndef PCI_DEVICE_H
#define PCI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A function number of an ARI device, 0 to 255, stands in `device` (bits 7:3) and `function` (bits
 * 2:0): the same bits of an address (PCI Express Base 5.0, section 6.13).
 */
struct pci_address {
    uint16_t segment;
    uint8_t bus;
    uint8_t device;   /* 0 to 31 */
    uint8_t function; /* 0 to 7 */
};

#define PCI_NO_PARENT (-1)

struct pci_device {
    struct pci_address address;
    uint16_t vendor_id;
    uint16_t device_id;
    uint16_t subsystem_vendor_id; /* header type 0 only, else 0 */
    uint16_t subsystem_id;
    uint8_t revision;
    uint8_t class_base;  /* offset 0Bh */
    uint8_t class_sub;   /* offset 0Ah */
    uint8_t prog_if;     /* offset 09h */
    uint8_t header_type; /* without the multi-function bit */
    bool multi_function;
    uint8_t primary_bus; /* header type 1 and 2 only, as the registers say */
    uint8_t secondary_bus;
    uint8_t subordinate_bus;
    int32_t parent;    /* index of the bridge above it in the walk's list, or PCI_NO_PARENT */
    uint16_t pcie_cap; /* offset of the PCI Express capability; 0: none */
    uint32_t bar[6];   /* as read, not sized; header type 1 has two, type 2 one */
};

#endif
