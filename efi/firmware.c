/* The firmware's tables. */
#include "efi/firmware.h"

struct firmware firmware;

void firmware_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static const EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;

    firmware.image = image;
    firmware.system = system;
    firmware.boot = system->BootServices;
    firmware.loaded = firmware_protocol(image, &loaded_image);
    firmware.boot->SetWatchdogTimer(0, 0, 0, NULL);
}

/* The firmware's prototypes take GUIDs without const, but change none. */
static EFI_GUID *mutable_guid(const EFI_GUID *guid)
{
    return (EFI_GUID *)(UINTN)guid;
}

void *firmware_protocol(EFI_HANDLE handle, const EFI_GUID *protocol)
{
    void *interface = NULL;

    if (EFI_ERROR(firmware.boot->HandleProtocol(handle, mutable_guid(protocol), &interface)))
        return NULL;
    return interface;
}

void *firmware_locate(const EFI_GUID *protocol)
{
    void *interface = NULL;

    if (EFI_ERROR(firmware.boot->LocateProtocol(mutable_guid(protocol), NULL, &interface)))
        return NULL;
    return interface;
}

EFI_HANDLE *firmware_handles(const EFI_GUID *protocol, UINTN *ret_count)
{
    EFI_HANDLE *handles = NULL;

    *ret_count = 0;
    if (EFI_ERROR(firmware.boot->LocateHandleBuffer(ByProtocol, mutable_guid(protocol), NULL,
                                                    ret_count, &handles))) {
        *ret_count = 0;
        return NULL;
    }
    return handles;
}

void firmware_free_pool(void *pool)
{
    if (pool != NULL)
        firmware.boot->FreePool(pool);
}

/* In front of each allocation; a ring, so that each can leave it by itself. */
struct block {
    struct block *next;
    struct block *previous;
};

static struct block blocks = {&blocks, &blocks};

void *firmware_allocate(UINTN bytes)
{
    struct block *block = NULL;
    void *memory = NULL;

    if (bytes > UINT32_MAX ||
        EFI_ERROR(firmware.boot->AllocatePool(EfiLoaderData, sizeof *block + bytes, &memory)))
        return NULL;
    __builtin_memset(memory, 0, sizeof *block + bytes);
    block = memory;
    block->next = blocks.next;
    block->previous = &blocks;
    block->next->previous = block;
    blocks.next = block;
    return block + 1;
}

void firmware_free(void *memory)
{
    struct block *block = memory;

    if (memory == NULL)
        return;
    block--;
    block->next->previous = block->previous;
    block->previous->next = block->next;
    firmware.boot->FreePool(block);
}

void firmware_free_all(void)
{
    while (blocks.next != &blocks)
        firmware_free(blocks.next + 1);
}

const void *firmware_table(const EFI_GUID *guid)
{
    for (UINTN i = 0; i < firmware.system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *entry = &firmware.system->ConfigurationTable[i];

        if (__builtin_memcmp(&entry->VendorGuid, guid, sizeof *guid) == 0)
            return entry->VendorTable;
    }
    return NULL;
}

EFI_TPL firmware_quiet(void)
{
    return firmware.boot->RaiseTPL(TPL_HIGH_LEVEL);
}

void firmware_resume(EFI_TPL level)
{
    firmware.boot->RestoreTPL(level);
}

EFI_STATUS firmware_status(enum status status)
{
    static const EFI_STATUS codes[STATUS_COUNT] = {
        [STATUS_OK] = EFI_SUCCESS,
        [STATUS_INVALID] = EFI_INVALID_PARAMETER,
        [STATUS_NOT_FOUND] = EFI_NOT_FOUND,
        [STATUS_UNSUPPORTED] = EFI_UNSUPPORTED,
        [STATUS_TIMEOUT] = EFI_DEVICE_ERROR,
        [STATUS_DEVICE] = EFI_DEVICE_ERROR,
        [STATUS_GONE] = EFI_DEVICE_ERROR,
        [STATUS_NO_MEMORY] = EFI_OUT_OF_RESOURCES,
        [STATUS_ABORTED] = EFI_ABORTED,
        [STATUS_FULL] = EFI_VOLUME_FULL,
        [STATUS_READ_ONLY] = EFI_WRITE_PROTECTED,
        [STATUS_MISMATCH] = EFI_CRC_ERROR,
        [STATUS_VOID] = EFI_COMPROMISED_DATA,
    };

    return codes[status];
}
