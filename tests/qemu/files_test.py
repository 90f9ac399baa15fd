"""Where results go when the boot volume is under test, full, or read-only."""

import json
import re

from facts import check_folder, check_result, drives, part_of
from lab import MB, Controller, Drive, Image, Machine, shell

BEGIN = "-----BEGIN BARELANE RESULT-----"
END = "-----END BARELANE RESULT-----"


def serial_result(text):
    """The JSON between the markers on the serial line."""
    return check_result(json.loads(text.split(BEGIN)[1].split(END)[0]))


def boot_disk(tmp_path, arguments):
    """The stick's image as a disk of the controller, beside a second drive; returns (text, image)."""
    image = Image.make(tmp_path / "disk.img", boot=False, startup=[
        "@echo -off", "fs0:", f"barelane {arguments}", "echo status=%lasterror%", "map -r", "fs0:",
        "ls barelane", "echo lab ends", "reset -s"])
    controller = Controller([Drive(image=image, boot=0), Drive(null=100 * MB)], builtin=True)
    with Machine(tmp_path, controllers=[controller]) as machine:
        machine.wait(r"lab ends")
        machine.wait_exit(60)
        return machine.text(), image


def test_boot_controller_is_left_alone(tmp_path):
    text, image = boot_disk(tmp_path, "-y")
    assert "carries the boot volume" in text and "--force" in text
    assert "status=0xE" in text
    assert image.results() == []
    image.fsck()


def test_boot_controller_with_force(tmp_path):
    """Both of its drives are measured; the volume is back and has the results."""
    text, image = boot_disk(tmp_path, "-y --force -t verify,access")
    assert "wait in memory" in text
    assert "status=0x0" in text
    assert re.search(r"RESULT-", text.split("status=0x0")[1]), "the shell sees the volume again"
    result = check_folder(image, tmp_path)
    assert len(drives(result)) == 2
    restored = result["controllers"][0]["restored"]
    assert restored["firmware_back"] is True and restored["volumes_back"] is True
    assert restored["ports_differ"] == "0x00000000" and restored["memory_abandoned"] is False
    for drive in drives(result).values():
        assert part_of(drive, "verify")["verify"]["differ"] == 0


def test_full_volume(tmp_path):
    stick = Image.make(tmp_path / "stick.img", boot=False, free=8192, startup=[
        "@echo -off", "fs0:", "barelane -y -t verify,access", "echo status=%lasterror%", "reset -s"])
    with Machine(tmp_path, stick=stick, controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        machine.wait_exit()
        text = machine.text()
    assert "could not be saved" in text and "full" in text
    assert "status=0xB" in text
    assert re.search(r"access +min", text), "the table is on the screen"
    for drive in drives(serial_result(text)).values():
        assert part_of(drive, "access")["state"] == "done"
    stick.fsck()


def test_read_only_volume(tmp_path):
    stick = Image.make(tmp_path / "stick.img", boot=False, startup=[
        "@echo -off", "fs0:", "barelane -y -t access", "echo status=%lasterror%", "reset -s"])
    before = stick.sha256()
    with Machine(tmp_path, stick=stick, read_only=True,
                 controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        machine.wait_exit()
        text = machine.text()
    assert "read-only" in text
    assert "status=0x8" in text
    serial_result(text)
    assert stick.sha256() == before


def test_attended_run_asks_for_another_volume(tmp_path):
    """With a read-only stick, somebody at the keyboard may choose a second one; n means no."""
    stick = Image.make(tmp_path / "stick.img", boot=False, startup=["fs0:", "barelane -t access"])
    other = Image.make(tmp_path / "other.img", boot=False)
    extra = ["-blockdev", f"driver=raw,node-name=other,file.driver=file,file.filename={other.path}",
             "-device", "usb-storage,bus=usb.0,drive=other,removable=on"]
    untouched = other.sha256()
    with Machine(tmp_path, stick=stick, read_only=True, extra=extra,
                 controllers=[Controller([Drive(null=100 * MB)])]) as machine:
        machine.wait(r"1: removable volume \"BARELANE")
        machine.wait(r"Number of the volume")
        assert other.sha256() == untouched
        machine.send("1")
        machine.wait(r"Results: \\barelane\\RESULT-")
        machine.wait(r"barelane: done")
    check_folder(other, tmp_path)
