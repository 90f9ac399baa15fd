/*
 * Fuzz target: hostile firmware tables. The first byte says which kind, the second what is repaired
 * before the call, because no fuzzer guesses checksums; the rest is the table or the memory.
 */
#include "tests/fuzz/fuzz.h"

#include "base/bits.h"
#include "efi/pure/smbios.h"
#include "pci/acpi.h"
#include "pci/iommu.h"

#include <stdbool.h>

#define MEMORY_AT UINT64_C(0x00100000)
#define MAPS_MAX  4096

#define RSDP_BYTES   36
#define HEADER_BYTES 36
#define SMBIOS_TABLE 0x20 /* where in the memory the structures start */

enum kind {
    KIND_CHAIN,  /* a memory with an RSDP, and tables found from there */
    KIND_SMBIOS, /* a memory with an entry point of SMBIOS */
    KIND_TABLE,  /* and above: one table of ACPI, by its place in `tables` */
    KINDS = 8
};

enum repair {
    REPAIR_CHECKSUMS = 0x01,
    REPAIR_SIGNATURES = 0x02,
    REPAIR_LENGTHS = 0x04,   /* those that reach beyond the input are cut */
    REPAIR_ADDRESSES = 0x08, /* they lead into the memory */
    REPAIR_OLD = 0x10,       /* RSDP of ACPI 1.0, _SM_ instead of _SM3_ */
};

/*
 * Physical memory that holds the input. What is mapped is a copy of just that size, so that reading
 * beyond it is seen.
 */
struct memory {
    uint8_t *bytes;
    size_t count;
    void *maps[MAPS_MAX];
    size_t map_count;
};

static const void *map(void *context, uint64_t physical, size_t bytes)
{
    struct memory *memory = context;
    void *copy;

    REQUIRE(physical != 0 && bytes > 0 && bytes <= 16u << 20);
    REQUIRE(physical + bytes > physical && memory->map_count < MAPS_MAX);
    if (physical < MEMORY_AT || physical - MEMORY_AT > memory->count ||
        bytes > memory->count - (physical - MEMORY_AT))
        return NULL;
    copy = malloc(bytes);
    REQUIRE(copy != NULL);
    memcpy(copy, memory->bytes + (physical - MEMORY_AT), bytes);
    memory->maps[memory->map_count++] = copy;
    return copy;
}

