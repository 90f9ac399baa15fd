/* That the model is as strict as it says: each misuse of an AHCI controller is a violation. */
#include "drivers/ahci/port.h"
#include "hw/dma.h"
#include "tests/unit/ahci_rig.h"

static jmp_buf caught;
static char message[256];

static void catch (const char *text)
{
    strncpy(message, text, sizeof message - 1);
    longjmp(caught, 1);
}

/* A drive on a running port, ready to be misused. */
static struct rig rig;
static struct drive *drive;
static struct ahci_port *port;

static void make_victim(enum model_personality personality)
{
    const struct model_disk disk = rig_disk(1 << 20);
    const struct drive_read read = {.sectors = 8, .command = DRIVE_READ_QUEUED, .bus = 0};
    struct drive_read good = read;

    rig_build(&rig, personality, &disk, 1);
    drive = rig_drive(&rig);
    port = &rig.controller.ports[0];
    good.bus = rig.buffer.bus;
    if (drive->info.queue_depth == 0)
        good.command = DRIVE_READ_DMA;
    assert_int_equal(drive->ops->prepare(drive, 0, &good), STATUS_OK);
    model_on_violation(catch);
}

static void set(uint32_t reg, uint32_t value)
{
    ahci_port_write(port, reg, value);
}

static struct ahci_table *table(void)
{
    return ahci_port_slot(port, 0).table;
}

static void issue(void)
{
    set(AHCI_PX_SACT, 1);
    set(AHCI_PX_CI, 1);
}

static void unknown_register(void)
{
    set(0x7c, 0);
}

static void beyond_the_window(void)
{
    (void)hw_reg_read(&port->controller->window, 2048);
}

static void unaligned(void)
{
    (void)hw_reg_read(&port->controller->window, 2);
}

static void absent_port(void)
{
    (void)hw_reg_read(&port->controller->window, 0x200);
}

static void read_only_register(void)
{
    set(AHCI_PX_SSTS, 0);
}

static void reserved_bit(void)
{
    set(AHCI_PX_CMD, AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE | BIT32(5));
}

static void clo_not_offered(void)
{
    set(AHCI_PX_CMD, AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE | AHCI_PX_CMD_CLO);
}

static void apste_not_offered(void)
{
    set(AHCI_PX_CMD, AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE | AHCI_PX_CMD_APSTE);
}

static void devslp_not_offered(void)
{
    set(AHCI_PX_DEVSLP, AHCI_PX_DEVSLP_ADSE);
}

static void bohc_not_offered(void)
{
    hw_reg_write(&port->controller->window, AHCI_BOHC, AHCI_BOHC_OOS);
}

static void cap2_before_1_2(void)
{
    (void)hw_reg_read(&port->controller->window, AHCI_CAP2);
}

static void fre_cleared_while_running(void)
{
    set(AHCI_PX_CMD, AHCI_PX_CMD_ST);
}

static void base_changed_while_running(void)
{
    set(AHCI_PX_CLB, 0);
}

static void area_changed_while_running(void)
{
    set(AHCI_PX_FB, 0);
}

static void reset_while_running(void)
{
    set(AHCI_PX_SCTL, 1);
}

static void command_to_stopped_engine(void)
{
    set(AHCI_PX_CMD, AHCI_PX_CMD_FRE);
    set(AHCI_PX_CI, 1);
}

static void st_before_cr_fell(void)
{
    set(AHCI_PX_CMD, AHCI_PX_CMD_FRE);
    set(AHCI_PX_CMD, AHCI_PX_CMD_FRE | AHCI_PX_CMD_ST);
}

static void unaligned_list(void)
{
    assert_int_equal(ahci_port_stop(port), STATUS_OK);
    set(AHCI_PX_CLB, (uint32_t)port->memory.bus + 512);
    set(AHCI_PX_CMD, AHCI_PX_CMD_FRE | AHCI_PX_CMD_ST);
}

static void list_outside_of_memory(void)
{
    assert_int_equal(ahci_port_stop(port), STATUS_OK);
    set(AHCI_PX_CLB, (uint32_t)port->memory.bus + AHCI_MEMORY_BYTES);
    set(AHCI_PX_CMD, AHCI_PX_CMD_FRE | AHCI_PX_CMD_ST);
}

static void write_bit(void)
{
    ahci_port_slot(port, 0).header->dw0 |= AHCI_HEADER_W;
    issue();
}

