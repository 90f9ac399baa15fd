/* Making plans: pure arithmetic over the facts of a drive. */
#include "bench/plan.h"

#include "base/math.h"

#define ALIGN_BYTES 4096u /* reads start where a 4 KiB physical sector starts */
/*
 * Of a TRANSFER position's seek read: long enough that behind a rate limiter its bytes take longer
 * than its round trip, or else the limiter saves up a little burst for the position.
 */
#define SEEK_BYTES     (256u << 10)
#define COMMAND_BYTES  (1u << 20) /* of a TRANSFER command */
#define POSITION_BYTES (4u << 20) /* counted, of a TRANSFER position */
#define TRANSFER_DEPTH 8u         /* a processor that looks away for 20 ms leaves no drive idle */
#define RUN_IN         3u
#define COUNTED_MIN    4u /* commands of a position: even, so that pairs come out right */
#define COUNTED_MAX    64u
#define ACCESS_BYTES   4096u
#define OVERHEAD_READS 1000u
/* A drive leaves power saving; a rate limiter spends a burst that it had saved up. */
#define WARM_UP_MS              250u
#define DEPTH_WARM_UP_MS        100u
#define DEPTH_BLOCKS_PER_SECOND 10u

const char *plan_kind_name(enum plan_kind kind)
{
    switch (kind) {
    case PLAN_OVERHEAD:
        return "overhead";
    case PLAN_VERIFY:
        return "verify";
    case PLAN_TRANSFER:
        return "transfer";
    case PLAN_ACCESS:
        return "access";
    case PLAN_DEPTH:
        return "depth";
    case PLAN_KINDS:
        break;
    }
    return "none";
}

static enum status check_range(const char *name, uint32_t value, const uint32_t range[2],
                               struct text *why)
{
    if (value == 0 || (value >= range[0] && value <= range[1]))
        return STATUS_OK;
    text_printf(why, "%s: %u is out of range; %u to %u is possible", name, value, range[0],
                range[1]);
    return STATUS_INVALID;
}

enum status plan_check(const struct plan_options *options, struct text *why)
{
    static const uint32_t positions[] = {PLAN_POSITIONS_MIN, PLAN_POSITIONS_MAX};
    static const uint32_t accesses[] = {PLAN_ACCESSES_MIN, PLAN_ACCESSES_MAX};
    static const uint32_t depth[] = {PLAN_DEPTH_MIN, PLAN_DEPTH_MAX};

    if ((options->tests & ~PLAN_TESTS_ALL) != 0) {
        text_printf(why, "tests: 0x%x names a test that does not exist; bits 0 to %u do",
                    options->tests, (unsigned)PLAN_KINDS - 1);
        return STATUS_INVALID;
    }
    if (check_range("positions", options->positions, positions, why) != STATUS_OK ||
        check_range("accesses", options->accesses, accesses, why) != STATUS_OK ||
        check_range("depth commands", options->depth_commands, depth, why) != STATUS_OK)
        return STATUS_INVALID;
    return STATUS_OK;
}

struct plan_place plan_verify_place(uint64_t sectors, uint32_t logical_bytes, uint32_t index)
{
    struct plan_place place;
    uint64_t length = PLAN_VERIFY_BYTES / logical_bytes;

    if (length > sectors / PLAN_VERIFY_PLACES)
        length = sectors / PLAN_VERIFY_PLACES;
    if (length == 0)
        length = 1;
    place.sectors = (uint32_t)length;
    place.lba = base_mul_div(sectors - length, index, PLAN_VERIFY_PLACES - 1);
    return place;
}

static uint64_t round_down(uint64_t value, uint64_t unit)
{
    return value - value % unit;
}

/* Logical sectors of 4 KiB. */
static uint32_t align_unit(const struct drive_info *info)
{
    return ALIGN_BYTES / info->logical_bytes;
}

/* First logical sector at which a 4 KiB physical sector starts. */
static uint32_t align_first(const struct drive_info *info)
{
    uint32_t unit = align_unit(info);

    return (unit - info->alignment_sectors % unit) % unit;
}

static void plan_overhead(struct plan_step *step)
{
    step->count = OVERHEAD_READS;
    step->depth = 1;
    step->command = DRIVE_READ_DMA;
    step->command_sectors = 1;
}

