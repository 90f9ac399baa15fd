/* Firmware, board, BIOS, processor and memory, for people. */
#include "report/table_machine.h"

#include "report/table_text.h"

/* The longest line: label, three names, BIOS with three more. */
#define LINE_BYTES (6 * RESULT_TEXT_BYTES + 64)

static void show_firmware(struct text *text, const struct result_machine *machine)
{
    uint32_t uefi = machine->uefi_revision;

    text_string(text, "Firmware ");
    table_foreign(text, machine->firmware_vendor != NULL ? machine->firmware_vendor : "?", 32);
    text_printf(text, ", UEFI %u.%u%s\n", uefi >> 16, (uefi & 0xffff) / 10,
                machine->hypervisor ? "; in a virtual machine" : "");
}

/* `name` after `before`, unless it is none. */
static void add(struct text *line, const char *before, const char *name)
{
    if (result_placeholder(name))
        return;
    text_string(line, before);
    text_string(line, name);
}

static bool is_named(const struct result_product *product)
{
    return !result_placeholder(product->product);
}

/* The board, or where its maker left placeholders, the system. */
static void show_board(struct text *text, const struct result_smbios *smbios)
{
    bool board = is_named(&smbios->board) || !is_named(&smbios->system);
    const struct result_product *product = board ? &smbios->board : &smbios->system;
    const struct result_bios *bios = &smbios->bios;
    char buffer[LINE_BYTES];
    struct text line;

    text_init(&line, buffer, sizeof buffer);
    if (is_named(product)) {
        text_string(&line, board ? "Board" : "System");
        add(&line, " ", product->vendor);
        add(&line, " ", product->product);
        add(&line, " ", product->version);
    }
    if (!result_placeholder(bios->version)) {
        text_string(&line, line.length > 0 ? ", BIOS" : "BIOS");
        add(&line, " ", bios->vendor);
        add(&line, " ", bios->version);
        add(&line, " of ", bios->date);
    }
    if (line.length > 0)
        table_paragraph(text, buffer);
}

static void show_cpu(struct text *text, const struct result_machine *machine)
{
    const struct result_smbios *smbios = &machine->smbios;
    char buffer[LINE_BYTES];
    struct text line;

    text_init(&line, buffer, sizeof buffer);
    if (machine->cpu.name[0] != '\0')
        add(&line, "CPU ", machine->cpu.name);
    else
        add(&line, "CPU ", smbios->cpu);
    if (smbios->memory_mib != 0)
        text_printf(&line, "%s%llu MiB of memory", line.length > 0 ? ", " : "",
                    (unsigned long long)smbios->memory_mib);
    if (line.length > 0)
        table_paragraph(text, buffer);
}

void table_machine(struct text *text, const struct result_machine *machine)
{
    show_firmware(text, machine);
    show_board(text, &machine->smbios);
    show_cpu(text, machine);
}
