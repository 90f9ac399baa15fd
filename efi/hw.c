/*
 * The seam on the machine: registers, ports, DMA memory, ticks. The only file with volatile
 * accesses and, beside memory.c, the only one with assembly.
 */
#include "efi/hw.h"

#include "efi/firmware.h"
#include "hw/clock.h"
#include "hw/dma.h"
#include "hw/reg.h"

#define PAGE_BYTES 4096u
#define LIMIT_4GIB UINT64_C(0xffffffff)

uint32_t hw_reg_read(const struct hw_window *window, uint32_t offset)
{
    return *(const volatile uint32_t *)(UINTN)(window->base + offset);
}

void hw_reg_write(const struct hw_window *window, uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(UINTN)(window->base + offset) = value;
}

uint32_t hw_port_read(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

void hw_port_write(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

/* LFENCE on both sides: no earlier load is still under way, no later one has begun.
 * (Intel SDM volume 2, RDTSC.) */
uint64_t hw_ticks(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

void hw_pause(void)
{
    __asm__ volatile("pause");
}

void hw_dma_barrier(void)
{
    __asm__ volatile("sfence" : : : "memory");
}

void hw_counter_bracket(const struct hw_counter *counter, struct hw_bracket *ret_bracket)
{
    ret_bracket->before = hw_ticks();
    if (counter->memory)
        ret_bracket->counter = *(const volatile uint32_t *)(UINTN)counter->address;
    else
        ret_bracket->counter = hw_port_read((uint16_t)counter->address);
    ret_bracket->after = hw_ticks();
}

void hw_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret_registers[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(ret_registers[0]), "=b"(ret_registers[1]), "=c"(ret_registers[2]),
                       "=d"(ret_registers[3])
                     : "a"(leaf), "c"(subleaf));
}

/* DMA memory is mapped for the controller it is used with: firmware may have an IOMMU on. */
static EFI_PCI_IO_PROTOCOL *dma_device;

void hw_dma_device(EFI_PCI_IO_PROTOCOL *device)
{
    dma_device = device;
}

/* Without the firmware's PCI I/O protocol for the function: plain pages, bus = physical address. */
static enum status allocate_plain(UINTN pages, struct hw_dma *ret_dma)
{
    EFI_PHYSICAL_ADDRESS address = LIMIT_4GIB;

    if (EFI_ERROR(
            firmware.boot->AllocatePages(AllocateMaxAddress, EfiBootServicesData, pages, &address)))
        return STATUS_NO_MEMORY;
    ret_dma->cpu = (void *)(UINTN)address;
    ret_dma->bus = address;
    ret_dma->mapping = NULL;
    return STATUS_OK;
}

/* What hw_dma.mapping points to: enough to give the memory back whichever function is set then. */
struct mapping {
    EFI_PCI_IO_PROTOCOL *device;
    void *token;
};

static enum status map_buffer(UINTN pages, struct mapping *mapping, struct hw_dma *ret_dma)
{
    EFI_PCI_IO_PROTOCOL *device = mapping->device;
    EFI_PHYSICAL_ADDRESS bus = 0;
    UINTN bytes = pages * PAGE_BYTES;

    if (EFI_ERROR(device->Map(device, EfiPciIoOperationBusMasterCommonBuffer, ret_dma->cpu, &bytes,
                              &bus, &mapping->token)))
        return STATUS_NO_MEMORY;
    if (bytes != pages * PAGE_BYTES || bus + bytes - 1 > LIMIT_4GIB || bus % PAGE_BYTES != 0) {
        device->Unmap(device, mapping->token);
        return STATUS_NO_MEMORY;
    }
    ret_dma->bus = bus;
    return STATUS_OK;
}

static enum status allocate_mapped(UINTN pages, struct hw_dma *ret_dma)
{
    struct mapping *mapping = firmware_allocate(sizeof *mapping);

    if (mapping == NULL)
        return STATUS_NO_MEMORY;
    mapping->device = dma_device;
    if (EFI_ERROR(dma_device->AllocateBuffer(dma_device, AllocateAnyPages, EfiBootServicesData,
                                             pages, &ret_dma->cpu, 0))) {
        firmware_free(mapping);
        return STATUS_NO_MEMORY;
    }
    if (map_buffer(pages, mapping, ret_dma) != STATUS_OK) {
        dma_device->FreeBuffer(dma_device, pages, ret_dma->cpu);
        firmware_free(mapping);
        return STATUS_NO_MEMORY;
    }
    ret_dma->mapping = mapping;
    return STATUS_OK;
}

enum status hw_dma_alloc(size_t bytes, struct hw_dma *ret_dma)
{
    UINTN pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    struct hw_dma dma;
    enum status status;

    if (pages == 0)
        return STATUS_INVALID;
    status = dma_device != NULL ? allocate_mapped(pages, &dma) : allocate_plain(pages, &dma);
    if (status != STATUS_OK)
        return status;
    dma.bytes = pages * PAGE_BYTES;
    __builtin_memset(dma.cpu, 0, dma.bytes);
    *ret_dma = dma;
    return STATUS_OK;
}

void hw_dma_free(struct hw_dma *dma)
{
    UINTN pages = dma->bytes / PAGE_BYTES;

    if (dma->cpu == NULL)
        return;
    if (dma->mapping != NULL) {
        struct mapping *mapping = dma->mapping;

        mapping->device->Unmap(mapping->device, mapping->token);
        mapping->device->FreeBuffer(mapping->device, pages, dma->cpu);
        firmware_free(mapping);
    } else {
        firmware.boot->FreePages((EFI_PHYSICAL_ADDRESS)(UINTN)dma->cpu, pages);
    }
    *dma = (struct hw_dma){0};
}
