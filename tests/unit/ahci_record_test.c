/*
 * Registers recorded on a real machine as a controller of the model: one record of our own, and the
 * dumps in the folder ahci/registers of the corpus (without BARELANE_CORPUS that test is skipped).
 */
#include "tests/unit/ahci_snapshot.h"
#include "tests/unit/corpus.h"

#define RECORD_LINES 600

/* A line of a record: register `name` of a port, or (-1) of the controller. */
struct line {
    int port;
    char name[16];
    uint32_t offset, value;
};

struct record {
    struct line lines[RECORD_LINES];
    unsigned count;
};

/* --- our own --------------------------------------------------------------------------------- */

/* An operating system left a disk asleep on port 0, a packet device on port 5, nothing on port 1:
 * engines run, lists lie above 4 GiB, and most settings are in use. */
static const struct line own[] = {
    {-1, "CAP", AHCI_CAP, 0xd734ff05},
    {-1, "GHC", AHCI_GHC, 0x80000002},
    {-1, "IS", AHCI_IS, 0},
    {-1, "PI", AHCI_PI, 0x23},
    {-1, "VS", AHCI_VS, 0x00010301},
    {-1, "CCC_CTL", 0x14, 0x00010131},
    {-1, "CCC_PORTS", 0x18, 0x1},
    {-1, "EM_LOC", 0x1c, 0x01600002},
    {-1, "EM_CTL", 0x20, 0x07010000},
    {-1, "CAP2", AHCI_CAP2, 0x3d},
    {-1, "BOHC", AHCI_BOHC, AHCI_BOHC_OOS},
    {0, "PxCLB", 0x100, 0x5a5a0000},
    {0, "PxCLBU", 0x104, 0x3},
    {0, "PxFB", 0x108, 0x5a5a0400},
    {0, "PxFBU", 0x10c, 0x3},
    {0, "PxIS", 0x110, 0x00400001},
    {0, "PxIE", 0x114, 0x7800007f},
    {0, "PxCMD", 0x118, 0x0cc4e717},
    {0, "PxTFD", 0x120, 0x50},
    {0, "PxSIG", 0x124, 0x00000101},
    {0, "PxSSTS", 0x128, 0x831},
    {0, "PxSCTL", 0x12c, 0x120},
    {0, "PxSERR", 0x130, 0x00050000},
    {0, "PxSACT", 0x134, 0},
    {0, "PxCI", 0x138, 0},
    {0, "PxSNTF", 0x13c, 0x4},
    {0, "PxFBS", 0x140, 0x4000},
    {0, "PxDEVSLP", 0x144, 0x1e008517},
    {1, "PxCLB", 0x180, 0x5a5b0000},
    {1, "PxCMD", 0x198, 0x00040016},
    {1, "PxTFD", 0x1a0, 0x7f},
    {1, "PxSIG", 0x1a4, 0xffffffff},
    {1, "PxSCTL", 0x1ac, 0x304},
    {5, "PxCMD", 0x398, 0x0104c117},
    {5, "PxTFD", 0x3a0, 0x50},
    {5, "PxSIG", 0x3a4, 0xeb140101},
    {5, "PxSSTS", 0x3a8, 0x113},
};

/* --- loading --------------------------------------------------------------------------------- */

static void load(struct rig *rig, const struct record *record)
{
    struct model_chip chip = {.name = "a record",
                              .vendor = 0x1234,
                              .device = 0x5678,
                              .window_bytes = 4096 + AHCI_PORT_BASE,
                              .ports_found = true};
    struct model_disk disks[MODEL_PORTS];

    for (unsigned i = 0; i < record->count; i++) {
        const struct line *line = &record->lines[i];

        assert_true(model_registers_set(&chip.found, line->port, line->name, line->value));
    }
    model_registers_disks(&chip.found, disks);
    rig_load(rig, &chip, disks, MODEL_PORTS);
}

/* Each register reads as it was recorded. */
static void check_loaded(const struct rig *rig, const struct record *record)
{
    bool has_cap2 = model_hba_peek(rig->hba, AHCI_VS) >= AHCI_VS_1_2;

    for (unsigned i = 0; i < record->count; i++) {
        const struct line *line = &record->lines[i];

        if ((line->offset == AHCI_CAP2 || line->offset == AHCI_BOHC) && !has_cap2)
            continue;
        if (model_hba_peek(rig->hba, line->offset) != line->value)
            fail_msg("%s of port %d is %08x", line->name, line->port,
                     (unsigned)model_hba_peek(rig->hba, line->offset));
    }
}

