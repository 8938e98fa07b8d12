"""A walk over ground, seen from a belt: markers and plates carried back exactly.

Newton's laws hold in every frame that moves evenly, so loads, steps, outline and quality must come out the same, to the accuracy
with which the belt's speed is found from the planted feet.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import biomech_id as bid
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES
from biomech_id.feet.floor import find_belts
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.pipeline.one_trial import cut_and_grade, solve_trial
from biomech_id.report.pages.butterfly import stance_forces
from biomech_id.request.recipe import Recipe
from biomech_id.sample import PlateSpec, virtual_subject
from biomech_id.session.solved import Solved
from biomech_id.session.trial_tables import curves, frames
from biomech_id.session.values.summary import trial_summary
from biomech_id.trial import Markers, Trial

#: Two plates under the whole way, one for each foot, as under a split belt.
ALL_THE_WAY = tuple(PlateSpec(2, (0.0, y), (14.0, 0.5)) for y in (0.25, -0.25))
SPEED_M_S = 1.3
QUALITY = ("cop-inside-foot", "cop-offset", "marker-rigidity", "centre-drift", "stances-on-plate")


def on_a_belt(trial: Trial, way_m, plates_too: bool = True) -> Trial:
    """The trial in a laboratory whose floor goes the way ``way_m`` (times (n,) -> (n,) metres, along X) under the feet."""
    time_s = trial.first_time_s + np.arange(trial.n_frames) / trial.rate_hz
    position = trial.markers.position_m.copy()
    position[:, :, 0] += way_m(time_s)[:, None]
    plates = []
    for plate in trial.plates if plates_too else ():
        sampled = trial.first_time_s + np.arange(plate.n_samples) / plate.rate_hz
        carried = np.column_stack([way_m(sampled), np.zeros((plate.n_samples, 2))])
        plates.append(replace(plate, moment_lab_Nm=plate.moment_lab_Nm + np.cross(carried, plate.force_lab_N)))
    return replace(trial, markers=Markers(trial.markers.names, position, trial.rate_hz), plates=tuple(plates))


@cache
def analysed(belt: bool, body: str = "adult") -> Solved:
    person = virtual_subject(body=body)
    static = person.static().trial
    walk = replace(person.walk(plates=ALL_THE_WAY, speed_m_s=SPEED_M_S).trial, events=())
    if belt:
        walk = on_a_belt(walk, lambda time_s: -SPEED_M_S * (time_s - time_s[0]))
    model = bid.conventional_model(static, static.subject)
    solved = solve_trial(walk, model, static.subject, Recipe())
    return cut_and_grade(solved, model, model.track(static), {})


@pytest.fixture(params=["adult", "child"])
def both(request) -> tuple[Solved, Solved]:
    return analysed(False, request.param), analysed(True, request.param)


def test_it_is_a_treadmill_and_its_speed_is_found(both) -> None:
    ground, belt = both
    assert (ground.kind, belt.kind) == (TrialKind.STRAIGHT, TrialKind.TREADMILL)
    assert ground.belts == {}
    for side in SIDES:
        np.testing.assert_allclose(belt.belts[side].velocity_lab_m_s, [[-SPEED_M_S, 0.0]], atol=1e-4)


def test_joint_loads_are_those_over_ground(both) -> None:
    ground, belt = both
    assert ground.loads is not None
    assert belt.loads is not None
    for key in ((side, joint) for side in SIDES for joint in JOINTS):
        ours, theirs = belt.loads[key], ground.loads[key]
        assert theirs.known.mean() > 0.9
        np.testing.assert_array_equal(ours.known, theirs.known)
        np.testing.assert_allclose(ours.wrench.force_N, theirs.wrench.force_N, rtol=0, atol=1e-6)
        # Plates come to the video rate by parabolas, and the moment about a resting point is steeper by the belt's way times force.
        np.testing.assert_allclose(ours.wrench.moment_Nm, theirs.wrench.moment_Nm, rtol=0, atol=0.05)
        np.testing.assert_allclose(ours.power_rotational_W, theirs.power_rotational_W, rtol=0, atol=0.1)


def test_events_stances_cycles_steps_and_quality_are_those_over_ground(both) -> None:
    ground, belt = both
    assert [(e.side, e.kind, e.source) for e in belt.events] == [(e.side, e.kind, e.source) for e in ground.events]
    np.testing.assert_allclose([e.time_s for e in belt.events], [e.time_s for e in ground.events], atol=1e-9)
    assert [s.reason for s in belt.assignment.stances] == [s.reason for s in ground.assignment.stances]
    assert [(c.side, c.kinetics_valid, c.steady) for c in belt.cycles] == [
        (c.side, c.kinetics_valid, c.steady) for c in ground.cycles
    ]
    assert [(p.side, p.cycle, p.parameter) for p in belt.parameters] == [(p.side, p.cycle, p.parameter) for p in ground.parameters]
    assert {"speed", "step_length", "stride_length"} <= {p.parameter for p in belt.parameters}
    np.testing.assert_allclose([p.value for p in belt.parameters], [p.value for p in ground.parameters], rtol=1e-4, atol=1e-5)
    graded = [{row.rule: row for row in trial.quality if row.rule in QUALITY} for trial in both]
    for rule in QUALITY:
        assert graded[1][rule].verdict == graded[0][rule].verdict
        assert graded[1][rule].value == pytest.approx(graded[0][rule].value, abs=0.01, nan_ok=True), rule


def test_every_curve_and_the_outline_are_those_over_ground(both) -> None:
    ground, belt = both
    assert curves(belt).names == curves(ground).names
    assert {"FootCentreOfPressure", "GroundReactionForce", "KneeMoment"} <= {name.variable for name in curves(ground).names}
    # 0.05 mm: the belt's speed is good to 1e-5 m/s, and a stance lasts 0.7 s.
    np.testing.assert_allclose(curves(belt).values, curves(ground).values, rtol=0, atol=0.05)
    outlines = [trial_summary(trial, {})["foot_outline_mm"] for trial in both]
    for side in SIDES:
        np.testing.assert_allclose(outlines[1][side]["points"], outlines[0][side]["points"], atol=0.05)


def drawn(trial: Solved, side: str):
    cycles = [
        {
            "trial": trial.name,
            "side": c.side,
            "kinetics_valid": str(c.kinetics_valid),
            "start_s": c.start_s,
            "foot_off_s": c.foot_off_s,
        }
        for c in trial.cycles
    ]
    layer = SimpleNamespace(
        trials=[trial_summary(trial, {})],
        used=pd.DataFrame(cycles),
        tables=SimpleNamespace(frames={trial.name: frames(trial).to_dataframe()}),
    )
    return stance_forces(layer, side)


def test_the_butterfly_is_that_over_ground(both) -> None:
    ground, belt = both
    for side in SIDES:
        ours, theirs = drawn(belt, side), drawn(ground, side)
        assert len(ours) == len(theirs) >= 1
        for (our_force, our_place), (force, place) in zip(ours, theirs, strict=True):
            # Percent of body weight: over ground the swaying pelvis' path gives the direction, to a tenth of a degree.
            np.testing.assert_allclose(our_force, force, atol=0.05)
            np.testing.assert_allclose(our_place, place, atol=0.1)  # mm
            assert 100.0 < np.ptp(place) < 300.0


def test_a_belt_that_changes_its_speed() -> None:
    """A self-paced treadmill, 15 % faster and slower over six seconds: steps are those over ground to 3 %."""
    person = virtual_subject()
    walk = person.walk(plates=(), speed_m_s=SPEED_M_S, duration_s=12.0)
    truth = walk.truth

    def way_m(time_s):
        return -SPEED_M_S * (time_s + 0.15 * 6.0 / (2 * np.pi) * np.sin(2 * np.pi * time_s / 6.0))

    values = []
    for trial in (walk.trial, on_a_belt(walk.trial, way_m, plates_too=False)):
        landmarks = find_landmarks(trial)
        travel = describe_travel(landmarks)
        cycles = cut_cycles(trial, truth.events, None)
        rows = gait_parameters(landmarks, truth.events, cycles, travel=travel)
        values.append({(p.side, p.cycle, p.parameter): p.value for p in rows if p.parameter in ("stride_length", "step_length")})
    belts = find_belts(landmarks, truth.events, travel)
    true_m_s = -SPEED_M_S * (1.0 + 0.15 * np.cos(2 * np.pi * landmarks.time_s / 6.0))
    inner = slice(100, -100)
    found_m_s = np.gradient(belts["L"].way_lab_m(landmarks.time_s)[:, 0], landmarks.time_s)
    np.testing.assert_allclose(found_m_s[inner], true_m_s[inner], atol=0.05)
    assert values[0].keys() == values[1].keys()
    ground, belt = (np.array(list(v.values())) for v in values)
    np.testing.assert_allclose(belt, ground, rtol=0.03)
