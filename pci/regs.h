/*
 * Registers of configuration space under the names of the specifications. Offsets are in bytes,
 * masks belong to the register at its own width unless said otherwise.
 */
#ifndef PCI_REGS_H
#define PCI_REGS_H

#include "base/bits.h"

/* Header, all types (PCI 3.0, section 6.1). */
#define PCI_VENDOR_ID     0x00
#define PCI_COMMAND       0x04
#define PCI_STATUS        0x06
#define PCI_REVISION_ID   0x08 /* with the class code in the same dword */
#define PCI_HEADER_TYPE   0x0e
#define PCI_BAR0          0x10
#define PCI_SEC_STATUS    0x1e /* header type 1 (PCI-to-PCI Bridge 1.2, section 3.2.5.7) */
#define PCI_SUBSYSTEM     0x2c /* header type 0 */
#define PCI_CAP_PTR       0x34 /* header types 0 and 1 */
#define PCI_CAP_PTR_CB    0x14 /* header type 2 (PC Card 8.0, section 4.5) */
#define PCI_BUS_NUMBERS   0x18 /* header types 1 and 2 (PCI-to-PCI Bridge 1.2, section 3.2) */
#define PCI_HEADER_END    0x40 /* capabilities lie above */
#define PCI_CONFIG_BYTES  0x100
#define PCIE_CONFIG_BYTES 0x1000

#define PCI_COMMAND_MEMORY        BIT32(1)
#define PCI_STATUS_CAP_LIST       BIT32(4)
#define PCI_STATUS_66MHZ          BIT32(5) /* of Status and of Secondary Status */
#define PCI_HEADER_TYPE_MASK      UINT32_C(0x7f)
#define PCI_HEADER_TYPE_MULTI     BIT32(7)
#define PCI_HEADER_TYPE_NORMAL    0
#define PCI_HEADER_TYPE_BRIDGE    1
#define PCI_HEADER_TYPE_CARDBUS   2
#define PCI_BUS_NUMBERS_PRIMARY   UINT32_C(0x000000ff)
#define PCI_BUS_NUMBERS_SECONDARY UINT32_C(0x0000ff00)
#define PCI_BUS_NUMBERS_SUBORD    UINT32_C(0x00ff0000)

/*
 * Windows of header type 1 (PCI-to-PCI Bridge 1.2, sections 3.2.5.6 and 3.2.5.8 to 3.2.5.11). The
 * limit stands directly above the base, as wide as it: 8 bits for I/O, 16 for memory.
 */
#define PCI_IO_BASE          0x1c
#define PCI_MEMORY_BASE      0x20
#define PCI_PREF_BASE        0x24
#define PCI_PREF_BASE_UPPER  0x28 /* 32 bits */
#define PCI_PREF_LIMIT_UPPER 0x2c
#define PCI_IO_UPPER         0x30          /* base and limit, 16 bits each */
#define PCI_WINDOW_TYPE      UINT32_C(0xf) /* of each base and limit */
#define PCI_WINDOW_WIDE      1 /* the upper registers count: 32 bits of I/O, 64 of prefetchable */

/* Base address registers (PCI 3.0, section 6.2.5.1). */
#define PCI_BAR_IO           BIT32(0)
#define PCI_BAR_TYPE         UINT32_C(0x6)
#define PCI_BAR_TYPE_32      0
#define PCI_BAR_TYPE_64      2
#define PCI_BAR_MEMORY_FLAGS UINT32_C(0xf)

/* Base class of mass storage (PCI Code and ID Assignment 1.11, section 1.2). */
#define PCI_CLASS_STORAGE 0x01

/* PCI Express capability, offsets within it (PCI Express Base 5.0, section 7.5.3). */
#define PCI_CAP_ID_PCIE 0x10
#define PCIE_CAPS       0x02
#define PCIE_DEV_CAP    0x04
#define PCIE_DEV_CTL    0x08 /* Device Status in the upper half of the dword */
#define PCIE_LNK_CAP    0x0c
#define PCIE_LNK_CTL    0x10
#define PCIE_LNK_STA    0x12
#define PCIE_SLT_CAP    0x14
#define PCIE_DEV_CTL2   0x28
#define PCIE_LNK_CAP2   0x2c
#define PCIE_LNK_CTL2   0x30

