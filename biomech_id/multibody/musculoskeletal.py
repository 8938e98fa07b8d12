"""A musculoskeletal model as a value: bodies, joints, coordinates, markers and the paths of muscles.

It is what an ``.osim`` file says, whatever its version, in SI units and without the file's own way of putting it. Frames of joints,
markers and path points are resolved to bodies; what hangs on nothing hangs on `SURROUNDINGS`. Joints of every kind are lists of
turns and slides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.errors import InvalidValueError, UnknownNameError
from biomech_id.multibody.functions import MultivariatePolynomial
from biomech_id.multibody.joints import Axis, AxisFunction
from biomech_id.values import dataclass, field

#: What OpenSim calls what stands still.
SURROUNDINGS = "ground"
#: Joints whose speeds are an angular velocity in the parent's joint frame, whereas their coordinates are angles.
ANGULAR_SPEED_KINDS = ("ball", "free", "ellipsoid")
#: OpenSim's kinds of coordinates.
MotionKind = Literal["rotational", "translational", "coupled"]
_NO_TURN = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _freeze(part: object, where: str, **shapes: tuple[int, ...]) -> None:
    """Put read-only arrays of given shapes in the place of a part's fields."""
    for name, shape in shapes.items():
        object.__setattr__(part, name, readonly(getattr(part, name), shape, name=name, where=where))


@dataclass(frozen=True, eq=False)
class OffsetFrame:
    """A frame fixed in a body.

    Attributes
    ----------
    body : str
        Name of the body, or `SURROUNDINGS`.
    place_m : ArrayLike, optional
        (3,), its origin in the body's frame.
    R_body_frame : ArrayLike, optional
        (3, 3), from its axes to the body's.
    """

    body: str
    place_m: ArrayLike = (0.0, 0.0, 0.0)
    R_body_frame: ArrayLike = _NO_TURN

    def __post_init__(self) -> None:
        _freeze(self, self.body, place_m=(3,), R_body_frame=(3, 3))


@dataclass(frozen=True, eq=False)
class ModelBody:
    """A rigid body of a model.

    Attributes
    ----------
    name : str
        Name of the body.
    mass_kg : float
        Mass; zero is allowed.
    com_m : FloatArray
        (3,), in the body's frame.
    inertia_kgm2 : FloatArray
        (3, 3), about the centre of mass, body axes.
    """

    name: str
    mass_kg: float
    com_m: FloatArray
    inertia_kgm2: FloatArray

    def __post_init__(self) -> None:
        _freeze(self, self.name, com_m=(3,), inertia_kgm2=(3, 3))
        if not (np.isfinite(self.mass_kg) and self.mass_kg >= 0):
            raise InvalidValueError(
                f"The body {self.name} has a mass of {self.mass_kg} kg.",
                value=self.mass_kg,
                expected="0 kg or more",
                where=self.name,
            )


@dataclass(frozen=True)
class TransformAxis:
    """One turn or slide of a joint.

    Attributes
    ----------
    coordinate : str
        Name of the coordinate that its function takes; empty where the function is constant.
    axis : Axis
        Unit vector: of a slide in the parent's joint frame, of a turn in the frame turned so far.
    function : AxisFunction
        How far, rad or m.
    """

    coordinate: str
    axis: Axis
    function: AxisFunction


@dataclass(frozen=True, eq=False)
class ModelJoint:
    """A joint: what lies between a frame of its parent and a frame of its child.

    Attributes
    ----------
    name : str
        Name of the joint.
    kind : str
        "custom", "weld", "pin", "slider", "universal", "gimbal", "planar", "ball", "free" or "ellipsoid".
    parent, child : OffsetFrame
        Its frames F and M.
    coordinates : tuple[str, ...]
        Names, in OpenSim's order.
    rotations : tuple[TransformAxis, ...], optional
        Turns, one after the other.
    translations : tuple[TransformAxis, ...], optional
        Slides of M's origin, along axes of F, before any turn.
    radii_m : tuple[float, ...], optional
        Of an ellipsoid, along F's axes.
    """

    name: str
    kind: str
    parent: OffsetFrame
    child: OffsetFrame
    coordinates: tuple[str, ...]
    rotations: tuple[TransformAxis, ...] = ()
    translations: tuple[TransformAxis, ...] = ()
    radii_m: tuple[float, ...] = ()


