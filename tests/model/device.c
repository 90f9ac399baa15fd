/* Commands: what the controller fetches from memory, and what the drive does with it. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "base/math.h"
#include "drivers/ahci/regs.h"

#include <inttypes.h>
#include <string.h>

#define TFD_READY 0x50u
#define TFD_ERROR 0x41u
#define ERR_ABRT  0x04u
#define ERR_IDNF  0x10u

static bool is_queued(const struct model_command *command)
{
    return command->opcode == ATA_READ_FPDMA_QUEUED;
}

static bool is_pio(const struct model_command *command)
{
    return command->opcode == ATA_IDENTIFY_DEVICE ||
           command->opcode == ATA_IDENTIFY_PACKET_DEVICE || command->opcode == ATA_READ_LOG_EXT;
}

void model_port_drop_commands(struct model_port *port)
{
    memset(port->commands, 0, sizeof port->commands);
    port->serving = -1;
    port->served_at = MODEL_NO_TIME;
    port->halted = false;
}

/* Sets the fields that the opcode gives; everything outside of the closed list is a violation. */
static void decode(const struct model_port *port, struct model_command *command, const uint8_t *fis)
{
    const struct model_disk *disk = &port->disk;
    uint64_t lba_28 = fis[4] | (uint64_t)fis[5] << 8 | (uint64_t)fis[6] << 16;
    uint64_t lba_48 =
        lba_28 | (uint64_t)fis[8] << 24 | (uint64_t)fis[9] << 32 | (uint64_t)fis[10] << 40;
    uint32_t count = fis[12] | (uint32_t)fis[13] << 8;
    uint32_t features = fis[3] | (uint32_t)fis[11] << 8;

    command->opcode = fis[2];
    command->lba = lba_48;
    command->sectors = count != 0 ? count : 65536;
    command->bytes = command->sectors * disk->logical_bytes;
    switch (fis[2]) {
    case ATA_IDENTIFY_DEVICE:
    case ATA_IDENTIFY_PACKET_DEVICE:
        if (lba_48 != 0 || count != 0 || features != 0 || fis[7] != 0)
            model_violation("IDENTIFY with arguments");
        command->bytes = 512;
        return;
    case ATA_READ_LOG_EXT:
        if (lba_48 != 0x10 || count != 1 || features != 0)
            model_violation("READ LOG EXT of another page than 10h");
        command->bytes = 512;
        return;
    case ATA_READ_DMA:
        if (fis[8] != 0 || fis[9] != 0 || fis[10] != 0 || fis[13] != 0 || features != 0)
            model_violation("READ DMA with 48-bit arguments");
        command->lba = lba_28 | (uint64_t)(fis[7] & 0xf) << 24;
        command->sectors = count != 0 ? count : 256;
        command->bytes = command->sectors * disk->logical_bytes;
        break;
    case ATA_READ_DMA_EXT:
        if (disk->no_lba48 || features != 0)
            model_violation("READ DMA EXT that the drive cannot take");
        break;
    case ATA_READ_FPDMA_QUEUED:
        if (disk->queue_depth == 0)
            model_violation("queued command to a drive without queue");
        command->sectors = features != 0 ? features : 65536;
        command->bytes = command->sectors * disk->logical_bytes;
        break;
    default:
        model_violation("opcode %02x", (unsigned)fis[2]);
    }
    if (port->hba->chip.command_bytes_max != 0 &&
        command->bytes > port->hba->chip.command_bytes_max)
        model_violation("a command of %" PRIu32 " bytes", command->bytes);
    if ((fis[7] & 0xf0) != 0x40)
        model_violation("device field %02x", (unsigned)fis[7]);
    if (disk->kind != MODEL_DISK_ATA)
        model_violation("read command to something that is no drive");
    if (command->lba >= disk->sectors || command->sectors > disk->sectors - command->lba)
        model_violation("read beyond the end: %" PRIu64 " + %" PRIu32, command->lba,
                        command->sectors);
}

static void check_prds(const struct ahci_prd *prd, const struct model_command *command)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < command->prds; i++) {
        if ((prd[i].dba & 1) != 0 || prd[i].dbau != 0 || prd[i].reserved != 0)
            model_violation("PRD %u: address or reserved bits", i);
        if ((prd[i].dbc & 1) == 0 || prd[i].dbc >= AHCI_PRD_BYTES_MAX)
            model_violation("PRD %u: byte count %" PRIx32, i, prd[i].dbc);
        model_dma_at(prd[i].dba, prd[i].dbc + 1, "PRD");
        total += prd[i].dbc + 1;
    }
    if (total != command->bytes)
        model_violation("PRDs hold %" PRIu64 " bytes, the command moves %" PRIu32, total,
                        command->bytes);
}

