"""The natural quintic spline against SciPy's, against polynomials, and around gaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from biomech_id.errors import InvalidValueError
from biomech_id.signal.derivatives import END_FRAMES, central_difference, quintic_derivatives, without_ends

RATE_HZ = 100.0


@pytest.fixture
def path() -> np.ndarray:
    """Seven channels of a rough path, some of them far from the origin."""
    rng = np.random.default_rng(4)
    return np.cumsum(rng.normal(size=(120, 7)), axis=0) * 1e-2 + 10.0 * rng.normal(size=7)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_equals_the_natural_spline_of_scipy(path: np.ndarray, order: int) -> None:
    zero = np.zeros(path.shape[1])
    natural = [(3, zero), (4, zero)]
    time_s = np.arange(len(path)) / RATE_HZ
    theirs = make_interp_spline(time_s, path, k=5, bc_type=(natural, natural))(time_s, nu=order)
    (ours,) = quintic_derivatives(path, RATE_HZ, (order,))
    # SciPy works on knots in seconds, where the rows of the end conditions are 1e8 times the others: 1e-8 relative is its share.
    assert np.abs(ours - theirs).max() <= 1e-8 * max(1.0, np.abs(theirs).max())


def test_parabolas_are_reproduced_up_to_the_ends() -> None:
    t = np.arange(12) / RATE_HZ
    values = 3.0 - 2.0 * t + 5.0 * t**2
    first, second = quintic_derivatives(values, RATE_HZ)
    assert np.abs(first - (-2.0 + 10.0 * t)).max() < 1e-11  # m/s: rounding of 3 m over a step of 0.01 s
    assert np.abs(second - 10.0).max() < 1e-8  # m/s2: the same over 1e-4 s2


def test_second_derivative_is_of_fourth_order_in_the_interior() -> None:
    def worst(rate_hz: float) -> float:
        t = np.arange(-1.0, 1.0 + 0.5 / rate_hz, 1 / rate_hz)
        (second,) = quintic_derivatives(np.sin(9.0 * t), rate_hz, (2,))
        return float(np.abs(second + 81.0 * np.sin(9.0 * t))[np.abs(t) < 0.4].max())

    assert worst(50.0) / worst(100.0) == pytest.approx(16.0, rel=0.1)


def test_a_gap_stays_missing_and_moves_nothing_beyond_it(path: np.ndarray) -> None:
    holed = path.copy()
    holed[40:45, 2] = np.nan
    (whole,) = quintic_derivatives(path, RATE_HZ, (2,))
    (pieces,) = quintic_derivatives(holed, RATE_HZ, (2,))
    assert np.isnan(pieces[40:45, 2]).all()
    assert np.isfinite(np.delete(pieces[:, 2], np.s_[40:45])).all()
    others = [0, 1, 3, 4, 5, 6]
    assert np.array_equal(pieces[:, others], whole[:, others])
    (alone,) = quintic_derivatives(path[45:, 2], RATE_HZ, (2,))
    assert np.array_equal(pieces[45:, 2], alone)


def test_stretches_too_short_for_a_spline_have_no_derivative() -> None:
    values = np.full(12, np.nan)
    values[[2, 3]] = 1.0
    values[6:9] = [0.0, 1.0, 4.0]
    (second,) = quintic_derivatives(values, 1.0, (2,))
    assert np.isnan(second[:6]).all()
    assert np.allclose(second[6:9], 2.0)


def test_an_order_that_a_quintic_lacks_is_refused(path: np.ndarray) -> None:
    with pytest.raises(InvalidValueError, match="order"):
        quintic_derivatives(path, RATE_HZ, (5,))


def test_central_difference_of_a_parabola_and_its_ends() -> None:
    t = np.arange(9) / RATE_HZ
    out = central_difference(t**2, RATE_HZ, 2)
    assert np.isnan(out[[0, 1, -2, -1]]).all()
    assert np.allclose(out[2:-2], 2 * t[2:-2], atol=1e-13)
    assert np.isnan(central_difference(t[:4], RATE_HZ, 2)).all()


def test_without_ends_blanks_both_ends_of_every_stretch() -> None:
    values = np.ones((30, 2))
    values[12, 0] = np.nan
    out = without_ends(values)
    kept = np.isfinite(out)
    assert np.flatnonzero(kept[:, 0]).tolist() == [*range(END_FRAMES, 12 - END_FRAMES), *range(13 + END_FRAMES, 30 - END_FRAMES)]
    assert np.flatnonzero(kept[:, 1]).tolist() == list(range(END_FRAMES, 30 - END_FRAMES))


def test_end_conditions_have_faded_after_the_frames_that_are_dropped() -> None:
    """A step of the third derivative's end value reaches the second derivative with 0.43 per frame: the reason for `END_FRAMES`."""
    t = np.arange(60) / RATE_HZ
    (second,) = quintic_derivatives(t**3, RATE_HZ, (2,))
    error = np.abs(second - 6 * t)
    assert error[END_FRAMES] < 0.1 * error[0]
    decay = error[1:8] / error[:7]
    assert (decay < 0.6).all()
