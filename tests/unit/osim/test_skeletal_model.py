"""An OpenSim model as a subject's body model: bones stay as long as they are, joints turn as they were turned, loads follow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.anatomy import DISTAL_SEGMENT, proximal_part
from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.feet.movements import TrialKind
from biomech_id.multibody.joints import PolynomialFunction
from biomech_id.multibody.musculoskeletal import (
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    ModelMarker,
    MusculoskeletalModel,
    OffsetFrame,
    TransformAxis,
)
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, SkeletalModel, skeletal_model
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.session.folder.replay import read_replay, replay_of, write_replay
from biomech_id.session.solved import Solved
from biomech_id.trial import Markers, Trial

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RATE_HZ, N = 100.0, 150


def axis(name: str, direction: tuple[float, float, float]) -> TransformAxis:
    return TransformAxis(name, direction, PolynomialFunction((0.0, 1.0)))


def body(name: str, mass: float, *com: float) -> ModelBody:
    return ModelBody(name, mass, np.array(com), mass * np.diag([0.01, 0.004, 0.01]))


def joints(side: str) -> list[ModelJoint]:
    s, z = side.lower(), 0.08 if side == "R" else -0.08
    turn = [(f"hip_{d}_{s}", a) for d, a in (("flex", Z), ("add", X), ("rot", Y))]
    return [
        ModelJoint(f"hip_{s}", "custom", OffsetFrame("pelvis", (-0.07, -0.06, z)), OffsetFrame(f"femur_{s}"),
                   tuple(name for name, _ in turn), tuple(axis(*t) for t in turn)),
        ModelJoint(f"knee_{s}", "pin", OffsetFrame(f"femur_{s}", (0.0, -0.42, 0.0)), OffsetFrame(f"tibia_{s}"), (f"knee_{s}",),
                   (axis(f"knee_{s}", Z),)),
        ModelJoint(f"ankle_{s}", "pin", OffsetFrame(f"tibia_{s}", (0.0, -0.40, 0.0)), OffsetFrame(f"talus_{s}"), (f"ankle_{s}",),
                   (axis(f"ankle_{s}", Z),)),
        ModelJoint(f"heel_{s}", "weld", OffsetFrame(f"talus_{s}", (-0.05, -0.04, 0.0)), OffsetFrame(f"calcn_{s}"), ()),
    ]  # fmt: skip


def leg_markers(side: str) -> list[ModelMarker]:
    s, out, up = side, 1.0 if side == "R" else -1.0, side.lower()
    places = {
        "THI": (f"femur_{up}", 0.02, -0.2, 0.08), "KNE": (f"femur_{up}", 0.0, -0.42, 0.055),
        "TIB": (f"tibia_{up}", 0.02, -0.2, 0.06), "ANK": (f"tibia_{up}", 0.0, -0.4, 0.04),
        "HEE": (f"calcn_{up}", -0.01, 0.0, 0.0), "TOE": (f"calcn_{up}", 0.19, 0.0, 0.0),
    }  # fmt: skip
    return [ModelMarker(s + name, where, (x, y, out * z)) for name, (where, x, y, z) in places.items()]


ROOT = ("tilt", "list", "spin", "tx", "ty", "tz")
LEGS = [joint for side in SIDES for joint in joints(side)]
OSIM = MusculoskeletalModel(
    "stick",
    (body("pelvis", 10.0, -0.07, 0.0, 0.0), *(body(f"{name}_{s}", kg, *com) for s in "lr" for name, kg, com in (
        ("femur", 8.0, (0.0, -0.18, 0.0)), ("tibia", 3.5, (0.0, -0.17, 0.0)), ("talus", 0.1, (0.0, 0.0, 0.0)),
        ("calcn", 1.2, (0.1, 0.02, 0.0))))),
    (ModelJoint("root", "custom", OffsetFrame("ground"), OffsetFrame("pelvis"), ROOT,
                tuple(axis(n, a) for n, a in zip(ROOT[:3], (Z, X, Y), strict=True)),
                tuple(axis(n, a) for n, a in zip(ROOT[3:], (X, Y, Z), strict=True))), *LEGS),
    (*(ModelCoordinate(n, "root", "rotational" if n in ROOT[:3] else "translational", 0.9 if n == "ty" else 0.0) for n in ROOT),
     *(ModelCoordinate(name, joint.name, "rotational") for joint in LEGS for name in joint.coordinates)),
    markers=(
        *(ModelMarker(name, "pelvis", place) for name, place in (
            ("LASI", (0.0, 0.0, -0.12)), ("RASI", (0.0, 0.0, 0.12)), ("LPSI", (-0.15, 0.0, -0.05)), ("RPSI", (-0.15, 0.0, 0.05)))),
        *(marker for side in SIDES for marker in leg_markers(side)),
    ),
)  # fmt: skip


def walked() -> tuple[np.ndarray, Trial]:
    t = np.arange(N) / RATE_HZ
    q, k = np.zeros((N, len(OSIM.coordinates))), OSIM.index
    q[:, k("tx")], q[:, k("ty")] = 1.2 * t, 0.92 + 0.02 * np.sin(4 * np.pi * t)
    q[:, k("tilt")], q[:, k("spin")] = -0.1, 0.1 * np.sin(2 * np.pi * t)
    for s, phase in (("l", 0.0), ("r", np.pi)):
        q[:, k(f"hip_flex_{s}")] = 0.2 + 0.4 * np.sin(2 * np.pi * t + phase)
        q[:, k(f"hip_add_{s}")] = 0.05 * np.sin(2 * np.pi * t + phase)
        q[:, k(f"hip_rot_{s}")] = 0.08 * np.cos(2 * np.pi * t + phase)
        q[:, k(f"knee_{s}")] = -0.5 - 0.4 * np.sin(2 * np.pi * t + phase + 1.5)
        q[:, k(f"ankle_{s}")] = 0.2 * np.sin(2 * np.pi * t + phase + 3.0)
    position_lab_m = Skeleton(OSIM).markers(q) @ R_LAB_SURROUNDINGS.T
    return q, Trial("walk", Markers(tuple(m.name for m in OSIM.markers), position_lab_m, RATE_HZ))


@pytest.fixture(scope="module")
def model() -> SkeletalModel:
    return skeletal_model(OSIM)


def test_segments_hold_the_models_mass_and_its_centre(model: SkeletalModel) -> None:
    assert model.subject.mass_kg == pytest.approx(10.0 + 2 * (8.0 + 3.5 + 0.1 + 1.2))
    foot = model.calibration.segments["R", "foot"]
    assert foot.mass_kg == pytest.approx(1.3)
    # heel bone 1.2 kg at (-0.05 + 0.1, -0.04 + 0.02, 0) from the ankle, talus 0.1 kg at it
    np.testing.assert_allclose(foot.com_m, [1.2 * 0.05 / 1.3, -1.2 * 0.02 / 1.3, 0.0], atol=1e-15)
    apart = np.array([0.05, -0.02, 0.0])
    both = 1.3 * np.diag([0.01, 0.004, 0.01]) + 1.2 * 0.1 / 1.3 * (apart @ apart * np.eye(3) - np.outer(apart, apart))
    np.testing.assert_allclose(foot.inertia_kgm2, both, atol=1e-15)
    assert model.calibration.to_dict()["bodies"]["R foot"] == ["calcn_r", "talus_r"]
    assert model.marker_groups["L", "foot"] == ("LHEE", "LTOE")


def test_a_walk_is_tracked_to_rounding_with_clinical_signs(model: SkeletalModel) -> None:
    q, trial = walked()
    motion = model.track(trial)
    assert max(np.nanmax(each) for each in motion.fit_residual_m.values()) < 1e-8
    for side, s in (("L", "l"), ("R", "r")):
        sign = 1.0 if side == "L" else -1.0
        flexion, adduction, rotation = (q[:, OSIM.index(f"hip_{d}_{s}")] for d in ("flex", "add", "rot"))
        expected = np.stack([flexion, -sign * adduction, -sign * rotation], axis=1)
        np.testing.assert_allclose(motion.joint_angles_rad[side, "hip"], expected, atol=1e-8)
        np.testing.assert_allclose(motion.joint_angles_rad[side, "knee"][:, 0], -q[:, OSIM.index(f"knee_{s}")], atol=1e-8)
        np.testing.assert_allclose(motion.joint_angles_rad[side, "ankle"][:, 0], q[:, OSIM.index(f"ankle_{s}")], atol=1e-8)
        thigh = motion.joint_centres_lab_m[side, "knee"] - motion.joint_centres_lab_m[side, "hip"]
        shank = motion.joint_centres_lab_m[side, "ankle"] - motion.joint_centres_lab_m[side, "knee"]
        np.testing.assert_allclose(np.linalg.norm(thigh, axis=1), 0.42, atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(shank, axis=1), 0.40, atol=1e-9)


def test_joints_that_do_not_slide_lose_no_power(model: SkeletalModel) -> None:
    """Both segments' material points at a joint move alike: what a force between them takes from one, the other gets."""
    _, trial = walked()
    motion = model.track(trial)
    for (side, joint), centre in motion.joint_centres_lab_m.items():
        distal = motion.motions[side, DISTAL_SEGMENT[joint]]
        proximal = motion.motions[proximal_part(side, joint)]
        apart = distal.velocity_of(centre) - proximal.velocity_of(centre)
        assert np.nanmax(np.abs(apart[5:-5])) < 1e-4, (side, joint)


