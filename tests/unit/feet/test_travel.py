"""The kind of a trial is read from how the subject moved."""

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.feet.feet import classify
from biomech_id.feet.landmarks import Landmarks, find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import belt_velocity, describe_travel, in_flight
from biomech_id.trial import Markers, Trial


def _standing(sway_m=0.01):
    n = 300
    base = np.array(
        [[0.0, 0.1, 0.05], [0.18, 0.1, 0.05], [0.0, -0.1, 0.05], [0.18, -0.1, 0.05], [0.1, 0.12, 0.9], [0.1, -0.12, 0.9]]
    )
    names = ("LHEE", "LTOE", "RHEE", "RTOE", "LASI", "RASI")
    position = np.tile(base, (n, 1, 1))
    position[:, 4:, 1] += sway_m * np.sin(np.linspace(0.0, 9.0, n))[:, None]
    return Trial("stand", Markers(names, position, 100.0))


@pytest.mark.parametrize("heading_deg", [0.0, 90.0, 180.0, 233.0])
def test_straight_walk_any_direction(walker, heading_deg):
    heading = np.deg2rad(heading_deg)
    travel = describe_travel(find_landmarks(walker(heading_rad=heading).trial()))
    assert travel.kind is TrialKind.STRAIGHT
    np.testing.assert_allclose(travel.direction_lab, [np.cos(heading), np.sin(heading)], atol=1e-9)
    assert travel.speed_m_s == pytest.approx(1.2, rel=1e-9)
    assert not travel.belt_lab_m_s.any()


def test_static_by_absence_of_motion():
    assert classify(_standing()) is TrialKind.STATIC
    assert classify(_standing(sway_m=0.2)) is TrialKind.OTHER


def test_belt_speed_is_found_from_the_stance_foot(walker):
    landmarks = find_landmarks(walker(belt=True, heading_rad=np.pi / 2).trial())
    np.testing.assert_allclose(belt_velocity(landmarks), [0.0, -1.2], atol=0.01)
    travel = describe_travel(landmarks)
    assert travel.kind is TrialKind.TREADMILL
    assert travel.speed_m_s == pytest.approx(1.2, rel=0.01)


def test_over_ground_there_is_no_belt(walker):
    assert not belt_velocity(find_landmarks(walker().trial())).any()


@pytest.mark.parametrize("turn_deg", [60.0, -90.0, 150.0])
def test_turn_with_its_sign(walker, turn_deg):
    landmarks = find_landmarks(walker(duration_s=5.0).trial())
    turned = _bent(landmarks, np.deg2rad(turn_deg))
    travel = describe_travel(turned)
    assert travel.kind is TrialKind.TURN
    assert np.rad2deg(travel.turn_rad) == pytest.approx(turn_deg, abs=8.0)


def test_pelvic_rotation_within_strides_is_no_turn(walker):
    landmarks = find_landmarks(walker().trial())
    swing = np.deg2rad(20.0) * np.sin(2 * np.pi * landmarks.time_s)
    facing = np.stack([np.cos(swing), np.sin(swing)], axis=1)
    assert describe_travel(replace(landmarks, facing_lab=facing)).kind is TrialKind.STRAIGHT


@pytest.mark.parametrize("belt", [False, True])
def test_flight_makes_a_run(walker, belt):
    jog = walker(speed=1.9, stride_s=0.7, duty=0.33, belt=belt)
    running, walking = find_landmarks(jog.trial()), find_landmarks(walker(belt=belt).trial())
    travel = describe_travel(running)
    assert travel.kind is TrialKind.RUN
    assert "No foot rests" in str(travel.reason)
    assert not travel.walking
    # Each flight lasts (1 - 2 * 0.33) / 2 of a stride; its first and last moments are slow.
    assert 0.1 < travel.flight_share < 2 * 0.17
    assert not in_flight(walking, 1.2, describe_travel(walking).belt_lab_m_s).any()


def test_speed_beyond_walking_makes_a_run_even_without_visible_flight(walker):
    travel = describe_travel(find_landmarks(walker(speed=4.0, stride_s=0.8).trial()))
    assert travel.kind is TrialKind.RUN
    assert "Froude" in str(travel.reason)


def test_steps_on_the_spot_are_no_walk(walker):
    """Relative to the floor nobody gets anywhere; on a belt at the same speed the same motion is a walk."""
    landmarks = find_landmarks(walker(speed=0.5, stride_s=1.6, belt=True, duration_s=5.0).trial())
    assert describe_travel(landmarks).kind is TrialKind.TREADMILL
    round_about = 0.2 * np.stack([np.cos(3.0 * landmarks.time_s), np.sin(3.0 * landmarks.time_s)], axis=1)
    circling = find_landmarks(_standing())
    feet = {side: path + np.pad(round_about[: len(path)], ((0, 0), (0, 1))) for side, path in circling.heel_lab_m.items()}
    pelvis = circling.pelvis_lab_m + np.pad(round_about[: circling.n_frames], ((0, 0), (0, 1)))
    travel = describe_travel(replace(circling, heel_lab_m=feet, pelvis_lab_m=pelvis))
    assert travel.kind is TrialKind.OTHER
    assert "no further than 0.40 m" in str(travel.reason)


