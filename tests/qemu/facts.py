"""What the QEMU tests share: picking facts out of a result, checking a result folder, disks."""

import json
import pathlib
import subprocess
import sys
import zlib

import jsonschema
from lab import ROOT, Machine

SCHEMA = ROOT / "report/result.schema.json"


def drives(result):
    """{(controller, port): drive} of every identified drive."""
    return {(c["index"], p["port"]): p["drive"] for c in result["controllers"] for p in c["ports"]
            if p["drive"] is not None}


def part_of(drive, name):
    """The part of a test in a drive's run."""
    found = [test for test in drive["run"]["tests"] if test["test"] == name]
    assert len(found) == 1, f"{name}: {len(found)} times in the run"
    return found[0]


def rate_of(drive):
    """Mean rate of the transfer test, bytes per second."""
    test = part_of(drive, "transfer")
    assert test["state"] == "done", test["reason"]
    return test["transfer"]["mean_bytes_per_s"]


def check_result(result, finished=True):
    """It follows its schema and says how it ended; "end" is its last key."""
    jsonschema.validate(result, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert list(result)[-1] == "end"
    assert result["run"]["finished"] is finished
    return result


def check_folder(image, folder, name=None):
    """The result folder on the stick: complete, valid, its summaries right. Returns the result."""
    names = image.results()
    if name is None:
        assert len(names) == 1, names
        name = names[0]
    image.fsck()
    assert set(image.names(f"/barelane/{name}")) - {"./", "../"} == \
        {"result.json", "result.txt", "samples.csv", "pci.txt"}
    target = pathlib.Path(folder) / "results"
    target.mkdir(exist_ok=True)
    image.get(f"/barelane/{name}", target)
    done = subprocess.run([sys.executable, ROOT / "tests/recompute.py", target / name],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    result = json.loads((target / name / "result.json").read_bytes())
    table = (target / name / "result.txt").read_bytes()
    assert table.endswith(b"\n") and table.isascii() and b"\r" not in table
    assert max(map(len, table.splitlines())) <= 79
    return check_result(result)


def check_verify(drive, content=None):
    """Every place was read right; `content(lba, sectors)` gives the bytes that must be there."""
    test = part_of(drive, "verify")
    assert test["state"] == "done", test["reason"]
    verify = test["verify"]
    assert (verify["equal"], verify["differ"], verify["unread"]) == (65, 0, 0)
    places = verify["places"]
    assert places[0]["lba"] == 0
    assert places[-1]["lba"] + places[-1]["sectors"] == drive["sectors"]
    for place in places:
        assert place["crc32"] == place["other"]
        if content is not None:
            wanted = zlib.crc32(content(place["lba"], place["sectors"]))
            assert int(place["crc32"], 16) == wanted, f"wrong data at LBA {place['lba']}"


def unattended(folder, stick, controllers, **options):
    """Boots the stick, touches no key, waits for the end; returns (how it ended, console)."""
    with Machine(folder, stick=stick, controllers=controllers, **options) as machine:
        ended = machine.wait(r"barelane: (done|failed)[^\n]*").group(0)
        return ended, machine.text()
