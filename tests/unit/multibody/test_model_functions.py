"""Functions of OpenSim's models: what they pass through, how they end, and that their derivatives are theirs."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError
from biomech_id.multibody.functions import (
    ConstantFunction,
    MultivariatePolynomial,
    ScaledFunction,
    SineFunction,
    natural_function,
    piecewise_linear,
    simm_spline,
)
from biomech_id.multibody.joints import AxisFunction

X = np.array([-2.0, -1.1, 0.2, 0.7, 1.9])
Y = np.array([0.3, -0.2, 0.5, 0.4, 0.1])
FUNCTIONS: dict[str, AxisFunction] = {
    "simm": simm_spline(X, Y),
    "simm of three": simm_spline(X[:3], Y[:3]),
    "simm of two": simm_spline(X[:2], Y[:2]),
    "cubic": natural_function(X, Y),
    "quintic": natural_function(X, Y, 5),
    "lines": piecewise_linear(X, Y),
    "sine": SineFunction(0.4, 0.3, 0.1, 2.0),
    "scaled": ScaledFunction(1.7, simm_spline(X, Y)),
    "constant": ConstantFunction(0.3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_value(name: str) -> None:
    f = FUNCTIONS[name]
    at = np.linspace(-3.03, 3.01, 61)
    np.testing.assert_allclose(f.slope(at), f.value(at + 1e-20j).imag / 1e-20, atol=1e-13)
    np.testing.assert_allclose(f.curvature(at), f.slope(at + 1e-20j).imag / 1e-20, atol=1e-13)


@pytest.mark.parametrize("name", ["simm", "cubic", "quintic", "lines"])
def test_they_pass_through_their_points_and_go_on_evenly(name: str) -> None:
    f = FUNCTIONS[name]
    np.testing.assert_allclose(f.value(X), Y, atol=1e-13)
    for end, outwards in ((X[0], -1.0), (X[-1], 1.0)):
        before, after = (f.slope(np.array([end + outwards * h])) for h in (-1e-9, 1e-9))
        np.testing.assert_allclose(before, after, atol=1e-7)
        beyond = f.curvature(np.array([end + outwards, end + 2 * outwards]))
        assert np.ptp(beyond) < 1e-12
        assert name == "quintic" or not beyond.any()


def test_a_simm_spline_ends_with_the_cubic_through_four_points() -> None:
    for points in (slice(0, 4), slice(-4, None)):
        cubic = np.polynomial.Polynomial.fit(X[points], Y[points], 3)
        third = 6 * cubic.convert().coef[3]
        h = 1e-4
        at = X[points][0] + 2 * h if points.start == 0 else X[-1] - 2 * h
        curvature = FUNCTIONS["simm"].curvature(np.array([at - h, at + h]))
        assert float(np.diff(curvature)[0]) / (2 * h) == pytest.approx(third, rel=1e-6)


@pytest.mark.parametrize("x", [[0.0], [0.0, 0.0], [1.0, 0.0], [0.0, np.nan]])
def test_points_that_do_not_rise_are_refused(x: list[float]) -> None:
    for make in (simm_spline, piecewise_linear, natural_function):
        with pytest.raises(InvalidValueError, match="needs x that rise"):
            make(x, x)


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_a_polynomial_of_two_coordinates_has_its_slopes_in_every_frame(frames: int) -> None:
    x = np.random.default_rng(3).normal(size=(frames, 2))
    polynomial = MultivariatePolynomial(np.array([0.5, -1.0, 2.0]), np.array([[2, 0], [1, 1], [0, 3]]))
    expected = np.stack([x[:, 0] - x[:, 1], -x[:, 0] + 6.0 * x[:, 1] ** 2], axis=1)
    assert polynomial.gradient(x) == pytest.approx(expected)
