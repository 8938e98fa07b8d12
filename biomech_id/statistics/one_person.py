"""One person against a norm: is this number, is this curve, one that the norm's own population would have?

Both questions have one answer, a t value with n - 1 degrees of freedom that knows the norm's size (Crawford and Howell
1998, Clin Neuropsychol 12:482)::

    t = (x - mean) / (sd sqrt(1 + 1/n))

At each percent of a curve t is the same, and the whole curve is judged by how large its largest t may be (`random_field`): the band
mean +- `whole_curve_sd` x sd holds 95 % of whole curves of new people of the norm's kind, where the usual mean +- 2 sd holds far
fewer.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import OptionError
from biomech_id.session.values.norm import Spread
from biomech_id.statistics.random_field import ALPHA, chance_above, curve_fwhm, curve_limit
from biomech_id.values import dataclass

#: Fewer subjects than this say nothing of how much people differ.
LEAST_SUBJECTS = 5


@dataclass(frozen=True)
class AgainstNorm:
    """One person against a norm.

    Attributes
    ----------
    t : float
        Distance from the mean in standard deviations, less for a small norm; of a curve the largest.
    limit : float
        What 95 % of the norm's population stay within.
    p : float
        Chance that somebody of the norm's population is as far from the mean, or farther, on either side.
    percent : float
        Where in the cycle the curve is farthest; NaN for a scalar.
    outside_percent : float
        Part of the cycle that lies outside the band; NaN for a scalar.
    """

    t: float
    limit: float
    p: float
    percent: float = float("nan")
    outside_percent: float = float("nan")

    @property
    def outside(self) -> bool:
        """Whether fewer than 5 % of the norm's population are as far away."""
        return abs(self.t) > self.limit


def crawford_howell(value: float, mean: float, sd: float, n: int, *, spread: Spread | None = None) -> AgainstNorm:
    """Compare one number with a norm of n subjects, or with what a line through n subjects says (Crawford and Garthwaite 2006).

    Parameters
    ----------
    value : float
        The person's number, in the norm's unit.
    mean, sd : float
        Of the norm, in the same unit; sd with n - 1 in the denominator.
    n : int
        Number of subjects behind mean and SD.
    spread : Spread | None, optional
        How well mean and sd are known; None for those of n subjects.

    Returns
    -------
    AgainstNorm
        t, its limit at 95 %, and p, two-sided.

    Raises
    ------
    OptionError
        Fewer than two subjects, or no spread between them.

    Examples
    --------
    >>> from biomech_id.statistics.one_person import crawford_howell
    >>> found = crawford_howell(1.6, 1.2, 0.15, 10)
    >>> f"{found.t:.3f} {found.p:.4f} {found.outside}"
    '2.543 0.0316 True'
    """
    if n < 2 or not sd > 0:
        raise OptionError(
            f"A norm of {n} subjects with a standard deviation of {sd:g} cannot be compared with.",
            value=(n, sd), expected="at least 2 subjects who differ", where="crawford_howell",
        )  # fmt: skip
    from scipy.special import stdtr, stdtrit

    known = spread or Spread(1.0 / n, n - 1)
    t = (value - mean) / (sd * np.sqrt(1.0 + known.leverage))
    return AgainstNorm(float(t), -float(stdtrit(known.freedom, ALPHA / 2.0)), float(2.0 * stdtr(known.freedom, -abs(t))))


def whole_curve_sd(curves: FloatArray, *, alpha: float = ALPHA, spread: Spread | None = None) -> float:
    """Return how many standard deviations from the mean the whole curve of a new person stays within, with a chance of 1 - alpha.

    Parameters
    ----------
    curves : FloatArray
        (n, points), one for each subject, without a missing value.
    alpha : float, optional
        Part of new people who leave the band somewhere.
    spread : Spread | None, optional
        How well mean and SD are known; None for those of these curves.

    Returns
    -------
    float
        NaN for fewer than `LEAST_SUBJECTS` curves.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.statistics.one_person import whole_curve_sd
    >>> waves = np.sin(np.linspace(0.0, 3.0, 101) + np.arange(14.0)[:, None])
    >>> 2.2 < whole_curve_sd(waves) < 3.5
    True
    """
    n, points = curves.shape
    if n < LEAST_SUBJECTS:
        return float("nan")
    fwhm, known = curve_fwhm(curves - curves.mean(axis=0)), spread or Spread(1.0 / n, n - 1)
    return float(curve_limit(known.freedom, points=points, fwhm=fwhm, alpha=alpha) * np.sqrt(1.0 + known.leverage))


def curve_against(
    curve: FloatArray, mean: FloatArray, sd: FloatArray, *, n: int, reach_sd: float, spread: Spread | None = None
) -> AgainstNorm | None:
    """Compare a whole curve with a norm's simultaneous band; None where one of them is not whole.

    Parameters
    ----------
    curve : FloatArray
        (points,), the person's mean curve, in the norm's unit.
    mean, sd : FloatArray
        (points,) of the norm, same unit.
    n : int
        Number of subjects behind mean and SD.
    reach_sd : float
        As of `whole_curve_sd`, of the norm.
    spread : Spread | None, optional
        How well mean and sd are known; None for those of n subjects.

    Returns
    -------
    AgainstNorm | None
        The largest t with its sign, its limit over the whole curve, p, where in the cycle it lies, and the share of the cycle
        outside, percent.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.statistics.one_person import curve_against
    >>> flat = np.zeros(101)
    >>> found = curve_against(flat + 4.0, flat, flat + 1.0, n=20, reach_sd=3.1)
    >>> found and (found.outside, found.outside_percent, found.p < 0.05)
    (True, 100.0, True)
    """
    if n < LEAST_SUBJECTS or not np.isfinite(reach_sd):
        return None
    known = spread or Spread(1.0 / n, n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (curve - mean) / (sd * np.sqrt(1.0 + known.leverage))
    if not np.isfinite(t).all():
        return None
    limit, freedom = float(reach_sd / np.sqrt(1.0 + known.leverage)), known.freedom
    at = int(np.argmax(np.abs(t)))
    points = len(t)
    p = 2.0 * chance_above(abs(float(t[at])), freedom, points=points, fwhm=_fwhm_of(limit, freedom, points))
    return AgainstNorm(float(t[at]), limit, min(p, 1.0), 100.0 * at / (points - 1), 100.0 * float((np.abs(t) > limit).mean()))


def _fwhm_of(limit: float, df: int, points: int) -> float:
    """The smoothness, points, whose limit this is: a norm's table holds the limit alone."""
    if curve_limit(df, points=points, fwhm=float("inf")) >= limit:
        return float("inf")
    low, high = 0.0, 2.0  # of 1 / fwhm
    for _ in range(60):
        middle = 0.5 * (low + high)
        # Curves so smooth pass this limit too seldom: theirs is lower.
        if chance_above(limit, df, points=points, fwhm=1.0 / middle) < ALPHA / 2.0:
            low = middle
        else:
            high = middle
    return 2.0 / (low + high)
