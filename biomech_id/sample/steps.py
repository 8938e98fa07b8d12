"""Smooth steps with compact support: how the virtual subject begins and ends every movement.

Let S_n be the regularised incomplete beta function I_u(n+1, n+1), the polynomial of degree 2n+1 that rises from 0 to 1 with n
vanishing derivatives at both ends; beyond its interval it is exactly 0 or 1. In Bernstein form every term is positive, so that
nothing cancels: with N = 2n+1 and b(k,N) the Bernstein polynomials, ::

    S_n(u) = sum_{k=n+1}^{N} b(k,N)(u),            dS_n/du = (N!/(n!)^2) u^n (1-u)^n
    int_0^u S_n = sum_{j=n+2}^{N+1} (j-n-1)/(N+1) b(j,N+1)(u)

`glide` is the step whose speed is constant but for smooth ends (a foot carried forward, load shifted from leg to leg).
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial

import numpy as np

from biomech_id.sample.arrays import Array
from biomech_id.sample.jets import Jet, compose


def smoothstep(u: Jet, n: int) -> Jet:
    """S_n(u): 0 for u <= 0, 1 for u >= 1, n continuous derivatives across the ends.

    Parameters
    ----------
    u : Jet
        (m,), share of the way, 0 to 1 inside.
    n : int
        Order: the number of continuous derivatives.

    Returns
    -------
    Jet
        (m,), without unit.
    """
    factor = factorial(2 * n + 1) // factorial(n) ** 2
    weights = dict.fromkeys(range(n + 1, 2 * n + 2), 1)

    def rise(x: Jet) -> Jet:
        return compose(_bernstein(x.value, 2 * n + 1, weights), lambda y: factor * power(y, n) * power(1 - y, n), x)

    return _within(u, rise, beyond=lambda x: x * 0 + 1)


def smoothstep_integral(u: Jet, n: int) -> Jet:
    """Integral of S_n from 0 to u: 0 for u <= 0, u - 1/2 for u >= 1.

    Parameters
    ----------
    u : Jet
        Share of the way, 0 to 1 inside.
    n : int
        Order: the number of continuous derivatives.

    Returns
    -------
    Jet
        (m,), without unit.
    """
    degree = 2 * n + 2
    weights = {j: j - n - 1 for j in range(n + 2, degree + 1)}

    def area(x: Jet) -> Jet:
        return compose(_bernstein(x.value, degree, weights) / degree, lambda y: smoothstep(y, n), x)

    return _within(u, area, beyond=lambda x: x - 0.5)


def glide(u: Jet, n: int, ramps: tuple[float, float]) -> Jet:
    """A step from 0 to 1 over 0 <= u <= 1 of constant speed but for smooth ends.

    Parameters
    ----------
    u : Jet
        Share of the way, 0 to 1 inside.
    n : int
        Order: the number of continuous derivatives.
    ramps : tuple[float, float]
        Shares of the way in which speed rises and falls.

    Returns
    -------
    Jet
        (m,), without unit.
    """
    first, last = ramps

    def move(x: Jet) -> Jet:
        rising = smoothstep_integral(x / first, n) * first
        falling = smoothstep_integral((x - (1 - last)) / last, n) * last
        return (rising - falling) / (1 - (first + last) / 2)

    return _within(u, move, beyond=lambda x: x * 0 + 1)


def bump(u: Jet, n: int) -> Jet:
    """(4 u (1-u))^n inside 0 < u < 1, zero outside: n-1 continuous derivatives, height 1.

    Parameters
    ----------
    u : Jet
        Share of the way, 0 to 1 inside.
    n : int
        Order: the number of continuous derivatives.

    Returns
    -------
    Jet
        (m,), without unit.
    """
    return _within(u, lambda x: power(4 * x * (1 - x), n), beyond=lambda x: x * 0)


def power(a: Jet, n: int) -> Jet:
    """A jet to a non-negative integer power.

    Parameters
    ----------
    a : Jet
        Base, of any shape.
    n : int
        Exponent, 0 or more.

    Returns
    -------
    Jet
        Of the base's shape.
    """
    result = a * 0 + 1
    for _ in range(n):
        result = result * a
    return result


def _within(u: Jet, inside: Callable[[Jet], Jet], beyond: Callable[[Jet], Jet]) -> Jet:
    """Return a function that is exactly 0 up to u = 0, ``inside`` up to u = 1 and ``beyond`` from there on."""
    result = u.c * 0
    between, over = (u.value > 0) & (u.value < 1), u.value >= 1
    for where, function in ((between, inside), (over, beyond)):
        # Most of a walk is outside of any one step.
        if where.any():
            result[:, where] = function(Jet(u.c[:, where])).c
    return Jet(result)


def _bernstein(x: Array, degree: int, weights: dict[int, int]) -> Array:
    """Sum of weight[k] times the k-th Bernstein polynomial of the given degree."""
    ascending, descending = [x * 0 + 1], [x * 0 + 1]
    for _ in range(degree):
        ascending.append(ascending[-1] * x)
        descending.append(descending[-1] * (1 - x))
    return np.asarray(sum(w * comb(degree, k) * ascending[k] * descending[degree - k] for k, w in weights.items()))