static void check_mix(const struct model_port *port, unsigned slot,
                      const struct model_command *command, unsigned tag)
{
    bool marked = (port->sact >> slot & 1) != 0;

    if (is_queued(command) != marked)
        model_violation("slot %u: PxSACT and the command disagree", slot);
    if (is_queued(command) && tag != slot)
        model_violation("tag %u in slot %u", tag, slot);
    if (is_queued(command) && slot >= port->disk.queue_depth)
        model_violation("tag %u beyond the drive's queue", slot);
    for (unsigned i = 0; i < 32; i++)
        if (i != slot && port->commands[i].pending &&
            (!is_queued(command) || !is_queued(&port->commands[i])))
            model_violation("queued and other commands mixed, or two unqueued ones");
}

void model_port_issue(struct model_port *port, unsigned slot)
{
    struct model_command command = {.pending = true, .sequence = port->sequence++};
    const struct ahci_header *header;
    const struct ahci_table *table;
    uint32_t outstanding = 0;

    command.header_bus = port->clb + slot * (uint32_t)sizeof *header;
    header = model_dma_at(command.header_bus, sizeof *header, "command header");
    command.table_bus = header->ctba;
    command.prds = header->dw0 >> AHCI_HEADER_PRDTL;
    if ((header->dw0 & AHCI_HEADER_W) != 0)
        model_violation("slot %u: the W bit", slot);
    if ((header->dw0 & 0xffff) != AHCI_FIS_BYTES / 4)
        model_violation("slot %u: header flags %" PRIx32, slot, header->dw0);
    if (header->prdbc != 0 || header->ctbau != 0 || header->ctba % 128 != 0)
        model_violation("slot %u: PRDBC or table address", slot);
    if (command.prds == 0)
        model_violation("slot %u: no PRD", slot);
    table = model_dma_at(command.table_bus,
                         offsetof(struct ahci_table, prd) + command.prds * sizeof table->prd[0],
                         "command table");
    if (table->cfis[0] != 0x27 || table->cfis[1] != 0x80 || table->cfis[15] != 0)
        model_violation("slot %u: not a command FIS", slot);
    decode(port, &command, table->cfis);
    check_prds(table->prd, &command);
    check_mix(port, slot, &command, table->cfis[12] >> 3);
    port->commands[slot] = command;
    port->hba->commands[command.opcode]++;
    if (is_queued(&command))
        port->ci &= ~BIT32(slot);
    for (unsigned i = 0; i < 32; i++)
        outstanding += port->commands[i].pending;
    if (outstanding > port->hba->most_outstanding)
        port->hba->most_outstanding = outstanding;
}

/* Lets an idle drive begin with one of its commands. */
void model_port_serve(struct model_port *port)
{
    const struct model_disk *disk = &port->disk;
    int chosen = -1;
    unsigned count = 0;

    if (port->serving >= 0 || port->halted || !port->engine || (port->ssts & 0xf) != 3 ||
        (port->tfd & AHCI_PX_TFD_BSY) != 0)
        return;
    if (port->hba->chip.dma_blocked || (port->hba->chip.cycles_fre && !port->receiver_is_fresh))
        return;
    for (int i = 0; i < 32; i++) {
        const struct model_command *command = &port->commands[i];

        if (!command->pending)
            continue;
        count++;
        if (chosen < 0 ||
            (disk->order == MODEL_ORDER_FIFO &&
             command->sequence < port->commands[chosen].sequence) ||
            (disk->order == MODEL_ORDER_LIFO &&
             command->sequence > port->commands[chosen].sequence) ||
            (disk->order == MODEL_ORDER_RANDOM && model_random() % count == 0))
            chosen = i;
    }
    if (chosen < 0)
        return;
    port->serving = chosen;
    port->served_at = model_now_ns() + disk->command_ns;
    if (disk->jitter_ns != 0)
        port->served_at += model_random() % disk->jitter_ns;
    if (disk->bytes_per_s != 0)
        port->served_at +=
            base_mul_div(port->commands[chosen].bytes, 1000000000, disk->bytes_per_s);
}

/* Why the drive refuses a command; 0: it does not. */
static uint8_t refusal(const struct model_port *port, const struct model_command *command)
{
    const struct model_disk *disk = &port->disk;

    if (command->opcode == ATA_READ_LOG_EXT)
        return disk->queue_depth == 0 || disk->log == MODEL_LOG_ABORTED || port->hba->chip.no_logs
                   ? ERR_ABRT
                   : 0;
    if (port->log_wanted)
        return ERR_ABRT;
    if (command->opcode == ATA_IDENTIFY_DEVICE)
        return disk->identify_fails || disk->kind != MODEL_DISK_ATA ? ERR_ABRT : 0;
    if (command->opcode == ATA_IDENTIFY_PACKET_DEVICE)
        return disk->kind != MODEL_DISK_ATAPI ? ERR_ABRT : 0;
    if (disk->locked)
        return ERR_ABRT;
    return disk->sectors_max != 0 && command->sectors > disk->sectors_max ? ERR_IDNF : 0;
}

