"""Muscle paths against drawings that can be measured by hand, minima found by brute force, and differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from leg_model import MODEL, walk
from scipy.optimize import minimize

from biomech_id.errors import InvalidValueError, ShapeError, UnknownNameError
from biomech_id.multibody.functions import ConstantFunction, simm_spline
from biomech_id.multibody.musculoskeletal import MovingPoint, MuscleModel, OffsetFrame, PathPoint, PathWrap, WrapObject
from biomech_id.osim.muscles.cylinder import INSIDE, MAY, MUST, NONE, Arc, Cylinders, choose, on_length, slid, unrolled
from biomech_id.osim.muscles.muscle_paths import MusclePaths, Wrapping
from biomech_id.osim.skeleton.skeleton import Skeleton

Q = Skeleton(MODEL).completed(walk(60))


def cylinder(n: int, radius: float = 0.03, length: float = 0.2, axis: int = 0, sign: float = 0.0) -> Cylinders:
    return Cylinders(np.full(n, radius), np.full(n, length / 2), np.full(n, axis), np.full(n, sign))


def whole(p1: np.ndarray, p2: np.ndarray, arc: Arc) -> np.ndarray:
    return np.asarray(np.linalg.norm(arc.first_m - p1, axis=1) + arc.length_m + np.linalg.norm(p2 - arc.last_m, axis=1))


def crossing_ends(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Ends on either side of a cylinder of 30 mm, the straight piece through it."""
    rng = np.random.default_rng(0)
    p1, p2 = rng.uniform(-0.02, 0.02, (2, n, 3))
    p1[:, 0], p2[:, 0] = rng.uniform(0.04, 0.2, n), rng.uniform(-0.2, -0.04, n)
    p1[:, 2] += 0.02
    return p1, p2


def test_across_the_axis_it_is_two_tangents_and_an_arc() -> None:
    p1, p2 = np.array([[0.05, 0.01, 0.02]]), np.array([[-0.08, 0.0, 0.02]])
    one = cylinder(1)
    choice = choose(p1, p2, one)
    angle = np.arctan2(0.0, -0.08) - np.arctan2(0.01, 0.05) - np.arccos(0.03 / np.hypot(0.05, 0.01)) - np.arccos(0.03 / 0.08)
    expected = np.sqrt(0.05**2 + 0.01**2 - 0.03**2) + 0.03 * angle + np.sqrt(0.08**2 - 0.03**2)
    assert choice.code[0] == MUST
    for path in (slid, unrolled):
        np.testing.assert_allclose(whole(p1, p2, path(p1, p2, one, choice)), expected, rtol=1e-14)


def test_the_shortest_path_is_the_shortest_and_opensims_is_a_little_longer() -> None:
    p1, p2 = crossing_ends()
    many = cylinder(len(p1))
    choice = choose(p1, p2, many)
    shortest, drawn = (whole(p1, p2, path(p1, p2, many, choice)) for path in (unrolled, slid))
    assert (choice.code == MUST).all()
    for k in range(8):
        ends = unrolled(p1, p2, many, choice)
        turns = [np.arctan2(end[k, 1], end[k, 0]) for end in (ends.first_m, ends.last_m)]
        around = np.unwrap([turns[0], turns[1]])

        def length(x: np.ndarray, k: int = k) -> float:
            a, b = (np.array([0.03 * np.cos(x[j]), 0.03 * np.sin(x[j]), x[j + 2]]) for j in (0, 1))
            return float(np.linalg.norm(a - p1[k]) + np.hypot(0.03 * (x[1] - x[0]), x[3] - x[2]) + np.linalg.norm(p2[k] - b))

        found = minimize(length, [*around, *ends.first_m[k, 2:], *ends.last_m[k, 2:]], method="BFGS", options={"gtol": 1e-9})
        np.testing.assert_allclose(shortest[k], found.fun, rtol=1e-10)
    assert (drawn >= shortest - 1e-15).all()
    assert 1e-6 < (drawn - shortest).max() < 5e-3


