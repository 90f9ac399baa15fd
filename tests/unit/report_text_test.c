/* What the writers make of odd facts: foreign text, nothing known, everything at its largest. */
#include "tests/unit/report_fake.h"

#include "base/bits.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/json_text.h"
#include "report/table.h"
#include "report/table_machine.h"
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

static void fill_names(struct result_machine *machine)
{
    struct result_smbios *smbios = &machine->smbios;
    char(*names[])[RESULT_TEXT_BYTES] = {&smbios->bios.vendor,    &smbios->bios.version,
                                         &smbios->bios.date,      &smbios->system.vendor,
                                         &smbios->system.product, &smbios->system.version,
                                         &smbios->board.vendor,   &smbios->board.product,
                                         &smbios->board.version,  &smbios->cpu};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        memset(*names[i], i % 2 == 0 ? '"' : 'W', RESULT_TEXT_BYTES - 1);
    memset(machine->cpu.name, 'W', sizeof machine->cpu.name - 1);
    memset(machine->cpu.vendor, '\\', sizeof machine->cpu.vendor - 1);
    machine->cpu.family = machine->cpu.model = machine->cpu.stepping = UINT32_MAX;
    smbios->memory_mib = UINT64_MAX;
    smbios->slot_count = RESULT_SLOTS_MAX;
    for (uint32_t i = 0; i < RESULT_SLOTS_MAX; i++) {
        smbios->slots[i] = (struct result_slot){"", 255, 14, true, {0xffff, 255, 31, 7}};
        memset(smbios->slots[i].designation, '\\', RESULT_TEXT_BYTES - 1);
    }
}

/* Everything at its largest must fit what the macros promise. */
static void test_largest(void **state)
{
    struct report_rig *all = report_rig_new();
    size_t bytes = REPORT_JSON_BYTES(2, 2);
    struct drive_fault fault = {.kind = DRIVE_FAULT_OVERFLOW,
                                .operation = "READ FPDMA QUEUED",
                                .error = "ABRT",
                                .lba = UINT64_MAX,
                                .sectors = 65536,
                                .error_lba_known = true,
                                .error_lba = UINT64_MAX,
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
        all->drives[d].info.array = all->drives[d].info.removable = true;
        all->drives[d].info.zones = DRIVE_ZONES_DEVICE_MANAGED;
        all->drives[d].info.alignment_sectors = UINT32_MAX;
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
    fill_names(&all->result.machine);
    for (uint32_t i = 2; i < RESULT_PORTS_MAX; i++) {
        all->controllers[0].ports[i] =
            (struct result_port){31, "packet device", "packet devices are not measured", NULL, ""};
        memset(all->controllers[0].ports[i].model, 0xff, 40);
    }
    all->controllers[0].port_count = RESULT_PORTS_MAX;
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

/* A drive that was named and not measured: its size may be unknown, the reason is not. */
static void test_refused_drive(void **state)
{
    struct result_drive drive = {
        .info = {.model = "SLEEPER", .logical_bytes = 512, .physical_bytes = 512, .standby = true}};
    struct result_controller controller = {
        .taken = true, .left_alone = "", .port_count = 1, .ports = {{0, "drive", "", &drive, ""}}};
    struct result result = {.controllers = &controller, .controller_count = 1};
    char buffer[1024];
    struct text text;

    (void)state;
    drive.left_alone = drive_refusal(&drive.info);
    text_init(&text, buffer, sizeof buffer);
    table_drive(&text, &result, 0, 0);
    assert_non_null(strstr(buffer, " Drive 0:0  SLEEPER, size unknown\n"));
    assert_non_null(strstr(buffer, "\n            not spun up\n"));
    assert_non_null(strstr(buffer, "  untouched it has not spun up"));
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

/* The head of the table for a machine. */
static const char *head_of(const struct result_machine *machine)
{
    static char buffer[2048];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    table_machine(&text, machine);
    assert_false(text.truncated);
    return buffer;
}

/* What the firmware's maker did not fill in is not shown, and the next best name is. */
static void test_machine_lines(void **state)
{
    struct result_machine machine = {.firmware_vendor = "F", .uefi_revision = 0x20046};
    struct result_smbios *smbios = &machine.smbios;

    (void)state;
    assert_string_equal(head_of(&machine), "Firmware F, UEFI 2.7\n");
    smbios->bios = (struct result_bios){"Maker", "1.2", "01/02/2003"};
    assert_string_equal(head_of(&machine), "Firmware F, UEFI 2.7\nBIOS Maker 1.2 of 01/02/2003\n");
    smbios->bios = (struct result_bios){"Default string", "1.2", "Unknown"};
    smbios->board = (struct result_product){"ASUS", "Default string", "1.0"};
    smbios->system = (struct result_product){"System manufacturer", "SYS 1", "System Version"};
    assert_string_equal(head_of(&machine), "Firmware F, UEFI 2.7\nSystem SYS 1, BIOS 1.2\n");
    strcpy(smbios->board.product, "B 1");
    strcpy(smbios->cpu, "CPU of SMBIOS");
    assert_string_equal(head_of(&machine), "Firmware F, UEFI 2.7\nBoard ASUS B 1 1.0, BIOS 1.2\n"
                                           "CPU CPU of SMBIOS\n");
    strcpy(machine.cpu.name, "CPU   of CPUID");
    smbios->memory_mib = 4096;
    assert_non_null(strstr(head_of(&machine), "\nCPU CPU of CPUID, 4096 MiB of memory\n"));
    machine.cpu.name[0] = smbios->cpu[0] = '\0';
    assert_non_null(strstr(head_of(&machine), "\n4096 MiB of memory\n"));
}

static void test_placeholders(void **state)
{
    static const char *const yes[] = {"To Be Filled By O.E.M.",
                                      "TO BE FILLED BY O.E.M.",
                                      "Default string",
                                      "System Product Name",
                                      "System manufacturer",
                                      "Not Specified",
                                      "N/A",
                                      "None",
                                      "...",
                                      "- -",
                                      "x.x",
                                      ""};
    static const char *const no[] = {
        "To Be Filled", "Default string 2", "P8Z77-V", "1", "System Product Name2", "Z", "None 1"};

    (void)state;
    assert_true(result_placeholder(NULL));
    for (size_t i = 0; i < COUNT_OF(yes); i++)
        assert_true(result_placeholder(yes[i]));
    for (size_t i = 0; i < COUNT_OF(no); i++)
        assert_false(result_placeholder(no[i]));
}

static void test_lanes(void **state)
{
    (void)state;
    for (unsigned width = 0; width < 256; width++) {
        static const uint8_t lanes[] = {1, 2, 4, 8, 12, 16, 32};

        assert_int_equal(result_slot_lanes((uint8_t)width),
                         width >= 8 && width <= 14 ? lanes[width - 8] : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),       cmocka_unit_test(test_empty_and_nested),
        cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_largest),
        cmocka_unit_test(test_refused_drive), cmocka_unit_test(test_longest_row),
        cmocka_unit_test(test_wrapping),      cmocka_unit_test(test_judge),
        cmocka_unit_test(test_machine_lines), cmocka_unit_test(test_placeholders),
        cmocka_unit_test(test_lanes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
