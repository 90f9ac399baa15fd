"""Booted from a stick: the whole job, the countdown's menu, and what a power cut leaves."""

import re

import disk
import pytest
from facts import check_folder, check_result, check_verify, drives, part_of, unattended
from lab import GB, MB, Controller, Drive, Image, Machine, sha256


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A disk of 300 MiB whose every sector carries its number."""
    path = tmp_path_factory.mktemp("disk") / "known.raw"
    disk.write(path, 300)
    return path


def stop_countdown(machine):
    """Touches a key; the menu is on the screen then."""
    machine.wait(r"starts in \d+ s")
    machine.send(" ")
    machine.wait(r"r +run.*l +list.*q +quit.*p +power off")


def test_unattended_run(tmp_path, known):
    before = sha256(known)
    stick = Image.make(tmp_path / "stick.img")
    drive = Drive(file=known, rate=60 * MB, serial="SECRET-0815")
    ended, text = unattended(tmp_path, stick, [Controller([drive])])
    assert ended == "barelane: done", text
    assert "never writes" in text
    assert re.search(r"0000:01:00\.0 +8086:2922", text)
    assert re.search(r"starts in 10 s", text)
    assert re.search(r"transfer +\[#*-*\] +\d+ % +[0-9.]+ MB/s +\d+ s left", text)
    assert re.search(r"mean \d\d\.\d", text), "the table is on the screen"

    result = check_folder(stick, tmp_path)
    tested = drives(result)
    assert len(tested) == 1
    for tests in tested.values():
        check_verify(tests, disk.content)
        assert part_of(tests, "verify")["verify"]["method"] == "firmware"
        assert tests["sectors"] == 300 * 2048
        assert tests["model"] == "QEMU HARDDISK"
        for name in ("overhead", "verify", "transfer", "access", "depth"):
            assert part_of(tests, name)["state"] == "done"
            assert part_of(tests, name)["faults"]["count"] == 0
        assert len(part_of(tests, "transfer")["transfer"]["position_ns"]) == 256
        assert part_of(tests, "access")["latency_ns"]["count"] >= 2000
    behind = [c for c in result["controllers"] if c["pci"]["address"] == "0000:01:00.0"][0]
    port = behind["path"]["ends"][1]
    assert (port["link"]["speed"], port["link"]["width"], port["port"]) == (2, 1, "root port")
    assert result["machine"]["hypervisor"] is True
    assert result["run"]["rtc_zone_minutes"] is None
    assert result["clock"]["source"] == "pm-timer"

    # Nothing was written to the disk, and nothing that names it is in any file or on the screen.
    assert sha256(known) == before and drive.untouched()
    folder = tmp_path / "results" / stick.results()[0]
    for file in folder.iterdir():
        for secret in (b"SECRET", b"ESRCTE"):  # as it is, and as IDENTIFY swaps its bytes
            assert secret not in file.read_bytes()
    assert "SECRET" not in text


def test_an_older_result_stays(tmp_path):
    stick = Image.make(tmp_path / "stick.img", boot=False,
                       startup=["fs0:", "barelane -y -t access", "barelane -y -t access", "reset -s"])
    with Machine(tmp_path, stick=stick, controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        machine.wait_exit()
    names = stick.results()
    assert len(names) == 2
    ids = {check_folder(stick, tmp_path, name)["run"]["id"] for name in names}
    assert len(ids) == 2


def test_menu_and_quit(tmp_path):
    """A key stops the countdown; l lists again; q gives everything back and leaves."""
    stick = Image.make(tmp_path / "stick.img")
    with Machine(tmp_path, stick=stick, controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        stop_countdown(machine)
        machine.send("l")
        machine.wait(r"QEMU HARDDISK")
        machine.wait(r"p +power off")
        machine.send("q")
        machine.wait(r"barelane: done")
        machine.wait(r"(?i)shell|boot manager|BdsDxe")
    assert stick.results() == []


def test_menu_power_off(tmp_path):
    stick = Image.make(tmp_path / "stick.img")
    with Machine(tmp_path, stick=stick, controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        stop_countdown(machine)
        machine.send("p")
        assert machine.wait_exit(60) == 0


def test_run_from_menu_then_stay(tmp_path):
    """r runs at once; afterwards the table stays and nothing resets the machine."""
    stick = Image.make(tmp_path / "stick.img")
    with Machine(tmp_path, stick=stick, controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        stop_countdown(machine)
        machine.send("r")
        machine.wait(r"barelane: done")
        machine.wait(r"q +quit to firmware +p +power off")
        machine.send("p")
        assert machine.wait_exit(60) == 0
    check_folder(stick, tmp_path)


def test_ctrl_c_then_the_menu_answers(tmp_path):
    """Stopping a run by hand ends in the menu, and the menu still hears keys."""
    stick = Image.make(tmp_path / "stick.img")
    drive = Drive(null=20 * GB, rate=20 * MB)
    with Machine(tmp_path, stick=stick, controllers=[Controller([drive])]) as machine:
        stop_countdown(machine)
        machine.send("r")
        machine.wait(r"transfer +\[")
        machine.send("q")
        machine.wait(r"Stop the run\?")
        machine.send("n")
        machine.wait(r"transfer +\[")
        machine.send("\x03")
        machine.wait(r"barelane: failed: aborted", 30)
        machine.wait(r"q +quit to firmware +p +power off")
        machine.send("p")
        assert machine.wait_exit(60) == 0
    assert check_result(stick.result())["run"]["status"] == "aborted"


def test_power_cut_loses_one_test_at_most(tmp_path):
    """The plug is pulled during a long access test: what came before it is on the stick."""
    stick = Image.make(tmp_path / "stick.img", boot=False,
                       startup=["fs0:", "barelane -y --access-count 100000"])
    drive = Drive(null=1 * GB, rate=190 * MB)
    with Machine(tmp_path, stick=stick, controllers=[Controller([drive])]) as machine:
        machine.wait(r"access +\[", 180)
        machine.process.kill()
    stick.fsck()
    result = check_result(stick.result(), finished=False)
    for tests in drives(result).values():
        assert part_of(tests, "transfer")["state"] == "done"
        assert part_of(tests, "access")["state"] in ("running", "not run")
    rows = stick.read(f"/barelane/{stick.results()[0]}/samples.csv").decode("ascii").splitlines()
    assert sum(",transfer," in row for row in rows) > 256
