"""The way from the processor to a drive: hops, ceilings, findings and the verdict, on machines whose
layout and rates are known. QEMU's SATA links always say 1.5 Gb/s, and it never limits a rate to a
link, so the drives are held to the rate that the story needs."""

import re

from facts import check_folder, drives, rate_of
from lab import GB, MB, ROOT, Controller, Drive, Image, Machine, shell, tool

RUN = "barelane -y -t transfer"
NOT_VIRTUAL = ["-cpu", "qemu64,-hypervisor"]

# A root port of 5 GT/s x4 and below it a switch with three ports. QEMU's upstream port is 2.5 GT/s
# x1; its downstream ports report that they can do nothing and run at 2.5 GT/s x1.
SWITCH = ["-device", "pcie-root-port,id=rp,x-speed=5,x-width=4,chassis=20,slot=20",
          "-device", "x3130-upstream,id=up,bus=rp",
          "-device", "xio3130-downstream,id=dn0,bus=up,chassis=21,slot=21",
          "-device", "xio3130-downstream,id=dn1,bus=up,chassis=22,slot=22",
          "-device", "xio3130-downstream,id=dn2,bus=up,chassis=23,slot=23"]
NVME = ["-blockdev", "driver=null-co,node-name=nv,size=100000000,read-zeroes=on",
        "-device", "nvme,serial=1,drive=nv,bus=dn1"]


def run(folder, controllers, **options):
    """One unattended run of transfer; (result, result.txt, name of the folder)."""
    _, stick = shell(folder, [RUN], controllers=controllers, **options)
    result = check_folder(stick, folder)
    name = stick.results()[0]
    return result, (folder / "results" / name / "result.txt").read_text("ascii"), \
        folder / "results" / name


def kinds(controller):
    return [hop["kind"] for hop in controller["path"]["hops"]]


def megabytes(ceiling, direction="to_memory"):
    return round(ceiling[f"{direction}_bytes_per_s"] / 1e6, 1)


def findings(controller):
    return [finding["kind"] for finding in controller["findings"]]


def behind_ports(result):
    """The controllers that are not the machine's own."""
    return [c for c in result["controllers"] if c["pci"]["address"] != "0000:00:1f.2"]


def check_against_lspci(result, folder):
    """Links and sizes of every end of every path as lspci decodes them from pci.txt."""
    shown = tool("lspci", "-D", "-n", "-vvv", "-F", folder / "pci.txt")
    blocks = {block.split(" ", 1)[0]: block for block in shown.split("\n\n") if block}
    count = 0
    speeds = ["unknown", "2.5GT/s", "5GT/s", "8GT/s", "16GT/s", "32GT/s", "64GT/s"]
    for controller in result["controllers"]:
        for end in controller["path"]["ends"]:
            if end is None:
                continue
            block = blocks[end["address"]]
            assert f" {end['id']}" in block.split("\n", 1)[0]
            if end["registers"]["dev_ctl"] is None:
                assert "Express" not in block
                continue
            sizes = re.search(r"MaxPayload (\d+) bytes, MaxReadReq (\d+)", block)
            assert [int(size) for size in sizes.groups()] == \
                [end["payload_bytes"], end["request_bytes"]]
            if end["link"] is None:
                assert "LnkSta:" not in block
                continue
            state = re.search(r"LnkSta:\tSpeed ([^ ,]+)[^W]*Width x(\d+)", block)
            assert (speeds.index(state.group(1)), int(state.group(2))) == \
                (end["link"]["speed"], end["link"]["width"])
            most = re.search(r"LnkCap:.*Speed ([^ ,]+), Width x(\d+)", block)
            assert (speeds.index(most.group(1)), int(most.group(2))) == \
                (end["link"]["speed_max"], end["link"]["width_max"])
            count += 1
    return count


