"""Truncated Taylor series in time: exact derivatives of closed-form motion.

A `Jet` holds the Taylor coefficients c_k = f^(k)(t0) / k! of a function of time at one instant or at many. Arithmetic on jets is
arithmetic on truncated power series, so that a motion written once as a formula yields its velocity and acceleration without
finite differences and without a derivative formula worked out by hand. Recurrences: A. Griewank and A. Walther, *Evaluating
Derivatives*, 2nd ed. (SIAM 2008), table 13.2.

The coefficients may be float64 or any Python number with the same arithmetic (mpmath's ``mpf`` in object arrays): the formulas
of this room can be evaluated in any precision, and a test does so with 50 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.sample.arrays import Array


class Jet:
    """A function of time by its Taylor coefficients.

    Attributes
    ----------
    coefficients : Array
        What ``c`` is made of.
    c : Array
        (order + 1, ...), coefficient k divided by nothing else: f(t0 + h) = sum c[k] h^k. The trailing axes are the value's own
        shape, frames first: (n,) for a scalar, (n, 3) for a vector, (n, 3, 3) for a matrix.
    """

    __array_ufunc__ = None  # NumPy arrays on the left of an operator defer to this class.
    __slots__ = ("c",)

    def __init__(self, coefficients: Array) -> None:
        self.c = coefficients

    @property
    def order(self) -> int:
        """Highest derivative that is carried."""
        return len(self.c) - 1

    @property
    def value(self) -> Array:
        """The function itself, of the value's shape."""
        value: Array = self.c[0]
        return value

    def derivative(self, k: int = 1) -> Array:
        """Derivative in time.

        Parameters
        ----------
        k : int, optional
            Order of the derivative.

        Returns
        -------
        Array
            Of the value's shape, unit of the value per second to the k.
        """
        scaled: Array = self.c[k] * math.factorial(k)
        return scaled

    def rate(self) -> Jet:
        """First derivative as a jet.

        Returns
        -------
        Jet
            Of one order less.
        """
        steps = np.arange(1, len(self.c)).reshape((-1,) + (1,) * (self.c.ndim - 1))
        return Jet(self.c[1:] * steps)

    def __getitem__(self, key: Any) -> Jet:
        """Index the value's own axes: ``p[..., 0]`` is the x component, ``s[..., None]`` broadcasts a scalar on a vector."""
        parts = key if isinstance(key, tuple) else (key,)
        return Jet(self.c[(slice(None), *parts)])

    def __add__(self, other: Jet | ArrayLike) -> Jet:
        return Jet(self.c + other.c) if isinstance(other, Jet) else self._shifted(np.asarray(other))

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.c)

    def __sub__(self, other: Jet | ArrayLike) -> Jet:
        return Jet(self.c - other.c) if isinstance(other, Jet) else self._shifted(-np.asarray(other))

    def __rsub__(self, other: ArrayLike) -> Jet:
        return (-self)._shifted(np.asarray(other))

    def __mul__(self, other: Jet | ArrayLike) -> Jet:
        return convolve(np.multiply, self, other) if isinstance(other, Jet) else Jet(self.c * np.asarray(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Jet | ArrayLike) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.c / np.asarray(other))
        quotient: list[Array] = []
        for k in range(len(self.c)):
            rest = self.c[k]
            for i in range(k):
                rest = rest - quotient[i] * other.c[k - i]
            quotient.append(rest / other.c[0])
        return Jet(np.stack(quotient))

    def __rtruediv__(self, other: ArrayLike) -> Jet:
        return constant(np.asarray(other), self) / self

    def _shifted(self, constant_part: Array) -> Jet:
        head = self.c[:1] + constant_part
        tail = self.c[1:]
        if head.shape[1:] != tail.shape[1:]:
            tail = np.broadcast_to(tail, (len(tail), *head.shape[1:]))
        return Jet(np.concatenate([head, tail]))


def time_jet(time_s: ArrayLike, order: int = 2) -> Jet:
    """Time itself, as the jet that every motion is a function of.

    Parameters
    ----------
    time_s : ArrayLike
        (n,), instants in seconds; float64 or an object array of other numbers.
    order : int, optional
        Number of derivatives to carry.

    Returns
    -------
    Jet
        (n,), s, slope 1.
    """
    values = np.asarray(time_s)
    coefficients = np.zeros((order + 1, *values.shape), dtype=values.dtype)
    coefficients[0] = values
    if order:
        coefficients[1] = coefficients[1] + 1
    return Jet(coefficients)


def constant(value: ArrayLike, like: Jet) -> Jet:
    """A jet that does not change.

    Parameters
    ----------
    value : ArrayLike
        What it is at all times, of any shape.
    like : Jet
        Whose order and frames are taken over.

    Returns
    -------
    Jet
        Value shape ``(n, *value.shape)``; order, number type and frames of ``like``.
    """
    array = np.asarray(value)
    coefficients = np.zeros((*like.c.shape[:2], *array.shape), dtype=like.c.dtype)
    coefficients[0] = coefficients[0] + array
    return Jet(coefficients)


def convolve(product: Callable[[Array, Array], Array], a: Jet, b: Jet) -> Jet:
    """Any bilinear product of two jets by Cauchy's rule: c_k = sum of product(a_i, b_(k-i)).

    Parameters
    ----------
    product : Callable[[Array, Array], Array]
        Bilinear product of two values.
    a, b : Jet
        Factors, of equal order.

    Returns
    -------
    Jet
        Of the factors' order, its value of the product's shape.
    """
    terms: list[Array] = []
    for k in range(len(a.c)):
        total = product(a.c[0], b.c[k])
        for i in range(1, k + 1):
            total = total + product(a.c[i], b.c[k - i])
        terms.append(total)
    return Jet(np.stack(terms))


