/*
 * The personalities. CAP of most is what other drivers print of it, put together again; PI, VS and
 * CAP2 are as printed. The behaviours are those that other drivers work around.
 */
#include "tests/model/personality.h"

#include "base/bits.h"
#include "drivers/ahci/regs.h"

#include <stddef.h>
#include <string.h>

#define AE AHCI_GHC_AE
#define IE AHCI_GHC_IE

static const struct model_chip personalities[MODEL_PERSONALITIES] = {
    [MODEL_ICH9_QEMU] = {.name = "ICH9 as in QEMU",
                         .vendor = 0x8086,
                         .device = 0x2922,
                         .window_bytes = 4096,
                         .found = {.cap = 0xc0141f05, .ghc = AE, .pi = 0x3f, .vs = 0x00010000},
                         .no_logs = true,
                         .posts_dhrs = true,
                         .quiet_reset = true},
    [MODEL_88SE9128_HBA] =
        {.name = "88SE9128, plain firmware",
         .vendor = 0x1b4b,
         .device = 0x9128,
         .window_bytes = 2048,
         .found = {.cap = 0xe237ff21, .ghc = AE | IE, .pi = 0x3, .vs = 0x00010000},
         .early_ready = true},
    [MODEL_88SE9128_RAID] = {.name = "88SE9128, RAID firmware",
                             .vendor = 0x1b4b,
                             .device = 0x9128,
                             .window_bytes = 2048,
                             .found = {.cap = 0xc0309f07, .pi = 0xff, .vs = 0x00010200},
                             .enable_writes = 3,
                             .posts_no_fis = true,
                             .console = true},
    [MODEL_88SE9172] = {.name = "88SE9172",
                        .vendor = 0x1b4b,
                        .device = 0x9172,
                        .window_bytes = 512,
                        .found = {.cap = 0xe237ff21, .ghc = AE, .pi = 0x3, .vs = 0x00010000},
                        .engine_fall_ns = 5000000,
                        .hides_fr_cr = true},
    [MODEL_88SE9230] = {.name = "88SE9230",
                        .vendor = 0x1b4b,
                        .device = 0x9230,
                        .window_bytes = 2048,
                        .found = {.cap = 0xe237ff23, .ghc = AE, .pi = 0xf, .vs = 0x00010000},
                        .early_ready = true,
                        .cycles_fre = true,
                        .posts_dhrs = true},
    [MODEL_88SE6121] = {.name = "88SE6121",
                        .vendor = 0x11ab,
                        .device = 0x6121,
                        .window_bytes = 1024,
                        .found = {.cap = 0xca227f02, .ghc = AE, .pi = 0x7, .vs = 0x00010000},
                        .untouchable = BIT32(2),
                        .miscounts = true},
    [MODEL_C216] = {.name = "C216",
                    .vendor = 0x8086,
                    .device = 0x1e02,
                    .window_bytes = 2048,
                    .found = {.cap = 0xc730ff45,
                              .ghc = AE | IE,
                              .pi = 0x3f,
                              .vs = 0x00010300,
                              .em_loc = 0x01600002,
                              .em_ctl = 0x07010000,
                              .cap2 = AHCI_CAP2_APST}},
    [MODEL_ASM1061] = {.name = "ASM1061",
                       .vendor = 0x1b21,
                       .device = 0x0612,
                       .window_bytes = 512,
                       .found = {.cap = 0xeb32ff81, .ghc = AE, .pi = 0x3, .vs = 0x00010200},
                       .ccs = 0x1f,
                       .completes_errors = true},
    [MODEL_ASM1064] =
        {.name = "ASM1064",
         .vendor = 0x1b21,
         .device = 0x1064,
         .window_bytes = 8192,
         .found = {.cap = 0xee349f37, .ghc = AE, .pi = 0xffff0f, .vs = 0x00010301, .cap2 = 0x3c}},
    [MODEL_SB600] = {.name = "SB600",
                     .vendor = 0x1002,
                     .device = 0x4380,
                     .window_bytes = 1024,
                     .found = {.cap = 0xf722ff83, .ghc = AE, .pi = 0xf, .vs = 0x00010100},
                     .command_bytes_max = 65536},
    [MODEL_VT8251] = {.name = "VT8251",
                      .vendor = 0x1106,
                      .device = 0x3349,
                      .window_bytes = 1024,
                      .found = {.cap = 0xc722ff03, .ghc = AE, .pi = 0xf, .vs = 0x00010000},
                      .busy_sticks = true},
    [MODEL_NFORCE] = {.name = "nForce 630i",
                      .vendor = 0x10de,
                      .device = 0x07f4,
                      .window_bytes = 8192,
                      .found = {.cap = 0xe3229f03, .ghc = AE, .pi = 0xf, .vs = 0x00010100},
                      .engine_fall_ns = 5000000,
                      .hides_fr_cr = true},
    [MODEL_JMB363] = {.name = "JMB363",
                      .vendor = 0x197b,
                      .device = 0x2363,
                      .window_bytes = 8192,
                      .found = {.cap = 0xc3229f01, .ghc = AE, .pi = 0x3, .vs = 0x00010000}},
    [MODEL_JMB585] = {.name = "JMB585, owned by the firmware",
                      .vendor = 0x197b,
                      .device = 0x0585,
                      .window_bytes = 8192,
                      .found = {.cap = 0xef33ff84,
                                .ghc = AE,
                                .pi = 0x1f,
                                .vs = 0x00010301,
                                .cap2 = AHCI_CAP2_BOH | AHCI_CAP2_APST,
                                .bohc = AHCI_BOHC_BOS},
                      .handoff_ns = 1500000000},
    [MODEL_JMB585_HELD] = {.name = "JMB585, held by the firmware",
                           .vendor = 0x197b,
                           .device = 0x0585,
                           .window_bytes = 8192,
                           .found = {.cap = 0xef33ff84,
                                     .ghc = AE,
                                     .pi = 0x1f,
                                     .vs = 0x00010301,
                                     .cap2 = AHCI_CAP2_BOH | AHCI_CAP2_APST,
                                     .bohc = AHCI_BOHC_BOS},
                           .handoff_ns = MODEL_NO_TIME},
    [MODEL_ALL_ONES] = {.name = "all ones",
                        .vendor = 0x1b4b,
                        .device = 0x9128,
                        .window_bytes = 2048,
                        .all_ones = true},
};

