"""Springs and dampers, along a coordinate or along the line between two points."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import dot
from biomech_id.arguments import a_str, holds
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import TwoPoints
from biomech_id.multibody.kinematics import Kinematics, TreeLayout
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class SpringPull:
    """A spring and damper in N states.

    Attributes
    ----------
    stiffness : float
        N/m or N m/rad.
    damping : float
        N s/m or N m s/rad.
    amount, rate : FloatArray
        (N,), beyond its rest, m or rad, and how fast.
    along : FloatArray
        (N, n), how speeds stretch it.
    """

    stiffness: float
    damping: float
    amount: FloatArray
    rate: FloatArray
    along: FloatArray

    @property
    def tension(self) -> FloatArray:
        """Its pull (N,), N or N m: positive shortens it."""
        return self.stiffness * self.amount + self.damping * self.rate

    @property
    def forces(self) -> FloatArray:
        """What it adds (N, n) to what the joints must supply."""
        return self.tension[:, None] * self.along

    @property
    def energy(self) -> FloatArray:
        """Energy (N,), J."""
        return self.stiffness * self.amount**2 / 2

    @property
    def damping_power(self) -> FloatArray:
        """Power (N,), W, of the damper on the bodies."""
        return -self.damping * self.rate**2


@holds(coordinate=a_str())
@dataclass(frozen=True)
class Spring:
    """A linear spring and damper along a coordinate: k (q - rest) + d q'.

    Attributes
    ----------
    coordinate : str
        Name of the coordinate.
    stiffness : float
        N/m of a slide, N m/rad of a turn.
    damping : float, optional
        N s/m or N m s/rad.
    rest : float, optional
        Where the spring is slack, m or rad.
    """

    coordinate: str
    stiffness: float
    damping: float = 0.0
    rest: float = 0.0

    def check(self, layout: TreeLayout) -> None:
        """Refuse a coordinate that is not there.

        Parameters
        ----------
        layout : TreeLayout
            Of the system where it shall act.
        """
        layout.coordinate(self.coordinate)
        layout.speed(self.coordinate)

    def pull(self, q: FloatArray, moving: Kinematics) -> SpringPull:
        """How far it is stretched, how fast, and along which speeds.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Of the same states.

        Returns
        -------
        SpringPull
            Along one speed, in N states.
        """
        k, unit = moving.layout.speed(self.coordinate), np.zeros(moving.u.shape)
        unit[:, k] = 1.0
        return SpringPull(
            self.stiffness, self.damping, q[:, moving.layout.coordinate(self.coordinate)] - self.rest, moving.u[:, k], unit
        )


@dataclass(frozen=True)
class LineSpring(TwoPoints):
    """A linear spring and damper between points of two bodies: a pull k (L - rest) + d L' along their line.

    Attributes
    ----------
    body : str
        Body A, a name.
    place_m : Place
        Of its point, in its axes.
    other : str
        Body B, or `biomech_id.multibody.kinematics.GROUND`.
    other_place_m : Place
        Of its point, in its axes.
    stiffness_N_m : float
        Pull for a unit of length beyond rest, N/m.
    damping_N_s_m : float, optional
        Pull for a unit of speed, N s/m.
    rest_m : float, optional
        Length at which it does not pull, m.
    """

    stiffness_N_m: float
    damping_N_s_m: float = 0.0
    rest_m: float = 0.0

    def check(self, layout: TreeLayout) -> None:
        """Refuse bodies that are not there.

        Parameters
        ----------
        layout : TreeLayout
            Of the system where it shall act.
        """
        layout.index(self.body)
        layout.index(self.other)

    def pull(self, q: FloatArray, moving: Kinematics) -> SpringPull:
        """How far it is stretched, how fast, and along which speeds.

        Parameters
        ----------
        q : FloatArray
            (N, nq), coordinates, rad or m.
        moving : Kinematics
            Of the same states.

        Returns
        -------
        SpringPull
            Along the line between the points, in N states.

        Raises
        ------
        InvalidValueError
            Points that fall together.
        """
        x, v, _ = self.gap(moving)
        length = np.sqrt(dot(x, x))
        if not length.all():
            raise InvalidValueError(
                f"The spring between {self.body} and {self.other} has no length in state {np.argmin(np.abs(length))}, and so no "
                "direction.",
                value=0.0, expected="points that are apart, or a Spring along a coordinate", where=self.body,
            )  # fmt: skip
        line = x / length[:, None]
        along = (line[:, None] @ self.gap_jacobian(moving))[:, 0]
        return SpringPull(self.stiffness_N_m, self.damping_N_s_m, length - self.rest_m, dot(line, v), along)
