/* ACCESS: how long does one random read take? One at a time, every one kept. */
#include "bench/engine.h"

enum engine_next access_unit(struct bench *bench)
{
    const struct plan_step *step = engine_step(bench);
    uint64_t place = base_random_below(&bench->random, step->places);
    struct engine_read read = {.lba = step->first_lba + place * step->spacing_sectors,
                               .sectors = step->command_sectors};
    enum status status = engine_read_one(bench, bench->setup.drive, step->command, &read);

    if (status == STATUS_OK) {
        engine_sample(bench, &read, SAMPLE_COUNTED);
        engine_count(bench, 1, read.sectors);
    } else {
        enum engine_next next = engine_failure(bench, bench->setup.drive, status, 1);

        if (next != ENGINE_MORE)
            return next;
    }
    bench->done++;
    if (bench->done < step->count)
        return ENGINE_MORE;
    if (engine_test(bench)->counted_commands == 0)
        return engine_fail_test(bench, "no read succeeded");
    return ENGINE_DONE;
}
