"""What real children's results must not notice, and how they must change: the same walk in another laboratory, in a mirror, at
another size, with its markers in another order or among strangers.

No truth is needed: every test compares an analysis with itself. Rounding is carried through second derivatives of metres at
100 to 120 Hz, which leaves 1e-9 of lengths and angles and 1e-7 of moments of tens of N m.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.feet.feet import classify
from biomech_id.feet.movements import TrialKind
from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.six_dof.model import six_dof_model
from biomech_id.trial import Markers, Trial

#: Without the recordings beside the project every test here is skipped, or fails where nothing may be skipped.
pytestmark = pytest.mark.usefixtures("shared_dir")

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[3] / "shared"))
CHILDREN = sorted(folder for folder in (SHARED / "c3d" / "children").glob("*") if folder.is_dir())
LENGTHS = (
    "leg_length_m", "knee_width_m", "ankle_width_m", "asis_trochanter_distance_m", "shoulder_offset_m", "elbow_width_m",
    "wrist_width_m", "hand_thickness_m",
)  # fmt: skip
#: Placed from means over the whole trial, as the vendor does where there is no static of the trunk.
FROM_MEANS = {("", "neck"), ("", "waist"), *((side, joint) for side in "LR" for joint in ("shoulder", "elbow", "wrist"))}
METRES, RADIANS, NEWTONS, NEWTON_METRES, WATTS = 1e-9, 1e-9, 1e-6, 1e-6, 1e-5


@dataclass(frozen=True)
class Recorded:
    """A child's static trial, straight walk, and what the ground did to the feet."""

    static: Trial
    walk: Trial
    ground: dict[str, FootContact]


@dataclass(frozen=True)
class Solved:
    motion: BodyMotion
    loads: JointLoads


Model = Callable[[Recorded], Solved]


def conventional(kinetics: str) -> Model:
    def solve(recorded: Recorded) -> Solved:
        motion = conventional_model(recorded.static).track(recorded.walk, kinetics=kinetics)
        return Solved(motion, solve_body(motion, recorded.ground))

    return solve


def six_dof(recorded: Recorded) -> Solved:
    motion = six_dof_model(recorded.static, hip="bell").track(recorded.walk)
    return Solved(motion, solve_body(motion, recorded.ground))


MODELS: dict[str, Model] = {"textbook": conventional("textbook"), "vicon": conventional("vicon"), "six-dof": six_dof}


@lru_cache(maxsize=6)
def child(folder: Path) -> Recorded:
    trials = {classify(trial): trial for trial in (bid.read_c3d(path) for path in sorted(folder.glob("*.c3d")))}
    static, walk = trials[TrialKind.STATIC], trials[TrialKind.STRAIGHT]
    ground = bid.assign_plates(conventional_model(static).track(walk)).contacts
    diameter = static.subject.marker_diameter_m or 0.014  # a default would not grow with the child
    measured = [t.subject.with_values("test", marker_diameter_m=diameter) for t in (static, walk)]
    return Recorded(
        *(
            Trial(t.name, t.markers, subject=s, identity=t.identity, first_frame=t.first_frame)
            for t, s in zip((static, walk), measured, strict=True)
        ),
        dict(ground),
    )


@lru_cache(maxsize=18)
def untouched(folder: Path, model: str) -> Solved:
    return MODELS[model](child(folder))


each_child = pytest.mark.parametrize("folder", CHILDREN, ids=[folder.name for folder in CHILDREN])
each_model = pytest.mark.parametrize("model", MODELS)


def moved(recorded: Recorded, position: Callable[[np.ndarray], np.ndarray], force: np.ndarray, moment: np.ndarray) -> Recorded:
    """Every marker moved alike, and the ground's force and moment by matrices (3, 3)."""
    trials = [
        replace(t, markers=t.markers.with_positions(position(t.markers.position_m))) for t in (recorded.static, recorded.walk)
    ]
    ground = {
        side: FootContact(side, contact.force_lab_N @ force.T, contact.moment_lab_Nm @ moment.T, contact.known)
        for side, contact in recorded.ground.items()
    }
    return Recorded(*trials, ground)


def same(found: np.ndarray, expected: np.ndarray, tolerance: float, what: object) -> None:
    assert np.isfinite(expected).any(), what
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance, err_msg=str(what))


def assert_lab_turned(there: Solved, here: Solved, R: np.ndarray, shift_m: np.ndarray) -> None:
    for key, angles in here.motion.joint_angles_rad.items():
        same(there.motion.joint_angles_rad[key], angles, RADIANS, key)
    for key, centre in here.motion.joint_centres_lab_m.items():
        same(there.motion.joint_centres_lab_m[key], centre @ R.T + shift_m, METRES, key)
    for side in SIDES:
        for joint in JOINTS:
            ours, theirs = here.loads[side, joint], there.loads[side, joint]
            same(theirs.wrench.force_N, ours.wrench.force_N @ R.T, NEWTONS, (side, joint))
            same(theirs.wrench.moment_Nm, ours.wrench.moment_Nm @ R.T, NEWTON_METRES, (side, joint))
            same(theirs.power_rotational_W, ours.power_rotational_W, WATTS, (side, joint))


@each_child
@each_model
def test_a_laboratory_turned_and_shifted(folder: Path, model: str) -> None:
    R, shift = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.array([1.5, -0.7, 0.2])
    turned = moved(child(folder), lambda p: p @ R.T + shift, R, R)
    ground = {
        side: FootContact(side, c.force_lab_N, c.moment_lab_Nm + np.cross(shift, c.force_lab_N), c.known)
        for side, c in turned.ground.items()
    }
    there = MODELS[model](replace(turned, ground=ground))
    assert_lab_turned(there, untouched(folder, model), R, shift)


