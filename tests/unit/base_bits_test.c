/* Bit fields, little-endian loads and the names of the status codes. */
#include "base/bits.h"
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_bits(void **state)
{
    int numbers[7];

    (void)state;
    assert_int_equal(COUNT_OF(numbers), 7);
    assert_int_equal(BIT32(0), 1);
    assert_true(BIT32(31) == 0x80000000u);
}

/* Every mask of adjoining bits, with all and with none of the others set. */
static void test_field(void **state)
{
    (void)state;
    for (unsigned low = 0; low < 32; low++)
        for (unsigned width = 1; width <= 32 - low; width++) {
            uint32_t ones = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
            uint32_t mask = ones << low;

            assert_true(base_field(UINT32_MAX, mask) == ones);
            assert_true(base_field(~mask, mask) == 0);
            assert_true(base_field(UINT32_C(0xa5c3f012), mask) ==
                        (UINT32_C(0xa5c3f012) >> low & ones));
        }
}

static void test_loads(void **state)
{
    static const uint8_t bytes[] = {0x00, 0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97, 0x88};

    (void)state;
    /* From an odd address: nothing in a table is aligned for certain. */
    assert_int_equal(base_le16(bytes + 1), 0xe2f1);
    assert_true(base_le32(bytes + 1) == 0xc4d3e2f1u);
    assert_true(base_le64(bytes + 1) == UINT64_C(0x8897a6b5c4d3e2f1));
}

static void test_status_names(void **state)
{
    (void)state;
    for (int i = 0; i < STATUS_COUNT; i++) {
        const char *name = base_status_name((enum status)i);

        assert_non_null(name);
        assert_true(strlen(name) > 0);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz- "), strlen(name));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(name, base_status_name((enum status)j));
    }
    assert_non_null(base_status_name(STATUS_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_status_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
