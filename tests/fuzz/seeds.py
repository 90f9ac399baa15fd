#!/usr/bin/python3
"""usage: seeds.py FOLDER

Writes inputs that the fuzz targets can start from to FOLDER/TARGET/. Their forms are described in
tests/fuzz/space.h and at the top of the targets.
"""

import os
import struct
import sys

FUNCTION, BRIDGE, CAP, PCIE, EXT_CAP, POKE, BAR, EVERYWHERE = range(8)
CHANGING, GHOSTS, SHORT, STUCK, CROWDED = 1, 2, 4, 8, 16


def space(orders, flags=0, start=0, end=4, gone=255, choice=0, changes=b""):
    """One input of the target walk."""
    return bytes([flags, start, end, gone, choice]) + changes + b"".join(orders)


def order(*values):
    return bytes(values)


def counted(data):
    return bytes([len(data)]) + data


def port(bus, device, secondary, subordinate, kind, speed=0x33, width=4):
    return (order(BRIDGE, bus, device << 3, secondary, subordinate)
            + order(PCIE, kind, 1, speed, width, 0x11))


def poke(offset, data):
    return bytes([POKE]) + struct.pack("<H", offset) + counted(data)


def disk(bus, device=0):
    """An AHCI function: class, link, BAR 5, error reporting, a serial number, product data."""
    return (order(FUNCTION, bus, device << 3)
            + poke(0x08, b"\x02\x01\x06\x01")
            + order(PCIE, 0, 0, 0x33, 4, 0x11)
            + order(BAR, 5, 0xfe, 0, 11)
            + cap(0x80, 0x03, b"\x00\x80SECR")
            + ext_cap(0x100, 0x01, bytes(32))
            + ext_cap(0x200, 0x03, b"SECRETS!"))


def ext_cap(offset, number, data):
    return bytes([EXT_CAP]) + struct.pack("<HB", offset, number) + counted(data)


def cap(offset, number, data=b""):
    return bytes([CAP, offset, number]) + counted(data)


def bus_seeds():
    """Conventional buses, chipset uplinks, address registers."""
    pcix = cap(0x60, 0x07, b"\xc3\x01\x00\x00\x01\x00")
    ddr = cap(0x60, 0x07, b"\xc1\x02\x00\x00\x01\x00")
    cardbus = order(BRIDGE, 0, 0xf8, 2, 2) + poke(0x0e, b"\x82")
    host = order(FUNCTION, 0, 0) + poke(0, b"\x86\x80")
    isa = order(FUNCTION, 0, 0xf8) + poke(0, b"\x86\x80\x18\x3a\0\0\0\0\0\0\x01\x06")
    wide = [disk(0) + poke(4, b"\x06") + order(BAR, 0, 0xe0, 4, 20) + order(BAR, 1, 1, 0, 0)
            + order(BAR, 2, 0x10, 1, 8) + order(BAR, 3, 0, 0, 12)]
    return {
        "old": space([order(BRIDGE, 0, 0xf0, 1, 1) + pcix, order(FUNCTION, 1, 8) + pcix,
                      cardbus + cap(0x90, 0x03, b"\0\0SECR"), order(FUNCTION, 2, 0)], choice=1),
        "fast": space([order(BRIDGE, 0, 0xf0, 1, 1) + ddr, order(FUNCTION, 1, 8) + ddr]),
        "many": space([order(BRIDGE, 0, 0xf0, 1, 1)]
                      + [order(FUNCTION, 1, i << 3) for i in range(20)]),
        "uplink": space([host, isa, disk(0, 0x1f)]),
        "hub": space([host + order(PCIE, 4, 0, 0x22, 4, 0x11), isa, disk(0, 0x1a)]),
        "wide": space(wide),
        "gone": space(wide, gone=3),
        "stuck": space(wide, flags=STUCK),
    }


def cut_off_seeds():
    """Capabilities whose end would lie behind the end of the space."""
    seeds = {}
    for offset in (0xc4, 0xcc, 0xd4, 0xec, 0xf0, 0xf4, 0xf8, 0xfc):
        express = cap(offset, 0x10, b"\x42\x01" + bytes(58))
        for flags in (0, SHORT):
            seeds[f"express-{offset:x}-{flags}"] = space(
                [order(BRIDGE, 0, 8, 1, 1) + express, order(FUNCTION, 1, 0) + express], flags)
    for offset in (0xfc, 0xf8):
        pcix = cap(offset, 0x07, b"\xc3\x01\x00\x00\x01\x00")
        seeds[f"pcix-{offset:x}"] = space(
            [order(BRIDGE, 0, 8, 1, 1) + cap(0x60, 0x07, b"\xc3\x01"),
             order(FUNCTION, 1, 0) + pcix], SHORT)
        seeds[f"product-{offset:x}"] = space([disk(0) + cap(offset, 0x03)])
    for offset in (0xfe4, 0xff0, 0xffc):
        seeds[f"errors-{offset:x}"] = space(
            [order(FUNCTION, 0, 0) + order(PCIE, 0, 0, 0x33, 4, 0x11)
             + ext_cap(0x100, 0x0b, b"") + ext_cap(offset, 0x01, b"\x01\0\0\0")])
        seeds[f"serial-{offset:x}"] = space(
            [order(FUNCTION, 0, 0) + order(PCIE, 0, 0, 0x33, 4, 0x11)
             + ext_cap(0x100, 0x0b, b"") + ext_cap(offset, 0x03, b"SECRETS!")])
    return seeds


