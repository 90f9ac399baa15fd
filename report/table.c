/* result.txt and the table on the screen: head, controllers, notes. */
#include "report/table.h"

#include "report/table_machine.h"
#include "report/table_text.h"

static const char *clock_source(enum hw_clock_source source)
{
    switch (source) {
    case HW_CLOCK_NONE:
        return "not calibrated";
    case HW_CLOCK_PM_TIMER:
        return "ACPI PM timer";
    case HW_CLOCK_CPUID:
        return "CPUID";
    case HW_CLOCK_STALL:
        return "firmware's Stall";
    }
    return "not calibrated";
}

static void show_clock(struct text *text, const struct hw_clock *clock)
{
    text_string(text, "Clock ");
    text_decimal(text, base_mul_div_round(clock->hz, 1, 1000), 3);
    text_printf(text, " MHz by %s, spread %u ppm, TSC %s\n", clock_source(clock->source),
                clock->spread_ppm, clock->invariant ? "invariant" : "NOT invariant");
}

static void show_head(struct text *text, const struct result *result)
{
    const struct result_tool *tool = &result->tool;

    text_string(text, "barelane ");
    table_foreign(text, tool->version, 16);
    text_string(text, "  run ");
    table_foreign(text, tool->id, 32);
    text_char(text, '\n');
    if (tool->rtc[0] != '\0') {
        table_foreign(text, tool->rtc, sizeof tool->rtc);
        if (tool->rtc_zone_known)
            text_printf(text, ", %d minutes from UTC\n", tool->rtc_zone_minutes);
        else
            text_string(text, ", time zone unknown\n");
    }
    table_machine(text, &result->machine);
    show_clock(text, &result->clock);
    text_string(text, "All tests only read.  MB/s: 10^6 bytes per second\n");
}

static bool text_given(const char *string)
{
    return string != NULL && string[0] != '\0';
}

static void show_restored(struct text *text, const struct result_restored *restored)
{
    if (!restored->known)
        return;
    if (text_given(restored->reason))
        table_wrapped(text, "hand-back", restored->reason);
    if (restored->memory_abandoned)
        table_wrapped(text, "hand-back", "an engine did not stop; its memory was abandoned");
    if (restored->ports_differ != 0)
        table_wrapped(text, "hand-back", "some port registers read differently than before");
    if (restored->firmware_back == RESULT_NO)
        table_wrapped(text, "hand-back", "the firmware's driver did not come back");
    if (restored->volumes_back == RESULT_NO)
        table_wrapped(text, "hand-back", "not all of the firmware's volumes came back");
}

/* The version register in the specification's writing: 00010301h is 1.3.1, 00010000h is 1.0. */
static void show_version(struct text *text, uint32_t vs)
{
    text_printf(text, ", AHCI %x.%x", vs >> 16, vs >> 8 & 0xff);
    if ((vs & 0xff) != 0)
        text_printf(text, ".%x", vs & 0xff);
}

static void show_controller(struct text *text, const struct result *result, uint32_t controller)
{
    const struct result_controller *shown = &result->controllers[controller];
    char address[RESULT_ADDRESS_BYTES];

    result_address(&shown->pci.address, address);
    text_printf(text, "\nController %u  %s  %04x:%04x rev %02x", controller, address,
                shown->pci.vendor_id, shown->pci.device_id, shown->pci.revision);
    if (shown->taken) {
        show_version(text, shown->vs);
        text_printf(text, ", %u ports", shown->port_count);
    }
    text_char(text, '\n');
    if (!result_placeholder(shown->slot))
        table_wrapped(text, "slot", shown->slot);
    if (text_given(shown->left_alone))
        table_wrapped(text, "untouched", shown->left_alone);
    show_restored(text, &shown->restored);
}

static void show_notes(struct text *text, const struct result *result)
{
    text_char(text, '\n');
    for (uint32_t i = 0; i < result->note_count; i++)
        table_wrapped(text, "note", result->notes[i]);
    if (result->notes_dropped > 0)
        text_printf(text, "  %u more notes\n", result->notes_dropped);
    if (!result->finished)
        text_string(text, "The run is not finished: these are the results so far.\n");
    else if (result->status == STATUS_OK)
        text_string(text, "All tests ended well.\n");
    else
        text_printf(text, "The run ended with: %s.\n", base_status_name(result->status));
}

void report_table(struct text *text, const struct result *result)
{
    show_head(text, result);
    for (uint32_t i = 0; i < result->controller_count; i++) {
        show_controller(text, result, i);
        for (uint32_t k = 0; k < result->controllers[i].port_count; k++)
            table_drive(text, result, i, k);
    }
    for (uint32_t i = 0; i < result->controller_count; i++)
        table_path(text, result, i);
    show_notes(text, result);
}
