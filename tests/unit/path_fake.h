/* Paths put together by hand: ports, links, buses and uplinks of given speed and width. */
#ifndef TESTS_UNIT_PATH_FAKE_H
#define TESTS_UNIT_PATH_FAKE_H

#include "pci/path.h"
#include "pci/regs.h"

#include <stdlib.h>

/* An end with a link, PCI Express capability version 2, payload 128 of 128. */
static inline struct pci_end fake_end(unsigned bus, unsigned device, unsigned port_type,
                                      unsigned speed, unsigned width)
{
    return (struct pci_end){
        .index = (int32_t)(bus * 32 + device),
        .address = {0, (uint8_t)bus, (uint8_t)device, 0},
        .vendor_id = 0x1234,
        .device_id = (uint16_t)(0x1000 + port_type),
        .answers = true,
        .has_pcie = true,
        .has_link = true,
        .has_aer = true,
        .version = 2,
        .port_type = (uint8_t)port_type,
        .speed = (uint8_t)speed,
        .width = (uint8_t)width,
        .speed_max = (uint8_t)speed,
        .width_max = (uint8_t)width,
        .payload_bytes = 128,
        .payload_max_bytes = 128,
        .request_bytes = 512,
        .rcb_bytes = 64,
    };
}

/* The first hop: from the processor to a root port on bus 0, no link. */
static inline struct pci_path fake_path(struct pci_end first)
{
    struct pci_path path = {.count = 1};

    path.hops[0] = (struct pci_hop){
        .kind = PCI_HOP_INTERNAL, .above = {.index = PCI_NO_PARENT}, .below = first};
    return path;
}

/* One more hop; a link has the lower speed and width of its ends, and what both can do at most. */
static inline struct pci_hop *fake_hop(struct pci_path *path, enum pci_hop_kind kind,
                                       struct pci_end below)
{
    struct pci_hop *hop = &path->hops[path->count];
    const struct pci_end *above = &path->hops[path->count - 1].below;

    *hop = (struct pci_hop){.kind = kind, .above = *above, .below = below};
    if (kind == PCI_HOP_LINK) {
        hop->speed = above->speed < below.speed ? above->speed : below.speed;
        hop->width = above->width < below.width ? above->width : below.width;
        hop->speed_max = above->speed_max < below.speed_max ? above->speed_max : below.speed_max;
        hop->width_max = above->width_max < below.width_max ? above->width_max : below.width_max;
    }
    path->count++;
    return hop;
}

/* Root port 00:1c.0 and a controller 01:00.0, both of the same link. */
static inline struct pci_path fake_lane(unsigned speed, unsigned width)
{
    struct pci_path path = fake_path(fake_end(0, 0x1c, PCIE_TYPE_ROOT_PORT, speed, width));

    fake_hop(&path, PCI_HOP_LINK, fake_end(1, 0, PCIE_TYPE_LEGACY_ENDPOINT, speed, width));
    return path;
}

#endif
