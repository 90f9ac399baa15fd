/* Reader of lspci dumps: slot lines ("[dddd:]bb:dd.f text") and rows ("ooo: xx xx ..."). */
#include "tests/model/pci_dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The slot at the start of a line; -1: the line is none, 0: its domain has more than 16 bits. */
static int parse_slot(const char *line, struct pci_address *ret_address)
{
    unsigned domain = 0, bus, device, function;
    int length = 0;

    if (sscanf(line, "%x:%2x:%2x.%1u%n", &domain, &bus, &device, &function, &length) != 4) {
        domain = 0;
        length = 0;
        if (sscanf(line, "%2x:%2x.%1u%n", &bus, &device, &function, &length) != 3)
            return -1;
    }
    if (line[length] != ' ' || bus > 255 || device > 31 || function > 7)
        return -1;
    if (domain > 0xffff)
        return 0;
    *ret_address = pci_space_at(bus, device, function);
    ret_address->segment = (uint16_t)domain;
    return 1;
}

static void parse_row(const char *line, struct pci_space_function *function)
{
    unsigned offset, value;
    int used = 0;

    if (sscanf(line, "%3x:%n", &offset, &used) != 1 || used == 0 || line[used] != ' ')
        return;
    line += used;
    for (unsigned i = 0; i < 16 && offset + i < 4096; i++) {
        if (sscanf(line, " %2x%n", &value, &used) != 1)
            return;
        pci_space_put8(function, offset + i, value);
        line += used;
    }
}

bool pci_dump_load(const char *path, struct pci_space *space, size_t *ret_skipped)
{
    struct pci_space_function *function = NULL;
    FILE *file = fopen(path, "r");
    struct pci_address address;
    char line[1024];
    size_t skipped = 0;

    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL) {
        int slot = parse_slot(line, &address);

        if (slot < 0 && function != NULL)
            parse_row(line, function);
        if (slot == 0) {
            function = NULL;
            skipped++;
        }
        if (slot > 0) {
            function = pci_space_add(space, address);
            memset(function->data, 0xff, sizeof function->data);
        }
    }
    fclose(file);
    *ret_skipped = skipped;
    return true;
}
