"""Motion of every body of a tree from coordinates, speeds and accelerations, and the Jacobians; all states at once.

Every elementary step of a joint (see `biomech_id.multibody.joints`) leaves a row: the axis it goes along, laboratory axes, a point
of it, and the slope of its function. A point p of a body beyond moves by slope (axis x (p - point)) of a turn, or slope axis of a
slide, for each unit of its speed; an `Orientation` leaves three rows, turns about the body's own axes. Nothing here takes an
absolute value or a norm, so that complex arguments give derivatives to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import cross
from biomech_id.dynamics.body import Motion
from biomech_id.errors import InvalidValueError, ShapeError, UnknownNameError, near_miss
from biomech_id.multibody.joints import JointSteps, Orientation, Slide, Turn, quaternion_matrix, quaternion_rate
from biomech_id.values import dataclass

#: Name of what does not hang on anything: the laboratory, or what moves the roots.
GROUND = "base"
#: A quaternion whose length is off 1 by more than this is refused.
UNIT_QUATERNION = 1e-6


@dataclass(frozen=True, eq=False)
class TreeLayout:
    """A tree as indices and constants. Body 0 is the base; coordinates, speeds and bodies are numbered in order.

    Attributes
    ----------
    bodies : tuple[str, ...]
        Names, without the base.
    parents : tuple[int, ...]
        One for each body but the base.
    joints : tuple[JointSteps, ...]
        One for each body but the base.
    R_parent_joint : FloatArray
        (B, 3, 3), constant turn of each joint's place on its parent.
    place_m : FloatArray
        (B, 3), constant place of each joint, in the parent's axes.
    coordinates : tuple[str, ...]
        Names of the columns of q.
    speeds : tuple[str, ...]
        Names of the columns of u.
    """

    bodies: tuple[str, ...]
    parents: tuple[int, ...]
    joints: tuple[JointSteps, ...]
    R_parent_joint: FloatArray
    place_m: FloatArray
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]

    def index(self, body: str) -> int:
        """Number of a body; 0 is the base.

        Parameters
        ----------
        body : str
            Its name, or `GROUND`.

        Returns
        -------
        int
            From 1 for a body, in the order of ``bodies``.
        """
        return 0 if body == GROUND else place_of(body, self.bodies, "body") + 1

    def coordinate(self, name: str) -> int:
        """Column of a coordinate in q.

        Parameters
        ----------
        name : str
            Name of a coordinate.

        Returns
        -------
        int
            Index from 0.
        """
        return place_of(name, self.coordinates, "coordinate")

    def speed(self, name: str) -> int:
        """Column of a speed in u, and of its power partner in tau.

        Parameters
        ----------
        name : str
            Name of a speed.

        Returns
        -------
        int
            Index from 0.
        """
        return place_of(name, self.speeds, "speed")

    def at_zero(self) -> FloatArray:
        """A state of zeros, quaternions without rotation.

        Returns
        -------
        FloatArray
            q (1, nq), rad or m.
        """
        q = np.zeros((1, len(self.coordinates)))
        for four, _ in self.quaternions:
            q[0, four[0]] = 1.0
        return q

    @cached_property
    def rows(self) -> tuple[tuple[int, bool, int], ...]:
        """For each row of the Jacobians' columns: body, whether it turns, index of its speed."""
        entries: list[tuple[int, bool, int]] = []
        speed = {name: k for k, name in enumerate(self.speeds)}
        for body, joint in enumerate(self.joints, 1):
            for step in joint:
                if isinstance(step, Orientation):
                    entries += [(body, True, speed[name]) for name in step.speeds]
                else:
                    entries.append((body, isinstance(step, Turn), speed[step.coordinate]))
        return tuple(entries)

    @cached_property
    def turning(self) -> BoolArray:
        """(S,), which rows turn."""
        return np.array([turns for _, turns, _ in self.rows], dtype=bool)

    @cached_property
    def of_speed(self) -> FloatArray:
        """(S, n), 1 where a row goes by a speed."""
        matrix = np.zeros((len(self.rows), len(self.speeds)))
        for row, (_, _, speed) in enumerate(self.rows):
            matrix[row, speed] = 1.0
        return matrix

    @cached_property
    def beyond(self) -> BoolArray:
        """(B + 1, S), which rows move a body."""
        moved = np.zeros((len(self.parents) + 1, len(self.rows)), dtype=bool)
        for body, parent in enumerate(self.parents, 1):
            moved[body] = moved[parent] | np.array([of == body for of, _, _ in self.rows], dtype=bool)
        return moved

    @cached_property
    def quaternions(self) -> tuple[tuple[list[int], list[int]], ...]:
        """Indices of the four coordinates and three speeds of each `Orientation`."""
        steps = [step for joint in self.joints for step in joint if isinstance(step, Orientation)]
        return tuple(
            ([self.coordinates.index(c) for c in step.coordinates], [self.speeds.index(s) for s in step.speeds]) for step in steps
        )

    @cached_property
    def plain(self) -> tuple[list[int], list[int]]:
        """Indices of coordinates whose rate is a speed, and of that speed."""
        names = [name for name in self.coordinates if name in self.speeds]
        return [self.coordinates.index(n) for n in names], [self.speeds.index(n) for n in names]