def check_tool(result, folder):
    """barelane-pci reads the same paths and ceilings out of pci.txt."""
    shown = tool(ROOT / "build/barelane-pci", folder / "pci.txt")
    for controller in result["controllers"]:
        block = re.search(rf"^Path to {controller['pci']['address']}.*?(?=^$|\Z)", shown, re.M | re.S)
        assert block is not None, shown
        hops = [hop for hop in controller["path"]["hops"] if hop["kind"] != "internal"]
        lines = [line for line in block.group(0).splitlines() if line.startswith("    |  ")]
        assert len(lines) == len(hops)
        for line, hop in zip(lines, hops):
            if hop["ceiling"] is not None:
                raw, usable = re.search(r" (\d+) +(\d+)(?: +\d+)(?: <lowest)?$", line).groups()
                assert int(raw) == round(hop["ceiling"]["raw_bytes_per_s"] / 1e6)
                assert int(usable) == round(hop["ceiling"]["to_memory_bytes_per_s"] / 1e6)


def test_switch_with_neighbour_and_bridge(tmp_path):
    """Three ways through one switch: a drive, a conventional bridge with another, an NVMe."""
    bridge = ["-device", "pcie-pci-bridge,id=br,bus=dn2"]
    controllers = [Controller([Drive(null=100 * MB)], bus="dn0"),
                   Controller([Drive(null=100 * MB)], bus="br")]
    result, table, folder = run(tmp_path, controllers, parts=SWITCH + NVME + bridge)
    plain, behind = behind_ports(result)
    if plain["path"]["hops"][-1]["kind"] == "bus":
        plain, behind = behind, plain

    assert kinds(plain) == ["internal", "link", "internal", "link"]
    hops = plain["path"]["hops"]
    assert [end and end["port"] for end in plain["path"]["ends"]] == \
        [None, "root port", "switch upstream port", "switch downstream port", None]
    # The link to the switch: the lower of 5 GT/s x4 and 2.5 GT/s x1.
    assert (hops[1]["speed"], hops[1]["width"]) == (1, 1)
    assert (hops[3]["speed"], hops[3]["width"]) == (1, 1)
    for hop in (hops[1], hops[3]):
        assert hop["ceiling"]["raw_bytes_per_s"] == 250_000_000
        assert megabytes(hop["ceiling"]) == megabytes(hop["ceiling"], "from_memory") == 215.7
    assert plain["path"]["lowest_to_memory"] == 1
    classes = sorted(other["class"] for other in hops[1]["shared"])
    assert classes == ["010601", "010802"] and hops[1]["shared_count"] == 2
    assert hops[3]["shared_count"] == 0
    assert "shared hop" in findings(plain)
    assert "is shared with " in table

    assert kinds(behind) == ["internal", "link", "internal", "link", "bus"]
    last = behind["path"]["hops"][4]
    assert last["bus"] == {"mode": "PCI", "clock_thirds": last["bus"]["clock_thirds"],
                           "clock_known": False, "width_bytes": 4, "width_known": False}
    assert megabytes(last["ceiling"]) == {1: 129.3, 2: 258.6}[last["bus"]["clock_thirds"]]
    assert behind["path"]["ends"][4]["port"] == "PCIe-to-PCI bridge"
    assert "bus" in findings(behind)
    assert check_against_lspci(result, folder) >= 6
    check_tool(result, folder)


def test_second_root_bus(tmp_path):
    parts = ["-device", "pxb-pcie,id=pxb,bus_nr=0x80,bus=pcie.0",
             "-device", "pcie-root-port,id=rpx,bus=pxb,x-speed=8,x-width=2,chassis=30,slot=30"]
    result, _, folder = run(tmp_path, [Controller([Drive(null=100 * MB)], bus="rpx")], parts=parts)
    controller, = behind_ports(result)
    assert controller["pci"]["address"] == "0000:81:00.0"
    assert kinds(controller) == ["internal", "link"]
    assert controller["path"]["ends"][1]["address"].startswith("0000:80:")
    hop = controller["path"]["hops"][1]
    assert (hop["speed"], hop["width"]) == (3, 2)
    # 8 GT/s x2, payload 128: 1969.2 MB/s raw, less one block in 371 and 20 bytes of 148.
    assert hop["ceiling"]["raw_bytes_per_s"] == 1_969_230_769
    assert abs(hop["ceiling"]["to_memory_bytes_per_s"] -
               8e9 * 2 / 8 * 128 / 130 * 370 / 371 * 128 / 148) < 2
    assert check_against_lspci(result, folder) >= 1
    check_tool(result, folder)


