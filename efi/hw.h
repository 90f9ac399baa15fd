/* What the machine's side of the seam offers to this room beyond hw/. */
#ifndef EFI_HW_H
#define EFI_HW_H

#include "hw/clock.h"

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>

/* A free-running counter: an I/O port or a memory address. */
struct hw_counter {
    bool memory;
    uint64_t address;
};

/* Reads it between two tick readings. */
void hw_counter_bracket(const struct hw_counter *counter, struct hw_bracket *ret_bracket);

void hw_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret_registers[4]);

/*
 * The PCI function that DMA memory obtained from now on is for; NULL: none the firmware knows.
 */
void hw_dma_device(EFI_PCI_IO_PROTOCOL *device);

#endif