static void plan_verify(const struct drive_info *info, struct plan_step *step)
{
    step->count = PLAN_VERIFY_PLACES;
    step->depth = 1;
    step->command = info->queue_depth > 0 ? DRIVE_READ_QUEUED : DRIVE_READ_DMA;
    step->command_sectors = plan_verify_place(info->sectors, info->logical_bytes, 0).sectors;
    if (step->command_sectors > info->command_sectors_max)
        step->command_sectors = info->command_sectors_max;
    step->limit_ms = 300000;
}

/* Longest command: what was wished, what the drive can carry, whole 4 KiB where possible. */
static uint32_t transfer_command(const struct drive_info *info)
{
    uint32_t sectors = COMMAND_BYTES / info->logical_bytes;

    if (sectors > info->command_sectors_max)
        sectors = info->command_sectors_max;
    if (sectors >= align_unit(info))
        sectors = (uint32_t)round_down(sectors, align_unit(info));
    return sectors;
}

/* The seek read: shorter where the commands are. */
static uint32_t transfer_seek(const struct drive_info *info, uint32_t command_sectors)
{
    uint32_t sectors = SEEK_BYTES / info->logical_bytes;

    return sectors < command_sectors ? sectors : command_sectors;
}

/* Makes command and seek small enough that `positions` blocks fit side by side. */
static void transfer_fit(const struct drive_info *info, uint64_t usable, struct plan_step *step)
{
    uint32_t unit = align_unit(info);
    uint32_t commands = step->lead + step->counted + step->tail;
    uint64_t room = usable / step->count;
    uint64_t most;

    if (room < (uint64_t)unit * (commands + 1)) {
        unit = 1;
        step->counted = COUNTED_MIN;
        commands = step->lead + step->counted + step->tail;
    }
    if (room < commands + 1u) {
        room = commands + 1u;
        step->count = (uint32_t)(usable / room);
    }
    most = round_down(room / (commands + 1), unit);
    if (step->command_sectors > most)
        step->command_sectors = (uint32_t)most;
    step->seek_sectors = transfer_seek(info, step->command_sectors);
}

static uint32_t transfer_depth(const struct drive_info *info)
{
    uint32_t depth = info->queue_depth < TRANSFER_DEPTH ? info->queue_depth : TRANSFER_DEPTH;

    return depth >= 2 ? depth : 1;
}

void plan_transfer_stream(const struct drive_info *info, struct plan_step *step)
{
    step->depth = transfer_depth(info);
    step->seek_sectors = 0;
    step->lead = 0;
    step->tail = 0;
    step->run_in = RUN_IN;
}

static void plan_transfer(const struct drive_info *info, uint32_t positions, struct plan_step *step)
{
    uint32_t first = align_first(info);
    uint64_t usable = info->sectors > first ? info->sectors - first : 0;
    uint32_t commands;
    uint64_t block;

    step->depth = transfer_depth(info);
    step->command = step->depth >= 2 ? DRIVE_READ_QUEUED : DRIVE_READ_DMA;
    step->command_sectors = transfer_command(info);
    step->counted = POSITION_BYTES / (step->command_sectors * info->logical_bytes);
    if (step->counted > COUNTED_MAX)
        step->counted = COUNTED_MAX;
    step->counted = step->counted < COUNTED_MIN ? COUNTED_MIN : step->counted & ~1u;
    step->lead = 1;
    step->tail = step->depth >= 2 ? 1 : 0;
    step->count = positions;
    transfer_fit(info, usable, step);
    if (step->count == 0) {
        step->skip = "the drive is too small";
        return;
    }
    commands = step->lead + step->counted + step->tail;
    block = step->seek_sectors + (uint64_t)step->command_sectors * commands;
    if (step->depth > commands)
        step->depth = commands;
    step->first_lba = first;
    if (step->count > 1)
        step->spacing_sectors = (usable - block) / (step->count - 1);
    if (step->seek_sectors % align_unit(info) == 0 && step->command_sectors % align_unit(info) == 0)
        step->spacing_sectors = round_down(step->spacing_sectors, align_unit(info));
    step->warm_up_ms = WARM_UP_MS;
    step->limit_ms = 1800000;
    if (info->rotation_rpm == 1)
        plan_transfer_stream(info, step);
    step->probe = info->rotation_rpm == 0;
}

