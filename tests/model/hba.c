/* Registers of the AHCI controllers, their engines, links and injected faults. */
#include "tests/model/internal.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CMD_WRITABLE                                                                               \
    (AHCI_PX_CMD_ST | AHCI_PX_CMD_CLO | AHCI_PX_CMD_FRE | AHCI_PX_CMD_SETTINGS | AHCI_PX_CMD_ICC)
#define SERR_DIAG_N  BIT32(16)
#define SERR_DIAG_X  BIT32(26)
#define SERR_BITS    0x07ff0f03u
#define IE_BITS      0xfdc000ffu
#define EARLY_NS     10000000u
#define RECEIVER_NS  1000u
#define RESET_MIN_NS 1000000u

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

/* --- ports: links and engines --------------------------------------------------------------- */

static uint32_t active_ssts(const struct model_hba *hba)
{
    return hba->traits->quiet_reset ? 0x113 : 0x133;
}

static void found_port(struct model_port *port, const struct model_disk *disk)
{
    if (disk != NULL)
        port->disk = *disk;
    if (port->disk.logical_bytes == 0)
        port->disk.logical_bytes = 512;
    if (port->disk.model == NULL)
        port->disk.model = "MODEL DISK";
    if (port->disk.link_ns == 0)
        port->disk.link_ns = 2000000;
    if (port->disk.ready_ns == 0)
        port->disk.ready_ns = 3000000;
    /* Addresses of a firmware whose memory is long gone. */
    port->clb = 0x7f000000 + port->number * 0x1000;
    port->fb = 0x7f000400 + port->number * 0x1000;
    port->cmd = AHCI_PX_CMD_SUD | AHCI_PX_CMD_POD;
    port->sctl = 0;
    port->sig = AHCI_PX_SIG_NONE;
    port->tfd = 0x7f;
    port->reset_since = MODEL_NO_TIME;
    port->link_at = port->ready_at = MODEL_NO_TIME;
    port->engine_falls_at = port->receiver_falls_at = MODEL_NO_TIME;
    model_port_drop_commands(port);
    if (port->disk.kind == MODEL_DISK_NONE)
        return;
    port->ssts = port->disk.ssts != 0 ? port->disk.ssts : active_ssts(port->hba);
    port->serr = SERR_DIAG_X | SERR_DIAG_N;
    port->tfd = port->disk.busy_as_found ? 0xd0 : 0x80;
    port->fis_waits = !port->disk.busy_as_found;
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
        found_port(&hba->ports[i], i < count ? &disks[i] : NULL);
    }
    if (hba->traits->console) {
        const struct model_disk console = {.kind = MODEL_DISK_ATAPI, .model = "CONSOLE"};

        found_port(&hba->ports[7], &console);
    }
    return hba;
}

static bool is_up(const struct model_port *port)
{
    return (port->ssts & 0xf) == 3;
}

static void lose_link(struct model_port *port)
{
    port->ssts = 0;
    port->tfd = 0x7f;
    port->ready = false;
    port->fis_waits = false;
    port->link_at = port->ready_at = MODEL_NO_TIME;
    port->serving = -1;
    port->served_at = MODEL_NO_TIME;
}

static void link_comes_up(struct model_port *port)
{
    port->link_at = MODEL_NO_TIME;
    port->link_since = model_now_ns();
    port->ssts = active_ssts(port->hba);
    port->ready_at = model_now_ns() + port->disk.ready_ns;
    if (!port->hba->traits->quiet_reset)
        port->serr |= SERR_DIAG_X | SERR_DIAG_N;
}

static void become_ready(struct model_port *port)
{
    port->ready_at = MODEL_NO_TIME;
    if (port->busy_forever)
        return;
    port->log_wanted = false;
    if (port->receiver)
        model_port_post_signature(port);
    else
        port->fis_waits = true;
}

static void begin_reset(struct model_port *port)
{
    if (port->engine || (port->cmd & AHCI_PX_CMD_ST) != 0) {
        /* The last means against an engine that does not stop is allowed. */
        if (!port->hba->stuck)
            model_violation("port %u: COMRESET while the engine runs", port->number);
    }
    lose_link(port);
    model_port_drop_commands(port);
    port->sig = AHCI_PX_SIG_NONE;
    port->tfd = 0x80;
    port->reset_since = model_now_ns();
}

