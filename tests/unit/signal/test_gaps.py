"""Gaps are found where they are, filled where that is sound, and every filled sample is known."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.signal.gaps import LEFT_OPEN, RIGID_BODY, SPLINE, fill_gaps, find_gaps

RATE_HZ = 100.0
#: Four markers of a rigid segment (m), in its own axes; the first three are not on a line.
CLUSTER_M = np.array([[0.10, 0.0, 0.0], [0.0, 0.08, 0.0], [0.0, 0.0, 0.12], [0.05, 0.05, 0.02]])
NAMES = ("A", "B", "C", "D")


def rotation(angle_rad: float) -> np.ndarray:
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle_rad) * skew + (1 - np.cos(angle_rad)) * skew @ skew


@pytest.fixture
def tumbling() -> np.ndarray:
    """(100, 4, 3): a rigid segment that turns at 3 rad/s and falls."""
    times = np.arange(100) / RATE_HZ
    return np.stack([CLUSTER_M @ rotation(3.0 * t).T + [1.2 * t, 0.1, 1.0 - 2.0 * t**2] for t in times])


def with_gap(position: np.ndarray, marker: int, start: int, stop: int) -> np.ndarray:
    broken = position.copy()
    broken[start:stop, marker] = np.nan
    return broken


def test_gaps_are_named_in_the_recordings_own_frames(tumbling: np.ndarray) -> None:
    broken = with_gap(with_gap(tumbling, 1, 10, 13), 3, 95, 100)
    gaps = find_gaps(broken, NAMES, first_frame=200)
    assert [(gap.marker, gap.first_frame, gap.last_frame, gap.frames) for gap in gaps] == [("B", 210, 212, 3), ("D", 295, 299, 5)]


def test_a_marker_never_seen_is_no_gap(tumbling: np.ndarray) -> None:
    assert find_gaps(with_gap(tumbling, 0, 0, 100), NAMES) == ()


def test_one_missing_component_is_a_missing_marker(tumbling: np.ndarray) -> None:
    broken = tumbling.copy()
    broken[5, 2, 1] = np.nan
    assert [(gap.marker, gap.first_frame) for gap in find_gaps(broken, NAMES)] == [("C", 6)]


def test_rigid_body_filling_is_exact_on_a_rigid_body(tumbling: np.ndarray) -> None:
    filled, mask, gaps = fill_gaps(with_gap(tumbling, 3, 40, 60), NAMES, longest=20, groups=[NAMES])
    assert [gap.method for gap in gaps] == [RIGID_BODY]
    np.testing.assert_allclose(filled, tumbling, atol=1e-12)  # m; nothing but rounding separates a rigid body from its fit
    assert mask[40:60, 3].all()
    assert mask.sum() == 20


@pytest.mark.parametrize(("start", "stop"), [(0, 8), (92, 100)])
def test_rigid_body_fills_at_the_ends_where_a_spline_would_guess(tumbling: np.ndarray, start: int, stop: int) -> None:
    broken = with_gap(tumbling, 3, start, stop)
    by_group, _, gaps = fill_gaps(broken, NAMES, longest=10, groups=[NAMES])
    assert gaps[0].method == RIGID_BODY
    np.testing.assert_allclose(by_group, tumbling, atol=1e-12)
    by_spline, mask, gaps = fill_gaps(broken, NAMES, longest=10)
    assert gaps[0].method == LEFT_OPEN
    assert np.isnan(by_spline[start:stop, 3]).all()
    assert not mask.any()


def test_rigid_filling_joins_both_ends_of_a_segment_that_is_not_quite_rigid(tumbling: np.ndarray) -> None:
    sliding = tumbling.copy()
    sliding[:, 3, 0] += np.linspace(0.0, 0.02, 100)  # skin slides 2 cm over the trial
    filled, _, _ = fill_gaps(with_gap(sliding, 3, 40, 60), NAMES, longest=20, groups=[NAMES])
    assert np.abs(filled[40:60, 3] - sliding[40:60, 3]).max() < 0.004
    step = np.linalg.norm(np.diff(filled[:, 3], axis=0), axis=1)
    assert step[[39, 59]].max() < 1.2 * step[[37, 61]].max(), "no jump where the filled stretch meets the measured one"


def test_spline_error_falls_with_the_gap(tumbling: np.ndarray) -> None:
    def error_m(length: int) -> float:
        filled, _, gaps = fill_gaps(with_gap(tumbling, 0, 50, 50 + length), NAMES, longest=20)
        assert gaps[0].method == SPLINE
        return float(np.abs(filled - tumbling).max())

    # 3 rad/s on 0.1 m: a cubic over a gap of T seconds errs by about r w^4 T^4 / 384 (1.3e-5 m for 20 frames).
    assert error_m(20) < 5e-5
    assert error_m(5) < error_m(20) / 20


def test_a_line_of_markers_does_not_determine_a_fourth(tumbling: np.ndarray) -> None:
    line = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0], [0.1, 0.1, 0.0]])
    straight = np.stack([line @ rotation(3.0 * t).T for t in np.arange(100) / RATE_HZ])
    _, _, gaps = fill_gaps(with_gap(straight, 3, 40, 45), NAMES, longest=10, groups=[NAMES])
    assert gaps[0].method == SPLINE


def test_long_gaps_stay_open_and_measured_values_untouched(tumbling: np.ndarray) -> None:
    broken = with_gap(with_gap(tumbling, 0, 20, 31), 1, 60, 70)
    filled, mask, gaps = fill_gaps(broken, NAMES, longest=10)
    assert [(gap.marker, gap.method) for gap in gaps] == [("A", LEFT_OPEN), ("B", SPLINE)]
    assert np.isnan(filled[20:31, 0]).all()
    measured = np.isfinite(broken)
    assert np.array_equal(filled[measured], broken[measured])
    assert not mask[measured.all(axis=2)].any()


def test_two_markers_left_are_not_enough(tumbling: np.ndarray) -> None:
    broken = with_gap(with_gap(tumbling, 3, 40, 45), 2, 42, 43)
    _, _, gaps = fill_gaps(broken, NAMES, longest=10, groups=[NAMES])
    assert {gap.marker: gap.method for gap in gaps} == {"C": SPLINE, "D": SPLINE}


def test_nothing_is_filled_when_none_is_asked_for(tumbling: np.ndarray) -> None:
    broken = with_gap(tumbling, 3, 40, 41)
    filled, mask, gaps = fill_gaps(broken, NAMES, longest=0, groups=[NAMES])
    assert not mask.any()
    assert not gaps[0].filled
    assert np.array_equal(np.isnan(filled), np.isnan(broken))


def test_bad_input_says_what_is_wrong(tumbling: np.ndarray) -> None:
    with pytest.raises(InvalidValueError, match="-1 frames"):
        fill_gaps(tumbling, NAMES, longest=-1)
    with pytest.raises(ShapeError, match="3 marker names"):
        find_gaps(tumbling, NAMES[:3])
