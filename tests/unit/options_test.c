/* The command line: what is accepted, and the one line that says what is wrong. */
#include "efi/pure/options.h"

#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct parsed {
    struct options options;
    enum status status;
    char error[200];
};

/* Splits `line` at blanks and parses it. */
static struct parsed parse(const char *line)
{
    static char copy[512];
    const char *arguments[64];
    struct parsed parsed;
    struct text error;
    uint32_t count = 0;

    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        arguments[count++] = word;
    text_init(&error, parsed.error, sizeof parsed.error);
    parsed.status = options_parse(arguments, count, &parsed.options, &error);
    return parsed;
}

static void test_defaults(void **state)
{
    struct parsed p = parse("");

    (void)state;
    assert_int_equal(p.status, STATUS_OK);
    assert_int_equal(p.options.plan.tests, PLAN_TESTS_ALL);
    assert_false(p.options.help || p.options.list || p.options.yes || p.options.force);
    assert_false(p.options.seed_given);
    assert_int_equal(p.options.drive_count, 0);
}

static void test_every_option(void **state)
{
    struct parsed p = parse("-l -y --force -b -d 1:31 --drive=0:0 -t access,depth --seed 0x10 "
                            "--positions=300 --access-count 2000 --depth-count 2000000");

    (void)state;
    assert_int_equal(p.status, STATUS_OK);
    assert_true(p.options.list && p.options.yes && p.options.force && p.options.page);
    assert_int_equal(p.options.drive_count, 2);
    assert_int_equal(p.options.drives[0].controller, 1);
    assert_int_equal(p.options.drives[0].port, 31);
    assert_int_equal(p.options.drives[1].port, 0);
    assert_int_equal(p.options.plan.tests, PLAN_TEST(PLAN_ACCESS) | PLAN_TEST(PLAN_DEPTH));
    assert_true(p.options.seed_given);
    assert_int_equal(p.options.plan.seed, 16);
    assert_int_equal(p.options.plan.positions, 300);
    assert_int_equal(p.options.plan.accesses, 2000);
    assert_int_equal(p.options.plan.depth_commands, 2000000);
}

static void test_short_and_long_names(void **state)
{
    (void)state;
    assert_true(parse("-h").options.help);
    assert_true(parse("--help").options.help);
    assert_true(parse("-V").options.version);
    assert_true(parse("--version").options.version);
    assert_int_equal(parse("--tests=all").options.plan.tests, PLAN_TESTS_ALL);
    assert_true(parse("--seed=18446744073709551615").options.plan.seed == UINT64_MAX);
}

/* Each is refused, and the line names the option or word and what would be right. */
static void test_bad_arguments(void **state)
{
    static const struct {
        const char *line;
        const char *names;
        const char *right;
    } cases[] = {
        {"--frobnicate", "--frobnicate", "-h"},
        {"-z", "-z", "-h"},
        {"run", "run", "-h"},
        {"--list=yes", "--list", "no value"},
        {"-d", "--drive", "0:1"},
        {"-d 5", "\"5\"", "0:1"},
        {"-d 0:32", "0:32", "0:1"},
        {"-d 256:0", "256:0", "0:1"},
        {"-d 0:1x", "0:1x", "0:1"},
        {"-d :1", ":1", "0:1"},
        {"-t", "--tests", "verify"},
        {"-t speed", "speed", "verify"},
        {"-t access,", "access,", "verify"},
        {"-t ,access", ",access", "verify"},
        {"-t acces", "acces", "verify"},
        {"--tests=", "--tests", "verify"},
        {"--seed", "--seed", "2^64"},
        {"--seed -1", "-1", "2^64"},
        {"--seed 18446744073709551616", "18446744073709551616", "2^64"},
        {"--seed 0x", "0x", "2^64"},
        {"--positions 0", "\"0\"", "256 to 4096"},
        {"--positions 255", "255", "4096"},
        {"--positions 4097", "4097", "4096"},
        {"--positions 4294967552", "4294967552", "256 to 4096"},
        {"--access-count 1999", "1999", "100000"},
        {"--depth-count 99999999", "99999999", "2000000"},
        {"--depth-count 1e6", "1e6", "2000000"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct parsed p = parse(cases[i].line);

        if (p.status != STATUS_INVALID || strstr(p.error, cases[i].names) == NULL ||
            strstr(p.error, cases[i].right) == NULL || strchr(p.error, '\n') != NULL)
            fail_msg("\"%s\": %s \"%s\"", cases[i].line, base_status_name(p.status), p.error);
    }
}

static void test_too_many_drives(void **state)
{
    char line[512] = "";

    (void)state;
    for (int i = 0; i < OPTIONS_DRIVES_MAX; i++)
        strcat(line, "-d 0:0 ");
    assert_int_equal(parse(line).status, STATUS_OK);
    strcat(line, "-d 0:0");
    assert_int_equal(parse(line).status, STATUS_INVALID);
}

/* One screen of 80x25, the prompt after it included, and every option is in it. */
static void test_help_fits_a_screen(void **state)
{
    static const char *const must_name[] = {
        "--list",        "--drive",     "--tests",        "--yes",
        "--force",       "--seed",      "--positions",    "--access-count",
        "--depth-count", "--page",      "--version",      "--help",
        "never writes",  "256 to 4096", "2000 to 100000", "1000 to 2000000",
    };
    const char *help = options_help();
    size_t column = 0;
    size_t lines = 0;

    (void)state;
    for (const char *c = help; *c != '\0'; c++) {
        column = *c == '\n' ? 0 : column + 1;
        lines += *c == '\n' ? 1 : 0;
        assert_true(column <= 79);
    }
    assert_true(lines <= 24);
    for (size_t i = 0; i < COUNT_OF(must_name); i++)
        assert_non_null(strstr(help, must_name[i]));
}

/* A whole file of the source tree, from which the tests are started. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *content = calloc(1, 65536);

    assert_non_null(file);
    assert_non_null(content);
    assert_true(fread(content, 1, 65535, file) > 0);
    fclose(file);
    return content;
}

/* README.md shows the help text word for word; the manual page knows every option. */
static void test_documents_agree(void **state)
{
    const char *usage = strstr(options_help(), "barelane.efi [OPTION...]");
    char *readme = read_file("README.md");
    char *manual = read_file("efi/barelane.man.txt");

    (void)state;
    assert_non_null(usage);
    assert_non_null(strstr(readme, usage));
    for (const char *option = usage; (option = strstr(option, "--")) != NULL; option += 2) {
        char name[32] = "";

        for (size_t i = 0; i < sizeof name - 1 && strchr(" ,\n", option[i]) == NULL; i++)
            name[i] = option[i];
        if (strstr(manual, name) == NULL)
            fail_msg("%s is not in the manual page", name);
    }
    free(readme);
    free(manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_agree),    cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_option),       cmocka_unit_test(test_short_and_long_names),
        cmocka_unit_test(test_bad_arguments),      cmocka_unit_test(test_too_many_drives),
        cmocka_unit_test(test_help_fits_a_screen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
