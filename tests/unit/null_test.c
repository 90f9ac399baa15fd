/* The null drive keeps to the contract of a drive. */
#include "drivers/null/null.h"
#include "tests/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void completes_at_once(void **state)
{
    struct null_drive null;
    struct drive *drive = null_drive_init(&null);
    struct drive_read read = {.lba = 5, .sectors = 8, .command = DRIVE_READ_QUEUED, .bus = 4096};
    struct drive_link link = {.known = true};
    struct drive_done done;
    uint64_t t0 = 0;

    (void)state;
    model_reset();
    for (uint32_t slot = 0; slot < 32; slot++)
        assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
    assert_int_equal(drive->ops->start(drive, UINT32_MAX, &t0), STATUS_OK);
    assert_int_equal(drive->ops->await(drive, 0xff, 0, &done), STATUS_OK);
    assert_int_equal(done.slots, 0xff);
    assert_true(done.t1 > t0);
    assert_int_equal(drive->ops->await(drive, UINT32_MAX, 0, &done), STATUS_OK);
    assert_int_equal(done.slots, 0xffffff00);
    drive->ops->poll(drive);
    drive->ops->look(drive, &link);
    assert_false(link.known);
}

static void refuses_what_a_drive_refuses(void **state)
{
    struct null_drive null;
    struct drive *drive = null_drive_init(&null);
    const struct drive_read good = {.sectors = 1};
    const struct drive_read bad[] = {
        {.sectors = 0},
        {.sectors = 65537},
        {.sectors = 1, .lba = drive->info.sectors},
        {.sectors = 2, .lba = drive->info.sectors - 1},
        {.sectors = 1, .bus = 1},
    };
    struct drive_done done;
    uint64_t t0;

    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(drive->ops->prepare(drive, 0, &bad[i]), STATUS_INVALID);
    assert_int_equal(drive->ops->prepare(drive, 1, &good), STATUS_INVALID);
    assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_INVALID);
    assert_int_equal(drive->ops->await(drive, 1, 0, &done), STATUS_INVALID);
    assert_int_equal(drive->ops->prepare(drive, 0, &good), STATUS_OK);
    assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_OK);
    assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_INVALID);
    assert_int_equal(drive->ops->prepare(drive, 0, &good), STATUS_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completes_at_once),
        cmocka_unit_test(refuses_what_a_drive_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
