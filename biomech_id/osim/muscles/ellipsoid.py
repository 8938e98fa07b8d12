"""How a straight piece of a muscle's path wraps over an ellipsoid, for many pieces at once.

OpenSim's path is plane: it lies in the plane through both ends and a third point of the surface, and in that plane it is two
tangents and an arc of an ellipse. The third point is OpenSim's rule (`third_point`): what is nearest to the piece where it crosses
a plane of symmetry, or the middle of all directions from the piece to what is nearest, or something between the two. Where the
ellipsoid is squeezed to a sphere of radius 1, planes stay planes and tangents tangents, and the arc is one of a circle: its ends
are there in closed form, and its length is an integral. OpenSim searches for the ends, and measures the arc in steps of 1 mm.

The shortest path is not plane; this one is longer. Everything is written in the ellipsoid's own axes; two ends, N pieces: arrays
(N, 3).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.vectors import cross
from biomech_id.models.triads import unit
from biomech_id.osim.muscles.cylinder import INSIDE, MUST, NONE, Arc, Choice
from biomech_id.osim.muscles.sphere import passes_through
from biomech_id.osim.muscles.surfaces import AXIAL, HYBRID, Surfaces

#: Cosines to the nearest axis of symmetry below which the middle direction counts alone, and above which it does not count.
FROM, TO = 0.7073, 0.9
#: How near an end, in shares of the chord, the crossing of a plane of symmetry begins to count less.
FADES = 0.3
#: Places of the chord from which directions are taken, in its shares.
_SAMPLES = np.arange(1, 299) / 300
#: What counts as lying in a plane of symmetry, in mean radii.
_IN_PLANE = 2e-13


@cache
def _gauss() -> tuple[FloatArray, FloatArray]:
    """Places on a path, -1 to 1, where its slope is taken for its length, and their weights."""
    return np.polynomial.legendre.leggauss(32)


def choose_on_ellipsoid(p1: FloatArray, p2: FloatArray, ellipsoids: Surfaces) -> Choice:
    """Whether each piece wraps, by OpenSim's rule: wherever it passes through.

    Parameters
    ----------
    p1, p2 : FloatArray
        (N, 3), ends of the pieces in the ellipsoids' axes, m.
    ellipsoids : Surfaces
        The ellipsoid of each piece.

    Returns
    -------
    Choice
        Of N pieces, of which only the code means something.
    """
    y1, y2 = p1 / ellipsoids.size_m, p2 / ellipsoids.size_m
    through = np.isfinite(passes_through(y1, y2)).all(axis=0)
    # OpenSim takes ends that are seen from the middle within 0.8 degrees for one
    apart = np.sum(p1 * p2, axis=1) < 0.9999 * np.linalg.norm(p1, axis=1) * np.linalg.norm(p2, axis=1)
    inside = np.minimum(np.sum(y1 * y1, axis=1), np.sum(y2 * y2, axis=1)) < 1 - 1e-4
    n = len(p1)
    code = np.where(inside, INSIDE, np.where(through & apart, MUST, NONE))
    return Choice(code, np.ones((n, 2)), np.zeros(n, bool), np.zeros(n, bool))


def over_ellipsoid(p1: FloatArray, p2: FloatArray, ellipsoids: Surfaces, choice: Choice) -> Arc:
    """Find OpenSim's path over an ellipsoid, in the plane through both ends and a third point.

    Parameters
    ----------
    p1 : FloatArray
        (N, 3), first ends of the pieces, ellipsoids' axes, m.
    p2 : FloatArray
        (N, 3), last ends.
    ellipsoids : Surfaces
        The ellipsoid of each piece.
    choice : Choice
        Not looked at.

    Returns
    -------
    Arc
        Where the N paths touch and leave, and the arcs between, with the angle around the squeezed circle; NaN where an end lies
        within.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.musculoskeletal import OffsetFrame, WrapObject
    >>> from biomech_id.osim.muscles.ellipsoid import choose_on_ellipsoid, over_ellipsoid
    >>> from biomech_id.osim.muscles.surfaces import surfaces_of
    >>> p1, p2 = np.array([[0.06, 0.001, 0.0]]), np.array([[-0.06, 0.001, 0.0]])
    >>> one = surfaces_of([WrapObject("ball", "ellipsoid", OffsetFrame("femur_r"), (0.03, 0.03, 0.06))])
    >>> arc = over_ellipsoid(p1, p2, one, choose_on_ellipsoid(p1, p2, one))
    >>> (arc.length_m / arc.angle_rad).round(6)
    array([0.03])
    """
    a = ellipsoids.size_m
    third, beside = third_point(p1, p2, ellipsoids)
    y1, y2 = p1 / a, p2 / a
    normal = unit(cross(y2 - y1, third / a - y1))
    normal *= np.where(np.sum(normal * cross(y2 - y1, beside / a - y1), axis=1) < 0, -1.0, 1.0)[:, None]
    centre = np.sum(normal * y1, axis=1, keepdims=True) * normal
    x = unit(y1 - centre)
    y = cross(normal, x)
    radius = np.sqrt(1 - np.sum(centre * centre, axis=1))
    # both ends are seen with the third point to the left: the path goes clockwise from tangent to tangent
    there = y2 - centre
    first, second = (np.arccos(radius / np.linalg.norm(end - centre, axis=1)) for end in (y1, y2))
    around = np.mod(-np.arctan2(np.sum(there * y, axis=1), np.sum(there * x, axis=1)), 2 * np.pi) - first - second
    start = -first
    nodes, weights = _gauss()
    at = (start[:, None] - around[:, None] * (nodes + 1) / 2)[..., None]
    slopes = (np.cos(at) * y[:, None] - np.sin(at) * x[:, None]) * a[:, None]
    length = np.linalg.norm(slopes, axis=2) @ weights / 2 * radius * around
    ends = [a * (centre + radius[:, None] * (np.cos(t)[:, None] * x + np.sin(t)[:, None] * y)) for t in (start, start - around)]
    return Arc(ends[0], ends[1], around, length)


def third_point(p1: FloatArray, p2: FloatArray, ellipsoids: Surfaces) -> tuple[FloatArray, FloatArray]:
    """Find the point of the surface that OpenSim lays the path's plane through, and the path's side in it.

    Parameters
    ----------
    p1 : FloatArray
        (N, 3), first ends of the pieces, ellipsoids' axes, m.
    p2 : FloatArray
        (N, 3), last ends.
    ellipsoids : Surfaces
        The ellipsoid of each piece, with the half that may be touched and the method.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        (N, 3), m, in the ellipsoids' axes: the point, and one that lies on the same side of the straight piece as the path.
    """
    size = ellipsoids.size_m.mean(axis=1, keepdims=True)
    a, p1, p2 = ellipsoids.size_m / size, p1 / size, p2 / size
    enter, leave = passes_through(p1 / a, p2 / a)
    start, chord = p1 + enter[:, None] * (p2 - p1), (leave - enter)[:, None] * (p2 - p1)
    rows, along = np.arange(len(p1)), np.abs(unit(p2 - p1))
    axis = np.argmax(along, axis=1)
    cosine, crossing = along[rows, axis], -start[rows, axis] / chord[rows, axis]
    point = nearest_on_ellipsoid(a, start + crossing[:, None] * chord, axis)
    hybrid = ellipsoids.method == HYBRID
    fading = np.clip(np.minimum(crossing, 1 - crossing) / FADES, 0.0, 1.0)
    cosine = np.where(hybrid & (cosine > FROM), FROM + fading * (cosine - FROM), cosine)
    share = np.where(hybrid, np.clip((cosine - FROM) / (TO - FROM), 0.0, 1.0), 1.0)
    fan = np.flatnonzero(share < 1)
    point[fan] = _towards_middle(a[fan], start[fan], chord[fan], point[fan], share[fan])
    middle = np.flatnonzero(~hybrid & (ellipsoids.method != AXIAL))
    point[middle] = nearest_on_ellipsoid(a[middle], start[middle] + chord[middle] / 2)
    # on the half that may not be touched: mirrored as far as the crossing counts, to the edge as far as the middle does
    at = point[rows, ellipsoids.axis]
    other = np.flatnonzero((ellipsoids.sign != 0) & (np.where(at >= 0, 1.0, -1.0) != ellipsoids.sign))
    mirrored = point[other]
    mirrored[np.arange(len(other)), ellipsoids.axis[other]] = -at[other] * share[other]
    back = share[other] < 1
    mirrored[back] = nearest_on_ellipsoid(a[other][back], mirrored[back])
    point[other] = mirrored
    # where a crossing beyond the chord says no side, the path takes the nearer one
    beyond = (ellipsoids.method == AXIAL) & ((crossing < 0) | (crossing > 1))
    beyond[other] = False
    return point * size, np.where(beyond[:, None], 2 * start + chord, point) * size


def _towards_middle(a: FloatArray, start: FloatArray, chord: FloatArray, point: FloatArray, share: FloatArray) -> FloatArray:
    """Third points by the middle of all directions from the chord to the surface, and by another as far as that has a share."""
    total = np.empty_like(start)
    for some in np.array_split(np.arange(len(start)), len(start) // 2000 + 1):
        at = start[some, None] + _SAMPLES[:, None] * chord[some, None]
        total[some] = (
            unit(nearest_on_ellipsoid(np.repeat(a[some], len(_SAMPLES), axis=0), at.reshape(-1, 3)) - at.reshape(-1, 3))
            .reshape(at.shape)
            .sum(axis=1)
        )
    middle = nearest_on_ellipsoid(a, start + chord / 2 + unit(total))
    mixed = np.flatnonzero(share > 0)
    weight = share[mixed, None]
    middle[mixed] = nearest_on_ellipsoid(a[mixed], weight * point[mixed] + (1 - weight) * middle[mixed])
    return middle


def nearest_on_ellipsoid(a: FloatArray, place: FloatArray, plane: IntArray | None = None) -> FloatArray:
    """Find the nearest points of ellipsoids, in a plane of symmetry for places that lie in one.

    Parameters
    ----------
    a : FloatArray
        (N, 3), radii, about 1.
    place : FloatArray
        (N, 3), from the middle, in the axes of the ellipsoids.
    plane : IntArray | None, optional
        (N,), the axis that is normal to the plane of symmetry that every place lies in; as they lie if None.

    Returns
    -------
    FloatArray
        (N, 3), as ``place``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.muscles.ellipsoid import nearest_on_ellipsoid
    >>> nearest_on_ellipsoid(np.array([[1.0, 2.0, 0.5]]), np.array([[0.0, 3.0, 0.0]]))
    array([[0., 2., 0.]])
    """
    lies = np.abs(place) <= _IN_PLANE
    flat = np.argmax(np.where(lies, a, 0.0), axis=1) if plane is None else plane
    counts = np.ones(a.shape, bool)
    which = lies.any(axis=1) if plane is None else np.ones(len(a), bool)
    counts[which, flat[which]] = False
    weight, square = np.where(counts, a * place, 0.0), a * a
    # the largest root of a sum of squares that falls on its right: Newton's steps from its left never go beyond
    t = np.max(np.where(counts, np.abs(weight) - square, -np.inf), axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(60):
            ratio = weight / (t + square)
            excess = np.sum(ratio * ratio, axis=1, keepdims=True) - 1
            step = excess / (2 * np.sum(np.where(counts, ratio * ratio / (t + square), 0.0), axis=1, keepdims=True))
            t = t + np.where(np.isfinite(step), step, 0.0)
            if not (step > 1e-8).any():
                break
        point = np.where(counts, a * weight / (t + square), place)
    edge = np.flatnonzero(which & (lies & counts).any(axis=1))
    if len(edge):
        point[edge] = _on_axis(a[edge], place[edge], counts[edge], lies[edge] & counts[edge])
    return point


def _on_axis(a: FloatArray, place: FloatArray, counts: BoolArray, lies: BoolArray) -> FloatArray:
    """Nearest points of ellipses to places on one of their axes, or in their middle."""
    rows, point = np.arange(len(a)), place.copy()
    # in the middle the shorter axis is gone along
    j = np.argmax(np.where(lies, np.where(lies.sum(axis=1, keepdims=True) > 1, a, 1.0), 0.0), axis=1)
    k = np.argmax(counts & (np.arange(3) != j[:, None]), axis=1)
    x, a_j, a_k = place[rows, k], a[rows, j], a[rows, k]
    tip = (a_j >= a_k) | (np.abs(x) >= a_k - a_j * a_j / a_k)
    with np.errstate(divide="ignore", invalid="ignore"):
        beside = np.where(tip, np.where(x >= 0, a_k, -a_k), a_k * a_k * x / (a_k * a_k - a_j * a_j))
    point[rows, k] = beside
    point[rows, j] = np.where(tip, place[rows, j], a_j * np.sqrt(np.maximum(1 - (beside / a_k) ** 2, 0.0)))
    return point
