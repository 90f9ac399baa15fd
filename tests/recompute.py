#!/usr/bin/python3
"""usage: recompute.py FOLDER

Computes every figure of FOLDER/result.json again, from FOLDER/samples.csv, and every ceiling and
verdict from the link states, by other code than the program's, and compares. Prints each difference; the exit status is 1 if there is one.
"""

import csv
import fractions
import json
import pathlib
import sys

COLUMNS = ["controller", "port", "test", "kind", "counted", "position", "lba", "sectors",
           "t0_ticks", "ticks"]
MASK = 2**64 - 1


class Checker:
    def __init__(self, hz):
        self.hz = hz
        self.where = ""
        self.equal = 0
        self.differ = 0

    def ns(self, ticks):
        return (ticks * 10**9 + self.hz // 2) // self.hz

    def per_second(self, amount, ticks):
        return (amount * self.hz + ticks // 2) // ticks

    def check(self, name, stated, computed):
        if stated == computed:
            self.equal += 1
            return
        self.differ += 1
        print(f"{self.where} {name}: the file says {stated}, its samples say {computed}")

    def summary(self, name, stated, ticks):
        """Nearest rank: the k-th of n sorted values with k = ceil(n * p)."""
        if not ticks:
            self.check(name, stated, None)
            return
        ticks = sorted(ticks)
        count = len(ticks)
        computed = {"count": count, "min": self.ns(ticks[0]), "max": self.ns(ticks[-1])}
        for key, per_mille in [("median", 500), ("p95", 950), ("p99", 990), ("p999", 999)]:
            computed[key] = self.ns(ticks[-(-count * per_mille // 1000) - 1])
        computed["mean"] = (self.ns(sum(ticks)) + count // 2) // count
        for key, value in computed.items():
            self.check(f"{name}.{key}", stated[key] if stated else None, value)


def t1(row):
    return row["t0_ticks"] + row["ticks"]


def counted(rows, kind="read"):
    return [row for row in rows if row["counted"] and row["kind"] == kind]


def check_overhead(checker, test, rows, _drive):
    overhead = test["overhead"]
    for key, kind in [("null_drive_ns", "read"), ("poll_ns", "poll")]:
        checker.summary(key, overhead[key], [row["ticks"] for row in counted(rows, kind)])


def check_verify(checker, test, _rows, drive):
    verify = test["verify"]
    states = [place["state"] for place in verify["places"]]
    for key, state in [("equal", "equal"), ("differ", "differs"), ("unread", "unread")]:
        checker.check(f"verify.{key}", verify[key], states.count(state))
    for index, place in enumerate(verify["places"]):
        if place["state"] != "unread":
            same = "equal" if place["crc32"] == place["other"] else "differs"
            checker.check(f"place {index}", place["state"], same)
        end = place["lba"] + place["sectors"]
        checker.check(f"place {index} on the drive", end <= drive["sectors"], True)
    if test["state"] == "done":
        checker.check("places", len(states), test["plan"]["count"])
        checker.check("end of the last place", end, drive["sectors"])


def position_ticks(plan, rows):
    """
    Ticks of each position: from the end of the interval before, or of an uncounted read, to the
    completion of its own last counted read. Positions end in their order.
    """
    order = sorted({row["position"] for row in counted(rows)})
    left = {position: plan["counted"] for position in order}
    ticks, end, mark = {}, {}, None
    for row in rows:
        if not row["counted"]:
            mark = t1(row)
            continue
        left[row["position"]] -= 1
        end[row["position"]] = t1(row)
        while order and left[order[0]] == 0:
            position = order.pop(0)
            ticks[position] = max(end[position] - mark, 0)
            mark += ticks[position]
    return ticks


def check_transfer(checker, test, rows, drive):
    plan, transfer = test["plan"], test["transfer"]
    size = plan["counted"] * plan["command_sectors"] * drive["logical_bytes"]
    stream = plan["lead"] + plan["counted"] + plan["tail"]
    ticks = position_ticks(plan, rows)
    for position in range(plan["count"]):
        here = [row["lba"] for row in rows if row["position"] == position]
        begin = plan["first_lba"] + position * plan["spacing_sectors"] + plan["seek_sectors"]
        places = {begin + i * plan["command_sectors"] for i in range(stream)}
        if here:
            checker.check(f"LBAs of position {position}", places <= set(here), True)
            checker.check(f"reads of position {position}", len(here) - stream in (0, 1), True)
    stated = [checker.ns(ticks[i]) if ticks.get(i) else None for i in range(plan["count"])]
    total = sum(ticks.values())
    read = size * len(ticks)
    ticks = {i: t for i, t in ticks.items() if t}  # one look may see all of a position
    checker.check("position_ns", transfer["position_ns"], stated)
    checker.check("positions", transfer["positions"], len(ticks))
    checker.check("position_bytes", transfer["position_bytes"], size)
    checker.check("counted_ns", test["time"]["counted_ns"], checker.ns(total))
    checker.check("counted_bytes", test["time"]["counted_bytes"], read)
    for key, value in [("min", checker.per_second(size, max(ticks.values()))),
                       ("mean", checker.per_second(read, total)),
                       ("max", checker.per_second(size, min(ticks.values())))]:
        checker.check(f"{key}_bytes_per_s", transfer[f"{key}_bytes_per_s"], value)


def random_numbers(seed):
    """splitmix64."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def planned_lbas(plan):
    """The places that an access test reads, in order."""
    numbers = random_numbers(int(plan["seed"], 16))
    reject_below = 2**64 % plan["places"]
    for _ in range(plan["count"]):
        number = next(numbers)
        while number < reject_below:
            number = next(numbers)
        yield plan["first_lba"] + number % plan["places"] * plan["spacing_sectors"]


def check_access(checker, test, rows, _drive):
    planned = planned_lbas(test["plan"])
    in_order = all(row["lba"] in planned for row in counted(rows))  # consumes: a subsequence
    checker.check("LBAs follow from the seed", in_order, True)
    checker.summary("latency_ns", test["latency_ns"], [row["ticks"] for row in counted(rows)])


def check_depth(checker, test, rows, _drive):
    plan = test["plan"]
    total, mark = 0, None
    for row in rows:  # an uncounted read opens an interval by its end
        if row["counted"]:
            total += t1(row) - mark
        mark = t1(row)
    reads = counted(rows)
    offsets = [(row["lba"] - plan["first_lba"]) / plan["spacing_sectors"] for row in reads]
    checker.check("LBAs are places of the plan",
                  all(o == int(o) and 0 <= o < plan["places"] for o in offsets), True)
    checker.check("counted_commands", test["time"]["counted_commands"], len(reads))
    checker.check("counted_ns", test["time"]["counted_ns"], checker.ns(total))
    checker.check("reads_per_s", test["reads_per_s"], checker.per_second(len(reads), total))
    checker.summary("latency_ns", test["latency_ns"], [row["ticks"] for row in reads])


CHECKS = {"overhead": check_overhead, "verify": check_verify, "transfer": check_transfer,
          "access": check_access, "depth": check_depth}


def check_drive(checker, drive, rows):
    run = drive["run"]
    checker.check("samples", run["samples"], len(rows))
    checker.check("samples_dropped", run["samples_dropped"], 0)
    for test in run["tests"]:
        of_test = [row for row in rows if row["test"] == test["test"]]
        where, checker.where = checker.where, f"{checker.where} {test['test']}"
        if test["test"] != "overhead":
            inside = all(row["lba"] + row["sectors"] <= drive["sectors"] for row in of_test)
            checker.check("samples on the drive", inside, True)
        if test["state"] == "done" or "verify" in test:
            CHECKS[test["test"]](checker, test, of_test, drive)
        checker.where = where


# Speed code: transfers a second, share of the line that carries data after coding and skips.
LINES = {1: (2_500_000_000, fractions.Fraction(8, 10) * fractions.Fraction(1534, 1538)),
         2: (5_000_000_000, fractions.Fraction(8, 10) * fractions.Fraction(1534, 1538)),
         3: (8_000_000_000, fractions.Fraction(128, 130) * fractions.Fraction(370, 371)),
         4: (16_000_000_000, fractions.Fraction(128, 130) * fractions.Fraction(370, 371)),
         5: (32_000_000_000, fractions.Fraction(128, 130) * fractions.Fraction(370, 371))}


def nearest(value):
    return int(value + fractions.Fraction(1, 2))


def hop_ceiling(hop, packets):
    """To memory, by METHOD.md; None: unknown."""
    if hop["kind"] in ("link", "uplink") and hop["speed"] in LINES and hop["width"]:
        transfers, share = LINES[hop["speed"]]
        payload = packets["payload_bytes"]
        overhead = packets["header_bytes"] + 8 + 4 * packets["ecrc_to_memory"]
        return nearest(transfers * hop["width"] / fractions.Fraction(8) * share * payload /
                       (payload + overhead))
    if hop["kind"] == "bus" and hop["bus"]["mode"] == "PCI":
        rate = fractions.Fraction(hop["bus"]["clock_thirds"] * 100_000_000, 3)
        return nearest(hop["bus"]["width_bytes"] * rate * 128 / 132)
    return None


def sata_ceiling(generation):
    return nearest(fractions.Fraction(150_000_000 * 2**(generation - 1) * 2048 * 254,
                                      (2048 + 4 + 6) * 256))


def check_path(checker, controller):
    path = controller["path"]
    if path is None:
        return
    checker.check("ends", len(path["ends"]), len(path["hops"]) + 1)
    known = {}
    for index, hop in enumerate(path["hops"]):
        stated = hop["ceiling"] and hop["ceiling"]["to_memory_bytes_per_s"]
        if hop["kind"] != "bus" or hop["bus"]["mode"] == "PCI":
            checker.check(f"ceiling of hop {index}", stated, hop_ceiling(hop, path["packets"]))
        if stated:
            known[index] = stated
    lowest = min(known, key=lambda index: (known[index], index)) if known else None
    checker.check("lowest hop", path["lowest_to_memory"], lowest)


def check_verdict(checker, drive, controller, result):
    """The state from the rate and the ceilings; what is void from the looks."""
    hypervisor = result["machine"]["hypervisor"]
    margin = 1.06 if result["clock"]["source"] == "stall" else 1
    verdict, watch, sata = drive["verdict"], drive["watch"], drive["sata_link"]
    rates = [test["transfer"]["mean_bytes_per_s"] for test in drive["run"]["tests"]
             if test["test"] == "transfer" and test["state"] == "done"]
    rate = rates[0] if rates and not drive["run"]["voided"] else None
    checker.check("verdict.rate", verdict["rate_bytes_per_s"], rate)
    checker.check("verdict.virtual_machine", verdict["virtual_machine"], hypervisor)
    buses = [index for index, hop in enumerate((controller["path"] or {"hops": []})["hops"])
             if hop["kind"] == "bus"]
    generation = sata["before"]["generation"] if sata["before"] else drive["sata_generation"]
    for hop in verdict["hops"]:
        if hop["hop"] == "sata":
            checker.check("SATA ceiling", hop["ceiling_bytes_per_s"], sata_ceiling(generation))
        share = rate and rate * 1000 // hop["ceiling_bytes_per_s"]
        checker.check(f"share of hop {hop['hop']}", hop["share_permille"], share)
        most = hop["raw_bytes_per_s" if hop["hop"] in buses else "ceiling_bytes_per_s"]
        hop["exceeded"] = rate is not None and rate > most * margin
        if hop["refuted"] or hypervisor or hop["assumed"]:
            checker.check("refuted", hop["refuted"], hop["exceeded"])
    left = [hop for hop in verdict["hops"] if not hop["refuted"]]
    state, lowest = "none", None
    if left:
        lowest = min(left, key=lambda hop: hop["ceiling_bytes_per_s"])
        share = rate and rate / lowest["ceiling_bytes_per_s"]
        suspect = 0.6 if lowest["hop"] in buses else 0.7
    checker.check("verdict.hop", verdict["hop"], lowest and lowest["hop"])
    if rate is not None:
        state = ("unknown" if not left else "impossible" if lowest["exceeded"] else
                 "limit" if share >= 0.88 else "suspect" if share >= suspect else "drive")
    checker.check("verdict.state", verdict["state"], state)
    void = [name for name, found in (
        ("data differ", drive["run"]["voided"]), ("impossible rate", state == "impossible"),
        ("link changed", watch["changed_hops"]), ("link errors", watch["error_hops"])) if found]
    checker.check("verdict.void", [name for name in verdict["void"] if "SATA" not in name], void)


def read_samples(path):
    with open(path, newline="", encoding="ascii") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != COLUMNS:
            sys.exit(f"{path}: the columns are {reader.fieldnames}, not {COLUMNS}")
        text = ("test", "kind")
        return [{k: v if k in text else int(v) for k, v in row.items()} for row in reader]


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    result = json.loads((folder / "result.json").read_text(encoding="ascii"))
    rows = read_samples(folder / "samples.csv") if (folder / "samples.csv").exists() else []
    checker = Checker(result["clock"]["hz"])
    drives = 0
    checker.check("end", result["end"], "complete")
    for controller in result["controllers"]:
        checker.where = f"controller {controller['index']}"
        check_path(checker, controller)
        for port in controller["ports"]:
            if not port["drive"] or not port["drive"]["run"]:
                continue
            key = (controller["index"], port["port"])
            checker.where = f"drive {key[0]}:{key[1]}"
            drives += 1
            mine = [row for row in rows if (row["controller"], row["port"]) == key]
            check_drive(checker, port["drive"], mine)
            check_verdict(checker, port["drive"], controller, result)
    print(f"{drives} drives: {checker.equal} figures are equal, {checker.differ} differ")
    sys.exit(1 if checker.differ else 0)


if __name__ == "__main__":
    main()
