"""Self-starting charts of cumulative sums: many charts at once, one session after the other.

Before a session, n earlier ones have given mean m and squared deviations Q, and the session prints its own error s0:

    s^2 = (10 s0^2 + Q) / (10 + n - 1)        z = (x - m) / (s sqrt(1 + 1/n)), between -2.5 and 2.5
    C+ = max(0, C+ + z - k)                   C- = max(0, C- - z - k)

A sum beyond h is an alarm, and the chart starts again from nothing. The first 10 sessions fill m and Q only. What enters m and Q is
clipped as z is, so that one mishit teaches little. k = 0.75 and h = 5.1 give one false alarm in 200 sessions over 22 charts
(``benchmarks/studies/laboratory_memory.md``).

Reference: Hawkins, D. M. (1987). Self-starting CUSUM charts for location and scale. The Statistician 36, 299-316. Here the printed
error counts as ten sessions, values are clipped, and deviations are not made normal.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.values import dataclass, fields

#: Slack and limit of the sums, in standard deviations of one session.
SLACK, LIMIT = 0.75, 5.1
#: Sessions that only fill mean and deviations.
FILLING = 10
#: So many sessions the printed error counts as.
PRINTED_COUNTS = 10
#: Furthest deviation that counts, in standard deviations.
CLIPPED = 2.5
#: Sums upwards and downwards.
_WAYS = np.array([1.0, -1.0])


@dataclass(frozen=True, eq=False)
class Charts:
    """What many charts, of shape s, know before the next session.

    Attributes
    ----------
    count : FloatArray
        s, sessions behind mean and deviations.
    mean : FloatArray
        s, in the unit of each chart.
    squares : FloatArray
        s, sum of squared deviations, unit squared.
    sums : FloatArray
        (2, s), C+ and C-, standard deviations.
    rising : FloatArray
        (2, s), sessions since each sum was nothing.
    away : FloatArray
        (2, s), sum of the deviations from the mean in these sessions, in the unit of each chart.
    """

    count: FloatArray
    mean: FloatArray
    squares: FloatArray
    sums: FloatArray
    rising: FloatArray
    away: FloatArray

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Charts:
        """Return charts that know nothing.

        Parameters
        ----------
        shape : tuple[int, ...]
            Shape of the arrays of a chart, one element a chart.
        """
        one, two = np.zeros(shape), np.zeros((2, *shape))
        return cls(one, one, one, two, two, two)

    def deviation_sd(self, printed_sd: FloatArray) -> FloatArray:
        """Return the standard deviation of the next session from the mean so far.

        Parameters
        ----------
        printed_sd : FloatArray
            s, the error that the session prints for each value; above 0.

        Returns
        -------
        FloatArray
            s, in the unit of each chart.
        """
        n = np.maximum(self.count, 1.0)
        variance = (PRINTED_COUNTS * printed_sd**2 + self.squares) / (PRINTED_COUNTS + n - 1.0)
        return np.asarray(np.sqrt(variance * (1.0 + 1.0 / n)))


#: Names of the arrays of `Charts`.
CHART_ARRAYS = tuple(field.name for field in fields(Charts))


@dataclass(frozen=True, eq=False)
class Charted:
    """What one session was on the charts, before it was taken in; NaN and False where it has no value.

    Attributes
    ----------
    z : FloatArray
        s, deviation from the mean in standard deviations, clipped; NaN in the first session of a chart.
    sums : FloatArray
        (2, s), C+ and C- with this session; 0 while a chart fills.
    alarm : BoolArray
        s, whether either is beyond the limit.
    size : FloatArray
        s, mean deviation of the sessions behind an alarm, in the unit of each chart; NaN without one.
    sessions : FloatArray
        s, number of sessions behind an alarm; 0 without one.
    """

    z: FloatArray
    sums: FloatArray
    alarm: BoolArray
    size: FloatArray
    sessions: FloatArray


def chart_session(charts: Charts, values: FloatArray, printed_sd: FloatArray) -> tuple[Charts, Charted]:
    """Hold one session against the charts, and take it in.

    Parameters
    ----------
    charts : Charts
        Of shape s, before the session.
    values : FloatArray
        s, in the unit of each chart; NaN where the session says nothing of a chart, which then stays as it is.
    printed_sd : FloatArray
        s, the error that the session prints for each value; above 0.

    Returns
    -------
    after : Charts
        With the session; empty where it was an alarm.
    charted : Charted
        What the session was on the charts.
    """
    n, there = charts.count, np.isfinite(values)
    known = there & (n > 0)
    s = charts.deviation_sd(printed_sd)
    deviation = np.where(known, values - charts.mean, 0.0)
    z = np.clip(deviation / s, -CLIPPED, CLIPPED)
    ways = _WAYS.reshape(2, *(1,) * values.ndim)
    sums = np.where(there & (n >= FILLING), np.maximum(0.0, charts.sums + ways * z - SLACK), charts.sums)
    grows, quiet = sums > 0.0, ~there
    rising = np.where(grows, charts.rising + 1.0, 0.0)
    away = np.where(grows, charts.away + deviation, 0.0)
    way = np.argmax(sums, axis=0)[None]
    of_way = [np.take_along_axis(each, way, axis=0)[0] for each in (sums, rising, away)]
    alarm = there & (of_way[0] > LIMIT)
    size = np.where(alarm, of_way[2] / np.maximum(of_way[1], 1.0), np.nan)
    charted = Charted(np.where(known, z, np.nan), sums, alarm, size, np.where(alarm, of_way[1], 0.0))

    clipped = np.where(known, charts.mean + z * s, np.where(there, values, 0.0))
    step = clipped - charts.mean
    mean = charts.mean + step / (n + 1.0)
    taken = Charts(n + 1.0, mean, charts.squares + step * (clipped - mean), sums, rising, away)
    return _chosen(quiet, charts, _chosen(alarm, Charts.empty(values.shape), taken)), charted


def _chosen(which: BoolArray, these: Charts, others: Charts) -> Charts:
    """These charts where asked for, the others elsewhere."""
    return Charts(*(np.where(which, getattr(these, name), getattr(others, name)) for name in CHART_ARRAYS))
