"""Every parameter against a calculation by hand."""

import numpy as np
import pytest

from biomech_id.feet.landmarks import Landmarks, find_landmarks
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.measures.spatiotemporal import foot_places, gait_parameters, symmetry_index
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.trial import Event, EventKind

STRIKE, OFF = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF
LEG_M = 0.9


def _values(parameters, side, number=1):
    return {p.parameter: (p.value, p.unit) for p in parameters if p.side == side and p.cycle == number}


def _asymmetric():
    """Two strides drawn by hand: right heel at (0, 0), (1.2, 0); left at (0.7, 0.1), (1.9, 0.1); cut at 100 Hz."""
    events = [
        Event(0.1, "R", STRIKE), Event(0.2, "L", OFF), Event(0.55, "L", STRIKE), Event(0.7, "R", OFF), Event(1.1, "R", STRIKE),
        Event(1.25, "L", OFF), Event(1.6, "L", STRIKE), Event(1.7, "R", OFF), Event(2.3, "L", OFF),
    ]  # fmt: skip
    n = 250
    t = np.arange(n) / 100.0
    right, left = np.zeros((n, 3)), np.zeros((n, 3))
    right[:, 0] = np.interp(t, [0.7, 1.1], [0.0, 1.2])
    left[:, 0] = np.interp(t, [0.2, 0.55, 1.25, 1.6], [-0.5, 0.7, 0.7, 1.9])
    left[:, 1] = 0.1
    toe = np.array([0.18, 0.0, 0.0])
    pelvis = np.stack([1.2 * t, np.zeros(n), np.full(n, 0.9)], axis=1)
    landmarks = Landmarks(
        100.0, 0.0, pelvis, np.tile([1.0, 0.0], (n, 1)), {"L": left, "R": right}, {"L": left + toe, "R": right + toe}
    )
    cycles = (
        Cycle("t", "R", 1, 0.1, 1.1, 0.7, 0.2, 0.55, KineticsValid.FALSE),
        Cycle("t", "L", 1, 0.55, 1.6, 1.25, 0.7, 1.1, KineticsValid.FALSE),
    )
    return landmarks, events, cycles


def test_every_parameter_by_hand():
    landmarks, events, cycles = _asymmetric()
    parameters = gait_parameters(landmarks, events, cycles, leg_length_m=LEG_M)
    g, right, left = 9.81, _values(parameters, "R"), _values(parameters, "L")
    expected = {
        "stride_time": (1.0, "s"), "cadence": (120.0, "1/min"), "step_time": (0.55, "s"), "stance_time": (0.6, "s"),
        "swing_time": (0.4, "s"), "foot_off": (60.0, "%"), "opposite_foot_off": (10.0, "%"), "opposite_foot_contact": (45.0, "%"),
        "single_support": (35.0, "%"), "double_support": (25.0, "%"), "single_support_time": (0.35, "s"),
        "double_support_time": (0.25, "s"), "stride_length": (1.2, "m"), "speed": (1.2, "m/s"), "step_length": (0.5, "m"),
        "step_width": (0.1, "m"), "speed_dimensionless": (1.2 / np.sqrt(g * LEG_M), "1"),
        "stride_length_dimensionless": (1.2 / LEG_M, "1"),
        "step_length_dimensionless": (0.5 / LEG_M, "1"), "step_width_dimensionless": (0.1 / LEG_M, "1"),
        "stride_time_dimensionless": (1.0 / np.sqrt(LEG_M / g), "1"), "step_time_dimensionless": (0.55 / np.sqrt(LEG_M / g), "1"),
        "cadence_dimensionless": (2.0 * np.sqrt(LEG_M / g), "1"),
    }  # fmt: skip
    assert set(right) == set(expected)
    for name, (value, unit) in expected.items():
        assert right[name][0] == pytest.approx(value, abs=1e-12), name
        assert right[name][1] == unit, name
    # Left step: the left foot ahead of the right one, 1.9 - 1.2; left of it by 0.1.
    assert left["step_length"][0] == pytest.approx(0.7)
    assert left["step_width"][0] == pytest.approx(0.1)
    assert left["speed"][0] == pytest.approx(1.2 / 1.05)


def test_crossed_feet_have_a_negative_width():
    landmarks, events, cycles = _asymmetric()
    crossed = Landmarks(
        100.0, 0.0, landmarks.pelvis_lab_m, landmarks.facing_lab,
        {"L": landmarks.heel_lab_m["L"] - [0.0, 0.15, 0.0], "R": landmarks.heel_lab_m["R"]}, landmarks.toe_lab_m,
    )  # fmt: skip
    assert _values(gait_parameters(crossed, events, cycles), "R")["step_width"][0] == pytest.approx(-0.05)
    assert _values(gait_parameters(crossed, events, cycles), "L")["step_width"][0] == pytest.approx(-0.05)


def test_without_leg_length_nothing_is_dimensionless():
    landmarks, events, cycles = _asymmetric()
    assert not any("dimensionless" in p.parameter for p in gait_parameters(landmarks, events, cycles))


def test_what_an_event_is_missing_for_is_left_out():
    landmarks, events, _ = _asymmetric()
    holed = Cycle("t", "R", 1, 0.1, 1.1, float("nan"), 0.2, 0.55, KineticsValid.FALSE)
    names = set(_values(gait_parameters(landmarks, events, (holed,)), "R"))
    assert {"stride_time", "speed", "step_length"} <= names
    assert not names & {"foot_off", "stance_time", "swing_time", "double_support"}


def test_places_are_heels_at_rest_in_foot_flat():
    landmarks, events, _ = _asymmetric()
    places = [(p.side, *np.round(p.heel_m, 12)) for p in foot_places(landmarks, events, {})]
    assert places == [("R", 0.0, 0.0), ("L", 0.7, 0.1), ("R", 1.2, 0.0), ("L", 1.9, 0.1)]


def test_a_last_stance_without_its_off_still_has_a_place_if_the_heel_rests_in_the_trial():
    landmarks, events, cycles = _asymmetric()
    open_ended = [e for e in events if e.time_s < 2.0]
    assert _values(gait_parameters(landmarks, open_ended, cycles), "L")["stride_length"][0] == pytest.approx(1.2)


def test_belt_travel_belongs_to_the_stride(walker):
    for belt in (False, True):
        walk = walker(belt=belt, heading_rad=0.7)
        trial = walk.trial(events=walk.events())
        landmarks = find_landmarks(trial)
        travel = describe_travel(landmarks)
        cycles = cut_cycles(trial, trial.events, None, travel=travel, landmarks=landmarks)
        values = _values(gait_parameters(landmarks, trial.events, cycles, travel=travel), "L")
        # 2 mm on a belt: its speed is read from the markers of the standing foot.
        assert values["stride_length"][0] == pytest.approx(1.2, abs=2e-3 if belt else 1e-9)
        assert values["step_length"][0] == pytest.approx(0.6, abs=2e-3 if belt else 1e-9)
        assert values["step_width"][0] == pytest.approx(0.12, abs=2e-3 if belt else 1e-9)


def test_symmetry_index_by_hand():
    assert symmetry_index(1.1, 0.9) == pytest.approx(20.0)
    assert symmetry_index(0.5, 0.5) == 0.0
