"""Dynamics of closed loops in the coordinates that stay free, and with the forces in the loops.

Loops are cut; q = (q1, q2) are the tree's coordinates, q1 free, q2 dependent, h(q) = 0 what closes them, J = [J1, J2] = dh/du ::

    W = [1; -J2^-1 J1],  u = W u1,  u' = W u1' + w,  w = [0; -J2^-1 drift]
    M1 = W^T M W,  c1 = W^T (c + M w),  g1 = W^T g,  spring1 = W^T s,  M1 u1' + c1 + g1 + spring1 = tau1 = W^T (tau + E)

tau are ALL drives, those of dependent joints too. The forces lambda in the loops follow from the dependent rows, J2^T lambda =
(M u' + c + g + s - tau - E)_dep; `constrained_accelerations` has the full system [M, -J^T; J, 0] instead, as a check.

Closures may say one thing twice (a third parallel crank, a ball joint in a plane): with more equations than dependent coordinates
J2^-1 is (J2^T J2)^-1 J2^T, exact where all of them agree. Forces in the loops that no equation tells apart are NaN, and
`indeterminate_forces` names them.

Source: Schappler, Lilge & Haddadin (2019) IFToMM D-A-CH; Nakamura & Ghodoussi (1989) IEEE Trans Robot Autom 5:294.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray, float_array
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, takes
from biomech_id.dynamics.body import Motion
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError, MissingInputError, ShapeError
from biomech_id.multibody.closures import Gearing, LoopClosure
from biomech_id.multibody.impossible import check_inertia, check_numbers
from biomech_id.multibody.kinematics import Kinematics, move
from biomech_id.multibody.system import System
from biomech_id.values import dataclass

#: Newton's method has converged when h, m or rad, is this small; it takes four steps from 0.05 rad away.
CLOSED = 1e-13
#: What does not close by more than this is refused, m or rad.
OPEN = 1e-9
NEWTON_STEPS = 30
#: Condition number of J2 beyond which a configuration counts as singular: W would lose ten of its sixteen digits.
SINGULAR = 1e10
#: Share of a loop's force that other loops could take in its place before it counts as indeterminate.
TAKEN_OVER = 1e-8
#: Speeds that J2 cannot follow by more than this, relative to J's largest entry: the closures hold the mechanism fast.
HELD = 1e-8


@compact_repr
@dataclass(frozen=True, eq=False)
class ReducedEquations:
    """Equations of motion in the free coordinates, M1 u1' + c1 + g1 + spring1 = tau1, for N states.

    Attributes
    ----------
    q : FloatArray
        (N, nq), all coordinates.
    u : FloatArray
        (N, n), all speeds.
    W : FloatArray
        (N, n, n1), du/du1.
    W_rate_u : FloatArray
        (N, n), w = W' u1.
    M1 : FloatArray
        (N, n1, n1), mass matrix in the free coordinates.
    c1 : FloatArray
        (N, n1), centrifugal and Coriolis terms.
    g1 : FloatArray
        (N, n1), against gravity.
    spring1 : FloatArray
        (N, n1), against springs and dampers.
    """

    q: FloatArray
    u: FloatArray
    W: FloatArray
    W_rate_u: FloatArray
    M1: FloatArray
    c1: FloatArray
    g1: FloatArray
    spring1: FloatArray


@takes(system=a(System))
def configuration(system: System, q1: ArrayLike) -> FloatArray:
    """All coordinates from the free ones, in closed form.

    Parameters
    ----------
    system : System
        With a closed form.
    q1 : ArrayLike
        (N, n1), free coordinates in the order of ``system.free``.

    Returns
    -------
    FloatArray
        q (N, nq), rad or m; turns within +-pi.

    Raises
    ------
    MissingInputError
        A system without a closed form; use `assemble`.
    InvalidValueError
        A configuration in which the loops cannot be closed.
    """
    if system.closed_form is None and system.dependent:
        raise MissingInputError(
            "These dependent coordinates have no closed form.", value=None, expected="closed_form, or assemble() with a guess",
            where="System",
        )  # fmt: skip
    q = _with_free(system, q1)
    free = [system.coordinate(name) for name in system.free]
    circles = _Circles()
    with np.errstate(invalid="ignore", divide="ignore"):
        dependent = system.closed_form(circles, [q[:, k] for k in free]) if system.closed_form else ()
        for name, value in zip(system.dependent, dependent, strict=True):
            q[:, system.coordinate(name)] = np.arctan2(*value) if isinstance(value, tuple) else value
    lost: BoolArray = np.asarray(np.isnan(q).any(axis=1) & ~np.isnan(q[:, free]).any(axis=1))
    if lost.any():
        _refuse(system, f"cannot be assembled: its links do not reach each other{circles.missed(int(np.argmax(lost)))}", q, lost)
    return q


class _Circles:
    """NumPy for a closed form, with a note of every pair of circles that shall meet."""

    sin, cos, sqrt, atan2 = (staticmethod(f) for f in (np.sin, np.cos, np.sqrt, np.arctan2))

    def __init__(self) -> None:
        self.gaps_m: dict[str, tuple[FloatArray, FloatArray]] = {}

    def meet(self, of: str, radius: FloatArray, other_radius: FloatArray, dx: FloatArray, dy: FloatArray) -> None:
        distance = np.hypot(dx, dy)
        too_far, too_near = distance - (radius + other_radius), np.abs(radius - other_radius) - distance
        self.gaps_m[of] = np.atleast_1d(too_far), np.atleast_1d(too_near)

    def missed(self, frame: int) -> str:
        """Which circles miss each other in a frame, by how much, and which links would have to change."""
        for of, gaps in self.gaps_m.items():
            too_far, too_near = (float(gap[min(frame, len(gap) - 1)]) * 1e3 for gap in gaps)
            if max(too_far, too_near) > 0:
                change = "together they are that much too short" if too_far > 0 else "one is that much too long for the other"
                return f", the circles of {of} miss each other by {max(too_far, too_near):.3g} mm: {change}"
        return ""


@takes(system=a(System))
def assemble(system: System, q1: ArrayLike, guess: ArrayLike) -> FloatArray:
    """All coordinates from the free ones, by Newton's method from a guess of the others.

    It finds the branch that the guess is on: following a mechanism, the last configuration is the next guess.

    Parameters
    ----------
    system : System
        Whose loops are to be closed.
    q1 : ArrayLike
        (N, n1), free coordinates in the order of ``system.free``.
    guess : ArrayLike
        (N, n2) or (n2,), near the dependent coordinates wanted, in the order of ``system.dependent``.

    Returns
    -------
    FloatArray
        q (N, nq), rad or m, loops closed to 1e-13.

    Raises
    ------
    ShapeError
        A guess of another number of coordinates than the dependent ones.
    InvalidValueError
        No convergence: not assemblable, singular, or too far a guess.
    """
    q = _with_free(system, q1)
    dependent = [system.coordinate(name) for name in system.dependent]
    columns = [system.speed(name) for name in system.dependent]
    near = float_array(guess, name="guess", where="assemble")
    if near.shape not in ((len(dependent),), (1, len(dependent)), (len(q), len(dependent))):
        raise ShapeError(
            f"The guess has shape {near.shape}, for the dependent coordinates {', '.join(system.dependent) or '(none)'}.",
            value=near.shape, expected=f"({len(dependent)},) or {(len(q), len(dependent))}", where="assemble",
        )  # fmt: skip
    check_numbers("assemble", guess=near)
    q[:, dependent] = near + np.where(np.isnan(q).any(axis=1, keepdims=True), np.nan, 0.0)
    if not dependent:
        return q
    still = np.zeros((len(q), len(system.speeds)))
    for _ in range(NEWTON_STEPS):
        moving = move(system.layout, q, still, still)
        h = system.loop_residual(q, moving)
        wide = np.asarray(np.abs(h).max(axis=1, initial=0.0) > CLOSED, dtype=bool)
        if not wide.any():
            return q
        try:
            q[:, dependent] -= _from_loops(system.loop_jacobian(q, moving)[:, :, columns], h[..., None])[..., 0]
        except np.linalg.LinAlgError:
            break
    _refuse(system, f"cannot be assembled from this guess: {_widest(system, h[wide])}", q, wide)


def reduced(system: System, q: ArrayLike, u1: ArrayLike, *, base: Motion | None = None) -> ReducedEquations:
    """Equations of motion in the free coordinates, at closed configurations.

    Parameters
    ----------
    system : System
        Trees come through too, with W the unit matrix.
    q : ArrayLike
        (N, nq), coordinates, rad or m.
    u1 : ArrayLike
        (N, n1), free speeds in the order of ``system.free_speeds``.
    base : Motion | None, optional
        What the roots hang on, if it moves.

    Returns
    -------
    ReducedEquations
        W, w, M1 and the terms, for N states.

    Raises
    ------
    InvalidValueError
        A configuration that does not close, or a singular one.
    """
    q, W, w, moving = _projected(system, q, u1, base)
    M, WT = system.masses.mass_matrix(moving), np.swapaxes(W, 1, 2)
    carried = move(system.layout, q, moving.u, w, base)
    gravity = np.asarray(system.gravity_lab_m_s2)
    c = system.masses.inertial_forces(carried, np.zeros(3))
    g = -system.masses.gravity_forces(moving, gravity)
    s = system.spring_forces(q, moving)
    c1, g1, s1 = ((WT @ part[..., None])[..., 0] for part in (c, g, s))
    return ReducedEquations(q, moving.u, W, w, WT @ M @ W, c1, g1, s1)


def projection(system: System, q: ArrayLike, u1: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """How all speeds follow the free ones: u = W u1, u' = W u1' + w.

    Parameters
    ----------
    system : System
        The mechanism, with or without loops.
    q : ArrayLike
        (N, nq), coordinates, rad or m.
    u1 : ArrayLike
        (N, n1), free speeds.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        W = du/du1 (N, n, n1) and w = W' u1 (N, n).

    Raises
    ------
    InvalidValueError
        A configuration that does not close, or a singular one, in which q1 does not determine how q2 moves.
    """
    return _projected(system, q, u1, None)[1:3]


def inverse_dynamics(
    system: System, q: ArrayLike, u1: ArrayLike, a1: ArrayLike, external: Iterable[External] = (), *, base: Motion | None = None
) -> FloatArray:
    """Forces in the free coordinates that a motion needs, springs included.

    Parameters
    ----------
    system : System
        The mechanism, with or without loops.
    q : ArrayLike
        (N, nq), closed configurations.
    u1, a1 : ArrayLike
        (N, n1), free speeds and their rates.
    external : Iterable[External], optional
        Wrenches ON bodies, by name.
    base : Motion | None, optional
        What the roots hang on, if it moves.

    Returns
    -------
    FloatArray
        tau1 (N, n1), N or N m.
    """
    q, W, w, moving = _projected(system, q, u1, base)
    tau = system.inverse(q, moving.u, _times(W, _of_states(a1, "a1", system.free_speeds, len(q))) + w, external, base=base)
    return _times(np.swapaxes(W, 1, 2), tau)


def forward_dynamics(
    system: System, q: ArrayLike, u1: ArrayLike, tau: ArrayLike, external: Iterable[External] = (), *, base: Motion | None = None
) -> FloatArray:
    """Free accelerations under drives at all joints.

    Parameters
    ----------
    system : System
        The mechanism, with or without loops.
    q : ArrayLike
        (N, nq), closed configurations.
    u1 : ArrayLike
        (N, n1), free speeds.
    tau : ArrayLike
        (N, n), drives in the order of ``system.speeds``; those of dependent joints count.
    external : Iterable[External], optional
        Wrenches ON bodies, by name.
    base : Motion | None, optional
        What the roots hang on, if it moves.

    Returns
    -------
    FloatArray
        u1' (N, n1).
    """
    q, W, w, moving = _projected(system, q, u1, base)
    WT = np.swapaxes(W, 1, 2)
    need = _of_states(tau, "tau", system.speeds, len(q)) - system.inverse(q, moving.u, w, external, base=base)
    M1 = WT @ system.masses.mass_matrix(moving) @ W
    check_inertia(system.layout, M1, system.free_speeds)
    return np.asarray(np.linalg.solve(M1, WT @ need[..., None])[..., 0])


def loop_forces(
    system: System, q: ArrayLike, u1: ArrayLike, a1: ArrayLike, tau: ArrayLike, external: Iterable[External] = ()
) -> FloatArray:
    """Forces in the loops, M u' + c + g + s = tau + E + J^T lambda.

    Parameters
    ----------
    system : System
        The mechanism, with or without loops.
    q : ArrayLike
        (N, nq), closed configurations.
    u1, a1 : ArrayLike
        (N, n1), free speeds and their rates.
    tau : ArrayLike
        (N, n), drives at all joints.
    external : Iterable[External], optional
        Wrenches ON bodies, by name.

    Returns
    -------
    FloatArray
        Lambda (N, k), in the order of the closures' rows; N, of gears N m. NaN for a force that other loops could take in its
        place (`indeterminate_forces`).
    """
    q, W, w, moving = _projected(system, q, u1, None)
    a = _times(W, _of_states(a1, "a1", system.free_speeds, len(q))) + w
    need = system.inverse(q, moving.u, a, external) - _of_states(tau, "tau", system.speeds, len(q))
    columns = [system.speed(name) for name in system.dependent]
    J2 = system.loop_jacobian(q, moving)[:, :, columns]
    J2T = np.swapaxes(J2, 1, 2)
    if J2.shape[1] == J2.shape[2]:
        return np.asarray(np.linalg.solve(J2T, need[:, columns, None])[..., 0])
    forces = (J2 @ np.linalg.solve(J2T @ J2, need[:, columns, None]))[..., 0]
    return np.where(_indeterminate(J2), np.nan, forces)


def indeterminate_forces(system: System, q: ArrayLike) -> tuple[str, ...]:
    """Forces in the loops that rigid bodies leave open: others can take their place without any change of motion.

    Parameters
    ----------
    system : System
        The mechanism, with or without loops.
    q : ArrayLike
        (N, nq), closed configurations.

    Returns
    -------
    tuple[str, ...]
        Closure and number of its equation, from 1, for each force that is indeterminate in any of the states; none where there are
        as many equations as dependent coordinates.

    Raises
    ------
    InvalidValueError
        A configuration that does not close.
    """
    q = np.asarray(q)
    moving = system.kinematics(q)
    check_closed(system, q, moving)
    J2 = system.loop_jacobian(q, moving)[:, :, [system.speed(name) for name in system.dependent]]
    if J2.shape[1] == J2.shape[2]:
        return ()
    names = [f"{_between(closure)}, equation {k + 1}" for closure in system.closures for k in range(closure.size)]
    return tuple(names[k] for k in np.flatnonzero(_indeterminate(J2).any(axis=0)))


def constrained_accelerations(
    system: System, q: ArrayLike, u: ArrayLike, tau: ArrayLike, external: Iterable[External] = (), *, base: Motion | None = None
) -> tuple[FloatArray, FloatArray]:
    """Accelerations and loop forces from the full system [M, -J^T; J, 0]; no coordinate is free.

    Parameters
    ----------
    system : System
        The mechanism, with or without loops.
    q : ArrayLike
        (N, nq), closed configurations.
    u : ArrayLike
        (N, n), speeds with J u = 0.
    tau : ArrayLike
        (N, n), drives at all joints.
    external : Iterable[External], optional
        Wrenches ON bodies, by name.
    base : Motion | None, optional
        What the roots hang on, if it moves.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        All u' (N, n) and lambda (N, k), NaN where a force is indeterminate.

    Raises
    ------
    InvalidValueError
        Configurations that do not close, or speeds that open them.
    """
    moving = system.kinematics(q, u, base=base)
    q, u = np.asarray(q, dtype=np.float64), moving.u
    check_closed(system, q, moving)
    J = system.loop_jacobian(q, moving)
    opening = np.abs(_times(J, u)).max(axis=1, initial=0.0)
    if (opening > 1e-6 * (1 + np.abs(u).max())).any():
        _refuse(system, "has speeds that open its loops", q, opening > 1e-6)
    n, k = J.shape[2], J.shape[1]
    A, b = np.zeros((len(q), n + k, n + k)), np.zeros((len(q), n + k))
    A[:, :n, :n], A[:, :n, n:], A[:, n:, :n] = system.masses.mass_matrix(moving), -np.swapaxes(J, 1, 2), J
    b[:, :n] = _of_states(tau, "tau", system.speeds, len(q)) - system.inverse(q, u, np.zeros_like(u), external, base=base)
    b[:, n:] = -system.loop_drift(q, moving)
    if k > len(system.dependent):
        inverse = np.linalg.pinv(A, rcond=1 / SINGULAR)
        open_rows = np.abs(np.einsum("nij,nji->ni", inverse, A) - 1.0) > TAKEN_OVER
        if open_rows[:, :n].any():
            check_inertia(system.layout, A[:, :n, :n], system.speeds)
        unknowns = np.where(open_rows, np.nan, (inverse @ b[..., None])[..., 0])
        return unknowns[:, :n], unknowns[:, n:]
    try:
        unknowns = np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        check_inertia(system.layout, A[:, :n, :n], system.speeds)
        _refuse(system, "has loops that bind one motion twice, or is singular", q, np.linalg.cond(A) > SINGULAR)
    return unknowns[:, :n], unknowns[:, n:]


def _projected(
    system: System, q: ArrayLike, u1: ArrayLike, base: Motion | None
) -> tuple[FloatArray, FloatArray, FloatArray, Kinematics]:
    """Coordinates, W, w, and the motion with all speeds."""
    q = np.asarray(q)
    u1 = _of_states(u1, "u1", system.free_speeds, len(q))
    free = [system.speed(name) for name in system.free_speeds]
    n = len(system.speeds)
    W = np.zeros((len(q), n, len(free)), dtype=np.result_type(q, u1, np.float64))
    W[:, free] = np.eye(len(free))
    w = np.zeros((len(q), n), dtype=W.dtype)
    if not system.closures:
        return q, W, w, system.kinematics(q, u1 @ np.eye(n)[free], base=base)
    posed = system.kinematics(q, base=base)
    check_closed(system, q, posed)
    J = system.loop_jacobian(q, posed)
    columns = [system.speed(name) for name in system.dependent]
    J2 = J[:, :, columns]
    gaps = np.isnan(J2).any(axis=(1, 2), keepdims=True)
    bad: BoolArray = np.linalg.cond(np.where(gaps, np.eye(*J2.shape[1:]), J2.real)) > SINGULAR
    if bad.any():
        way = np.abs(np.linalg.svd(J2[int(np.argmax(bad))].real)[2][-1])
        loose = ", ".join(name for name, share in zip(system.dependent, way, strict=True) if share > 0.1 * way.max())
        _refuse(system, f"is singular: its free coordinates do not determine how {loose} move", q, bad)
    W[:, columns] = -_from_loops(J2, J[:, :, free])
    held: BoolArray = np.abs(J @ W).max(axis=(1, 2), initial=0.0) > HELD * np.abs(J).max(axis=(1, 2))
    if held.any():
        _refuse(system, f"is held fast by its closures: {', '.join(system.free)} cannot move", q, held)
    moving = system.kinematics(q, _times(W, u1), base=base)
    w[:, columns] = -_from_loops(J2, system.loop_drift(q, moving)[..., None])[..., 0]
    return q, W, w, moving


def _from_loops(J2: FloatArray, right: FloatArray) -> FloatArray:
    """J2^-1 times columns; of more equations than coordinates, what all of them agree on."""
    if J2.shape[1] == J2.shape[2]:
        return np.asarray(np.linalg.solve(J2, right))
    J2T = np.swapaxes(J2, 1, 2)
    x = np.linalg.solve(J2T @ J2, J2T @ right)
    # Products square the condition of J2; what is left of the equations gives the lost digits back.
    return np.asarray(x + np.linalg.solve(J2T @ J2, J2T @ (right - J2 @ x)))


def _indeterminate(J2: FloatArray) -> BoolArray:
    """(N, k), whose force other equations could take: those outside the range of J2."""
    own = np.einsum("nij,nji->ni", J2, np.linalg.pinv(J2, rcond=1 / SINGULAR))
    return np.asarray(1.0 - own > TAKEN_OVER, dtype=bool)


def check_closed(system: System, q: FloatArray, moving: Kinematics) -> None:
    """Refuse configurations in which a loop is open.

    Parameters
    ----------
    system : System
        The mechanism, with or without loops.
    q : FloatArray
        (N, nq), coordinates, rad or m.
    moving : Kinematics
        Of the same states.

    Raises
    ------
    InvalidValueError
        The first state with a gap above 1e-9 m or rad, and its widest closure.
    """
    if system.closures:
        h = np.abs(system.loop_residual(q, moving))
        wide: BoolArray = h.max(axis=1) > OPEN
        if wide.any():
            _refuse(system, f"does not close: {_widest(system, h[wide])}", q, wide)


def _widest(system: System, h: FloatArray) -> str:
    """Which closure is open in the first of some states, and by how much."""
    gaps = np.abs(h[0])
    of_row = [closure for closure in system.closures for _ in range(closure.size)]
    return f"the {_between(of_row[int(np.argmax(gaps))])} stays {gaps.max():.3g} m or rad open"


def _between(closure: LoopClosure) -> str:
    """A closure by what it ties."""
    ends = sorted(closure.coefficients) if isinstance(closure, Gearing) else [closure.body, closure.other]
    return f"closure of {' and '.join(ends)}"


def _of_states(values: ArrayLike, argument: str, names: Sequence[str], N: int) -> FloatArray:
    """One number for each name in N states."""
    array: FloatArray = np.asarray(values)
    if array.shape != (N, len(names)):
        raise ShapeError(
            f"{argument} has shape {array.shape}, for {', '.join(names)} in {N} states.", value=array.shape,
            expected=str((N, len(names))), where="System",
        )  # fmt: skip
    return array


def _times(A: FloatArray, x: FloatArray) -> FloatArray:
    return (A @ x[..., None])[..., 0]


def _with_free(system: System, q1: ArrayLike) -> FloatArray:
    """Coordinates (N, nq) with the free ones filled in."""
    values = np.asarray(q1)
    if values.ndim != 2 or values.shape[1] != len(system.free):
        raise ShapeError(
            f"Free coordinates have shape {values.shape}, for {', '.join(system.free)}.",
            value=values.shape, expected=f"(any, {len(system.free)})", where="System",
        )  # fmt: skip
    q = np.zeros((len(values), len(system.coordinates)), dtype=np.result_type(values, np.float64))
    q[:, [system.coordinate(name) for name in system.free]] = values
    return q


def _refuse(system: System, why: str, q: FloatArray, bad: BoolArray) -> NoReturn:
    frame = int(np.argmax(bad))
    at = {name: round(float(q[frame, system.coordinate(name)].real), 6) for name in system.free}
    raise InvalidValueError(
        f"In {int(bad.sum())} of {len(q)} configurations, first in {frame} ({at}), the mechanism {why}.",
        value=at, expected="a closed configuration: links that reach, a guess on its branch, away from singularities",
        where=f"frame {frame}",
    )  # fmt: skip
