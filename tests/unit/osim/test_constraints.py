"""Constraints of a model's document: what each kind asks of poses by geometry, who keeps them, and who refuses them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import BiomechError
from biomech_id.multibody.musculoskeletal import BodyConstraint, MusculoskeletalModel
from biomech_id.osim.forces.actuators import read_actuated
from biomech_id.osim.kinematics.assembly import assembled_pose
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose, TrackingTasks, track_markers
from biomech_id.osim.skeleton.closing import Closing
from biomech_id.osim.skeleton.skeleton import Skeleton
from tests.peers.constraint_documents import (
    ALONG,
    BY,
    COUNT,
    COUPLED,
    KINDS,
    LAST,
    ROOT,
    TIP,
    constraint_block,
    model_of,
    tied_document,
    tied_motion,
    tied_pose,
)

TIME_S = np.linspace(0.0, 0.3, 5)


def in_root(model: MusculoskeletalModel, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The last body's point (N, 3) and turn (N, 3, 3) in the first body."""
    pose = Skeleton(model).pose(q)
    R_root, R_tip = pose.R_ground_body[:, 1], pose.R_ground_body[:, -1]
    tip = pose.origin_m[:, -1] + R_tip @ TIP - pose.origin_m[:, 1]
    return (np.swapaxes(R_root, 1, 2) @ tip[..., None])[..., 0], np.swapaxes(R_root, 1, 2) @ R_tip


@pytest.mark.parametrize("kind", KINDS)
def test_motions_that_keep_a_constraint_do_so_by_geometry(kind: str) -> None:
    model = model_of(tied_document(kind))
    q, start = tied_motion(model, TIME_S), tied_pose(3)[None]
    (place, turn), (first, first_turn) = in_root(model, q), in_root(model, start)
    assert np.ptp(q, axis=0).min() > 1e-3
    if kind in ("polynomial", "linear"):
        x, y = q[:, [model.index(name) for name in BY]].T
        values = q[:, model.index(COUPLED)] / 0.8 - 0.5 * x - 0.7 * y - (kind == "polynomial") * (0.3 * x * y + 0.2 * x**2)
        np.testing.assert_allclose(values, values[0], atol=1e-12)
        return
    off = {
        "point": place - first, "line": np.cross(place - first, ALONG), "weld": place - first,
        "distance": np.linalg.norm(place - ROOT, axis=1) - np.linalg.norm(first - ROOT),
    }[kind]  # fmt: skip
    assert np.abs(off).max() < 1e-11
    assert (np.abs(turn - first_turn).max() < 1e-11) == (kind == "weld")


@pytest.mark.parametrize("kind", KINDS)
def test_jacobians_are_derivatives(kind: str) -> None:
    closing, step = Closing(Skeleton(model_of(tied_document(kind))), range(COUNT)), 1e-6
    q = tied_pose(3) + np.random.default_rng(0).uniform(-0.2, 0.2, (3, COUNT))
    slopes = [(closing.residual(q + step * e) - closing.residual(q - step * e)) / (2 * step) for e in np.eye(COUNT)]
    np.testing.assert_allclose(closing.jacobian(q), np.stack(slopes, axis=2), atol=1e-8)


@pytest.mark.parametrize("turned", [(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1)])
def test_a_weld_with_a_frame_turned_over_is_not_closed(turned: tuple[int, int, int]) -> None:
    model = model_of(tied_document("weld"))
    (tie,) = model.constraints
    assert isinstance(tie, BodyConstraint)
    first = replace(tie.first, R_body_frame=np.asarray(tie.first.R_body_frame) @ np.diag(turned))
    closing = Closing(Skeleton(replace(model, constraints=(replace(tie, first=first),))), range(COUNT))
    assert np.abs(closing.residual(tied_pose(3)[None])).max() < 1e-12
    _, done = closing.closed(tied_pose(3)[None], np.full(COUNT, -np.inf), np.full(COUNT, np.inf))
    assert done.all() == (turned == (1, 1, 1))