def test_a_turned_body_is_found_and_its_markers_name_its_feet(model: SkeletalModel) -> None:
    _, trial = walked()
    half_turn = np.diag([-1.0, -1.0, 1.0])
    turned = replace(trial, markers=replace(trial.markers, position_m=trial.markers.position_m @ half_turn.T))
    motion, other = model.track(trial), model.track(turned)
    for part, angles in motion.joint_angles_rad.items():
        np.testing.assert_allclose(other.joint_angles_rad[part], angles, atol=1e-7)
    assert motion.roles["L", "heel"] == "LHEE"


def test_what_has_no_legs_or_no_markers_is_refused(model: SkeletalModel) -> None:
    arm = MusculoskeletalModel("arm", (), (), ())
    with pytest.raises(MissingInputError, match="no body for the pelvis, L thigh"):
        skeletal_model(arm)
    _, trial = walked()
    others = replace(trial, markers=Markers(("A", "B"), trial.markers.position_m[:, :2], RATE_HZ))
    with pytest.raises(MissingInputError, match="Not one marker"):
        model.track(others)
    with pytest.raises(OptionError, match="vicon"):
        model.track(trial, kinetics="vicon")


def shaken() -> Trial:
    """The walk with markers that are off by 10 mm (one standard deviation along each axis), one of them lost for a while."""
    _, trial = walked()
    position_m = trial.markers.position_m + np.random.default_rng(3).normal(0.0, 0.01, trial.markers.position_m.shape)
    position_m[20:30, trial.markers.names.index("LTHI")] = np.nan
    return Trial("walk", Markers(trial.markers.names, position_m, RATE_HZ))