def test_whether_a_piece_wraps() -> None:
    """Through the axis's neighbourhood; past it; an end within; and over one half only."""
    p1 = np.array([[0.1, 0.0, 0.0], [0.1, 0.05, 0.0], [0.02, 0.0, 0.0], [0.1, 0.0, 0.0]])
    p2 = np.array([[-0.1, 0.01, 0.0], [-0.1, 0.04, 0.0], [-0.1, 0.0, 0.0], [0.05, 0.01, 0.0]])
    assert choose(p1, p2, cylinder(4)).code.tolist() == [MUST, NONE, INSIDE, NONE]
    above = cylinder(4, axis=1, sign=1.0)
    across = np.array([[0.1, 0.05, 0.0], [0.1, 0.05, 0.0], [0.1, -0.05, 0.0], [0.1, 0.05, 0.0]])
    beyond = np.array([[-0.1, 0.05, 0.0], [-0.1, -0.05, 0.0], [-0.1, -0.05, 0.0], [-0.1, -0.30, 0.0]])
    assert choose(across, beyond, above).code.tolist() == [NONE, MUST, MAY, MAY]


def test_a_path_below_its_half_goes_the_long_way_over_the_top() -> None:
    p1, p2 = np.array([[0.1, -0.04, 0.0]]), np.array([[-0.1, -0.04, 0.0]])
    above = cylinder(1, axis=1, sign=1.0)
    choice = choose(p1, p2, above)
    arc = slid(p1, p2, above, choice)
    assert choice.long[0] == (arc.angle_rad[0] > np.pi)
    assert arc.first_m[0, 1] > 0
    assert arc.last_m[0, 1] > 0


def test_where_no_tangent_lies_on_the_half_the_path_takes_the_far_side() -> None:
    """Both ends far below a half that looks up."""
    p1, p2 = np.array([[0.01, -0.15, 0.0]]), np.array([[-0.01, -0.15, 0.1]])
    above = cylinder(1, axis=1, sign=1.0)
    choice = choose(p1, p2, above)
    assert choice.code[0] == MAY
    assert choice.far[0]


def test_beyond_the_cylinders_length_the_path_passes_by() -> None:
    p1, p2 = np.array([[0.1, 0.0, 0.3], [0.1, 0.0, 0.05]]), np.array([[-0.1, 0.0, 0.3], [-0.1, 0.0, 0.05]])
    two = cylinder(2)
    assert on_length(slid(p1, p2, two, choose(p1, p2, two)), two).tolist() == [False, True]


def point(name: str, body: str, *place: float, coordinate: str = "", between: tuple[float, float] = (-9.0, 9.0)) -> PathPoint:
    return PathPoint(name, body, np.array(place), coordinate, between)


KNEE_CAP = WrapObject("condyles", "cylinder", OffsetFrame("thigh", (0.0, -0.39, 0.0)), (0.03, 0.2), "+x")
SHIN = WrapObject("shin", "cylinder", OffsetFrame("shank", (0.02, -0.08, 0.0)), (0.025, 0.2), "x")
ROUND = WrapObject("rounder", "cylinder", OffsetFrame("thigh", (0.0, -0.38, 0.0), np.eye(3)[:, [1, 2, 0]]), (0.03, 0.3))
BALL = WrapObject("ball", "cone", OffsetFrame("pelvis"), (0.03, 0.04))
MOVING = MovingPoint(
    "m2", "shank", ("knee", "cap_turn", ""),
    (simm_spline([-2.0, -1.0, 0.0], [0.05, 0.04, 0.045]), simm_spline([-2.0, 0.0, 1.0], [0.0, -0.05, 0.0]), ConstantFunction(0.01)),
)  # fmt: skip
FLEXED = {"coordinate": "knee", "between": (-2.0, -0.9)}
MUSCLES = (
    MuscleModel("straight", (point("a", "pelvis", 0.0, 0.1, 0.0), point("b", "shank", 0.03, -0.1, 0.0))),
    MuscleModel("moving", (point("a", "thigh", 0.05, -0.1, 0.0), MOVING, point("c", "cap", 0.0, -0.1, 0.0))),
    MuscleModel("first", (point("a", "pelvis", -0.1, 0.0, 0.0, **FLEXED), point("b", "thigh", -0.05, -0.3, 0.0),
                          point("c", "shank", -0.03, -0.1, 0.0))),
    MuscleModel("middle", (point("a", "pelvis", -0.1, 0.0, 0.0), point("b", "thigh", -0.05, -0.3, 0.0, **FLEXED),
                           point("c", "shank", -0.03, -0.1, 0.0, **FLEXED), point("d", "shank", -0.02, -0.15, 0.01))),
    MuscleModel("over", (point("a", "thigh", 0.06, -0.1, 0.02), point("b", "shank", 0.06, -0.12, 0.0)), (PathWrap("condyles"),)),
    MuscleModel("round", (point("a", "thigh", 0.06, -0.1, 0.01), point("b", "thigh", 0.05, -0.33, 0.01),
                          point("c", "shank", 0.04, -0.12, -0.01), point("d", "shank", 0.04, -0.2, 0.0)),
                (PathWrap("rounder", first=2, last=3),)),
    MuscleModel("twice", (point("a", "thigh", 0.04, -0.3, 0.02), point("b", "shank", 0.01, -0.35, -0.01)),
                (PathWrap("condyles"), PathWrap("shin"))),
)  # fmt: skip
WITH_MUSCLES = replace(MODEL, muscles=MUSCLES, wrap_objects=(KNEE_CAP, SHIN, ROUND, BALL))
PATHS = MusclePaths(WITH_MUSCLES)


