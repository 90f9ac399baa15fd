/*
 * What real drives say of themselves: the parser and the whole driver against the collected blocks
 * with their known facts, and against hdparm as a second opinion where it is installed.
 */
#define _POSIX_C_SOURCE 200809L /* popen */

#include "base/bits.h"
#include "base/random.h"
#include "drivers/ahci/identify.h"
#include "tests/unit/ahci_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#define WORDS  AHCI_IDENTIFY_WORDS
#define OUTPUT 32768 /* more than hdparm says about a drive */

#define HDPARM "PATH=$PATH:/usr/sbin:/sbin hdparm "

static bool have_hdparm(void)
{
    return system(HDPARM "-V >/dev/null 2>&1") == 0;
}

/* What hdparm prints about the words. */
static void ask_hdparm(const uint16_t *words, char *output)
{
    char command[8 * WORDS] = "echo";
    size_t length = strlen(command);
    FILE *stream;

    for (unsigned i = 0; i < WORDS; i++)
        length += (size_t)snprintf(command + length, 6, " %04x", words[i]);
    snprintf(command + length, sizeof command - length, " | " HDPARM "--Istdin 2>&1");
    stream = popen(command, "r");
    assert_non_null(stream);
    length = fread(output, 1, OUTPUT - 1, stream);
    output[length] = '\0';
    assert_int_equal(pclose(stream), 0);
    assert_in_range(length, 100, OUTPUT - 2);
}

/* The number after a label; 0 without it. */
static uint64_t number_after(const char *output, const char *label)
{
    const char *at = strstr(output, label);

    return at != NULL ? strtoull(at + strlen(label), NULL, 10) : 0;
}

/* The line of a feature: 0 it is absent, 1 it is there, 2 it is in force. */
static int feature(const char *output, const char *name)
{
    char line[128];

    snprintf(line, sizeof line, "\t   *\t%s\n", name);
    if (strstr(output, line) != NULL)
        return 2;
    snprintf(line, sizeof line, "\t    \t%s\n", name);
    return strstr(output, line) != NULL ? 1 : 0;
}

/* The rest of the line after a label, without blanks at its ends. */
static void check_text(const char *output, const char *label, const char *want)
{
    const char *from = strstr(output, label);
    const char *to;

    assert_non_null(from);
    from += strlen(label);
    to = from + strcspn(from, "\n");
    while (*from == ' ' && from < to)
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    assert_int_equal(to - from, strlen(want));
    assert_memory_equal(from, want, strlen(want));
}

static void check_sizes(const struct drive_info *info, const char *said)
{
    uint64_t sectors_48 = number_after(said, "LBA48  user addressable sectors:");
    uint64_t logical = number_after(said, "Logical  Sector size:");
    uint64_t physical = number_after(said, "Physical Sector size:");
    uint64_t both = number_after(said, "Logical/Physical Sector size:");

    assert_int_equal(info->lba48, sectors_48 != 0);
    assert_int_equal(info->sectors, sectors_48 != 0
                                        ? sectors_48
                                        : number_after(said, "LBA    user addressable sectors:"));
    assert_int_equal(info->logical_bytes, both != 0 ? both : logical);
    assert_int_equal(info->physical_bytes, both != 0 ? both : physical);
    assert_int_equal((uint64_t)info->alignment_sectors * info->logical_bytes,
                     number_after(said, "Logical Sector-0 offset:"));
}

static void check_state(const struct drive_info *info, const char *said)
{
    bool solid = strstr(said, "Nominal Media Rotation Rate: Solid State Device") != NULL;
    int look_ahead = feature(said, "Look-ahead");
    bool quiet = feature(said, "Automatic Acoustic Management feature set") == 2;
    const char *current = strstr(said, ", current value: ");
    uint64_t level = current != NULL ? number_after(current, ", current value: ") : 0;

    assert_int_equal(info->rotation_rpm,
                     solid ? 1 : number_after(said, "Nominal Media Rotation Rate:"));
    assert_int_equal(info->removable, strstr(said, "with removable media") != NULL);
    assert_int_equal(info->locked, strstr(said, "\n\t\tlocked\n") != NULL);
    assert_int_equal(info->checksum_valid, strstr(said, "Checksum: correct") != NULL);
    assert_int_equal(info->starts_in_standby,
                     feature(said, "Power-Up In Standby feature set") == 2);
    assert_int_equal(info->look_ahead_known, look_ahead > 0);
    assert_int_equal(info->look_ahead, look_ahead == 2);
    assert_int_equal(info->acoustic, quiet && level >= 128 && level <= 254 ? level : 0);
}

/* hdparm names the depth also of drives without a queue. */
static void check_hdparm(const struct drive_info *info, const char *said)
{
    bool queued = feature(said, "Native Command Queueing (NCQ)") == 2 && info->lba48;
    uint32_t speeds = 0;

    speeds |= feature(said, "Gen1 signaling speed (1.5Gb/s)") == 2 ? BIT32(1) : 0;
    speeds |= feature(said, "Gen2 signaling speed (3.0Gb/s)") == 2 ? BIT32(2) : 0;
    speeds |= feature(said, "Gen3 signaling speed (6.0Gb/s)") == 2 ? BIT32(3) : 0;
    check_text(said, "Model Number:", info->model);
    check_text(said, "Firmware Revision:", info->firmware);
    assert_int_equal(info->queue_depth, queued ? number_after(said, "Queue depth:") : 0);
    assert_int_equal(info->sata_speeds, speeds);
    check_sizes(info, said);
    check_state(info, said);
}

