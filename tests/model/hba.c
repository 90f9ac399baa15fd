/* The AHCI controllers: personalities, events, injected faults and the generic registers. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bits of BOHC that stay as they are written. */
#define OWNERS (AHCI_BOHC_BOS | AHCI_BOHC_OOS | AHCI_BOHC_SOOE)

static struct model_hba *hbas[MODEL_HBAS];

/* Earliest event of all, kept until something may have changed it. */
static uint64_t earliest;
static bool earliest_is_known;

void model_hba_changed(void)
{
    earliest_is_known = false;
}

void model_hba_reset(void)
{
    earliest_is_known = false;
    for (unsigned i = 0; i < MODEL_HBAS; i++) {
        free(hbas[i]);
        hbas[i] = NULL;
    }
}

struct model_hba *model_hba_load(const struct model_chip *chip, const struct model_disk *disks,
                                 unsigned count)
{
    struct model_hba *hba = calloc(1, sizeof *hba);
    unsigned at = 0;

    while (at < MODEL_HBAS && hbas[at] != NULL)
        at++;
    if (at == MODEL_HBAS || hba == NULL)
        model_violation("too many controllers");
    hbas[at] = hba;
    earliest_is_known = false;
    hba->chip = *chip;
    hba->base = UINT64_C(0xf0000000) + at * UINT64_C(0x100000);
    hba->cap = chip->found.cap;
    hba->pi = chip->found.pi;
    hba->vs = chip->found.vs;
    hba->ghc = chip->found.ghc;
    hba->is = chip->found.is;
    hba->bohc = chip->found.bohc;
    hba->cap2 = chip->found.cap2;
    hba->pi_found = chip->found.pi;
    hba->handoff_at = hba->reset_over_at = MODEL_NO_TIME;
    hba->implemented = chip->found.pi & ~chip->untouchable;
    for (unsigned i = 0; i < MODEL_PORTS; i++) {
        hba->ports[i].hba = hba;
        hba->ports[i].number = i;
        model_port_found(&hba->ports[i], i < count ? &disks[i] : NULL);
    }
    if (chip->console) {
        const struct model_disk console = {.kind = MODEL_DISK_ATAPI, .model = "CONSOLE"};

        model_port_found(&hba->ports[7], &console);
    }
    return hba;
}

struct model_hba *model_hba_add(enum model_personality personality, const struct model_disk *disks,
                                unsigned count)
{
    return model_hba_load(model_personality(personality), disks, count);
}

/* --- events ---------------------------------------------------------------------------------- */

uint64_t model_hba_next_event(void)
{
    if (earliest_is_known)
        return earliest;
    earliest = MODEL_NO_TIME;
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++) {
        const struct model_hba *hba = hbas[i];

        if (hba->handoff_at < earliest && !hba->gone)
            earliest = hba->handoff_at;
        if (hba->reset_over_at < earliest && !hba->gone)
            earliest = hba->reset_over_at;
        for (unsigned j = 0; j < MODEL_PORTS && hba->implemented >> j != 0 && !hba->gone; j++) {
            uint64_t time = model_port_next(&hba->ports[j]);

            if (time < earliest)
                earliest = time;
        }
    }
    earliest_is_known = true;
    return earliest;
}

bool model_hba_run(uint64_t now)
{
    bool happened = false;

    if (model_hba_next_event() > now)
        return false;
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++) {
        struct model_hba *hba = hbas[i];

        if (hba->handoff_at <= now && !hba->gone) {
            hba->handoff_at = MODEL_NO_TIME;
            hba->bohc &= ~(AHCI_BOHC_BOS | AHCI_BOHC_BB);
            happened = true;
        }
        if (hba->reset_over_at <= now && !hba->gone) {
            model_hba_end_reset(hba);
            happened = true;
        }
        for (unsigned j = 0; j < MODEL_PORTS && hba->implemented >> j != 0 && !hba->gone; j++)
            while (model_port_next(&hba->ports[j]) <= now) {
                model_port_run(&hba->ports[j], now);
                happened = true;
            }
    }
    earliest_is_known = false;
    return happened;
}

/* --- the window ------------------------------------------------------------------------------ */

struct model_hba *model_hba_at(uint64_t address)
{
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++)
        if (address >= hbas[i]->base && address - hbas[i]->base < hbas[i]->chip.window_bytes)
            return hbas[i];
    return NULL;
}

static struct model_port *port_at(struct model_hba *hba, uint32_t offset)
{
    uint32_t number = (offset - AHCI_PORT_BASE) / AHCI_PORT_STRIDE;

