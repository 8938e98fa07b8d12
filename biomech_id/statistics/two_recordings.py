"""Before against after: do the cycles of two recordings differ, and is that more than two visits differ without any change?

The cycles of one recording are not independent, and none of them knows where the markers would be put another time. A test on
cycles therefore answers for these two recordings only, and is called so. A change is called one if the test says so *and* the
difference leaves, at the same percent, what markers that are placed anew and the scatter of the cycles make of an
unchanged walk::

    carried = limit * sqrt(2 session_sd^2 + sd^2 (1/n + 1/m))
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import ShapeError
from biomech_id.statistics.random_field import ALPHA, chance_above, curve_fwhm, curve_limit
from biomech_id.values import dataclass

#: Fewer cycles than this on either side are not tested.
LEAST_CYCLES = 3
#: What 95 % of normal numbers stay within, in standard deviations.
NORMAL_LIMIT = 1.9599639845400545


@dataclass(frozen=True, eq=False)
class CycleTest:
    """Two sets of curves against each other, within the two recordings they come from.

    Attributes
    ----------
    t : FloatArray
        (points,) second less first, in standard errors.
    limit : float
        What the whole curve of t stays within where nothing differs, 95 %.
    p : float
        Chance of so large a t anywhere, where the two recordings do not differ.
    df : float
        Degrees of freedom of each t value.
    fwhm : float
        Smoothness of the residuals, points.
    """

    t: FloatArray
    limit: float
    p: float
    df: float
    fwhm: float

    @property
    def differs(self) -> BoolArray:
        """(points,) where t leaves its limit."""
        return np.asarray(np.abs(self.t) > self.limit)


def cycles_against_cycles(first: FloatArray, second: FloatArray) -> CycleTest | None:
    """Compare the cycles of two recordings by t values over the cycle and random field theory; None for too few cycles.

    Parameters
    ----------
    first, second : FloatArray
        (n, points) and (m, points), one curve a cycle, without a missing value.

    Returns
    -------
    CycleTest | None
        t (points,) with its limit, p and smoothness; None for too few cycles.

    Raises
    ------
    ShapeError
        Curves of different lengths.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.statistics.two_recordings import cycles_against_cycles
    >>> waves = np.sin(np.linspace(0.0, 6.0, 101) + 0.1 * np.arange(6.0)[:, None])
    >>> test = cycles_against_cycles(waves, waves + 1.0)
    >>> test and bool(test.differs.any())
    True
    """
    if first.shape[1:] != second.shape[1:]:
        raise ShapeError(
            f"Curves of {first.shape[1:]} and {second.shape[1:]} points cannot be compared.",
            value=(first.shape, second.shape), expected="one number of points", where="cycles_against_cycles",
        )  # fmt: skip
    if min(len(first), len(second)) < LEAST_CYCLES:
        return None
    residuals = np.concatenate([first - first.mean(axis=0), second - second.mean(axis=0)])
    df, points = len(residuals) - 2, first.shape[1]
    variance = (residuals**2).sum(axis=0) / df
    error = np.sqrt(variance * (1.0 / len(first) + 1.0 / len(second)) + np.finfo(float).eps)
    t = np.asarray((second.mean(axis=0) - first.mean(axis=0)) / error)
    fwhm = curve_fwhm(residuals)
    limit = curve_limit(df, points=points, fwhm=fwhm)
    p = min(1.0, 2.0 * chance_above(float(np.abs(t).max()), df, points=points, fwhm=fwhm))
    return CycleTest(t, limit, p, df, fwhm)


@dataclass(frozen=True, eq=False)
class CurveChange:
    """What one curve changed by between two recordings.

    Attributes
    ----------
    difference : FloatArray
        (points,) mean of the second less mean of the first, in the curves' unit.
    sd : FloatArray
        (points,) standard deviation of a cycle about its recording's mean, both together; NaN where nobody can tell.
    carried : FloatArray
        (points,) what the difference must leave, 95 %: what two visits differ by without any change.
    test : CycleTest | None
        Of the cycles; None for too few of them.
    """

    difference: FloatArray
    sd: FloatArray
    carried: FloatArray
    test: CycleTest | None

    @property
    def changed(self) -> BoolArray:
        """(points,) where the test says so and the difference leaves what markers can make of it."""
        if self.test is None:
            return np.zeros(len(self.difference), dtype=bool)
        return np.asarray(self.test.differs & (np.abs(self.difference) > self.carried))

    @property
    def percent(self) -> float:
        """Where the change is largest, of where there is one; else where the difference is."""
        size = np.abs(self.difference) * (self.changed if self.changed.any() else 1.0)
        return 100.0 * int(np.argmax(size)) / (len(size) - 1)


def curve_change(first: FloatArray, second: FloatArray, session_sd: FloatArray, limit: float) -> CurveChange:
    """Compare the cycles of two recordings, and with what two visits differ by.

    Parameters
    ----------
    first, second : FloatArray
        (n, points) and (m, points), one curve a cycle.
    session_sd : FloatArray
        (points,) what one session's curve is off by, one standard deviation; 0 for two conditions of one session, whose markers
        stay where they are.
    limit : float
        How many standard deviations the whole curve of such an error stays within, 95 %.

    Returns
    -------
    CurveChange
        Second less first, (points,), with both tests' limits.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.statistics.two_recordings import curve_change
    >>> waves = np.sin(np.linspace(0.0, 6.0, 101) + 0.1 * np.arange(6.0)[:, None])
    >>> [bool(curve_change(waves, waves + 5.0, np.full(101, sd), 2.5).changed.any()) for sd in (0.0, 1.0, 2.0)]
    [True, True, False]
    """
    residuals = np.concatenate([first - first.mean(axis=0), second - second.mean(axis=0)])
    free = max(len(residuals) - 2, 0)
    sd = np.sqrt((residuals**2).sum(axis=0) / free) if free else np.full(first.shape[1], np.nan)
    difference = second.mean(axis=0) - first.mean(axis=0)
    of_cycles = np.nan_to_num(sd) ** 2 * (1.0 / len(first) + 1.0 / len(second))
    carried = limit * np.sqrt(2.0 * session_sd**2 + of_cycles)
    return CurveChange(difference, sd, carried, cycles_against_cycles(first, second))


@dataclass(frozen=True)
class ScalarChange:
    """What one number changed by between two recordings.

    Attributes
    ----------
    difference : float
        Mean of the second less mean of the first.
    sd : float
        Of a cycle about its recording's mean, both together; NaN where nobody can tell.
    carried : float
        What the difference must leave, 95 %: what two visits differ by without any change; NaN where that is not known.
    p : float
        Of the t test on the cycles, within these two recordings.
    """

    difference: float
    sd: float
    carried: float
    p: float

    @property
    def changed(self) -> bool:
        """Whether it is called a change: beyond both; never where one of them is not known."""
        return self.p < ALPHA and abs(self.difference) > self.carried


def scalar_change(first: FloatArray, second: FloatArray, session_sd: float) -> ScalarChange:
    """Compare one number of the cycles of two recordings.

    Parameters
    ----------
    first, second : FloatArray
        (n,) and (m,), one a cycle.
    session_sd : float
        What one session's number is off by, one standard deviation; 0 within one session, NaN where nobody knows.

    Returns
    -------
    ScalarChange
        Second less first, with what it has to leave behind.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.statistics.two_recordings import scalar_change
    >>> found = scalar_change(np.array([60.0, 61.0, 62.0]), np.array([70.0, 71.0, 72.0]), 3.0)
    >>> f"{found.difference:.1f} {found.sd:.1f} {found.changed}"
    '10.0 1.0 True'
    """
    first, second = first[np.isfinite(first)], second[np.isfinite(second)]
    nothing = float("nan")
    if not len(first) or not len(second):
        return ScalarChange(nothing, nothing, nothing, nothing)
    difference = float(second.mean() - first.mean())
    if min(len(first), len(second)) < LEAST_CYCLES:
        return ScalarChange(difference, nothing, nothing, nothing)  # nobody knows how much cycles scatter
    from scipy.special import stdtr

    free = len(first) + len(second) - 2
    sd = float(np.sqrt((((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()) / free))
    error = sd * np.sqrt(1.0 / len(first) + 1.0 / len(second))
    p = float(2.0 * stdtr(free, -abs(difference) / error)) if error > 0 else float(difference == 0.0)
    return ScalarChange(difference, sd, float(NORMAL_LIMIT * np.hypot(np.sqrt(2.0) * session_sd, error)), p)


def power_of_change(change: float, *, cycle_sd: float, session_sd: float, cycles: tuple[int, int]) -> float:
    """Return the share of pairs of visits in which a true change of one number would be called one.

    Parameters
    ----------
    change : float
        The true change, in the unit of the standard deviations.
    cycle_sd : float
        Of a cycle about its recording's mean, same unit.
    session_sd : float
        Of one session's error, same unit: two sessions differ by its root of two.
    cycles : tuple[int, int]
        Number of cycles of each recording.

    Returns
    -------
    float
        0 to 1.

    Examples
    --------
    >>> from biomech_id.statistics.two_recordings import power_of_change
    >>> [round(power_of_change(d, cycle_sd=2.0, session_sd=1.5, cycles=(8, 8)), 2) for d in (0.0, 5.0, 10.0)]
    [0.05, 0.57, 0.99]
    """
    from scipy.special import gammaincinv, ndtr, stdtrit

    free = sum(cycles) - 2
    error = cycle_sd * np.sqrt(1.0 / cycles[0] + 1.0 / cycles[1])
    between, limit_t = np.sqrt(2.0) * session_sd, -float(stdtrit(free, ALPHA / 2.0))
    # The difference scatters by the markers and by the cycles; the spread that it is tested with is independent of it.
    spread = np.sqrt(gammaincinv(free / 2.0, (np.arange(1000) + 0.5) / 1000.0) * 2.0 / free)
    needed = np.maximum(NORMAL_LIMIT * np.hypot(between, error * spread), limit_t * error * spread)
    total = np.hypot(between, error)
    return float((ndtr((change - needed) / total) + ndtr((-change - needed) / total)).mean())
