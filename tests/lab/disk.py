"""A disk whose content is known: every 16 bytes carry the number of their 512-byte sector.

A sector is 32 times "%015x\\n" % number, so a reader that gets other bytes than it asked for can
tell whose they are. `disk.py FILE MIB` writes one; about a second for each GiB.
"""

import sys

SECTOR = 512
REPEAT = 16
BLOCK_SECTORS = 4096  # 0x1000: within a block only the last three digits differ


def sector(number):
    """The 512 bytes of one sector."""
    return (b"%015x\n" % number) * (SECTOR // REPEAT)


def content(first, count):
    """The bytes of `count` sectors from `first` on."""
    return b"".join(sector(number) for number in range(first, first + count))


def blocks(sectors):
    """The whole disk, 2 MiB at a time. The digits that all sectors of a block share are laid over it."""
    block = bytearray(content(0, BLOCK_SECTORS))
    repeats = len(block) // REPEAT
    shown = b"%012x" % 0
    for first in range(0, sectors, BLOCK_SECTORS):
        wanted = b"%012x" % (first // BLOCK_SECTORS)
        for place, digit in enumerate(wanted):
            if digit != shown[place]:
                block[place::REPEAT] = bytes([digit]) * repeats
        shown = wanted
        left = min(sectors - first, BLOCK_SECTORS)
        yield memoryview(block)[: left * SECTOR]


def write(path, mib):
    with open(path, "wb") as out:
        for block in blocks(mib * 2048):
            out.write(block)


def main():
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit("usage: disk.py FILE MIB")
    write(sys.argv[1], int(sys.argv[2]))


if __name__ == "__main__":
    main()
