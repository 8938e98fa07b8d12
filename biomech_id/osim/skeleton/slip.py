"""OpenSim's slip in the velocity terms of some custom joints, for those who need its very numbers.

A custom joint turns by up to three rotations, each by a function of a coordinate. The axes of the second and third are carried by
the rotations before them, at w1 and at w1 + w2. OpenSim takes for these the rates that the first mobility, and all but the third
mobility, give to all three rotations together. Where each rotation has a coordinate of its own, in order, that is the same. Where
several rotations follow one coordinate, as in knees that roll as they bend, the angular acceleration of the child is off by ::

    (V1 - w1) x w2 + (V2 - w1 - w2) x w3

with V1 the sum of the rates that the first mobility drives and V2 of those that any but the third drives. The positions know
nothing of it: accelerations without this term agree with their differences.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.joints import Turn
from biomech_id.multibody.musculoskeletal import ModelJoint
from biomech_id.osim.skeleton.joint_steps import constant_value
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.osim.skeleton.tree_motion import TreePlaces, TreeRates, cross_last

#: Mobility that OpenSim leaves out for the third axis.
_THIRD = 2


def with_slip(skeleton: Skeleton, places: TreePlaces, rates: TreeRates) -> TreeRates:
    """Change accelerations of frames to those that OpenSim has.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    places : TreePlaces
        Where its frames are.
    rates : TreeRates
        True motion of those frames.

    Returns
    -------
    TreeRates
        A copy with other ``alpha`` and ``acceleration`` beyond each joint that slips.
    """
    alpha, acceleration = rates.alpha.copy(), rates.acceleration.copy()
    for number, joint in enumerate(skeleton.joints):
        if slips(joint):
            extra = _extra(skeleton, places, rates, number)
            bodies = np.flatnonzero(skeleton.bodies_beyond[number]) + 1
            alpha[bodies] += extra
            acceleration[bodies] += cross_last(extra, places.origin[bodies] - places.origin[number + 1])
    return replace(rates, alpha=alpha, acceleration=acceleration)


def slips(joint: ModelJoint) -> bool:
    """Whether OpenSim's accelerations of a joint are off at some speeds.

    Parameters
    ----------
    joint : ModelJoint
        A joint of any kind; only custom ones can slip.

    Returns
    -------
    bool
        False for a joint whose rotations each go by a coordinate of their own, in order.
    """
    if joint.kind != "custom":
        return False
    first, second = _carried(joint)
    turning = [k for k, mobility in enumerate(_mobilities(joint)) if mobility is not None]
    w2, w3 = 1 in turning, 2 in turning
    return (w2 and first != {0} & set(turning)) or (w3 and second != {0, 1} & set(turning))


def _mobilities(joint: ModelJoint) -> list[int | None]:
    """For each rotation the number of the coordinate it goes by; None where it is constant."""
    return [
        None if constant_value(axis.function) is not None else joint.coordinates.index(axis.coordinate) for axis in joint.rotations
    ]


def _carried(joint: ModelJoint) -> tuple[set[int], set[int]]:
    """Rotations in OpenSim's rates of the second and of the third axis."""
    of = _mobilities(joint)
    first = {k for k, mobility in enumerate(of) if mobility == 0}
    return first, {k for k, mobility in enumerate(of) if mobility is not None and mobility != _THIRD}


def _extra(skeleton: Skeleton, places: TreePlaces, rates: TreeRates, number: int) -> FloatArray:
    """What OpenSim adds to the child's angular acceleration, (3, N)."""
    joint, tree = skeleton.joints[number], skeleton.tree
    # A constant turn between moving ones is a row too, but none of OpenSim's rates.
    rows = [
        row
        for row in np.flatnonzero(tree.body == number + 1).tolist()
        if isinstance(step := tree.steps[row], Turn) and (step.function is None or constant_value(step.function) is None)
    ]
    w = [np.zeros_like(places.origin[0]) for _ in range(3)]
    moved = [k for k, mobility in enumerate(_mobilities(joint)) if mobility is not None]
    for k, row in zip(moved, rows, strict=True):
        w[k] = places.axis[row] * rates.rate[row]
    first, second = _carried(joint)
    V1, V2 = (sum((w[k] for k in rotations), np.zeros_like(w[0])) for rotations in (first, second))
    return cross_last(V1 - w[0], w[1]) + cross_last(V2 - w[0] - w[1], w[2])
