/*
 * ACPI tables of real machines (BARELANE_CORPUS: pci/acpi/{mcfg,dmar,ivrs}; without it the tests
 * are skipped): MCFG against the list in pci/README.md, DMAR and IVRS against what iasl of
 * acpica-tools makes of the same file.
 */
#define _POSIX_C_SOURCE 200809L /* popen, setenv */

#include "pci/acpi.h"
#include "pci/iommu.h"

#include "base/bits.h"
#include "tests/unit/corpus.h"

#define TABLE_BYTES_MAX 4096

/* Reads a file into an allocation of exactly its size. */
static uint8_t *load(const char *directory, const char *file, size_t *ret_bytes)
{
    static uint8_t buffer[TABLE_BYTES_MAX];
    char path[1024];
    uint8_t *table;
    FILE *stream;

    snprintf(path, sizeof path, "%s/%s", directory, file);
    stream = fopen(path, "rb");
    assert_non_null(stream);
    *ret_bytes = fread(buffer, 1, sizeof buffer, stream);
    fclose(stream);
    assert_in_range(*ret_bytes, 1, sizeof buffer - 1);
    table = malloc(*ret_bytes);
    assert_non_null(table);
    return memcpy(table, buffer, *ret_bytes);
}

/* The line of the corpus' README about a table: "| mcfg/FILE | base 0x... seg N bus aa-bb |". */
static bool find_listed(const char *file, struct pci_ecam *ret_ecam)
{
    char path[1024], line[4096], wanted[512];
    unsigned segment, start, end;
    unsigned long long base;
    bool found = false;
    FILE *readme;

    snprintf(path, sizeof path, "%s/pci/README.md", corpus());
    snprintf(wanted, sizeof wanted, "| mcfg/%s | ", file);
    readme = fopen(path, "r");
    assert_non_null(readme);
    while (!found && fgets(line, sizeof line, readme) != NULL) {
        if (strncmp(line, wanted, strlen(wanted)) != 0)
            continue;
        found = sscanf(line + strlen(wanted), "base %llx seg %u bus %x-%x", &base, &segment, &start,
                       &end) == 4;
        *ret_ecam = (struct pci_ecam){base, (uint16_t)segment, (uint8_t)start, (uint8_t)end};
    }
    fclose(readme);
    return found;
}

static void check_mcfg(const char *directory, const char *file)
{
    struct pci_ecam listed = {0};
    struct pci_host host;
    uint32_t dropped;
    size_t bytes;
    uint8_t *table = load(directory, file, &bytes);

    if (!find_listed(file, &listed))
        fail_msg("%s: not listed", file);
    if (pci_acpi_mcfg(table, bytes, &host, &dropped) != STATUS_OK)
        fail_msg("%s: not a table", file);
    free(table);
    assert_int_equal(dropped, 0);
    assert_int_equal(host.ecam_count, 1);
    assert_true(host.ecam[0].base == listed.base);
    assert_int_equal(host.ecam[0].segment, listed.segment);
    assert_int_equal(host.ecam[0].start_bus, listed.start_bus);
    assert_int_equal(host.ecam[0].end_bus, listed.end_bus);
}

static void test_mcfg(void **state)
{
    (void)state;
    check_directory("pci/acpi/mcfg", ".bin", check_mcfg);
}

/* Entries that make no sense, and have to be left out. */
static const struct {
    const char *file;
    uint32_t dropped;
} senseless[] = {
    /* Its unit for all other devices has base address 0. */
    {"notebook-lenovo-thinkpad-e15-gen-2-20td0005mh.bin", 1},
};

static uint32_t expected_dropped(const char *file)
{
    for (size_t i = 0; i < COUNT_OF(senseless); i++)
        if (strcmp(senseless[i].file, file) == 0)
            return senseless[i].dropped;
    return 0;
}

static enum status decode(const uint8_t *table, size_t bytes, struct pci_iommu *ret_iommu)
{
    return table[0] == 'D' ? pci_iommu_dmar(table, bytes, ret_iommu)
                           : pci_iommu_ivrs(table, bytes, ret_iommu);
}

static void decode_file(const char *directory, const char *file, struct pci_iommu *ret_iommu)
{
    size_t bytes;
    uint8_t *table = load(directory, file, &bytes);

    if (decode(table, bytes, ret_iommu) != STATUS_OK)
        fail_msg("%s: not a table", file);
    for (size_t n = 4; n < bytes; n++) {
        struct pci_iommu none;

        assert_int_equal(decode(table, n, &none), STATUS_INVALID);
    }
    free(table);
}

