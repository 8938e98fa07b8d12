"""Many functions of one coordinate each, evaluated together: a spline costs a dozen NumPy calls, and so do fifty at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.functions import ConstantFunction, PiecewisePolynomial, ScaledFunction
from biomech_id.multibody.joints import AxisFunction, PolynomialFunction


class FunctionBank:
    """K functions, each of a column.

    Parameters
    ----------
    functions : Sequence[AxisFunction]
        K functions of one coordinate each.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.skeleton.function_bank import FunctionBank
    >>> from biomech_id.multibody.functions import piecewise_linear
    >>> from biomech_id.multibody.joints import PolynomialFunction
    >>> bank = FunctionBank([piecewise_linear([0.0, 1.0], [0.0, 2.0]), PolynomialFunction((0.0, 0.0, 3.0))])
    >>> [values.tolist() for values in bank.all(np.array([[0.5, 0.5]]))]
    [[[1.0, 0.75]], [[2.0, 3.0]], [[0.0, 6.0]]]
    """

    def __init__(self, functions: Sequence[AxisFunction]) -> None:
        pieces = [_pieces(function) for function in functions]
        self._others = [(k, f) for k, (f, piece) in enumerate(zip(functions, pieces, strict=True)) if piece is None]
        self._together = np.array([k for k, piece in enumerate(pieces) if piece is not None], dtype=int)
        known = [piece for piece in pieces if piece is not None]
        breaks = max((len(piece[0]) for piece in known), default=1)
        powers = max((piece[1].shape[1] for piece in known), default=1)
        self._breaks = np.full((len(known), breaks), np.inf)
        self._start = np.zeros((len(known), breaks + 1))
        self._coefficients = np.zeros((powers, len(known), breaks + 1))
        for k, (at, coefficients) in enumerate(known):
            self._breaks[k, : len(at)] = at
            self._start[k, 0], self._start[k, 1 : len(at) + 1] = at[0], at
            self._coefficients[: coefficients.shape[1], k, : len(coefficients)] = coefficients.T
        self._rows = np.arange(len(known))

    def values(self, x: FloatArray) -> FloatArray:
        """Evaluate all functions.

        Parameters
        ----------
        x : FloatArray
            (N, K), of each function its coordinate.

        Returns
        -------
        FloatArray
            (N, K), in the functions' units.
        """
        out = np.empty_like(x)
        if len(self._together):
            h, terms = self._terms(x)
            out[:, self._together] = _horner(terms, h)
        for k, function in self._others:
            out[:, k] = function.value(x[:, k])
        return out

    def all(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Evaluate all functions with two derivatives.

        Parameters
        ----------
        x : FloatArray
            (N, K), of each function its coordinate.

        Returns
        -------
        tuple[FloatArray, FloatArray, FloatArray]
            Values, first and second derivatives, (N, K) each.
        """
        outs = np.empty_like(x), np.empty_like(x), np.empty_like(x)
        if len(self._together):
            h, terms = self._terms(x)
            once = [k * term for k, term in enumerate(terms)][1:]
            twice = [k * term for k, term in enumerate(once)][1:]
            for out, series in zip(outs, (terms, once, twice), strict=True):
                out[:, self._together] = _horner(series, h)
        for k, f in self._others:
            for out, values in zip(outs, (f.value(x[:, k]), f.slope(x[:, k]), f.curvature(x[:, k])), strict=True):
                out[:, k] = values
        return outs

    def _terms(self, x: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Distances (N, K) from the pieces' breaks, and their coefficients, lowest power first."""
        x = x[:, self._together]
        piece = (x[..., None] >= self._breaks).sum(axis=-1)
        return x - self._start[self._rows, piece], list(self._coefficients[:, self._rows, piece])


def _horner(terms: Sequence[FloatArray], h: FloatArray) -> FloatArray | float:
    if not len(terms):
        return 0.0
    total = terms[-1]
    for term in terms[-2::-1]:
        total = total * h + term
    return total


def _pieces(function: AxisFunction) -> tuple[FloatArray, FloatArray] | None:
    """Breaks and coefficients of a function that has some; None for any other."""
    if isinstance(function, ScaledFunction):
        inner = _pieces(function.inner)
        return None if inner is None else (inner[0], function.factor * inner[1])
    if isinstance(function, PiecewisePolynomial):
        return function.breaks, function.coefficients
    if isinstance(function, PolynomialFunction):
        return np.zeros(1), np.array([function.coefficients, function.coefficients])
    if isinstance(function, ConstantFunction):
        return np.zeros(1), np.full((2, 1), function.constant)
    return None
