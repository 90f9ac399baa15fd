/*
 * Every controller of the model, one row each: taken over, all ports probed, two drives read, all
 * registers given back as they were found.
 */
#include "tests/unit/ahci_snapshot.h"

#include "drivers/ahci/quirks.h"

#define SECTORS (UINT64_C(5) << 30) /* 2.5 TiB */

static const struct row {
    enum model_personality personality;
    uint32_t ports;  /* that are probed */
    unsigned second; /* port of the second drive; the first is on port 0 */
    uint32_t ignored;
    uint32_t depth, sectors_max;
    uint8_t speed;
    uint32_t quirks; /* by which the driver must know it */
} rows[] = {
    {MODEL_ICH9_QEMU, 0x3f, 5, 0, 32, 65536, 1, 0},
    {MODEL_88SE9128_HBA, 0x3, 1, 0, 32, 65536, 3, AHCI_QUIRK_EARLY_READY},
    {MODEL_88SE9128_RAID, 0xff, 6, BIT32(7), 32, 65536, 3, AHCI_QUIRK_RAID},
    {MODEL_88SE9172, 0x3, 1, 0, 32, 65536, 3, AHCI_QUIRK_NO_FR_CR},
    {MODEL_88SE9230, 0xf, 3, 0, 32, 65536, 3, AHCI_QUIRK_FRE_CYCLE},
    {MODEL_88SE6121, 0x3, 1, 0, 0, 65536, 2,
     AHCI_QUIRK_NO_NCQ | AHCI_QUIRK_NO_PRDBC | AHCI_QUIRK_PATA_PORT},
    {MODEL_C216, 0x3f, 4, 0, 32, 65536, 3, 0},
    {MODEL_ASM1061, 0x3, 1, 0, 32, 65536, 3, AHCI_QUIRK_LOST_ERRORS},
    {MODEL_ASM1064, 0xffff0f, 3, 0, 32, 65536, 3, 0},
    {MODEL_SB600, 0xf, 3, 0, 32, 128, 2, AHCI_QUIRK_64_KIB},
    {MODEL_VT8251, 0xf, 2, 0, 0, 65536, 2, AHCI_QUIRK_NO_NCQ | AHCI_QUIRK_BUSY_STAYS},
    {MODEL_NFORCE, 0xf, 1, 0, 32, 65536, 2, AHCI_QUIRK_NO_FR_CR},
    {MODEL_JMB363, 0x3, 1, 0, 32, 65536, 2, 0},
    {MODEL_JMB585, 0x1f, 4, 0, 32, 65536, 3, 0},
    {MODEL_JMB585_HELD, 0x1f, 4, 0, 32, 65536, 3, 0},
};
_Static_assert(COUNT_OF(rows) + 1 == MODEL_PERSONALITIES, "all, but for the one that is all ones");

static struct row row;

/* Says which row a check failed in. */
static int name_the_row(void **state)
{
    (void)state;
    print_message("last: %s\n", model_personality_name(row.personality));
    return 0;
}

static void build(struct rig *rig, struct snapshot *before)
{
    struct model_disk disks[AHCI_PORTS_MAX] = {{.kind = MODEL_DISK_NONE}};

    disks[0] = disks[row.second] = rig_disk(SECTORS);
    disks[row.second].model = "SECOND DISK";
    disks[row.second].busy_as_found = true;
    disks[row.second].order = MODEL_ORDER_RANDOM;
    rig_build(rig, row.personality, disks, AHCI_PORTS_MAX);
    snapshot_take(rig->hba, before);
    assert_int_equal(rig_attach(rig), STATUS_OK);
    assert_int_equal(hw_dma_alloc(BUFFER, &rig->buffer), STATUS_OK);
}

static void probe_all(struct rig *rig)
{
    assert_int_equal(rig->controller.pi, row.ports);
    for (unsigned i = 0; i < AHCI_PORTS_MAX; i++) {
        bool present = (row.ports >> i & 1) != 0;
        enum ahci_port_kind want = AHCI_PORT_ABSENT;

        if (present)
            want = i == 0 || i == row.second ? AHCI_PORT_DRIVE : AHCI_PORT_EMPTY;
        if ((row.ignored >> i & 1) != 0)
            want = AHCI_PORT_IGNORED;
        assert_int_equal(ahci_port_probe(&rig->controller, i), STATUS_OK);
        if (rig->controller.ports[i].kind != want)
            fail_msg("port %u: %s (%s)", i, ahci_port_kind_name(rig->controller.ports[i].kind),
                     rig->controller.ports[i].reason);
    }
}

/* As many queued reads at once as the drive takes, each to a place of its own. */
static void read_queued(struct rig *rig, struct drive *drive)
{
    uint32_t left = UINT32_MAX >> (32 - row.depth);
    struct drive_done done;
    uint64_t t0;

    memset(rig->buffer.cpu, 0xee, row.depth * 4096);
    for (unsigned slot = 0; slot < row.depth; slot++) {
        const struct drive_read read = {.lba = SECTORS - 8 - 4711 * slot,
                                        .sectors = 8,
                                        .command = DRIVE_READ_QUEUED,
                                        .bus = rig->buffer.bus + slot * 4096};

        assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
    }
    assert_int_equal(drive->ops->start(drive, left, &t0), STATUS_OK);
    while (left != 0) {
        assert_int_equal(drive->ops->await(drive, left, SECOND, &done), STATUS_OK);
        left &= ~done.slots;
    }
    for (unsigned slot = 0; slot < row.depth; slot++)
        assert_true(model_disk_matches((uint8_t *)rig->buffer.cpu + slot * 4096, 4096,
                                       SECTORS - 8 - 4711 * slot, 512));
}

