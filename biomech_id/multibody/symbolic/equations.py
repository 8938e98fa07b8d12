"""Kane's and Lagrange's equations of a system described once, as LaTeX and as fast NumPy functions.

The description is in the words of `sympy.physics.mechanics`; `describe.describe` writes it for a `System`. Both derivations give
`Equations`: a mass matrix M and a right-hand side f of coordinates q and speeds u with M u' = f, and q' = Y(q) u whatever Y is.
In the usual words, Fr = f's share of loads and Fr* = -(M u' + ...) its share of inertia: `Equations.active` and
`Equations.inertia`.

Source: Gede et al. (2013) ASME DETC2013-13470; Kane & Levinson (1985) Dynamics: Theory and Applications.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.physics import mechanics as me
from sympy.simplify.fu import TR8

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.values import dataclass, field

#: A state that is off its constraints by more than this has no linear model.
CLOSED_WITHIN = 1e-9
_STEP = 1e-30


@dataclass
class Description:
    """A multibody system in symbols.

    Attributes
    ----------
    frame : Any
        Inertial frame of reference.
    origin : Any
        Point at rest in it.
    q : list[Any], optional
        Coordinates, dynamic symbols; dependent ones at the end, as many as there are constraints of positions.
    u : list[Any], optional
        Speeds, dynamic symbols; dependent ones at the end, as many as there are constraints of speeds.
    kinematics : list[Any], optional
        Expressions that are zero, tying q' to u.
    bodies : list[Any], optional
        SymPy's particles and rigid bodies.
    loads : list[Any], optional
        (point, force) and (frame, torque) pairs.
    potential_J : Any, optional
        Potential energy of loads that have one, for energy and for Lagrange's equations, which do not count them twice: loads
        listed in ``conservative`` are left out there.
    conservative : list[Any], optional
        Those of ``loads`` that ``potential_J`` stands for.
    configuration : list[Any], optional
        Expressions of q that are zero.
    velocity : list[Any], optional
        Expressions of q and u that are zero, the rates of ``configuration`` among them.
    auxiliary : list[Any], optional
        Speeds that are zero and bring forces that do no work into evidence (Kane only).
    constants : dict[Any, float], optional
        Value of each symbol that is a constant, SI.
    frames, points : dict[str, Any], optional
        Of the bodies of a described `System`, by name.
    support : list[Any], optional
        Components of a force that does no work, as symbols.

    Raises
    ------
    InvalidValueError
        Coordinates or speeds that are no dynamic symbols, expressions in another time, a mass that changes.
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
    constants: dict[Any, float] = field(default_factory=dict)
    frames: dict[str, Any] = field(default_factory=dict)
    points: dict[str, Any] = field(default_factory=dict)
    support: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Refuse what would be wrong in silence: coordinates that are no functions of time, another time, masses that change.

        Raises
        ------
        InvalidValueError
            One of these.
        """
        t = me.dynamicsymbols._t
        for symbol in [*self.q, *self.u, *self.auxiliary]:
            if not (isinstance(symbol, AppliedUndef) and symbol.args == (t,)):
                raise InvalidValueError(
                    f"{symbol} is no dynamic symbol: its rates would all be zero.", value=str(symbol),
                    expected="sympy.physics.mechanics.dynamicsymbols(...)", where="Description",
                )  # fmt: skip
        for expression in [self.potential_J, *self.kinematics, *self.configuration, *self.velocity]:
            check_time(expression, "Description")
        for body in self.bodies:
            if sp.sympify(body.mass).has(t):
                raise InvalidValueError(
                    f"The mass of {body} changes in time.", value=str(body.mass),
                    expected="a constant: these equations have no term for a changing mass", where="Description",
                )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Equations:
    """Equations of motion M u' = f in symbols.

    Attributes
    ----------
    description : Description
        What they belong to.
    M : Any
        (n, n), mass matrix, of q and u.
    f : Any
        (n, 1), right-hand side, of q and u.
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
        """M u' = f in LaTeX, products of sines and cosines as those of differences, functions of time by their names.

        Returns
        -------
        str
            One equation, without delimiters.
        """
        M, f = (in_differences(part) for part in (self.M, self.f))
        n = len(self.description.u)
        unknown = [rf"\dot{{{me.vlatex(u)}}}" for u in self.description.u] + [rf"\lambda_{{{k}}}" for k in range(self.M.cols - n)]
        column = r"\begin{bmatrix}" + r" \\ ".join(unknown) + r"\end{bmatrix}"
        return f"{me.vlatex(M)} {column} = {me.vlatex(f)}"

    def active(self) -> Any:
        """Generalised active forces: loads, springs and dampers along the partial velocities.

        Returns
        -------
        Any
            Fr (n, 1), one for each speed, expressions.
        """
        d = self.description
        return in_differences(_generalised_forces(d, d.loads).subs(coordinate_rates(d)))

    def inertia(self) -> Any:
        """Generalised inertia forces of an unconstrained system: Fr + Fr* = 0.

        Returns
        -------
        Any
            Fr* (n, 1), with u' in it.
        """
        d = self.description
        t = me.dynamicsymbols._t
        rates = sp.Matrix([u.diff(t) for u in d.u])
        return in_differences((self.f - self.M * rates).subs(coordinate_rates(d)) - self.active())

    def energy(self) -> Any:
        """Kinetic and potential energy.

        Returns
        -------
        Any
            An expression of q and u, J.
        """
        d = self.description
        kinetic = sum((body.kinetic_energy(d.frame) for body in d.bodies), start=sp.S.Zero)
        return (kinetic + d.potential_J).subs(coordinate_rates(d))

    def momentum(self) -> Any:
        """Linear momentum.

        Returns
        -------
        Any
            SymPy's vector, of q and u.
        """
        d = self.description
        return me.linear_momentum(d.frame, *d.bodies).subs(coordinate_rates(d))

    def angular_momentum(self) -> Any:
        """Angular momentum about the origin.

        Returns
        -------
        Any
            SymPy's vector, of q and u.
        """
        d = self.description
        return me.angular_momentum(d.origin, d.frame, *d.bodies).subs(coordinate_rates(d))

    def function(
        self, constants: Mapping[Any, float], *, multipliers: bool = False
    ) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Accelerations as a NumPy function, for many states at once.

        Parameters
        ----------
        constants : Mapping[Any, float]
            Symbol -> value, SI.
        multipliers : bool, optional
            Whether the constraints' multipliers follow the accelerations.

        Returns
        -------
        Callable[[FloatArray, FloatArray], FloatArray]
            Takes q and u (..., n), returns u' (..., n), and with them the multipliers where these are asked for.

        Raises
        ------
        MissingInputError
            A symbol that ``constants`` gives no value.
        """
        evaluate = self.evaluate(sp.Matrix.hstack(self.M, self.f), constants)
        n = len(self.description.u)

        def accelerations(q: FloatArray, u: FloatArray) -> FloatArray:
            both = evaluate(q, u)
            solved = np.asarray(np.linalg.solve(both[..., :-1], both[..., -1:])[..., 0])
            return solved if multipliers else solved[..., :n]

        return accelerations

    def evaluate(self, expression: Any, constants: Mapping[Any, float]) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Any matrix (r, c) or list of expressions of this system as a NumPy function.

        Parameters
        ----------
        expression : Any
            Of the system's coordinates, speeds and constants.
        constants : Mapping[Any, float]
            Symbol -> value, SI.

        Returns
        -------
        Callable[[FloatArray, FloatArray], FloatArray]
            Takes q and u (..., n), returns (..., r, c), or (..., r) for a list.

        Raises
        ------
        MissingInputError
            A symbol that ``constants`` gives no value.
        """
        d = self.description
        matrix = expression if isinstance(expression, sp.MatrixBase) else sp.Matrix(expression)
        names = {symbol: sp.Dummy() for symbol in [*d.q, *d.u]}
        plain = me.msubs(me.msubs(matrix, coordinate_rates(d)), names, dict(constants))
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
        """Linear model about a state, in all coordinates and speeds, or in the independent ones.

        From q' = Y u and u' = M^-1 f: A = [[d(Yu)/dq, Y], [M^-1 (df/dq - dM/dq u'), M^-1 df/du]]. Under constraints the derivatives
        are total ones along them, dq_dep = (dq_dep/dq_ind) dq_ind, and A has as many states as the system has.

        Parameters
        ----------
        constants : Mapping[Any, float]
            Symbol -> value, SI.
        q : FloatArray
            (n,), coordinates of the state.
        u : FloatArray
            (n,), speeds of the state.

        Returns
        -------
        FloatArray
            A of d/dt [dq, du] = A [dq, du], square.

        Raises
        ------
        InvalidValueError
            A state that does not obey the constraints, or one in which the equations have no value.
        """
        d, t, rates = self.description, me.dynamicsymbols._t, coordinate_rates(self.description)
        n, m = len(d.q), len(d.u)
        velocity = d.velocity or [c.diff(t).subs(rates) for c in d.configuration]
        constraints = [*d.configuration, *velocity]
        bound = [*range(n - len(d.configuration), n), *range(n + m - len(velocity), n + m)]
        free = [k for k in range(n + m) if k not in bound]
        ways = np.eye(n + m)[:, free]
        if constraints:
            off = self.evaluate(constraints, constants)
            if (wide := np.abs(off(q, u)).max()) > CLOSED_WITHIN:
                raise InvalidValueError(
                    f"The state is off its constraints by {wide:.3g}.", value=float(wide), expected="q and u that obey them",
                    where="linearised",
                )  # fmt: skip
            J = _slopes(off, q, u, np.eye(n + m))
            ways[bound] = -np.linalg.solve(J[:, bound], J[:, free])
        turning = self.evaluate([rates[x.diff(t)] for x in d.q], constants)
        A = np.concatenate([_slopes(part, q, u, ways) for part in (turning, self.function(constants))])[free]
        if not np.isfinite(A).all():
            raise InvalidValueError(
                "The linear model has no value in this state.", value=q.tolist(),
                expected="a state in which q' = Y(q) u can be solved",
                where="linearised",
            )  # fmt: skip
        return A


