"""Kane's and Lagrange's equations of a system described once, as LaTeX and as fast NumPy functions.

The description is in the words of `sympy.physics.mechanics`; `Pendulum` writes it for planar chains. Both derivations give
`Equations`: a mass matrix M and a right-hand side f of coordinates q and speeds u with M u' = f.

Source: Gede et al. (2013) ASME DETC2013-13470; Kane & Levinson (1985) Dynamics: Theory and Applications.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics import mechanics as me

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import MissingInputError
from biomech_id.multibody.symbolic.expressions import compiled


@dataclass
class Description:
    """A multibody system in symbols.

    Attributes
    ----------
    frame : Any
        Inertial frame and a point at rest in it.
    origin : Any
        Inertial frame and a point at rest in it.
    q : list[Any], optional
        Coordinates and speeds, dynamic symbols; dependent ones at the end, as many as there are constraints of each kind.
    u : list[Any], optional
        Coordinates and speeds, dynamic symbols; dependent ones at the end, as many as there are constraints of each kind.
    kinematics : list[Any], optional
        Expressions that are zero, tying q' to u.
    bodies : list[Any], optional
        SymPy's particles and rigid bodies; (point, force) and (frame, torque) pairs.
    loads : list[Any], optional
        SymPy's particles and rigid bodies; (point, force) and (frame, torque) pairs.
    potential_J : Any, optional
        Potential energy of loads that have one, for energy and for Lagrange's equations, which do not count them twice: loads
        listed in ``conservative`` are left out there.
    conservative : list[Any], optional
        Those of ``loads`` that ``potential_J`` stands for.
    configuration : list[Any], optional
        Constraint expressions that are zero, of q and of q and u (velocity includes the rates of the former).
    velocity : list[Any], optional
        Constraint expressions that are zero, of q and of q and u (velocity includes the rates of the former).
    auxiliary : list[Any], optional
        Speeds that are zero and bring forces that do no work into evidence (Kane only).
    """

    frame: Any
    origin: Any
    q: list[Any] = field(default_factory=list)
    u: list[Any] = field(default_factory=list)
    kinematics: list[Any] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    loads: list[Any] = field(default_factory=list)
    potential_J: Any = sp.S.Zero
    conservative: list[Any] = field(default_factory=list)
    configuration: list[Any] = field(default_factory=list)
    velocity: list[Any] = field(default_factory=list)
    auxiliary: list[Any] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Equations:
    """Equations of motion M u' = f in symbols.

    Attributes
    ----------
    description : Description
        What they belong to.
    M : Any
        (n, n) and (n, 1), of q and u.
    f : Any
        (n, n) and (n, 1), of q and u.
    multipliers : int, optional
        How many Lagrange multipliers stand behind the n accelerations in M's columns.
    auxiliary : tuple[Any, ...], optional
        Expressions that are zero, one for each auxiliary speed; solve them for the force it brings into evidence.
    """

    description: Description
    M: Any
    f: Any
    multipliers: int = 0
    auxiliary: tuple[Any, ...] = ()

    def latex(self) -> str:
        """M u' = f in LaTeX."""
        return rf"{me.mlatex(self.M)}\,\dot u = {me.mlatex(self.f)}"

    def energy(self) -> Any:
        """Kinetic and potential energy, J, of q and u."""
        d = self.description
        kinetic = sum((body.kinetic_energy(d.frame) for body in d.bodies), start=sp.S.Zero)
        return (kinetic + d.potential_J).subs(_rates(d))

    def momentum(self) -> Any:
        """Linear momentum, a vector, of q and u."""
        d = self.description
        return me.linear_momentum(d.frame, *d.bodies).subs(_rates(d))

    def angular_momentum(self) -> Any:
        """Angular momentum about the origin, a vector, of q and u."""
        d = self.description
        return me.angular_momentum(d.origin, d.frame, *d.bodies).subs(_rates(d))

    def function(
        self, constants: Mapping[Any, float], *, multipliers: bool = False
    ) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Accelerations u' (..., n) as a NumPy function of q and u (..., n), for many states at once.

        Parameters
        ----------
        constants : Mapping[Any, float]
            Symbol -> value, SI.
        multipliers : bool, optional
            Whether the constraints' multipliers follow the accelerations.

        Raises
        ------
        MissingInputError
            A symbol that ``constants`` gives no value.
        """
        evaluate = self.evaluate(sp.Matrix.hstack(self.M, self.f), constants)
        n = len(self.description.u)

        def accelerations(q: FloatArray, u: FloatArray) -> FloatArray:
            both = evaluate(q, u)
            solved = np.asarray(np.linalg.solve(both[..., :-1], both[..., -1:])[..., 0], dtype=np.float64)
            return solved if multipliers else solved[..., :n]

        return accelerations

    def evaluate(self, expression: Any, constants: Mapping[Any, float]) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Any matrix (r, c) or list of expressions of this system as a NumPy function of q and u (..., n).

        Parameters
        ----------
        expression : Any
            Of the system's coordinates, speeds and constants.
        constants : Mapping[Any, float]
            Symbol -> value, SI.

        Raises
        ------
        MissingInputError
            A symbol that ``constants`` gives no value.
        """
        d = self.description
        matrix = expression if isinstance(expression, sp.MatrixBase) else sp.Matrix(expression)
        names = {symbol: sp.Dummy() for symbol in [*d.q, *d.u]}
        plain = me.msubs(matrix.subs(_rates(d)), names, dict(constants))
        unknown = plain.free_symbols - set(names.values())
        if unknown:
            raise MissingInputError(
                f"No value for {', '.join(sorted(map(str, unknown)))}.",
                value=sorted(map(str, unknown)), expected="a number for each constant", where="Equations",
            )  # fmt: skip
        call = compiled(list(names.values()), plain)
        flat = not isinstance(expression, sp.MatrixBase)

        def evaluated(q: FloatArray, u: FloatArray) -> FloatArray:
            values = call(*np.moveaxis(np.asarray(q), -1, 0), *np.moveaxis(np.asarray(u), -1, 0))
            return values[..., 0] if flat else values

        return evaluated

    def linearised(self, constants: Mapping[Any, float], q: FloatArray, u: FloatArray) -> FloatArray:
        """A (2n, 2n) of d/dt [dq, du] = A [dq, du] about a state (n,) of a system without constraints and with q' = u.

        From u' = M^-1 f: du'/dx = M^-1 (df/dx - dM/dx u').

        Parameters
        ----------
        constants : Mapping[Any, float]
            Symbol -> value, SI.
        q : FloatArray
            (n,), coordinates of the state.
        u : FloatArray
            (n,), speeds of the state.
        """
        d = self.description
        n, state = len(d.q), [*d.q, *d.u]
        acceleration = self.function(constants)(q, u)
        names = [sp.Dummy() for _ in range(n)]
        residual = self.f - self.M * sp.Matrix(names)
        slopes = residual.subs(_rates(d)).jacobian(state).subs(dict(zip(names, acceleration, strict=True)))
        A = np.zeros((2 * n, 2 * n))
        A[:n, n:] = np.eye(n)
        A[n:] = np.linalg.solve(self.evaluate(self.M, constants)(q, u), self.evaluate(slopes, constants)(q, u))
        return A


