"""Poses of segments become a body in motion: the virtual subject as a markerless system would store it, there and back.

The expected angles come from SciPy's rotations and the expected moments from a body that is built here from the truth, in the
truth's own axes and origins; neither passes through `models.poses`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import biomech_id as bid
from biomech_id.dynamics.body import BodyMotion, Frames, Segment
from biomech_id.errors import InvalidValueError, MissingInputError, OptionError
from biomech_id.exports.c3d.poses import write_poses
from biomech_id.models.conventional.axes import CONVENTIONAL_AXES
from biomech_id.models.poses.model import pose_model, poses_of
from biomech_id.models.poses.points import with_pose_points
from biomech_id.models.poses.pose_set import PoseSet, pose_set_of, register_pose_set
from biomech_id.models.segment_motion import differentiate
from biomech_id.models.six_dof.axes import SIX_DOF_AXES
from biomech_id.sample.c3d import write_c3d
from biomech_id.trial import Markers, Rotations, Trial
from biomech_id.trial.rotations import SegmentShare

SIDES, SEGMENTS = ("L", "R"), ("thigh", "shank", "foot")
JOINT = {"thigh": "hip", "shank": "knee", "foot": "ankle"}
#: Columns are X to the right, Y forward, Z up in ISB's axes (X forward, Y up, Z right): what Theia3D's segments have.
R_ISB_THEIA = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


@cache
def walk():
    person = bid.virtual_subject()
    return person, person.walk()


def isb(part: tuple[str, str]) -> np.ndarray:
    _, sample = walk()
    return sample.truth.R_lab_seg[part] @ CONVENTIONAL_AXES.R_seg_isb[part[1]]


def theia_poses() -> Rotations:
    """The truth as Theia3D names and turns it, with shares of body mass as it stores them."""
    _, sample = walk()
    truth, mass = sample.truth, sample.trial.subject.mass_kg
    names, turned, origins, shares = ["pelvis_4X4"], [isb(("", "pelvis")) @ R_ISB_THEIA], [truth.origin_lab_m["", "pelvis"]], {}
    for side in SIDES:
        for name in SEGMENTS:
            names.append(f"{side.lower()}_{name}_4X4")
            turned.append(isb((side, name)) @ R_ISB_THEIA)
            origins.append(truth.joint_centres_lab_m[side, JOINT[name]])
            own = truth.R_lab_seg[side, name]
            com = truth.origin_lab_m[side, name] + own @ truth.segment_com_m[side, name]
            place = np.einsum("nji,nj->ni", turned[-1], com - origins[-1])
            assert np.ptp(place, axis=0).max() < 1e-9
            turn = own[0].T @ turned[-1][0]
            tensor = turn.T @ truth.segment_inertia_kgm2[side, name] @ turn
            kg = truth.segment_mass_kg[side, name]
            shares[names[-1]] = {"female": SegmentShare(kg / mass, place[0], tensor / kg)}
    return Rotations(tuple(names), np.stack(turned, 1), np.stack(origins, 1), sample.trial.rate_hz, shares)


def markerless(rotations: Rotations) -> Trial:
    _, sample = walk()
    none = Markers((), np.zeros((sample.trial.n_frames, 0, 3)), sample.trial.rate_hz)
    return with_pose_points(replace(sample.trial, markers=none, rotations=rotations))


def built_from_truth() -> BodyMotion:
    """The body in the truth's own axes, origins at the distal ends; only what joint loads need."""
    _, sample = walk()
    truth, motions, segments = sample.truth, {}, {}
    pelvis = Frames(isb(("", "pelvis")), truth.origin_lab_m["", "pelvis"])
    motions["", "pelvis"] = differentiate(pelvis, pelvis.origin_lab_m, sample.trial.rate_hz)
    for part in [(side, name) for side in SIDES for name in SEGMENTS]:
        frames = Frames(truth.R_lab_seg[part], truth.origin_lab_m[part])
        segments[part] = Segment(part[1], truth.segment_mass_kg[part], truth.segment_com_m[part], truth.segment_inertia_kgm2[part])
        com = frames.origin_lab_m + frames.R_lab_seg @ truth.segment_com_m[part]
        motions[part] = differentiate(frames, com, sample.trial.rate_hz, segment=segments[part])
    return BodyMotion(
        name="truth", rate_hz=sample.trial.rate_hz, first_frame=sample.trial.first_frame, motions=motions, segments=segments,
        joint_centres_lab_m=truth.joint_centres_lab_m, joint_angles_rad={}, axes=SIX_DOF_AXES,
    )  # fmt: skip


