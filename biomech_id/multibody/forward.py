"""Forward dynamics: from forces to motion, with a real integrator, events and an audit of energy.

The equations of a `System` are generated once and run compiled where they can be (`biomech_id.multibody.generated`); dependent
coordinates come from the closed form, or from Newton's method that starts where the integrator has brought them.
Quaternions are integrated as they are, used with length 1, and handed out with length 1. The integrator is SciPy's DOP853: the
explicit Euler of many teaching texts gains 0.12 J and is 44 degrees/s off after 10 s of a double pendulum at steps of 0.1 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import Kind, a, a_quantity, a_str, an_array, or_none, takes
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.friction import OVERCOME, Friction, breaking, holding
from biomech_id.multibody.generated import GeneratedCode, Language, generate
from biomech_id.multibody.impossible import check_inertia, check_state
from biomech_id.multibody.laws import WrenchLaw
from biomech_id.multibody.reduction import check_closed, projection, reduced
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import Elimination, equations

#: Tolerance of the integrator, relative and absolute.
TOLERANCE = 1e-12
#: SciPy takes 100 units of rounding, 2.2e-14, and no less.
LEAST_TOLERANCE = 2.3e-14
#: Newton's method has found the dependent coordinates when a step changes them by less than this, m or rad.
_STILL = 1e-13
#: Steps below this that get no smaller are rounding: what is left near a change point, where J2 is nearly singular.
_ROUNDING = 1e-9
#: Smallest over largest singular value of J2, in units in which its entries are near 1, below which two branches of a mechanism are
#: near each other.
_CHANGE = 1e-2
#: Where a change point is looked at from, in steps, and what values there say of that in their middle: a seventieth of the step's
#: eighth power is lost.
_STATES_AROUND = (-1, 1, -2, 2, -3, 3, -4, 4)
_IN_THE_MIDDLE = np.array([56, 56, -28, -28, 8, 8, -1, -1]) / 70
#: How often the steps are made longer by half, until none of them ends at a change point: to a tenth of a radian.
_WIDER = 6
#: Slower than this, rad/s or m/s, a mechanism rests in a change point and has no way across.
_SLOWEST = 1e-6
_STEPS = 20
#: Dependent coordinates that Newton's method moves by more than this from the integrated ones, m or rad, may be on another branch.
_LEAP = 0.5
#: A joint with friction that is slower than this when another one stops or breaks away has stopped too, rad/s or m/s.
_RESTS = 1e-9
#: As many steps that take a run on by less than this share of it would have to be a hundred million for the whole.
_SLOW_STEPS, _SLOW_SHARE = 2000, 2e-5
#: Roots of events and of friction are found to rounding, as SciPy's solve_ivp does.
_ROOT = 4 * float(np.finfo(float).eps)


@compact_repr
@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion at the times asked for.

    Attributes
    ----------
    t_s : FloatArray
        (N,), times of the states, s.
    q : FloatArray
        (N, nq), all coordinates.
    u : FloatArray
        (N, n), all speeds.
    energy_J : FloatArray
        (N,), of the system.
    work_J : FloatArray
        (N,), done on it since the start by drives, dampers, friction and wrenches from outside.
    events_s : Mapping[str, FloatArray], optional
        Event name -> times at which it came to pass.
    evaluations : int, optional
        How often the right-hand side was asked for.
    forces : Mapping[str, FloatArray], optional
        Speed with friction -> (N,), N or N m, of the friction on it: of one at rest, what holds it.
    """

    t_s: FloatArray
    q: FloatArray
    u: FloatArray
    energy_J: FloatArray
    work_J: FloatArray
    events_s: Mapping[str, FloatArray] = field(default_factory=dict)
    evaluations: int = 0
    forces: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def energy_drift_J(self) -> float:
        """Largest energy that appeared from nowhere or vanished: max ``|E - E_0 - work|``."""
        return float(np.abs(self.energy_J - self.energy_J[0] - self.work_J).max())


