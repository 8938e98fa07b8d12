"""Two pendulums in closed form, as systems that `biomech_id.multibody.forward.simulate` takes. Angles are absolute."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.multibody.forward import StateTerms


@dataclass(frozen=True, eq=False)
class DoublePendulum:
    """Two uniform bars, angles (2,) from the downward vertical, drives at shoulder and elbow.

    Source: R. Watanabe's notebook on the matrix formalism; where its code has l_2 in gravity's first row, l_1 belongs.

    Attributes
    ----------
    mass_kg : FloatArray
        (2,).
    length_m : FloatArray
        (2,).
    drive_Nm : FloatArray
        (2,), constant moments M_1 at the first joint and M_12 at the second, of the proximal on the distal bar.
    gravity_m_s2 : float, optional
        Downward.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.pendulums import DoublePendulum
    >>> arm = DoublePendulum(np.array([1.0, 1.0]), np.array([1.0, 1.0]), np.zeros(2))
    >>> arm.accelerations(0.0, np.zeros(2), np.zeros(2)) + 0.0
    array([0., 0.])
    """

    mass_kg: FloatArray
    length_m: FloatArray
    drive_Nm: FloatArray
    gravity_m_s2: float = 9.81

    def __post_init__(self) -> None:
        for name in ("mass_kg", "length_m", "drive_Nm"):
            object.__setattr__(self, name, readonly(getattr(self, name), (2,), name=name, where="DoublePendulum"))

    def terms(self, q: FloatArray, u: FloatArray) -> StateTerms:
        """M, C, G of one state.

        Parameters
        ----------
        q : FloatArray
            (n,), coordinates of one state, rad or m.
        u : FloatArray
            (n,), speeds of that state.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.pendulums import DoublePendulum
        >>> arm = DoublePendulum(np.array([2.0, 1.0]), np.array([0.3, 0.25]), np.zeros(2))
        >>> arm.terms(np.zeros(2), np.zeros(2)).M.round(4)
        array([[0.15  , 0.0375],
               [0.0375, 0.0208]])
        """
        (m1, m2), (l1, l2), g = self.mass_kg, self.length_m, self.gravity_m_s2
        coupling, difference = m2 * l1 * l2 / 2, q[0] - q[1]
        mixed, turning = coupling * np.cos(difference), coupling * np.sin(difference)
        M = np.array([[(m1 / 3 + m2) * l1**2, mixed], [mixed, m2 * l2**2 / 3]])
        C = np.array([-turning * u[1] ** 2, turning * u[0] ** 2])
        G = -g * np.array([(m1 / 2 + m2) * l1 * np.sin(q[0]), m2 / 2 * l2 * np.sin(q[1])])
        return StateTerms(M, C, G)

    def accelerations(self, t: float, q: FloatArray, u: FloatArray) -> FloatArray:
        """Return q'' (2,), rad/s2. M_12 acts on the second bar and its reaction on the first.

        Parameters
        ----------
        t : float
            Time, seconds.
        q : FloatArray
            (n,), coordinates of one state, rad or m.
        u : FloatArray
            (n,), speeds of that state.
        """
        return self.terms(q, u).accelerations(np.array([self.drive_Nm[0] - self.drive_Nm[1], self.drive_Nm[1]]))

    def energy(self, q: FloatArray, u: FloatArray) -> float:
        """Kinetic energy and height energy, zero at the hinge, J.

        Parameters
        ----------
        q : FloatArray
            (n,), coordinates of one state, rad or m.
        u : FloatArray
            (n,), speeds of that state.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.pendulums import DoublePendulum
        >>> arm = DoublePendulum(np.array([2.0, 1.0]), np.array([0.3, 0.25]), np.zeros(2))
        >>> round(arm.energy(np.zeros(2), np.zeros(2)), 3)
        -7.112
        """
        (m1, m2), (l1, l2), g = self.mass_kg, self.length_m, self.gravity_m_s2
        kinetic = u @ self.terms(q, u).M @ u / 2
        return float(kinetic - g * ((m1 / 2 + m2) * l1 * np.cos(q[0]) + m2 / 2 * l2 * np.cos(q[1])))


@dataclass(frozen=True, eq=False)
class NPendulum:
    """n particles on massless links, angles (n,) from the downward vertical.

    ::

        sum_j mu_ij cos(q_i - q_j) q_j'' = -sum_j mu_ij sin(q_i - q_j) u_j^2 - g l_i sin(q_i) sum_(k >= i) m_k
        mu_ij = l_i l_j sum_(k >= max(i, j)) m_k

    Source: Gede et al. (2013) ASME DETC2013-13470, whose equation (1) lost a minus sign in every line.

    Attributes
    ----------
    mass_kg : FloatArray
        (n,).
    length_m : FloatArray
        (n,).
    gravity_m_s2 : float, optional
        Downward.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.pendulums import NPendulum
    >>> one = NPendulum(np.array([1.0]), np.array([1.0]))
    >>> one.accelerations(0.0, np.array([np.pi / 2]), np.zeros(1)).round(3)
    array([-9.81])
    """

    mass_kg: FloatArray
    length_m: FloatArray
    gravity_m_s2: float = 9.81

    def __post_init__(self) -> None:
        mass = readonly(self.mass_kg, (None,), name="mass_kg", where="NPendulum")
        object.__setattr__(self, "mass_kg", mass)
        object.__setattr__(self, "length_m", readonly(self.length_m, mass.shape, name="length_m", where="NPendulum"))

    @cached_property
    def _mu(self) -> FloatArray:
        n = len(self.mass_kg)
        beyond = np.cumsum(self.mass_kg[::-1])[::-1]
        return np.asarray(np.outer(self.length_m, self.length_m) * beyond[np.maximum.outer(np.arange(n), np.arange(n))])

    @cached_property
    def _weight(self) -> FloatArray:
        return np.asarray(self.gravity_m_s2 * self.length_m * np.cumsum(self.mass_kg[::-1])[::-1])

    def terms(self, q: FloatArray, u: FloatArray) -> StateTerms:
        """M, C, G of one state.

        Parameters
        ----------
        q : FloatArray
            (n,), coordinates of one state, rad or m.
        u : FloatArray
            (n,), speeds of that state.
        """
        return StateTerms(*self._parts(q, u))

    def _parts(self, q: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        # cos(a - b) and sin(a - b) by the addition theorems: 2 n trigonometric functions instead of 2 n^2.
        waves = np.empty((2, len(q)))
        sine, cosine = np.sin(q, out=waves[0]), np.cos(q, out=waves[1])
        pulls = (waves * (u * u)) @ self._mu
        return self._mu * (waves.T @ waves), cosine * pulls[0] - sine * pulls[1], -self._weight * sine

    def accelerations(self, t: float, q: FloatArray, u: FloatArray) -> FloatArray:
        """Return q'' (n,), rad/s2.

        Parameters
        ----------
        t : float
            Time, seconds.
        q : FloatArray
            (n,), coordinates of one state, rad or m.
        u : FloatArray
            (n,), speeds of that state.
        """
        M, C, G = self._parts(q, u)
        return np.asarray(np.linalg.solve(M, C + G), dtype=np.float64)

    def energy(self, q: FloatArray, u: FloatArray) -> float:
        """Kinetic energy and height energy, zero at the hinge, J.

        Parameters
        ----------
        q : FloatArray
            (n,), coordinates of one state, rad or m.
        u : FloatArray
            (n,), speeds of that state.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.pendulums import NPendulum
        >>> one = NPendulum(np.array([2.0]), np.array([0.5]))
        >>> round(one.energy(np.array([np.pi / 2]), np.array([2.0])), 3)
        1.0
        """
        return float(u @ self.terms(q, u).M @ u / 2 - self._weight @ np.cos(q))