def moments(motion: BodyMotion, contacts) -> dict:
    loads = bid.solve(motion, contacts)
    return {(s, j): loads[s, j].expressed_in("lab").moment_Nm for s in SIDES for j in JOINT.values()}


def largest(a: dict, b: dict) -> float:
    return max(float(np.nanmax(np.abs(a[key] - b[key]))) for key in a)


@cache
def tracked():
    trial = markerless(theia_poses())
    _, sample = walk()
    model = pose_model(trial, sample.trial.subject.with_values("test", sex="female"))
    return trial, model, model.track(trial)


def test_theia_axes_become_the_angles_of_the_joint_coordinate_system() -> None:
    _, _, motion = tracked()
    for side, s in (("L", 1.0), ("R", -1.0)):
        for joint, above, below, signs in (
            ("hip", ("", "pelvis"), "thigh", (1.0, -s, -s)),
            ("knee", (side, "thigh"), "shank", (-1.0, -s, -s)),
            ("ankle", (side, "shank"), "foot", (1.0, s, -s)),
        ):
            relative = np.swapaxes(isb(above), 1, 2) @ isb((side, below))
            q = Rotation.from_matrix(relative).as_euler("ZXY") * signs
            off = np.rad2deg(np.abs(motion.joint_angles_rad[side, joint] - q))
            assert off.max() < 1e-6, (side, joint, off.max())


def test_moments_are_those_of_the_body_that_never_was_poses() -> None:
    _, model, motion = tracked()
    contacts = bid.assign_plates(motion).contacts
    found, expected = moments(motion, contacts), moments(built_from_truth(), contacts)
    assert np.isfinite(expected["R", "ankle"]).any()
    for key, values in expected.items():
        assert np.array_equal(np.isfinite(values), np.isfinite(found[key])), key
    assert largest(found, expected) < 1e-6
    assert {f.rule for f in model.findings} == {"foot-points-estimated"}


def test_there_and_back_as_values_and_as_a_file(tmp_path: Path) -> None:
    _, sample = walk()
    _, model, motion = tracked()
    # Wrenches without their recording: the poses go through others.
    contacts = {side: replace(each, window=None) for side, each in bid.assign_plates(motion).contacts.items()}
    before = moments(motion, contacts)
    mass = model.subject.mass_kg
    back = markerless(poses_of(motion, mass))
    again = pose_model(back, model.subject).track(back)
    angles = [
        np.rad2deg(np.abs(again.joint_angles_rad[key] - motion.joint_angles_rad[key])).max() for key in motion.joint_angles_rad
    ]
    assert max(angles) < 1e-6
    assert largest(moments(again, contacts), before) < 1e-6

    target = write_poses(write_c3d(sample, tmp_path / "walk.c3d"), tmp_path / "poses.c3d", motion, body_mass_kg=mass)
    read = bid.read_c3d(target)
    from_file = pose_model(read, model.subject).track(read)
    # 32-bit floats hold a cosine to 3e-8: 4e-6 degrees; and 4 m to 1.2e-7 m, which the spline's second derivative at 100 Hz
    # makes 3e-3 m/s2, of 10 kg at 0.4 m from a hip 1.2e-2 N m. A file cannot do better.
    angles = [np.rad2deg(np.abs(from_file.joint_angles_rad[k] - motion.joint_angles_rad[k])).max() for k in motion.joint_angles_rad]
    assert max(angles) < 1e-5
    assert largest(moments(from_file, contacts), before) < 3e-2
    # What the file holds is what is computed: the same numbers as 32-bit floats, without the file.
    exact = poses_of(motion, mass)
    mm = (1000.0 * exact.origin_lab_m).astype(np.float32).astype(float) / 1000.0
    held = Rotations(exact.names, exact.R_lab_seg.astype(np.float32).astype(float), mm, exact.rate_hz,
                     read.rotations.shares, read.rotations.points_m)  # fmt: skip
    rounded = pose_model(markerless(held), model.subject).track(markerless(held))
    angles = [
        np.rad2deg(np.abs(from_file.joint_angles_rad[k] - rounded.joint_angles_rad[k])).max() for k in motion.joint_angles_rad
    ]
    assert max(angles) < 1e-6
    assert largest(moments(from_file, contacts), moments(rounded, contacts)) < 1e-6


