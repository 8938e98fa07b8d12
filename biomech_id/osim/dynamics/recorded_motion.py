"""A table of coordinates over time as OpenSim's inverse dynamics tool takes it: padded, on an even grid, filtered, differentiated.

The steps, their order and their numbers are the tool's (see docs/opensim-engine.md): where they are odd, its results are odd in the
same way.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.lapack import solve_banded
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.signal.natural_spline import NaturalSpline
from biomech_id.values import dataclass

#: Highest cut-off that the tool takes, as a share of the sampling rate.
_HIGHEST_SHARE = 0.49
#: Mean step over the smallest one; a grid of the smallest would have as many times more rows.
MOST_UNEVEN = 50.0
#: Samples that each pass of the filter leaves as they are.
_ORDER = 3


@compact_repr
@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """Coordinates with two derivatives in time.

    Attributes
    ----------
    time_s : FloatArray
        (N,), s, rising; evenly spaced where the motion was filtered.
    q, rate, second : FloatArray
        (N, nq), coordinates in the model's order, rad or m, and their derivatives.
    """

    time_s: FloatArray
    q: FloatArray
    rate: FloatArray
    second: FloatArray


def recorded_motion(
    model: MusculoskeletalModel,
    time_s: FloatArray,
    columns: Mapping[str, FloatArray],
    *,
    in_degrees: bool,
    cutoff_hz: float = -1.0,
    time_range_s: tuple[float, float] = (-np.inf, np.inf),
) -> RecordedMotion:
    """Filter and differentiate recorded coordinates as OpenSim's inverse dynamics tool does.

    Parameters
    ----------
    model : MusculoskeletalModel
        Whose coordinates they are; those that are not recorded stay at their default.
    time_s : FloatArray
        (n,), of the recording.
    columns : Mapping[str, FloatArray]
        Recorded values (n,) of each coordinate, by its name.
    in_degrees : bool
        Whether rotational coordinates are in degrees; coupled ones never are.
    cutoff_hz : float, optional
        Of the low-pass filter, Hz; negative for none.
    time_range_s : tuple[float, float], optional
        From when to when.

    Returns
    -------
    RecordedMotion
        All of the model's coordinates (N, nq) with two derivatives, at the times for which the tool writes a row.

    Raises
    ------
    InvalidValueError
        Fewer than three times, times that do not rise, or that are too uneven for a grid of their smallest step; a number that is
        none.
    """
    names = [name for name in model.coordinate_names if name in columns]
    _check_recording(time_s, {name: columns[name] for name in names})
    values = np.column_stack([columns[name] for name in names]) if names else np.zeros((len(time_s), 0))
    if cutoff_hz >= 0:
        time_s, values = mirrored(time_s, len(time_s) // 2), mirrored(values, len(time_s) // 2)
        time_s, values = tool_lowpass(time_s, values, cutoff_hz)
    rotational = [model.coordinates[model.index(name)].motion == "rotational" for name in names]
    values = np.where(np.array(rotational) & in_degrees, np.deg2rad(values), values)
    rows = slice(row_before(time_s, time_range_s[0]), row_before(time_s, time_range_s[1]) + 1)
    spline, at = NaturalSpline(time_s, values), time_s[rows]
    q = np.tile([coordinate.default for coordinate in model.coordinates], (len(at), 1))
    rate, second = np.zeros_like(q), np.zeros_like(q)
    chosen = [model.index(name) for name in names]
    for order, out in enumerate((q, rate, second)):
        out[:, chosen] = spline(at, order)
    return RecordedMotion(at, q, rate, second)


def _check_recording(time_s: FloatArray, columns: Mapping[str, FloatArray]) -> None:
    steps = np.diff(time_s)
    if len(time_s) < 3 or not np.isfinite(time_s).all() or steps.min() <= 0:
        raise InvalidValueError(
            f"The {len(time_s)} times of the motion do not rise steadily.",
            value=len(time_s), expected="at least three rising times", where="the motion's times",
        )  # fmt: skip
    if steps.mean() > MOST_UNEVEN * steps.min():
        after = float(time_s[int(np.argmin(steps))])
        raise InvalidValueError(
            f"The times of the motion are {steps.mean():.3g} s apart, but {steps.min():.3g} s after {after:g} s.",
            value=float(steps.min()), expected="even times, but for rounding", where="the motion's times",
        )  # fmt: skip
    for name, values in columns.items():
        if not np.isfinite(values).all():
            at = float(time_s[int(np.argmin(np.isfinite(values)))])
            raise InvalidValueError(
                f"The coordinate {name} has no value at {at:g} s.", value=float("nan"), expected="a number in every row", where=name
            )


def mirrored(values: FloatArray, count: int) -> FloatArray:
    """Extend values at both ends by their point reflection in the first and in the last.

    Parameters
    ----------
    values : FloatArray
        (n, ...), n more than ``count``.
    count : int
        How many values are added at either end.

    Returns
    -------
    FloatArray
        (n + 2 count, ...), the given values in the middle.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.dynamics.recorded_motion import mirrored
    >>> mirrored(np.array([1.0, 2.0, 4.0, 5.0]), 2).tolist()
    [-2.0, 0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 8.0]
    """
    before = 2 * values[0] - values[count:0:-1]
    after = 2 * values[-1] - values[-2 : -2 - count : -1]
    return np.concatenate([before, values, after])


def tool_lowpass(time_s: FloatArray, values: FloatArray, cutoff_hz: float) -> tuple[FloatArray, FloatArray]:
    """Low-pass columns with OpenSim's third-order Butterworth filter, forwards and backwards.

    Uneven times are put on a grid of their smallest step first. The cut-off is that of one pass.

    Parameters
    ----------
    time_s : FloatArray
        (n,), s, rising; even or not.
    values : FloatArray
        (n, k), one column a signal.
    cutoff_hz : float
        Cut-off of one pass, Hz; above half the sampling rate it is taken as 0.49 of that rate.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Times (m,), s, and filtered values (m, k); the given times where those are even.
    """
    steps = np.diff(time_s)
    step = float(steps.min())
    if (time_s[-1] - time_s[0]) / len(steps) - step > np.finfo(np.float64).eps:
        grid = np.cumsum(np.concatenate([time_s[:1], np.full(int((time_s[-1] - time_s[0]) / step) + 1, step)]))
        grid = grid[grid <= time_s[-1]]
        time_s, values = grid, NaturalSpline(time_s, values)(grid)
    cutoff_hz = min(cutoff_hz, _HIGHEST_SHARE / step) if cutoff_hz >= 0.5 / step else cutoff_hz
    return time_s, _pass(_pass(values, cutoff_hz * step)[::-1], cutoff_hz * step)[::-1]


def _pass(values: FloatArray, share: float) -> FloatArray:
    """One pass; ``share`` is the cut-off over the rate."""
    w = np.tan(np.pi * share)
    D = (w + 1) * (w * w + w + 1)
    gain = w**3 / D
    a1, a2, a3 = (3 * w**3 + 2 * w * w - 2 * w - 3) / D, (3 * w**3 - 2 * w * w - 2 * w + 3) / D, (w - 1) * (w * w - w + 1) / D
    right = values.copy()
    right[_ORDER:] = gain * (values[3:] + 3 * values[2:-1] + 3 * values[1:-2] + values[:-3])
    # The recursion y_i + a1 y_i-1 + a2 y_i-2 + a3 y_i-3 = right_i is a banded triangular system.
    band = np.ones((_ORDER + 1, len(values)))
    for k, coefficient in enumerate((a1, a2, a3), 1):
        band[k] = coefficient
        band[k, : _ORDER - k] = 0.0
    return solve_banded(_ORDER, band, right)


def row_before(time_s: FloatArray, at_s: float) -> int:
    """Find the last row at or before a time.

    Parameters
    ----------
    time_s : FloatArray
        (n,), s; the times have to rise.
    at_s : float
        The time looked for, s.

    Returns
    -------
    int
        Its index; 0 where every row is later.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.dynamics.recorded_motion import row_before
    >>> row_before(np.array([0.0, 0.1, 0.2]), 0.15), row_before(np.array([0.0, 0.1, 0.2]), -1.0)
    (1, 0)
    """
    return max(int(np.searchsorted(time_s, at_s, side="right")) - 1, 0)