def test_a_straight_path_is_as_long_as_its_points_are_apart() -> None:
    pose = Skeleton(MODEL).pose(Q)
    a, b = (pose.points([Skeleton(MODEL).body_index(p.body)], p.place_m)[:, 0] for p in MUSCLES[0].points)  # type: ignore[union-attr]
    np.testing.assert_allclose(PATHS.lengths(Q)[:, 0], np.linalg.norm(b - a, axis=1), rtol=1e-14)


@pytest.mark.parametrize("name", ["first", "middle"])
def test_a_conditional_path_is_that_of_the_points_that_count(name: str) -> None:
    muscle = next(m for m in MUSCLES if m.name == name)
    flexed = Q[:, MODEL.index("knee")] <= -0.9 + 1e-5
    assert 5 < flexed.sum() < 55
    with_all = tuple(replace(p, coordinate="") for p in muscle.points if isinstance(p, PathPoint))
    without = tuple(p for p in muscle.points if isinstance(p, PathPoint) and not p.coordinate)
    both = MusclePaths(replace(WITH_MUSCLES, muscles=(MuscleModel("all", with_all), MuscleModel("few", without))))
    k = PATHS.names.index(name)
    expected = np.where(flexed, *both.lengths(Q).T)
    np.testing.assert_allclose(PATHS.lengths(Q)[:, k], expected, rtol=1e-14)
    arms = np.where(flexed[:, None], *both.moment_arms(Q).swapaxes(0, 1))
    np.testing.assert_allclose(PATHS.moment_arms(Q)[:, k], arms, atol=1e-14)


def test_paths_do_wrap_in_some_states_and_not_in_others() -> None:
    """So that what follows is said of wrapped and of straight paths."""
    loose = MusclePaths(replace(WITH_MUSCLES, muscles=tuple(replace(m, wraps=()) for m in MUSCLES)))
    longer = PATHS.lengths(Q) - loose.lengths(Q)
    assert (np.abs(longer[:, :4]) < 1e-15).all()
    for name in ("over", "round", "twice"):
        added = longer[:, PATHS.names.index(name)]
        assert (added > 1e-6).sum() > 5, name
    assert (longer[:, PATHS.names.index("over")] == 0).sum() > 5


@pytest.mark.parametrize("wrapping", ["drawn", "shortest"])
def test_moment_arms_are_minus_the_derivative_of_the_length(wrapping: Wrapping) -> None:
    arms, h, flexed = PATHS.moment_arms(Q, wrapping=wrapping), 1e-6, MODEL.index("knee")
    away = np.abs(Q[:, flexed] + 0.9) > 1e-3  # from where points begin to count
    for k in PATHS.tree.free:
        more, less = Q.copy(), Q.copy()
        more[:, k] += h
        less[:, k] -= h
        difference = (PATHS.lengths(more, wrapping=wrapping) - PATHS.lengths(less, wrapping=wrapping)) / (2 * h)
        np.testing.assert_allclose(arms[away, :, k], -difference[away], atol=1e-8)
    follows, knee = MODEL.index("cap_turn"), MODEL.couplings[0].function.slope(Q[:, flexed])
    np.testing.assert_allclose(arms[:, :, follows] * knee[:, None], arms[:, :, flexed], atol=1e-14)


