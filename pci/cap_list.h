/*
 * Capability lists of a function: the conventional one, and the extended one beyond the first 256
 * bytes of configuration space. Hostile lists end: no offset is visited twice, and ids and offsets
 * that cannot be are the end. (PCI 3.0, section 6.7; PCI Express Base 5.0, section 7.6.3.)
 */
#ifndef PCI_CAP_LIST_H
#define PCI_CAP_LIST_H

#include "base/status.h"
#include "pci/device.h"

#include <stdbool.h>
#include <stdint.h>

struct pci_config;

struct pci_cap {
    uint16_t offset; /* 40h to fch: conventional; 100h to ffch: extended */
    uint16_t id;     /* the two lists have ids of their own */
    uint8_t version; /* of extended ones, 0 to 15; else 0 */
};

/* A place in one list of one function; made by pci_cap_start or pci_ext_cap_start. */
struct pci_cap_cursor {
    const struct pci_config *config;
    struct pci_address address;
    bool extended;
    uint16_t next;                   /* offset of the next entry, a multiple of 4 */
    uint32_t visited[4096 / 4 / 32]; /* a bit for each dword */
};

/* Before the first conventional capability; costs two reads, or one if there is no list. */
struct pci_cap_cursor pci_cap_start(const struct pci_config *config,
                                    const struct pci_device *device);

/*
 * Before the first extended capability. The list is empty if they are out of reach, and without a
 * PCI Express capability: what lies above may be the header once more.
 */
struct pci_cap_cursor pci_ext_cap_start(const struct pci_config *config,
                                        const struct pci_device *device);

/* The next entry, with one read; false at the end of the list, and ever after. */
bool pci_cap_next(struct pci_cap_cursor *cursor, struct pci_cap *ret_cap);

/*
 * Offset of the first capability `id` of one list, 0 if it is not there. Reads no further than
 * that.
 */
uint16_t pci_cap_find(const struct pci_config *config, const struct pci_device *device, uint8_t id);
uint16_t pci_ext_cap_find(const struct pci_config *config, const struct pci_device *device,
                          uint16_t id);

/* Entries of both lists together at most: every dword but those of the header. */
#define PCI_CAP_LIST_MAX ((4096 - 64) / 4)

/*
 * Both lists in their order, the conventional one first, into `caps`; *count is the number of
 * entries there. STATUS_FULL: more than `capacity`; what fitted is there.
 */
enum status pci_cap_list_read(const struct pci_config *config, const struct pci_device *device,
                              struct pci_cap *caps, uint32_t capacity, uint32_t *count) MUST_CHECK;

#endif
