"""The recursions of a tree of bodies on scalars of a `Tape`, in the bodies' own axes.

Composite bodies for M and g, Newton-Euler for c. Each elementary step of a joint is a node of its own; steps about one axis that
follow each other share one.

Source: Featherstone (2008) Rigid Body Dynamics Algorithms, chapters 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from biomech_id.errors import InvalidValueError
from biomech_id.multibody.joints import Orientation, Slide, Turn, quaternion_rows
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.scalar_algebra import (
    Matrix,
    Vector,
    applied,
    applied_back,
    cross_product,
    dot_product,
    plus,
    product,
    rotated_tensor,
    scaled,
    shifted_tensor,
    summed,
)
from biomech_id.multibody.straight_line import Tape
from biomech_id.values import dataclass, field

#: Axes that are not turned.
UNTURNED: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


@dataclass
class Node:
    """One elementary frame: constant place on the node before, then one step (or none), and further turns about its axis.

    Attributes
    ----------
    before : int
        Number of the node it hangs on; 0 is the base.
    R, p : Matrix, Vector
        Its constant place there.
    step : Turn | Slide | Orientation | None, optional
        What moves it; None for a frame that is fixed on the node before.
    rows : tuple[int, ...], optional
        Of the step and of those in ``further``.
    further : tuple[Turn, ...], optional
        Turns about the same axis that follow the step.
    mass, moment, inertia : float, Vector, Matrix, optional
        Of a body's last node: mass, mass times centre of mass, tensor about its origin.
    """

    before: int
    R: Matrix
    p: Vector
    step: Turn | Slide | Orientation | None = None
    rows: tuple[int, ...] = ()
    further: tuple[Turn, ...] = ()
    mass: float = 0.0
    moment: Vector = field(default_factory=lambda: [0.0, 0.0, 0.0])
    inertia: Matrix = field(default_factory=lambda: [[0.0] * 3 for _ in range(3)])


class TracedTree:
    """The tree of a system on a tape, loops cut; what quantities share is worked out once.

    Attributes
    ----------
    q : dict[str, Any]
        Coordinates that are known.
    circle : dict[str, tuple[Any, Any]]
        Sine and cosine of those of which no more is needed.
    u1 : list[Any]
        Scalars of the free speeds.
    """

    def __init__(self, system: Any, *, IC: bool = False) -> None:
        """Write down what goes in.

        Parameters
        ----------
        system : Any
            A `System` on a base at rest.
        IC : bool, optional
            Whether dependent coordinates go in as well.
        """
        self.system, self.tape = system, Tape()
        self._local: dict[int, tuple[Matrix, Vector]] = {}
        known = (*system.free, *system.dependent) if IC else system.free
        self.q: dict[str, Any] = {name: self.tape.symbol(f"q:{name}") for name in known}
        self.circle: dict[str, tuple[Any, Any]] = {}
        self.u1 = [self.tape.symbol(f"u:{name}") for name in system.free_speeds]
        self.nodes, self.node_of, self.step_of = _nodes(system)

    @cached_property
    def u(self) -> Vector:
        """All speeds: the free ones, where no loop binds others to them."""
        return self.u1

    def value(self, coordinate: str) -> Any:
        """A coordinate on the tape.

        Parameters
        ----------
        coordinate : str
            Name of the coordinate.

        Returns
        -------
        Any
            Scalar, by an arctangent where only its sine and cosine were known.
        """
        if coordinate not in self.q:
            self.q[coordinate] = self.tape.atan2(*self.circle[coordinate])
        return self.q[coordinate]

    def amount(self, step: Turn | Slide, derivative: str = "value") -> Any:
        """Value, slope or curvature of a step.

        Parameters
        ----------
        step : Turn | Slide
            Turn or slide of a joint.
        derivative : str, optional
            "value", "slope" or "curvature".

        Returns
        -------
        Any
            Scalar or number, rad or m.

        Raises
        ------
        InvalidValueError
            A function that cannot be written in sums, products, roots and sines.
        """
        if step.function is None:
            return self.value(step.coordinate) if derivative == "value" else float(derivative == "slope")
        try:
            return getattr(step.function, derivative)(self.value(step.coordinate))
        except (TypeError, AttributeError, ValueError) as error:
            raise InvalidValueError(
                f"The function that moves a joint by {step.coordinate!r} cannot be written as code: {error}",
                value=step.function, expected="sums, products, quotients, np.sin, np.cos, np.sqrt", where=step.coordinate,
            ) from error  # fmt: skip

    def local(self, k: int) -> tuple[Matrix, Vector]:
        """Rotation from a node's axes to those of the node before, and its origin there.

        Parameters
        ----------
        k : int
            Number of the node.

        Returns
        -------
        tuple[Matrix, Vector]
            Three rows of three, and three components, m.
        """
        if k not in self._local:
            self._local[k] = self._placed(self.nodes[k])
        return self._local[k]

    def _placed(self, node: Node) -> tuple[Matrix, Vector]:
        step = node.step
        if step is None:
            return node.R, node.p
        if isinstance(step, Slide):
            axis, far = applied(node.R, list(step.axis)), self.amount(step)
            return node.R, [p + e * far for p, e in zip(node.p, axis, strict=True)]
        if isinstance(step, Orientation):
            turn = quaternion_rows(*(self.value(name) for name in step.coordinates))
        else:
            turn = self._turn(step, node.further)
        return product(node.R, turn), node.p

    def _turn(self, step: Turn, further: tuple[Turn, ...]) -> Matrix:
        if not further and step.function is None and step.coordinate in self.circle:
            s, c = self.circle[step.coordinate]
        else:
            angle = sum((self.amount(turn) for turn in further), start=self.amount(step))
            s, c = self.tape.sin(angle), self.tape.cos(angle)
        x, y, z = step.axis
        if 1.0 in (abs(x), abs(y), abs(z)):
            k = [abs(x), abs(y), abs(z)].index(1.0)
            i, j = (k + 1) % 3, (k + 2) % 3
            R = [row[:] for row in UNTURNED]
            s = s * step.axis[k]
            R[i][i], R[j][j], R[i][j], R[j][i] = c, c, -s, s
            return R
        v = 1.0 - c
        return [
            [c + v * (x * x), v * (x * y) - s * z, v * (x * z) + s * y],
            [v * (x * y) + s * z, c + v * (y * y), v * (y * z) - s * x],
            [v * (x * z) - s * y, v * (y * z) + s * x, c + v * (z * z)],
        ]

    def columns(self, node: Node) -> list[tuple[int, bool, Vector, Any]]:
        """Rows that a node's steps leave.

        Parameters
        ----------
        node : Node
            Whose steps are asked for.

        Returns
        -------
        list[tuple[int, bool, Vector, Any]]
            Number of each row, whether it turns, its axis in the node's own axes, its slope.
        """
        if isinstance(node.step, Orientation):
            return [(row, True, UNTURNED[k], 1.0) for k, row in enumerate(node.rows)]
        if node.step is None:
            return []
        steps = zip(node.rows, (node.step, *node.further), strict=True)
        return [(row, isinstance(step, Turn), list(step.axis), self.amount(step, "slope")) for row, step in steps]

    def bend(self, row: int) -> Any:
        """Curvature of the function of a row, times the square of its speed.

        Parameters
        ----------
        row : int
            Number of the row.

        Returns
        -------
        Any
            Scalar, or 0.0 for a step without a function.
        """
        step, speed = self.step_of[row], self.system.layout.rows[row][2]
        if step is None or step.function is None:
            return 0.0
        return self.amount(step, "curvature") * (self.u[speed] * self.u[speed])

    # Composite bodies.

    @cached_property
    def composites(self) -> list[tuple[float, Vector, Matrix]]:
        """Mass, first moment and tensor about its origin of each node with all that hangs on it, in its axes."""
        own = [(node.mass, node.moment, node.inertia) for node in self.nodes]
        for k in reversed(range(1, len(self.nodes))):
            m, h, inertia = own[k]
            R, p = self.local(k)
            h, inertia = applied(R, h), rotated_tensor(R, inertia)
            to = self.nodes[k].before
            own[to] = (
                own[to][0] + m,
                [a + b + m * x for a, b, x in zip(own[to][1], h, p, strict=True)],
                summed(own[to][2], inertia, shifted_tensor(m, h, p)),
            )
        return own

    def mass_rows(self) -> Matrix:
        """Mass matrix of the rows: momentum of each row's unit speed, along the rows that carry it.

        Returns
        -------
        Matrix
            M, symmetric, one row and column for each row of the tree.
        """
        size = len(self.system.layout.rows)
        M: Matrix = [[0.0] * size for _ in range(size)]
        for k in range(1, len(self.nodes)):
            m, h, inertia = self.composites[k]
            for row, turns, axis, slope in self.columns(self.nodes[k]):
                force = scaled(cross_product(axis, h) if turns else [m * e for e in axis], slope)
                moment = scaled(applied(inertia, axis) if turns else cross_product(h, axis), slope)
                self._look(M, row, k, force, moment)
        return M

    def _look(self, M: Matrix, row: int, k: int, force: Vector, moment: Vector) -> None:
        while k:
            node = self.nodes[k]
            for other, turns, axis, slope in self.columns(node):
                M[row][other] = M[other][row] = dot_product(axis, moment if turns else force) * slope
            R, p = self.local(k)
            force = applied(R, force)
            moment = plus(applied(R, moment), cross_product(p, force))
            k = node.before

    def gravity_rows(self) -> Vector:
        """Gravity terms of the rows: first moments across gravity.

        Returns
        -------
        Vector
            g, one entry for each row of the tree.
        """
        gravity = np.asarray(self.system.gravity_lab_m_s2)
        size = float(np.linalg.norm(gravity))
        # A direction of length 1 is turned, the same products as those of the rotations themselves where these are needed too.
        up = [(-gravity / size).tolist() if size else [0.0, 0.0, 0.0]]
        g: Vector = [0.0] * len(self.system.layout.rows)
        for k in range(1, len(self.nodes)):
            node = self.nodes[k]
            up.append(applied_back(self.local(k)[0], up[node.before]))
            m, h, _ = self.composites[k]
            pull = cross_product(h, up[k])
            for row, turns, axis, slope in self.columns(node):
                g[row] = (dot_product(axis, pull) if turns else m * dot_product(axis, up[k])) * size * slope
        return g

    def newton_euler(self, a: Vector, lift_m_s2: Sequence[float] = (0.0, 0.0, 0.0)) -> Vector:
        """Inertial and velocity terms of the rows, without gravity unless the base is lifted against it.

        Parameters
        ----------
        a : Vector
            Rates of all speeds.
        lift_m_s2 : Sequence[float], optional
            (3,), acceleration of the base; minus gravity adds gravity's terms.

        Returns
        -------
        Vector
            M a + c, one entry for each row of the tree.
        """
        states = [([0.0] * 3, [0.0] * 3, [*lift_m_s2])]
        for k in range(1, len(self.nodes)):
            states.append(self._moved(k, states[self.nodes[k].before], a))
        out: Vector = [0.0] * len(self.system.layout.rows)
        forces = [self._inertial(node, state) for node, state in zip(self.nodes, states, strict=True)]
        for k in reversed(range(1, len(self.nodes))):
            node, (force, moment), (R, p) = self.nodes[k], forces[k], self.local(k)
            for row, turns, axis, slope in self.columns(node):
                out[row] = dot_product(axis, moment if turns else force) * slope
            force = applied(R, force)
            moment = plus(applied(R, moment), cross_product(p, force))
            forces[node.before] = (plus(forces[node.before][0], force), plus(forces[node.before][1], moment))
        return out

    def _moved(self, k: int, state: tuple[Vector, Vector, Vector], a: Vector) -> tuple[Vector, Vector, Vector]:
        """Angular velocity and acceleration of a node, acceleration of its origin, in its axes."""
        omega, alpha, acceleration = state
        node, (R, p) = self.nodes[k], self.local(k)
        carried = plus(acceleration, cross_product(alpha, p), cross_product(omega, cross_product(omega, p)))
        omega, alpha, acceleration = (applied_back(R, v) for v in (omega, alpha, carried))
        for row, turns, axis, slope in self.columns(node):
            speed = self.system.layout.rows[row][2]
            rate = self.u[speed] * slope
            change = a[speed] * slope + self.bend(row)
            along, across = scaled(axis, rate), scaled(axis, change)
            if not turns:
                acceleration = plus(acceleration, across, scaled(cross_product(omega, along), 2.0))
            elif not isinstance(node.step, Orientation):
                alpha, omega = plus(alpha, across, cross_product(omega, along)), plus(omega, along)
        if isinstance(node.step, Orientation):
            speeds = [self.system.layout.rows[row][2] for row in node.rows]
            along = [self.u[speed] for speed in speeds]
            alpha, omega = plus(alpha, [a[speed] for speed in speeds], cross_product(omega, along)), plus(omega, along)
        return omega, alpha, acceleration

    @staticmethod
    def _inertial(node: Node, state: tuple[Vector, Vector, Vector]) -> tuple[Vector, Vector]:
        omega, alpha, a = state
        h, inertia = node.moment, node.inertia
        force = plus(scaled(a, node.mass), cross_product(alpha, h), cross_product(omega, cross_product(omega, h)))
        return force, plus(applied(inertia, alpha), cross_product(omega, applied(inertia, omega)), cross_product(h, a))


def _nodes(system: Any) -> tuple[list[Node], dict[str, int], list[Turn | Slide | None]]:
    """A node for each step of each body, the last node of every body, and the step of each row."""
    zero = [0.0, 0.0, 0.0]
    nodes, node_of, step_of = [Node(0, UNTURNED, zero)], {GROUND: 0}, list[Turn | Slide | None]()
    for body in system.bodies:
        before = node_of[body.parent]
        R, p = np.asarray(body.R_parent_joint).tolist(), np.asarray(body.place_m).tolist()
        made: list[Node] = []
        for step in body.joint or (None,):
            last = made[-1] if made else None
            if last and isinstance(step, Turn) and isinstance(last.step, Turn) and step.axis == last.step.axis:
                last.rows, last.further = (*last.rows, len(step_of)), (*last.further, step)
                step_of.append(step)
                continue
            rows = 0 if step is None else 3 if isinstance(step, Orientation) else 1
            made.append(Node(before, R, p, step, tuple(range(len(step_of), len(step_of) + rows))))
            step_of += [None] * rows if isinstance(step, Orientation) or step is None else [step]
            nodes.append(made[-1])
            before, R, p = len(nodes) - 1, UNTURNED, zero
        segment, com = body.segment, np.asarray(body.segment.com_m)
        tensor = segment.inertia_kgm2 + segment.mass_kg * (com @ com * np.eye(3) - np.outer(com, com))
        made[-1].mass, made[-1].moment = float(segment.mass_kg), (segment.mass_kg * com).tolist()
        made[-1].inertia = tensor.tolist()
        node_of[body.name] = len(nodes) - 1
    return nodes, node_of, step_of