@pytest.mark.parametrize("belt", [False, True])
def test_a_walk_backwards_and_one_whose_labels_are_exchanged_are_told(walker, belt):
    trial = walker(belt=belt).trial()
    backwards = Markers(trial.markers.names, trial.markers.position_m[::-1].copy(), 100.0)
    exchanged = Markers(tuple({"L": "R", "R": "L"}[n[0]] + n[1:] for n in trial.markers.names), trial.markers.position_m, 100.0)
    for markers in (backwards, exchanged):
        travel = describe_travel(find_landmarks(replace(trial, markers=markers)))
        assert travel.kind is TrialKind.OTHER
        assert "Only -100% of the way goes where the pelvis faces" in str(travel.reason)


def test_standing_before_and_after_is_no_part_of_the_speed(walker):
    trial = walker().trial()
    still = np.concatenate([np.repeat(trial.markers.position_m[i : i + 1], 300, axis=0) for i in (0, -1)])
    position = np.concatenate([still[:300], trial.markers.position_m, still[300:]])
    travel = describe_travel(find_landmarks(replace(trial, markers=Markers(trial.markers.names, position, 100.0))))
    assert travel.kind is TrialKind.STRAIGHT
    # The chords that reach across the start and the stop are slower than the walk.
    assert travel.speed_m_s == pytest.approx(1.2, rel=0.03)


def test_what_was_bridged_shows_no_flight(walker):
    """Without the feet's own word a fast straight line through a stance would be a flight."""
    landmarks = find_landmarks(walker().trial())
    toe = landmarks.toe_lab_m["L"].copy()
    flight = slice(128, 140)
    moving = {side: path.copy() for side, path in (*landmarks.heel_lab_m.items(),)}
    for path in (toe, *moving.values()):
        path[flight, 0] += np.linspace(0.0, 0.3, 12)
    both = {
        "L": toe,
        "R": landmarks.toe_lab_m["R"] + np.array([1.0, 0.0, 0.0]) * np.linspace(0.0, 9.0, landmarks.n_frames)[:, None],
    }
    seen = replace(landmarks, heel_lab_m=moving, toe_lab_m=both)
    assert in_flight(seen, 1.2, np.zeros(2))[flight].any()
    measured = np.ones(landmarks.n_frames, dtype=bool)
    measured[flight.start - 4 : flight.stop + 4] = False
    assert not in_flight(replace(seen, measured={"L": measured}), 1.2, np.zeros(2))[flight].any()


def test_unseen_feet_are_not_judged(walker):
    trial = walker().trial()
    names = tuple(n.replace("TOE", "ARM") for n in trial.markers.names)
    assert classify(Trial("x", Markers(names, trial.markers.position_m, 100.0))) is TrialKind.NOT_JUDGED


def _bent(landmarks: Landmarks, angle_rad: float) -> Landmarks:
    """The same walk along an arc: every point is turned about where the pelvis is, and the path bent by the same heading."""
    n = landmarks.n_frames
    s = np.clip((np.arange(n) / n - 0.3) / 0.4, 0.0, 1.0)
    heading = angle_rad * s
    step = np.diff(landmarks.pelvis_lab_m[:, 0], prepend=landmarks.pelvis_lab_m[0, 0])
    path = np.stack([np.cumsum(step * np.cos(heading)), np.cumsum(step * np.sin(heading))], axis=1)

    def bend(points):
        relative = points - landmarks.pelvis_lab_m
        c, sn = np.cos(heading), np.sin(heading)
        out = points.copy()
        out[:, 0] = path[:, 0] + c * relative[:, 0] - sn * relative[:, 1]
        out[:, 1] = path[:, 1] + sn * relative[:, 0] + c * relative[:, 1]
        return out

    return replace(
        landmarks,
        pelvis_lab_m=bend(landmarks.pelvis_lab_m),
        facing_lab=np.stack([np.cos(heading), np.sin(heading)], axis=1),
        heel_lab_m={k: bend(v) for k, v in landmarks.heel_lab_m.items()},
        toe_lab_m={k: bend(v) for k, v in landmarks.toe_lab_m.items()},
    )


def test_a_long_gap_in_the_pelvis_does_not_speed_up_the_walk(walker):
    landmarks = find_landmarks(walker().trial())
    pelvis = landmarks.pelvis_lab_m.copy()
    pelvis[100:220] = np.nan
    travel = describe_travel(replace(landmarks, pelvis_lab_m=pelvis))
    assert travel.kind is TrialKind.STRAIGHT
    assert travel.speed_m_s == pytest.approx(1.2, rel=1e-9)
