/*
 * barelane-pci: shows the PCI functions of a machine from a dump of its configuration space, such
 * as people attach to bug reports.
 */
#include "host/dump.h"

#include "base/bits.h"
#include "base/text.h"
#include "pci/bridge.h"
#include "pci/cap_list.h"
#include "pci/path_read.h"
#include "pci/regs.h"
#include "report/detail.h"
#include "report/path_report.h"
#include "report/result.h"
#include "report/tree.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNUSABLE 1 /* exit status; that of a wrong option is argp's */

const char *argp_program_version = "barelane-pci " BARELANE_VERSION;

struct arguments {
    const char *file;
    bool verbose;
};

static const struct argp_option options[] = {
    {"verbose", 'v', NULL, 0, "Also list the windows of bridges, and capabilities", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'v':
        arguments->verbose = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->file != NULL)
            argp_error(state, "one FILE only, not also '%s'", argument);
        arguments->file = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no FILE; '-' is standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "FILE",
    .doc = "Show the tree of PCI functions that a dump of configuration space holds, the path to "
           "each storage controller, what its hops can carry, and what stands out on the way.\v"
           "FILE is what `lspci -xxxx` prints as root, or barelane's pci.txt; '-' is standard "
           "input. Each line names a function, the buses behind it and its PCI Express link, as in "
           "\"PCIe 2.5 of 8 GT/s x1 of x4\": in force, and what it can do where that differs; "
           "\"?\" where no link is up. Ceilings are in MB/s, 10^6 bytes per second, for a drive's "
           "reads and its writes, with addresses below 4 GiB. A window is the first and the last "
           "address that a bridge passes down; before a capability stands its offset.\n\n"
           "Exit status: 0 shown, 1 the dump cannot be used, 64 wrong option.",
};

/* Says in one line why a dump cannot be used. */
static void complain(const char *name, const struct host_dump *dump, enum status status)
{
    const char *wanted = "needed is what `lspci -xxxx` prints as root";

    fprintf(stderr, "barelane-pci: %s: ", name);
    switch ((int)status) {
    case STATUS_NOT_FOUND:
        if (dump->count > 0)
            fprintf(stderr, "%zu PCI functions without configuration space; %s\n", dump->count,
                    wanted);
        else
            fprintf(stderr, "no PCI function of segments 0000 to ffff in it; %s\n", wanted);
        break;
    case STATUS_FULL:
        fprintf(stderr, "too large for a dump: at most %u functions and %u MiB are read\n",
                HOST_DUMP_FUNCTIONS_MAX, HOST_DUMP_FILE_BYTES_MAX >> 20);
        break;
    case STATUS_DEVICE:
        fprintf(stderr, "cannot be read: %s\n", strerror(errno));
        break;
    default:
        fprintf(stderr, "%s\n", base_status_name(status));
    }
}

static bool load(const char *name, struct host_dump *dump)
{
    bool standard_input = strcmp(name, "-") == 0;
    FILE *file = standard_input ? stdin : fopen(name, "r");
    enum status status = STATUS_DEVICE;

    *dump = (struct host_dump){0};
    if (file != NULL)
        status = host_dump_read(dump, file);
    if (status != STATUS_OK)
        complain(standard_input ? "standard input" : name, dump, status);
    if (file != NULL && !standard_input)
        fclose(file);
    return status == STATUS_OK;
}

static void print_detail(const struct pci_config *config, const struct pci_device *device,
                         unsigned depth)
{
    static struct pci_cap caps[PCI_CAP_LIST_MAX];
    static char buffer[REPORT_DETAIL_BYTES];
    struct pci_bridge bridge;
    bool has_windows = pci_bridge_read(config, device, &bridge) == STATUS_OK;
    uint32_t count = 0;
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    if (pci_cap_list_read(config, device, caps, COUNT_OF(caps), &count) == STATUS_OK)
        report_detail(&text, depth, has_windows ? &bridge : NULL, caps, count);
    fputs(buffer, stdout);
}

