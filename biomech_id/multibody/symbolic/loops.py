"""Closed loops as expressions in three ways: trigonometric elimination, direct elimination, implicit constraints.

::

    TE  sin q2 = f_s(q1), cos q2 = f_c(q1) go into the equations; no arctangent is ever taken
    DE  q2 = atan2(f_s, f_c) goes into the equations
    IC  W = [1; -J2^-1 J1] of q1 and q2; q2 itself has to be found beside it, which `LoopEquations.cost_q2` counts

In all of them M1 = W^T M W, c1 = W^T (c + M W' q1'), g1 = W^T g; in TE and DE row k of W is f_c df_s/dq1 - f_s df_c/dq1.

Source: Schappler, Lilge & Haddadin (2019) IFToMM D-A-CH, whose IC rows leave the cost of q2 out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import sympy as sp

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.multibody.closed_loop import ClosedLoop
from biomech_id.multibody.symbolic.expressions import Operations, compiled, operations
from biomech_id.multibody.symbolic.planar_tree import PlanarTree, constraints_of, exact

#: Trigonometric elimination, direct elimination, implicit constraints.
Elimination = Literal["TE", "DE", "IC"]


@dataclass(frozen=True, eq=False)
class LoopEquations:
    """Equations of motion of a closed loop in its free coordinates, as expressions.

    Attributes
    ----------
    method : Elimination
        "TE", "DE" or "IC".
    q1 : tuple[Any, ...]
        Symbols; q2 is empty unless the method is "IC".
    u1 : tuple[Any, ...]
        Symbols; q2 is empty unless the method is "IC".
    q2 : tuple[Any, ...]
        Symbols; q2 is empty unless the method is "IC".
    M1 : Any
        (n1, n1), mass matrix in the free coordinates.
    c1 : Any
        (n1, 1), centrifugal and Coriolis terms.
    g1 : Any
        (n1, 1), against gravity.
    cost : Mapping[str, Operations]
        "M1", "g1" -> `Operations`; for IC without q2.
    cost_q2 : Operations
        What q2 costs more for IC.
    generation_s : Mapping[str, float]
        "M1", "g1", "c1" -> seconds of deriving and counting.
    """

    method: Elimination
    q1: tuple[Any, ...]
    u1: tuple[Any, ...]
    q2: tuple[Any, ...]
    M1: Any
    c1: Any
    g1: Any
    cost: Mapping[str, Operations]
    cost_q2: Operations
    generation_s: Mapping[str, float]

    def function(self, loop: ClosedLoop) -> Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
        """A NumPy function of q1 and u1 (N, n1) that returns M1 (N, n1, n1), c1 and g1 (N, n1).

        Parameters
        ----------
        loop : ClosedLoop
            The mechanism.
        """
        arguments = [*self.q1, *self.q2, *self.u1]
        parts = [compiled(arguments, part) for part in (self.M1, self.c1, self.g1)]

        def evaluate(q1: FloatArray, u1: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            q2 = loop.configuration(q1)[:, loop.dependent] if self.q2 else np.empty((len(q1), 0))
            M1, c1, g1 = (part(*q1.T, *q2.T, *u1.T) for part in parts)
            return M1, c1[..., 0], g1[..., 0]

        return evaluate


def loop_equations(loop: ClosedLoop, method: Elimination, *, with_velocity_terms: bool = True) -> LoopEquations:
    """Derive the equations of a planar closed loop.

    Parameters
    ----------
    loop : ClosedLoop
        The mechanism.
    method : Elimination
        How the dependent coordinates are eliminated.
    with_velocity_terms : bool, optional
        Derive c1 too, by far the longest of the three.

    Raises
    ------
    OptionError
        An unknown method. MissingInputError : TE or DE of a mechanism without a closure.
    """
    if method not in ("TE", "DE", "IC"):
        raise OptionError(
            f"There is no elimination {method!r}.", value=method, expected="'TE', 'DE' or 'IC'", where="loop_equations"
        )
    if loop.closure is None:
        raise MissingInputError("The mechanism has no closure.", value=None, expected="q2 in closed form", where="loop_equations")
    started = time.perf_counter()
    planar = PlanarTree(loop.tree)
    q1 = tuple(planar.q[k] for k in loop.free)
    u1 = tuple(planar.u[k] for k in loop.free)
    closure = _Closure(loop, planar, q1)
    M, gravity = planar.mass_matrix(), loop.gravity_lab_m_s2
    prepared = time.perf_counter() - started
    seconds, cost, found = {}, {}, {}
    eliminate: _Implicit | _Explicit = _Implicit(loop, planar) if method == "IC" else _Explicit(closure, method == "DE")
    for name in ("g1", "M1"):
        clock = time.perf_counter()
        tree_terms = planar.gravity_terms((gravity[0], gravity[1])) if name == "g1" else M
        found[name], cost[name] = eliminate.reduce(tree_terms)
        seconds[name] = time.perf_counter() - clock + prepared
    clock = time.perf_counter()
    c1 = eliminate.velocity(M, planar, u1) if with_velocity_terms else sp.zeros(len(q1), 1)
    seconds["c1"] = time.perf_counter() - clock + prepared
    q2 = tuple(planar.q[k] for k in loop.dependent) if method == "IC" else ()
    return LoopEquations(method, q1, u1, q2, found["M1"], c1, found["g1"], cost, operations(closure.cheapest_angles()), seconds)


class _Closure:
    """q2 as expressions of q1: sine and cosine of revolute coordinates, or a value."""

    def __init__(self, loop: ClosedLoop, planar: PlanarTree, q1: tuple[Any, ...]) -> None:
        assert loop.closure is not None
        self.loop, self.planar, self.q1 = loop, planar, q1
        values = loop.closure(sp, q1)
        self.values = [tuple(_rational(v) for v in x) if isinstance(x, tuple) else _rational(x) for x in values]

    def angles(self) -> list[Any]:
        return [sp.atan2(*x) if isinstance(x, tuple) else x for x in self.values]

    def cheapest_angles(self) -> list[Any]:
        return [sp.atan2(*_without_common_length(*x)) if isinstance(x, tuple) else x for x in self.values]

    def rows(self) -> Any:
        """W (n, n1)."""
        W = sp.zeros(len(self.loop.tree), len(self.q1))
        for i, k in enumerate(self.loop.free):
            W[k, i] = sp.S.One
        for k, value in zip(self.loop.dependent, self.values, strict=True):
            for i, q in enumerate(self.q1):
                if isinstance(value, tuple):
                    sine, cosine = value
                    W[k, i] = cosine * sp.diff(sine, q) - sine * sp.diff(cosine, q)
                else:
                    W[k, i] = sp.diff(value, q)
        return W


class _Explicit:
    """TE and DE: what the closure says goes into the tree's terms."""

    def __init__(self, closure: _Closure, direct: bool) -> None:
        self.closure, self.direct = closure, direct
        self.W = closure.rows()

    def _insert(self, expression: Any) -> Any:
        planar, loop = self.closure.planar, self.closure.loop
        sines: dict[Any, tuple[Any, Any]] = {}
        values: dict[Any, Any] = {}
        for k, value, angle in zip(loop.dependent, self.closure.values, self.closure.angles(), strict=True):
            if self.direct or not isinstance(value, tuple):
                values[planar.q[k]] = angle
            else:
                sines[planar.q[k]] = value
        if not sines:
            return expression.xreplace(values)
        atoms = expression.atoms(sp.sin, sp.cos)
        opened = {atom: _opened(atom, sines).xreplace(values) for atom in atoms}
        return expression.xreplace(opened).xreplace(values)

    def reduce(self, terms: Any) -> tuple[Any, Operations]:
        terms = terms.applyfunc(self._insert)
        reduced = self.W.T * terms * self.W if terms.shape[1] > 1 else self.W.T * terms
        return reduced, operations(_upper(reduced))

    def velocity(self, M: Any, planar: PlanarTree, u1: tuple[Any, ...]) -> Any:
        u = self.W * sp.Matrix(u1)
        rate = sp.zeros(*u.shape)
        for q, speed in zip(self.closure.q1, u1, strict=True):
            rate += sp.diff(u, q) * speed
        c = planar.velocity_terms(M).applyfunc(self._insert).xreplace(dict(zip(planar.u, u, strict=True)))
        return self.W.T * (c + M.applyfunc(self._insert) * rate)


