"""A part of the study of the foot's bands: twenty draws on each child do not contradict its table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.coverage import HEADS, SIZES, Cell, by_kind
from benchmarks.studies.foot_coverage import MODEL, NAMES, TABLE, cells, children

pytestmark = [pytest.mark.slow, pytest.mark.real]
N_DRAWS = 20
#: Coverage of one angle in six feet, from 20 draws instead of 100: by chance up to 3.0 points beside the table's.
POINTS = 3.5


def rows(heads: int) -> list[list[str]]:
    split = [[cell.strip() for cell in text.strip("|").split("|")] for text in TABLE.read_text(encoding="utf-8").splitlines()]
    return [row for row in split if len(row) == heads]


@pytest.fixture(scope="module")
def sampled(shared_dir: Path) -> dict[str, list[Cell]]:
    found = {}
    for name, who in children(shared_dir).items():
        printed = who.printed()
        found[name] = cells(printed, [who.drawn(number, printed) for number in range(N_DRAWS)])
    return found


def test_the_sample_is_as_the_table_says(sampled: dict[str, list[Cell]]) -> None:
    known = {(row[0], row[4]): float(row[7]) for row in rows(len(HEADS)) if row[1] == MODEL}
    held = {
        (name, phase): float(np.mean([cell.coverage for cell in of_kind]))
        for name, found in sampled.items()
        for (_, phase), of_kind in by_kind(found).items()
    }
    assert held.keys() == known.keys()
    assert {key: (round(mean, 1), known[key]) for key, mean in held.items() if abs(mean - known[key]) > POINTS} == {}


def test_every_angle_is_as_the_table_says(sampled: dict[str, list[Cell]]) -> None:
    """The hallux' too, which becomes shorter in the walk."""
    known = {row[0]: row[1:] for row in rows(3)}
    for name, axis in NAMES:
        for phase, said in zip(("stance", "swing"), known[f"{name}.{axis}"], strict=True):
            of = [c for found in sampled.values() for c in found if (c.quantity, c.phase) == (f"{name}.{axis}", phase)]
            off = np.mean([c.coverage for c in of]) - float(said.split(";")[0])
            assert abs(off) < POINTS, (name, axis, phase, off)
            # Printed over observed: what the study is to reach, and as much again for the few draws.
            assert 0.75 < np.mean([c.ratio for c in of]) < 1.3, (name, axis, phase)


def test_the_study_has_sizes_of_its_own() -> None:
    assert {place for _, place, _ in SIZES["foot_markers"].values()} - {""} <= set(SIZES["placement_mm"])
    assert {skin for _, _, skin in SIZES["foot_markers"].values()} <= set(SIZES["tissue_mm"])
