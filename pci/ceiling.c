/* Ceilings of links, buses and whole paths. METHOD.md, section "Ceilings". */
#include "pci/ceiling.h"

#include "base/bits.h"
#include "base/math.h"
#include "pci/regs.h"

/*
 * Framing and link layer of a packet in bytes. 2.5 and 5 GT/s: STP 1, sequence number 2, LCRC 4,
 * END 1. From 8 GT/s on: STP token 4, LCRC 4. (PCI Express Base 5.0, sections 3.6.2 and 4.2.)
 */
#define FRAMING_BYTES           8
#define COMPLETION_HEADER_BYTES 12
#define ECRC_BYTES              4

#define PAYLOAD_DEFAULT_BYTES 128 /* what every function can do and starts with */
#define REQUEST_DEFAULT_BYTES 512 /* the register's value after reset (7.5.3.4) */

/* The share of a line's transfers that carries packets: line coding, then clock compensation. */
struct line {
    uint64_t transfers_per_s; /* of one lane, a bit each */
    uint32_t code_data;       /* line coding: of code_all bits code_data are data */
    uint32_t code_all;
    uint32_t skip_data; /* clock compensation: of skip_all units skip_data are data */
    uint32_t skip_all;
};

/*
 * 8b/10b with a SKP ordered set of 4 symbols every 1538 symbols at the rarest (4.2.7.3);
 * 128b/130b with one of a block every 370 blocks, 375 at the rarest. 370 is what is used here: the
 * difference is below 0.004 %.
 */
static const struct line lines[] = {
    {2500000000, 8, 10, 1534, 1538},   {5000000000, 8, 10, 1534, 1538},
    {8000000000, 128, 130, 370, 371},  {16000000000, 128, 130, 370, 371},
    {32000000000, 128, 130, 370, 371},
};

