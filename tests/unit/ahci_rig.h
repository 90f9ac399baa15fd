/* A controller of the model, the driver on it, and a buffer: what most AHCI tests begin with. */
#ifndef TESTS_UNIT_AHCI_RIG_H
#define TESTS_UNIT_AHCI_RIG_H

#include "drivers/ahci/ahci.h"
#include "drivers/ahci/regs.h"
#include "hw/dma.h"
#include "tests/model/personality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MIB    (UINT32_C(1) << 20)
#define SECOND MODEL_HZ
#define BUFFER (32 * MIB)

struct rig {
    struct model_hba *hba;
    struct ahci_controller controller;
    struct ahci_restored restored;
    struct hw_dma buffer;
    const char *reason;
};

static inline void rig_violation(const char *message)
{
    fail_msg("model violation %s", message);
}

static inline struct model_disk rig_disk(uint64_t sectors)
{
    return (struct model_disk){
        .kind = MODEL_DISK_ATA, .sectors = sectors, .queue_depth = 32, .command_ns = 20000};
}

static inline void rig_load(struct rig *rig, const struct model_chip *chip,
                            const struct model_disk *disks, unsigned count)
{
    model_reset();
    model_on_violation(rig_violation);
    memset(rig, 0, sizeof *rig);
    rig->hba = model_hba_load(chip, disks, count);
}

static inline void rig_build(struct rig *rig, enum model_personality personality,
                             const struct model_disk *disks, unsigned count)
{
    rig_load(rig, model_personality(personality), disks, count);
}

static inline enum status rig_attach(struct rig *rig)
{
    const struct ahci_attach_info info = {.window = model_hba_window(rig->hba),
                                          .clock = &model_clock,
                                          .vendor_id = model_hba_vendor(rig->hba),
                                          .device_id = model_hba_device(rig->hba)};

    return ahci_attach(&rig->controller, &info, &rig->reason);
}

/* Attaches, probes port 0 and allocates the buffer; the drive, which must be there. */
static inline struct drive *rig_drive(struct rig *rig)
{
    struct drive *drive;

    assert_int_equal(rig_attach(rig), STATUS_OK);
    assert_int_equal(ahci_port_probe(&rig->controller, 0), STATUS_OK);
    drive = ahci_port_drive(&rig->controller, 0);
    if (drive == NULL)
        fail_msg("port 0: %s (%s)", ahci_port_kind_name(rig->controller.ports[0].kind),
                 rig->controller.ports[0].reason);
    assert_int_equal(hw_dma_alloc(BUFFER, &rig->buffer), STATUS_OK);
    return drive;
}

/* Gives everything back and looks that nothing is left. */
static inline void rig_end(struct rig *rig)
{
    ahci_detach(&rig->controller, &rig->restored);
    hw_dma_free(&rig->buffer);
    assert_string_equal(rig->restored.reason, "");
    assert_int_equal(rig->restored.ports_differ, 0);
    assert_false(rig->restored.memory_abandoned);
    assert_false(model_hba_running(rig->hba));
    assert_int_equal(model_dma_live(), 0);
    model_reset();
}

/* One read in slot 0, at the start of the buffer. */
static inline enum status rig_read(struct rig *rig, struct drive *drive, uint64_t lba,
                                   uint32_t sectors, enum drive_command command)
{
    const struct drive_read read = {
        .lba = lba, .sectors = sectors, .command = command, .bus = rig->buffer.bus};
    struct drive_done done = {.slots = 0};
    uint64_t t0 = 0;
    enum status status;

    memset(rig->buffer.cpu, 0xee, sectors * drive->info.logical_bytes);
    status = drive->ops->prepare(drive, 0, &read);
    if (status == STATUS_OK)
        status = drive->ops->start(drive, 1, &t0);
    if (status == STATUS_OK)
        status = drive->ops->await(drive, 1, 10 * SECOND, &done);
    if (status == STATUS_OK) {
        assert_int_equal(done.slots, 1);
        assert_true(done.t1 > t0);
    }
    return status;
}

static inline void rig_read_checked(struct rig *rig, struct drive *drive, uint64_t lba,
                                    uint32_t sectors, enum drive_command command)
{
    assert_int_equal(rig_read(rig, drive, lba, sectors, command), STATUS_OK);
    assert_true(model_disk_matches(rig->buffer.cpu, sectors * drive->info.logical_bytes, lba,
                                   drive->info.logical_bytes));
}

#endif
