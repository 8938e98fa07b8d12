"""Systems and states that no equation of motion has an answer for, refused with the body, the joint and what to do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, float_array
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.multibody.kinematics import TreeLayout

#: Inertia of a joint below this part of the largest of its kind (turns, slides) is none: rounding leaves 1e-32 about the line of a
#: point mass, the last phalanx of a finger beside a whole body has 1e-8.
LEAST_INERTIA = 1e-14
#: Smallest eigenvalue of a mass matrix whose diagonal is scaled to 1 that still gives accelerations: they keep three digits of 16.
#: Two turns 1e-6 rad from falling together leave 5e-13, a relative chain of 100 links 1e-9.
LEAST_EIGENVALUE = 1e-13
_CURE_TOGETHER = (
    "a point mass needs an inertia about its own line, or a universal joint; "
    "turns whose axes fall together need another state, or a ball"
)


def check_numbers(where: str, **values: ArrayLike) -> None:
    """Refuse places that are no three numbers, and any number that is missing or infinite.

    Parameters
    ----------
    where : str
        What they belong to, for the sentence.
    **values : ArrayLike
        Name of a field -> its numbers; those of a name that ends in ``place_m`` are (3,), m.

    Raises
    ------
    ShapeError
        A place of another shape.
    InvalidValueError
        A number that is NaN or infinite.
    """
    for name, value in values.items():
        numbers = float_array(value, name=name, where=where)
        if name.endswith("place_m") and numbers.shape != (3,):
            raise ShapeError(
                f"The {name} of the {where} has shape {numbers.shape}.",
                value=numbers.shape,
                expected="three numbers, m",
                where=where,
            )
        if not np.isfinite(numbers).all():
            raise InvalidValueError(
                f"The {name} of the {where} is {numbers.tolist()}.", value=numbers.tolist(), expected="finite numbers", where=where
            )


def check_state(names: Sequence[str], values: FloatArray, *, argument: str, where: str) -> None:
    """Refuse a state of one instant with numbers too many, too few or missing; among many states gaps stay gaps.

    Parameters
    ----------
    names : Sequence[str]
        Of the coordinates, speeds or drives.
    values : FloatArray
        (k,), one for each name.
    argument, where : str
        Name of the argument, and of the public function.

    Raises
    ------
    ShapeError
        Not one number for each name.
    InvalidValueError
        The first of them that is NaN or infinite, by its name.
    """
    if values.shape != (len(names),):
        raise ShapeError(
            f"{where} was given {argument} of shape {values.shape}, for {', '.join(names) or 'no joint at all'}.",
            value=values.shape, expected=str((len(names),)), where=where,
        )  # fmt: skip
    for name, value in zip(names, values, strict=True):
        if not np.isfinite(value):
            raise InvalidValueError(
                f"{argument} is {value} at {name!r}.", value=str(value), expected="a finite number", where=where
            )


def check_inertia(layout: TreeLayout, M: FloatArray, speeds: Sequence[str]) -> None:
    """Refuse mass matrices that leave an acceleration without a value; states with gaps pass.

    Parameters
    ----------
    layout : TreeLayout
        Whose joints have the speeds.
    M : FloatArray
        (N, n, n), kg m2, kg or kg m by the kinds of the two speeds; symmetric.
    speeds : Sequence[str]
        The n speeds, by name.

    Raises
    ------
    InvalidValueError
        A joint that moves no mass, or several that can move together without moving any; the first such state.
    """
    if not M.size:
        return
    owner = {k: (layout.bodies[body - 1], turns) for body, turns, k in reversed(layout.rows)}
    joints, turning = zip(*(owner[layout.speed(name)] for name in speeds), strict=True)
    gaps = np.asarray(np.isnan(M).any(axis=(1, 2)), dtype=bool)
    M = np.where(gaps[:, None, None], np.eye(len(speeds)), M.real)
    inertia = np.einsum("nii->ni", M)
    same_kind = np.equal.outer(turning, turning)
    least = LEAST_INERTIA * np.where(same_kind, inertia[:, None], 0.0).max(axis=2)
    size = np.sqrt(np.maximum(inertia, np.where(least > 0, least, 1.0)))
    values, ways = np.linalg.eigh(M / (size[:, :, None] * size[:, None]))
    singular = np.flatnonzero(values[:, 0] < LEAST_EIGENVALUE)
    if len(singular):
        state = int(singular[0])
        way = np.abs(ways[state, :, 0])
        moved = [k for k in range(len(speeds)) if way[k] > 0.1 * way.max()]
        names, bodies = (", ".join(dict.fromkeys(of[k] for k in moved)) for of in (speeds, joints))
        cure = f"give the {bodies} a mass or an inertia that it moves" if len(moved) == 1 else _CURE_TOGETHER
        raise InvalidValueError(
            f"In state {state} no mass resists the joint of the {bodies} along {names}, so that its acceleration has no value: "
            f"{cure}.",
            value={speeds[k]: float(inertia[state, k]) for k in moved},
            expected=f"mass or inertia that {names} moves, on the {bodies} or beyond, and axes that do not fall together",
            where=bodies,
        )  # fmt: skip
