/*
 * Fuzz target: what firmware hands over as LoadOptions and as device paths. The first byte says
 * which of them, and in what form.
 */
#include "tests/fuzz/fuzz.h"

#include "efi/pure/arguments.h"
#include "efi/pure/device_path.h"
#include "efi/pure/options.h"

#include <stdbool.h>

enum kind {
    KIND_RAW,        /* LoadOptions byte by byte */
    KIND_TEXT,       /* one byte a character */
    KIND_PATHS,      /* a byte of length, a prefix of that length, a path */
    KIND_PATH_BELOW, /* likewise, the path starts with the prefix */
    KINDS
};

/* The reader of paths is given no size: what it may look at ends with a node header at 4 KiB. */
#define PATH_BYTES (4096 + 4)

static void check_options(const struct options *options)
{
    char buffer[120];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    REQUIRE(options->drive_count <= OPTIONS_DRIVES_MAX);
    for (uint32_t i = 0; i < options->drive_count; i++)
        REQUIRE(options->drives[i].controller <= 255 && options->drives[i].port <= 31);
    REQUIRE(options->plan.tests != 0 && (options->plan.tests & ~PLAN_TESTS_ALL) == 0);
    REQUIRE(options->plan.positions <= PLAN_POSITIONS_MAX);
    REQUIRE(options->plan.accesses <= PLAN_ACCESSES_MAX);
    REQUIRE(options->plan.depth_commands <= PLAN_DEPTH_MAX);
    REQUIRE(plan_check(&options->plan, &text) == STATUS_OK && text.length == 0);
}

static void run_load_options(const uint8_t *bytes, size_t size)
{
    struct arguments *arguments = malloc(sizeof *arguments);
    struct options options;
    char buffer[200]; /* as in efi/start.c */
    struct text error;

    REQUIRE(arguments != NULL);
    arguments_from_load_options(bytes, size, arguments);
    REQUIRE(arguments->count <= ARGUMENTS_MAX);
    for (uint32_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->list[i];

        REQUIRE(word >= arguments->text && word < arguments->text + ARGUMENTS_TEXT_MAX);
        for (; *word != '\0'; word++) {
            REQUIRE(word < arguments->text + ARGUMENTS_TEXT_MAX - 1);
            REQUIRE((*word >= ' ' && *word <= '~') || *word == '\t');
        }
    }
    text_init(&error, buffer, sizeof buffer);
    if (options_parse(arguments->list, arguments->count, &options, &error) == STATUS_OK) {
        REQUIRE(error.length == 0);
        check_options(&options);
    } else {
        REQUIRE(error.length > 0 && !error.truncated);
        REQUIRE(strchr(buffer, '\n') == NULL);
    }
    free(arguments);
}

static void run_text(struct fuzz_input *input)
{
    size_t count = input->left;
    uint8_t *wide = calloc(count > 0 ? count : 1, 2);

    REQUIRE(wide != NULL);
    for (size_t i = 0; i < count; i++)
        wide[2 * i] = fuzz_byte(input);
    run_load_options(wide, 2 * count);
    free(wide);
}

/* Bytes of the nodes of a path; its readers agree with each other on it. */
static size_t check_path(const uint8_t *path)
{
    size_t size = device_path_size(path);

    REQUIRE(size <= 4096);
    REQUIRE(size == 0 || (path[size] & 0x7f) == 0x7f);
    REQUIRE(device_path_below(path, path) == (size > 0));
    REQUIRE(device_path_sata_port(path, path) == -1);
    REQUIRE(!device_path_below(path, NULL) && !device_path_below(NULL, path));
    return size;
}

static void run_paths(struct fuzz_input *input, bool below)
{
    size_t prefix_bytes = fuzz_byte(input);
    struct fuzz_input start = *input;
    uint8_t *prefix = fuzz_take(input, PATH_BYTES), *path;
    size_t prefix_size, path_size;
    int port;

    /* An end node closes the prefix; the same bytes without it start the path below it. */
    memcpy(prefix + prefix_bytes, "\x7f\xff\x04\x00", 4);
    *input = start;
    if (!below)
        free(fuzz_take(input, prefix_bytes));
    path = fuzz_take(input, PATH_BYTES);
    prefix_size = check_path(prefix);
    path_size = check_path(path);
    port = device_path_sata_port(path, prefix);
    REQUIRE(port >= -1 && port < 32);
    if (device_path_below(path, prefix)) {
        REQUIRE(prefix_size > 0 && prefix_size <= path_size);
        REQUIRE(memcmp(path, prefix, prefix_size) == 0);
    } else {
        REQUIRE(port == -1);
    }
    REQUIRE(port == -1 || path_size == prefix_size + 10);
    free(prefix);
    free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    enum kind kind = (enum kind)(fuzz_byte(&input) % KINDS);
    uint8_t *exact;

    switch (kind) {
    case KIND_RAW:
        size = input.left;
        exact = fuzz_take(&input, size);
        run_load_options(exact, size);
        free(exact);
        break;
    case KIND_TEXT:
        run_text(&input);
        break;
    case KIND_PATHS:
    case KIND_PATH_BELOW:
        run_paths(&input, kind == KIND_PATH_BELOW);
        break;
    case KINDS:
    default:
        break;
    }
    return 0;
}
