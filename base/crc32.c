/* CRC-32 by nibbles: a 64-byte table, no start-up work. */
#include "base/crc32.h"

uint32_t base_crc32(uint32_t crc, const void *bytes, size_t count)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const uint8_t *b = bytes;

    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc = table[(crc ^ b[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ (uint32_t)b[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}