def _slopes(function: Callable[[FloatArray, FloatArray], FloatArray], q: FloatArray, u: FloatArray, ways: FloatArray) -> FloatArray:
    """Derivatives (k, w) of k values along w columns of (q, u), by complex steps: without the error of a difference."""
    states = np.concatenate([q, u]) + 1j * _STEP * ways.T
    return function(states[:, : len(q)], states[:, len(q) :]).imag.T / _STEP


def kane(d: Description) -> Equations:
    """Kane's equations; with velocity constraints the dependent speeds' accelerations come along.

    Parameters
    ----------
    d : Description
        Bodies, coordinates, loads and constraints.

    Returns
    -------
    Equations
        M and f of all speeds.
    """
    d.check()
    n_q, n_u = len(d.q) - len(d.configuration), len(d.u) - len(d.velocity)
    method = me.KanesMethod(
        d.frame, q_ind=d.q[:n_q], u_ind=d.u[:n_u], kd_eqs=d.kinematics,
        q_dependent=d.q[n_q:], configuration_constraints=d.configuration,
        u_dependent=d.u[n_u:], velocity_constraints=d.velocity, u_auxiliary=d.auxiliary or None, kd_eqs_solver="CRAMER",
    )  # fmt: skip
    method.kanes_equations(d.bodies, d.loads)
    rates = method.kindiffdict()
    auxiliary = tuple(method.auxiliary_eqs.subs(rates)) if d.auxiliary else ()
    return Equations(d, me.msubs(method.mass_matrix, rates), me.msubs(method.forcing, rates), 0, auxiliary)


