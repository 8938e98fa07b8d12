"""A `System` in the words of `sympy.physics.mechanics`: symbols for its lengths and masses, frames, points, loads and constraints.

Numbers become symbols, so that equations can be read: m_i the mass of body i, l_i what lies between its joint and the next one's,
d_i between its joint and its centre of mass (l_i where that is the same), I_i its moments of inertia; what is zero gets none.
`Description.constants` has their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sympy.physics import mechanics as me

from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import Gearing, PointGap, Rod
from biomech_id.multibody.joints import Orientation, Slide, Turn, quaternion_rate
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.symbolic.equations import Description, coordinate_rates
from biomech_id.multibody.system import System

_AXES = "xyz"


def describe(system: System, *, support_force: Sequence[str] = ()) -> Description:
    """A system in symbols, for `kane` and `lagrange`.

    Parameters
    ----------
    system : System
        Drives are left out: append (frame, torque) pairs to ``loads``.
    support_force : Sequence[str], optional
        Names of force components along the base's x, y, z, ("R_x", "R_y"), that the base exerts where the first body hangs: they do
        no work, and auxiliary speeds bring them into evidence (Kane only).

    Returns
    -------
    Description
        Symbols, frames, points, loads and constraints of the whole system.

    Raises
    ------
    InvalidValueError
        A rod, which has no symbolic form here, a joint's function that expressions cannot go through, or loops that say one motion
        twice.
    """
    made = _Described(system, support_force)
    for body in system.bodies:
        made.add(body)
    made.weigh()
    made.close()
    return made.description


class _Described:
    """The description while it is made, body by body."""

    def __init__(self, system: System, support_force: Sequence[str]) -> None:
        frame, origin = me.ReferenceFrame("A"), me.Point("O")
        origin.set_vel(frame, 0)
        self.system, self.description = system, Description(frame, origin)
        d = self.description
        d.frames[GROUND], d.points[GROUND] = frame, origin
        self.q = {name: me.dynamicsymbols(name.replace(".", "_")) for name in system.coordinates}
        self.u = {name: me.dynamicsymbols(f"u_{name.removeprefix('q_').replace('.', '_')}") for name in system.speeds}
        order = [*system.free, *system.dependent]
        d.q = [self.q[name] for name in order]
        d.u = [self.u[name] for name in [*system.free_speeds, *(n for n in system.speeds if n not in system.free_speeds)]]
        self.support = list(support_force)
        self.symbols: dict[str, Any] = {}
        #: Frame and axis -> the frame from which turns about that axis have led to it, their sum and its rate.
        self.turned: dict[Any, tuple[Any, Any, Any]] = {}
        #: Coordinate -> what each of its steps moves: before, after, axis.
        self.pairs: dict[str, list[tuple[Any, Any, Any]]] = {}
        t = me.dynamicsymbols._t
        plain = [name for name in order if name in self.u]
        d.kinematics = [self.q[name].diff(t) - self.u[name] for name in plain]
        for body in system.bodies:
            for step in body.joint:
                if isinstance(step, Orientation):
                    four, three = (
                        [of[name] for name in names] for of, names in ((self.q, step.coordinates), (self.u, step.speeds))
                    )
                    rate = quaternion_rate(*four, omega=three)
                    d.kinematics += [x.diff(t) - r for x, r in zip(four, rate, strict=True)]

    def symbol(self, name: str, value: float) -> Any:
        """A symbol for a number; a number for nothing and one."""
        if value == 0:
            return sp.S.Zero
        self.symbols[name] = sp.Symbol(name)
        self.description.constants[self.symbols[name]] = float(value)
        return self.symbols[name]

    def vector(self, name: str, values: ArrayLike, frame: Any) -> Any:
        """Components by name (one alone without its letter) in a frame."""
        numbers = np.asarray(values, dtype=np.float64).tolist()
        alone = sum(v != 0 for v in numbers) == 1
        parts = (
            self.symbol(name if alone else f"{name}{_AXES[k]}", v) * axis
            for k, (v, axis) in enumerate(zip(numbers, frame, strict=True))
        )
        return sum(parts, start=me.Vector(0))

    def add(self, body: Body) -> None:
        d, i = self.description, len(self.description.bodies)
        frame, before = d.frames[body.parent], d.points[body.parent]
        parent = self.system.index(body.parent) - 1
        place = np.asarray(body.place_m)
        name = f"l_{parent}" if parent >= 0 else "l"
        siblings = [b for b in self.system.bodies[:i] if b.parent == body.parent]
        if any(not np.array_equal(np.asarray(b.place_m), place) for b in siblings) or parent < 0:
            name = f"p_{i}"
        point = before.locatenew(f"P{i}", self.vector(name, place, frame))
        point.v2pt_theory(before, d.frame, frame)
        if self.support and parent < 0:
            self._support(point)
        frame = self._turned(frame, np.asarray(body.R_parent_joint), i)
        for number, step in enumerate(body.joint):
            frame, point = self._step(step, frame, point, f"{i}_{number}")
        d.frames[body.name], d.points[body.name] = frame, point
        self._mass(body, i, frame, point)

    def _support(self, point: Any) -> None:
        d = self.description
        axes = list(d.frame)[: len(self.support)]
        d.auxiliary = [me.dynamicsymbols(f"ua_{_AXES[k]}") for k in range(len(axes))]
        point.set_vel(d.frame, sum((u * axis for u, axis in zip(d.auxiliary, axes, strict=True)), start=me.Vector(0)))
        d.support = [sp.Symbol(name) for name in self.support]
        d.loads.append((point, sum((R * axis for R, axis in zip(d.support, axes, strict=True)), start=me.Vector(0))))
        self.support = []

    def _turned(self, frame: Any, R: np.ndarray, i: int) -> Any:
        if np.array_equal(R, np.eye(3)):
            return frame
        exact = sp.Matrix(3, 3, [sp.Integer(round(x)) if x == round(x) else sp.Float(float(x), 17) for x in R.T.ravel()])
        placed = me.ReferenceFrame(f"J{i}")
        placed.orient_explicit(frame, exact.T)
        placed.set_ang_vel(frame, 0)
        return placed

    def _step(self, step: Turn | Slide | Orientation, frame: Any, point: Any, name: str) -> tuple[Any, Any]:
        d = self.description
        if isinstance(step, Orientation):
            after = me.ReferenceFrame(f"B{name}")
            after.orient_quaternion(frame, [self.q[c] for c in step.coordinates])
            spin = sum((self.u[s] * axis for s, axis in zip(step.speeds, after, strict=True)), start=me.Vector(0))
            after.set_ang_vel(frame, spin)
            return after, point
        q, rate = self.q[step.coordinate], self.u[step.coordinate]
        if step.function is not None:
            q, rate = _exact(step.function.value(q)), _exact(step.function.slope(q)) * rate
        axis = exact_vector(step.axis, frame)
        if isinstance(step, Turn):
            # Turns about one axis are one turn by their sum: cos(q_0 - q_1), and q_1 alone where a link's angle is its own.
            root, total, speed = self.turned.get((frame, step.axis), (frame, sp.S.Zero, sp.S.Zero))
            total, speed = total + q, speed + rate
            along = exact_vector(step.axis, root)
            after = root.orientnew(f"B{name}", "Axis", [total, along])
            after.set_ang_vel(root, speed * along)
            self.turned[after, step.axis] = (root, total, speed)
            self.pairs.setdefault(step.coordinate, []).append((frame, after, axis))
            return after, point
        moved = point.locatenew(f"S{name}", q * axis)
        moved.set_vel(d.frame, point.vel(d.frame) + rate * axis + frame.ang_vel_in(d.frame).cross(q * axis))
        self.pairs.setdefault(step.coordinate, []).append((point, moved, axis))
        return frame, moved

    def _mass(self, body: Body, i: int, frame: Any, point: Any) -> None:
        d, segment = self.description, body.segment
        hanging = [b for b in self.system.bodies if b.parent == body.name]
        same = any(np.array_equal(np.asarray(b.place_m), segment.com_m) for b in hanging)
        last_particle = not hanging and not segment.inertia_kgm2.any()
        name = f"l_{i}" if same or last_particle else f"d_{i}"
        com = point.locatenew(f"C{i}", self.vector(name, segment.com_m, frame))
        com.v2pt_theory(point, d.frame, frame)
        m, tensor = self.symbol(f"m_{i}", segment.mass_kg), segment.inertia_kgm2
        if not tensor.any():
            d.bodies.append(me.Particle(body.name, com, m))
            return
        steps = [step for b in self.system.bodies for step in b.joint if not isinstance(step, Slide)]
        if steps and all(isinstance(step, Turn) and step.axis[:2] == (0.0, 0.0) for step in steps):
            I = me.inertia(frame, 0, 0, self.symbol(f"I_{i}", tensor[2, 2]))  # a planar chain: only the normal counts
        else:
            pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
            I = me.inertia(frame, *(self.symbol(f"I_{i}{_AXES[a]}{_AXES[b]}", tensor[a, b]) for a, b in pairs))
        d.bodies.append(me.RigidBody(body.name, com, frame, m, (I, com)))

    def weigh(self) -> None:
        """Gravity, springs and dampers."""
        d, gravity = self.description, np.asarray(self.system.gravity_lab_m_s2)
        size = float(np.linalg.norm(gravity))
        if size:
            down = exact_vector(gravity / size, d.frame)
            g = self.symbol("g", size)
            for body in d.bodies:
                point = body.masscenter
                weight = (point, body.mass * g * down)
                d.loads.append(weight)
                d.conservative.append(weight)
                d.potential_J -= body.mass * g * point.pos_from(d.origin).dot(down)
        for number, spring in enumerate(self.system.springs):
            self._spring(spring, number)

    def _spring(self, spring: Spring | LineSpring, i: int) -> None:
        pairs = [] if isinstance(spring, LineSpring) else self.pairs.get(spring.coordinate, [])
        if isinstance(spring, LineSpring) or len(pairs) != 1:
            raise InvalidValueError(
                "A spring along a line, or along a coordinate of several steps, has no symbolic form here.", value=spring,
                expected="springs along coordinates of one turn or slide", where="describe",
            )  # fmt: skip
        d = self.description
        k, c = self.symbol(f"k_{i}", spring.stiffness), self.symbol(f"c_{i}", spring.damping)
        rest = self.symbol(f"r_{i}", spring.rest)
        q, u = self.q[spring.coordinate], self.u[spring.coordinate]
        d.potential_J += k * (q - rest) ** 2 / 2
        before, after, axis = pairs[0]
        for where, sign in ((after, -1), (before, 1)):
            pull = (where, sign * k * (q - rest) * axis)
            d.loads += [pull] if k else []
            d.conservative += [pull] if k else []
            d.loads += [(where, sign * c * u * axis)] if c else []

    def close(self) -> None:
        """Constraints of the loops, and their rates."""
        d, t = self.description, me.dynamicsymbols._t
        for closure in self.system.closures:
            d.configuration += self._closure(closure)
        if len(d.configuration) > len(self.system.dependent):
            raise InvalidValueError(
                f"{len(d.configuration)} equations close loops of {len(self.system.dependent)} dependent coordinates: they say "
                "some motion twice, and symbols cannot tell which.",
                value=len(d.configuration), where="describe",
                expected=f"{len(self.system.dependent)} equations (pins in the plane, no balls), or numbers: reduced, simulate",
            )  # fmt: skip
        rates = coordinate_rates(d)
        d.velocity = [c.diff(t).subs(rates) for c in d.configuration]

    def _closure(self, closure: Any) -> list[Any]:
        d = self.description
        if isinstance(closure, Gearing):
            given = {n: _exact(f.value(self.q[n])) if n in closure.functions else self.q[n] for n, _, f in closure.terms}
            return [sum((_exact(c) * given[n] for n, c, _ in closure.terms), start=-_exact(closure.offset))]
        ends = []
        for body, place in ((closure.body, closure.place_m), (closure.other, closure.other_place_m)):
            ends.append(d.points[body].pos_from(d.origin) + exact_vector(place, d.frames[body]))
        gap = ends[0] - ends[1]
        if isinstance(closure, Rod):
            return [gap.dot(gap) - _exact(closure.length_m) ** 2]
        assert isinstance(closure, PointGap)
        return [gap.dot(exact_vector(row, d.frames[closure.seen_from])) for row in closure.rows]


def _exact(value: Any) -> Any:
    """A number as the decimal it stands for."""
    return value if isinstance(value, sp.Basic) else sp.Rational(str(float(value)))


def exact_vector(components: ArrayLike, frame: Any) -> Any:
    """A constant vector, its components the decimals they stand for.

    Parameters
    ----------
    components : ArrayLike
        (3,), in the axes of ``frame``.
    frame : Any
        SymPy's, in whose axes they are.

    Returns
    -------
    Any
        SymPy's vector in ``frame``.
    """
    return sum((_exact(c) * axis for c, axis in zip(np.asarray(components).tolist(), frame, strict=True)), start=me.Vector(0))
