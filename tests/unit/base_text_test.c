/* Bounded text: what is written, and what is not when it does not fit. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char buffer[256];
static struct text text;

static int set_up(void **state)
{
    (void)state;
    memset(buffer, 'x', sizeof buffer);
    text_init(&text, buffer, sizeof buffer);
    return 0;
}

static void assert_text(const char *expected)
{
    assert_string_equal(buffer, expected);
    assert_int_equal(text.length, strlen(expected));
    assert_false(text.truncated);
}

static void test_empty(void **state)
{
    (void)state;
    assert_text("");
    text_string(&text, "");
    text_column(&text, 0);
    assert_text("");
}

static void test_pieces(void **state)
{
    (void)state;
    text_char(&text, 'a');
    text_string(&text, "bc");
    text_printf(&text, " %d %u %x %s", -5, 7u, 0xbeefu, "end");
    assert_text("abc -5 7 beef end");
}

static void test_printf(void **state)
{
    (void)state;
    text_printf(&text, "%llu %lld %llx", 18446744073709551615ULL, -9223372036854775807LL,
                0xfedcba9876543210ULL);
    assert_text("18446744073709551615 -9223372036854775807 fedcba9876543210");
    set_up(NULL);
    text_printf(&text, "[%04x] [%5d] [%-5d] [%05u] [%-4s] [%4s] [%.2s] [%c] [%%]", 0x1bu, 42, 42,
                42u, "ab", "ab", "abc", '!');
    assert_text("[001b] [   42] [42   ] [00042] [ab  ] [  ab] [ab] [!] [%]");
}

static void test_decimal(void **state)
{
    static const struct {
        uint64_t value;
        unsigned decimals;
        const char *expected;
    } cases[] = {
        {4313, 1, "431.3"},
        {4313, 0, "4313"},
        {0, 0, "0"},
        {0, 3, "0.000"},
        {7, 3, "0.007"},
        {1000, 3, "1.000"},
        {1, 18, "0.000000000000000001"},
        {UINT64_MAX, 0, "18446744073709551615"},
        {UINT64_MAX, 18, "18.446744073709551615"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_up(NULL);
        text_decimal(&text, cases[i].value, cases[i].decimals);
        assert_text(cases[i].expected);
    }
}

static void test_column(void **state)
{
    (void)state;
    text_string(&text, "ab");
    text_column(&text, 5);
    text_string(&text, "c");
    text_column(&text, 3); /* already beyond: none */
    text_string(&text, "d\n");
    text_column(&text, 2);
    text_string(&text, "e");
    assert_text("ab   cd\n  e");
}

/* Every capacity below what is needed: the beginning stands, ended, and the loss is known. */
static void test_truncation(void **state)
{
    static const char expected[] = "number 431.3 text 1234      end";

    (void)state;
    for (size_t capacity = 1; capacity <= sizeof expected; capacity++) {
        char *exact = malloc(capacity);

        assert_non_null(exact);
        text_init(&text, exact, capacity);
        text_string(&text, "number ");
        text_decimal(&text, 4313, 1);
        text_printf(&text, " %s %d", "text", 1234);
        text_column(&text, 28);
        text_string(&text, "en");
        text_char(&text, 'd');
        assert_int_equal(text.length, capacity - 1);
        assert_memory_equal(exact, expected, capacity - 1);
        assert_int_equal(exact[capacity - 1], '\0');
        assert_int_equal(text.truncated, capacity < sizeof expected);
        free(exact);
    }
}

/* What was lost stays known when later pieces would fit. */
static void test_truncation_is_remembered(void **state)
{
    (void)state;
    text_init(&text, buffer, 3);
    text_string(&text, "abc");
    text_string(&text, "");
    assert_true(text.truncated);
    assert_string_equal(buffer, "ab");
    text_column(&text, 200);
    assert_string_equal(buffer, "ab");
}

/* One formatted piece has a limit of its own; beyond it the loss is known too. */
static void test_long_piece(void **state)
{
    static char large[2000], long_string[600];

    (void)state;
    text_init(&text, large, sizeof large);
    memset(long_string, 'y', 511);
    text_printf(&text, "%s", long_string);
    assert_int_equal(text.length, 511);
    assert_false(text.truncated);
    long_string[511] = 'y';
    text_printf(&text, "%s", long_string);
    assert_true(text.truncated);
    text_init(&text, large, sizeof large);
    text_string(&text, long_string); /* without a format there is none */
    assert_int_equal(text.length, 512);
    assert_false(text.truncated);
}

static const char *trimmed(const char *bytes, size_t length)
{
    static char out[16];

    text_init(&text, out, sizeof out);
    text_trimmed(&text, (const uint8_t *)bytes, length);
    return out;
}

static void test_trimmed(void **state)
{
    (void)state;
    assert_string_equal(trimmed("", 0), "");
    assert_string_equal(trimmed("abc", 2), "ab");
    assert_string_equal(trimmed(" \t a  b\r\n\0 ", 11), "a  b");
    assert_string_equal(trimmed("\x7f"
                                "a\0b\xe4~\x01",
                                7),
                        "?a?b?~");
    assert_string_equal(trimmed("   ", 3), "");
    assert_string_equal(trimmed("\xff\xff \xff", 4), "");
    assert_string_equal(trimmed("12345678901234567890", 20), "123456789012345");
    assert_true(text.truncated);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(test_empty),
        TEST(test_pieces),
        TEST(test_printf),
        TEST(test_decimal),
        TEST(test_column),
        TEST(test_truncation),
        TEST(test_truncation_is_remembered),
        TEST(test_long_piece),
        TEST(test_trimmed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
