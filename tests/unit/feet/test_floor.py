"""How belts move, learnt from feet that are carried by them."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.feet.floor import Belt, find_belts, walking_direction_on
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.trial import Markers, Trial


def test_the_way_of_a_belt_is_the_integral_of_its_velocity():
    belt = Belt(np.array([1.0, 2.0, 4.0]), np.array([[-1.0, 0.0], [-2.0, 0.1], [-1.0, 0.1]]))
    time_s = np.array([0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0])
    # Before and after, the speed stays; between, it changes linearly.
    along = [1.0, 0.0, -0.625, -1.5, -3.25, -4.5, -5.5]
    across = [0.0, 0.0, 0.0125, 0.05, 0.15, 0.25, 0.35]
    np.testing.assert_allclose(belt.way_lab_m(time_s), np.column_stack([along, across]), atol=1e-12)
    point = np.tile([3.0, 0.5, 0.1], (7, 2, 1))
    carried = point.copy()
    carried[..., :2] += belt.way_lab_m(time_s)[:, None]
    np.testing.assert_allclose(belt.carried_back(carried, time_s), point, atol=1e-12)


def split(walker, left_m_s: float, right_m_s: float) -> tuple[Trial, dict]:
    """One foot on each of two belts; the pelvis stays between them."""
    walks = {"L": walker(belt=True, speed=left_m_s, duration_s=8.0), "R": walker(belt=True, speed=right_m_s, duration_s=8.0)}
    trials = {side: walk.trial(events=walk.events()) for side, walk in walks.items()}
    names = trials["L"].markers.names
    position = np.stack([trials[name[0]].markers[name] for name in names], axis=1)
    return Trial("split", Markers(names, position, 100.0), (), trials["L"].events, trials["L"].subject), walks


@pytest.mark.parametrize(("left_m_s", "right_m_s"), [(0.7, 1.4), (1.2, 1.0), (1.2, 1.2)])
def test_each_foot_has_the_speed_of_its_own_belt(walker, left_m_s, right_m_s):
    trial, walks = split(walker, left_m_s, right_m_s)
    landmarks = find_landmarks(trial)
    travel = describe_travel(landmarks)
    assert travel.kind is TrialKind.TREADMILL
    belts = find_belts(landmarks, trial.events, travel)
    for side, walk in walks.items():
        np.testing.assert_allclose(belts[side].velocity_lab_m_s, [[-walk.speed, 0.0]], atol=1e-9)
    np.testing.assert_allclose(walking_direction_on(belts), [1.0, 0.0, 0.0], atol=1e-9)
    values = {}
    for p in gait_parameters(landmarks, trial.events, cut_cycles(trial, trial.events), travel=travel):
        values.setdefault((p.side, p.parameter), []).append(p.value)
    for side, walk in walks.items():
        np.testing.assert_allclose(values[side, "stride_length"], walk.speed * walk.stride_s, atol=1e-9)
        # How far ahead of the other heel it lands: the standing foot has been carried back since its own strike.
        other = walks["R" if side == "L" else "L"]
        strike_s = walk.strikes(side)[4]
        heel, other_heel = (
            float((w.forward(s, np.array([strike_s]))[0] - w.speed * strike_s)[0])
            for w, s in ((walk, side), (other, "LR"[side == "L"]))
        )
        np.testing.assert_allclose(values[side, "step_length"], heel - other_heel, atol=1e-9)


def test_over_ground_there_are_no_belts(walker):
    walk = walker()
    landmarks = find_landmarks(walk.trial())
    assert find_belts(landmarks, walk.events(), describe_travel(landmarks)) == {}
    assert walking_direction_on({}) is None
