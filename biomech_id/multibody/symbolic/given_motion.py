"""Joint wrenches of a `System` whose motion is given, as expressions of time, and what observers on its bodies make of it.

::

    F = sum m (a - g),   M = sum (c - P) x m (a - g) + d(I omega)/dt        over the body and all that hang on it

The question, wrenches of a limb in every frame and for every observer, is that of F. Mielke's notebooks; names and signs are those
of `biomech_id.dynamics.observer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import sympy as sp
from sympy.physics import mechanics as me
from sympy.simplify.fu import TR8

from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import Place
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.symbolic.describe import describe, exact_vector
from biomech_id.multibody.symbolic.equations import Description, check_time
from biomech_id.multibody.system import System
from biomech_id.values import dataclass

#: Time, as SymPy's dynamic symbols know it.
t = me.dynamicsymbols._t


@dataclass(frozen=True, eq=False)
class GivenMotion:
    """A system without quaternions, and its coordinates as expressions of `t`.

    Attributes
    ----------
    system : System
        Its numbers come out as the decimals they are.
    coordinates : Mapping[str, Any]
        Name -> expression; loops have to be closed by them.

    Raises
    ------
    InvalidValueError
        Coordinates in another time than SymPy's, too few or too many of them, or a quaternion.
    """

    system: System
    coordinates: Mapping[str, Any]

    def __post_init__(self) -> None:
        if set(self.coordinates) != set(self.system.coordinates) or self.system.layout.quaternions:
            raise InvalidValueError(
                f"{', '.join(self.coordinates)} is not a motion of {', '.join(self.system.coordinates)}.",
                value=sorted(self.coordinates), expected="an expression for each coordinate, no quaternion", where="GivenMotion",
            )  # fmt: skip
        for expression in self.coordinates.values():
            check_time(expression, "GivenMotion")

    @cached_property
    def _described(self) -> Description:
        return describe(self.system)

    def wrench(self, body: str, seen_from: str = GROUND) -> Any:
        """Wrench on a body at its joint, of the body before on it.

        Parameters
        ----------
        body : str
            Name of the body.
        seen_from : str, optional
            The body in whose axes the components are written, or `GROUND`.

        Returns
        -------
        Any
            Force, N, and moment, N m, about the joint (6, 1), axes of ``seen_from``.
        """
        d, carried = self._described, [body]
        for one in self.system.bodies:
            carried += [one.name] if one.parent in carried else []
        force, moment = me.Vector(0), me.Vector(0)
        for name in carried:
            mass, place, spin = self._mass(name)
            need = mass * (place.dt(d.frame).dt(d.frame) - exact_vector(self.system.gravity_lab_m_s2, d.frame))
            force += need
            moment += (place - d.points[body].pos_from(d.origin)).cross(need) + spin
        return self._written(force, moment, seen_from)

    def observed(self, body: str, observer: str, at_m: Place = (0.0, 0.0, 0.0)) -> dict[str, Any]:
        """Dynamic and fictitious wrenches (6, 1) of a body, about its joint, as someone who sits on another finds them.

        Written in the observer's axes: what is dynamic is the sum of joint, tip, gravity and the fictitious ones.

        Parameters
        ----------
        body : str
            What is looked at.
        observer : str
            The body on which the observer sits.
        at_m : Place, optional
            Where on it, from its joint.

        Returns
        -------
        dict[str, Any]
            "dynamic", "dalembert", "euler", "centrifugal" and "coriolis" (6, 1): force, N, then moment, N m, observer's axes.
        """
        d, (mass, place, spin) = self._described, self._mass(body)
        axes, arm = d.frames[observer], place - d.points[body].pos_from(d.origin)
        seat = d.points[observer].pos_from(d.origin) + exact_vector(at_m, axes)
        r, omega = place - seat, axes.ang_vel_in(d.frame)
        forces = {
            "dynamic": mass * r.dt(axes).dt(axes),
            "dalembert": -mass * seat.dt(d.frame).dt(d.frame),
            "euler": -mass * omega.dt(d.frame).cross(r),
            "centrifugal": -mass * omega.cross(omega.cross(r)),
            "coriolis": -2 * mass * omega.cross(r.dt(axes)),
        }
        moments = {part: arm.cross(force) + (spin if part == "dynamic" else me.Vector(0)) for part, force in forces.items()}
        return {part: self._written(force, moments[part], observer) for part, force in forces.items()}

    def _mass(self, body: str) -> tuple[Any, Any, Any]:
        """Mass, centre of mass from the origin, rate of spin about it."""
        d = self._described
        one = d.bodies[self.system.index(body) - 1]
        spin = one.angular_momentum(one.masscenter, d.frame).dt(d.frame)
        return one.mass, one.masscenter.pos_from(d.origin), spin

    def _written(self, force: Any, moment: Any, seen_from: str) -> Any:
        """Numbers and the motion put in, in the axes of a body; products of sines and cosines as those of sums."""
        d = self._described
        given = dict(zip(d.q, [self.coordinates[name] for name in [*self.system.free, *self.system.dependent]], strict=True))
        rates = dict(zip(d.u, [given[q].diff(t) for q in d.q], strict=True))
        numbers = {symbol: sp.Rational(str(value)) for symbol, value in d.constants.items()}
        both = sp.Matrix([*force.to_matrix(d.frames[seen_from]), *moment.to_matrix(d.frames[seen_from])])
        return both.subs(rates).subs(given).subs(numbers).doit().applyfunc(lambda entry: sp.expand(TR8(sp.expand(entry))))