def lagrange(d: Description) -> Equations:
    """Lagrange's equations, constraints by multipliers, which `Equations.function` can return too.

    They are formed for q and turned into equations of u with q' = Y u and q'' = Y u' + Y' u: Y^T M_q Y u' = Y^T (f_q - M_q Y' u).

    Parameters
    ----------
    d : Description
        Bodies, coordinates, loads and constraints.

    Returns
    -------
    Equations
        M and f of all speeds; under constraints with multipliers behind the accelerations.

    Raises
    ------
    InvalidValueError
        Not as many speeds as coordinates (a quaternion), or constraints of speeds beside those of coordinates: Kane's equations
        can have them.
    """
    d.check()
    t, n = me.dynamicsymbols._t, len(d.q)
    if len(d.u) != n:
        raise InvalidValueError(
            f"Lagrange's equations need a coordinate for each speed: {n} came for {len(d.u)}.", value=(n, len(d.u)),
            expected="independent coordinates (angles instead of a quaternion), or kane()", where="lagrange",
        )  # fmt: skip
    rates = coordinate_rates(d)
    q_rate = [q.diff(t) for q in d.q]
    Y = sp.Matrix([rates[x] for x in q_rate]).jacobian(d.u)
    ties = sp.Matrix(d.kinematics)
    of_rates = dict(zip(d.u, _cramer(ties.jacobian(d.u), -ties.subs(dict.fromkeys(d.u, 0))), strict=True))
    kinetic = sum((body.kinetic_energy(d.frame) for body in d.bodies), start=sp.S.Zero)
    holonomic = bool(d.configuration)
    method = me.LagrangesMethod(
        (kinetic - d.potential_J).subs(of_rates), d.q, hol_coneqs=d.configuration or None,
        nonhol_coneqs=None if holonomic else [c.subs(of_rates) for c in d.velocity] or None,
    )  # fmt: skip
    method.form_lagranges_equations()
    k = len(d.configuration) or len(d.velocity)
    # Rows: n equations of motion and k differentiated constraints; columns: n accelerations and k multipliers.
    M, f = (method.mass_matrix_full[n:, n:], method.forcing_full[n:, :]) if k else (method.mass_matrix, method.forcing)
    if sp.eye(n) != Y:
        change = sp.diag(Y, sp.eye(k)) if k else Y
        drift = sp.zeros(n + k, 1)
        drift[:n, :] = Y.diff(t) * sp.Matrix(d.u)
        f = change.T * me.msubs(f - M * drift, rates)
        M = change.T * me.msubs(M, rates) * change
    f = sp.Matrix(f)
    f[:n, :] += _generalised_forces(d, [load for load in d.loads if load not in d.conservative])
    return Equations(d, M, f, k)