def bridge_seeds():
    """Windows of bridges at 1ch to 33h, and capability lists that run in circles."""
    def bridge(io, memory, prefetchable, upper=bytes(8), io_upper=bytes(4)):
        return space([port(0, 1, 1, 1, 4) + poke(0x1c, io)
                      + poke(0x20, memory + prefetchable + upper + io_upper), disk(1)])

    wide = b"\x40\0\0\0\x40\0\0\0"
    return {
        "windows": bridge(b"\x10\x20", b"\0\xe0\x10\xe0", b"\0\xd0\xf0\xdf"),
        "windows-wide": bridge(b"\x11\x21", b"\0\xe0\x10\xe0", b"\1\xd0\xf1\xdf", wide,
                               b"\1\0\2\0"),
        "windows-closed": bridge(b"\xf0\0", b"\xf0\xff\0\0", b"\xf1\xff\1\0"),
        "windows-one": bridge(b"\x10\x10", b"\0\xe0\0\xe0", b"\1\xd0\1\xd0"),
        "windows-differ": bridge(b"\x10\x21", b"\0\xe0\x11\xe0", b"\2\xd0\xf2\xdf"),
        "windows-gone": bridge(b"\xff\xff", b"\xff\xff\xff\xff", b"\xff\xff\xff\xff"),
        "circle": space([disk(0) + cap(0x60, 0x05) + poke(0x41, b"\x60")
                         + poke(0x102, b"\x01\x10")]),
    }


def walk_seeds():
    plain = [port(0, 1, 1, 1, 4), disk(1)]
    switch = [port(0, 1, 1, 4, 4), port(1, 0, 2, 4, 5), port(2, 0, 3, 3, 6), disk(3),
              port(2, 1, 4, 4, 6), disk(4)]
    deep = [port(bus, 0, bus + 1, 20, 6 - bus % 2) for bus in range(18)] + [disk(18)]
    everywhere = order(FUNCTION, 1, 0) + bytes([EVERYWHERE])
    return {
        "plain": space(plain),
        "plain-text": space(plain, choice=0x81),
        "switch": space(switch),
        "switch-crowded": space(switch, flags=CROWDED),
        "changing": space(switch, flags=CHANGING, changes=bytes(13) + b"\x01\x80\x02"),
        "ghosts": space(plain, flags=CHANGING | GHOSTS, changes=bytes(15) + b"\x77"),
        "short": space(plain, flags=SHORT, choice=1),
        "deep": space(deep, end=20),
        "backward": space([order(BRIDGE, 0, 0, 5, 6), order(BRIDGE, 5, 0, 3, 6),
                           order(FUNCTION, 3, 0)], end=6),
        "everywhere": space([order(BRIDGE, 0, 8, 1, 1), everywhere]),
        "second-root": space([disk(0), disk(3)]),
        **bridge_seeds(),
        **bus_seeds(),
        **cut_off_seeds(),
    }


def table(signature, body):
    return signature + struct.pack("<I", 36 + len(body)) + bytes(28) + body


def structure(kind, body, *strings):
    text = b"".join(s + b"\0" for s in strings) or b"\0"
    return bytes([kind, len(body) + 4, 0, 0]) + body + text + b"\0"


