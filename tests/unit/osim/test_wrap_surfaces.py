"""Paths over spheres, ellipsoids and tori against closed forms, minima and differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from leg_model import MODEL, walk

from biomech_id.multibody.musculoskeletal import MuscleModel, OffsetFrame, PathPoint, PathWrap, WrapObject
from biomech_id.osim.muscles import several_surfaces
from biomech_id.osim.muscles.cylinder import INSIDE, MAY, MUST, NONE, Arc
from biomech_id.osim.muscles.ellipsoid import nearest_on_ellipsoid, third_point
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
    p1, p2 = np.array([[0.03, -0.045, 0.0]]), np.array([[-0.03, -0.045, 0.0]])
    lengths = {}
    for half in ("all", "y", "-y"):
        ball = surfaces(1, "sphere", 0.05, quadrant=half)
        lengths[half] = whole(p1, p2, path_over(p1, p2, ball, choose_on(p1, p2, ball), shortest=False)[0])[0]
    off, below = np.hypot(0.03, 0.045), np.arctan(1.5)
    tangent, aside = np.sqrt(off**2 - 0.0025), np.arccos(0.05 / off)
    under, over = np.pi - 2 * below - 2 * aside, np.pi + 2 * below - 2 * aside
    assert over > np.pi
    assert lengths["all"] == lengths["-y"] == pytest.approx(2 * tangent + 0.05 * under, rel=1e-13)
    assert lengths["y"] == pytest.approx(2 * tangent + 0.05 * over, rel=1e-13)


def test_ends_within_a_sphere_and_a_line_through_its_centre() -> None:
    p1, p2 = np.array([[0.04, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.0, 0.0]]), np.array([[-0.1, 0, 0], [0.06, 0, 0], [-0.1, 0, 0]])
    balls = surfaces(3, "sphere", 0.05)
    choice = choose_on(p1, p2, balls)
    assert choice.code.tolist() == [INSIDE, NONE, MAY]
    length = whole(p1, p2, path_over(p1, p2, balls, choice, shortest=False)[0])[2]
    assert length == pytest.approx(2 * np.sqrt(0.0075) + 0.05 * (np.pi - 2 * np.arccos(0.5)))


def test_over_a_round_ellipsoid_it_is_the_path_over_a_sphere() -> None:
    p1, p2 = ends(200)
    ball, egg = surfaces(200, "sphere", 0.05), surfaces(200, "ellipsoid", 0.05, 0.05, 0.05)
    choices = choose_on(p1, p2, ball), choose_on(p1, p2, egg)
    wraps = choices[0].code == MAY
    np.testing.assert_array_equal(choices[1].code == MUST, wraps)
    lengths = [whole(p1, p2, path_over(p1, p2, s, c, shortest=False)[0]) for s, c in zip((ball, egg), choices, strict=True)]
    np.testing.assert_allclose(lengths[1][wraps], lengths[0][wraps], rtol=1e-7)


@pytest.mark.parametrize("method", ["hybrid", "midpoint", "axial"])
def test_over_an_ellipsoid_the_path_is_plane_and_tangent(method: str) -> None:
    size = np.array([0.04, 0.03, 0.05])
    egg = surfaces_of([WrapObject("egg", "ellipsoid", OffsetFrame("pelvis"), tuple(size))] * 200, [method] * 200)
    p1, p2 = ends(200, near=0.055)
    choice = choose_on(p1, p2, egg)
    wraps = np.flatnonzero(choice.code == MUST)
    assert 30 < len(wraps) < 150
    arc, third = path_over(p1, p2, egg, choice, shortest=False)[0], third_point(p1, p2, egg)[0]
    normal = np.cross(p2 - p1, third - p1)[wraps]
    for end, place in ((arc.first_m, p1), (arc.last_m, p2)):
        np.testing.assert_allclose(np.sum((end / size) ** 2, axis=1)[wraps], 1.0, rtol=1e-12)
        assert np.abs(np.sum((end - place) * end / size**2, axis=1)[wraps]).max() < 1e-12
        assert np.abs(np.sum((end - p1)[wraps] * normal, axis=1)).max() < 1e-12
    # the arc in two thousand steps: directions from the middle of its plane's ellipse, turned evenly
    for k in wraps[:20]:
        share = np.linspace(0, 1, 200001)[:, None]
        ray = ((1 - share) * arc.first_m[k] + share * arc.last_m[k]) / size
        unit = normal[np.flatnonzero(wraps == k)[0]] * size
        unit /= np.linalg.norm(unit)
        middle = unit * (unit @ (p1[k] / size))
        out = ray - middle
        on = middle + out / np.linalg.norm(out, axis=1, keepdims=True) * np.sqrt(1 - middle @ middle)
        assert np.linalg.norm(np.diff(on * size, axis=0), axis=1).sum() == pytest.approx(arc.length_m[k], rel=1e-8)


def test_over_a_torus_across_its_ring_it_is_the_path_over_a_cylinder() -> None:
    """Through the hole in the plane of symmetry: two tangents and an arc over the inside of the tube."""
    p1, p2 = np.array([[0.045, 0.0, 0.05]]), np.array([[0.045, 0.0, -0.05]])
    ring = surfaces(1, "torus", 0.01, 0.04)
    choice = choose_on(p1, p2, ring)
    assert choice.code[0] == MAY
    arc, _ = path_over(p1, p2, ring, choice, shortest=False)
    off = np.hypot(0.005, 0.05)  # from the middle of the tube, and the angle there from inwards to the tangent point
    angle = np.pi - np.arccos(0.005 / off) - np.arccos(0.01 / off)
    assert whole(p1, p2, arc)[0] == pytest.approx(2 * (np.sqrt(off**2 - 1e-4) + 0.01 * angle), rel=1e-13)
    assert arc.first_m[0] == pytest.approx([0.04 - 0.01 * np.cos(angle), 0.0, 0.01 * np.sin(angle)])


def test_what_is_nearest_to_a_place_is_nearer_than_all_around_it() -> None:
    rng = np.random.default_rng(2)
    a, place = rng.uniform(0.5, 1.6, (200, 3)), rng.normal(size=(200, 3)) * 0.7
    place[::4, 1] = 0.0  # in a plane of symmetry, where the nearest in that plane counts
    place[::8, 2] = 0.0
    place[0] = 0.0
    point = nearest_on_ellipsoid(a, place)
    np.testing.assert_allclose(np.sum((point / a) ** 2, axis=1), 1.0, rtol=1e-12)
    flat = np.abs(place) < 1e-12
    for _ in range(50):
        other = point + 1e-3 * np.where(flat, 0.0, rng.normal(size=(200, 3)))
        other /= np.linalg.norm(other / a, axis=1, keepdims=True)
        assert (np.linalg.norm(other - place, axis=1) > np.linalg.norm(point - place, axis=1) - 1e-12).all()


KNEE = OffsetFrame("thigh", (0.0, -0.39, 0.0))
OBJECTS = (
    WrapObject("sphere", "sphere", KNEE, (0.03,)),
    WrapObject("half", "sphere", KNEE, (0.03,), "+x"),
    WrapObject("egg", "ellipsoid", KNEE, (0.03, 0.025, 0.05)),
    WrapObject("shin", "cylinder", OffsetFrame("shank", (0.02, -0.08, 0.0)), (0.025, 0.2), "x"),
)
USES = {"sphere": ("sphere",), "half": ("half",), "egg": ("egg",), "sphere_and_shin": ("sphere", "shin")}
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
        np.testing.assert_allclose(arms[:, c], -difference, atol=1e-7)


def test_surfaces_that_take_turns_on_a_path_are_tried_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two balls on a path either may push it off the other: it ends at the shorter of what comes round, after a few rounds."""
    tried = Counter[str]()
    for name in ("_again", "_slide"):
        method = getattr(several_surfaces._Rounds, name)
        monkeypatch.setattr(
            several_surfaces._Rounds, name, lambda *a, name=name, method=method: (tried.update([name]), method(*a))[1]
        )
    rng, n = np.random.default_rng(0), 20
    places = np.array([[0.0, 0.08, 0.0], [0.0, -0.32, 0.0], [0.0, -0.07, 0.0], [0.0, -0.16, 0.0]])
    places = places + rng.uniform(-0.02, 0.02, (n, 4, 3)) * [1.0, 0.0, 1.0]
    frames = np.tile(np.eye(4), (n, 2, 1, 1))
    frames[:, :, :3, 3] = places[:, 2:]
    balls = surfaces_of([WrapObject("w", "sphere", OffsetFrame("pelvis"), (0.03,), half) for half in ("-x", "x")])
    several = several_surfaces.SeveralSurfaces([(0, 2, 0, [(0, PathWrap("w")), (1, PathWrap("w"))])], balls)
    (path,) = several.paths(places[:, :2], None, frames, "drawn")
    assert tried["_again"] <= 20
    assert tried["_slide"] <= 700
    monkeypatch.setattr(several_surfaces, "MOST_ROUNDS", several_surfaces.MOST_ROUNDS + 1)
    (longer,) = several.paths(places[:, :2], None, frames, "drawn")
    np.testing.assert_allclose(path.length_m, longer.length_m, atol=1e-9)
