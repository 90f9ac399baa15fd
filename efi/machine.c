/* Facts about the machine. */
#include "efi/machine.h"

#include "base/bits.h"
#include "base/random.h"
#include "base/text.h"
#include "efi/firmware.h"
#include "efi/hw.h"
#include "efi/pure/cpu.h"
#include "efi/pure/smbios.h"

#define CPUID_HYPERVISOR BIT32(31)

/* All memory is mapped one to one while boot services run (UEFI 2.10, section 2.3.4). */
static const void *map_physical(void *context, uint64_t physical, size_t bytes)
{
    (void)context;
    if (physical == 0 || physical + bytes < physical)
        return NULL;
    return (const void *)(UINTN)physical;
}

static const struct pci_acpi_memory memory = {map_physical, NULL};

static uint64_t rsdp_address(void)
{
    static const EFI_GUID acpi20 = ACPI_20_TABLE_GUID;
    static const EFI_GUID acpi10 = ACPI_TABLE_GUID;
    const void *rsdp = firmware_table(&acpi20);

    if (rsdp == NULL)
        rsdp = firmware_table(&acpi10);
    return (UINTN)rsdp;
}

enum status machine_acpi_table(const char signature[4], const uint8_t **ret_table,
                               size_t *ret_bytes)
{
    return pci_acpi_find(&memory, rsdp_address(), signature, ret_table, ret_bytes);
}

void machine_read_mcfg(struct pci_host *host, const char **ret_note)
{
    const uint8_t *table;
    size_t bytes;
    uint32_t dropped;
    enum status status = machine_acpi_table("MCFG", &table, &bytes);

    *host = (struct pci_host){.ecam_count = 0};
    *ret_note = "";
    if (status == STATUS_NOT_FOUND)
        return;
    if (status == STATUS_OK)
        status = pci_acpi_mcfg(table, bytes, host, &dropped);
    if (status == STATUS_INVALID)
        *ret_note = "ACPI table MCFG is malformed: configuration space by ports only";
    else if (status == STATUS_FULL)
        *ret_note = "ACPI table MCFG has more entries than are used";
    else if (status == STATUS_OK && dropped > 0)
        *ret_note = "ACPI table MCFG has impossible entries, which were left out";
    if (!pci_config_check_ecam(host))
        *ret_note = "ACPI table MCFG leads astray: configuration space by ports only";
}

enum status machine_pm_timer(struct pci_acpi_pm_timer *ret_timer)
{
    const uint8_t *table;
    size_t bytes;
    enum status status = machine_acpi_table("FACP", &table, &bytes);

    if (status != STATUS_OK)
        return status;
    return pci_acpi_fadt_pm_timer(table, bytes, ret_timer);
}

void machine_smbios(struct result_smbios *facts, const char **ret_note)
{
    static const EFI_GUID guids[] = {SMBIOS3_TABLE_GUID, SMBIOS_TABLE_GUID};
    enum status status = STATUS_NOT_FOUND;

    *facts = (struct result_smbios){.slot_count = 0};
    *ret_note = "";
    /* The old tables, if there are both, cannot say more than the new ones. */
    for (size_t i = 0; i < COUNT_OF(guids); i++) {
        const void *entry = firmware_table(&guids[i]);

        if (entry == NULL)
            continue;
        status = smbios_read(&memory, (UINTN)entry, facts);
        if (status != STATUS_INVALID)
            break;
    }
    if (status == STATUS_INVALID)
        *ret_note = "SMBIOS is malformed: what it says of the machine is incomplete";
    else if (status == STATUS_FULL)
        *ret_note = "SMBIOS has more slots than are listed";
}

void machine_cpu(struct result_cpu *ret_cpu)
{
    struct cpu_leaves leaves = {0};
    uint32_t r[4];

    hw_cpuid(0, 0, leaves.vendor);
    hw_cpuid(1, 0, r);
    leaves.signature = r[0];
    hw_cpuid(CPU_LEAF_EXTENDED, 0, r);
    leaves.extended_max = r[0];
    if (leaves.extended_max >= CPU_LEAF_NAME + 2)
        for (uint32_t i = 0; i < 3; i++)
            hw_cpuid(CPU_LEAF_NAME + i, 0, leaves.name[i]);
    cpu_decode(&leaves, ret_cpu);
}

bool machine_virtual(void)
{
    uint32_t r[4];

    hw_cpuid(1, 0, r);
    return (r[2] & CPUID_HYPERVISOR) != 0;
}

void machine_firmware(char *buffer, uint32_t capacity)
{
    const CHAR16 *vendor = firmware.system->FirmwareVendor;
    struct text text;

    text_init(&text, buffer, capacity);
    for (UINTN i = 0; vendor != NULL && vendor[i] != 0 && !text.truncated; i++)
        text_char(&text, vendor[i] >= ' ' && vendor[i] <= '~' ? (char)vendor[i] : '?');
}

int machine_secure_boot(void)
{
    EFI_GUID global = EFI_GLOBAL_VARIABLE;
    CHAR16 name[] = L"SecureBoot";
    uint8_t value = 0;
    UINTN size = sizeof value;

    if (EFI_ERROR(
            firmware.system->RuntimeServices->GetVariable(name, &global, NULL, &size, &value)))
        return -1;
    return value == 1 ? 1 : 0;
}

void machine_time(struct machine_time *ret_time)
{
    EFI_TIME time;

    *ret_time = (struct machine_time){.known = false};
    if (EFI_ERROR(firmware.system->RuntimeServices->GetTime(&time, NULL)))
        return;
    if (time.Year < 1998 || time.Year > 2099 || time.Month < 1 || time.Month > 12 || time.Day < 1 ||
        time.Day > 31 || time.Hour > 23 || time.Minute > 59 || time.Second > 59)
        return;
    ret_time->known = true;
    ret_time->year = time.Year;
    ret_time->month = time.Month;
    ret_time->day = time.Day;
    ret_time->hour = time.Hour;
    ret_time->minute = time.Minute;
    ret_time->second = time.Second;
    ret_time->zone_known = time.TimeZone >= -1440 && time.TimeZone <= 1440;
    ret_time->zone_minutes = ret_time->zone_known ? time.TimeZone : 0;
}

void machine_random(uint64_t ret_bits[2])
{
    static const EFI_GUID rng_guid = EFI_RNG_PROTOCOL_GUID;
    EFI_RNG_PROTOCOL *rng = firmware_locate(&rng_guid);
    struct base_random jitter = {hw_ticks()};
    struct machine_time time;

    if (rng != NULL && !EFI_ERROR(rng->GetRNG(rng, NULL, 2 * sizeof *ret_bits, (void *)ret_bits)))
        return;
    /* How long a Stall takes differs by some hundred ticks each time; the date keeps two machines
     * that start alike apart. */
    machine_time(&time);
    jitter.state ^= (uint64_t)time.day << 40 | (uint64_t)time.hour << 32 |
                    (uint64_t)time.minute << 24 | (uint64_t)time.second << 16;
    for (int i = 0; i < 64; i++) {
        firmware.boot->Stall(50);
        jitter.state ^= hw_ticks();
        ret_bits[i % 2] = base_random_next(&jitter);
    }
}
