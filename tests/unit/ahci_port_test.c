/* The AHCI driver against the register model: taking over, kinds of ports, reading, giving back. */
#include "tests/unit/ahci_rig.h"

static const uint64_t gib = UINT64_C(2) << 20; /* in sectors of 512 bytes */

static enum ahci_port_kind kind_of(struct rig *rig, unsigned port)
{
    assert_int_equal(ahci_port_probe(&rig->controller, port), STATUS_OK);
    return rig->controller.ports[port].kind;
}

static void names_every_kind_of_port(void **state)
{
    const struct model_disk disks[] = {
        {.kind = MODEL_DISK_NONE},
        {.kind = MODEL_DISK_ATAPI, .model = "MODEL CD"},
        {.kind = MODEL_DISK_MULTIPLIER},
        {.kind = MODEL_DISK_ENCLOSURE},
        {.kind = MODEL_DISK_ATA, .sectors = gib, .identify_fails = true},
        {.kind = MODEL_DISK_ATA,
         .sectors = gib,
         .ready_ns = UINT64_C(60000000000),
         .busy_as_found = true},
    };
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_ICH9_QEMU, disks, COUNT_OF(disks));
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    assert_int_equal(kind_of(&rig, 0), AHCI_PORT_EMPTY);
    assert_int_equal(kind_of(&rig, 1), AHCI_PORT_ATAPI);
    assert_string_equal(rig.controller.ports[1].drive.info.model, "MODEL CD");
    assert_int_equal(kind_of(&rig, 2), AHCI_PORT_MULTIPLIER);
    assert_int_equal(kind_of(&rig, 3), AHCI_PORT_ENCLOSURE);
    assert_int_equal(kind_of(&rig, 4), AHCI_PORT_NO_IDENTIFY);
    assert_int_equal(kind_of(&rig, 5), AHCI_PORT_NOT_READY);
    assert_int_equal(kind_of(&rig, 6), AHCI_PORT_ABSENT);
    for (unsigned i = 0; i < 6; i++) {
        assert_string_not_equal(rig.controller.ports[i].reason, "");
        assert_null(ahci_port_drive(&rig.controller, i));
    }
    rig_end(&rig);
}

static void empty_ports_share_one_wait(void **state)
{
    struct rig rig;
    uint64_t start;

    (void)state;
    rig_build(&rig, MODEL_ICH9_QEMU, NULL, 0);
    start = model_now_ns();
    assert_int_equal(rig_attach(&rig), STATUS_OK);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(kind_of(&rig, i), AHCI_PORT_EMPTY);
    assert_true(model_now_ns() - start < 500000000);
    rig_end(&rig);
}

static void leaves_the_raid_console_alone(void **state)
{
    const struct model_disk disk = rig_disk(gib);
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_RAID, &disk, 1);
    rig_drive(&rig);
    assert_int_equal(kind_of(&rig, 7), AHCI_PORT_IGNORED);
    assert_int_equal(model_hba_commands(rig.hba, ATA_IDENTIFY_PACKET_DEVICE), 0);
    rig_end(&rig);
}

static void knows_array_volumes(void **state)
{
    struct model_disk disk = rig_disk(gib);
    const struct drive_read read = {.sectors = 8192, .command = DRIVE_READ_DMA};
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.model = "MARVELL Raid VD";
    disk.sectors_max = 8191;
    rig_build(&rig, MODEL_88SE9128_RAID, &disk, 1);
    drive = rig_drive(&rig);
    assert_int_equal(drive->info.command_sectors_max, 8191);
    rig_read_checked(&rig, drive, 1, 8191, DRIVE_READ_DMA);
    assert_int_equal(drive->ops->prepare(drive, 0, &read), STATUS_INVALID);
    rig_end(&rig);
}

static void keeps_no_serial_number(void **state)
{
    const struct model_disk disk = rig_disk(gib);
    struct rig rig;
    const struct ahci_port *port = &rig.controller.ports[0];

    (void)state;
    rig_build(&rig, MODEL_ICH9_QEMU, &disk, 1);
    rig_drive(&rig);
    assert_int_equal(port->identify[0], 0x0040);
    for (unsigned i = 10; i < 20; i++)
        assert_int_equal(port->identify[i], 0);
    for (unsigned i = 108; i < 112; i++)
        assert_int_equal(port->identify[i], 0);
    rig_end(&rig);
}

static void reads_32_mib_in_one_command(void **state)
{
    const struct model_disk disk = rig_disk(gib);
    struct drive *drive;
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    assert_int_equal(drive->info.command_sectors_max, 65536);
    rig_read_checked(&rig, drive, 3, 65536, DRIVE_READ_DMA);
    rig_read_checked(&rig, drive, 70000, 65536, DRIVE_READ_QUEUED);
    rig_read_checked(&rig, drive, 5, 8193, DRIVE_READ_QUEUED);
    rig_end(&rig);
}

static void reads_beyond_2_tib(void **state)
{
    const struct model_disk disk = rig_disk(UINT64_C(5860533168));
    struct drive *drive;
    struct rig rig;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    rig_read_checked(&rig, drive, UINT64_C(5860533167), 1, DRIVE_READ_DMA);
    rig_read_checked(&rig, drive, UINT64_C(4294967295), 2, DRIVE_READ_QUEUED);
    rig_end(&rig);
}

