/* Plans and runs: the benchmark of every chosen drive. */
#include "base/text.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/session.h"
#include "pci/path_read.h"

/* The screen is touched this often at most: each touch is a pause for the drive. */
#define DRAW_NS UINT64_C(1000000000)

/* So are links under load, after the first look: each one costs a slow drive a third of a second.
 */
#define LOOK_NS UINT64_C(5000000000)

/* What measuring one drive needs; obtained for all drives before the first one starts. */
struct work {
    struct bench bench;
    struct bench_run run;
    struct pci_path path; /* of one look under load */
    struct sample *samples;
    uint64_t *scratch;
    size_t capacity;
};

static bool chosen(const struct session *session, uint32_t controller, uint32_t port)
{
    if (session->options.drive_count == 0)
        return true;
    for (uint32_t i = 0; i < session->options.drive_count; i++) {
        if (session->options.drives[i].controller == controller &&
            session->options.drives[i].port == port)
            return true;
    }
    return false;
}

/* What stands in the files while it is not the drive's turn yet, and if that never comes. */
static void mark_not_begun(struct bench_run *run)
{
    run->status = STATUS_ABORTED;
    run->reason = "the run ended before its turn";
    for (uint32_t i = 0; i < PLAN_STEPS_MAX; i++)
        run->tests[i].reason = run->reason;
}

static struct work *make_work(const struct drive_info *info, const struct plan_options *options,
                              const char **ret_reason)
{
    struct work *work = firmware_allocate(sizeof *work);

    *ret_reason = "not enough memory for its samples";
    if (work == NULL)
        return NULL;
    if (plan_make(info, options, &work->run.plan) != STATUS_OK) {
        *ret_reason = "its size or sector size cannot be";
        firmware_free(work);
        return NULL;
    }
    mark_not_begun(&work->run);
    work->capacity = plan_samples_max(&work->run.plan);
    work->samples = firmware_allocate(work->capacity * sizeof *work->samples);
    work->scratch = firmware_allocate(work->capacity * sizeof *work->scratch);
    if (work->samples != NULL && work->scratch != NULL)
        return work;
    firmware_free(work->samples);
    firmware_free(work->scratch);
    firmware_free(work);
    return NULL;
}

static void plan_drive(struct session *session, uint32_t controller, uint32_t port)
{
    struct result_drive *drive = session->targets[controller].drives[port];
    struct work *work;

    if (!chosen(session, controller, port)) {
        drive->left_alone = "not asked for";
        return;
    }
    drive->left_alone = drive_refusal(&drive->info);
    if (drive->left_alone[0] != '\0')
        return;
    work = make_work(&drive->info, &session->options.plan, &drive->left_alone);
    if (work == NULL)
        return;
    drive->left_alone = "";
    drive->planned = true;
    drive->run = &work->run;
    drive->samples = work->samples;
}

/* The work that a planned drive's run is part of. */
static struct work *work_of(struct result_drive *drive)
{
    return (struct work *)(void *)((char *)drive->run - offsetof(struct work, run));
}

enum status session_plan(struct session *session)
{
    struct session_place place = {0, 0};
    struct result_drive *drive;
    uint32_t port;

    session->null_drive = null_drive_init(&session->null_memory);
    while ((drive = session_next_drive(session, &place, &port)) != NULL) {
        plan_drive(session, place.controller, port);
        if (!drive->planned && chosen(session, place.controller, port))
            console_printf("Drive %u:%u is left alone: %s.\n", (unsigned)place.controller,
                           (unsigned)port, drive->left_alone);
    }
    return result_drives_measured(&session->result) > 0 ? STATUS_OK : STATUS_NOT_FOUND;
}

static void draw(const struct session *session, uint32_t controller, uint32_t port,
                 const struct bench *bench)
{
    struct bench_progress progress = bench_progress(bench);
    const struct hw_clock *clock = &session->result.clock;
    char line[80];
    struct text text;

    if (progress.kind == PLAN_KINDS)
        return;
    text_init(&text, line, sizeof line);
    text_printf(&text, "%u:%u %-8s [", (unsigned)controller, (unsigned)port,
                plan_kind_name(progress.kind));
    for (uint32_t i = 0; i < 20; i++)
        text_char(&text, i < progress.permille / 50 ? '#' : '-');
    text_printf(&text, "] %3u %%  ", (unsigned)(progress.permille / 10));
    if (progress.ticks != 0 && progress.kind == PLAN_TRANSFER) {
        text_decimal(&text, result_rate(progress.bytes, progress.ticks, clock) / 100000, 1);
        text_string(&text, " MB/s  ");
    } else if (progress.ticks != 0) {
        text_printf(&text, "%llu reads/s  ",
                    (unsigned long long)result_rate(progress.commands, progress.ticks, clock));
    }
    if (progress.left_ticks != 0)
        text_printf(&text, "%llu s left",
                    (unsigned long long)(progress.left_ticks / clock->hz + 1));
    console_status(line);
}

