/* The AHCI controllers: personalities, events, injected faults and the generic registers. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* CAP of the Marvell chips is what other drivers print of it, put together again. */
static const struct model_traits personalities[MODEL_PERSONALITIES] = {
    [MODEL_ICH9_QEMU] = {.name = "ICH9 as in QEMU",
                         .vendor = 0x8086,
                         .device = 0x2922,
                         .cap = 0xc0141f05,
                         .pi = 0x3f,
                         .vs = 0x00010000,
                         .window_bytes = 4096,
                         .ghc = AHCI_GHC_AE,
                         .quiet_reset = true},
    [MODEL_88SE9128_HBA] = {.name = "88SE9128, plain firmware",
                            .vendor = 0x1b4b,
                            .device = 0x9128,
                            .cap = 0xe237ff21,
                            .pi = 0x3,
                            .vs = 0x00010000,
                            .window_bytes = 2048,
                            .ghc = AHCI_GHC_AE | AHCI_GHC_IE,
                            .early_ready = true},
    [MODEL_88SE9128_RAID] = {.name = "88SE9128, RAID firmware",
                             .vendor = 0x1b4b,
                             .device = 0x9128,
                             .cap = 0xc0309f07,
                             .pi = 0xff,
                             .vs = 0x00010200,
                             .window_bytes = 2048,
                             .enable_writes = 3,
                             .posts_no_fis = true,
                             .console = true},
    [MODEL_88SE9172] = {.name = "88SE9172",
                        .vendor = 0x1b4b,
                        .device = 0x9172,
                        .cap = 0xe237ff21,
                        .pi = 0x3,
                        .vs = 0x00010000,
                        .window_bytes = 512,
                        .ghc = AHCI_GHC_AE,
                        .engine_fall_ns = 5000000,
                        .hides_fr_cr = true},
    [MODEL_ALL_ONES] = {.name = "all ones",
                        .vendor = 0x1b4b,
                        .device = 0x9128,
                        .window_bytes = 2048,
                        .all_ones = true},
};

static struct model_hba *hbas[MODEL_HBAS];

/* Earliest event of all, kept until something may have changed it. */
static uint64_t earliest;
static bool earliest_is_known;

const char *model_personality_name(enum model_personality personality)
{
    return personalities[personality].name;
}

const char *model_fault_name(enum model_fault fault)
{
    static const char *const names[MODEL_FAULTS] = {
        "none",      "gone",     "stuck engine", "dropped completion", "task file",    "link lost",
        "interface", "host bus", "busy",         "busy for ever",      "short of data"};

    return names[fault];
}

void model_hba_reset(void)
{
    earliest_is_known = false;
    for (unsigned i = 0; i < MODEL_HBAS; i++) {
        free(hbas[i]);
        hbas[i] = NULL;
    }
}

struct model_hba *model_hba_add(enum model_personality personality, const struct model_disk *disks,
                                unsigned count)
{
    struct model_hba *hba = calloc(1, sizeof *hba);
    unsigned at = 0;

    while (at < MODEL_HBAS && hbas[at] != NULL)
        at++;
    if (at == MODEL_HBAS || hba == NULL)
        model_violation("too many controllers");
    hbas[at] = hba;
    hba->traits = &personalities[personality];
    hba->base = UINT64_C(0xf0000000) + at * UINT64_C(0x100000);
    hba->cap = hba->traits->cap;
    hba->pi = hba->traits->pi;
    hba->vs = hba->traits->vs;
    hba->ghc = hba->traits->ghc;
    for (unsigned i = 0; i < MODEL_PORTS; i++) {
        hba->ports[i].hba = hba;
        hba->ports[i].number = i;
        model_port_found(&hba->ports[i], i < count ? &disks[i] : NULL);
    }
    if (hba->traits->console) {
        const struct model_disk console = {.kind = MODEL_DISK_ATAPI, .model = "CONSOLE"};

        model_port_found(&hba->ports[7], &console);
    }
    return hba;
}

/* --- events ---------------------------------------------------------------------------------- */

uint64_t model_hba_next_event(void)
{
    if (earliest_is_known)
        return earliest;
    earliest = MODEL_NO_TIME;
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++)
        for (unsigned j = 0; j < MODEL_PORTS && hbas[i]->pi >> j != 0 && !hbas[i]->gone; j++) {
            uint64_t time = model_port_next(&hbas[i]->ports[j]);

            if (time < earliest)
                earliest = time;
        }
    earliest_is_known = true;
    return earliest;
}

bool model_hba_run(uint64_t now)
{
    bool happened = false;

    if (model_hba_next_event() > now)
        return false;
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++)
        for (unsigned j = 0; j < MODEL_PORTS && hbas[i]->pi >> j != 0 && !hbas[i]->gone; j++)
            while (model_port_next(&hbas[i]->ports[j]) <= now) {
                model_port_run(&hbas[i]->ports[j], now);
                happened = true;
            }
    earliest_is_known = false;
    return happened;
}

/* --- faults ---------------------------------------------------------------------------------- */

void model_hba_inject(struct model_hba *hba, enum model_fault fault, unsigned port, uint64_t access)
{
    hba->fault = fault;
    hba->fault_port = port;
    hba->fault_access = access;
    hba->fault_hit = false;
}

