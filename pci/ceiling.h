/*
 * What a hop can carry at most, in bytes per second, computed from its link state: the line rate
 * less what no transfer can avoid. METHOD.md derives the formulas. Integers only; figures are
 * rounded to nearest.
 *
 * To memory is the direction of a drive's reads, from memory that of its writes.
 */
#ifndef PCI_CEILING_H
#define PCI_CEILING_H

#include "pci/path.h"

#include <stdbool.h>
#include <stdint.h>

/* Header of a memory request in bytes: 3 dwords for addresses below 4 GiB, else 4. */
#define PCI_TLP_HEADER_3DW 12
#define PCI_TLP_HEADER_4DW 16

/* How data is cut into packets on the way. */
struct pci_packets {
    uint16_t header_bytes;  /* of requests: PCI_TLP_HEADER_3DW or _4DW; completions have 12 */
    uint16_t payload_bytes; /* Max_Payload_Size usable */
    uint16_t request_bytes; /* Max_Read_Request_Size */
    uint16_t rcb_bytes;     /* Read Completion Boundary */
    bool ecrc_to_memory;    /* the function adds ECRC to its requests */
    bool ecrc_from_memory;  /* the root port adds ECRC to its completions */
};

/* All 0 when nothing can be said. */
struct pci_ceiling {
    bool known;
    uint64_t raw_bytes_per_s; /* one direction, line coding taken off; nothing else */
    uint64_t to_memory_bytes_per_s;
    uint64_t from_memory_bytes_per_s;     /* completions as long as the payload size allows */
    uint64_t from_memory_rcb_bytes_per_s; /* completions cut at every read completion boundary */
};

/*
 * A PCI Express link. Unknown: speed code 0 or above 5 (64 GT/s has other framing), width 0, a size
 * of 0 among the packets. (PCI Express Base 5.0, sections 2.2, 3.6.2, 4.2.)
 */
struct pci_ceiling pci_ceiling_link(unsigned speed, unsigned width,
                                    const struct pci_packets *packets);

/*
 * A conventional bus, shared by all on it and by both directions. The ceiling takes the longest
 * bursts and the fewest lost clocks; reads of memory are slower by a latency that no register
 * shows. (PCI 3.0, section 3.3; PCI-X Protocol Addendum 2.0a, section 2.)
 */
struct pci_ceiling pci_ceiling_bus(const struct pci_bus *bus);

/*
 * Bytes per second of a bus of `width_bytes` and clock_thirds * 100/3 MHz with `phases` data phases
 * and `lost` other clocks a burst; 0 if a burst has neither.
 */
uint64_t pci_ceiling_burst(unsigned width_bytes, unsigned clock_thirds, unsigned phases,
                           unsigned lost);

/* Dwords of primitives between two Data FISes of a SATA link: at least these. */
#define PCI_SATA_TURNAROUND_MIN 6

/*
 * A SATA link of generation 1 (1.5 Gb/s), 2 (3) or 3 (6) with full Data FISes and `turnaround`
 * dwords of handshake around each; 0: another generation. (Serial ATA 3.1, sections 9 and 10.)
 */
uint64_t pci_ceiling_sata(unsigned generation, unsigned turnaround);

#define PCI_NO_HOP (-1)

struct pci_path_ceiling {
    struct pci_packets packets;
    struct pci_ceiling hops[PCI_PATH_HOPS_MAX]; /* of the path's hops, in their order */
    /* The hop with the lowest ceiling, of equals the one nearest the root; PCI_NO_HOP: none is
     * known. The path's ceiling is that of the hop. */
    int32_t to_memory_hop;
    int32_t from_memory_hop;
};

/*
 * How packets are cut on this path: a packet is never cut again on its way, so the smallest payload
 * size set at any end counts; 128 where none is readable. The request size is the function's own,
 * or of the PCIe-to-PCI bridge that asks for it; 512 where none is readable.
 */
struct pci_packets pci_ceiling_packets(const struct pci_path *path, uint16_t header_bytes);

/* Ceilings of all hops of *path, and which is the lowest. */
void pci_ceiling_path(const struct pci_path *path, uint16_t header_bytes,
                      struct pci_path_ceiling *ret_ceiling);

#endif
