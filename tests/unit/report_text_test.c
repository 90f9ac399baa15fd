/* What the writers make of odd facts: foreign text, nothing known, everything at its largest. */
#include "tests/unit/report_fake.h"

#include "base/bits.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/json_text.h"
#include "report/table.h"
#include "report/table_text.h"

static void test_escapes(void **state)
{
    char buffer[2048], all[256];
    struct text text;
    struct json json = {.text = &text};

    (void)state;
    for (unsigned i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    all[255] = '\0';
    text_init(&text, buffer, sizeof buffer);
    json_string(&json, NULL, all);
    assert_false(text.truncated);
    for (size_t i = 0; i < text.length; i++)
        assert_true(buffer[i] >= 0x20 && buffer[i] < 0x7f);
    assert_non_null(strstr(buffer, "\\u0001\\u0002"));
    assert_non_null(strstr(buffer, " !\\\"#"));
    assert_non_null(strstr(buffer, "[\\\\]"));
    assert_non_null(strstr(buffer, "~\\u007f\\u0080"));
    assert_non_null(strstr(buffer, "\\u00ff\""));
}

static void test_empty_and_nested(void **state)
{
    char buffer[256];
    struct text text;
    struct json json = {.text = &text};

    (void)state;
    text_init(&text, buffer, sizeof buffer);
    json_open(&json, NULL, '{');
    json_open(&json, "a", '[');
    json_close(&json, ']');
    json_open_inline(&json, "b", '[');
    json_open_inline(&json, NULL, '{');
    json_signed(&json, "c", INT64_MIN);
    json_number(&json, "d", UINT64_MAX);
    json_close(&json, '}');
    json_null(&json, NULL);
    json_close(&json, ']');
    json_hex(&json, "e", 0xabc, 4);
    json_close(&json, '}');
    assert_string_equal(buffer, "{\n  \"a\": [],\n  \"b\": [{\"c\": -9223372036854775808, \"d\": "
                                "18446744073709551615}, null],\n  \"e\": \"0x0abc\"\n}\n");
}

/* A result in which nothing is known and nothing was found. */
static void test_nothing_known(void **state)
{
    static struct result result;
    char *buffer = malloc(REPORT_JSON_BYTES(0, 0));
    struct text text;

    (void)state;
    result.tool.version = result.tool.started_by = result.tool.arguments = "";
    text_init(&text, buffer, REPORT_JSON_BYTES(0, 0));
    report_json(&text, &result);
    assert_false(text.truncated);
    assert_non_null(strstr(buffer, "\"firmware_vendor\": null"));
    text_init(&text, buffer, REPORT_JSON_BYTES(0, 0));
    report_table(&text, &result);
    assert_false(text.truncated);
    assert_int_equal(result_judge(&result), STATUS_NOT_FOUND);
    free(buffer);
}

/* Everything at its largest must fit what the macros promise. */
static void test_largest(void **state)
{
    struct report_rig *all = report_rig_new();
    size_t bytes = REPORT_JSON_BYTES(2, 2);
    struct drive_fault fault = {.kind = DRIVE_FAULT_OVERFLOW,
                                .operation = "READ FPDMA QUEUED",
                                .lba = UINT64_MAX,
                                .waited_ticks = UINT64_MAX / 2,
                                .register_count = DRIVE_FAULT_REGISTERS};
    char *buffer = malloc(bytes);
    struct text text;

    (void)state;
    for (uint32_t i = 0; i < DRIVE_FAULT_REGISTERS; i++)
        fault.registers[i].name = "PxSOMETHING";
    for (uint32_t d = 0; d < 2; d++) {
        struct bench_run *run = all->drives[d].run;

        memset(all->drives[d].info.model, 0xff, 40);
        memset(all->drives[d].info.firmware, 0x01, 8);
        run->plan.steps[2].count = PLAN_POSITIONS_MAX;
        for (uint32_t i = 0; i < PLAN_POSITIONS_MAX; i++)
            run->transfer.ticks[i] = UINT64_C(250000000000);
        for (uint32_t i = 0; i < run->plan.step_count; i++) {
            run->tests[i].faults.kept = BENCH_FAULTS_MAX;
            run->tests[i].state = BENCH_DONE;
            for (uint32_t k = 0; k < BENCH_FAULTS_MAX; k++)
                run->tests[i].faults.fault[k] = fault;
        }
    }
    for (uint32_t i = 0; i < 2 * RESULT_NOTES_MAX; i++)
        result_note(&all->result, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80");
    text_init(&text, buffer, bytes);
    report_json(&text, &all->result);
    assert_false(text.truncated);
    assert_true(all->result.notes_dropped > 0);
    text_init(&text, buffer, REPORT_TABLE_BYTES(2, 2));
    report_table(&text, &all->result);
    assert_false(text.truncated);
    for (const char *line = buffer; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 79);
    free(buffer);
    report_rig_free(all);
}

static void test_longest_row(void **state)
{
    static struct bench_run run;
    struct sample sample = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT16_MAX, 0, 1};
    struct result_drive drive = {.run = &run, .samples = &sample};
    char buffer[REPORT_CSV_ROW_BYTES + 1];
    struct text text;

    (void)state;
    text_init(&text, buffer, sizeof buffer);
    report_csv_row(&text, &drive, 0, UINT32_MAX, UINT32_MAX);
    assert_false(text.truncated);
    text_init(&text, buffer, sizeof buffer);
    report_csv_header(&text);
    assert_false(text.truncated);
}

static void test_wrapping(void **state)
{
    char buffer[512], word[200];
    struct text text;

    (void)state;
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    text_init(&text, buffer, sizeof buffer);
    table_wrapped(&text, "note", word);
    assert_int_equal(strlen(buffer), 80);
    text_init(&text, buffer, sizeof buffer);
    table_wrapped(&text, "note", "");
    assert_string_equal(buffer, "  note\n");
}

static void test_judge(void **state)
{
    static const struct {
        enum status first, second, all;
    } cases[] = {
        {STATUS_OK, STATUS_OK, STATUS_OK},
        {STATUS_OK, STATUS_GONE, STATUS_GONE},
        {STATUS_TIMEOUT, STATUS_MISMATCH, STATUS_MISMATCH},
        {STATUS_MISMATCH, STATUS_TIMEOUT, STATUS_MISMATCH},
        {STATUS_MISMATCH, STATUS_ABORTED, STATUS_ABORTED},
    };
    struct report_rig *all = report_rig_new();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        all->drives[0].run->status = cases[i].first;
        all->drives[1].run->status = cases[i].second;
        assert_int_equal(result_judge(&all->result), cases[i].all);
    }
    all->drives[0].run->status = all->drives[1].run->status = STATUS_OK;
    all->drives[1].run->tests[3].state = BENCH_FAILED;
    assert_int_equal(result_judge(&all->result), STATUS_DEVICE);
    report_rig_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),       cmocka_unit_test(test_empty_and_nested),
        cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_largest),
        cmocka_unit_test(test_longest_row),   cmocka_unit_test(test_wrapping),
        cmocka_unit_test(test_judge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
