/*
 * Faults during the recovery of a fault: a first one meets a read, and a second one follows at each
 * register access from there to the end, through recovery, later reads and give-back.
 */
#include "tests/unit/ahci_scenario.h"

/* Two of everything that can follow one another: time-outs of 10 s, disks that stay busy, resets.
 */
#define BOUND_NS UINT64_C(200000000000)

/* Those by which recovery goes a way of its own; the others differ in their name only. */
static const enum model_fault faults[] = {
    MODEL_FAULT_GONE,         MODEL_FAULT_STUCK_ENGINE, MODEL_FAULT_STUCK_FOREVER,
    MODEL_FAULT_LINK_LOST,    MODEL_FAULT_LINK_FLAP,    MODEL_FAULT_DROPPED,
    MODEL_FAULT_TASK_FILE,    MODEL_FAULT_INTERFACE,    MODEL_FAULT_HOST_BUS,
    MODEL_FAULT_BUSY_FOREVER, MODEL_FAULT_OVERFLOW,     MODEL_FAULT_NOISE,
};

static bool ends_all(enum model_fault fault)
{
    return fault == MODEL_FAULT_GONE || fault == MODEL_FAULT_STUCK_FOREVER ||
           fault == MODEL_FAULT_LINK_LOST || fault == MODEL_FAULT_HOST_BUS ||
           fault == MODEL_FAULT_BUSY_FOREVER || fault == MODEL_FAULT_OVERFLOW;
}

static void check(const struct scenario *scenario, const struct outcome *outcome)
{
    const enum model_fault *fault = scenario->faults;
    bool link = fault[0] == MODEL_FAULT_LINK_FLAP || fault[1] == MODEL_FAULT_LINK_FLAP;

    assert_true(outcome->ns < BOUND_NS);
    assert_int_equal(outcome->attach, STATUS_OK);
    assert_int_equal(outcome->kind, AHCI_PORT_DRIVE);
    if (outcome->abandoned)
        assert_true(scenario_is_hopeless(scenario));
    /* What is over in a moment twice is over twice, unless the link goes in a recovery: one
     * COMRESET is all it gets. */
    if (!ends_all(fault[0]) && !ends_all(fault[1]) && !link) {
        assert_true(outcome->works);
        assert_in_range(outcome->failures, 0, 2);
    }
    if (outcome->resets > 0)
        assert_true(scenario_has(scenario, MODEL_FAULT_STUCK_ENGINE) ||
                    scenario_has(scenario, MODEL_FAULT_STUCK_FOREVER));
}

static unsigned strike_twice(struct scenario *scenario, uint64_t from)
{
    struct outcome first;
    unsigned points = 0;

    scenario->accesses[0] = from;
    scenario->accesses[1] = 0;
    first = scenario_run(scenario);
    for (uint64_t access = from + 1; access <= first.accesses; access++) {
        struct outcome outcome;

        scenario->accesses[1] = access;
        outcome = scenario_run(scenario);
        check(scenario, &outcome);
        points++;
    }
    return points;
}

static void a_fault_in_the_recovery_of_a_fault(void **state)
{
    static const enum model_personality personalities[] = {MODEL_ICH9_QEMU, MODEL_ASM1064};
    unsigned points = 0;

    (void)state;
    for (unsigned p = 0; p < COUNT_OF(personalities); p++) {
        const struct scenario clean = {.personality = personalities[p]};
        uint64_t first_read = scenario_run(&clean).first_read;

        /* After noise there is nothing to recover from. */
        for (unsigned i = 0; faults[i] != MODEL_FAULT_NOISE; i++)
            for (unsigned j = 0; j < COUNT_OF(faults); j++) {
                struct scenario scenario = {personalities[p], {faults[i], faults[j]}, {0, 0}};

                /* The first one meets a single read, or a queue. */
                points += strike_twice(&scenario, first_read + 1 + (i + j) % 2 * 12);
            }
    }
    model_reset();
    scenario_doing.faults[0] = MODEL_FAULT_NONE;
    print_message("%u pairs of faults\n", points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_fault_in_the_recovery_of_a_fault, scenario_name_the_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
