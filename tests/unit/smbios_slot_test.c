/* SMBIOS: the list of slots, and which of them a function is in. */
#include "tests/unit/smbios_rig.h"

#include "base/bits.h"

static void test_many_slots(void **state)
{
    struct smbios_rig rig = {0};
    struct result_smbios facts;

    (void)state;
    for (unsigned i = 0; i < RESULT_SLOTS_MAX; i++)
        rig_slot(&rig, "S", (struct pci_address){0, (uint8_t)(i + 1), 0, 0});
    rig_module(&rig, 1024, 0, 0x1a);
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    rig_slot(&rig, "S", (struct pci_address){0, 99, 0, 0});
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_FULL);
    assert_int_equal(facts.slot_count, RESULT_SLOTS_MAX);
    assert_int_equal(facts.memory_mib, 1024);
    rig_free(&rig);
}

/* Addresses that say "none". */
static void test_no_address(void **state)
{
    static const struct pci_address none[] = {{0, 0, 0, 0}, {0xffff, 0, 1, 0}, {0, 0xff, 31, 7}};
    static const struct pci_address some[] = {
        {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0xff, 31, 6}, {0, 0xfe, 31, 7}};
    struct smbios_rig rig = {0};
    struct result_smbios facts;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(none); i++)
        rig_slot(&rig, "S", none[i]);
    for (size_t i = 0; i < COUNT_OF(some); i++)
        rig_slot(&rig, "S", some[i]);
    rig_entry3(&rig, rig.table_bytes);
    assert_int_equal(rig_read(&rig, &facts), STATUS_OK);
    for (uint32_t i = 0; i < facts.slot_count; i++)
        assert_int_equal(facts.slots[i].addressed, i >= COUNT_OF(none));
    rig_free(&rig);
}

/* Chipset device, root port, switch (upstream, two downstream), a card of two functions. */
static const struct pci_device tree[] = {
    {.address = {0, 0, 0x1f, 2}, .parent = PCI_NO_PARENT},
    {.address = {0, 0, 0x1c, 4}, .parent = PCI_NO_PARENT},
    {.address = {0, 1, 0, 0}, .parent = 1},
    {.address = {0, 2, 1, 0}, .parent = 2},
    {.address = {0, 2, 1, 1}, .parent = 2},
    {.address = {0, 3, 0, 0}, .parent = 3},
    {.address = {0, 3, 0, 1}, .parent = 3},
    {.address = {0, 9, 0, 0}, .parent = 7}, /* its own parent */
    {.address = {0, 9, 1, 0}, .parent = 7},
};

/* Name of the slot of `index`, with one slot at `address` (and another at `second`). */
static const char *slot_of(uint32_t index, struct pci_address address,
                           const struct pci_address *second)
{
    static struct result_smbios facts;
    const struct result_slot *slot;

    facts = (struct result_smbios){.slot_count = 2};
    facts.slots[0] = (struct result_slot){"FIRST", 0, 0, true, address};
    facts.slots[1] = (struct result_slot){"SECOND", 0, 0, second != NULL, {0, 0, 0x1f, 2}};
    if (second != NULL)
        facts.slots[1].address = *second;
    slot = smbios_slot_of(&facts, tree, index);
    return slot != NULL ? slot->designation : "";
}

static void test_slot_of(void **state)
{
    static const struct pci_address chipset = {0, 0, 0x1f, 2}, chipset_other = {0, 0, 0x1f, 0},
                                    root = {0, 0, 0x1c, 4}, root_other = {0, 0, 0x1c, 0},
                                    upstream = {0, 1, 0, 0}, downstream = {0, 2, 1, 0},
                                    card = {0, 3, 0, 0}, elsewhere = {1, 3, 0, 0};

    (void)state;
    assert_string_equal(slot_of(0, chipset, NULL), "FIRST");
    assert_string_equal(slot_of(0, chipset_other, NULL), "");
    assert_string_equal(slot_of(0, root, NULL), "");
    assert_string_equal(slot_of(5, card, NULL), "FIRST");
    assert_string_equal(slot_of(6, card, NULL), "FIRST");
    assert_string_equal(slot_of(6, elsewhere, NULL), "");
    assert_string_equal(slot_of(6, downstream, NULL), "FIRST");
    assert_string_equal(slot_of(6, upstream, NULL), "FIRST");
    assert_string_equal(slot_of(6, root, NULL), "FIRST");
    assert_string_equal(slot_of(6, root_other, NULL), "");
    assert_string_equal(slot_of(6, (struct pci_address){0, 2, 1, 1}, NULL), "");
    /* The nearest; two of one address name none. */
    assert_string_equal(slot_of(6, root, &card), "SECOND");
    assert_string_equal(slot_of(6, card, &root), "FIRST");
    assert_string_equal(slot_of(6, root, &root), "");
    assert_string_equal(slot_of(8, root, NULL), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_slots),
        cmocka_unit_test(test_no_address),
        cmocka_unit_test(test_slot_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
