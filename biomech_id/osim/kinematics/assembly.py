"""Poses that keep a model's constraints, as near as may be to given ones: what OpenSim's models do when they assemble."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.musculoskeletal import CoordinateRelation, MusculoskeletalModel
from biomech_id.osim.kinematics.least_squares import Wanted, minimise
from biomech_id.osim.kinematics.pose_search import hard_limits
from biomech_id.osim.skeleton.tree import Tree


def assembled_pose(model: MusculoskeletalModel, q: ArrayLike) -> FloatArray:
    """Find the coordinates nearest to given ones that keep all of a model's constraints.

    The sum of squares of all changes is least, radians and metres alike; coordinates that constraints make dependent by name follow
    at no cost, locked ones stay, clamped ones stay in their range.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model with its constraints.
    q : ArrayLike
        (N, nq), coordinates in the model's order, rad or m.

    Returns
    -------
    FloatArray
        (N, nq), rad or m.

    Raises
    ------
    InvalidValueError
        A pose from which the constraints cannot be reached; the message says how far they stay open.
    """
    tree = Tree(model, [c.name for c in model.coordinates if c.locked])
    target = tree.skeleton.checked(q)
    relations = [each for each in model.constraints if isinstance(each, CoordinateRelation)]
    following = {each.dependent for each in model.couplings} | {each.dependent for each in relations}
    moved_at_cost = np.array([float(name not in following) for name in model.coordinate_names])
    none, low = np.zeros((len(target), 1)), np.full(len(moved_at_cost), -np.inf)
    wanted = Wanted(np.zeros(1, int), np.zeros((1, 3)), none[..., None] * np.zeros(3), none, target, moved_at_cost, low, -low)
    minimum = minimise(tree, wanted, target, hard_limits(tree))
    if not minimum.converged.all():
        frame = int(np.argmin(minimum.converged))
        off = 0.0 if tree.closing is None else float(np.abs(tree.closing.residual(minimum.q[[frame]])).max())
        raise InvalidValueError(
            f"The constraints of the model {model.name} cannot be kept from pose {frame} on.", value=off,
            expected="a pose nearer to one that keeps them", where=model.source or model.name,
        )  # fmt: skip
    return minimum.q
