"""Named power bursts on curves whose extrema are known."""

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.gait.measures.peaks import BURSTS, power_peaks

PERCENT = np.linspace(0.0, 100.0, 101)


def _bumps(*bumps):
    """Sum of bell curves: (height, percent)."""
    return sum(height * np.exp(-(((PERCENT - at) / 3.0) ** 2)) for height, at in bumps)


CURVES = {
    "ankle": _bumps((-0.8, 35), (3.2, 53)),
    "knee": _bumps((-1.1, 10), (0.7, 20), (-1.4, 57), (-1.0, 92)),
    "hip": _bumps((0.6, 12), (-0.7, 46), (1.1, 62)),
}
EXPECTED = {
    "A1": (35, -0.8), "A2": (53, 3.2), "K1": (10, -1.1), "K2": (20, 0.7), "K3": (57, -1.4), "K4": (92, -1.0),
    "H1": (12, 0.6), "H2": (46, -0.7), "H3": (62, 1.1),
}  # fmt: skip


def test_each_burst_is_found_where_it_was_put():
    found = {p.name: p for p in power_peaks(CURVES, 60.0)}
    assert set(found) == set(EXPECTED) == {b.name for b in BURSTS}
    for name, (percent, value) in EXPECTED.items():
        assert found[name].percent == percent
        assert found[name].value == pytest.approx(value, abs=1e-3), "tails of the neighbouring bell"
        assert np.isnan(found[name].sagittal_share)


def test_a_larger_burst_outside_the_window_is_not_taken():
    """Hip extensors in early stance (H1) stay H1 however strong the flexors' pull-off in late stance is."""
    found = {p.name: p.percent for p in power_peaks({"hip": _bumps((0.3, 12), (-0.7, 40), (2.0, 50))}, 60.0)}
    assert found == {"H1": 12, "H2": 40, "H3": 50}


def test_a_burst_of_the_wrong_sign_is_no_burst():
    ankle = _bumps((3.2, 53)) + 0.01
    assert [p.name for p in power_peaks({"ankle": ankle}, 60.0)] == ["A2"]


def test_swing_missing_in_a_stance_only_cycle_leaves_the_bursts_of_stance():
    cut = {joint: np.where(PERCENT <= 60.0, curve, np.nan) for joint, curve in CURVES.items()}
    assert {p.name for p in power_peaks(cut, 60.0)} == set(EXPECTED) - {"K4"}
    h3 = next(p for p in power_peaks(cut, 60.0) if p.name == "H3")
    assert h3.percent == 60.0


def test_windows_move_with_the_foot_off():
    """A cycle stretched so that its foot off comes at 70 % has every stance burst at 70/60 of its place."""
    stretched = np.interp(PERCENT, np.where(PERCENT <= 60, PERCENT * 70 / 60, 70 + (PERCENT - 60) * 30 / 40), CURVES["knee"])
    found = {p.name: p.percent for p in power_peaks({"knee": stretched}, 70.0)}
    assert found == pytest.approx({"K1": 10 * 7 / 6, "K2": 20 * 7 / 6, "K3": 57 * 7 / 6, "K4": 70 + 32 * 0.75}, abs=0.7)


def test_sagittal_share():
    (peak,) = [p for p in power_peaks(CURVES, 60.0, sagittal={j: 0.9 * c for j, c in CURVES.items()}) if p.name == "A2"]
    assert peak.sagittal_share == pytest.approx(0.9)


def test_bad_input():
    with pytest.raises(InvalidValueError):
        power_peaks(CURVES, float("nan"))
    with pytest.raises(ShapeError):
        power_peaks({"ankle": np.zeros((101, 3))}, 60.0)
