/* Parsing IDENTIFY DEVICE data. Every word is suspect until its validity bits say otherwise. */
#include "drivers/ahci/identify.h"

#include "drivers/ahci/limits.h"

#include <stddef.h>

/* Words with "bits 15:14 are 01" as their mark of validity. */
static bool is_marked(uint16_t word)
{
    return (word & 0xc000) == 0x4000;
}

static uint32_t two_words(const uint16_t *words, unsigned at)
{
    return words[at] | (uint32_t)words[at + 1] << 16;
}

static uint64_t four_words(const uint16_t *words, unsigned at)
{
    return two_words(words, at) | (uint64_t)two_words(words, at + 2) << 32;
}

/* ATA strings hold the first character in the high byte. `chars` is even. */
static void copy_string(char *to, const uint16_t *words, unsigned chars)
{
    unsigned length = 0;

    for (unsigned i = 0; i < chars; i++) {
        unsigned c = i % 2 == 0 ? words[i / 2] >> 8 : words[i / 2] & 0xffu;
        if (c < 0x20)
            c = ' ';
        if (c > 0x7e)
            c = '?';
        if (length > 0 || c != ' ')
            to[length++] = (char)c;
    }
    while (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
}

void ahci_identify_names(const uint16_t *words, struct drive_info *ret_info)
{
    *ret_info = (struct drive_info){.logical_bytes = 0};
    copy_string(ret_info->firmware, &words[23], 8);
    copy_string(ret_info->model, &words[27], 40);
}

static bool all_equal(const uint16_t *words)
{
    for (unsigned i = 1; i < AHCI_IDENTIFY_WORDS; i++)
        if (words[i] != words[0])
            return false;
    return true;
}

/* Word 255: A5h marks a checksum that makes the 512 bytes add up to 0. */
static bool checksum_is_valid(const uint16_t *words)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < AHCI_IDENTIFY_WORDS; i++)
        sum += (words[i] & 0xffu) + (words[i] >> 8);
    return (words[255] & 0xff) == 0xa5 && (sum & 0xff) == 0;
}

static enum status parse_capacity(const uint16_t *words, struct drive_info *info,
                                  const char **ret_reason)
{
    uint64_t sectors_48 = four_words(words, 100);

    /* A drive that has more than FFFFFFFFh sectors may say so in words 230-233 only (word 69). */
    if (sectors_48 == UINT32_MAX && words[69] != 0xffff && (words[69] & 8) != 0 &&
        four_words(words, 230) > sectors_48)
        sectors_48 = four_words(words, 230);

    /* Claiming 48-bit addresses without a number of sectors occurs; such a drive is a 28-bit one.
     */
    info->lba48 = is_marked(words[83]) && (words[83] & 0x0400) != 0 && sectors_48 != 0;
    info->sectors = info->lba48 ? sectors_48 : two_words(words, 60);
    if (info->sectors == 0)
        *ret_reason = "it reports no sectors";
    else if (info->sectors > (info->lba48 ? AHCI_LIMIT_SECTORS_48 : AHCI_LIMIT_SECTORS_28))
        *ret_reason = "it reports more sectors than can be addressed";
    else
        return STATUS_OK;
    return STATUS_INVALID;
}

/* Words 106, 117-118 and 209. */
static enum status parse_sector_sizes(const uint16_t *words, struct drive_info *info,
                                      const char **ret_reason)
{
    info->logical_bytes = 512;
    if (is_marked(words[106]) && (words[106] & 0x1000) != 0) {
        uint32_t size = two_words(words, 117);

        if (size < 256 || size > 2048 || (size & (size - 1)) != 0) {
            *ret_reason = "its sector size is not 512 to 4096 bytes";
            return STATUS_INVALID;
        }
        info->logical_bytes = size * 2;
    }
    info->physical_bytes = info->logical_bytes;
    /* An exponent that would make a sector larger than 64 KiB is noise. */
    if (is_marked(words[106]) && (words[106] & 0x2000) != 0 &&
        info->logical_bytes << (words[106] & 0xf) <= 65536)
        info->physical_bytes = info->logical_bytes << (words[106] & 0xf);
    if (is_marked(words[209]) && info->physical_bytes > info->logical_bytes)
        info->alignment_sectors = words[209] & 0x3fff;
    if (info->alignment_sectors >= info->physical_bytes / info->logical_bytes)
        info->alignment_sectors = 0;
    return STATUS_OK;
}

