"""What is found: no controller, no drive, several, large ones, one with a bad sector."""

import disk
from facts import check_folder, check_verify, drives, part_of
from lab import GB, MB, Controller, Drive, shell, tool


def test_no_controller(tmp_path):
    text, stick = shell(tmp_path, ["barelane -y", "echo status=%lasterror%"], board="pc")
    assert "There is no AHCI controller" in text
    assert "status=0xE" in text
    assert stick.results() == []


def test_empty_controllers(tmp_path):
    text, stick = shell(tmp_path, ["barelane -y", "echo status=%lasterror%"],
                        controllers=[Controller([])])
    assert text.count("6 empty ports") == 2
    assert "There is no drive to measure" in text
    assert "status=0xE" in text
    assert stick.results() == []


def test_two_controllers_three_drives(tmp_path):
    known = tmp_path / "known.raw"
    disk.write(known, 64)
    controllers = [
        Controller([Drive(null=1 * GB), Drive(file=known)]),
        Controller([None, Drive(blank=200 * MB)], speed=None),
    ]
    _, stick = shell(tmp_path, ["barelane -y -t verify,access"], controllers=controllers)
    found = drives(check_folder(stick, tmp_path))
    assert len(found) == 3
    for drive in found.values():
        check_verify(drive, disk.content if drive["sectors"] == 64 * 2048 else None)
        assert part_of(drive, "access")["state"] == "done"
    assert controllers[0].drives[1].untouched() and controllers[1].drives[1].untouched()


def test_one_chosen_drive(tmp_path):
    _, stick = shell(tmp_path, ["barelane -y -d 1:1 -t access --access-count 3000 --seed 42"],
                     controllers=[Controller([Drive(null=1 * GB), Drive(null=2 * GB)])])
    result = check_folder(stick, tmp_path)
    found = drives(result)
    assert found[1, 0]["run"] is None and found[1, 0]["left_alone"] == "not asked for"
    assert part_of(found[1, 1], "access")["latency_ns"]["count"] == 3000
    assert int(found[1, 1]["run"]["seed"], 16) == 42


def test_three_terabytes(tmp_path):
    size = 3000 * GB
    drive = Drive(blank=size)
    _, stick = shell(tmp_path, ["barelane -y -t verify,transfer,access"],
                     controllers=[Controller([drive])])
    found = drives(check_folder(stick, tmp_path))
    for tests in found.values():
        assert tests["sectors"] == size // 512 and tests["lba48"] is True
        check_verify(tests, lambda lba, sectors: bytes(sectors * 512))
        plan = part_of(tests, "transfer")["plan"]
        assert plan["first_lba"] + 255 * plan["spacing_sectors"] > 2**32
        assert part_of(tests, "transfer")["state"] == "done"
    assert drive.untouched()


def test_bad_sector(tmp_path):
    """A sector that cannot be read costs its own reads only, and the evidence is kept."""
    size = 128 * MB
    last = size // 512 - 1
    _, stick = shell(tmp_path, ["barelane -y -t verify,access"],
                     controllers=[Controller([Drive(null=size, bad_sector=last)])])
    found = drives(check_folder(stick, tmp_path))
    for drive in found.values():
        verify = part_of(drive, "verify")
        assert verify["verify"]["unread"] >= 1
        assert verify["verify"]["places"][-1]["state"] == "unread"
        assert verify["faults"]["count"] >= 1
        fault = verify["faults"]["kept"][0]
        assert fault["recovered"] is True
        assert any(register["name"] == "PxTFD" for register in fault["registers"])
        assert part_of(drive, "access")["latency_ns"]["count"] >= 1990


def test_wrong_data_voids_the_drive(tmp_path):
    """A drive that reports success and delivers nothing: no figure of it stands."""
    text, stick = shell(tmp_path, ["barelane -y -t verify,access", "echo status=%lasterror%"],
                        controllers=[Controller([Drive(null=100 * MB, zeroes=False)])])
    assert "status=0x1B" in text and "VOID" in text
    result = check_folder(stick, tmp_path)
    assert result["run"]["status"] == "data mismatch"
    for drive in drives(result).values():
        assert drive["run"]["voided"] is True
        assert part_of(drive, "verify")["verify"]["differ"] > 0
        assert part_of(drive, "access")["state"] == "not run"


def test_tree_reads_in_lspci(tmp_path):
    """pci.txt holds a second root bus, bridges and links, and pciutils decodes it."""
    extra = ["-device", "pxb-pcie,id=root2,bus_nr=128,bus=pcie.0",
             "-device", "pcie-root-port,id=rp9,bus=root2,x-speed=8,x-width=4,chassis=9,slot=9",
             "-device", "x3130-upstream,id=up,bus=rp9",
             "-device", "xio3130-downstream,id=down,bus=up,chassis=10,slot=10",
             "-device", "pcie-pci-bridge,id=old,bus=pcie.0", "-device", "pci-testdev,bus=old,addr=1"]
    _, stick = shell(tmp_path, ["barelane -y -t access"], extra=extra,
                     controllers=[Controller([Drive(null=100 * MB)])])
    result = check_folder(stick, tmp_path)
    dump = next((tmp_path / "results").iterdir()) / "pci.txt"
    listed = {line.split()[0]: line.split()[2] for line in
              tool("lspci", "-F", dump, "-n", "-D").splitlines()}
    assert listed["0000:01:00.0"] == "8086:2922" and listed["0000:00:1f.2"] == "8086:2922"
    assert listed["0000:80:00.0"] == "1b36:000c"
    # Port, switch with its two ports, bridge and the device behind it: none is missed.
    assert {"104c:8232", "104c:8233", "1b36:000e", "1b36:0005"} <= set(listed.values())
    shown = tool("lspci", "-F", dump, "-vv", "-s", "80:00.0")
    assert "LnkCap:" in shown and "Speed 8GT/s, Width x4" in shown
    address = result["controllers"][1]["pci"]["address"]
    assert address in listed
