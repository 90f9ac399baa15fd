/* The table of one drive: about a dozen lines. */
#include "report/table.h"

#include "report/marks.h"
#include "report/table_text.h"

#define CHART_COLUMNS 60
#define CHART_ROWS    4
#define CHART_LEFT    10 /* column of the first bar */

struct view {
    struct text *text;
    const struct bench_run *run;
    const struct drive_info *info;
    const struct hw_clock *clock;
};

static void label(const struct view *view, const char *name)
{
    text_printf(view->text, "  %s", name);
    text_column(view->text, TABLE_VALUE);
}

static void named_us(const struct view *view, const char *name, uint64_t ticks)
{
    text_printf(view->text, "%s ", name);
    table_us(view->text, ticks, view->clock);
}

static void show_latency(const struct view *view, const struct summary *summary)
{
    struct text *text = view->text;

    named_us(view, "min", summary->min_ticks);
    named_us(view, "  median", summary->median_ticks);
    named_us(view, "  p95", summary->p95_ticks);
    named_us(view, "  p99", summary->p99_ticks);
    text_string(text, " us\n");
    text_column(text, TABLE_VALUE);
    named_us(view, "p99.9", summary->p999_ticks);
    named_us(view, "  max", summary->max_ticks);
    text_string(text, " us");
}

static void show_overhead(const struct view *view)
{
    const struct bench_overhead *overhead = &view->run->overhead;
    struct text *text = view->text;

    label(view, "overhead");
    named_us(view, "null drive", overhead->null_drive.median_ticks);
    text_string(text, " us a read");
    if (overhead->depth_commands != 0) {
        uint64_t ns = base_mul_div_round(hw_clock_ns(view->clock, overhead->depth_ticks), 1,
                                         overhead->depth_commands);

        text_string(text, ", ");
        text_decimal(text, ns, 3);
        text_string(text, " us at depth");
    }
    named_us(view, ", one look", overhead->poll.median_ticks);
    text_string(text, " us\n");
}

static void show_verify(const struct view *view)
{
    const struct bench_verify *verify = &view->run->verify;
    struct text *text = view->text;

    label(view, "verify");
    text_printf(text, "%u of %u places equal, ", verify->equal, PLAN_VERIFY_PLACES);
    if (verify->differ > 0)
        text_printf(text, "%u DIFFER, ", verify->differ);
    if (verify->unread > 0)
        text_printf(text, "%u unread, ", verify->unread);
    switch (verify->method) {
    case BENCH_VERIFY_FIRMWARE:
        text_string(text, "own reads against the firmware's\n");
        break;
    case BENCH_VERIFY_TWO_COMMANDS:
        text_string(text, "two read commands\n");
        break;
    case BENCH_VERIFY_TWICE:
        text_string(text, "the same command twice\n");
        break;
    }
}

/* Rate over the positions of one chart column, 0 if none of them was read. */
static uint64_t column_rate(const struct view *view, uint32_t count, uint32_t column,
                            uint32_t columns)
{
    const struct bench_transfer *transfer = &view->run->transfer;
    uint32_t end = count * (column + 1) / columns;
    uint64_t ticks = 0;
    uint64_t bytes = 0;

    for (uint32_t i = count * column / columns; i < end; i++)
        if (transfer->ticks[i] != 0) {
            ticks += transfer->ticks[i];
            bytes += transfer->position_bytes;
        }
    return result_rate(bytes, ticks, view->clock);
}

/* The curve from the beginning of the drive to its end in equal parts, one a column. */
struct chart {
    uint32_t columns;
    uint64_t rate[CHART_COLUMNS]; /* bytes per second; 0: no position of it was read */
    uint64_t slowest;             /* of the parts that were read; UINT64_MAX: none was */
    uint64_t fastest;
};

