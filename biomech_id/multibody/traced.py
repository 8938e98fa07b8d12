"""The dynamics of a `System` run once on scalars of a `Tape`: what comes out are its equations as a program.

Recursions in the bodies' own axes: composite bodies for M and g, Newton-Euler for c. Closures are looked at from their body C:
the way from C to the ends of the gap holds only the joints in between, so that the terms in which all turns with C never arise.
J2 is solved block by block (`biomech_id.multibody.elimination`), whatever the order of the closures.

Dependent coordinates come in one of three ways ::

    TE  sine and cosine of q2 from the closed form; no arctangent is taken
    DE  q2 = atan2 of those, then its sine and cosine
    IC  q2 is an input; it has to be found beside the equations (`biomech_id.multibody.reduction.assemble`)

Source: Schappler, Lilge & Haddadin (2019) IFToMM D-A-CH; Featherstone (2008) Rigid Body Dynamics Algorithms, chapters 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from biomech_id.errors import InvalidValueError, MissingInputError, OptionError
from biomech_id.multibody.closures import Coupler, Gearing, PointGap, Rod
from biomech_id.multibody.elimination import blocks
from biomech_id.multibody.joints import Orientation, Slide, Turn, quaternion_rows
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.scalar_algebra import (
    Matrix,
    Vector,
    applied,
    applied_back,
    column_difference,
    cross_product,
    dot_product,
    minus,
    plus,
    product,
    rotated_tensor,
    scaled,
    shifted_tensor,
    solved_by_ldl,
    summed,
)
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.straight_line import Program, Scalar, Tape
from biomech_id.multibody.system import System

#: Trigonometric elimination, direct elimination, implicit constraints.
Elimination = Literal["TE", "DE", "IC"]
#: What can be asked for: dependent coordinates, all speeds, W and w, terms in the free speeds, the accelerations of the free
#: speeds, what the dampers take, and what Newton's method takes off the dependent coordinates.
DYNAMIC_QUANTITIES = ("q2", "u", "W", "w", "M1", "c1", "g1", "spring1", "a1", "damping_power", "correction")
_UNIT: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def equations(system: System, quantities: Sequence[str] = ("M1", "c1", "g1", "spring1"), method: Elimination = "TE") -> Program:
    """The equations in the free coordinates as a program of the coordinates (``q:name``), speeds (``u:name``), drives
    (``tau:name``).

    Inputs are the free coordinates, for IC then the dependent ones, the free speeds, and for ``a1`` their power partners.

    Parameters
    ----------
    system : System
        On a base at rest.
    quantities : Sequence[str], optional
        Some of `DYNAMIC_QUANTITIES`.
    method : Elimination, optional
        How the dependent coordinates are eliminated; a tree has none.

    Raises
    ------
    OptionError
        An unknown method or quantity.
    MissingInputError
        TE or DE of loops without a closed form: implicit constraints are what is left.
    InvalidValueError
        A function of a joint that cannot be written in sums, products, roots and sines.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.joints import revolute
    >>> from biomech_id.multibody.parts import Body
    >>> from biomech_id.multibody.system import System
    >>> from biomech_id.multibody.traced import equations
    >>> rod = Segment("rod", 2.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 1 / 6, 1 / 6]))
    >>> pendulum = System([Body(rod, revolute("angle"))], gravity_lab_m_s2=(0.0, -9.81, 0.0))
    >>> program = equations(pendulum, ["a1"])
    >>> program.inputs
    ('q:angle', 'u:angle', 'tau:angle')
    >>> print(program.source("python").splitlines()[-1].strip())
    return [((x2 - (cos(x0) * 9.81)) * 1.5)]
    """
    for wanted, known in ((method, ("TE", "DE", "IC")), *((name, DYNAMIC_QUANTITIES) for name in quantities)):
        if wanted not in known:
            raise OptionError(f"There is no {wanted!r}.", value=wanted, expected=f"one of {list(known)}", where="equations")
    if method != "IC" and system.dependent and system.closed_form is None:
        raise MissingInputError(
            f"{', '.join(system.dependent)} have no closed form, so that nothing explicit can be put in their place.", value=method,
            expected="'IC', implicit constraints, with the dependent coordinates as inputs", where="equations",
        )  # fmt: skip
    traced = _Traced(system, method, "a1" in quantities)
    return traced.tape.program({name: getattr(traced, name) for name in quantities})


@dataclass
class _Node:
    """One elementary frame: constant place on the node before, then one step (or none), and further turns about its axis."""

    before: int
    R: Matrix
    p: Vector
    step: Turn | Slide | Orientation | None = None
    rows: tuple[int, ...] = ()
    further: tuple[Turn, ...] = ()
    mass: float = 0.0
    moment: Vector = field(default_factory=lambda: [0.0, 0.0, 0.0])
    inertia: Matrix = field(default_factory=lambda: [[0.0] * 3 for _ in range(3)])


class _Traced:
    """A system on a tape; every quantity is worked out when it is asked for, what it shares with others once."""

    def __init__(self, system: System, method: Elimination, driven: bool) -> None:
        self.system, self.tape = system, Tape()
        self._local: dict[int, tuple[Matrix, Vector]] = {}
        self.q: dict[str, Any] = {name: self.tape.symbol(f"q:{name}") for name in system.free}
        self.circle: dict[str, tuple[Any, Any]] = {}
        if method == "IC":
            self.q |= {name: self.tape.symbol(f"q:{name}") for name in system.dependent}
        self.u1 = [self.tape.symbol(f"u:{name}") for name in system.free_speeds]
        self.tau1 = [self.tape.symbol(f"tau:{name}") for name in system.free_speeds] if driven else []
        if method != "IC" and system.closed_form is not None:
            self._eliminate(system.closed_form(self.tape, [self.q[name] for name in system.free]), method)
        self.nodes, self.node_of, self.step_of = _nodes(system)

    def _eliminate(self, found: Sequence[Any], method: Elimination) -> None:
        for name, value in zip(self.system.dependent, found, strict=True):
            if isinstance(value, tuple) and method == "TE":
                self.circle[name] = value
            else:
                self.q[name] = self.tape.atan2(*value) if isinstance(value, tuple) else value

    # Steps.

    def value(self, coordinate: str) -> Any:
        if coordinate not in self.q:
            self.q[coordinate] = self.tape.atan2(*self.circle[coordinate])
        return self.q[coordinate]

    def amount(self, step: Turn | Slide, derivative: str = "value") -> Any:
        """Value, slope or curvature of a step."""
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
        """Rotation from a node's axes to those of the node before, and its origin there."""
        if k not in self._local:
            self._local[k] = self._placed(self.nodes[k])
        return self._local[k]

    def _placed(self, node: _Node) -> tuple[Matrix, Vector]:
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
            R = [row[:] for row in _UNIT]
            s = s * step.axis[k]
            R[i][i], R[j][j], R[i][j], R[j][i] = c, c, -s, s
            return R
        v = 1.0 - c
        return [
            [c + v * (x * x), v * (x * y) - s * z, v * (x * z) + s * y],
            [v * (x * y) + s * z, c + v * (y * y), v * (y * z) - s * x],
            [v * (x * z) - s * y, v * (y * z) + s * x, c + v * (z * z)],
        ]

    def columns(self, node: _Node) -> list[tuple[int, bool, Vector, Any]]:
        """Row, whether it turns, axis in the node's own axes, slope."""
        if isinstance(node.step, Orientation):
            return [(row, True, _UNIT[k], 1.0) for k, row in enumerate(node.rows)]
        if node.step is None:
            return []
        steps = zip(node.rows, (node.step, *node.further), strict=True)
        return [(row, isinstance(step, Turn), list(step.axis), self.amount(step, "slope")) for row, step in steps]

    def bend(self, row: int) -> Any:
        """Curvature of the function of a row, times the square of its speed."""
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
        """M of the rows: momentum of each row's unit speed, looked at along the rows that carry it."""
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
        """Return g of the rows: first moments across gravity."""
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

    def newton_euler(self, a: Vector) -> Vector:
        """M a + c of the rows, without gravity."""
        zero = [0.0, 0.0, 0.0]
        states = [(zero, zero, zero)]
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
    def _inertial(node: _Node, state: tuple[Vector, Vector, Vector]) -> tuple[Vector, Vector]:
        omega, alpha, a = state
        h, inertia = node.moment, node.inertia
        force = plus(scaled(a, node.mass), cross_product(alpha, h), cross_product(omega, cross_product(omega, h)))
        return force, plus(applied(inertia, alpha), cross_product(omega, applied(inertia, omega)), cross_product(h, a))

    def _to_speeds(self, rows: Vector) -> Vector:
        out: Vector = [0.0] * len(self.system.speeds)
        for (_, _, speed), value in zip(self.system.layout.rows, rows, strict=True):
            out[speed] = out[speed] + value
        return out

    # Loops.

    def walk(self, start: str, end: str, place: Sequence[float]) -> _Walk:
        """The way from a body's frame to a point of another, seen from the first."""
        walk = _Walk(self)
        up, down = self._path(self.node_of[start]), self._path(self.node_of[end])
        shared = len([k for k, other in zip(up, down, strict=False) if k == other])
        for k in reversed(up[shared:]):
            walk.up(k)
        for k in down[shared:]:
            walk.down(k)
        walk.reach(list(place))
        return walk

    def _path(self, k: int) -> list[int]:
        return [*self._path(self.nodes[k].before), k] if k else []

    @cached_property
    def closure_rows(self) -> list[tuple[dict[int, Any], Any, Any]]:
        """Of every equation: coefficient of each speed, and how its drift and its value are found (functions of nothing)."""
        return [row for closure in self.system.closures for row in self._rows(closure)]

    def _rows(self, closure: Any) -> list[tuple[dict[int, Any], Any, Any]]:
        speed = self.system.speed
        if isinstance(closure, Gearing):
            terms = closure.coefficients
            value = lambda: dot_product(list(terms.values()), [self.value(name) for name in terms]) - closure.offset  # noqa: E731
            return [({speed(name): c for name, c in terms.items()}, lambda: 0.0, value)]
        if isinstance(closure, Coupler):
            x, f, k = self.value(closure.independent), closure.function, speed(closure.independent)
            row = {speed(closure.dependent): 1.0, k: -1.0 * f.slope(x)}
            return [
                (
                    row,
                    lambda: -1.0 * f.curvature(x) * (self.u[k] * self.u[k]),
                    lambda: self.value(closure.dependent) - f.value(x),
                )
            ]
        if isinstance(closure, PointGap):
            a = self.walk(closure.seen_from, closure.body, closure.place_m)
            b = self.walk(closure.seen_from, closure.other, closure.other_place_m)
            J = column_difference(a.jacobian(), b.jacobian())
            return [self._gap_row(list(row), J, a, b) for row in closure.rows]
        assert isinstance(closure, Rod)
        x, J, walk = self._line(closure)
        row = {k: 2.0 * dot_product(x, column) for k, column in J.items()}
        length = closure.length_m
        return [
            (
                row,
                lambda: 2.0 * (dot_product(x, walk.bias()[1]) + dot_product(walk.bias()[0], walk.bias()[0])),
                lambda: dot_product(x, x) - length * length,
            )
        ]

    @staticmethod
    def _gap_row(row: Vector, J: dict[int, Vector], a: _Walk, b: _Walk) -> tuple[dict[int, Any], Any, Any]:
        return (
            {k: dot_product(row, column) for k, column in J.items()},
            lambda: dot_product(row, minus(a.bias()[1], b.bias()[1])),
            lambda: dot_product(row, minus(a.p, b.p)),
        )

    def _line(self, ends: Rod) -> tuple[Vector, dict[int, Vector], _Walk]:
        """From a point to another, in the axes of the second's body."""
        walk = self.walk(ends.other, ends.body, ends.place_m)
        return minus(walk.p, list(ends.other_place_m)), walk.jacobian(), walk

    def solve_dependent(self, right: list[dict[int, Any]]) -> list[list[Any]]:
        """J2^-1 times columns given as {equation: value}, block by block; (dependent, columns)."""
        columns = [self.system.speed(name) for name in self.system.dependent]
        rows = self.closure_rows
        J2 = [[row.get(c, 0.0) for c in columns] for row, *_ in rows]
        pattern = np.array([[isinstance(entry, Scalar) or entry != 0 for entry in row] for row in J2])
        found: list[list[Any]] = [[0.0] * len(right) for _ in columns]
        for equations_, unknowns in blocks(pattern):
            A = [[J2[e][c] for c in unknowns] for e in equations_]
            b = [
                [column.get(e, 0.0) - sum((J2[e][c] * found[c][k] for c in range(len(columns)) if c not in unknowns), start=0.0)
                 for k, column in enumerate(right)] for e in equations_
            ]  # fmt: skip
            for c, values in zip(unknowns, self._solved(A, b), strict=True):
                found[c] = values
        return found

    def _solved(self, A: Matrix, b: Matrix) -> Matrix:
        """One and two unknowns by Cramer's rule, more by rotations, which need no pivot."""
        if len(A) == 1:
            inverse = 1.0 / A[0][0]
            return [[inverse * x for x in b[0]]]
        if len(A) == 2:
            inverse = 1.0 / (A[0][0] * A[1][1] - A[0][1] * A[1][0])
            if len(b[0]) < 3:
                both = list(zip(*b, strict=True))
                return [
                    [(A[1][1] * x - A[0][1] * y) * inverse for x, y in both],
                    [(A[0][0] * y - A[1][0] * x) * inverse for x, y in both],
                ]
            W = [[A[1][1] * inverse, -(A[0][1] * inverse)], [-(A[1][0] * inverse), A[0][0] * inverse]]
            return [[row[0] * x + row[1] * y for x, y in zip(*b, strict=True)] for row in W]
        return self._by_rotations([row[:] for row in A], [row[:] for row in b])

    def _by_rotations(self, A: Matrix, b: Matrix) -> Matrix:
        n = len(A)
        for j in range(n):
            for i in range(j + 1, n):
                x, y = A[j][j], A[i][j]
                if isinstance(y, Scalar) or y != 0:
                    length = self.tape.sqrt(x * x + y * y)
                    c, s = x / length, y / length
                    for part in (A, b):
                        pairs = list(zip(part[j], part[i], strict=True))
                        part[j], part[i] = [c * p + s * r for p, r in pairs], [c * r - s * p for p, r in pairs]
        out: Matrix = [[]] * n
        for j in reversed(range(n)):
            out[j] = [
                (value - sum((A[j][k] * out[k][column] for k in range(j + 1, n)), start=0.0)) / A[j][j]
                for column, value in enumerate(b[j])
            ]
        return out

    # Quantities.

    @cached_property
    def q2(self) -> Vector:
        return [self.value(name) for name in self.system.dependent]

    @cached_property
    def W(self) -> Matrix:
        system = self.system
        free = [system.speed(name) for name in system.free_speeds]
        W: Matrix = [[0.0] * len(free) for _ in system.speeds]
        for column, k in enumerate(free):
            W[k][column] = 1.0
        if system.closures:
            right = [{e: -1.0 * row[k] for e, (row, *_) in enumerate(self.closure_rows) if k in row} for k in free]
            for name, values in zip(system.dependent, self.solve_dependent(right), strict=True):
                W[system.speed(name)] = values
        return W

    @cached_property
    def u(self) -> Vector:
        return [dot_product(row, self.u1) for row in self.W]

    @cached_property
    def w(self) -> Vector:
        out: Vector = [0.0] * len(self.system.speeds)
        if self.system.closures:
            right = [{e: -1.0 * drift() for e, (_, drift, _) in enumerate(self.closure_rows)}]
            for name, (value,) in zip(self.system.dependent, self.solve_dependent(right), strict=True):
                out[self.system.speed(name)] = value
        return out

    def _reduced(self, values: Vector) -> Vector:
        return [dot_product([row[k] for row in self.W], values) for k in range(len(self.u1))]

    @cached_property
    def M1(self) -> Matrix:
        rows, W, n1 = self.mass_rows(), self.W, len(self.u1)
        of_row = [speed for _, _, speed in self.system.layout.rows]
        n = len(self.system.speeds)
        M: Matrix = [[0.0] * n for _ in range(n)]
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                M[of_row[i]][of_row[j]] = M[of_row[i]][of_row[j]] + value
        MW = [[dot_product(M[i], [W[j][k] for j in range(n)]) for k in range(n1)] for i in range(n)]
        out: Matrix = [[0.0] * n1 for _ in range(n1)]
        for i in range(n1):
            for j in range(i, n1):
                out[i][j] = out[j][i] = dot_product([W[k][i] for k in range(n)], [MW[k][j] for k in range(n)])
        return out

    @cached_property
    def c1(self) -> Vector:
        return self._reduced(self._to_speeds(self.newton_euler(self.w)))

    @cached_property
    def g1(self) -> Vector:
        return self._reduced(self._to_speeds(self.gravity_rows()))

    @cached_property
    def spring1(self) -> Vector:
        return self._reduced(self._springs())

    def _springs(self) -> Vector:
        out: Vector = [0.0] * len(self.system.speeds)
        for spring in self.system.springs:
            if isinstance(spring, Spring):
                k = self.system.speed(spring.coordinate)
                pull = spring.stiffness * (self.value(spring.coordinate) - spring.rest) + spring.damping * self.u[k]
                out[k] = out[k] + pull
            else:
                self._pull(spring, out)
        return out

    def _pull(self, spring: LineSpring, out: Vector) -> None:
        length, along, rate = self._stretch(spring)
        pull = spring.stiffness_N_m * (length - spring.rest_m) + spring.damping_N_s_m * rate
        for k, value in along.items():
            out[k] = out[k] + pull * value

    def _stretch(self, spring: LineSpring) -> tuple[Any, dict[int, Any], Any]:
        """Length of a spring, how speeds change it, its rate."""
        x, J, _ = self._line(spring.line)
        length = self.tape.sqrt(dot_product(x, x))
        along = {k: dot_product(x, column) / length for k, column in J.items()}
        return length, along, sum((value * self.u[k] for k, value in along.items()), start=0.0)

    @cached_property
    def damping_power(self) -> Any:
        total: Any = 0.0
        for spring in self.system.springs:
            if isinstance(spring, Spring):
                rate, damping = self.u[self.system.speed(spring.coordinate)], spring.damping
            else:
                rate, damping = self._stretch(spring)[2], spring.damping_N_s_m
            total = total - damping * (rate * rate)
        return total

    @cached_property
    def correction(self) -> Vector:
        right = [{e: value() for e, (_, _, value) in enumerate(self.closure_rows)}]
        return [value for (value,) in self.solve_dependent(right)]

    @cached_property
    def a1(self) -> Vector:
        parts = (self.c1, self.g1, self.spring1)
        need = [tau - c - g - s for tau, c, g, s in zip(self.tau1, *parts, strict=True)]
        return solved_by_ldl(self.M1, need)


