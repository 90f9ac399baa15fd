/* Bit fields of registers and little-endian loads from byte tables. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

/* Number of elements of an array (not of a pointer). */
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define BIT32(n) (UINT32_C(1) << (n))

/* Value of the field that `mask` (contiguous, non-zero) selects, shifted down to bit 0. */
static inline uint32_t base_field(uint32_t value, uint32_t mask)
{
    return (value & mask) / (mask & (~mask + 1u));
}

static inline uint16_t base_le16(const void *bytes)
{
    const uint8_t *b = bytes;
    return (uint16_t)(b[0] | (uint32_t)b[1] << 8);
}

static inline uint32_t base_le32(const void *bytes)
{
    const uint8_t *b = bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t base_le64(const void *bytes)
{
    const uint8_t *b = bytes;
    return base_le32(b) | (uint64_t)base_le32(b + 4) << 32;
}

#endif
