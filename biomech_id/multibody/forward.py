"""Forward dynamics: from forces to motion, with a real integrator, events and an audit of energy.

The equations of a `System` are generated once and run compiled where they can be (`biomech_id.multibody.generated`); dependent
coordinates come from the closed form, or from Newton's method that starts where the integrator has brought them.
Quaternions are integrated as they are, used with length 1, and handed out with length 1. The integrator is SciPy's DOP853: the
explicit Euler of many teaching texts gains 0.12 J and is 44 degrees/s off after 10 s of a double pendulum at steps of 0.1 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from biomech_id.multibody.joints import AxisFunction
from biomech_id.multibody.kinematics import place_of
from biomech_id.multibody.laws import WrenchLaw
from biomech_id.multibody.reduction import check_closed, projection, reduced
from biomech_id.multibody.rolling import Rolling
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import Elimination, equations
from biomech_id.values import dataclass, field

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
#: Derivatives of prescribed motions are looked at over this share of a run, or of a second if it is longer.
_DIFFERENCE = 1e-5
#: The golden section spreads times that meet no regular kinks; a wrong derivative is off at this many of them.
_SPREAD, _KINKS = 0.6180339887498949, 3
#: As many evaluations that take a run on by less than this share of it would have to be some billions for the whole.
_MANY, _SLOW_SHARE = 40_000, 2e-5
#: An event's value that is zero because a joint rests; events are found where the rest begins.
_AT_REST = 1e-300
#: At a dead centre a joint moves by this much less than others, in m and rad, and no force of it holds them.
_DEAD = 1e6
#: A jump is found to 4 units of rounding, and left behind by 8.
_PAST = 8 * np.finfo(float).eps
#: Step along q' into the complex numbers.
_ALONG = 1e-30j
#: How fast sliding that the integrator's errors leave dies away, 1/s.
_BACK = 10.0
#: Sliding below this, m/s, is the rounding of who gives speeds, or the integrator's, and taken away.
_SLIDES = 1e-4
#: A joint has stopped when its speed has changed sign by this, rad/s or m/s: events of the same speed come before.
_STOPPED = 1e-12


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
        Speed with friction -> (N,), N or N m, of the friction on it: of one at rest, what holds it. Prescribed coordinate -> of
        what drives it. Contact that rolls -> (N, 3), N, of the force on its body: of a wheel or ball in the axes of the other body,
        of a skate along its direction, then zeros.
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


def _each(kind: type, words: str) -> Kind:
    return or_none(Kind(words, lambda v: isinstance(v, Mapping) and all(isinstance(one, kind) for one in v.values())))


#: Wrenches on bodies at a time, each of one frame, or laws for them.
Loads = Callable[[float], Iterable[External]] | Sequence[WrenchLaw] | WrenchLaw


def _are_loads(value: object) -> bool:
    laws = value if isinstance(value, Sequence) else [value]
    return callable(value) or all(isinstance(law, WrenchLaw) for law in laws)


@takes(
    system=a(System), q0=an_array(), u0=an_array(), t_s=an_array(), events=or_none(a(Mapping)), stop_at=a_str(),
    external=or_none(Kind("a function of time that gives loads, or WrenchLaws", _are_loads)),
    friction=_each(Friction, "a mapping of speeds to Friction"),
    prescribed=_each(AxisFunction, "a mapping of coordinates to functions of time with both derivatives"),
    rolling=_each(Rolling, "a mapping of names to skates and wheels"), tolerance=a_quantity(LEAST_TOLERANCE, 1.0),
)  # fmt: skip
def simulate(
    system: System,
    q0: FloatArray,
    u0: FloatArray,
    t_s: FloatArray,
    *,
    external: Loads | None = None,
    friction: Mapping[str, Friction] | None = None,
    prescribed: Mapping[str, AxisFunction] | None = None,
    rolling: Mapping[str, Rolling] | None = None,
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
        (`biomech_id.multibody.laws.WrenchLaw`), or one.
    friction : Mapping[str, Friction] | None, optional
        Speed, that of a dependent coordinate too -> Coulomb friction against it: a joint that stops stays exactly at rest until
        what acts on it overcomes the static limit. That is looked at in every step of the integrator and at all ``t_s``: a load
        that comes and goes between two of them may be missed.
    prescribed : Mapping[str, AxisFunction] | None, optional
        Free coordinate -> its motion as a function of time, s, with rate and acceleration; the others follow by dynamics, and what
        drives it is in ``forces``. Its values in ``q0`` and ``u0`` are not looked at; it can have no friction itself.
    rolling : Mapping[str, Rolling] | None, optional
        Name, not that of a speed -> a contact that does not slide. ``q0`` and ``u0`` have to be such a state; what of sliding is
        rounding, or the integrator's error, is taken from the speeds.
    events : Mapping[str, CrossingFunction] | None, optional
        Name -> function of t, q, u; the times of its zero crossings are found. With friction, a value that rests at zero
        crosses it where the rest begins and where it ends.
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
        there, loops that are not closed, contacts that slide, or a motion the integrator cannot follow, such as that of a drive
        that jumps where a speed changes sign.

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
    events, friction, prescribed, rolling = events or {}, friction or {}, prescribed or {}, rolling or {}
    _check(system, q0, u0, t_s, events, stop_at)
    _check_prescribed(system, prescribed, friction, t_s)
    model = _Model(system, q0, u0, external, language=language, friction=friction, prescribed=prescribed, rolling=rolling, t_s=t_s)
    crossings = _Crossings(model, events, stop_at)
    states = _followed(model, crossings, np.concatenate([q0[model.carried], u0, [0.0]]), t_s, tolerance)
    q, u = (np.array(parts) for parts in zip(*(model.state(t, y) for t, y, _ in states), strict=True))
    check_closed(system, q, system.kinematics(q))
    rows = iter(np.array([model.forces(*state) for state in states]).T)
    forces_by_name = dict(zip([*friction, *prescribed], rows, strict=False))
    for name in rolling:
        forces_by_name[name] = np.transpose([next(rows) for _ in range(3)])
    return Simulation(
        t_s[: len(states)], q, u, system.energy(q, u), np.array([y[-1] for _, y, _ in states]),
        {name: np.array(crossed) for name, crossed in crossings.times.items()}, model.evaluations, forces_by_name,
    )  # fmt: skip


class _Crossings:
    """Where values of events cross zero: the times that were found, and the side of zero that each value is on."""

    def __init__(self, model: _Model, events: Mapping[str, CrossingFunction], stop_at: str) -> None:
        self.model, self.events, self.stop_at = model, events, stop_at
        self.times: dict[str, list[float]] = {name: [] for name in events}
        self._side, self._rested = dict.fromkeys(events, 0.0), dict.fromkeys(events, True)

    @property
    def stop(self) -> bool:
        """Whether the event that ends the run has come to pass."""
        return bool(self.times.get(self.stop_at))

    def watched(self, name: str) -> Callable[[float, FloatArray], float]:
        """What the integrator looks at."""

        def value(t: float, y: FloatArray) -> float:
            return self.events[name](t, *self.model.state(t, y)) or self._side[name]

        value.terminal = name == self.stop_at  # type: ignore[attr-defined]
        return value

    def leave_zero(self, t: float, y: FloatArray) -> None:
        """Find events whose value rested at zero until here, and the side of zero that each value is on from here."""
        ahead = y + _RESTS * self.model.rates(t, y)
        for name, event in self.events.items():
            side = event(t + _RESTS, *self.model.state(t + _RESTS, ahead))
            at_zero = event(t, *self.model.state(t, y)) == 0
            if self._rested[name] and at_zero and side:
                self.times[name].append(t)
            self._rested[name], self._side[name] = at_zero and not side, np.copysign(_AT_REST, side)

    def keep(self, roots_of_each: Iterable[Iterable[float]], start: float, *, first: bool, until: float = np.inf) -> None:
        """Keep the roots that the integrator found from a start on; what began there has not crossed again, but the end counts."""
        for (name, times), roots in zip(self.times.items(), roots_of_each, strict=False):
            times += [root for root in roots if (root > start + _RESTS or first or name == self.stop_at) and root <= until]


def _followed(
    model: _Model, crossings: _Crossings, y: FloatArray, t_s: FloatArray, tolerance: float
) -> list[tuple[float, FloatArray, FloatArray]]:
    """Integrate from one change of friction to the next: time, state, and which joints slip which way, at each wanted time."""
    from scipy.integrate import solve_ivp  # costs as much to import as NumPy; few users simulate

    watched: list[Any] = [crossings.watched(name) for name in crossings.events] + [model.margin] * model.has_friction
    states: list[tuple[float, FloatArray, FloatArray]] = []
    t, last = t_s[0], t_s[-1]
    until = last
    while len(states) < len(t_s) and not crossings.stop:
        y = model.settled(t, y)
        if model.has_friction:
            crossings.leave_zero(t, y)
            if crossings.stop:
                return states or [(t, y, model.going)]
        ahead = t_s[len(states) : np.searchsorted(t_s, until, "right")]
        run: Any = solve_ivp(model.rates, (t, until), y, "DOP853", ahead, False, watched or None, rtol=tolerance, atol=tolerance)
        came = zip(run.t, np.transpose(run.y), strict=True)
        reached = [(at, model.kept(at, values) if model.rolling else values, model.going) for at, values in came]
        looked_at = reached if model.has_friction and until == last and not model.for_good(y) else []
        missed = next((k for k, state in enumerate(looked_at) if model.margin(*state[:2]) < 0), None)
        states += reached[:missed]
        start = t
        roots: list[FloatArray] = run.t_events or []
        if missed is not None:  # between two steps of the integrator: again, from the wanted time before to this one
            if missed:
                t, y, _ = reached[missed - 1]
            until = run.t[missed]
            crossings.keep(roots, start, first=start == t_s[0], until=t)
            continue
        if not run.success:
            raise InvalidValueError(
                f"The motion cannot be followed beyond {states[-1][0] if states else t:g} s: {run.message}",
                value=run.status, expected="a motion without collisions or singular states", where="simulate",
            )  # fmt: skip
        until = last
        if model.has_friction and len(roots[-1]):
            t, y = roots[-1][0], run.y_events[-1][0]
            t = min(t + _PAST * (1.0 + abs(t)), t_s[min(len(states), len(t_s) - 1)])
        elif reached:
            t, y, _ = reached[-1]
        crossings.keep(roots, start, first=start == t_s[0])
    return states


class _Model:
    """The right-hand side for one run, of generated code.

    Joints with friction that are at rest are held by the forces that leave their speeds at zero.

    Dependent coordinates without a closed form are integrated beside the free ones, and closed from there by Newton's method: so
    they stay on their branch, also where two branches meet.
    """

    def __init__(
        self, system: System, q0: FloatArray, u0: FloatArray, external: Loads | None, *, language: Language,
        friction: Mapping[str, Friction], prescribed: Mapping[str, AxisFunction], rolling: Mapping[str, Rolling], t_s: FloatArray,
    ) -> None:  # fmt: skip
        self.system, self.evaluations, self.n1, self.has_friction = system, 0, len(u0), bool(friction)
        self.external = [external] if isinstance(external, WrenchLaw) else external
        # A prescribed coordinate is a joint that no force moves from its motion: it sticks to that for good. So does what rolls.
        self.rolling = rolling
        # A contact has no speed of its own: the first one stands for it.
        self.rubbing = np.array([system.speed(name) for name in (*friction, *prescribed)] + [0] * 3 * len(rolling), dtype=int)
        limits = [(one.limit, one.kinetic) for one in friction.values()] + [(np.inf, 0.0)] * (len(self.rubbing) - len(friction))
        self.limits, self.kinetic = np.array(limits).reshape(-1, 2).T
        #: The way each joint with friction slips, 1 or -1; 0 at rest.
        self.going, self.begun, self.mark, self.span = np.zeros(len(limits)), t_s[0], t_s[0], t_s[-1] - t_s[0]
        self.motions = list(prescribed.values())
        self.places = [system.free.index(name) for name in prescribed]
        self.speed_places = [system.free_speeds.index(name) - self.n1 - 1 for name in prescribed]
        self.free = [system.coordinate(name) for name in system.free]
        self.dependent = [system.coordinate(name) for name in system.dependent]
        self.by_newton = bool(self.dependent) and system.closed_form is None
        self.carried = [*self.free, *self.dependent] if self.by_newton else self.free
        self.q = q0.copy()
        self.fours = [four for four, _ in system.layout.quaternions]
        self.carried_speeds = [] if self.fours else [system.speed(system.coordinates[k]) for k in self.carried]
        self.driven = bool(system.drives or limits or external is not None)
        method: Elimination = "IC" if self.by_newton else "TE"
        self.closing = generate(equations(system, ["correction"], method), language) if self.by_newton else None
        self.turning = generate(equations(system, ["J2"], method), language) if self.by_newton else None
        wanted = [] if not self.dependent else ["u", "W"] if self.by_newton else ["u", "W", "q2"]
        if wanted and limits:
            wanted.append("w")
        self.posed = generate(equations(system, wanted, method), language) if wanted else None
        self.equations = generate(equations(system, ["a1", "damping_power", *(["M1"] if limits else [])], method), language)
        self.x = np.zeros(len(self.equations.program.inputs))
        self.last = len(self.x) - self.n1
        self.W = np.eye(self.n1)
        self.w = np.zeros(self.n1)
        if self.by_newton:
            self.W = projection(system, q0[None], u0[None])[0][0]
            sizes = system.loop_sizes[:, [system.speed(name) for name in system.dependent]]
            # A gear's equation is in radians, a pin's in metres: what a row or a column is written in says nothing of branches.
            rows = 1.0 / np.where(sizes.any(axis=1), sizes.max(axis=1), 1.0)
            self.unit = rows[:, None] / (rows[:, None] * sizes).max(axis=0)

    def rates(self, t: float, y: FloatArray) -> FloatArray:
        """Rates of the coordinates that are integrated, u1' and power."""
        self.evaluations += 1
        if self.evaluations % _MANY == 0:
            if t - self.mark < _SLOW_SHARE * self.span:
                raise self._no_end(t, y)
            self.mark = t
        return self._values(t, self._placed(t, y))[: len(y)]

    def state(self, t: float, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """All coordinates and speeds of a state."""
        y = self._placed(t, y)
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
        n = len(self.carried)
        x = self.x
        u1 = y[n:-1]
        power = 0.0
        out = np.empty(len(y))
        if self.driven or self.fours or self.by_newton:
            q, u, W = self._posed(y)
            if self.driven:
                tau = self.system.drive_forces(t, q, u)
                np.subtract.at(tau, self.rubbing, self.going * self.kinetic)
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
            out[-1] += self._hold(t, u, out[n:-1], results[self.n1 + 1 :].reshape(self.n1, self.n1)) @ u1
        return np.concatenate([out, u]) if self.by_newton else out

    def settled(self, t: float, y: FloatArray) -> FloatArray:
        """Find which joints with friction stick from here on and which way the others go; the state with exact rest."""
        speeds = self.state(t, y)[1][self.rubbing]
        rest = (np.abs(speeds) < _RESTS) | np.isinf(self.limits)
        self.begun, self.going = t, np.where(rest, 0.0, np.sign(speeds))
        if rest.any():
            y = self.kept(t, y)
            A, b, *_ = self.holds
            self.going[rest] = breaking(A, b, self.limits[rest], self.kinetic[rest])
        return y

    def kept(self, t: float, y: FloatArray) -> FloatArray:
        """The state with prescribed coordinates where they have to be, exact rest, and contacts that do not slide."""
        y = self._placed(t, y).copy()
        self._plain_values(t, y)
        A, _, X, Z, still, resting, last = self.holds
        u1 = y[len(self.carried) : -1]
        slip = X @ u1
        slides = np.abs(slip[last:])
        if not (slides <= _SLIDES).all():
            worst = int(np.argmax(slides))
            name = [*self.rolling][worst // 3]
            raise InvalidValueError(
                f"At {t:g} s the contact {name!r} slides at {slides[worst]:.3g} m/s.", value=float(slides[worst]), where=name,
                expected="a start without sliding, joints and motions that leave it so, no wheel that lies flat (its speed is nan)",
            )  # fmt: skip
        slip[resting:last] = 0.0
        u1 += Z @ holding(A, slip)
        u1[still] = 0.0
        return y

    def margin(self, t: float, y: FloatArray) -> float:
        """What is left until the first joint stops or breaks away; what begins with this motion has not stopped again."""
        stuck = self.going == 0
        left = self.going * self.state(t, y)[1][self.rubbing] + _STOPPED
        if stuck.any():
            forces = self.forces(t, y, self.going)[stuck]
            A, b, *_ = self.holds
            size = np.diag(A) * np.nan_to_num(self.limits[stuck], posinf=0.0)
            over = np.divide(np.abs(A @ forces + b), size, out=np.zeros(len(b)), where=size > 0)
            left[stuck] = OVERCOME - over
        return float(left.min()) if t > self.begun else 1.0

    margin.terminal = True  # type: ignore[attr-defined]

    def for_good(self, y: FloatArray) -> bool:
        """Whether all is at rest and nothing asks for the time."""
        in_time = self.system.drives or self.external is not None or self.motions
        return not in_time and not self.going.any() and not y[len(self.carried) : -1].any()

    def forces(self, t: float, y: FloatArray, going: FloatArray) -> FloatArray:
        """What friction, given motions and contacts do along each of their speeds while joints go these ways."""
        stuck = going == 0
        forces: FloatArray = -going * self.kinetic
        if stuck.any():
            self.going = going
            self._plain_values(t, self._placed(t, y))
            forces[stuck] = holding(*self.holds[:2], self.limits[stuck])
        return forces

    def _placed(self, t: float, y: FloatArray) -> FloatArray:
        """The state with prescribed coordinates where they have to be."""
        if self.motions:
            y = y.copy()
            y[self.places] = [motion.value(t) for motion in self.motions]
            y[self.speed_places] = [motion.slope(t) for motion in self.motions]
        return y

    def _hold(self, t: float, u: FloatArray, a1: FloatArray, M1: FloatArray) -> FloatArray:
        """Add the accelerations that keep stuck joints; the forces in the free speeds. What they follow from stays in ``holds``."""
        held = self.rubbing[self.going == 0]
        X, w, last = self.W[held], self.w[held], len(held) - 3 * len(self.rolling)
        if self.rolling:
            moving = self.system.kinematics(self.q + _ALONG * self.system.rates(self.q[None], u[None]))
            rows = np.concatenate([contact.rows(moving) for contact in self.rolling.values()])
            X[last:] = rows.real @ self.W
            w[last:] = (rows @ (self.w + (_BACK + 1 / _ALONG) * u)).real
        Z = np.linalg.solve(M1, X.T)
        b = X @ a1 + w
        dead = np.abs(Z).max(axis=0) >= _DEAD * np.einsum("ij,ji->i", X, Z)
        X, Z = np.where(dead[:, None], 0.0, X), np.where(dead, 0.0, Z)
        A = X @ Z
        resting = last - len(self.motions)
        b[resting:last] -= [motion.curvature(t) for motion in self.motions]
        alone = np.count_nonzero(X[:resting], axis=1) == 1
        still = X[:resting][alone].any(axis=0)  # speeds that are zero exactly, not but for rounding
        self.holds = A, b, X, Z, still, resting, last
        forces = holding(A, b) if np.isfinite(A).all() else np.nan * b
        a1 += Z @ forces
        a1[still] = 0.0
        return np.asarray(forces @ X)

    def _no_end(self, t: float, y: FloatArray) -> InvalidValueError:
        """Why a run does not come to its end, as an error: it hangs where a speed would change sign next."""
        n = len(self.carried)
        ahead = np.abs(y / (np.abs(self._values(t, y)[: len(y)]) + _RESTS))
        nearest = int(np.argmin(ahead[n:-1]))
        name = self.system.free_speeds[nearest]
        speed = float(y[n + nearest])
        return InvalidValueError(
            f"The motion does not come to its end: at {t:g} s {_MANY} evaluations take it on by {max(0.0, t - self.mark):.2g} s. "
            f"The speed {name!r} is {speed:.3g} there; a drive or load that jumps where it changes sign keeps it so.",
            value=speed, expected="laws without jumps; Coulomb friction as friction={...: Friction(...)}", where=name,
        )  # fmt: skip

    def _known(self, y: FloatArray) -> None:
        """Fill in what the equations take, but for the drives; loops closed."""
        self._fill(y)
        n = len(self.carried)
        free = len(self.free)
        if self.closing is not None:
            self.x[free:n] = self.q[self.dependent] = self._closed(self.closing, self.x[: self.last], slice(free, n))

    def _fill(self, y: FloatArray) -> None:
        x = self.x
        n = len(self.carried)
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
        results = self.posed.one(self.x[: self.last])
        speeds = len(self.system.speeds)
        after = speeds * (1 + n1)
        if not self.by_newton:
            q[self.dependent] = results[after : after + len(self.dependent)]
        self.w = results[-speeds:]
        self.W = results[speeds:after].reshape(speeds, n1)
        return q, results[:speeds], self.W

    @staticmethod
    def _closed(closing: GeneratedCode, x: FloatArray, place: slice) -> FloatArray:
        """Dependent coordinates by Newton's method from the integrated ones.

        Where that fails, or leaps to another branch, they are not a number, and the integrator takes a smaller step.
        """
        near = x[place].copy()
        size = np.inf
        for _ in range(_STEPS):
            step = closing.one(x)
            x[place] -= step
            before, size = size, float(np.abs(step).max())
            if size < _STILL or before <= 2.0 * size < _ROUNDING:
                return x[place] if np.abs(x[place] - near).max() < _LEAP else np.full(len(near), np.nan)
        return np.full(len(near), np.nan)


def _check_prescribed(
    system: System, prescribed: Mapping[str, AxisFunction], friction: Mapping[str, Friction], t_s: FloatArray
) -> None:
    span = t_s[-1] - t_s[0]
    h = _DIFFERENCE * min(span, 1.0)
    times = t_s[0] + span * np.modf(_SPREAD * np.arange(1, 50))[0]
    for name, motion in prescribed.items():
        place_of(name, [n for n in system.free if n in system.free_speeds], "free coordinate to prescribe")
        if name in friction:
            raise InvalidValueError(
                f"The coordinate {name!r} is both prescribed and has friction: its motion is given, whatever force that takes.",
                value=name, expected="prescribed or friction at one coordinate; friction adds to the force that drives it",
                where="simulate",
            )  # fmt: skip
        for value, rate in ((motion.value, motion.slope), (motion.slope, motion.curvature)):
            rates = rate(times) + 0.0 * times
            off = float(np.sort(np.abs((value(times + h) - value(times - h)) / (2 * h) - rates))[-_KINKS])
            if off > 1e-3 * np.abs(rates).max() + 1e-6:
                raise InvalidValueError(
                    f"The prescribed {name!r} has a rate or an acceleration that is no derivative, off by {off:.2g}.", value=off,
                    expected="a function of time with both its derivatives", where=name,
                )  # fmt: skip


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
