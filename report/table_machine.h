/* The machine in the table's head. Private to report/. */
#ifndef REPORT_TABLE_MACHINE_H
#define REPORT_TABLE_MACHINE_H

#include "base/text.h"
#include "report/result.h"

/* Lines of which nothing is known, and names that are placeholders, are left out. */
void table_machine(struct text *text, const struct result_machine *machine);

#endif