static void end_reset(struct model_port *port)
{
    if (model_now_ns() - port->reset_since < RESET_MIN_NS)
        model_violation("port %u: COMRESET shorter than 1 ms", port->number);
    port->reset_since = MODEL_NO_TIME;
    if (port->disk.kind == MODEL_DISK_NONE || port->link_lost)
        return;
    port->link_at = model_now_ns() + (port->hba->traits->quiet_reset ? 0 : port->disk.link_ns);
}

static void write_sctl(struct model_port *port, uint32_t value)
{
    uint32_t det = value & 0xf;

    if ((value & ~0xfffu) != 0 || (det != 0 && det != 1 && det != 4))
        model_violation("port %u: PxSCTL = %08" PRIx32, port->number, value);
    if (det == 1 && (port->sctl & 0xf) != 1)
        begin_reset(port);
    if (det == 0 && (port->sctl & 0xf) == 1)
        end_reset(port);
    port->sctl = value;
}

static uint64_t fall_time(const struct model_hba *hba, uint64_t usual)
{
    if (hba->stuck)
        return MODEL_NO_TIME;
    return model_now_ns() +
           (hba->traits->engine_fall_ns != 0 ? hba->traits->engine_fall_ns : usual);
}

static bool just_lost(const struct model_port *port)
{
    return port->link_lost && port->hba->accesses - port->hba->fault_access < 3;
}

static void start_engine(struct model_port *port)
{
    if (!port->receiver || (port->cmd & AHCI_PX_CMD_FRE) == 0)
        model_violation("port %u: ST without FRE", port->number);
    if (port->engine)
        model_violation("port %u: ST while CR is set", port->number);
    /* A cable pulled between the last look and this write is nobody's fault. */
    if (!just_lost(port) && (!port->ready || !is_up(port) || (port->tfd & 0x88) != 0))
        model_violation("port %u: ST while the device is not ready", port->number);
    if (port->clb % 1024 != 0 || port->clbu != 0)
        model_violation("port %u: command list at %" PRIx32, port->number, port->clb);
    model_dma_at(port->clb, 1024, "command list");
    port->engine = true;
    model_port_drop_commands(port);
}

static void stop_engine(struct model_port *port)
{
    port->ci = 0;
    port->sact = 0;
    model_port_drop_commands(port);
    if (port->engine)
        port->engine_falls_at = fall_time(port->hba, 2000);
}

static void start_receiver(struct model_port *port)
{
    if (port->receiver)
        model_violation("port %u: FRE while FR is set", port->number);
    if (port->fb % 256 != 0 || port->fbu != 0)
        model_violation("port %u: received FIS area at %" PRIx32, port->number, port->fb);
    model_dma_at(port->fb, 256, "received FIS area");
    port->receiver = true;
    if (port->fis_waits)
        model_port_post_signature(port);
}

static void write_cmd(struct model_port *port, uint32_t value)
{
    uint32_t rises = value & ~port->cmd;
    uint32_t falls = port->cmd & ~value;

    if ((value & ~CMD_WRITABLE) != 0)
        model_violation("port %u: PxCMD = %08" PRIx32, port->number, value);
    if ((value & AHCI_PX_CMD_CLO) != 0 && (port->hba->cap & AHCI_CAP_SCLO) == 0)
        model_violation("port %u: CLO is not offered", port->number);
    if ((rises & AHCI_PX_CMD_PMA) != 0)
        model_violation("port %u: PMA set", port->number);
    port->cmd = (value & CMD_WRITABLE & ~(AHCI_PX_CMD_ICC | AHCI_PX_CMD_CLO)) |
                (port->cmd & AHCI_PX_CMD_CPD);
    /* ICC: the link wakes up. */
    if ((value & AHCI_PX_CMD_ICC) == AHCI_PX_CMD_ICC_ACTIVE && (port->ssts & 0xf00) != 0x100 &&
        (port->ssts & 0xf) != 0)
        port->ssts = active_ssts(port->hba);
    if ((falls & AHCI_PX_CMD_ST) != 0)
        stop_engine(port);
    if ((falls & AHCI_PX_CMD_FRE) != 0) {
        if (port->engine)
            model_violation("port %u: FRE cleared while the engine runs", port->number);
        port->receiver_falls_at = fall_time(port->hba, RECEIVER_NS);
    }
    if ((rises & AHCI_PX_CMD_FRE) != 0)
        start_receiver(port);
    if ((rises & AHCI_PX_CMD_ST) != 0)
        start_engine(port);
}

