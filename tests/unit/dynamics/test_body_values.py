"""Poses and segments that no body can have are refused where they are made, with the frame or the segment named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.dynamics.body import Frames, Segment
from biomech_id.errors import InvalidValueError, ShapeError

N = 5
ORIGIN_M = np.zeros((N, 3))


def poses() -> np.ndarray:
    return Rotation.random(N, rng=np.random.default_rng(1)).as_matrix()


def spoilt(matrix: np.ndarray) -> np.ndarray:
    """Good axes in every frame but the fourth."""
    R = poses()
    R[3] = matrix
    return R


@pytest.mark.parametrize(
    "matrix",
    [np.diag([1.0, -1.0, 1.0]), 1.01 * np.eye(3), np.array([[1.0, 1e-3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.zeros((3, 3))],
    ids=["left-handed", "too long", "not square to each other", "nothing"],
)
def test_axes_that_are_no_right_handed_triad_are_refused_with_their_frame(matrix: np.ndarray) -> None:
    with pytest.raises(InvalidValueError, match=r"frame 3 .*right-handed"):
        Frames(spoilt(matrix), ORIGIN_M)


def test_rounding_and_missing_frames_are_no_fault() -> None:
    R = poses()
    R[2] = np.nan
    R[4] += 1e-8
    assert len(Frames(R, ORIGIN_M)) == N


def test_axes_and_origins_must_be_of_the_same_frames() -> None:
    with pytest.raises(ShapeError, match="origin_lab_m"):
        Frames(poses(), ORIGIN_M[:3])


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), "not symmetric"),
        (np.diag([1.0, 1.0, 2.1]), "triangle"),
        (np.diag([1.0, 1.0, -0.1]), "triangle"),
        (np.stack([np.eye(3), np.diag([0.1, 0.1, 1.0])]), "triangle"),
    ],
    ids=["asymmetric", "too flat", "negative", "one frame of many"],
)
def test_a_tensor_of_no_real_body_is_refused(tensor: np.ndarray, words: str) -> None:
    with pytest.raises(InvalidValueError, match=f"shank.*{words}"):
        Segment("shank", 3.0, np.zeros(3), tensor)


@pytest.mark.parametrize("tensor", [np.diag([1.0, 1.0, 0.0]), np.diag([1.0, 1.0, 2.0]), np.zeros((3, 3))])
def test_rods_plates_and_points_are_bodies_too(tensor: np.ndarray) -> None:
    """The conventional model's segments are rods: semi-definite is allowed, turned into any axes as well."""
    R = poses()[0]
    assert Segment("foot", 1.0, np.zeros(3), R @ tensor @ R.T).mass_kg == 1.0


@pytest.mark.parametrize("mass_kg", [-1.0, np.nan, np.inf])
def test_a_mass_below_nothing_or_without_bounds_is_refused(mass_kg: float) -> None:
    with pytest.raises(InvalidValueError, match="mass_kg, not"):
        Segment("foot", mass_kg, np.zeros(3), np.eye(3))
