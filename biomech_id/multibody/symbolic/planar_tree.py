"""A planar `Tree` as expressions: mass matrix, velocity terms, gravity and loop constraints of its coordinates.

Every vector is a sum of pieces R(phi) (x, y), phi being the sum of the revolute coordinates on the way to a body. Scalar products
of pieces hold differences of such sums only, so that the mass matrix comes out without what the whole mechanism's turn would add.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from biomech_id.dynamics.chain import BASE
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closed_loop import ClosedLoop
from biomech_id.multibody.loop_constraints import Coupling, Pin
from biomech_id.multibody.tree import Tree

#: Digits after the point of a length, mass or inertia that count; what is beyond is rounding of the zero pose.
DIGITS = 14


@dataclass(frozen=True)
class Piece:
    """R(sum of the coordinates ``turned_by``) (x, y).

    Attributes
    ----------
    turned_by : tuple[int, ...]
        Indices of the coordinates whose sum turns it.
    x : Any
        Components before the turn.
    y : Any
        Components before the turn.
    """

    turned_by: tuple[int, ...]
    x: Any
    y: Any


#: A vector of expressions.
Vector = list[Piece]


def exact(value: float) -> Any:
    """A decimal number as the rational it stands for.

    Parameters
    ----------
    value : float
        Rounded to the digits that are kept.
    """
    return sp.Rational(str(round(float(value), DIGITS)))


class PlanarTree:
    """Expressions of a tree that moves in the x-y plane.

    Attributes
    ----------
    q : tuple[Any, ...]
        Coordinates and speeds, n symbols each.
    u : tuple[Any, ...]
        Coordinates and speeds, n symbols each.
    tree : Tree
        Whose joints all turn about z or slide in the plane.

    Raises
    ------
    InvalidValueError
        A joint that leaves the plane.
    """

    def __init__(self, tree: Tree) -> None:
        n = len(tree)
        self.tree = tree
        self.q, self.u = sp.symbols(f"q:{n}", real=True), sp.symbols(f"u:{n}", real=True)
        pose = tree.motion(np.zeros((1, n)))
        self._axes, self._origins = pose.R_lab_body[0], pose.origin_m[0]
        for j, body in enumerate(tree.bodies):
            flat = self._axes[j][2, 2] if body.kind == "revolute" else 1 - abs(self._axes[j][2, 2])
            if abs(flat - 1) > 1e-12:
                raise InvalidValueError(
                    f"The joint of the {tree.names[j]} leaves the x-y plane.",
                    value=self._axes[j][:, 2].tolist(), expected="axes along z that turn, or in the plane that slide",
                    where=tree.names[j],
                )  # fmt: skip

    def angle(self, body: int) -> tuple[int, ...]:
        """The revolute coordinates that turn a body.

        Parameters
        ----------
        body : int
            Index of the body; `BASE` for the base.
        """
        return tuple(k for k in self.tree.path(body) if self.tree.bodies[k].kind == "revolute") if body != BASE else ()

    def place(self, body: int, place_m: Any) -> Piece:
        """A point of a body, from the body's origin.

        Parameters
        ----------
        body : int
            Index of the body; `BASE` for the base.
        place_m : Any
            (3,), in the body's frame, from its origin, metres.
        """
        at_zero = (np.eye(3) if body == BASE else self._axes[body]) @ np.asarray(place_m)
        return Piece(self.angle(body), exact(at_zero[0]), exact(at_zero[1]))

    def reach(self, body: int, place_m: Any, beyond: int = BASE) -> Vector:
        """From the origin of body ``beyond`` (or of the base) on the way to ``body``, to a point of ``body``.

        Parameters
        ----------
        body : int
            Index of the body; `BASE` for the base.
        place_m : Any
            (3,), in the body's frame, from its origin, metres.
        beyond : int, optional
            Index of the body to start from.
        """
        pieces = [self.place(body, place_m)]
        for k in reversed(self.tree.path(body) if body != BASE else ()):
            if k == beyond:
                break
            parent = self.tree.bodies[k].parent
            step = self._origins[k] - (self._origins[parent] if parent != BASE else 0)
            x, y = exact(step[0]), exact(step[1])
            if self.tree.bodies[k].kind == "prismatic":
                x, y = x + exact(self._axes[k][0, 2]) * self.q[k], y + exact(self._axes[k][1, 2]) * self.q[k]
            pieces.append(Piece(self.angle(parent), x, y))
        return pieces

    def column(self, joint: int, body: int) -> Vector:
        """How one joint's speed moves the centre of mass of a body beyond it.

        Parameters
        ----------
        joint : int
            Index of the link.
        body : int
            Index of the body; `BASE` for the base.
        """
        if self.tree.bodies[joint].kind == "prismatic":
            axis = self._axes[joint][:, 2]
            return [Piece(self.angle(self.tree.bodies[joint].parent), exact(axis[0]), exact(axis[1]))]
        reach = self.reach(body, self.tree.bodies[body].segment.com_m, joint)
        return [Piece(p.turned_by, -p.y, p.x) for p in reach]

    def dot(self, a: Vector, b: Vector) -> Any:
        """Scalar product, in sines and cosines of differences.

        Parameters
        ----------
        a, b : Vector
            Vectors to multiply.
        """
        total = sp.S.Zero
        for p in a:
            for r in b:
                difference = self._sum(r.turned_by) - self._sum(p.turned_by)
                total += sp.cos(difference) * (p.x * r.x + p.y * r.y) + sp.sin(difference) * (p.y * r.x - p.x * r.y)
        return sp.collect(sp.expand(total), [*total.atoms(sp.cos, sp.sin)])

    def components(self, vector: Vector, seen_from: tuple[int, ...] = ()) -> tuple[Any, Any]:
        """Components x and y of a vector in axes that ``seen_from`` turns.

        Parameters
        ----------
        vector : Vector
            Sum of pieces.
        seen_from : tuple[int, ...], optional
            Indices of the coordinates that turn the axes.
        """
        x = y = sp.S.Zero
        for p in vector:
            angle = self._sum(p.turned_by) - self._sum(seen_from)
            x += sp.cos(angle) * p.x - sp.sin(angle) * p.y
            y += sp.sin(angle) * p.x + sp.cos(angle) * p.y
        return x, y

    def _sum(self, joints: tuple[int, ...]) -> Any:
        return sum((self.q[k] for k in joints), start=sp.S.Zero)

    def mass_matrix(self) -> Any:
        """M (n, n) of the q."""
        n = len(self.tree)
        M = sp.zeros(n, n)
        for b, body in enumerate(self.tree.bodies):
            path, turning = self.tree.path(b), self.angle(b)
            for at, i in enumerate(path):
                for j in path[at:]:
                    entry = exact(body.segment.mass_kg) * self.dot(self.column(i, b), self.column(j, b))
                    if i in turning and j in turning:
                        axis = self._axes[b][2]
                        entry += exact(axis @ body.segment.inertia_kgm2 @ axis)
                    M[i, j] += entry
        for i in range(n):
            for j in range(i, n):
                M[i, j] = M[j, i] = sp.collect(sp.expand(M[i, j] + (M[j, i] if i != j else 0)), [*M[i, j].atoms(sp.cos, sp.sin)])
        return M

    def velocity_terms(self, M: Any) -> Any:
        """Centrifugal and Coriolis terms c (n, 1) of the q and u, by Christoffel's symbols of M.

        Parameters
        ----------
        M : Any
            (n, n), mass matrix.
        """
        n = len(self.tree)
        c = sp.zeros(n, 1)
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    c[i] += (sp.diff(M[i, j], self.q[k]) - sp.diff(M[j, k], self.q[i]) / 2) * self.u[j] * self.u[k]
        return c

    def gravity_terms(self, gravity_m_s2: tuple[float, float]) -> Any:
        """Gravity's terms g (n, 1) of the q, for gravity (x, y) in the plane.

        Parameters
        ----------
        gravity_m_s2 : tuple[float, float]
            (x, y), m/s2.
        """
        g = sp.zeros(len(self.tree), 1)
        for b, body in enumerate(self.tree.bodies):
            for k in self.tree.path(b):
                x, y = self.components(self.column(k, b))
                g[k] -= exact(body.segment.mass_kg) * (exact(gravity_m_s2[0]) * x + exact(gravity_m_s2[1]) * y)
        return g.applyfunc(lambda e: sp.collect(sp.expand(e), [*e.atoms(sp.cos, sp.sin)]))

    def constraint(self, constraint: Pin | Coupling) -> list[Any]:
        """Expressions h of one constraint; a pin's in the axes of the last body both ends hang on.

        Parameters
        ----------
        constraint : Pin | Coupling
            A pin or a coupling.
        """
        if isinstance(constraint, Coupling):
            terms = [exact(c) * q for c, q in zip(constraint.coefficients, self.q, strict=True)]
            return [sum(terms, start=-exact(constraint.constant))]
        ends = [(constraint.body, constraint.place_m), (constraint.other, constraint.other_place_m)]
        paths = [self.tree.path(body) if body != BASE else () for body, _ in ends]
        shared = [k for k, other in zip(*paths, strict=False) if k == other]
        last = shared[-1] if shared else BASE
        here, there = (self.components(self.reach(body, place, last), self.angle(last)) for body, place in ends)
        return [sp.expand(here[0] - there[0]), sp.expand(here[1] - there[1])]


def constraints_of(loop: ClosedLoop, planar: PlanarTree) -> list[Any]:
    """All of h, in the order of the mechanism's constraints.

    Parameters
    ----------
    loop : ClosedLoop
        The mechanism.
    planar : PlanarTree
        Expressions of the mechanism's tree.

    Raises
    ------
    InvalidValueError
        A constraint that is neither a pin nor a coupling.
    """
    h: list[Any] = []
    for constraint in loop.constraints:
        if not isinstance(constraint, (Pin, Coupling)):
            raise InvalidValueError(
                f"{type(constraint).__name__} has no symbolic form.",
                value=constraint, expected="Pin or Coupling", where="constraints_of",
            )  # fmt: skip
        h += planar.constraint(constraint)
    return h
