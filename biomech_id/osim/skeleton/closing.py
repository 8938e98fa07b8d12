"""What a model's constraints ask of its coordinates: equations h(q) = 0, their Jacobian, and the way back where they do not hold.

Ties between bodies are closures of `biomech_id.multibody.closures` on the skeleton's tree. A weld is three points: the frames'
origins meet, a point one metre along x stays on x, and one along y in the plane of x and y. Equations may say one thing twice, as
in a plane: what matters are the directions in which the coordinates may move, the null space of the Jacobian.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import Gearing, Place, PointGap, Rod, coupler, slider, spherical
from biomech_id.multibody.kinematics import GROUND, Kinematics
from biomech_id.multibody.musculoskeletal import (
    BodyConstraint,
    CoordinateCoupling,
    CoordinateRelation,
    MusculoskeletalModel,
    OffsetFrame,
)
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.values import dataclass, replace

#: Newton's method stops where equations are off by less than the first, m or rad; above the second they do not hold.
CLOSED, OPEN_M = 1e-12, 1e-6
#: Its steps, and how far each goes, rad or m.
MOST_STEPS, LONGEST = 30, 0.5
#: How far from its default every coordinate is for that, rad or m.
OFF_DEFAULT = 0.1
#: Smaller derivatives of equations are rounding.
NO_SLOPE = 1e-12
#: Directions that the equations bind less than this, as a share of what they bind most, are free.
BOUND = 1e-7


@dataclass(frozen=True)
class _Relation:
    """A coordinate that is a function of several, as a closure."""

    of: CoordinateRelation

    size = 1

    def _columns(self, moving: Kinematics) -> list[int]:
        return [moving.layout.coordinate(name) for name in (self.of.dependent, *self.of.independent)]

    def residual(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        first, *others = self._columns(moving)
        return np.asarray(q[:, [first]] - self.of.function.value(q[:, others])[:, None])

    def jacobian(self, q: FloatArray, moving: Kinematics) -> FloatArray:
        first, *others = self._columns(moving)
        J = np.zeros((len(q), 1, q.shape[1]))
        J[:, 0, first] += 1.0
        J[:, 0, others] -= self.of.function.gradient(q[:, others])
        return J


@dataclass(frozen=True)
class Opening:
    """How far a constraint is from holding, in N states.

    Attributes
    ----------
    name : str
        Name of the constraint.
    gap : FloatArray
        (N,), between points, m, or between what a coordinate is and what others make it, rad or m.
    turn_rad : FloatArray
        (N,), angle between the frames of a weld; zero of others.
    in_angle : bool
        Whether ``gap`` is an angle.
    """

    name: str
    gap: FloatArray
    turn_rad: FloatArray
    in_angle: bool = False


class Closing:
    """The constraints of a model as equations.

    Parameters
    ----------
    skeleton : Skeleton
        The tree of a model, whose ``constraints`` they are.
    free : Sequence[int]
        Columns of the F coordinates that may move; those that are coupled follow.
    couplings : Sequence[CoordinateCoupling], optional
        Couplers that are equations too: of a skeleton whose model has none, all of whose coordinates are free.

    Attributes
    ----------
    constraints : tuple[CoordinateCoupling | CoordinateRelation | BodyConstraint, ...]
        What the equations are of, couplings first.
    """

    def __init__(self, skeleton: Skeleton, free: Sequence[int], couplings: Sequence[CoordinateCoupling] = ()) -> None:
        self.skeleton, self.free = skeleton, np.asarray(free, dtype=int)
        self.constraints = (*couplings, *skeleton.model.constraints)
        # By number: a body of a model may be called what a base is called.
        numbers = tuple(str(k) for k in range(1, len(skeleton.layout.bodies) + 1))
        self._layout = replace(skeleton.layout, bodies=numbers)
        self._equations = [self._closures(each) for each in self.constraints]
        self._welds = any(isinstance(each, BodyConstraint) and each.kind == "weld" for each in skeleton.model.constraints)

    def _closures(
        self, tie: CoordinateCoupling | CoordinateRelation | BodyConstraint
    ) -> tuple[PointGap | Rod | Gearing | _Relation, ...]:
        if isinstance(tie, CoordinateCoupling):
            return (coupler(tie.dependent, tie.independent, tie.function),)
        if isinstance(tie, CoordinateRelation):
            return (_Relation(tie),)
        (first, R_first, at_first), (second, R_second, at_second) = (self._end(frame) for frame in (tie.first, tie.second))
        ends = (second, at_second, first, at_first)
        if tie.kind == "distance":
            return (Rod(*_placed(*ends), tie.distance_m),)
        if tie.kind == "point":
            return (spherical(*_placed(*ends)),)
        if tie.kind == "line":
            turned = R_first @ np.asarray(tie.first.R_body_frame).T @ tie.along
            return (slider(*_placed(*ends), _place(turned)),)
        y, z = _place(R_first[:, 1]), _place(R_first[:, 2])
        on_x, on_y = at_second + R_second[:, 0], at_second + R_second[:, 1]
        return (
            spherical(*_placed(*ends)),
            PointGap(*_placed(second, on_x, first, at_first), first, (y, z)),
            PointGap(*_placed(second, on_y, first, at_first), first, (z,)),
        )

    def _end(self, frame: OffsetFrame) -> tuple[str, FloatArray, FloatArray]:
        """Body of the layout, and axes and origin of a frame in it."""
        number, R, place_m = self.skeleton.in_layout(frame.body)
        return str(number) if number else GROUND, R @ np.asarray(frame.R_body_frame), place_m + R @ np.asarray(frame.place_m)

    @cached_property
    def moving(self) -> BoolArray:
        """(F,), free coordinates that change an equation."""
        # At the default one may by chance change none.
        q = self.skeleton.completed(self.skeleton.default_q()[None] + OFF_DEFAULT)
        return np.asarray((np.abs(self.jacobian(q)) > NO_SLOPE).any(axis=(0, 1)))

    def _moved(self, q: FloatArray) -> Kinematics:
        """The tree at rest."""
        at_rest = self.skeleton.tree.places(q)
        origin, axis, at = (each.transpose(2, 0, 1) for each in (at_rest.origin, at_rest.axis, at_rest.at))
        still = np.zeros_like(origin)
        R = at_rest.columns.transpose(3, 0, 2, 1)
        return Kinematics(self._layout, R, origin, still, still, still, still, axis, at, at_rest.slope.T, np.zeros_like(q))

    def residual(self, q: FloatArray) -> FloatArray:
        """How far the equations are from holding.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates, rad or m.

        Returns
        -------
        FloatArray
            h (N, k), m, m2 or rad.
        """
        moving = self._moved(q)
        return np.concatenate([each.residual(q, moving) for group in self._equations for each in group], axis=1)

    def jacobian(self, q: FloatArray) -> FloatArray:
        """Derivatives of the equations by the free coordinates, those that follow following.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates, rad or m.

        Returns
        -------
        FloatArray
            J (N, k, F), with h' = J q'.
        """
        moving = self._moved(q)
        J = np.concatenate([each.jacobian(q, moving) for group in self._equations for each in group], axis=1)
        return J @ self.skeleton.coupling_jacobian(q, self.free.tolist())

    def unit_wrenches(self, q: FloatArray) -> Iterator[FloatArray]:
        """What constraints do to bodies for a unit of each equation's multiplier.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates, rad or m.

        Yields
        ------
        FloatArray
            (N, k, 6) for the k equations of each constraint, in the order of the Jacobian: force on the second body, and moment
            about the origin of the surroundings, in their axes; the first body gets the opposite. Zeros for couplers.
        """
        moving = self._moved(q)
        for group in self._equations:
            wrenches = [np.zeros((len(q), each.size, 6)) for each in group]
            for each, wrench in zip(group, wrenches, strict=True):
                if isinstance(each, PointGap | Rod):
                    wrench[..., :3] = force = each.unit_forces(moving)
                    wrench[..., 3:] = cross(moving.point(moving.layout.index(each.body), each.place_m)[0][:, None], force)
            yield np.concatenate(wrenches, axis=1)

    def closed(self, q: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Move coordinates as little as need be until all equations hold.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates, rad or m.
        low, high : FloatArray
            (F,), bounds of the free ones.

        Returns
        -------
        tuple[FloatArray, BoolArray]
            Coordinates (N, nq), those that follow too; and which states (N,) are closed: others stand where the search ended.
        """
        q, free = self.skeleton.completed(q), self.free
        done = np.zeros(len(q), bool)
        # What lies at a bound stays there as long as the others are enough.
        for held in ((q[:, free] <= low) | (q[:, free] >= high), np.zeros((len(q), len(free)), bool)):
            frames = np.flatnonzero(~done)
            if len(frames):
                q[frames], done[frames] = self._newton(q[frames], held[frames], (low, high))
        return q, done

    def _newton(self, q: FloatArray, held: BoolArray, bounds: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, BoolArray]:
        """Steps to where the equations hold, by as little as need be; which states (N,) arrived."""
        (low, high), free, left = bounds, self.free, np.arange(len(q))
        for _ in range(MOST_STEPS):
            off = self.residual(q[left])
            open_ones = ~(np.abs(off).max(axis=1) < CLOSED)
            left, off = left[open_ones], off[open_ones]
            if not len(left):
                break
            J = np.where(held[left][:, None], 0.0, self.jacobian(q[left]))
            step = -(np.linalg.pinv(J, rcond=BOUND) @ off[..., None])[..., 0]
            step *= np.minimum(1.0, LONGEST / np.maximum(np.abs(step).max(axis=1, keepdims=True), LONGEST))
            x = q[np.ix_(left, free)] + step
            held[left] |= (x < low) | (x > high)
            q[np.ix_(left, free)] = np.clip(x, low, high)
            q[left] = self.skeleton.completed(q[left])
        done = np.ones(len(q), bool)
        done[left] = np.abs(self.residual(q[left])).max(axis=1) < OPEN_M
        # The equations of a weld hold as well where one frame is turned over.
        turns = [each.turn_rad for each in self.openings(q)] if self._welds else [np.zeros(len(q))]
        return q, done & (np.max(turns, axis=0) < np.pi / 2)

    def openings(self, q: FloatArray) -> Iterator[Opening]:
        """Measure how far each constraint is from holding.

        Parameters
        ----------
        q : FloatArray
            (N, nq), all coordinates, rad or m.

        Yields
        ------
        Opening
            One a constraint, in the model's order.
        """
        moving, pose, model = self._moved(q), self.skeleton.pose(q), self.skeleton.model
        for of, group in zip(self.constraints, self._equations, strict=True):
            gap, turn = np.linalg.norm(group[0].residual(q, moving), axis=1), np.zeros(len(q))
            if not isinstance(of, BodyConstraint):
                yield Opening(of.name, gap, turn, model.coordinates[model.index(of.dependent)].motion == "rotational")
                continue
            if isinstance(group[0], Rod):
                gap = np.abs(np.linalg.norm(group[0].gap(moving)[0], axis=1) - of.distance_m)
            if of.kind == "weld":
                bodies = [pose.R_ground_body[:, self.skeleton.body_index(frame.body)] for frame in (of.first, of.second)]
                R_first, R_second = bodies[0] @ np.asarray(of.first.R_body_frame), bodies[1] @ np.asarray(of.second.R_body_frame)
                R = np.swapaxes(R_first, 1, 2) @ R_second
                sine = np.linalg.norm(R - np.swapaxes(R, 1, 2), axis=(1, 2)) / np.sqrt(2.0)
                turn = np.arctan2(sine, np.trace(R, axis1=1, axis2=2) - 1.0)
            yield Opening(of.name, gap, turn)