class _Walk:
    """Motion, relative to the body where it starts and in its axes, along a way through the tree."""

    def __init__(self, traced: _Traced) -> None:
        self.traced, self.R, self.p = traced, _UNIT, [0.0, 0.0, 0.0]
        #: Speed, whether it turns, axis, its sign and slope together, and the first of the steps that it turns.
        self.passed: list[tuple[int, bool, Vector, Any, int]] = []
        #: Arm, way (+1 down, -1 up), rows with their axes.
        self.steps: list[tuple[Vector, float, list[tuple[int, bool, Vector, Any]]]] = []

    def down(self, k: int) -> None:
        node, (R, p) = self.traced.nodes[k], self.traced.local(k)
        arm = applied(self.R, p)
        self.p, self.R = plus(self.p, arm), product(self.R, R)
        self._pass(node, arm, 1, len(self.steps) + 1)

    def up(self, k: int) -> None:
        node, (R, p) = self.traced.nodes[k], self.traced.local(k)
        axes = self.R
        self.R = product(axes, [list(column) for column in zip(*R, strict=True)])
        arm = applied(self.R, p)
        self.p = minus(self.p, arm)
        self._pass(node, arm, -1, len(self.steps), axes)

    def _pass(self, node: _Node, arm: Vector, way: int, turned: int, axes: Matrix | None = None) -> None:
        rows = []
        for row, turns, axis, slope in self.traced.columns(node):
            seen = applied(axes or self.R, axis)
            rows.append((row, turns, seen, slope))
            self.passed.append((self.traced.system.layout.rows[row][2], turns, seen, slope * float(way), turned))
        self.steps.append((arm, float(way), rows))

    def reach(self, place: Vector) -> None:
        arm = applied(self.R, place)
        self.p = plus(self.p, arm)
        self.steps.append((arm, 1.0, []))

    def jacobian(self) -> dict[int, Vector]:
        """How speeds move the end."""
        beyond = [[0.0, 0.0, 0.0]]
        for arm, way, _ in reversed(self.steps):
            beyond.append(plus(scaled(arm, way), beyond[-1]))
        out: dict[int, Vector] = {}
        for speed, turns, axis, slope, turned in self.passed:
            column = scaled(cross_product(axis, beyond[len(self.steps) - turned]) if turns else axis, slope)
            out[speed] = plus(out[speed], column) if speed in out else column
        return out

    def bias(self) -> tuple[Vector, Vector]:
        """Velocity of the end, and its acceleration when u' = 0."""
        u = self.traced.u
        omega, alpha, v, a = ([0.0] * 3 for _ in range(4))
        for arm, way, rows in self.steps:
            turned: list[tuple[Vector, Vector]] = []
            slid: list[tuple[Vector, Vector]] = []
            for row, turns, axis, slope in rows:
                speed = u[self.traced.system.layout.rows[row][2]]
                both = (scaled(axis, speed * slope * way), scaled(axis, self.traced.bend(row) * way))
                (turned if turns else slid).append(both)
            if way < 0:
                omega, alpha = _turned(omega, alpha, turned)
            v = plus(v, scaled(cross_product(omega, arm), way), *(along for along, _ in slid))
            a = plus(a, scaled(plus(cross_product(alpha, arm), cross_product(omega, cross_product(omega, arm))), way))
            a = plus(a, *(plus(across, scaled(cross_product(omega, along), 2.0)) for along, across in slid))
            if way > 0:
                omega, alpha = _turned(omega, alpha, turned)
        return v, a


