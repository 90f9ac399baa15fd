/* ACCESS: how long does one random read take? One at a time, every one kept. */
#include "bench/engine.h"

/* The next place, or that of a read which the link has spoilt. */
static uint64_t next_lba(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);

    if (bench->again != 0)
        return bench->slot_lba[0];
    return step->first_lba +
           step->spacing_sectors * base_random_below(&bench->random, step->places);
}

enum engine_next access_unit(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    struct engine_read read = {.lba = next_lba(bench), .sectors = step->command_sectors};
    enum status status = engine_read_one(bench, bench->setup.drive, step->command, &read);

    if (status == STATUS_OK && bench->again == 0) {
        engine_sample(bench, &read, SAMPLE_COUNTED);
        engine_count(bench, 1, read.sectors);
    } else if (status == STATUS_OK) {
        engine_sample(bench, &read, SAMPLE_UNCOUNTED);
        engine_count_not(bench, 1, read.sectors);
    } else {
        enum engine_next next = engine_failure(bench, bench->setup.drive, status, 1);

        if (next != ENGINE_MORE)
            return next;
        if (engine_retry(bench, bench->setup.drive)) {
            bench->slot_lba[0] = read.lba;
            bench->again = 1;
            return ENGINE_MORE;
        }
    }
    bench->again = 0;
    bench->done++;
    if (bench->done < step->count)
        return ENGINE_MORE;
    if (engine_test(bench)->counted_commands == 0)
        return engine_fail_test(bench, "no read succeeded");
    return ENGINE_DONE;
}
