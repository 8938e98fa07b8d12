from __future__ import annotations

import numpy as np
import pytest

from biomech_id.gait.ground import (
    _surface_m,
    beyond_outline_m,
    centre_of_pressure,
    flat_foot,
    pressure_threshold_N,
    progression_components,
    walking_direction,
)
from biomech_id.trial import ForcePlate

#: Rounding of a handful of products of numbers below 1e3.
EXACT = 1e-12


def test_centre_of_pressure_is_where_the_force_was_put() -> None:
    rng = np.random.default_rng(1)
    for floor_m in (0.0, 0.12):
        point = np.column_stack([rng.normal(size=(20, 2)), np.full(20, floor_m)])
        force = np.column_stack([rng.normal(scale=80, size=(20, 2)), rng.uniform(100, 900, 20)])
        free_Nm = rng.normal(scale=5, size=20)
        moment = np.cross(point, force) + np.column_stack([np.zeros((20, 2)), free_Nm])
        cop, free = centre_of_pressure(force, moment, least_force_N=50.0, floor_m=floor_m)
        np.testing.assert_allclose(cop, point, atol=EXACT)
        np.testing.assert_allclose(free, free_Nm, atol=1e-10)  # N m: moments up to 1e3 N m are subtracted


def test_no_centre_of_pressure_at_low_force_for_a_child_either() -> None:
    child_N, adult_N = pressure_threshold_N(18.0), pressure_threshold_N(80.0)
    assert child_N == pytest.approx(0.05 * 18.0 * 9.81)
    force = np.array([[0.0, 0.0, child_N + 1.0], [0.0, 0.0, child_N - 1.0]])
    cop, free = centre_of_pressure(force, np.zeros((2, 3)), least_force_N=child_N)
    assert np.isfinite(cop[0]).all()
    assert np.isnan(cop[1]).all()
    assert np.isnan(free[1])
    assert np.isnan(centre_of_pressure(force, np.zeros((2, 3)), least_force_N=adult_N)[0]).all()


@pytest.mark.parametrize("heading_deg", [0.0, 30.0, 90.0, 180.0, -135.0])
def test_progression_axes_turn_with_the_walker(heading_deg: float) -> None:
    heading = np.radians(heading_deg)
    forward = np.array([np.cos(heading), np.sin(heading), 0.0])
    to_the_right = np.array([np.sin(heading), -np.cos(heading), 0.0])
    push = 3.0 * forward + 2.0 * to_the_right + [0.0, 0.0, 7.0]
    # To the right is towards the other foot for the left foot, and away from it for the right one.
    np.testing.assert_allclose(progression_components(push[None], forward, "L"), [[3.0, 2.0, 7.0]], atol=EXACT)
    np.testing.assert_allclose(progression_components(push[None], forward, "R"), [[3.0, -2.0, 7.0]], atol=EXACT)


def test_walking_direction_ignores_gaps_and_height_and_refuses_standing() -> None:
    path = np.array([[np.nan] * 3, [0.0, 0.0, 1.0], [1.0, 1.0, 1.2], [np.nan] * 3])
    np.testing.assert_allclose(walking_direction(path), [np.sqrt(0.5), np.sqrt(0.5), 0.0], atol=EXACT)
    assert walking_direction(np.array([[0.0, 0.0, 1.0], [0.1, 0.1, 3.0]])) is None
    assert walking_direction(np.full((5, 3), np.nan)) is None


@pytest.mark.parametrize("side", ["L", "R"])
def test_flat_foot_axes_run_from_heel_to_toe_and_medially(side: str) -> None:
    turn = np.radians(70.0)
    forward, left = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
    heel = np.array([0.4, -0.3, 0.02])
    outline = np.array([heel + a * forward + b * left for a, b in [(0.0, -0.03), (0.0, 0.03), (0.24, 0.04), (0.24, -0.04)]])
    frames = np.stack([outline + [9.0, 9.0, 0.0], outline, outline])  # in the first frame the foot is elsewhere
    ankle = np.tile(heel + 0.05 * forward, (3, 1))
    foot = flat_foot(frames, ankle, np.array([False, True, True]), side)
    assert foot is not None
    np.testing.assert_allclose(foot.forward_lab, forward, atol=EXACT)
    medial = -left if side == "L" else left
    point = heel + 0.1 * forward + 0.02 * medial
    np.testing.assert_allclose(foot.components(point[None]), [[0.1, 0.02]], atol=EXACT)
    np.testing.assert_allclose(foot.outline_m[:, 0], [0.0, 0.0, 0.24, 0.24], atol=EXACT)
    assert (beyond_outline_m(foot.components(point[None]), foot.outline_m) <= 0.0).all()


def test_a_foot_never_seen_flat_has_no_axes() -> None:
    assert flat_foot(np.full((3, 4, 3), np.nan), np.zeros((3, 3)), np.ones(3, dtype=bool), "L") is None


def test_how_far_a_point_lies_beyond_an_outline_in_either_direction_around() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]])  # one corner twice
    points = np.array([[0.5, 0.5], [1.05, 0.5], [1.2, 0.5], [np.nan, 0.5]])
    for outline in (square, square[::-1]):
        np.testing.assert_allclose(beyond_outline_m(points, outline), [-0.5, 0.05, 0.2, np.nan], atol=EXACT)


def test_a_force_on_a_ramp_acts_at_the_height_of_the_ramp_there() -> None:
    """A plate that climbs by 0.1 m over its 0.5 m along X: 0.2 m from its low edge the surface is 40 mm up."""
    corners_m = np.array([[0.5, 0.4, 0.1], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.1]])
    point_m, force_N = np.array([0.2, 0.1, 0.04]), np.array([[30.0, -20.0, 600.0], [0.0, 0.0, 400.0]])
    plate = ForcePlate("ramp", 2, corners_m, force_N, np.cross(point_m, force_N), 1000.0)
    assert _surface_m(plate, force_N, np.cross(point_m, force_N)) == pytest.approx([0.04, 0.04])
