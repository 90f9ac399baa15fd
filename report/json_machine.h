/* The machine in result.json. Private to report/. */
#ifndef REPORT_JSON_MACHINE_H
#define REPORT_JSON_MACHINE_H

#include "report/json_text.h"
#include "report/result.h"

void json_machine(struct json *json, const struct result_machine *machine);

#endif