/* Payload bytes per second of a line on which each `payload` bytes cost `overhead` more. */
static uint64_t share(const struct line *line, unsigned width, uint32_t payload, uint32_t overhead)
{
    /* At most 32e9 * 63 / 8 * 128 * 370 = 1.2e16, and the divisor some 1e8. */
    uint64_t carried = line->transfers_per_s / 8 * width * line->code_data * line->skip_data;

    return base_mul_div_round(carried, payload,
                              (uint64_t)line->code_all * line->skip_all * (payload + overhead));
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint64_t from_memory(const struct line *line, unsigned width,
                            const struct pci_packets *packets, uint32_t completion_bytes)
{
    uint32_t ecrc_down = packets->ecrc_from_memory ? ECRC_BYTES : 0;
    uint32_t ecrc_up = packets->ecrc_to_memory ? ECRC_BYTES : 0;
    uint32_t request = packets->header_bytes + FRAMING_BYTES + ecrc_up;
    uint64_t completions = share(line, width, smaller(completion_bytes, packets->request_bytes),
                                 COMPLETION_HEADER_BYTES + FRAMING_BYTES + ecrc_down);
    /* Requests travel the other way: each takes `request` bytes there and asks for more here. */
    uint64_t line_rate = share(line, width, 1, 0);
    uint64_t requests = base_mul_div_round(line_rate, packets->request_bytes, request);

    return completions < requests ? completions : requests;
}

struct pci_ceiling pci_ceiling_link(unsigned speed, unsigned width,
                                    const struct pci_packets *packets)
{
    struct pci_ceiling ceiling = {0};
    const struct line *line;

    if (speed < 1 || speed > COUNT_OF(lines) || width < 1 || width > 63 ||
        packets->header_bytes == 0 || packets->payload_bytes == 0 || packets->request_bytes == 0 ||
        packets->rcb_bytes == 0)
        return ceiling;
    line = &lines[speed - 1];
    ceiling.known = true;
    ceiling.raw_bytes_per_s =
        base_mul_div_round(line->transfers_per_s / 8 * width, line->code_data, line->code_all);
    ceiling.to_memory_bytes_per_s = share(line, width, packets->payload_bytes,
                                          packets->header_bytes + FRAMING_BYTES +
                                              (packets->ecrc_to_memory ? (uint32_t)ECRC_BYTES : 0));
    ceiling.from_memory_bytes_per_s = from_memory(line, width, packets, packets->payload_bytes);
    ceiling.from_memory_rcb_bytes_per_s =
        from_memory(line, width, packets, smaller(packets->rcb_bytes, packets->payload_bytes));
    return ceiling;
}

uint64_t pci_ceiling_burst(unsigned width_bytes, unsigned clock_thirds, unsigned phases,
                           unsigned lost)
{
    if (phases + lost == 0)
        return 0;
    return base_mul_div_round((uint64_t)width_bytes * clock_thirds * 100000000, phases,
                              3 * ((uint64_t)phases + lost));
}

/* Data phases in one clock. */
static unsigned data_rate(enum pci_bus_mode mode)
{
    switch (mode) {
    case PCI_BUS_PCIX_266:
        return 2;
    case PCI_BUS_PCIX_533:
        return 4;
    case PCI_BUS_CONVENTIONAL:
    case PCI_BUS_PCIX:
    case PCI_BUS_PCIX_ECC:
    default:
        return 1;
    }
}

struct pci_ceiling pci_ceiling_bus(const struct pci_bus *bus)
{
    struct pci_ceiling ceiling = {0};
    unsigned rate = data_rate(bus->mode);
    /* PCI: bursts of 128 phases were measured with 4 clocks lost. PCI-X: 4 KiB, the longest that
     * there is, and 6 clocks with the attribute phase. */
    bool pcix = bus->mode != PCI_BUS_CONVENTIONAL;
    unsigned phases, lost = pcix ? 6 : 4;
    uint64_t rate_bytes;

    if (bus->width_bytes == 0 || bus->clock_thirds == 0)
        return ceiling;
    /* In clocks: with two or four phases a clock the data of a burst takes fewer of them. */
    phases = pcix ? 4096 / bus->width_bytes / rate : 128;
    rate_bytes = pci_ceiling_burst(bus->width_bytes * rate, bus->clock_thirds, phases, lost);
    ceiling.known = true;
    ceiling.raw_bytes_per_s = pci_ceiling_burst(bus->width_bytes * rate, bus->clock_thirds, 1, 0);
    ceiling.to_memory_bytes_per_s = rate_bytes;
    ceiling.from_memory_bytes_per_s = rate_bytes;
    ceiling.from_memory_rcb_bytes_per_s = rate_bytes;
    return ceiling;
}

uint64_t pci_ceiling_sata(unsigned generation, unsigned turnaround)
{
    /* A Data FIS carries 2048 dwords; SOF, header, CRC and EOF are 4 more. Of 256 dwords 2 are
     * ALIGN. */
    const uint64_t data = 2048, frame = 2048 + 4;

    if (generation < 1 || generation > 3)
        return 0;
    return base_mul_div_round(UINT64_C(150000000) << (generation - 1), data * 254,
                              (frame + turnaround) * 256);
}

/* Functions whose own reads of memory cross links; ports only pass on what others ask for. */
static bool asks(const struct pci_end *end)
{
    return end->port_type == PCIE_TYPE_ENDPOINT || end->port_type == PCIE_TYPE_LEGACY_ENDPOINT ||
           end->port_type == PCIE_TYPE_PCIE_TO_PCI || end->port_type == PCIE_TYPE_INTEGRATED;
}

static void add_end(const struct pci_end *end, struct pci_packets *packets)
{
    if (end->payload_bytes != 0 &&
        (packets->payload_bytes == 0 || end->payload_bytes < packets->payload_bytes))
        packets->payload_bytes = end->payload_bytes;
    if (end->has_pcie && end->request_bytes != 0 && asks(end))
        packets->request_bytes = end->request_bytes;
    /* What the root complex does; ends below only repeat it, those of switches not even that. */
    if (end->has_link && end->port_type == PCIE_TYPE_ROOT_PORT) {
        packets->rcb_bytes = end->rcb_bytes;
        packets->ecrc_from_memory = end->ecrc;
    }
}

struct pci_packets pci_ceiling_packets(const struct pci_path *path, uint16_t header_bytes)
{
    struct pci_packets packets = {.header_bytes = header_bytes};

    for (uint32_t i = 0; i < path->count; i++) {
        add_end(&path->hops[i].above, &packets);
        add_end(&path->hops[i].below, &packets);
    }
    if (path->count > 0) {
        const struct pci_end *last = &path->hops[path->count - 1].below;

        packets.ecrc_to_memory = last->ecrc;
        if (packets.rcb_bytes == 0 && last->has_link)
            packets.rcb_bytes = last->rcb_bytes;
    }
    if (packets.payload_bytes == 0)
        packets.payload_bytes = PAYLOAD_DEFAULT_BYTES;
    if (packets.request_bytes == 0)
        packets.request_bytes = REQUEST_DEFAULT_BYTES;
    if (packets.rcb_bytes == 0)
        packets.rcb_bytes = 64;
    return packets;
}

static struct pci_ceiling hop_ceiling(const struct pci_hop *hop, const struct pci_packets *packets)
{
    switch (hop->kind) {
    case PCI_HOP_LINK:
    case PCI_HOP_UPLINK:
        return pci_ceiling_link(hop->speed, hop->width, packets);
    case PCI_HOP_BUS:
        return pci_ceiling_bus(&hop->bus);
    case PCI_HOP_UNKNOWN:
    case PCI_HOP_INTERNAL:
    default:
        return (struct pci_ceiling){0};
    }
}

void pci_ceiling_path(const struct pci_path *path, uint16_t header_bytes,
                      struct pci_path_ceiling *ret_ceiling)
{
    struct pci_path_ceiling *all = ret_ceiling;
    uint64_t to_memory_least = UINT64_MAX, from_memory_least = UINT64_MAX;

    *all = (struct pci_path_ceiling){.packets = pci_ceiling_packets(path, header_bytes),
                                     .to_memory_hop = PCI_NO_HOP,
                                     .from_memory_hop = PCI_NO_HOP};
    for (uint32_t i = 0; i < path->count; i++) {
        struct pci_ceiling ceiling = hop_ceiling(&path->hops[i], &all->packets);

        all->hops[i] = ceiling;
        if (ceiling.known && ceiling.to_memory_bytes_per_s < to_memory_least) {
            to_memory_least = ceiling.to_memory_bytes_per_s;
            all->to_memory_hop = (int32_t)i;
        }
        if (ceiling.known && ceiling.from_memory_bytes_per_s < from_memory_least) {
            from_memory_least = ceiling.from_memory_bytes_per_s;
            all->from_memory_hop = (int32_t)i;
        }
    }
}
