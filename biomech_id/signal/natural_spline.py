"""The natural spline through samples at any times: cubic, straight beyond them, or quintic, a parabola beyond them.

Of all curves through the samples it has the least integral of its squared second (third) derivative; at both ends its derivatives
from the second (third) to the second (fourth) vanish. Written in B-splines (de Boor, A Practical Guide to Splines, 1978, chapters
IX to XIII) it is one banded system for all channels. On an even grid `biomech_id.signal.derivatives` has it in closed form.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.lapack import solve_banded
from biomech_id.errors import InvalidValueError

CUBIC, QUINTIC = 3, 5


class NaturalSpline:
    """A natural spline of one or many channels.

    Parameters
    ----------
    time_s : FloatArray
        (n,), rising; at least two times for a cubic, three for a quintic.
    values : FloatArray
        (n, k), one channel a column, any unit.
    degree : int, optional
        ``CUBIC`` (straight beyond the ends) or ``QUINTIC`` (a parabola there).

    Raises
    ------
    InvalidValueError
        Times that do not rise, or too few of them.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.natural_spline import NaturalSpline
    >>> time_s = np.array([0.0, 0.1, 0.25, 0.3, 0.5])
    >>> fall = NaturalSpline(time_s, 9.81 / 2 * time_s[:, None] ** 2)
    >>> fall(np.array([0.2, 0.6]), 1).ravel().round(3).tolist()
    [1.962, 5.886]
    """

    def __init__(self, time_s: FloatArray, values: FloatArray, degree: int = QUINTIC) -> None:
        n, half = len(time_s), (degree + 1) // 2
        if n < half or not (np.diff(time_s) > 0).all():
            raise InvalidValueError(
                f"A natural spline of degree {degree} was asked for through {n} times.",
                value=n, expected=f"at least {half} times, which rise", where="time_s",
            )  # fmt: skip
        self.time_s, self.degree, self._base = time_s, degree, values[0]
        first, last = time_s[1] - time_s[0], time_s[-1] - time_s[-2]
        beyond = np.arange(1, degree + 1)
        self._knots = np.concatenate([time_s[0] - first * beyond[::-1], time_s, time_s[-1] + last * beyond])
        self._pieces = [self._solved(values - self._base)]

    def _solved(self, values: FloatArray) -> FloatArray:
        """B-spline coefficients (n + degree - 1, k): the ends' conditions around those of the samples."""
        n, k = len(values), self.degree
        ends, size = (k - 1) // 2, n + k - 1
        band = np.zeros((2 * k - 1, size))
        rows = np.arange(n)
        weights = _basis(self._knots, k, rows + k, self.time_s)
        for column in range(k):
            band[k - 1 + ends - column, rows + column] = weights[:, column]
        for condition in range(ends):
            order = (k + 1) // 2 + condition
            for row, start in ((condition, 0), (size - ends + condition, n - 1)):
                columns = np.arange(start, start + k)
                band[k - 1 + row - columns, columns] = self._end(start, order)
        right = np.zeros((size, values.shape[1]))
        right[ends : ends + n] = values
        return solve_banded(k - 1, band, right)

    def _end(self, start: int, order: int) -> FloatArray:
        """Weights (degree,) of the coefficients from ``start`` in a derivative at the sample there, scaled to about one."""
        k = self.degree
        knots = self._knots[start : start + 2 * k + 1]
        step = knots[k + 1] - knots[k]
        rows = np.eye(k + 1)
        for p in range(order):
            rows = _difference(rows, _inner(knots, p), k - p)
        at = _basis(_inner(knots, order), k - order, np.array([k - order]), knots[[k]])
        return np.asarray((at[0] @ rows)[:k] * step**order)

    def __call__(self, time_s: FloatArray, order: int = 0) -> FloatArray:
        """Value (m, k), or a derivative, at other times.

        Parameters
        ----------
        time_s : FloatArray
            (m,), any.
        order : int, optional
            Which derivative, from 0 to the degree.
        """
        time_s = np.asarray(time_s, dtype=np.float64)
        inside = np.clip(time_s, self.time_s[0], self.time_s[-1])
        out = self._within(inside, order)
        away = time_s - inside
        if away.any():
            # Beyond the ends the derivatives from half the degree on stay zero.
            half = (self.degree + 1) // 2
            far = away != 0.0
            out[far] = 0.0
            for p in range(half - order):
                out[far] += self._within(inside[far], order + p) * (away[far] ** p / factorial(p))[:, None]
        return out

    def _within(self, time_s: FloatArray, order: int) -> FloatArray:
        k = self.degree
        while len(self._pieces) <= order:
            p = len(self._pieces) - 1
            self._pieces.append(_difference(self._pieces[p], _inner(self._knots, p), k - p))
        span = np.clip(np.searchsorted(self.time_s, time_s, side="right") - 1, 0, len(self.time_s) - 2) + k - order
        knots, c = _inner(self._knots, order), self._pieces[order]
        weights = _basis(knots, k - order, span, time_s)
        first = span - (k - order)
        out = sum(weights[:, [j]] * c[first + j] for j in range(k - order + 1))
        return np.asarray(out + self._base if order == 0 else out)


def _inner(knots: FloatArray, n: int) -> FloatArray:
    """Knots without the ``n`` outermost at either end."""
    return knots[n : len(knots) - n]


def _basis(knots: FloatArray, degree: int, span: NDArray[np.intp], x: FloatArray) -> FloatArray:
    """Values (m, degree + 1) of the B-splines that are not zero between ``knots[span]`` and the next."""
    N = np.zeros((len(x), degree + 1))
    N[:, 0] = 1.0
    right = [knots[span + j] - x for j in range(degree + 1)]
    left = [x - knots[span + 1 - j] for j in range(degree + 1)]
    for j in range(1, degree + 1):
        carried = np.zeros(len(x))
        for r in range(j):
            share = N[:, r] / (right[r + 1] + left[j - r])
            N[:, r] = carried + right[r + 1] * share
            carried = left[j - r] * share
        N[:, j] = carried
    return N


def _difference(c: FloatArray, knots: FloatArray, degree: int) -> FloatArray:
    """Coefficients of the derivative, which is of one degree less on the knots without the outermost."""
    width = knots[degree + 1 : degree + len(c)] - knots[1 : len(c)]
    return np.asarray(degree * np.diff(c, axis=0) / width[:, None])
