"""Forces and moments bound to a point and a frame, for all frames of a trial at once.

::

    M_Q = M_P + (P - Q) x F            moving the reference point from P to Q leaves the force as it is
    F_A = R_AB F_B,  M_A = R_AB M_B    rotating the axes changes the components of both

A `Wrench` always knows the point its moment is about and the axes its components are written in; there are no other
conversions than `Wrench.about` and `Wrench.expressed_in`, and adding across points or axes is refused.

Reference: Dumas, Aissaoui & de Guise (2004) Comput Methods Biomech Biomed Engin 7:159.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, float_array, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross, dot, matvec, matvec_transposed
from biomech_id.arguments import a, a_quantity, a_str, a_word, holds, takes
from biomech_id.errors import FrameMismatchError, InvalidValueError, ShapeError
from biomech_id.values import dataclass, replace

#: Who acts on whom: "internal" is the action of the proximal on the distal segment, "external" its opposite, "" says nothing.
Sense = Literal["internal", "external", ""]
_OPPOSITE: dict[Sense, Sense] = {"internal": "external", "external": "internal", "": ""}

#: Points and axes closer than this are the same: it moves the moment of 1 kN by 1e-9 N m at most.
SAME_POINT_M = 1e-12
SAME_AXES = 1e-12
#: Metres: no point that a moment is about lies further from the laboratory's origin; millimetres do.
FURTHEST_POINT_M = 200.0
#: Departure of R'R from identity that still counts as a rotation.
ROTATION_TOLERANCE = 1e-6


@holds(frame=a_str(), sense=a_word(("internal", "external", "")))
@compact_repr
@dataclass(frozen=True, eq=False)
class Wrench:
    """A force and a moment over time.

    Attributes
    ----------
    force_N : FloatArray
        (n, 3), components in the axes of ``frame``.
    moment_Nm : FloatArray
        (n, 3), about ``point_lab_m``, components in the axes of ``frame``.
    point_lab_m : FloatArray
        (n, 3) or (3,) for a fixed point, the point the moment is about, always in laboratory axes, metres.
    frame : str, optional
        Name of the axes the components are written in.
    R_lab_frame : FloatArray | None, optional
        (n, 3, 3) or (3, 3), maps components in ``frame`` to laboratory components; None for laboratory axes.
    sense : Sense, optional
        "internal", "external" or "" (see `Sense`).

    Raises
    ------
    ShapeError
        If the arrays do not fit together; the message names both shapes.
    FrameMismatchError
        If axes other than the laboratory's come without their ``R_lab_frame``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.wrench import Wrench
    >>> weight = Wrench(np.array([[0.0, 0.0, -700.0]]), np.zeros((1, 3)), np.array([0.2, 0.0, 1.0]))
    >>> len(weight), weight.frame
    (1, 'lab')
    """

    force_N: FloatArray
    moment_Nm: FloatArray
    point_lab_m: FloatArray
    frame: str = "lab"
    R_lab_frame: FloatArray | None = None
    sense: Sense = ""

    def __post_init__(self) -> None:
        force = readonly(self.force_N, (None, 3), name="force_N", where="Wrench")
        n = len(force)
        object.__setattr__(self, "force_N", force)
        object.__setattr__(self, "moment_Nm", readonly(self.moment_Nm, (n, 3), name="moment_Nm", where="Wrench"))
        object.__setattr__(self, "point_lab_m", _per_frame(self.point_lab_m, n, (3,), "point_lab_m"))
        _check_point(self.point_lab_m)
        if self.R_lab_frame is not None:
            object.__setattr__(self, "R_lab_frame", _per_frame(self.R_lab_frame, n, (3, 3), "R_lab_frame"))
            _check_rotation(self.R_lab_frame, self.frame)
        elif self.frame != "lab":
            raise FrameMismatchError(
                f"A wrench in the frame {self.frame!r} needs R_lab_frame, the rotation that maps its axes to the laboratory.",
                value=self.frame, expected="R_lab_frame, or frame='lab'", where="Wrench",
            )  # fmt: skip

    def __len__(self) -> int:
        return len(self.force_N)

    @takes()
    def about(self, point_lab_m: ArrayLike) -> Wrench:
        """Refer the moment to another point; the force stays as it is.

        Parameters
        ----------
        point_lab_m : ArrayLike
            (n, 3) or (3,) for a fixed point, the new reference point, laboratory axes, metres.

        Returns
        -------
        Wrench
            The same action, about the new point, in the same axes.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.algebra.wrench import Wrench
        >>> weight = Wrench(np.array([[0.0, 0.0, -700.0]]), np.zeros((1, 3)), np.array([0.2, 0.0, 1.0]))
        >>> weight.about([0.0, 0.0, 0.0]).moment_Nm
        array([[  0., 140.,   0.]])
        """
        point = _per_frame(point_lab_m, len(self), (3,), "point_lab_m")
        arm = self.point_lab_m - point
        if self.R_lab_frame is not None:
            arm = matvec_transposed(self.R_lab_frame, arm)
        return replace(self, moment_Nm=self.moment_Nm + cross(arm, self.force_N), point_lab_m=point)

    def at(self, frames: slice) -> Wrench:
        """Keep some frames.

        Parameters
        ----------
        frames : slice
            Those that are kept.

        Returns
        -------
        Wrench
            Of those frames, about the same points, in the same axes.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.algebra.wrench import Wrench
        >>> push = Wrench(np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), np.zeros((2, 3)), np.zeros(3))
        >>> push.at(slice(1, 2)).force_N
        array([[2., 0., 0.]])
        """
        R_lab_frame = None if self.R_lab_frame is None else self.R_lab_frame[frames]
        force, moment, point = self.force_N[frames], self.moment_Nm[frames], self.point_lab_m[frames]
        return replace(self, force_N=force, moment_Nm=moment, point_lab_m=point, R_lab_frame=R_lab_frame)

    @takes(frame=a_str())
    def expressed_in(self, frame: str, R_lab_frame: ArrayLike | None = None) -> Wrench:
        """Write the components in other axes.

        Parameters
        ----------
        frame : str
            Name of the new axes; "lab" needs no rotation.
        R_lab_frame : ArrayLike | None, optional
            (n, 3, 3) or (3, 3), maps components in the new axes to laboratory components.

        Returns
        -------
        Wrench
            The same action, about the same point, in the axes of ``frame``.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.algebra.rotation import rotation_about
        >>> from biomech_id.algebra.wrench import Wrench
        >>> weight = Wrench(np.array([[0.0, 0.0, -700.0]]), np.zeros((1, 3)), np.array([0.2, 0.0, 1.0]))
        >>> leaning = weight.expressed_in("trunk", rotation_about(1, np.deg2rad(30.0)))
        >>> leaning.force_N.round(1)
        array([[ 350. ,    0. , -606.2]])
        """
        force, moment = self.force_N, self.moment_Nm
        if self.R_lab_frame is not None:
            force, moment = matvec(self.R_lab_frame, force), matvec(self.R_lab_frame, moment)
        if R_lab_frame is None:
            return replace(self, force_N=force, moment_Nm=moment, frame=frame, R_lab_frame=None)
        R = _per_frame(R_lab_frame, len(self), (3, 3), "R_lab_frame")
        force, moment = matvec_transposed(R, force), matvec_transposed(R, moment)
        return replace(self, force_N=force, moment_Nm=moment, frame=frame, R_lab_frame=R)

    @takes()
    def power(self, velocity_m_s: FloatArray, omega_rad_s: FloatArray) -> FloatArray:
        """Power on a body that moves.

        Parameters
        ----------
        velocity_m_s : FloatArray
            (n, 3), of the body's material point at ``point_lab_m``, relative to the laboratory, in the axes of this wrench, m/s.
        omega_rad_s : FloatArray
            (n, 3), angular velocity relative to the laboratory, in the axes of this wrench, rad/s.

        Returns
        -------
        FloatArray
            (n,), W, positive where the wrench supplies the body with energy; NaN where anything is missing.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.algebra.wrench import Wrench
        >>> knee = Wrench(np.array([[0.0, 0.0, 500.0]]), np.array([[0.0, 40.0, 0.0]]), np.array([0.0, 0.0, 0.5]))
        >>> knee.power(np.array([[0.0, 0.0, 0.01]]), np.array([[0.0, 3.0, 0.0]]))
        array([125.])
        """
        velocity = readonly(velocity_m_s, (len(self), 3), name="velocity_m_s", where="power")
        omega = readonly(omega_rad_s, (len(self), 3), name="omega_rad_s", where="power")
        power: FloatArray = dot(self.force_N, velocity) + dot(self.moment_Nm, omega)
        return power

    @takes(atol=a_quantity(0.0))
    def isclose(self, other: Wrench, *, atol: float = 1e-9) -> bool:
        """Whether force and moment agree in every frame; missing equals missing.

        Parameters
        ----------
        other : Wrench
            About the same point, in the same axes.
        atol : float, optional
            Largest difference of a component, N and N m.

        Returns
        -------
        bool
            True if no component differs by more than ``atol``.

        Raises
        ------
        FrameMismatchError, ShapeError
            As for addition.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.algebra.wrench import Wrench
        >>> push = Wrench(np.array([[10.0, 0.0, 0.0]]), np.zeros((1, 3)), np.zeros(3))
        >>> push.isclose(push.about([0.0, 1.0, 0.0]).about([0.0, 0.0, 0.0]))
        True
        """
        a(Wrench, "about the same point, in the same axes").check(other, "other", "isclose")
        self._check_fits(other, "compared")
        force = np.allclose(self.force_N, other.force_N, rtol=0, atol=atol, equal_nan=True)
        return force and np.allclose(self.moment_Nm, other.moment_Nm, rtol=0, atol=atol, equal_nan=True)

    def __neg__(self) -> Wrench:
        return replace(self, force_N=-self.force_N, moment_Nm=-self.moment_Nm, sense=_OPPOSITE[self.sense])

    def __add__(self, other: Wrench) -> Wrench:
        if not isinstance(other, Wrench):
            return NotImplemented
        self._check_fits(other, "added")
        sense = self.sense if self.sense == other.sense else ""
        return replace(self, force_N=self.force_N + other.force_N, moment_Nm=self.moment_Nm + other.moment_Nm, sense=sense)

    def __sub__(self, other: Wrench) -> Wrench:
        if not isinstance(other, Wrench):
            return NotImplemented
        self._check_fits(other, "subtracted")
        sense = self.sense if self.sense == other.sense else ""
        return replace(self, force_N=self.force_N - other.force_N, moment_Nm=self.moment_Nm - other.moment_Nm, sense=sense)

    def _check_fits(self, other: Wrench, verb: str) -> None:
        if len(self) != len(other):
            raise ShapeError(
                f"Wrenches of {self.force_N.shape} and {other.force_N.shape} cannot be {verb}.",
                value=other.force_N.shape, expected=str(self.force_N.shape), where="Wrench",
            )  # fmt: skip
        if self.frame != other.frame or not _same(self.R_lab_frame, other.R_lab_frame, SAME_AXES):
            raise FrameMismatchError(
                f"Wrenches in {self.frame} and {other.frame} axes cannot be {verb}; express both in one frame first.",
                value=other.frame, expected=self.frame, where="Wrench",
            )  # fmt: skip
        if not _same(self.point_lab_m, other.point_lab_m, SAME_POINT_M):
            gap = float(np.nanmax(np.linalg.norm(self.point_lab_m - other.point_lab_m, axis=1), initial=0.0))
            raise FrameMismatchError(
                f"Wrenches about points up to {gap:.3g} m apart cannot be {verb}; move one with about() first.",
                value=gap, expected="one point", where="Wrench",
            )  # fmt: skip


def _per_frame(values: ArrayLike, n: int, tail: tuple[int, ...], name: str) -> FloatArray:
    """``values`` of shape tail or (n, *tail) as a read-only array (n, *tail); a constant is not copied n times."""
    array = float_array(values, name=name, where="Wrench")
    if array.shape == tail:
        return np.broadcast_to(readonly(array, tail, name=name, where="Wrench"), (n, *tail))
    return readonly(array, (n, *tail), name=name, where="Wrench")


def _check_point(point_lab_m: FloatArray) -> None:
    furthest_m = float(np.nanmax(np.abs(point_lab_m), initial=0.0))
    if furthest_m > FURTHEST_POINT_M:
        raise InvalidValueError(
            f"The point_lab_m of a wrench is {furthest_m:.6g} m from the laboratory's origin: these look like millimetres.",
            value=furthest_m, expected=f"metres, at most {FURTHEST_POINT_M:g}", where="Wrench",
        )  # fmt: skip


def _check_rotation(R_lab_frame: FloatArray, frame: str) -> None:
    gram = np.einsum("nji,njk->nik", R_lab_frame, R_lab_frame) - np.eye(3)
    apart = float(np.nanmax(np.abs(gram), initial=0.0))
    if apart > ROTATION_TOLERANCE:
        raise InvalidValueError(
            f"The R_lab_frame of the {frame} axes is no rotation: R'R differs from one by {apart:.3g}.",
            value=apart, expected="orthonormal columns, R'R = 1 within 1e-6", where="Wrench",
        )  # fmt: skip


def _same(one: FloatArray | None, other: FloatArray | None, tolerance: float) -> bool:
    if one is other:
        return True
    if one is None or other is None:
        return False
    return np.allclose(one, other, rtol=0, atol=tolerance, equal_nan=True)
