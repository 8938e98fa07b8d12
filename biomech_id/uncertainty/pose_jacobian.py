"""The joint moments of a leg as they follow from its poses: one matrix a frame, whatever it is that puts the poses off.

Poses are off by the ten vectors g(t) of a `dynamics.model_errors.LegResponse`, in the axes of a segment R. With e = g, ::

    turn of the axes            R e         change of angular velocity    R e'
    angular acceleration        R e'' + omega x R e'
    acceleration of a point     R e'' + 2 omega x R e' + alpha x R e + omega x (omega x R e)

so that whatever is solved from the poses changes by J0 e + J1 e' + J2 e''. A *Jacobian* here is the three stacked,
(orders, N, rows, vectors, 3): what depends on nothing but the poses themselves has one order, and vectors at the end on which
nothing depends are left out.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.skew import skew
from biomech_id.dynamics.model_errors import CARRIERS
from biomech_id.uncertainty.sources import Nominal

#: First of the vectors of a `LegResponse` that are shifts of joint centres, and of centres of mass; turns come before them.
_JOINTS, _COMS = 4, 7


def by_frames(orders: int, n_frames: int, rows: int, vectors: int) -> FloatArray:
    """Return a Jacobian of zeros.

    Parameters
    ----------
    orders : int
        1 for what depends on the poses alone, 3 with their first and second derivative.
    n_frames : int
        Number of frames N.
    rows : int
        Number of results that depend on the poses.
    vectors : int
        Number of vectors of a `LegResponse` that they depend on.

    Returns
    -------
    FloatArray
        (orders, N, rows, vectors, 3), stored frame by frame, each as one matrix.
    """
    return np.zeros((n_frames, rows, orders, vectors, 3)).transpose(2, 0, 1, 3, 4)


def add_lab(jacobian: FloatArray, R_lab_seg: FloatArray, order: int, vector: int, per_lab: FloatArray) -> None:
    """Add, in place, what depends on one of the vectors.

    Parameters
    ----------
    jacobian : FloatArray
        (orders, N, rows, vectors, 3).
    R_lab_seg : FloatArray
        (N, 4, 3, 3), axes of foot, shank, thigh and pelvis.
    order : int
        0, 1 or 2: on the vector itself, its first or its second derivative.
    vector : int
        Its number among those of a `LegResponse`.
    per_lab : FloatArray
        (N, rows, 3), rows per unit of its laboratory components.
    """
    jacobian[order, :, :, vector] += per_lab @ R_lab_seg[:, CARRIERS[vector]]


def moment_jacobians(nominal: Nominal, R_lab_seg: FloatArray) -> list[FloatArray]:
    """Return the Jacobians of a leg's joint moments.

    Up the leg every segment adds what it must be supplied with, and the sum is referred to the next joint (`dynamics.recursion`).

    Parameters
    ----------
    nominal : Nominal
        Solution of the leg around which errors are propagated.
    R_lab_seg : FloatArray
        (N, 4, 3, 3), axes of foot, shank, thigh and pelvis.

    Returns
    -------
    list[FloatArray]
        About ankle, knee and hip: (3, N, 3, 10, 3), N m, laboratory axes.
    """
    chain = nominal.chain
    jacobians: list[FloatArray] = []
    force, moment = (np.zeros((3, chain.n_frames, 3, 10, 3)) for _ in range(2))
    for i in range(len(chain.names)):
        if i:
            back = skew(chain.joint_lab_m[:, i - 1] - chain.joint_lab_m[:, i])
            moment += (back @ force.reshape(3, -1, 3, 30)).reshape(moment.shape)
            add_lab(moment, R_lab_seg, 0, _JOINTS + i - 1, -skew(nominal.force[:, i - 1]))
        add_lab(moment, R_lab_seg, 0, _JOINTS + i, skew(nominal.force[:, i]))
        lever, omega = skew(chain.com_lab_m[:, i] - chain.joint_lab_m[:, i]), skew(chain.omega_lab_rad_s[:, i])
        carried = skew(chain.alpha_lab_rad_s2[:, i]) + omega @ omega, 2.0 * omega, np.broadcast_to(np.eye(3), omega.shape)
        for order, acceleration in enumerate(carried):
            add_lab(force, R_lab_seg, order, _COMS + i, chain.mass_kg[i] * acceleration)
            add_lab(moment, R_lab_seg, order, _COMS + i, lever @ (chain.mass_kg[i] * acceleration))
        add_lab(moment, R_lab_seg, 0, _COMS + i, -skew(nominal.momentum_rate[:, i]))
        inertia = nominal.inertia_lab_kgm2[:, i]
        spinning = inertia @ omega + omega @ inertia - skew(nominal.angular_momentum[:, i])
        for order, turning in enumerate((nominal.inertia_turning[:, i], spinning, inertia)):
            add_lab(moment, R_lab_seg, order, i, turning)
        jacobians.append(moment.copy())
    return jacobians
