/* The plan: what it accepts, and that every read it can lead to lies on the drive. */
#include "bench/plan.h"

#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct drive_info drive_of(uint64_t sectors, uint32_t logical)
{
    return (struct drive_info){.sectors = sectors,
                               .logical_bytes = logical,
                               .physical_bytes = 4096,
                               .queue_depth = 32,
                               .command_sectors_max = 65536};
}

static void test_options(void **state)
{
    static const struct {
        struct plan_options options;
        const char *why; /* NULL: accepted */
    } cases[] = {
        {{.seed = 0}, NULL},
        {{.tests = PLAN_TESTS_ALL, .positions = 256, .accesses = 2000, .depth_commands = 1000},
         NULL},
        {{.positions = 4096, .accesses = 100000, .depth_commands = 2000000}, NULL},
        {{.positions = 255}, "positions: 255 is out of range; 256 to 4096 is possible"},
        {{.positions = 4097}, "positions: 4097 is out of range; 256 to 4096 is possible"},
        {{.accesses = 1999}, "accesses: 1999 is out of range; 2000 to 100000 is possible"},
        {{.accesses = 100001}, "accesses: 100001 is out of range; 2000 to 100000 is possible"},
        {{.depth_commands = 999},
         "depth commands: 999 is out of range; 1000 to 2000000 is possible"},
        {{.depth_commands = 2000001},
         "depth commands: 2000001 is out of range; 1000 to 2000000 is possible"},
        {{.tests = 0x20}, "tests: 0x20 names a test that does not exist; bits 0 to 4 do"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char line[120];
        struct text why;

        text_init(&why, line, sizeof line);
        if (cases[i].why == NULL) {
            assert_int_equal(plan_check(&cases[i].options, &why), STATUS_OK);
            assert_string_equal(line, "");
        } else {
            assert_int_equal(plan_check(&cases[i].options, &why), STATUS_INVALID);
            assert_string_equal(line, cases[i].why);
        }
    }
}

static void test_impossible_drives(void **state)
{
    static const struct plan_options options = {.seed = 1};
    struct drive_info broken[6];
    struct plan plan;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(broken); i++)
        broken[i] = drive_of(1000000, 512);
    broken[0].sectors = 0;
    broken[1].logical_bytes = 0;
    broken[2].logical_bytes = 520;
    broken[3].logical_bytes = 8192;
    broken[4].command_sectors_max = 0;
    broken[5].sectors = UINT64_MAX;
    for (size_t i = 0; i < COUNT_OF(broken); i++)
        assert_int_equal(plan_make(&broken[i], &options, &plan), STATUS_INVALID);
}

static void check_verify(const struct drive_info *info)
{
    uint64_t before = 0;

    for (uint32_t i = 0; i < PLAN_VERIFY_PLACES; i++) {
        struct plan_place place = plan_verify_place(info->sectors, info->logical_bytes, i);

        assert_true(place.sectors >= 1 && place.sectors * info->logical_bytes <= 65536);
        assert_true(place.lba < info->sectors && place.sectors <= info->sectors - place.lba);
        assert_true(place.lba >= before);
        if (info->sectors >= PLAN_VERIFY_PLACES && i > 0)
            assert_true(place.lba >= before + place.sectors);
        before = place.lba;
        if (i == 0)
            assert_int_equal(place.lba, 0);
        if (i == PLAN_VERIFY_PLACES - 1)
            assert_int_equal(place.lba + place.sectors, info->sectors);
    }
}

static void check_transfer(const struct drive_info *info, const struct plan_step *step)
{
    uint64_t block = step->seek_sectors +
                     (uint64_t)step->command_sectors * (step->lead + step->counted + step->tail);
    uint32_t unit = 4096 / info->logical_bytes;

    assert_true(step->count >= 1 && step->count <= PLAN_POSITIONS_MAX);
    assert_true(step->command_sectors >= 1);
    assert_true(step->command_sectors <= info->command_sectors_max);
    assert_true(step->seek_sectors <= info->command_sectors_max);
    assert_true((uint64_t)step->depth * step->command_sectors * info->logical_bytes <=
                PLAN_BUFFER_BYTES);
    assert_int_equal(step->counted % 2, 0);
    if (step->count > 1)
        assert_true(step->spacing_sectors >= block);
    assert_true(plan_position_lba(step, step->count - 1) + block <= info->sectors);
    if (step->command_sectors % unit == 0) {
        assert_int_equal((step->first_lba + info->alignment_sectors) % unit, 0);
        assert_int_equal(step->spacing_sectors % unit, 0);
        assert_int_equal(step->seek_sectors % unit, 0);
    }
    /* A drive with room for it gets the full measure, to its very end. */
    if (info->sectors * info->logical_bytes >= UINT64_C(2) << 30 &&
        info->command_sectors_max * info->logical_bytes >= 1u << 20) {
        assert_int_equal(plan_position_bytes(step, info->logical_bytes), 4 << 20);
        assert_true(info->sectors - plan_position_lba(step, step->count - 1) - block <=
                    (uint64_t)unit * (step->count + 1) + (step->lead == 0 ? 5000 : 0));
    }
}

