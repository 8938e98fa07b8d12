"""From seconds to percent of a cycle."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError, ShapeError


def normalise(
    values: FloatArray, rate_hz: float, first_time_s: float, start_s: float, end_s: float, *, points: int = 101, first_row: int = 0
) -> FloatArray:
    """Interpolate frame values linearly at equally spaced points of a cycle, from its start (0 %) to its end (100 %).

    Start and end are event times, not frames, so they lie between frames as a rule. A point between two frames of which one is
    missing is missing. The two ends are the exception: where the frame just outside the cycle is missing (the next stance has no
    plate, say), the line through the two nearest frames inside is continued, by less than one frame. Anyone can repeat this from
    ``trials/<stem>.csv`` with a ruler.

    Parameters
    ----------
    values : FloatArray
        (n,) or (n, k), one row per video frame, any unit; NaN where missing.
    rate_hz, first_time_s : float
        Video rate, and absolute time of row 0.
    start_s, end_s : float
        The cycle, absolute seconds.
    points : int, optional
        Number of points, both ends included.
    first_row : int, optional
        Number of the recording's row that ``values`` begin with, where the rows far before and after the cycle were left out.

    Returns
    -------
    FloatArray
        (points,) or (points, k); NaN outside the rows.

    Raises
    ------
    InvalidValueError
        The cycle does not end after it starts.
    ShapeError
        Values of more than two axes.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.gait.normalise import normalise
    >>> angle_deg = np.arange(101.0)
    >>> normalise(angle_deg, 100.0, 0.0, 0.105, 0.905, points=5)
    array([10.5, 30.5, 50.5, 70.5, 90.5])
    """
    if not end_s > start_s:
        raise InvalidValueError(
            f"A cycle from {start_s} to {end_s} s cannot be normalised.",
            value=(start_s, end_s), expected="an end after the start", where="normalise",
        )  # fmt: skip
    if values.ndim not in (1, 2):
        raise ShapeError(
            f"Values of shape {values.shape} cannot be normalised.",
            value=values.shape, expected="(n,) or (n, k)", where="normalise",
        )  # fmt: skip
    place = (np.linspace(start_s, end_s, points) - first_time_s) * rate_hz
    # An event on a frame must not reach for its neighbour because of the last bit of a product.
    place = np.where(np.abs(place - np.round(place)) < 1e-6, np.round(place), place) - first_row
    table = values.reshape(len(values), -1)
    out = _interpolated(table, place)
    _continue_ends(table, place, out)
    return out.reshape((points, *values.shape[1:]))


def _interpolated(table: FloatArray, place: FloatArray) -> FloatArray:
    """Linear interpolation of rows at fractional row numbers; a row met exactly does not need its neighbour."""
    before = np.floor(place).astype(int)
    share = (place - before)[:, None]
    last = len(table) - 1
    outside = (place < 0) | (place > last)
    a, b = table[np.clip(before, 0, last)], table[np.clip(before + 1, 0, last)]
    mixed: FloatArray = np.where(share == 0.0, a, (1.0 - share) * a + share * b)
    mixed[outside] = np.nan
    return mixed


def _continue_ends(table: FloatArray, place: FloatArray, out: FloatArray) -> None:
    """Fill points between the cycle's end and its last frame inside (and likewise at its start) along the line inside."""
    inner, last = int(np.ceil(place[0])), int(np.floor(place[-1]))
    for points, a, b in ((place < inner, inner, inner + 1), (place > last, last, last - 1)):
        if not points.any() or last - inner < 1 or min(a, b) < 0 or max(a, b) >= len(table):
            continue
        slope = (table[b] - table[a]) / (b - a)
        line = table[a] + slope * (place[points] - a)[:, None]
        out[points] = np.where(np.isfinite(out[points]), out[points], line)
