"""Paths over spheres, ellipsoids and tori against closed forms, minima and differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from leg_model import MODEL, walk

from biomech_id.multibody.musculoskeletal import MuscleModel, OffsetFrame, PathPoint, PathWrap, WrapObject
from biomech_id.osim.muscles.cylinder import INSIDE, MAY, NONE, Arc
from biomech_id.osim.muscles.muscle_paths import MusclePaths
from biomech_id.osim.muscles.surfaces import Surfaces, surfaces_of
from biomech_id.osim.muscles.wrapping_rules import choose_on, path_over
from biomech_id.osim.skeleton.skeleton import Skeleton

Q = Skeleton(MODEL).completed(walk(60))


def surfaces(n: int, kind: str, *size: float, quadrant: str = "all") -> Surfaces:
    return surfaces_of([WrapObject("w", kind, OffsetFrame("pelvis"), size, quadrant)] * n)


def whole(p1: np.ndarray, p2: np.ndarray, arc: Arc) -> np.ndarray:
    return np.asarray(np.linalg.norm(arc.first_m - p1, axis=1) + arc.length_m + np.linalg.norm(p2 - arc.last_m, axis=1))


def ends(n: int, near: float = 0.06, far: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    p1, p2 = rng.normal(size=(2, n, 3))
    return tuple(p * rng.uniform(near, far, n)[:, None] / np.linalg.norm(p, axis=1, keepdims=True) for p in (p1, p2))  # type: ignore[return-value]


def test_over_a_sphere_it_is_two_tangents_and_a_great_circle() -> None:
    p1, p2 = ends(300)
    r, d1, d2 = 0.05, np.linalg.norm(p1, axis=1), np.linalg.norm(p2, axis=1)
    between = np.arccos(np.sum(p1 * p2, axis=1) / d1 / d2)
    angle = between - np.arccos(r / d1) - np.arccos(r / d2)
    balls = surfaces(300, "sphere", r)
    choice = choose_on(p1, p2, balls)
    wraps = choice.code == MAY
    assert 50 < wraps.sum() < 250
    np.testing.assert_array_equal(wraps, angle > 0)
    arc, _ = path_over(p1, p2, balls, choice, shortest=False)
    expected = np.sqrt(d1**2 - r**2) + r * angle + np.sqrt(d2**2 - r**2)
    np.testing.assert_allclose(whole(p1, p2, arc)[wraps], expected[wraps], rtol=1e-13)
    for end in (arc.first_m, arc.last_m):
        np.testing.assert_allclose(np.linalg.norm(end, axis=1), r, rtol=1e-13)


def test_over_one_half_of_a_sphere_the_path_may_go_the_long_way() -> None:
    p1, p2 = np.array([[0.06, -0.03, 0.0]]), np.array([[-0.06, -0.03, 0.0]])
    lengths = {}
    for half in ("all", "y", "-y"):
        ball = surfaces(1, "sphere", 0.05, quadrant=half)
        lengths[half] = whole(p1, p2, path_over(p1, p2, ball, choose_on(p1, p2, ball), shortest=False)[0])[0]
    tangent, turn = np.sqrt(0.0045 - 0.0025), np.pi - 2 * np.arctan(0.5) - 2 * np.arccos(0.05 / np.sqrt(0.0045))
    assert lengths["all"] == lengths["-y"] == pytest.approx(2 * tangent + 0.05 * turn, rel=1e-13)
    over = np.pi + 2 * np.arctan(0.5) - 2 * np.arccos(0.05 / np.sqrt(0.0045))
    assert lengths["y"] == pytest.approx(2 * tangent + 0.05 * over, rel=1e-13)


def test_ends_within_a_sphere_and_a_line_through_its_centre() -> None:
    p1, p2 = np.array([[0.04, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.0, 0.0]]), np.array([[-0.1, 0, 0], [0.06, 0, 0], [-0.1, 0, 0]])
    balls = surfaces(3, "sphere", 0.05)
    choice = choose_on(p1, p2, balls)
    assert choice.code.tolist() == [INSIDE, NONE, MAY]
    length = whole(p1, p2, path_over(p1, p2, balls, choice, shortest=False)[0])[2]
    assert length == pytest.approx(2 * np.sqrt(0.0075) + 0.05 * (np.pi - 2 * np.arccos(0.5)))


KNEE = OffsetFrame("thigh", (0.0, -0.39, 0.0))
OBJECTS = (WrapObject("sphere", "sphere", KNEE, (0.03,)), WrapObject("half", "sphere", KNEE, (0.03,), "+x"),
           WrapObject("shin", "cylinder", OffsetFrame("shank", (0.02, -0.08, 0.0)), (0.025, 0.2), "x"))  # fmt: skip
USES = {"sphere": ("sphere",), "half": ("half",), "sphere_and_shin": ("sphere", "shin")}
PLACES = (PathPoint("a", "thigh", (0.06, -0.1, 0.02)), PathPoint("b", "shank", (0.03, -0.16, 0.0)))
PATHS = MusclePaths(
    replace(
        MODEL, wrap_objects=OBJECTS, muscles=tuple(MuscleModel(k, PLACES, tuple(PathWrap(w) for w in v)) for k, v in USES.items())
    )
)


@pytest.mark.parametrize("name", USES)
def test_arms_are_minus_the_derivative_of_the_length_wrapped_and_not(name: str) -> None:
    k, h = PATHS.names.index(name), 1e-6
    loose = MusclePaths(replace(PATHS.model, muscles=(MuscleModel("loose", PLACES),))).lengths(Q)[:, 0]
    wrapped = PATHS.lengths(Q)[:, k] > loose + 1e-9
    assert wrapped.sum() > 5
    assert wrapped.all() == (name == "sphere_and_shin")
    arms = PATHS.moment_arms(Q)[:, k]
    for c in PATHS.tree.free:
        move = h * np.eye(Q.shape[1])[c]
        difference = (PATHS.lengths(Q + move) - PATHS.lengths(Q - move))[:, k] / (2 * h)
        np.testing.assert_allclose(arms[:, c], -difference, atol=1e-8)
