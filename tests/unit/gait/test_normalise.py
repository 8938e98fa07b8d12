"""Percent of the cycle at event times, by straight lines between frames."""

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.gait.normalise import normalise


def test_a_straight_line_is_kept_exactly_between_event_times():
    values = np.stack([3.0 + 2.0 * np.arange(200), -1.0 * np.arange(200)], axis=1)
    out = normalise(values, 100.0, 5.0, 5.3337, 6.4512)
    frames = np.linspace(33.37, 145.12, 101)
    np.testing.assert_allclose(out, np.stack([3.0 + 2.0 * frames, -frames], axis=1), rtol=1e-12)


def test_equals_numpy_interpolation_for_any_curve():
    rng = np.random.default_rng(3)
    values = rng.standard_normal(120)
    out = normalise(values, 50.0, 2.0, 2.217, 3.981, points=51)
    expected = np.interp(np.linspace(2.217, 3.981, 51), 2.0 + np.arange(120) / 50.0, values)
    np.testing.assert_allclose(out, expected, atol=1e-12)


def test_missing_frames_stay_missing_and_touch_only_their_neighbours():
    values = np.arange(101.0)
    values[50] = np.nan
    out = normalise(values, 100.0, 0.0, 0.0, 1.0)
    assert np.flatnonzero(np.isnan(out)).tolist() == [50]


def test_an_end_whose_outer_neighbour_is_missing_is_continued_by_less_than_a_frame():
    values = 2.0 * np.arange(101.0)
    values[91:] = np.nan
    values[:10] = np.nan
    out = normalise(values, 100.0, 0.0, 0.0950, 0.9040)
    np.testing.assert_allclose(out[[0, -1]], 2.0 * np.array([9.5, 90.4]), rtol=1e-12)
    values[90] = np.nan
    assert np.isnan(normalise(values, 100.0, 0.0, 0.0950, 0.9040)[-1])


def test_beyond_the_trial_there_is_nothing():
    out = normalise(np.arange(50.0), 100.0, 0.0, 0.2, 1.0)
    assert np.isnan(out[-1])
    assert np.isfinite(out[0])


def test_a_strike_on_a_frame_does_not_need_the_next_frame():
    values = np.arange(31.0)
    values[0], values[30] = 0.0, np.nan
    # 0.29 * 100 is 28.999999999999996 in floating point.
    out = normalise(values, 100.0, 0.0, 0.0, 0.29)
    assert out[-1] == pytest.approx(29.0)


def test_bad_cycles_and_shapes():
    with pytest.raises(InvalidValueError):
        normalise(np.arange(5.0), 100.0, 0.0, 1.0, 1.0)
    with pytest.raises(ShapeError):
        normalise(np.zeros((5, 2, 2)), 100.0, 0.0, 0.0, 0.04)
