"""How a straight piece of a muscle's path wraps over a sphere, for many pieces at once.

The shortest path lies in the plane through both ends and the centre: two tangents and an arc of a great circle, and OpenSim takes
that one. Which of the tangents are taken is its rule. Everything is written in the sphere's own axes; two ends, N pieces: arrays
(N, 3).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.models.triads import unit
from biomech_id.osim.muscles.cylinder import (
    INSIDE,
    MAY,
    MUST,
    NONE,
    Arc,
    Choice,
    Cylinders,
    angle_between,
    free_side,
    taken,
    tangents,
)


def _plane(p1: FloatArray, p2: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Axes (N, 2, 3) of the plane through both ends and the centre, the first towards p1, and both ends in them (N, 2)."""
    x = unit(p1)
    across = p2 - np.sum(p2 * x, axis=1, keepdims=True) * x
    # a line through the centre has no plane of its own: any one will do
    other = np.eye(3)[np.argmin(np.abs(x), axis=1)]
    across = np.where(np.linalg.norm(across, axis=1, keepdims=True) > 0, across, cross(x, other))
    axes = np.stack([x, unit(across)], axis=1)
    return axes, (axes @ p1[..., None])[..., 0], (axes @ p2[..., None])[..., 0]


def passes_through(p1: FloatArray, p2: FloatArray) -> FloatArray:
    """Where straight pieces enter and leave a sphere of radius 1 about the origin.

    Parameters
    ----------
    p1, p2 : FloatArray
        (N, 3), ends of the pieces, in radii.

    Returns
    -------
    FloatArray
        (2, N), shares of the way from ``p1`` to ``p2``; NaN for a piece that does not both enter and leave.
    """
    d = p2 - p1
    a, b, c = (np.sum(x * y, axis=1) for x, y in ((d, d), (p1, d), (p1, p1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(b * b - a * (c - 1))
        both = np.stack([-b - root, -b + root]) / a
    return np.where((both > 0) & (both < 1), both, np.nan)


def choose_on_sphere(p1: FloatArray, p2: FloatArray, spheres: Cylinders) -> Choice:
    """Whether and on which side each piece wraps, by OpenSim's rule.

    Parameters
    ----------
    p1, p2 : FloatArray
        (N, 3), ends of the pieces in the spheres' axes, m.
    spheres : Cylinders
        The sphere of each piece: radius and half.

    Returns
    -------
    Choice
        Of N pieces; ``turn`` counts from the first end towards the second.
    """
    radius, sign, rows = spheres.radius_m, spheres.sign, np.arange(len(p1))
    through = np.isfinite(passes_through(p1 / radius[:, None], p2 / radius[:, None])).all(axis=0)
    inside = np.minimum(np.linalg.norm(p1, axis=1), np.linalg.norm(p2, axis=1)) < radius
    wanted = [np.where(p[rows, spheres.axis] >= 0, 1.0, -1.0) == sign for p in (p1, p2)]
    code = np.where(through, np.where((sign != 0) & (wanted[0] | wanted[1]), MUST, MAY), NONE)
    axes, flat1, flat2 = _plane(p1, p2)
    (first, _), (second, _) = tangents(flat1, radius), tangents(flat2, radius)
    turn = free_side(first, second)
    bound = (sign != 0) & ~(wanted[0] & wanted[1])
    # over one half only: the tangents that go most towards the middle, or both others where those lie on the other half
    middle = flat1 + flat2
    bound_turn = np.stack([np.where(np.sum((x[0] - x[1]) * middle, axis=1) < 0, 1.0, -1.0) for x in (first, second)], axis=1)
    half = sign[:, None] * axes[rows, :, spheres.axis]
    way = taken(first, bound_turn[:, 0]) + taken(second, bound_turn[:, 1]) - middle
    bound_turn *= np.where(np.sum(way * half, axis=1) < 0, -1.0, 1.0)[:, None]
    turn = np.where(bound[:, None], bound_turn, turn)
    touching = taken(first, turn[:, 0]) + taken(second, turn[:, 1])
    long = bound & (np.sum(touching * (touching - middle), axis=1) < 0)
    return Choice(np.where(inside, INSIDE, code), turn, bound, long)


def over_sphere(p1: FloatArray, p2: FloatArray, spheres: Cylinders, choice: Choice) -> Arc:
    """Find the path over a sphere, which is the shortest on its side.

    Parameters
    ----------
    p1 : FloatArray
        (N, 3), first ends of the pieces, spheres' axes, m.
    p2 : FloatArray
        (N, 3), last ends.
    spheres : Cylinders
        The sphere of each piece.
    choice : Choice
        Which path; its codes are not looked at.

    Returns
    -------
    Arc
        Where the N paths touch and leave, and the arcs between; NaN where an end lies within its sphere.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.muscles.cylinder import Cylinders
    >>> from biomech_id.osim.muscles.sphere import choose_on_sphere, over_sphere
    >>> p1, p2 = np.array([[0.06, 0.0, 0.0]]), np.array([[-0.06, 0.0, 0.0]])
    >>> one = Cylinders(np.array([0.03]), np.array([np.inf]), np.array([0]), np.array([0.0]))
    >>> over_sphere(p1, p2, one, choose_on_sphere(p1, p2, one)).angle_rad.round(3)
    array([1.047])
    """
    axes, flat1, flat2 = _plane(p1, p2)
    ends = [taken(tangents(flat, spheres.radius_m)[0], choice.turn[:, k]) for k, flat in enumerate((flat1, flat2))]
    angle = angle_between(ends[0], ends[1])
    angle = np.where(choice.long, 2 * np.pi - angle, angle)
    first, last = ((end[:, None] @ axes)[:, 0] for end in ends)
    return Arc(first, last, angle, spheres.radius_m * angle)
