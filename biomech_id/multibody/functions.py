"""Functions of one coordinate that stand in OpenSim's models, as `AxisFunction`: value and two derivatives.

All of them take arrays of any shape; what is piecewise is a list of polynomials, with a piece before the first break and one after
the last, so that nothing ends where the data do.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, IntArray, readonly
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.joints import AxisFunction
from biomech_id.signal.natural_spline import CUBIC, NaturalSpline
from biomech_id.values import dataclass

#: Points that a spline's end is taken from.
_END_POINTS = 4


@dataclass(frozen=True)
class ConstantFunction:
    """The same everywhere.

    Attributes
    ----------
    constant : float
        The value, rad or m.

    Examples
    --------
    >>> from biomech_id.multibody.functions import ConstantFunction
    >>> ConstantFunction(0.2).value(1.5), ConstantFunction(0.2).slope(1.5)
    (0.2, 0.0)
    """

    constant: float

    def value(self, q: Any) -> Any:
        """The constant, in the shape of ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, rad or m.
        """
        return 0.0 * q + self.constant

    def slope(self, q: Any) -> Any:
        """Zero.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            Zeros in the shape of ``q``.
        """
        return 0.0 * q

    def curvature(self, q: Any) -> Any:
        """Zero.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            Zeros in the shape of ``q``.
        """
        return 0.0 * q


@dataclass(frozen=True)
class ScaledFunction:
    """A multiple of another function: what scaling a model makes of a translation.

    Attributes
    ----------
    factor : float
        Multiplies value and derivatives.
    inner : AxisFunction
        The function that is multiplied.

    Examples
    --------
    >>> from biomech_id.multibody.functions import ConstantFunction, ScaledFunction
    >>> ScaledFunction(1.1, ConstantFunction(2.0)).value(0.0)
    2.2
    """

    factor: float
    inner: AxisFunction

    def value(self, q: Any) -> Any:
        """Value at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, rad or m.
        """
        return self.factor * self.inner.value(q)

    def slope(self, q: Any) -> Any:
        """First derivative at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, for a unit of the coordinate.
        """
        return self.factor * self.inner.slope(q)

    def curvature(self, q: Any) -> Any:
        """Second derivative at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, for a unit of the coordinate squared.
        """
        return self.factor * self.inner.curvature(q)


@dataclass(frozen=True)
class SineFunction:
    """amplitude sin(q + phase) + offset.

    Attributes
    ----------
    amplitude : float
        Half the range of its values, rad or m.
    phase_rad : float, optional
        Added to the coordinate; a quarter turn makes a cosine.
    offset : float, optional
        Mean of its values, rad or m.
    rate : float, optional
        Factor of the coordinate within the sine.

    Examples
    --------
    >>> from biomech_id.multibody.functions import SineFunction
    >>> wave = SineFunction(0.5, offset=1.0)
    >>> float(wave.value(0.0)), float(wave.slope(0.0)), float(wave.curvature(0.0))
    (1.0, 0.5, -0.0)
    """

    amplitude: float
    phase_rad: float = 0.0
    offset: float = 0.0
    rate: float = 1.0

    def value(self, q: Any) -> Any:
        """Value at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, rad or m.
        """
        return self.amplitude * np.sin(self.rate * q + self.phase_rad) + self.offset

    def slope(self, q: Any) -> Any:
        """First derivative at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, for a unit of the coordinate.
        """
        return self.amplitude * self.rate * np.cos(self.rate * q + self.phase_rad)

    def curvature(self, q: Any) -> Any:
        """Second derivative at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, for a unit of the coordinate squared.
        """
        return -self.amplitude * self.rate**2 * np.sin(self.rate * q + self.phase_rad)


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial:
    """Polynomials between breaks, each in powers of the distance from its own break.

    Attributes
    ----------
    breaks : FloatArray
        (n,), rising. Piece 0 lies before the first break and starts from it, piece i after break i - 1.
    coefficients : FloatArray
        (n + 1, k), lowest power first.
    """

    breaks: FloatArray
    coefficients: FloatArray

    def value(self, q: Any) -> Any:
        """Value at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, rad or m.
        """
        return self._sum(q, 0)

    def slope(self, q: Any) -> Any:
        """First derivative at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, for a unit of the coordinate.
        """
        return self._sum(q, 1)

    def curvature(self, q: Any) -> Any:
        """Second derivative at ``q``.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, for a unit of the coordinate squared.
        """
        return self._sum(q, 2)

    def _sum(self, q: Any, order: int) -> Any:
        q = np.asarray(q)
        piece = np.searchsorted(self.breaks, q.real, side="right")
        h = q - self.breaks[np.maximum(piece - 1, 0)]
        total = 0.0 * h
        for power in reversed(range(order, self.coefficients.shape[1])):
            falling = float(np.prod(np.arange(power - order + 1, power + 1)))
            total = total * h + falling * self.coefficients[piece, power]
        return total


def _points(x: ArrayLike, y: ArrayLike, least: int) -> tuple[FloatArray, FloatArray]:
    x = readonly(x, (None,), name="x", where="function")
    y = readonly(y, (len(x),), name="y", where="function")
    if len(x) < least or not (np.diff(x) > 0).all() or not np.isfinite([*x, *y]).all():
        raise InvalidValueError(
            "A function through points needs x that rise.", value=x.tolist(), expected=f"at least {least} rising numbers",
            where="x of the function",
        )  # fmt: skip
    return x, y


def simm_spline(x: ArrayLike, y: ArrayLike) -> PiecewisePolynomial:
    """Cubic spline of OpenSim's models (SimmSpline, once natCubicSpline), straight beyond its points.

    Two derivatives are continuous. It is not natural: the third derivative at each end is that of the cubic through the four
    points there; of three points it is zero. Two points give a line.

    Parameters
    ----------
    x : ArrayLike
        (n,), rising, n from 2.
    y : ArrayLike
        (n,), values there, rad or m.

    Returns
    -------
    PiecewisePolynomial
        Cubics between the points, straight lines beyond.

    Raises
    ------
    InvalidValueError
        Numbers x that do not rise, or that are fewer than two.

    Examples
    --------
    >>> from biomech_id.multibody.functions import simm_spline
    >>> cubic = simm_spline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> cubic.value([0.5, 4.0]).round(6).tolist()
    [0.125, 54.0]
    """
    x, y = _points(x, y, 2)
    h, s = np.diff(x), np.diff(y) / np.diff(x)
    z = np.linalg.solve(*_simm_equations(x, y, h, s)) if len(x) > 2 else np.zeros(len(x))
    inside = np.stack([y[:-1], s - h * (2 * z[:-1] + z[1:]), 3 * z[:-1], np.diff(z) / h], axis=1)
    first = [y[0], inside[0, 1], 0.0, 0.0]
    last = [y[-1], s[-1] + h[-1] * (z[-2] + 2 * z[-1]), 0.0, 0.0]
    return PiecewisePolynomial(x, np.array([first, *inside, last]))


def _simm_equations(x: FloatArray, y: FloatArray, h: FloatArray, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Equations of a sixth of the second derivative at each point."""
    n = len(x)
    A, b = np.zeros((n, n)), np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2], b[i] = (h[i - 1], 2 * (h[i - 1] + h[i]), h[i]), s[i] - s[i - 1]
    A[0, :2], A[-1, -2:] = (-h[0], h[0]), (-h[-1], h[-1])
    if n >= _END_POINTS:
        b[0] = h[0] ** 2 * _third_difference(x[:_END_POINTS], y[:_END_POINTS])
        b[-1] = h[-1] ** 2 * _third_difference(x[-_END_POINTS:], y[-_END_POINTS:])
    return A, b


