"""Tests import the lab (tests/lab/lab.py) by its name."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "lab"))
