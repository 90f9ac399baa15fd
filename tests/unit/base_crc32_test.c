/* CRC-32 against its published check values, and against the definition bit by bit. */
#include "base/crc32.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_known(void **state)
{
    uint8_t block[32];

    (void)state;
    assert_int_equal(base_crc32(0, "", 0), 0);
    assert_int_equal(base_crc32(0, "a", 1), 0xe8b7be43);
    assert_int_equal(base_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(base_crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
    memset(block, 0, sizeof block);
    assert_int_equal(base_crc32(0, block, sizeof block), 0x190a55ad);
    memset(block, 0xff, sizeof block);
    assert_int_equal(base_crc32(0, block, sizeof block), 0xff6cab0b);
}

static uint32_t by_bits(const uint8_t *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void test_definition(void **state)
{
    struct base_random random = {.state = 5};
    uint8_t bytes[300];

    (void)state;
    for (size_t count = 0; count <= sizeof bytes; count++) {
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)base_random_next(&random);
        assert_int_equal(base_crc32(0, bytes, count), by_bits(bytes, count));
    }
}

static void test_continued(void **state)
{
    static const char text[] = "123456789";

    (void)state;
    for (size_t cut = 0; cut <= 9; cut++)
        assert_int_equal(base_crc32(base_crc32(0, text, cut), text + cut, 9 - cut), 0xcbf43926);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_continued),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
