/* The part of result.json that one drive's run fills. Private to report/. */
#ifndef REPORT_JSON_RUN_H
#define REPORT_JSON_RUN_H

#include "bench/run.h"
#include "hw/clock.h"
#include "report/json_text.h"

/* The object "run". */
void json_run(struct json *json, const struct bench_run *run, const struct hw_clock *clock);

#endif
