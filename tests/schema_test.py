"""result.schema.json accepts the golden result and refuses what is broken or says too much."""

import copy
import json
import pathlib
import subprocess
import sys

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "report/result.schema.json").read_text())
TEXT = (ROOT / "tests/golden/result.json").read_text()
GOLDEN = json.loads(TEXT)


def is_valid(result):
    return jsonschema.Draft7Validator(SCHEMA).is_valid(result)


def objects(value, path=()):
    """Every object in the result, with the way to it."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from objects(inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, path + (index,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def test_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_golden_is_valid():
    jsonschema.validate(GOLDEN, SCHEMA, cls=jsonschema.Draft7Validator)


def test_end_is_last():
    assert list(json.loads(TEXT))[-1] == "end"


def test_any_cut_is_recognised():
    for length in range(0, len(TEXT) - 1, 101):
        with pytest.raises(json.JSONDecodeError):
            json.loads(TEXT[:length])


def shortened():
    """The golden result without most of its many like places, because each check is a whole one."""
    result = copy.deepcopy(GOLDEN)
    for port in result["controllers"][0]["ports"]:
        for test in port["drive"]["run"]["tests"] if port["drive"] else []:
            if "verify" in test:
                del test["verify"]["places"][1:]
    return result


SHORT = shortened()


@pytest.mark.parametrize("path", objects(SHORT), ids=lambda p: ".".join(map(str, p)) or "top")
def test_nothing_more_and_nothing_less(path):
    more = copy.deepcopy(SHORT)
    at(more, path)["serial_number"] = "S3CR3T"
    assert not is_valid(more)
    for key in at(SHORT, path):
        less = copy.deepcopy(SHORT)
        del at(less, path)[key]
        assert not is_valid(less), key


def drive_test(result, name):
    tests = result["controllers"][0]["ports"][0]["drive"]["run"]["tests"]
    return next(t for t in tests if t["test"] == name)


def breakage():
    def zone(result):
        result["run"]["rtc_zone_minutes"] = "local"

    def identity(result):
        result["run"]["id"] = "1234"

    def fraction(result):
        drive_test(result, "transfer")["transfer"]["mean_bytes_per_s"] = 1.5

    def negative(result):
        drive_test(result, "access")["latency_ns"]["min"] = -1

    def too_large(result):
        drive_test(result, "access")["latency_ns"]["max"] = 2**53

    def nothing_measured(result):
        drive_test(result, "access")["latency_ns"]["count"] = 0

    def figure_of_a_failed_test(result):
        drive_test(result, "transfer")["state"] = "failed"

    def figure_of_another_test(result):
        drive_test(result, "transfer")["test"] = "access"

    def device_path(result):
        result["controllers"][0]["pci"]["address"] = "PciRoot(0x0)/Pci(0x1F,0x2)"

    def unfinished(result):
        result["end"] = "cut"

    return [zone, identity, fraction, negative, too_large, nothing_measured,
            figure_of_a_failed_test, figure_of_another_test, device_path, unfinished]


@pytest.mark.parametrize("damage", breakage(), ids=lambda f: f.__name__)
def test_broken_is_refused(damage):
    result = copy.deepcopy(GOLDEN)
    damage(result)
    assert not is_valid(result)


def recompute(folder):
    return subprocess.run([sys.executable, ROOT / "tests/recompute.py", folder],
                          capture_output=True, text=True, check=False)


def test_figures_follow_from_samples():
    done = recompute(ROOT / "tests/golden")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 differ" in done.stdout


@pytest.mark.parametrize("old, new", [
    ('"p999": ', '"p999": 1'),
    ('"mean_bytes_per_s": ', '"mean_bytes_per_s": 1'),
    ('"reads_per_s": ', '"reads_per_s": 1'),
    ('"crc32": "0xfe62c0fc"', '"crc32": "0xfe62c0fd"'),
    ('"positions": 11', '"positions": 12'),
    ('"position_ns": [null, ', '"position_ns": [null, 1'),
])
def test_a_wrong_figure_is_found(tmp_path, old, new):
    assert old in TEXT
    (tmp_path / "result.json").write_text(TEXT.replace(old, new))
    samples = (ROOT / "tests/golden/samples.csv").read_text()
    (tmp_path / "samples.csv").write_text(samples)
    assert recompute(tmp_path).returncode == 1


def test_a_lost_sample_is_found(tmp_path):
    (tmp_path / "result.json").write_text(TEXT)
    lines = (ROOT / "tests/golden/samples.csv").read_text().splitlines(keepends=True)
    (tmp_path / "samples.csv").write_text("".join(lines[:200] + lines[201:]))
    assert recompute(tmp_path).returncode == 1
