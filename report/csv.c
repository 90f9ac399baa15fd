/* samples.csv, row by row. */
#include "report/csv.h"

void report_csv_header(struct text *text)
{
    text_string(text, "controller,port,test,kind,counted,position,lba,sectors,t0_ticks,ticks\n");
}

/* What the sample is one of. */
static const char *kind_name(const struct sample *sample)
{
    return sample->sectors == 0 ? "poll" : "read";
}

void report_csv_row(struct text *text, const struct result_drive *drive, uint32_t index,
                    uint32_t controller, uint32_t port)
{
    const struct sample *sample = &drive->samples[index];
    const struct plan_step *step = &drive->run->plan.steps[sample->step];

    text_printf(text, "%u,%u,%s,%s,%u,%u,%llu,%u,%llu,%llu\n", controller, port,
                plan_kind_name(step->kind), kind_name(sample),
                sample->role == SAMPLE_COUNTED ? 1u : 0u, sample->group,
                (unsigned long long)sample->lba, sample->sectors, (unsigned long long)sample->t0,
                (unsigned long long)sample->ticks);
}
