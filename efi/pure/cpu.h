/* The processor's name, vendor and model out of what CPUID answers. */
#ifndef EFI_PURE_CPU_H
#define EFI_PURE_CPU_H

#include "report/result.h"

#include <stdint.h>

#define CPU_LEAF_EXTENDED UINT32_C(0x80000000)
#define CPU_LEAF_NAME     UINT32_C(0x80000002) /* and the two after it */

/* Answers as EAX, EBX, ECX, EDX. */
struct cpu_leaves {
    uint32_t vendor[4];    /* leaf 0 */
    uint32_t signature;    /* leaf 1, EAX */
    uint32_t extended_max; /* leaf 80000000h, EAX */
    uint32_t name[3][4];   /* leaves 80000002h to 80000004h, if there are any */
};

/* (Intel SDM, volume 2A, CPUID; AMD APM, volume 3, appendix E.) */
void cpu_decode(const struct cpu_leaves *leaves, struct result_cpu *ret_cpu);

#endif