@dataclass(frozen=True)
class ModelCoordinate:
    """A coordinate of a model.

    Attributes
    ----------
    name : str
        Name of the coordinate.
    joint : str
        Name of its joint.
    motion : MotionKind
        OpenSim's kind: only the rotational ones stand in degrees in files that say so.
    default : float, optional
        Value in the default pose, rad or m.
    range : tuple[float, float], optional
        Least and largest value.
    clamped : bool, optional
        Whether it is kept within its range.
    locked : bool, optional
        Whether it is held where it is.
    prescribed : AxisFunction | None, optional
        Function of time, s, that gives its value.
    """

    name: str
    joint: str
    motion: MotionKind
    default: float = 0.0
    range: tuple[float, float] = (-np.inf, np.inf)
    clamped: bool = False
    locked: bool = False
    prescribed: AxisFunction | None = None


@dataclass(frozen=True)
class CoordinateCoupling:
    """A coordinate that follows another one.

    Attributes
    ----------
    name : str
        Name of the constraint.
    dependent : str
        Name of the coordinate that follows.
    independent : str
        Coordinate that it follows.
    function : AxisFunction
        From the independent to the dependent one.
    """

    name: str
    dependent: str
    independent: str
    function: AxisFunction


@dataclass(frozen=True, eq=False)
class CoordinateRelation:
    """A coordinate that several others determine together.

    Attributes
    ----------
    name : str
        Name of the constraint.
    dependent : str
        Name of the coordinate that they determine.
    independent : tuple[str, ...]
        Those that determine it.
    function : MultivariatePolynomial
        From the independent ones to the dependent one.
    """

    name: str
    dependent: str
    independent: tuple[str, ...]
    function: MultivariatePolynomial


@dataclass(frozen=True, eq=False)
class BodyConstraint:
    """What ties two bodies to each other, beside the joints that carry them.

    Attributes
    ----------
    name : str
        Name of the constraint.
    kind : Literal["point", "line", "distance", "weld"]
        Whether two points stay together, the second on a line through the first, the two at a distance, or whole frames together.
    first, second : OffsetFrame
        The points, and for "weld" the axes, on the two bodies.
    along : Axis, optional
        Unit vector of a line, in the axes of the first body.
    distance_m : float, optional
        Of points at a distance.
    scaled_m : tuple[ArrayLike, ArrayLike], optional
        The part (3,) of each frame's place that grows with its body, m: OpenSim scales frames, and no numbers of constraints.
    """

    name: str
    kind: Literal["point", "line", "distance", "weld"]
    first: OffsetFrame
    second: OffsetFrame
    along: Axis = (1.0, 0.0, 0.0)
    distance_m: float = 0.0
    scaled_m: tuple[ArrayLike, ArrayLike] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True, eq=False)
class ModelMarker:
    """A marker on a body.

    Attributes
    ----------
    name : str
        Name of the marker.
    body : str
        Name of its body.
    place_m : ArrayLike
        (3,), in the body's frame.
    fixed : bool, optional
        Whether marker placement leaves it where it is.
    """

    name: str
    body: str
    place_m: ArrayLike
    fixed: bool = False

    def __post_init__(self) -> None:
        _freeze(self, self.name, place_m=(3,))