@each_child
@each_model
def test_in_a_mirror_left_is_right(folder: Path, model: str) -> None:
    mirror, other = np.diag([1.0, -1.0, 1.0]), {"L": "R", "R": "L"}
    seen = moved(child(folder), lambda p: p @ mirror, mirror, -mirror)  # a moment mirrors like a rotation

    def renamed(trial: Trial) -> Trial:
        names = tuple(other.get(name[0], name[0]) + name[1:] for name in trial.markers.names)
        measures = {field: {other[s]: v for s, v in getattr(trial.subject, field).items()} for field in LENGTHS}
        markers = Markers(names, trial.markers.position_m, trial.rate_hz)
        return replace(trial, markers=markers, subject=trial.subject.with_values("mirror", **measures))

    ground = {other[side]: replace(contact, side=other[side]) for side, contact in seen.ground.items()}
    there, here = MODELS[model](Recorded(renamed(seen.static), renamed(seen.walk), ground)), untouched(folder, model)
    for side in SIDES:
        for joint in ("pelvis", "hip", "knee", "ankle", "foot_progress"):
            same(
                there.motion.joint_angles_rad[other[side], joint], here.motion.joint_angles_rad[side, joint], RADIANS, (side, joint)
            )
        for joint in JOINTS:
            ours, theirs = here.loads[side, joint], there.loads[other[side], joint]
            same(theirs.wrench.force_N, ours.wrench.force_N @ mirror, NEWTONS, (side, joint))
            same(theirs.wrench.moment_Nm, -ours.wrench.moment_Nm @ mirror, NEWTON_METRES, (side, joint))
            same(theirs.power_rotational_W, ours.power_rotational_W, WATTS, (side, joint))


@each_child
def test_a_larger_child_who_moves_as_slowly_as_its_size_demands(folder: Path) -> None:
    """Ten per cent longer, masses and forces by the third power, times by the root: every equation keeps its balance (Froude).

    For the six-dof model with a hip centre in proportion to the pelvis; the conventional model's has millimetres in it.
    """
    size, small = 1.1, child(folder)

    def grown(trial: Trial) -> Trial:
        subject = trial.subject
        measures = {name: {s: size * v for s, v in getattr(subject, name).items()} for name in LENGTHS}
        for name in ("marker_diameter_m", "inter_asis_distance_m"):
            value = getattr(subject, name)
            measures[name] = None if value is None else size * value
        subject = subject.with_values("grown", mass_kg=size**3 * subject.mass_kg, **measures)
        markers = Markers(trial.markers.names, size * trial.markers.position_m, trial.rate_hz / np.sqrt(size))
        return Trial(trial.name, markers, subject=subject)

    ground = {s: FootContact(s, size**3 * c.force_lab_N, size**4 * c.moment_lab_Nm, c.known) for s, c in small.ground.items()}
    here, there = untouched(folder, "six-dof"), six_dof(Recorded(grown(small.static), grown(small.walk), ground))
    for key, angles in here.motion.joint_angles_rad.items():
        same(there.motion.joint_angles_rad[key], angles, RADIANS, key)
    for key, centre in here.motion.joint_centres_lab_m.items():
        same(there.motion.joint_centres_lab_m[key], size * centre, METRES, key)
    for side in SIDES:
        for joint in JOINTS:
            ours, theirs = here.loads[side, joint], there.loads[side, joint]
            same(theirs.wrench.force_N, size**3 * ours.wrench.force_N, NEWTONS, (side, joint))
            same(theirs.wrench.moment_Nm, size**4 * ours.wrench.moment_Nm, NEWTON_METRES, (side, joint))
            same(theirs.power_rotational_W, size**3.5 * ours.power_rotational_W, WATTS, (side, joint))


@each_child
@each_model
def test_order_of_markers_and_strangers_among_them(folder: Path, model: str) -> None:
    """Bit for bit: nothing may depend on which column a marker is in, or on markers that belong to no segment."""
    rng = np.random.default_rng(0)

    def shuffled(trial: Trial) -> Trial:
        markers = trial.markers
        strangers = rng.normal(0, 1, (markers.position_m.shape[0], 3, 3))
        names = (*markers.names, "Stranger1", "Wand:TIP", "ZZZZ")
        order = rng.permutation(len(names))
        position = np.concatenate([markers.position_m, strangers], axis=1)[:, order]
        return replace(trial, markers=Markers(tuple(names[i] for i in order), position, markers.rate_hz))

    recorded = child(folder)
    there = MODELS[model](replace(recorded, static=shuffled(recorded.static), walk=shuffled(recorded.walk)))
    here = untouched(folder, model)
    for key, angles in here.motion.joint_angles_rad.items():
        np.testing.assert_array_equal(there.motion.joint_angles_rad[key], angles, err_msg=str(key))
    for side in SIDES:
        for joint in JOINTS:
            np.testing.assert_array_equal(there.loads[side, joint].wrench.moment_Nm, here.loads[side, joint].wrench.moment_Nm)


@each_child
@each_model
def test_the_future_does_not_change_where_the_body_is(folder: Path, model: str) -> None:
    """Poses are found frame by frame: the first half of a walk has the joint centres of the whole."""
    recorded, here = child(folder), untouched(folder, model)
    half = recorded.walk.n_frames // 2
    markers = recorded.walk.markers
    cut = replace(recorded.walk, markers=Markers(markers.names, markers.position_m[:half], markers.rate_hz))
    motion = MODELS[model](replace(recorded, walk=cut, ground={})).motion
    assert set(here.motion.joint_centres_lab_m) - FROM_MEANS
    for key, centre in here.motion.joint_centres_lab_m.items():
        if key not in FROM_MEANS:
            same(motion.joint_centres_lab_m[key], centre[:half], METRES, key)
