"""Smooth steps with compact support: how the virtual subject begins and ends every movement.

Let S_n be the regularised incomplete beta function I_u(n+1, n+1), the polynomial of degree 2n+1 that rises from 0 to 1 with n
vanishing derivatives at both ends; beyond its interval it is exactly 0 or 1. In Bernstein form every term is positive, so that
nothing cancels: with N = 2n+1 and b(k,N) the Bernstein polynomials,

    S_n(u) = sum_{k=n+1}^{N} b(k,N)(u),            dS_n/du = (N!/(n!)^2) u^n (1-u)^n
    int_0^u S_n = sum_{j=n+2}^{N+1} (j-n-1)/(N+1) b(j,N+1)(u)

`glide` is the step whose speed is constant but for smooth ends (a foot carried forward, load shifted from leg to leg).
"""

from __future__ import annotations

from math import comb, factorial

import numpy as np

from biomech_id.sample.arrays import Array
from biomech_id.sample.jets import Jet, compose


def smoothstep(u: Jet, n: int) -> Jet:
    """Return S_n(u): 0 for u <= 0, 1 for u >= 1, n continuous derivatives across the ends.

    Parameters
    ----------
    u : (m,) dimensionless.
    n : smoothness.
    """
    inside, clipped = _clip(u)
    degree = 2 * n + 1
    value = sum(comb(degree, k) * clipped.value**k * (1 - clipped.value) ** (degree - k) for k in range(n + 1, degree + 1))
    factor = factorial(degree) // factorial(n) ** 2
    rise = compose(np.asarray(value), lambda x: factor * power(x, n) * power(1 - x, n), clipped)
    return _outside_is_constant(rise, inside)


def smoothstep_integral(u: Jet, n: int) -> Jet:
    """Return the integral of S_n from 0 to u: 0 for u <= 0, u - 1/2 for u >= 1."""
    inside, clipped = _clip(u)
    degree = 2 * n + 2
    v = clipped.value
    value = sum((j - n - 1) * comb(degree, j) * v**j * (1 - v) ** (degree - j) for j in range(n + 2, degree + 1)) / degree
    within = compose(np.asarray(value), lambda x: smoothstep(x, n), clipped)
    beyond = np.where(u.value >= 1, 1, 0)
    return _outside_is_constant(within, inside) * (1 - beyond) + (u - 0.5) * beyond


def glide(u: Jet, n: int, ramps: tuple[float, float]) -> Jet:
    """Return a step from 0 to 1 over 0 <= u <= 1; its speed rises as S_n over the first share ``ramps[0]``, falls over the last."""
    first, last = ramps
    rising = smoothstep_integral(u / first, n) * first
    falling = smoothstep_integral((u - (1 - last)) / last, n) * last
    moving = (rising - falling) / (1 - (first + last) / 2)
    # Exactly 1 beyond the end: two glides, one after the other, must cancel to nothing and not to rounding.
    over = np.where(u.value >= 1, 1, 0)
    return moving * (1 - over) + over


def bump(u: Jet, n: int) -> Jet:
    """Return (4 u (1-u))^n inside 0 < u < 1, zero outside: n-1 continuous derivatives, height 1."""
    inside, clipped = _clip(u)
    return _outside_is_constant(power(4 * clipped * (1 - clipped), n), inside)


def power(a: Jet, n: int) -> Jet:
    """Return a jet to a non-negative integer power."""
    result = Jet(np.concatenate([a.c[:1] * 0 + 1, a.c[1:] * 0]))
    for _ in range(n):
        result = result * a
    return result


def _clip(u: Jet) -> tuple[Array, Jet]:
    """Where 0 < u < 1, and u held at the nearer end elsewhere."""
    inside = (u.value > 0) & (u.value < 1)
    held = np.where(inside, u.value, np.where(u.value >= 1, 1, 0) + u.value * 0)
    return inside, Jet(np.concatenate([held[None], u.c[1:]]))


def _outside_is_constant(a: Jet, inside: Array) -> Jet:
    mask = inside.astype(int)
    return Jet(np.concatenate([a.c[:1], a.c[1:] * mask]))
