"""What SMBIOS and CPUID say of the machine reaches the result, and its serial numbers do not."""

import struct

import pytest
from facts import check_folder
from lab import MB, Controller, Drive, shell

SECRET = "SECRETSERIAL"
UUID = "5ec4e700-1234-5678-9abc-def012345678"
RUN = "barelane -y -t access"


def slot(path, name, address, width=0x08):
    """A system slot (type 9, version 2.6) as QEMU's file= takes it; address: (bus, device, function)."""
    bus, device, function = address
    formatted = struct.pack("<BBHBBBBBHBBHBB", 9, 0x11, 0x0900 + device, 1, 0xa5, width, 4, 3,
                            device, 0x04, 0x01, 0, bus, device << 3 | function)
    path.write_bytes(formatted + name.encode("ascii") + b"\0\0")
    return ["-smbios", f"file={path}"]


def options(table):
    """-smbios options; a comma in a value is doubled."""
    words = []
    for kind, fields in table.items():
        text = "".join(f",{key}={value.replace(',', ',,')}" for key, value in fields.items())
        words += ["-smbios", f"type={kind}{text}"]
    return words


NAMED = {
    0: {"vendor": "Test Maker, Inc.", "version": "F.42", "date": "12/24/2025"},
    1: {"manufacturer": "System Co.", "product": "System Product Name", "version": "v2",
        "serial": SECRET, "uuid": UUID, "sku": SECRET + "-SKU", "family": SECRET + "-F"},
    2: {"manufacturer": "Board & Sons", "product": "B-85 \"Pro\"", "version": "Default string",
        "serial": SECRET, "asset": SECRET + "-TAG", "location": SECRET + "-PLACE"},
    3: {"manufacturer": "Case Co.", "serial": SECRET, "asset": SECRET},
    4: {"manufacturer": "Chips", "version": "Processor 9000", "serial": SECRET, "asset": SECRET,
        "part": SECRET},
    11: {"value": SECRET},
    17: {"manufacturer": "Modules", "serial": SECRET, "asset": SECRET, "part": SECRET},
}


def check_no_secret(folder, stick, text):
    """In no file of the stick's results, nor on the console, in whatever form UUIDs are written."""
    mixed = bytes.fromhex("00e7c45e" "3412" "7856" "9abcdef012345678")
    plain = bytes.fromhex(UUID.replace("-", ""))
    files = [file.read_bytes() for name in stick.results()
             for file in (folder / "results" / name).iterdir()]
    assert len(files) >= 4
    for shown in [*files, text.encode()]:
        for secret in (SECRET.encode(), UUID.encode(), UUID.replace("-", "").encode(), mixed, plain):
            assert secret.lower() not in shown.lower()


@pytest.mark.parametrize("entry_point", ["32", "64"])
def test_machine(tmp_path, entry_point):
    """Both kinds of entry point; a slot by its port, one by its device, one that is elsewhere."""
    extra = ["-machine", f"smbios-entry-point-type={entry_point}", *options(NAMED),
             *slot(tmp_path / "slot1", "PCIEX1_1", (0, 2, 0)),
             *slot(tmp_path / "slot2", "SATA_ONBOARD", (0, 0x1f, 2)),
             *slot(tmp_path / "slot3", "PCIEX16_7", (0, 7, 0), 0x0d)]
    text, stick = shell(tmp_path, [RUN], controllers=[Controller([Drive(null=100 * MB)])],
                        memory=768, extra=extra)
    result = check_folder(stick, tmp_path)
    machine = result["machine"]
    assert machine["board"] == {"vendor": "Board & Sons", "product": "B-85 \"Pro\"",
                                "version": "Default string"}
    assert machine["system"] == {"vendor": "System Co.", "product": "System Product Name",
                                 "version": "v2"}
    assert machine["bios"] == {"vendor": "Test Maker, Inc.", "version": "F.42",
                               "date": "12/24/2025"}
    assert machine["memory_mib"] == 768
    assert machine["cpu"]["smbios_name"] == "Processor 9000"
    assert machine["cpu"]["name"].startswith("QEMU Virtual CPU")
    assert machine["cpu"]["vendor"] in ("AuthenticAMD", "GenuineIntel")
    # The model that QEMU calls qemu64.
    assert (machine["cpu"]["family"], machine["cpu"]["model"], machine["cpu"]["stepping"]) == \
        (15, 107, 1)
    assert {"designation": "PCIEX16_7", "type": 0xa5, "width": 0x0d, "lanes": 16,
            "address": "0000:00:07.0"} in machine["slots"]
    assert len(machine["slots"]) == 3
    assert {c["pci"]["address"]: c["slot"] for c in result["controllers"]} == \
        {"0000:00:1f.2": "SATA_ONBOARD", "0000:01:00.0": "PCIEX1_1"}
    assert not any("SMBIOS" in note for note in result["notes"])

    table = (tmp_path / "results" / stick.results()[0] / "result.txt").read_text("ascii")
    assert "\nBoard Board & Sons B-85 \"Pro\", BIOS Test Maker, Inc. F.42 of 12/24/2025\n" in table
    assert "\nCPU QEMU Virtual CPU version 2.5+, 768 MiB of memory\n" in table
    assert "\n  slot      PCIEX1_1\n" in table and "PCIEX1_1" in text
    assert "Default string" not in table
    check_no_secret(tmp_path, stick, text)


def test_placeholders_and_no_slots(tmp_path):
    """A board without a name: the system's is shown; what is not known is null."""
    extra = options({0: {"vendor": "Default string", "version": "1.0"},
                     1: {"manufacturer": "Maker", "product": "Box 1"},
                     2: {"manufacturer": "Maker", "product": "To be filled by O.E.M."}})
    _, stick = shell(tmp_path, [RUN], controllers=[Controller([Drive(null=100 * MB)])], extra=extra)
    result = check_folder(stick, tmp_path)
    assert result["machine"]["board"]["product"] == "To be filled by O.E.M."
    assert result["machine"]["slots"] == []
    assert [c["slot"] for c in result["controllers"]] == [None, None]
    table = (tmp_path / "results" / stick.results()[0] / "result.txt").read_text("ascii")
    assert "\nSystem Maker Box 1" in table and ", BIOS 1.0" in table
    assert "O.E.M." not in table and "  slot  " not in table