static void write_ci(struct model_port *port, uint32_t value)
{
    if (!port->engine || (port->cmd & AHCI_PX_CMD_ST) == 0)
        model_violation("port %u: PxCI written while the engine is stopped", port->number);
    if (value == 0 || (value & port->ci) != 0)
        model_violation("port %u: PxCI = %08" PRIx32 ", %08" PRIx32 " pending", port->number, value,
                        port->ci);
    for (unsigned i = 0; i < 32; i++) {
        if ((value >> i & 1) == 0)
            continue;
        if (port->commands[i].pending)
            model_violation("port %u: slot %u is in use", port->number, i);
        if (i > base_field(port->hba->cap, AHCI_CAP_NCS))
            model_violation("port %u: slot %u does not exist", port->number, i);
        port->ci |= BIT32(i);
        if (!is_up(port)) /* the cable was pulled: nobody will answer */
            continue;
        model_port_issue(port, i);
    }
}

static void write_sact(struct model_port *port, uint32_t value)
{
    if ((port->cmd & AHCI_PX_CMD_ST) == 0)
        model_violation("port %u: PxSACT written while ST is 0", port->number);
    if ((value & port->sact) != 0)
        model_violation("port %u: PxSACT = %08" PRIx32 ", %08" PRIx32 " pending", port->number,
                        value, port->sact);
    port->sact |= value;
}

static void write_base(struct model_port *port, uint32_t *reg, uint32_t value, bool busy)
{
    if (busy)
        model_violation("port %u: a base address is changed under a running engine", port->number);
    *reg = value;
}

static void port_write(struct model_port *port, uint32_t reg, uint32_t value)
{
    bool list_busy = port->engine || (port->cmd & AHCI_PX_CMD_ST) != 0;
    bool area_busy = port->receiver || (port->cmd & AHCI_PX_CMD_FRE) != 0;

    if (port->hba->traits->console && port->number == 7)
        model_violation("the console port is written to");
    switch (reg) {
    case AHCI_PX_CLB:
        write_base(port, &port->clb, value, list_busy);
        break;
    case AHCI_PX_CLBU:
        write_base(port, &port->clbu, value, list_busy);
        break;
    case AHCI_PX_FB:
        write_base(port, &port->fb, value, area_busy);
        break;
    case AHCI_PX_FBU:
        write_base(port, &port->fbu, value, area_busy);
        break;
    case AHCI_PX_IS:
        port->is &= ~value;
        break;
    case AHCI_PX_IE:
        if ((value & ~IE_BITS) != 0)
            model_violation("port %u: PxIE = %08" PRIx32, port->number, value);
        port->ie = value;
        break;
    case AHCI_PX_CMD:
        write_cmd(port, value);
        break;
    case AHCI_PX_SCTL:
        write_sctl(port, value);
        break;
    case AHCI_PX_SERR:
        if ((value & ~SERR_BITS) != 0)
            model_violation("port %u: PxSERR = %08" PRIx32, port->number, value);
        port->serr &= ~value;
        break;
    case AHCI_PX_SACT:
        write_sact(port, value);
        break;
    case AHCI_PX_CI:
        write_ci(port, value);
        break;
    default:
        model_violation("write to port register %02" PRIx32, reg);
    }
}

static uint32_t port_cmd(const struct model_port *port)
{
    uint32_t value = port->cmd;

    if (port->hba->traits->hides_fr_cr)
        return value;
    return value | (port->receiver ? AHCI_PX_CMD_FR : 0) | (port->engine ? AHCI_PX_CMD_CR : 0);
}

static uint32_t port_tfd(const struct model_port *port)
{
    if (port->hba->traits->early_ready && is_up(port) && port->link_since != 0 && !port->ready &&
        model_now_ns() - port->link_since < EARLY_NS && port->ready_at != MODEL_NO_TIME)
        return 0x50;
    return port->tfd;
}