static void release(struct memory *memory)
{
    while (memory->map_count > 0)
        free(memory->maps[--memory->map_count]);
}

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void seal(uint8_t *bytes, size_t count, size_t checksum_at)
{
    uint8_t sum = 0;

    bytes[checksum_at] = 0;
    for (size_t i = 0; i < count; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[checksum_at] = (uint8_t)(0x100 - sum);
}

/* Makes a table of ACPI of what lies at `table`, of which `count` bytes are there. */
static void repair_table(uint8_t *table, size_t count, const char *signature, uint8_t repair)
{
    uint32_t length;

    if (count < HEADER_BYTES)
        return;
    if ((repair & REPAIR_SIGNATURES) != 0)
        memcpy(table, signature, 4);
    length = base_le32(table + 4);
    if ((repair & REPAIR_LENGTHS) != 0 && (length < HEADER_BYTES || length > count)) {
        length = (uint32_t)count;
        put(table + 4, length, 4);
    }
    if ((repair & REPAIR_CHECKSUMS) != 0 && length >= HEADER_BYTES && length <= count)
        seal(table, length, 9);
}

static void check_mcfg(const uint8_t *table, size_t bytes)
{
    static struct pci_host host;
    uint32_t dropped = UINT32_MAX;
    enum status status;

    memset(&host, 0, sizeof host);
    status = pci_acpi_mcfg(table, bytes, &host, &dropped);
    REQUIRE(status == STATUS_OK || status == STATUS_INVALID || status == STATUS_FULL);
    REQUIRE(host.ecam_count <= PCI_ECAM_MAX);
    REQUIRE(status != STATUS_INVALID || (host.ecam_count == 0 && dropped == UINT32_MAX));
    REQUIRE(status != STATUS_FULL || host.ecam_count == PCI_ECAM_MAX);
    REQUIRE(status == STATUS_INVALID || (dropped + host.ecam_count) * 16 <= bytes);
    for (uint32_t i = 0; i < host.ecam_count; i++) {
        const struct pci_ecam *ecam = &host.ecam[i];

        REQUIRE(ecam->start_bus <= ecam->end_bus);
        REQUIRE(ecam->base != 0 && ecam->base % (1u << 20) == 0);
        REQUIRE(ecam->base + (256u << 20) - 1 > ecam->base);
        for (uint32_t k = 0; k < i; k++)
            REQUIRE(host.ecam[k].segment != ecam->segment ||
                    host.ecam[k].start_bus > ecam->end_bus ||
                    host.ecam[k].end_bus < ecam->start_bus);
    }
}

static void check_fadt(const uint8_t *table, size_t bytes)
{
    struct pci_acpi_pm_timer timer;
    enum status status = pci_acpi_fadt_pm_timer(table, bytes, &timer);

    REQUIRE(status == STATUS_OK || status == STATUS_INVALID || status == STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return;
    REQUIRE(timer.bits == 24 || timer.bits == 32);
    REQUIRE(timer.address != 0 && timer.address % 4 == 0);
    REQUIRE(timer.memory || timer.address <= 0xffff);
}

/* Entries have 16 bytes at least to name a unit; what precedes them is 48 bytes long. */
static void check_units(const struct pci_iommu *iommu, enum status status, size_t bytes)
{
    REQUIRE(status == STATUS_OK || status == STATUS_FULL);
    REQUIRE(iommu->unit_count <= PCI_IOMMU_UNITS_MAX);
    REQUIRE(status != STATUS_FULL || iommu->unit_count == PCI_IOMMU_UNITS_MAX);
    REQUIRE(bytes >= 48 && iommu->unit_count * 16 <= bytes - 48);
    REQUIRE(iommu->dropped <= (bytes - 48 + 3) / 4);
    for (uint32_t i = 0; i < iommu->unit_count; i++) {
        const struct pci_iommu_unit *unit = &iommu->units[i];

        REQUIRE(unit->base != 0 && unit->base % 4096 == 0);
        REQUIRE(unit->state == PCI_IOMMU_UNKNOWN);
        REQUIRE(!unit->all || iommu->kind == PCI_IOMMU_VTD);
        for (uint32_t k = 0; k < i; k++)
            REQUIRE(iommu->units[k].base != unit->base);
    }
}

static void check_iommu(enum pci_iommu_kind kind, const uint8_t *table, size_t bytes)
{
    static struct pci_iommu iommu;
    enum status status;

    memset(&iommu, 0, sizeof iommu);
    status = kind == PCI_IOMMU_VTD ? pci_iommu_dmar(table, bytes, &iommu)
                                   : pci_iommu_ivrs(table, bytes, &iommu);
    if (status == STATUS_INVALID) {
        REQUIRE(iommu.kind == PCI_IOMMU_NONE && iommu.unit_count == 0 && iommu.dropped == 0);
        return;
    }
    REQUIRE(iommu.kind == kind);
    check_units(&iommu, status, bytes);
}

static void check_dmar(const uint8_t *table, size_t bytes)
{
    check_iommu(PCI_IOMMU_VTD, table, bytes);
}

static void check_ivrs(const uint8_t *table, size_t bytes)
{
    check_iommu(PCI_IOMMU_AMD, table, bytes);
}

/* Tables that are read by themselves; a new one goes to the end. */
static const struct table {
    char signature[5];
    void (*check)(const uint8_t *table, size_t bytes);
} tables[] = {
    {"MCFG", check_mcfg},
    {"FACP", check_fadt},
    {"DMAR", check_dmar},
    {"IVRS", check_ivrs},
};

static void run_table(const struct table *table, struct memory *memory, uint8_t repair)
{
    repair_table(memory->bytes, memory->count, table->signature, repair);
    table->check(memory->bytes, memory->count);
}

/* Where in the memory an address points, REPAIR_ADDRESSES made it do so. */
static size_t aim(struct memory *memory, uint8_t *pointer, unsigned bytes, uint8_t repair)
{
    uint64_t physical = bytes == 8 ? base_le64(pointer) : base_le32(pointer);

    if ((repair & REPAIR_ADDRESSES) != 0) {
        physical = MEMORY_AT + (physical & 0xffff) % memory->count;
        put(pointer, physical, bytes);
    }
    if (physical < MEMORY_AT || physical - MEMORY_AT >= memory->count)
        return 0;
    return (size_t)(physical - MEMORY_AT);
}

/* RSDP at the start of the memory; the root table, and what it names, where their addresses say. */
static void repair_chain(struct memory *memory, uint8_t repair)
{
    unsigned entry = (repair & REPAIR_OLD) != 0 ? 4 : 8;
    uint8_t *bytes = memory->bytes;
    size_t root, count;

    if (memory->count < RSDP_BYTES)
        return;
    if ((repair & REPAIR_SIGNATURES) != 0) {
        memcpy(bytes, "RSD PTR ", 8);
        bytes[15] = (repair & REPAIR_OLD) != 0 ? 0 : 2;
    }
    if ((repair & REPAIR_LENGTHS) != 0)
        put(bytes + 20, RSDP_BYTES, 4);
    root = aim(memory, bytes + (entry == 4 ? 16 : 24), entry, repair);
    count = memory->count - root;
    repair_table(bytes + root, count, entry == 4 ? "RSDT" : "XSDT", repair);
    for (size_t at = root + HEADER_BYTES;
         count >= HEADER_BYTES + entry && root != 0 && at + entry <= memory->count &&
         at + entry <= root + base_le32(bytes + root + 4);
         at += entry) {
        size_t table = aim(memory, bytes + at, entry, repair);

        repair_table(bytes + table, memory->count - table,
                     tables[table % COUNT_OF(tables)].signature, repair);
    }
    repair_table(bytes + root, count, entry == 4 ? "RSDT" : "XSDT", repair);
    if ((repair & REPAIR_CHECKSUMS) != 0) {
        seal(bytes, 20, 8);
        seal(bytes, RSDP_BYTES, 32);
    }
}

static void run_chain(struct memory *memory, uint8_t repair)
{
    const struct pci_acpi_memory view = {map, memory};

    repair_chain(memory, repair);
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        const uint8_t *table = NULL;
        size_t bytes = 0;
        enum status status = pci_acpi_find(&view, MEMORY_AT, tables[i].signature, &table, &bytes);

        REQUIRE(status == STATUS_OK || status == STATUS_INVALID || status == STATUS_NOT_FOUND);
        REQUIRE((status == STATUS_OK) == (table != NULL));
        if (status == STATUS_OK) {
            REQUIRE(bytes >= HEADER_BYTES && bytes <= memory->count);
            REQUIRE(memcmp(table, tables[i].signature, 4) == 0);
            tables[i].check(table, bytes);
        }
        release(memory);
    }
}

/* Entry point at the start of the memory, structures behind it. */
static void repair_smbios(struct memory *memory, uint8_t repair)
{
    bool old = (repair & REPAIR_OLD) != 0;
    uint8_t *bytes = memory->bytes;

    if (memory->count < SMBIOS_TABLE)
        return;
    if ((repair & REPAIR_SIGNATURES) != 0) {
        memcpy(bytes, old ? "_SM_" : "_SM3_", old ? 4 : 5);
        if (old)
            memcpy(bytes + 16, "_DMI_", 5);
    }
    if ((repair & REPAIR_LENGTHS) != 0) {
        bytes[old ? 5 : 6] = old ? 0x1f : 0x18;
        put(bytes + (old ? 0x16 : 0x0c), memory->count - SMBIOS_TABLE, old ? 2 : 4);
    }
    if ((repair & REPAIR_ADDRESSES) != 0)
        put(bytes + (old ? 0x18 : 0x10), MEMORY_AT + SMBIOS_TABLE, old ? 4 : 8);
    if ((repair & REPAIR_CHECKSUMS) != 0 && old)
        seal(bytes + 16, 15, 5);
    if ((repair & REPAIR_CHECKSUMS) != 0 && bytes[old ? 5 : 6] <= memory->count)
        seal(bytes, bytes[old ? 5 : 6], old ? 4 : 5);
}

static void check_text(const char text[RESULT_TEXT_BYTES])
{
    REQUIRE(memchr(text, '\0', RESULT_TEXT_BYTES) != NULL);
    REQUIRE(text[0] != ' ');
    for (; *text != '\0'; text++)
        REQUIRE(*text >= ' ' && *text <= '~');
}

static void run_smbios(struct memory *memory, uint8_t repair)
{
    static struct result_smbios facts;
    const struct pci_acpi_memory view = {map, memory};
    enum status status;

    repair_smbios(memory, repair);
    memset(&facts, 0x5a, sizeof facts);
    status = smbios_read(&view, MEMORY_AT, &facts);
    release(memory);
    REQUIRE(status == STATUS_OK || status == STATUS_INVALID || status == STATUS_FULL);
    REQUIRE(facts.slot_count <= RESULT_SLOTS_MAX);
    REQUIRE(status != STATUS_FULL || facts.slot_count == RESULT_SLOTS_MAX);
    REQUIRE(status != STATUS_INVALID || facts.memory_mib == 0);
    check_text(facts.bios.vendor);
    check_text(facts.bios.version);
    check_text(facts.bios.date);
    check_text(facts.system.product);
    check_text(facts.board.product);
    check_text(facts.cpu);
    for (uint32_t i = 0; i < facts.slot_count; i++) {
        struct pci_device device = {.address = facts.slots[i].address, .parent = PCI_NO_PARENT};
        const struct result_slot *slot = smbios_slot_of(&facts, &device, 0);

        check_text(facts.slots[i].designation);
        REQUIRE(device.address.device < 32 && device.address.function < 8);
        REQUIRE(slot == NULL || slot->addressed);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    unsigned kind = fuzz_byte(&input) % KINDS;
    uint8_t repair = fuzz_byte(&input);
    static struct memory memory;

    memory.count = input.left;
    memory.bytes = fuzz_take(&input, memory.count);
    if (kind == KIND_CHAIN)
        run_chain(&memory, repair);
    else if (kind == KIND_SMBIOS)
        run_smbios(&memory, repair);
    else if (kind - KIND_TABLE < COUNT_OF(tables))
        run_table(&tables[kind - KIND_TABLE], &memory, repair);
    free(memory.bytes);
    return 0;
}
