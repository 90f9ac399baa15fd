/* CPUID's answers of real processors, and of none. */
#include "efi/pure/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct result_cpu decode(const char *vendor, uint32_t signature, const char *name)
{
    struct cpu_leaves leaves = {.signature = signature,
                                .extended_max = name != NULL ? 0x80000008 : 0x80000001};
    struct result_cpu cpu;

    memcpy(&leaves.vendor[1], vendor, 4);
    memcpy(&leaves.vendor[3], vendor + 4, 4);
    memcpy(&leaves.vendor[2], vendor + 8, 4);
    memset(leaves.name, 0, sizeof leaves.name);
    if (name != NULL)
        memcpy(leaves.name, name, strlen(name));
    memset(&cpu, 0x5a, sizeof cpu);
    cpu_decode(&leaves, &cpu);
    return cpu;
}

static void test_intel(void **state)
{
    struct result_cpu cpu =
        decode("GenuineIntel", 0x000306a9, "       Intel(R) Core(TM) i5-3570 CPU @ 3.40GHz ");

    (void)state;
    assert_string_equal(cpu.vendor, "GenuineIntel");
    assert_string_equal(cpu.name, "Intel(R) Core(TM) i5-3570 CPU @ 3.40GHz");
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 0x3a);
    assert_int_equal(cpu.stepping, 9);
}

static void test_amd(void **state)
{
    struct result_cpu cpu = decode("AuthenticAMD", 0x00870f10, "AMD Ryzen 7 3700X");

    (void)state;
    assert_string_equal(cpu.vendor, "AuthenticAMD");
    assert_string_equal(cpu.name, "AMD Ryzen 7 3700X");
    assert_int_equal(cpu.family, 0x17);
    assert_int_equal(cpu.model, 0x71);
    assert_int_equal(cpu.stepping, 0);
}

/* Extended fields count in the families 6 and 15 only; a name without a NUL fills its place. */
static void test_odd(void **state)
{
    struct result_cpu cpu = decode("\x01\x02 Odd \xff\xfe\x00\x00\x00", 0x0ff505a3,
                                   "123456789012345678901234567890123456789012345678");

    (void)state;
    assert_int_equal(cpu.family, 5);
    assert_int_equal(cpu.model, 10);
    assert_int_equal(cpu.stepping, 3);
    assert_int_equal(strlen(cpu.name), 48);
    assert_string_equal(cpu.vendor, "Odd ??");
    cpu = decode("GenuineIntel", 0x0ff0ff0f, "");
    assert_int_equal(cpu.family, 15 + 255);
    assert_string_equal(cpu.name, "");
}

static void test_without_name(void **state)
{
    struct result_cpu cpu = decode("CentaurHauls", 0x000006f2, NULL);

    (void)state;
    assert_string_equal(cpu.name, "");
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intel),
        cmocka_unit_test(test_amd),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_without_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
