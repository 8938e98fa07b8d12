"""The masses on a tree of bodies: what accelerating, turning and holding them takes, in all speeds at once.

Virtual power: each force at a centre of mass counts along the Jacobian of that point, each moment along that of the body's turn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross, dot
from biomech_id.multibody.kinematics import Kinematics
from biomech_id.values import dataclass


@compact_repr
@dataclass(frozen=True, eq=False)
class Masses:
    """Masses of B bodies, in the axes of their frames.

    Attributes
    ----------
    mass_kg : FloatArray
        (B,), zero is allowed.
    com_m : FloatArray
        (B, 3), from each frame's origin.
    inertia_kgm2 : FloatArray
        (B, 3, 3), about each centre of mass.
    """

    mass_kg: FloatArray
    com_m: FloatArray
    inertia_kgm2: FloatArray

    def centres(self, moving: Kinematics) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Motion of the centres of mass.

        Parameters
        ----------
        moving : Kinematics
            Of the states asked for.

        Returns
        -------
        tuple[FloatArray, FloatArray, FloatArray]
            Position, m, velocity, m/s, and acceleration, m/s2, (N, B, 3) each, laboratory axes.
        """
        arm = (moving.R_lab_body[:, 1:] @ self.com_m[..., None])[..., 0]
        omega = moving.omega_rad_s[:, 1:]
        spin = cross(omega, arm)
        return (
            moving.origin_m[:, 1:] + arm,
            moving.velocity_m_s[:, 1:] + spin,
            moving.acceleration_m_s2[:, 1:] + cross(moving.alpha_rad_s2[:, 1:], arm) + cross(omega, spin),
        )

    def _inertia(self, moving: Kinematics) -> FloatArray:
        """Tensors (N, B, 3, 3) about the centres of mass, laboratory axes."""
        R = moving.R_lab_body[:, 1:]
        return R @ self.inertia_kgm2 @ np.swapaxes(R, -1, -2)

    def mass_matrix(self, moving: Kinematics) -> FloatArray:
        """Mass matrix of the tree.

        Parameters
        ----------
        moving : Kinematics
            Of the states asked for.

        Returns
        -------
        FloatArray
            M (N, n, n), symmetric.
        """
        J_v, J_w = moving.jacobians(self.centres(moving)[0])
        inertia = self._inertia(moving) @ J_w
        N, n = len(J_v), J_v.shape[-1]
        heavy = self.mass_kg[:, None, None] * J_v
        left, right = (np.concatenate(pair, axis=2).reshape(N, 6 * len(self.mass_kg), n) for pair in ((J_v, J_w), (heavy, inertia)))
        return np.swapaxes(left, 1, 2) @ right

    def inertial_forces(self, moving: Kinematics, gravity_lab_m_s2: ArrayLike) -> FloatArray:
        """Virtual power of m (a - gravity) and of the rate of spin: M u' + c + g.

        Parameters
        ----------
        moving : Kinematics
            Motion of the states asked for, accelerations in it.
        gravity_lab_m_s2 : ArrayLike
            (3,); zeros leave M u' + c.

        Returns
        -------
        FloatArray
            (N, n), N or N m.
        """
        com, _, acceleration = self.centres(moving)
        J_v, J_w = moving.jacobians(com)
        inertia, omega = self._inertia(moving), moving.omega_rad_s[:, 1:]
        spin, change = ((inertia @ w[..., None])[..., 0] for w in (omega, moving.alpha_rad_s2[:, 1:]))
        force = self.mass_kg[:, None] * (acceleration - np.asarray(gravity_lab_m_s2))
        moment = change + cross(omega, spin)
        return np.asarray(np.einsum("nbij,nbi->nj", J_v, force) + np.einsum("nbij,nbi->nj", J_w, moment))

    def gravity_forces(self, moving: Kinematics, gravity_lab_m_s2: ArrayLike) -> FloatArray:
        """Virtual power of the weights: G = -g.

        Parameters
        ----------
        moving : Kinematics
            Of the states asked for.
        gravity_lab_m_s2 : ArrayLike
            (3,), laboratory axes, m/s2.

        Returns
        -------
        FloatArray
            (N, n), N or N m.
        """
        J_v = moving.jacobians(self.centres(moving)[0])[0]
        return np.asarray(np.einsum("b,i,nbij->nj", self.mass_kg, np.asarray(gravity_lab_m_s2), J_v))

    def energy(self, moving: Kinematics, gravity_lab_m_s2: ArrayLike) -> FloatArray:
        """Kinetic and gravitational energy, the latter zero at the laboratory's origin.

        Parameters
        ----------
        moving : Kinematics
            Of the states asked for.
        gravity_lab_m_s2 : ArrayLike
            (3,), laboratory axes, m/s2.

        Returns
        -------
        FloatArray
            (N,), J.
        """
        com, velocity, _ = self.centres(moving)
        omega = moving.omega_rad_s[:, 1:]
        turning = dot(omega, (self._inertia(moving) @ omega[..., None])[..., 0])
        height = dot(com, np.asarray(gravity_lab_m_s2))
        return np.asarray((self.mass_kg * (dot(velocity, velocity) / 2 - height) + turning / 2).sum(axis=1))
