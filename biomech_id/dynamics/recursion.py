"""The sum over all that hangs on a joint: forward substitution of the block system, for all frames and segments at once.

Taken about one common point, the laboratory's origin O, the moments of action and reaction cancel, and the Newton-Euler
equations of `biomech_id.dynamics.newton_euler` become ::

    F_i = sum f_k          f_k = m_k (a_k - g) - F_ext,k
    M_i = sum tau_k - P_i x F_i      tau_k = c_k x m_k (a_k - g) + I_k alpha_k + omega_k x I_k omega_k - M_ext,k(O)

summed over segment i and everything that hangs on it.
"""

from __future__ import annotations

from collections.abc import Iterable

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec, matvec_transposed
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.problem import Outside, Problem

#: Force (N, n, 3), N, and moment (N, n, 3), N m, laboratory axes: what the joints must supply to each segment, about the
#: laboratory's origin, or what a joint transmits, about that joint.
Wrenches = tuple[FloatArray, FloatArray]


def need_of_segments(p: Problem, inertial: Wrenches) -> Wrenches:
    """What the joints must supply to each segment: rate of change of its momentum, less gravity and external wrenches.

    Parameters
    ----------
    p : Problem
        What is known of the segments.
    inertial : Wrenches
        I alpha and omega x I omega, as from `inertial_moments`.

    Returns
    -------
    Wrenches
        Force (N, n, 3), N, and moment (N, n, 3), N m, about the laboratory's origin, laboratory axes.
    """
    angular, gyroscopic = inertial
    force = p.mass_kg[:, None] * (p.com_acceleration_lab_m_s2 - p.gravity_lab_m_s2)
    moment = cross(p.com_lab_m, force)
    moment += matvec(p.R_lab_seg, angular + gyroscopic)
    subtract_outside((force, moment), p.outside)
    return force, moment


def inertial_moments(p: Problem | Chain) -> Wrenches:
    """The inertial terms of the moment equation, I alpha and omega x I omega.

    Parameters
    ----------
    p : Problem | Chain
        What is known of the segments.

    Returns
    -------
    Wrenches
        Both (N, n, 3), N m, about each centre of mass, in SEGMENT axes.
    """
    omega = matvec_transposed(p.R_lab_seg, p.omega_lab_rad_s)
    alpha = matvec_transposed(p.R_lab_seg, p.alpha_lab_rad_s2)
    return matvec(p.inertia_kgm2, alpha), cross(omega, matvec(p.inertia_kgm2, omega))


def subtract_outside(need: Wrenches, outside: Iterable[Outside]) -> None:
    """Take off ``need``, in place, what comes from outside.

    Parameters
    ----------
    need : Wrenches
        What each segment must be supplied with, about the laboratory's origin; it is changed in place.
    outside : Iterable[Outside]
        Wrenches from outside, about the laboratory's origin.
    """
    force, moment = need
    for load in outside:
        force[:, load.i] -= load.force
        moment[:, load.i] -= load.moment


def joint_wrenches(p: Problem | Chain, need: Wrenches) -> Wrenches:
    """Sum what is needed up the chain and refer it to the joints.

    Parameters
    ----------
    p : Problem | Chain
        What is known of the segments.
    need : Wrenches
        What each segment must be supplied with, about the laboratory's origin; it is changed in place.

    Returns
    -------
    Wrenches
        Force (N, n, 3), N, and moment (N, n, 3), N m, about each segment's proximal joint centre, laboratory axes: action of the
        proximal neighbour on the segment. They take over the memory of ``need``.
    """
    force, moment = need
    sum_up(p.parents, force)
    sum_up(p.parents, moment)
    moment -= cross(p.joint_lab_m, force)
    return force, moment


def sum_up(parents: tuple[int, ...], values: FloatArray) -> None:
    """Add to every segment's values (..., n, 3), in place, those of all segments that hang on it.

    Parameters
    ----------
    parents : tuple[int, ...]
        Index of the segment that each one hangs on, -1 for none; distal to proximal.
    values : FloatArray
        (..., n, 3), changed in place.
    """
    for i, parent in enumerate(parents):  # distal before proximal: a segment's sum is complete when its turn comes
        if parent != BASE:
            values[..., parent, :] += values[..., i, :]