static void check_random(const struct drive_info *info, const struct plan_step *step)
{
    uint64_t last = step->first_lba + (step->places - 1) * step->spacing_sectors;

    assert_true(step->places >= 1);
    assert_int_equal(step->command_sectors * info->logical_bytes, 4096);
    assert_int_equal((step->first_lba + info->alignment_sectors) % step->command_sectors, 0);
    assert_true(last + step->command_sectors <= info->sectors);
    assert_true(last + 2 * (uint64_t)step->command_sectors > info->sectors);
}

static void check_plan(const struct drive_info *info)
{
    static const struct plan_options options = {.seed = 7};
    struct plan plan;

    assert_int_equal(plan_make(info, &options, &plan), STATUS_OK);
    assert_int_equal(plan.step_count, PLAN_KINDS);
    check_verify(info);
    for (uint32_t i = 0; i < plan.step_count; i++) {
        const struct plan_step *step = &plan.steps[i];

        assert_int_equal(step->kind, i);
        if (step->skip != NULL)
            assert_true(info->sectors < 16 || step->kind == PLAN_DEPTH);
        else if (step->kind == PLAN_TRANSFER)
            check_transfer(info, step);
        else if (step->kind == PLAN_ACCESS || step->kind == PLAN_DEPTH)
            check_random(info, step);
    }
    assert_true(plan.steps[PLAN_ACCESS].seed != plan.steps[PLAN_DEPTH].seed);
}

/* Sizes from one sector to 3 TB and the largest 48-bit drive. */
static void test_places_on_the_drive(void **state)
{
    static const uint64_t large[] = {4194304, 5860533168, 0x1000000000000};
    static const uint32_t commands[] = {1, 3, 256, 8191, 65536};

    (void)state;
    for (uint32_t logical = 512; logical <= 4096; logical *= 2) {
        for (size_t k = 0; k < COUNT_OF(commands); k++) {
            struct drive_info info = drive_of(1, logical);

            info.command_sectors_max = commands[k];
            for (uint64_t sectors = 1; sectors < 6000000; sectors += 1 + sectors / 50) {
                info.sectors = sectors;
                info.alignment_sectors = (uint32_t)(sectors % (4096 / logical));
                info.queue_depth = (uint32_t)(sectors % 33);
                info.rotation_rpm = (uint32_t)(sectors % 3);
                if (commands[k] * logical >= 4096)
                    check_plan(&info);
                else
                    check_verify(&info);
            }
            for (size_t i = 0; i < COUNT_OF(large); i++) {
                info.sectors = large[i];
                if (commands[k] * logical >= 4096)
                    check_plan(&info);
            }
        }
    }
}

static void test_tests_asked_for(void **state)
{
    struct drive_info info = drive_of(10000000, 512);
    struct plan_options options = {.tests = PLAN_TEST(PLAN_ACCESS), .accesses = 5000, .seed = 9};
    struct plan plan;

    (void)state;
    assert_int_equal(plan_make(&info, &options, &plan), STATUS_OK);
    assert_int_equal(plan.step_count, 2);
    assert_int_equal(plan.steps[0].kind, PLAN_OVERHEAD);
    assert_int_equal(plan.steps[1].kind, PLAN_ACCESS);
    assert_int_equal(plan.steps[1].count, 5000);
    info.queue_depth = 0;
    options.tests = PLAN_TEST(PLAN_DEPTH);
    assert_int_equal(plan_make(&info, &options, &plan), STATUS_OK);
    assert_string_equal(plan.steps[1].skip, "the drive or its controller offers no command queue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_impossible_drives),
        cmocka_unit_test(test_places_on_the_drive),
        cmocka_unit_test(test_tests_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
