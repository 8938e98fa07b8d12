"""Velocities and accelerations of sampled paths.

The natural quintic spline is the interpolant through all samples that minimises the integral of its squared third derivative;
its third and fourth derivatives vanish at both ends. It smooths nothing: on evenly spaced samples its second derivative is
accurate to the fourth order of the step in the interior. The conventional gait model differentiates with it
(docs/decisions/derivatives.md says why the textbook mode does too, and measures it).

On an even grid of step h, with B-spline coefficients c (two more than samples at either end), the values at a knot are ::

    f    = (  c[-2] + 26 c[-1] + 66 c[0] + 26 c[1] + c[2]) / 120
    f'   = ( -c[-2] - 10 c[-1]           + 10 c[1] + c[2]) / (24 h)
    f''  = (  c[-2] +  2 c[-1] -  6 c[0] +  2 c[1] + c[2]) / (6 h^2)
    f''' = ( -c[-2] +  2 c[-1]           -  2 c[1] + c[2]) / (2 h^3)
    f''''= (  c[-2] -  4 c[-1] +  6 c[0] -  4 c[1] + c[2]) / h^4

(de Boor, A Practical Guide to Splines, 1978, chapter X, written out for equal knots.) Interpolation and the four end conditions
are one banded linear system, solved for all channels at once.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.lapack import solve_banded
from biomech_id.errors import InvalidValueError
from biomech_id.signal.runs import channel_runs

#: Rows: the weights of c[-2]..c[2] in the value and the first to fourth derivative at a knot, for a step of one.
KNOT_WEIGHTS: FloatArray = np.array([
    [1.0, 26.0, 66.0, 26.0, 1.0],
    [-5.0, -50.0, 0.0, 50.0, 5.0],
    [20.0, 40.0, -120.0, 40.0, 20.0],
    [-60.0, 120.0, 0.0, -120.0, 60.0],
    [120.0, -480.0, 720.0, -480.0, 120.0],
]) / 120.0  # fmt: skip
#: Fewer samples than this do not determine the spline (its null space is the parabolas).
SHORTEST_RUN = 3
#: Frames at either end of a stretch in which the end conditions, which no body obeys, still show: the share of a condition at an
#: end that is left after k frames falls as 0.43^k, and the angular stencil of the conventional model needs four.
END_FRAMES = 4


def quintic_derivatives(values: FloatArray, rate_hz: float, orders: tuple[int, ...] = (1, 2)) -> tuple[FloatArray, ...]:
    """Derivatives at the samples of the natural quintic spline through them.

    Parameters
    ----------
    values : FloatArray
        (n, ...), any number of channels, any unit. Missing samples are NaN; every uninterrupted stretch of a channel is splined by
        itself, so a gap stays missing and the samples beyond it do not matter. Stretches of fewer than three samples have no
        derivative and become NaN.
    rate_hz : float
        Samples per second; the samples are evenly spaced.
    orders : tuple[int, ...], optional
        Which derivatives, from 0 to 4.

    Returns
    -------
    tuple[FloatArray, ...]
        One array of the shape of ``values`` for each order, in the unit of ``values`` per second to that power.

    Raises
    ------
    InvalidValueError
        An order outside 0 to 4.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.derivatives import quintic_derivatives
    >>> time_s = np.arange(50) / 100.0
    >>> velocity, acceleration = quintic_derivatives(9.81 / 2 * time_s**2, 100.0)
    >>> float(velocity[20].round(3)), float(acceleration[20].round(3))
    (1.962, 9.81)
    """
    if not set(orders) <= set(range(len(KNOT_WEIGHTS))):
        raise InvalidValueError(
            f"A quintic spline was asked for its derivatives of order {orders}.",
            value=orders, expected="orders from 0 to 4", where="orders",
        )  # fmt: skip
    flat = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    out = [np.full(flat.shape, np.nan) for _ in orders]
    for channels, start, stop in channel_runs(flat, SHORTEST_RUN):
        # The end rows mix scales; differences from the first sample keep positions far from the origin exact.
        base = flat[start, channels]
        c = _coefficients(flat[start:stop, channels] - base)
        for result, order in zip(out, orders, strict=True):
            weights = KNOT_WEIGHTS[order] * rate_hz**order
            at_knots = sum(w * c[k : len(c) - 4 + k] for k, w in enumerate(weights) if w)
            result[start:stop, channels] = at_knots + base if order == 0 else at_knots
    return tuple(result.reshape(np.shape(values)) for result in out)


def _coefficients(samples: FloatArray) -> FloatArray:
    """B-spline coefficients (n + 4, m) of the natural quintic spline through (n, m) samples at unit spacing."""
    right = np.zeros((len(samples) + 4, samples.shape[1]))
    right[2:-2] = samples
    return solve_banded(4, _collocation(len(samples)), right)


@lru_cache(maxsize=32)
def _collocation(n: int) -> FloatArray:
    """Banded matrix (9, n + 4) of the interpolation conditions between the end conditions f''' = f'''' = 0, two at each end."""
    value, third, fourth = KNOT_WEIGHTS[0], KNOT_WEIGHTS[3], KNOT_WEIGHTS[4]
    size = n + 4
    band = np.zeros((9, size))
    rows = [(0, 0, third), (1, 0, fourth), (size - 2, n - 1, third), (size - 1, n - 1, fourth)]
    rows += [(i + 2, i, value) for i in range(n)]
    for row, knot, weights in rows:
        columns = np.arange(knot, knot + 5)
        band[4 + row - columns, columns] = weights
    band.flags.writeable = False
    return band


def central_difference(values: FloatArray, rate_hz: float, half_width: int) -> FloatArray:
    """Slope between the samples k before and k behind each one, (v[i + k] - v[i - k]) rate / 2k.

    Parameters
    ----------
    values : FloatArray
        (n, ...), any number of channels, any unit; missing is NaN.
    rate_hz : float
        Samples per second; the samples are evenly spaced.
    half_width : int
        k, samples on either side.

    Returns
    -------
    FloatArray
        The shape of ``values``, in their unit per second; NaN in the first and last k samples and k samples beside a gap.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.derivatives import central_difference
    >>> central_difference(np.array([0.0, 0.01, 0.04, 0.09, 0.16]), 10.0, 1)
    array([nan, 0.2, 0.4, 0.6, nan])
    """
    out, span = np.full(np.shape(values), np.nan), 2 * half_width
    if len(out) > span:
        out[half_width:-half_width] = (values[span:] - values[:-span]) * (rate_hz / span)
    return out


def without_ends(values: FloatArray, margin: int = END_FRAMES) -> FloatArray:
    """Take out the first and last samples of every finite stretch of each channel.

    Parameters
    ----------
    values : FloatArray
        (n, ...), any number of channels, any unit; missing is NaN.
    margin : int, optional
        Samples taken out at either end of a stretch.

    Returns
    -------
    FloatArray
        A copy of ``values`` with NaN in those samples; a stretch of at most twice the margin is gone.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.derivatives import without_ends
    >>> without_ends(np.arange(5.0), 1)
    array([nan,  1.,  2.,  3., nan])
    """
    flat = np.array(values, dtype=np.float64).reshape(len(values), -1)
    for channels, start, stop in list(channel_runs(flat, 1)):
        flat[start : min(start + margin, stop), channels] = np.nan
        flat[max(stop - margin, start) : stop, channels] = np.nan
    return flat.reshape(np.shape(values))