const struct model_chip *model_personality(enum model_personality personality)
{
    return &personalities[personality];
}

const char *model_personality_name(enum model_personality personality)
{
    return personalities[personality].name;
}

/* --- records of registers -------------------------------------------------------------------- */

struct place {
    const char *name;
    size_t offset;
};

static const struct place generics[] = {
    {"CAP", offsetof(struct model_registers, cap)},
    {"GHC", offsetof(struct model_registers, ghc)},
    {"IS", offsetof(struct model_registers, is)},
    {"PI", offsetof(struct model_registers, pi)},
    {"VS", offsetof(struct model_registers, vs)},
    {"CCC_CTL", offsetof(struct model_registers, ccc_ctl)},
    {"CCC_PORTS", offsetof(struct model_registers, ccc_ports)},
    {"EM_LOC", offsetof(struct model_registers, em_loc)},
    {"EM_CTL", offsetof(struct model_registers, em_ctl)},
    {"CAP2", offsetof(struct model_registers, cap2)},
    {"BOHC", offsetof(struct model_registers, bohc)},
};

static const struct place of_ports[] = {
    {"PxCLB", offsetof(struct model_port_registers, clb)},
    {"PxCLBU", offsetof(struct model_port_registers, clbu)},
    {"PxFB", offsetof(struct model_port_registers, fb)},
    {"PxFBU", offsetof(struct model_port_registers, fbu)},
    {"PxIS", offsetof(struct model_port_registers, is)},
    {"PxIE", offsetof(struct model_port_registers, ie)},
    {"PxCMD", offsetof(struct model_port_registers, cmd)},
    {"PxTFD", offsetof(struct model_port_registers, tfd)},
    {"PxSIG", offsetof(struct model_port_registers, sig)},
    {"PxSSTS", offsetof(struct model_port_registers, ssts)},
    {"PxSCTL", offsetof(struct model_port_registers, sctl)},
    {"PxSERR", offsetof(struct model_port_registers, serr)},
    {"PxSACT", offsetof(struct model_port_registers, sact)},
    {"PxCI", offsetof(struct model_port_registers, ci)},
    {"PxSNTF", offsetof(struct model_port_registers, sntf)},
    {"PxFBS", offsetof(struct model_port_registers, fbs)},
    {"PxDEVSLP", offsetof(struct model_port_registers, devslp)},
};

static bool set(void *structure, const struct place *places, size_t count, const char *name,
                uint32_t value)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(places[i].name, name) == 0) {
            memcpy((uint8_t *)structure + places[i].offset, &value, sizeof value);
            return true;
        }
    return false;
}

bool model_registers_set(struct model_registers *registers, int port, const char *name,
                         uint32_t value)
{
    if (port < 0)
        return set(registers, generics, COUNT_OF(generics), name, value);
    return port < MODEL_PORTS &&
           set(&registers->ports[port], of_ports, COUNT_OF(of_ports), name, value);
}

static enum model_disk_kind kind_of(uint32_t sig)
{
    switch (sig) {
    case AHCI_PX_SIG_ATAPI:
        return MODEL_DISK_ATAPI;
    case AHCI_PX_SIG_MULTIPLIER:
        return MODEL_DISK_MULTIPLIER;
    case AHCI_PX_SIG_ENCLOSURE:
        return MODEL_DISK_ENCLOSURE;
    default:
        return MODEL_DISK_ATA;
    }
}

void model_registers_disks(const struct model_registers *registers,
                           struct model_disk disks[MODEL_PORTS])
{
    for (unsigned i = 0; i < MODEL_PORTS; i++) {
        const struct model_port_registers *port = &registers->ports[i];

        disks[i] = (struct model_disk){.kind = MODEL_DISK_NONE};
        if ((registers->pi >> i & 1) == 0 || (port->ssts & AHCI_PX_SSTS_DET) == 0)
            continue;
        disks[i].kind = kind_of(port->sig);
        disks[i].sectors = UINT64_C(1) << 21;
        disks[i].queue_depth = 32;
    }
}
