"""Taylor jets against derivatives known by hand, and in 50-digit arithmetic."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from biomech_id.sample.jets import (
    Jet,
    constant,
    jet_cross,
    jet_dot,
    jet_unit,
    matmul,
    rotate,
    sin_cos,
    sqrt,
    stack,
    time_jet,
    transpose,
)

T = np.linspace(-1.3, 2.1, 7)


def test_time_is_a_straight_line() -> None:
    t = time_jet(T, order=3)
    assert np.array_equal(t.value, T)
    assert np.array_equal(t.derivative(1), np.ones(7))
    assert not t.derivative(2).any()
    assert not t.derivative(3).any()


def test_products_quotients_and_roots_have_the_derivatives_of_calculus() -> None:
    t = time_jet(T, order=2)
    f = (3 * t * t - 2 * t + 1) / (t * t + 2)
    p, dp, ddp = 3 * T**2 - 2 * T + 1, 6 * T - 2, 6.0
    q, dq, ddq = T**2 + 2, 2 * T, 2.0
    first = (dp * q - p * dq) / q**2
    second = (ddp * q - p * ddq) / q**2 - 2 * dq * first / q
    np.testing.assert_allclose(f.value, p / q, atol=1e-14)
    np.testing.assert_allclose(f.derivative(1), first, atol=1e-14)
    np.testing.assert_allclose(f.derivative(2), second, atol=1e-14)
    root = sqrt(t * t + 2)
    np.testing.assert_allclose(root.derivative(1), T / np.sqrt(q), atol=1e-14)
    np.testing.assert_allclose(root.derivative(2), 2 / q**1.5, atol=1e-14)


def test_sine_and_cosine_of_an_accelerating_angle() -> None:
    t = time_jet(T, order=2)
    sine, cosine = sin_cos(t * t)
    np.testing.assert_allclose(sine.derivative(1), 2 * T * np.cos(T**2), atol=1e-14)
    np.testing.assert_allclose(sine.derivative(2), 2 * np.cos(T**2) - 4 * T**2 * np.sin(T**2), atol=1e-13)
    np.testing.assert_allclose(cosine.derivative(2), -2 * np.sin(T**2) - 4 * T**2 * np.cos(T**2), atol=1e-13)


def test_constants_on_either_side_of_an_operator() -> None:
    t = time_jet(T, order=2)
    np.testing.assert_allclose((1 - t).derivative(1), -1.0)
    np.testing.assert_allclose((1 / (t + 5)).derivative(2), 2 / (T + 5) ** 3, atol=1e-14)
    vector = t[..., None] * np.array([1.0, 2.0, 3.0]) + np.array([7.0, 0.0, 0.0])
    assert vector.value.shape == (7, 3)
    np.testing.assert_allclose(vector.derivative(1), np.tile([1.0, 2.0, 3.0], (7, 1)))
    assert not vector.derivative(2).any()


def test_a_spinning_triad_has_the_velocity_omega_cross_r() -> None:
    t = time_jet(T, order=2)
    sine, cosine = sin_cos(3 * t)
    zero, one = constant(0.0, t), constant(1.0, t)
    R = stack([stack([cosine, sine, zero]), stack([-sine, cosine, zero]), stack([zero, zero, one])])
    point = rotate(R, np.array([0.2, 0.1, 0.5]))
    omega = np.array([0.0, 0.0, 3.0])
    np.testing.assert_allclose(point.derivative(1), np.cross(omega, point.value), atol=1e-14)
    np.testing.assert_allclose(point.derivative(2), np.cross(omega, np.cross(omega, point.value)), atol=1e-13)
    identity = matmul(R, transpose(R))
    np.testing.assert_allclose(identity.value, np.tile(np.eye(3), (7, 1, 1)), atol=1e-15)
    np.testing.assert_allclose(identity.c[1:], 0.0, atol=1e-14)


def test_vector_products_obey_the_product_rule() -> None:
    t = time_jet(T, order=1)
    a, b = stack([t, t * t, 1 - t]), stack([t * t * t, 2 * t, t])
    np.testing.assert_allclose(jet_cross(a, b).derivative(1),
                               np.cross(a.derivative(1), b.value) + np.cross(a.value, b.derivative(1)), atol=1e-13)  # fmt: skip
    np.testing.assert_allclose(jet_dot(jet_unit(a), jet_unit(a)).c, [np.ones(7), np.zeros(7)], atol=1e-14)


def test_the_same_formula_in_fifty_digits() -> None:
    with mpmath.workdps(50):
        instants = np.array([mpmath.mpf("0.3"), mpmath.mpf("1.7")], dtype=object)
        sine, _ = sin_cos(sqrt(time_jet(instants, order=2) + 2))
        for got, at in zip(sine.derivative(2), instants, strict=True):
            want = mpmath.diff(lambda x: mpmath.sin(mpmath.sqrt(x + 2)), at, 2)
            assert abs(got - want) < mpmath.mpf(10) ** -30


def test_orders_must_agree() -> None:
    with pytest.raises(IndexError):
        _ = time_jet(T, order=2) * time_jet(T, order=1)
    assert isinstance(time_jet(T, order=0) * 2, Jet)
