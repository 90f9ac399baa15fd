"""Known rates and a known clock: how far off are the figures?"""

import os
import subprocess
import sys
import time

import pytest
from facts import check_folder, drives, rate_of
from lab import MB, Controller, Drive, Image, Machine, shell

TSC = r"""
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>
static double now(unsigned long long *tsc)
{
    struct timespec t;
    unsigned long long best = ~0ull, found = 0;
    double seconds = 0;
    for (int i = 0; i < 1000; i++) {
        unsigned long long before = __rdtsc(), after;
        clock_gettime(CLOCK_MONOTONIC, &t);
        after = __rdtsc();
        if (after - before < best) {
            best = after - before;
            found = before + best / 2;
            seconds = t.tv_sec + t.tv_nsec / 1e9;
        }
    }
    *tsc = found;
    return seconds;
}
int main(void)
{
    unsigned long long a, b;
    double start = now(&a);
    struct timespec pause = {2, 0};
    nanosleep(&pause, NULL);
    double end = now(&b);
    printf("%.0f\n", (b - a) / (end - start));
    return 0;
}
"""


@pytest.fixture(scope="module")
def host_hz(tmp_path_factory):
    """The TSC rate of the host, which under emulation is also the guest's."""
    folder = tmp_path_factory.mktemp("tsc")
    (folder / "tsc.c").write_text(TSC, encoding="ascii")
    subprocess.run(["gcc", "-O2", folder / "tsc.c", "-o", folder / "tsc"], check=True)
    return float(subprocess.run([folder / "tsc"], check=True, stdout=subprocess.PIPE).stdout)


# Bytes per second, and a size that keeps the test short: a small drive gets fewer bytes a place.
RATES = [(40 * MB, 300 * MB), (201 * MB, 1500 * MB), (407 * MB, 3000 * MB)]


def measure_rates(folder):
    """Relative error of each rate, and how many processors of the host others kept busy."""
    stick = Image.make(folder / "stick.img", boot=False, startup=[
        "@echo -off", "fs0:", "barelane -y -t transfer", "stall 5000000", "reset -s"])
    controllers = [Controller([Drive(null=size, rate=rate) for rate, size in RATES])]
    with Machine(folder, stick=stick, controllers=controllers) as machine:
        machine.wait(r"barelane: done", 240)
        busy = machine.others_busy()
        machine.wait_exit()
    found = drives(check_folder(stick, folder))
    return [rate_of(found[1, port]) / rate - 1 for port, (rate, _) in enumerate(RATES)], busy


def test_throttled_drives_within_one_per_cent(tmp_path):
    """A miss may be repeated, at most twice, while the host is seen to be disturbed from outside."""
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        errors, busy = measure_rates(folder)
        print(f"errors {[f'{error:+.3%}' for error in errors]}, host busy elsewhere {busy:.2f}",
              file=sys.stderr)
        if all(abs(error) < 0.01 for error in errors):
            return
        assert busy > 0.3, f"a quiet host, and yet {errors}"
    pytest.fail(f"three times beyond 1 %, on a disturbed host: {errors}")


def test_clock_on_a_loaded_host(tmp_path, host_hz):
    """Within 0.1 % of the host's rate while every processor of the host is busy."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
               for _ in range(os.cpu_count() or 1)]
    try:
        time.sleep(1)
        _, stick = shell(tmp_path, ["barelane -y -t access"],
                         controllers=[Controller([Drive(null=100 * MB)])])
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
    clock = check_folder(stick, tmp_path)["clock"]
    assert clock["source"] == "pm-timer"
    error = clock["hz"] / host_hz - 1
    print(f"clock error {error * 1e6:+.1f} ppm, spread {clock['spread_ppm']} ppm", file=sys.stderr)
    assert abs(error) < 0.001
    assert clock["brackets_kept"] <= clock["brackets"]
