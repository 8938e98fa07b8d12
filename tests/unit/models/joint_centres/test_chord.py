"""The chord construction meets its conditions, for any triangle of points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomech_id.models.joint_centres.chord import chord, turned_to_proximal, wand_rotation

N = 40


@pytest.fixture
def points() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hips, knee markers and thigh wands of legs in many poses, metres."""
    rng = np.random.default_rng(7)
    marker = rng.normal(size=(N, 3))
    along = rng.normal(size=(N, 3))
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(along, rng.normal(size=(N, 3)))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return marker + 0.4 * along, marker, marker + 0.2 * along + 0.09 * across


def angle_at(joint: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    u, v = a - joint, b - joint
    cosine = np.einsum("ij,ij->i", u, v) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    return np.arccos(cosine)


@pytest.mark.parametrize("tilt_rad", [0.0, 0.2, -0.15])
def test_distance_angle_plane_and_side(points: tuple[np.ndarray, ...], tilt_rad: float) -> None:
    proximal, marker, wand = points
    square = chord(proximal, marker, wand, 0.06)
    joint = turned_to_proximal(proximal, marker, square, tilt_rad)
    assert np.abs(np.linalg.norm(joint - marker, axis=1) - 0.06).max() < 1e-14
    assert np.abs(angle_at(square, proximal, marker) - np.pi / 2).max() < 1e-12
    assert np.abs(angle_at(marker, proximal, square) - angle_at(marker, proximal, joint) - tilt_rad).max() < 1e-12
    normal = np.cross(proximal - marker, wand - marker)
    assert np.abs(np.einsum("ij,ij->i", joint - marker, normal)).max() < 1e-15
    # Away from the wand: joint and wand lie on different sides of the line from P to M.
    beyond = np.cross(proximal - marker, joint - marker)
    assert (np.einsum("ij,ij->i", beyond, normal) < 0).all()


@settings(max_examples=50, deadline=None)
@given(rotation=st.floats(-0.6, 0.6), lateral=st.floats(0.07, 0.2), height=st.floats(0.05, 0.35))
def test_a_wand_rotation_put_in_comes_out(rotation: float, lateral: float, height: float) -> None:
    proximal, marker = np.array([[0.0, 0.0, 0.4]]), np.zeros((1, 3))
    wand = np.array([[0.01, lateral, height]])
    joint = chord(proximal, marker, wand, 0.05, wand_rotation_rad=rotation)
    assert wand_rotation(proximal, joint, marker, wand)[0] == pytest.approx(rotation, abs=1e-12)
    assert np.linalg.norm(joint - marker) == pytest.approx(0.05, abs=1e-14)
    assert angle_at(joint, proximal, marker)[0] == pytest.approx(np.pi / 2, abs=1e-11)


def test_a_rotated_wand_turns_the_joint_the_right_way_round() -> None:
    """Left leg seen from above, axis to the left: a wand 0.1 rad too far forward must be turned back, counterclockwise."""
    proximal, marker = np.array([[0.0, 0.0, 0.4]]), np.array([[0.0, 0.05, 0.0]])
    true_joint = chord(proximal, marker, np.array([[0.0, 0.15, 0.2]]), 0.05)
    bone_to_wand = np.array([[0.15 * np.sin(0.1), 0.15 * np.cos(0.1), 0.2]])
    shaft = true_joint[0] + 0.5 * (proximal[0] - true_joint[0])
    wand = shaft + bone_to_wand - [[0.0, 0.0, 0.2]]
    found = wand_rotation(proximal, true_joint, marker, wand)[0]
    assert found > 0
    again = chord(proximal, marker, wand, 0.05, wand_rotation_rad=found)
    assert np.abs(again - true_joint).max() < 1e-14


def test_a_leg_too_short_for_its_joint_is_missing_and_leaves_others_alone(points: tuple[np.ndarray, ...]) -> None:
    proximal, marker, wand = (p.copy() for p in points)
    whole = chord(proximal, marker, wand, 0.06)
    proximal[3] = marker[3] + 0.01
    wand[5] = np.nan
    holed = chord(proximal, marker, wand, 0.06)
    assert np.isnan(holed[[3, 5]]).all()
    others = np.delete(np.arange(N), [3, 5])
    assert np.array_equal(holed[others], whole[others])
