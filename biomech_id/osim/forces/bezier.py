"""Smooth curves of muscles: quintic Bezier pieces through corners, straight beyond their ends.

A corner joins two points with given slopes. With C where their lines meet and c the curviness, its control points are P0,
P0 + c (C - P0) twice, P1 + c (C - P1) twice, P1: value, slope and curvature go on from piece to piece. Millard, Uchida, Seth and
Delp, J Biomech Eng 135 (2013) 021005.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray

#: x, y and slope of a point of a curve.
Knot = tuple[float, float, float]
#: From control values to coefficients of 1, t, ... t^5.
_POWERS = np.array([
    [1, 0, 0, 0, 0, 0], [-5, 5, 0, 0, 0, 0], [10, -20, 10, 0, 0, 0],
    [-10, 30, -30, 10, 0, 0], [5, -20, 30, -20, 5, 0], [-1, 5, -10, 10, -5, 1],
], dtype=float)  # fmt: skip
#: Rounds of a search that halves its interval where Newton's step leaves it; eight are usual.
_ROUNDS = 60
#: Largest error of x on a curve, of the width of its piece: rounding.
_CLOSE = 4e-16


class BezierCurve:
    """A curve through knots.

    Parameters
    ----------
    knots : Sequence[Knot]
        From the left, x rising.
    curviness : Sequence[float]
        Of each piece between two of them, 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.forces.bezier import BezierCurve
    >>> bend = BezierCurve([(0.0, 0.0, 0.0), (2.0, 1.0, 1.0)], [0.5])
    >>> bend(np.array([-1.0, 0.0, 1.0, 2.0, 3.0])).round(4).tolist()
    [0.0, 0.0, 0.2656, 1.0, 2.0]
    """

    def __init__(self, knots: Sequence[Knot], curviness: Sequence[float]) -> None:
        self.knots = np.array(knots, dtype=float)
        first, last = self.knots[:-1], self.knots[1:]
        x, y = [], []
        for (x0, y0, d0), (x1, y1, d1), c in zip(first, last, curviness, strict=True):
            xc = (y1 - y0 + d0 * x0 - d1 * x1) / (d0 - d1) if d0 != d1 else (x0 + x1) / 2
            yc = y0 + d0 * (xc - x0)
            x.append([x0, *2 * [x0 + c * (xc - x0)], *2 * [x1 + c * (xc - x1)], x1])
            y.append([y0, *2 * [y0 + c * (yc - y0)], *2 * [y1 + c * (yc - y1)], y1])
        self._x, self._y = np.array(x) @ _POWERS.T, np.array(y) @ _POWERS.T

    def __call__(self, x: FloatArray) -> FloatArray:
        """Values of the curve.

        Parameters
        ----------
        x : FloatArray
            Anywhere, any shape.

        Returns
        -------
        FloatArray
            Of that shape.
        """
        at, slope = self.knots[:, 0], self.knots[:, 2]
        piece = np.clip(np.searchsorted(at, x, side="right") - 1, 0, len(self._x) - 1)
        t = self._parameter(np.clip(x, at[0], at[-1]), self._x[piece])
        beyond = np.where(x < at[0], slope[0] * (x - at[0]), np.where(x > at[-1], slope[-1] * (x - at[-1]), 0.0))
        return np.asarray(_polynomial(self._y[piece], t)[0] + beyond)

    @staticmethod
    def _parameter(x: FloatArray, coefficients: FloatArray) -> FloatArray:
        """Where on their pieces the curves have an x."""
        low, high = np.zeros_like(x), np.ones_like(x)
        width = coefficients[..., 1:].sum(axis=-1)
        t = (x - coefficients[..., 0]) / width
        for _ in range(_ROUNDS):
            value, slope = _polynomial(coefficients, t)
            off = value - x
            if (np.abs(off) <= _CLOSE * (width + np.abs(x))).all():
                break
            low, high = np.where(off <= 0, t, low), np.where(off >= 0, t, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = t - off / slope
            t = np.where((step >= low) & (step <= high), step, (low + high) / 2)
        return np.asarray(t)


def _polynomial(coefficients: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray]:
    value, slope = coefficients[..., 5], np.zeros_like(t)
    for k in range(4, -1, -1):
        slope = slope * t + value
        value = value * t + coefficients[..., k]
    return np.asarray(value), np.asarray(slope)