def test_openings_are_measured_in_metres_and_angles() -> None:
    model = model_of(tied_document("weld"))
    q = np.repeat(tied_pose(3)[None], 2, axis=0)
    q[1, model.index("q3_0")] += 3.0
    (opening,) = Closing(Skeleton(model), range(COUNT)).openings(q)
    (place, turn), angle = in_root(model, q), opening.turn_rad
    assert angle == pytest.approx([0.0, np.arccos((np.trace(turn[0].T @ turn[1]) - 1) / 2)], abs=1e-7)
    assert angle[1] == pytest.approx(3.0)
    assert opening.gap == pytest.approx([0.0, np.linalg.norm(place[1] - place[0])], abs=1e-12)
    (rod,) = Closing(Skeleton(rods := model_of(tied_document("distance"))), range(COUNT)).openings(q)
    reach = [np.linalg.norm(each - ROOT) for each in in_root(rods, q)[0]]
    assert rod.gap == pytest.approx([0.0, abs(reach[1] - reach[0])], abs=1e-12)
    assert not rod.in_angle


def test_a_weld_of_before_version_4_is_the_same() -> None:
    new = model_of(tied_document("weld"))
    block = constraint_block("weld", 3)
    ends = re.findall(r"/bodyset/(b\d)</socket_parent><translation>([^<]*)</translation><orientation>([^<]*)<", block)
    inside = "".join(
        f"<body_{k}>{body}</body_{k}><location_body_{k}>{place}</location_body_{k}><orientation_body_{k}>{turn}</orientation_body_{k}>"
        for k, (body, place, turn) in enumerate(ends, 1)
    )
    old = model_of(tied_document("weld").replace(block, f'<WeldConstraint name="tie">{inside}</WeldConstraint>'))
    q = tied_pose(3)[None] + 0.1
    both = [Closing(Skeleton(model), range(COUNT)).residual(q) for model in (new, old)]
    np.testing.assert_allclose(both[0], both[1], atol=1e-15)
    assert np.abs(both[0]).max() > 0.01


@pytest.mark.parametrize("switch", ["<isEnforced>false</isEnforced>", "<isDisabled>true</isDisabled>"])
def test_what_is_switched_off_is_not_there(switch: str) -> None:
    assert model_of(tied_document("point", more=switch)).constraints == ()
    assert [each.name for each in model_of(tied_document("point")).constraints] == ["tie"]


def tracked(model: MusculoskeletalModel, clamped: str = "") -> tuple[TrackedPose, FloatArray]:
    """Markers of a motion that keeps the constraints, with noise, and that motion."""
    if clamped:
        k = model.index(clamped)
        bounds = (tied_pose(3)[k] - 0.02, tied_pose(3)[k] + 0.02)
        limited = replace(model.coordinates[k], range=bounds, clamped=True)
        model = replace(model, coordinates=tuple(limited if c.name == clamped else c for c in model.coordinates))
    q, names = tied_motion(model, TIME_S), [marker.name for marker in model.markers]
    noise = 0.005 * np.random.default_rng(2).standard_normal((len(q), len(names), 3))
    markers = Skeleton(model).markers(q) + noise
    return track_markers(model, names, markers, TrackingTasks(dict.fromkeys(names, 1.0))), q