static enum ahci_port_kind expected_kind(const struct rig *rig, unsigned port)
{
    uint32_t base = AHCI_PORT_BASE + port * AHCI_PORT_STRIDE;

    if ((model_hba_peek(rig->hba, AHCI_PI) >> port & 1) == 0)
        return AHCI_PORT_ABSENT;
    if ((model_hba_peek(rig->hba, base + AHCI_PX_SSTS) & AHCI_PX_SSTS_DET) == 0)
        return AHCI_PORT_EMPTY;
    return model_hba_peek(rig->hba, base + AHCI_PX_SIG) == AHCI_PX_SIG_ATAPI ? AHCI_PORT_ATAPI
                                                                             : AHCI_PORT_DRIVE;
}

/* Taken over, probed, read, and given back as it was recorded. The number of drives. */
static unsigned run(const struct record *record)
{
    enum ahci_port_kind want[AHCI_PORTS_MAX];
    struct snapshot before;
    static struct rig rig;
    unsigned drives = 0;

    load(&rig, record);
    check_loaded(&rig, record);
    snapshot_take(rig.hba, &before);
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++)
        want[i] = expected_kind(&rig, i);
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(hw_dma_alloc(BUFFER, &rig.buffer), STATUS_OK);
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++) {
        struct drive *drive;

        assert_int_equal(ahci_port_probe(&rig.controller, i), STATUS_OK);
        assert_int_equal(rig.controller.ports[i].kind, want[i]);
        drive = ahci_port_drive(&rig.controller, i);
        if (drive == NULL)
            continue;
        rig_read_checked(&rig, drive, 77, 2048, DRIVE_READ_DMA);
        rig_read_checked(&rig, drive, 88, 2048, DRIVE_READ_QUEUED);
        drives++;
    }
    ahci_detach(&rig.controller, &rig.restored);
    snapshot_compare(rig.hba, &before);
    rig_end(&rig);
    return drives;
}

static void knows_registers_by_name(void **state)
{
    struct model_registers registers;

    (void)state;
    memset(&registers, 0, sizeof registers);
    assert_true(model_registers_set(&registers, 31, "PxDEVSLP", 7));
    assert_int_equal(registers.ports[31].devslp, 7);
    assert_true(model_registers_set(&registers, -1, "BOHC", 1));
    assert_int_equal(registers.bohc, 1);
    assert_false(model_registers_set(&registers, 32, "PxCLB", 1));
    assert_false(model_registers_set(&registers, 0, "CAP", 1));
    assert_false(model_registers_set(&registers, -1, "PxCLB", 1));
    assert_false(model_registers_set(&registers, 0, "Reserved", 1));
}

static void runs_a_record(void **state)
{
    struct record record = {.count = COUNT_OF(own)};

    (void)state;
    memcpy(record.lines, own, sizeof own);
    assert_int_equal(run(&record), 1);
}

/* --- the corpus ------------------------------------------------------------------------------ */

/* "0x118: 0x00044016 (PxCMD)"; false for anything else, and for what has no name. */
static bool parse_line(const char *text, struct line *line)
{
    unsigned offset, value;

    if (sscanf(text, "0x%x: 0x%x (%15[A-Za-z0-9_])", &offset, &value, line->name) != 3 ||
        strcmp(line->name, "Reserved") == 0)
        return false;
    line->offset = offset;
    line->value = value;
    line->port = offset < AHCI_PORT_BASE ? -1 : (int)((offset - AHCI_PORT_BASE) / AHCI_PORT_STRIDE);
    return true;
}

/* A file holds one record or several, each beginning with CAP. */
static void run_file(const char *folder, const char *file)
{
    static struct record record;
    char path[1100], text[256];
    unsigned drives = 0;
    FILE *stream;

    assert_true(snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path);
    stream = fopen(path, "r");
    assert_non_null(stream);
    record.count = 0;
    while (fgets(text, sizeof text, stream) != NULL) {
        struct line line;

        if (!parse_line(text, &line))
            continue;
        if (line.offset == AHCI_CAP && record.count > 0) {
            drives += run(&record);
            record.count = 0;
        }
        assert_true(record.count < RECORD_LINES);
        record.lines[record.count++] = line;
    }
    fclose(stream);
    drives += run(&record);
    print_message("# %s: %u drives\n", file, drives);
}

static void runs_the_dumps_of_real_machines(void **state)
{
    (void)state;
    check_directory("ahci/registers", ".txt", run_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_registers_by_name),
        cmocka_unit_test(runs_a_record),
        cmocka_unit_test(runs_the_dumps_of_real_machines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