static void check_units(const char *directory, const char *file)
{
    struct pci_iommu iommu;

    decode_file(directory, file, &iommu);
    assert_in_range(iommu.unit_count, 1, PCI_IOMMU_UNITS_MAX);
    assert_int_equal(iommu.dropped, expected_dropped(file));
}

static void test_units(void **state)
{
    (void)state;
    check_directory("pci/acpi/dmar", ".bin", check_units);
    check_directory("pci/acpi/ivrs", ".bin", check_units);
}

/* What iasl shows of one remapping unit or hardware definition block. */
struct shown {
    uint64_t base;
    unsigned flags, segment;
};

#define SHOWN_MAX 32

/* "[038h 0056   8]        Register Base Address : 00000000FED90000": name and value. */
static bool split_line(char *line, char **ret_name, char **ret_value)
{
    char *name = strchr(line, ']');
    char *value = name != NULL ? strstr(name, " : ") : NULL;

    if (line[0] != '[' || value == NULL)
        return false;
    *value = '\0';
    *ret_name = name + 1 + strspn(name + 1, " ");
    *ret_value = value + 3;
    return true;
}

/* "10 [Hardware Definition Block]"; what an old iasl calls unknown (40h) has no lines that follow.
 */
static bool is_unit(bool dmar, const char *value)
{
    unsigned long type = strtoul(value, NULL, 16);

    if (strstr(value, "Unknown") != NULL)
        return false;
    return dmar ? type == 0 : type == 0x10 || type == 0x11 || type == 0x40;
}

/* Units in iasl's text, as they stand there. */
static size_t read_shown(FILE *text, bool dmar, struct shown *units)
{
    char line[512], *name, *value;
    size_t count = 0;
    bool inside = false;

    while (fgets(line, sizeof line, text) != NULL) {
        if (!split_line(line, &name, &value))
            continue;
        if (strncmp(name, "Subtable Type", 13) == 0) {
            inside = is_unit(dmar, value);
            count += inside;
            assert_in_range(count, 0, SHOWN_MAX);
        }
        if (!inside)
            continue;
        if (strncmp(name, "Flags", 5) == 0)
            units[count - 1].flags = (unsigned)strtoul(value, NULL, 16);
        else if (strncmp(name, "PCI Segment", 11) == 0)
            units[count - 1].segment = (unsigned)strtoul(value, NULL, 16);
        else if (strstr(name, "Base Address") != NULL)
            units[count - 1].base = strtoull(value, NULL, 16);
    }
    return count;
}

static size_t disassemble(const char *path, bool dmar, struct shown *units)
{
    size_t count;
    FILE *text;

    assert_int_equal(setenv("TABLE", path, 1), 0);
    text = popen("folder=$(mktemp -d) && iasl -p \"$folder/table\" -d \"$TABLE\" >/dev/null 2>&1; "
                 "cat \"$folder/table.dsl\" && rm -r \"$folder\"",
                 "r");
    assert_non_null(text);
    count = read_shown(text, dmar, units);
    assert_int_equal(pclose(text), 0);
    return count;
}

static bool is_shown_before(const struct shown *units, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (units[i].base == units[index].base)
            return true;
    return false;
}

static void check_against_iasl(const char *directory, const char *file)
{
    struct shown units[SHOWN_MAX] = {{0}};
    struct pci_iommu iommu;
    uint32_t next = 0, dropped = 0;
    char path[1024];
    size_t count;
    bool dmar;

    decode_file(directory, file, &iommu);
    dmar = iommu.kind == PCI_IOMMU_VTD;
    snprintf(path, sizeof path, "%s/%s", directory, file);
    count = disassemble(path, dmar, units);
    for (size_t i = 0; i < count; i++) {
        const struct pci_iommu_unit *unit = &iommu.units[next];

        if (units[i].base == 0) {
            dropped++;
            continue;
        }
        if (is_shown_before(units, i))
            continue;
        if (next == iommu.unit_count || unit->base != units[i].base ||
            unit->segment != units[i].segment || unit->all != (dmar && units[i].flags == 1))
            fail_msg("%s: unit %u differs", file, (unsigned)next);
        next++;
    }
    assert_int_equal(next, iommu.unit_count);
    assert_int_equal(dropped, iommu.dropped);
}

static void test_against_iasl(void **state)
{
    (void)state;
    corpus();
    if (system("command -v iasl >/dev/null") != 0) {
        print_message("# iasl is not installed\n");
        skip();
    }
    check_directory("pci/acpi/dmar", ".bin", check_against_iasl);
    check_directory("pci/acpi/ivrs", ".bin", check_against_iasl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mcfg),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_against_iasl),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
