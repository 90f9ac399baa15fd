#!/usr/bin/env python3
"""usage: tests/bench/cost.py PROGRAM [GOAL=NUMBER...]

Runs build/cost/tests/bench/cost under callgrind, counts what the driver does for each command, and
prints a table. METHOD.md, "Cost of a command", says what counts. Goals, and what they are unless
told otherwise: submit=120, harvest=40, poll=15. Exit status 1: a goal is missed, or a command of
1 MiB costs more than one of 4 KiB.
"""

import fractions
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOALS = {"submit": 120, "harvest": 40, "poll": 15}
COUNTED = ("base", "hw", "drivers")  # rooms
ABOVE = ("submit", "harvest", "counted_poll")  # functions of cost.c that call the driver


class Failed(Exception):
    """Nothing was counted, or not what should have been."""


def room(path):
    """First folder of a source file in the tree: "drivers", "tests"; "" for all others."""
    source = pathlib.Path(path).resolve()
    return source.relative_to(ROOT).parts[0] if source.is_relative_to(ROOT) else ""


def count(lines):
    """Instructions of the driver in a file of callgrind: the self cost of its functions.

    The model is below it and cost.c above. A call that crosses in another way would be counted for
    nobody (the C library) or for the wrong one, so there must be none.
    """
    total = 0
    here = there = function = callee = ""
    is_call = False
    for line in lines:
        key, equals, value = line.strip().partition("=")
        if equals:
            if key == "fl":
                here = there = room(value)
            elif key == "fn":
                function = value
                there = here
            elif key in ("cfi", "cfl"):
                there = room(value)
            elif key == "cfn":
                callee = value
            is_call = key == "calls"
        elif key[:1].isdigit():
            cost = int(key.split()[1])
            if not is_call:
                total += cost if here in COUNTED else 0
            elif cost > 0 and (here in COUNTED) != (there in COUNTED):
                if function not in ABOVE and not (here in COUNTED and there == "tests"):
                    raise Failed(f"{function} calls {callee}: who is to count that?")
            if is_call:
                there = here
            is_call = False
    return total


def run(program):
    """Dictionary: (what, KiB, depth, together) to (instructions, commands, register accesses)."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no",
             "--toggle-collect=counted_submit", "--toggle-collect=counted_harvest",
             "--toggle-collect=counted_poll", "--dump-after=phase_end", "--compress-strings=no",
             "--compress-pos=no", f"--callgrind-out-file={folder}/out", program],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            raise Failed(done.stderr)
        phases = {}
        for number, line in enumerate(done.stdout.splitlines(), 1):
            what, *numbers = line.split()
            kib, depth, together, commands, accesses = map(int, numbers)
            with open(f"{folder}/out.{number}", encoding="utf-8") as file:
                phases[what, kib, depth, together] = count(file), commands, accesses
    if not phases or not all(instructions for instructions, _, _ in phases.values()):
        raise Failed("callgrind saw nothing of the driver")
    return phases


def per_command(phases):
    """The same keys to instructions a command; of "wait" and "poll", a look at the register."""
    costs = {}
    for (what, *rest), (instructions, commands, accesses) in phases.items():
        costs[what, *rest] = fractions.Fraction(instructions, commands)
        if what == "wait":
            # What waiting adds to a command that is complete at the first look.
            seen, of, looks = phases["harvest", *rest]
            more = instructions - fractions.Fraction(seen * commands, of)
            costs[what, *rest] = more / (accesses - fractions.Fraction(looks * commands, of))
    return costs


def table(costs):
    yield "instructions a command     in flight  complete together   submit  harvest"
    for what, *rest in costs:
        if what == "submit":
            kib, depth, together = rest
            name = f"queued read of {kib} KiB" if kib < 1024 else f"queued read of {kib // 1024} MiB"
            yield (f"{name:26} {depth:9} {together:18} {float(costs['submit', *rest]):8.1f} "
                   f"{float(costs['harvest', *rest]):8.1f}")
    yield f"one look, timed by the caller {float(costs['poll', 4, 1, 1]):6.1f}"
    yield f"one look more while waiting   {float(costs['wait', 4, 1, 1]):6.1f}"


def missed(costs, goals):
    for (what, kib, depth, together), cost in costs.items():
        most = goals["poll" if what == "wait" else what]
        if kib == 4 and cost > most:
            yield f"{what}, {depth} in flight, {together} together: {float(cost):.1f} is more than {most}"
        if kib > 4 and cost > costs[what, 4, depth, together]:
            yield f"{what} of {kib} KiB costs more than of 4 KiB"


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 64
    goals = dict(GOALS)
    for argument in arguments[1:]:
        name, _, number = argument.partition("=")
        if name not in GOALS or not number.isdigit():
            print(f"cost.py: '{argument}' is no goal; one is submit=120", file=sys.stderr)
            return 64
        goals[name] = int(number)
    try:
        costs = per_command(run(arguments[0]))
    except (Failed, OSError) as failure:
        print(f"cost.py: {failure}", file=sys.stderr)
        return 1
    print("\n".join(table(costs)))
    findings = list(missed(costs, goals))
    print("\n".join(findings) or "all within the goals")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
