/* Whether the IOMMUs of this machine translate: their tables, and one register of each unit. */
#include "efi/machine.h"

#include "efi/firmware.h"
#include "hw/reg.h"

#define PAGE_BYTES        4096u
#define LIMIT_4GIB        (UINT64_C(1) << 32)
#define SPARE_DESCRIPTORS 8 /* obtaining memory for the map can lengthen it */

struct memory_map {
    uint8_t *descriptors;
    UINTN bytes, descriptor_bytes;
};

/* False: the firmware gives none. To be freed with firmware_free(map->descriptors). */
static bool get_memory_map(struct memory_map *map)
{
    UINTN key;
    UINT32 version;

    *map = (struct memory_map){.bytes = 0};
    if (firmware.boot->GetMemoryMap(&map->bytes, NULL, &key, &map->descriptor_bytes, &version) !=
        EFI_BUFFER_TOO_SMALL)
        return false;
    map->bytes += SPARE_DESCRIPTORS * map->descriptor_bytes;
    map->descriptors = firmware_allocate(map->bytes);
    if (map->descriptors == NULL)
        return false;
    if (!EFI_ERROR(firmware.boot->GetMemoryMap(&map->bytes, (void *)map->descriptors, &key,
                                               &map->descriptor_bytes, &version)) &&
        map->descriptor_bytes >= sizeof(EFI_MEMORY_DESCRIPTOR))
        return true;
    firmware_free(map->descriptors);
    return false;
}

/*
 * Whether the page at `base` can hold device registers and be read. Firmware describes registers as
 * MMIO, as reserved, or not at all; everything else is memory. Below 4 GiB all is mapped; above it,
 * what the map describes (UEFI 2.10, section 2.3.4), and there reserved may be memory.
 */
static bool is_registers(const struct memory_map *map, uint64_t base)
{
    bool mapped = base < LIMIT_4GIB;

    for (UINTN at = 0; map->bytes - at >= map->descriptor_bytes; at += map->descriptor_bytes) {
        EFI_MEMORY_DESCRIPTOR range;

        __builtin_memcpy(&range, map->descriptors + at, sizeof range);
        if (base < range.PhysicalStart ||
            (base - range.PhysicalStart) / PAGE_BYTES >= range.NumberOfPages)
            continue;
        if (range.Type == EfiMemoryMappedIO)
            mapped = true;
        else if (range.Type != EfiReservedMemoryType)
            return false;
    }
    return mapped;
}

static void read_states(struct pci_iommu *iommu)
{
    struct memory_map map;

    if (!get_memory_map(&map))
        return;
    for (uint32_t i = 0; i < iommu->unit_count; i++) {
        struct pci_iommu_unit *unit = &iommu->units[i];
        struct hw_window window = {unit->base, PAGE_BYTES};

        if (is_registers(&map, unit->base))
            unit->state =
                pci_iommu_state(iommu->kind, hw_reg_read(&window, pci_iommu_register(iommu->kind)));
    }
    firmware_free(map.descriptors);
}

void machine_iommu(struct pci_iommu *ret_iommu, const char **ret_note)
{
    const uint8_t *table;
    size_t bytes;
    enum status status = machine_acpi_table("DMAR", &table, &bytes);

    *ret_iommu = (struct pci_iommu){.kind = PCI_IOMMU_NONE};
    *ret_note = "";
    if (status == STATUS_OK) {
        status = pci_iommu_dmar(table, bytes, ret_iommu);
    } else if (status == STATUS_NOT_FOUND) {
        status = machine_acpi_table("IVRS", &table, &bytes);
        if (status == STATUS_OK)
            status = pci_iommu_ivrs(table, bytes, ret_iommu);
    }
    if (status == STATUS_INVALID)
        *ret_note = "ACPI table DMAR or IVRS is malformed: whether an IOMMU translates is unknown";
    else if (status == STATUS_FULL)
        *ret_note = "ACPI table DMAR or IVRS has more IOMMUs than are listed";
    else if (ret_iommu->dropped > 0)
        *ret_note = "ACPI table DMAR or IVRS has impossible entries, which were left out";
    read_states(ret_iommu);
}
