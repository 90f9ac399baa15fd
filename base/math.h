/* Integer arithmetic that does not overflow where the plain operators would. */
#ifndef BASE_MATH_H
#define BASE_MATH_H

#include <stdint.h>

/*
 * a * b / c with a 128-bit product, rounded down. UINT64_MAX when the quotient does not fit or c is
 * 0: a visible impossibility instead of a wrapped, plausible figure.
 */
uint64_t base_mul_div(uint64_t a, uint64_t b, uint64_t c);

/* As base_mul_div, rounded to nearest (halves up). */
uint64_t base_mul_div_round(uint64_t a, uint64_t b, uint64_t c);

#endif
