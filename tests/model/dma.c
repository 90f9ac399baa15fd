/* DMA memory. Bus addresses have nothing to do with CPU addresses, and gaps lie between blocks. */
#include "tests/model/internal.h"

#include "hw/dma.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAGE   4096u
#define BLOCKS 256u
#define FIRST  UINT64_C(0x10000000)

static struct block {
    void *cpu;
    uint64_t bus;
    size_t bytes;
} blocks[BLOCKS];

static uint64_t next_bus = FIRST;
static unsigned fail_in = MODEL_NEVER;

void model_dma_reset(void)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        free(blocks[i].cpu);
        blocks[i] = (struct block){.cpu = NULL};
    }
    next_bus = FIRST;
    fail_in = MODEL_NEVER;
}

unsigned model_dma_live(void)
{
    unsigned live = 0;

    for (unsigned i = 0; i < BLOCKS; i++)
        live += blocks[i].cpu != NULL;
    return live;
}

void model_dma_fail_at(unsigned n)
{
    fail_in = n;
}

static struct block *find(uint64_t bus, size_t bytes)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        if (blocks[i].cpu != NULL && bus >= blocks[i].bus &&
            bus - blocks[i].bus < blocks[i].bytes &&
            bytes <= blocks[i].bytes - (bus - blocks[i].bus))
            return &blocks[i];
    return NULL;
}

bool model_dma_covers(uint64_t bus, size_t bytes)
{
    return find(bus, bytes) != NULL;
}

void *model_dma_at(uint64_t bus, size_t bytes, const char *what)
{
    struct block *block = find(bus, bytes);

    if (block == NULL)
        model_violation("%s: bus address %" PRIx64 " of %zu bytes is not DMA memory", what, bus,
                        bytes);
    return (uint8_t *)block->cpu + (bus - block->bus);
}

enum status hw_dma_alloc(size_t bytes, struct hw_dma *ret_dma)
{
    size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;

    if (fail_in != MODEL_NEVER && fail_in-- == 0) {
        fail_in = MODEL_NEVER;
        return STATUS_NO_MEMORY;
    }
    if (bytes == 0 || next_bus + whole + 3 * PAGE > UINT32_MAX)
        return STATUS_NO_MEMORY;
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (blocks[i].cpu != NULL)
            continue;
        blocks[i].cpu = aligned_alloc(PAGE, whole);
        if (blocks[i].cpu == NULL)
            return STATUS_NO_MEMORY;
        memset(blocks[i].cpu, 0, whole);
        blocks[i].bus = next_bus;
        blocks[i].bytes = whole;
        next_bus += whole + 3 * PAGE;
        *ret_dma = (struct hw_dma){
            .cpu = blocks[i].cpu, .bus = blocks[i].bus, .bytes = whole, .mapping = &blocks[i]};
        return STATUS_OK;
    }
    return STATUS_NO_MEMORY;
}

void hw_dma_free(struct hw_dma *dma)
{
    struct block *block = dma->mapping;

    if (dma->cpu == NULL)
        return;
    if (block == NULL || block->cpu != dma->cpu || block->bus != dma->bus)
        model_violation("memory freed that was not allocated");
    model_hba_check_free(block->bus, block->bytes);
    free(block->cpu);
    *block = (struct block){.cpu = NULL};
    *dma = (struct hw_dma){.cpu = NULL};
}

void hw_dma_barrier(void)
{
}
