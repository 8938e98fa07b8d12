"""A sample of ``benchmarks.studies.cut_gaps``, whose table lies beside it: gaps cut into walks, filled, and as sure as said."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.cut_gaps import DURATIONS_S, TABLE, cut, recordings, summed

#: Largest median error (mm), and largest share of a spline's, for each length of gap.
GATES = {0.1: (2.0, 1.05), 0.3: (5.0, 0.7), 0.6: (10.0, 0.4)}


def committed() -> dict[float, tuple[float, ...]]:
    """Length of gap -> cuts, filled, median, a spline's, ratio, percent within their own error."""
    rows = re.findall(r"^\| (0\.\d) \| (.*) \|$", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    return {float(length): tuple(map(float, cells.split(" | "))) for length, cells in rows}


def test_the_study_meets_its_gates() -> None:
    table = committed()
    assert set(table) == set(GATES) == set(DURATIONS_S)
    for length, (cuts, filled, median_mm, _, ratio, covered) in table.items():
        largest_mm, largest_ratio = GATES[length]
        assert median_mm <= largest_mm
        assert ratio <= largest_ratio
        assert 90.0 <= covered <= 99.0
        assert filled > 0.7 * cuts
    assert int(re.search(r"(\d+) recordings", TABLE.read_text(encoding="utf-8"))[1]) >= 30  # type: ignore[index]


def test_a_sample_is_as_the_table_says(c3d_dir: Path) -> None:
    rng, table = np.random.default_rng(7), committed()
    moving = list(recordings(c3d_dir))[::4]
    found = summed([each for markers in moving for length in DURATIONS_S for each in cut(markers, length, 4, rng)])
    for row in found:
        _, _, median_mm, spline_mm, _, covered = table[row.duration_s]
        # Medians and shares of some 40 gaps: they scatter, but not by these.
        assert row.median_mm == pytest.approx(median_mm, rel=0.7), row
        assert row.spline_mm == pytest.approx(spline_mm, rel=0.7), row
        assert row.covered_percent > covered - 12.0, row
        assert row.ratio <= GATES[row.duration_s][1], row
