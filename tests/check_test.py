"""scripts/check finds what it is there to find: each case plants one wrong thing in a copy."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ["base", "hw", "pci", "drivers", "bench", "report", "efi", "host", "scripts", "Makefile",
          "VERSION", ".clang-format"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    copy = tmp_path_factory.mktemp("tree")
    for name in SOURCE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name)
        else:
            shutil.copy(ROOT / name, copy / name)
    (copy / "tests/model").mkdir(parents=True)
    (copy / "tests/unit").mkdir()
    return copy


def check(tree, name):
    done = subprocess.run([tree / "scripts/check", name], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


PLANTED = [
    ("rooms", "pci/bad.c", '#include "efi/hw.h"\n', "pci/ must not include"),
    ("rooms", "bench/bad.c", '#include "drivers/ahci/port.h"\n', "bench/ must not include"),
    ("rooms", "report/bad.c", '#include "hw/reg.h"\n', "report/ must not include"),
    ("rooms", "efi/pure/bad.c", '#include "efi/hw.h"\n', "efi/pure/ must not include"),
    ("rooms", "host/bad.c", '#include "efi/pure/options.h"\n', "host/ must not include"),
    ("rooms", "drivers/ahci/bad.c", '#include "port.h"\n', "not a path from the root"),
    ("rooms", "drivers/ahci/bad.c", "#include <stdio.h>\n", "no <stdio.h>"),
    ("rooms", "hw/bad.c", "#include <unistd.h>\n", "must do without"),
    ("symbols", "bench/bad.c", "int f(void);\nint hw_x(void);\nint bench_bad(void);\n"
     "int bench_bad(void)\n{\n    return f() + hw_x();\n}\n", "must not need f, which no room defines"),
    ("symbols", "pci/bad.c", "int drive_x(void);\nint bench_plan_make(void);\nint pci_bad(void);\n"
     "int pci_bad(void)\n{\n    return bench_plan_make();\n}\n", "pci/ must not need bench_plan_make"),
    ("seam", "drivers/bad.c", "int f(int *x)\n{\n    return *(volatile int *)x;\n}\n", "belongs in"),
    ("seam", "efi/bad.c", 'void f(void)\n{\n    __asm__("");\n}\n', "belongs in"),
    ("seam", "host/bad.c", "volatile int f;\n", "belongs in"),
    ("firmware", "report/bad.c", "EFI_STATUS f(void);\n", "belongs in efi/"),
    ("firmware", "efi/pure/bad.c", "const void *f(void)\n{\n    return L\"x\";\n}\n", "belongs in efi/"),
    ("commands", "drivers/null/bad.c", "int f = 0x27;\n", "only drivers/ahci/command.c"),
    ("commands", "drivers/ahci/bad.h", "#define ATA_WRITE_DMA_EXT 0x35\n", "changes a drive"),
    ("format", "base/bad.c", "int  f;\n", "clang-format"),
    ("clang", "base/bad.c", "int f(int x);\nint f(int x)\n{\n    return x == x;\n}\n", "base/bad.c"),
    ("clang", "host/bad.c", "int f(int x);\nint f(int x)\n{\n    return x == x;\n}\n", "host/bad.c"),
    ("shell", "scripts/bad", "#!/bin/sh\necho $1\n", "SC2086"),
    ("python", "tests/bad.py", "def f(:\n", "tests/bad.py"),
    ("paths", "base/bad.c", "/* see /wo" "rk/main */\n", "base/bad.c"),
]


@pytest.mark.parametrize("name, path, text, finding", PLANTED)
def test_finds(tree, name, path, text, finding):
    bad = tree / path
    try:
        bad.write_text(text)
        status, output = check(tree, name)
        assert status != 0
        assert finding in output
        assert "0 passed, 1 failed" in output.splitlines()[-1]
    finally:
        bad.unlink()


@pytest.mark.parametrize("name", ["rooms", "symbols", "seam", "firmware", "commands"])
def test_says_nothing_about_comments_and_strings(tree, name):
    bad = tree / "base/fine.c"
    try:
        bad.write_text('/* volatile EFI_STATUS 0x27 */\nconst char *f = "asm CHAR16"; // UINTN\n')
        status, output = check(tree, name)
        assert status == 0, output
    finally:
        bad.unlink()
