"""Stairs, ramps and curbs: the virtual subject climbs and descends them, a plate under every footstep; everything is recovered.

The truth shares no code with the chain. Level ground with a plate under every footstep runs beside them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, LEG_SEGMENTS
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion, Segment
from biomech_id.feet.feet import classify, find_feet
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.models.model import CalibratedModel
from biomech_id.movement.stance import Verdict
from biomech_id.sample import SampleTrial, VirtualSubject, virtual_subject, write_c3d
from biomech_id.sample.floors import FLOORS
from biomech_id.sample.jets import time_jet
from biomech_id.sample.mechanics import angular_velocity_of, segment_poses
from biomech_id.session import trial_tables

KINDS = {
    "level": TrialKind.STRAIGHT, "stairs up": TrialKind.STAIR_ASCENT, "stairs down": TrialKind.STAIR_DESCENT,
    "ramp up": TrialKind.RAMP_ASCENT, "ramp down": TrialKind.RAMP_DESCENT,
    "curb up": TrialKind.CURB_UP, "curb down": TrialKind.CURB_DOWN,
}  # fmt: skip
#: As in `test_virtual_subject`: mm, deg, N m/kg (root mean square per axis), W/kg (largest); frames left out at each end.
CENTRE_MM, ANGLE_DEG, MOMENT_NM_KG, POWER_W_KG, ENDS = 0.01, 0.01, 2e-3, 0.02, 6
#: In memory, with the true motion and the true ground reaction, N m and N.
IN_MEMORY = 1e-9


@cache
def person(body: str = "adult") -> VirtualSubject:
    return virtual_subject(body=body)


@cache
def recorded(floor: str, body: str = "adult") -> SampleTrial:
    return person(body).walk(floor=floor, plates="steps")


@cache
def model(body: str = "adult") -> CalibratedModel:
    return bid.conventional_model(person(body).static().trial, person(body).subject())


def test_every_floor_is_tried() -> None:
    assert set(KINDS) == set(FLOORS)


def true_motion(floor: str) -> BodyMotion:
    """The body as it really moves: poses, velocities and accelerations from the closed forms, no marker and no difference."""
    sample, me = recorded(floor), replace(person(), floor=floor)
    time = time_jet(sample.truth.time_s - sample.clock_zero_s, order=2)
    pose = me.mover().pose(time)
    motions, segments = {}, {}
    for side in SIDES:
        for name, (R, origin) in segment_poses(pose, side).items():
            omega = angular_velocity_of(R)
            inertia = me.true_body.inertia(side, name)
            centre = origin.value + R.value @ inertia.com_m
            rates = [origin.derivative(k) + R.derivative(k) @ inertia.com_m for k in (1, 2)]
            segments[side, name] = Segment(name, inertia.mass_kg, inertia.com_m, inertia.tensor_kgm2)
            frames = Frames(R.value, origin.value)
            motions[side, name] = Motion(frames, omega.value, omega.derivative(1), centre, rates[0], rates[1])
    R, origin, still = pose.pelvis.R_lab_pelvis, pose.pelvis.origin_m, np.zeros_like(sample.truth.time_s)[:, None] * np.ones(3)
    omega = angular_velocity_of(R)
    pelvis = Frames(R.value, origin.value)
    motions["", "pelvis"] = Motion(pelvis, omega.value, omega.derivative(1), origin.value, still, still)
    tracked = model().track(sample.trial)
    centres = dict(sample.truth.joint_centres_lab_m)
    return replace(tracked, motions=motions, segments=segments, joint_centres_lab_m=centres)


@pytest.mark.parametrize("floor", KINDS)
def test_joint_loads_in_memory(floor: str) -> None:
    """With the true motion and the true reaction nothing is left but the equations."""
    truth = recorded(floor).truth
    known = np.ones(len(truth.time_s), dtype=bool)
    contacts = {s: FootContact(s, truth.ground_force_lab_N[s], truth.ground_moment_lab_Nm[s], known) for s in SIDES}
    loads = bid.solve(true_motion(floor), contacts)
    for key in ((side, joint) for side in SIDES for joint in JOINTS):
        assert np.abs(loads[key].wrench.force_N - truth.joint_force_lab_N[key]).max() < IN_MEMORY, key
        assert np.abs(loads[key].wrench.moment_Nm - truth.joint_moment_lab_Nm[key]).max() < IN_MEMORY, key
    assert {name for _, name in loads} == set(JOINTS)
    assert {DISTAL_SEGMENT[joint] for joint in JOINTS} == set(LEG_SEGMENTS)


@pytest.mark.parametrize("body", ["adult", "child"])
@pytest.mark.parametrize("floor", KINDS)
def test_every_stance_is_solved_from_the_c3d_files(floor: str, body: str, tmp_path: Path) -> None:
    sample, subject = recorded(floor, body), person(body).subject()
    trial = bid.read_c3d(write_c3d(sample, tmp_path / "walk.c3d"), trust=True)
    static = bid.read_c3d(write_c3d(person(body).static(floor=floor, plates="steps"), tmp_path / "static.c3d"), trust=True)
    movement = bid.assign_plates(bid.conventional_model(static, subject).track(trial))
    truth = sample.truth
    whole = [s for s in truth.stances if truth.time_s[0] < s.strike_s and s.off_s < truth.time_s[-1]]
    clean = {(s.side, round(s.start_s, 2)): s for s in movement.assignment.stances if s.verdict is Verdict.CLEAN}
    assert len(whole) == len(clean) >= 6
    for stance in whole:
        assert clean[stance.side, round(stance.strike_s, 2)].plates == stance.plates
    loads = bid.solve(movement)
    for key in ((side, joint) for side in SIDES for joint in JOINTS):
        known = loads[key].known.copy()
        known[:ENDS] = known[-ENDS:] = False
        assert known.mean() > 0.85
        centre = movement.joint_centres_lab_m[key] - truth.joint_centres_lab_m[key]
        assert np.linalg.norm(centre, axis=1).max() * 1e3 < CENTRE_MM, key
        assert np.abs(np.rad2deg(movement.joint_angles_rad[key] - truth.joint_angles_rad[key])).max() < ANGLE_DEG, key
        error = (loads[key].expressed_in("distal").moment_Nm - truth.joint_moment_distal_Nm[key])[known] / subject.mass_kg
        assert np.sqrt((error**2).mean(axis=0)).max() < MOMENT_NM_KG, key
        power = (loads[key].power_rotational_W - truth.power_rotational_W[key])[known] / subject.mass_kg
        assert np.abs(power).max() < POWER_W_KG, key


@pytest.mark.parametrize("floor", KINDS)
@pytest.mark.parametrize("direction", ["+X", "-X", "+Y"])
def test_the_floor_has_its_name(floor: str, direction: str) -> None:
    sample = recorded(floor) if direction == "+X" else person().walk(floor=floor, plates="steps", direction=direction)
    assert classify(sample.trial) is KINDS[floor]
    find_landmarks(sample.trial)
    levels = find_feet(sample.trial).travel.levels
    heights = [plate.centre_m[2] for plate in sample.trial.plates]
    assert levels.total_m == pytest.approx(heights[-1] - heights[0], abs=0.005) or floor.startswith("ramp")


@pytest.mark.parametrize("floor", KINDS)
def test_without_stored_events_the_same_stances_are_solved(floor: str) -> None:
    """Markers and plates find the steps: on stairs a foot is furthest ahead long before it comes down.

    A strike in the first fifth of a second has too little before it to be seen in markers.
    """
    sample = recorded(floor)
    bare = replace(sample.trial, events=())
    stances = bid.assign_plates(model().track(bare)).assignment.stances
    first_s, last_s = sample.truth.time_s[0] + 0.2, sample.truth.time_s[-1]
    whole = [s for s in sample.truth.stances if first_s < s.strike_s and s.off_s < last_s]
    clean = [s for s in stances if s.verdict is Verdict.CLEAN and s.start_s > first_s]
    assert len(whole) >= 5
    assert [(s.side, s.plates) for s in clean] == [(s.side, s.plates) for s in whole]
    for mine, true in zip(clean, whole, strict=True):
        assert (mine.start_s, mine.end_s) == pytest.approx((true.strike_s, true.off_s), abs=0.02)


@pytest.mark.parametrize("floor", ["stairs up", "stairs down"])
def test_a_plate_that_reaches_under_the_next_tread_bears_one_foot(floor: str) -> None:
    """Treads overhang: seen from above, the foot on one of them is over two plates, and a riser above, or below, one of them."""
    me = replace(person(), floor=floor, plates="steps")
    wide = tuple(replace(spec, size_m=(spec.size_m[0] + 0.16, spec.size_m[1])) for spec in me.plate_specs())
    sample = me.walk(plates=wide)
    assert all(len(stance.plates) == 1 for stance in sample.truth.stances)
    stances = bid.assign_plates(model().track(sample.trial), body_mass_kg=72.0).assignment.stances
    whole = [s for s in stances if np.isfinite(s.start_s + s.end_s)]
    assert len(whole) >= 6
    assert {s.verdict for s in whole} == {Verdict.CLEAN}


def test_a_foot_above_a_loaded_plate_is_not_on_it() -> None:
    """Corners that the file puts on the ground although the tread is high: no kinetics, and the reason says by how much."""
    sample = recorded("stairs up")
    down = np.array([0.0, 0.0, 0.22])
    plates = tuple(replace(plate, corners_m=plate.corners_m - down) for plate in sample.trial.plates)
    trial = replace(sample.trial, plates=plates)
    stances = bid.assign_plates(model().track(trial), body_mass_kg=72.0).assignment.stances
    assert {s.verdict for s in stances if np.isfinite(s.start_s + s.end_s)} == {Verdict.NO_PLATE}
    reasons = [s.reason for s in stances if s.reason.rule == "foot-on-other-level"]
    assert len(reasons) >= 4
    assert all(reason.values["height_mm"] == pytest.approx(220.0, abs=30.0) for reason in reasons)
    by_hand = StanceVerdict(trial.name, "R", ("plate 2",), number=1)
    forced = bid.assign_plates(model().track(trial), body_mass_kg=72.0, verdicts=(by_hand,)).assignment.stances
    assert [s.plates for s in forced if s.verdict is Verdict.OVERRIDE] == [("plate 2",)]


@pytest.mark.parametrize("floor", KINDS)
def test_the_centre_of_pressure_lies_on_each_plate(floor: str, tmp_path: Path) -> None:
    """The main job: the centre of pressure of every stance on its own surface, inside the foot, and the trial accepted for it."""
    for sample in (person().static("static", floor=floor, plates="steps"), recorded(floor)):
        write_c3d(sample, tmp_path / f"{sample.trial.name}.c3d")
    result = bid.analyse(tmp_path, uncertainty=False).computed.trials[0]
    assert result.kind is KINDS[floor]
    truth = recorded(floor).truth
    frames = trial_tables.frames(result)
    for side in SIDES:
        ours = np.column_stack([frames[f"{side}CentreOfPressure.{axis}"] for axis in "XYZ"])
        firm = np.isfinite(ours[:, 0]) & (truth.ground_force_lab_N[side][:, 2] > 200.0)
        assert firm.sum() > 100
        assert np.abs(ours - truth.centre_of_pressure_lab_m[side] * 1e3)[firm].max() < 1.0
    inside = next(row for row in result.quality if row.rule == "cop-inside-foot")
    assert inside.value > 95.0


def test_the_knee_bends_as_on_real_stairs() -> None:
    """Knee flexion of 85 to 105 degrees (Riener et al. 2002), moments of an adult's size."""
    for floor in ("stairs up", "stairs down"):
        truth = recorded(floor).truth
        for side in SIDES:
            flexion = np.rad2deg(truth.joint_angles_rad[side, "knee"][:, 0])
            assert 85.0 < flexion.max() < 105.0
            assert flexion.min() > 3.0
            moment = np.abs(truth.joint_moment_distal_Nm[side, "knee"][:, 1]).max() / 72.0
            assert 0.8 < moment < 2.5


@pytest.mark.parametrize("floor", KINDS)
def test_no_foot_passes_through_the_floor(floor: str) -> None:
    """The rounded heel and toe stay above the surface beneath them, of treads up to their very edges (2 mm: the curb's)."""
    me = replace(person(), floor=floor, plates="steps")
    time = time_jet(np.linspace(0.0, me.gait.plan.cycle_s, 300), order=0)
    pose = me.gait.pose(time)
    for side in SIDES:
        sole = pose.soles[side]
        for x, radius in ((me.sole.heel_x, me.sole.heel_radius), (me.sole.toe_x, me.sole.toe_radius)):
            centre = sole.origin_m.value + sole.R_lab_sole.value @ np.array([x, 0.0, radius])
            for spec in me.plate_specs():
                over = np.abs(centre[:, 0] - spec.centre_m[0]) <= spec.size_m[0] / 2
                clear = (centre - np.array([*spec.centre_m, spec.height_m]))[over] @ spec.normal - radius
                assert not clear.size or clear.min() > -0.002
