/*
 * What fuzz targets share. A target is one file with LLVMFuzzerTestOneInput: libFuzzer calls it
 * with inputs of its own (scripts/fuzz), tests/fuzz/replay.c with those of tests/fuzz/corpus/.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the code under test; unlike assert it holds in every build. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* An input, used up from its start; behind its end are zeros. */
struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t fuzz_byte(struct fuzz_input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

static inline uint16_t fuzz_word(struct fuzz_input *input)
{
    uint16_t low = fuzz_byte(input);

    return (uint16_t)(low | fuzz_byte(input) << 8);
}

/* The next `bytes` bytes, zeros behind the end, in an allocation of just that size. */
static inline uint8_t *fuzz_take(struct fuzz_input *input, size_t bytes)
{
    uint8_t *copy = calloc(bytes > 0 ? bytes : 1, 1);
    size_t real = bytes < input->left ? bytes : input->left;

    REQUIRE(copy != NULL);
    if (real > 0)
        memcpy(copy, input->at, real);
    input->at += real;
    input->left -= real;
    return copy;
}

#endif
