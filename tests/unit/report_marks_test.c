/* The words for what is special about a drive. */
#include "base/bits.h"
#include "report/marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct drive_info plain = {.sectors = 1000000,
                                        .logical_bytes = 512,
                                        .physical_bytes = 512,
                                        .command_sectors_max = 65536,
                                        .lba48 = true,
                                        .look_ahead_known = true,
                                        .look_ahead = true};

static void check(const struct drive_info *info, const char *want)
{
    char buffer[MARKS_BYTES + 8];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_string(&text, "| ");
    marks_of_drive(&text, info);
    assert_false(text.truncated);
    assert_string_equal(buffer + 2, want);
}

static void says_nothing_of_ordinary_drives(void **state)
{
    struct drive_info info = plain;

    (void)state;
    check(&info, "");
    info.acoustic = 254;
    info.rotation_rpm = 7200;
    info.command_sectors_max = 2048;
    check(&info, "");
    info.look_ahead_known = info.look_ahead = false;
    check(&info, "");
}

static void says_each_mark(void **state)
{
    struct drive_info info = plain;

    (void)state;
    info.array = true;
    check(&info, "RAID volume");
    info = plain;
    info.zones = DRIVE_ZONES_HOST_MANAGED;
    check(&info, "host-managed zones");
    info.zones = DRIVE_ZONES_DEVICE_MANAGED;
    info.removable = true;
    check(&info, "device-managed zones, removable");
    info = plain;
    info.locked = true;
    check(&info, "security locked");
    info = plain;
    info.starts_in_standby = true;
    check(&info, "starts in standby");
    info = plain;
    info.alignment_sectors = 7;
    check(&info, "physical sectors shifted by 7");
    info = plain;
    info.look_ahead = false;
    check(&info, "read look-ahead off");
    info = plain;
    info.acoustic = 128;
    check(&info, "quiet seeks (128 of 254)");
}

static void says_how_little_a_command_carries(void **state)
{
    struct drive_info info = plain;

    (void)state;
    info.command_sectors_max = 2047;
    check(&info, "commands of at most 1048064 bytes");
    info.logical_bytes = 4096;
    info.command_sectors_max = 256;
    check(&info, "");
    info = plain;
    info.lba48 = false;
    info.command_sectors_max = 256;
    check(&info, "28-bit addresses, commands of at most 131072 bytes");
}

/* Nothing is known of one that has not spun up: its limits would be invented. */
static void says_little_of_a_drive_in_standby(void **state)
{
    const struct drive_info info = {.logical_bytes = 512,
                                    .command_sectors_max = 256,
                                    .standby = true,
                                    .starts_in_standby = true};

    (void)state;
    check(&info, "not spun up");
}

static void has_room_for_all_of_them(void **state)
{
    struct drive_info info = {.logical_bytes = 512,
                              .command_sectors_max = 2047,
                              .alignment_sectors = UINT32_MAX,
                              .acoustic = 253,
                              .zones = DRIVE_ZONES_DEVICE_MANAGED,
                              .removable = true,
                              .array = true,
                              .locked = true,
                              .starts_in_standby = true,
                              .look_ahead_known = true};

    (void)state;
    check(&info, "RAID volume, device-managed zones, removable, security locked, starts in "
                 "standby, 28-bit addresses, commands of at most 1048064 bytes, physical sectors "
                 "shifted by 4294967295, read look-ahead off, quiet seeks (253 of 254)");
}

/* Refused by reason, not by accident. */
static void refuses_by_what_is_in_the_way(void **state)
{
    struct drive_info info = plain;

    (void)state;
    assert_string_equal(drive_refusal(&info), "");
    info.array = info.removable = info.starts_in_standby = true;
    for (int zones = DRIVE_ZONES_NONE; zones < DRIVE_ZONES_HOST_MANAGED; zones++) {
        info.zones = (enum drive_zones)zones;
        assert_string_equal(drive_refusal(&info), "");
    }
    info.zones = DRIVE_ZONES_HOST_MANAGED;
    assert_non_null(strstr(drive_refusal(&info), "host-managed"));
    info.standby = true;
    assert_non_null(strstr(drive_refusal(&info), "spun up"));
    info.locked = true;
    assert_non_null(strstr(drive_refusal(&info), "locked"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_nothing_of_ordinary_drives),
        cmocka_unit_test(says_each_mark),
        cmocka_unit_test(says_how_little_a_command_carries),
        cmocka_unit_test(says_little_of_a_drive_in_standby),
        cmocka_unit_test(has_room_for_all_of_them),
        cmocka_unit_test(refuses_by_what_is_in_the_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
