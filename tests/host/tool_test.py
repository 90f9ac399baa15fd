"""build/barelane-pci on dumps made here, and (BARELANE_CORPUS) on those of real machines."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "build/barelane-pci"
CORPUS = os.environ.get("BARELANE_CORPUS")
FUNCTION = re.compile(r" *[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7] [0-9a-f]{4}:[0-9a-f]{4} .")
DETAIL = re.compile(r" {4,}(I/O|memory|prefetchable|\[[0-9a-f]{2,3}\]) ")
SLOT = re.compile(r"(?:([0-9a-f]+):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ")


@pytest.fixture(scope="module", autouse=True)
def built():
    subprocess.run(["make", "-s", "tools"], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)


def run(*arguments, text=None, stdin=subprocess.DEVNULL):
    """Exit status, output and complaints."""
    given = {"input": text} if text is not None else {"stdin": stdin}
    done = subprocess.run([TOOL, *arguments], capture_output=True, check=False, timeout=60, **given)
    return done.returncode, done.stdout.decode("ascii"), done.stderr.decode("utf-8", "replace")


def function(slot, ids, code, rows=(), header=0):
    """A function of class `code` (six digits) as a dump has it; without `rows` 64 bytes of it."""
    vendor, device = (f"{number[2:]} {number[:2]}" for number in ids.split(":"))
    interface = f"{code[4:]} {code[2:4]} {code[:2]}"
    capabilities = "10 00" if rows else "00 00"
    first = f"00: {vendor} {device} 06 00 {capabilities} 02 {interface} 00 00 {header:02x} 00"
    rest = rows or ["30: " + " ".join(["00"] * 16)]
    return "\n".join([f"{slot} some text", first, *rest, "", ""])


def pcie(port_type, now, most, buses="00 00 00"):
    """Rows of bus numbers and a PCI Express capability at 40h; `now` and `most`: speed, width."""
    return [f"10: 00 00 00 00 00 00 00 00 {buses} 00 00 00 00 00",
            "30: 00 00 00 00 40 00 00 00 00 00 00 00 00 00 00 00",
            f"40: 10 00 {port_type:x}1 00 00 00 00 00 00 00 00 00 {most[1] % 16:x}{most[0]:x} {most[1] // 16:02x} 00 00",
            f"50: 00 00 {now[1] % 16:x}{now[0]:x} {now[1] // 16:02x} 00 00 00 00 00 00 00 00 00 00 00 00"]


MACHINE = (
    function("00:00.0", "8086:1237", "060000")
    + function("00:01.0", "8086:a110", "060400", pcie(4, (1, 4), (3, 16), "00 01 03"), header=1)
    + function("00:1f.0", "8086:2918", "060100", header=0x80)
    + function("00:1f.2", "8086:2922", "010601")
    + function("01:00.0", "10b5:8749", "060400", pcie(5, (1, 4), (2, 4), "01 02 03"), header=1)
    + function("02:00.0", "10b5:8749", "060400", pcie(6, (2, 1), (2, 1), "02 03 03"), header=1)
    + function("03:00.0", "1b4b:9235", "010601", pcie(0, (2, 1), (2, 2)))
    + function("0001:40:00.0", "1b36:000d", "0c0330"))

TREE = """\
0000:00:00.0 8086:1237 rev 02 host bridge
0000:00:01.0 8086:a110 rev 02 root port -> 01-03, PCIe 2.5 of 8 GT/s x4 of x16
  0000:01:00.0 10b5:8749 rev 02 upstream port -> 02-03, PCIe 2.5 of 5 GT/s x4
    0000:02:00.0 10b5:8749 rev 02 downstream port -> bus 03, PCIe 5 GT/s x1
      0000:03:00.0 1b4b:9235 rev 02 SATA AHCI, PCIe 5 GT/s x1 of x2
0000:00:1f.0 8086:2918 rev 02 ISA bridge
0000:00:1f.2 8086:2922 rev 02 SATA AHCI

0001:40:00.0 1b36:000d rev 02 USB xHCI
"""

NOTES = """\
without capabilities, which `lspci -xxxx` gives to root: 4
functions: 8
"""


def test_it_shows_the_tree(tmp_path):
    dump = tmp_path / "machine.txt"
    dump.write_text(MACHINE)
    status, output, complaints = run(dump)
    assert (status, complaints) == (0, "")
    *tree, fast, slow, notes = output.split("\n\n")
    assert "\n\n".join(tree) + "\n" == TREE
    assert fast.startswith("Path to 0000:03:00.0 ")
    assert "    |  PCIe 5 GT/s x1                                500    431    431 <lowest\n" in fast
    assert slow.startswith("Path to 0000:00:1f.2 ")
    assert notes == NOTES
    assert run("-", text=MACHINE.encode()) == (0, output, "")
    assert run("-", text=MACHINE.replace("\n", "\r\n").encode()) == (0, output, "")


VERBOSE = """\
0000:00:01.0 8086:a110 rev 02 root port -> bus 01, PCIe 5 GT/s x4
    I/O closed, memory e0000000-e01fffff, prefetchable 4000000000-40001fffff
    [60] MSI, [70] id 7f, [40] PCI Express, [100] AER, [200] serial number
  0000:01:00.0 1b4b:9235 rev 02 SATA AHCI, PCIe 5 GT/s x1
      [40] PCI Express