bool model_hba_fault_hit(const struct model_hba *hba)
{
    return hba->fault_hit;
}

static void count_access(struct model_hba *hba)
{
    struct model_port *port = &hba->ports[hba->fault_port];

    hba->accesses++;
    earliest_is_known = earliest_is_known && hba->accesses != hba->fault_access;
    if (hba->fault == MODEL_FAULT_NONE || hba->accesses != hba->fault_access)
        return;
    switch (hba->fault) {
    case MODEL_FAULT_GONE:
        hba->gone = true;
        hba->fault_hit = true;
        break;
    case MODEL_FAULT_STUCK_ENGINE:
        hba->stuck = true;
        for (unsigned i = 0; i < MODEL_PORTS; i++) {
            hba->ports[i].engine_falls_at = MODEL_NO_TIME;
            hba->ports[i].receiver_falls_at = MODEL_NO_TIME;
        }
        hba->fault_hit = true;
        break;
    case MODEL_FAULT_LINK_LOST:
        model_port_pull_cable(port);
        hba->fault_hit = true;
        break;
    case MODEL_FAULT_NONE:
    case MODEL_FAULT_DROPPED:
    case MODEL_FAULT_TASK_FILE:
    case MODEL_FAULT_INTERFACE:
    case MODEL_FAULT_HOST_BUS:
    case MODEL_FAULT_BUSY:
    case MODEL_FAULT_BUSY_FOREVER:
    case MODEL_FAULT_SHORT:
    case MODEL_FAULTS:
        port->armed = hba->fault;
        break;
    }
}

/* --- the window ------------------------------------------------------------------------------ */

struct model_hba *model_hba_at(uint64_t address)
{
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++)
        if (address >= hbas[i]->base && address - hbas[i]->base < hbas[i]->traits->window_bytes)
            return hbas[i];
    return NULL;
}

static struct model_port *port_at(struct model_hba *hba, uint32_t offset)
{
    uint32_t number = (offset - AHCI_PORT_BASE) / AHCI_PORT_STRIDE;

    if (number >= MODEL_PORTS || (hba->pi >> number & 1) == 0)
        model_violation("access to port %" PRIu32 ", which is not implemented", number);
    return &hba->ports[number];
}

static uint32_t generic_read(const struct model_hba *hba, uint32_t offset)
{
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
    case AHCI_CAP2:
        if (hba->vs < AHCI_VS_1_2)
            model_violation("CAP2 is not defined before AHCI 1.2");
        return 0;
    default:
        model_violation("read of register %02" PRIx32, offset);
    }
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
    count_access(hba);
    if (hba->gone || hba->traits->all_ones) {
        hba->gone_seen = true;
        return UINT32_MAX;
    }
    if (offset < AHCI_PORT_BASE)
        return generic_read(hba, offset);
    return model_port_read(port_at(hba, offset), offset % AHCI_PORT_STRIDE);
}

static void write_ghc(struct model_hba *hba, uint32_t value)
{
    uint32_t fixed = (hba->cap & AHCI_CAP_SAM) != 0 ? AHCI_GHC_AE : 0;

    if ((value & ~(AHCI_GHC_AE | AHCI_GHC_IE)) != 0)
        model_violation("GHC = %08" PRIx32, value);
    if ((value & AHCI_GHC_AE) != 0 && (hba->ghc & AHCI_GHC_AE) == 0 &&
        ++hba->enable_writes < hba->traits->enable_writes)
        return;
    hba->ghc = value | fixed;
}

void model_hba_write(struct model_hba *hba, uint32_t offset, uint32_t value)
{
    earliest_is_known = false;
    count_access(hba);
    if (hba->gone_seen || hba->traits->all_ones)
        model_violation("write of %08" PRIx32 " to %02" PRIx32 " of a controller that is gone",
                        value, offset);
    if (hba->gone)
        return;
    if (offset == AHCI_GHC) {
        write_ghc(hba, value);
        return;
    }
    if (offset == AHCI_IS) {
        hba->is &= ~value;
        return;
    }
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
        hba->cap = value;
        return;
    case AHCI_GHC:
        hba->ghc = value;
        return;
    case AHCI_PI:
        hba->pi = value;
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
    return (struct hw_window){.base = hba->base, .bytes = hba->traits->window_bytes};
}

uint16_t model_hba_vendor(const struct model_hba *hba)
{
    return hba->traits->vendor;
}

uint16_t model_hba_device(const struct model_hba *hba)
{
    return hba->traits->device;
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

static bool overlaps(uint64_t bus, size_t bytes, uint64_t at, size_t size)
{
    return at < bus + bytes && bus < at + size;
}

void model_hba_check_free(uint64_t bus, size_t bytes)
{
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++)
        for (unsigned j = 0; j < MODEL_PORTS; j++) {
            const struct model_port *port = &hbas[i]->ports[j];

            if (port->engine && overlaps(bus, bytes, port->clb, 1024))
                model_violation("port %u: command list freed under a running engine", j);
            if (port->receiver && overlaps(bus, bytes, port->fb, 256))
                model_violation("port %u: received FIS area freed under a running engine", j);
        }
}
