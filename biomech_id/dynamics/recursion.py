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


def need_of_segments(chain: Chain, external: Iterable[External], gravity: FloatArray) -> Need:
    """What the joints must supply to each segment: rate of change of its momentum, less gravity and external wrenches."""
    force = chain.mass_kg[:, None] * (chain.com_acceleration_lab_m_s2 - gravity)
    angular, gyroscopic = inertial_moment(chain)
    moment = cross(chain.com_lab_m, force)
    moment += matvec(chain.R_lab_seg, angular + gyroscopic)
    for load in external:
        i = chain.index(load.segment)
        external_force, external_moment = load.at_origin()
        force[:, i] -= external_force
        moment[:, i] -= external_moment
    return force, moment


def inertial_moment(chain: Chain) -> tuple[FloatArray, FloatArray]:
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
    for i, parent in enumerate(chain.parents):  # distal before proximal, so a parent's sum is complete when its turn comes
        if parent != BASE:
            force[:, parent] += force[:, i]
            moment[:, parent] += moment[:, i]
    moment -= cross(chain.joint_lab_m, force)
    force.flags.writeable = moment.flags.writeable = False
    return force, moment