def kane(d: Description) -> Equations:
    """Kane's equations; with velocity constraints the dependent speeds' accelerations come along.

    Parameters
    ----------
    d : Description
        Bodies, coordinates, loads and constraints.
    """
    n_q, n_u = len(d.q) - len(d.configuration), len(d.u) - len(d.velocity)
    method = me.KanesMethod(
        d.frame, q_ind=d.q[:n_q], u_ind=d.u[:n_u], kd_eqs=d.kinematics,
        q_dependent=d.q[n_q:], configuration_constraints=d.configuration,
        u_dependent=d.u[n_u:], velocity_constraints=d.velocity, u_auxiliary=d.auxiliary or None,
    )  # fmt: skip
    method.kanes_equations(d.bodies, d.loads)
    rates = method.kindiffdict()
    auxiliary = tuple(method.auxiliary_eqs.subs(rates)) if d.auxiliary else ()
    return Equations(d, method.mass_matrix.subs(rates), method.forcing.subs(rates), 0, auxiliary)


def lagrange(d: Description) -> Equations:
    """Lagrange's equations of a system with q' = u, constraints by multipliers, which `Equations.function` can return too.

    Parameters
    ----------
    d : Description
        Bodies, coordinates, loads and constraints.
    """
    kinetic = sum((body.kinetic_energy(d.frame) for body in d.bodies), start=sp.S.Zero)
    rates = dict(zip(d.u, (q.diff(me.dynamicsymbols._t) for q in d.q), strict=True))
    L = (kinetic - d.potential_J).subs(rates)
    holonomic = bool(d.configuration)
    method = me.LagrangesMethod(
        L, d.q, hol_coneqs=d.configuration or None, nonhol_coneqs=None if holonomic else [c.subs(rates) for c in d.velocity] or None
    )
    method.form_lagranges_equations()
    k = len(d.configuration) or len(d.velocity)
    n = len(d.q)
    if not k:
        return Equations(d, method.mass_matrix, method.forcing + _generalised_forces(d))
    # Rows: n equations of motion and k differentiated constraints; columns: n accelerations and k multipliers.
    M, f = method.mass_matrix_full[n:, n:], method.forcing_full[n:, :]
    f[:n, :] += _generalised_forces(d)
    return Equations(d, M, f, k)


def _generalised_forces(d: Description) -> Any:
    """Force or torque times partial velocity, summed over the loads that no potential stands for; (n, 1)."""
    forces = sp.zeros(len(d.u), 1)
    for where, load in d.loads:
        if (where, load) not in d.conservative:
            velocity = where.vel(d.frame) if isinstance(where, me.Point) else where.ang_vel_in(d.frame)
            for i, partial in enumerate(me.partial_velocity([velocity], d.u, d.frame)[0]):
                forces[i] += partial.dot(load)
    return forces