def jet_cross(a: Jet, b: Jet) -> Jet:
    """Vector product of two jets of vectors.

    Parameters
    ----------
    a, b : Jet
        Factors, of equal order.

    Returns
    -------
    Jet
        (n, 3).
    """
    return convolve(_cross, a, b)


def _cross(a: Array, b: Array) -> Array:
    (a1, a2, a3), (b1, b2, b3) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis=-1)


def jet_dot(a: Jet, b: Jet) -> Jet:
    """Scalar product of two jets of vectors.

    Parameters
    ----------
    a, b : Jet
        Factors, of equal order.

    Returns
    -------
    Jet
        (n,).
    """
    return convolve(lambda u, v: (u * v).sum(axis=-1), a, b)


def matmul(a: Jet, b: Jet) -> Jet:
    """Product of two jets of matrices.

    Parameters
    ----------
    a, b : Jet
        Factors, of equal order.

    Returns
    -------
    Jet
        (n, 3, 3).
    """
    return convolve(np.matmul, a, b)


def rotate(R: Jet, vector: Jet | ArrayLike) -> Jet:
    """Turn vectors by rotations, R v.

    Parameters
    ----------
    R : Jet
        (n, 3, 3), rotation.
    vector : Jet | ArrayLike
        (n, 3), or (3,) for a constant.

    Returns
    -------
    Jet
        (n, 3).
    """
    if isinstance(vector, Jet):
        return convolve(lambda m, v: (m * v[..., None, :]).sum(axis=-1), R, vector)
    return Jet((R.c * np.asarray(vector)).sum(axis=-1))


def transpose(R: Jet) -> Jet:
    """Transpose of a jet of matrices.

    Parameters
    ----------
    R : Jet
        (n, 3, 3), rotation.

    Returns
    -------
    Jet
        (n, 3, 3).
    """
    return Jet(np.swapaxes(R.c, -1, -2))


def stack(parts: Sequence[Jet], axis: int = -1) -> Jet:
    """Join jets of equal shape along a new axis.

    Parameters
    ----------
    parts : Sequence[Jet]
        Jets of equal shape and order.
    axis : int, optional
        Where the new axis goes.

    Returns
    -------
    Jet
        Three (n,) give (n, 3); three column vectors (n, 3) give (n, 3, 3).
    """
    return Jet(np.stack([part.c for part in parts], axis=axis))


def sqrt(a: Jet) -> Jet:
    """Square root of a jet.

    Parameters
    ----------
    a : Jet
        Jet whose value is more than zero.

    Returns
    -------
    Jet
        Of the same shape.
    """
    root = [elementary("sqrt", a.c[0])]
    for k in range(1, len(a.c)):
        rest = a.c[k]
        for i in range(1, k):
            rest = rest - root[i] * root[k - i]
        root.append(rest / (2 * root[0]))
    return Jet(np.stack(root))


def sin_cos(a: Jet) -> tuple[Jet, Jet]:
    """Sine and cosine of an angle.

    Parameters
    ----------
    a : Jet
        (n,), angle in rad.

    Returns
    -------
    tuple[Jet, Jet]
        Both of the angle's shape.
    """
    sine, cosine = [elementary("sin", a.c[0])], [elementary("cos", a.c[0])]
    for k in range(1, len(a.c)):
        terms = range(1, k + 1)
        sine.append(sum(i * a.c[i] * cosine[k - i] for i in terms) / k)
        cosine.append(-sum(i * a.c[i] * sine[k - i] for i in terms) / k)
    return Jet(np.stack(sine)), Jet(np.stack(cosine))


def jet_unit(a: Jet) -> Jet:
    """Divide vectors by their lengths.

    Parameters
    ----------
    a : Jet
        Of length more than zero.

    Returns
    -------
    Jet
        (n, 3).
    """
    return a / sqrt(jet_dot(a, a))[..., None]


def compose(value: Array, slope: Callable[[Jet], Jet], inner: Jet) -> Jet:
    """f(u(t)) from its value f(u0) and f' as an operation on jets: the series of f'(u) u' integrated term by term.

    Parameters
    ----------
    value : Array
        f(u0), of the shape of ``inner``'s value.
    slope : Callable[[Jet], Jet]
        u -> f'(u), on jets.
    inner : Jet
        u(t), whose order is kept.

    Returns
    -------
    Jet
        Of the order of ``inner``.
    """
    if inner.order == 0:
        return Jet(value[None])
    shorter = Jet(inner.c[:-1])
    rate = (slope(shorter) * inner.rate()).c
    steps = np.arange(1, len(rate) + 1).reshape((-1,) + (1,) * (rate.ndim - 1))
    return Jet(np.concatenate([value[None], rate / steps]))


def elementary(name: str, values: Array) -> Array:
    """Apply sin, cos or sqrt to float64 numbers, or to numbers that bring their own arithmetic (mpmath).

    Parameters
    ----------
    name : str
        "sin", "cos" or "sqrt".
    values : Array
        Of any number type.

    Returns
    -------
    Array
        Of the shape and number type of ``values``.
    """
    if values.dtype != object:
        result: Array = getattr(np, name)(values)
        return result
    flat = [getattr(v.context, name)(v) for v in values.ravel()]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(values.shape)