static void transfer(struct model_port *port, const struct model_command *command, uint32_t bytes)
{
    const struct ahci_table *table = model_dma_at(command->table_bus, sizeof *table, "table");
    bool is_log = command->opcode == ATA_READ_LOG_EXT;
    bool is_identify =
        command->opcode == ATA_IDENTIFY_DEVICE || command->opcode == ATA_IDENTIFY_PACKET_DEVICE;
    uint8_t page[512];
    uint32_t at = 0;

    if (is_log)
        memcpy(page, port->log, sizeof page);
    if (is_identify)
        model_disk_identify(&port->disk, base_field(port->ssts, AHCI_PX_SSTS_SPD), page);
    for (unsigned i = 0; i < command->prds && at < bytes; i++) {
        uint32_t part = table->prd[i].dbc + 1 < bytes - at ? table->prd[i].dbc + 1 : bytes - at;
        void *to = model_dma_at(table->prd[i].dba, part, "transfer");

        if (is_log || is_identify)
            memcpy(to, page + at, part);
        else
            model_disk_read(&port->disk, command->lba + at / port->disk.logical_bytes, to, part);
        at += part;
    }
}

/* Status bits that come and mean nothing. */
static void make_noise(struct model_port *port)
{
    if (port->disk.noise == 0 || model_random() % 1000 >= port->disk.noise)
        return;
    port->is |= MODEL_NOISE_IS & (uint32_t)model_random();
    port->serr |= MODEL_NOISE_SERR & (uint32_t)model_random();
}

/* The command being served comes to its end. */
static void complete(struct model_port *port)
{
    unsigned slot = (unsigned)port->serving;
    struct model_command *command = &port->commands[slot];
    bool is_short = model_port_is_short(port, is_queued(command));
    uint32_t bytes = is_short ? command->bytes / 2 : command->bytes;
    uint8_t error;

    port->serving = -1;
    port->served_at = MODEL_NO_TIME;
    if (model_port_meet_fault(port, slot))
        return;
    if (command->opcode == ATA_READ_LOG_EXT && port->disk.log == MODEL_LOG_HANGS)
        return;
    error = refusal(port, command);
    if (error != 0) {
        model_port_end_with_error(port, slot, TFD_ERROR | (uint32_t)error << 8);
        return;
    }
    transfer(port, command, bytes);
    if (command->opcode == ATA_READ_LOG_EXT)
        port->log_wanted = false;
    command->pending = false;
    port->done_ns[slot] = model_now_ns();
    make_noise(port);
    port->tfd = TFD_READY;
    if (is_queued(command)) {
        port->sact &= ~BIT32(slot);
        port->is |= AHCI_PX_IS_SDBS;
    } else {
        struct ahci_header *header =
            model_dma_at(command->header_bus, sizeof *header, "command header");

        header->prdbc = port->hba->chip.miscounts ? 0 : bytes;
        port->ci &= ~BIT32(slot);
        model_port_post_status(port, command->lba);
        port->is |= is_pio(command) ? AHCI_PX_IS_PSS : AHCI_PX_IS_DHRS;
        if (port->hba->chip.posts_dhrs)
            port->is |= AHCI_PX_IS_DHRS;
    }
}

void model_port_complete_some(struct model_port *port)
{
    unsigned more = port->disk.batch > 1 ? (unsigned)(model_random() % port->disk.batch) : 0;

    complete(port);
    model_port_serve(port);
    for (; more > 0 && port->serving >= 0 && (port->sact >> port->serving & 1) != 0; more--) {
        complete(port);
        model_port_serve(port);
    }
}

void model_port_post_signature(struct model_port *port)
{
    port->fis_waits = false;
    port->ready = true;
    port->tfd = port->disk.kind == MODEL_DISK_ATAPI ? 0x0100 : 0x0150;
    if (port->hba->chip.busy_sticks)
        port->tfd |= AHCI_PX_TFD_BSY;
    if (port->hba->chip.late_sig_ns != 0)
        port->sig_at = model_now_ns() + port->hba->chip.late_sig_ns;
    else
        model_port_send_signature(port);
}

void model_port_send_signature(struct model_port *port)
{
    static const uint32_t signatures[] = {
        [MODEL_DISK_NONE] = AHCI_PX_SIG_NONE,
        [MODEL_DISK_ATA] = AHCI_PX_SIG_ATA,
        [MODEL_DISK_ATAPI] = AHCI_PX_SIG_ATAPI,
        [MODEL_DISK_MULTIPLIER] = AHCI_PX_SIG_MULTIPLIER,
        [MODEL_DISK_ENCLOSURE] = AHCI_PX_SIG_ENCLOSURE,
    };
    const struct model_chip *chip = &port->hba->chip;
    uint8_t *fis;

    port->sig_at = MODEL_NO_TIME;
    port->sig = port->disk.signature != 0 ? port->disk.signature : signatures[port->disk.kind];
    /* A receiver that a firmware left running writes to the firmware's memory. */
    if (chip->posts_no_fis || chip->dma_blocked || !model_dma_covers(port->fb, 256))
        return;
    fis = model_dma_at(port->fb, 256, "received FIS area");
    fis[0x40] = 0x34;
    fis[0x42] = (uint8_t)(port->tfd & ~AHCI_PX_TFD_BSY);
    fis[0x43] = 1;
}
