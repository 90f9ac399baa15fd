/* -p: the tree of functions, the paths of storage controllers with their ceilings and findings. */
#include "base/text.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/machine.h"
#include "efi/session.h"
#include "pci/path_read.h"
#include "report/path_report.h"
#include "report/tree.h"

#define CLASS_STORAGE 0x01

/* Number of parents; a list of the walk has every parent before its child. */
static unsigned depth_of(const struct pci_tree *tree, uint32_t index)
{
    unsigned depth = 0;

    for (int32_t up = tree->devices[index].parent; up != PCI_NO_PARENT;
         up = tree->devices[up].parent)
        depth++;
    return depth;
}

static void show_function(const struct session *session, uint32_t index)
{
    char line[160];
    struct text text;
    EFI_TPL level = firmware_quiet();
    struct pci_end end = pci_end_read(&session->config, &session->tree, (int32_t)index);

    firmware_resume(level);
    text_init(&text, line, sizeof line);
    report_tree_function(&text, &session->tree.devices[index], depth_of(&session->tree, index),
                         &end);
    console_print(line);
}

static enum status show_path(const struct session *session, uint32_t index)
{
    char *buffer = firmware_allocate(REPORT_PATH_BYTES);
    struct pci_path *path = firmware_allocate(sizeof *path);
    enum status status = STATUS_NO_MEMORY;
    char address[RESULT_ADDRESS_BYTES];
    char title[48];
    struct text text;

    if (buffer != NULL && path != NULL) {
        EFI_TPL level = firmware_quiet();

        status = pci_path_read(&session->config, &session->tree, (int32_t)index, path);
        firmware_resume(level);
    }
    result_address(&session->tree.devices[index].address, address);
    text_init(&text, title, sizeof title);
    text_printf(&text, "Path to %s", address);
    if (status == STATUS_OK) {
        text_init(&text, buffer, REPORT_PATH_BYTES);
        report_path(&text, path, title);
        console_print("\n");
        console_print(buffer);
    }
    firmware_free(path);
    firmware_free(buffer);
    return status;
}

static void show_iommu(void)
{
    struct pci_iommu iommu;
    const char *note;
    char line[200];
    struct text text;

    machine_iommu(&iommu, &note);
    if (note[0] != '\0')
        console_printf("%s\n", note);
    text_init(&text, line, sizeof line);
    report_iommu(&text, &iommu);
    console_print(line);
}

enum status session_show_tree(struct session *session)
{
    enum status status = session_walk(session);

    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < session->tree.count; i++)
        show_function(session, i);
    for (uint32_t i = 0; i < session->tree.count; i++) {
        if (session->tree.devices[i].class_base != CLASS_STORAGE)
            continue;
        if (show_path(session, i) == STATUS_NO_MEMORY)
            return STATUS_NO_MEMORY;
    }
    console_print("\n");
    show_iommu();
    return STATUS_OK;
}