#: An event happens where this function of time, all coordinates and all speeds crosses zero.
CrossingFunction = Callable[[float, FloatArray, FloatArray], float]
_FRICTION = Kind(
    "a mapping of speeds to Friction", lambda v: isinstance(v, Mapping) and all(isinstance(one, Friction) for one in v.values())
)
#: Wrenches on bodies at a time, each of one frame, or laws for them.
Loads = Callable[[float], Iterable[External]] | Sequence[WrenchLaw]


@takes(
    system=a(System), q0=an_array(), u0=an_array(), t_s=an_array(), friction=or_none(_FRICTION), events=or_none(a(Mapping)),
    stop_at=a_str(), tolerance=a_quantity(LEAST_TOLERANCE, 1.0),
)  # fmt: skip
def simulate(
    system: System,
    q0: FloatArray,
    u0: FloatArray,
    t_s: FloatArray,
    *,
    external: Loads | None = None,
    friction: Mapping[str, Friction] | None = None,
    events: Mapping[str, CrossingFunction] | None = None,
    stop_at: str = "",
    tolerance: float = TOLERANCE,
    language: Language = "auto",
) -> Simulation:
    """Follow a system from a state, driven by its drives, springs and what acts from outside.

    Parameters
    ----------
    system : System
        What moves, with its drives and springs.
    q0 : FloatArray
        (nq,), all coordinates at ``t_s[0]``, loops closed (`biomech_id.multibody.reduction` finds the dependent ones).
    u0 : FloatArray
        (n1,), free speeds at that time, in the order of ``system.free_speeds``.
    t_s : FloatArray
        (N,), increasing times at which the motion is wanted, s.
    external : Loads | None, optional
        Wrenches ON bodies as a function of time, by body's name; or laws of time, coordinates and speeds
        (`biomech_id.multibody.laws.WrenchLaw`).
    friction : Mapping[str, Friction] | None, optional
        Speed, that of a dependent coordinate too -> Coulomb friction against it: a joint that stops stays exactly at rest until
        what acts on it overcomes the static limit.
    events : Mapping[str, CrossingFunction] | None, optional
        Name -> function of t, q, u; the times of its zero crossings are found.
    stop_at : str, optional
        Name of the event that ends the run; times after it are left out.
    tolerance : float, optional
        Relative and absolute, of the integrator.
    language : Language, optional
        Of the generated equations.

    Returns
    -------
    Simulation
        At ``t_s``, up to the event that ends the run.

    Raises
    ------
    ShapeError
        A state that is none of this system's.
    InvalidValueError
        A state or times that are not finite, times that do not increase, joints that move no mass, a stop at an event that is not
        there, loops that are not closed, or a motion the integrator cannot follow, such as that of a drive that jumps where a speed
        changes sign.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.forward import simulate
    >>> from biomech_id.multibody.examples.pendulums import n_pendulum
    >>> pendulum = n_pendulum([1.0], [1.0], gravity_m_s2=9.81)
    >>> swing = simulate(pendulum, np.array([0.02]), np.zeros(1), np.array([0.0, np.pi / np.sqrt(9.81)]), language="python")
    >>> swing.q[-1].round(4), swing.energy_drift_J < 1e-9
    (array([-0.02]), True)
    """
    q0, u0, t_s = (np.asarray(x, dtype=np.float64) for x in (q0, u0, t_s))
    events, friction = events or {}, friction or {}
    _check(system, q0, u0, t_s, events, stop_at)
    model = _Model(system, q0, u0, external, language, friction)
    y0 = np.concatenate([q0[model.carried], u0, [0.0]])
    values = {name: _of_state(model, event) for name, event in events.items()}
    before = {name: value(t_s[0], y0) for name, value in values.items()}
    times: dict[str, list[float]] = {name: [] for name in events}
    states: list[tuple[float, FloatArray, FloatArray]] = []
    for step in _steps(model, y0, t_s, tolerance):
        for name, value in values.items():
            after = value(step.end, step.y)
            if before[name] * after <= 0 and (before[name] or after):
                times[name].append(step.root(value))
            before[name] = after
        end = min(step.end, *times.get(stop_at, ()), np.inf)
        states += [(t, step.at(t), step.going) for t in t_s[len(states) : np.searchsorted(t_s, end, side="right")]]
        if times.get(stop_at):
            break
    evaluations = model.evaluations
    q, u = (np.array(parts) for parts in zip(*(model.state(t, y) for t, y, _ in states), strict=True))
    check_closed(system, q, system.kinematics(q))
    forces = np.array([model.forces(*state) for state in states]).T
    happened = {name: np.array([t for t in found if t <= end]) for name, found in times.items()}
    return Simulation(
        t_s[: len(states)], q, u, system.energy(q, u), np.array([y[-1] for _, y, _ in states]),
        happened, evaluations, dict(zip(friction, forces, strict=True)),
    )  # fmt: skip


