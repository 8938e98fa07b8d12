"""What the conventional model must not notice: where the laboratory's axes lie, and which leg is called left."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.models.conventional.model import conventional_model
from biomech_id.sample import SampleTrial, virtual_subject
from biomech_id.session.tables.clinical import clinical_force, clinical_moment
from biomech_id.trial import Subject, Trial

#: Rounding of metres carried through second derivatives at 100 Hz, rad and N m.
ROUNDING = 1e-8
PER_LEG = ("leg_length_m", "knee_width_m", "ankle_width_m", "asis_trochanter_distance_m")


@lru_cache(maxsize=1)
def recorded() -> tuple[SampleTrial, SampleTrial]:
    person = virtual_subject(body="child")
    return person.static(), person.walk(duration_s=0.8)


def contacts(walk: SampleTrial) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    return {side: (walk.truth.ground_force_lab_N[side], walk.truth.ground_moment_lab_Nm[side]) for side in SIDES}


def solved(
    static: Trial, walk: Trial, ground: dict[str, tuple[np.ndarray, np.ndarray]], kinetics: str
) -> tuple[BodyMotion, JointLoads]:
    motion = conventional_model(static).track(walk, kinetics=kinetics)
    known = np.ones(walk.n_frames, dtype=bool)
    return motion, solve_body(motion, {side: FootContact(side, f, m, known) for side, (f, m) in ground.items()})


def moved(trial: Trial, R: np.ndarray, shift_m: np.ndarray) -> Trial:
    return replace(trial, markers=trial.markers.with_positions(trial.markers.position_m @ R.T + shift_m))


def mirrored(trial: Trial) -> Trial:
    """The same walk seen in a mirror along y, with left and right renamed, measurements included."""
    swap = {"L": "R", "R": "L"}
    names = tuple(swap.get(name[0], name[0]) + name[1:] for name in trial.markers.names)
    markers = type(trial.markers)(names, trial.markers.position_m * [1.0, -1.0, 1.0], trial.rate_hz)
    measures = {field: {swap[s]: v for s, v in getattr(trial.subject, field).items()} for field in PER_LEG}
    subject: Subject = trial.subject.with_values("mirror", **measures)
    return replace(trial, markers=markers, subject=subject)


def assert_same(ours: tuple[BodyMotion, JointLoads], theirs: tuple[BodyMotion, JointLoads], side_of: dict[str, str]) -> None:
    """Angles, moments, forces and powers of one side against those of the side it has become."""
    (motion, loads), (other_motion, other_loads) = ours, theirs
    for side, other in side_of.items():
        for joint in ("pelvis", "hip", "knee", "ankle"):
            assert np.abs(motion.joint_angles_rad[side, joint] - other_motion.joint_angles_rad[other, joint]).max() < ROUNDING
        for joint in JOINTS:
            pair = [(motion, loads, side), (other_motion, other_loads, other)]
            a, b = (clinical_moment(x[s, joint].wrench.moment_Nm, m, s, joint) for m, x, s in pair)
            assert np.nanmax(np.abs(a - b)) < ROUNDING
            power, other_power = loads[side, joint].power_rotational_W, other_loads[other, joint].power_rotational_W
            assert np.nanmax(np.abs(power - other_power)) < 10 * ROUNDING


@pytest.mark.parametrize("kinetics", ["textbook", "vicon"])
@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_turning_and_shifting_the_laboratory_changes_nothing(quarter_turns: int, kinetics: str) -> None:
    static, walk = recorded()
    angle = quarter_turns * np.pi / 2
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    shift = np.array([3.0, -2.0, 0.0])
    ground = {side: (force @ R.T, moment @ R.T + np.cross(shift, force @ R.T)) for side, (force, moment) in contacts(walk).items()}
    here = solved(static.trial, walk.trial, contacts(walk), kinetics)
    there = solved(moved(static.trial, R, shift), moved(walk.trial, R, shift), ground, kinetics)
    assert_same(here, there, {"L": "L", "R": "R"})


@pytest.mark.parametrize("kinetics", ["textbook", "vicon"])
def test_in_a_mirror_left_is_right(kinetics: str) -> None:
    static, walk = recorded()
    # A force mirrors like a point, a moment like a rotation: the other two components change sign.
    ground = {
        other: (contacts(walk)[side][0] * [1.0, -1.0, 1.0], contacts(walk)[side][1] * [-1.0, 1.0, -1.0])
        for side, other in (("L", "R"), ("R", "L"))
    }
    here = solved(static.trial, walk.trial, contacts(walk), kinetics)
    there = solved(mirrored(static.trial), mirrored(walk.trial), ground, kinetics)
    assert_same(here, there, {"L": "R", "R": "L"})
    # Joint forces are not mirrored: their Y is to the subject's left on both sides, and changes sign.
    a = clinical_force(here[1]["L", "knee"].wrench.force_N, here[0], "L", "knee")
    b = clinical_force(there[1]["R", "knee"].wrench.force_N, there[0], "R", "knee")
    assert np.nanmax(np.abs(a - b * [1.0, -1.0, 1.0])) < ROUNDING
