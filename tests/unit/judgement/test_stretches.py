"""Each cycle is judged by itself: a bad edge says nothing about the steps, and a bad cycle is named with its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.dynamics.body import BodyMotion
from biomech_id.judgement.stretches import Stretch, Watched, stretches, trimmed_rms
from biomech_id.movement.cycle import Cycle
from biomech_id.trial import Markers

#: Frames of the body of `tests.unit.small_body`, the first of them 41, at 100 Hz.
N, FIRST = 160, 41
GROUPS = {("L", "thigh"): ("A", "B", "C"), ("R", "shank"): ("D", "E"), ("", "pelvis"): ("F", "G")}
NAMES = ("A", "B", "C", "D", "E", "F", "G", "never", "lone")


@pytest.fixture
def still() -> Markers:
    """Markers 100 mm apart and more, still; one is never seen, and one lies on no segment."""
    corners = 0.1 * np.array(
        [[0, 0, 9], [1, 0, 9], [0, 1, 9], [5, 0, 9], [6, 0, 9], [0, 5, 9], [0, 6, 9], [0, 0, 0], [7, 7, 9]], float
    )
    position = np.tile(corners, (N, 1, 1))
    position[:, NAMES.index("never")] = np.nan
    return Markers(NAMES, position, 100.0)


def moved(markers: Markers, name: str, frames: slice, by_m: float) -> Markers:
    position = markers.position_m.copy()
    position[frames, markers.names.index(name), 0] += by_m
    return markers.with_positions(position)


def hidden(markers: Markers, name: str, frames: slice, *, filled: bool = True) -> Markers:
    position, mask = markers.position_m.copy(), np.zeros(markers.position_m.shape[:2], dtype=bool)
    mask[frames, markers.names.index(name)] = filled
    if not filled:
        position[frames, markers.names.index(name)] = np.nan
    return markers.with_positions(position, filled=mask)


def watched(markers: Markers, static: Markers, body: BodyMotion) -> Watched:
    return Watched(markers, body, GROUPS, NAMES, static, body)


LEFT, RIGHT = Stretch(("L",), slice(40, 80)), Stretch(("R",), slice(80, 120))


def test_cycles_are_stretches_of_their_own_frames_and_side(body: BodyMotion, cycles: tuple[Cycle, ...]) -> None:
    first, second, stance = stretches(body, cycles)
    # 0.6033 s is frame 61.33, 1.4071 s is frame 141.71; a frame belongs to a cycle that covers the middle of it.
    assert (first.sides, first.name, first.frames) == (("L",), "L 1", slice(20, 102))
    assert (second.name, second.frames.start) == ("L 2", 101)
    assert stance.frames == slice(70, 96)  # to its foot off, 1.35 s: the rest was not recorded
    (whole,) = stretches(body, ())
    assert (whole.sides, whole.name, whole.frames) == (("L", "R"), "", slice(0, N))


def test_what_lies_outside_a_cycle_does_not_count_for_it(still: Markers, body: BodyMotion) -> None:
    """The first and the last quarter are bad; the cycle in the middle is as good as ever."""
    bad = moved(moved(still, "A", slice(0, 40), 0.2), "A", slice(120, N), 0.2)
    edges = watched(hidden(bad, "B", slice(0, 30)), still, body)
    assert edges.rigidity_mm(LEFT).value == pytest.approx(0.0, abs=1e-9)
    assert edges.largest_gap_ms(LEFT).value == 0.0
    assert edges.filled_percent(LEFT).value == 0.0
    assert edges.rigidity_mm(Stretch(("L",), slice(0, 40))).value > 25.0


def test_a_marker_that_moves_on_its_segment_is_named_with_segment_and_frames(still: Markers, body: BodyMotion) -> None:
    reading = watched(moved(still, "B", slice(50, 70), 0.06), still, body).rigidity_mm(LEFT, 10.0)
    assert (reading.place, reading.markers) == ("left thigh", ("B",))
    assert reading.frames == ((50 + FIRST, 69 + FIRST),)
    # Distances to the two others: +60 mm and, across the corner, sqrt(160^2 + 100^2) - sqrt(2) 100.
    change = np.array([60.0, np.hypot(160.0, 100.0) - np.hypot(100.0, 100.0), 0.0])
    of_frame = np.sqrt(np.mean(change**2))
    assert reading.value == pytest.approx(of_frame * np.sqrt(16 / 36), rel=1e-9)  # 4 of the 20 bad frames are left aside
    assert watched(moved(still, "B", slice(50, 70), 0.06), still, body).rigidity_mm(RIGHT).value == pytest.approx(0.0, abs=1e-9)


def test_a_tenth_of_the_frames_decides_nothing_and_is_named(still: Markers, body: BodyMotion) -> None:
    spiked = watched(moved(still, "B", slice(50, 54), 0.5), still, body)
    assert spiked.rigidity_mm(LEFT).value == pytest.approx(0.0, abs=1e-9)
    (off,) = spiked.off_segment(LEFT, 25.0)
    assert (off.place, off.markers, off.frames) == ("left thigh", ("B",), ((50 + FIRST, 53 + FIRST),))
    assert off.value > 250.0
    assert list(spiked.off_segment(RIGHT, 25.0)) == []
    assert watched(moved(still, "B", slice(50, 60), 0.5), still, body).rigidity_mm(LEFT).value > 25.0
    assert trimmed_rms(np.array([3.0, np.nan, 4.0])) == pytest.approx(np.sqrt(12.5))
    assert np.isnan(trimmed_rms(np.array([np.nan])))


def test_without_a_static_trial_rigidity_and_drift_are_not_measured(still: Markers, body: BodyMotion) -> None:
    alone = Watched(still, body, GROUPS, NAMES)
    assert np.isnan(alone.rigidity_mm(LEFT).value)
    assert np.isnan(alone.drift_mm(LEFT).value)


def test_a_gap_counts_as_long_as_it_is_where_it_touches_the_cycle(still: Markers, body: BodyMotion) -> None:
    across = watched(hidden(still, "C", slice(70, 100)), still, body).largest_gap_ms(LEFT)
    assert (across.value, across.markers, across.frames) == (pytest.approx(300.0), ("C",), ((70 + FIRST, 99 + FIRST),))
    # Of a marker that comes into view within the cycle only the part in it is known to be missing.
    late = watched(hidden(still, "C", slice(0, 50), filled=False), still, body).largest_gap_ms(LEFT)
    assert (late.value, late.frames) == (pytest.approx(100.0), ((40 + FIRST, 49 + FIRST),))
    # The other side's markers do not matter, those on no segment and on the pelvis do.
    assert watched(hidden(still, "D", slice(50, 60)), still, body).largest_gap_ms(LEFT).value == 0.0
    for name in ("F", "lone"):
        assert watched(hidden(still, name, slice(50, 60)), still, body).largest_gap_ms(LEFT).value == pytest.approx(100.0)
    assert np.isnan(Watched(still, body, {}, ("absent",)).largest_gap_ms(LEFT).value)


def test_filled_share_of_a_cycle(still: Markers, body: BodyMotion) -> None:
    reading = watched(hidden(still, "B", slice(70, 90)), still, body).filled_percent(LEFT)
    assert reading.value == pytest.approx(100.0 * 10 / (6 * 40))  # A B C F G lone
    assert reading.markers == ("B",)


def test_untracked_frames_are_those_of_the_cycles_side(body: BodyMotion) -> None:
    angles = {key: values.copy() for key, values in body.joint_angles_rad.items()}
    for key, values in angles.items():
        values[:20] = np.nan  # the subject is not yet in view
        if key == ("R", "knee"):
            values[90:100] = np.nan
    holed = replace(body, joint_angles_rad=angles)
    still = Markers(("A",), np.zeros((N, 1, 3)), 100.0)
    seen = Watched(still, holed, {}, ("A",))
    assert seen.untracked_percent(LEFT).value == 0.0
    right = seen.untracked_percent(RIGHT)
    assert (right.value, right.frames) == (pytest.approx(25.0), ((90 + FIRST, 99 + FIRST),))
    (whole,) = stretches(body, ())
    assert seen.untracked_percent(whole).value == pytest.approx(100.0 * 10 / 140)
    assert Watched(still, replace(body, joint_angles_rad={}), {}, ("A",)).untracked_percent(whole).value == 100.0


def test_drift_is_the_change_of_a_bones_length_in_the_middle_frame(body: BodyMotion) -> None:
    centres = dict(body.joint_centres_lab_m)
    along = centres["R", "hip"] - centres["R", "knee"]
    constant = along / np.linalg.norm(along, axis=1, keepdims=True)
    centres["R", "hip"] = centres["R", "knee"] + 0.4 * constant
    centres["R", "ankle"] = centres["R", "knee"] - [0.0, 0.0, 0.4]
    rigid = replace(body, joint_centres_lab_m=centres)
    longer = dict(centres)
    stretched = np.full((N, 1), 0.407)
    stretched[85:95] = 0.9  # a quarter of the cycle
    longer["R", "hip"] = centres["R", "knee"] + stretched * constant
    still = Markers(("A",), np.zeros((N, 1, 3)), 100.0)
    seen = Watched(still, replace(body, joint_centres_lab_m=longer), {}, ("A",), still, rigid)
    reading = seen.drift_mm(RIGHT)
    others = seen.drift_mm(LEFT)
    assert (reading.place, reading.value) == ("right hip-knee", pytest.approx(7.0, rel=1e-9))
    assert others.place != "right hip-knee"