static void reads_a_28_bit_drive(void **state)
{
    struct model_disk disk = rig_disk(UINT64_C(0x0fffffff));
    const struct drive_read read = {.sectors = 257, .command = DRIVE_READ_DMA};
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.no_lba48 = true;
    disk.queue_depth = 0;
    rig_build(&rig, MODEL_ICH9_QEMU, &disk, 1);
    drive = rig_drive(&rig);
    assert_false(drive->info.lba48);
    assert_int_equal(drive->info.queue_depth, 0);
    rig_read_checked(&rig, drive, 0x0ffffffe, 1, DRIVE_READ_DMA);
    rig_read_checked(&rig, drive, 0x01234567, 256, DRIVE_READ_DMA);
    assert_int_equal(drive->ops->prepare(drive, 0, &read), STATUS_INVALID);
    assert_int_equal(model_hba_commands(rig.hba, ATA_READ_DMA_EXT), 0);
    rig_end(&rig);
}

static void reads_4096_byte_sectors(void **state)
{
    struct model_disk disk = rig_disk(gib);
    struct drive *drive;
    struct rig rig;

    (void)state;
    disk.logical_bytes = 4096;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    assert_int_equal(drive->info.logical_bytes, 4096);
    assert_int_equal(drive->info.command_sectors_max, 8192);
    rig_read_checked(&rig, drive, gib - 8192, 8192, DRIVE_READ_QUEUED);
    rig_end(&rig);
}

static void refuses_bad_reads(void **state)
{
    const struct model_disk disk = rig_disk(gib);
    struct drive_read bad[] = {
        {.lba = 0, .sectors = 0, .bus = 0x1000},
        {.lba = 0, .sectors = 65537, .bus = 0x1000},
        {.lba = gib, .sectors = 1, .bus = 0x1000},
        {.lba = gib - 1, .sectors = 2, .bus = 0x1000},
        {.lba = UINT64_MAX, .sectors = 2, .bus = 0x1000},
        {.lba = 0, .sectors = 1, .bus = 0x1001},
        {.lba = 0, .sectors = 2, .bus = 0xfffffe00},
        {.lba = 0, .sectors = 1, .bus = UINT64_C(0x100000000)},
    };
    const struct drive_read good = {.lba = 0, .sectors = 1, .bus = 0x1000};
    struct drive_done done;
    struct drive *drive;
    struct rig rig;
    uint64_t t0;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    for (unsigned i = 0; i < COUNT_OF(bad); i++) {
        bad[i].command = DRIVE_READ_DMA;
        assert_int_equal(drive->ops->prepare(drive, 0, &bad[i]), STATUS_INVALID);
        bad[i].command = DRIVE_READ_QUEUED;
        assert_int_equal(drive->ops->prepare(drive, 31, &bad[i]), STATUS_INVALID);
    }
    assert_int_equal(drive->ops->prepare(drive, 1, &good), STATUS_INVALID);
    assert_int_equal(drive->ops->start(drive, 0, &t0), STATUS_INVALID);
    assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_INVALID);
    assert_int_equal(drive->ops->await(drive, 1, SECOND, &done), STATUS_INVALID);
    rig_end(&rig);
}

static void never_mixes_queued_and_other_commands(void **state)
{
    const struct model_disk disk = rig_disk(gib);
    struct drive_read read = {.sectors = 8};
    struct drive_done done;
    struct drive *drive;
    struct rig rig;
    uint64_t t0;

    (void)state;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    read.bus = rig.buffer.bus;
    assert_int_equal(drive->ops->prepare(drive, 0, &read), STATUS_OK);
    read.command = DRIVE_READ_QUEUED;
    assert_int_equal(drive->ops->prepare(drive, 1, &read), STATUS_OK);
    assert_int_equal(drive->ops->start(drive, 3, &t0), STATUS_INVALID);
    assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_OK);
    assert_int_equal(drive->ops->start(drive, 2, &t0), STATUS_INVALID);
    assert_int_equal(drive->ops->await(drive, 1, SECOND, &done), STATUS_OK);
    assert_int_equal(drive->ops->start(drive, 2, &t0), STATUS_OK);
    read.command = DRIVE_READ_DMA;
    assert_int_equal(drive->ops->prepare(drive, 0, &read), STATUS_OK);
    assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_INVALID);
    assert_int_equal(drive->ops->await(drive, 2, SECOND, &done), STATUS_OK);
    rig_end(&rig);
}

