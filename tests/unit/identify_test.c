/*
 * The IDENTIFY parser: own blocks made to trap it, random ones, and, where BARELANE_CORPUS names a
 * directory of collected data, those of real drives against their known facts.
 */
#include "base/random.h"
#include "drivers/ahci/identify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

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
    w[0] = 0x0044;
    w[60] = w[61] = 0;
    parse(w, STATUS_UNSUPPORTED);
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

/* Whatever the words hold, what comes out can be used without another check. */
static void survives_random_blocks(void **state)
{
    struct base_random random = {.state = 20};

    (void)state;
    for (unsigned n = 0; n < 200000; n++) {
        uint16_t w[256];
        struct drive_info info;
        const char *reason;
        enum status status;

        make_plain(w);
        for (unsigned i = 0; i < 256; i++)
            if (base_random_below(&random, 8) < n % 8)
                w[i] = (uint16_t)base_random_next(&random);
        status = ahci_identify_parse(w, &info, &reason);
        assert_true(status == STATUS_OK || status == STATUS_INVALID ||
                    status == STATUS_UNSUPPORTED);
        for (const char *c = info.model; *c != '\0'; c++)
            assert_in_range(*c, 0x20, 0x7e);
        if (status != STATUS_OK)
            continue;
        assert_in_range(info.sectors, 1, UINT64_C(0xffffffffffff));
        assert_in_range(info.logical_bytes, 512, 4096);
        assert_int_equal(info.physical_bytes % info.logical_bytes, 0);
        assert_in_range(info.physical_bytes, info.logical_bytes, 65536);
        assert_in_range(info.queue_depth, 0, 32);
        assert_true(info.lba48 || info.sectors <= 0x0fffffff);
    }
}

/* --- collected blocks ------------------------------------------------------------------------ */

static void load_words(const char *directory, const char *file, uint16_t *words)
{
    char path[1024];
    FILE *stream;

    assert_true(snprintf(path, sizeof path, "%s/%s", directory, file) < (int)sizeof path);
    stream = fopen(path, "r");
    assert_non_null(stream);
    for (unsigned i = 0; i < 256; i++) {
        unsigned value;

        assert_int_equal(fscanf(stream, "%4x", &value), 1);
        words[i] = (uint16_t)value;
    }
    fclose(stream);
}

static uint64_t number(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);

    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
}

static void check_drive(const json_t *entry, const uint16_t *words)
{
    struct drive_info info = parse(words, STATUS_OK);
    const char *firmware = json_string_value(json_object_get(entry, "firmware"));
    const char *checksum = json_string_value(json_object_get(entry, "hdparm_checksum"));
    bool queued = json_is_true(json_object_get(entry, "ncq"));
    uint64_t sectors = number(entry, "lba48");
    const json_t *generation;
    uint32_t speeds = 0;
    size_t i;

    assert_string_equal(info.firmware, firmware);
    assert_int_equal(info.lba48, sectors != 0);
    assert_int_equal(info.sectors, sectors != 0 ? sectors : number(entry, "lba28"));
    assert_int_equal(info.logical_bytes, number(entry, "logical_sector"));
    assert_int_equal(info.physical_bytes, number(entry, "physical_sector"));
    assert_int_equal(info.queue_depth, queued ? number(entry, "queue_depth") : 0);
    assert_int_equal(info.rotation_rpm, number(entry, "rotation"));
    json_array_foreach(json_object_get(entry, "gens"), i, generation) speeds |=
        1u << json_integer_value(generation);
    assert_int_equal(info.sata_speeds, speeds);
    assert_true(info.link_reported == 0 || (speeds >> info.link_reported & 1) != 0);
    assert_int_equal(info.checksum_valid, checksum != NULL && strcmp(checksum, "correct") == 0);
}

static void agrees_with_the_corpus(void **state)
{
    const char *corpus = getenv("BARELANE_CORPUS");
    char directory[512], path[600];
    const json_t *entry;
    json_t *manifest;
    size_t i;

    (void)state;
    if (corpus == NULL) {
        print_message("BARELANE_CORPUS is not set\n");
        skip();
        return;
    }
    assert_true(snprintf(directory, sizeof directory, "%s/ahci/identify", corpus) <
                (int)sizeof directory);
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    manifest = json_load_file(path, 0, NULL);
    assert_non_null(manifest);
    assert_true(json_array_size(manifest) > 0);
    json_array_foreach(manifest, i, entry)
    {
        const char *file = json_string_value(json_object_get(entry, "file"));
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        struct drive_info names;
        uint16_t words[256];

        print_message("%s\n", file);
        load_words(directory, file, words);
        ahci_identify_names(words, &names);
        assert_string_equal(names.model, json_string_value(json_object_get(entry, "model")));
        if (strcmp(kind, "ata") == 0)
            check_drive(entry, words);
        else
            parse(words, STATUS_UNSUPPORTED);
    }
    json_decref(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_plain_drive),
        cmocka_unit_test(refuses_blank_and_foreign_blocks),
        cmocka_unit_test(decides_between_28_and_48_bits),
        cmocka_unit_test(follows_the_extended_sector_count),
        cmocka_unit_test(reads_sector_sizes),
        cmocka_unit_test(believes_the_depth_only_with_the_queue_bit),
        cmocka_unit_test(reads_the_speed_of_the_link),
        cmocka_unit_test(reads_rotation_and_state),
        cmocka_unit_test(checks_the_checksum),
        cmocka_unit_test(cleans_strings),
        cmocka_unit_test(blanks_what_identifies_a_specimen),
        cmocka_unit_test(survives_random_blocks),
        cmocka_unit_test(agrees_with_the_corpus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
