/* The IDENTIFY parser: blocks made to trap it. */
#include "drivers/ahci/identify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void put_string(uint16_t *words, const char *string)
{
    for (size_t i = 0; string[i] != '\0'; i++)
        words[i / 2] |= (uint16_t)((unsigned char)string[i] << (i % 2 == 0 ? 8 : 0));
}

/* A sound drive of 1,000,000 sectors, from which each test departs. */
static void make_plain(uint16_t *w)
{
    memset(w, 0, 512);
    w[0] = 0x0040;
    put_string(&w[10], "SERIAL");
    put_string(&w[23], "FW1.0   ");
    put_string(&w[27], "A MODEL                                 ");
    w[49] = 0x0300;
    w[60] = 1000000 & 0xffff;
    w[61] = 1000000 >> 16;
    w[75] = 31;
    w[76] = 0x010e;
    w[83] = 0x4400;
    w[100] = w[60];
    w[101] = w[61];
    w[106] = 0x4000;
}

static struct drive_info parse(const uint16_t *words, enum status want)
{
    struct drive_info info;
    const char *reason = NULL;

    assert_int_equal(ahci_identify_parse(words, &info, &reason), want);
    assert_int_equal(reason[0] == '\0', want == STATUS_OK);
    return info;
}

static void reads_a_plain_drive(void **state)
{
    uint16_t w[256];
    struct drive_info info;

    (void)state;
    make_plain(w);
    info = parse(w, STATUS_OK);
    assert_string_equal(info.model, "A MODEL");
    assert_string_equal(info.firmware, "FW1.0");
    assert_int_equal(info.sectors, 1000000);
    assert_int_equal(info.logical_bytes, 512);
    assert_int_equal(info.physical_bytes, 512);
    assert_int_equal(info.queue_depth, 32);
    assert_int_equal(info.sata_speeds, 0xe);
    assert_int_equal(info.command_sectors_max, 65536);
    assert_int_equal(info.rotation_rpm, 0);
    assert_true(info.lba48);
    assert_false(info.checksum_valid);
    assert_false(info.removable);
    assert_false(info.locked);
}

static void refuses_blank_and_foreign_blocks(void **state)
{
    uint16_t w[256];

    (void)state;
    memset(w, 0, sizeof w);
    parse(w, STATUS_INVALID);
    memset(w, 0xff, sizeof w);
    parse(w, STATUS_INVALID);
    memset(w, 0xa5, sizeof w);
    parse(w, STATUS_INVALID);
    make_plain(w);
    w[0] = 0x85c0;
    parse(w, STATUS_UNSUPPORTED);
    w[0] = 0x848a; /* CompactFlash */
    parse(w, STATUS_OK);
}

/* Marks of incomplete data count only where the size is missing: old drives carry them for ever. */
static void knows_a_drive_in_standby(void **state)
{
    static const struct {
        uint16_t word_0, word_2;
        bool sized, standby;
    } cases[] = {
        {0x0044, 0x0000, false, true}, {0x0040, 0x37c8, false, true}, {0x0040, 0x8c73, false, true},
        {0x0044, 0x37c8, false, true}, {0x0044, 0x37c8, true, false}, {0x0040, 0x37c8, true, false},
        {0x0040, 0x738c, true, false}, {0x0044, 0xc837, true, false},
    };
    uint16_t w[256];
    struct drive_info info;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_plain(w);
        w[0] = cases[i].word_0;
        w[2] = cases[i].word_2;
        if (!cases[i].sized)
            w[60] = w[61] = 0;
        info = parse(w, STATUS_OK);
        assert_int_equal(info.standby, cases[i].standby);
        assert_int_equal(info.sectors, cases[i].standby ? 0 : 1000000);
        assert_int_equal(info.queue_depth, cases[i].standby ? 0 : 32);
        assert_string_equal(info.model, "A MODEL");
        assert_int_equal(drive_refusal(&info)[0] != '\0', cases[i].standby);
    }
    make_plain(w); /* spun up by any read, if it is not yet */
    w[2] = 0x738c;
    w[83] |= 0x0020;
    w[86] = 0x0020;
    w[87] = 0x4000;
    assert_true(parse(w, STATUS_OK).starts_in_standby);
    w[86] = 0;
    assert_false(parse(w, STATUS_OK).starts_in_standby);
    w[83] &= 0xffdf;
    w[86] = 0x0020;
    assert_false(parse(w, STATUS_OK).starts_in_standby);
    make_plain(w); /* no mark, no size */
    w[60] = w[61] = w[100] = w[101] = 0;
    w[2] = 0x738c;
    parse(w, STATUS_INVALID);
}

