/* -p: the tree of functions, the paths of storage controllers with their ceilings and findings. */
#include "base/text.h"
#include "efi/console.h"
#include "efi/firmware.h"
#include "efi/machine.h"
#include "efi/session.h"
#include "pci/path_read.h"
#include "pci/regs.h"
#include "report/path_report.h"
#include "report/tree.h"

static void show_function(const struct session *session, int32_t index, unsigned depth)
{
    char line[REPORT_TREE_LINE_BYTES + 1];
    struct text text;
    EFI_TPL level = firmware_quiet();
    struct pci_end end = pci_end_read(&session->config, &session->tree, index);

    firmware_resume(level);
    text_init(&text, line, sizeof line);
    report_tree_function(&text, &session->tree.devices[index], depth, &end);
    console_print(line);
}

static enum status show_path(const struct session *session, int32_t index)
{
    char *buffer = firmware_allocate(REPORT_PATH_BYTES);
    struct pci_path *path = firmware_allocate(sizeof *path);
    enum status status = STATUS_NO_MEMORY;
    char address[RESULT_ADDRESS_BYTES];
    char title[48];
    struct text text;

    if (buffer != NULL && path != NULL) {
        EFI_TPL level = firmware_quiet();

        status = pci_path_read(&session->config, &session->tree, index, path);
        firmware_resume(level);
    }
    result_address(&session->tree.devices[index].address, address);
    text_init(&text, title, sizeof title);
    text_printf(&text, "Path to %s", address);
    if (status == STATUS_FULL)
        console_printf("\n%s: more hops than are followed\n", title);
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
    const struct pci_device *devices;
    enum status status = session_walk(session);
    int32_t index = PCI_NO_PARENT;
    unsigned depth = 0;
    uint32_t count;

    if (status != STATUS_OK)
        return status;
    devices = session->tree.devices;
    count = session->tree.count;
    while ((index = report_tree_next(devices, count, index, &depth)) != PCI_NO_PARENT)
        show_function(session, index, depth);
    while ((index = report_tree_next(devices, count, index, &depth)) != PCI_NO_PARENT)
        if (devices[index].class_base == PCI_CLASS_STORAGE &&
            show_path(session, index) == STATUS_NO_MEMORY)
            return STATUS_NO_MEMORY;
    console_print("\n");
    show_iommu();
    return STATUS_OK;
}
