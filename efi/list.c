/* The list of controllers, ports and drives. */
#include "base/text.h"
#include "efi/console.h"
#include "efi/session.h"
#include "report/marks.h"

/* Rates of the SATA generations (Serial ATA 3.x, section 7). */
static const char *sata_speed(uint32_t generation)
{
    switch (generation) {
    case 1:
        return "1.5 Gb/s";
    case 2:
        return "3.0 Gb/s";
    case 3:
        return "6.0 Gb/s";
    default:
        return "speed ?";
    }
}

static void list_drive(uint32_t controller, const struct result_port *port)
{
    const struct drive_info *info = &port->drive->info;
    char line[MARKS_BYTES];
    struct text text;

    text_init(&text, line, sizeof line);
    text_printf(&text, "   %u:%-2u %-32.32s ", (unsigned)controller, port->number, info->model);
    if (info->sectors != 0) {
        text_decimal(&text, base_mul_div_round(info->sectors, info->logical_bytes, 100000000), 1);
        text_string(&text, " GB");
    } else {
        text_string(&text, "size unknown");
    }
    text_printf(&text, "  %s", sata_speed(info->link_speed));
    if (info->queue_depth > 0)
        text_printf(&text, "  queue %u", (unsigned)info->queue_depth);
    text_char(&text, '\n');
    console_print(line);
    text_init(&text, line, sizeof line);
    marks_of_drive(&text, info);
    if (text.length > 0)
        console_printf("        %.70s\n", line);
}

static void list_other(uint32_t controller, const struct result_port *port)
{
    console_printf("   %u:%-2u %s", (unsigned)controller, port->number, port->kind);
    if (port->model[0] != '\0')
        console_printf(" %s", port->model);
    console_printf(": %s\n", port->reason);
}

static void list_controller(const struct session *session, uint32_t number)
{
    const struct result_controller *controller = &session->controllers[number];
    const struct pci_device *pci = &controller->pci;
    char address[RESULT_ADDRESS_BYTES];
    uint32_t empty = 0;

    result_address(&pci->address, address);
    console_printf("%2u: %s  %04x:%04x rev %02x", (unsigned)number, address, pci->vendor_id,
                   pci->device_id, pci->revision);
    if (controller->left_alone[0] != '\0') {
        console_printf("  left alone:\n   %s\n", controller->left_alone);
        return;
    }
    console_printf("  AHCI %u.%u, %u ports\n", (unsigned)(controller->vs >> 16),
                   (unsigned)(controller->vs >> 8 & 0xff), (unsigned)controller->port_count);
    for (uint32_t i = 0; i < controller->port_count; i++) {
        const struct result_port *port = &controller->ports[i];

        if (port->drive != NULL)
            list_drive(number, port);
        else if (session->targets[number].ahci->ports[port->number].kind == AHCI_PORT_EMPTY)
            empty++;
        else
            list_other(number, port);
    }
    if (empty > 0)
        console_printf("   %u empty port%s\n", (unsigned)empty, empty == 1 ? "" : "s");
}

void session_list(const struct session *session)
{
    console_printf("%u AHCI controller%s:\n", (unsigned)session->target_count,
                   session->target_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < session->target_count; i++)
        list_controller(session, i);
}