def test_axes_that_are_not_the_systems_are_refused_with_the_angle() -> None:
    poses = theia_poses()
    turned = Rotations(poses.names, poses.R_lab_seg @ R_ISB_THEIA, poses.origin_lab_m, poses.rate_hz)
    with pytest.raises(InvalidValueError, match="degrees from where they say"):
        pose_model(markerless(turned))


def test_a_legs_missing_pose_and_another_kinetics_mode_are_refused() -> None:
    poses = theia_poses()
    keep = [k for k, name in enumerate(poses.names) if name[2:7] not in ("shank",)]
    fewer = Rotations(tuple(poses.names[k] for k in keep), poses.R_lab_seg[:, keep], poses.origin_lab_m[:, keep], poses.rate_hz)
    assert pose_set_of(fewer) is None
    _, sample = walk()
    with pytest.raises(MissingInputError, match="no poses of pelvis, thigh, shank and foot"):
        pose_model(replace(sample.trial, rotations=fewer))
    trial, model, _ = tracked()
    with pytest.raises(OptionError):
        model.track(trial, kinetics="vicon")


def test_the_masses_of_women_men_and_both() -> None:
    poses, (_, sample) = theia_poses(), walk()
    shares = {
        name: {
            "female": of["female"],
            "male": SegmentShare(0.5 * of["female"].mass_share, of["female"].com_m, of["female"].tensor_m2),
        }
        for name, of in poses.shares.items()
    }
    trial = markerless(replace(poses, shares=shares))
    kg = {}
    for sex in ("female", "male", None):
        subject = replace(sample.trial.subject, sex=sex)
        model = pose_model(trial, subject)
        kg[sex] = model.calibration.segments["L", "shank"].mass_kg
        assert ("inertia-of-both-sexes" in {f.rule for f in model.findings}) == (sex is None)
    assert kg["male"] == pytest.approx(0.5 * kg["female"])
    assert kg[None] == pytest.approx(0.75 * kg["female"])


def test_another_system_enters_by_its_table() -> None:
    poses = theia_poses()
    own = Rotations(tuple(f"lab {name}" for name in poses.names), poses.R_lab_seg, poses.origin_lab_m, poses.rate_hz)
    assert pose_set_of(own) is None
    segments = {("", "pelvis"): "lab pelvis_4x4"}
    segments |= {(side, name): f"lab {side.lower()}_{name}_4x4" for side in SIDES for name in SEGMENTS}
    register_pose_set(PoseSet("lab", "Our laboratory", segments, R_ISB_THEIA.T))
    try:
        known = pose_set_of(own)
        assert known is not None
        assert known.name == "lab"
        trial = markerless(own)
        _, sample = walk()
        angles = pose_model(trial, sample.trial.subject).track(trial).joint_angles_rad["L", "knee"]
        np.testing.assert_allclose(angles, tracked()[2].joint_angles_rad["L", "knee"], atol=1e-12)
    finally:
        from biomech_id.models.poses import pose_set

        pose_set._REGISTERED.clear()
    with pytest.raises(InvalidValueError, match="no right-handed triad"):
        PoseSet("left", "left-handed", segments, np.diag([1.0, 1.0, -1.0]))
