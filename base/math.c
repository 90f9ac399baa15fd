/* Integer arithmetic; 128-bit division by shift and subtract because no libgcc is linked in EFI. */
#include "base/math.h"

static uint64_t divide_128(uint64_t high, uint64_t low, uint64_t divisor)
{
    uint64_t remainder = high;
    uint64_t quotient = 0;

    if (divisor == 0 || high >= divisor)
        return UINT64_MAX;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t carry = remainder >> 63;
        remainder = remainder << 1 | (low >> bit & 1);
        if (carry != 0 || remainder >= divisor) {
            remainder -= divisor;
            quotient |= UINT64_C(1) << bit;
        }
    }
    return quotient;
}

static uint64_t multiply_add_divide(uint64_t a, uint64_t b, uint64_t add, uint64_t c)
{
    unsigned __int128 sum = (unsigned __int128)a * b + add;

    if (sum >> 64 == 0 && c != 0)
        return (uint64_t)sum / c;
    return divide_128((uint64_t)(sum >> 64), (uint64_t)sum, c);
}

uint64_t base_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    return multiply_add_divide(a, b, 0, c);
}

uint64_t base_mul_div_round(uint64_t a, uint64_t b, uint64_t c)
{
    return multiply_add_divide(a, b, c / 2, c);
}