def _third_difference(x: FloatArray, y: FloatArray) -> float:
    for gap in (1, 2, 3):
        y = np.diff(y) / (x[gap:] - x[:-gap])
    return float(y[0])


def piecewise_linear(x: ArrayLike, y: ArrayLike) -> PiecewisePolynomial:
    """Straight lines through points, the first and the last going on.

    Parameters
    ----------
    x : ArrayLike
        (n,), rising, n from 2.
    y : ArrayLike
        (n,), values there, rad or m.

    Returns
    -------
    PiecewisePolynomial
        Lines between the points and beyond.

    Raises
    ------
    InvalidValueError
        Numbers x that do not rise, or that are fewer than two.

    Examples
    --------
    >>> from biomech_id.multibody.functions import piecewise_linear
    >>> piecewise_linear([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]).value([-1.0, 1.5, 3.0]).tolist()
    [-1.0, 2.0, 5.0]
    """
    x, y = _points(x, y, 2)
    s = np.diff(y) / np.diff(x)
    rows = [[y[0], s[0]], *np.stack([y[:-1], s], axis=1), [y[-1], s[-1]]]
    return PiecewisePolynomial(x, np.array(rows))


def natural_function(x: ArrayLike, y: ArrayLike, degree: int = CUBIC) -> PiecewisePolynomial:
    """Natural spline through points: a GCVSpline without smoothing.

    Parameters
    ----------
    x, y : ArrayLike
        (n,), x rises; n from 2 for a cubic, which goes on straight, from 3 for a quintic, which goes on as a parabola.
    degree : int, optional
        3 for a cubic, 5 for a quintic.

    Returns
    -------
    PiecewisePolynomial
        Cubics or quintics between the points, half their degree beyond.

    Raises
    ------
    InvalidValueError
        Numbers x that do not rise, or that are too few.

    Examples
    --------
    >>> from biomech_id.multibody.functions import natural_function
    >>> natural_function([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]).curvature([0.0, 1.0, 2.0, 5.0]).round(12).tolist()
    [0.0, -3.0, 0.0, 0.0]
    """
    half = (degree + 1) // 2
    x, y = _points(x, y, half)
    spline = NaturalSpline(x, y[:, None], degree)
    powers = np.column_stack([spline(x, order)[:, 0] / factorial(order) for order in range(degree + 1)])
    outer = np.where(np.arange(degree + 1) < half, powers[[0, -1]], 0.0)
    return PiecewisePolynomial(x, np.vstack([outer[:1], powers[:-1], outer[1:]]))


