/*
 * Every limit of the AHCI driver, with its unit and where it comes from. "Practice" is what
 * long-lived drivers settled on where the specifications give no figure.
 */
#ifndef DRIVERS_AHCI_LIMITS_H
#define DRIVERS_AHCI_LIMITS_H

#include <stdint.h>

/* Smallest window that holds the generic registers and one port (AHCI 1.3.1, section 3). */
#define AHCI_LIMIT_WINDOW_BYTES 0x180u

/* GHC.AE: some controllers need it written several times (practice). */
#define AHCI_LIMIT_ENABLE_TRIES 5u
#define AHCI_LIMIT_ENABLE_MS    10u

/* GHC.HR falls within 1 s, or the controller is hung (AHCI 1.3.1, 10.4.3). */
#define AHCI_LIMIT_RESET_MS 1000u

/* Of each wait while a controller is given back in a hurry (choice). */
#define AHCI_LIMIT_EMERGENCY_MS 100u

/* BIOS/OS hand-off (AHCI 1.3.1, 10.6.3): 25 ms, or 2 s while the firmware says it is busy. */
#define AHCI_LIMIT_HANDOFF_MS      25u
#define AHCI_LIMIT_HANDOFF_BUSY_MS 2000u

/* PxCMD.CR and FR fall within 500 ms (AHCI 1.3.1, 10.1.2 and 10.3.2). */
#define AHCI_LIMIT_ENGINE_MS 500u

/* Rest after a change of FRE or ST on chips that do not show FR and CR (practice). */
#define AHCI_LIMIT_SETTLE_MS 10u

/* COMRESET is asserted for at least 1 ms (AHCI 1.3.1, 10.4.2). */
#define AHCI_LIMIT_COMRESET_MS 2u

/* A device answers a COMRESET within 10 ms by design; late ones exist (practice). */
#define AHCI_LIMIT_DETECT_MS 200u

/* From the first sign of a device to communication (practice). */
#define AHCI_LIMIT_LINK_MS 1000u

/* A disk may need this long to spin up and clear BSY after a reset (practice: 30 to 32 s). */
#define AHCI_LIMIT_READY_MS 32000u

/* ... but one that has already worked is not given so much (practice). */
#define AHCI_LIMIT_READY_AGAIN_MS 10000u

/* PxSIG may follow readiness late; time for a second look (practice). */
#define AHCI_LIMIT_SIGNATURE_MS 50u

/* IDENTIFY: first try, and after a COMRESET (practice). */
#define AHCI_LIMIT_IDENTIFY_MS       5000u
#define AHCI_LIMIT_IDENTIFY_AGAIN_MS 10000u

/* READ LOG EXT after a queued error: a drive that takes longer is reset instead (practice). */
#define AHCI_LIMIT_LOG_MS 1000u

/* Longest command: 65,536 sectors of 512 bytes (ATA/ATAPI Command Set-4, READ DMA EXT). */
#define AHCI_LIMIT_COMMAND_BYTES      (UINT32_C(32) << 20)
#define AHCI_LIMIT_COMMAND_SECTORS    65536u
#define AHCI_LIMIT_COMMAND_SECTORS_28 256u

/* Addressable sectors with 28 and 48 address bits (ATA/ATAPI Command Set-4, IDENTIFY DEVICE). */
#define AHCI_LIMIT_SECTORS_28 UINT64_C(0x0fffffff)
#define AHCI_LIMIT_SECTORS_48 UINT64_C(0xffffffffffff)

#endif
