"""How a straight piece of a muscle's path wraps over a cylinder, for many pieces at once.

Everything is written in the cylinder's own axes: z along it, its middle at the origin. Across z the problem is plane: two tangents
and an arc. Which of the tangents are taken is OpenSim's rule (`choose`); how the path runs along z can be

* OpenSim's over one cylinder: both tangent points slide into the plane through the two ends and one point of the surface (`slid`);
* the shortest: the surface unrolled, the path is a straight line (`unrolled`). OpenSim comes within 0.1 degrees of it over several.

The first is up to 0.2 mm longer than the second. Two ends, N pieces: arrays (N, 3); the cylinder's numbers are (N,).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.values import dataclass

#: What a piece of a path does: an end lies within the cylinder, it passes by, it may wrap, it has to.
INSIDE, NONE, MAY, MUST = -1, 0, 1, 2


@dataclass(frozen=True, eq=False)
class Cylinders:
    """The cylinder of each piece of path.

    Attributes
    ----------
    radius_m : FloatArray
        (N,), around the z axis, m.
    half_length_m : FloatArray
        (N,), from the middle to either end along z, m.
    axis : IntArray
        (N,), 0, 1 or 2: the axis of the half that may be touched.
    sign : FloatArray
        (N,), 1 or -1 for the half, 0 where all of the surface may be touched.
    """

    radius_m: FloatArray
    half_length_m: FloatArray
    axis: IntArray
    sign: FloatArray

    def __getitem__(self, rows: IntArray | BoolArray) -> Cylinders:
        return Cylinders(self.radius_m[rows], self.half_length_m[rows], self.axis[rows], self.sign[rows])


@dataclass(frozen=True, eq=False)
class Choice:
    """Which path over its cylinder each piece takes.

    Attributes
    ----------
    code : IntArray
        (N,), one of `INSIDE`, `NONE`, `MAY`, `MUST`.
    turn : FloatArray
        (N, 2), at each end 1 for the tangent on the side that z x radius points to, -1 for the other.
    far, long : BoolArray
        (N,), the path runs over the side that looks away, or more than half around.
    """

    code: IntArray
    turn: FloatArray
    far: BoolArray
    long: BoolArray

    def __getitem__(self, rows: IntArray | BoolArray) -> Choice:
        return Choice(self.code[rows], self.turn[rows], self.far[rows], self.long[rows])


@dataclass(frozen=True, eq=False)
class Arc:
    """The part of a path that lies on the surface.

    Attributes
    ----------
    first_m, last_m : FloatArray
        (N, 3), where the path touches and leaves.
    angle_rad : FloatArray
        (N,), around the axis.
    length_m : FloatArray
        (N,), along the surface.
    """

    first_m: FloatArray
    last_m: FloatArray
    angle_rad: FloatArray
    length_m: FloatArray


def tangents(p: FloatArray, radius: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Touch circles about the origin with lines from points of their planes.

    Parameters
    ----------
    p : FloatArray
        (N, 2 or more), of which the first two components count, m.
    radius : FloatArray
        (N,), of the circles, m.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        (2, N, 2), both points where a line touches, first on the side that a quarter turn of ``p`` points to; (N,), the distances
        of ``p`` from the origin; m.
    """
    distance = np.hypot(p[:, 0], p[:, 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = radius / distance
        along = (radius * ratio)[:, None] * p[:, :2] / distance[:, None]
        across = (radius * np.sqrt(1 - ratio * ratio) / distance)[:, None] * np.stack([-p[:, 1], p[:, 0]], axis=1)
    return np.stack([along + across, along - across]), distance


def angle_between(a: FloatArray, b: FloatArray) -> FloatArray:
    """Angle between vectors of a plane.

    Parameters
    ----------
    a, b : FloatArray
        (N, 2).

    Returns
    -------
    FloatArray
        (N,), rad, 0 to pi.
    """
    across, along = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]
    return np.abs(np.arctan2(across, along))


def _crossing(p1: FloatArray, p2: FloatArray, radius: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Whether the straight piece passes through the (endless) cylinder, and its point nearest to the axis line (N, 3)."""
    d = p2 - p1
    with np.errstate(invalid="ignore", divide="ignore"):
        t = -(p1[:, 0] * d[:, 0] + p1[:, 1] * d[:, 1]) / (d[:, 0] ** 2 + d[:, 1] ** 2)
        near = p1 + t[:, None] * d
        crosses = (near[:, 0] ** 2 + near[:, 1] ** 2 < radius**2) & (t > 0) & (t < 1)
    return crosses, near


def choose(p1: FloatArray, p2: FloatArray, cylinders: Cylinders) -> Choice:
    """Whether and on which side each piece wraps, by OpenSim's rule.

    Parameters
    ----------
    p1, p2 : FloatArray
        (N, 3), ends of the pieces in the cylinders' axes, m.
    cylinders : Cylinders
        The cylinder of each piece, N of them.

    Returns
    -------
    Choice
        Of N pieces. Where one end lies within the cylinder, or the piece passes by, the rest has no meaning.
    """
    radius, sign, n = cylinders.radius_m, cylinders.sign, len(p1)
    crosses, near = _crossing(p1, p2, radius)
    rows, bound = np.arange(n), sign != 0
    wanted = [np.where(x[rows, cylinders.axis] >= 0, 1.0, -1.0) == sign for x in (p1, p2, near)]
    code = np.where(bound, _bound_code(wanted, crosses), np.where(crosses, MUST, NONE))
    square = radius * radius
    inside = [x[:, 0] ** 2 + x[:, 1] ** 2 < square for x in (p1, p2)]
    code = np.where(inside[0] | inside[1], INSIDE, code)
    turn, far, long = np.ones((n, 2)), np.zeros(n, bool), np.zeros(n, bool)
    some = np.flatnonzero(code >= MAY)
    turn[some], far[some], long[some] = _side(p1[some], p2[some], cylinders[some])
    return Choice(code, turn, far, long)


def _side(p1: FloatArray, p2: FloatArray, cylinders: Cylinders) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Which tangents pieces take that wrap, and whether that is over the far side and the long way."""
    (first, _), (second, _) = (tangents(p, cylinders.radius_m) for p in (p1, p2))
    bound = cylinders.sign != 0
    turn, far = _bound_side(first, second, cylinders)
    if not bound.all():
        turn = np.where(bound[:, None], turn, free_side(first, second))
    r1, r2 = taken(first, turn[:, 0]), taken(second, turn[:, 1])
    outward = ((r1 + r2) * (r1 - p1[:, :2] + r2 - p2[:, :2])).sum(axis=1)
    return turn, bound & far, bound & (outward < 0)


def taken(both: FloatArray, turn: FloatArray) -> FloatArray:
    """Take one of two tangent points.

    Parameters
    ----------
    both : FloatArray
        (2, N, 2), as `tangents` returns them.
    turn : FloatArray
        (N,), 1 for the first, -1 for the second.

    Returns
    -------
    FloatArray
        (N, 2).
    """
    return np.asarray(np.where((turn > 0)[:, None], both[0], both[1]))


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Of vectors from the axis to the surface: the larger, the smaller the angle between them."""
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1]


def free_side(first: FloatArray, second: FloatArray) -> FloatArray:
    """Choose the pair of tangent points with the smallest angle between them.

    Parameters
    ----------
    first, second : FloatArray
        (2, N, 2), of both ends, as `tangents` returns them.

    Returns
    -------
    FloatArray
        (N, 2), for each end 1 or -1.
    """
    best = np.argmax([_dot(first[a], second[b]) for a in (0, 1) for b in (0, 1)], axis=0)
    return np.stack([1.0 - 2.0 * (best // 2), 1.0 - 2.0 * (best % 2)], axis=1)


def _bound_code(wanted: list[BoolArray], crosses: BoolArray) -> IntArray:
    """Code (N,) of pieces that may touch one half only; whether each end and the nearest point lie on it."""
    one, two, near = wanted
    may = (one != two) & ~near
    return np.where(one | two, np.where(crosses, MUST, np.where(may, MAY, NONE)), MAY)


def _bound_side(first: FloatArray, second: FloatArray, cylinders: Cylinders) -> tuple[FloatArray, BoolArray]:
    """Tangent points (N, 2: 1 or -1) by which of them lie on the wanted half, and whether that is the far side."""
    rows = np.arange(first.shape[1])
    one, two = ([np.where(x[k][rows, cylinders.axis] >= 0, 1.0, -1.0) == cylinders.sign for k in (0, 1)] for x in (first, second))
    wider = _dot(first[0], second[1]) < _dot(first[1], second[0])
    nowhere = ~(one[0] | one[1] | two[0] | two[1])
    # where point 1 does not decide, point 2 does; where nothing lies on the half, the pair with the wider angle
    second_decides = np.where(two[0], True, np.where((one[0] & one[1]) | two[1], False, ~wider))
    minus_plus = np.where(one[0] != one[1], one[1], second_decides)
    far = np.where(nowhere, True, np.where(minus_plus, ~wider, wider))
    turn = np.where(minus_plus, -1.0, 1.0)
    return np.stack([turn, -turn], axis=1), far


def slid(p1: FloatArray, p2: FloatArray, cylinders: Cylinders, choice: Choice) -> Arc:
    """OpenSim's path over one cylinder.

    Parameters
    ----------
    p1 : FloatArray
        (N, 3), first ends of the pieces, cylinders' axes, m.
    p2 : FloatArray
        (N, 3), last ends.
    cylinders : Cylinders
        The cylinder of each piece, N of them.
    choice : Choice
        Which path; its codes are not looked at.

    Returns
    -------
    Arc
        Where the N paths touch and leave, and the arcs between; NaN where an end lies within its cylinder.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.muscles.cylinder import Cylinders, choose, slid
    >>> p1, p2 = np.array([[0.05, 0.0, 0.0]]), np.array([[-0.05, 0.001, 0.0]])
    >>> one = Cylinders(np.array([0.03]), np.array([0.05]), np.array([0]), np.array([0.0]))
    >>> slid(p1, p2, one, choose(p1, p2, one)).angle_rad.round(3)
    array([1.267])
    """
    (first, distance1), (second, distance2) = (tangents(p, cylinders.radius_m) for p in (p1, p2))
    r1, r2 = taken(first, choice.turn[:, 0]), taken(second, choice.turn[:, 1])
    z1, z2 = _slide(p1, p2, (r1, r2), (distance1, distance2), cylinders.radius_m, choice.far)
    return _arc(r1, r2, (z1, z2), cylinders.radius_m, choice.long)


def _arc(r1: FloatArray, r2: FloatArray, z: tuple[FloatArray, FloatArray], radius: FloatArray, long: BoolArray) -> Arc:
    angle = angle_between(r1, r2)
    angle = np.where(long, 2 * np.pi - angle, angle)
    ends = [np.concatenate([r, height[:, None]], axis=1) for r, height in zip((r1, r2), z, strict=True)]
    return Arc(ends[0], ends[1], angle, np.hypot(radius * angle, z[1] - z[0]))


def _slide(
    p1: FloatArray, p2: FloatArray, touching: tuple[FloatArray, FloatArray], distance: tuple[FloatArray, FloatArray],
    radius: FloatArray, far: BoolArray,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Heights z of both tangent points in the plane through the ends and the apex."""
    share = distance[0] / (distance[0] + distance[1])
    middle = p1 + share[:, None] * (p2 - p1)
    # normal of the plane through both ends and the axis at the middle's height; its trace across z points to the apex
    l1, l2 = p1.copy(), p2.copy()
    l1[:, 2] -= middle[:, 2]
    l2[:, 2] -= middle[:, 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        normal_x, normal_y = l1[:, 1] * l2[:, 2] - l1[:, 2] * l2[:, 1], l1[:, 2] * l2[:, 0] - l1[:, 0] * l2[:, 2]
        trace = np.stack([-normal_y, normal_x], axis=1) / np.hypot(normal_x, normal_y)[:, None]
        towards = np.sum(trace * middle[:, :2], axis=1) > 0
        apex = np.empty_like(p1)
        apex[:, :2] = np.where((towards != far)[:, None], 1.0, -1.0) * trace * radius[:, None]
        apex[:, 2] = middle[:, 2]
        plane = np.cross(p1 - apex, p2 - apex)
        heights = []
        for p, other, r in ((p1, p2, touching[0]), (p2, p1, touching[1])):
            z = p[:, 2] - (plane[:, 0] * (r[:, 0] - p[:, 0]) + plane[:, 1] * (r[:, 1] - p[:, 1])) / plane[:, 2]
            heights.append(np.where(np.abs(z - other[:, 2]) < np.abs(p[:, 2] - other[:, 2]), z, p[:, 2]))
    return heights[0], heights[1]


def unrolled(p1: FloatArray, p2: FloatArray, cylinders: Cylinders, choice: Choice) -> Arc:
    """The shortest path on the chosen side: a straight line on the unrolled surface.

    Parameters
    ----------
    p1 : FloatArray
        (N, 3), first ends of the pieces, cylinders' axes, m.
    p2 : FloatArray
        (N, 3), last ends.
    cylinders : Cylinders
        The cylinder of each piece, N of them.
    choice : Choice
        Which path; its codes are not looked at.

    Returns
    -------
    Arc
        Where the N paths touch and leave, and the arcs between; NaN where an end lies within its cylinder.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.muscles.cylinder import Cylinders, choose, unrolled
    >>> p1, p2 = np.array([[-1.0, 0.5, 0.0]]), np.array([[1.0, 0.5, 0.0]])
    >>> one = Cylinders(np.array([1.0]) / np.sqrt(2), np.array([1.0]), np.array([0]), np.array([0.0]))
    >>> arc = unrolled(p1, p2, one, choose(p1, p2, one))
    >>> bool(arc.angle_rad[0] > 0), arc.first_m[0, 2]
    (True, np.float64(0.0))
    """
    radius = cylinders.radius_m
    (first, distance1), (second, distance2) = (tangents(p, radius) for p in (p1, p2))
    r1, r2 = taken(first, choice.turn[:, 0]), taken(second, choice.turn[:, 1])
    angle = angle_between(r1, r2)
    angle = np.where(choice.long, 2 * np.pi - angle, angle)
    before, after = (np.sqrt(np.maximum(d * d - radius * radius, 0.0)) for d in (distance1, distance2))
    slope = (p2[:, 2] - p1[:, 2]) / (before + radius * angle + after)
    return _arc(r1, r2, (p1[:, 2] + slope * before, p2[:, 2] - slope * after), radius, choice.long)


def in_axes(R: FloatArray, arm_m: FloatArray) -> FloatArray:
    """Express vectors in the axes of frames: written out, which is quicker than a product of small matrices.

    Parameters
    ----------
    R : FloatArray
        (..., 3, 3), from the frames' axes to those that the vectors are in.
    arm_m : FloatArray
        (..., 3), vectors in the axes that the frames stand in.

    Returns
    -------
    FloatArray
        (..., 3), the vectors in the frames' axes.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.muscles.cylinder import in_axes
    >>> in_axes(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.array([1.0, 2.0, 3.0]))
    array([ 2., -1.,  3.])
    """
    x, y, z = (arm_m[..., k, None] * R[..., k, :] for k in range(3))
    return x + y + z


def on_length(arc: Arc, cylinders: Cylinders) -> BoolArray:
    """Whether at least one tangent point lies on the cylinder's length; OpenSim lets the path pass by otherwise.

    Parameters
    ----------
    arc : Arc
        Paths of N pieces over their cylinders.
    cylinders : Cylinders
        The cylinder of each piece, N of them.

    Returns
    -------
    BoolArray
        (N,), false for a path that passes beyond an end.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.muscles.cylinder import Arc, Cylinders, on_length
    >>> one = Cylinders(np.array([0.03]), np.array([0.05]), np.array([0]), np.array([0.0]))
    >>> on_length(Arc(np.array([[0.03, 0.0, 0.06]]), np.array([[0.0, 0.03, 0.04]]), np.ones(1), np.ones(1)), one)
    array([ True])
    """
    return (np.abs(arc.first_m[:, 2]) <= cylinders.half_length_m) | (np.abs(arc.last_m[:, 2]) <= cylinders.half_length_m)