0000:00:1f.0 8086:2918 rev 02 ISA bridge
"""


def test_verbose():
    port = ["10: 00 00 00 00 00 00 00 00 00 01 01 00 f0 00 00 00",
            "20: 00 e0 10 e0 01 00 11 00 40 00 00 00 40 00 00 00",
            "30: 00 00 00 00 60 00 00 00 00 00 00 00 00 00 00 00",
            *pcie(4, (2, 4), (2, 4))[2:],
            "60: 05 70 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
            "70: 7f 40 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
            "100: 01 00 02 20 00 00 00 00 00 00 00 00 00 00 00 00",
            "200: 03 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00"]
    text = (function("00:01.0", "8086:a110", "060400", port, header=1)
            + function("00:1f.0", "8086:2918", "060100")
            + function("01:00.0", "1b4b:9235", "010601", pcie(0, (2, 1), (2, 1)))).encode()
    status, output, complaints = run("-v", "-", text=text)
    assert (status, complaints) == (0, "")
    assert output.startswith(VERBOSE + "\nPath to ")
    assert run("--verbose", "-", text=text) == (0, output, "")
    plain = run("-", text=text)[1]
    assert plain.splitlines() == [line for line in output.splitlines() if not DETAIL.match(line)]


def test_it_says_what_it_does_not_show():
    text = (MACHINE + function("10000:e0:01.0", "8086:9a0b", "060400") + "00:02.0 VGA\n"
            + function("00:03.1", "ffff:ffff", "ffffff") + function("03:1f.0", "1234:5678", "020000")
            + function("00:1f.2", "8086:2922", "010601")
            + function("00:04.0", "1234:5678", "060400", ["10: 00 00 00 00 00 00 00 00 00 01 01"], header=1))
    status, output, complaints = run("-", text=text.encode())
    assert (status, complaints) == (0, "")
    for line in ["not shown: 0000:00:02.0 (the dump has no bytes of it)",
                 "not shown: 0000:00:03.1 (reads all ones: off, removed or virtual)",
                 "not shown: 0000:03:1f.0 (no bridge or function leads to it)",
                 "not shown, of domains above ffff: 1",
                 "more than once in the dump, the longest counts: 1",
                 "bridges and headers not as they should be: 1",
                 "functions: 9"]:
        assert line in output.splitlines()


@pytest.mark.parametrize("text, complaint", [
    (b"", "no PCI function"),
    (b"just text\n\0\xff\n", "no PCI function"),
    (b"00: 86 80 22 29\n", "no PCI function"),
    (b"10000:e0:01.0 x\n00: 86 80\n", "no PCI function"),
    (b"00:00.0 Host bridge\n00:02.0 VGA\n", "2 PCI functions without configuration space"),
])
def test_unusable_text(text, complaint):
    status, output, complaints = run("-", text=text)
    assert (status, output) == (1, "")
    assert complaints.startswith(f"barelane-pci: standard input: {complaint}")
    assert complaints.endswith("; needed is what `lspci -xxxx` prints as root\n")
    assert complaints.count("\n") == 1


def test_unusable_files(tmp_path):
    huge = tmp_path / "huge"
    with open(huge, "wb") as file:
        file.truncate(300 << 20)
    for name, complaint in [(tmp_path, "cannot be read: Is a directory"),
                            (tmp_path / "none", "cannot be read: No such file or directory"),
                            (huge, "too large for a dump")]:
        status, output, complaints = run(name)
        assert (status, output) == (1, "")
        assert complaints.startswith(f"barelane-pci: {name}: {complaint}")
        assert complaints.count("\n") == 1


def test_output_that_cannot_be_written(tmp_path):
    dump = tmp_path / "machine.txt"
    dump.write_text(MACHINE)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([TOOL, dump], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"standard output: No space left on device" in done.stderr


def test_options():
    version = (ROOT / "VERSION").read_text().strip()
    assert run("--version") == (0, f"barelane-pci {version}\n", "")
    status, output, _ = run("--help")
    assert status == 0
    assert output.startswith("Usage: barelane-pci [OPTION...] FILE\n")
    for wrong in [[], ["--wrong", "x"], ["one", "two"]]:
        status, output, complaints = run(*wrong)
        assert (status, output) == (64, "")
        assert complaints.startswith(("barelane-pci: ", str(TOOL)))


def blocks(text):
    """Rows of each function of a dump, by its slot; domains above ffff left out."""
    found = {}
    rows = None
    for line in text.splitlines():
        slot = SLOT.match(line)
        if slot:
            rows = []
            if int(slot[1] or "0", 16) <= 0xffff:
                found[slot[1], slot[2]] = rows
        elif rows is not None and re.match(r"[0-9a-f]{2,3}: ", line):
            rows.append(line)
    return found


@pytest.mark.skipif(not CORPUS, reason="no corpus")
@pytest.mark.parametrize("folder", ["hex", "partial", "header-only", "qemu"])
def test_real_machines(folder):
    dumps = sorted(pathlib.Path(CORPUS, "pci", folder).glob("*.lspci"))
    assert dumps
    for dump in dumps:
        status, output, complaints = run(dump)
        assert (status, complaints) == (0, ""), dump
        expected = sum(not rows[0].startswith("00: ff ff")
                       for rows in blocks(dump.read_text(errors="replace")).values())
        lines = output.splitlines()
        assert sum(bool(FUNCTION.match(line)) for line in lines) == expected, dump
        assert lines[-1] == f"functions: {expected}", dump
        status, output, complaints = run("-v", dump)
        assert (status, complaints) == (0, ""), dump
        assert lines == [line for line in output.splitlines() if not DETAIL.match(line)], dump
        assert max(map(len, output.splitlines())) <= 79, dump