def bound_directions(jacobian: FloatArray) -> FloatArray:
    """Projector on the directions that equations bind.

    Parameters
    ----------
    jacobian : FloatArray
        (N, k, F), derivatives of k equations by F coordinates.

    Returns
    -------
    FloatArray
        (N, F, F), symmetric; 1 less it projects on the directions in which the equations go on holding.
    """
    return np.linalg.pinv(jacobian, rcond=BOUND) @ jacobian


def refuse_constraints(model: MusculoskeletalModel, task: str) -> None:
    """Refuse a model whose constraints a computation would pass over.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model that is given.
    task : str
        What is computed, for the sentence.

    Raises
    ------
    InvalidValueError
        It has constraints other than couplers of two coordinates.
    """
    if model.constraints:
        names = [each.name for each in model.constraints]
        raise InvalidValueError(
            f"{task} does not take the constraints {', '.join(names)} of the model {model.name} into account.", value=names,
            expected="couplers of one coordinate, or isEnforced false", where=model.source or model.name,
        )  # fmt: skip


def _place(values: FloatArray) -> Place:
    x, y, z = np.asarray(values, dtype=float).tolist()
    return x, y, z


def _placed(body: str, place_m: FloatArray, other: str, other_place_m: FloatArray) -> tuple[str, Place, str, Place]:
    return body, _place(place_m), other, _place(other_place_m)