def acpi_seeds():
    def entry(base, segment, start=0, end=255):
        return struct.pack("<QHBBI", base, segment, start, end, 0)

    def fadt(wide_address=0, size=208):
        out = bytearray(table(b"FACP", bytes(208)))
        struct.pack_into("<I", out, 76, 0x608)
        out[91] = 4
        out[113] = 1
        if wide_address:
            struct.pack_into("<BBBBQ", out, 208, 1, 32, 0, 3, wide_address)
        return bytes(out[:size + 36])

    def drhd(address, segment, flags, size=16):
        return struct.pack("<HHBBHQ", 0, size, flags, 0, segment, address).ljust(size, b"\0")

    def ivhd(kind, address, size):
        head = struct.pack("<BBHHHQHHI", kind, 0, size, 2, 0x40, address, 1, 0, 0)
        return head.ljust(size, b"\0")[:size]

    dmar = table(b"DMAR", b"\x26\1".ljust(12, b"\0") + drhd(0xfed90000, 0, 0, 24)
                 + struct.pack("<HH", 1, 24) + bytes(20) + drhd(0xfed91000, 0, 1)
                 + drhd(0, 1, 0) + drhd(0xfed91000, 2, 0) + struct.pack("<HHI", 0, 8, 0))
    ivrs = table(b"IVRS", bytes(12) + ivhd(0x10, 0xfeb80000, 28) + ivhd(0x11, 0xfeb80000, 48)
                 + struct.pack("<BBH", 0x20, 8, 32) + bytes(28) + ivhd(0x40, 0x100feb80000, 40)
                 + ivhd(0x11, 0xfeb81000, 24))
    base = 0x100000
    mcfg = table(b"MCFG", bytes(8) + entry(0xe0000000, 0) + entry(0xd0000000, 1, 0, 15))
    named = (base + 96, base + 96 + len(mcfg))
    chain = (b"RSD PTR " + bytes(7) + b"\x02" + bytes(4) + struct.pack("<IQ", 36, base + 36)
             + bytes(4) + table(b"XSDT", struct.pack("<QQ", *named)))
    chain_iommu = chain[:-16] + struct.pack("<QQ", base + 96, base + 96 + len(dmar))
    old = (b"RSD PTR " + bytes(8) + struct.pack("<I", base + 36) + bytes(16)
           + table(b"RSDT", struct.pack("<II", *named)))
    many = b"".join(entry((i + 1) << 28, i) for i in range(65))
    return {
        "mcfg": b"\2\7" + mcfg,
        "mcfg-full": b"\2\7" + table(b"MCFG", bytes(8) + many),
        "mcfg-raw": b"\2\0" + mcfg,
        "mcfg-short": b"\2\7" + table(b"MCFG", bytes(4)),
        "mcfg-cut": b"\2\7" + mcfg[:-6],
        "mcfg-high": b"\2\7" + table(b"MCFG", bytes(8) + entry(0xfffffffffff00000, 0)),
        "fadt": b"\3\7" + fadt(),
        "fadt-wide": b"\3\7" + fadt(0x608),
        "fadt-odd": b"\3\7" + fadt(0x609),
        "fadt-short": b"\3\7" + fadt(size=60),
        "dmar": b"\4\7" + dmar,
        "dmar-raw": b"\4\0" + dmar,
        "dmar-cut": b"\4\7" + dmar[:-9],
        "dmar-short": b"\4\7" + table(b"DMAR", bytes(11)),
        "dmar-full": b"\4\7" + table(b"DMAR", bytes(12) + b"".join(
            drhd(0xfe000000 + (i << 12), i, 0) for i in range(66))),
        "ivrs": b"\5\7" + ivrs,
        "ivrs-cut": b"\5\7" + ivrs[:-30],
        "ivrs-full": b"\5\7" + table(b"IVRS", bytes(12) + b"".join(
            ivhd(0x10, 0xfe000000 + (i << 12), 24) for i in range(66))),
        "chain": b"\0\1" + chain.ljust(96, b"\0") + mcfg + fadt(),
        "chain-aimed": b"\0\x0f" + chain.ljust(96, b"\0") + mcfg + fadt(),
        "chain-iommu": b"\0\1" + chain_iommu.ljust(96, b"\0") + dmar + ivrs,
        "chain-old": b"\0\x11" + old.ljust(96, b"\0") + mcfg + fadt(),
    }


def smbios_seeds():
    machine = bytes(32) + b"".join([
        structure(0, b"\1\2\0\0\3".ljust(20, b"\0"), b"Maker", b"F.1", b"01/02/2025"),
        structure(1, b"\1\2\3".ljust(23, b"\0"), b"System", b"Box", b"v2", b"SERIAL"),
        structure(2, b"\1\2\3".ljust(11, b"\0"), b"Board", b"B-1", b"rev 1"),
        structure(4, (bytes(12) + b"\1" + bytes(7) + b"\x41").ljust(38, b"\0"), b"CPU"),
        structure(9, b"\1\xa5\x08\x04\x03\0\0\0\0\0\0\0\x08", b"SLOT1"),
        structure(17, (bytes(8) + b"\xff\x7f" + bytes(14) + b"\0\x10\0\0").ljust(36, b"\0")),
        structure(127, b""),
    ])
    board = bytes(32) + structure(2, b"\2\2\2", b"Board", b"B-1")
    seeds = {}
    for name, kind in (("new", 0x0f), ("old", 0x1f)):
        start = bytes([1, kind])
        seeds[f"smbios-{name}"] = start + machine
        seeds[f"smbios-{name}-missing"] = start + bytes(32) + structure(2, b"\7\x63\xff", b"Board")
        seeds[f"smbios-{name}-slots"] = start + bytes(32) + 33 * structure(9, b"\1", b"S")
        for cut in range(1, 4):
            seeds[f"smbios-{name}-cut-{cut}"] = start + board[:-cut]
        # An entry point too short for what is read of it.
        short = bytearray(machine)
        short[5 if kind & 0x10 else 6] = 0x10
        seeds[f"smbios-{name}-short"] = bytes([1, kind & ~4]) + short
    return seeds


