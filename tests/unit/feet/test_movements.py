"""The rules by which a movement is named, one by one, and that each sentence is true of what was measured."""

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.feet.feet import find_feet
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.levels import Levels
from biomech_id.feet.movements import Evidence, TrialKind, name_movement
from biomech_id.feet.support import FloorSupport
from biomech_id.feet.travel import describe_travel, longest_fall_s
from biomech_id.languages import LANGUAGES
from biomech_id.movement.cycle import layers_taken
from biomech_id.trial import Markers

WALK = Evidence(moved_m=3.0, step_m=3.0, foot_lift_m=3.0, speed_m_s=1.2, way_m=3.0, froude=0.16)
FLYING = replace(WALK, flight=0.2, n_flights=4, speed_m_s=2.5)
STAIRS = Levels((0.17, 0.17, 0.17), (0.30, 0.29, 0.30))


def kind_of(evidence: Evidence) -> TrialKind:
    return name_movement(evidence)[0]


@pytest.mark.parametrize(
    ("evidence", "kind", "rule"),
    [
        (replace(WALK, moved_m=0.05), TrialKind.STATIC, "stands-still"),
        (WALK, TrialKind.STRAIGHT, "walks-straight"),
        (replace(WALK, turn_rad=-1.5), TrialKind.TURN, "turns"),
        (replace(WALK, belt_m_s=1.2), TrialKind.TREADMILL, "on-a-belt"),
        (replace(WALK, ahead=0.3), TrialKind.OTHER, "not-ahead"),
        (replace(WALK, step_m=0.1), TrialKind.OTHER, "on-the-spot"),
        (replace(WALK, way_m=0.4), TrialKind.OTHER, "goes-nowhere"),
        (replace(WALK, froude=0.9), TrialKind.RUN, "beyond-walking"),
        (FLYING, TrialKind.RUN, "in-flight"),
        (replace(FLYING, belt_m_s=2.5), TrialKind.RUN, "in-flight"),
        (replace(WALK, fall_s=0.25), TrialKind.JUMP, "falls-freely"),
        (replace(WALK, step_m=0.02, foot_lift_m=0.02, dip=0.25), TrialKind.SQUAT, "squats"),
        (replace(WALK, step_m=0.02, foot_lift_m=0.02, seat_below=0.4, seat_behind=0.3), TrialKind.RISE, "rises"),
        (
            replace(WALK, step_m=0.02, foot_lift_m=0.02, seat_below=0.3, seat_behind=0.3, rested=False),
            TrialKind.RISE,
            "comes-up",
        ),
        (replace(WALK, step_m=0.02, foot_lift_m=0.02, dip=0.25, seat_below=0.25, seat_behind=0.1), TrialKind.SQUAT, "squats"),
        (replace(WALK, levels=STAIRS), TrialKind.STAIR_ASCENT, "on-stairs"),
        (replace(WALK, levels=Levels((-0.17, -0.17), (0.3, 0.3))), TrialKind.STAIR_DESCENT, "on-stairs"),
        # One foot after the other on every tread.
        (replace(WALK, levels=Levels((0.17, 0.0, 0.17, 0.0), (0.3, 0.05, 0.3, 0.05))), TrialKind.STAIR_ASCENT, "on-stairs"),
        (replace(WALK, levels=Levels((0.08, 0.09, 0.08), (0.6, 0.6, 0.6))), TrialKind.RAMP_ASCENT, "on-a-ramp"),
        (replace(WALK, levels=Levels((-0.05, -0.05, -0.05), (0.6, 0.6, 0.6))), TrialKind.RAMP_DESCENT, "on-a-ramp"),
        (replace(WALK, levels=Levels((0.0, 0.12, 0.01), (0.6, 0.6, 0.6))), TrialKind.CURB_UP, "over-a-curb"),
        (replace(WALK, levels=Levels((-0.01, -0.12), (0.6, 0.6))), TrialKind.CURB_DOWN, "over-a-curb"),
        (replace(WALK, levels=Levels((0.17,), (0.3,))), TrialKind.NOT_JUDGED, "one-step"),
        (replace(WALK, levels=Levels((0.17, -0.17), (0.3, 0.3))), TrialKind.NOT_JUDGED, "up-and-down"),
        # Markers of the two feet sit at different heights; the floor is level to centimetres.
        (replace(WALK, levels=Levels((0.03, -0.03, 0.03, -0.02), (0.6,) * 4)), TrialKind.STRAIGHT, "walks-straight"),
    ],
)
def test_each_movement_has_its_name_and_its_words(evidence, kind, rule):
    named, reason = name_movement(evidence)
    assert (named, reason.rule) == (kind, rule)
    assert all("{" not in reason.text(language) for language in LANGUAGES)
    # Whoever runs lacks no layer because he runs: his cycles are averaged with those of other runs.
    assert kind.steady or layers_taken(rule) == ()


@pytest.mark.parametrize(
    "evidence",
    [
        replace(FLYING, double_support_s=0.047),  # two feet on two plates for 47 ms
        replace(FLYING, flight=0.03),  # a few doubtful frames
        replace(FLYING, flight=0.08, n_flights=1),
        replace(FLYING, speed_m_s=0.4),
    ],
)
def test_a_few_frames_in_the_air_are_no_run(evidence):
    assert kind_of(evidence) is TrialKind.STRAIGHT
    assert kind_of(replace(evidence, turn_rad=1.6)) is TrialKind.TURN