def _turned(omega: Vector, alpha: Vector, turned: list[tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    along, across = plus([0.0] * 3, *(x for x, _ in turned)), plus([0.0] * 3, *(x for _, x in turned))
    return plus(omega, along), plus(alpha, across, cross_product(omega, along))


def _nodes(system: System) -> tuple[list[_Node], dict[str, int], list[Turn | Slide | None]]:
    """A node for each step of each body, the last node of every body, and the step of each row."""
    zero = [0.0, 0.0, 0.0]
    nodes, node_of, step_of = [_Node(0, _UNIT, zero)], {GROUND: 0}, list[Turn | Slide | None]()
    for body in system.bodies:
        before = node_of[body.parent]
        R, p = np.asarray(body.R_parent_joint).tolist(), np.asarray(body.place_m).tolist()
        made: list[_Node] = []
        for step in body.joint or (None,):
            last = made[-1] if made else None
            if last and isinstance(step, Turn) and isinstance(last.step, Turn) and step.axis == last.step.axis:
                last.rows, last.further = (*last.rows, len(step_of)), (*last.further, step)
                step_of.append(step)
                continue
            rows = 0 if step is None else 3 if isinstance(step, Orientation) else 1
            made.append(_Node(before, R, p, step, tuple(range(len(step_of), len(step_of) + rows))))
            step_of += [None] * rows if isinstance(step, Orientation) or step is None else [step]
            nodes.append(made[-1])
            before, R, p = len(nodes) - 1, _UNIT, zero
        segment, com = body.segment, np.asarray(body.segment.com_m)
        tensor = segment.inertia_kgm2 + segment.mass_kg * (com @ com * np.eye(3) - np.outer(com, com))
        made[-1].mass, made[-1].moment = float(segment.mass_kg), (segment.mass_kg * com).tolist()
        made[-1].inertia = tensor.tolist()
        node_of[body.name] = len(nodes) - 1
    return nodes, node_of, step_of
