/*
 * The writers against files that were read and found right. BARELANE_GOLDEN_WRITE=1 writes them
 * anew; then look at the difference.
 */
#include "tests/unit/report_fake.h"

#include "report/csv.h"
#include "report/json.h"
#include "report/table.h"

#include <stdio.h>

static void compare(const char *name, const struct text *text)
{
    char path[64];
    char *golden = calloc(1, text->length + 2);
    size_t length;
    FILE *file;

    snprintf(path, sizeof path, "tests/golden/%s", name);
    if (getenv("BARELANE_GOLDEN_WRITE") != NULL) {
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text->buffer, 1, text->length, file), text->length);
        fclose(file);
    }
    file = fopen(path, "rb");
    assert_non_null(file);
    length = fread(golden, 1, text->length + 1, file);
    fclose(file);
    assert_string_equal(text->buffer, golden);
    assert_int_equal(length, text->length);
    free(golden);
}

/* Whatever it says: ASCII, LF, a last line that ends. */
static void check_form(const struct text *text)
{
    assert_false(text->truncated);
    assert_int_equal(text->buffer[text->length - 1], '\n');
    for (size_t i = 0; i < text->length; i++)
        assert_true(text->buffer[i] == '\n' || (text->buffer[i] >= 0x20 && text->buffer[i] < 0x7f));
}

static void test_json(void **state)
{
    struct report_rig *all = report_rig_new();
    size_t bytes = REPORT_JSON_BYTES(2, 2);
    char *buffer = malloc(bytes);
    struct text text;

    (void)state;
    text_init(&text, buffer, bytes);
    report_json(&text, &all->result);
    check_form(&text);
    assert_non_null(strstr(buffer, "\"end\": \"complete\"\n}\n"));
    compare("result.json", &text);
    free(buffer);
    report_rig_free(all);
}

static void test_json_cut(void **state)
{
    struct report_rig *all = report_rig_new();
    size_t bytes = REPORT_JSON_BYTES(2, 2);
    char *buffer = malloc(bytes);
    struct text text;
    size_t length;

    (void)state;
    text_init(&text, buffer, bytes);
    report_json(&text, &all->result);
    length = text.length;
    for (size_t room = 1; room <= length; room += 1 + room / 7) {
        char *small = malloc(room);

        text_init(&text, small, room);
        report_json(&text, &all->result);
        assert_true(text.truncated);
        free(small);
    }
    free(buffer);
    report_rig_free(all);
}

static void check_lines(const char *line, size_t most)
{
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");

        if (length > most || (length > 0 && line[length - 1] == ' '))
            fail_msg("a line too long or with blanks at its end: %.*s", (int)length, line);
        line += length + 1;
    }
}

static void test_table(void **state)
{
    struct report_rig *all = report_rig_new();
    size_t bytes = REPORT_TABLE_BYTES(2, 2);
    char *buffer = malloc(bytes);
    struct text text;

    (void)state;
    text_init(&text, buffer, bytes);
    report_table(&text, &all->result);
    check_form(&text);
    check_lines(buffer, 79);
    compare("result.txt", &text);
    free(buffer);
    report_rig_free(all);
}

static void test_csv(void **state)
{
    struct report_rig *all = report_rig_new();
    size_t rows = all->rig[0]->run.sample_count + all->rig[1]->run.sample_count;
    size_t bytes = (rows + 2) * REPORT_CSV_ROW_BYTES;
    char *buffer = malloc(bytes);
    struct text text;

    (void)state;
    text_init(&text, buffer, bytes);
    report_csv_header(&text);
    for (uint32_t port = 0; port < 2; port++)
        for (uint32_t i = 0; i < all->rig[port]->run.sample_count; i++)
            report_csv_row(&text, &all->drives[port], i, 0, port);
    check_form(&text);
    compare("samples.csv", &text);
    free(buffer);
    report_rig_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_cut),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_csv),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