def test_the_turn_is_asked_before_the_flight():
    assert kind_of(replace(FLYING, turn_rad=1.6)) is TrialKind.TURN
    assert kind_of(replace(FLYING, turn_rad=1.6, froude=1.2)) is TrialKind.RUN


def test_a_runners_flight_is_no_jump_and_a_leap_is():
    run = replace(WALK, froude=2.0, speed_m_s=5.0, flight=0.3, n_flights=5)
    assert kind_of(replace(run, fall_s=0.22)) is TrialKind.RUN
    assert kind_of(replace(run, fall_s=0.45)) is TrialKind.JUMP


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(moved_m=0.5, foot_lift_m=0.10, dip=0.2),  # a foot leaves the floor
        Evidence(moved_m=0.5, foot_lift_m=0.02, dip=0.4, dip_back=0.35),  # onto a chair
        Evidence(moved_m=0.5, foot_lift_m=0.02, dip=0.05),
    ],
)
def test_what_is_no_squat_is_left_open(evidence):
    assert kind_of(evidence) is TrialKind.OTHER


def test_force_on_plates_vetoes_flight(walker):
    """A jog whose flights the markers show: with plates loaded all the time nobody flies, and the walk is a walk."""
    trial = walker(speed=1.9, stride_s=0.7, duty=0.33).trial()
    landmarks = find_landmarks(trial)
    assert describe_travel(landmarks).kind is TrialKind.RUN
    loaded = np.ones(landmarks.n_frames, dtype=bool)
    travel = describe_travel(landmarks, FloorSupport(loaded, 0.0))
    assert travel.kind is TrialKind.STRAIGHT
    assert travel.flight_share == 0.0
    assert describe_travel(landmarks, FloorSupport(~loaded, 0.05)).kind is TrialKind.STRAIGHT


def test_double_support_is_two_feet_on_two_plates(walker):
    walk = walker()
    two = [walk.plate_under("R", 2), walk.plate_under("L", 2)]
    trial = walk.trial(two)
    support = find_feet(trial).support
    # Both feet stand for (2 duty - 1) / 2 of the stride before and after each swing; two plates see one of them.
    assert support.double_s == pytest.approx(0.1, abs=0.03)
    # One foot across two plates is one foot.
    half = [walk.plate_under("R", 2, length=0.25, shift=shift) for shift in (-0.125, 0.125)]
    across = walk.trial(half)
    assert find_feet(across).support.double_s == 0.0


def test_a_given_floor_is_not_looked_for(walker):
    """Somebody who knows the belt's velocity says it; the feet are then not asked."""
    landmarks = find_landmarks(walker(belt=True).trial())
    travel = describe_travel(landmarks, floor_lab_m_s=np.array([-1.2, 0.0]))
    assert travel.kind is TrialKind.TREADMILL
    assert travel.speed_m_s == pytest.approx(1.2, rel=1e-6)
    assert describe_travel(landmarks, floor_lab_m_s=np.zeros(2)).kind is TrialKind.OTHER


def test_the_fall_is_measured():
    t = np.arange(200) / 100.0
    height = 1.0 + np.where((t > 0.5) & (t < 0.9), 0.5 * 9.81 * (t - 0.5) * (0.9 - t), 0.0)
    nobody = np.zeros(200, dtype=bool)
    assert longest_fall_s(height, 100.0, nobody) == pytest.approx(0.4, abs=0.08)
    assert longest_fall_s(height, 100.0, (t > 0.68) & (t < 0.72)) < 0.2
    assert longest_fall_s(height[:5], 100.0, nobody[:5]) == 0.0


def test_a_foot_held_in_the_air_before_the_walk_is_no_step(walker):
    trial = walker().trial()
    still = np.repeat(trial.markers.position_m[:1], 300, axis=0)
    position = np.concatenate([still, trial.markers.position_m])
    travel = describe_travel(find_landmarks(replace(trial, markers=Markers(trial.markers.names, position, 100.0))))
    assert travel.kind is TrialKind.STRAIGHT
    assert max(map(abs, travel.levels.rises_m)) < 0.001


@pytest.mark.parametrize(
    ("slope", "kind"), [(0.1, TrialKind.RAMP_ASCENT), (-0.1, TrialKind.RAMP_DESCENT), (0.01, TrialKind.STRAIGHT)]
)
def test_a_ramp_is_read_from_where_the_feet_rest(walker, slope, kind):
    trial = walker().trial()
    position = trial.markers.position_m.copy()
    position[..., 2] += slope * position[..., 0]
    travel = describe_travel(find_landmarks(replace(trial, markers=Markers(trial.markers.names, position, 100.0))))
    assert travel.kind is kind
    assert travel.levels.slope_rad == pytest.approx(np.arctan(slope), abs=0.002)


def test_what_stands_still_is_said_in_millimetres():
    assert name_movement(replace(WALK, moved_m=0.05))[1].values["range_mm"] == pytest.approx(50.0)