static uint32_t port_read(const struct model_port *port, uint32_t reg)
{
    switch (reg) {
    case AHCI_PX_CLB:
        return port->clb;
    case AHCI_PX_CLBU:
        return port->clbu;
    case AHCI_PX_FB:
        return port->fb;
    case AHCI_PX_FBU:
        return port->fbu;
    case AHCI_PX_IS:
        return port->is | ((port->serr & SERR_DIAG_X) != 0 ? AHCI_PX_IS_PCS : 0) |
               ((port->serr & SERR_DIAG_N) != 0 ? AHCI_PX_IS_PRCS : 0);
    case AHCI_PX_IE:
        return port->ie;
    case AHCI_PX_CMD:
        return port_cmd(port);
    case AHCI_PX_TFD:
        return port_tfd(port);
    case AHCI_PX_SIG:
        return port->sig;
    case AHCI_PX_SSTS:
        return port->ssts;
    case AHCI_PX_SCTL:
        return port->sctl;
    case AHCI_PX_SERR:
        return port->serr;
    case AHCI_PX_SACT:
        return port->sact;
    case AHCI_PX_CI:
        return port->ci;
    default:
        model_violation("read of port register %02" PRIx32, reg);
    }
}

/* --- events ---------------------------------------------------------------------------------- */

static uint64_t port_next(const struct model_port *port)
{
    const uint64_t times[] = {port->link_at, port->ready_at, port->served_at, port->engine_falls_at,
                              port->receiver_falls_at};
    uint64_t next = MODEL_NO_TIME;

    for (unsigned i = 0; i < COUNT_OF(times); i++)
        if (times[i] < next)
            next = times[i];
    return next;
}

static void port_run(struct model_port *port, uint64_t now)
{
    if (port->link_at <= now)
        link_comes_up(port);
    if (port->ready_at <= now)
        become_ready(port);
    if (port->engine_falls_at <= now) {
        port->engine = false;
        port->engine_falls_at = MODEL_NO_TIME;
    }
    if (port->receiver_falls_at <= now) {
        port->receiver = false;
        port->receiver_falls_at = MODEL_NO_TIME;
    }
    if (port->served_at <= now) {
        model_port_complete(port);
        model_port_serve(port);
    }
}

uint64_t model_hba_next_event(void)
{
    if (earliest_is_known)
        return earliest;
    earliest = MODEL_NO_TIME;
    for (unsigned i = 0; i < MODEL_HBAS && hbas[i] != NULL; i++)
        for (unsigned j = 0; j < MODEL_PORTS && hbas[i]->pi >> j != 0 && !hbas[i]->gone; j++) {
            uint64_t time = port_next(&hbas[i]->ports[j]);

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
            while (port_next(&hbas[i]->ports[j]) <= now) {
                port_run(&hbas[i]->ports[j], now);
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
        port->link_lost = true;
        lose_link(port);
        port->serr |= SERR_DIAG_N;
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
    return port_read(&hba->ports[(offset - AHCI_PORT_BASE) / AHCI_PORT_STRIDE],
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
    return port_read(port_at(hba, offset), offset % AHCI_PORT_STRIDE);
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
    port_write(port_at(hba, offset), offset % AHCI_PORT_STRIDE, value);
    model_port_serve(port_at(hba, offset));
}

static void port_poke(struct model_port *port, uint32_t reg, uint32_t value)
{
    switch (reg) {
    case AHCI_PX_CLB:
        port->clb = value;
        break;
    case AHCI_PX_IE:
        port->ie = value;
        break;
    case AHCI_PX_SCTL:
        port->sctl = value;
        break;
    case AHCI_PX_CMD:
        port->cmd = value & (CMD_WRITABLE | AHCI_PX_CMD_CPD);
        port->engine = (value & AHCI_PX_CMD_ST) != 0;
        port->receiver = (value & AHCI_PX_CMD_FRE) != 0;
        if (port->receiver && port->fis_waits) {
            port->fis_waits = false;
            port->ready = true;
            port->tfd = 0x50;
            port->sig = AHCI_PX_SIG_ATA;
        }
        break;
    case AHCI_PX_SIG:
        port->sig = value;
        break;
    default:
        model_violation("poke of port register %02" PRIx32, reg);
    }
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
        port_poke(&hba->ports[(offset - AHCI_PORT_BASE) / AHCI_PORT_STRIDE],
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
