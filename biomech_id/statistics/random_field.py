"""How large the largest of a whole curve of t values may be by chance: random field theory in one dimension.

A curve of 101 points is neither one comparison nor 101: neighbours move together. How much is said by the full width at half
maximum (FWHM) of the kernel that would smooth white noise as much (Kiebel et al. 1999, NeuroImage 10:756). The chance that a smooth
curve of t values passes a height u anywhere follows from the expected number of stretches above it (Worsley et al. 1996, Human
Brain Mapping 4:58; for one dimension Pataky 2016, J Stat Softw 71:7)::

    E(u) = P(T > u) + (Q - 1) / FWHM * sqrt(4 ln 2) / (2 pi) * (1 + u^2 / df)^((1 - df) / 2)         P = 1 - exp(-E)

It is an upper estimate, and a close one for few degrees of freedom only where curves are smooth; a Bonferroni correction over the
points takes its place where that is less severe.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import OptionError, ShapeError

#: Chance of a false alarm that is accepted, of a whole curve.
ALPHA = 0.05
_WIDTH = 4.0 * np.log(2.0)


def curve_fwhm(residuals: FloatArray) -> float:
    """Return the smoothness of curves, as the full width at half maximum of a kernel, in points.

    Parameters
    ----------
    residuals : FloatArray
        (n, points), each curve less what explains it; points that any of them lacks do not count.

    Returns
    -------
    float
        Points; infinite for curves without any change.

    Raises
    ------
    ShapeError
        Fewer than two curves, or than three points.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.statistics.random_field import curve_fwhm
    >>> waves = np.sin(np.linspace(0.0, 6.0, 101) + np.array([[0.0], [1.0], [2.0], [4.0]]))
    >>> 20.0 < curve_fwhm(waves - waves.mean(axis=0)) < 40.0
    True
    """
    if residuals.ndim != 2 or residuals.shape[0] < 2 or residuals.shape[1] < 3:
        raise ShapeError(
            f"The smoothness of curves of shape {residuals.shape} cannot be told.",
            value=residuals.shape, expected="(at least 2, at least 3)", where="curve_fwhm",
        )  # fmt: skip
    slope = np.gradient(residuals, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        roughness = (slope**2).sum(axis=0) / ((residuals**2).sum(axis=0) + np.finfo(float).eps)
    known = np.isfinite(roughness)
    resels = np.sqrt(roughness[known] / _WIDTH).mean() if known.any() else 0.0
    return float(1.0 / resels) if resels > 0 else float("inf")


def chance_above(height: float, df: float, *, points: int, fwhm: float) -> float:
    """Return the chance that a curve of t values is above a height anywhere, where there is nothing to find; one-sided.

    Parameters
    ----------
    height : float
        Of the curve of t values; above 0.
    df : float
        Degrees of freedom of each t value.
    points : int
        Number of points of the curve.
    fwhm : float
        Smoothness of the residuals, full width at half maximum, points.

    Returns
    -------
    float
        0 to 1, one-sided.

    Examples
    --------
    >>> from biomech_id.statistics.random_field import chance_above
    >>> round(chance_above(3.5, 8, points=101, fwhm=15.0), 4)
    0.0699
    """
    from scipy.special import stdtr

    alone = float(stdtr(df, -height))
    along = (points - 1) / fwhm * np.sqrt(_WIDTH) / (2.0 * np.pi) * (1.0 + height**2 / df) ** ((1.0 - df) / 2.0)
    by_field = -np.expm1(-(alone + along))
    return float(max(min(by_field, points * alone), alone))


def curve_limit(df: float, *, points: int, fwhm: float, alpha: float = ALPHA) -> float:
    """Return the t value that the whole curve stays within, above and below, with a chance of 1 - alpha.

    Parameters
    ----------
    df : float
        Degrees of freedom of each t value.
    points : int
        Number of points of the curve.
    fwhm : float
        Smoothness of the residuals, full width at half maximum, points.
    alpha : float, optional
        Chance of passing it on either side.

    Returns
    -------
    float
        A t value, positive, that holds on both sides.

    Raises
    ------
    OptionError
        No degree of freedom, or an alpha that is no chance.

    Examples
    --------
    >>> from biomech_id.statistics.random_field import curve_limit
    >>> round(curve_limit(30, points=101, fwhm=20.0), 2)
    3.11
    """
    if df < 1 or not 0.0 < alpha < 1.0:
        raise OptionError(
            f"A limit of t values with {df:g} degrees of freedom and a chance of {alpha:g} cannot be told.",
            value=(df, alpha), expected="at least 1, and between 0 and 1", where="curve_limit",
        )  # fmt: skip
    from scipy.special import stdtrit

    low = -float(stdtrit(df, alpha / 2.0))
    high = -float(stdtrit(df, alpha / 2.0 / points)) + 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        if chance_above(middle, df, points=points, fwhm=fwhm) > alpha / 2.0:
            low = middle
        else:
            high = middle
    return middle
