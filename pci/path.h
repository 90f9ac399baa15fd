/*
 * The path of a function: the hops from its root bus down to it, with what both ends of each hop
 * say of themselves. Value types: no pointers, copied freely. Reading one is pci/path_read.h, what
 * a hop can carry is pci/ceiling.h. (PCI Express Base 5.0, sections 1.3 and 7.5.3.)
 */
#ifndef PCI_PATH_H
#define PCI_PATH_H

#include "pci/device.h"

#include <stdbool.h>
#include <stdint.h>

/* What a hop is. It follows from the port types of the capabilities, never from ids. */
enum pci_hop_kind {
    PCI_HOP_UNKNOWN = 0, /* an end no longer answers, or its port type cannot be */
    PCI_HOP_INTERNAL,    /* inside the root complex or a switch: no link */
    PCI_HOP_LINK,        /* a PCI Express link */
    PCI_HOP_BUS,         /* a conventional bus, PCI or PCI-X */
    PCI_HOP_UPLINK,      /* from the processor to its chipset */
};

/* The name of a chipset's uplink. No specification is public; they are PCI Express in kind. */
enum pci_uplink {
    PCI_UPLINK_NONE = 0,
    PCI_UPLINK_DMI,    /* Intel; on boards with an I/O hub also called ESI */
    PCI_UPLINK_A_LINK, /* AMD and ATI: A-Link Express */
    PCI_UPLINK_UMI,    /* AMD */
};

/*
 * One end of a hop. Registers are as read; those of an absent part are 0. A speed is 1 for 2.5
 * GT/s, 2 for 5, 3 for 8, 4 for 16, 5 for 32, 6 for 64; speed and width 0: the end does not say.
 */
struct pci_end {
    int32_t index; /* in the walk's list; PCI_NO_PARENT: there is no function at this end */
    struct pci_address address;
    uint16_t vendor_id;
    uint16_t device_id;
    bool answers;   /* false: all ones now; removed, or powered down */
    bool hidden;    /* it has capabilities, but they read as all ones: a dump taken without root */
    bool has_pcie;  /* a PCI Express capability that can be read */
    bool has_link;  /* link registers; root complex integrated functions have none */
    bool has_link2; /* Link Capabilities 2 and Link Control 2; version 2 of the capability */
    bool has_slot;  /* the port has a slot */
    bool has_aer;   /* Advanced Error Reporting, within reach */
    bool is_tunnel; /* its link is a tunnel through Thunderbolt: always reported as 2.5 GT/s */

    uint8_t version;   /* PCI Express Capabilities 3:0 */
    uint8_t port_type; /* PCI Express Capabilities 7:4 */
    uint16_t dev_ctl;
    uint32_t dev_cap;
    uint16_t dev_sta;
    uint16_t lnk_ctl;
    uint32_t lnk_cap;
    uint16_t lnk_sta;
    uint16_t lnk_ctl2;
    uint32_t lnk_cap2;
    uint32_t aer_uncorrectable; /* Uncorrectable Error Status */
    uint32_t aer_correctable;   /* Correctable Error Status */

    /* Decoded from these. */
    uint8_t speed; /* in force */
    uint8_t width;
    uint8_t speed_max; /* the highest of Link Capabilities 2 if it names any, else of lnk_cap */
    uint8_t width_max;
    uint16_t payload_bytes;     /* Max_Payload_Size set; 0: a reserved value */
    uint16_t payload_max_bytes; /* Max_Payload_Size supported; 0: a reserved value */
    uint16_t request_bytes;     /* Max_Read_Request_Size set; 0: a reserved value */
    uint16_t rcb_bytes;         /* Read Completion Boundary: 64 or 128 */
    uint8_t aspm;               /* switched on: bit 0 L0s, bit 1 L1 */
    uint8_t aspm_supported;
    bool common_clock;
    bool ecrc; /* generates ECRC */
    uint16_t slot_number;
    uint32_t slot_power_mw; /* Slot Power Limit in milliwatts; 0: none set */
};

/* Protocol of a conventional bus (PCI-X Protocol Addendum 2.0a, section 8.6.2.2). */
enum pci_bus_mode {
    PCI_BUS_CONVENTIONAL = 0,
    PCI_BUS_PCIX,     /* mode 1, parity */
    PCI_BUS_PCIX_ECC, /* mode 1, ECC */
    PCI_BUS_PCIX_266, /* mode 2: two data phases a clock */
    PCI_BUS_PCIX_533, /* mode 2: four */
};

/* A conventional bus. All zero for the other kinds of hop. */
struct pci_bus {
    bool has_pcix;            /* the bridge has the PCI-X capability */
    uint16_t pcix_sec_status; /* its Secondary Status */
    bool bridge_66mhz;        /* Secondary Status of the bridge: 66 MHz capable */
    bool device_66mhz;        /* Status of the function below */
    bool others_66mhz;        /* Status of every other function of that bus */
    bool clock_known;         /* false: the clock is at most that; conventional PCI shows no more */
    bool width_known;         /* false: 4 bytes are what is usual */
    uint8_t clock_thirds; /* clock in units of 100/3 MHz: 1 for 33 MHz, 2 for 66, 3, 4 for 133 */
    uint8_t width_bytes;  /* 4 or 8 */
    enum pci_bus_mode mode;
};

/* A function that shares a hop with the path's own. */
struct pci_neighbour {
    struct pci_address address;
    uint16_t vendor_id;
    uint16_t device_id;
    uint8_t class_base;
    uint8_t class_sub;
    uint8_t prog_if;
};

#define PCI_HOP_SHARED_MAX 16

struct pci_hop {
    enum pci_hop_kind kind;
    /* The end nearer the processor. Of the first hop: no function, or the host bridge if that
     * shows the upper end of the chipset's uplink. */
    struct pci_end above;
    struct pci_end below;
    /* The function's bus is not the secondary bus of the port above: something in between does not
     * show itself. */
    bool indirect;

    /* Links and uplinks. */
    uint8_t speed; /* in force: the lower of what the ends say; 0: neither says */
    uint8_t width;
    uint8_t speed_max; /* what both ends can do; 0: neither says */
    uint8_t width_max;
    bool ends_differ; /* the two ends report different speeds or widths */
    /* Speed and width are not what the wires do: what a chipset is known for, or a tunnel's. */
    bool nominal;
    enum pci_uplink uplink;

    struct pci_bus bus;

    /* Functions behind this hop that are neither on the path nor bridges: all counted, the first
     * ones kept. None for PCI_HOP_INTERNAL. */
    uint32_t shared_count;
    struct pci_neighbour shared[PCI_HOP_SHARED_MAX];
};

#define PCI_PATH_HOPS_MAX 16

/*
 * hops[0] leads from the processor to a function of the root bus, the last hop to the function
 * itself. The end below a hop is the end above the next.
 */
struct pci_path {
    uint32_t count;
    struct pci_hop hops[PCI_PATH_HOPS_MAX];
};

#endif
