/*
 * A configuration space that an input describes as a list of orders, so that a change of one byte
 * is a change of one fact: another bridge, another capability, another link.
 */
#ifndef TESTS_FUZZ_SPACE_H
#define TESTS_FUZZ_SPACE_H

#include "pci/config.h"
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>
#include <stdint.h>

#define SPACE_FUNCTIONS_MAX 48
#define SPACE_CHANGES       16

/* The first byte of an input. */
enum space_flag {
    SPACE_CHANGING = 0x01, /* reads of one register differ */
    SPACE_GHOSTS = 0x02,   /* so do those of functions that are not there */
    SPACE_SHORT = 0x04,    /* only 256 bytes can be reached */
    SPACE_STUCK = 0x08,    /* writes do nothing */
    SPACE_CROWDED = 0x10,  /* the walk's list has room for few functions */
};

/*
 * An order is its number and what follows it, one byte each unless said otherwise. `count` bytes
 * follow those that end in it. All but the first two change the function added last.
 */
enum space_order {
    SPACE_FUNCTION,   /* bus, device and function */
    SPACE_BRIDGE,     /* bus, device and function, secondary, subordinate bus */
    SPACE_CAP,        /* offset, id, count: a capability, first in the list */
    SPACE_PCIE,       /* port type, flags, speed, width, sizes: PCI Express at 40h */
    SPACE_EXT_CAP,    /* offset (2 bytes), id, count: an extended capability, the second */
    SPACE_POKE,       /* offset (2 bytes), count */
    SPACE_BAR,        /* index, value's upper byte, type, lowest bit that can be written */
    SPACE_EVERYWHERE, /* answers to every free device number of its bus */
    SPACE_ORDERS
};

struct space_function {
    uint32_t bar_mask[6]; /* bits that can be written */
    uint8_t data[4096];
};

struct space {
    struct space_function functions[SPACE_FUNCTIONS_MAX];
    uint32_t count;
    uint8_t index[1 << 16]; /* by bus, device and function: 0, or place in the list + 1 */
    uint8_t flags;
    uint8_t start_bus;
    uint8_t end_bus;
    uint8_t gone_at_write; /* from this write on nothing answers; 255: never */
    uint8_t choice;        /* for whoever has to choose one function */
    uint8_t changes[SPACE_CHANGES];
    bool read_only; /* a write ends the program */
    uint32_t reads;
    uint32_t writes;
};

/* Makes *space what `data` says, whatever it was. It must have been all zero once. */
void space_build(struct space *space, const uint8_t *data, size_t size);

/*
 * Access to it. Ends the program on accesses that are unaligned or out of reach, and on writes to
 * anything but Command and the base address registers, or of ones to Status.
 */
struct pci_config space_config(struct space *space);

/* Two reads of a register agree, and what is written to a register that can be written stays. */
bool space_is_steady(const struct space *space);

#endif