static void reads_the_settings_in_force(void **state)
{
    static const struct {
        uint16_t level;
        bool supported, enabled;
        uint32_t acoustic;
    } cases[] = {
        {0x8080, true, true, 128}, {0x80fe, true, true, 254}, {0xc0c0, true, true, 192},
        {0xfe00, true, true, 0},   {0x807f, true, true, 0},   {0x80ff, true, true, 0},
        {0x8080, false, true, 0},  {0x8080, true, false, 0},
    };
    uint16_t w[256];

    (void)state;
    make_plain(w);
    w[87] = 0x4000;
    assert_false(parse(w, STATUS_OK).look_ahead_known);
    w[85] = 0x0040; /* in force without being there */
    assert_false(parse(w, STATUS_OK).look_ahead);
    w[82] = 0x0040;
    assert_true(parse(w, STATUS_OK).look_ahead_known);
    assert_true(parse(w, STATUS_OK).look_ahead);
    w[85] = 0;
    assert_true(parse(w, STATUS_OK).look_ahead_known);
    assert_false(parse(w, STATUS_OK).look_ahead);
    w[87] = 0; /* not marked valid */
    assert_false(parse(w, STATUS_OK).look_ahead_known);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_plain(w);
        w[87] = 0x4000;
        w[83] |= cases[i].supported ? 0x0200 : 0;
        w[86] = cases[i].enabled ? 0x0200 : 0;
        w[94] = cases[i].level;
        assert_int_equal(parse(w, STATUS_OK).acoustic, cases[i].acoustic);
    }
}

static void reads_who_manages_zones(void **state)
{
    static const struct {
        uint16_t word;
        enum drive_zones zones;
    } cases[] = {
        {0x0000, DRIVE_ZONES_NONE},           {0x0001, DRIVE_ZONES_HOST_AWARE},
        {0x0002, DRIVE_ZONES_DEVICE_MANAGED}, {0x0003, DRIVE_ZONES_NONE},
        {0xffff, DRIVE_ZONES_NONE},           {0x0d01, DRIVE_ZONES_HOST_AWARE},
    };
    uint16_t w[256];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct drive_info info;

        make_plain(w);
        w[69] = cases[i].word;
        info = parse(w, STATUS_OK);
        assert_int_equal(info.zones, cases[i].zones);
        assert_string_equal(drive_refusal(&info), "");
    }
    assert_string_equal(drive_zones_name(DRIVE_ZONES_NONE), "");
    assert_string_equal(drive_zones_name(DRIVE_ZONES_HOST_MANAGED), "host-managed");
    assert_string_equal(drive_zones_name((enum drive_zones)9), "");
}

static void decides_between_28_and_48_bits(void **state)
{
    uint16_t w[256];
    struct drive_info info;

    (void)state;
    make_plain(w);
    w[83] = 0x4000;
    info = parse(w, STATUS_OK);
    assert_false(info.lba48);
    assert_int_equal(info.command_sectors_max, 256);
    assert_int_equal(info.queue_depth, 0); /* queued commands have 48-bit addresses */

    w[83] = 0x8400; /* not marked valid */
    assert_false(parse(w, STATUS_OK).lba48);
    w[83] = 0xffff;
    assert_false(parse(w, STATUS_OK).lba48);

    make_plain(w); /* claims 48 bits, gives no number */
    w[100] = w[101] = 0;
    info = parse(w, STATUS_OK);
    assert_false(info.lba48);
    assert_int_equal(info.sectors, 1000000);

    make_plain(w);
    w[60] = w[61] = 0xffff; /* illegal, but the other field counts */
    assert_int_equal(parse(w, STATUS_OK).sectors, 1000000);
    w[83] = 0x4000;
    parse(w, STATUS_INVALID);
    w[60] = 0;
    w[61] = 0x1000; /* one more than 28 bits can say */
    parse(w, STATUS_INVALID);
    w[60] = w[61] = 0;
    parse(w, STATUS_INVALID);

    make_plain(w);
    w[103] = 1; /* more than 48 bits */
    parse(w, STATUS_INVALID);
    w[103] = 0;
    w[102] = 5;
    assert_int_equal(parse(w, STATUS_OK).sectors, (UINT64_C(5) << 32) + 1000000);
}