def test_velocities_are_the_lengths_rates() -> None:
    rng = np.random.default_rng(3)
    q, u, h = Q[:7], rng.normal(0.0, 1.0, Q[:7].shape), 1e-6
    difference = (PATHS.lengths(q + h * u) - PATHS.lengths(q - h * u)) / (2 * h)
    np.testing.assert_allclose(PATHS.velocities(q, u), difference, atol=1e-8)
    with pytest.raises(ShapeError, match=r"\(7, 3\)"):
        PATHS.velocities(q, u[:, :3])


def test_over_two_cylinders_no_other_path_is_shorter() -> None:
    """Where both touch: any other four tangent places on the same sides, moved a little, make the path longer."""
    k = PATHS.names.index("twice")
    pose = PATHS.tree.posture(Q, rows=False)
    points, active, _ = PATHS._points(Q, pose)
    frames = PATHS._wraps.frames(pose)
    path = next(PATHS._wraps._several.paths(points, active, frames, "drawn"))
    both = np.flatnonzero((path.state.arc > 0).all(axis=1))
    assert len(both) > 5
    place, owner = path.state.place[both], path.state.owner[both]
    assert (owner[:, 1:5] >= 0).all()
    radius = np.array([KNEE_CAP.size_m[0], SHIN.size_m[0]])
    local = []
    for j in (1, 2, 3, 4):
        F = frames[both, path.objects[0, owner[:, j]]]
        local.append(((place[:, j] - F[:, :3, 3])[:, None] @ F[:, :3, :3])[:, 0])

    def length(moved: list[np.ndarray]) -> np.ndarray:
        ends, total = [place[:, 0]], np.zeros(len(both))
        for j, x in enumerate(moved, 1):
            F = frames[both, path.objects[0, owner[:, j]]]
            ends.append((F[:, :3, :3] @ x[..., None])[..., 0] + F[:, :3, 3])
        ends.append(place[:, 5])
        for j in (0, 2, 4):
            total += np.linalg.norm(ends[j + 1] - ends[j], axis=1)
        for j in (0, 2):
            turn = np.abs(np.arctan2(*np.stack([moved[j][:, 0] * moved[j + 1][:, 1] - moved[j][:, 1] * moved[j + 1][:, 0],
                                                np.sum(moved[j][:, :2] * moved[j + 1][:, :2], axis=1)])))  # fmt: skip
            total += np.hypot(radius[owner[:, j + 1]] * turn, moved[j + 1][:, 2] - moved[j][:, 2])
        return total

    np.testing.assert_allclose(length(local), PATHS.lengths(Q)[both, k], rtol=1e-12)
    for j in range(4):
        for by in (1e-4, -1e-4):
            turned, higher = ([x.copy() for x in local] for _ in range(2))
            c, s = np.cos(by / 0.03), np.sin(by / 0.03)
            turned[j][:, :2] = turned[j][:, :2] @ np.array([[c, s], [-s, c]])
            higher[j][:, 2] += by
            for moved in (turned, higher):
                assert (length(moved) > length(local) - 1e-13).all()


def test_what_is_not_supported_is_left_out_by_name_and_refused_when_asked_for() -> None:
    bent = MuscleModel("bent", MUSCLES[0].points, (PathWrap("ball"),))
    model = replace(WITH_MUSCLES, muscles=(*MUSCLES, bent))
    paths = MusclePaths(model)
    assert paths.names == PATHS.names
    assert paths.left_out == {"bent": "The muscle bent wraps over the cone ball, which is not supported."}
    with pytest.raises(InvalidValueError, match="cone ball"):
        MusclePaths(model, ["straight", "bent"])
    with pytest.raises(UnknownNameError, match="'soleus'"):
        MusclePaths(model, ["soleus"])


def test_some_muscles_are_as_they_are_among_all() -> None:
    some = MusclePaths(WITH_MUSCLES, ["twice", "moving"])
    np.testing.assert_allclose(some.lengths(Q), PATHS.lengths(Q)[:, [6, 1]], rtol=1e-14)
    np.testing.assert_allclose(some.moment_arms(Q), PATHS.moment_arms(Q)[:, [6, 1]], atol=1e-14)
    assert MusclePaths(WITH_MUSCLES, []).lengths(Q).shape == (60, 0)
