"""scripts/usb writes to what it is told to, and to nothing that is in use or looks like a fixed disk.

The kernel's view is a tree of files here; the stick is a plain file.
"""

import os
import subprocess

import pytest

from lab import ROOT

IMAGE = b"image" * 100_000


class Host:
    """A machine with one disk, sdz, that has one partition."""

    def __init__(self, folder, removable=1, place="pci0000:00/ata1/block", mounts="", swaps="",
                 mountinfo="", mib=2):
        self.sys, self.proc, self.dev = folder / "sys", folder / "proc", folder / "dev"
        disk = self.sys / "devices" / place / "sdz"
        part = disk / "sdz1"
        (disk / "holders").mkdir(parents=True)
        (disk / "device").mkdir()
        (part / "holders").mkdir(parents=True)
        (self.sys / "class/block").mkdir(parents=True)
        for path in (disk, part):
            (self.sys / "class/block" / path.name).symlink_to(path)
        for path, text in ((disk / "removable", removable), (disk / "ro", 0), (disk / "size", mib * 2048),
                           (disk / "dev", "8:400"), (part / "dev", "8:401"), (part / "partition", 1),
                           (disk / "device/model", "Stick  9000")):
            path.write_text(f"{text}\n")
        (self.proc / "self").mkdir(parents=True)
        (self.proc / "self/mounts").write_text(mounts)
        (self.proc / "self/mountinfo").write_text(mountinfo)
        (self.proc / "swaps").write_text("Filename Type Size Used Priority\n" + swaps)
        self.dev.mkdir()
        self.stick = self.dev / "sdz"
        self.stick.write_bytes(b"\xaa" * (mib << 20))
        (self.dev / "sdz1").write_bytes(b"")
        self.disk, self.part = disk, part
        self.image = folder / "image"
        self.image.write_bytes(IMAGE)

    def run(self, *words, answer="", fake=True):
        env = dict(os.environ, BARELANE_IMAGE=str(self.image))
        if fake:
            env.update(BARELANE_SYS=str(self.sys), BARELANE_PROC=str(self.proc))
        return subprocess.run([ROOT / "scripts/usb", *map(str, words)], env=env, input=answer, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def refuses(self, reason, *words, answer=""):
        before = self.stick.read_bytes()
        done = self.run(*(words or (self.stick, "--yes")), answer=answer)
        assert done.returncode != 0
        assert reason in done.stdout
        assert self.stick.read_bytes() == before


def test_writes_a_removable_stick_and_leaves_the_rest_of_it(tmp_path):
    host = Host(tmp_path)
    done = host.run(host.stick, "--yes")
    assert done.returncode == 0, done.stdout
    assert "Stick 9000, 2 MiB" in done.stdout
    content = host.stick.read_bytes()
    assert content[:len(IMAGE)] == IMAGE
    assert content[len(IMAGE):] == b"\xaa" * (len(content) - len(IMAGE))


def test_asks_for_the_name(tmp_path):
    host = Host(tmp_path)
    host.refuses("nothing was written", host.stick, answer="yes\n")
    host.refuses("nothing was written", host.stick)
    assert host.run(host.stick, answer="sdz\n").returncode == 0


@pytest.mark.parametrize("words", [(), ("--force",)])
@pytest.mark.parametrize("state, reason", [
    ({"mounts": "/dev/sdz1 /mnt vfat rw 0 0\n"}, "/dev/sdz1 is mounted at /mnt"),
    ({"mounts": "/dev/sdz /mnt vfat rw 0 0\n"}, "/dev/sdz is mounted at /mnt"),
    ({"mountinfo": "36 35 8:401 / /data rw - vfat /dev/disk/by-label/X rw\n"}, "mounted at /data"),
    ({"swaps": "/dev/sdz1 partition 8 0 -2\n"}, "/dev/sdz1 is swap space"),
])
def test_refuses_what_is_in_use(tmp_path, state, reason, words):
    host = Host(tmp_path, **state)
    host.refuses(reason, host.stick, "--yes", *words)


def test_refuses_what_another_device_is_made_of(tmp_path):
    host = Host(tmp_path)
    (host.part / "holders/dm-0").mkdir()
    host.refuses("/dev/sdz1 is used by dm-0")


def test_refuses_a_fixed_disk_unless_told(tmp_path):
    host = Host(tmp_path, removable=0)
    host.refuses("not removable")
    assert host.run(host.stick, "--yes", "--force").returncode == 0


def test_takes_a_usb_disk_that_does_not_call_itself_removable(tmp_path):
    host = Host(tmp_path, removable=0, place="pci0000:00/0000:00:14.0/usb2/2-1/block")
    assert host.run(host.stick, "--yes").returncode == 0


def test_refuses_partition_small_write_protected_and_empty(tmp_path):
    host = Host(tmp_path)
    host.refuses("is a partition", host.dev / "sdz1", "--yes")
    (host.disk / "ro").write_text("1\n")
    host.refuses("write-protected")
    (host.disk / "ro").write_text("0\n")
    (host.disk / "size").write_text("10\n")
    host.refuses("too small")
    (host.disk / "size").write_text("0\n")
    host.refuses("no medium")


def test_writes_an_image_file(tmp_path):
    host = Host(tmp_path)
    done = host.run(tmp_path / "new.img", fake=False)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "new.img").read_bytes() == IMAGE
    (tmp_path / "new.img").write_bytes(b"old")
    assert host.run(tmp_path / "new.img", answer="no\n", fake=False).returncode != 0
    assert (tmp_path / "new.img").read_bytes() == b"old"


def test_says_what_is_wrong_with_the_target(tmp_path):
    host = Host(tmp_path)
    for words, reason in (((), "where to?"), (("--hurry",), "unknown option"),
                          ((tmp_path,), "neither a file nor a disk"), (("a", "b"), "one target"),
                          ((tmp_path / "no/x.img",), "no such folder"), (("/dev/nosuchdisk",), "there is no")):
        done = host.run(*words, fake=False)
        assert done.returncode != 0 and reason in done.stdout
