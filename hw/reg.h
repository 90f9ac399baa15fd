/*
 * The seam to device registers: memory-mapped windows and I/O ports.
 *
 * Declared here, implemented twice: by efi/ on the machine and by tests/model/ on a model, chosen
 * when the program is linked. Accesses are aligned 32-bit ones only; some AHCI controllers corrupt
 * narrower ones.
 */
#ifndef HW_REG_H
#define HW_REG_H

#include <stdint.h>

/* A range of device memory. The caller keeps offsets below `bytes` and 4-byte aligned. */
struct hw_window {
    uint64_t base;  /* CPU physical address */
    uint64_t bytes; /* 0: no window */
};

uint32_t hw_reg_read(const struct hw_window *window, uint32_t offset);
void hw_reg_write(const struct hw_window *window, uint32_t offset, uint32_t value);

/* 32-bit accesses to x86 I/O ports. */
uint32_t hw_port_read(uint16_t port);
void hw_port_write(uint16_t port, uint32_t value);

#endif
