"""Where a joint moment comes from: the same equations, one right-hand side for each cause.

The system is linear in its right-hand side, so gravity, inertia and each external wrench contribute separately::

    external          -F_ext, -M_ext                       (by `External.part`; the ground is "ground_reaction")
    gravity           -m g                                 at the centre of mass
    linear_inertia     m a                                 at the centre of mass
    angular_inertia    I alpha
    gyroscopic         omega x I omega

The parts sum to the joint wrench; each is itself a force and a moment about the joint centre.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.conventions import BUDGET_PARTS
from biomech_id.dynamics.problem import Problem
from biomech_id.dynamics.recursion import Wrenches, joint_wrenches, subtract_outside, sum_up

#: As `Wrenches`; the force is None for a part that has none whatever the motion, and (n, 3) where it is the same in every frame.
Share = tuple[FloatArray | None, FloatArray]


def parts_of(p: Problem) -> tuple[str, ...]:
    """Return the parts that joint wrenches are split into.

    Parameters
    ----------
    p : Problem
        Chain, gravity and external wrenches of N frames.

    Returns
    -------
    tuple[str, ...]
        `conventions.BUDGET_PARTS` first and in that order, whatever acts; then what else acts from outside.
    """
    return (*BUDGET_PARTS, *(part for part in dict.fromkeys(load.part for load in p.outside) if part not in BUDGET_PARTS))


def share_of(p: Problem, inertial: Wrenches, part: str) -> Share:
    """Work out the part of joint wrenches that one cause alone would give.

    Parameters
    ----------
    p : Problem
        Chain, gravity and external wrenches of N frames.
    inertial : Wrenches
        I alpha and omega x I omega, as from `recursion.inertial_moments`.
    part : str
        One of `parts_of`.

    Returns
    -------
    Share
        Force (N, n, 3), N, or None for a part without one, and moment (N, n, 3), N m, about the joint centres, laboratory axes;
        the force is (n, 3) where it is the same in every frame.
    """
    angular, gyroscopic = inertial
    if part == "gravity":
        return _caused_by_gravity(p)
    if part == "linear_inertia":
        return _caused_by_forces(p, p.com_acceleration_lab_m_s2)
    if part in ("angular_inertia", "gyroscopic"):
        return _caused_by_moments(p, angular if part == "angular_inertia" else gyroscopic)
    return _caused_from_outside(p, part)


def _caused_by_gravity(p: Problem) -> Share:
    if p.gravity_lab_m_s2.ndim > 1:
        return _caused_by_forces(p, -p.gravity_lab_m_s2)
    # The same weight in every frame: it is summed once and never written out.
    weight = p.mass_kg[None, :, None] * -p.gravity_lab_m_s2
    force, moment = joint_wrenches(p, (weight, cross(p.com_lab_m, weight)))
    return force[0], moment


def _caused_by_forces(p: Problem, acceleration: FloatArray) -> Wrenches:
    """Of forces m x acceleration at the centres of mass."""
    force = np.empty(p.shape, order="F")
    np.multiply(p.mass_kg[:, None], acceleration, out=force)
    return joint_wrenches(p, (force, cross(p.com_lab_m, force)))


def _caused_by_moments(p: Problem, moment_seg: FloatArray) -> Share:
    """Of moments in segment axes; a moment needs no force and is the same about any point."""
    moment = matvec(p.R_lab_seg, moment_seg)
    sum_up(p.parents, moment)
    return None, moment


def _caused_from_outside(p: Problem, part: str) -> Wrenches:
    need = np.zeros(p.shape, order="F"), np.zeros(p.shape, order="F")
    subtract_outside(need, (load for load in p.outside if load.part == part))
    return joint_wrenches(p, need)