static void make_chart(const struct view *view, uint32_t count, struct chart *chart)
{
    *chart = (struct chart){.columns = count < CHART_COLUMNS ? count : CHART_COLUMNS,
                            .slowest = UINT64_MAX};
    for (uint32_t i = 0; i < chart->columns; i++) {
        uint64_t rate = column_rate(view, count, i, chart->columns);

        chart->rate[i] = rate;
        if (rate > chart->fastest)
            chart->fastest = rate;
        if (rate != 0 && rate < chart->slowest)
            chart->slowest = rate;
    }
}

/* From 0 to the fastest part. */
static void show_chart(struct text *text, const struct chart *chart)
{
    uint64_t top = chart->fastest > 0 ? chart->fastest : 1;

    for (uint32_t row = CHART_ROWS; row-- > 0;) {
        size_t length = text->length;

        if (row == CHART_ROWS - 1)
            text_printf(text, "%8llu", (unsigned long long)base_mul_div_round(top, 1, 1000000));
        else if (row == 0)
            text_printf(text, "%8u", 0u);
        text_column(text, CHART_LEFT);
        for (uint32_t i = 0; i < chart->columns; i++) {
            uint64_t halves = base_mul_div_round(chart->rate[i], 2 * CHART_ROWS, top);

            text_char(text, halves > 2 * row + 1 ? '#' : halves == 2 * row + 1 ? ':' : ' ');
        }
        while (text->length > length && text->buffer[text->length - 1] == ' ')
            text->buffer[--text->length] = '\0';
        text_char(text, '\n');
    }
}

static void show_transfer(const struct view *view, const struct plan_step *step,
                          const struct bench_test *test)
{
    const struct bench_transfer *transfer = &view->run->transfer;
    struct text *text = view->text;
    struct chart chart;

    make_chart(view, step->count, &chart);
    label(view, "transfer");
    text_string(text, "mean ");
    table_rate(text, result_rate(test->counted_bytes, test->time.counted_ticks, view->clock));
    text_printf(text, " MB/s; %u positions of %llu KiB, %u in flight\n", transfer->positions,
                (unsigned long long)(transfer->position_bytes / 1024), step->depth);
    if (chart.slowest == UINT64_MAX)
        return;
    text_column(text, TABLE_VALUE);
    text_string(text, "slowest ");
    table_rate(text, chart.slowest);
    text_string(text, ", fastest ");
    table_rate(text, chart.fastest);
    text_printf(text, " MB/s of these %u parts:\n", chart.columns);
    show_chart(text, &chart);
}

static void show_access(const struct view *view, const struct plan_step *step,
                        const struct bench_test *test)
{
    label(view, "access");
    show_latency(view, &test->latency);
    text_printf(view->text, "; %llu reads of %llu KiB, one at a time\n",
                (unsigned long long)test->latency.count,
                (unsigned long long)step->command_sectors * view->info->logical_bytes / 1024);
}

static void show_depth(const struct view *view, const struct plan_step *step,
                       const struct bench_test *test)
{
    struct text *text = view->text;

    label(view, "depth");
    text_printf(text, "%llu reads/s of %llu KiB with %u in flight\n",
                (unsigned long long)result_rate(test->counted_commands, test->time.counted_ticks,
                                                view->clock),
                (unsigned long long)step->command_sectors * view->info->logical_bytes / 1024,
                step->depth);
    text_column(text, TABLE_VALUE);
    show_latency(view, &test->latency);
    text_char(text, '\n');
}

/* A test without figures: what became of it. */
static void show_state(const struct view *view, enum plan_kind kind, const struct bench_test *test)
{
    char line[160];
    struct text text;

    text_init(&text, line, sizeof line);
    text_string(&text, bench_state_name(test->state));
    if (test->reason[0] != '\0')
        text_printf(&text, ": %s", test->reason);
    table_wrapped(view->text, plan_kind_name(kind), line);
}