@pytest.mark.parametrize("clamped", ["", "q0_1"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_pose_nearby_that_keeps_them_fits_markers_better(kind: str, clamped: str) -> None:
    pose, _ = tracked(model_of(tied_document(kind)), clamped)
    tree, wanted = pose.problem
    assert tree.closing is not None
    assert pose.converged.all()
    assert not pose.undetermined.any()
    assert np.abs(tree.closing.residual(pose.q)).max() < 1e-11
    low, high = np.array([c.range if c.clamped else (-np.inf, np.inf) for c in tree.model.coordinates]).T
    assert (pose.q >= low).all()
    assert (pose.q <= high).all()
    assert bool(clamped) == ((pose.q == low) | (pose.q == high)).any()
    for seed in range(6):
        near = np.clip(pose.q + 1e-3 * np.random.default_rng(seed).standard_normal(pose.q.shape), low, high)
        other, closed = tree.closing.closed(near, low, high)
        assert closed.all()
        off = tree.posture(other).points(wanted.body, wanted.place_m) - wanted.measured_m
        assert (wanted.cost(off, other) > pose.cost).all()


def test_covariance_is_that_of_poses_with_noise() -> None:
    model = model_of(tied_document("weld"))
    pose, q = tracked(model)
    names, rng = list(pose.markers), np.random.default_rng(5)
    exact = Skeleton(model).markers(q[:1])
    many = exact + 1e-3 * rng.standard_normal((200, len(names), 3))
    found = track_markers(model, names, many, TrackingTasks(dict.fromkeys(names, 1.0)))
    first = track_markers(model, names, exact, TrackingTasks(dict.fromkeys(names, 1.0)))
    expected = first.covariance(1e-3).sd[0]
    np.testing.assert_allclose(found.q.std(axis=0), expected, rtol=0.2)
    loose = track_markers(replace(model, constraints=()), names, exact, TrackingTasks(dict.fromkeys(names, 1.0)))
    assert (expected < 0.9 * loose.covariance(1e-3).sd[0]).any()


def test_what_a_loop_shows_needs_no_marker() -> None:
    model = model_of(tied_document("weld"))
    q, seen = tied_motion(model, TIME_S), [m for m in model.markers if m.body not in ("b3", LAST)]
    names = [m.name for m in seen]
    pose = track_markers(model, names, Skeleton(model).markers(q, names), TrackingTasks(dict.fromkeys(names, 1.0)))
    assert not pose.undetermined.any()
    np.testing.assert_allclose(pose.q, q, atol=1e-5)


def test_the_nearest_pose_moves_least() -> None:
    model, start = model_of(tied_document("point")), tied_pose(3)[None] + 0.1
    q = assembled_pose(model, start)
    closing, free = Closing(Skeleton(model), range(COUNT)), np.full(COUNT, np.inf)
    assert np.abs(closing.residual(q)).max() < 1e-11
    for seed in range(6):
        other, _ = closing.closed(q + 0.01 * np.random.default_rng(seed).standard_normal((1, COUNT)), -free, free)
        assert np.linalg.norm(other - start) > np.linalg.norm(q - start)
    far = model_of(tied_document("distance").replace("<constant_distance>", "<constant_distance>9"))
    with pytest.raises(BiomechError, match="cannot be kept from pose 0 on"):
        assembled_pose(far, start)


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("distance", ("<constant_distance>", "<constant_distance>-"), "a distance that is none"),
        ("line", (r"<line_direction_vec>[^<]*<", "<line_direction_vec>0 0 0<"), "a line without a direction"),
        ("point", ("/bodyset/b4</socket_body_1>", "/bodyset/b9</socket_body_1>"), "The constraint tie names the body 'b9'"),
        ("linear", ("0.5 0.7 ", "0.5 "), "LinearFunction, 2 coefficients"),
        (
            "linear",
            (r"(?<=function>)<LinearFunction>(.*?)</LinearFunction>", r"<SimmSpline>\1</SimmSpline>"),
            "SimmSpline, 0 coefficients",
        ),
        ("polynomial", ("<order>2<", "<order>3<"), "MultivariatePolynomialFunction, 6 coefficients"),
        ("polynomial", ("<order>2<", "<order>1e9<"), "MultivariatePolynomialFunction, 6 coefficients"),
        ("linear", (">q0_1 q2_0<", ">q0_1 q7_0<"), "The constraint tie names the coordinate 'q7_0'"),
        ("linear", (">q0_1 q2_0<", "><"), "has no independent coordinates"),
        ("point", ("PointConstraint", "RollingConstraint"), "The constraint RollingConstraint tie is not supported"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(kind: str, change: tuple[str, str], said: str) -> None:
    text, count = re.subn(*change, tied_document(kind))
    assert count
    with pytest.raises(BiomechError, match=re.escape(said)):
        model_of(text)


def test_who_would_pass_over_them_refuses(tmp_path: Path) -> None:
    path = tmp_path / "chain.osim"
    path.write_text(tied_document("point"), encoding="utf-8")
    with pytest.raises(BiomechError, match="An analysis of muscles and joint reactions does not take the constraints tie"):
        read_actuated(path)
