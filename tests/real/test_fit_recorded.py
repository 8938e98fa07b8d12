"""The fit on recorded persons: a child is as the study's table says, and the table is within what it is held to."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies import fit_recorded

pytestmark = pytest.mark.real

CHILD = "HC036A"
TEXT = fit_recorded.TABLE.read_text(encoding="utf-8")


def cells(name: str) -> list[list[float]]:
    """Numbers of a row of the first table: scaling, fit of each column."""
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| {name} |"))
    return [[float(number) for number in cell.split(",")] for cell in row.strip("| ").split(" | ")[1:]]


def test_a_child_of_the_study_is_as_its_table_says(shared_dir: Path) -> None:
    assert fit_recorded.line(CHILD, fit_recorded.child(shared_dir, CHILD)) in TEXT


def test_children_s_markers_are_nearer_than_by_scaling(shared_dir: Path) -> None:
    names = [folder.name for folder in (shared_dir / fit_recorded.CHILDREN).iterdir() if folder.is_dir()]
    assert len(names) == 6
    for name in names:
        (scaling_mm, fit_mm), *_ = cells(name)
        assert fit_mm < scaling_mm, name
    (_, fit_mm), (_, moment_Nm_kg), _ = cells("median")
    assert fit_mm <= fit_recorded.AIM_MM
    assert moment_Nm_kg == pytest.approx(0.50, abs=0.05)