class _Implicit:
    """IC: W of q1 and q2 from the constraints' Jacobians, block by block."""

    def __init__(self, loop: ClosedLoop, planar: PlanarTree) -> None:
        self.loop, self.planar = loop, planar
        self.h = constraints_of(loop, planar)
        self.J = sp.Matrix(self.h).jacobian(planar.q)
        free = self.J[:, list(loop.free)]
        self.W = sp.zeros(len(planar.q), len(loop.free))
        for i, k in enumerate(loop.free):
            self.W[k, i] = sp.S.One
        dependent = self._solve(-free)
        for row, k in enumerate(loop.dependent):
            self.W[k, :] = dependent[row, :]

    def _solve(self, right: Any) -> Any:
        """J2^-1 times ``right``, loop by loop: each loop determines as many coordinates as it has equations."""
        J2, found, row = self.J[:, list(self.loop.dependent)], sp.zeros(*right.shape), 0
        while row < J2.rows:
            size = 1 if all(J2[row, k] == 0 for k in range(row + 1, J2.cols)) else 2
            block = slice(row, row + size)
            here = right[block, :] - J2[block, :row] * found[:row, :]
            A = J2[block, block]
            determinant = sp.trigsimp(A.det())
            found[block, :] = (A.adjugate() * here).applyfunc(sp.trigsimp) / determinant
            row += size
        return found

    def reduce(self, terms: Any) -> tuple[Any, Operations]:
        names = {entry: sp.Dummy() for entry in [*self.W, *terms] if not (entry.is_Number or entry.is_Symbol)}
        W, inner = (matrix.applyfunc(lambda entry: names.get(entry, entry)) for matrix in (self.W, terms))
        product = W.T * inner * W if terms.shape[1] > 1 else W.T * inner
        cost = operations(names) + operations(_upper(product.applyfunc(sp.expand)))
        factored = operations(names) + operations(_upper(product))
        return product.xreplace({name: entry for entry, name in names.items()}), min(cost, factored, key=lambda c: c.weighted)

    def velocity(self, M: Any, planar: PlanarTree, u1: tuple[Any, ...]) -> Any:
        u = self.W * sp.Matrix(u1)
        speeds = sp.Matrix(planar.u)
        drift = sp.Matrix([(self.J[row, :] * speeds).jacobian(planar.q) * speeds for row in range(self.J.rows)])
        rate = sp.zeros(len(planar.q), 1)
        for k, value in zip(self.loop.dependent, self._solve_plain(-drift), strict=True):
            rate[k] = value
        c = planar.velocity_terms(M) + M * rate
        return self.W.T * c.xreplace(dict(zip(planar.u, u, strict=True)))

    def _solve_plain(self, right: Any) -> Any:
        J2, found, row = self.J[:, list(self.loop.dependent)], sp.zeros(*right.shape), 0
        while row < J2.rows:
            size = 1 if all(J2[row, k] == 0 for k in range(row + 1, J2.cols)) else 2
            block = slice(row, row + size)
            A = J2[block, block]
            found[block, :] = A.adjugate() * (right[block, :] - J2[block, :row] * found[:row, :]) / A.det()
            row += size
        return found


