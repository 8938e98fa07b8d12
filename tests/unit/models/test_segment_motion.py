"""Angular velocity and acceleration against a rotation known in closed form, in both modes."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.dynamics.body import Frames
from biomech_id.errors import OptionError
from biomech_id.models.segment_motion import differentiate, spline_rotation, stencil_rotation
from biomech_id.signal.derivatives import END_FRAMES


def spinning(rate_hz: float, n: int = 201) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R = Rz(a) Rx(b), with omega = a' z + b' Rz x and its derivative, by hand."""
    t = np.arange(n) / rate_hz
    a, b = 0.6 * np.sin(5 * t), 0.4 * np.cos(7 * t) + 3.0 * t
    da, db = 3.0 * np.cos(5 * t), -2.8 * np.sin(7 * t) + 3.0
    dda, ddb = -15.0 * np.sin(5 * t), -19.6 * np.cos(7 * t)
    ca, sa, cb, sb, zero, one = np.cos(a), np.sin(a), np.cos(b), np.sin(b), 0 * t, 0 * t + 1
    Rz = np.moveaxis(np.array([[ca, -sa, zero], [sa, ca, zero], [zero, zero, one]]), 2, 0)
    Rx = np.moveaxis(np.array([[one, zero, zero], [zero, cb, -sb], [zero, sb, cb]]), 2, 0)
    omega = np.stack([db * ca, db * sa, da], axis=1)
    alpha = np.stack([ddb * ca - db * da * sa, ddb * sa + db * da * ca, dda], axis=1)
    return Rz @ Rx, omega, alpha


def test_spline_kinematics_converge_to_the_exact_ones_at_fourth_order() -> None:
    def worst(rate_hz: float, n: int) -> tuple[float, float]:
        R, omega, alpha = spinning(rate_hz, n)
        ours_omega, ours_alpha = spline_rotation(R, rate_hz)
        inner = slice(n // 4, -n // 4)
        return float(np.abs(ours_omega - omega)[inner].max()), float(np.abs(ours_alpha - alpha)[inner].max())

    coarse, fine = worst(50.0, 101), worst(100.0, 201)
    assert fine[0] < 1e-4  # rad/s, of 7
    assert fine[1] < 2e-3  # rad/s2, of 50
    assert coarse[0] / fine[0] > 14
    assert coarse[1] / fine[1] > 14


def test_stencils_are_those_of_the_vendor() -> None:
    R, *_ = spinning(100.0)
    ours_omega, ours_alpha = stencil_rotation(R, 100.0)
    i = 60
    x, y, z = R[i - 2].T, R[i + 2].T, R[i].T  # rows are axes
    expected = np.array([y[1] @ x[2], y[2] @ x[0], y[0] @ x[1]]) * 25.0
    assert ours_omega[i] == pytest.approx(z.T @ expected)
    assert ours_alpha[i] == pytest.approx((ours_omega[i + 2] - ours_omega[i - 2]) * 25.0)
    assert np.isnan(ours_omega[[0, 1, -2, -1]]).all()
    assert np.isnan(ours_alpha[[0, 3, -4, -1]]).all()
    assert np.isfinite(ours_alpha[4:-4]).all()


@pytest.mark.parametrize(("rate_hz", "k"), [(50.0, 1), (100.0, 2), (120.0, 2), (150.0, 3), (200.0, 4), (300.0, 6)])
def test_stencils_span_the_same_time_at_every_rate(rate_hz: float, k: int) -> None:
    """Axes k frames later against axes k frames earlier, k the frames nearest to 20 ms; not a symmetric difference."""
    R, *_ = spinning(rate_hz, round(4 * rate_hz))
    ours, alpha = stencil_rotation(R, rate_hz)
    x, y, z = np.moveaxis(R, -1, 0)
    i = len(R) // 2
    by_hand = [y[i + k] @ z[i - k], z[i + k] @ x[i - k], x[i + k] @ y[i - k]]
    assert ours[i] == pytest.approx(R[i] @ np.array(by_hand) * rate_hz / (2 * k), abs=1e-12)
    assert alpha[i] == pytest.approx((ours[i + k] - ours[i - k]) * rate_hz / (2 * k), abs=1e-10)
    assert np.isfinite(ours).all(axis=1).sum() == len(R) - 2 * k
    # Of the first order of that time: half the time, half the error.
    coarse, fine = (np.nanmax(np.abs(stencil_rotation(spinning(rate, round(4 * rate))[0], rate)[0] -
                                     spinning(rate, round(4 * rate))[1])) for rate in (50.0, 1 / 0.0101))  # fmt: skip
    assert coarse == pytest.approx(fine, rel=0.1)


@pytest.mark.parametrize("kinetics", ["textbook", "vicon"])
def test_a_gap_stays_a_gap(kinetics: str) -> None:
    R, *_ = spinning(100.0)
    origin = np.cumsum(np.ones((len(R), 3)), axis=0) * 1e-3
    holed_R, holed_origin = R.copy(), origin.copy()
    holed_R[100:103] = np.nan
    holed_origin[100:103] = np.nan
    motion = differentiate(Frames(holed_R, holed_origin), holed_origin, 100.0, kinetics=kinetics)
    missing = np.isnan(motion.alpha_lab_rad_s2).any(axis=1)
    expected = np.zeros(len(R), dtype=bool)
    for start, stop in ((0, 100), (103, len(R))):
        expected[start : start + END_FRAMES] = True
        expected[stop - END_FRAMES : stop] = True
    expected[100:103] = True
    assert np.array_equal(missing, expected)
    assert np.array_equal(np.isnan(motion.com_acceleration_lab_m_s2).any(axis=1), expected)


def test_short_recordings_have_no_acceleration_but_do_not_fail() -> None:
    R, *_ = spinning(100.0, 4)
    motion = differentiate(Frames(R, np.zeros((4, 3))), np.zeros((4, 3)), 100.0, kinetics="vicon")
    assert np.isnan(motion.alpha_lab_rad_s2).all()


def test_there_are_two_modes() -> None:
    R, *_ = spinning(100.0)
    with pytest.raises(OptionError, match="vendor"):
        differentiate(Frames(R, np.zeros((len(R), 3))), np.zeros((len(R), 3)), 100.0, kinetics="vendor")
