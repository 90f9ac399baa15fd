/* Taking a controller and giving it back. */
#include "efi/handover.h"

#include "base/bits.h"
#include "efi/firmware.h"
#include "efi/hw.h"
#include "efi/pure/device_path.h"
#include "pci/bar.h"

static const EFI_GUID pci_io_guid = EFI_PCI_IO_PROTOCOL_GUID;
static const EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
static const EFI_GUID volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

/* Command register (PCI 3.0, section 6.2.2). */
#define PCI_COMMAND            0x04
#define PCI_COMMAND_MEMORY     BIT32(1)
#define PCI_COMMAND_BUS_MASTER BIT32(2)
#define PCI_COMMAND_NO_INTX    BIT32(10)

#define AHCI_BAR 5

static bool is_function(EFI_PCI_IO_PROTOCOL *pci_io, struct pci_address address)
{
    UINTN segment;
    UINTN bus;
    UINTN device;
    UINTN function;

    if (EFI_ERROR(pci_io->GetLocation(pci_io, &segment, &bus, &device, &function)))
        return false;
    return segment == address.segment && bus == address.bus && device == address.device &&
           function == address.function;
}

static bool has_driver(EFI_HANDLE handle)
{
    EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *entries = NULL;
    UINTN count = 0;
    bool bound = false;

    if (EFI_ERROR(firmware.boot->OpenProtocolInformation(handle, (EFI_GUID *)(UINTN)&pci_io_guid,
                                                         &entries, &count)))
        return false;
    for (UINTN i = 0; i < count; i++)
        bound = bound || (entries[i].Attributes & EFI_OPEN_PROTOCOL_BY_DRIVER) != 0;
    firmware_free_pool(entries);
    return bound;
}

void handover_find(struct handover *handover, const struct pci_config *config,
                   const struct pci_device *device)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&pci_io_guid, &count);

    *handover = (struct handover){.config = config, .device = device};
    for (UINTN i = 0; i < count; i++) {
        EFI_PCI_IO_PROTOCOL *pci_io = firmware_protocol(handles[i], &pci_io_guid);

        if (pci_io == NULL || !is_function(pci_io, device->address))
            continue;
        handover->handle = handles[i];
        handover->pci_io = pci_io;
        handover->path = firmware_protocol(handles[i], &path_guid);
        handover->driver_bound = has_driver(handles[i]);
        break;
    }
    firmware_free_pool(handles);
}

void handover_start_driver(struct handover *handover)
{
    if (handover->handle == NULL || handover->driver_bound)
        return;
    handover->driver_started =
        !EFI_ERROR(firmware.boot->ConnectController(handover->handle, NULL, NULL, TRUE));
}

bool handover_carries(const struct handover *handover, EFI_HANDLE handle)
{
    if (handle == NULL || handover->path == NULL)
        return false;
    return device_path_below(firmware_protocol(handle, &path_guid), handover->path);
}

/* Copies the device paths of the file systems below the controller. */
static void remember_volumes(struct handover *handover)
{
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&volume_guid, &count);

    for (UINTN i = 0; i < count && handover->volume_count < HANDOVER_VOLUMES_MAX; i++) {
        const uint8_t *path = firmware_protocol(handles[i], &path_guid);
        UINTN size = device_path_size(path) + 4;
        uint8_t *copy;

        if (!handover_carries(handover, handles[i]))
            continue;
        copy = firmware_allocate(size);
        if (copy == NULL)
            break;
        __builtin_memcpy(copy, path, size);
        handover->volumes[handover->volume_count++] = copy;
    }
    firmware_free_pool(handles);
}

static bool volume_exists(uint8_t *path)
{
    EFI_DEVICE_PATH *rest = (EFI_DEVICE_PATH *)(void *)path;
    EFI_HANDLE handle = NULL;

    if (EFI_ERROR(firmware.boot->LocateDevicePath((EFI_GUID *)(UINTN)&volume_guid, &rest, &handle)))
        return false;
    return IsDevicePathEndType(rest);
}

static uint16_t command_read(const struct handover *handover)
{
    EFI_TPL level = firmware_quiet();
    uint16_t command = pci_config_read16(handover->config, handover->device->address, PCI_COMMAND);

    firmware_resume(level);
    return command;
}

/* The status half is written as 0, which clears none of its write-1-to-clear bits. */
static void command_write(const struct handover *handover, uint32_t command)
{
    EFI_TPL level = firmware_quiet();

    pci_config_write32(handover->config, handover->device->address, PCI_COMMAND, command & 0xffffu);
    firmware_resume(level);
}

/* Whether bits of the command register can be switched on. */
static bool switch_on(const struct handover *handover, uint32_t bits)
{
    command_write(handover, command_read(handover) | bits);
    return (command_read(handover) & bits) == bits;
}

static enum status find_window(const struct handover *handover, struct hw_window *ret_window)
{
    EFI_TPL level = firmware_quiet();
    enum status status = pci_bar_size(handover->config, handover->device, AHCI_BAR, ret_window);

    firmware_resume(level);
    return status;
}

static void reconnect(struct handover *handover)
{
    handover->reconnected = true;
    if (handover->driver_bound)
        handover->reconnected =
            !EFI_ERROR(firmware.boot->ConnectController(handover->handle, NULL, NULL, TRUE));
}

enum status handover_take(struct handover *handover, struct hw_window *ret_window,
                          const char **ret_reason)
{
    if (handover->driver_bound)
        remember_volumes(handover);
    if ((handover->driver_bound || handover->driver_started) &&
        EFI_ERROR(firmware.boot->DisconnectController(handover->handle, NULL, NULL))) {
        /* It may have let go in part. */
        firmware.boot->ConnectController(handover->handle, NULL, NULL, TRUE);
        *ret_reason = "the firmware's driver does not let go of it";
        return STATUS_UNSUPPORTED;
    }
    handover->command_found = command_read(handover);
    if (find_window(handover, ret_window) != STATUS_OK) {
        reconnect(handover);
        *ret_reason = "BAR 5 holds no usable memory window";
        return STATUS_UNSUPPORTED;
    }
    /* A controller older than PCI 2.3 has no switch for interrupts. */
    (void)switch_on(handover, PCI_COMMAND_NO_INTX);
    if (!switch_on(handover, PCI_COMMAND_MEMORY)) {
        command_write(handover, handover->command_found);
        reconnect(handover);
        *ret_reason = "memory decode cannot be switched on";
        return STATUS_DEVICE;
    }
    hw_dma_device(handover->pci_io);
    handover->taken = true;
    return STATUS_OK;
}

enum status handover_let_master(const struct handover *handover, const char **ret_reason)
{
    if (switch_on(handover, PCI_COMMAND_BUS_MASTER))
        return STATUS_OK;
    *ret_reason = "bus mastering cannot be switched on";
    return STATUS_DEVICE;
}

void handover_give_back(struct handover *handover)
{
    if (!handover->taken)
        return;
    hw_dma_device(NULL);
    command_write(handover, handover->command_found);
    handover->command_restored = command_read(handover) == handover->command_found;
    reconnect(handover);
    for (uint32_t i = 0; i < handover->volume_count; i++)
        handover->volumes_back += volume_exists(handover->volumes[i]) ? 1 : 0;
    handover->taken = false;
}

void handover_forget(struct handover *handover)
{
    for (uint32_t i = 0; i < handover->volume_count; i++)
        firmware_free(handover->volumes[i]);
    handover->volume_count = 0;
}