#: A value of a time and of what is integrated.
_Value = Callable[[float, FloatArray], float]


def _of_state(model: _Model, event: CrossingFunction) -> _Value:
    return lambda t, y: event(t, *model.state(t, y))


class _Step:
    """A step of the integrator, up to where friction changes in it."""

    def __init__(self, solver: Any, model: _Model) -> None:
        self.start, self.end, self.y, self.going = float(solver.t_old), float(solver.t), solver.y, model.going
        self._solver, self.cut = solver, len(model.rubbing) > 0 and model.margin(self.end, self.y) <= 0
        if self.cut:  # a joint has stopped or broken away; what began with this motion has not stopped again
            self.end = self.root(lambda t, y: model.margin(t, y) if t > model.begun else 1.0)
            self.y = model.settled(self.end, self._within(self.end))

    @cached_property
    def _within(self) -> Callable[[float], FloatArray]:
        return self._solver.dense_output()  # type: ignore[no-any-return]

    def at(self, t: float) -> FloatArray:
        """The integrated values at a time in the step."""
        return self.y if t == self.end else self._within(t)

    def root(self, value: _Value) -> float:
        """When a value is zero."""
        from scipy.optimize import brentq

        return float(brentq(lambda t: value(t, self.at(t)), self.start, self.end, xtol=_ROOT, rtol=_ROOT))


def _steps(model: _Model, y: FloatArray, t_s: FloatArray, tolerance: float) -> Iterator[_Step]:
    """Integrate from one change of friction to the next."""
    from scipy.integrate import DOP853  # costs as much to import as NumPy; few users simulate

    last, mark, taken = t_s[-1], t_s[0], 0
    y = model.settled(t_s[0], y)
    while model.begun < last:
        solver: Any = DOP853(model.rates, model.begun, y, last, rtol=tolerance, atol=tolerance)
        while solver.status == "running":
            message, taken = solver.step(), taken + 1
            if message:
                raise InvalidValueError(
                    f"The motion cannot be followed beyond {solver.t:g} s: {message}", value=solver.t,
                    expected="a motion without collisions or singular states", where="simulate",
                )  # fmt: skip
            step = _Step(solver, model)
            yield step
            if taken % _SLOW_STEPS == 0:
                if step.end - mark < _SLOW_SHARE * (last - t_s[0]) and step.end < last:
                    raise model.no_end(step.end, step.y, step.end - mark)
                mark = step.end
            if step.cut:
                y = step.y
                break
        else:
            return


