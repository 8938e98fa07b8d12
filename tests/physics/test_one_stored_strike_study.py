"""One stored strike of each foot: the table keeps the gates, and a draw of it agrees with the table."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.one_stored_strike import FAR_MS, GATED, NEAR_MS, PATIENT_MS, TABLE, line, patient

#: Columns of the table that the gates are about.
WALKS, BY_MARKERS, CYCLES, STRIKES_MISSED, NEAR, STRIKES_FAR, OFFS_FAR = 0, 1, 2, 3, 6, 7, 13
#: Share of strikes that lie near, percent, and furthest an off of a recording may lie, ms.
LEAST_NEAR, OFF_MS = 90.0, 40.0


def rows() -> dict[str, list[str]]:
    """Name -> the cells of its line."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return {name: cells for name, *cells in lines if len(cells) == 15 and cells[0].isdigit()}


def test_every_cycle_of_the_markers_is_there() -> None:
    for name, cells in rows().items():
        assert int(cells[CYCLES]) >= int(cells[BY_MARKERS]) > 0, name
        assert cells[STRIKES_MISSED].endswith(", 0"), name


def test_patients_events_lie_near_the_deleted_ones() -> None:
    for name in GATED:
        assert float(rows()[name][STRIKES_FAR]) <= PATIENT_MS, name
        assert float(rows()[name][OFFS_FAR]) <= PATIENT_MS, name


def test_recorded_strikes_and_offs_keep_the_gates() -> None:
    recorded = {name: cells for name, cells in rows().items() if name.startswith(("children", "other"))}
    assert int(recorded["children"][WALKS]) == 11
    for name, cells in recorded.items():
        assert float(cells[NEAR]) >= LEAST_NEAR, name
        assert float(cells[STRIKES_FAR]) <= FAR_MS, name
        assert float(cells[OFFS_FAR]) <= OFF_MS, name


@pytest.mark.parametrize("name", GATED)
def test_a_draw_agrees_with_the_table(name: str) -> None:
    walk = patient(name, seed=3)
    assert walk.cycles >= walk.by_markers > 2
    errors_ms = np.array([row.error_ms for row in walk.rows])
    assert len(errors_ms) > 6
    assert np.abs(errors_ms).max() <= max(float(rows()[name][STRIKES_FAR]), float(rows()[name][OFFS_FAR])) + 0.5
    assert np.abs(errors_ms).max() < NEAR_MS
    assert line(name, [walk]).startswith(f"| {name} | 1 |")
