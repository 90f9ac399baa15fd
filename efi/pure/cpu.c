/* CPUID: name, vendor, family, model, stepping. */
#include "efi/pure/cpu.h"

#include "base/bits.h"
#include "base/text.h"

#define SIGNATURE_STEPPING        UINT32_C(0x0000000f)
#define SIGNATURE_MODEL           UINT32_C(0x000000f0)
#define SIGNATURE_FAMILY          UINT32_C(0x00000f00)
#define SIGNATURE_EXTENDED_MODEL  UINT32_C(0x000f0000)
#define SIGNATURE_EXTENDED_FAMILY UINT32_C(0x0ff00000)

static void store(uint8_t *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void read_name(const struct cpu_leaves *leaves, struct result_cpu *cpu)
{
    uint8_t bytes[48];
    struct text text;
    size_t length = 0;

    text_init(&text, cpu->name, sizeof cpu->name);
    if (leaves->extended_max < CPU_LEAF_NAME + 2)
        return;
    for (unsigned i = 0; i < 12; i++)
        store(bytes + 4 * i, leaves->name[i / 4][i % 4]);
    while (length < sizeof bytes && bytes[length] != 0)
        length++;
    text_trimmed(&text, bytes, length);
}

void cpu_decode(const struct cpu_leaves *leaves, struct result_cpu *ret_cpu)
{
    struct result_cpu cpu = {.family = base_field(leaves->signature, SIGNATURE_FAMILY)};
    uint8_t vendor[12];
    struct text text;

    store(vendor, leaves->vendor[1]);
    store(vendor + 4, leaves->vendor[3]);
    store(vendor + 8, leaves->vendor[2]);
    text_init(&text, cpu.vendor, sizeof cpu.vendor);
    text_trimmed(&text, vendor, sizeof vendor);
    cpu.model = base_field(leaves->signature, SIGNATURE_MODEL);
    cpu.stepping = base_field(leaves->signature, SIGNATURE_STEPPING);
    if (cpu.family == 6 || cpu.family == 15)
        cpu.model += base_field(leaves->signature, SIGNATURE_EXTENDED_MODEL) << 4;
    if (cpu.family == 15)
        cpu.family += base_field(leaves->signature, SIGNATURE_EXTENDED_FAMILY);
    read_name(leaves, &cpu);
    *ret_cpu = cpu;
}
