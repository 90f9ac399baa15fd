/* The null drive. It keeps the books a real one keeps, so that the engine's steps are the same. */
#include "drivers/null/null.h"

#include "base/bits.h"
#include "hw/clock.h"

static enum status prepare(struct drive *drive, uint32_t slot, const struct drive_read *read)
{
    struct null_drive *null = drive->self;
    uint32_t depth = read->command == DRIVE_READ_QUEUED ? drive->info.queue_depth : 1;

    if (slot >= depth || (null->started >> slot & 1) != 0 || (read->bus & 1) != 0)
        return STATUS_INVALID;
    if (read->sectors == 0 || read->sectors > drive->info.command_sectors_max)
        return STATUS_INVALID;
    if (read->lba >= drive->info.sectors || read->sectors > drive->info.sectors - read->lba)
        return STATUS_INVALID;
    null->prepared |= BIT32(slot);
    return STATUS_OK;
}

static enum status start(struct drive *drive, uint32_t slots, uint64_t *ret_t0)
{
    struct null_drive *null = drive->self;

    if (slots == 0 || (slots & ~null->prepared) != 0)
        return STATUS_INVALID;
    null->prepared &= ~slots;
    null->started |= slots;
    *ret_t0 = hw_ticks();
    return STATUS_OK;
}

static enum status await(struct drive *drive, uint32_t slots, uint64_t limit_ticks,
                         struct drive_done *ret_done)
{
    struct null_drive *null = drive->self;
    uint32_t done = slots & null->started;

    (void)limit_ticks;
    if (done == 0)
        return STATUS_INVALID;
    ret_done->t1 = hw_ticks();
    ret_done->slots = done;
    null->started &= ~done;
    return STATUS_OK;
}

static void poll(struct drive *drive)
{
    (void)drive;
}

static void look(struct drive *drive, struct drive_link *ret_link)
{
    (void)drive;
    *ret_link = (struct drive_link){.known = false};
}

static const struct drive_ops null_ops = {
    .prepare = prepare,
    .start = start,
    .await = await,
    .poll = poll,
    .look = look,
};

struct drive *null_drive_init(struct null_drive *null)
{
    *null = (struct null_drive){
        .drive =
            {
                .ops = &null_ops,
                .info =
                    {
                        .model = "null drive",
                        .sectors = UINT64_C(1) << 31, /* 1 TiB */
                        .logical_bytes = 512,
                        .physical_bytes = 512,
                        .rotation_rpm = 1,
                        .queue_depth = DRIVE_SLOTS_MAX,
                        .command_sectors_max = 65536,
                        .lba48 = true,
                    },
            },
    };
    null->drive.self = null;
    return &null->drive;
}