@dataclass(frozen=True, eq=False)
class WrapObject:
    """A surface that muscles wrap over.

    Attributes
    ----------
    name : str
        Name of the surface.
    kind : str
        "cylinder", "ellipsoid", "sphere" or "torus".
    frame : OffsetFrame
        Its own axes on its body.
    size_m : tuple[float, ...]
        Cylinder: radius, length; ellipsoid: three radii; sphere: radius; torus: inner and outer radius.
    quadrant : str, optional
        Which half is touched: "all", "x", "-y" ...
    active : bool, optional
        Whether paths wrap over it at all.
    """

    name: str
    kind: str
    frame: OffsetFrame
    size_m: tuple[float, ...]
    quadrant: str = "all"
    active: bool = True


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A point of a muscle's path that is fixed in a body, always or within a range of a coordinate.

    Attributes
    ----------
    name : str
        Name of the point.
    body : str
        Name of its body.
    place_m : ArrayLike
        (3,), in the body's frame.
    coordinate : str, optional
        Of a conditional point.
    range : tuple[float, float], optional
        Values of that coordinate where the point counts, rad or m.
    """

    name: str
    body: str
    place_m: ArrayLike
    coordinate: str = ""
    range: tuple[float, float] = (-np.inf, np.inf)

    def __post_init__(self) -> None:
        _freeze(self, self.name, place_m=(3,))


@dataclass(frozen=True, eq=False)
class MovingPoint:
    """A point of a muscle's path whose place in its body goes by coordinates.

    Attributes
    ----------
    name : str
        Name of the point.
    body : str
        Name of its body.
    coordinates : tuple[str, str, str]
        Of x, y and z; empty where the function is constant.
    functions : tuple[AxisFunction, AxisFunction, AxisFunction]
        Places x, y and z in the body's frame, m.
    """

    name: str
    body: str
    coordinates: tuple[str, str, str]
    functions: tuple[AxisFunction, AxisFunction, AxisFunction]


@dataclass(frozen=True)
class PathWrap:
    """That a path may wrap over a surface.

    Attributes
    ----------
    wrap_object : str
        Name of the surface.
    method : str, optional
        As the file says: "hybrid", "midpoint" or "axial".
    first, last : int, optional
        Points between which it may, counted from 1; -1 for the first and the last of all.
    """

    wrap_object: str
    method: str = "hybrid"
    first: int = -1
    last: int = -1


@dataclass(frozen=True, eq=False)
class MuscleModel:
    """A muscle of a model: its path, and the numbers that lengths are measured by.

    Attributes
    ----------
    name : str
        Name of the muscle.
    points : tuple[PathPoint | MovingPoint, ...]
        From origin to insertion.
    wraps : tuple[PathWrap, ...], optional
        Surfaces, in the order of the file.
    max_isometric_force_N : float, optional
        Force at optimal fibre length, N; NaN where the file has none.
    optimal_fibre_length_m : float, optional
        Fibre length of that force, m; NaN where the file has none.
    tendon_slack_length_m : float, optional
        Length at which the tendon begins to pull, m; NaN where the file has none.
    pennation_rad : float, optional
        Angle of the fibres at optimal length, rad; NaN where the file has none.
    kind : str, optional
        As the file calls it.
    """

    name: str
    points: tuple[PathPoint | MovingPoint, ...]
    wraps: tuple[PathWrap, ...] = ()
    max_isometric_force_N: float = np.nan
    optimal_fibre_length_m: float = np.nan
    tendon_slack_length_m: float = np.nan
    pennation_rad: float = np.nan
    kind: str = ""


@dataclass(frozen=True)
class Measurement:
    """A length that bodies are scaled by.

    Attributes
    ----------
    name : str
        Name of the measurement.
    pairs : tuple[tuple[str, str], ...]
        Markers whose distances are compared; the factor is the mean of theirs.
    bodies : tuple[tuple[str, str], ...]
        Body and the axes, "XYZ", that take the factor.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    bodies: tuple[tuple[str, str], ...]


