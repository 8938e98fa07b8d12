r"""Contacts that do not slide: constraints of speeds, A(q) u = 0, that no relation of coordinates replaces.

The point p where body A touches body B is fixed in A (a skate), or moves along a rim or a ball of radius r about a centre x ::

    p = x - r e,   e = (n - s (s.n)) / \|...\|,   A u = S (v_A(p) - v_B(p)) = 0,   A u' + A' u = 0

n the plane's normal, s the wheel's axis (zero of a ball), S the axes of B, or the way across a skate, v_A(p) of what of A is at p.
A' u is the derivative of A along q', by a complex step: functions of joints have to take complex numbers.

Source: Neimark & Fufaev (1972) Dynamics of Nonholonomic Systems.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import a_quantity, an_array, holds
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import Place
from biomech_id.multibody.impossible import check_numbers
from biomech_id.multibody.joints import Axis, check_axis
from biomech_id.multibody.kinematics import GROUND, Kinematics
from biomech_id.values import dataclass

#: Squared sine of its tilt from the plane, below which a wheel lies flat; derivatives, m, that joints have bound already.
_ROUNDING = 1e-14


@holds(axis=an_array(), radius_m=a_quantity(0.0))
@dataclass(frozen=True)
class Rolling:
    """A body that does not slide where it touches another: a skate, or with a radius a thin wheel, a disc or a ball on a plane.

    The plane is the one that it touches when the motion begins. It stays there: the contact can pull, look at the force.

    Attributes
    ----------
    body : str
        Name of the body A that skates or rolls.
    direction : Axis
        Unit vector along which nothing slides. Of a skate it is across the blade, in A's axes. Of a wheel or ball it is the plane's
        normal, towards its side, in B's axes, and nothing slides along the plane either.
    place_m : Place, optional
        The point that touches, or the centre of a wheel or ball, in A's axes.
    radius_m : float, optional
        From the centre to the point that touches, m; 0 of a skate.
    axis : Axis, optional
        Unit vector of a wheel, in A's axes; zeros of a ball.
    other : str, optional
        Body B that it touches, or `biomech_id.multibody.kinematics.GROUND`.

    Raises
    ------
    InvalidValueError
        A place that is no number, a direction or axis of another length, or a wheel without a radius.

    Examples
    --------
    >>> from biomech_id.multibody.rolling import Rolling
    >>> blade = Rolling("sled", (0, 1, 0))
    >>> coin = Rolling("coin", (0, 0, 1), radius_m=0.012, axis=(0, 1, 0))
    """

    body: str
    direction: Axis
    place_m: Place = (0.0, 0.0, 0.0)
    radius_m: float = 0.0
    axis: Axis = (0.0, 0.0, 0.0)
    other: str = GROUND

    def __post_init__(self) -> None:
        check_numbers(self.body, place_m=self.place_m)
        rim = np.any(self.axis)
        for axis in (self.direction, self.axis)[: 1 + rim]:
            check_axis(axis, self.body)
        if rim and not self.radius_m:
            raise InvalidValueError(
                f"The {self.body} has a wheel's axis and no radius.", value=0.0,
                expected="a radius_m of a wheel, no axis of a skate", where=self.body,
            )  # fmt: skip

    def rows(self, moving: Kinematics) -> FloatArray:
        """What binds the speeds.

        Parameters
        ----------
        moving : Kinematics
            Positions of all bodies in one state, real or complex.

        Returns
        -------
        FloatArray
            A (3, n), A u in m/s: how it slides, of a wheel or ball in B's axes; of a skate along ``direction``, then zeros.
        """
        a, b = map(moving.layout.index, (self.body, self.other))
        R = moving.R_lab_body[0]
        R_lab = R[b if self.radius_m else a]
        n = R_lab @ self.direction
        s = R[a] @ self.axis
        up = n - s * (n @ s)
        square = up @ up
        p = moving.point(a, self.place_m)[0] - self.radius_m * up * (square if square.real > _ROUNDING else np.nan) ** -0.5
        along = R_lab.T if self.radius_m else np.outer([1, 0, 0], n)
        A: FloatArray = along @ (moving.jacobian(a, p)[0] - moving.jacobian(b, p)[0])[0]
        # Of a row that is rounding alone, what joints have bound already, the solver would make a constraint.
        A[np.abs(A).max(axis=1) < _ROUNDING] = 0.0
        return A
