"""Joint wrenches of a planar limb as expressions of time, from its tip to its base.

::

    F_i = m_i a_i + F_(i+1),   M_i = I_i alpha_i + (c_i - P_i) x m_i (a_i - g) + M_(i+1) + (P_(i+1) - P_i) x F_(i+1)

A link's frame turns about z by its angle, its own y axis runs along it, as in F. Mielke's n-link notebook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sympy as sp
from sympy.physics import mechanics as me
from sympy.simplify.fu import TR8

from biomech_id.multibody.symbolic.equations import check_time

#: Time, as SymPy's dynamic symbols know it.
t = me.dynamicsymbols._t


@dataclass(frozen=True)
class SymbolicLink:
    """A link along its own +y: length, mass, distance of the centre of mass, moment of inertia about it; numbers or symbols.

    Attributes
    ----------
    length_m : Any
        Of the link.
    mass_kg : Any
        Of the link.
    com_m : Any
        From the proximal joint, along the link.
    inertia_kgm2 : Any, optional
        About the centre of mass.
    """

    length_m: Any
    mass_kg: Any
    com_m: Any
    inertia_kgm2: Any = sp.S.Zero


@dataclass(frozen=True)
class SymbolicLimb:
    """Links and their absolute angles, expressions of `t`, base to tip; gravity (x, y) in the laboratory.

    Attributes
    ----------
    links : Sequence[SymbolicLink]
        Base to tip.
    angles : Sequence[Any]
        Absolute, from the laboratory's +y, base to tip.
    gravity_m_s2 : tuple[Any, Any]
        (x, y), laboratory axes; has to be said.

    Raises
    ------
    InvalidValueError
        Angles in another time than SymPy's.
    """

    links: Sequence[SymbolicLink]
    angles: Sequence[Any]
    gravity_m_s2: tuple[Any, Any]

    def __post_init__(self) -> None:
        for angle in self.angles:
            check_time(angle, "SymbolicLimb")

    def wrench(self, joint: int, seen_from: int | None = None) -> Any:
        """The six components (6, 1) of the wrench on link ``joint`` at its proximal joint, of the link before on it.

        ``seen_from`` is the link in whose axes they are written; None takes the laboratory's. N and N m.

        Parameters
        ----------
        joint : int
            Index of the link.
        seen_from : int | None, optional
            Index of the link in whose axes the components are written; None for the laboratory.
        """
        force, moment = sp.zeros(2, 1), sp.S.Zero
        for i in reversed(range(joint, len(self.links))):
            link = self.links[i]
            arm, span = link.com_m * self._along(i), link.length_m * self._along(i)
            com = self._joint(i) + arm
            need = link.mass_kg * (com.diff(t, 2) - sp.Matrix(self.gravity_m_s2))
            moment += link.inertia_kgm2 * sp.diff(self.angles[i], t, 2) + _cross(arm, need) + _cross(span, force)
            force += need
        turn = sp.S.Zero if seen_from is None else self.angles[seen_from]
        seen = sp.Matrix([[sp.cos(turn), sp.sin(turn)], [-sp.sin(turn), sp.cos(turn)]]) * force
        x, y, z = (_as_sum_of_sines(e) for e in (*seen, moment))
        return sp.Matrix([x, y, 0, 0, 0, z])

    def observed(self, link: int, observer: int, at: Literal["proximal", "distal"] = "proximal") -> dict[str, Any]:
        """Dynamic and fictitious wrenches (6, 1) of a link as someone sitting on another finds them: about the link's centre of
        mass.

        Written in the observer's axes, under the names of `biomech_id.dynamics.observer`: what is dynamic is the sum of joint, tip,
        gravity and the fictitious ones.

        Parameters
        ----------
        link : int
            Index of the link that is looked at.
        observer : int
            Index of the link on which the observer sits.
        at : Literal["proximal", "distal"], optional
            At which end of it.
        """
        body, turn = self.links[link], self.angles[observer]
        to_axes = sp.Matrix([[sp.cos(turn), sp.sin(turn)], [-sp.sin(turn), sp.cos(turn)]])
        seat = self._joint(observer) + (self.links[observer].length_m * self._along(observer) if at == "distal" else sp.zeros(2, 1))
        r = (to_axes * (self._joint(link) + body.com_m * self._along(link) - seat)).applyfunc(_as_sum_of_sines)
        omega, m, quarter = sp.diff(turn, t), body.mass_kg, sp.Matrix([[0, -1], [1, 0]])
        forces = {
            "dynamic": m * r.diff(t, 2),
            "dalembert": -m * to_axes * seat.diff(t, 2),
            "euler": -m * omega.diff(t) * quarter * r,
            "centrifugal": m * omega**2 * r,
            "coriolis": -2 * m * omega * quarter * r.diff(t),
        }
        spin = body.inertia_kgm2 * sp.diff(self.angles[link], t, 2)
        arm = body.com_m * to_axes * self._along(link)
        moments = {part: _cross(arm, force) + (spin if part == "dynamic" else 0) for part, force in forces.items()}
        return {
            part: sp.Matrix([*(_as_sum_of_sines(e) for e in force), 0, 0, 0, _as_sum_of_sines(moments[part])])
            for part, force in forces.items()
        }

    def _along(self, i: int) -> Any:
        return sp.Matrix([-sp.sin(self.angles[i]), sp.cos(self.angles[i])])

    def _joint(self, i: int) -> Any:
        return sum((self.links[k].length_m * self._along(k) for k in range(i)), start=sp.zeros(2, 1))


def _cross(a: Any, b: Any) -> Any:
    return a[0] * b[1] - a[1] * b[0]


def _as_sum_of_sines(expression: Any) -> Any:
    """Products of sines and cosines as sines and cosines of sums and differences."""
    return sp.expand(TR8(sp.expand(expression)))