@compact_repr
@dataclass(frozen=True, eq=False)
class MusculoskeletalModel:
    """What an ``.osim`` file describes.

    Attributes
    ----------
    name : str
        Name of the model.
    bodies : tuple[ModelBody, ...]
        Without the surroundings, in the file's order.
    joints : tuple[ModelJoint, ...]
        One for each body, in OpenSim's order.
    coordinates : tuple[ModelCoordinate, ...]
        In the joints' order: the columns of every array of coordinates.
    gravity_m_s2 : ArrayLike, optional
        (3,), in the axes of the surroundings.
    couplings : tuple[CoordinateCoupling, ...], optional
        Constraints between two coordinates that hold.
    constraints : tuple[BodyConstraint | CoordinateRelation, ...], optional
        All others that hold: they close loops of bodies, or tie more than two coordinates.
    markers : tuple[ModelMarker, ...], optional
        In the file's order.
    muscles : tuple[MuscleModel, ...], optional
        In the file's order.
    wrap_objects : tuple[WrapObject, ...], optional
        Surfaces of all bodies.
    ignored : tuple[str, ...], optional
        What the file holds beside, "kind name", and nothing here uses.
    source : str, optional
        Path of the file.

    Raises
    ------
    InvalidValueError
        Two parts with one name; a body that no joint, or more than one, carries; coordinates coupled in a circle or twice.
    UnknownNameError
        A joint, marker, path point, wrap, coupling or constraint that names what is not there.
    """

    name: str
    bodies: tuple[ModelBody, ...]
    joints: tuple[ModelJoint, ...]
    coordinates: tuple[ModelCoordinate, ...]
    gravity_m_s2: ArrayLike = (0.0, -9.80665, 0.0)
    couplings: tuple[CoordinateCoupling, ...] = ()
    constraints: tuple[BodyConstraint | CoordinateRelation, ...] = ()
    markers: tuple[ModelMarker, ...] = ()
    muscles: tuple[MuscleModel, ...] = ()
    wrap_objects: tuple[WrapObject, ...] = ()
    ignored: tuple[str, ...] = ()
    source: str = ""
    _index: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _freeze(self, self.name, gravity_m_s2=(3,))
        object.__setattr__(self, "_index", {c.name: k for k, c in enumerate(self.coordinates)})
        where = self.source or self.name
        for what in ("bodies", "joints", "coordinates", "markers"):
            _check_unique([part.name for part in getattr(self, what)], what, where)
        _check_names(self, where)
        _check_joints(self, where)
        _check_couplings(self, where)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates, in order."""
        return tuple(coordinate.name for coordinate in self.coordinates)

    @property
    def mass_kg(self) -> float:
        """Of all bodies."""
        return float(sum(body.mass_kg for body in self.bodies))

    def index(self, coordinate: str) -> int:
        """Column of a coordinate.

        Parameters
        ----------
        coordinate : str
            Name of a coordinate.

        Returns
        -------
        int
            Place of the coordinate in `coordinates`.

        Raises
        ------
        UnknownNameError
            The model has none of that name.
        """
        if coordinate not in self._index:
            raise UnknownNameError(
                f"The model {self.name} has no coordinate {coordinate!r}.",
                value=coordinate, expected=f"one of {list(self._index)}", where=self.source or self.name,
            )  # fmt: skip
        return self._index[coordinate]

    def body(self, name: str) -> ModelBody:
        """Find a body by its name.

        Parameters
        ----------
        name : str
            Name of a body other than the surroundings.

        Returns
        -------
        ModelBody
            Mass, centre and tensor in its own frame.

        Raises
        ------
        UnknownNameError
            The model has none of that name.
        """
        for body in self.bodies:
            if body.name == name:
                return body
        raise UnknownNameError(
            f"The model {self.name} has no body {name!r}.",
            value=name, expected=f"one of {[body.name for body in self.bodies]}", where=self.source or self.name,
        )  # fmt: skip


def _check_unique(names: list[str], what: str, where: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidValueError(
            f"The model has more than one of its {what} called {', '.join(twice)}.",
            value=twice,
            expected="different names",
            where=where,
        )


def _check_names(model: MusculoskeletalModel, where: str) -> None:
    bodies = {SURROUNDINGS, *(body.name for body in model.bodies)}
    coordinates, wraps = set(model.coordinate_names), {wrap.name for wrap in model.wrap_objects}
    _check_known(((f"The joint {j.name}", f.body) for j in model.joints for f in (j.parent, j.child)), bodies, "body", where)
    _check_known(((f"The marker {m.name}", m.body) for m in model.markers), bodies, "body", where)
    _check_known(((f"The wrap object {w.name}", w.frame.body) for w in model.wrap_objects), bodies, "body", where)
    for muscle in model.muscles:
        owner = f"The muscle {muscle.name}"
        _check_known(((f"{owner} has a path point {p.name} that", p.body) for p in muscle.points), bodies, "body", where)
        needed = ((owner, name) for p in muscle.points for name in _coordinates_of(p) if name)
        _check_known(needed, coordinates, "coordinate", where)
        _check_known(((owner, wrap.wrap_object) for wrap in muscle.wraps), wraps, "wrap object", where)
    for coupling in model.couplings:
        both = (coupling.dependent, coupling.independent)
        _check_known(((f"The coupler constraint {coupling.name}", name) for name in both), coordinates, "coordinate", where)
    for each in model.constraints:
        owner = f"The constraint {each.name}"
        if isinstance(each, BodyConstraint):
            _check_known(((owner, frame.body) for frame in (each.first, each.second)), bodies, "body", where)
        else:
            _check_known(((owner, name) for name in (each.dependent, *each.independent)), coordinates, "coordinate", where)


def _coordinates_of(point: PathPoint | MovingPoint) -> tuple[str, ...]:
    return point.coordinates if isinstance(point, MovingPoint) else (point.coordinate,)


def _check_known(named: Iterable[tuple[str, str]], known: set[str], what: str, where: str) -> None:
    for owner, name in named:
        if name not in known:
            raise UnknownNameError(
                f"{owner} names the {what} {name!r}, which the model does not have.",
                value=name, expected=f"a {what} of the model", where=where,
            )  # fmt: skip


def _check_joints(model: MusculoskeletalModel, where: str) -> None:
    children = [joint.child.body for joint in model.joints]
    for body in model.bodies:
        if children.count(body.name) != 1:
            held = [joint.name for joint in model.joints if joint.child.body == body.name]
            reason = f"is the child of {len(held)} joints ({', '.join(held)})" if held else "is the child of no joint"
            raise InvalidValueError(
                f"The body {body.name} {reason}: only trees of bodies, each carried by one joint, are supported.",
                value=body.name, expected="one joint that has it as its child", where=where,
            )  # fmt: skip
    if SURROUNDINGS in children:
        joint = model.joints[children.index(SURROUNDINGS)]
        raise InvalidValueError(
            f"The joint {joint.name} has {SURROUNDINGS} as its child.",
            value=joint.name,
            expected="a body as the child",
            where=where,
        )
    reached, left = {SURROUNDINGS}, list(model.joints)
    while left:
        next_ones = [joint for joint in left if joint.parent.body in reached]
        if not next_ones:
            names = [joint.name for joint in left]
            raise InvalidValueError(
                f"The joints {', '.join(names)} carry each other in a circle.",
                value=names,
                expected="a way to the ground",
                where=where,
            )
        reached |= {joint.child.body for joint in next_ones}
        left = [joint for joint in left if joint not in next_ones]


def _check_couplings(model: MusculoskeletalModel, where: str) -> None:
    follows = {coupling.dependent: coupling for coupling in model.couplings}
    twice = sorted({c.dependent for c in model.couplings if c is not follows[c.dependent]})
    if twice:
        raise InvalidValueError(
            f"Two constraints determine the coordinate {', '.join(twice)}.",
            value=twice,
            expected="one coupler for each",
            where=where,
        )
    for start in follows:
        passed = [start]
        while passed[-1] in follows:
            passed.append(follows[passed[-1]].independent)
            if passed[-1] in passed[:-1]:
                raise InvalidValueError(
                    f"The coordinates {', '.join(passed)} are coupled in a circle.",
                    value=passed, expected="coupled coordinates that follow one that is free", where=where,
                )  # fmt: skip
