/*
 * Fuzz target: dumps of configuration space in the text form of lspci, as strangers send them. What
 * was read is walked, and written out and read again.
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "tests/fuzz/look.h"

#include "host/dump.h"
#include "report/dump.h"

/* A walk and a dump with more take long and show nothing new. */
#define DEVICES_MAX 64
#define WRITTEN_MAX 2

/* The dump as configuration space, and how often it was used. */
struct counter {
    struct pci_config inner;
    uint32_t reads;
    uint32_t writes;
};

static uint32_t counted_read(const struct pci_config *config, struct pci_address address,
                             uint16_t offset)
{
    struct counter *counter = config->context;

    REQUIRE(address.device < 32 && address.function < 8 && offset % 4 == 0);
    REQUIRE(offset < counter->inner.ops->reach(&counter->inner, address.segment, address.bus));
    counter->reads++;
    return counter->inner.ops->read(&counter->inner, address, offset);
}

static void counted_write(const struct pci_config *config, struct pci_address address,
                          uint16_t offset, uint32_t value)
{
    struct counter *counter = config->context;

    counter->writes++;
    counter->inner.ops->write(&counter->inner, address, offset, value);
}

static uint16_t counted_reach(const struct pci_config *config, uint16_t segment, uint8_t bus)
{
    const struct counter *counter = config->context;

    return counter->inner.ops->reach(&counter->inner, segment, bus);
}

static enum status load(const void *text, size_t size, struct host_dump *dump)
{
    /* Not opened for writing, so what it points to stays as it is. */
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    enum status status;

    REQUIRE(file != NULL);
    status = host_dump_read(dump, file);
    fclose(file);
    return status;
}

static uint32_t key(const struct pci_address *address)
{
    return (uint32_t)address->segment << 16 | (uint32_t)address->bus << 8 |
           (uint32_t)address->device << 3 | address->function;
}

static void check_functions(const struct host_dump *dump, enum status status, size_t size)
{
    bool rows = false;

    REQUIRE(status == STATUS_OK || status == STATUS_NOT_FOUND);
    /* A slot line has at least "00:00.0" and, but for the last, its end. */
    REQUIRE(dump->count + dump->repeated + dump->skipped <= (size + 1) / 8);
    for (size_t i = 0; i < dump->count; i++) {
        const struct host_dump_function *function = dump->functions[i];

        REQUIRE(function->address.device < 32 && function->address.function < 8);
        REQUIRE(function->bytes <= sizeof function->data && !function->reached);
        REQUIRE(i == 0 || key(&dump->functions[i - 1]->address) < key(&function->address));
        REQUIRE(host_dump_find(dump, function->address) == function);
        for (size_t k = function->bytes; k < sizeof function->data; k += 16)
            REQUIRE(function->data[k] == 0xff);
        rows = rows || function->bytes > 0;
    }
    REQUIRE(rows == (status == STATUS_OK));
}

static void walk(struct host_dump *dump)
{
    static const struct pci_config_ops ops = {counted_read, counted_write, counted_reach};
    struct counter counter = {.inner = host_dump_config(dump)};
    const struct pci_config config = {.ops = &ops, .context = &counter};
    const struct look look = {.config = &config, .reads = &counter.reads};
    struct pci_tree tree = {.capacity = DEVICES_MAX};
    enum status status;

    tree.devices = calloc(tree.capacity, sizeof *tree.devices);
    REQUIRE(tree.devices != NULL);
    status = host_dump_walk(dump, &tree);
    REQUIRE(status == STATUS_OK || (status == STATUS_FULL && tree.count == tree.capacity));
    REQUIRE(tree.count <= dump->count);
    for (uint32_t i = 0; i < tree.count; i++) {
        const struct host_dump_function *function = host_dump_find(dump, tree.devices[i].address);

        REQUIRE(function != NULL && function->reached);
        REQUIRE(tree.devices[i].parent < (int32_t)i);
    }
    look_functions(&look, &tree);
    REQUIRE(counter.writes == 0);
    free(tree.devices);
}

static size_t written_bytes(const struct host_dump_function *function)
{
    return function->bytes > 256 ? 4096 : 256;
}

static void read_again(const struct host_dump *dump)
{
    size_t count = dump->count < WRITTEN_MAX ? dump->count : WRITTEN_MAX;
    size_t capacity = WRITTEN_MAX * REPORT_DUMP_BYTES + 1;
    char *buffer = malloc(capacity);
    struct host_dump again;
    struct text text;

    REQUIRE(buffer != NULL);
    text_init(&text, buffer, capacity);
    for (size_t i = 0; i < count; i++) {
        const struct host_dump_function *function = dump->functions[i];
        struct pci_device device = {.address = function->address};

        report_dump_function(&text, &device, function->data, written_bytes(function));
    }
    REQUIRE(!text.truncated);
    REQUIRE(load(buffer, text.length, &again) == STATUS_OK);
    REQUIRE(again.count == count && again.repeated == 0 && again.skipped == 0);
    for (size_t i = 0; i < count; i++) {
        const struct host_dump_function *before = dump->functions[i], *after = again.functions[i];

        REQUIRE(key(&before->address) == key(&after->address));
        REQUIRE(after->bytes == written_bytes(before));
        REQUIRE(memcmp(before->data, after->data, sizeof before->data) == 0);
    }
    host_dump_free(&again);
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host_dump dump;

    if (size == 0)
        return 0;
    check_functions(&dump, load(data, size, &dump), size);
    if (dump.count > 0) {
        walk(&dump);
        read_again(&dump);
    }
    host_dump_free(&dump);
    return 0;
}
