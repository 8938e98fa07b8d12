"""A recorded motion simulated forward again: its own joint forces and ground loads, replayed, have to reproduce it.

The generalised forces of the recorded motion, root included, and its ground loads are laid through time by splines. The model is
integrated from its first state, ``M(q) q'' = tau(t) - h(q, q', loads)``, mass matrix and the rest by inverse dynamics.

A person on loads that do not answer is an unstable system, and two things hold it. The loads are replayed in the axes of the bodies
that they act on: a ground force that stood still in the laboratory would overturn a foot, which is light, within hundredths of a
second. And an acceleration towards the recorded motion, ``w^2 (q_rec - q) + 2 w (q'_rec - q')``, takes back what integration and
splines leave: w has to be faster than a stance leg falls, some 30 1/s. Its generalised forces are
reported beside those of the motion, for a replay that needs large ones is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.musculoskeletal import ANGULAR_SPEED_KINDS
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.skeleton.closing import refuse_constraints
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.osim.skeleton.tree import Tree
from biomech_id.signal.natural_spline import NaturalSpline
from biomech_id.values import dataclass

#: How fast deviations are drawn back, cycles per second, and the longest step of the integration, s.
HOLD_HZ, STEP_S = 10.0, 0.005


@compact_repr
@dataclass(frozen=True, eq=False)
class ForwardReplay:
    """A motion, simulated.

    Attributes
    ----------
    time_s : FloatArray
        (N,), those of the recorded motion, s.
    q, recorded_q : FloatArray
        (N, nq), simulated and recorded coordinates, rad or m.
    coordinates : tuple[str, ...]
        The free ones, F of them.
    force, holding_force : FloatArray
        (N, F), generalised forces of the recorded motion, and of what held the simulated one to it; N m or N.
    """

    time_s: FloatArray
    q: FloatArray
    recorded_q: FloatArray
    coordinates: tuple[str, ...]
    force: FloatArray
    holding_force: FloatArray

    @property
    def largest_difference(self) -> FloatArray:
        """Largest distance (nq,) of each coordinate from the recorded one, rad or m."""
        return np.asarray(np.abs(self.q - self.recorded_q).max(axis=0))


def replay_forward(
    skeleton: Skeleton, motion: RecordedMotion, loads: Sequence[BodyLoad] = (), *, hold_hz: float = HOLD_HZ, step_s: float = STEP_S
) -> ForwardReplay:
    """Simulate a recorded motion forward from its first state.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    motion : RecordedMotion
        The motion; its locked coordinates stay, its coupled ones follow.
    loads : Sequence[BodyLoad], optional
        On bodies, at the motion's times.
    hold_hz : float, optional
        How fast deviations are drawn back, cycles per second; 0 for not at all.
    step_s : float, optional
        Longest step of the integration, s.

    Returns
    -------
    ForwardReplay
        Simulated and recorded coordinates at the motion's times, with the forces that moved and held them.

    Raises
    ------
    InvalidValueError
        A model whose speeds are angular velocities, or a step that is none.
    """
    refuse_constraints(skeleton.model, "The replay")
    angular = [joint.name for joint in skeleton.model.joints if joint.kind in ANGULAR_SPEED_KINDS]
    if angular or not step_s > 0:
        why = "joints have angular velocities as speeds" if angular else "the step has no length"
        raise InvalidValueError(
            f"The motion of {skeleton.model.name} cannot be replayed: {why}.",
            value=angular or step_s, expected="joints whose speeds are rates of coordinates, and a step above zero",
            where=skeleton.model.name,
        )  # fmt: skip
    return _Simulation(skeleton, motion, loads, 2 * np.pi * hold_hz).run(step_s)


class _Simulation:
    def __init__(self, skeleton: Skeleton, motion: RecordedMotion, loads: Sequence[BodyLoad], hold: float) -> None:
        self.skeleton, self.motion, self.hold = skeleton, motion, hold
        self.tree = Tree(skeleton.model, [c.name for c in skeleton.model.coordinates if c.locked])
        self.free, self.bodies = self.tree.free, [load.segment for load in loads]
        time_s = motion.time_s
        self.recorded = NaturalSpline(time_s, motion.q[:, self.free])
        self.columns = [skeleton.body_index(name) for name in self.bodies]
        self.loads = NaturalSpline(time_s, self._in_bodies(loads)) if loads else None
        q, u, a = (self.recorded(time_s, order) for order in (0, 1, 2))
        self.force = self._needed(time_s, q, u, a)
        self.forces = NaturalSpline(time_s, self.force)

    def _in_bodies(self, loads: Sequence[BodyLoad]) -> FloatArray:
        """Forces, and moments about the bodies' origins, (N, 6 loads), in the axes of the bodies as they were recorded."""
        place, vectors = self._places(self.motion.q), []
        for k, load in enumerate(loads):
            R, origin = place[:, k, :3, :3], place[:, k, :3, 3]
            about = load.moment_Nm - cross(origin, load.force_N)
            vectors += [(vector[:, None] @ R)[:, 0] for vector in (load.force_N, about)]
        return np.hstack(vectors)

    def _places(self, q: FloatArray) -> FloatArray:
        """Frames (N, loads, 4, 4) of the loaded bodies."""
        return self.tree.posture(self.skeleton.completed(q), rows=False).place[:, self.columns]

    def _whole(self, q: FloatArray, u: FloatArray, a: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """All coordinates and rates (N, nq) from the free ones, and how they follow them (N, nq)."""
        return self.tree.completed_motion(self.motion.q[0], q, u, a)

    def _needed(self, time_s: FloatArray, q: FloatArray, u: FloatArray, a: FloatArray) -> FloatArray:
        """Generalised forces (N, F) that a motion needs at times (N,)."""
        whole, rate, second, slope = self._whole(q, u, a)
        loads = []
        if self.loads is not None:
            at, place = self.loads(time_s).reshape(len(q), -1, 2, 3), self._places(whole)
            turned = (place[:, :, None, :3, :3] @ at[..., None])[..., 0]
            force, about = turned[:, :, 0], turned[:, :, 1] + cross(place[:, :, :3, 3], turned[:, :, 0])
            loads = [BodyLoad(body, force[:, k], about[:, k]) for k, body in enumerate(self.bodies)]
        tau = generalized_forces(self.skeleton, whole, rate, second, loads).tau
        needed = tau[:, self.free].copy()
        for k, f in self.tree.following:
            needed[:, f] += slope[:, k] * tau[:, k]
        return needed

    def _acceleration(self, t: float, q: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Accelerations (F,), and the forces (F,) that hold."""
        n, at = len(q), np.array([t])
        tries = np.vstack([np.zeros((1, n)), np.eye(n)])
        needed = self._needed(np.full(n + 1, t), np.repeat(q[None], n + 1, axis=0), np.repeat(u[None], n + 1, axis=0), tries)
        mass = (needed[1:] - needed[0]).T
        wanted_q, wanted_u = self.recorded(at)[0], self.recorded(at, 1)[0]
        pull = self.hold**2 * (wanted_q - q) + 2 * self.hold * (wanted_u - u)
        return np.asarray(np.linalg.solve(mass, self.forces(at)[0] - needed[0]) + pull), np.asarray(mass @ pull)

    def run(self, step_s: float) -> ForwardReplay:
        """Integrate by Runge and Kutta's fourth order, a whole number of steps between samples."""
        time_s = self.motion.time_s
        state = np.concatenate([self.recorded(time_s[:1])[0], self.recorded(time_s[:1], 1)[0]])
        n = len(self.free)

        def rate(t: float, x: FloatArray) -> FloatArray:
            return np.concatenate([x[n:], self._acceleration(t, x[:n], x[n:])[0]])

        states = [state]
        for start, end in pairwise(time_s):
            steps = int(np.ceil((end - start) / step_s - 1e-9))
            h = (end - start) / steps
            for k in range(steps):
                t = start + k * h
                first = rate(t, state)
                second = rate(t + h / 2, state + h / 2 * first)
                third = rate(t + h / 2, state + h / 2 * second)
                state = state + h / 6 * (first + 2 * second + 2 * third + rate(t + h, state + h * third))
            states.append(state)
        simulated = np.array(states)
        holding = np.array([self._acceleration(t, x[:n], x[n:])[1] for t, x in zip(time_s, simulated, strict=True)])
        whole = self._whole(simulated[:, :n], simulated[:, n:], np.zeros_like(simulated[:, n:]))[0]
        recorded = self._whole(self.recorded(time_s), simulated[:, n:], np.zeros_like(simulated[:, n:]))[0]
        names = tuple(self.skeleton.coordinates[k] for k in self.free)
        return ForwardReplay(time_s, whole, recorded, names, self.force, holding)