static bool step(struct bench *bench)
{
    EFI_TPL level = firmware_quiet();
    bool more = bench_step(bench);

    firmware_resume(level);
    return more;
}

/* Why a drive must not be run any more, or NULL: all drives of a controller share a data buffer. */
static const char *out_of_bounds(const struct ahci_controller *ahci)
{
    if (ahci->gone)
        return "its controller stopped answering";
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++) {
        if (ahci->ports[i].stuck)
            return "a port of its controller does not stop and may still write to memory";
    }
    return NULL;
}

/* The path to the drive as it stands now, for the comparison of before, under load and after. */
static bool read_path(const struct session *session, const struct session_target *target,
                      struct pci_path *ret_path)
{
    int32_t index = (int32_t)(target->device - session->tree.devices);

    return pci_path_read(&session->config, &session->tree, index, ret_path) == STATUS_OK;
}

/* Looks at the links while reads are under way: at rest they may be slower. */
static void look_under_load(const struct session *session, const struct session_target *target,
                            struct work *work, struct result_drive *drive)
{
    EFI_TPL level = firmware_quiet();

    if (bench_load_begin(&work->bench)) {
        bool read = read_path(session, target, &work->path);

        if (bench_load_end(&work->bench) && read)
            pci_watch_look(&drive->watch, &work->path);
    }
    firmware_resume(level);
}

static void look_before(const struct session *session, const struct session_target *target,
                        struct drive *ahci, struct result_drive *drive)
{
    EFI_TPL level = firmware_quiet();

    drive->watch = (struct pci_watch){.looks = 0};
    drive->watch.has_before = read_path(session, target, &drive->watch.before);
    ahci->ops->look(ahci, &drive->sata_before);
    firmware_resume(level);
}

static void look_after(const struct session *session, const struct session_target *target,
                       struct drive *ahci, struct result_drive *drive)
{
    EFI_TPL level = firmware_quiet();

    ahci->ops->look(ahci, &drive->sata_after);
    drive->watch.has_after = read_path(session, target, &drive->watch.after);
    firmware_resume(level);
}

/* Runs one drive; the files are brought up to date after every test. */
static enum status run_drive(struct session *session, uint32_t controller, uint32_t port)
{
    struct session_target *target = &session->targets[controller];
    struct result_drive *drive = target->drives[port];
    struct work *work = work_of(drive);
    struct bench *bench = &work->bench;
    const struct session_references *references = target->references[port];
    const struct bench_setup setup = {
        .drive = ahci_port_drive(target->ahci, port),
        .null_drive = session->null_drive,
        .clock = &session->result.clock,
        .buffer = {target->buffer.cpu, target->buffer.bus, target->buffer.bytes},
        .samples = work->samples,
        .scratch = work->scratch,
        .capacity = work->capacity,
        .references = references != NULL ? references->crc : NULL,
    };
    uint64_t draw_ticks = hw_clock_ticks(&session->result.clock, DRAW_NS);
    uint64_t look_ticks = hw_clock_ticks(&session->result.clock, LOOK_NS);
    uint64_t drawn = hw_ticks() - draw_ticks;
    uint64_t looked = hw_ticks();
    uint32_t test = 0;
    bool more, due;

    if (bench_begin(bench, &setup, drive->run) != STATUS_OK) {
        drive->run->status = STATUS_INVALID;
        drive->run->reason = "the engine refused the plan";
        return STATUS_OK;
    }
    look_before(session, target, setup.drive, drive);
    do {
        more = step(bench);
        due = hw_ticks() - drawn >= draw_ticks;
        if (drive->watch.looks == 0 || hw_ticks() - looked >= look_ticks) {
            look_under_load(session, target, work, drive);
            looked = hw_ticks();
        }
        if (due) {
            draw(session, controller, port, bench);
            drawn = hw_ticks();
        }
        if (bench_progress(bench).step != test) {
            test = bench_progress(bench).step;
            session_checkpoint(session);
        }
        if (more && console_break()) {
            bench_abort(bench);
            more = false;
        }
    } while (more);
    console_status("");
    look_after(session, target, setup.drive, drive);
    session_checkpoint(session);
    return drive->run->status == STATUS_ABORTED ? STATUS_ABORTED : STATUS_OK;
}

enum status session_measure(struct session *session)
{
    struct session_place place = {0, 0};
    struct result_drive *drive;
    uint32_t port;

    while ((drive = session_next_drive(session, &place, &port)) != NULL) {
        const char *reason;

        if (!drive->planned)
            continue;
        reason = out_of_bounds(session->targets[place.controller].ahci);
        if (reason != NULL) {
            drive->run->status = STATUS_GONE;
            drive->run->reason = reason;
        } else if (run_drive(session, place.controller, port) == STATUS_ABORTED) {
            return STATUS_ABORTED;
        }
    }
    return STATUS_OK;
}
