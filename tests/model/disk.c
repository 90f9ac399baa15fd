/* What a drive holds and what it says about itself. */
#include "tests/model/internal.h"

#include <string.h>

uint64_t model_disk_word(uint64_t lba, uint32_t index)
{
    uint64_t z = (lba + 1) * UINT64_C(0x9e3779b97f4a7c15) + index;

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 27;
}

void model_disk_read(const struct model_disk *disk, uint64_t lba, void *bytes, size_t count)
{
    uint8_t *to = bytes;

    for (size_t at = 0; at < count; at += 8) {
        uint64_t word = model_disk_word(lba + at / disk->logical_bytes,
                                        (uint32_t)(at % disk->logical_bytes / 8));
        size_t left = count - at < 8 ? count - at : 8;

        memcpy(to + at, &word, left);
    }
}

bool model_disk_matches(const void *data, size_t bytes, uint64_t lba, uint32_t logical_bytes)
{
    const uint8_t *from = data;

    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word =
            model_disk_word(lba + at / logical_bytes, (uint32_t)(at % logical_bytes / 8));

        if (memcmp(from + at, &word, 8) != 0)
            return false;
    }
    return true;
}

static void put_string(uint16_t *words, const char *string, unsigned chars)
{
    for (unsigned i = 0; i < chars; i++) {
        unsigned c = *string != '\0' ? (unsigned char)*string++ : ' ';

        if (i % 2 == 0)
            words[i / 2] = (uint16_t)(c << 8);
        else
            words[i / 2] |= (uint16_t)c;
    }
}

static unsigned log2_of(uint32_t value)
{
    unsigned log = 0;

    while (value > 1) {
        value /= 2;
        log++;
    }
    return log;
}

/* Serial number and WWN are given, so that a test can see that nobody keeps them. */
void model_disk_identify(const struct model_disk *disk, uint32_t speed, uint8_t *bytes)
{
    uint16_t w[256] = {0};
    const uint16_t *said = disk->identify != NULL ? disk->identify : w;
    uint64_t capacity_28 = disk->sectors < 0x0fffffff ? disk->sectors : 0x0fffffff;
    uint32_t sum = 0;

    w[0] = disk->kind == MODEL_DISK_ATAPI ? 0x85c0 : 0x0040;
    put_string(&w[10], "SECRET0123456789", 20);
    put_string(&w[23], "FW 1.0", 8);
    put_string(&w[27], disk->model, 40);
    w[49] = 0x0300;
    w[60] = (uint16_t)capacity_28;
    w[61] = (uint16_t)(capacity_28 >> 16);
    w[75] = disk->queue_depth > 0 ? (uint16_t)(disk->queue_depth - 1) : 0;
    w[76] = disk->queue_depth > 0 ? 0x010e : 0x000e;
    w[77] = (uint16_t)(speed << 1);
    w[82] = 0x0002;
    w[83] = disk->no_lba48 ? 0x4000 : 0x4400;
    for (unsigned i = 0; i < 4 && !disk->no_lba48; i++)
        w[100 + i] = (uint16_t)(disk->sectors >> 16 * i);
    w[106] = (uint16_t)(0x4000 | (disk->physical_per_logical > 1
                                      ? 0x2000 | log2_of(disk->physical_per_logical)
                                      : 0));
    if (disk->logical_bytes != 512) {
        w[106] |= 0x1000;
        w[117] = (uint16_t)(disk->logical_bytes / 2);
    }
    for (unsigned i = 108; i < 112; i++)
        w[i] = 0x5ec5;
    w[128] = disk->locked ? 7 : 1;
    w[217] = 1;
    w[255] = 0x00a5;
    for (unsigned i = 0; i < 256; i++)
        sum += (w[i] & 0xffu) + (w[i] >> 8);
    w[255] |= (uint16_t)((0x100 - (sum & 0xff)) << 8);
    for (unsigned i = 0; i < 256; i++) {
        bytes[2 * i] = (uint8_t)said[i];
        bytes[2 * i + 1] = (uint8_t)(said[i] >> 8);
    }
}
