"""Drives that fail: what can be measured is, the rest is said, and the machine comes back."""

import csv

from facts import check_folder, drives, part_of, rate_of
from lab import MB, Controller, Drive, shell
from recompute import planned_lbas

BAD = 1003  # LBA of a sector that cannot be read


def rows_of(folder, stick, key):
    """Samples of one drive."""
    path = folder / "results" / stick.results()[0] / "samples.csv"
    with open(path, newline="", encoding="ascii") as file:
        return [row for row in csv.DictReader(file)
                if (int(row["controller"]), int(row["port"])) == key]


def test_bad_sector_in_every_kind_of_read(tmp_path):
    """Sequential, one at a time, and queued: each failure is counted, none of its times is."""
    drive = Drive(null=1 << 20, bad_sector=BAD)
    text, stick = shell(tmp_path, ["barelane -y --seed 7 --depth-count 1000", "barelane -l"],
                        controllers=[Controller([drive])])
    (key, tested), = drives(check_folder(stick, tmp_path)).items()
    for name in ("verify", "transfer", "access", "depth"):
        part = part_of(tested, name)
        # How often depth meets the sector depends on how much it reads before it counts.
        if name != "depth" or part["state"] == "done":
            assert part["state"] == "done", part
        else:
            assert part["reason"] == "too many commands failed"
            assert part["faults"]["count"] == 16 and "latency_ns" not in part
        faults = part["faults"]
        assert 1 <= faults["count"] <= faults["commands"]
        for fault in faults["kept"]:
            assert fault["kind"] == "task-file error" and fault["recovered"]
    access = part_of(tested, "access")
    hits = [lba for lba in planned_lbas(access["plan"]) if lba <= BAD < lba + 8]
    assert access["faults"]["count"] == len(hits) >= 2
    assert access["latency_ns"]["count"] == 2000 - len(hits)
    for row in rows_of(tmp_path, stick, key):
        covers = int(row["lba"]) <= BAD < int(row["lba"]) + int(row["sectors"])
        assert not covers or row["test"] == "overhead"
    # The firmware's own driver found it again afterwards.
    assert text.count("QEMU HARDDISK") >= 2


def test_errors_on_one_drive_leave_the_other_alone(tmp_path):
    """Two drives of one controller, one with a bad sector: the other's figures are whole."""
    bad = Drive(null=1 << 20, bad_sector=BAD)
    good = Drive(null=1 << 30, rate=120 * MB)
    _, stick = shell(tmp_path, ["barelane -y -t transfer,access"],
                     controllers=[Controller([bad, good])])
    tested = {port: drive for (_, port), drive in drives(check_folder(stick, tmp_path)).items()}
    assert part_of(tested[0], "access")["faults"]["count"] > 0
    for name in ("transfer", "access"):
        assert part_of(tested[1], name)["state"] == "done"
        assert part_of(tested[1], name)["faults"]["count"] == 0
    assert abs(rate_of(tested[1]) / (120 * MB) - 1) < 0.1
    assert tested[1]["run"]["status"] == "ok"
