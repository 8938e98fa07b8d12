"""The dynamics of a `System` run once on scalars of a `Tape`: what comes out are its equations as a program.

Recursions of the tree are those of `biomech_id.multibody.traced_tree`. Closures are looked at from their body C:
the way from C to the ends of the gap holds only the joints in between, so that the terms in which all turns with C never arise.
J2 is solved block by block (`biomech_id.multibody.elimination`), whatever the order of the closures; of closures that say one thing
twice by rotations.

Dependent coordinates come in one of three ways ::

    TE  sine and cosine of q2 from the closed form; no arctangent is taken
    DE  q2 = atan2 of those, then its sine and cosine
    IC  q2 is an input; it has to be found beside the equations (`biomech_id.multibody.reduction.assemble`)

Source: Schappler, Lilge & Haddadin (2019) IFToMM D-A-CH.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import mul
from typing import Any

import numpy as np

from biomech_id.multibody.closures import Gearing, PointGap, Rod, TwoPoints
from biomech_id.multibody.elimination import blocks
from biomech_id.multibody.kinematics import move
from biomech_id.multibody.scalar_algebra import (
    Matrix,
    Vector,
    applied,
    column_difference,
    cross_product,
    dot_product,
    minus,
    plus,
    product,
    scaled,
    solved_by_ldl,
)
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.straight_line import Program, Scalar
from biomech_id.multibody.traced_tree import UNTURNED, Node, TracedTree

#: Is lost in any sum, and its square is still a number.
_NOTHING = 1e-150


def traced_program(system: Any, quantities: Sequence[str], method: str) -> Program:
    """Quantities of the motion in the free coordinates, as `biomech_id.multibody.traced.equations` describes them.

    Parameters
    ----------
    system : Any
        A `System` on a base at rest.
    quantities : Sequence[str]
        Names out of `biomech_id.multibody.traced.DYNAMIC_QUANTITIES`.
    method : str
        "TE", "DE" or "IC".

    Returns
    -------
    Program
        Results by the names of the quantities.
    """
    traced = _Traced(system, method, "a1" in quantities)
    return traced.tape.program({name: getattr(traced, name) for name in quantities})


def tree_program(system: Any, asked: str) -> Program:
    """What a method of `System` computes of the tree, loops cut and on a base at rest, as a program of q, u and a (or tau).

    Parameters
    ----------
    system : Any
        A `System`; its tree is taken; wrenches from outside are not in it.
    asked : str
        "inverse" (required), "forward" (a1, and a bound, see `biomech_id.multibody.tree_code.INERTIA_BOUND`), "terms" (M1, c1, g1,
        spring1, without a third input), or "kinematics" (the fields of a `Kinematics` after its layout).

    Returns
    -------
    Program
        With results by these names.

    Raises
    ------
    InvalidValueError, TypeError
        A function of a joint that cannot be written in sums, products, roots and sines.
    ZeroDivisionError
        Accelerations of joints that move no mass.
    """
    tree = _Traced(replace(system, closures=(), free=(), closed_form=None), "IC", asked != "terms")
    if asked != "kinematics":
        names = {"inverse": ("required",), "forward": ("a1", "bound"), "terms": ("M1", "c1", "g1", "spring1")}[asked]
        return tree.tape.program({name: getattr(tree, name) for name in names})
    q, u, a = (np.array([values], dtype=object) for values in ([*tree.q.values()], tree.u, tree.tau1))
    _, *arrays = vars(move(system.layout, q, u, a)).items()
    return tree.tape.program({name: values[0] for name, values in arrays})


class _Traced(TracedTree):
    """Loops closed; every quantity is worked out when it is asked for, what it shares with others once."""

    def __init__(self, system: Any, method: str, driven: bool) -> None:
        super().__init__(system, IC=method == "IC")
        self.tau1 = [self.tape.symbol(f"tau:{name}") for name in system.free_speeds] if driven else []
        if method != "IC" and system.closed_form is not None:
            self._eliminate(system.closed_form(self.tape, [self.q[name] for name in system.free]), method)

    def _eliminate(self, values: Sequence[Any], method: str) -> None:
        for name, value in zip(self.system.dependent, values, strict=True):
            if isinstance(value, tuple) and method == "TE":
                self.circle[name] = value
            else:
                self.q[name] = self.tape.atan2(*value) if isinstance(value, tuple) else value

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
            terms = [(speed(name), c, f, self.value(name)) for name, c, f in closure.terms]
            row = {k: c * f.slope(x) for k, c, f, x in terms}
            drift = lambda: sum(c * f.curvature(x) * (self.u[k] * self.u[k]) for k, c, f, x in terms)  # noqa: E731
            return [(row, drift, lambda: sum(c * f.value(x) for _, c, f, x in terms) - closure.offset)]
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

    def _line(self, ends: TwoPoints) -> tuple[Vector, dict[int, Vector], _Walk]:
        """From a point to another, in the axes of the second's body."""
        walk = self.walk(ends.other, ends.body, ends.place_m)
        return minus(walk.p, list(ends.other_place_m)), walk.jacobian(), walk

    def solve_dependent(self, right: list[dict[int, Any]]) -> list[list[Any]]:
        """J2^-1 times columns given as {equation: value}; (dependent, columns)."""
        J2, columns = self.J2, self.system.dependent
        if len(J2) > len(columns):
            return self._by_rotations(
                [row[:] for row in J2], [[column.get(e, 0.0) for column in right] for e in range(len(J2))]
            )  # fmt: skip
        pattern = np.array([[isinstance(entry, Scalar) or entry != 0 for entry in row] for row in J2])
        solution: list[list[Any]] = [[0.0] * len(right) for _ in columns]
        for equations_, unknowns in blocks(pattern):
            A = [[J2[e][c] for c in unknowns] for e in equations_]
            b = [
                [column.get(e, 0.0) - sum((J2[e][c] * solution[c][k] for c in range(len(columns)) if c not in unknowns), start=0.0)
                 for k, column in enumerate(right)] for e in equations_
            ]  # fmt: skip
            for c, values in zip(unknowns, self._solved(A, b), strict=True):
                solution[c] = values
        return solution

    def _solved(self, A: Matrix, b: Matrix) -> Matrix:
        """One and two unknowns by Cramer's rule, more by rotations, which need no pivot."""
        if len(A) == 1:
            inverse = 1.0 / A[0][0]
            return [[inverse * x for x in b[0]]]
        if len(A) == 2:
            inverse = 1.0 / (A[0][0] * A[1][1] - A[0][1] * A[1][0])
            W = [[A[1][1] * inverse, -(A[0][1] * inverse)], [-(A[1][0] * inverse), A[0][0] * inverse]]
            return [[row[0] * x + row[1] * y for x, y in zip(*b, strict=True)] for row in W]
        return self._by_rotations([row[:] for row in A], [row[:] for row in b])

    def _by_rotations(self, A: Matrix, b: Matrix) -> Matrix:
        """What all rows of A agree on, if there are more rows than columns."""
        n = len(A[0])
        for j in range(n):
            for i in range(j + 1, len(A)):
                x, y = A[j][j], A[i][j]
                if isinstance(y, Scalar) or y != 0:
                    if len(A) > n:
                        x = x + _NOTHING  # both may be zero in a state: then nothing turns
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
    def J2(self) -> Matrix:
        columns = [self.system.speed(name) for name in self.system.dependent]
        return [[row.get(c, 0.0) for c in columns] for row, *_ in self.closure_rows]

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

    @cached_property
    def _stretched(self) -> list[tuple[Any, Any, Any, dict[int, Any]]]:
        """Pull of each spring, its damping, its rate, and how speeds stretch it."""
        out: list[tuple[Any, Any, Any, dict[int, Any]]] = []
        for spring in self.system.springs:
            if isinstance(spring, Spring):
                k, d, amount = spring.stiffness, spring.damping, self.value(spring.coordinate) - spring.rest
                along: dict[int, Any] = {self.system.speed(spring.coordinate): 1.0}
            else:
                x, J, _ = self._line(spring)
                length = self.tape.sqrt(dot_product(x, x))
                k, d, amount = spring.stiffness_N_m, spring.damping_N_s_m, length - spring.rest_m
                along = {column: dot_product(x, J_k) / length for column, J_k in J.items()}
            rate = sum((value * self.u[column] for column, value in along.items()), start=0.0)
            out.append((k * amount + d * rate, d, rate, along))
        return out

    def _springs(self) -> Vector:
        out: Vector = [0.0] * len(self.system.speeds)
        for pull, _, _, along in self._stretched:
            for k, value in along.items():
                out[k] = out[k] + pull * value
        return out

    @cached_property
    def damping_power(self) -> Any:
        return sum((-1.0 * d * (rate * rate) for _, d, rate, _ in self._stretched), start=0.0)

    @cached_property
    def correction(self) -> Vector:
        right = [{e: value() for e, (_, _, value) in enumerate(self.closure_rows)}]
        return [value for (value,) in self.solve_dependent(right)]

    @cached_property
    def a1(self) -> Vector:
        parts = (self.c1, self.g1, self.spring1)
        need = [tau - c - g - s for tau, c, g, s in zip(self.tau1, *parts, strict=True)]
        rates, self.pivots = solved_by_ldl(self.M1, need)
        return rates

    @property
    def bound(self) -> Any:
        """Once ``a1`` is solved."""
        inertia = [row[k] for k, row in enumerate(self.M1)]
        shares = [pivot / own for pivot, own in zip(self.pivots, inertia, strict=True)]
        return reduce(mul, shares) / (sum(inertia) * sum(1.0 / own for own in inertia))

    @property
    def required(self) -> Vector:
        """Of a tree whose third input is rates of speeds."""
        lift = (-np.asarray(self.system.gravity_lab_m_s2)).tolist()
        return plus(self._to_speeds(self.newton_euler(self.tau1, lift)), self.spring1)


class _Walk:
    """Motion, relative to the body where it starts and in its axes, along a way through the tree."""

    def __init__(self, traced: _Traced) -> None:
        self.traced, self.R, self.p = traced, UNTURNED, [0.0, 0.0, 0.0]
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

    def _pass(self, node: Node, arm: Vector, way: int, turned: int, axes: Matrix | None = None) -> None:
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