def _generalised_forces(d: Description, loads: Sequence[Any]) -> Any:
    """Force or torque times partial velocity, summed over loads; (n, 1)."""
    forces = sp.zeros(len(d.u), 1)
    for where, load in loads:
        velocity = where.vel(d.frame) if isinstance(where, me.Point) else where.ang_vel_in(d.frame)
        for i, partial in enumerate(me.partial_velocity([velocity], d.u, d.frame)[0]):
            forces[i] += partial.dot(load)
    return forces


def coordinate_rates(d: Description) -> dict[Any, Any]:
    """Replacements: q' by Y(q) u, and auxiliary speeds by zero.

    Cramer's rule keeps what cancels: by elimination, body-fixed speeds at zero angles would come out as 0 / 0.

    Parameters
    ----------
    d : Description
        Whose ``kinematics`` are linear in the rates.

    Returns
    -------
    dict[Any, Any]
        Expression of each rate q', and zero for each auxiliary speed.
    """
    rates = sp.Matrix([q.diff(me.dynamicsymbols._t) for q in d.q])
    equations = sp.Matrix(d.kinematics)
    slope = equations.jacobian(rates)
    rest = -equations.subs(dict.fromkeys(rates, 0))
    solved = _cramer(slope, rest)
    return {**dict(zip(rates, solved, strict=True)), **dict.fromkeys(d.auxiliary, sp.S.Zero)}


def _cramer(A: Any, b: Any) -> Any:
    """A^-1 b; matrices with numbers on the diagonal alone, as most are, without determinants."""
    if A.is_diagonal():
        return sp.Matrix([value / A[k, k] for k, value in enumerate(b)])
    return A.adjugate() * b / sp.trigsimp(A.det())


def check_time(expression: Any, where: str) -> None:
    """Refuse an expression in a time that is not SymPy's: its derivatives would all be zero.

    Parameters
    ----------
    expression : Any
        Expression that may hold dynamic symbols.
    where : str
        For the error message.

    Raises
    ------
    InvalidValueError
        Another symbol called t, or functions of anything but time.
    """
    t, expression = me.dynamicsymbols._t, sp.sympify(expression)
    strange = {s for s in expression.free_symbols if s.name == t.name and s != t}
    strange |= {f for f in expression.atoms(AppliedUndef) if f.args != (t,)}
    if strange:
        raise InvalidValueError(
            f"{', '.join(sorted(map(str, strange)))} is in another time than sympy.physics.mechanics.dynamicsymbols._t.",
            value=str(expression), expected="dynamicsymbols(...), or expressions of dynamicsymbols._t", where=where,
        )  # fmt: skip


def in_differences(expressions: Any) -> Any:
    """Products of sines and cosines as those of sums and differences, cos(q_0 - q_1) and not its expansion.

    Parameters
    ----------
    expressions : Any
        A matrix of expressions.

    Returns
    -------
    Any
        As large as the matrix given.
    """
    return expressions.applyfunc(lambda entry: sp.factor_terms(sp.expand(TR8(sp.expand(entry)))))


def compiled(arguments: Sequence[Any], expressions: Any) -> Callable[..., FloatArray]:
    """Make a NumPy function of expressions, common subexpressions taken out.

    ``expressions`` is a matrix (r, c) or a list (k).

    Parameters
    ----------
    arguments : Sequence[Any]
        Symbols, in the order of the call.
    expressions : Any
        Matrix or list of SymPy's expressions.

    Returns
    -------
    Callable[..., FloatArray]
        Takes numbers or arrays (...,) that broadcast, returns (..., r, c) or (..., k).
    """
    matrix = isinstance(expressions, sp.MatrixBase)
    flat = list(expressions)
    evaluate = sp.lambdify(list(arguments), flat, modules="numpy", cse=True)

    def function(*values: Any) -> FloatArray:
        results = np.stack(np.broadcast_arrays(*evaluate(*values), *values)[: len(flat)], axis=-1) + 0.0
        return results.reshape(*results.shape[:-1], *expressions.shape) if matrix else results

    return function
