/*
 * A machine's configuration space, read from the text that `lspci -xxxx` prints and `lspci -F`
 * reads (pciutils, lspci(8)).
 *
 * A slot line "[dddd:]bb:dd.f ..." opens a function; rows "ooo: xx xx ..." of 16 bytes at most give
 * its bytes, "ooo" being a multiple of 16. Both begin at the left edge. Every other line is text.
 */
#ifndef HOST_DUMP_H
#define HOST_DUMP_H

#include "base/status.h"
#include "pci/config.h"
#include "pci/device.h"
#include "pci/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Slot lines beyond this are not read; large servers have a few thousand. */
#define HOST_DUMP_FUNCTIONS_MAX 16384u

/* Characters beyond this are not read. */
#define HOST_DUMP_FILE_BYTES_MAX (256u << 20)

struct host_dump_function {
    struct pci_address address;
    uint16_t bytes;     /* end of the last row; 0: the dump gives none */
    bool reached;       /* host_dump_walk found it */
    uint32_t position;  /* among the slot lines of the file */
    uint8_t data[4096]; /* ff where no row says otherwise */
};

struct host_dump {
    struct host_dump_function **functions; /* by address; each its own allocation */
    size_t count;
    size_t skipped;  /* functions of domains above ffffh: numbers that Linux makes up (Intel VMD) */
    size_t repeated; /* slot lines whose function stands elsewhere in the file too */
};

/*
 * Reads a dump to its end into *dump, whose old content is dropped, not freed. Free it whatever the
 * status. Of a function that stands more than once the longest counts, of equals the first.
 * STATUS_NOT_FOUND: no row of any function; the functions are there. STATUS_FULL: beyond a limit
 * above. STATUS_DEVICE: the file cannot be read, errno says why. STATUS_NO_MEMORY.
 */
enum status host_dump_read(struct host_dump *dump, FILE *file) MUST_CHECK;

void host_dump_free(struct host_dump *dump);

/* NULL: the dump does not have it. */
const struct host_dump_function *host_dump_find(const struct host_dump *dump,
                                                struct pci_address address);

/*
 * Configuration space over *dump, which must outlive it. What the dump does not have reads all
 * ones; writes are ignored. Reach is 4096 on a bus one of whose functions has more than 256 bytes,
 * else 256, also on an empty bus: an empty bus is no fault of the tree.
 */
struct pci_config host_dump_config(struct host_dump *dump);

/*
 * Walks each segment of the dump, from the lowest bus that it has there, into *tree (start with
 * count and oddities 0). Never more functions than dump->count. STATUS_FULL: more than
 * tree->capacity.
 */
enum status host_dump_walk(struct host_dump *dump, struct pci_tree *tree) MUST_CHECK;

#endif
