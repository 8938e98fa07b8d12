"""Inverse kinematics against derivatives by differences, known motions, bounds, and errors that were really drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from leg_model import EVEN, MODEL, NAMES, walk

from biomech_id.errors import BiomechError, InvalidValueError, MissingInputError, ShapeError, UnknownNameError
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.kinematics.inverse_kinematics import (
    TrackedPose,
    TrackingTasks,
    marker_jacobian,
    soft_tissue_weights,
    track_markers,
)
from biomech_id.osim.kinematics.least_squares import expand
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.osim.skeleton.tree import Tree

SKELETON = Skeleton(MODEL)
TRUE_Q = SKELETON.completed(walk())
RECORDED = SKELETON.markers(TRUE_Q)


def shaken(size_m: float, seed: int = 1) -> np.ndarray:
    return RECORDED + np.random.default_rng(seed).normal(0.0, size_m, RECORDED.shape)


def test_positions_and_derivatives_are_the_skeletons() -> None:
    tree = Tree(MODEL)
    posture, pose = tree.posture(TRUE_Q), SKELETON.pose(TRUE_Q)
    np.testing.assert_allclose(posture.place[..., :3, :3], pose.R_ground_body, atol=1e-14)
    np.testing.assert_allclose(posture.place[..., :3, 3], pose.origin_m, atol=1e-14)
    found = track_markers(MODEL, NAMES, RECORDED[:5], TrackingTasks(EVEN))
    J = marker_jacobian(*found.problem, TRUE_Q[:5])
    body, _ = SKELETON.marker_places()
    free = SKELETON.coupling_jacobian(TRUE_Q[:5], tree.free.tolist())
    expected = SKELETON.pose(TRUE_Q[:5]).point_jacobian(body, RECORDED[:5]) @ free[:, None]
    np.testing.assert_allclose(J, expected, atol=1e-13)


@pytest.mark.parametrize("soft", [0.0, 3.0])
def test_gradient_and_second_derivatives_are_differences_of_the_cost(soft: float) -> None:
    """Far from the minimum too, with a target on a coordinate that follows another, and beyond soft limits."""
    tasks = TrackingTasks(EVEN, {"flexion": 0.3, "cap_turn": 0.2}, {"flexion": 0.4}, soft_limits=soft)
    tree, wanted = track_markers(MODEL, NAMES, shaken(0.05)[:3], tasks).problem
    q = SKELETON.completed(TRUE_Q[:3] + np.random.default_rng(0).normal(0.0, 0.3, TRUE_Q[:3].shape))
    q[:, MODEL.index("adduction")] = 1.4

    def at(*moves: tuple[int, float]) -> np.ndarray:
        moved = q.copy()
        for k, by in moves:
            moved[:, tree.free[k]] += by
        return expand(tree, wanted, SKELETON.completed(moved), np.ones(3, bool)).gradient

    here, h = expand(tree, wanted, q, np.ones(3, bool)), 1e-5
    columns = [(at((k, h)) - at((k, -h))) / (2 * h) for k in range(len(tree.free))]
    np.testing.assert_allclose(here.hessian, np.stack(columns, axis=2), atol=1e-8)
    for k in range(len(tree.free)):
        costs = []
        for by in (h, -h):
            moved = q.copy()
            moved[:, tree.free[k]] += by
            costs.append(expand(tree, wanted, SKELETON.completed(moved), np.ones(3, bool)).cost)
        np.testing.assert_allclose(here.gradient[:, k], (costs[0] - costs[1]) / (2 * h), atol=1e-8)


def test_a_known_motion_is_found_to_rounding() -> None:
    found = track_markers(MODEL, NAMES, RECORDED, TrackingTasks(EVEN), rate_hz=50.0)
    assert found.converged.all()
    assert not found.undetermined.any()
    assert np.abs(found.q - TRUE_Q).max() < 1e-9
    assert found.residual_rms_m.max() < 1e-9


def test_where_it_begins_changes_nothing() -> None:
    noisy, tasks = shaken(0.01), TrackingTasks(EVEN)
    by_itself = track_markers(MODEL, NAMES, noisy, tasks, rate_hz=50.0)
    begun = track_markers(MODEL, NAMES, noisy, tasks, rate_hz=200.0, start_q=TRUE_Q[0])
    backwards = track_markers(MODEL, NAMES, noisy[::-1], tasks, rate_hz=50.0)
    np.testing.assert_allclose(begun.q, by_itself.q, atol=1e-8)
    np.testing.assert_allclose(backwards.q[::-1], by_itself.q, atol=1e-8)


def test_a_body_that_faces_the_other_way_and_is_far_off_is_found() -> None:
    q = TRUE_Q.copy()
    q[:, MODEL.index("spin")] += np.pi
    q[:, MODEL.index("tx")] -= 8.0
    found = track_markers(MODEL, NAMES, SKELETON.markers(q), TrackingTasks(EVEN), rate_hz=50.0)
    assert found.cost.max() < 1e-16


def test_missing_markers_leave_the_sum_and_its_weight_frame_by_frame() -> None:
    noisy = shaken(0.01)
    gone = noisy.copy()
    gone[10:14, [3, 7]] = np.nan
    found = track_markers(MODEL, NAMES, gone, TrackingTasks(EVEN), rate_hz=50.0)
    without = [name for name in NAMES if name not in {NAMES[3], NAMES[7]}]
    alone = track_markers(MODEL, without, np.delete(noisy, [3, 7], axis=1)[10:14], TrackingTasks(EVEN), start_q=TRUE_Q[10])
    np.testing.assert_allclose(found.q[10:14], alone.q, atol=1e-8)
    np.testing.assert_allclose(found.cost[10:14], alone.cost, rtol=1e-12)
    whole = track_markers(MODEL, NAMES, noisy, TrackingTasks(EVEN), rate_hz=50.0)
    np.testing.assert_allclose(found.q[20:], whole.q[20:], atol=1e-8)
    assert np.isnan(found.residual_m[10:14, [3, 7]]).all()
    assert np.isfinite(found.residual_rms_m).all()


def test_what_no_marker_shows_is_said_and_an_empty_frame_has_no_pose() -> None:
    gone = RECORDED.copy()
    gone[5:8, 6:] = np.nan
    gone[20] = np.nan
    found = track_markers(MODEL, NAMES, gone, TrackingTasks(EVEN), rate_hz=50.0)
    knee = MODEL.index("knee")
    assert found.undetermined[5:8, knee].all()
    assert found.undetermined.sum() == 3 + 9  # an empty frame shows none of the nine free coordinates
    assert np.isnan(found.q[20]).all()
    assert np.isnan(found.cost[20])
    assert found.converged.all()
    np.testing.assert_allclose(np.delete(found.q, [5, 6, 7, 20], axis=0), np.delete(TRUE_Q, [5, 6, 7, 20], axis=0), atol=1e-8)
    assert np.isinf(found.covariance(0.001).sd[5:8, 8]).all()
    drawn = track_markers(MODEL, NAMES, gone, TrackingTasks(EVEN, {"knee": 1e-3}, {"knee": -0.5}), rate_hz=50.0)
    assert not drawn.undetermined[5:8].any()
    np.testing.assert_allclose(drawn.q[5:8, knee], -0.5, atol=1e-9)


def test_a_clamped_coordinate_stays_in_its_range_and_the_rest_is_still_least() -> None:
    """With the knee held at its bound, what is left has no slope; and letting go of the bound pulls outwards."""
    q = TRUE_Q.copy()
    q[:, MODEL.index("knee")] += 1.0
    q = SKELETON.completed(q)
    found = track_markers(MODEL, NAMES, SKELETON.markers(q), TrackingTasks(EVEN), rate_hz=50.0)
    knee, tree = MODEL.index("knee"), found.problem[0]
    at_bound = q[:, knee] > 0.1
    assert 5 < at_bound.sum() < 35
    assert found.q[:, knee].max() == 0.1
    assert (found.q[at_bound, knee] == 0.1).all()
    gradient = expand(*found.problem, found.q, np.zeros(len(q), bool)).gradient
    column = tree.free.tolist().index(knee)
    assert (gradient[at_bound, column] < -1e-6).all()
    assert np.abs(np.delete(gradient, column, axis=1)).max() < 1e-9
    assert (found.covariance(0.002).sd[at_bound, column] == 0).all()


def test_soft_limits_hold_only_when_asked_and_only_outside() -> None:
    q = TRUE_Q.copy()
    q[:, MODEL.index("adduction")] += 1.0
    recorded, k = SKELETON.markers(SKELETON.completed(q)), MODEL.index("adduction")
    free = track_markers(MODEL, NAMES, recorded, TrackingTasks(EVEN), rate_hz=50.0).q[:, k]
    np.testing.assert_allclose(free, q[:, k], atol=1e-8)
    soft = track_markers(MODEL, NAMES, recorded, TrackingTasks(EVEN, soft_limits=0.05), rate_hz=50.0).q[:, k]
    inside = q[:, k] < 1.0 + 1e-9
    np.testing.assert_allclose(soft[inside], q[inside, k], atol=1e-8)
    assert ((soft[~inside] < q[~inside, k]) & (soft[~inside] > 1.0)).all()
    hard = track_markers(MODEL, NAMES, recorded, TrackingTasks(EVEN, soft_limits=1e6), rate_hz=50.0).q[:, k]
    assert hard.max() < 1.0 + 1e-5


def test_a_locked_coordinate_stays_and_its_target_is_dropped() -> None:
    held = [replace(c, locked=True, default=0.25) if c.name == "flexion" else c for c in MODEL.coordinates]
    model = replace(MODEL, coordinates=tuple(held))
    found = track_markers(model, NAMES, RECORDED, TrackingTasks(EVEN, {"flexion": 1.0}, {"flexion": 0.0}), rate_hz=50.0)
    assert (found.q[:, MODEL.index("flexion")] == 0.25).all()
    plain = track_markers(model, NAMES, RECORDED, TrackingTasks(EVEN), rate_hz=50.0)
    np.testing.assert_allclose(found.cost, plain.cost, rtol=1e-9)


def test_the_covariance_is_what_drawn_errors_do() -> None:
    """600 draws of 2 mm on a marker set that fits badly (30 mm off): SDs within 10 percent, where J^T W J alone is further off."""
    tasks = TrackingTasks({name: 1.0 + (name[0] == "P") for name in NAMES})
    bent = RECORDED[:1] + np.random.default_rng(4).normal(0.0, 0.03, RECORDED[:1].shape)
    here: TrackedPose = track_markers(MODEL, NAMES, bent, tasks)
    rng = np.random.default_rng(2)
    drawn = np.repeat(bent, 600, axis=0) + rng.normal(0.0, 0.002, (600, len(NAMES), 3))
    moved = track_markers(MODEL, NAMES, drawn, tasks, start_q=here.q[0])
    found = here.covariance(0.002)
    assert found.coordinates == ("tilt", "list", "spin", "tx", "ty", "tz", "flexion", "adduction", "knee")
    sampled = np.cov(moved.q[:, here.problem[0].free].T)
    np.testing.assert_allclose(found.sd[0], np.sqrt(np.diag(sampled)), rtol=0.1)
    scale = np.outer(found.sd[0], found.sd[0])
    assert np.abs(found.covariance[0] - sampled).max() < 0.15 * scale.max()
    by_name = here.covariance(dict.fromkeys(NAMES, 0.002))
    np.testing.assert_array_equal(by_name.covariance, found.covariance)


def test_weights_from_soft_tissue_trust_the_firmer_segment() -> None:
    weights = soft_tissue_weights(MODEL, {"S2": 2.8})
    assert weights["P1"] == 1.0
    assert weights["S2"] == 1.0
    np.testing.assert_allclose([weights["T1"], weights["S1"]], [(2.8 / 4.9) ** 2, (2.8 / 3.5) ** 2])
    assert track_markers(MODEL, NAMES, RECORDED[:3], TrackingTasks(weights)).converged.all()


@pytest.mark.parametrize(
    ("error", "said", "call"),
    [
        (ShapeError, r"array \(40, 9, 3\)", lambda: track_markers(MODEL, NAMES[:3], RECORDED, TrackingTasks(EVEN))),
        (MissingInputError, "Not one marker", lambda: track_markers(MODEL, "abcdefghi", RECORDED, TrackingTasks(EVEN))),
        (UnknownNameError, "'elbow'", lambda: track_markers(MODEL, NAMES, RECORDED, TrackingTasks(EVEN, {"elbow": 1.0}))),
        (UnknownNameError, "no weight", lambda: track_markers(MODEL, NAMES, RECORDED, TrackingTasks(EVEN, {}, {"knee": 1.0}))),
        (
            ShapeError, "target of knee",
            lambda: track_markers(MODEL, NAMES, RECORDED, TrackingTasks(EVEN, {"knee": 1.0}, {"knee": np.zeros(3)})),
        ),
        (InvalidValueError, "weight of P1 is -1", lambda: TrackingTasks({"P1": -1.0})),
        (InvalidValueError, "No marker has a weight", lambda: TrackingTasks({"P1": 0.0})),
    ],
)  # fmt: skip
def test_what_cannot_be_tracked_is_refused(error: type[BiomechError], said: str, call: object) -> None:
    with pytest.raises(error, match=said) as caught:
        call()  # type: ignore[operator]
    assert caught.value.expected


def test_a_model_that_welds_hold_has_a_pose_and_no_kinematics(tmp_path: Path) -> None:
    document = """<OpenSimDocument Version="40000"><Model name="welded"><Ground name="ground"/>
    <BodySet><objects><Body name="box"><mass>1</mass></Body></objects></BodySet>
    <JointSet><objects><WeldJoint name="held"><socket_parent_frame>low</socket_parent_frame>
    <socket_child_frame>/bodyset/box</socket_child_frame><frames><PhysicalOffsetFrame name="low">
    <socket_parent>/ground</socket_parent><translation>0 1 0</translation></PhysicalOffsetFrame></frames>
    </WeldJoint></objects></JointSet>
    <MarkerSet><objects><Marker name="M">
    <socket_parent_frame>/bodyset/box</socket_parent_frame><location>0.1 0 0</location></Marker>
    </objects></MarkerSet></Model></OpenSimDocument>"""
    path = tmp_path / "welded.osim"
    path.write_text(document, encoding="utf-8")
    model = read_osim(path)
    np.testing.assert_allclose(Skeleton(model).pose(np.zeros((3, 0))).origin_m[:, 1], [[0.0, 1.0, 0.0]] * 3, atol=1e-15)
    with pytest.raises(MissingInputError, match="has no coordinate"):
        track_markers(model, ("M",), np.zeros((3, 1, 3)), TrackingTasks({"M": 1.0}))