    if (number >= MODEL_PORTS || (hba->implemented >> number & 1) == 0)
        model_violation("access to port %" PRIu32 ", which is not implemented", number);
    return &hba->ports[number];
}

static uint32_t generic_read(const struct model_hba *hba, uint32_t offset)
{
    const struct model_registers *found = &hba->chip.found;

    switch (offset) {
    case AHCI_CAP:
        return hba->cap;
    case AHCI_GHC:
        return hba->ghc;
    case AHCI_IS:
        return hba->is;
    case AHCI_PI:
        return hba->pi;
    case AHCI_VS:
        return hba->vs;
    case 0x14:
        return found->ccc_ctl;
    case 0x18:
        return found->ccc_ports;
    case 0x1c:
        return found->em_loc;
    case 0x20:
        return found->em_ctl;
    case AHCI_CAP2:
    case AHCI_BOHC:
        if (hba->vs < AHCI_VS_1_2)
            model_violation("CAP2 and BOHC are not defined before AHCI 1.2");
        return offset == AHCI_CAP2 ? hba->cap2 : hba->bohc;
    case AHCI_INTEL_VSCAP:
        if (hba->chip.vendor == 0x8086)
            return hba->chip.vscap;
        break;
    }
    model_violation("read of register %02" PRIx32, offset);
}

uint32_t model_hba_peek(const struct model_hba *hba, uint32_t offset)
{
    if (offset < AHCI_PORT_BASE)
        return generic_read(hba, offset);
    return model_port_read(&hba->ports[(offset - AHCI_PORT_BASE) / AHCI_PORT_STRIDE],
                           offset % AHCI_PORT_STRIDE);
}

uint32_t model_hba_read(struct model_hba *hba, uint32_t offset)
{
    uint32_t value;

    model_hba_count_access(hba);
    if (hba->gone || hba->chip.all_ones) {
        hba->gone_seen = true;
        return UINT32_MAX;
    }
    if ((hba->ghc & AHCI_GHC_HR) != 0 && offset != AHCI_GHC)
        model_violation("register %02" PRIx32 " is read during a reset", offset);
    if (offset < AHCI_PORT_BASE)
        return generic_read(hba, offset);
    if (offset == AHCI_INTEL_REMAP_CAP && hba->chip.vscap != 0)
        return hba->chip.remap;
    value = model_port_read(port_at(hba, offset), offset % AHCI_PORT_STRIDE);
    if (offset % AHCI_PORT_STRIDE == AHCI_PX_IS)
        port_at(hba, offset)->is_shown |= value;
    if (offset % AHCI_PORT_STRIDE == AHCI_PX_SERR)
        port_at(hba, offset)->serr_shown |= value;
    return value;
}

static void write_ghc(struct model_hba *hba, uint32_t value)
{
    uint32_t fixed = (hba->cap & AHCI_CAP_SAM) != 0 ? AHCI_GHC_AE : 0;

    if ((value & ~(AHCI_GHC_AE | AHCI_GHC_IE | AHCI_GHC_HR)) != 0)
        model_violation("GHC = %08" PRIx32, value);
    if ((value & AHCI_GHC_HR) != 0) {
        model_hba_begin_reset(hba);
        return;
    }
    if ((value & AHCI_GHC_AE) != 0 && (hba->ghc & AHCI_GHC_AE) == 0 &&
        ++hba->enable_writes < hba->chip.enable_writes)
        return;
    hba->ghc = value | fixed;
}

/* The firmware hears of it when OOS rises, and says that it is busy until it lets go. */
static void write_bohc(struct model_hba *hba, uint32_t value)
{
    const uint32_t theirs = AHCI_BOHC_BOS | AHCI_BOHC_SOOE;
    uint32_t old = hba->bohc;

    if (hba->vs < AHCI_VS_1_2 || (hba->chip.found.cap2 & AHCI_CAP2_BOH) == 0)
        model_violation("BOHC is not offered");
    if ((value & ~(OWNERS | AHCI_BOHC_OOC)) != 0 || (theirs & old & ~value) != 0 ||
        (theirs & value & ~old & ~hba->chip.found.bohc) != 0)
        model_violation("BOHC = %08" PRIx32, value);
    hba->bohc = (value & OWNERS) | (old & ~(OWNERS | value));
    if ((value & ~old & AHCI_BOHC_OOS) == 0)
        return;
    hba->bohc |= AHCI_BOHC_OOC;
    if ((value & AHCI_BOHC_BOS) == 0)
        return;
    hba->bohc |= AHCI_BOHC_BB;
    if (hba->chip.handoff_ns != MODEL_NO_TIME)
        hba->handoff_at = model_now_ns() + hba->chip.handoff_ns;
}

