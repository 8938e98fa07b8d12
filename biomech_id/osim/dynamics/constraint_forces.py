"""What a model's constraints carry in a motion, where some of its coordinates are not driven.

The moments tau of the open tree are shared between drives and constraints. With J the derivatives of all constraints' equations by
the speeds, couplers included, and lambda their multipliers ::

    tau = tau_driven + J^T lambda,   tau_driven = 0 at coordinates without a drive

J is taken in the nearest pose that keeps the constraints, as a filtered motion does not quite. Rows without a drive give lambda.
What depends on a part of it that they leave open (a loop in which all is driven, two constraints that do the same) is NaN; where
constraints cannot carry what such a row needs, there is no answer, and it is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.musculoskeletal import BodyConstraint
from biomech_id.osim.dynamics.inverse_dynamics import by_speeds, force_labels
from biomech_id.osim.kinematics.least_squares import multipliers
from biomech_id.osim.skeleton.closing import NO_SLOPE, Closing, bound_directions
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.values import dataclass, replace

#: A share of a force or coordinate that is not settled by the equations, above which it counts as open: rounding is far below.
OPEN_SHARE = 1e-7


@compact_repr
@dataclass(frozen=True, eq=False)
class ConstraintForces:
    """What constraints carry, and what is left for the drives.

    Attributes
    ----------
    drives : FloatArray
        (N, nq), N m or N, in the order of the skeleton's coordinates: zero without a drive, NaN where it is open how much of the
        moment a constraint carries.
    columns : tuple[str, ...]
        What ``values`` holds of each constraint. Of a tie and a body "tie_body_Fx" to "tie_body_Mz", as OpenSim's ForceReporter has
        it: force and moment about the body's origin, ON the body, axes of the surroundings. Of a coupler and a coordinate
        "coupler_coordinate_moment" (or "_force"), the generalised force that it exerts.
    values : FloatArray
        (N, C), N or N m; NaN for what others can take over, and in frames from which no pose that keeps all constraints is reached.
    undetermined : tuple[str, ...]
        Names of the constraints of which something is NaN in a frame that has a pose.
    closed : BoolArray
        (N,), frames in which a pose that keeps all constraints is reached; all of the others is NaN.
    """

    drives: FloatArray
    columns: tuple[str, ...]
    values: FloatArray
    undetermined: tuple[str, ...]
    closed: BoolArray


def constraint_forces(skeleton: Skeleton, q: ArrayLike, tau: ArrayLike, undriven: Collection[str] = ()) -> ConstraintForces:
    """Share the moments of the open tree between drives and constraints.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model, with its constraints.
    q : ArrayLike
        (N, nq), coordinates, rad or m.
    tau : ArrayLike
        (N, nq), moments of the open tree, as `generalized_forces` gives them, N m or N.
    undriven : Collection[str], optional
        Coordinates that nothing drives, beside those that a coupler makes dependent.

    Returns
    -------
    ConstraintForces
        Of all constraints, couplers of one coordinate included.

    Raises
    ------
    InvalidValueError
        A coordinate without a drive that the constraints leave free to move, in a frame at least; or a model without constraints.
    UnknownNameError
        A name that is none of the model's coordinates.
    """
    model, q, tau = skeleton.model, np.asarray(skeleton.checked(q)), np.asarray(skeleton.checked(tau))
    closing = Closing(Skeleton(replace(model, couplings=())), range(q.shape[1]), model.couplings)
    if not closing.constraints:
        raise InvalidValueError(
            f"The model {model.name} has no constraints.", value=list(undriven), expected="a model with constraints",
            where=model.source or model.name,
        )  # fmt: skip
    followers = (each.dependent for each in closing.constraints if not isinstance(each, BodyConstraint))
    driven = np.ones(q.shape, dtype=bool)
    driven[:, [model.index(name) for name in (*undriven, *followers)]] = False
    known, anywhere = np.isfinite(q + tau).all(axis=1, keepdims=True), np.full(q.shape[1], np.inf)
    q, closed = closing.closed(np.where(known, q, 0.0), -anywhere, anywhere)
    known &= closed[:, None]
    J = by_speeds(skeleton, q, np.where(known[..., None], closing.jacobian(q), 0.0))
    tau = np.where(known, tau, np.nan)
    without_drive = np.where(driven[:, None] | (np.abs(J) < NO_SLOPE), 0.0, J)
    _refuse_loose(skeleton, known & ~driven & (1.0 - np.diagonal(bound_directions(without_drive), axis1=1, axis2=2) > OPEN_SHARE))
    multiplier = multipliers(J, -tau, driven)
    # Combinations of multipliers that no row without a drive shows.
    unseen = np.eye(J.shape[1]) - bound_directions(np.swapaxes(without_drive, 1, 2))

    def carried(share: FloatArray) -> FloatArray:
        """Sums (N, m) of multipliers times (N, k, m), NaN where they leave that open."""
        limit = OPEN_SHARE * np.abs(share).max(axis=(1, 2), initial=0.0)
        left_open = np.abs(unseen @ share).max(axis=1, initial=0.0) > limit[:, None]
        return np.where(left_open, np.nan, (multiplier[:, None] @ share)[:, 0])

    columns, values, undetermined = list[str](), [np.empty((len(q), 0))], list[str]()
    for each, names, share in _shares(closing, q, J):
        columns += [f"{each}_{name}" for name in names]
        values.append(carried(share))
        undetermined += [each] if np.isnan(values[-1][known[:, 0]]).any() else []
    drives = np.where(driven | ~known, tau - carried(J), 0.0)
    return ConstraintForces(drives, tuple(columns), np.concatenate(values, axis=1), tuple(dict.fromkeys(undetermined)), known[:, 0])


def _shares(closing: Closing, q: FloatArray, J: FloatArray) -> Iterator[tuple[str, list[str], FloatArray]]:
    """Of each constraint its name, what it exerts, and that (N, k, m) for a unit of each of all k multipliers."""
    skeleton, row, labels = closing.skeleton, 0, force_labels(closing.skeleton)
    origin = skeleton.pose(q).origin_m
    for each, wrench in zip(closing.constraints, closing.unit_wrenches(q), strict=True):
        rows = slice(row, row + wrench.shape[1])
        row = rows.stop
        if not isinstance(each, BodyConstraint):
            alone = np.zeros_like(J)
            alone[:, rows] = J[:, rows]
            moved = np.flatnonzero(alone.any(axis=(0, 1)))
            yield each.name, [labels[k] for k in moved], alone[..., moved]
            continue
        whole = np.zeros((*J.shape[:2], 6))
        whole[:, rows] = wrench
        for frame, sign in ((each.first, -1.0), (each.second, 1.0)):
            force = sign * whole[..., :3]
            moment = sign * whole[..., 3:] - cross(origin[:, [skeleton.body_index(frame.body)]], force)
            yield each.name, [f"{frame.body}_{word}{axis}" for word in "FM" for axis in "xyz"], np.concatenate([force, moment], 2)


def _refuse_loose(skeleton: Skeleton, loose: BoolArray) -> None:
    if loose.any():
        names, frames = [skeleton.coordinates[k] for k in np.flatnonzero(loose.any(axis=0))], np.flatnonzero(loose.any(axis=1))
        raise InvalidValueError(
            f"The constraints of {skeleton.model.name} do not carry moments of coordinates without a drive, in {len(frames)} of "
            f"{len(loose)} frames, frame {frames[0]} the first: {', '.join(names)}.",
            value=names, expected="fewer coordinates without a drive", where=skeleton.model.source or skeleton.model.name,
        )  # fmt: skip
