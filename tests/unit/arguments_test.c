/* LoadOptions: command lines with and without a program's name, and junk. */
#include "efi/pure/arguments.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* `line` as UCS-2, split; `nul` adds the terminator that some loaders leave out. */
static struct arguments split(const char *line, int nul)
{
    static struct arguments arguments;
    size_t length = strlen(line) + (nul ? 1 : 0);
    uint8_t *bytes = malloc(2 * length + 1);

    assert_non_null(bytes);
    for (size_t i = 0; i < length; i++) {
        bytes[2 * i] = (uint8_t)line[i];
        bytes[2 * i + 1] = 0;
    }
    arguments_from_load_options(bytes, 2 * length, &arguments);
    free(bytes);
    return arguments;
}

static void test_words(void **state)
{
    struct arguments a = split("-y  -t\taccess \"two words\" ", 0);

    (void)state;
    assert_int_equal(a.count, 4);
    a = split("-y  -t\taccess \"two words\" ", 1);
    assert_int_equal(a.count, 4);
}

static void test_program_name_is_dropped(void **state)
{
    static struct arguments arguments;
    static const uint8_t line[] = {'F', 0, 'S', 0, '0', 0, ':', 0, '\\', 0, 'B', 0, '.', 0,
                                   'E', 0, 'F', 0, 'I', 0, ' ', 0, '-',  0, 'l', 0, 0,   0};

    (void)state;
    arguments_from_load_options(line, sizeof line, &arguments);
    assert_int_equal(arguments.count, 1);
    assert_string_equal(arguments.list[0], "-l");
    assert_int_equal(split("barelane.efi", 1).count, 0);
    assert_int_equal(split("efi", 1).count, 1);
}

static void test_junk_gives_none(void **state)
{
    static struct arguments arguments;
    static const uint8_t odd[] = {'-', 0, 'l'};
    static const uint8_t control[] = {'-', 0, 7, 0};
    static const uint8_t wide[] = {'-', 0, 0x42, 0x26};
    char line[3000];

    (void)state;
    arguments_from_load_options(odd, sizeof odd, &arguments);
    assert_int_equal(arguments.count, 0);
    arguments_from_load_options(control, sizeof control, &arguments);
    assert_int_equal(arguments.count, 0);
    arguments_from_load_options(wide, sizeof wide, &arguments);
    assert_int_equal(arguments.count, 0);
    arguments_from_load_options(odd, 0, &arguments);
    assert_int_equal(arguments.count, 0);
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    assert_int_equal(split(line, 1).count, 0);
    for (size_t i = 0; i < 400; i += 2)
        memcpy(line + i, "a ", 2);
    line[400] = '\0';
    assert_int_equal(split(line, 1).count, 0);
}

/* Any bytes at all, in memory of exactly their size: the sanitizer watches the borders. */
static void test_random_bytes(void **state)
{
    struct base_random random = {7};
    static struct arguments arguments;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t size = base_random_below(&random, 300);
        uint8_t *bytes = malloc(size + (size == 0));

        assert_non_null(bytes);
        for (size_t i = 0; i < size; i++)
            bytes[i] = round % 2 == 0 || i % 2 == 0 ? (uint8_t)base_random_next(&random) & 0x7f : 0;
        arguments_from_load_options(bytes, size, &arguments);
        assert_true(arguments.count <= ARGUMENTS_MAX);
        for (uint32_t i = 0; i < arguments.count; i++)
            assert_true(strlen(arguments.list[i]) < ARGUMENTS_TEXT_MAX);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_program_name_is_dropped),
        cmocka_unit_test(test_junk_gives_none),
        cmocka_unit_test(test_random_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
