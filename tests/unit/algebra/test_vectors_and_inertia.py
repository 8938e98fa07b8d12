"""Products of small vectors and matrices against NumPy; tensors against point masses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.inertia import combine, parallel_axis, rotate_inertia, steiner
from biomech_id.algebra.skew import skew, unskew
from biomech_id.algebra.vectors import cross, dot, matvec, matvec_transposed
from biomech_id.errors import InvalidValueError

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(2, 40, 4, 3))
T = RNG.normal(size=(40, 4, 3, 3))


def test_products_equal_numpys() -> None:
    np.testing.assert_allclose(cross(A, B), np.cross(A, B), rtol=0, atol=1e-14)
    np.testing.assert_allclose(dot(A, B), np.einsum("fni,fni->fn", A, B), rtol=0, atol=1e-14)
    np.testing.assert_allclose(matvec(T, A), np.einsum("fnij,fnj->fni", T, A), rtol=0, atol=1e-14)
    np.testing.assert_allclose(matvec_transposed(T, A), np.einsum("fnji,fnj->fni", T, A), rtol=0, atol=1e-14)


@pytest.mark.parametrize("fixed", [np.array([1.0, 2, 3]), A[:, :1], A[0]])
def test_products_broadcast(fixed: np.ndarray) -> None:
    np.testing.assert_allclose(cross(fixed, B), np.cross(np.broadcast_to(fixed, B.shape), B), rtol=0, atol=1e-14)
    np.testing.assert_allclose(matvec(T[0, 0], B), B @ T[0, 0].T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(matvec(T[0], B), np.einsum("nij,fnj->fni", T[0], B), rtol=0, atol=1e-14)


def test_skew_is_the_cross_product() -> None:
    np.testing.assert_allclose(np.einsum("fnij,fnj->fni", skew(A), B), np.cross(A, B), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(unskew(skew(A)), A)
    np.testing.assert_array_equal(unskew(np.eye(3)), np.zeros(3))


def cloud(n: int) -> tuple[np.ndarray, np.ndarray]:
    return RNG.uniform(0.1, 1, n), RNG.normal(size=(n, 3))


def tensor_of(masses: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Sum over particles of -m S(r) S(r), about the origin."""
    return -np.einsum("k,kij,kjl->il", masses, skew(positions), skew(positions))


def test_parallel_axis_and_rotation_against_particles() -> None:
    masses, positions = cloud(20)
    com = masses @ positions / masses.sum()
    about_com = tensor_of(masses, positions - com)
    np.testing.assert_allclose(parallel_axis(about_com, masses.sum(), com), tensor_of(masses, positions), rtol=0, atol=1e-12)
    R = Rotation.random(rng=RNG).as_matrix()
    np.testing.assert_allclose(rotate_inertia(R, about_com), tensor_of(masses, (positions - com) @ R.T), rtol=0, atol=1e-12)
    np.testing.assert_allclose(steiner(2.0, np.array([0, 0, 3.0])), np.diag([18, 18, 0]), rtol=0, atol=1e-14)


def test_two_clouds_are_one_body() -> None:
    (m1, p1), (m2, p2) = cloud(7), cloud(9)
    bodies = [(m.sum(), m @ p / m.sum()) for m, p in ((m1, p1), (m2, p2))]
    tensors = np.array([tensor_of(m, p - com) for (m, p), (_, com) in zip(((m1, p1), (m2, p2)), bodies, strict=True)])
    mass, com, tensor = combine(np.array([b[0] for b in bodies]), np.array([b[1] for b in bodies]), tensors)
    m, p = np.concatenate([m1, m2]), np.concatenate([p1, p2])
    assert mass == pytest.approx(m.sum(), rel=1e-14)
    np.testing.assert_allclose(com, m @ p / m.sum(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(tensor, tensor_of(m, p - com), rtol=0, atol=1e-12)


def test_nothing_has_no_centre_of_mass() -> None:
    with pytest.raises(InvalidValueError, match="no centre of mass"):
        combine(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 3, 3)))
