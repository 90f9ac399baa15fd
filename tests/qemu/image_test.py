"""The stick image: a sound partition table and file system, the right files, the same bytes twice."""

import time

from lab import Image, sha256, tool


def program(tmp_path):
    file = tmp_path / "program.efi"
    file.write_bytes(b"not a program" * 1000)
    return file


def test_table_file_system_and_files_are_sound(tmp_path):
    image = Image.make(tmp_path / "a.img", program=program(tmp_path))
    assert "No problems found" in tool("sgdisk", "-v", image.path)
    assert "EF00" in tool("sgdisk", "-p", image.path)
    image.fsck()
    assert set(image.names("/")) == {"barelane.efi", "EFI/"}
    assert image.names("/EFI/BOOT") == ["BOOTX64.EFI"]
    assert image.read("/EFI/BOOT/BOOTX64.EFI") == program(tmp_path).read_bytes()


def test_the_same_input_gives_the_same_bytes(tmp_path):
    one = Image.make(tmp_path / "a.img", program=program(tmp_path))
    time.sleep(2.1)  # FAT counts time in two seconds
    two = Image.make(tmp_path / "b.img", program=program(tmp_path))
    assert one.sha256() == two.sha256() == sha256(tmp_path / "b.img")


def test_it_can_be_nearly_full(tmp_path):
    image = Image.make(tmp_path / "a.img", program=program(tmp_path), free=4096)
    assert 3072 <= image.free_bytes() <= 4096
    image.fsck()


def test_without_boot_file_it_has_a_startup_script(tmp_path):
    image = Image.make(tmp_path / "a.img", program=program(tmp_path), boot=False, startup=["echo 1", "ls"])
    assert set(image.names("/")) == {"barelane.efi", "startup.nsh"}
    assert image.read("/startup.nsh") == b"echo 1\r\nls\r\n"