/* --- collected blocks ------------------------------------------------------------------------ */

static void load_words(const char *directory, const char *file, uint16_t *words)
{
    char path[1024];
    FILE *stream;

    assert_true(snprintf(path, sizeof path, "%s/%s", directory, file) < (int)sizeof path);
    stream = fopen(path, "r");
    assert_non_null(stream);
    for (unsigned i = 0; i < WORDS; i++) {
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

static void check_manifest(const struct drive_info *info, const json_t *entry)
{
    const char *checksum = json_string_value(json_object_get(entry, "hdparm_checksum"));
    bool queued = json_is_true(json_object_get(entry, "ncq"));
    uint64_t sectors = number(entry, "lba48");
    const json_t *generation;
    uint32_t speeds = 0;
    size_t i;

    assert_string_equal(info->model, json_string_value(json_object_get(entry, "model")));
    assert_string_equal(info->firmware, json_string_value(json_object_get(entry, "firmware")));
    assert_int_equal(info->lba48, sectors != 0);
    assert_int_equal(info->sectors, sectors != 0 ? sectors : number(entry, "lba28"));
    assert_int_equal(info->logical_bytes, number(entry, "logical_sector"));
    assert_int_equal(info->physical_bytes, number(entry, "physical_sector"));
    assert_int_equal(info->queue_depth, queued ? number(entry, "queue_depth") : 0);
    assert_int_equal(info->rotation_rpm, number(entry, "rotation"));
    assert_int_equal(info->look_ahead, json_is_true(json_object_get(entry, "read_lookahead_on")));
    json_array_foreach(json_object_get(entry, "gens"), i, generation) speeds |=
        BIT32(json_integer_value(generation));
    assert_int_equal(info->sata_speeds, speeds);
    assert_true(info->link_reported == 0 || (speeds >> info->link_reported & 1) != 0);
    assert_int_equal(info->checksum_valid, checksum != NULL && strcmp(checksum, "correct") == 0);
    assert_false(info->standby);
}

#define SECRET 0x5ec5u /* in place of each word of serial numbers and WWN */

/* Nothing that is kept of the drive may hold what tells it from others of its kind. */
static void check_discretion(const struct ahci_port *port)
{
    const uint8_t *bytes = (const uint8_t *)&port->drive.info;

    for (unsigned i = 0; i < WORDS; i++)
        assert_int_not_equal(port->identify[i], SECRET);
    for (size_t i = 0; i + 1 < sizeof port->drive.info; i++) {
        assert_int_not_equal(bytes[i] | (unsigned)bytes[i + 1] << 8, SECRET);
        assert_int_not_equal(bytes[i + 1] | (unsigned)bytes[i] << 8, SECRET);
    }
}

/* The same words as the answer of a drive: the driver finds the same, and the end can be read. */
static void run_through_driver(const struct drive_info *info, const uint16_t *words)
{
    static const struct {
        unsigned first, last;
    } secrets[] = {{10, 19}, {108, 111}, {176, 205}};
    struct model_disk disk = rig_disk(info->sectors);
    uint16_t signed_words[WORDS];
    struct drive *drive;
    struct rig rig;

    memcpy(signed_words, words, sizeof signed_words);
    for (unsigned i = 0; i < COUNT_OF(secrets); i++)
        for (unsigned word = secrets[i].first; word <= secrets[i].last; word++)
            signed_words[word] = SECRET;
    disk.identify = signed_words;
    disk.logical_bytes = info->logical_bytes;
    disk.no_lba48 = !info->lba48;
    disk.queue_depth = info->queue_depth;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    assert_string_equal(drive->info.model, info->model);
    assert_string_equal(drive->info.firmware, info->firmware);
    assert_int_equal(drive->info.sectors, info->sectors);
    assert_int_equal(drive->info.queue_depth, info->queue_depth);
    assert_int_equal(drive->info.physical_bytes, info->physical_bytes);
    assert_string_equal(drive_refusal(&drive->info), "");
    check_discretion(&rig.controller.ports[0]);
    rig_read_checked(&rig, drive, info->sectors - 8, 8, DRIVE_READ_DMA);
    if (info->queue_depth > 0)
        rig_read_checked(&rig, drive, info->sectors / 2, 8, DRIVE_READ_QUEUED);
    rig_end(&rig);
}

static void check_entry(const char *directory, const json_t *entry, char *hdparm)
{
    const char *file = json_string_value(json_object_get(entry, "file"));
    const char *kind = json_string_value(json_object_get(entry, "kind"));
    bool ata = strcmp(kind, "ata") == 0;
    struct drive_info info;
    const char *reason;
    uint16_t words[WORDS];

    print_message("# %s\n", file);
    load_words(directory, file, words);
    assert_int_equal(ahci_identify_parse(words, &info, &reason),
                     ata ? STATUS_OK : STATUS_UNSUPPORTED);
    if (ata) {
        check_manifest(&info, entry);
        run_through_driver(&info, words);
    }
    if (hdparm == NULL)
        return;
    ask_hdparm(words, hdparm);
    if (ata)
        check_hdparm(&info, hdparm);
    else
        check_text(hdparm, "Model Number:", info.model);
}

static void agrees_with_the_corpus(void **state)
{
    const char *corpus = getenv("BARELANE_CORPUS");
    char *hdparm = have_hdparm() ? malloc(OUTPUT) : NULL;
    char directory[512], path[600];
    const json_t *entry;
    json_t *manifest;
    size_t i;

    (void)state;
    if (corpus == NULL || *corpus == '\0') {
        free(hdparm);
        skip();
        return;
    }
    assert_true(snprintf(directory, sizeof directory, "%s/ahci/identify", corpus) <
                (int)sizeof directory);
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    manifest = json_load_file(path, 0, NULL);
    assert_non_null(manifest);
    assert_true(json_array_size(manifest) > 0);
    json_array_foreach(manifest, i, entry) check_entry(directory, entry, hdparm);
    print_message("# %zu blocks%s\n", json_array_size(manifest),
                  hdparm != NULL ? ", each also against hdparm" : "; hdparm is missing");
    json_decref(manifest);
    free(hdparm);
}

/* --- own blocks ------------------------------------------------------------------------------ */

/* A drive as they are sold, with random settings of everything that is looked at. */
static void make_drive(struct base_random *random, uint16_t *w)
{
    static const uint16_t rotations[] = {0, 1, 5400, 7200, 15000};
    static const uint16_t security[] = {1, 3, 7, 9};
    uint32_t logical_shift = base_random_below(random, 3) == 0 ? 3 : 0;
    uint32_t physical_shift = (uint32_t)base_random_below(random, 4);
    uint64_t sectors = 1 + base_random_below(random, UINT64_C(1) << 42);
    uint32_t sum = 0xa5;

    memset(w, 0, WORDS * sizeof *w);
    w[0] = base_random_below(random, 4) == 0 ? 0x00c0 : 0x0040;
    w[2] = 0xc837;
    for (unsigned i = 10; i < 47; i++)
        w[i] = i < 20 || i >= 23 ? (uint16_t)(0x4141 + base_random_below(random, 26) +
                                              (base_random_below(random, 26) << 8))
                                 : 0;
    w[49] = 0x0300;
    w[53] = 0x0007;
    w[60] = w[61] = 0xffff;
    w[61] = 0x0fff;
    w[75] = (uint16_t)base_random_below(random, 32);
    w[76] = (uint16_t)(base_random_below(random, 8) << 1 | base_random_below(random, 2) << 8);
    w[80] = 0x01fe;
    w[82] = (uint16_t)(0x4002 | base_random_below(random, 2) << 6);
    w[83] =
        (uint16_t)(0x4400 | base_random_below(random, 2) << 9 | base_random_below(random, 2) << 5);
    w[84] = 0x4000;
    w[85] = (uint16_t)(w[82] & base_random_next(random));
    w[86] = (uint16_t)(w[83] & (0x0400 | base_random_next(random)));
    w[87] = 0x4000;
    w[94] = (uint16_t)(0x8000 | base_random_below(random, 256));
    for (unsigned i = 0; i < 4; i++)
        w[100 + i] = (uint16_t)(sectors >> 16 * i);
    w[106] = (uint16_t)(0x4000 | (logical_shift != 0 ? 0x1000 : 0) |
                        (physical_shift != 0 ? 0x2000 | physical_shift : 0));
    if (logical_shift != 0)
        w[117] = (uint16_t)(256 << logical_shift);
    w[128] = security[base_random_below(random, COUNT_OF(security))];
    if (physical_shift != 0)
        w[209] = (uint16_t)(0x4000 | base_random_below(random, UINT64_C(1) << physical_shift));
    w[217] = rotations[base_random_below(random, COUNT_OF(rotations))];
    for (unsigned i = 0; i < WORDS; i++)
        sum += (w[i] & 0xffu) + (w[i] >> 8);
    w[255] = (uint16_t)(0xa5 | (0x100 - ((sum + base_random_below(random, 2)) & 0xff)) << 8);
}

static void agrees_with_hdparm(void **state)
{
    struct base_random random = {.state = 209};
    char *said;

    (void)state;
    if (!have_hdparm()) {
        skip();
        return;
    }
    said = malloc(OUTPUT);
    for (unsigned n = 0; n < 200; n++) {
        struct drive_info info;
        const char *reason;
        uint16_t w[WORDS];

        make_drive(&random, w);
        assert_int_equal(ahci_identify_parse(w, &info, &reason), STATUS_OK);
        ask_hdparm(w, said);
        check_hdparm(&info, said);
    }
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_corpus),
        cmocka_unit_test(agrees_with_hdparm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
