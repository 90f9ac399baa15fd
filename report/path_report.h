/*
 * Writer of one path with its ceilings (for addresses below 4 GiB) and findings, for the screen and
 * the host's tools: ASCII, at most 79 columns, LF. A drive's reads go to memory, its writes come
 * from there.
 */
#ifndef REPORT_PATH_REPORT_H
#define REPORT_PATH_REPORT_H

#include "base/text.h"
#include "pci/iommu.h"
#include "pci/path.h"

/* Bytes that one path needs at most. */
#define REPORT_PATH_BYTES (PCI_PATH_HOPS_MAX * 8192u)

void report_path(struct text *text, const struct pci_path *path, const char *title);

/* One line about the machine's IOMMUs. */
void report_iommu(struct text *text, const struct pci_iommu *iommu);

#endif
