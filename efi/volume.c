/* The result folder. */
#include "efi/volume.h"

#include "base/text.h"
#include "efi/firmware.h"
#include "efi/pure/device_path.h"

#include <stddef.h>

static const EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
static const EFI_GUID volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static const EFI_GUID block_guid = EFI_BLOCK_IO_PROTOCOL_GUID;

#define PARENT_FOLDER "barelane"
#define PCI_CLASS_USB 0x0c03u /* serial bus controller, USB (PCI Code and ID, 1.12) */

static enum status from_efi(EFI_STATUS status)
{
    switch (status) {
    case EFI_SUCCESS:
        return STATUS_OK;
    case EFI_WRITE_PROTECTED:
    case EFI_ACCESS_DENIED:
        return STATUS_READ_ONLY;
    case EFI_VOLUME_FULL:
        return STATUS_FULL;
    case EFI_NOT_FOUND:
    case EFI_NO_MEDIA:
        return STATUS_NOT_FOUND;
    default:
        return STATUS_DEVICE;
    }
}

static void widen(const char *string, CHAR16 *ret_wide, UINTN capacity)
{
    UINTN i = 0;

    for (; string[i] != '\0' && i + 1 < capacity; i++)
        ret_wide[i] = (CHAR16)(unsigned char)string[i];
    ret_wide[i] = 0;
}

static EFI_STATUS open_in(EFI_FILE_HANDLE folder, const char *name, UINT64 mode, UINT64 attributes,
                          EFI_FILE_HANDLE *ret_file)
{
    CHAR16 wide[VOLUME_NAME_MAX + 8];

    widen(name, wide, sizeof wide / sizeof wide[0]);
    return folder->Open(folder, ret_file, wide, mode, attributes);
}

enum status volume_remember(struct volume *volume, EFI_HANDLE handle)
{
    const uint8_t *path;
    UINTN size;

    *volume = (struct volume){0};
    if (handle == NULL || firmware_protocol(handle, &volume_guid) == NULL)
        return STATUS_NOT_FOUND;
    path = firmware_protocol(handle, &path_guid);
    size = device_path_size(path);
    if (size == 0)
        return STATUS_NOT_FOUND;
    volume->path = firmware_allocate(size + 4);
    if (volume->path == NULL)
        return STATUS_NO_MEMORY;
    __builtin_memcpy(volume->path, path, size + 4);
    return STATUS_OK;
}

static enum status open_root(const struct volume *volume, EFI_FILE_HANDLE *ret_root)
{
    EFI_DEVICE_PATH *rest = (EFI_DEVICE_PATH *)(void *)volume->path;
    EFI_FILE_IO_INTERFACE *interface;
    EFI_HANDLE handle = NULL;

    if (volume->path == NULL)
        return STATUS_NOT_FOUND;
    if (EFI_ERROR(
            firmware.boot->LocateDevicePath((EFI_GUID *)(UINTN)&volume_guid, &rest, &handle)) ||
        !IsDevicePathEndType(rest))
        return STATUS_NOT_FOUND;
    interface = firmware_protocol(handle, &volume_guid);
    if (interface == NULL)
        return STATUS_NOT_FOUND;
    return from_efi(interface->OpenVolume(interface, ret_root));
}

/* Opens \barelane, made if need be. */
static enum status open_parent(const struct volume *volume, EFI_FILE_HANDLE *ret_parent)
{
    EFI_FILE_HANDLE root;
    enum status status = open_root(volume, &root);

    if (status != STATUS_OK)
        return status;
    status = from_efi(open_in(root, PARENT_FOLDER,
                              EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                              EFI_FILE_DIRECTORY, ret_parent));
    root->Close(root);
    return status;
}

enum status volume_make_folder(struct volume *volume, const char *name)
{
    UINT64 mode = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE;
    EFI_FILE_HANDLE parent;
    EFI_FILE_HANDLE folder;
    struct text text;
    enum status status = open_parent(volume, &parent);

    if (status != STATUS_OK)
        return status;
    if (!EFI_ERROR(open_in(parent, name, EFI_FILE_MODE_READ, 0, &folder))) {
        folder->Close(folder);
        parent->Close(parent);
        return STATUS_INVALID;
    }
    status =
        from_efi(open_in(parent, name, mode | EFI_FILE_MODE_CREATE, EFI_FILE_DIRECTORY, &folder));
    if (status == STATUS_OK) {
        status = from_efi(folder->Flush(folder));
        if (status == STATUS_OK)
            volume->folder = folder;
        else
            folder->Close(folder);
    }
    text_init(&text, volume->name, sizeof volume->name);
    text_string(&text, name);
    parent->Close(parent);
    return status;
}

static enum status write_all(EFI_FILE_HANDLE file, const void *bytes, UINTN count)
{
    UINTN written = count;
    EFI_STATUS status = file->Write(file, &written, (void *)(UINTN)bytes);

    if (EFI_ERROR(status))
        return from_efi(status);
    if (written != count)
        return STATUS_FULL;
    return from_efi(file->Flush(file));
}

/* File information with the new name and exactly its size (UEFI 2.10, section 13.5.16). */
static enum status rename_file(EFI_FILE_HANDLE file, const char *name)
{
    static const EFI_GUID info_guid = EFI_FILE_INFO_ID;
    uint8_t buffer[offsetof(EFI_FILE_INFO, FileName) + 2 * (VOLUME_NAME_MAX + 8)]
        __attribute__((aligned(8)));
    EFI_FILE_INFO *info = (EFI_FILE_INFO *)(void *)buffer;
    UINTN size = sizeof buffer;
    EFI_STATUS status = file->GetInfo(file, (EFI_GUID *)(UINTN)&info_guid, &size, info);
    UINTN length = 0;