void model_hba_write(struct model_hba *hba, uint32_t offset, uint32_t value)
{
    earliest_is_known = false;
    model_hba_count_access(hba);
    if (hba->gone_seen || hba->chip.all_ones)
        model_violation("write of %08" PRIx32 " to %02" PRIx32 " of a controller that is gone",
                        value, offset);
    if (hba->gone)
        return;
    /* One that never ends may be written over: what then happens is the controller's affair. */
    if ((hba->ghc & AHCI_GHC_HR) != 0 && !hba->stuck_forever)
        model_violation("register %02" PRIx32 " is written during a reset", offset);
    if (offset == AHCI_GHC) {
        write_ghc(hba, value);
        return;
    }
    if (offset == AHCI_BOHC) {
        write_bohc(hba, value);
        return;
    }
    if (offset == AHCI_IS) {
        hba->is &= ~value;
        return;
    }
    if (offset < AHCI_PORT_BASE && model_hba_write_once(hba, offset, value))
        return;
    if (offset < AHCI_PORT_BASE)
        model_violation("write to register %02" PRIx32, offset);
    if ((hba->ghc & AHCI_GHC_AE) == 0)
        model_violation("port register written while AE is 0");
    model_port_write(port_at(hba, offset), offset % AHCI_PORT_STRIDE, value);
    model_port_serve(port_at(hba, offset));
}

void model_hba_poke(struct model_hba *hba, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case AHCI_CAP:
        hba->cap = hba->chip.found.cap = value;
        return;
    case AHCI_GHC:
        hba->ghc = value;
        return;
    case AHCI_PI:
        /* What exists stays when the register says that nothing does. */
        hba->pi = hba->pi_found = value;
        if (value != 0)
            hba->implemented = value & ~hba->chip.untouchable;
        return;
    case AHCI_VS:
        hba->vs = value;
        return;
    default:
        model_port_poke(&hba->ports[(offset - AHCI_PORT_BASE) / AHCI_PORT_STRIDE],
                        offset % AHCI_PORT_STRIDE, value);
    }
}

/* --- what tests ask -------------------------------------------------------------------------- */

struct hw_window model_hba_window(const struct model_hba *hba)
{
    return (struct hw_window){.base = hba->base, .bytes = hba->chip.window_bytes};
}

uint16_t model_hba_vendor(const struct model_hba *hba)
{
    return hba->chip.vendor;
}

uint16_t model_hba_device(const struct model_hba *hba)
{
    return hba->chip.device;
}

uint32_t model_hba_resets(const struct model_hba *hba)
{
    return hba->resets;
}

uint32_t model_hba_comresets(const struct model_hba *hba)
{
    return hba->comresets;
}

uint64_t model_hba_done_ns(const struct model_hba *hba, unsigned port, unsigned slot)
{
    return hba->ports[port].done_ns[slot];
}

uint64_t model_hba_accesses(const struct model_hba *hba)
{
    return hba->accesses;
}

bool model_hba_running(const struct model_hba *hba)
{
    for (unsigned i = 0; i < MODEL_PORTS; i++)
        if (hba->ports[i].engine || hba->ports[i].receiver)
            return true;
    return false;
}

uint32_t model_hba_commands(const struct model_hba *hba, uint8_t opcode)
{
    return hba->commands[opcode];
}

uint32_t model_hba_most_outstanding(const struct model_hba *hba)
{
    return hba->most_outstanding;
}

static uint64_t list_of(const struct model_port *port)
{
    return (uint64_t)port->clbu << 32 | port->clb;
}

static uint64_t area_of(const struct model_port *port)
{
    return (uint64_t)port->fbu << 32 | port->fb;
}

static bool overlaps(uint64_t bus, size_t bytes, uint64_t at, size_t size)
{
    return at < bus + bytes && bus < at + size;
}

void model_hba_check_free(uint64_t bus, size_t bytes)
{
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++)
        for (unsigned j = 0; j < MODEL_PORTS; j++) {
            const struct model_port *port = &hbas[i]->ports[j];

            if (port->engine && overlaps(bus, bytes, list_of(port), 1024))
                model_violation("port %u: command list freed under a running engine", j);
            if (port->receiver && overlaps(bus, bytes, area_of(port), 256))
                model_violation("port %u: received FIS area freed under a running engine", j);
        }
}
