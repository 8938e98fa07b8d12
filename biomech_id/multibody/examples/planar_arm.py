"""A planar arm of three links: upper arm, forearm, hand, pulled at the hand by a horizontal spring.

::

    T = M(alpha) alpha'' + v(alpha, alpha') + G(alpha) + T_ext(alpha)

alpha_1 is the angle of the upper arm from +x, counter-clockwise; alpha_2 and alpha_3 are the external angles of elbow and wrist;
gravity acts along -y; the force on the hand is (-F_S, 0). T_i is the moment of the proximal on the distal segment about joint i.
Every array ends with the three joints and may have any axes before it (frames, trials): all of them are computed at once.

Source: the appendix of Cesari, Shiratori, Olivato & Duarte (2001) Biol Cybern 84:217, with its misprints corrected: signs in (10),
a cosine in (14), a factor of 2 in (31), and the two meanings of d_S (see `SpringOrigin`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError, OptionError
from biomech_id.multibody.generated import GeneratedCode, generate
from biomech_id.multibody.joints import revolute
from biomech_id.multibody.kinematics import Kinematics
from biomech_id.multibody.parts import serial
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import equations
from biomech_id.values import dataclass

#: Where the distance d_S of the spring is measured from: the text says the wrist, (42)-(44) the hand's centre of mass.
SpringOrigin = Literal["wrist", "hand_com"]
#: Segment names, proximal to distal.
ARM: tuple[str, str, str] = ("upper arm", "forearm", "hand")
_STEP = 1e-30


@dataclass(frozen=True, eq=False)
class HandSpring:
    """A spring that pulls the hand along -x.

    Attributes
    ----------
    force_N : ArrayLike
        Scalar or (...,), F_S; the force on the hand is (-F_S, 0).
    distance_m : ArrayLike
        Scalar or (...,), where it acts, along the hand.
    measured_from : SpringOrigin, optional
        "wrist", as the text defines d_S, or "hand_com", as its equations use it.
    """

    force_N: ArrayLike
    distance_m: ArrayLike
    measured_from: SpringOrigin = "wrist"

    def __post_init__(self) -> None:
        if self.measured_from not in ("wrist", "hand_com"):
            raise OptionError(
                f"A spring's distance cannot be measured from {self.measured_from!r}.",
                value=self.measured_from, expected="'wrist' or 'hand_com'", where="HandSpring",
            )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ArmMoments:
    """Joint moments (..., 3), N m, about shoulder, elbow and wrist, by what they are needed for.

    Attributes
    ----------
    inertia : FloatArray
        Part that the accelerations need.
    velocity : FloatArray
        Of centrifugal and Coriolis effects.
    gravity : FloatArray
        Part that holds the weights.
    external : FloatArray
        Part that holds the spring.
    """

    inertia: FloatArray
    velocity: FloatArray
    gravity: FloatArray
    external: FloatArray

    @property
    def total(self) -> FloatArray:
        """T (..., 3), N m."""
        return self.inertia + self.velocity + self.gravity + self.external


@dataclass(frozen=True, eq=False)
class PlanarArm:
    """Lengths and inertias of the three links, proximal to distal.

    Attributes
    ----------
    mass_kg : FloatArray
        (3,), of the links, kg.
    length_m : FloatArray
        (3,), from joint to joint, m; the hand's to its end.
    com_m : FloatArray
        (3,), distance of each centre of mass from the segment's proximal joint.
    inertia_kgm2 : FloatArray
        (3,), about each centre of mass, about the axis out of the plane.
    gravity_m_s2 : float
        Along -y; has to be said.

    Raises
    ------
    ShapeError
        Unless each has three values.
    InvalidValueError
        A negative mass, length or inertia.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.planar_arm import PlanarArm
    >>> sizes = np.array([[2.0, 1.5, 0.5], [0.3, 0.25, 0.1], [0.15, 0.12, 0.05], [0.02, 0.01, 0.001]])
    >>> arm = PlanarArm(sizes[0], sizes[1], sizes[2], sizes[3], gravity_m_s2=9.81)
    >>> arm.length_m
    array([0.3 , 0.25, 0.1 ])
    """

    mass_kg: FloatArray
    length_m: FloatArray
    com_m: FloatArray
    inertia_kgm2: FloatArray
    gravity_m_s2: float

    def __post_init__(self) -> None:
        for name in ("mass_kg", "length_m", "com_m", "inertia_kgm2"):
            values = readonly(getattr(self, name), (3,), name=name, where="PlanarArm")
            if not (values >= 0).all():
                raise InvalidValueError(
                    f"{name} of the arm holds {values.min():g}.", value=values.tolist(), expected="at least 0", where="PlanarArm"
                )
            object.__setattr__(self, name, values)

    @cached_property
    def system(self) -> System:
        """The arm as a `System`; its coordinates shoulder, elbow and wrist are the external angles alpha."""
        segments = [
            Segment(name, float(m), np.array([d, 0.0, 0.0]), np.diag([0.0, I, I]), "planar arm")
            for name, m, d, I in zip(ARM, self.mass_kg, self.com_m, self.inertia_kgm2, strict=True)
        ]
        joints, tips = [revolute(name) for name in ("shoulder", "elbow", "wrist")], [(l, 0.0, 0.0) for l in self.length_m]
        return System(serial(segments, joints, tips), (0.0, -self.gravity_m_s2, 0.0))

    @cached_property
    def _code(self) -> GeneratedCode:
        return generate(equations(self.system, ["M1", "c1", "g1"]), "python")

    def _terms(self, alpha_rad: FloatArray, rate_rad_s: ArrayLike = 0.0) -> dict[str, FloatArray]:
        alpha = np.asarray(alpha_rad, dtype=np.float64)
        states = np.concatenate([alpha, np.broadcast_to(rate_rad_s, alpha.shape)], axis=-1)
        return self._code.program.split(self._code(states.reshape(-1, 6)).reshape(*alpha.shape[:-1], -1))

    def _moving(self, *motion: FloatArray) -> Kinematics:
        return self.system.kinematics(*(np.reshape(values, (-1, 3)) for values in motion))

    def mass_matrix(self, alpha_rad: FloatArray) -> FloatArray:
        """Mass matrix, equations (27) to (35).

        ::

            M33 = I3 + m3 d3^2                              r = m3 l2 d3 cos a3
            M23 = M33 + r                                   q = m3 l1 d3 cos(a2 + a3)
            M13 = M23 + q                                   p = (m2 d2 + m3 l2) l1 cos a2
            M22 = I2 + I3 + m2 d2^2 + m3 (l2^2 + d3^2) + 2 r
            M12 = M22 + p + q
            M11 = I1 + m1 d1^2 + (m2 + m3) l1^2 + M22 + 2 (p + q)

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.

        Returns
        -------
        FloatArray
            M (..., 3, 3), kg m2, symmetric.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.examples.planar_arm import PlanarArm
        >>> sizes = np.array([[2.0, 1.5, 0.5], [0.3, 0.25, 0.1], [0.15, 0.12, 0.05], [0.02, 0.01, 0.001]])
        >>> arm = PlanarArm(sizes[0], sizes[1], sizes[2], sizes[3], gravity_m_s2=9.81)
        >>> M = arm.mass_matrix(np.zeros(3))
        >>> bool(np.allclose(M, M.T)), bool((np.linalg.eigvalsh(M) > 0).all())
        (True, True)
        """
        return self._terms(alpha_rad)["M1"]

    def velocity_moments(self, alpha_rad: FloatArray, rate_rad_s: FloatArray) -> FloatArray:
        """Centrifugal and Coriolis moments, equations (36) to (38).

        ::

            v1 = -(p + q) e - (q + r) w                     p = (m2 d2 + m3 l2) l1 sin a2,   q = m3 l1 d3 sin(a2 + a3)
            v2 = (p + q) a1'^2 - r w                        r = m3 l2 d3 sin a3
            v3 = (q + r) a1'^2 + r e                        e = a2' (2 a1' + a2'),   w = a3' (2 a1' + 2 a2' + a3')

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        rate_rad_s : FloatArray
            (..., 3), rates of the external joint angles, rad/s.

        Returns
        -------
        FloatArray
            v (..., 3), N m.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.examples.planar_arm import PlanarArm
        >>> sizes = np.array([[2.0, 1.5, 0.5], [0.3, 0.25, 0.1], [0.15, 0.12, 0.05], [0.02, 0.01, 0.001]])
        >>> arm = PlanarArm(sizes[0], sizes[1], sizes[2], sizes[3], gravity_m_s2=9.81)
        >>> arm.velocity_moments(np.array([0.3, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])).round(6) + 0.0
        array([0., 0., 0.])
        """
        return self._terms(alpha_rad, rate_rad_s)["c1"]

    def gravity_moments(self, alpha_rad: FloatArray) -> FloatArray:
        """Moments against gravity, equations (39) to (41).

        ::

            G3 = m3 g d3 cos(a1 + a2 + a3)
            G2 = G3 + (m2 d2 + m3 l2) g cos(a1 + a2)
            G1 = G2 + (m1 d1 + (m2 + m3) l1) g cos a1

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.

        Returns
        -------
        FloatArray
            G (..., 3), N m.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.examples.planar_arm import PlanarArm
        >>> sizes = np.array([[2.0, 1.5, 0.5], [0.3, 0.25, 0.1], [0.15, 0.12, 0.05], [0.02, 0.01, 0.001]])
        >>> arm = PlanarArm(sizes[0], sizes[1], sizes[2], sizes[3], gravity_m_s2=9.81)
        >>> arm.gravity_moments(np.array([np.pi / 2, 0.0, 0.0])).round(6) + 0.0
        array([0., 0., 0.])
        >>> arm.gravity_moments(np.zeros(3)).round(3)
        array([12.066,  3.237,  0.245])
        """
        return self._terms(alpha_rad)["g1"]

    def spring_moments(self, alpha_rad: FloatArray, spring: HandSpring | None) -> FloatArray:
        """Moments against the spring, equations (42) to (44).

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        spring : HandSpring | None
            On the hand; None for none.

        Returns
        -------
        FloatArray
            T_ext (..., 3), N m; zeros without a spring.
        """
        if spring is None:
            return np.zeros(np.shape(alpha_rad))
        force, reach = np.asarray(spring.force_N, dtype=np.float64), self._spring_from_wrist_m(spring)
        far = np.stack(np.broadcast_arrays(self.length_m[0], self.length_m[1], reach), axis=-1)
        each = -force[..., None] * far * np.sin(theta_of_alpha(alpha_rad))
        return np.flip(np.cumsum(np.flip(each, axis=-1), axis=-1), axis=-1)

    def moments(
        self, alpha_rad: FloatArray, rate_rad_s: FloatArray, acceleration_rad_s2: FloatArray, spring: HandSpring | None = None
    ) -> ArmMoments:
        """Joint moments of a motion, split into the terms of equation (24); each argument (..., 3).

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        rate_rad_s : FloatArray
            (..., 3), rates of the external joint angles, rad/s.
        acceleration_rad_s2 : FloatArray
            (..., 3), second derivatives of the external joint angles, rad/s2.
        spring : HandSpring | None, optional
            On the hand; None for none.

        Returns
        -------
        ArmMoments
            Each part (..., 3), N m, of the proximal on the distal segment.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.examples.planar_arm import PlanarArm
        >>> sizes = np.array([[2.0, 1.5, 0.5], [0.3, 0.25, 0.1], [0.15, 0.12, 0.05], [0.02, 0.01, 0.001]])
        >>> arm = PlanarArm(sizes[0], sizes[1], sizes[2], sizes[3], gravity_m_s2=9.81)
        >>> held = arm.moments(np.zeros(3), np.zeros(3), np.zeros(3))
        >>> bool(np.allclose(held.total, held.gravity))
        True
        """
        terms = self._terms(alpha_rad, rate_rad_s)
        inertia = np.einsum("...ij,...j->...i", terms["M1"], acceleration_rad_s2)
        return ArmMoments(inertia, terms["c1"], terms["g1"], self.spring_moments(alpha_rad, spring))

    def com_accelerations(self, alpha_rad: FloatArray, rate_rad_s: FloatArray, acceleration_rad_s2: FloatArray) -> FloatArray:
        """Accelerations x'', y'' of the centres of mass: what equations (4) to (14) write out.

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        rate_rad_s : FloatArray
            (..., 3), rates of the external joint angles, rad/s.
        acceleration_rad_s2 : FloatArray
            (..., 3), second derivatives of the external joint angles, rad/s2.

        Returns
        -------
        FloatArray
            (..., 3 segments, 2), m/s2.
        """
        accelerations = self.system.masses.centres(self._moving(alpha_rad, rate_rad_s, acceleration_rad_s2))[2]
        return accelerations[..., :2].reshape(*np.shape(alpha_rad), 2)

    def com_jacobians(self, alpha_rad: FloatArray) -> FloatArray:
        """How joint angles move the centres of mass: their velocities are J alpha'.

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.

        Returns
        -------
        FloatArray
            J (..., 3 segments, 2, 3 joints), m.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.examples.planar_arm import PlanarArm
        >>> sizes = np.array([[2.0, 1.5, 0.5], [0.3, 0.25, 0.1], [0.15, 0.12, 0.05], [0.02, 0.01, 0.001]])
        >>> arm = PlanarArm(sizes[0], sizes[1], sizes[2], sizes[3], gravity_m_s2=9.81)
        >>> arm.com_jacobians(np.zeros(3)).shape
        (3, 2, 3)
        """
        moving = self._moving(alpha_rad)
        jacobians = moving.jacobians(self.system.masses.centres(moving)[0])[0]
        return jacobians[:, :, :2].reshape(*np.shape(alpha_rad), 2, 3)

    def com_jacobian_rates(self, alpha_rad: FloatArray, rate_rad_s: FloatArray) -> FloatArray:
        """Rate of change of J: accelerations are J' alpha' + J alpha'', equation (2).

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        rate_rad_s : FloatArray
            (..., 3), rates of the external joint angles, rad/s.

        Returns
        -------
        FloatArray
            (..., 3 segments, 2, 3 joints), m/s.
        """
        stepped = np.asarray(alpha_rad) + 1j * _STEP * np.asarray(rate_rad_s)
        return self.com_jacobians(stepped).imag / _STEP

    def reactions(
        self, alpha_rad: FloatArray, rate_rad_s: FloatArray, acceleration_rad_s2: FloatArray, spring: HandSpring | None = None
    ) -> FloatArray:
        """Joint forces of the proximal on the distal segment: equations (15) to (22), hand first.

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        rate_rad_s : FloatArray
            (..., 3), rates of the external joint angles, rad/s.
        acceleration_rad_s2 : FloatArray
            (..., 3), second derivatives of the external joint angles, rad/s2.
        spring : HandSpring | None, optional
            On the hand; None for none.

        Returns
        -------
        FloatArray
            (..., 3 joints, 2), N, x and y.
        """
        weight = np.array([0.0, self.gravity_m_s2])
        acceleration = self.com_accelerations(alpha_rad, rate_rad_s, acceleration_rad_s2)
        need: FloatArray = self.mass_kg[:, None] * (acceleration + weight)
        if spring is not None:
            need[..., 2, 0] += np.asarray(spring.force_N, dtype=np.float64)
        return np.flip(np.cumsum(np.flip(need, axis=-2), axis=-2), axis=-2)

    def chain(self, alpha_rad: FloatArray, rate_rad_s: FloatArray, acceleration_rad_s2: FloatArray) -> Chain:
        """The same motion (N, 3) as a `Chain` in the x-y plane, for the general Newton-Euler solver.

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        rate_rad_s : FloatArray
            (..., 3), rates of the external joint angles, rad/s.
        acceleration_rad_s2 : FloatArray
            (..., 3), second derivatives of the external joint angles, rad/s2.

        Returns
        -------
        Chain
            Distal to proximal: the hand first.
        """
        return self.system.chain(alpha_rad, rate_rad_s, acceleration_rad_s2)

    def spring_load(self, alpha_rad: FloatArray, spring: HandSpring) -> External:
        """The spring on the hand of `chain`, for the general solver; ``alpha_rad`` (N, 3).

        Parameters
        ----------
        alpha_rad : FloatArray
            (..., 3), external joint angles of shoulder, elbow and wrist, rad.
        spring : HandSpring
            On the hand; None for none.

        Returns
        -------
        External
            Force (N, 3), N, on the hand at the spring's point, laboratory axes.
        """
        moving = self._moving(alpha_rad)
        force = np.zeros((len(moving.u), 3))
        force[:, 0] = -np.asarray(spring.force_N, dtype=np.float64)
        distance = np.broadcast_to(self._spring_from_wrist_m(spring), len(force))
        point = moving.origin_m[:, 3] + distance[:, None] * moving.R_lab_body[:, 3, :, 0]
        return External("hand", Wrench(force, np.zeros_like(force), point), "spring")

    def _spring_from_wrist_m(self, spring: HandSpring) -> FloatArray:
        distance = np.asarray(spring.distance_m, dtype=np.float64)
        return distance + self.com_m[2] if spring.measured_from == "hand_com" else distance


def theta_of_alpha(alpha_rad: FloatArray) -> FloatArray:
    """Segment angles from external joint angles: equation (1).

    Parameters
    ----------
    alpha_rad : FloatArray
        (..., 3), external joint angles of shoulder, elbow and wrist, rad.

    Returns
    -------
    FloatArray
        Theta (..., 3), rad, from +x.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.planar_arm import theta_of_alpha
    >>> np.rad2deg(theta_of_alpha(np.deg2rad([30.0, 20.0, 10.0]))).round(6)
    array([30., 50., 60.])
    """
    return np.cumsum(alpha_rad, axis=-1)


def alpha_of_theta(theta_rad: FloatArray) -> FloatArray:
    """External joint angles from segment angles: equation (1).

    Parameters
    ----------
    theta_rad : FloatArray
        (..., 3), segment angles from +x, rad.

    Returns
    -------
    FloatArray
        Alpha (..., 3), rad.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.planar_arm import alpha_of_theta
    >>> np.rad2deg(alpha_of_theta(np.deg2rad([30.0, 50.0, 60.0]))).round(6)
    array([30., 20., 10.])
    """
    return np.diff(theta_rad, axis=-1, prepend=0.0)


def beta_of_alpha(alpha_rad: FloatArray) -> FloatArray:
    """Internal joint angles from external ones: alpha_1, pi - alpha_2, pi - alpha_3.

    Parameters
    ----------
    alpha_rad : FloatArray
        (..., 3), external joint angles of shoulder, elbow and wrist, rad.

    Returns
    -------
    FloatArray
        Beta (..., 3), rad.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.planar_arm import beta_of_alpha
    >>> np.rad2deg(beta_of_alpha(np.deg2rad([30.0, 20.0, 10.0]))).round(6)
    array([ 30., 160., 170.])
    """
    return np.array([0.0, np.pi, np.pi]) + np.array([1.0, -1.0, -1.0]) * alpha_rad


def alpha_of_beta(beta_rad: FloatArray) -> FloatArray:
    """External joint angles from internal ones: the same mirror read backwards.

    Parameters
    ----------
    beta_rad : FloatArray
        (..., 3), internal joint angles, rad.

    Returns
    -------
    FloatArray
        Alpha (..., 3), rad.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.planar_arm import alpha_of_beta
    >>> np.rad2deg(alpha_of_beta(np.deg2rad([30.0, 160.0, 170.0]))).round(6)
    array([30., 20., 10.])
    """
    return beta_of_alpha(beta_rad)
