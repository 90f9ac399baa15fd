/*
 * Access to configuration space, and the machine's own: ECAM where the MCFG table covers a bus,
 * ports CF8h/CFCh elsewhere in segment 0.
 */
#include "pci/config.h"

#include "base/bits.h"
#include "hw/reg.h"
#include "pci/regs.h"

#include <stdbool.h>
#include <stddef.h>

/* Configuration mechanism #1 (PCI 3.0, section 3.2.2.3.2). */
#define CONFIG_ADDRESS        0xcf8
#define CONFIG_DATA           0xcfc
#define CONFIG_ADDRESS_ENABLE BIT32(31)

uint32_t pci_config_read32(const struct pci_config *config, struct pci_address address,
                           uint16_t offset)
{
    return config->ops->read(config, address, offset);
}

uint16_t pci_config_read16(const struct pci_config *config, struct pci_address address,
                           uint16_t offset)
{
    uint32_t dword = config->ops->read(config, address, offset & 0xfffcu);

    return (uint16_t)(dword >> 8 * (offset & 2u));
}

uint8_t pci_config_read8(const struct pci_config *config, struct pci_address address,
                         uint16_t offset)
{
    uint32_t dword = config->ops->read(config, address, offset & 0xfffcu);

    return (uint8_t)(dword >> 8 * (offset & 3u));
}

void pci_config_write32(const struct pci_config *config, struct pci_address address,
                        uint16_t offset, uint32_t value)
{
    config->ops->write(config, address, offset, value);
}

static const struct pci_ecam *find_ecam(const struct pci_host *host, uint16_t segment, uint8_t bus)
{
    for (uint32_t i = 0; i < host->ecam_count; i++) {
        const struct pci_ecam *ecam = &host->ecam[i];

        if (ecam->segment == segment && bus >= ecam->start_bus && bus <= ecam->end_bus)
            return ecam;
    }
    return NULL;
}

/* The 4 KiB of one function (PCI Express Base 5.0, section 7.2.2). */
static struct hw_window ecam_window(const struct pci_ecam *ecam, struct pci_address address)
{
    uint64_t place = (uint64_t)address.bus << 20 | (uint64_t)address.device << 15 |
                     (uint64_t)address.function << 12;

    return (struct hw_window){.base = ecam->base + place, .bytes = PCIE_CONFIG_BYTES};
}

static uint32_t port_address(struct pci_address address, uint16_t offset)
{
    return CONFIG_ADDRESS_ENABLE | (uint32_t)address.bus << 16 | (uint32_t)address.device << 11 |
           (uint32_t)address.function << 8 | offset;
}

static bool in_range(struct pci_address address, uint16_t offset, uint16_t bytes)
{
    return address.device < 32 && address.function < 8 && offset % 4 == 0 && offset < bytes;
}

static uint16_t host_reach(const struct pci_config *config, uint16_t segment, uint8_t bus)
{
    if (find_ecam(config->context, segment, bus) != NULL)
        return PCIE_CONFIG_BYTES;
    return segment == 0 ? PCI_CONFIG_BYTES : 0;
}

static uint32_t host_read(const struct pci_config *config, struct pci_address address,
                          uint16_t offset)
{
    const struct pci_ecam *ecam = find_ecam(config->context, address.segment, address.bus);

    if (!in_range(address, offset, host_reach(config, address.segment, address.bus)))
        return UINT32_MAX;
    if (ecam != NULL) {
        struct hw_window window = ecam_window(ecam, address);

        return hw_reg_read(&window, offset);
    }
    hw_port_write(CONFIG_ADDRESS, port_address(address, offset));
    return hw_port_read(CONFIG_DATA);
}

static void host_write(const struct pci_config *config, struct pci_address address, uint16_t offset,
                       uint32_t value)
{
    const struct pci_ecam *ecam = find_ecam(config->context, address.segment, address.bus);

    if (!in_range(address, offset, host_reach(config, address.segment, address.bus)))
        return;
    if (ecam != NULL) {
        struct hw_window window = ecam_window(ecam, address);

        hw_reg_write(&window, offset, value);
        return;
    }
    hw_port_write(CONFIG_ADDRESS, port_address(address, offset));
    hw_port_write(CONFIG_DATA, value);
}

struct pci_config pci_config_host(struct pci_host *host)
{
    static const struct pci_config_ops ops = {
        .read = host_read,
        .write = host_write,
        .reach = host_reach,
    };

    return (struct pci_config){.ops = &ops, .context = host};
}

bool pci_config_check_ecam(struct pci_host *host)
{
    const struct pci_address first = {0, 0, 0, 0};
    struct pci_host no_ecam = {.ecam_count = 0};
    struct pci_config ports = pci_config_host(&no_ecam);
    struct pci_config ecam = pci_config_host(host);
    uint32_t id = pci_config_read32(&ports, first, 0);

    if (id == UINT32_MAX || find_ecam(host, 0, 0) == NULL ||
        pci_config_read32(&ecam, first, 0) == id)
        return true;
    host->ecam_count = 0;
    return false;
}