static void show_faults(const struct view *view, const struct bench_faults *faults)
{
    const struct drive_fault *first = &faults->fault[0];
    char line[160];
    struct text text;

    if (faults->count == 0)
        return;
    text_init(&text, line, sizeof line);
    text_printf(&text, "failures: %u (%u commands not counted)", faults->count, faults->commands);
    if (faults->retries > 0)
        text_printf(&text, ", %u of them read again", faults->retries);
    text_printf(&text, "; first: %s", drive_fault_name(first->kind));
    if (first->error != NULL && first->error[0] != '\0')
        text_printf(&text, " (%s)", first->error);
    text_printf(&text, " at LBA %llu",
                (unsigned long long)(first->error_lba_known ? first->error_lba : first->lba));
    table_wrapped(view->text, "", line);
}

static void show_test(const struct view *view, uint32_t index)
{
    const struct plan_step *step = &view->run->plan.steps[index];
    const struct bench_test *test = &view->run->tests[index];

    if (step->kind == PLAN_VERIFY && test->state == BENCH_FAILED)
        show_verify(view);
    if (test->state != BENCH_DONE)
        show_state(view, step->kind, test);
    else if (step->kind == PLAN_OVERHEAD)
        show_overhead(view);
    else if (step->kind == PLAN_VERIFY)
        show_verify(view);
    else if (step->kind == PLAN_TRANSFER)
        show_transfer(view, step, test);
    else if (step->kind == PLAN_ACCESS)
        show_access(view, step, test);
    else
        show_depth(view, step, test);
    show_faults(view, &test->faults);
}

static void show_drive_line(struct text *text, uint32_t controller, const struct result_port *port)
{
    static const char *const speeds[] = {"?", "1.5", "3.0", "6.0"};
    const struct drive_info *info = &port->drive->info;
    char line[MARKS_BYTES];
    struct text marks;

    text_printf(text, " Drive %u:%u  ", controller, port->number);
    table_foreign(text, info->model, sizeof info->model - 1);
    text_string(text, ", ");
    if (info->sectors != 0)
        table_capacity(text, base_mul_div(info->sectors, info->logical_bytes, 1));
    else
        text_string(text, "size unknown");
    text_char(text, '\n');
    text_column(text, TABLE_VALUE);
    text_printf(text, "SATA %s Gb/s, queue %u, %u-byte sectors (physical %u)",
                speeds[info->link_speed <= 3 ? info->link_speed : 0], info->queue_depth,
                info->logical_bytes, info->physical_bytes);
    if (info->rotation_rpm > 1)
        text_printf(text, ", %u rpm", info->rotation_rpm);
    text_char(text, '\n');
    text_init(&marks, line, sizeof line);
    marks_of_drive(&marks, info);
    if (marks.length > 0)
        table_wrapped(text, "", line);
}

/* A port without a drive is worth a line only if something is odd about it. */
static void show_other(struct text *text, uint32_t controller, const struct result_port *port)
{
    if (port->reason == NULL || port->reason[0] == '\0')
        return;
    text_printf(text, " Port %u:%u  %s", controller, port->number, port->kind);
    if (port->model[0] != '\0') {
        text_string(text, ", ");
        table_foreign(text, port->model, sizeof port->model - 1);
    }
    text_char(text, '\n');
    table_wrapped(text, "", port->reason);
}

void table_drive(struct text *text, const struct result *result, uint32_t controller,
                 uint32_t port_index)
{
    const struct result_port *port = &result->controllers[controller].ports[port_index];
    const struct result_drive *drive = port->drive;
    struct view view = {.text = text, .clock = &result->clock};

    if (drive == NULL) {
        show_other(text, controller, port);
        return;
    }
    show_drive_line(text, controller, port);
    if (drive->left_alone != NULL && drive->left_alone[0] != '\0')
        table_wrapped(text, "untouched", drive->left_alone);
    if (!drive->planned || drive->run == NULL)
        return;
    view.run = drive->run;
    view.info = &drive->info;
    for (uint32_t i = 0; i < drive->run->plan.step_count; i++)
        show_test(&view, i);
    if (drive->run->voided)
        table_wrapped(text, "VOID", "data differed: no figure of this drive may be used");
    else if (drive->run->status != STATUS_OK)
        table_wrapped(text, "ended", drive->run->reason);
}
