"""Cardan angles and joint axes, against SciPy and against their definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.rotation import cardan_angles, cardan_matrix, jcs_axes, rotation_about
from biomech_id.errors import InvalidValueError

SEQUENCES = ["".join(p) for p in permutations("xyz")]
RNG = np.random.default_rng(2)
ANGLES = np.stack([RNG.uniform(-3, 3, 50), RNG.uniform(-1.5, 1.5, 50), RNG.uniform(-3, 3, 50)], axis=1)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_and_matrix_agree_with_scipy(sequence: str) -> None:
    R = cardan_matrix(ANGLES, sequence)
    np.testing.assert_allclose(R, Rotation.from_euler(sequence.upper(), ANGLES).as_matrix(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(cardan_angles(R, sequence), ANGLES, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_joint_axes_turn_angle_rates_into_angular_velocity(sequence: str) -> None:
    """omega = sum of rate times axis: the definition of the axes, with the rates by finite differences (good to 1e-8)."""
    R_lab_prox = Rotation.random(50, rng=RNG).as_matrix()
    rates, h = RNG.normal(0, 1, (50, 3)), 1e-6
    before, after = (cardan_matrix(ANGLES + s * h * rates, sequence) for s in (-1, 1))
    rate_of_R = R_lab_prox @ (after - before) / (2 * h)
    R_lab_dist = R_lab_prox @ cardan_matrix(ANGLES, sequence)
    spin = rate_of_R @ np.swapaxes(R_lab_dist, 1, 2)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    axes = jcs_axes(R_lab_prox, R_lab_dist, sequence)
    np.testing.assert_allclose(np.einsum("fik,fk->fi", axes, rates), omega, rtol=0, atol=1e-8)


def test_sine_of_the_middle_angle_is_between_the_outer_axes() -> None:
    R = cardan_matrix(ANGLES, "zxy")
    axes = jcs_axes(np.tile(np.eye(3), (50, 1, 1)), R, "zxy")
    k = np.einsum("fi,fi->f", axes[:, :, 0], axes[:, :, 2])
    np.testing.assert_allclose(k, np.sin(ANGLES[:, 1]), rtol=0, atol=1e-14)


def test_angles_keep_their_precision_near_ninety_degrees() -> None:
    near = np.array([[0.3, np.pi / 2 - 1e-7, -0.2]])
    np.testing.assert_allclose(cardan_angles(cardan_matrix(near, "yxz"), "yxz")[:, 1], near[:, 1], rtol=0, atol=1e-15)


def test_joint_axes_stay_finite_and_unit_where_they_are_parallel() -> None:
    locked = np.array([[0.4, np.pi / 2, 0.7], [0.4, -np.pi / 2, 0.7]])
    R_lab_prox = Rotation.random(2, rng=RNG).as_matrix()
    axes = jcs_axes(R_lab_prox, R_lab_prox @ cardan_matrix(locked, "yxz"), "yxz")
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.einsum("fi,fi->f", axes[:, :, 0], axes[:, :, 1]), 0.0, rtol=0, atol=1e-12)


def test_missing_frames_stay_missing_alone() -> None:
    angles = ANGLES.copy()
    angles[3, 1] = np.nan
    R = cardan_matrix(angles, "yxz")
    back = cardan_angles(R, "yxz")
    assert np.isnan(back[3]).all()
    assert np.isfinite(np.delete(back, 3, axis=0)).all()
    assert np.isnan(rotation_about(0, np.array([np.nan]))).any()
    axes = jcs_axes(np.tile(np.eye(3), (50, 1, 1)), R, "yxz")
    assert np.isnan(axes[3, :, 1]).all()
    assert np.isfinite(np.delete(axes, 3, axis=0)).all()


@pytest.mark.parametrize("sequence", ["xyx", "xy", "abc", "xyzx"])
def test_only_three_different_axes_are_a_sequence(sequence: str) -> None:
    with pytest.raises(InvalidValueError, match="does not name each of x, y and z once"):
        cardan_matrix(ANGLES, sequence)
