/* Building commands (ATA/ATAPI Command Set-4, section 7; Serial ATA 3.x, 10.3.4 and 13.6). */
#include "drivers/ahci/command.h"

#include "drivers/ahci/limits.h"

#include <stdbool.h>
#include <stddef.h>

struct opcode {
    uint8_t code;
    bool ext;    /* 48-bit addresses and 16-bit counts */
    bool queued; /* count travels in the features field, the tag in the count field */
    uint32_t count_min, count_max;
    uint64_t lba_min, lba_max;
    const char *name;
};

/* Everything this program can say to a drive. */
static const struct opcode opcodes[] = {
    {ATA_IDENTIFY_DEVICE, false, false, 0, 0, 0, 0, "IDENTIFY DEVICE"},
    {ATA_IDENTIFY_PACKET_DEVICE, false, false, 0, 0, 0, 0, "IDENTIFY PACKET DEVICE"},
    {ATA_READ_DMA, false, false, 1, AHCI_LIMIT_COMMAND_SECTORS_28, 0, AHCI_LIMIT_SECTORS_28,
     "READ DMA"},
    {ATA_READ_DMA_EXT, true, false, 1, AHCI_LIMIT_COMMAND_SECTORS, 0, AHCI_LIMIT_SECTORS_48,
     "READ DMA EXT"},
    {ATA_READ_FPDMA_QUEUED, true, true, 1, AHCI_LIMIT_COMMAND_SECTORS, 0, AHCI_LIMIT_SECTORS_48,
     "READ FPDMA QUEUED"},
    {ATA_READ_LOG_EXT, true, false, 1, 1, 0, 0xffff, "READ LOG EXT"},
};

/* The logs that may be read: directory, statistics, queued error, IDENTIFY DEVICE data. */
static const struct {
    uint8_t address;
    uint8_t page_max;
} logs[] = {{0x00, 0}, {0x04, 7}, {ATA_LOG_QUEUED_ERROR, 0}, {0x30, 8}};

static const struct opcode *find(uint8_t code)
{
    for (size_t i = 0; i < COUNT_OF(opcodes); i++)
        if (opcodes[i].code == code)
            return &opcodes[i];
    return NULL;
}

static bool is_allowed_log(uint64_t lba)
{
    for (size_t i = 0; i < COUNT_OF(logs); i++)
        if ((lba & 0xff) == logs[i].address)
            return lba >> 8 <= logs[i].page_max;
    return false;
}

static bool is_allowed(const struct opcode *opcode, const struct ahci_command *command)
{
    if (command->count < opcode->count_min || command->count > opcode->count_max)
        return false;
    if (command->lba < opcode->lba_min || command->lba > opcode->lba_max)
        return false;
    if (opcode->code == ATA_READ_LOG_EXT && !is_allowed_log(command->lba))
        return false;
    if (command->tag > (opcode->queued ? 31 : 0))
        return false;
    if (command->bytes == 0 || command->bytes > AHCI_LIMIT_COMMAND_BYTES)
        return false;
    if ((command->bytes & 1) != 0 || (command->bus & 1) != 0)
        return false;
    return command->bus <= UINT32_MAX && UINT32_MAX - command->bus >= command->bytes - 1;
}

/* A count of 256 or 65,536 is sent as 0; the truncation to 8 or 16 bits does that by itself. */
static void fill_fis(uint8_t *fis, const struct opcode *opcode, const struct ahci_command *command)
{
    uint64_t lba = command->lba;
    uint32_t count = opcode->queued ? (uint32_t)command->tag << 3 : command->count;
    uint32_t features = opcode->queued ? command->count : 0;

    for (unsigned i = 0; i < AHCI_FIS_BYTES; i++)
        fis[i] = 0;
    fis[AHCI_FIS_TYPE] = AHCI_FIS_TYPE_H2D;
    fis[AHCI_FIS_FLAGS] = AHCI_FIS_FLAGS_C;
    fis[AHCI_FIS_COMMAND] = opcode->code;
    fis[AHCI_FIS_FEATURES] = (uint8_t)features;
    fis[AHCI_FIS_FEATURES_EXP] = (uint8_t)(features >> 8);
    fis[AHCI_FIS_COUNT] = (uint8_t)count;
    for (unsigned i = 0; i < 3; i++)
        fis[AHCI_FIS_LBA + i] = (uint8_t)(lba >> 8 * i);
    if (opcode->count_max > 0)
        fis[AHCI_FIS_DEVICE] = AHCI_FIS_DEVICE_LBA;
    if (opcode->ext) {
        fis[AHCI_FIS_COUNT + 1] = (uint8_t)(count >> 8);
        for (unsigned i = 0; i < 3; i++)
            fis[AHCI_FIS_LBA_EXP + i] = (uint8_t)(lba >> (24 + 8 * i));
    } else {
        fis[AHCI_FIS_DEVICE] |= (uint8_t)(lba >> 24 & 0xf);
    }
}

enum status ahci_command_build(const struct ahci_slot *slot, const struct ahci_command *command)
{
    const struct opcode *opcode = find(command->opcode);
    uint32_t left = command->bytes;
    uint32_t bus = (uint32_t)command->bus;
    uint32_t prds = 0;

    if (opcode == NULL || !is_allowed(opcode, command))
        return STATUS_INVALID;
    fill_fis(slot->table->cfis, opcode, command);
    while (left > 0) {
        struct ahci_prd *prd = &slot->table->prd[prds++];
        uint32_t bytes = left < AHCI_PRD_BYTES_MAX ? left : AHCI_PRD_BYTES_MAX;

        prd->dba = bus;
        prd->dbau = 0;
        prd->dbc = bytes - 1;
        bus += bytes;
        left -= bytes;
    }
    /* W, the direction "to the drive", is in no code path of this program. */
    slot->header->dw0 = AHCI_FIS_BYTES / 4 | prds << AHCI_HEADER_PRDTL;
    slot->header->prdbc = 0;
    slot->header->ctba = slot->table_bus;
    slot->header->ctbau = 0;
    return STATUS_OK;
}

const char *ahci_command_name(uint8_t opcode)
{
    const struct opcode *found = find(opcode);

    return found != NULL ? found->name : "refused command";
}

_Static_assert(AHCI_LIMIT_COMMAND_BYTES / AHCI_PRD_BYTES_MAX <= AHCI_PRDS, "every command fits");
