/*
 * The seam to memory that a device reads and writes by itself. Implemented by efi/ and by
 * tests/model/.
 */
#ifndef HW_DMA_H
#define HW_DMA_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct hw_dma {
    void *cpu;     /* where the program sees it; NULL: none */
    uint64_t bus;  /* where the device sees it; below 4 GiB, not equal to `cpu` in general */
    size_t bytes;  /* whole pages */
    void *mapping; /* belongs to the implementation */
};

/*
 * Zeroed memory of at least `bytes`, 4 KiB aligned on both sides, wholly below 4 GiB on the bus
 * (every AHCI controller reaches that; CAP.S64A is not needed). STATUS_NO_MEMORY without it.
 */
enum status hw_dma_alloc(size_t bytes, struct hw_dma *ret_dma) MUST_CHECK;

/* Gives it back and clears *dma. The device must no longer use it. Nothing happens on an empty one.
 */
void hw_dma_free(struct hw_dma *dma);

/* All stores before it are visible to the device before any later register write. */
void hw_dma_barrier(void);

#endif