def options_seeds():
    texts = ["barelane.efi -l", "-d 0:1 --drive=2:0 -t verify,access", "--seed 0x1234 -y --force",
             "--positions 256 --access-count=2000 --depth-count 1000", "\"fs0:\\a b.EFI\" -h -V -b",
             "--tests all --nothing", "--list=1", "-d 256:0", "-d 0:32", "-d", "--positions 5000",
             "-d 1:1 " * 17, "-l " * 65, "-l" + " " * 1022, "-l" + " " * 1021, "x" * 1024,
             "-l\x7f", "efi", ".efi", "\"\"", "-t \"a\tb\""]
    pci = b"\x02\x01\x0c\0\xd0\x41\x03\x0a\0\0\0\0" + b"\x01\x01\x06\0\0\x1f"
    sata = pci + b"\x03\x12\x0a\0\x01\0\xff\xff\0\0" + b"\x7f\xff\x04\0"
    seeds = {f"text-{i}": b"\1" + text.encode() for i, text in enumerate(texts)}
    seeds["raw"] = b"\0" + texts[0].encode("utf-16-le") + b"\0\0"
    seeds["paths"] = b"\2" + counted(pci) + sata
    seeds["below"] = b"\3" + bytes([len(pci)]) + sata
    seeds["below-far"] = b"\3" + bytes([len(pci)]) + sata.replace(b"\x0a\0\x01", b"\x0a\0\x20")
    seeds["no-end"] = b"\2\0" + b"\1\1\4\0" * 1023
    seeds["far-end"] = b"\2\0\1\1\xff\xff"
    seeds["no-length"] = b"\2\0\1\1\0\0"
    return seeds


def dump_seeds():
    def rows(data):
        return "".join(f"{i:02x}: " + " ".join(f"{b:02x}" for b in data[i:i + 16]) + "\n"
                       for i in range(0, len(data), 16))

    bridge = bytes([0x34, 0x12, 1, 0, 6, 0, 0x10, 0, 0, 0, 4, 6, 0, 0, 1]).ljust(0x18, b"\0")
    bridge += bytes([0, 1, 1]).ljust(0x1c, b"\0") + b"\x40"
    bridge = bridge.ljust(0x40, b"\0") + bytes([0x10, 0, 0x42, 0]).ljust(0x20, b"\0")
    disk = bytes([0x34, 0x12, 2, 0, 6, 0, 0x10, 0, 1, 1, 6, 1]).ljust(0x34, b"\0") + b"\x40"
    disk = disk.ljust(0x40, b"\0") + bytes([0x10, 0, 2, 0]).ljust(0x20, b"\0")
    plain = "00:01.0 PCI bridge\n" + rows(bridge) + "\n01:00.0 SATA\n" + rows(disk) + "\n"
    texts = {
        "plain": plain,
        "domain": plain.replace("0:0", "0003:00:0", 1).replace("\n01:0", "\n0003:01:0"),
        "wide-domain": "10000:e0:1d.0 x\n" + rows(disk[:16]) + plain,
        "extended": "00:00.0 x\n" + rows(disk) + "100: 01 00 01 14\nff0: 1 2 3\nfff: 77 88\n",
        "verbose": "00:00.0 x\n\tSubsystem: y\n\tCapabilities: [40] z\n" + rows(disk),
        "crlf": plain.replace("\n", "\r\n"),
        "odd": "00:20.0 x\n00:1f.8 x\n-1:00.0 x\n00:00.0 x\n-1: 00 11\n1000: 22\n10: 111 g\n",
        "rows-first": rows(disk[:32]),
        "long-line": "00:00.0 " + "x" * 1100 + "\n" + rows(disk[:16]),
        "no-end": "00:00.0 x\n00: 34 12",
        "zero": "00:00.0 x\0y\n00: 34 12\0 33\n",
        "twice": "00:00.0 x\n00: 34 12\n00:00.0 x\n00: 35 12\n",
    }
    return {name: text.encode() for name, text in texts.items()}


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    targets = {
        "dump": dump_seeds(),
        "options": options_seeds(),
        "tables": {**acpi_seeds(), **smbios_seeds()},
        "walk": walk_seeds(),
    }
    for target, seeds in targets.items():
        folder = os.path.join(sys.argv[1], target)
        os.makedirs(folder, exist_ok=True)
        for name, data in seeds.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    main()
