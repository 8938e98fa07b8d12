"""Mechanisms with closed loops: a tree, constraints that close it, and dynamics in the coordinates that remain free.

The loops are cut; q = (q1, q2) are the tree's coordinates, q1 free, q2 dependent. The constraints h(q1, q2) = 0 give ::

    J1 = dh/dq1,  J2 = dh/dq2,  W = dq/dq1 = [1; -J2^-1 J1],  q' = W q1',  q'' = W q1'' + W' q1',  W' q1' = [0; -J2^-1 J' q']
    M1 = W^T M W,  c1 = W^T (c + M W' q1'),  g1 = W^T g,  tau_1s = W^T tau_s,  M1 q1'' + c1 + g1 + tau_1s = tau_1 = W^T tau

Source: Schappler, Lilge & Haddadin (2019) IFToMM D-A-CH; Nakamura & Ghodoussi (1989) IEEE Trans Robot Autom 5:294. The W' term,
without which tau_1 = W^T tau is not complete, is always in. q2 comes from Newton's method on h, or from a `Closure`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.dynamics.body import Motion
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError, MissingInputError, ShapeError
from biomech_id.multibody.forward import TOLERANCE, CrossingFunction, Simulation, simulate
from biomech_id.multibody.loop_constraints import Constraint
from biomech_id.multibody.tree import Tree, TreeMotion

#: Newton's method has converged when h, m or rad, is this small; it takes four steps from 0.05 rad away.
CLOSED = 1e-13
NEWTON_STEPS = 30
#: Condition number of J2 beyond which a configuration counts as singular:
#: W would lose ten of its sixteen digits.
SINGULAR = 1e10


@dataclass(frozen=True)
class SpringDamper:
    """A linear spring and damper along one coordinate: it adds k (q - rest) + d q' to the force that joint needs.

    Attributes
    ----------
    joint : int
        Index of the coordinate.
    stiffness : float
        N/m, N s/m and m of a sliding joint; N m/rad, N m s/rad and rad of a turning one.
    damping : float, optional
        N/m, N s/m and m of a sliding joint; N m/rad, N m s/rad and rad of a turning one.
    rest : float, optional
        N/m, N s/m and m of a sliding joint; N m/rad, N m s/rad and rad of a turning one.
    """

    joint: int
    stiffness: float
    damping: float = 0.0
    rest: float = 0.0


#: From free coordinates to dependent ones, in closed form:
#: for a joint in a loop (sine, cosine), for a prismatic or
#: geared one its value. It takes a module that knows sin, cos and sqrt (NumPy for numbers, SymPy for expressions) and
#: one entry for each free coordinate.
Closure = Callable[[Any, Sequence[Any]], Sequence[Any]]


@compact_repr
@dataclass(frozen=True, eq=False)
class Reduced:
    """Equations of motion in the free coordinates, M1 q1'' + c1 + g1 + spring1 = tau1, for N states.

    Attributes
    ----------
    q : FloatArray
        (N, n), all coordinates and speeds.
    u : FloatArray
        (N, n), all coordinates and speeds.
    W : FloatArray
        (N, n, n1), dq/dq1.
    W_rate_u : FloatArray
        (N, n), W' q1'.
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