static void print_tree(const struct pci_config *config, const struct pci_tree *tree, bool verbose)
{
    int32_t index = PCI_NO_PARENT;
    unsigned depth = 0;
    uint16_t segment = tree->count > 0 ? tree->devices[0].address.segment : 0;

    while ((index = report_tree_next(tree->devices, tree->count, index, &depth)) != PCI_NO_PARENT) {
        const struct pci_device *device = &tree->devices[index];
        struct pci_end end = pci_end_read(config, tree, index);
        char line[REPORT_TREE_LINE_BYTES + 1];
        struct text text;

        if (device->address.segment != segment)
            putchar('\n');
        segment = device->address.segment;
        text_init(&text, line, sizeof line);
        report_tree_function(&text, device, depth, &end);
        fputs(line, stdout);
        if (verbose)
            print_detail(config, device, depth);
    }
}

static void print_path(const struct pci_config *config, const struct pci_tree *tree, int32_t index)
{
    static char buffer[REPORT_PATH_BYTES];
    char title[] = "Path to 0000:00:00.0";
    struct pci_path path;
    struct text text;

    result_address(&tree->devices[index].address, strrchr(title, ' ') + 1);
    if (pci_path_read(config, tree, index, &path) != STATUS_OK) {
        printf("\n%s: more hops than are followed\n", title);
        return;
    }
    text_init(&text, buffer, sizeof buffer);
    report_path(&text, &path, title);
    printf("\n%s", buffer);
}

/* Of every storage controller, in the order of the tree. */
static void print_paths(const struct pci_config *config, const struct pci_tree *tree)
{
    int32_t index = PCI_NO_PARENT;
    unsigned depth = 0;

    while ((index = report_tree_next(tree->devices, tree->count, index, &depth)) != PCI_NO_PARENT)
        if (tree->devices[index].class_base == PCI_CLASS_STORAGE)
            print_path(config, tree, index);
}

/* Why the walk did not come to a function. */
static const char *reason(const struct host_dump_function *function)
{
    if (function->bytes == 0)
        return "the dump has no bytes of it";
    if (function->data[0] == 0xff && function->data[1] == 0xff)
        return "reads all ones: off, removed or virtual";
    return "no bridge or function leads to it";
}

static void print_count(const char *what, size_t count)
{
    if (count > 0)
        printf("%s: %zu\n", what, count);
}

static void print_notes(const struct host_dump *dump, const struct pci_tree *tree)
{
    size_t headers_only = 0;

    putchar('\n');
    for (size_t i = 0; i < dump->count; i++) {
        const struct host_dump_function *function = dump->functions[i];
        char address[RESULT_ADDRESS_BYTES];

        headers_only += function->bytes > 0 && function->bytes <= 64;
        if (function->reached)
            continue;
        result_address(&function->address, address);
        printf("not shown: %s (%s)\n", address, reason(function));
    }
    print_count("not shown, of domains above ffff", dump->skipped);
    print_count("more than once in the dump, the longest counts", dump->repeated);
    print_count("without capabilities, which `lspci -xxxx` gives to root", headers_only);
    print_count("bridges and headers not as they should be", tree->oddities);
    printf("functions: %u\n", (unsigned)tree->count);
}

/* All that is said of a dump. */
static bool show(struct host_dump *dump, bool verbose)
{
    struct pci_tree tree = {.capacity = (uint32_t)dump->count};
    struct pci_config config = host_dump_config(dump);
    enum status status = STATUS_NO_MEMORY;

    tree.devices = calloc(dump->count, sizeof *tree.devices);
    if (tree.devices != NULL)
        status = host_dump_walk(dump, &tree);
    if (status == STATUS_OK) {
        print_tree(&config, &tree, verbose);
        print_paths(&config, &tree);
        print_notes(dump, &tree);
    } else {
        fprintf(stderr, "barelane-pci: %s\n", base_status_name(status));
    }
    free(tree.devices);
    return status == STATUS_OK;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.file = NULL};
    struct host_dump dump;
    bool fine;

    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    fine = load(arguments.file, &dump) && show(&dump, arguments.verbose);
    host_dump_free(&dump);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "barelane-pci: standard output: %s\n", strerror(errno));
        fine = false;
    }
    return fine ? EXIT_SUCCESS : UNUSABLE;
}