/* 500 reads of 4 KiB over 32 slots, refilled as they complete; each lands where it should. */
static void queue_32_deep(enum model_order order)
{
    struct model_disk disk = rig_disk(gib);
    uint64_t lba[32], begun = 0, finished = 0;
    struct drive *drive;
    struct rig rig;
    uint32_t idle = UINT32_MAX;

    disk.order = order;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    while (finished < 500) {
        uint32_t fresh = 0;
        struct drive_done done;
        uint64_t t0;

        for (unsigned slot = 0; slot < 32 && begun < 500; slot++) {
            struct drive_read read = {.sectors = 8, .command = DRIVE_READ_QUEUED};

            if ((idle >> slot & 1) == 0)
                continue;
            lba[slot] = read.lba = begun++ * 7919 % (gib - 8);
            read.bus = rig.buffer.bus + slot * 4096;
            assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
            fresh |= BIT32(slot);
        }
        idle &= ~fresh;
        if (fresh != 0)
            assert_int_equal(drive->ops->start(drive, fresh, &t0), STATUS_OK);
        assert_int_equal(drive->ops->await(drive, ~idle, SECOND, &done), STATUS_OK);
        assert_int_equal(done.slots & idle, 0);
        assert_int_not_equal(done.slots, 0);
        for (unsigned slot = 0; slot < 32; slot++) {
            if ((done.slots >> slot & 1) == 0)
                continue;
            assert_true(
                model_disk_matches((uint8_t *)rig.buffer.cpu + slot * 4096, 4096, lba[slot], 512));
            finished++;
        }
        idle |= done.slots;
    }
    assert_int_equal(model_hba_most_outstanding(rig.hba), 32);
    rig_end(&rig);
}

static void queues_in_order(void **state)
{
    (void)state;
    queue_32_deep(MODEL_ORDER_FIFO);
}

static void queues_out_of_order(void **state)
{
    (void)state;
    queue_32_deep(MODEL_ORDER_LIFO);
    queue_32_deep(MODEL_ORDER_RANDOM);
}

/* The time a command took is known to the model; what is measured may exceed it by one look. */
static void measures_the_true_time(void **state)
{
    static const uint64_t truth_ns[] = {1500, 20000, 333333, 12000000};

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(truth_ns); i++) {
        struct model_disk disk = rig_disk(gib);
        struct drive_read read = {.sectors = 8, .command = DRIVE_READ_QUEUED};
        struct drive_done done;
        struct drive *drive;
        struct rig rig;
        uint64_t t0, ns;

        disk.command_ns = truth_ns[i];
        rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
        drive = rig_drive(&rig);
        read.bus = rig.buffer.bus;
        assert_int_equal(drive->ops->prepare(drive, 0, &read), STATUS_OK);
        assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_OK);
        assert_int_equal(drive->ops->await(drive, 1, SECOND, &done), STATUS_OK);
        ns = hw_clock_ns(&model_clock, done.t1 - t0);
        assert_in_range(ns, truth_ns[i], truth_ns[i] + 2500);
        rig_end(&rig);
    }
}

/* Register accesses are all that a command costs: three for a queued one that is ready at once. */
static void needs_few_register_accesses(void **state)
{
    struct model_disk disk = rig_disk(gib);
    struct drive_read read = {.sectors = 8, .command = DRIVE_READ_QUEUED};
    struct drive_done done;
    struct drive *drive;
    struct rig rig;
    uint64_t t0, before;

    (void)state;
    disk.command_ns = 1;
    rig_build(&rig, MODEL_88SE9128_HBA, &disk, 1);
    drive = rig_drive(&rig);
    read.bus = rig.buffer.bus;
    for (unsigned slot = 0; slot < 32; slot++)
        assert_int_equal(drive->ops->prepare(drive, slot, &read), STATUS_OK);
    before = model_hba_accesses(rig.hba);
    assert_int_equal(drive->ops->start(drive, UINT32_MAX, &t0), STATUS_OK);
    assert_int_equal(drive->ops->await(drive, UINT32_MAX, SECOND, &done), STATUS_OK);
    assert_int_equal(done.slots, UINT32_MAX);
    assert_int_equal(model_hba_accesses(rig.hba) - before, 3);
    rig_end(&rig);
}

/* Attach either works or leaves nothing, whichever allocation fails. */
static void survives_lack_of_memory(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 6; n++) {
        struct rig rig;

        rig_build(&rig, MODEL_ICH9_QEMU, NULL, 0);
        model_dma_fail_at(n);
        assert_int_equal(rig_attach(&rig), STATUS_NO_MEMORY);
        assert_string_not_equal(rig.reason, "");
        assert_int_equal(model_dma_live(), 0);
        assert_false(model_hba_running(rig.hba));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_every_kind_of_port),
        cmocka_unit_test(empty_ports_share_one_wait),
        cmocka_unit_test(leaves_the_raid_console_alone),
        cmocka_unit_test(knows_array_volumes),
        cmocka_unit_test(keeps_no_serial_number),
        cmocka_unit_test(reads_32_mib_in_one_command),
        cmocka_unit_test(reads_beyond_2_tib),
        cmocka_unit_test(reads_a_28_bit_drive),
        cmocka_unit_test(reads_4096_byte_sectors),
        cmocka_unit_test(refuses_bad_reads),
        cmocka_unit_test(never_mixes_queued_and_other_commands),
        cmocka_unit_test(queues_in_order),
        cmocka_unit_test(queues_out_of_order),
        cmocka_unit_test(measures_the_true_time),
        cmocka_unit_test(needs_few_register_accesses),
        cmocka_unit_test(survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