def test_the_models_markers_are_as_far_from_the_recorded_ones_as_inverse_kinematics_says(model: SkeletalModel) -> None:
    trial = shaken()
    pose = model.coordinates(trial)
    placed = model.track(trial).model_markers_lab_m
    assert tuple(placed) == pose.markers
    recorded = np.stack([trial.markers[name] for name in pose.markers], axis=1)
    off = np.stack(list(placed.values()), axis=1) - recorded
    np.testing.assert_allclose(off @ R_LAB_SURROUNDINGS, pose.residual_m, atol=1e-12)
    assert np.isfinite(placed["LTHI"]).all(), "the model has its marker where the recording lost it"
    assert np.nanmax(np.linalg.norm(pose.residual_m, axis=2)) > 0.01


def test_a_replay_keeps_the_models_bones_and_markers(model: SkeletalModel, tmp_path: Path) -> None:
    trial = shaken()
    motion = model.track(trial)
    extra = Markers(("HEAD", *trial.markers.names), np.insert(trial.markers.position_m, 0, 1.0, axis=1), RATE_HZ)
    solved = Solved(name="walk", file="walk.c3d", kind=TrialKind.STRAIGHT, condition="", motion=motion, markers=extra)
    write_replay(tmp_path, "walk", replay_of(solved))
    kept = read_replay(tmp_path, "walk")
    assert kept is not None
    assert [kept.marker_names[k] for k in kept.model_marker_labels] == list(motion.model_markers_lab_m)
    np.testing.assert_allclose(kept.model_marker_lab_m[:, -1], motion.model_markers_lab_m["RTOE"], atol=1e-6)
    lines = {
        tuple(motion.model_joints_lab_m)[k]: (side, kept.model_joint_lab_m[:, k] - kept.model_joint_lab_m[:, bearer])
        for k, (side, bearer) in enumerate(zip(kept.model_side_names, kept.model_bearers, strict=True))
        if bearer >= 0
    }
    # Of the root there is no line; a heel bone bears nothing: its line leads to its centre of mass.
    assert len(lines) == len(OSIM.joints) - 1 + 2
    for side, s in (("L", "l"), ("R", "r")):
        for bone, length_m in {(f"femur_{s}", f"tibia_{s}"): 0.42, (f"tibia_{s}", f"talus_{s}"): 0.40}.items():
            assert lines[bone][0] == side
            np.testing.assert_allclose(np.linalg.norm(lines[bone][1], axis=1), length_m, atol=1e-6)
        assert lines["pelvis", f"femur_{s}"][0] == ""
        np.testing.assert_allclose(np.linalg.norm(lines[f"calcn_{s}", ""][1], axis=1), np.hypot(0.1, 0.02), atol=1e-6)