def _rates(d: Description) -> dict[Any, Any]:
    """Replacements: q' by u, and auxiliary speeds by zero."""
    t = me.dynamicsymbols._t
    solved = sp.solve(d.kinematics, [q.diff(t) for q in d.q], dict=True)
    return {**solved[0], **dict.fromkeys(d.auxiliary, sp.S.Zero)}


class Pendulum:
    """A planar chain that hangs from a pivot, described link by link.

    Frame A has x down and z out of the plane; angles are absolute, about z from A.x, so that q' = u.

    Attributes
    ----------
    description : Description
        What `kane` and `lagrange` take.
    constants : dict[Any, float]
        Every symbol's value, as given; pass it to `Equations.function`.
    gravity_m_s2 : float, optional
        Along A.x.
    pivot_force : list[Any]
        The components (R_x, R_y) of the force on the first link, brought into evidence; empty otherwise.
    """

    def __init__(self, *, gravity_m_s2: float = 9.81, pivot_force: bool = False) -> None:
        """Start at the pivot; ``pivot_force`` brings the force (R_x, R_y) on the first link into evidence, by auxiliary speeds."""
        frame, origin = me.ReferenceFrame("A"), me.Point("O")
        origin.set_vel(frame, 0)
        self.description = Description(frame, origin)
        self.g = sp.Symbol("g")
        self.constants: dict[Any, float] = {self.g: gravity_m_s2}
        self.pivot_force: list[Any] = [sp.Symbol("R_x"), sp.Symbol("R_y")] if pivot_force else []
        self._frames: list[Any] = []
        self._tip = me.Point("P")
        self._tip.set_pos(origin, 0)
        if pivot_force:
            self.description.auxiliary = list(me.dynamicsymbols("ua_x ua_y"))
            x, y = self.description.auxiliary
            self._tip.set_vel(frame, x * frame.x + y * frame.y)
            self.description.loads.append((self._tip, self.pivot_force[0] * frame.x + self.pivot_force[1] * frame.y))
        else:
            self._tip.set_vel(frame, 0)

    def link(
        self, length_m: float, mass_kg: float, com_m: float | None = None, inertia_kgm2: float = 0.0, moment_Nm: float = 0.0
    ) -> None:
        """Hang a link on the last one: a particle at its end, or a body with its centre of mass on the way.

        ``inertia_kgm2`` is about the centre of mass, ``moment_Nm`` a constant moment of the link before on this one.

        Parameters
        ----------
        length_m, mass_kg : float
            Of the link.
        com_m : float | None, optional
            From the link's start; None puts a particle at its end.
        inertia_kgm2 : float, optional
            About the centre of mass.
        moment_Nm : float, optional
            Of the link before on this one, constant.
        """
        d, i = self.description, len(self.description.q)
        q, u = me.dynamicsymbols(f"q_{i} u_{i}")
        l, m, c, I, T = sp.symbols(f"l_{i} m_{i} d_{i} I_{i} T_{i}")
        values = {l: length_m, m: mass_kg, c: length_m if com_m is None else com_m, I: inertia_kgm2, T: moment_Nm}
        # What is zero, or the end of the link, gets no symbol: expressions stay as short as the link is simple.
        c, I, T = (l if com_m is None else c), (I if inertia_kgm2 else sp.S.Zero), (T if moment_Nm else sp.S.Zero)
        self.constants |= {s: v for s, v in values.items() if s in (l, m, c, I, T)}
        link, before = d.frame.orientnew(f"B{i}", "Axis", [q, d.frame.z]), self._frames[-1] if i else None
        link.set_ang_vel(d.frame, u * d.frame.z)
        com, tip = self._tip.locatenew(f"C{i}", c * link.x), self._tip.locatenew(f"P{i}", l * link.x)
        for point in (com, tip):
            point.v2pt_theory(self._tip, d.frame, link)
        body = me.RigidBody(f"link {i}", com, link, m, (me.inertia(link, 0, 0, I), com)) if I else me.Particle(f"link {i}", com, m)
        weight = (com, m * self.g * d.frame.x)
        d.bodies.append(body)
        d.loads.append(weight)
        d.conservative.append(weight)
        d.potential_J -= m * self.g * com.pos_from(d.origin).dot(d.frame.x)
        if T:
            d.loads.append((link, T * d.frame.z))
            d.loads += [(before, -T * d.frame.z)] if before else []
        d.q.append(q)
        d.u.append(u)
        d.kinematics.append(q.diff(me.dynamicsymbols._t) - u)
        self._frames.append(link)
        self._tip = tip

    def pin_tip(self, below_m: float, right_m: float) -> None:
        """Hold the last link's end at a point, from the pivot: two constraints, the last two coordinates dependent.

        Parameters
        ----------
        below_m, right_m : float
            Along A.x and A.y, metres.
        """
        d = self.description
        place = self._tip.pos_from(d.origin)
        x, y = sp.symbols("x_pin y_pin")
        self.constants |= {x: below_m, y: right_m}
        d.configuration = [place.dot(d.frame.x) - x, place.dot(d.frame.y) - y]
        rates = dict(zip((q.diff(me.dynamicsymbols._t) for q in d.q), d.u, strict=True))
        d.velocity = [c.diff(me.dynamicsymbols._t).subs(rates) for c in d.configuration]