def place_of(name: str, names: Sequence[str], what: str) -> int:
    """Find a name among others.

    Parameters
    ----------
    name : str
        What is asked for.
    names : Sequence[str]
        Names in their order, among which it has to be.
    what : str
        What they are, for the sentence.

    Returns
    -------
    int
        Index from 0.

    Raises
    ------
    UnknownNameError
        It is none of them.
    """
    if name not in names:
        raise UnknownNameError(
            f"There is no {what} {name!r}.{near_miss(name, names)}", value=name, expected=f"one of {list(names)}", where="System"
        )
    return names.index(name)


@compact_repr
@dataclass(frozen=True, eq=False)
class Kinematics:
    """Motion of the base (0) and of B bodies in N states, laboratory axes.

    Attributes
    ----------
    layout : TreeLayout
        The tree that moves.
    R_lab_body : FloatArray
        (N, B + 1, 3, 3).
    origin_m : FloatArray
        (N, B + 1, 3), of the bodies' frames.
    velocity_m_s : FloatArray
        (N, B + 1, 3), of those origins.
    acceleration_m_s2 : FloatArray
        (N, B + 1, 3), of those origins.
    omega_rad_s : FloatArray
        (N, B + 1, 3), angular velocity.
    alpha_rad_s2 : FloatArray
        (N, B + 1, 3), angular acceleration.
    axis : FloatArray
        (N, S, 3), of each row.
    at_m : FloatArray
        (N, S, 3), a point of each row's axis.
    slope : FloatArray
        (N, S), how far each row goes for a unit of its speed.
    u : FloatArray
        (N, n), the speeds.
    """

    layout: TreeLayout
    R_lab_body: FloatArray
    origin_m: FloatArray
    velocity_m_s: FloatArray
    acceleration_m_s2: FloatArray
    omega_rad_s: FloatArray
    alpha_rad_s2: FloatArray
    axis: FloatArray
    at_m: FloatArray
    slope: FloatArray
    u: FloatArray

    def point(self, body: int, place_m: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Motion of a point that is fixed in a body.

        Parameters
        ----------
        body : int
            Index; 0 is the base.
        place_m : ArrayLike
            (3,), in the body's axes, from its origin.

        Returns
        -------
        tuple[FloatArray, FloatArray, FloatArray]
            Position, m, velocity, m/s, and acceleration, m/s2, (N, 3) each, laboratory axes.
        """
        arm = self.R_lab_body[:, body] @ np.asarray(place_m)
        omega, alpha = self.omega_rad_s[:, body], self.alpha_rad_s2[:, body]
        spin = cross(omega, arm)
        return (
            self.origin_m[:, body] + arm,
            self.velocity_m_s[:, body] + spin,
            self.acceleration_m_s2[:, body] + cross(alpha, arm) + cross(omega, spin),
        )

    def jacobian(self, body: int, point_lab_m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How speeds move a point of a body and turn the body.

        Parameters
        ----------
        body : int
            Index; 0 is the base.
        point_lab_m : FloatArray
            (N, 3), laboratory axes.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            J_v and J_w, (N, 3, n) each, laboratory axes.
        """
        J_v, J_w = row_columns(self.layout, self, self.layout.beyond[[body]], point_lab_m[:, None])
        return J_v[:, 0], J_w[:, 0]

    def jacobians(self, point_lab_m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How speeds move one point of every body but the base, and turn the bodies.

        Parameters
        ----------
        point_lab_m : FloatArray
            (N, B, 3), laboratory axes.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            J_v and J_w, (N, B, 3, n) each, laboratory axes.
        """
        return row_columns(self.layout, self, self.layout.beyond[1:], point_lab_m)


def row_columns(layout: TreeLayout, rows: Any, beyond: BoolArray, point_m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How speeds move points and turn what they are fixed in, from the rows of a tree.

    Parameters
    ----------
    layout : TreeLayout
        The tree that the rows are of.
    rows : Any
        With ``axis`` (N, S, 3), ``at_m`` (N, S, 3) and ``slope`` (N, S): a `Kinematics`, or a skeleton's pose.
    beyond : BoolArray
        (K, S), which rows move each point.
    point_m : FloatArray
        (N, K, 3), the points, in the axes of the rows.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        J_v and J_w, (N, K, 3, n) each.
    """
    turning = layout.turning[:, None]
    scaled = rows.axis * rows.slope[..., None]
    turns, slides = np.where(turning, scaled, 0.0), np.where(turning, 0.0, scaled)
    moves = cross(turns[:, None], point_m[:, :, None] - rows.at_m[:, None]) + slides[:, None]
    J_v, J_w = (np.swapaxes(np.where(beyond[:, :, None], each, 0.0), -1, -2) @ layout.of_speed for each in (moves, turns[:, None]))
    return J_v, J_w


def rates(layout: TreeLayout, q: FloatArray, u: FloatArray) -> FloatArray:
    """Rates of the coordinates at given speeds: q' = Y(q) u.

    Parameters
    ----------
    layout : TreeLayout
        The tree that moves.
    q : FloatArray
        (N, nq), coordinates, rad or m.
    u : FloatArray
        (N, n), speeds, rad/s or m/s.

    Returns
    -------
    FloatArray
        q' (N, nq), rad/s or m/s; of a quaternion 1/s.
    """
    out = np.empty(q.shape, dtype=np.result_type(q, u))
    to, of = layout.plain
    out[:, to] = u[:, of]
    for four, three in layout.quaternions:
        out[:, four] = np.stack(quaternion_rate(*q[:, four].T, omega=u[:, three].T), axis=1)
    return out


def check_lengths(layout: TreeLayout, q: FloatArray) -> None:
    """Refuse quaternions that are not of length 1.

    Parameters
    ----------
    layout : TreeLayout
        The tree that moves.
    q : FloatArray
        (N, nq), coordinates, rad or m.

    Raises
    ------
    InvalidValueError
        The first of them, with its state.
    """
    for four, _ in layout.quaternions:
        length = np.linalg.norm(q[:, four].real, axis=1)
        bad = np.flatnonzero(np.abs(length - 1) > UNIT_QUATERNION)
        if len(bad):
            frame, name = int(bad[0]), layout.coordinates[four[0]].removesuffix(".w")
            raise InvalidValueError(
                f"The quaternion {name} of state {frame} has length {length[frame]:.9g}.", value=q[frame, four].real.tolist(),
                expected="length 1 within 1e-6", where=f"state {frame}",
            )  # fmt: skip


def move(layout: TreeLayout, q: FloatArray, u: FloatArray, a: FloatArray, base: Motion | None = None) -> Kinematics:
    """Motion of all bodies.

    Parameters
    ----------
    layout : TreeLayout
        The tree that moves.
    q : FloatArray
        (N, nq), coordinates, rad or m.
    u : FloatArray
        (N, n), speeds, rad/s or m/s.
    a : FloatArray
        (N, n), rates of the speeds.
    base : Motion | None, optional
        Motion of the frame that the roots hang on; None is the laboratory.

    Returns
    -------
    Kinematics
        Positions, velocities and accelerations of base and bodies, laboratory axes.

    Raises
    ------
    ShapeError
        A base of another number of frames than the states, unless it is 1.
    """
    if base is not None and len(base) not in (1, len(q)):
        raise ShapeError(
            f"The base moves for {len(base)} frames, the bodies for {len(q)} states.", value=len(base), expected=str(len(q)),
            where="base",
        )  # fmt: skip
    moved = _Mover(layout, q, u, a, base)
    for body in range(1, len(layout.parents) + 1):
        moved.place(body)
    p, v, acceleration = moved.linear
    omega, alpha = moved.angular
    return Kinematics(layout, moved.R, p, v, acceleration, omega, alpha, moved.axis, moved.at, moved.slope, u)


class _Mover:
    """Arrays that are filled body by body."""

    def __init__(self, layout: TreeLayout, q: FloatArray, u: FloatArray, a: FloatArray, base: Motion | None) -> None:
        self.layout, self.q, self.u, self.a = layout, q, u, a
        N, B, S = len(q), len(layout.parents) + 1, len(layout.rows)
        kind = np.result_type(q, u, a)
        self.R = np.empty((N, B, 3, 3), dtype=kind)
        self.linear = [np.zeros((N, B, 3), dtype=kind) for _ in range(3)]
        self.angular = [np.zeros((N, B, 3), dtype=kind) for _ in range(2)]
        self.axis, self.at = np.empty((2, N, S, 3), dtype=kind)
        self.slope = np.ones((N, S), dtype=kind)
        self.row = 0
        # Nothing moves: places alone, and every velocity and acceleration stays 0.
        self.still = base is None and not (u.any() or a.any())
        self.R[:, 0] = np.eye(3)
        if base is not None:
            self._put_base(base)

    def _put_base(self, base: Motion) -> None:
        omega, alpha, origin = base.omega_lab_rad_s, base.alpha_lab_rad_s2, base.frames.origin_lab_m
        arm = origin - base.com_lab_m
        acceleration = base.com_acceleration_lab_m_s2 + cross(alpha, arm) + cross(omega, cross(omega, arm))
        self.R[:, 0] = base.frames.R_lab_seg
        for array, value in zip(self.linear, (origin, base.velocity_of(origin), acceleration), strict=True):
            array[:, 0] = value
        for array, value in zip(self.angular, (omega, alpha), strict=True):
            array[:, 0] = value

    def place(self, body: int) -> None:
        """Put one body, whose parent is there already."""
        parent = self.layout.parents[body - 1]
        state = [self.R[:, parent], *(array[:, parent] for array in (*self.linear, *self.angular))]
        state = self._shifted(state, state[0] @ self.layout.place_m[body - 1])
        state[0] = state[0] @ self.layout.R_parent_joint[body - 1]
        for step in self.layout.joints[body - 1]:
            state = self._orient(state, step) if isinstance(step, Orientation) else self._step(state, step)
        self.R[:, body] = state[0]
        for array, value in zip((*self.linear, *self.angular), state[1:], strict=True):
            array[:, body] = value

    def _step(self, state: list[Any], step: Turn | Slide) -> list[Any]:
        q, speed = self.q[:, self.layout.coordinates.index(step.coordinate)], self.layout.rows[self.row][2]
        u, a = self.u[:, speed], self.a[:, speed]
        if step.function is not None:
            f = step.function
            slope = f.slope(q)
            q, u, a = f.value(q), slope * u, slope * a + f.curvature(q) * u * u
            self.slope[:, self.row] = slope
        axis = state[0] @ np.asarray(step.axis)
        self.axis[:, self.row], self.at[:, self.row] = axis, state[1]
        self.row += 1
        if isinstance(step, Turn):
            state = [state[0] @ axis_rotation(step.axis, q), *state[1:]]
        else:
            state = self._shifted(state, axis * q[:, None])
        if self.still:
            return state
        R, p, v, acceleration, omega, alpha = state
        along, across = axis * u[:, None], axis * a[:, None]
        if isinstance(step, Turn):
            return [R, p, v, acceleration, omega + along, alpha + across + cross(omega, along)]
        return [R, p, v + along, acceleration + across + 2 * cross(omega, along), omega, alpha]

    def _orient(self, state: list[Any], step: Orientation) -> list[Any]:
        four = [self.layout.coordinates.index(name) for name in step.coordinates]
        three = [self.layout.rows[self.row + k][2] for k in range(3)]
        R = state[0] @ quaternion_matrix(self.q[:, four])
        rows = slice(self.row, self.row + 3)
        self.axis[:, rows], self.at[:, rows] = R.swapaxes(1, 2), state[1][:, None]
        self.row += 3
        if self.still:
            return [R, *state[1:]]
        along, across = ((R @ values[:, three, None])[..., 0] for values in (self.u, self.a))
        return [R, *state[1:4], state[4] + along, state[5] + across + cross(state[4], along)]

    def _shifted(self, state: list[Any], arm: FloatArray) -> list[Any]:
        """The frame's origin moved by an arm that turns with it: R, p, v, a, omega, alpha."""
        R, p, v, a, omega, alpha = state
        if self.still:
            return [R, p + arm, *state[2:]]
        spin = cross(omega, arm)
        return [R, p + arm, v + spin, a + cross(alpha, arm) + cross(omega, spin), omega, alpha]


def axis_rotation(axis: tuple[float, float, float], angle: FloatArray) -> FloatArray:
    """Rotations about a constant axis.

    Parameters
    ----------
    axis : tuple[float, float, float]
        Unit vector that is turned about.
    angle : FloatArray
        (N,), angles of a right-handed turn, rad.

    Returns
    -------
    FloatArray
        (N, 3, 3), from the turned axes to those before.
    """
    K = skew(np.asarray(axis))
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(cosine * np.eye(3) + sine * K + (1 - cosine) * np.outer(axis, axis))