static void read_drive(struct rig *rig, struct drive *drive, const char *model)
{
    const struct drive_read too_much = {
        .sectors = row.sectors_max + 1, .command = DRIVE_READ_DMA, .bus = rig->buffer.bus};

    assert_string_equal(drive->info.model, model);
    assert_int_equal(drive->info.sectors, SECTORS);
    assert_int_equal(drive->info.queue_depth, row.depth);
    assert_int_equal(drive->info.link_speed, row.speed);
    assert_int_equal(drive->info.command_sectors_max, row.sectors_max);
    assert_true(drive->info.checksum_valid);
    rig_read_checked(rig, drive, 0, 8, DRIVE_READ_DMA);
    rig_read_checked(rig, drive, SECTORS - 1, 1, DRIVE_READ_DMA);
    rig_read_checked(rig, drive, 123456789, row.sectors_max, DRIVE_READ_DMA);
    assert_int_equal(drive->ops->prepare(drive, 0, &too_much), STATUS_INVALID);
    if (row.depth == 0)
        return;
    rig_read_checked(rig, drive, 987654321, row.sectors_max, DRIVE_READ_QUEUED);
    read_queued(rig, drive);
}

static void reads_and_gives_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct snapshot before;
        static struct rig rig;

        row = rows[i];
        build(&rig, &before);
        probe_all(&rig);
        read_drive(&rig, ahci_port_drive(&rig.controller, 0), "MODEL DISK");
        read_drive(&rig, ahci_port_drive(&rig.controller, row.second), "SECOND DISK");
        assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_DEVICE), 2);
        assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_PACKET_DEVICE), 0);
        ahci_detach(&rig.controller, &rig.restored);
        snapshot_compare(rig.hba, &before);
        assert_int_equal(rig.restored.ports_restored, row.ports & ~row.ignored);
        assert_int_equal(rig.controller.quirks & row.quirks, row.quirks);
        rig_end(&rig);
    }
}

/* The bits that a firmware may have set in registers of its ports, each at a place of its own. */
static void leave_settings(struct model_hba *hba, unsigned port)
{
    uint32_t cap2 =
        model_hba_peek(hba, AHCI_VS) >= AHCI_VS_1_2 ? model_hba_peek(hba, AHCI_CAP2) : 0;
    uint32_t base = AHCI_PORT_BASE + port * AHCI_PORT_STRIDE;
    uint32_t cmd = AHCI_PX_CMD_SUD | AHCI_PX_CMD_POD | AHCI_PX_CMD_ALPE | AHCI_PX_CMD_ASP |
                   AHCI_PX_CMD_DLAE | AHCI_PX_CMD_ATAPI;

    if ((cap2 & AHCI_CAP2_APST) != 0)
        cmd |= AHCI_PX_CMD_APSTE;
    if ((cap2 & AHCI_CAP2_SDS) != 0)
        model_hba_poke(hba, base + AHCI_PX_DEVSLP, 0x1e001453 | AHCI_PX_DEVSLP_ADSE);
    model_hba_poke(hba, base + AHCI_PX_IE, 0x7dc0007f);
    model_hba_poke(hba, base + AHCI_PX_SCTL, 0x120);
    /* An operating system left port 0 running. */
    if (port == 0)
        cmd |= AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE;
    model_hba_poke(hba, base + AHCI_PX_CMD, cmd);
}

static void gives_back_unusual_settings(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct model_disk disks[AHCI_PORTS_MAX] = {{.kind = MODEL_DISK_NONE}};
        struct snapshot before;
        static struct rig rig;
        struct drive *drive;

        row = rows[i];
        disks[0] = disks[row.second] = rig_disk(SECTORS);
        rig_build(&rig, row.personality, disks, AHCI_PORTS_MAX);
        for (unsigned port = 0; port < AHCI_PORTS_MAX; port++)
            if ((row.ports & ~row.ignored) >> port & 1)
                leave_settings(rig.hba, port);
        snapshot_take(rig.hba, &before);
        drive = rig_drive(&rig);
        /* Speed stays as it was limited; the link does not sleep while it is measured. */
        assert_int_equal(model_hba_peek(rig.hba, AHCI_PORT_BASE + AHCI_PX_SCTL), 0x320);
        assert_int_equal(model_hba_peek(rig.hba, AHCI_PORT_BASE + AHCI_PX_CMD) & AHCI_PX_CMD_ALPE,
                         0);
        assert_int_equal(
            model_hba_peek(rig.hba, AHCI_PORT_BASE + AHCI_PX_DEVSLP) & AHCI_PX_DEVSLP_ADSE, 0);
        rig_read_checked(&rig, drive, 9, 8, DRIVE_READ_DMA);
        ahci_detach(&rig.controller, &rig.restored);
        snapshot_compare(rig.hba, &before);
        rig_end(&rig);
    }
}

static void leaves_one_that_is_all_ones(void **state)
{
    static struct rig rig;

    (void)state;
    row.personality = MODEL_ALL_ONES;
    rig_build(&rig, MODEL_ALL_ONES, NULL, 0);
    assert_int_equal(rig_attach(&rig), STATUS_GONE);
    assert_string_equal(rig.reason, "its registers read as all ones");
    ahci_detach(&rig.controller, &rig.restored);
    assert_int_equal(model_dma_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reads_and_gives_back, name_the_row),
        cmocka_unit_test_teardown(gives_back_unusual_settings, name_the_row),
        cmocka_unit_test_teardown(leaves_one_that_is_all_ones, name_the_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