    if (EFI_ERROR(status))
        return from_efi(status);
    while (name[length] != '\0')
        length++;
    widen(name, info->FileName, VOLUME_NAME_MAX + 8);
    info->Size = offsetof(EFI_FILE_INFO, FileName) + 2 * (length + 1);
    return from_efi(file->SetInfo(file, (EFI_GUID *)(UINTN)&info_guid, info->Size, info));
}

static bool file_exists(struct volume *volume, const char *name)
{
    EFI_FILE_HANDLE file;

    if (EFI_ERROR(open_in(volume->folder, name, EFI_FILE_MODE_READ, 0, &file)))
        return false;
    file->Close(file);
    return true;
}

static void delete_file(struct volume *volume, const char *name)
{
    EFI_FILE_HANDLE file;

    if (!EFI_ERROR(
            open_in(volume->folder, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0, &file)))
        file->Delete(file);
}

static enum status open_or_create(struct volume *volume, const char *name,
                                  EFI_FILE_HANDLE *ret_file)
{
    return from_efi(open_in(volume->folder, name,
                            EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0,
                            ret_file));
}

enum status volume_replace(struct volume *volume, const char *name, const void *bytes, UINTN count)
{
    EFI_FILE_HANDLE file;
    char temporary[VOLUME_NAME_MAX];
    struct text text;
    enum status status;

    if (volume->folder == NULL)
        return STATUS_NOT_FOUND;
    text_init(&text, temporary, sizeof temporary);
    text_printf(&text, "%s.new", name);
    /* The last rename failed: that file is all there is, and another rename would fail too. */
    if (file_exists(volume, temporary) && !file_exists(volume, name))
        return volume_append(volume, name, bytes, count);
    delete_file(volume, temporary);
    status = open_or_create(volume, temporary, &file);
    if (status != STATUS_OK)
        return status;
    status = write_all(file, bytes, count);
    if (status != STATUS_OK) {
        file->Delete(file);
        return status;
    }
    delete_file(volume, name);
    status = rename_file(file, name);
    if (status == STATUS_OK)
        status = from_efi(file->Flush(file));
    file->Close(file);
    return status;
}

enum status volume_append(struct volume *volume, const char *name, const void *bytes, UINTN count)
{
    EFI_FILE_HANDLE file;
    enum status status;

    if (volume->folder == NULL)
        return STATUS_NOT_FOUND;
    status = open_or_create(volume, name, &file);
    if (status != STATUS_OK)
        return status;
    /* All ones: the end of the file (UEFI 2.10, section 13.5). */
    status = from_efi(file->SetPosition(file, UINT64_MAX));
    if (status == STATUS_OK)
        status = write_all(file, bytes, count);
    file->Close(file);
    return status;
}

void volume_forget(struct volume *volume)
{
    if (volume->folder != NULL)
        volume->folder->Close(volume->folder);
    volume->folder = NULL;
    firmware_free(volume->path);
    volume->path = NULL;
}

/* A fast boot starts the drivers of the boot path only: other sticks show up after this. */
static void connect_usb(void)
{
    static const EFI_GUID pci_io_guid = EFI_PCI_IO_PROTOCOL_GUID;
    UINTN count;
    EFI_HANDLE *handles = firmware_handles(&pci_io_guid, &count);

    for (UINTN i = 0; i < count; i++) {
        EFI_PCI_IO_PROTOCOL *pci_io = firmware_protocol(handles[i], &pci_io_guid);
        uint32_t class_code = 0;

        if (pci_io != NULL &&
            !EFI_ERROR(pci_io->Pci.Read(pci_io, EfiPciIoWidthUint32, 8, 1, &class_code)) &&
            class_code >> 16 == PCI_CLASS_USB)
            firmware.boot->ConnectController(handles[i], NULL, NULL, TRUE);
    }
    firmware_free_pool(handles);
}

EFI_HANDLE *volume_removable(const struct volume *except, UINTN *ret_count)
{
    UINTN count;
    EFI_HANDLE *handles;

    connect_usb();
    handles = firmware_handles(&volume_guid, &count);
    *ret_count = 0;
    for (UINTN i = 0; i < count; i++) {
        EFI_BLOCK_IO *block = firmware_protocol(handles[i], &block_guid);

        if (device_path_below(firmware_protocol(handles[i], &path_guid), except->path) ||
            block == NULL || !block->Media->RemovableMedia || !block->Media->MediaPresent ||
            block->Media->ReadOnly)
            continue;
        handles[(*ret_count)++] = handles[i];
    }
    return handles;
}

void volume_label(EFI_HANDLE handle, char *buffer, UINTN capacity)
{
    static const EFI_GUID label_guid = EFI_FILE_SYSTEM_VOLUME_LABEL_INFO_ID;
    EFI_FILE_IO_INTERFACE *interface = firmware_protocol(handle, &volume_guid);
    EFI_FILE_HANDLE root;
    CHAR16 label[40] = {0};
    UINTN size = sizeof label - sizeof label[0];
    struct text text;

    text_init(&text, buffer, capacity);
    if (interface == NULL || EFI_ERROR(interface->OpenVolume(interface, &root)))
        return;
    if (!EFI_ERROR(root->GetInfo(root, (EFI_GUID *)(UINTN)&label_guid, &size, label))) {
        for (UINTN i = 0; label[i] != 0; i++)
            text_char(&text, label[i] >= ' ' && label[i] <= '~' ? (char)label[i] : '?');
    }
    root->Close(root);
}
