"""Started from the UEFI shell: options, exit statuses, help, paging, Ctrl-C."""

import re

from facts import check_result, drives, part_of
from lab import GB, MB, Controller, Drive, Image, Machine, shell


def after(text, mark):
    """What follows a marker line up to the next one, and the exit status shown there."""
    part = text.split(f"mark {mark}\n", 1)[1].split("mark ", 1)[0]
    status = re.search(r"status=(0x[0-9A-F]+)", part)
    return part, status.group(1) if status else None


def test_list_and_bad_arguments(tmp_path):
    commands = {
        "list": "barelane -l",
        "help": "barelane -h",
        "man": "barelane -?",
        "version": "barelane.efi --version",
        "unknown": "barelane --frobnicate",
        "nodrive": "barelane -y -d 1:3",
        "nocontroller": "barelane -y -d 7:0",
        "range": "barelane -y --positions 5",
        "word": "barelane -y -t speed",
        "missing": "barelane -y --seed",
    }
    lines = []
    for mark, command in commands.items():
        lines += [f"echo mark {mark}", command, "echo status=%lasterror%"]
    text, stick = shell(tmp_path, lines, controllers=[
        Controller([Drive(null=3 * GB), None, Drive(null=500 * MB)])])

    part, status = after(text, "list")
    assert status == "0x0"
    assert "2 AHCI controllers" in part
    assert re.search(r"1:0 +QEMU HARDDISK +3\.0 GB +1\.5 Gb/s +queue 32", part)
    assert re.search(r"1:2 +QEMU HARDDISK +0\.5 GB", part)
    assert "4 empty ports" in part

    part, status = after(text, "help")
    assert status == "0x0" and "--drive C:P" in part
    part, _ = after(text, "man")
    assert "--access-count N" in part and "never writes" in part
    part, status = after(text, "version")
    assert status == "0x0" and re.search(r"^barelane \d+\.\d+\.\d+$", part, re.M)

    wrong = {
        "unknown": ("--frobnicate", "-h", "0x2"),
        "nodrive": ("1:3", "-l", "0xE"),
        "nocontroller": ("7:0", "-l", "0xE"),
        "range": ("5", "256 to 4096", "0x2"),
        "word": ("speed", "verify", "0x2"),
        "missing": ("--seed", "number", "0x2"),
    }
    for mark, (names, right, code) in wrong.items():
        part, status = after(text, mark)
        said = [line for line in part.splitlines() if line.startswith("barelane: ")]
        assert status == code, part
        assert names in said[0] and right in said[0], part
    assert stick.results() == [], "nothing was measured, nothing is left behind"


def test_ctrl_c_keeps_what_was_measured(tmp_path):
    stick = Image.make(tmp_path / "stick.img", boot=False, startup=[
        "fs0:", "barelane -y", "echo status=%lasterror%", "barelane -l", "echo lab ends"])
    slow = [Drive(null=20 * GB, rate=20 * MB) for _ in range(2)]
    with Machine(tmp_path, stick=stick, controllers=[Controller(slow)]) as machine:
        machine.wait(r"1:0 transfer +\[")
        machine.send("\x03")
        machine.wait(r"barelane: failed: aborted", 30)
        # Ctrl-C also ends the script, so the list is asked for by hand.
        machine.wait(r"FS0:\\> ")
        machine.send("barelane -l\n")
        machine.wait(r"1:0 +QEMU HARDDISK")
    stick.fsck()
    result = check_result(stick.result())
    assert result["run"]["status"] == "aborted"
    first, second = drives(result)[1, 0], drives(result)[1, 1]
    assert part_of(first, "verify")["state"] == "done"
    assert part_of(first, "transfer")["state"] == "aborted"
    assert part_of(first, "access")["state"] == "not run"
    # The second drive's turn never came, and it says so instead of looking well.
    assert second["run"]["status"] == "aborted" and "turn" in second["run"]["reason"]
    assert {test["state"] for test in second["run"]["tests"]} == {"not run"}


def test_page(tmp_path):
    """-b stops after a screenful and goes on with Enter."""
    stick = Image.make(tmp_path / "stick.img", boot=False, startup=["fs0:", "echo lab begins"])
    four = [Drive(null=100 * MB) for _ in range(4)]
    with Machine(tmp_path, stick=stick, controllers=[Controller(four)]) as machine:
        machine.wait(r"lab begins\n")
        machine.wait(r"FS0:\\> ")
        machine.send("barelane -b -y -t access\n")
        machine.wait(r"(?i)press enter to continue")
        machine.send("\n")
        machine.wait(r"barelane: done")


def test_load_options_instead_of_a_shell(tmp_path):
    """Started directly with LoadOptions: no shell, no volume that takes results."""
    with Machine(tmp_path, kernel="build/barelane.efi", append="-y -t access",
                 controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        machine.wait(r"cannot take results")
        machine.wait(r"-----BEGIN BARELANE RESULT-----")
        machine.wait(r"-----END BARELANE RESULT-----")
        machine.wait(r"barelane: failed: results not saved")
        text = machine.text()
    assert re.search(r"access +min", text), "the table is on the screen"
    assert '"end": "complete"' in text
