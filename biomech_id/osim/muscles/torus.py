"""How a straight piece of a muscle's path wraps over a torus, for many pieces at once.

OpenSim lays a cylinder of the tube's radius along the ring, where the piece comes near it, and takes the path over the inner half
of that cylinder. Where that is, a search from both ends decides. Its derivative of the distance has a factor of 2 too much at the
ring's radius, so that it looks for a ring twice as large, and it may stop where there is no root at all: to come to the same place
this one takes the same steps (Levenberg-Marquardt's, as in MINPACK).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.models.triads import unit
from biomech_id.osim.muscles.cylinder import MAY, NONE, Arc, Choice, Cylinders, choose, in_axes, slid, unrolled
from biomech_id.osim.muscles.surfaces import Surfaces

#: First step at most, in units of the slope; least relative change of step and of square; most steps.
_FIRST, _LEAST, _MOST = 0.2, 1e-4, 500


def choose_on_torus(p1: FloatArray, p2: FloatArray, tori: Surfaces) -> Choice:
    """Whether and on which side each piece wraps, by OpenSim's rule.

    Parameters
    ----------
    p1, p2 : FloatArray
        (N, 3), ends of the pieces in the tori's axes, m.
    tori : Surfaces
        The torus of each piece.

    Returns
    -------
    Choice
        Of N pieces, on the cylinders that stand for their tori.
    """
    R, middle, on_half = _frames(p1, p2, tori)
    choice = choose(in_axes(R, p1 - middle), in_axes(R, p2 - middle), _tubes(tori))
    return replace(choice, code=np.where(on_half, np.minimum(choice.code, MAY), NONE))


def over_torus(p1: FloatArray, p2: FloatArray, tori: Surfaces, choice: Choice, *, shortest: bool = False) -> Arc:
    """Find the path over the cylinder that stands for a torus.

    Parameters
    ----------
    p1 : FloatArray
        (N, 3), first ends of the pieces, tori's axes, m.
    p2 : FloatArray
        (N, 3), last ends.
    tori : Surfaces
        The torus of each piece.
    choice : Choice
        Which path; its codes are not looked at.
    shortest : bool, optional
        Whether it is the shortest path over that cylinder.

    Returns
    -------
    Arc
        Where the N paths touch and leave, and the arcs between; NaN where an end lies within.
    """
    R, middle, _ = _frames(p1, p2, tori)
    arc = (unrolled if shortest else slid)(in_axes(R, p1 - middle), in_axes(R, p2 - middle), _tubes(tori), choice)
    first, last = (middle + matvec(R, end) for end in (arc.first_m, arc.last_m))
    return replace(arc, first_m=first, last_m=last)


def _tubes(tori: Surfaces) -> Cylinders:
    n = len(tori.sign)
    return Cylinders(tori.radius_m, np.full(n, np.inf), np.zeros(n, dtype=int), np.ones(n))


def _frames(p1: FloatArray, p2: FloatArray, tori: Surfaces) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Axes (N, 3, 3) and middles (N, 3) of cylinders along the rings, x inwards; whether the piece is on the half to be touched."""
    ring, rows = tori.size_m[:, 1], np.arange(len(p1))
    near = [_nearest(p1, p2, ring), _nearest(p2, p1, ring)]
    off = [np.sum(x * x, axis=1) - 2 * ring * np.hypot(x[:, 0], x[:, 1]) for x in near]
    fits = [(tori.sign == 0) | (np.where(x[rows, tori.axis] >= 0, 1.0, -1.0) == tori.sign) for x in near]
    first = fits[0] & (~fits[1] | (off[0] < off[1]))
    place = np.where(first[:, None], near[0], near[1])
    out = unit(place * [1.0, 1.0, 0.0])
    down = np.tile([0.0, 0.0, -1.0], (len(p1), 1))
    return np.stack([-out, down, cross(-out, down)], axis=2), ring[:, None] * out, fits[0] | fits[1]


def _nearest(start: FloatArray, end: FloatArray, ring: FloatArray) -> FloatArray:
    """Places (N, 3) on the lines where OpenSim's search from their starts ends."""
    along = unit(end - start)
    c2, c3 = 2 * np.sum(start * along, axis=1), np.sum(start[:, :2] * along[:, :2], axis=1)
    c4, c5 = np.sum(along[:, :2] ** 2, axis=1), np.sum(start[:, :2] ** 2, axis=1)

    def excess(u: FloatArray) -> FloatArray:
        return np.asarray(c2 + 2 * u - 4 * ring * (c4 * u + c3) / np.sqrt(c4 * u * u + 2 * c3 * u + c5))

    with np.errstate(invalid="ignore", divide="ignore"):
        u = np.zeros(len(start))
        f, steepest, delta, slope = excess(u), np.zeros_like(u), np.full_like(u, _FIRST), np.zeros_like(u)
        going, fresh = f != 0, np.ones(len(u), bool)
        for turn in range(_MOST):
            h = np.where(u == 0, 1.5e-8, 1.5e-8 * np.abs(u))
            slope = np.where(fresh, (excess(u + h) - f) / h, slope)
            steepest = np.maximum(steepest, np.abs(slope))
            newton = np.abs(f / slope)
            bound = newton * steepest > 1.1 * delta
            p = np.where(bound, delta / steepest, newton)
            damping = np.where(bound, np.abs(slope * f) / p - slope * slope, 0.0)
            size = steepest * p
            delta = np.minimum(delta, size) if turn == 0 else delta
            new_u = u - np.sign(f * slope) * p
            new_f = excess(new_u)
            smaller = np.where(0.1 * np.abs(new_f) < np.abs(f), 1 - (new_f / f) ** 2, -1.0)
            linear, damped = (slope * p / f) ** 2, damping * p * p / f**2
            ratio = smaller / (linear + 2 * damped)
            back = -(linear + damped)
            shrink = np.where(smaller >= 0, 0.5, 0.5 * back / (back + 0.5 * smaller))
            shrink = np.where((0.1 * np.abs(new_f) >= np.abs(f)) | (shrink < 0.1), 0.1, shrink)
            grown = np.where(~bound | (ratio >= 0.75), 2 * size, delta)
            delta = np.where(going, np.where(ratio <= 0.25, shrink * np.minimum(delta, 10 * size), grown), delta)
            fresh = going & (ratio >= 1e-4)
            u, f = np.where(fresh, new_u, u), np.where(fresh, new_f, f)
            flat = (np.abs(smaller) <= _LEAST) & (linear + 2 * damped <= _LEAST) & (ratio <= 2)
            going = going & ~flat & (delta > _LEAST * steepest * np.abs(u)) & (f != 0)
            if not going.any():
                break
    return np.asarray(start + u[:, None] * along)
