/* The parts of result.json about paths, verdicts and findings. Private to report/. */
#ifndef REPORT_JSON_PATH_H
#define REPORT_JSON_PATH_H

#include "report/json_text.h"
#include "report/result.h"

#include <stdint.h>

/* The keys "path" and "findings" of a controller. */
void json_path(struct json *json, const struct result *result, uint32_t controller);

/* The keys "sata_link", "watch" and "verdict" of a drive that was measured. */
void json_verdict(struct json *json, const struct result *result, uint32_t controller,
                  uint32_t port_index);

/* The key "iommu" of the machine. */
void json_iommu(struct json *json, const struct pci_iommu *iommu);

#endif
