"""Lengths, lengthening velocities and moment arms of a model's muscles, in all states at once.

A path runs straight between its points, those that count in a state, and over the surfaces that it meets (`wrapped_paths`). A
moment arm is what it is by virtual work: minus the derivative of the length by the coordinate. A straight piece pulls at both ends
with a force of 1 along it. A wrapped piece's length depends on nothing but where its ends are seen from the surface: it pulls at
each with its derivative, and at the surface's body with the opposite of both, whatever the rule by which the length was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.vectors import cross
from biomech_id.errors import InvalidValueError, ShapeError, UnknownNameError
from biomech_id.multibody.musculoskeletal import MovingPoint, MuscleModel, MusculoskeletalModel
from biomech_id.osim.muscles.surfaces import KINDS
from biomech_id.osim.muscles.wrapped_paths import WrappedPaths
from biomech_id.osim.skeleton.closing import refuse_constraints
from biomech_id.osim.skeleton.function_bank import FunctionBank
from biomech_id.osim.skeleton.tree import Tree, TreePose
from biomech_id.values import dataclass

#: A conditional point counts this far beyond its range, rad or m: OpenSim's tolerance.
BEYOND_RANGE = 1e-5
#: How paths run over surfaces: drawn as OpenSim draws them, as OpenSim adds them up, or the shortest.
Wrapping = Literal["drawn", "opensim", "shortest"]


@dataclass(frozen=True, eq=False)
class PathTensions:
    """Lengths of paths, and what a tension of 1 N in each does to bodies, in N states.

    Attributes
    ----------
    length_m : FloatArray
        (N, K), m, of each muscle.
    arms_m : FloatArray
        (N, K, nq), m, as `MusclePaths.moment_arms` returns them.
    body, muscle : IntArray
        (A,), of each pull, the body that it acts on (0 is the surroundings) and whose it is.
    moment_m, force : FloatArray
        (N, A, 3), of each pull, m about the origin of the surroundings and without unit, in the axes of the surroundings.
    """

    length_m: FloatArray
    arms_m: FloatArray
    body: IntArray
    muscle: IntArray
    moment_m: FloatArray
    force: FloatArray

    def on_bodies(self, tension_N: FloatArray, bodies: int) -> FloatArray:
        """Add up what muscles do to bodies.

        Parameters
        ----------
        tension_N : FloatArray
            (N, K), N, of each muscle.
        bodies : int
            How many bodies there are, the surroundings included.

        Returns
        -------
        FloatArray
            (N, bodies, 6), moment about the origin of the surroundings, N m, and force, N, in the axes of the surroundings.
        """
        pulls = np.concatenate([self.moment_m, self.force], axis=2) * tension_N[:, self.muscle, None]
        on_body = np.asarray(self.body == np.arange(bodies)[:, None], dtype=float)
        return np.asarray(on_body @ pulls)


class MusclePaths:
    """The paths of a model's muscles, compiled.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model with its muscles' paths.
    muscles : Sequence[str] | None, optional
        Names; all that can be computed if None.

    Attributes
    ----------
    names : tuple[str, ...]
        The muscles: columns of every result.
    left_out : dict[str, str]
        Muscles that are not among them, with a sentence why.

    Raises
    ------
    UnknownNameError
        A muscle that the model does not have.
    InvalidValueError
        A muscle that was asked for and wraps over what is not supported.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.muscles.muscle_paths import MusclePaths
    >>> from biomech_id.multibody.joints import PolynomialFunction
    >>> from biomech_id.multibody.musculoskeletal import (
    ...     ModelBody, ModelCoordinate, ModelJoint, MuscleModel, MusculoskeletalModel, OffsetFrame, PathPoint, TransformAxis,
    ... )
    >>> angle = TransformAxis("angle", (0.0, 0.0, 1.0), PolynomialFunction((0.0, 1.0)))
    >>> hinge = ModelJoint("hinge", "pin", OffsetFrame("ground"), OffsetFrame("forearm"), ("angle",), (angle,))
    >>> points = PathPoint("o", "ground", (0.0, 0.3, 0.0)), PathPoint("i", "forearm", (0.04, 0.0, 0.0))
    >>> forearm = ModelBody("forearm", 1.0, np.zeros(3), np.eye(3))
    >>> flexor = MuscleModel("flexor", points)
    >>> coordinate = ModelCoordinate("angle", "hinge", "rotational")
    >>> model = MusculoskeletalModel("arm", (forearm,), (hinge,), (coordinate,), muscles=(flexor,))
    >>> paths = MusclePaths(model)
    >>> paths.lengths([[0.0]]).round(4), paths.moment_arms([[0.0]]).round(4)
    (array([[0.3027]]), array([[[0.0396]]]))
    """

    def __init__(self, model: MusculoskeletalModel, muscles: Sequence[str] | None = None) -> None:
        self.model, self.tree = model, Tree(model)
        known = {muscle.name: muscle for muscle in model.muscles}
        for name in muscles or ():
            if name not in known:
                raise UnknownNameError(
                    f"The model {model.name} has no muscle {name!r}.", value=name, expected=f"one of {list(known)}",
                    where=model.source or model.name,
                )  # fmt: skip
        reasons = {name: _not_supported(model, known[name]) for name in (known if muscles is None else muscles)}
        self.left_out = {name: reason for name, reason in reasons.items() if reason}
        if muscles is not None and self.left_out:
            name, reason = next(iter(self.left_out.items()))
            raise InvalidValueError(
                reason, value=name, expected=f"a path of points over {', '.join(KINDS)}", where=model.source or model.name
            )
        self.names = tuple(name for name in reasons if name not in self.left_out)
        self._compile([known[name] for name in self.names])

    def _compile(self, muscles: list[MuscleModel]) -> None:
        model, tree = self.model, self.tree
        points = [(k, point) for k, muscle in enumerate(muscles) for point in muscle.points]
        counts = np.array([len(muscle.points) for muscle in muscles], dtype=int)
        self._first = np.cumsum(counts) - counts
        self._muscle = np.array([k for k, _ in points], dtype=int)
        self._body = np.array([tree.skeleton.body_index(p.body) for _, p in points], dtype=int)
        self._moving = np.array([j for j, (_, p) in enumerate(points) if isinstance(p, MovingPoint)], dtype=int)
        places = [np.zeros(3) if isinstance(p, MovingPoint) else np.asarray(p.place_m) for _, p in points]
        self._place = np.array(places).reshape(-1, 3)
        moving = [p for _, p in points if isinstance(p, MovingPoint)]
        self._move_by = np.array([model.index(c) if c else -1 for p in moving for c in p.coordinates], dtype=int)
        self._moves = FunctionBank([f for p in moving for f in p.functions])
        conditional = [(j, p) for j, (_, p) in enumerate(points) if not isinstance(p, MovingPoint) and p.coordinate]
        self._conditional = np.array([j for j, _ in conditional], dtype=int)
        self._when = np.array([model.index(p.coordinate) for _, p in conditional], dtype=int)
        self._range = np.array([p.range for _, p in conditional], dtype=float).reshape(-1, 2)
        #: Points of paths that have conditions.
        self._bound = np.flatnonzero(np.isin(self._muscle, self._muscle[self._conditional]))
        self._by_body = [(b, np.flatnonzero(self._body == b)) for b in np.unique(self._body)]
        self._ends = np.append(self._first[1:], len(points)) - 1
        self._wraps = WrappedPaths(model, tree, muscles, self._first)

    # Lengths.

    def lengths(self, q: ArrayLike, *, wrapping: Wrapping = "drawn") -> FloatArray:
        """Lengths of the muscle-tendon units.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), all coordinates, rad or m; those that follow others need not be right.
        wrapping : Wrapping, optional
            "drawn": over one cylinder OpenSim's path, over several the path that its rounds lead to, each as long as it is.
            "opensim": OpenSim's own sum, which over several cylinders is up to millimetres shorter than the path it draws.
            "shortest": the shortest path on the same side, over one cylinder too.

        Returns
        -------
        FloatArray
            (N, K), m, columns as in `names`.

        Raises
        ------
        ShapeError
            Another number of coordinates.
        """
        q = self.tree.skeleton.completed(q)
        pose = self.tree.posture(q, rows=False)
        points, active, _ = self._points(q, pose)
        added = self._wraps.added(points, active, pose, wrapping)
        if not self.names:
            return added
        return np.add.reduceat(self._steps(points)[1], self._first, axis=1) + added

    def _points(self, q: FloatArray, pose: TreePose) -> tuple[FloatArray, BoolArray | None, FloatArray]:
        """Points (N, P, 3) of all paths; whether each counts (None: all do); the moving ones' slopes (N, 3 m).

        A point that does not count stands where the one before it does.
        """
        points, slopes = np.empty((len(q), len(self._body), 3)), np.empty((len(q), 0))
        for body, which in self._by_body:
            place = pose.place[:, body]
            points[:, which] = self._place[which] @ place[:, :3, :3].swapaxes(1, 2) + place[:, None, :3, 3]
        if len(self._moving):
            x = q[:, self._move_by]
            values, slopes = (self._moves.values(x), slopes) if not pose.turn.shape[1] else self._moves.all(x)[:2]
            chosen = pose.place[:, self._body[self._moving]]
            local = values.reshape(len(q), -1, 3, 1)
            points[:, self._moving] = (chosen[..., :3, :3] @ local)[..., 0] + chosen[..., :3, 3]
        if not len(self._conditional):
            return points, None, slopes
        at = q[:, self._when]
        counts = (at >= self._range[:, 0] - BEYOND_RANGE) & (at <= self._range[:, 1] + BEYOND_RANGE)
        active = np.ones(points.shape[:2], bool)
        active[:, self._conditional] = counts
        points[:, self._bound] = np.take_along_axis(points, self._before(active)[..., None], axis=1)
        return points, active, slopes

    def _before(self, active: BoolArray) -> IntArray:
        """For each point of a path with conditions (N, C), the last one up to it that counts; the first that does before that."""
        columns, first = self._bound, self._first[self._muscle[self._bound]]
        before = np.maximum.accumulate(np.where(active, np.arange(active.shape[1]), -1), axis=1)[:, columns]
        leading = before < first
        if leading.any():
            after = np.where(active, np.arange(active.shape[1]), active.shape[1] - 1)
            after = np.minimum.accumulate(after[:, ::-1], axis=1)[:, ::-1][:, columns]
            before = np.where(leading, after, before)
        return before

    def _steps(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Ways (N, P, 3) from each point to the next, none from the last of a path, and their lengths (N, P)."""
        step = np.empty_like(points)
        np.subtract(points[:, 1:], points[:, :-1], out=step[:, :-1])
        step[:, self._ends] = 0.0
        return step, np.sqrt(step[..., 0] ** 2 + step[..., 1] ** 2 + step[..., 2] ** 2)

    # Moment arms.

    def moment_arms(self, q: ArrayLike, *, wrapping: Wrapping = "drawn") -> FloatArray:
        """Moment arms of the muscles by all coordinates.

        Minus the derivative of each length by each coordinate, those that follow it following.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), all coordinates, rad or m.
        wrapping : Wrapping, optional
            As of `lengths`. "opensim" is OpenSim's own: a tension of 1 along its path, which over cylinders is not quite the
            derivative of its length.

        Returns
        -------
        FloatArray
            (N, K, nq), m; a ratio without unit by a coordinate that slides. A coordinate that follows another takes that one with
            it; NaN where it stands still while the other goes on, and for locked ones.

        Raises
        ------
        ShapeError
            Another number of coordinates.
        """
        return self.tensions(q, wrapping=wrapping).arms_m

    def tensions(self, q: ArrayLike, *, wrapping: Wrapping = "drawn") -> PathTensions:
        """Lengths, moment arms and wrenches on bodies in one go.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), all coordinates, rad or m.
        wrapping : Wrapping, optional
            As of `moment_arms`.

        Returns
        -------
        PathTensions
            Of all muscles in N states.

        Raises
        ------
        ShapeError
            Another number of coordinates.
        """
        refuse_constraints(self.model, "A moment arm")
        q = self.tree.skeleton.completed(q)
        pose = self.tree.posture(q)
        points, active, slopes = self._points(q, pose)
        step, size = self._steps(points) if self.names else (np.zeros_like(points), points[..., 0])
        length = self._wraps.added(points, active, pose, wrapping)
        if self.names:
            length = length + np.add.reduceat(size, self._first, axis=1)
        unit = step / np.where(size > 0, size, 1.0)[..., None]
        pull = np.zeros_like(points)
        pull[:, 1:] = unit[:, :-1]
        pull -= unit
        wrapped = self._wraps.pulls(points, active, pose, wrapping)
        pull[:, wrapped.point] += wrapped.at_points
        if active is not None:
            pull = self._given_back(pull, active)
        body, muscle = np.append(self._body, wrapped.body), np.append(self._muscle, wrapped.muscle)
        moment = np.concatenate([cross(points, pull), wrapped.moment], axis=1)
        force = np.concatenate([pull, wrapped.force], axis=1)
        by_free = self._by_rows(pose, body, muscle, moment, force)
        if len(self._moving):
            self._by_moving(by_free, pose, pull, slopes, q)
        arms = np.full((len(q), len(self.names), q.shape[1]), np.nan)
        arms[:, :, self.tree.free] = -by_free
        slope, _ = self.tree.coupled(q)
        for k, f in self.tree.following:
            with np.errstate(invalid="ignore", divide="ignore"):
                arms[:, :, k] = np.where(slope[:, k, None] != 0, -by_free[:, :, f] / slope[:, k, None], np.nan)
        return PathTensions(length, arms, body, muscle, -moment, -force)

    def velocities(self, q: ArrayLike, u: ArrayLike, *, wrapping: Wrapping = "drawn") -> FloatArray:
        """Lengthening velocities of the muscle-tendon units.

        Parameters
        ----------
        q : ArrayLike
            (N, nq), all coordinates, rad or m.
        u : ArrayLike
            (N, nq), their rates, rad/s or m/s.
        wrapping : Wrapping, optional
            Which path over cylinders, as for `lengths`.

        Returns
        -------
        FloatArray
            (N, K), m/s, positive while the muscle lengthens.

        Raises
        ------
        ShapeError
            Another number of coordinates or rates.
        """
        arms, rates = self.moment_arms(q, wrapping=wrapping), np.asarray(u, dtype=float)
        if rates.shape != (len(arms), arms.shape[2]):
            raise ShapeError(
                f"Rates have the shape {rates.shape}.",
                value=rates.shape,
                expected=f"({len(arms)}, {arms.shape[2]})",
                where="velocities",
            )
        free = self.tree.free
        return np.asarray(-(arms[:, :, free] @ rates[:, free, None])[..., 0])

    def _given_back(self, pull: FloatArray, active: BoolArray) -> FloatArray:
        """Forces of points that stand in for others, given to those."""
        given = pull.copy()
        given[:, self._bound] = 0.0
        frame = np.arange(len(pull))[:, None]
        np.add.at(given, (frame, self._before(active)), pull[:, self._bound])
        return given

    def _by_rows(self, pose: TreePose, body: IntArray, muscle: IntArray, moment: FloatArray, force: FloatArray) -> FloatArray:
        """Derivatives (N, K, F) of the lengths by the free coordinates, as far as bodies move points."""
        scale = pose.slope[..., None]
        by_row = (pose.turn * scale) @ moment.swapaxes(1, 2) + (pose.shift * scale) @ force.swapaxes(1, 2)
        by_row *= self.tree.beyond[:, body]
        order = np.argsort(muscle, kind="stable")
        starts = np.searchsorted(muscle[order], np.arange(len(self.names)))
        by_muscle = np.add.reduceat(by_row[:, :, order], starts, axis=2) if len(starts) else by_row[:, :, :0]
        return by_muscle.swapaxes(1, 2) @ self.tree.by_coordinate

    def _by_moving(self, by_free: FloatArray, pose: TreePose, pull: FloatArray, slopes: FloatArray, q: FloatArray) -> None:
        """Add what points do that move within their bodies."""
        which = self._moving
        local = (pose.place[:, self._body[which], :3, :3].swapaxes(-1, -2) @ pull[:, which, :, None])[..., 0]
        follow, _ = self.tree.coupled(q)
        terms = local.reshape(len(q), -1) * slopes * follow[:, self._move_by]
        column = {int(k): f for f, k in enumerate(self.tree.free)}
        for j, by in enumerate(self._move_by):
            if by >= 0:
                by_free[:, self._muscle[which[j // 3]], column[self.tree.root_column(int(by))]] += terms[:, j]


def _not_supported(model: MusculoskeletalModel, muscle: MuscleModel) -> str:
    """Why a muscle's path cannot be computed, in one sentence; empty if it can."""
    if not muscle.points:
        return (
            f"The path of the muscle {muscle.name} is not made of points of a GeometryPath (a function of coordinates, or points "
            "of version 1): its length is not computed."
        )
    objects = {wrap.name: wrap for wrap in model.wrap_objects}
    for wrap in muscle.wraps:
        surface = objects[wrap.wrap_object]
        if surface.kind not in KINDS:
            return f"The muscle {muscle.name} wraps over the {surface.kind} {surface.name}, which is not supported."
        if surface.kind == "cylinder" and surface.quadrant.strip("+-") not in ("all", "x", "y"):
            return (
                f"The muscle {muscle.name} wraps over the half {surface.quadrant} of the cylinder {surface.name}, which has none."
            )
    return ""
