"""A sample of the study of impacts: it says today what its committed table says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.impact import (
    IMPACT_S,
    STEEPEST,
    TABLE,
    as_stored,
    bump,
    deceleration,
    displacement_m,
    rows,
    table,
    with_impact,
)
from biomech_id.conventions import GRAVITY_M_S2


def numbers(line: str) -> list[float]:
    return [float(word) for word in line.replace("|", " ").replace(",", " ").replace("%", " ").split()]


@pytest.mark.parametrize(("rate", "trunk"), [(20.0, 0.0), (40.0, 0.1), (65.0, 0.4)])
def test_the_committed_table_is_what_the_study_finds(rate: float, trunk: float) -> None:
    (line,) = table(rows([rate], [trunk], [8.0])).splitlines()[-1:]
    now = numbers(line)
    known = {
        tuple(row[:3]): row for row in map(numbers, (x for x in TABLE.read_text(encoding="utf-8").splitlines() if " % |" in x))
    }
    np.testing.assert_allclose(now, known[tuple(now[:3])], rtol=0, atol=0.011)


def test_which_plates_err_less_depends_on_what_reaches_the_trunk_and_never_for_the_ankle() -> None:
    raw, matched, raw_trunk, matched_trunk = rows([65.0], [0.0, 0.4], [8.0])
    assert matched.rms["hip"] < 0.5 * raw.rms["hip"]
    assert matched_trunk.rms["hip"] > raw_trunk.rms["hip"]
    assert matched.rms["ankle"] > raw.rms["ankle"]
    assert matched_trunk.rms["ankle"] > raw_trunk.rms["ankle"]


def test_the_impact_is_as_steep_as_it_says_and_the_leg_decelerates_by_it() -> None:
    time_s = np.arange(0.0, 1.0, 1e-4)
    shape = bump(time_s, 0.5, IMPACT_S)
    assert np.gradient(shape, time_s).max() == pytest.approx(STEEPEST / IMPACT_S, rel=1e-3)
    path = displacement_m(time_s, 0.4)
    assert abs(path[-1]) < 1e-6 * np.abs(path).max()
    np.testing.assert_allclose(np.gradient(np.gradient(path, time_s), time_s)[10:-10], deceleration(time_s, 0.4)[10:-10], atol=0.01)
    calm, struck = with_impact(0.0, 0.1), with_impact(40.0, 0.1)
    weight_N = calm.subject.mass_kg * GRAVITY_M_S2
    for one, other in zip(calm.plates, struck.plates, strict=True):
        extra = other.force_lab_N[:, 2] - one.force_lab_N[:, 2]
        assert np.gradient(extra, 1.0 / one.rate_hz).max() / weight_N == pytest.approx(40.0, rel=0.05)
    stored = as_stored(struck, 6.0)
    assert stored.rate_hz == 100.0
    assert stored.n_frames == -(-struck.n_frames // 5)