class _Model:
    """The right-hand side for one run, of generated code.

    Joints with friction that are at rest are held by the forces that leave their speeds at zero.

    Dependent coordinates without a closed form are integrated beside the free ones, and closed from there by Newton's method: so
    they stay on their branch, also where two branches meet.
    """

    def __init__(
        self, system: System, q0: FloatArray, u0: FloatArray, external: Loads | None, language: Language,
        friction: Mapping[str, Friction],
    ) -> None:  # fmt: skip
        self.system, self.external, self.evaluations = system, external, 0
        self.rubbing = np.array([system.speed(name) for name in friction], dtype=int)
        self.limits, self.kinetic = np.array([(one.limit, one.kinetic) for one in friction.values()]).reshape(-1, 2).T
        #: The way each joint with friction slips, 1 or -1; 0 at rest.
        self.going, self.begun = np.zeros(len(friction)), 0.0
        self.free = [system.coordinate(name) for name in system.free]
        self.dependent = [system.coordinate(name) for name in system.dependent]
        self.by_newton = bool(self.dependent) and system.closed_form is None
        self.carried = [*self.free, *self.dependent] if self.by_newton else self.free
        self.q, self.n1 = q0.copy(), len(u0)
        self.fours = [four for four, _ in system.layout.quaternions]
        self.carried_speeds = [] if self.fours else [system.speed(system.coordinates[k]) for k in self.carried]
        self.driven = bool(system.drives or friction) or external is not None
        method: Elimination = "IC" if self.by_newton else "TE"
        self.closing = generate(equations(system, ["correction"], method), language) if self.by_newton else None
        self.turning = generate(equations(system, ["J2"], method), language) if self.by_newton else None
        wanted = [] if not self.dependent else ["u", "W"] if self.by_newton else ["u", "W", "q2"]
        if wanted and friction:
            wanted.append("w")
        self.posed = generate(equations(system, wanted, method), language) if wanted else None
        self.equations = generate(equations(system, ["a1", "damping_power", *(["M1"] if friction else [])], method), language)
        self.x = np.zeros(len(self.equations.program.inputs))
        self.last = len(self.x) - self.n1
        if self.by_newton:
            self.W = projection(system, q0[None], u0[None])[0][0]
            sizes = system.loop_sizes[:, [system.speed(name) for name in system.dependent]]
            # A gear's equation is in radians, a pin's in metres: what a row or a column is written in says nothing of branches.
            rows = 1.0 / np.where(sizes.any(axis=1), sizes.max(axis=1), 1.0)
            self.unit = rows[:, None] / (rows[:, None] * sizes).max(axis=0)

    def rates(self, t: float, y: FloatArray) -> FloatArray:
        """Rates of the coordinates that are integrated, u1' and power."""
        self.evaluations += 1
        return self._values(t, y)[: len(y)]

    def state(self, t: float, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """All coordinates and speeds of a state."""
        if self._at_change_point(y):
            self.q[self.carried] = y[: len(self.carried)]
            return self.q.copy(), self._across(t, y)[len(y) :]
        q, u, _ = self._posed(y)
        return q.copy(), u.copy()

    def _values(self, t: float, y: FloatArray) -> FloatArray:
        """Rates of y, and where loops are closed by Newton's method all speeds."""
        return self._across(t, y) if self._at_change_point(y) else self._plain_values(t, y)

    def _at_change_point(self, y: FloatArray) -> bool:
        """Whether the free coordinates hardly determine the others here: two branches of the mechanism meet nearby."""
        if self.turning is None:
            return False
        self._fill(y)
        J2 = self.turning.one(self.x[: self.last]).reshape(-1, len(self.dependent))
        if not np.isfinite(J2).all():
            return False
        sizes = np.linalg.svd(J2 * self.unit, compute_uv=False)
        return bool(sizes[-1] < _CHANGE * sizes[0])

    def _across(self, t: float, y: FloatArray) -> FloatArray:
        """Values at a change point, 0/0 there but smooth along the motion: from four states before it and four after it."""
        n = len(self.carried)
        along = np.zeros(len(y))
        u = self.W @ y[n:-1]
        along[:n] = self.system.rates(self.q[None], u[None])[0, self.carried]
        step = _CHANGE / max(float(np.abs(along).max()), _SLOWEST)
        for _ in range(_WIDER):
            step *= 1.5
            around = [y + k * step * along for k in _STATES_AROUND]
            if not any(map(self._at_change_point, around)):
                return np.asarray(_IN_THE_MIDDLE @ [self._plain_values(t, each) for each in around])
        return self._plain_values(t, y)  # a mechanism that is always near one, or rests in it

    def _plain_values(self, t: float, y: FloatArray) -> FloatArray:
        n, x, u1 = len(self.carried), self.x, y[len(self.carried) : -1]
        power = 0.0
        out = np.empty(len(y))
        if self.driven or self.fours or self.by_newton:
            q, u, W = self._posed(y)
            if self.driven:
                tau = self.system.drive_forces(t, q, u)
                tau[self.rubbing] -= self.going * self.kinetic
                if self.external is not None:
                    moving = self.system.kinematics(q[None], u[None])
                    laws, states = self.external, (moving, q[None], np.array([t]))
                    loads = laws(t) if callable(laws) else [load for law in laws for load in law.on(*states)]
                    tau = tau + self.system.external_forces(moving, loads)[0]
                power, x[self.last :] = float(tau @ u), tau if W is None else tau @ W
            out[:n] = self.system.rates(q[None], u[None])[0, self.carried] if self.fours else u[self.carried_speeds]
        else:
            self._known(y)
            out[:n] = u1
        results = self.equations.one(x)
        out[n:-1] = results[: self.n1]
        out[-1] = power + results[self.n1]
        if not self.going.all():
            self._hold(out[n:-1], results[self.n1 + 1 :].reshape(self.n1, self.n1), W)
        return np.concatenate([out, u]) if self.by_newton else out

    def settled(self, t: float, y: FloatArray) -> FloatArray:
        """Find which joints with friction stick from here on and which way the others go; the state with exact rest."""
        speeds = self.state(t, y)[1][self.rubbing]
        rest = np.abs(speeds) < _RESTS
        self.begun, self.going = t, np.where(rest, 0.0, np.sign(speeds))
        if rest.any():
            y = y.copy()
            self._plain_values(t, y)
            A, b, X, Z, still = self.holds
            u1 = y[len(self.carried) : -1]
            u1 += Z @ holding(A, X @ u1)
            u1[still] = 0.0
            self.going[rest] = breaking(A, b, self.limits[rest], self.kinetic[rest])
        return y

    def margin(self, t: float, y: FloatArray) -> float:
        """What is left until the first joint stops or breaks away."""
        stuck, left = self.going == 0, self.going * self.state(t, y)[1][self.rubbing]
        if stuck.any():
            forces = self.forces(t, y, self.going)[stuck]
            A, b, *_ = self.holds
            left[stuck] = OVERCOME - np.abs(A @ forces + b) / (np.diag(A) * self.limits[stuck])
        return float(left.min())

    def forces(self, t: float, y: FloatArray, going: FloatArray) -> FloatArray:
        """The friction on each joint while they go these ways."""
        stuck = going == 0
        forces: FloatArray = -going * self.kinetic
        if stuck.any():
            self.going = going
            self._plain_values(t, y)
            forces[stuck] = holding(*self.holds[:2], self.limits[stuck])
        return forces

    def _hold(self, a1: FloatArray, M1: FloatArray, W: FloatArray | None) -> None:
        """Add the accelerations that leave stuck joints at rest; keeps what they follow from, in ``holds``."""
        held = self.rubbing[self.going == 0]
        X, w = (np.eye(self.n1)[held], 0.0) if W is None else (W[held], self.w[held])
        Z = np.linalg.solve(M1, X.T)
        A, b = X @ Z, X @ a1 + w
        still = X[np.count_nonzero(X, axis=1) == 1].any(axis=0)  # speeds that are zero exactly, not but for rounding
        self.holds = A, b, X, Z, still
        a1 += Z @ holding(A, b) if np.isfinite(A).all() else np.nan
        a1[still] = 0.0

    def no_end(self, t: float, y: FloatArray, done_s: float) -> InvalidValueError:
        """Why a run does not come to its end, as an error."""
        u1, a1 = (part[len(self.carried) : -1] for part in (y, self.rates(t, y)))
        k = int(np.argmin(np.abs(u1) / (np.abs(a1) + _RESTS)))
        name = self.system.free_speeds[k]
        return InvalidValueError(
            f"The motion does not come to its end: at {t:g} s {_SLOW_STEPS} steps take it on by {done_s:.2g} s. The speed "
            f"{name!r} is {u1[k]:.3g} there; a drive or load that jumps where it changes sign keeps it so.",
            value=float(u1[k]), expected="laws without jumps; Coulomb friction as friction={...: Friction(...)}", where=name,
        )  # fmt: skip

    def _known(self, y: FloatArray) -> None:
        """Fill in what the equations take, but for the drives; loops closed."""
        self._fill(y)
        n, free = len(self.carried), len(self.free)
        if self.closing is not None:
            self.x[free:n] = self.q[self.dependent] = self._closed(self.closing, self.x[: self.last], slice(free, n))

    def _fill(self, y: FloatArray) -> None:
        x, n = self.x, len(self.carried)
        x[:n], x[self.last - self.n1 : self.last] = y[:n], y[n:-1]
        for four in self.fours:
            here = [self.free.index(k) for k in four]
            x[here] /= np.sqrt(x[here] @ x[here])

    def _posed(self, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """All coordinates, all speeds, and W if there are loops."""
        self._known(y)
        q, n, n1 = self.q, len(self.carried), self.n1
        q[self.free] = self.x[: len(self.free)]
        if self.posed is None:
            return q, y[n:-1], None
        results, speeds = self.posed.one(self.x[: self.last]), len(self.system.speeds)
        if not self.by_newton:
            q[self.dependent] = results[speeds * (1 + n1) : speeds * (1 + n1) + len(self.dependent)]
        self.w = results[-speeds:]
        self.W = results[speeds : speeds * (1 + n1)].reshape(speeds, n1)
        return q, results[:speeds], self.W

    @staticmethod
    def _closed(closing: GeneratedCode, x: FloatArray, place: slice) -> FloatArray:
        """Dependent coordinates by Newton's method from the integrated ones.

        Where that fails, or leaps to another branch, they are not a number, and the integrator takes a smaller step.
        """
        near, size = x[place].copy(), np.inf
        for _ in range(_STEPS):
            step = closing.one(x)
            x[place] -= step
            before, size = size, float(np.abs(step).max())
            if size < _STILL or before <= 2.0 * size < _ROUNDING:
                return x[place] if np.abs(x[place] - near).max() < _LEAP else np.full(len(near), np.nan)
        return np.full(len(near), np.nan)


def _check(
    system: System, q0: FloatArray, u0: FloatArray, t_s: FloatArray, events: Mapping[str, CrossingFunction], stop_at: str
) -> None:
    check_state(system.coordinates, q0, argument="q0", where="simulate")
    check_state(system.free_speeds, u0, argument="u0", where="simulate")
    check_inertia(system.layout, reduced(system, q0[None], u0[None]).M1, system.free_speeds)
    if t_s.ndim != 1 or len(t_s) < 2 or not (np.diff(t_s) > 0).all() or not np.isfinite(t_s).all():
        raise InvalidValueError(
            f"The times t_s of simulate do not increase, or not in finite steps: {t_s.tolist()[:4]}.",
            value=t_s.tolist(),
            expected="two or more, increasing, s",
            where="t_s",
        )
    if stop_at and stop_at not in events:
        raise InvalidValueError(
            f"There is no event {stop_at!r} to stop at.", value=stop_at, expected=f"one of {sorted(events)}", where="stop_at"
        )
