/* Looks at a path before, under load and after. */
#include "tests/unit/path_fake.h"

#include "base/bits.h"
#include "pci/finding.h"
#include "pci/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Nothing happened to a lane at 5 GT/s: one look under load. */
static struct pci_watch quiet(void)
{
    struct pci_path path = fake_lane(2, 1);
    struct pci_watch watch = {.has_before = true, .has_after = true, .before = path, .after = path};

    pci_watch_look(&watch, &path);
    return watch;
}

static void set_speed(struct pci_path *path, unsigned speed)
{
    struct pci_hop *hop = &path->hops[1];

    hop->above.speed = hop->below.speed = hop->speed = (uint8_t)speed;
}

static void set_width(struct pci_path *path, unsigned width)
{
    struct pci_hop *hop = &path->hops[1];

    hop->above.width = hop->below.width = hop->width = (uint8_t)width;
}

static void assert_masks(const struct pci_watch *watch, uint32_t changed, uint32_t rests,
                         uint32_t errors)
{
    assert_int_equal(pci_watch_changed(watch), changed);
    assert_int_equal(pci_watch_rests(watch), rests);
    assert_int_equal(pci_watch_errors(watch), errors);
}

static void test_quiet(void **state)
{
    struct pci_watch watch = quiet();
    struct pci_watch empty = {.looks = 0};

    (void)state;
    assert_masks(&watch, 0, 0, 0);
    assert_masks(&empty, 0, 0, 0);
    assert_null(pci_watch_path(&empty));
    assert_ptr_equal(pci_watch_path(&watch), &watch.loaded);
    watch.looks = 0;
    assert_ptr_equal(pci_watch_path(&watch), &watch.before);
}

static void test_after_differs(void **state)
{
    struct pci_watch watch = quiet();

    (void)state;
    set_speed(&watch.after, 1);
    assert_masks(&watch, 2, 0, 0);
    watch = quiet();
    set_width(&watch.after, 2);
    assert_masks(&watch, 2, 0, 0);
    /* One end is enough, and so is one that is gone. */
    watch = quiet();
    watch.after.hops[1].below.speed = 1;
    assert_masks(&watch, 2, 0, 0);
    watch = quiet();
    watch.after.hops[1].below.answers = false;
    assert_masks(&watch, 2, 0, 0);
    /* What was not looked at is not judged. */
    watch.has_after = false;
    assert_masks(&watch, 0, 0, 0);
    watch = quiet();
    set_speed(&watch.after, 1);
    watch.has_before = false;
    assert_masks(&watch, 0, 0, 0);
}

static void test_looks_differ(void **state)
{
    struct pci_watch watch = quiet();
    struct pci_path slower = fake_lane(1, 1);
    struct pci_path same = fake_lane(2, 1);

    (void)state;
    pci_watch_look(&watch, &same);
    assert_masks(&watch, 0, 0, 0);
    pci_watch_look(&watch, &slower);
    pci_watch_look(&watch, &same);
    assert_int_equal(watch.looks, 4);
    assert_int_equal(watch.loaded.hops[1].speed, 2);
    assert_masks(&watch, 2, 0, 0);
}

/* A link that saves power: slow before and after, fast under load. */
static void test_rests(void **state)
{
    struct pci_watch watch = quiet();

    (void)state;
    set_speed(&watch.before, 1);
    set_speed(&watch.after, 1);
    assert_masks(&watch, 0, 2, 0);
    assert_int_equal(pci_watch_path(&watch)->hops[1].speed, 2);
    /* The port tells of those changes. */
    watch.after.hops[1].above.lnk_sta = 0x4000;
    assert_masks(&watch, 0, 2, 0);
    /* Right after the load it may not have come to rest again. */
    set_speed(&watch.after, 2);
    assert_masks(&watch, 0, 2, 0);
    /* But a third state is a change. */
    set_speed(&watch.after, 3);
    assert_masks(&watch, 2, 2, 0);
}

static void test_lower_under_load(void **state)
{
    struct pci_watch watch = quiet();

    (void)state;
    set_width(&watch.before, 4);
    set_width(&watch.after, 4);
    set_width(&watch.loaded, 1);
    assert_masks(&watch, 2, 0, 0);
}

/* Link Bandwidth Management Status, newly set; its autonomous sister tells of power saving. */
static void test_reported(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 16; bit++) {
        struct pci_watch watch = quiet();

        watch.after.hops[1].above.lnk_sta = (uint16_t)(1u << bit);
        assert_masks(&watch, bit == 14 ? 2 : 0, 0, 0);
        watch.before.hops[1].above.lnk_sta = (uint16_t)(1u << bit);
        assert_masks(&watch, 0, 0, 0);
    }
}

/* Every error bit at every end of the link, newly set and there before. */
static void test_errors(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++)
        for (unsigned which = 0; which < 6; which++) {
            struct pci_watch watch = quiet();
            struct pci_hop *hops[2] = {&watch.before.hops[1], &watch.after.hops[1]};
            bool counts = which % 3 == 0   ? (PCI_FINDING_AER_UNCORRECTABLE >> bit & 1) != 0
                          : which % 3 == 1 ? (PCI_FINDING_AER_CORRECTABLE >> bit & 1) != 0
                                           : bit == 0 || bit == 2;

            for (unsigned when = 2; when-- > 0;) {
                struct pci_end *end = which < 3 ? &hops[when]->above : &hops[when]->below;

                if (which % 3 == 0)
                    end->aer_uncorrectable = BIT32(bit);
                else if (which % 3 == 1)
                    end->aer_correctable = BIT32(bit);
                else
                    end->dev_sta = (uint16_t)BIT32(bit);
                /* Device Status counts where there is nothing better. */
                end->has_aer = which % 3 != 2;
                assert_masks(&watch, 0, 0, when == 1 && counts ? 2 : 0);
            }
        }
}

/* Bits of a root port belong to its link, not to the way above it; an uplink has the upper end. */
static void test_whose_error(void **state)
{
    struct pci_watch watch = quiet();

    (void)state;
    watch.after.hops[0].below.aer_correctable = 1;
    watch.after.hops[1].above.aer_correctable = 1;
    assert_masks(&watch, 0, 0, 2);
    watch = quiet();
    watch.before.hops[0].kind = watch.loaded.hops[0].kind = watch.after.hops[0].kind =
        PCI_HOP_UPLINK;
    watch.after.hops[0].below.aer_correctable = 1;
    assert_masks(&watch, 0, 0, 0);
    watch.before.hops[0].above.has_aer = watch.after.hops[0].above.has_aer = true;
    watch.after.hops[0].above.aer_correctable = 1;
    assert_masks(&watch, 0, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_after_differs),
        cmocka_unit_test(test_looks_differ),
        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_lower_under_load),
        cmocka_unit_test(test_reported),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_whose_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
