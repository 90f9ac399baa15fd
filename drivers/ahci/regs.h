/*
 * AHCI registers and memory structures under the specification's names (AHCI 1.3.1, sections 3 and
 * 4; Serial ATA 3.x, section 10.3 for the FIS). Values only: nothing here knows how they are used.
 */
#ifndef DRIVERS_AHCI_REGS_H
#define DRIVERS_AHCI_REGS_H

#include "base/bits.h"

#include <stddef.h>
#include <stdint.h>

/* Generic host control (section 3.1): offsets in the window. */
#define AHCI_CAP  0x00u
#define AHCI_GHC  0x04u
#define AHCI_IS   0x08u
#define AHCI_PI   0x0cu
#define AHCI_VS   0x10u
#define AHCI_CAP2 0x24u
#define AHCI_BOHC 0x28u

#define AHCI_CAP_NP   0x1fu        /* number of ports, less one */
#define AHCI_CAP_NCS  (0x1fu << 8) /* number of command slots, less one */
#define AHCI_CAP_FBSS BIT32(16)
#define AHCI_CAP_SPM  BIT32(17)
#define AHCI_CAP_SAM  BIT32(18)    /* AHCI mode only: GHC.AE is fixed */
#define AHCI_CAP_ISS  (0xfu << 20) /* highest speed of the links */
#define AHCI_CAP_SCLO BIT32(24)
#define AHCI_CAP_SSS  BIT32(27) /* staggered spin-up */
#define AHCI_CAP_SNCQ BIT32(30)
#define AHCI_CAP_S64A BIT32(31)

#define AHCI_GHC_HR BIT32(0)
#define AHCI_GHC_IE BIT32(1)
#define AHCI_GHC_AE BIT32(31)

#define AHCI_CAP2_BOH  BIT32(0)
#define AHCI_CAP2_APST BIT32(2) /* Partial may turn into Slumber */
#define AHCI_CAP2_SDS  BIT32(3) /* device sleep */

#define AHCI_BOHC_BOS  BIT32(0)
#define AHCI_BOHC_OOS  BIT32(1)
#define AHCI_BOHC_SOOE BIT32(2)
#define AHCI_BOHC_OOC  BIT32(3) /* write 1 to clear */
#define AHCI_BOHC_BB   BIT32(4)

#define AHCI_VS_1_2 0x00010200u
#define AHCI_VS_1_3 0x00010300u

/* Intel's vendor area: capability bits, and what is remapped away from the AHCI window. */
#define AHCI_INTEL_VSCAP         0xa4u
#define AHCI_INTEL_VSCAP_SRA     BIT32(0)
#define AHCI_INTEL_REMAP_CAP     0x800u
#define AHCI_INTEL_REMAP_DEVICES 0x7u
/* A controller that can remap decodes at least this much. */
#define AHCI_INTEL_REMAP_WINDOW 0x80000u

/* Ports (section 3.3): offsets in a port's block. */
#define AHCI_PORT_BASE   0x100u
#define AHCI_PORT_STRIDE 0x80u

#define AHCI_PX_CLB    0x00u
#define AHCI_PX_CLBU   0x04u
#define AHCI_PX_FB     0x08u
#define AHCI_PX_FBU    0x0cu
#define AHCI_PX_IS     0x10u
#define AHCI_PX_IE     0x14u
#define AHCI_PX_CMD    0x18u
#define AHCI_PX_TFD    0x20u
#define AHCI_PX_SIG    0x24u
#define AHCI_PX_SSTS   0x28u
#define AHCI_PX_SCTL   0x2cu
#define AHCI_PX_SERR   0x30u
#define AHCI_PX_SACT   0x34u
#define AHCI_PX_CI     0x38u
#define AHCI_PX_SNTF   0x3cu
#define AHCI_PX_FBS    0x40u
#define AHCI_PX_DEVSLP 0x44u

#define AHCI_PX_IS_DHRS BIT32(0)
#define AHCI_PX_IS_PSS  BIT32(1)
#define AHCI_PX_IS_SDBS BIT32(3)
#define AHCI_PX_IS_UFS  BIT32(4)
#define AHCI_PX_IS_PCS  BIT32(6)
#define AHCI_PX_IS_PRCS BIT32(22)
#define AHCI_PX_IS_OFS  BIT32(24)
#define AHCI_PX_IS_INFS BIT32(26)
#define AHCI_PX_IS_IFS  BIT32(27)
#define AHCI_PX_IS_HBDS BIT32(28)
#define AHCI_PX_IS_HBFS BIT32(29)
#define AHCI_PX_IS_TFES BIT32(30)

