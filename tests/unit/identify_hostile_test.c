/*
 * IDENTIFY data of any content: what the parser lets through can be planned and read without
 * another check, by every part of the program.
 */
#include "base/random.h"
#include "bench/plan.h"
#include "drivers/ahci/identify.h"
#include "tests/unit/ahci_rig.h"

#define BLOCKS 100000u

/* A sound drive with some of its words, none to all, replaced by anything. */
static void make_hostile(struct base_random *random, unsigned severity, uint16_t *w)
{
    static const uint16_t sound[][2] = {
        {0, 0x0040},  {2, 0xc837},   {49, 0x0300},  {60, 0x4240},  {61, 0x000f},  {75, 0x001f},
        {76, 0x010e}, {82, 0x0040},  {83, 0x4600},  {85, 0x0040},  {86, 0x0600},  {87, 0x4000},
        {94, 0x8080}, {100, 0x4240}, {101, 0x000f}, {106, 0x6003}, {209, 0x4001}, {217, 0x1c20},
    };
    static const uint16_t edges[] = {0, 1, 0x7fff, 0x8000, 0x4000, 0xffff, 0x5000, 0x7000};

    memset(w, 0, AHCI_IDENTIFY_WORDS * sizeof *w);
    for (unsigned i = 0; i < COUNT_OF(sound); i++)
        w[sound[i][0]] = sound[i][1];
    for (unsigned i = 0; i < AHCI_IDENTIFY_WORDS; i++) {
        if (base_random_below(random, 8) >= severity)
            continue;
        w[i] = (uint16_t)base_random_next(random);
        if (base_random_below(random, 4) == 0)
            w[i] = edges[base_random_below(random, COUNT_OF(edges))];
    }
    /* The sizes are the most interesting ones. */
    for (unsigned i = 0; i < 3 && base_random_below(random, 2) == 0; i++)
        w[101 + i] = edges[base_random_below(random, 2)];
    if (base_random_below(random, 4) == 0)
        w[118] = 0;
}

static void check_text(const char *text, size_t most)
{
    size_t length = strlen(text);

    assert_in_range(length, 0, most);
    for (size_t i = 0; i < length; i++)
        assert_in_range(text[i], 0x20, 0x7e);
}

static void check_info(const struct drive_info *info)
{
    uint32_t physical = info->physical_bytes / info->logical_bytes;

    check_text(info->model, 40);
    check_text(info->firmware, 8);
    assert_in_range(info->logical_bytes, 512, 4096);
    assert_int_equal(info->logical_bytes & (info->logical_bytes - 1), 0);
    assert_int_equal(info->physical_bytes % info->logical_bytes, 0);
    assert_in_range(info->physical_bytes, info->logical_bytes, 65536);
    assert_in_range(info->alignment_sectors, 0, physical - 1);
    assert_in_range(info->command_sectors_max, 1, info->lba48 ? 65536 : 256);
    assert_in_range(info->queue_depth, 0, info->lba48 ? 32 : 0);
    assert_int_equal(info->sata_speeds & ~0xeu, 0);
    assert_in_range(info->link_reported, 0, 3);
    assert_true(info->acoustic == 0 || (info->acoustic >= 128 && info->acoustic <= 254));
    assert_in_range(info->zones, DRIVE_ZONES_NONE, DRIVE_ZONES_HOST_AWARE);
    assert_true(info->look_ahead_known || !info->look_ahead);
    assert_int_equal(info->standby, info->sectors == 0);
    assert_in_range(info->sectors, 0,
                    info->lba48 ? UINT64_C(0xffffffffffff) : UINT64_C(0x0fffffff));
}