@dataclass(frozen=True, eq=False)
class MultivariatePolynomial:
    """A sum of products of powers of several coordinates.

    Attributes
    ----------
    coefficients : FloatArray
        (T,), of the products.
    exponents : IntArray
        (T, k), powers of the k coordinates in each product.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.functions import MultivariatePolynomial
    >>> plane = MultivariatePolynomial(np.array([1.0, 2.0]), np.array([[0, 1], [1, 1]]))
    >>> plane.value(np.array([[3.0, 5.0]])), plane.gradient(np.array([[3.0, 5.0]]))
    (array([35.]), array([[10.,  7.]]))
    """

    coefficients: FloatArray
    exponents: IntArray

    def value(self, x: FloatArray) -> FloatArray:
        """The sum.

        Parameters
        ----------
        x : FloatArray
            (N, k), coordinates, rad or m.

        Returns
        -------
        FloatArray
            (N,), rad or m.
        """
        return np.asarray((x[:, None] ** self.exponents).prod(axis=2) @ self.coefficients)

    def gradient(self, x: FloatArray) -> FloatArray:
        """Its derivatives by the coordinates.

        Parameters
        ----------
        x : FloatArray
            (N, k), coordinates, rad or m.

        Returns
        -------
        FloatArray
            (N, k), as the sum, by the unit of each coordinate.
        """
        slopes = np.empty_like(x)
        for k, own in enumerate(np.eye(x.shape[1], dtype=int)):
            lower = MultivariatePolynomial(self.coefficients * self.exponents[:, k], np.maximum(self.exponents - own, 0))
            slopes[:, k] = lower.value(x)
        return slopes
