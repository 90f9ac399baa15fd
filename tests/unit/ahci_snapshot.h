/*
 * All registers of a controller of the model before and after, to see that nothing was left
 * changed but what must: engines are stopped, and errors and interrupts cleared.
 */
#ifndef TESTS_UNIT_AHCI_SNAPSHOT_H
#define TESTS_UNIT_AHCI_SNAPSHOT_H

#include "tests/unit/ahci_rig.h"

static const struct {
    const char *name;
    uint32_t offset, mask;
} snapshot_generic[] = {
    {"CAP", AHCI_CAP, UINT32_MAX},
    {"GHC", AHCI_GHC, UINT32_MAX},
    {"PI", AHCI_PI, UINT32_MAX},
    {"VS", AHCI_VS, UINT32_MAX},
    {"CCC_CTL", 0x14, UINT32_MAX},
    {"CCC_PORTS", 0x18, UINT32_MAX},
    {"EM_LOC", 0x1c, UINT32_MAX},
    {"EM_CTL", 0x20, UINT32_MAX},
    {"CAP2", AHCI_CAP2, UINT32_MAX},
    {"BOHC", AHCI_BOHC, AHCI_BOHC_BOS | AHCI_BOHC_OOS | AHCI_BOHC_SOOE},
};

/* PxCMD: all but ST, FRE, FR and CR; what cannot be written does not change either. */
static const struct {
    const char *name;
    uint32_t offset, mask;
} snapshot_port[] = {
    {"PxCLB", AHCI_PX_CLB, UINT32_MAX},
    {"PxCLBU", AHCI_PX_CLBU, UINT32_MAX},
    {"PxFB", AHCI_PX_FB, UINT32_MAX},
    {"PxFBU", AHCI_PX_FBU, UINT32_MAX},
    {"PxIE", AHCI_PX_IE, UINT32_MAX},
    {"PxCMD", AHCI_PX_CMD, ~(AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE | AHCI_PX_CMD_FR | AHCI_PX_CMD_CR)},
    {"PxSCTL", AHCI_PX_SCTL, UINT32_MAX},
    {"PxSNTF", AHCI_PX_SNTF, UINT32_MAX},
    {"PxFBS", AHCI_PX_FBS, UINT32_MAX},
    {"PxDEVSLP", AHCI_PX_DEVSLP, UINT32_MAX},
};

struct snapshot {
    uint32_t generic[COUNT_OF(snapshot_generic)];
    uint32_t ports[AHCI_PORTS_MAX][COUNT_OF(snapshot_port)];
};

static inline void snapshot_take(const struct model_hba *hba, struct snapshot *snapshot)
{
    bool has_cap2 = model_hba_peek(hba, AHCI_VS) >= AHCI_VS_1_2;

    memset(snapshot, 0, sizeof *snapshot);
    for (unsigned i = 0; i < COUNT_OF(snapshot_generic); i++)
        if (snapshot_generic[i].offset < AHCI_CAP2 || has_cap2)
            snapshot->generic[i] =
                model_hba_peek(hba, snapshot_generic[i].offset) & snapshot_generic[i].mask;
    for (unsigned port = 0; port < AHCI_PORTS_MAX; port++)
        for (unsigned i = 0; i < COUNT_OF(snapshot_port); i++)
            snapshot->ports[port][i] =
                model_hba_peek(hba,
                               AHCI_PORT_BASE + port * AHCI_PORT_STRIDE + snapshot_port[i].offset) &
                snapshot_port[i].mask;
}

static inline void snapshot_compare(const struct model_hba *hba, const struct snapshot *before)
{
    struct snapshot after;

    snapshot_take(hba, &after);
    for (unsigned i = 0; i < COUNT_OF(snapshot_generic); i++)
        if (after.generic[i] != before->generic[i])
            fail_msg("%s was %08x and is %08x", snapshot_generic[i].name,
                     (unsigned)before->generic[i], (unsigned)after.generic[i]);
    for (unsigned port = 0; port < AHCI_PORTS_MAX; port++)
        for (unsigned i = 0; i < COUNT_OF(snapshot_port); i++)
            if (after.ports[port][i] != before->ports[port][i])
                fail_msg("port %u: %s was %08x and is %08x", port, snapshot_port[i].name,
                         (unsigned)before->ports[port][i], (unsigned)after.ports[port][i]);
}

#endif