/*
 * What ends a command for certain (section 6.1). INFS is not among them: the transfer is repeated
 * by the link and may still succeed.
 */
#define AHCI_PX_IS_FATAL                                                                           \
    (AHCI_PX_IS_TFES | AHCI_PX_IS_HBFS | AHCI_PX_IS_HBDS | AHCI_PX_IS_IFS | AHCI_PX_IS_OFS |       \
     AHCI_PX_IS_UFS | AHCI_PX_IS_PRCS | AHCI_PX_IS_PCS)

#define AHCI_PX_CMD_ST         BIT32(0)
#define AHCI_PX_CMD_SUD        BIT32(1)
#define AHCI_PX_CMD_POD        BIT32(2)
#define AHCI_PX_CMD_CLO        BIT32(3)
#define AHCI_PX_CMD_FRE        BIT32(4)
#define AHCI_PX_CMD_CCS        (0x1fu << 8)
#define AHCI_PX_CMD_FR         BIT32(14)
#define AHCI_PX_CMD_CR         BIT32(15)
#define AHCI_PX_CMD_PMA        BIT32(17)
#define AHCI_PX_CMD_CPD        BIT32(20)
#define AHCI_PX_CMD_APSTE      BIT32(23)
#define AHCI_PX_CMD_ATAPI      BIT32(24)
#define AHCI_PX_CMD_DLAE       BIT32(25)
#define AHCI_PX_CMD_ALPE       BIT32(26)
#define AHCI_PX_CMD_ASP        BIT32(27)
#define AHCI_PX_CMD_ICC        (0xfu << 28)
#define AHCI_PX_CMD_ICC_ACTIVE (1u << 28)
/* Settings that stay as they are written, as opposed to states and commands. */
#define AHCI_PX_CMD_SETTINGS                                                                       \
    (AHCI_PX_CMD_SUD | AHCI_PX_CMD_POD | AHCI_PX_CMD_PMA | AHCI_PX_CMD_APSTE | AHCI_PX_CMD_ATAPI | \
     AHCI_PX_CMD_DLAE | AHCI_PX_CMD_ALPE | AHCI_PX_CMD_ASP)

#define AHCI_PX_TFD_ERR   BIT32(0)
#define AHCI_PX_TFD_DF    BIT32(5)
#define AHCI_PX_TFD_ERROR 0xff00u  /* the error register: */
#define ATA_ERROR_ABRT    BIT32(2) /* refused */
#define ATA_ERROR_IDNF    BIT32(4) /* no such sector, or not found */
#define ATA_ERROR_UNC     BIT32(6) /* not to be read */
#define ATA_ERROR_ICRC    BIT32(7) /* transfer garbled on the link */
#define AHCI_PX_TFD_DRQ   BIT32(3)
#define AHCI_PX_TFD_BSY   BIT32(7)

#define AHCI_PX_SIG_ATA        0x00000101u
#define AHCI_PX_SIG_ATAPI      0xeb140101u
#define AHCI_PX_SIG_MULTIPLIER 0x96690101u
#define AHCI_PX_SIG_ENCLOSURE  0xc33c0101u
#define AHCI_PX_SIG_ZONED      0xabcd0101u /* host-managed zones: reads as an ATA drive does */
#define AHCI_PX_SIG_NONE       0xffffffffu /* no device has sent one */

#define AHCI_PX_SSTS_DET         0xfu
#define AHCI_PX_SSTS_DET_NONE    0u
#define AHCI_PX_SSTS_DET_PRESENT 1u /* seen, no communication (or asleep) */
#define AHCI_PX_SSTS_DET_UP      3u
#define AHCI_PX_SSTS_SPD         (0xfu << 4)
#define AHCI_PX_SSTS_IPM         (0xfu << 8)
#define AHCI_PX_SSTS_IPM_ACTIVE  1u
#define AHCI_PX_SSTS_IPM_PARTIAL 2u
#define AHCI_PX_SSTS_IPM_SLUMBER 6u
#define AHCI_PX_SSTS_IPM_DEVSLP  8u

#define AHCI_PX_SCTL_DET       0xfu
#define AHCI_PX_SCTL_DET_RESET 1u
#define AHCI_PX_SCTL_SPD       (0xfu << 4)
#define AHCI_PX_SCTL_IPM       (0xfu << 8)
#define AHCI_PX_SCTL_IPM_NONE  (3u << 8) /* neither Partial nor Slumber */

