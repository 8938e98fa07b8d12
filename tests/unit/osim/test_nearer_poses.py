"""Poses that somebody can stand in: ranges, jumps, whole turns, what no marker shows, and where is up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from leg_model import EVEN, MODEL, NAMES, walk

from biomech_id.multibody.musculoskeletal import ModelJoint, MusculoskeletalModel, OffsetFrame
from biomech_id.osim.kinematics.inverse_kinematics import TrackingTasks, track_markers
from biomech_id.osim.kinematics.nearer_poses import nearer_poses, turning_freely
from biomech_id.osim.kinematics.pose_remarks import lying_remarks, pose_remarks
from biomech_id.osim.one_call import inverse_kinematics
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.trial import Trial

Q = Skeleton(MODEL).completed(walk(30))
PLACES = Skeleton(MODEL).markers(Q)
#: Lab components from the model's: Z up from Y up.
R_LAB_MODEL = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def without(*names: str) -> TrackingTasks:
    return TrackingTasks({name: weight for name, weight in EVEN.items() if name not in names})


def test_what_no_frame_determines_stays_at_its_default_and_is_named() -> None:
    """With one marker on the shank, at the knee's axis, the knee is beyond a marker and yet not determined."""
    on_axis = replace(next(m for m in MODEL.markers if m.name == "S1"), place_m=np.zeros(3))
    knee = next(j for j in MODEL.joints if j.name == "knee")
    pin = replace(knee, kind="pin", rotations=knee.rotations[:1], translations=())
    bodies = tuple(b for b in MODEL.bodies if b.name != "cap")
    model = replace(
        MODEL, bodies=bodies, joints=(*MODEL.joints[:2], pin), couplings=(), coordinates=MODEL.coordinates[:-1],
        markers=(*(m for m in MODEL.markers if m.body in ("pelvis", "thigh")), on_axis),
    )  # fmt: skip
    q = Q[:, :-1]
    rng = np.random.default_rng(0)
    places = Skeleton(model).markers(q)
    tasks = TrackingTasks({m.name: 1.0 for m in model.markers})
    pose = track_markers(model, [m.name for m in model.markers], places + rng.normal(0, 1e-3, places.shape), tasks)
    k = model.index("knee")
    np.testing.assert_allclose(pose.q[:, k], model.coordinates[k].default, atol=1e-6)
    assert pose.undetermined[:, k].all()
    assert not np.delete(pose.undetermined, k, axis=1).any()
    assert any("No marker determines knee (1 of 9" in remark for remark in pose_remarks(model, pose))


def test_whole_turns_are_taken_away_and_ranges_are_kept_where_they_can_be() -> None:
    """Begun two turns off the pose is found within the range; nothing is said of it."""
    start = Q[0] + 4 * np.pi * np.array([c.name == "flexion" for c in MODEL.coordinates])
    pose = track_markers(MODEL, NAMES, PLACES, TrackingTasks(EVEN), start_q=start)
    np.testing.assert_allclose(pose.q[:, 6], Q[:, 6], atol=1e-6)
    assert not pose_remarks(MODEL, pose)


def test_whole_turns_between_frames_and_of_all_frames_go() -> None:
    """A direction that no range holds is continuous, and within half a turn of its default."""
    pose = track_markers(MODEL, NAMES, PLACES, TrackingTasks(EVEN))
    tree, wanted = pose.problem
    default = np.array([c.default for c in MODEL.coordinates])
    q = pose.q.copy()
    q[:, 2] += 4 * np.pi
    q[10:20, 2] -= 2 * np.pi
    again, weak = nearer_poses(tree, wanted, q, default, 5)
    np.testing.assert_allclose(again, pose.q, atol=1e-9)
    assert not weak.any()


def test_a_value_that_only_lies_outside_the_range_stands_and_is_counted() -> None:
    narrow = replace(
        MODEL, coordinates=tuple(replace(c, range=(-0.1, 0.1)) if c.name == "flexion" else c for c in MODEL.coordinates)
    )
    pose = track_markers(narrow, NAMES, PLACES, TrackingTasks(EVEN))
    np.testing.assert_allclose(pose.q[:, 6], Q[:, 6], atol=1e-6)
    outside = int((np.abs(Q[:, 6]) > 0.1 + 1e-6).sum())
    assert 0 < outside < len(Q)
    (remark,) = pose_remarks(narrow, pose)
    assert f"flexion is outside its range of -5.73 to 5.73 degrees in {outside} of {len(Q)} frames" in remark


def test_only_plain_turns_go_round_freely() -> None:
    free = dict(zip(MODEL.coordinate_names, turning_freely(MODEL).tolist(), strict=True))
    assert [name for name, whole in free.items() if whole] == ["tilt", "list", "spin", "flexion", "adduction"]


def test_a_jump_over_half_a_turn_is_counted() -> None:
    pose = track_markers(MODEL, NAMES, PLACES, TrackingTasks(EVEN))
    q = pose.q.copy()
    q[10:20, 2] += 2 * np.pi
    assert any("spin jumps by more than 180 degrees 2 times" in remark for remark in pose_remarks(MODEL, replace(pose, q=q)))


def upright_z() -> MusculoskeletalModel:
    """The same leg in surroundings whose Z is up."""
    turned = []
    for joint in MODEL.joints:
        parent = joint.parent
        if parent.body == "ground":
            parent = OffsetFrame("ground", R_LAB_MODEL @ np.asarray(parent.place_m), R_LAB_MODEL @ np.asarray(parent.R_body_frame))
        turned.append(replace(joint, parent=parent) if isinstance(joint, ModelJoint) else joint)
    return replace(MODEL, joints=tuple(turned), gravity_m_s2=(0.0, 0.0, -9.80665))


def test_one_call_turns_a_trial_for_either_model() -> None:
    trial = Trial.from_arrays({name: PLACES[:, k] @ R_LAB_MODEL.T for k, name in enumerate(NAMES)}, rate_hz=50.0)
    for model in (MODEL, upright_z()):
        pose = inverse_kinematics(model, trial)
        np.testing.assert_allclose(pose.q, Skeleton(model).completed(Q), atol=1e-6)
        assert not lying_remarks(model, pose)


def test_a_recording_with_another_vertical_is_said() -> None:
    pose = track_markers(MODEL, NAMES, PLACES @ R_LAB_MODEL.T, TrackingTasks(EVEN))
    (remark,) = lying_remarks(MODEL, pose)
    assert "has the vertical along Z, where the model has it along Y" in remark