#define PCIE_CAPS_VERSION    UINT32_C(0x000f)
#define PCIE_CAPS_PORT_TYPE  UINT32_C(0x00f0)
#define PCIE_CAPS_SLOT       BIT32(8)
#define PCIE_DEV_CAP_MPS     UINT32_C(0x00000007)
#define PCIE_DEV_CTL_MPS     UINT32_C(0x00e0)
#define PCIE_DEV_CTL_MRRS    UINT32_C(0x7000)
#define PCIE_LNK_SPEED       UINT32_C(0x000f) /* of Link Capabilities and of Link Status */
#define PCIE_LNK_WIDTH       UINT32_C(0x03f0) /* likewise */
#define PCIE_LNK_STA_LBMS    BIT32(14)        /* Link Bandwidth Management Status */
#define PCIE_LNK_CAP_ASPM    UINT32_C(0x00000c00)
#define PCIE_LNK_CTL_ASPM    UINT32_C(0x0003)
#define PCIE_LNK_CTL_RCB     BIT32(3)
#define PCIE_LNK_CTL_COMMON  BIT32(6)
#define PCIE_SLT_CAP_POWER   UINT32_C(0x00007f80)
#define PCIE_SLT_CAP_SCALE   UINT32_C(0x00018000)
#define PCIE_SLT_CAP_NUMBER  UINT32_C(0xfff80000)
#define PCIE_DEV_CTL2_ARI    BIT32(5)
#define PCIE_LNK_CAP2_SPEEDS UINT32_C(0x000000fe)

#define PCIE_TYPE_ENDPOINT        0
#define PCIE_TYPE_LEGACY_ENDPOINT 1
#define PCIE_TYPE_ROOT_PORT       4
#define PCIE_TYPE_UPSTREAM        5
#define PCIE_TYPE_DOWNSTREAM      6
#define PCIE_TYPE_PCIE_TO_PCI     7
#define PCIE_TYPE_PCI_TO_PCIE     8
#define PCIE_TYPE_INTEGRATED      9
#define PCIE_TYPE_EVENT_COLLECTOR 10

/* Extended capabilities (PCI Express Base 5.0, section 7.6.3). */
#define PCIE_EXT_CAP_FIRST   0x100
#define PCIE_EXT_CAP_ID      UINT32_C(0x0000ffff)
#define PCIE_EXT_CAP_VERSION UINT32_C(0x000f0000)
#define PCIE_EXT_CAP_NEXT    UINT32_C(0xfff00000)

/* Vendor-Specific extended capability; what it is says the dword behind it (section 7.9.5). */
#define PCIE_EXT_CAP_ID_VENDOR 0x000b
#define PCIE_VENDOR_HEADER     0x04
#define PCIE_VENDOR_HEADER_ID  UINT32_C(0x0000ffff)

/* Advanced Error Reporting, offsets within it (PCI Express Base 5.0, section 7.8.4). */
#define PCIE_EXT_CAP_ID_AER    0x0001
#define PCIE_AER_UNCORRECTABLE 0x04
#define PCIE_AER_CORRECTABLE   0x10
#define PCIE_AER_CONTROL       0x18
#define PCIE_AER_CONTROL_ECRC  BIT32(6) /* ECRC Generation Enable */

/* Alternative Routing-ID Interpretation, offsets within it (PCI Express Base 5.0, 7.8.8). */
#define PCIE_EXT_CAP_ID_ARI 0x000e
#define PCIE_ARI_CAP        0x04
#define PCIE_ARI_CAP_NEXT   UINT32_C(0xff00) /* the next function's number; 0: none */

/*
 * PCI-X capability, offsets within it (PCI-X Protocol Addendum 2.0a, sections 7.2 and 8.6). Bit 16
 * of the dword at 04h says the same of a device and of a bridge's upper side.
 */
#define PCI_CAP_ID_PCIX          0x07
#define PCIX_SEC_STATUS          0x02 /* of bridges */
#define PCIX_STATUS              0x04
#define PCIX_SEC_STATUS_64BIT    BIT32(0)
#define PCIX_SEC_STATUS_CLOCK    UINT32_C(0x00c0) /* 1: 66 MHz, 2: 100, 3: 133 */
#define PCIX_SEC_STATUS_PROTOCOL UINT32_C(0x0300) /* see enum pci_bus_mode */
#define PCIX_STATUS_64BIT        BIT32(16)

#endif
