"""What closes loops: k equations h = 0 of the state, with J u = h' and drift = what is left of h'' when u' = 0.

Nearly all are one: a `PointGap` x = p_A - p_B between two points, looked at from a body C (rotation R, angular velocity w) along
k rows S ::

    h = S R^T x,   J = S R^T (J_A - J_B - [J_w,C x] x),   drift = S R^T (a_A - a_B - al x x - 2 w x (x' - w x x) - w x (w x x))

with accelerations and al taken with u' = 0. The terms with w x x and al x x stay: links of a planar loop lie in layers, so that the
gap along the normal is not zero and turns with the plane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import cross, dot
from biomech_id.arguments import a_str, takes
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.joints import AxisFunction, PolynomialFunction
from biomech_id.multibody.kinematics import GROUND, Kinematics, TreeLayout, move, row_columns
from biomech_id.values import dataclass, field

Place = tuple[float, float, float]
_XY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
_XYZ = (*_XY, (0.0, 0.0, 1.0))
_ITSELF = PolynomialFunction((0.0, 1.0))


@dataclass(frozen=True)
class TwoPoints:
    """A point of one body and a point of another.

    Attributes
    ----------
    body : str
        Name of the first body, A.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `GROUND`.
    other_place_m : Place
        Of its point, in its axes.
    """

    body: str
    place_m: Place
    other: str
    other_place_m: Place

    def gap(self, moving: Kinematics) -> tuple[FloatArray, ...]:
        """The way from B's point to A's, and its rates.

        Parameters
        ----------
        moving : Kinematics
            Motion of all bodies in N states.

        Returns
        -------
        tuple[FloatArray, ...]
            x (N, 3), m, its rate, m/s, and second rate, m/s2, laboratory axes.
        """
        ends = [moving.point(moving.layout.index(b), p) for b, p in ((self.body, self.place_m), (self.other, self.other_place_m))]
        return tuple(p - r for p, r in zip(*ends, strict=True))

    def gap_jacobian(self, moving: Kinematics) -> FloatArray:
        """How speeds change the gap.

        Parameters
        ----------
        moving : Kinematics
            Motion of all bodies in N states.

        Returns
        -------
        FloatArray
            (N, 3, n), laboratory axes, m for a unit of each speed.
        """
        a, b = moving.layout.index(self.body), moving.layout.index(self.other)
        ends = (moving.point(a, self.place_m)[0], moving.point(b, self.other_place_m)[0])
        return moving.jacobian(a, ends[0])[0] - moving.jacobian(b, ends[1])[0]


@dataclass(frozen=True)
class PointGap(TwoPoints):
    """Components of the gap between two points, in a body's axes, that stay zero.

    Attributes
    ----------
    body : str
        Name of the first body, A.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `GROUND`.
    other_place_m : Place
        Of its point, in its axes.
    seen_from : str
        Body C in whose axes the gap is taken, or `GROUND`.
    rows : tuple[Place, ...]
        S, k directions in C's axes.
    """

    seen_from: str
    rows: tuple[Place, ...]

    @property
    def size(self) -> int:
        """Number of equations."""
        return len(self.rows)

    def residual(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """How far the points are apart along the rows.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states.

        Returns
        -------
        FloatArray
            h (N, k), m; zeros where the loop is closed.
        """
        return self._seen(moving, self.gap(moving)[0])

    def jacobian(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """Derivative of the equations by the speeds.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states.

        Returns
        -------
        FloatArray
            J (N, k, n), with h' = J u.
        """
        layout = moving.layout
        a, b, c = (layout.index(name) for name in (self.body, self.other, self.seen_from))
        ends = (moving.point(a, self.place_m)[0], moving.point(b, self.other_place_m)[0])
        x = ends[0] - ends[1]
        J_v, J_w = row_columns(layout, moving, layout.beyond[[a, b, c]], np.stack([*ends, x], axis=1))
        return self.unit_forces(moving) @ (J_v[:, 0] - J_v[:, 1] + skew(x) @ J_w[:, 2])

    def unit_forces(self, moving: Kinematics) -> FloatArray:
        """What a unit of each equation's multiplier does to body A, at its point.

        Parameters
        ----------
        moving : Kinematics
            Motion of all bodies in N states.

        Returns
        -------
        FloatArray
            (N, k, 3), laboratory axes, N for a multiplier in N.
        """
        return np.asarray(self.rows) @ np.swapaxes(moving.R_lab_body[:, moving.layout.index(self.seen_from)], 1, 2)

    def drift(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """What is left of h'' in a motion with u' = 0.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states, speeds in it and u' = 0.

        Returns
        -------
        FloatArray
            (N, k), m/s2.
        """
        x, v, acceleration = self.gap(moving)
        c = moving.layout.index(self.seen_from)
        w, alpha = moving.omega_rad_s[:, c], moving.alpha_rad_s2[:, c]
        carried = cross(w, x)
        relative = acceleration - cross(alpha, x) - 2 * cross(w, v - carried) - cross(w, carried)
        return self._seen(moving, relative)

    def _seen(self, moving: Kinematics, vector: FloatArray) -> FloatArray:
        R = moving.R_lab_body[:, moving.layout.index(self.seen_from)]
        return np.asarray(np.einsum("ki,nji,nj->nk", np.asarray(self.rows), R, vector))


@takes(body=a_str(), other=a_str(), plane_of=a_str())
def pin(body: str, place_m: Place, other: str, other_place_m: Place, *, plane_of: str) -> PointGap:
    """A pin along z of a body: two points meet in that body's x-y plane, at any attitude of it and in any layer.

    Parameters
    ----------
    body : str
        Name of the first body, A.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `GROUND`.
    other_place_m : Place
        Of its point, in its axes.
    plane_of : str
        The body whose x and y span the plane, any of the planar part; `GROUND` for the base's.

    Returns
    -------
    PointGap
        Two equations.

    Examples
    --------
    >>> from biomech_id.multibody.closures import pin
    >>> pin("rod", (0.3, 0.0, 0.0), "base", (0.5, 0.1, 0.0), plane_of="base").size
    2
    """
    return PointGap(body, place_m, other, other_place_m, plane_of, _XY)


@takes(body=a_str(), other=a_str())
def spherical(body: str, place_m: Place, other: str, other_place_m: Place) -> PointGap:
    """Two points meet in space.

    Parameters
    ----------
    body : str
        Name of the first body, A.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `GROUND`.
    other_place_m : Place
        Of its point, in its axes.

    Returns
    -------
    PointGap
        Three equations, in the laboratory's axes.

    Examples
    --------
    >>> from biomech_id.multibody.closures import spherical
    >>> spherical("hand", (0.1, 0.0, 0.0), "base", (0.5, 0.1, 0.0)).size
    3
    """
    return PointGap(body, place_m, other, other_place_m, GROUND, _XYZ)


def slider(body: str, place_m: Place, other: str, other_place_m: Place, along: Place) -> PointGap:
    """A point of one body stays on a line of another.

    Parameters
    ----------
    body : str
        Name of the first body, A.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `GROUND`.
    other_place_m : Place
        A point of the line, in B's axes.
    along : Place
        Direction of the line, in B's axes.

    Returns
    -------
    PointGap
        Two equations, across the line.
    """
    _, _, across = np.linalg.svd(np.asarray(along, dtype=np.float64)[None])
    rows = tuple((float(x), float(y), float(z)) for x, y, z in across[1:])
    return PointGap(body, place_m, other, other_place_m, other, rows)


def on_plane(body: str, place_m: Place, other: str, other_place_m: Place, normal: Place) -> PointGap:
    """A point of one body stays in a plane of another.

    Parameters
    ----------
    body : str
        Name of the first body, A.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `GROUND`.
    other_place_m : Place
        A point of the plane, in B's axes.
    normal : Place
        Direction of the plane's normal, in B's axes.

    Returns
    -------
    PointGap
        One equation, along the normal.
    """
    return PointGap(body, place_m, other, other_place_m, other, (normal,))


@dataclass(frozen=True)
class Rod(TwoPoints):
    """Two points that keep their distance: h = x.x - L^2.

    Attributes
    ----------
    body : str
        Name of the first body, A.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `GROUND`.
    other_place_m : Place
        Of its point, in its axes.
    length_m : float
        Distance that the points keep, m.
    """

    length_m: float

    size = 1

    def residual(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """How far the squared distance is off.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states.

        Returns
        -------
        FloatArray
            h (N, 1), m2.
        """
        x = self.gap(moving)[0]
        return dot(x, x)[:, None] - self.length_m**2

    def jacobian(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """Derivative of the equation by the speeds.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states.

        Returns
        -------
        FloatArray
            J (N, 1, n), with h' = J u.
        """
        return self.unit_forces(moving) @ self.gap_jacobian(moving)

    def unit_forces(self, moving: Kinematics) -> FloatArray:
        """What a unit of the equation's multiplier does to body A, at its point.

        Parameters
        ----------
        moving : Kinematics
            Motion of all bodies in N states.

        Returns
        -------
        FloatArray
            (N, 1, 3), laboratory axes, N for a multiplier in N/m.
        """
        return 2 * self.gap(moving)[0][:, None]

    def drift(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """What is left of h'' in a motion with u' = 0.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states, speeds in it and u' = 0.

        Returns
        -------
        FloatArray
            (N, 1), m2/s2.
        """
        x, v, a = self.gap(moving)
        return 2 * (dot(x, a) + dot(v, v))[:, None]


@dataclass(frozen=True)
class Gearing:
    """A relation of coordinates, sum of coefficient times coordinate, or times a function of it, = offset: gears, belts, cams.

    Attributes
    ----------
    coefficients : Mapping[str, float]
        Factor of each coordinate in the sum, by its name.
    offset : float, optional
        What the sum is kept at.
    functions : Mapping[str, AxisFunction], optional
        Coordinate -> the function of it that takes its place in the sum.

    Examples
    --------
    >>> from biomech_id.multibody.closures import Gearing
    >>> Gearing({"motor": 1.0, "knee": -100.0}).size
    1
    """

    coefficients: Mapping[str, float]
    offset: float = 0.0
    functions: Mapping[str, AxisFunction] = field(default_factory=dict)

    size = 1

    @property
    def terms(self) -> list[tuple[str, float, AxisFunction]]:
        """Coordinate, coefficient and function (the coordinate itself where none is given) of each summand."""
        return [(name, c, self.functions.get(name, _ITSELF)) for name, c in self.coefficients.items()]

    def residual(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """How far the sum is off its offset.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states.

        Returns
        -------
        FloatArray
            h (N, 1), in the sum's unit.
        """
        at = moving.layout.coordinate
        return np.asarray(sum(c * f.value(q[:, [at(name)]]) for name, c, f in self.terms) - self.offset)

    def jacobian(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """Derivative of the equation by the speeds.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states.

        Returns
        -------
        FloatArray
            J (N, 1, n), with h' = J u.
        """
        J = np.zeros((len(q), 1, len(moving.layout.speeds)), dtype=q.dtype)
        for name, c, f in self.terms:
            J[:, 0, moving.layout.speed(name)] += c * f.slope(q[:, moving.layout.coordinate(name)])
        return J

    def drift(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        """What is left of h'' in a motion with u' = 0: the sum of coefficient times f'' u^2.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Motion of all bodies in the same states, speeds in it and u' = 0.

        Returns
        -------
        FloatArray
            (N, 1), in the sum's unit a second squared.
        """
        at, of = moving.layout.coordinate, moving.layout.speed
        return np.asarray(sum(c * f.curvature(q[:, [at(name)]]) * moving.u[:, [of(name)]] ** 2 for name, c, f in self.terms))


def coupler(dependent: str, independent: str, function: AxisFunction) -> Gearing:
    """A coordinate that is a function of another: dependent = f(independent).

    Parameters
    ----------
    dependent : str
        Name of the coordinate that follows.
    independent : str
        Name of the coordinate that it follows.
    function : AxisFunction
        Value in the dependent coordinate's unit, with two derivatives.

    Returns
    -------
    Gearing
        One equation, dependent - f(independent) = 0.

    Examples
    --------
    >>> from biomech_id.multibody.closures import coupler
    >>> from biomech_id.multibody.joints import PolynomialFunction
    >>> coupler("roll_back", "knee", PolynomialFunction((0.0, 0.002, -0.01))).coefficients
    {'roll_back': 1.0, 'knee': -1.0}
    """
    return Gearing({dependent: 1.0, independent: -1.0}, 0.0, {independent: function})


LoopClosure = PointGap | Rod | Gearing


def gears(
    layout: TreeLayout, gear: str, other: str, carrier: str, radius_m: float, other_radius_m: float, *, angle_rad: float = 0.0
) -> Gearing:
    """Two gears that roll on each other outside, their axes parallel and joined by a carrier.

    Their rims have one velocity at the pitch point: r_a (phi_a - phi_k) + r_b (phi_b - phi_k) = angle_rad r_a.

    Parameters
    ----------
    layout : TreeLayout
        Of the bodies: ``System.layout``.
    gear, other : str
        Names of the gears.
    carrier : str
        The body on which both turn, or `GROUND`.
    radius_m : float
        Pitch radius of ``gear``, m.
    other_radius_m : float
        Pitch radius of ``other``, m.
    angle_rad : float, optional
        Of the gear relative to the other's rim, where both coordinates are zero.

    Returns
    -------
    Gearing
        One equation of the coordinates that turn gears and carrier.

    Raises
    ------
    InvalidValueError
        Joints between gears and carrier that are no plain turns about one direction.
    """
    still = np.zeros((1, len(layout.speeds)))
    moving, weight = move(layout, layout.at_zero(), still, still), np.zeros(len(layout.rows))
    for body, radius in ((gear, radius_m), (other, other_radius_m), (carrier, -radius_m - other_radius_m)):
        weight += radius * layout.beyond[layout.index(body)]
    kept = np.flatnonzero(np.abs(weight) > 1e-15)
    axes = moving.axis[0, kept]
    along = axes @ axes[0] if len(kept) else np.zeros(0)
    names = [layout.speeds[layout.rows[row][2]] for row in kept]
    plain = all(layout.rows[row][1] and name in layout.coordinates for row, name in zip(kept, names, strict=True))
    if not len(kept) or not plain or np.abs(np.abs(along) - 1).max() > 1e-9 or (moving.slope[0, kept] != 1).any():
        raise InvalidValueError(
            f"{gear} and {other} do not turn about one direction on {carrier}.", value=[gear, other, carrier, *names],
            expected="plain turns about parallel axes between gears and carrier", where="gears",
        )  # fmt: skip
    coefficients: dict[str, float] = {}
    for name, amount in zip(names, weight[kept] * along, strict=True):
        coefficients[name] = coefficients.get(name, 0.0) + float(amount)
    return Gearing(coefficients, angle_rad * radius_m)


def circle_intersection(
    m: Any, centre: Sequence[Any], radius: Any, other: Sequence[Any], other_radius: Any, branch: int, *, of: str = ""
) -> Any:
    """Where two circles meet; numbers or expressions.

    ``branch`` +1 is the point to the left of the line from ``centre`` to ``other``, -1 the one to its right: the assembly
    branch, which a mechanism keeps unless it passes a singular configuration. Circles that do not meet give NaN.

    Parameters
    ----------
    m : Any
        NumPy or SymPy, for its functions.
    centre : Sequence[Any]
        (x, y) of the first circle.
    radius : Any
        Radius of the first circle.
    other : Sequence[Any]
        (x, y) of the second circle's centre.
    other_radius : Any
        Radius of the second circle.
    branch : int
        +1 or -1, the side of the line on which the point lies.
    of : str, optional
        Whose circles these are, for what is said where they do not meet.

    Returns
    -------
    Any
        (x, y), at ``radius`` from one centre and ``other_radius`` from the other.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.closures import circle_intersection
    >>> x, y = circle_intersection(np, (0.0, 0.0), 5.0, (6.0, 0.0), 5.0, 1)
    >>> float(x), float(y)
    (3.0, 4.0)
    """
    dx, dy = other[0] - centre[0], other[1] - centre[1]
    if hasattr(m, "meet"):
        m.meet(of, radius, other_radius, dx, dy)
    inverse = 1 / (dx * dx + dy * dy)
    far = radius * radius
    along = 0.5 + (far - other_radius * other_radius) * 0.5 * inverse
    across = branch * m.sqrt(far * inverse - along * along)
    return centre[0] + along * dx - across * dy, centre[1] + along * dy + across * dx
