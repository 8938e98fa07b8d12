"""The sum over all that hangs on a joint: forward substitution of the block system, for all frames and segments at once.

Taken about one common point, the laboratory's origin O, the moments of action and reaction cancel, and the Newton-Euler
equations of `biomech_id.dynamics.newton_euler` become

    F_i = sum f_k          f_k = m_k (a_k - g) - F_ext,k
    M_i = sum tau_k - P_i x F_i      tau_k = c_k x m_k (a_k - g) + I_k alpha_k + omega_k x I_k omega_k - M_ext,k(O)

summed over segment i and everything that hangs on it.
"""

from __future__ import annotations

from collections.abc import Iterable

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, matvec, matvec_transposed
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import External

#: Force (N, n, 3), N, and moment about the laboratory's origin (N, n, 3), N m, laboratory axes, one per segment.
Need = tuple[FloatArray, FloatArray]


def need_of_segments(chain: Chain, external: Iterable[External], gravity: FloatArray, inertial: Need) -> Need:
    """What the joints must supply to each segment: rate of change of its momentum, less gravity and external wrenches.

    ``inertial`` are the terms of `inertial_moments`.
    """
    angular, gyroscopic = inertial
    force = chain.mass_kg[:, None] * (chain.com_acceleration_lab_m_s2 - gravity)
    moment = cross(chain.com_lab_m, force)
    moment += matvec(chain.R_lab_seg, angular + gyroscopic)
    subtract_external(chain, external, (force, moment))
    return force, moment


def subtract_external(chain: Chain, external: Iterable[External], need: Need) -> None:
    """Take off ``need``, in place, what comes from outside."""
    force, moment = need
    for load in external:
        i = chain.index(load.segment)
        external_force, external_moment = load.at_origin()
        force[:, i] -= external_force
        moment[:, i] -= external_moment


def inertial_moments(chain: Chain) -> tuple[FloatArray, FloatArray]:
    """The terms I alpha and omega x I omega (N, n, 3), N m, about each centre of mass, in SEGMENT axes."""
    omega = matvec_transposed(chain.R_lab_seg, chain.omega_lab_rad_s)
    alpha = matvec_transposed(chain.R_lab_seg, chain.alpha_lab_rad_s2)
    return matvec(chain.inertia_kgm2, alpha), cross(omega, matvec(chain.inertia_kgm2, omega))


def joint_wrenches(chain: Chain, need: Need) -> tuple[FloatArray, FloatArray]:
    """Sum what is needed up the chain and refer it to the joints.

    Returns
    -------
    force (N, n, 3), N, and moment (N, n, 3), N m, about each segment's proximal joint centre, laboratory axes: action of the
    proximal neighbour on the segment. They take over the memory of ``need``.
    """
    force, moment = need
    sum_up(chain, force)
    sum_up(chain, moment)
    moment -= cross(chain.joint_lab_m, force)
    force.flags.writeable = moment.flags.writeable = False
    return force, moment


def sum_up(chain: Chain, values: FloatArray) -> None:
    """Add to every segment's values (N, n, ...), in place, those of all segments that hang on it."""
    for i, parent in enumerate(chain.parents):  # distal before proximal: a segment's sum is complete when its turn comes
        if parent != BASE:
            values[:, parent] += values[:, i]
