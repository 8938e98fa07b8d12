"""A part of the study of coverage: twelve draws on the virtual subject do not contradict its table."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.coverage import GATES, HEADS, SIZES, TABLE, VIRTUAL, Cell, as_they_are, by_kind, cells, virtual

pytestmark = pytest.mark.slow
N_DRAWS = 12
#: Errors of a session are few, and many cells share them: the mean over the cells of a kind is known to so many points.
POINTS = 7.0


def tabled(model: str) -> dict[tuple[str, str], float]:
    """Kind and phase -> mean coverage of the virtual subject, percent, as the study's table has it."""
    found = {}
    for text in TABLE.read_text(encoding="utf-8").splitlines():
        row = [cell.strip() for cell in text.strip("|").split("|")]
        if len(row) == len(HEADS) and row[:2] == [VIRTUAL, model]:
            found[row[3], row[4].replace("-", "")] = float(row[7])
    return found


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[Cell]]:
    person = virtual(tmp_path_factory.mktemp("virtual"), scored=False)
    printed = as_they_are(person, "conventional")
    return by_kind(cells(printed, [person.drawn("conventional", number, 1.0, printed) for number in range(N_DRAWS)]))


def test_the_sample_is_as_the_table_says(sampled: dict[tuple[str, str], list[Cell]]) -> None:
    known = tabled("conventional")
    held = {kind: float(np.mean([cell.coverage for cell in of_kind])) for kind, of_kind in sampled.items()}
    assert set(held) == set(known) - {("scores", "")}
    assert {kind: (round(mean, 1), known[kind]) for kind, mean in held.items() if abs(mean - known[kind]) > POINTS} == {}


def test_what_is_printed_is_what_is_seen(sampled: dict[tuple[str, str], list[Cell]]) -> None:
    """Printed over observed spread: its middle over the cells of each kind, with the scatter of so few draws."""
    middle = {kind: float(np.median([cell.ratio for cell in of_kind])) for kind, of_kind in sampled.items() if kind in GATES}
    assert len(middle) == 9
    assert {kind: round(ratio, 2) for kind, ratio in middle.items() if not 0.75 < ratio < 1.3} == {}


def test_the_study_s_sizes_are_its_own() -> None:
    assert set(SIZES["placement_mm"]) >= {place for _, place, _ in SIZES["markers"].values() if place}
    assert set(SIZES["tissue_mm"]) >= {skin for _, _, skin in SIZES["markers"].values()}