/* The places that a step reads lie on the drive, and one command can carry what it asks for. */
static void check_step(const struct drive_info *info, const struct plan_step *step)
{
    uint64_t end;

    if (step->skip != NULL)
        return;
    assert_in_range(step->command_sectors, 1, info->command_sectors_max);
    assert_true((uint64_t)step->command_sectors * info->logical_bytes <= PLAN_BUFFER_BYTES);
    assert_in_range(step->depth, 1, step->command == DRIVE_READ_QUEUED ? info->queue_depth : 1);
    assert_in_range(step->count, 1, PLAN_DEPTH_MAX);
    if (step->kind == PLAN_TRANSFER) {
        end = plan_position_lba(step, step->count - 1) + step->seek_sectors +
              (uint64_t)step->command_sectors * (step->lead + step->counted + step->tail);
        assert_true(end <= info->sectors);
        assert_true(step->depth * (uint64_t)step->command_sectors * info->logical_bytes <=
                    PLAN_BUFFER_BYTES);
    }
    if (step->kind == PLAN_ACCESS || step->kind == PLAN_DEPTH) {
        assert_int_equal(step->command_sectors * info->logical_bytes, 4096);
        assert_in_range(step->places, 1, info->sectors);
        end = step->first_lba + (step->places - 1) * step->spacing_sectors + step->command_sectors;
        assert_true(end <= info->sectors);
    }
}

static void check_plan(const struct drive_info *info)
{
    const struct plan_options options = {.seed = 1};
    struct plan plan;

    assert_int_equal(plan_make(info, &options, &plan), STATUS_OK);
    assert_int_equal(plan.step_count, PLAN_KINDS);
    for (unsigned i = 0; i < plan.step_count; i++)
        check_step(info, &plan.steps[i]);
    for (uint32_t i = 0; i < PLAN_VERIFY_PLACES; i++) {
        struct plan_place place = plan_verify_place(info->sectors, info->logical_bytes, i);

        assert_true(place.sectors >= 1 && place.lba + place.sectors <= info->sectors);
    }
    assert_in_range(plan_samples_max(&plan), 1, 1000000);
}

static void plans_whatever_is_let_through(void **state)
{
    struct base_random random = {.state = 20};
    unsigned planned = 0, standby = 0;

    (void)state;
    for (unsigned n = 0; n < BLOCKS; n++) {
        const struct drive_info zero = {.logical_bytes = 0};
        uint16_t w[AHCI_IDENTIFY_WORDS];
        struct drive_info info;
        const char *reason;
        enum status status;

        make_hostile(&random, n % 9, w);
        status = ahci_identify_parse(w, &info, &reason);
        assert_int_equal(reason[0] == '\0', status == STATUS_OK);
        if (status == STATUS_INVALID)
            assert_memory_equal(&info, &zero, sizeof info);
        if (status != STATUS_OK) {
            assert_true(status == STATUS_INVALID || status == STATUS_UNSUPPORTED);
            continue;
        }
        check_info(&info);
        if (info.standby) {
            standby++;
            assert_string_not_equal(drive_refusal(&info), "");
            continue;
        }
        check_plan(&info);
        planned++;
    }
    print_message("# %u of %u blocks planned, %u in standby\n", planned, BLOCKS, standby);
    assert_true(planned > BLOCKS / 10 && standby > 0);
}

/* The same through the driver, which cuts to the controller: nothing but a kind comes of it. */
static void the_driver_survives_any_words(void **state)
{
    struct base_random random = {.state = 52};

    (void)state;
    for (unsigned n = 0; n < 500; n++) {
        uint16_t w[AHCI_IDENTIFY_WORDS];
        struct model_disk disk = rig_disk(1);
        const struct ahci_port *port;
        struct rig rig;

        make_hostile(&random, n % 9, w);
        disk.identify = w;
        rig_build(&rig, n % 2 == 0 ? MODEL_88SE9128_HBA : MODEL_88SE9128_RAID, &disk, 1);
        assert_int_equal(rig_attach(&rig), STATUS_OK);
        assert_int_equal(ahci_port_probe(&rig.controller, 0), STATUS_OK);
        port = &rig.controller.ports[0];
        if (port->kind == AHCI_PORT_DRIVE) {
            check_info(&port->drive.info);
            assert_true((uint64_t)port->drive.info.command_sectors_max *
                            port->drive.info.logical_bytes <=
                        32 * MIB);
            for (unsigned i = 10; i < 20; i++)
                assert_int_equal(port->identify[i], 0);
        } else {
            assert_true(port->kind == AHCI_PORT_ATAPI || port->kind == AHCI_PORT_NO_IDENTIFY);
            assert_string_not_equal(port->reason, "");
        }
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_whatever_is_let_through),
        cmocka_unit_test(the_driver_survives_any_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
