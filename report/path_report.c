/* A path with its ceilings and findings, where nothing was measured. */
#include "report/path_report.h"

#include "pci/ceiling.h"
#include "report/finding.h"
#include "report/path.h"
#include "report/table_text.h"

static struct path_figures figures_of(const struct pci_path_ceiling *ceiling, uint32_t hop)
{
    const struct pci_ceiling *own = &ceiling->hops[hop];

    return (struct path_figures){
        .known = own->known,
        .raw = own->raw_bytes_per_s,
        .ceiling = own->to_memory_bytes_per_s,
        .from_memory = own->from_memory_bytes_per_s,
        .mark = (int32_t)hop == ceiling->to_memory_hop ? "<lowest" : "",
    };
}

static void show_findings(struct text *text, const struct pci_path *path)
{
    struct pci_findings findings;

    pci_finding_collect(path, &findings);
    for (uint32_t i = 0; i < findings.count; i++) {
        char buffer[1600];
        struct text line;

        text_init(&line, buffer, sizeof buffer);
        finding_path_evidence(&line, path, &findings.list[i]);
        text_char(&line, ' ');
        finding_path_advice(&line, path, &findings.list[i]);
        table_wrapped(text, "finding", buffer);
    }
}

void report_path(struct text *text, const struct pci_path *path, const char *title)
{
    struct pci_path_ceiling ceiling;

    pci_ceiling_path(path, PCI_TLP_HEADER_3DW, &ceiling);
    path_heading(text, title, false);
    text_string(text, "  processor\n");
    for (uint32_t i = 0; i < path->count; i++) {
        struct path_figures figures = figures_of(&ceiling, i);

        if (path->hops[i].kind != PCI_HOP_INTERNAL)
            path_hop(text, path, i, &figures);
        path_end(text, &path->hops[i].below);
    }
    show_findings(text, path);
}

void report_iommu(struct text *text, const struct pci_iommu *iommu)
{
    uint32_t counts[3] = {0, 0, 0};

    if (iommu->kind == PCI_IOMMU_NONE) {
        text_string(text, "IOMMU: ACPI names none.\n");
        return;
    }
    for (uint32_t i = 0; i < iommu->unit_count; i++)
        counts[iommu->units[i].state]++;
    text_printf(text, "IOMMU: %u %s units: %u translating, %u off, %u unknown.\n",
                iommu->unit_count, iommu->kind == PCI_IOMMU_AMD ? "AMD-Vi" : "VT-d",
                counts[PCI_IOMMU_TRANSLATING], counts[PCI_IOMMU_OFF], counts[PCI_IOMMU_UNKNOWN]);
}
