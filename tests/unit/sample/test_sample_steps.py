"""Smooth steps: exact ends, exact derivatives, promised smoothness."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.sample.jets import time_jet
from biomech_id.sample.steps import bump, glide, smoothstep, smoothstep_integral

U = np.linspace(-0.4, 1.4, 361)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_smoothstep_is_exactly_flat_outside_and_monotone_inside(n: int) -> None:
    step = smoothstep(time_jet(U, order=2), n)
    assert not step.value[U <= 0].any()
    assert (step.value[U >= 1] == 1.0).all()
    assert not step.c[1:, (U <= 0) | (U >= 1)].any()
    assert (np.diff(step.value) >= 0).all()
    np.testing.assert_allclose(step.value + step.value[::-1], 1.0, atol=1e-15)


def test_smoothstep_of_order_two_is_the_textbook_quintic() -> None:
    inside = np.linspace(0.01, 0.99, 50)
    step = smoothstep(time_jet(inside, order=2), 2)
    np.testing.assert_allclose(step.value, 6 * inside**5 - 15 * inside**4 + 10 * inside**3, atol=1e-15)
    np.testing.assert_allclose(step.derivative(1), 30 * inside**2 * (1 - inside) ** 2, atol=1e-14)
    np.testing.assert_allclose(step.derivative(2), 60 * inside * (1 - inside) * (1 - 2 * inside), atol=1e-13)


@pytest.mark.parametrize("n", [1, 4])
def test_derivatives_vanish_at_the_ends_to_the_promised_order(n: int) -> None:
    step = smoothstep(time_jet(np.array([1e-9, 1 - 1e-9]), order=n), n)
    for k in range(1, n + 1):
        # The (n+1)-th derivative is bounded, so the k-th is at most of size u^(n+1-k).
        assert np.abs(step.derivative(k)).max() < 1e5 * 1e-9 ** (n + 1 - k)


@pytest.mark.parametrize("n", [0, 3])
def test_the_integral_is_the_integral(n: int) -> None:
    area = smoothstep_integral(time_jet(U, order=2), n)
    np.testing.assert_allclose(area.derivative(1), smoothstep(time_jet(U, order=0), n).value, atol=1e-14)
    assert not area.value[U <= 0].any()
    np.testing.assert_allclose(area.value[U >= 1], U[U >= 1] - 0.5, atol=1e-15)


def test_a_glide_moves_at_constant_speed_between_its_ramps() -> None:
    ramps = (0.2, 0.4)
    step = glide(time_jet(U, order=1), 2, ramps)
    assert not step.value[U <= 0].any()
    assert (step.value[U >= 1] == 1.0).all()
    middle = (U > 0.2) & (U < 0.6)
    np.testing.assert_allclose(step.derivative(1)[middle], 1 / 0.7, atol=1e-13)


def test_a_bump_has_height_one_and_is_nothing_outside() -> None:
    hill = bump(time_jet(U, order=2), 3)
    assert not hill.c[:, (U <= 0) | (U >= 1)].any()
    assert hill.value.max() == pytest.approx(1.0, abs=1e-12)
    assert hill.derivative(2)[np.argmin(np.abs(U - 0.5))] == pytest.approx(-24.0, abs=1e-9)
