/* Small derivations from the facts of a run, shared by the writers. */
#include "report/result.h"

#include "base/bits.h"
#include "base/text.h"
#include "report/verdict.h"

#include <stddef.h>

void result_note(struct result *result, const char *note)
{
    struct text text;

    if (result->note_count >= RESULT_NOTES_MAX) {
        result->notes_dropped++;
        return;
    }
    text_init(&text, result->notes[result->note_count++], RESULT_NOTE_BYTES);
    text_string(&text, note);
}

/* Run of port `port` of controller `controller`, or NULL. */
static const struct bench_run *run_at(const struct result *result, uint32_t controller,
                                      uint32_t port)
{
    const struct result_drive *drive = result->controllers[controller].ports[port].drive;

    return drive != NULL && drive->planned ? drive->run : NULL;
}

static enum status judge_run(const struct bench_run *run)
{
    if (run->status != STATUS_OK)
        return run->status;
    for (uint32_t i = 0; i < run->plan.step_count; i++)
        if (run->tests[i].state == BENCH_FAILED)
            return STATUS_DEVICE;
    return STATUS_OK;
}

/* Whether the figures of a run that ended well must not be used. */
static bool is_void(const struct result *result, uint32_t controller, uint32_t port)
{
    struct verdict verdict;

    verdict_judge(result, controller, port, &verdict);
    return verdict.voids != 0;
}

/* The higher, the more it matters. */
static unsigned weight(enum status status)
{
    if (status == STATUS_OK)
        return 0;
    if (status == STATUS_ABORTED)
        return 3;
    return status == STATUS_MISMATCH || status == STATUS_VOID ? 2 : 1;
}

enum status result_judge(const struct result *result)
{
    enum status worst = STATUS_OK;

    if (result_drives_measured(result) == 0)
        return STATUS_NOT_FOUND;
    for (uint32_t i = 0; i < result->controller_count; i++)
        for (uint32_t k = 0; k < result->controllers[i].port_count; k++) {
            const struct bench_run *run = run_at(result, i, k);
            enum status status = run != NULL ? judge_run(run) : STATUS_OK;

            if (status == STATUS_OK && is_void(result, i, k))
                status = STATUS_VOID;
            if (weight(status) > weight(worst))
                worst = status;
        }
    return worst;
}

uint32_t result_drives_measured(const struct result *result)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < result->controller_count; i++)
        for (uint32_t k = 0; k < result->controllers[i].port_count; k++)
            count += run_at(result, i, k) != NULL;
    return count;
}

void result_address(const struct pci_address *address, char ret_name[RESULT_ADDRESS_BYTES])
{
    struct text text;

    text_init(&text, ret_name, RESULT_ADDRESS_BYTES);
    text_printf(&text, "%04x:%02x:%02x.%x", address->segment, address->bus, address->device,
                address->function & 7u);
}

bool result_iommu_translates(const struct result_machine *machine)
{
    for (uint32_t i = 0; i < machine->iommu.unit_count; i++)
        if (machine->iommu.units[i].state == PCI_IOMMU_TRANSLATING)
            return true;
    return false;
}

unsigned result_slot_lanes(uint8_t width)
{
    static const uint8_t lanes[] = {1, 2, 4, 8, 12, 16, 32};

    return width >= 0x08 && width - 0x08u < COUNT_OF(lanes) ? lanes[width - 0x08u] : 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

bool result_placeholder(const char *name)
{
    static const char *const known[] = {
        "to be filled by o.e.m.",
        "to be filled by oem",
        "default string",
        "system manufacturer",
        "system product name",
        "system name",
        "system version",
        "base board manufacturer",
        "base board product name",
        "base board version",
        "board manufacturer",
        "board product name",
        "type2 - board vendor name1",
        "type2 - board manufacturer",
        "type2 - board product name1",
        "type2 - board version",
        "product name",
        "manufacturer",
        "not specified",
        "not applicable",
        "not available",
        "not defined",
        "undefined",
        "unknown",
        "invalid",
        "empty",
        "none",
        "n/a",
        "tbd",
        "oem",
        "o.e.m.",
        "x.x",
    };

    if (name == NULL)
        return true;
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (same_name(name, known[i]))
            return true;
    /* "...", "----": without a letter or a digit it names nothing. */
    for (; *name != '\0'; name++)
        if ((lower(*name) >= 'a' && lower(*name) <= 'z') || (*name >= '0' && *name <= '9'))
            return false;
    return true;
}

uint64_t result_rate(uint64_t bytes, uint64_t ticks, const struct hw_clock *clock)
{
    return ticks == 0 ? 0 : base_mul_div_round(bytes, clock->hz, ticks);
}
