"""Joints as data: what moves a body's frame away from its place on the parent, one elementary step after the other.

A `Turn` about, or a `Slide` along, an axis goes by a coordinate or by a function of one; an `Orientation` is a unit quaternion.
Every joint is a short list of these, so that whatever is derived from a `System` knows three kinds of motion only ::

    revolute     Turn z                       q angle                u q'
    prismatic    Slide z                      q length               u q'
    cylindrical  Slide z, Turn z              q length, angle        u q'
    universal    Turn x, Turn y               q two angles           u q'
    cardan       Turn, Turn, Turn             q three angles         u q'
    ball         Orientation                  q quaternion wxyz      u omega relative to the parent, body axes
    free         Slide x y z, Orientation     q p, quaternion wxyz   u p' in the parent's axes, omega in body axes
    fixed        nothing
    custom       any list; a step's amount may be a function of a coordinate, and several steps may go by one coordinate

A coordinate is known by its name. Steps of several joints may name the same coordinate: an angle of an arm from the vertical is
``Turn`` by minus the angle of the link before, then ``Turn`` by its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from biomech_id.algebra.rotation import sequence_axes
from biomech_id.arguments import a_str, each, takes
from biomech_id.errors import InvalidValueError
from biomech_id.values import dataclass

#: Components of an axis along x, y or z.
Axis = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
#: An axis whose squared length is off 1 by this is refused.
UNIT = 1e-9


@runtime_checkable
class AxisFunction(Protocol):
    """How far a step goes, as a function of one coordinate, with two derivatives; arrays in, arrays out."""

    def value(self, q: Any) -> Any:
        """Value at ``q``, rad or m.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, rad or m.
        """
        ...

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
        ...

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
        ...


@dataclass(frozen=True)
class PolynomialFunction:
    """An `AxisFunction`: coefficients of 1, q, q^2 and so on.

    Attributes
    ----------
    coefficients : tuple[float, ...]
        Of 1, q, q^2 and so on, lowest power first.

    Examples
    --------
    >>> from biomech_id.multibody.joints import PolynomialFunction
    >>> roll_back_m = PolynomialFunction((0.0, 0.002, -0.01))
    >>> roll_back_m.value(0.5), roll_back_m.slope(0.5), roll_back_m.curvature(0.5)
    (-0.0015, -0.008, -0.02)
    """

    coefficients: tuple[float, ...]

    def value(self, q: Any) -> Any:
        """Value at ``q``, by Horner's rule; anything that can be multiplied and added goes in.

        Parameters
        ----------
        q : Any
            Coordinate, rad or m, of any shape.

        Returns
        -------
        Any
            In the shape of ``q``, rad or m.
        """
        return _horner(self.coefficients, q)

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
        return _horner(_derived(self.coefficients), q)

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
        return _horner(_derived(_derived(self.coefficients)), q)


def _derived(coefficients: Sequence[float]) -> tuple[float, ...]:
    return tuple(k * c for k, c in enumerate(coefficients))[1:] or (0.0,)


def _horner(coefficients: Sequence[float], q: Any) -> Any:
    total = 0.0 * q + coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * q + c
    return total


@dataclass(frozen=True)
class Turn:
    """Rotation about an axis by a coordinate, rad, or by a function of one; without a coordinate, by nothing.

    Attributes
    ----------
    coordinate : str
        Name of the coordinate that it goes by.
    axis : Axis
        Unit vector in the frame that the steps before have left.
    function : AxisFunction | None, optional
        None turns by the coordinate itself.
    """

    coordinate: str
    axis: Axis = Z
    function: AxisFunction | None = None

    def __post_init__(self) -> None:
        check_axis(self.axis, self.coordinate)


@dataclass(frozen=True)
class Slide:
    """Translation along an axis by a coordinate, m, or by a function of one.

    Attributes
    ----------
    coordinate : str
        Name of the coordinate that it goes by.
    axis : Axis
        Unit vector in the frame that the steps before have left.
    function : AxisFunction | None, optional
        None slides by the coordinate itself.
    """

    coordinate: str
    axis: Axis = Z
    function: AxisFunction | None = None

    def __post_init__(self) -> None:
        check_axis(self.axis, self.coordinate)


@dataclass(frozen=True)
class Orientation:
    """Rotation by a unit quaternion (w, x, y, z), coordinates ``name.w`` to ``name.z``, speeds ``name.wx`` to ``name.wz``.

    The speeds are the angular velocity relative to the frame before, in the axes of the frame after.

    Attributes
    ----------
    name : str
        Prefix of its coordinates and speeds.
    """

    name: str

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the quaternion's four numbers."""
        return tuple(f"{self.name}.{letter}" for letter in "wxyz")

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the three components of the angular velocity."""
        return tuple(f"{self.name}.w{letter}" for letter in "xyz")


JointStep = Turn | Slide | Orientation
#: What lies between a place on the parent and the body's frame.
JointSteps = tuple[JointStep, ...]


def check_axis(axis: Axis, name: str) -> None:
    """Refuse a direction that is no unit vector.

    Parameters
    ----------
    axis : Axis
        Components (x, y, z), dimensionless, whose squares add up to 1 to 1e-9.
    name : str
        What it belongs to.

    Raises
    ------
    InvalidValueError
        Anything else.
    """
    if np.shape(axis) != (3,) or not abs(sum(c * c for c in axis) - 1) < UNIT:
        raise InvalidValueError(
            f"The axis {axis} of {name!r} is no unit vector.", value=axis, expected="three numbers of length 1", where=name
        )


@takes(angle=a_str())
def revolute(angle: str, axis: Axis = Z) -> JointSteps:
    """A hinge.

    Parameters
    ----------
    angle : str
        Name of the coordinate.
    axis : Axis, optional
        In the place on the parent.

    Returns
    -------
    JointSteps
        One turn.

    Examples
    --------
    >>> from biomech_id.multibody.joints import Turn, revolute
    >>> [step.axis for step in revolute("knee") if isinstance(step, Turn)]
    [(0.0, 0.0, 1.0)]
    """
    return (Turn(angle, axis),)


@takes(length=a_str())
def prismatic(length: str, axis: Axis = Z) -> JointSteps:
    """A slide.

    Parameters
    ----------
    length : str
        Name of the coordinate.
    axis : Axis, optional
        In the place on the parent.

    Returns
    -------
    JointSteps
        One slide.
    """
    return (Slide(length, axis),)


def cylindrical(length: str, angle: str, axis: Axis = Z) -> JointSteps:
    """A slide and a turn along one axis.

    Parameters
    ----------
    length, angle : str
        Names of the coordinates, in this order.
    axis : Axis, optional
        In the place on the parent.

    Returns
    -------
    JointSteps
        The slide, then the turn.
    """
    return Slide(length, axis), Turn(angle, axis)


@takes(first=a_str(), second=a_str())
def universal(first: str, second: str) -> JointSteps:
    """Turns about the parent's x and the y that this has turned.

    Parameters
    ----------
    first, second : str
        Names of the coordinates.

    Returns
    -------
    JointSteps
        Two turns.

    Examples
    --------
    >>> from biomech_id.multibody.joints import Turn, universal
    >>> [step.axis for step in universal("flexion", "inversion") if isinstance(step, Turn)]
    [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    """
    return Turn(first, X), Turn(second, Y)


@takes(names=each(a_str()), sequence=a_str())
def cardan(names: Sequence[str], sequence: str) -> JointSteps:
    """Three turns about axes that each follow the turns before.

    Parameters
    ----------
    names : Sequence[str]
        Of the three coordinates.
    sequence : str
        Axes in this order, "zxy".

    Returns
    -------
    JointSteps
        Three turns, in the order of ``sequence``.

    Examples
    --------
    >>> from biomech_id.multibody.joints import Turn, cardan
    >>> [step.axis for step in cardan(("flexion", "adduction", "rotation"), "zxy") if isinstance(step, Turn)]
    [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    """
    return tuple(Turn(name, (X, Y, Z)[axis]) for name, axis in zip(names, sequence_axes(sequence), strict=True))


@takes(name=a_str())
def ball(name: str) -> JointSteps:
    """A ball joint by a quaternion.

    Parameters
    ----------
    name : str
        Of the rotation: coordinates name.w, name.x, name.y, name.z, speeds name.wx, name.wy, name.wz.

    Returns
    -------
    JointSteps
        One quaternion.

    Examples
    --------
    >>> from biomech_id.multibody.joints import ball, names_of
    >>> names_of(ball("hip"))[1]
    ['hip.wx', 'hip.wy', 'hip.wz']
    """
    return (Orientation(name),)


@takes(name=a_str())
def free(name: str) -> JointSteps:
    """No joint at all: position in the parent's axes, then a quaternion.

    Parameters
    ----------
    name : str
        Coordinates name.px, name.py, name.pz (their rates are speeds), then those of `ball`.

    Returns
    -------
    JointSteps
        Three slides along x, y, z, then a quaternion.
    """
    return Slide(f"{name}.px", X), Slide(f"{name}.py", Y), Slide(f"{name}.pz", Z), Orientation(name)


#: A body fixed on its parent.
FIXED: JointSteps = ()


def names_of(steps: Sequence[JointStep]) -> tuple[list[str], list[str]]:
    """Name the coordinates and speeds of steps.

    Parameters
    ----------
    steps : Sequence[JointStep]
        Of one joint or of many.

    Returns
    -------
    tuple[list[str], list[str]]
        Coordinates and speeds, in order, each once.

    Examples
    --------
    >>> from biomech_id.multibody.joints import cylindrical, names_of
    >>> names_of(cylindrical("slide", "turn"))
    (['slide', 'turn'], ['slide', 'turn'])
    """
    coordinates: dict[str, None] = {}
    speeds: dict[str, None] = {}
    for step in steps:
        both = (step.coordinates, step.speeds) if isinstance(step, Orientation) else ((step.coordinate,), (step.coordinate,))
        coordinates |= dict.fromkeys(both[0])
        speeds |= dict.fromkeys(both[1])
    return list(coordinates), list(speeds)


def quaternion_matrix(quaternion: Any) -> Any:
    """Rotations of unit quaternions.

    Parameters
    ----------
    quaternion : Any
        (..., 4), (w, x, y, z).

    Returns
    -------
    Any
        (..., 3, 3), from the axes after to those before.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.joints import quaternion_matrix
    >>> quaternion_matrix(np.array([0.5, 0.5, 0.5, 0.5])).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    rows = quaternion_rows(*np.moveaxis(np.asarray(quaternion), -1, 0))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_rows(w: Any, x: Any, y: Any, z: Any) -> list[list[Any]]:
    """Entries of the rotation of a unit quaternion; numbers, arrays or expressions.

    Parameters
    ----------
    w, x, y, z : Any
        Components of the quaternion, w first.

    Returns
    -------
    list[list[Any]]
        Three rows of three.
    """
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def quaternion_rate(w: Any, x: Any, y: Any, z: Any, *, omega: Any) -> tuple[Any, Any, Any, Any]:
    """Rate of a quaternion, q (x) (0, omega) / 2, for an angular velocity in the axes of the frame after.

    Parameters
    ----------
    w, x, y, z : Any
        Components of the quaternion, w first.
    omega : Any
        Three components of the angular velocity, rad/s.

    Returns
    -------
    tuple[Any, Any, Any, Any]
        Rates of w, x, y, z, 1/s.
    """
    a, b, c = omega
    return -(x * a + y * b + z * c) / 2, (w * a + y * c - z * b) / 2, (w * b + z * a - x * c) / 2, (w * c + x * b - y * a) / 2
