/* Virtual time, the register seam and the default reaction to violations. */
#include "tests/model/internal.h"

#include "base/random.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const struct hw_clock model_clock = {.hz = MODEL_HZ,
                                     .source = HW_CLOCK_PM_TIMER,
                                     .invariant = true,
                                     .brackets = 64,
                                     .brackets_kept = 64};

/* After this many accesses without an event the cost of an access doubles, and so on. */
#define PATIENCE 32

static struct {
    uint64_t now_ns;
    uint32_t quiet; /* accesses since something last happened */
    struct model_costs costs;
    struct model_io_hooks hooks;
    struct base_random random;
    void (*on_violation)(const char *message);
} machine;

static const struct model_costs default_costs = {
    .read_ns = 1000, .write_ns = 200, .ticks_ns = 10, .pause_ns = 40};

void model_reset(void)
{
    model_hba_reset();
    model_dma_reset();
    machine.now_ns = 1000000;
    machine.quiet = 0;
    machine.costs = default_costs;
    machine.hooks = (struct model_io_hooks){.context = NULL};
    machine.random.state = 1;
}

void model_set_costs(const struct model_costs *costs)
{
    machine.costs = *costs;
}

void model_set_io_hooks(const struct model_io_hooks *hooks)
{
    machine.hooks = hooks != NULL ? *hooks : (struct model_io_hooks){.context = NULL};
}

uint64_t model_random(void)
{
    return base_random_next(&machine.random);
}

uint64_t model_now_ns(void)
{
    return machine.now_ns;
}

/* Lets time pass, stopping at each event on the way. */
void model_advance_ns(uint64_t ns)
{
    uint64_t until = machine.now_ns + ns;

    for (;;) {
        uint64_t next = model_hba_next_event();

        machine.now_ns = next < until ? next : until;
        if (model_hba_run(machine.now_ns))
            machine.quiet = 0;
        if (next >= until)
            return;
    }
}

static void spend(uint64_t ns)
{
    unsigned doublings = machine.quiet / PATIENCE;
    uint64_t longer = ns << (doublings < 24 ? doublings : 24);
    uint64_t next = model_hba_next_event();

    if (next != MODEL_NO_TIME && longer > ns) {
        uint64_t until = next > machine.now_ns ? next - machine.now_ns : 0;

        if (longer > until)
            longer = until > ns ? until : ns;
    }
    machine.quiet++;
    model_advance_ns(longer);
}

void model_on_violation(void (*handler)(const char *message))
{
    machine.on_violation = handler;
}

void model_violation(const char *format, ...)
{
    static char message[512];
    va_list arguments;
    int length = snprintf(message, sizeof message, "at %" PRIu64 " ns: ", machine.now_ns);

    va_start(arguments, format);
    vsnprintf(message + length, sizeof message - (size_t)length, format, arguments);
    va_end(arguments);
    if (machine.on_violation != NULL)
        machine.on_violation(message);
    fprintf(stderr, "model violation %s\n", message);
    abort();
}

uint64_t hw_ticks(void)
{
    /* Reading the time is not waiting: its cost stays what it is. */
    model_advance_ns(machine.costs.ticks_ns);
    return machine.now_ns * (MODEL_HZ / 500000000) / 2;
}

void hw_pause(void)
{
    spend(machine.costs.pause_ns);
}

static void check_access(const struct hw_window *window, uint32_t offset)
{
    if (offset % 4 != 0)
        model_violation("unaligned register offset %" PRIx32, offset);
    if (window->bytes < 4 || offset > window->bytes - 4)
        model_violation("register offset %" PRIx32 " beyond the window of %" PRIx64 " bytes",
                        offset, window->bytes);
}

uint32_t hw_reg_read(const struct hw_window *window, uint32_t offset)
{
    uint64_t address = window->base + offset;
    struct model_hba *hba = model_hba_at(address);

    check_access(window, offset);
    spend(machine.costs.read_ns);
    if (hba != NULL)
        return model_hba_read(hba, offset);
    if (machine.hooks.reg_read == NULL)
        model_violation("read of nothing at %" PRIx64, address);
    return machine.hooks.reg_read(machine.hooks.context, address);
}

void hw_reg_write(const struct hw_window *window, uint32_t offset, uint32_t value)
{
    uint64_t address = window->base + offset;
    struct model_hba *hba = model_hba_at(address);

    check_access(window, offset);
    spend(machine.costs.write_ns);
    machine.quiet = 0;
    if (hba != NULL) {
        model_hba_write(hba, offset, value);
        return;
    }
    if (machine.hooks.reg_write == NULL)
        model_violation("write to nothing at %" PRIx64, address);
    machine.hooks.reg_write(machine.hooks.context, address, value);
}

uint32_t hw_port_read(uint16_t port)
{
    spend(machine.costs.read_ns);
    if (machine.hooks.port_read == NULL)
        model_violation("read of I/O port %x", (unsigned)port);
    return machine.hooks.port_read(machine.hooks.context, port);
}

void hw_port_write(uint16_t port, uint32_t value)
{
    spend(machine.costs.write_ns);
    machine.quiet = 0;
    if (machine.hooks.port_write == NULL)
        model_violation("write to I/O port %x", (unsigned)port);
    machine.hooks.port_write(machine.hooks.context, port, value);
}