@compact_repr
@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """A tree with closed loops.

    Attributes
    ----------
    tree : Tree
        The mechanism with its loops cut.
    constraints : Sequence[Constraint]
        What closes them, as many equations as there are dependent coordinates.
    free : tuple[int, ...]
        Indices of the coordinates q1; all others are dependent.
    closure : Closure | None, optional
        q2 in closed form, if there is one.
    springs : Sequence[SpringDamper], optional
        Springs and dampers along coordinates.
    gravity_lab_m_s2 : tuple[float, float, float], optional
        (3,), laboratory axes.

    Raises
    ------
    InvalidValueError
        Free coordinates that are not there, or not as many equations as dependent coordinates.
    """

    tree: Tree
    constraints: Sequence[Constraint]
    free: tuple[int, ...]
    closure: Closure | None = None
    springs: Sequence[SpringDamper] = ()
    gravity_lab_m_s2: tuple[float, float, float] = (0.0, -9.81, 0.0)

    def __post_init__(self) -> None:
        n = len(self.tree)
        if len(set(self.free)) < len(self.free) or not set(self.free) < set(range(n)):
            raise InvalidValueError(
                f"Coordinates {self.free} cannot be the free ones of {n}.",
                value=self.free, expected="different indices, fewer than all", where="ClosedLoop",
            )  # fmt: skip
        zero = np.zeros((1, n))
        rows = sum(constraint.residual(zero, self.tree.motion(zero)).shape[1] for constraint in self.constraints)
        if rows != n - len(self.free):
            raise InvalidValueError(
                f"{rows} equations cannot determine {n - len(self.free)} dependent coordinates.",
                value=rows, expected=f"{n - len(self.free)} equations", where="ClosedLoop",
            )  # fmt: skip

    @cached_property
    def dependent(self) -> tuple[int, ...]:
        """Indices of q2, ascending."""
        return tuple(j for j in range(len(self.tree)) if j not in self.free)

    def configuration(self, q1: FloatArray) -> FloatArray:
        """All coordinates (N, n) from the free ones (N, n1) in closed form; revolute joints within +-pi.

        Parameters
        ----------
        q1 : FloatArray
            (N, n1), free coordinates, rad or m.

        Raises
        ------
        MissingInputError
            A mechanism without a closure; use `assemble`.
        InvalidValueError
            A configuration in which the loops cannot be closed.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.closed_loop import ClosedLoop
        >>> from biomech_id.multibody.mechanisms import four_bar, planar_segment
        >>> rods = [planar_segment(name, 1.0, (0.5, 0.0), 1 / 12) for name in ("crank", "coupler", "rocker")]
        >>> parallelogram = four_bar((0.5, 1.0, 0.5), 1.0, rods)
        >>> q = parallelogram.configuration(np.array([[1.0]]))
        >>> float(q[0, 0]), float(q[0, 2].round(9))
        (1.0, 1.0)
        """
        if self.closure is None:
            raise MissingInputError(
                "This mechanism has no closed form for its dependent coordinates.",
                value=None, expected="a closure, or assemble() with a guess", where="ClosedLoop",
            )  # fmt: skip
        q1 = self._free(q1)
        q = np.empty((len(q1), len(self.tree)))
        q[:, self.free] = q1
        with np.errstate(invalid="ignore", divide="ignore"):
            for j, value in zip(self.dependent, self.closure(np, list(q1.T)), strict=True):
                q[:, j] = np.arctan2(*value) if isinstance(value, tuple) else value
        lost: BoolArray = np.asarray(np.isnan(q).any(axis=1) & ~np.isnan(q1).any(axis=1))
        if lost.any():
            self._refuse("cannot be assembled: its links do not reach each other", q1, lost)
        return q

    def assemble(self, q1: FloatArray, guess: FloatArray) -> FloatArray:
        """All coordinates (N, n) from the free ones (N, n1) by Newton's method, from a guess (N, n - n1) of the others.

        It finds the branch the guess is on.

        Parameters
        ----------
        q1 : FloatArray
            (N, n1), free coordinates, rad or m.
        guess : FloatArray
            (N, n - n1), near the dependent coordinates wanted.

        Raises
        ------
        InvalidValueError
            No convergence: not assemblable, singular, or too far a guess.
        """
        q1 = self._free(q1)
        q = np.empty((len(q1), len(self.tree)))
        q[:, self.free], q[:, self.dependent] = q1, guess
        for _ in range(NEWTON_STEPS):
            motion = self.tree.motion(q)
            h = np.concatenate([constraint.residual(q, motion) for constraint in self.constraints], axis=1)
            open_ = np.abs(h).max(axis=1) > CLOSED
            if not open_.any():
                return q
            J2 = self._jacobian(motion)[:, :, self.dependent]
            try:
                q[:, self.dependent] -= np.linalg.solve(J2, h[..., None])[..., 0]
            except np.linalg.LinAlgError:
                break
        self._refuse("cannot be assembled from this guess", q1, open_)

    def reduced(self, q: FloatArray, u1: FloatArray) -> Reduced:
        """Equations of motion in the free coordinates, at closed configurations ``q`` (N, n) with free speeds ``u1`` (N, n1).

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u1 : FloatArray
            (N, n1), free speeds.

        Raises
        ------
        InvalidValueError
            A singular configuration.
        """
        W, W_rate_u, motion = self._projection(q, u1)
        u = (W @ u1[..., None])[..., 0]
        M, C, g = self.tree.equations(q, u, gravity_lab_m_s2=self.gravity_lab_m_s2, motion=motion)
        WT, c = W.transpose(0, 2, 1), C @ u[..., None] + M @ W_rate_u[..., None]
        spring = self.spring_forces(q, u)
        return Reduced(
            q, u, W, W_rate_u, WT @ M @ W, (WT @ c)[..., 0], (WT @ g[..., None])[..., 0], (WT @ spring[..., None])[..., 0]
        )

    def projection(self, q: FloatArray, u1: FloatArray) -> tuple[FloatArray, FloatArray]:
        """W = dq/dq1 (N, n, n1), and W' q1' (N, n), at closed configurations.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u1 : FloatArray
            (N, n1), free speeds.

        Raises
        ------
        InvalidValueError
            A singular configuration, in which q1 does not determine how q2 moves.
        """
        return self._projection(q, u1)[:2]

    def _projection(self, q: FloatArray, u1: FloatArray) -> tuple[FloatArray, FloatArray, TreeMotion]:
        J = self._jacobian(self.tree.motion(q))
        J2 = J[:, :, self.dependent]
        singular = np.asarray(np.linalg.cond(J2) > SINGULAR)
        if singular.any():
            self._refuse("is singular: its free coordinates do not determine how the others move", q[:, self.free], singular)
        W = np.zeros((len(q), len(self.tree), len(self.free)))
        W[:, self.free] = np.eye(len(self.free))
        W[:, self.dependent] = -np.linalg.solve(J2, J[:, :, self.free])
        moving = self.tree.motion(q, (W @ u1[..., None])[..., 0])
        drift = np.concatenate([constraint.drift(moving) for constraint in self.constraints], axis=1)
        W_rate_u = np.zeros(q.shape)
        W_rate_u[:, self.dependent] = -np.linalg.solve(J2, drift[..., None])[..., 0]
        return W, W_rate_u, moving

    def inverse(
        self, q: FloatArray, u1: FloatArray, a1: FloatArray, external: Iterable[External] = (), *, base: Motion | None = None
    ) -> FloatArray:
        """Forces tau1 (N, n1) in the free coordinates that a motion needs, springs included, through the Newton-Euler solver.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u1 : FloatArray
            (N, n1), free speeds.
        a1 : FloatArray
            (N, n1), free accelerations.
        external : Iterable[External], optional
            Further wrenches on the bodies, by name.
        base : Motion | None, optional
            What the base moves with; None is the laboratory.
        """
        W, W_rate_u = self.projection(q, u1)
        u, a = (W @ u1[..., None])[..., 0], (W @ a1[..., None])[..., 0] + W_rate_u
        tau = self.tree.inverse(q, u, a, external, gravity_lab_m_s2=self.gravity_lab_m_s2, base=base)
        return np.asarray(np.einsum("nji,nj->ni", W, tau + self.spring_forces(q, u)))

    def forward(self, q: FloatArray, u1: FloatArray, tau1: FloatArray) -> FloatArray:
        """Accelerations q1'' (N, n1) under forces ``tau1`` (N, n1) in the free coordinates.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u1 : FloatArray
            (N, n1), free speeds.
        tau1 : FloatArray
            (N, n1), drives in the free coordinates, N m or N.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.closed_loop import ClosedLoop
        >>> from biomech_id.multibody.mechanisms import four_bar, planar_segment
        >>> rods = [planar_segment(name, 1.0, (0.5, 0.0), 1 / 12) for name in ("crank", "coupler", "rocker")]
        >>> mechanism = four_bar((0.5, 1.0, 0.7), 1.0, rods)
        >>> q, u1 = mechanism.configuration(np.array([[1.0]])), np.array([[2.0]])
        >>> tau1 = mechanism.inverse(q, u1, np.array([[3.0]]))
        >>> mechanism.forward(q, u1, tau1).round(6)
        array([[3.]])
        """
        r = self.reduced(q, u1)
        need: FloatArray = tau1 - r.c1 - r.g1 - r.spring1
        return _solved(r.M1, need)

    def loop_forces(self, q: FloatArray, u1: FloatArray, a1: FloatArray, tau: FloatArray) -> FloatArray:
        """Forces lambda (N, k) in the loops (N for a pin): M q'' + c + g + springs = tau + J^T lambda.

        ``tau`` (N, n) are the drives at the joints; those of dependent joints count too.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u1 : FloatArray
            (N, n1), free speeds.
        a1 : FloatArray
            (N, n1), free accelerations.
        tau : FloatArray
            (N, n), drives at the joints, N m or N.
        """
        r = self.reduced(q, u1)
        a = (r.W @ a1[..., None])[..., 0] + r.W_rate_u
        need = self.tree.inverse(q, r.u, a, gravity_lab_m_s2=self.gravity_lab_m_s2) + self.spring_forces(q, r.u) - tau
        J2T = self._jacobian(self.tree.motion(q))[:, :, self.dependent].transpose(0, 2, 1)
        return _solved(J2T, need[:, self.dependent])

    def spring_forces(self, q: FloatArray, u: FloatArray) -> FloatArray:
        """Forces (N, n) that springs and dampers add to what the joints must supply.

        Parameters
        ----------
        q : FloatArray
            (N, n), coordinates, rad or m.
        u : FloatArray
            (N, n), speeds: rates of the coordinates.
        """
        forces = np.zeros(q.shape)
        for s in self.springs:
            forces[:, s.joint] += s.stiffness * (q[:, s.joint] - s.rest) + s.damping * u[:, s.joint]
        return forces

    # A state of the free coordinates as a `biomech_id.multibody.forward.Simulable`.

    def accelerations(self, t: float, q: FloatArray, u: FloatArray) -> FloatArray:
        """Return q1'' (n1,) of the undriven mechanism in one state.

        Parameters
        ----------
        t : float
            Time, seconds.
        q : FloatArray
            (n1,), free coordinates of one state, rad or m.
        u : FloatArray
            (n1,), free speeds of that state.
        """
        return np.asarray(self.forward(self.configuration(q[None]), u[None], np.zeros((1, len(self.free))))[0])

    def energy(self, q: FloatArray, u: FloatArray) -> float:
        """Kinetic, gravitational and spring energy of one state, J.

        Parameters
        ----------
        q : FloatArray
            (n1,), free coordinates of one state, rad or m.
        u : FloatArray
            (n1,), free speeds of that state.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.multibody.closed_loop import ClosedLoop
        >>> from biomech_id.multibody.mechanisms import four_bar, planar_segment
        >>> rods = [planar_segment(name, 1.0, (0.5, 0.0), 1 / 12) for name in ("crank", "coupler", "rocker")]
        >>> mechanism = four_bar((0.5, 1.0, 0.5), 1.0, rods)
        >>> mechanism.energy(np.array([0.1]), np.zeros(1)) < mechanism.energy(np.array([np.pi / 2]), np.zeros(1))
        True
        """
        all_q, all_u = self._state(q, u)
        total = self.tree.energy(all_q, all_u, gravity_lab_m_s2=self.gravity_lab_m_s2)[0]
        return float(total + sum(s.stiffness * (all_q[0, s.joint] - s.rest) ** 2 / 2 for s in self.springs))

    def damping_power(self, t: float, q: FloatArray, u: FloatArray) -> float:
        """Power of the dampers, W, never positive.

        Parameters
        ----------
        t : float
            Time, seconds.
        q : FloatArray
            (n1,), free coordinates of one state, rad or m.
        u : FloatArray
            (n1,), free speeds of that state.
        """
        all_u = self._state(q, u)[1]
        return float(-sum(s.damping * all_u[0, s.joint] ** 2 for s in self.springs))

    def run(
        self,
        q1: FloatArray,
        u1: FloatArray,
        t_s: FloatArray,
        *,
        events: Mapping[str, CrossingFunction] | None = None,
        tolerance: float = TOLERANCE,
    ) -> Simulation:
        """Follow the undriven mechanism from a state (n1,), as `simulate` does; the audit counts what the dampers take.

        Parameters
        ----------
        q1 : FloatArray
            (n1,), free coordinates at the start, rad or m.
        u1 : FloatArray
            (n1,), free speeds at the start.
        t_s : FloatArray
            (m,), times, rising, seconds.
        events : Mapping[str, CrossingFunction] | None, optional
            Name -> function of t, q and u that is zero at the event.
        tolerance : float, optional
            Of the integrator, relative and absolute.
        """
        damped = any(spring.damping for spring in self.springs)
        return simulate(self, q1, u1, t_s, power=self.damping_power if damped else None, events=events, tolerance=tolerance)

    def _state(self, q1: FloatArray, u1: FloatArray) -> tuple[FloatArray, FloatArray]:
        q = self.configuration(q1[None])
        return q, (self.projection(q, u1[None])[0] @ u1[None, :, None])[..., 0]

    def _jacobian(self, motion: TreeMotion) -> FloatArray:
        return np.concatenate([constraint.jacobian(self.tree, motion) for constraint in self.constraints], axis=1)

    def _free(self, q1: ArrayLike) -> FloatArray:
        values = np.asarray(q1, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.free):
            raise ShapeError(
                f"Free coordinates have shape {values.shape}.",
                value=values.shape, expected=f"(any, {len(self.free)})", where="ClosedLoop",
            )  # fmt: skip
        return values

    def _refuse(self, why: str, q1: FloatArray, bad: BoolArray) -> NoReturn:
        frame = int(np.argmax(bad))
        raise InvalidValueError(
            f"In {int(bad.sum())} of {len(q1)} configurations, first in {frame} (free coordinates {q1[frame].round(6).tolist()}), "
            f"the mechanism {why}.",
            value=q1[frame].tolist(), expected="a configuration within reach and away from singularities", where=f"frame {frame}",
        )  # fmt: skip


def _solved(A: FloatArray, b: FloatArray) -> FloatArray:
    """Solutions x (N, n) of A x = b, state by state."""
    return np.asarray(np.linalg.solve(A, b[..., None])[..., 0], dtype=np.float64)
