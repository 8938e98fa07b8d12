"""One child of the study of hip centre methods: its changes lie within the table's ranges."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.studies.hip_centre_methods import CURVES, METHODS, TABLE, changes, folders

pytestmark = [pytest.mark.real, pytest.mark.slow]


def ranges(text: str) -> dict[tuple[str, str], tuple[float, float]]:
    """(curve, method) -> the least and largest child of the table."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 2 + len(METHODS) and re.match(r"[A-Z]\w+", cells[0]):
            for method, cell in zip(METHODS, cells[2:], strict=True):
                low, high = (float(number) for number in re.findall(r"[\d.]+", cell)[1:])
                found[cells[0], method] = low, high
    return found


def test_a_child_is_within_the_table_and_the_page_has_the_table(c3d_dir: Path) -> None:
    said = ranges(TABLE.read_text(encoding="utf-8"))
    assert len(said) == len(CURVES) * len(METHODS)
    found = changes(folders(c3d_dir.parent)[0])
    for method in METHODS:
        for (variable, component), value in found[method].items():
            low, high = said[".".join(filter(None, (variable, component))), method]
            half = 0.05 if CURVES[variable, component] == "deg" else 0.0005  # what rounding takes
            assert low - half <= value <= high + half, (variable, component, method, value)
    page = (TABLE.parents[2] / "docs" / "hip-centres.md").read_text(encoding="utf-8")
    for row in [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]:
        assert row in page
