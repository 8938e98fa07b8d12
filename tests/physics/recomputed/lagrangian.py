"""Equations of motion from two energies, by SymPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp


class Lagrangian:
    """M, C, G of M q'' = C + G + forces, from energies in symbols: T and U are all that goes in."""

    def __init__(self, q: Any, v: Any, kinetic: Any, potential: Any, constants: dict[Any, float]) -> None:
        self.q, self.v, self.constants = q, v, constants
        self.M = sp.hessian(kinetic, v)
        momentum = sp.Matrix([kinetic]).jacobian(v)
        self.C = (sp.Matrix([kinetic]).jacobian(q) - (momentum.jacobian(q) * sp.Matrix(v)).T).T
        self.G = -sp.Matrix([potential]).jacobian(q).T

    @property
    def inverse(self) -> Any:
        """M^-1 by its adjugate."""
        return self.M.adjugate() / self.M.det()

    def at(self, expression: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """An expression, (r, c) or (r, 1), in states (N, n)."""
        matrix = sp.Matrix(expression)
        function = sp.lambdify([*self.q, *self.v], list(matrix.subs(self.constants)), "numpy", cse=True)
        found = np.array([function(*x, *y) for x, y in zip(q, v, strict=True)], dtype=float)
        return found.reshape(-1, *matrix.shape) if matrix.cols > 1 else found