static void write_opcode(void)
{
    table()->cfis[2] = 0x61;
    issue();
}

static void queued_without_sact(void)
{
    set(AHCI_PX_CI, 1);
}

static void wrong_tag(void)
{
    table()->cfis[12] = 1 << 3;
    issue();
}

static void odd_address(void)
{
    table()->prd[0].dba |= 1;
    issue();
}

static void foreign_address(void)
{
    table()->prd[0].dba = 0x1000;
    issue();
}

static void cpu_address_on_the_bus(void)
{
    table()->prd[0].dba = (uint32_t)(uintptr_t)rig.buffer.cpu;
    issue();
}

static void wrong_amount(void)
{
    table()->prd[0].dbc -= 512;
    issue();
}

static void beyond_the_end(void)
{
    table()->cfis[AHCI_FIS_LBA_EXP] = 1;
    issue();
}

static void slot_used_twice(void)
{
    issue();
    issue();
}

static void memory_freed_while_running(void)
{
    hw_dma_free(&port->memory);
}

/* --- on controllers that are special --- */

static void console_written(void)
{
    hw_reg_write(&port->controller->window, 0x100 + 7 * 0x80 + AHCI_PX_IE, 0);
}

static void foreign_port_read(void)
{
    (void)hw_reg_read(&port->controller->window, 0x200 + AHCI_PX_SSTS);
}

static void clo_while_running(void)
{
    set(AHCI_PX_CMD, AHCI_PX_CMD_ST | AHCI_PX_CMD_FRE | AHCI_PX_CMD_CLO);
}

static void sleep_while_running(void)
{
    set(AHCI_PX_DEVSLP, AHCI_PX_DEVSLP_ADSE);
}

static void ownership_of_the_firmware_ended(void)
{
    hw_reg_write(&port->controller->window, AHCI_BOHC, AHCI_BOHC_OOS);
}

static void command_of_128_kib(void)
{
    table()->cfis[3] = 0; /* 256 sectors */
    table()->cfis[11] = 1;
    issue();
}

static void check_noticed(enum model_personality personality, void (*misuse)(void))
{
    make_victim(personality);
    if (setjmp(caught) == 0) {
        misuse();
        fail_msg("after: %s", message);
    }
    print_message("%s\n", message);
}

static void is_strict(void **state)
{
    static void (*const misuses[])(void) = {
        unknown_register,
        beyond_the_window,
        unaligned,
        absent_port,
        read_only_register,
        reserved_bit,
        clo_not_offered,
        apste_not_offered,
        devslp_not_offered,
        bohc_not_offered,
        cap2_before_1_2,
        fre_cleared_while_running,
        base_changed_while_running,
        area_changed_while_running,
        reset_while_running,
        command_to_stopped_engine,
        st_before_cr_fell,
        unaligned_list,
        list_outside_of_memory,
        write_bit,
        write_opcode,
        queued_without_sact,
        wrong_tag,
        odd_address,
        foreign_address,
        cpu_address_on_the_bus,
        wrong_amount,
        beyond_the_end,
        slot_used_twice,
        memory_freed_while_running,
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(misuses); i++)
        check_noticed(MODEL_88SE9128_HBA, misuses[i]);
    model_reset();
}

static void is_strict_about_peculiarities(void **state)
{
    static const struct {
        enum model_personality personality;
        void (*misuse)(void);
    } cases[] = {
        {MODEL_88SE9128_RAID, console_written},
        {MODEL_88SE6121, foreign_port_read},
        {MODEL_C216, clo_while_running},
        {MODEL_ASM1064, sleep_while_running},
        {MODEL_JMB585_HELD, ownership_of_the_firmware_ended},
        {MODEL_SB600, command_of_128_kib},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_noticed(cases[i].personality, cases[i].misuse);
    model_reset();
}

/* The untouched command is fine: what the misuses changed is what was noticed. */
static void accepts_proper_use(void **state)
{
    struct drive_done done;
    uint64_t t0;

    (void)state;
    make_victim(MODEL_88SE9128_HBA);
    model_on_violation(rig_violation);
    assert_int_equal(drive->ops->start(drive, 1, &t0), STATUS_OK);
    assert_int_equal(drive->ops->await(drive, 1, SECOND, &done), STATUS_OK);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_strict),
        cmocka_unit_test(is_strict_about_peculiarities),
        cmocka_unit_test(accepts_proper_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