def _opened(atom: Any, sines: Mapping[Any, tuple[Any, Any]]) -> Any:
    """A sine or cosine of a sum, with the angles whose sine and cosine are known taken out by the addition theorems."""
    coefficients = atom.args[0].as_coefficients_dict()
    rest = sum((k * q for q, k in coefficients.items() if q not in sines), start=sp.S.Zero)
    sine, cosine = sp.sin(rest), sp.cos(rest)
    for q, k in coefficients.items():
        if q in sines:
            s, c = sines[q][0] * k, sines[q][1]
            sine, cosine = sine * c + cosine * s, cosine * c - sine * s
    return sine if isinstance(atom, sp.sin) else cosine


def _without_common_length(sine: Any, cosine: Any) -> tuple[Any, Any]:
    """Sine and cosine without the positive factors both have: the arctangent does not need them."""
    factors = [sp.Mul.make_args(sp.factor_terms(part)) for part in (sine, cosine)]
    both = [f for f in factors[0] if f in factors[1] and (f.is_positive or (f.is_Pow and f.exp.is_Rational and f.exp.q == 2))]
    return sp.Mul(*(f for f in factors[0] if f not in both)), sp.Mul(*(f for f in factors[1] if f not in both))


def _rational(expression: Any) -> Any:
    """The expression with decimal numbers as the rationals they stand for."""
    return expression.xreplace({number: exact(number) for number in expression.atoms(sp.Float)})


def _upper(matrix: Any) -> list[Any]:
    """Entries of a symmetric matrix once each, or all of a column."""
    return [matrix[i, j] for i in range(matrix.rows) for j in range(i if matrix.cols > 1 else 0, matrix.cols)]