def verdict_of(result):
    (_, drive), = drives(result).items()
    return drive["verdict"], drive


def share(rate, verdict, hop):
    own, = [entry for entry in verdict["hops"] if entry["hop"] == hop]
    assert own["share_permille"] == rate * 1000 // own["ceiling_bytes_per_s"]
    return own["share_permille"]


def test_lane_is_the_limit(tmp_path):
    """205 MB/s through 2.5 GT/s x1 is 95 % of 215.7."""
    drive = Drive(null=1200 * MB, rate=205 * MB)
    result, table, _ = run(tmp_path, [Controller([drive], speed="2_5")])
    verdict, measured = verdict_of(result)
    assert (verdict["state"], verdict["hop"], verdict["void"]) == ("limit", 1, [])
    assert 930 <= share(rate_of(measured), verdict, 1) <= 970
    # The SATA link of the emulator is slower than the drive: marked, set aside.
    assert verdict["virtual_machine"] and verdict["emulated_link"]
    assert [entry["hop"] for entry in verdict["hops"] if entry["refuted"]] == ["sata"]
    assert measured["watch"]["looks_under_load"] >= 1
    assert measured["watch"]["before"] == measured["watch"]["loaded"] == measured["watch"]["after"]
    assert re.search(r"PCIe 2\.5 GT/s x1 +250 +216 +9[3-7]% <- LIMIT\n", table)
    assert re.search(r"SATA 1\.5 Gb/s.* emulated\n", table)
    assert "virtual machine" in verdict["sentence"]


def test_shared_uplink_is_the_limit(tmp_path):
    """The same rate, through a switch whose only lane two others share."""
    drive = Drive(null=1200 * MB, rate=205 * MB)
    result, _, _ = run(tmp_path, [Controller([drive], bus="dn0")], parts=SWITCH + NVME)
    verdict, _ = verdict_of(result)
    assert (verdict["state"], verdict["hop"]) == ("limit", 1)
    controller, = behind_ports(result)
    shared, = [f for f in controller["findings"] if f["kind"] == "shared hop"]
    assert shared["hop"] == 1 and "leave them idle" in shared["advice"]


def test_drive_is_the_limit(tmp_path):
    drive = Drive(null=1200 * MB, rate=190 * MB)
    result, table, _ = run(tmp_path, [Controller([drive])])
    verdict, measured = verdict_of(result)
    assert (verdict["state"], verdict["hop"], verdict["void"]) == ("drive", 1, [])
    assert 430 <= share(rate_of(measured), verdict, 1) <= 450
    assert "The drive, or the controller itself, is the limit" in table.replace("\n            ", " ")


def test_sata_link_is_the_limit(tmp_path):
    """140 MB/s of 148.1; without the hypervisor bit, so that every link counts."""
    drive = Drive(null=1 * GB, rate=140 * MB)
    result, table, _ = run(tmp_path, [Controller([drive])], extra=NOT_VIRTUAL)
    verdict, _ = verdict_of(result)
    assert (verdict["state"], verdict["hop"], verdict["void"]) == ("limit", "sata", [])
    assert not verdict["virtual_machine"] and "virtual" not in verdict["sentence"]
    assert re.search(r"SATA 1\.5 Gb/s.* 150 +148 +9[3-7]% <- LIMIT\n", table)