/* What a garbled link leaves: data, persistent and protocol errors; 10b to 8b, disparity, CRC,
 * handshake, sequence and transport errors. */
#define AHCI_PX_SERR_LINK                                                                          \
    (BIT32(8) | BIT32(9) | BIT32(10) | BIT32(19) | BIT32(20) | BIT32(21) | BIT32(22) | BIT32(23) | \
     BIT32(24))
#define AHCI_PX_SERR_N BIT32(16) /* communication was lost or found: PxIS.PRCS follows it */
#define AHCI_PX_SERR_X BIT32(26) /* a device announced itself: PxIS.PCS follows it */

#define AHCI_PX_DEVSLP_ADSE BIT32(0)

/* Command list (section 4.2.2), received FIS area (4.2.1), command table (4.2.3). */
struct ahci_header {
    uint32_t dw0;
    uint32_t prdbc; /* bytes transferred, counted by the controller */
    uint32_t ctba;
    uint32_t ctbau;
    uint32_t reserved[4];
};
_Static_assert(sizeof(struct ahci_header) == 32, "AHCI 1.3.1, 4.2.2");

#define AHCI_HEADER_CFL   0x1fu /* length of the command FIS in double words */
#define AHCI_HEADER_W     BIT32(6)
#define AHCI_HEADER_PRDTL 16 /* position */

struct ahci_prd {
    uint32_t dba;
    uint32_t dbau;
    uint32_t reserved;
    uint32_t dbc; /* bytes less one; bit 0 is always 1 */
};
_Static_assert(sizeof(struct ahci_prd) == 16, "AHCI 1.3.1, 4.2.3.3");

#define AHCI_PRD_BYTES_MAX (UINT32_C(4) << 20)

/* As many as the longest command needs. */
#define AHCI_PRDS 8

struct ahci_table {
    uint8_t cfis[64];
    uint8_t acmd[16];
    uint8_t reserved[48];
    struct ahci_prd prd[AHCI_PRDS];
};
_Static_assert(sizeof(struct ahci_table) == 256, "tables stay 128-byte aligned in an array");
_Static_assert(offsetof(struct ahci_table, prd) == 0x80, "AHCI 1.3.1, 4.2.3");

/* Register FIS, host to device (Serial ATA 3.x, 10.3.4): byte positions. */
#define AHCI_FIS_TYPE         0
#define AHCI_FIS_FLAGS        1
#define AHCI_FIS_COMMAND      2
#define AHCI_FIS_FEATURES     3
#define AHCI_FIS_LBA          4 /* bits 23:0 */
#define AHCI_FIS_DEVICE       7
#define AHCI_FIS_LBA_EXP      8 /* bits 47:24 */
#define AHCI_FIS_FEATURES_EXP 11
#define AHCI_FIS_COUNT        12
#define AHCI_FIS_BYTES        20
#define AHCI_FIS_TYPE_H2D     0x27u
#define AHCI_FIS_FLAGS_C      0x80u /* a command, not a control */
#define AHCI_FIS_DEVICE_LBA   0x40u

/* Received FIS area. */
#define AHCI_RFIS_D2H        0x40u
#define AHCI_RFIS_D2H_STATUS (AHCI_RFIS_D2H + AHCI_FIS_COMMAND)
#define AHCI_FIS_TYPE_D2H    0x34u

/* Log page 10h, queued error (ATA/ATAPI Command Set-4, 9.13): byte positions. */
#define ATA_LOG_QUEUED_ERROR 0x10u
#define ATA_LOG_10_TAG       0
#define ATA_LOG_10_TAG_MASK  0x1fu
#define ATA_LOG_10_NQ        0x80u /* the command that failed was not queued */
#define ATA_LOG_10_STATUS    2
#define ATA_LOG_10_ERROR     3
#define ATA_LOG_10_LBA       4 /* bits 23:0 */
#define ATA_LOG_10_LBA_EXP   8 /* bits 47:24 */

/* Command opcodes (ATA/ATAPI Command Set-4). What may be sent is decided in command.c alone. */
#define ATA_READ_DMA_EXT           0x25u
#define ATA_READ_LOG_EXT           0x2fu
#define ATA_READ_FPDMA_QUEUED      0x60u
#define ATA_IDENTIFY_PACKET_DEVICE 0xa1u
#define ATA_READ_DMA               0xc8u
#define ATA_IDENTIFY_DEVICE        0xecu

#endif
