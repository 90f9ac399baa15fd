/*
 * The only place of the program where a command to a drive is built. Which commands exist is a
 * closed list in command.c; none of them writes to a medium or changes a setting.
 */
#ifndef DRIVERS_AHCI_COMMAND_H
#define DRIVERS_AHCI_COMMAND_H

#include "base/status.h"
#include "drivers/ahci/regs.h"

#include <stdint.h>

/* Where a slot's command lies: the header in the list, and the table with its bus address. */
struct ahci_slot {
    struct ahci_header *header;
    struct ahci_table *table;
    uint32_t table_bus;
};

struct ahci_command {
    uint8_t opcode;
    uint8_t tag;    /* READ FPDMA QUEUED only, equal to the slot; else 0 */
    uint32_t count; /* sectors; 0 for the IDENTIFY commands */
    uint64_t lba;   /* for READ LOG EXT: log address in bits 7:0, page in bits 15:8 */
    uint64_t bus;   /* destination, even, below 4 GiB */
    uint32_t bytes; /* to be transferred, even */
};

/*
 * Builds the command in the slot's memory. STATUS_INVALID, with nothing written: the opcode is not
 * on the list, or address, count, tag or destination are outside of what the list allows it.
 */
enum status ahci_command_build(const struct ahci_slot *slot,
                               const struct ahci_command *command) MUST_CHECK;

/* Specification name of a listed opcode ("READ DMA EXT"), else "refused command". Never NULL. */
const char *ahci_command_name(uint8_t opcode);

#endif