def test_impossible_is_void(tmp_path):
    """300 MB/s through a lane of 2.5 GT/s, on what seems to be a real machine."""
    drive = Drive(null=1500 * MB, rate=300 * MB)
    text, stick = shell(tmp_path, [RUN, "echo status %lasterror%"], extra=NOT_VIRTUAL,
                        controllers=[Controller([drive], speed="2_5")])
    result = check_folder(stick, tmp_path)
    verdict, measured = verdict_of(result)
    assert (verdict["state"], verdict["hop"], verdict["void"]) == \
        ("impossible", "sata", ["impossible rate"])
    assert result["run"]["status"] == "void"
    assert rate_of(measured) > 290e6  # what was measured stands there, marked
    assert re.search(r"status 0x8?0*21\b", text), text
    assert "VOID      impossible rate: no figure of this drive may be used" in text


def test_no_sata_wire(tmp_path):
    """The same rate where the lane carries it: then the SATA link is none."""
    drive = Drive(null=1500 * MB, rate=300 * MB)
    result, _, _ = run(tmp_path, [Controller([drive])], extra=NOT_VIRTUAL)
    verdict, _ = verdict_of(result)
    assert (verdict["state"], verdict["hop"], verdict["void"]) == ("drive", 1, [])
    assert [hop["hop"] for hop in verdict["hops"] if hop["refuted"]] == ["sata"]
    assert "more than the SATA link could carry" in verdict["sentence"]


def test_errors_void_the_run(tmp_path):
    """A bad packet at the root port while the transfer runs."""
    drive = Drive(null=1200 * MB, rate=150 * MB)
    stick = Image.make(tmp_path / "stick.img")
    with Machine(tmp_path, stick=stick, controllers=[Controller([drive])]) as machine:
        machine.wait(r"transfer +\[#+")
        machine.qmp.ask("human-monitor-command",
                        **{"command-line": "pcie_aer_inject_error -c rp0 BAD_TLP"})
        ended = machine.wait(r"barelane: (done|failed)[^\n]*").group(0)
    result = check_folder(stick, tmp_path)
    verdict, measured = verdict_of(result)
    assert verdict["void"] == ["link errors"]
    assert measured["watch"]["error_hops"] == [1]
    assert "void" in ended
    controller, = behind_ports(result)
    found, = [f for f in controller["findings"] if f["kind"] == "errors during the run"]
    assert "bad packet" in found["evidence"] and "00000040" in found["evidence"]


def test_path_option(tmp_path):
    """-p prints the tree and the path of each storage controller, and touches nothing."""
    text, stick = shell(tmp_path, ["barelane -p"], parts=SWITCH + NVME,
                        controllers=[Controller([Drive(null=100 * MB)], bus="dn0")])
    assert stick.results() == []
    assert len(re.findall(r"^Path to 0000:[0-9a-f:.]+ ", text, re.M)) == 3
    assert re.search(r"^ +\|  PCIe 2\.5 GT/s x1, shared with 1 +250 +216 +216 <lowest$", text, re.M)
    assert re.search(r"^0000:00:1f\.2 8086:2922 rev 02 SATA AHCI$", text, re.M)
    assert "IOMMU: ACPI names none." in text
    assert "barelane: done" in text
    assert max(map(len, text.splitlines())) <= 79


def test_iommu_is_found(tmp_path):
    """A VT-d unit that the shell switches on; the machine's own buses are kept out of it."""
    text, _ = shell(tmp_path, ["barelane -p", "mm 0xfed90018 0x80000000 -w 4 -MMIO -n", RUN],
                    board="q35,default_bus_bypass_iommu=on", extra=["-device", "intel-iommu"],
                    controllers=[Controller([Drive(null=100 * MB)])])
    assert "IOMMU: 1 VT-d units: 0 translating, 1 off, 0 unknown." in text
    assert "An IOMMU translates the addresses of DMA: 1 of 1 VT-d units are on." in \
        text.replace("\n            ", " ")
