/* CRC-32 (IEEE 802.3, reflected, as zlib's crc32): the checksum by which read data is compared. */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC of `bytes` continued from `crc`; start with 0. */
uint32_t base_crc32(uint32_t crc, const void *bytes, size_t count);

#endif