/* Places of 4 KiB for random reads. */
static void plan_random(const struct drive_info *info, uint64_t seed, struct plan_step *step)
{
    uint32_t unit = ACCESS_BYTES / info->logical_bytes;
    uint32_t first = align_first(info);

    step->command_sectors = unit;
    step->spacing_sectors = unit;
    step->first_lba = first;
    step->places = info->sectors > first ? (info->sectors - first) / unit : 0;
    /* Tests with one seed must not read the same places in the same order. */
    step->seed = seed ^ (uint64_t)step->kind << 56;
    if (step->places == 0)
        step->skip = "the drive is too small";
    else if (info->command_sectors_max < unit)
        step->skip = "a command of the drive cannot carry 4 KiB";
}

static void plan_access(const struct drive_info *info, const struct plan_options *options,
                        struct plan_step *step)
{
    step->count = options->accesses != 0 ? options->accesses : PLAN_ACCESSES_DEFAULT;
    step->depth = 1;
    step->command = DRIVE_READ_DMA;
    step->limit_ms = 300000;
    plan_random(info, options->seed, step);
}

static void plan_depth(const struct drive_info *info, const struct plan_options *options,
                       struct plan_step *step)
{
    step->count = options->depth_commands != 0 ? options->depth_commands : PLAN_DEPTH_DEFAULT;
    step->depth = info->queue_depth < DRIVE_SLOTS_MAX ? info->queue_depth : DRIVE_SLOTS_MAX;
    step->command = DRIVE_READ_QUEUED;
    step->warm_up_ms = DEPTH_WARM_UP_MS;
    step->limit_ms = 10000;
    plan_random(info, options->seed, step);
    if (step->depth < 2)
        step->skip = "the drive or its controller offers no command queue";
}

static bool info_plausible(const struct drive_info *info)
{
    uint32_t bytes = info->logical_bytes;

    return info->sectors != 0 && info->sectors <= UINT64_MAX / 4096 && bytes >= 512 &&
           bytes <= 4096 && (bytes & (bytes - 1)) == 0 && info->command_sectors_max != 0;
}

enum status plan_make(const struct drive_info *info, const struct plan_options *options,
                      struct plan *ret_plan)
{
    uint32_t tests = options->tests == 0 ? PLAN_TESTS_ALL : options->tests;
    uint32_t positions = options->positions != 0 ? options->positions : PLAN_POSITIONS_DEFAULT;
    struct plan plan = {.seed = options->seed};

    if (!info_plausible(info))
        return STATUS_INVALID;
    tests |= PLAN_TEST(PLAN_OVERHEAD);
    for (uint32_t kind = 0; kind < PLAN_KINDS; kind++) {
        struct plan_step *step = &plan.steps[plan.step_count];

        if ((tests & PLAN_TEST(kind)) == 0)
            continue;
        plan.step_count++;
        step->kind = (enum plan_kind)kind;
        if (step->kind == PLAN_OVERHEAD)
            plan_overhead(step);
        else if (step->kind == PLAN_VERIFY)
            plan_verify(info, step);
        else if (step->kind == PLAN_TRANSFER)
            plan_transfer(info, positions, step);
        else if (step->kind == PLAN_ACCESS)
            plan_access(info, options, step);
        else
            plan_depth(info, options, step);
    }
    *ret_plan = plan;
    return STATUS_OK;
}

size_t plan_samples_max(const struct plan *plan)
{
    size_t count = 0;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct plan_step *step = &plan->steps[i];

        if (step->skip != NULL)
            continue;
        if (step->kind == PLAN_OVERHEAD)
            count += 2 * (size_t)step->count + PLAN_OVERHEAD_DEPTH + DRIVE_SLOTS_MAX;
        else if (step->kind == PLAN_TRANSFER)
            /* At most each position is a train of its own, with one sample of its run-in. */
            count += (size_t)step->count * (step->lead + step->counted + step->tail + 1);
        else if (step->kind == PLAN_ACCESS)
            count += step->count;
        else if (step->kind == PLAN_DEPTH)
            /* One uncounted sample for each block and for each of the few failures. */
            count += step->count + DRIVE_SLOTS_MAX + 64 +
                     step->limit_ms * DEPTH_BLOCKS_PER_SECOND / 1000;
    }
    return count;
}

uint64_t plan_position_lba(const struct plan_step *step, uint32_t position)
{
    return step->first_lba + step->spacing_sectors * position;
}

uint64_t plan_position_bytes(const struct plan_step *step, uint32_t logical_bytes)
{
    return (uint64_t)step->counted * step->command_sectors * logical_bytes;
}
