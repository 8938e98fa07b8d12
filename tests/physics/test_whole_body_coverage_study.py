"""A part of the study of bands above the pelvis: twelve draws on the virtual subject do not contradict its table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.coverage import HEADS, SIZES, VIRTUAL, Cell, by_kind
from benchmarks.studies.whole_body_coverage import TABLE, Whole, cells, people

pytestmark = pytest.mark.slow
N_DRAWS = 12
#: Errors of a session are few, and many cells share them: the mean over the cells of a kind is known to so many points.
POINTS = 7.0


def tabled() -> dict[tuple[str, str], float]:
    """Kind and phase -> mean coverage of the virtual subject, percent, as the study's table has it."""
    split = [[cell.strip() for cell in text.strip("|").split("|")] for text in TABLE.read_text(encoding="utf-8").splitlines()]
    return {(row[3], row[4].replace("-", "")): float(row[7]) for row in split if len(row) == len(HEADS) and row[0] == VIRTUAL}


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[Cell]]:
    person: Whole = people(Path("nowhere"), tmp_path_factory.mktemp("virtual"))[VIRTUAL]
    printed = person.printed()
    return by_kind(cells(printed, [person.drawn(number, printed) for number in range(N_DRAWS)]))


def test_the_sample_is_as_the_table_says(sampled: dict[tuple[str, str], list[Cell]]) -> None:
    known = tabled()
    held = {kind: float(np.mean([cell.coverage for cell in of_kind])) for kind, of_kind in sampled.items()}
    assert held.keys() == known.keys()
    assert {kind: (round(mean, 1), known[kind]) for kind, mean in held.items() if abs(mean - known[kind]) > POINTS} == {}


def test_what_is_printed_is_what_is_seen(sampled: dict[tuple[str, str], list[Cell]]) -> None:
    """Printed over observed spread: its middle over the cells of each kind, with the scatter of so few draws."""
    middle = {kind: float(np.median([cell.ratio for cell in of_kind])) for kind, of_kind in sampled.items()}
    assert len(middle) == 3
    assert {kind: round(ratio, 2) for kind, ratio in middle.items() if not 0.75 < ratio < 1.3} == {}


def test_the_study_has_sizes_of_its_own() -> None:
    assert {place for _, place, _ in SIZES["body_markers"].values()} <= set(SIZES["placement_mm"])
    assert {skin for _, _, skin in SIZES["body_markers"].values()} <= set(SIZES["tissue_mm"])