/*
 * Word 2: 37C8h and 8C73h mark data that are incomplete because the drive has not spun up; so does
 * bit 2 of word 0. All of them also occur on old drives that are complete: they know their size.
 */
static bool is_incomplete(const uint16_t *words)
{
    return two_words(words, 60) == 0 &&
           (words[2] == 0x37c8 || words[2] == 0x8c73 || (words[0] & 0x0004) != 0);
}

/* Words 75 to 77: the depth means nothing without the queueing bit (parallel drives fill it). */
static void parse_sata(const uint16_t *words, struct drive_info *info)
{
    if (words[76] == 0 || words[76] == 0xffff)
        return;
    info->sata_speeds = words[76] & 0xe;
    /* Above 3 nothing is defined, which makes all ones nothing, too. */
    if ((words[77] >> 1 & 7) <= 3)
        info->link_reported = words[77] >> 1 & 7;
    if ((words[76] & 0x0100) != 0 && info->lba48)
        info->queue_depth = (words[75] & 0x1fu) + 1;
}

/* Words 82 to 87 say what is supported and what is in force; word 94 has the acoustic level. */
static void parse_features(const uint16_t *words, struct drive_info *info)
{
    uint32_t level = words[94] & 0xff;

    if (!is_marked(words[83]) || !is_marked(words[87]))
        return;
    info->starts_in_standby = (words[83] & words[86] & 0x0020) != 0;
    info->look_ahead_known = (words[82] & 0x0040) != 0;
    info->look_ahead = info->look_ahead_known && (words[85] & 0x0040) != 0;
    if ((words[83] & words[86] & 0x0200) != 0 && level >= 0x80 && level <= 0xfe)
        info->acoustic = level;
}

static void parse_state(const uint16_t *words, struct drive_info *info)
{
    uint16_t rotation = words[217];

    if (rotation == 1 || (rotation >= 0x0401 && rotation != 0xffff))
        info->rotation_rpm = rotation;
    /* Host-managed ones say nothing here; they are known by their signature. */
    if ((words[69] & 3) == 1)
        info->zones = DRIVE_ZONES_HOST_AWARE;
    if ((words[69] & 3) == 2)
        info->zones = DRIVE_ZONES_DEVICE_MANAGED;
    info->removable = (words[0] & 0x0080) != 0;
    /* Security: supported (bit 0), enabled (bit 1) and locked (bit 2). */
    info->locked = words[128] != 0xffff && (words[128] & 7) == 7;
    info->checksum_valid = checksum_is_valid(words);
}

enum status ahci_identify_parse(const uint16_t *words, struct drive_info *ret_info,
                                const char **ret_reason)
{
    enum status status;

    *ret_info = (struct drive_info){.logical_bytes = 0};
    *ret_reason = "";
    if (all_equal(words)) {
        *ret_reason = "its IDENTIFY data are blank";
        return STATUS_INVALID;
    }
    ahci_identify_names(words, ret_info);
    /* Bit 15 means a packet device, but for the one value that marks a CompactFlash card. */
    if ((words[0] & 0x8000) != 0 && words[0] != 0x848a) {
        *ret_reason = "it is a packet device";
        return STATUS_UNSUPPORTED;
    }
    if (is_incomplete(words)) {
        ret_info->standby = true;
        ret_info->logical_bytes = ret_info->physical_bytes = 512;
        ret_info->command_sectors_max = AHCI_LIMIT_COMMAND_SECTORS_28;
        parse_features(words, ret_info);
        parse_state(words, ret_info);
        return STATUS_OK;
    }
    status = parse_capacity(words, ret_info, ret_reason);
    if (status == STATUS_OK)
        status = parse_sector_sizes(words, ret_info, ret_reason);
    if (status != STATUS_OK) {
        *ret_info = (struct drive_info){.logical_bytes = 0};
        return status;
    }
    ret_info->command_sectors_max =
        ret_info->lba48 ? AHCI_LIMIT_COMMAND_SECTORS : AHCI_LIMIT_COMMAND_SECTORS_28;
    parse_sata(words, ret_info);
    parse_features(words, ret_info);
    parse_state(words, ret_info);
    return STATUS_OK;
}

void ahci_identify_blank(uint16_t *words)
{
    for (unsigned i = 10; i < 20; i++)
        words[i] = 0;
    for (unsigned i = 108; i < 112; i++)
        words[i] = 0;
    for (unsigned i = 176; i < 206; i++)
        words[i] = 0;
}
