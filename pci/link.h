/*
 * State of a PCI Express link as its two ends report it. (PCI Express Base 5.0, section 7.5.3.)
 */
#ifndef PCI_LINK_H
#define PCI_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* One end; all zero when `present` is false (no capability, or it reads all ones). */
struct pci_link_end {
    bool present;
    uint8_t port_type;      /* PCI Express Capabilities 7:4 */
    uint8_t speed;          /* Link Status 3:0: 1 = 2.5 GT/s, 2 = 5, 3 = 8, 4 = 16, 5 = 32 */
    uint8_t width;          /* Link Status 9:4 */
    uint8_t speed_max;      /* Link Capabilities 3:0 */
    uint8_t width_max;      /* Link Capabilities 9:4 */
    uint16_t payload_bytes; /* Device Control: Max_Payload_Size in force */
    uint16_t request_bytes; /* Device Control: Max_Read_Request_Size in force */
};

/* The link directly above a function. */
struct pci_link {
    struct pci_link_end upstream;   /* the port above */
    struct pci_link_end downstream; /* the function itself */
};

#endif
