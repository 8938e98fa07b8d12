"""Wrenches by a law of time, coordinates and speeds: on a body, and between bodies, where the other has the opposite one.

`WrenchLaw.on` evaluates a law in states into the `External` loads that every function of a system takes; a simulation does so
by itself. A law counts as work from outside, that of a spring too: only the springs of a system have their energy in that of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, float_array
from biomech_id.algebra.wrench import Wrench
from biomech_id.arguments import a, a_str, holds
from biomech_id.dynamics.external import External
from biomech_id.multibody.closures import TwoPoints
from biomech_id.multibody.impossible import check_numbers, check_state
from biomech_id.multibody.kinematics import Kinematics
from biomech_id.values import dataclass

_WRENCH = ("force x", "force y", "force z", "moment x", "moment y", "moment z")
#: Time, all coordinates (nq,), all speeds (n,), way (3,) and its rate (3,) -> force and moment, six numbers.
LawFunction = Callable[[float, FloatArray, FloatArray, FloatArray, FloatArray], ArrayLike]


@holds(body=a_str(), other=a_str(), wrench_lab=a(Callable))  # type: ignore[arg-type]
@dataclass(frozen=True)
class WrenchLaw(TwoPoints):
    """A wrench on a body at a point of it; another body, if it is not the ground, has the opposite one at the same place.

    Attributes
    ----------
    body : str
        Name of the body A that it acts ON.
    place_m : Place
        The point that the moment is about, in A's axes.
    other : str
        Body B, or `biomech_id.multibody.kinematics.GROUND`.
    other_place_m : Place
        The point that the way to A's point is measured from, in B's axes.
    wrench_lab : LawFunction
        Of time, s, all coordinates and speeds of one state, the way x_m from B's point to A's and its rate v_m_s, laboratory axes:
        force, N, and moment, N m, six numbers in laboratory axes.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.pendulums import n_pendulum
    >>> from biomech_id.multibody.laws import WrenchLaw
    >>> pendulum, still = n_pendulum([1.0], [1.0], gravity_m_s2=9.81), np.zeros((1, 1))
    >>> band = WrenchLaw("link 0", (0, -1, 0), "base", (2, -1, 0), lambda t, q, u, x_m, v_m_s: [*(-5.0 * x_m), 0, 0, 0])
    >>> pendulum.inverse(still, still, still, band.on(pendulum.kinematics(still), still, np.zeros(1))).round(3)
    array([[-10.]])
    """

    wrench_lab: LawFunction

    def on(self, moving: Kinematics, q: FloatArray, t_s: FloatArray) -> list[External]:
        """Wrenches on the two bodies in N states.

        Parameters
        ----------
        moving : Kinematics
            Motion of the states, of a moving base too.
        q : FloatArray
            (N, nq), their coordinates, rad or m.
        t_s : FloatArray
            (N,), their times, s.

        Returns
        -------
        list[External]
            Two of N frames each, opposite to each other; NaN in a gap.

        Raises
        ------
        ShapeError
            A law that does not give six numbers.
        InvalidValueError
            A law that gives NaN or infinity in a state without a gap.
        """
        check_numbers(f"law on {self.body}", place_m=self.place_m, other_place_m=self.other_place_m)
        values = np.full((len(q), 6), np.nan)
        for k, state in enumerate(zip(t_s, q, moving.u, *self.gap(moving)[:2], strict=True)):
            if np.isfinite(state[-1]).all():
                name = f"the law on {self.body} at {t_s[k]:g} s"
                given = float_array(self.wrench_lab(*state), name=name, where="WrenchLaw")
                check_state(_WRENCH, given, argument=name, where="WrenchLaw")
                values[k] = given
        point = moving.point(moving.layout.index(self.body), self.place_m)[0]
        ends = ((self.body, 1.0), (self.other, -1.0))
        return [External(body, Wrench(sign * values[:, :3], sign * values[:, 3:], point), "law") for body, sign in ends]