static void follows_the_extended_sector_count(void **state)
{
    uint16_t w[256];

    (void)state;
    make_plain(w);
    w[100] = w[101] = 0xffff;
    w[232] = 2;
    assert_int_equal(parse(w, STATUS_OK).sectors, UINT32_MAX);
    w[69] = 8;
    assert_int_equal(parse(w, STATUS_OK).sectors, UINT64_C(2) << 32);
    w[100] = 1;
    assert_int_equal(parse(w, STATUS_OK).sectors, 0xffff0001);
}

static void reads_sector_sizes(void **state)
{
    static const struct {
        uint16_t w106;
        uint32_t words;
        uint16_t w209;
        enum status status;
        uint32_t logical, physical, alignment;
    } cases[] = {
        {0x4000, 0, 0, STATUS_OK, 512, 512, 0},
        {0x6003, 0, 0, STATUS_OK, 512, 4096, 0},
        {0x6003, 0, 0x4001, STATUS_OK, 512, 4096, 1},
        {0x6003, 0, 0x4008, STATUS_OK, 512, 4096, 0}, /* cannot be */
        {0x6003, 0, 0x8001, STATUS_OK, 512, 4096, 0}, /* not marked valid */
        {0x4000, 0, 0x4001, STATUS_OK, 512, 512, 0},
        {0xe003, 0, 0, STATUS_OK, 512, 512, 0}, /* not marked valid */
        {0xffff, 0, 0, STATUS_OK, 512, 512, 0},
        {0x600f, 0, 0, STATUS_OK, 512, 512, 0}, /* 16 MiB: noise */
        {0x5000, 2048, 0, STATUS_OK, 4096, 4096, 0},
        {0x5000, 256, 0, STATUS_OK, 512, 512, 0},
        {0x7001, 512, 0, STATUS_OK, 1024, 2048, 0},
        {0x5000, 0, 0, STATUS_INVALID, 0, 0, 0},
        {0x5000, 255, 0, STATUS_INVALID, 0, 0, 0},
        {0x5000, 260, 0, STATUS_INVALID, 0, 0, 0}, /* 520 bytes */
        {0x5000, 4096, 0, STATUS_INVALID, 0, 0, 0},
        {0x5000, 0x80000000, 0, STATUS_INVALID, 0, 0, 0},
        {0x5000, UINT32_MAX, 0, STATUS_INVALID, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t w[256];
        struct drive_info info;

        make_plain(w);
        w[106] = cases[i].w106;
        w[117] = (uint16_t)cases[i].words;
        w[118] = (uint16_t)(cases[i].words >> 16);
        w[209] = cases[i].w209;
        info = parse(w, cases[i].status);
        assert_int_equal(info.logical_bytes, cases[i].logical);
        assert_int_equal(info.physical_bytes, cases[i].physical);
        assert_int_equal(info.alignment_sectors, cases[i].alignment);
    }
}

static void believes_the_depth_only_with_the_queue_bit(void **state)
{
    uint16_t w[256];

    (void)state;
    make_plain(w);
    w[75] = 0x001e;
    assert_int_equal(parse(w, STATUS_OK).queue_depth, 31);
    w[75] = 0xffe0;
    assert_int_equal(parse(w, STATUS_OK).queue_depth, 1);
    w[75] = 0x001f;
    w[76] = 0; /* a parallel drive */
    assert_int_equal(parse(w, STATUS_OK).queue_depth, 0);
    w[76] = 0xffff;
    assert_int_equal(parse(w, STATUS_OK).queue_depth, 0);
    assert_int_equal(parse(w, STATUS_OK).sata_speeds, 0);
    w[76] = 0x0006;
    assert_int_equal(parse(w, STATUS_OK).queue_depth, 0);
    assert_int_equal(parse(w, STATUS_OK).sata_speeds, 6);
    w[76] = 0x0100; /* as QEMU says */
    assert_int_equal(parse(w, STATUS_OK).queue_depth, 1 + 31);
    assert_int_equal(parse(w, STATUS_OK).sata_speeds, 0);
}

static void reads_the_speed_of_the_link(void **state)
{
    static const struct {
        uint16_t word_76, word_77;
        uint32_t reported;
    } cases[] = {
        {0x850e, 0x0006, 3}, {0x0106, 0x0004, 2}, {0x0002, 0x0002, 1},
        {0x850e, 0x0000, 0}, {0x850e, 0xffff, 0}, {0x850e, 0x0008, 0},
        {0x850e, 0xfff7, 3}, {0x0000, 0x0006, 0}, {0xffff, 0x0006, 0},
    };
    uint16_t w[256];

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_plain(w);
        w[76] = cases[i].word_76;
        w[77] = cases[i].word_77;
        assert_int_equal(parse(w, STATUS_OK).link_reported, cases[i].reported);
    }
}

