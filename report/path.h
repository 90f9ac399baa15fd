/*
 * Paths and their ceilings in words and as a drawn chain: for result.txt, the screen, and the
 * host's tools. ASCII, at most 79 columns, LF.
 */
#ifndef REPORT_PATH_H
#define REPORT_PATH_H

#include "base/text.h"
#include "pci/path.h"

#include <stdbool.h>
#include <stdint.h>

/* "2.5", "5", ... for a speed code, "?" for none. In GT/s. */
const char *path_speed(unsigned speed);

/* "PCIe link 00:1c.4 - 05:00.0", "DMI uplink of the chipset", "PCI bus 05", ... */
void path_hop_name(struct text *text, const struct pci_path *path, uint32_t hop);

/* For result files: "link", "bus", "uplink", "internal", "unknown". */
const char *path_kind_name(enum pci_hop_kind kind);

/* "DMI", "A-Link", "UMI"; "" for none. */
const char *path_uplink_name(enum pci_uplink uplink);

/* "PCI", "PCI-X", "PCI-X ECC", "PCI-X 266", "PCI-X 533". */
const char *path_bus_mode_name(enum pci_bus_mode mode);

/* "root port", "switch upstream port", ...; "" without the capability. */
const char *path_port_name(const struct pci_end *end);

/* "00:1c.4", with the segment before it unless that is 0. */
#define PATH_ADDRESS_BYTES 13
void path_address(const struct pci_address *address, char ret_name[PATH_ADDRESS_BYTES]);

/* The figures at the end of a line of the chain, in bytes per second. */
struct path_figures {
    bool known; /* raw and ceiling are */
    uint64_t raw;
    uint64_t ceiling;
    bool measured; /* so is permille: measured / ceiling */
    uint64_t permille;
    uint64_t from_memory; /* ceiling of the other direction, in place of what was measured */
    const char *mark;     /* "" or what ends the line, at most 8 characters */
};

/*
 * The names of the columns behind a title. With `measured` the last one is the share of the ceiling
 * that was measured, else the ceiling from memory.
 */
void path_heading(struct text *text, const char *title, bool measured);

/* The function below hop `hop`, and the hop above it. */
void path_end(struct text *text, const struct pci_end *end);
void path_hop(struct text *text, const struct pci_path *path, uint32_t hop,
              const struct path_figures *figures);

/* A line of the chain with other words, cut to their room: the SATA link, the drive. */
void path_line(struct text *text, const char *words, const struct path_figures *figures);

#endif
