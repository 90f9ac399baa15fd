/* VERIFY: does the driver deliver what is on the drive? Places read by two ways and compared. */
#include "bench/engine.h"

#include "base/crc32.h"

#include <string.h>

/* CRC-32 of one place, read in pieces if a command cannot carry it. */
static enum status read_place(struct bench *bench, const struct bench_place *place,
                              enum drive_command command, uint32_t *ret_crc)
{
    uint32_t most = engine_step(bench)->command_sectors;
    uint32_t logical_bytes = bench->setup.drive->info.logical_bytes;
    uint32_t crc = 0;

    for (uint32_t at = 0; at < place->sectors;) {
        uint32_t sectors = place->sectors - at < most ? place->sectors - at : most;
        struct engine_read read = {.lba = place->lba + at, .sectors = sectors};
        enum status status;

        /* What an earlier read left must not pass for the answer to this one. */
        memset(bench->setup.buffer.cpu, command == DRIVE_READ_DMA ? 0xa5 : 0x5a,
               (size_t)sectors * logical_bytes);
        status = engine_read_one(bench, bench->setup.drive, command, &read);
        if (status != STATUS_OK)
            return status;
        engine_count(bench, 1, sectors);
        crc = base_crc32(crc, bench->setup.buffer.cpu, (size_t)sectors * logical_bytes);
        at += sectors;
    }
    *ret_crc = crc;
    return STATUS_OK;
}

static enum bench_verify_method verify_method(const struct bench *bench)
{
    if (bench->setup.references != NULL)
        return BENCH_VERIFY_FIRMWARE;
    if (engine_step(bench)->command == DRIVE_READ_QUEUED)
        return BENCH_VERIFY_TWO_COMMANDS;
    return BENCH_VERIFY_TWICE;
}

enum engine_next verify_judge(struct bench *bench, enum engine_next next)
{
    if (bench->run->verify.differ == 0 || next == ENGINE_END_RUN)
        return next;
    return engine_end_run(bench, STATUS_MISMATCH, "data read by two ways differs");
}

enum engine_next verify_unit(struct bench *bench)
{
    struct bench_verify *verify = &bench->run->verify;
    const struct drive_info *info = &bench->setup.drive->info;
    struct bench_place *place = &verify->places[bench->done];
    struct plan_place where = plan_verify_place(info->sectors, info->logical_bytes, bench->done);
    enum status status;

    verify->method = verify_method(bench);
    place->lba = where.lba;
    place->sectors = where.sectors;
    status = read_place(bench, place, engine_step(bench)->command, &place->crc);
    if (status == STATUS_OK && bench->setup.references != NULL)
        place->other = bench->setup.references[bench->done];
    else if (status == STATUS_OK)
        status = read_place(bench, place, DRIVE_READ_DMA, &place->other);
    if (status == STATUS_OK) {
        bool equal = place->crc == place->other;

        place->state = equal ? BENCH_PLACE_EQUAL : BENCH_PLACE_DIFFERS;
        verify->equal += equal;
        verify->differ += !equal;
        bench->run->voided = bench->run->voided || !equal;
    } else {
        enum engine_next next = engine_failure(bench, bench->setup.drive, status, 1);

        if (next == ENGINE_MORE && engine_retry(bench, bench->setup.drive))
            return ENGINE_MORE;
        verify->unread++;
        if (next != ENGINE_MORE)
            return next;
    }
    bench->done++;
    if (bench->done < engine_step(bench)->count)
        return ENGINE_MORE;
    if (verify->equal + verify->differ == 0)
        return engine_fail_test(bench, "no place could be read");
    return ENGINE_DONE;
}