static void reads_rotation_and_state(void **state)
{
    uint16_t w[256];

    (void)state;
    make_plain(w);
    w[217] = 1;
    assert_int_equal(parse(w, STATUS_OK).rotation_rpm, 1);
    w[217] = 7200;
    assert_int_equal(parse(w, STATUS_OK).rotation_rpm, 7200);
    w[217] = 0x0400;
    assert_int_equal(parse(w, STATUS_OK).rotation_rpm, 0);
    w[217] = 0xffff;
    assert_int_equal(parse(w, STATUS_OK).rotation_rpm, 0);
    w[128] = 7;
    assert_true(parse(w, STATUS_OK).locked);
    w[128] = 3; /* enabled, not locked */
    assert_false(parse(w, STATUS_OK).locked);
    for (w[128] = 4; w[128] < 7; w[128]++) /* locked, without security to lock it */
        assert_false(parse(w, STATUS_OK).locked);
    w[128] = 0xffff;
    assert_false(parse(w, STATUS_OK).locked);
    w[0] |= 0x0080;
    assert_true(parse(w, STATUS_OK).removable);
}

static void checks_the_checksum(void **state)
{
    uint16_t w[256];
    uint32_t sum = 0xa5;

    (void)state;
    make_plain(w);
    for (unsigned i = 0; i < 255; i++)
        sum += (w[i] & 0xffu) + (w[i] >> 8);
    w[255] = (uint16_t)(0xa5 | (0x100 - (sum & 0xff)) << 8);
    assert_true(parse(w, STATUS_OK).checksum_valid);
    w[60]++;
    assert_false(parse(w, STATUS_OK).checksum_valid);
    w[60]--;
    w[255] = (uint16_t)(((w[255] & 0xff00) + 0x100) | 0xa4);
    assert_false(parse(w, STATUS_OK).checksum_valid);
}

static void cleans_strings(void **state)
{
    uint16_t w[256];

    (void)state;
    make_plain(w);
    memset(&w[27], 0, 40);
    put_string(&w[27], "  WDC  X\x01\x80\x7f\xff\"<&\n");
    assert_string_equal(parse(w, STATUS_OK).model, "WDC  X ???\"<&");
    memset(&w[27], 0x2020, 40);
    memset(&w[23], 0, 8);
    assert_string_equal(parse(w, STATUS_OK).model, "");
    assert_string_equal(parse(w, STATUS_OK).firmware, "");
    memset(&w[27], 0x41, 40);
    memset(&w[23], 0x42, 8);
    assert_int_equal(strlen(parse(w, STATUS_OK).model), 40);
    assert_string_equal(parse(w, STATUS_OK).firmware, "BBBBBBBB");
}

static void blanks_what_identifies_a_specimen(void **state)
{
    uint16_t w[256];

    (void)state;
    memset(w, 0x41, sizeof w);
    ahci_identify_blank(w);
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(w[i] == 0,
                         (i >= 10 && i < 20) || (i >= 108 && i < 112) || (i >= 176 && i < 206));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_plain_drive),
        cmocka_unit_test(refuses_blank_and_foreign_blocks),
        cmocka_unit_test(knows_a_drive_in_standby),
        cmocka_unit_test(reads_the_settings_in_force),
        cmocka_unit_test(reads_who_manages_zones),
        cmocka_unit_test(decides_between_28_and_48_bits),
        cmocka_unit_test(follows_the_extended_sector_count),
        cmocka_unit_test(reads_sector_sizes),
        cmocka_unit_test(believes_the_depth_only_with_the_queue_bit),
        cmocka_unit_test(reads_the_speed_of_the_link),
        cmocka_unit_test(reads_rotation_and_state),
        cmocka_unit_test(checks_the_checksum),
        cmocka_unit_test(cleans_strings),
        cmocka_unit_test(blanks_what_identifies_a_specimen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
