"""The natural quintic spline that smooths a path by as much as generalised cross-validation says its noise is worth.

Of all curves f through n evenly spaced samples y at unit step it minimises ``sum |y - f|^2 + lambda integral |f'''|^2``. With Q the
(n, n - 3) matrix of third differences and R the Gram matrix of the quadratic B-splines (66, 26, 1 over 120 along its diagonals) ::

    (R + lambda Q'Q) g = Q' y,      y - f = lambda Q g,      trace(I - A) = n - 3 - trace((R + lambda Q'Q)^-1 R),

A being the matrix that takes y to f. Lambda is the minimum of ``sum |y - f|^2 / trace(I - A)^2`` (Craven and Wahba 1979, Numer
Math 31:377), one for all channels of a path. The trace needs the inverse within its band only, which the factors give in one
backward sweep (Hutchinson and de Hoog 1985, Numer Math 47:99). Paths that were filtered before show no noise, lambda vanishes, and
the spline passes through the samples.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import FloatArray, all_finite
from biomech_id.algebra.lapack import lapack
from biomech_id.signal.runs import runs

#: Decadic logarithms of lambda, for a step of one sample; at the lower end the curve passes through the samples to rounding.
LEAST, MOST, STEP = -8.0, 6.0, 0.25
#: Half width, in decades, of the last search, and how many lambdas it tries.
_NEAR, _TRIED = 0.02, 9
_AROUND = np.linspace(-_NEAR, _NEAR, _TRIED)
#: Samples that a stretch needs: with fewer the noise cannot be separated from the path.
SHORTEST = 8
_BAND = 3


def smoothed(values: FloatArray) -> FloatArray:
    """Smooth one path by as much as its own noise is worth.

    Parameters
    ----------
    values : FloatArray
        (n, k), channels of one path, evenly spaced; every uninterrupted stretch of rows without NaN is smoothed by itself, and
        stretches of fewer than eight samples are left as they are.

    Returns
    -------
    FloatArray
        (n, k), the spline at the samples, in the unit of ``values``; missing where they are.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.smoothing_spline import smoothed
    >>> true = np.sin(np.arange(200) / 30.0)[:, None]
    >>> noisy = true + 0.01 * np.random.default_rng(1).normal(size=true.shape)
    >>> bool(np.std(smoothed(noisy) - true) < 0.5 * np.std(noisy - true))
    True
    """
    out = np.array(values, dtype=np.float64)
    for start, stop in runs(all_finite(out)):
        if stop - start >= SHORTEST:
            stretch = out[start:stop] - out[start]
            strength = best_log10_lambda(stretch)
            if strength > LEAST:
                out[start:stop] -= _residual(stretch, 10.0**strength)
    return out


def smoothed_together(paths: FloatArray) -> FloatArray:
    """Smooth several paths, each by its own noise, as `smoothed` does one by one.

    Parameters
    ----------
    paths : FloatArray
        (n, m, k), m paths of k channels, evenly spaced. Where none is interrupted all are tried at once, which is quicker.

    Returns
    -------
    FloatArray
        (n, m, k), the splines at the samples, in the unit of ``paths``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.smoothing_spline import smoothed, smoothed_together
    >>> noisy = np.random.default_rng(1).normal(size=(40, 2, 3))
    >>> bool(np.allclose(smoothed_together(noisy)[:, 1], smoothed(noisy[:, 1])))
    True
    """
    n, m, k = paths.shape
    if n < SHORTEST or not np.isfinite(paths).all():
        return np.stack([smoothed(paths[:, i]) for i in range(m)], axis=1)
    out, stretch = np.array(paths, dtype=np.float64), paths - paths[0]
    grid = np.arange(LEAST, MOST + STEP / 2, STEP)
    third = np.diff(stretch.reshape(n, m * k), 3, axis=0)
    residuals = np.array([(_taken_out(third, 10.0**each) ** 2).sum(axis=0).reshape(m, k).sum(axis=1) for each in grid])
    scores = residuals / _traces(n, tuple(grid))[:, None] ** 2
    noisy = [i for i in range(m) if _shows_noise(scores[:, i])]
    if not noisy:
        return out
    near = {i: _middle(grid, scores[:, i]) + _AROUND for i in noisy}
    # The traces of all lambdas that are tried at once cost what those of one path cost.
    traces = _traces(n, tuple(np.concatenate([*near.values(), grid[:1]])))[:-1].reshape(len(noisy), -1)
    for i, own in zip(noisy, traces, strict=True):
        strength = _last(near[i], _scores(stretch[:, i], near[i], own))
        if strength > LEAST:
            out[:, i] -= _residual(stretch[:, i], 10.0**strength)
    return out


def best_log10_lambda(values: FloatArray) -> float:
    """Decadic logarithm of the best lambda, for a step of one sample.

    Parameters
    ----------
    values : FloatArray
        (n, k), channels of one path, evenly spaced, none missing.

    Returns
    -------
    float
        `LEAST` to `MOST`; `LEAST` where the values show no noise.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.smoothing_spline import best_log10_lambda
    >>> best_log10_lambda(np.zeros((40, 3)))
    -8.0
    """
    grid = np.arange(LEAST, MOST + STEP / 2, STEP)
    scores = _scores(values, grid, _traces(len(values), tuple(grid)))
    if not _shows_noise(scores):
        return LEAST
    near = _middle(grid, scores) + _AROUND
    return _last(near, _scores(values, near, _traces(len(values), tuple(near))))


def _shows_noise(scores: FloatArray) -> bool:
    """Whether some smoothing is better than none."""
    lowest = int(np.argmin(scores))
    return lowest > 0 and float(scores[lowest]) != 0.0


def _middle(grid: FloatArray, scores: FloatArray) -> float:
    """About where the scores on the grid are lowest."""
    first = min(max(int(np.argmin(scores)) - 2, 0), len(grid) - 5)
    about = slice(first, first + 5)
    return _bottom(grid[about], scores[about])


def _last(near: FloatArray, scores: FloatArray) -> float:
    return float(np.clip(_bottom(near, scores), LEAST, MOST))


def _bottom(x: FloatArray, scores: FloatArray) -> float:
    """Where the quartic closest to the logarithms of the scores is lowest within or just beyond ``x``."""
    quartic = np.polynomial.Polynomial.fit(x, np.log(scores), 4)
    slopes = quartic.deriv().roots()
    real = slopes[np.isreal(slopes)].real
    inside = real[np.abs(real - x.mean()) <= 0.6 * np.ptp(x)]
    return float(min([*inside, *x], key=quartic))


def _scores(values: FloatArray, log10_lambda: FloatArray, traces: FloatArray) -> FloatArray:
    third = np.diff(values, 3, axis=0)
    residuals = [float((_taken_out(third, 10.0**each) ** 2).sum()) for each in log10_lambda]
    return np.asarray(np.array(residuals) / traces**2)


def _bands(n: int) -> tuple[FloatArray, FloatArray]:
    """Diagonals 0 to 3 of R and Q'Q, (4, n - 3) each, as `scipy.linalg.solveh_banded` takes them (lower form)."""
    gram = np.array([66.0, 26.0, 1.0, 0.0]) / 120.0
    differences = np.array([20.0, -15.0, 6.0, -1.0])
    ones = np.ones(n - 3)
    return np.outer(gram, ones), np.outer(differences, ones)


def _residual(values: FloatArray, strength: float) -> FloatArray:
    """What the spline takes out, y - f, (n, k)."""
    return _taken_out(np.diff(values, 3, axis=0), strength)


def _taken_out(third: FloatArray, strength: float) -> FloatArray:
    """The same from the third differences Q'y, (n - 3, k)."""
    g, _ = lapack().dpbtrs(_cholesky(len(third) + 3, strength), third, lower=1)
    out = np.zeros((len(third) + 3, third.shape[1]))
    for offset, weight in enumerate((-1.0, 3.0, -3.0, 1.0)):
        out[offset : offset + len(g)] += weight * g
    return strength * out


@lru_cache(maxsize=256)
def _cholesky(n: int, strength: float) -> FloatArray:
    """Banded Cholesky factor of R + lambda Q'Q, (4, n - 3): paths of one length try the same lambdas."""
    R, QQ = _bands(n)
    factor, _ = lapack().dpbtrf(R + strength * QQ, lower=1)
    return np.asarray(factor)


@lru_cache(maxsize=64)
def _traces(n: int, log10_lambda: tuple[float, ...]) -> FloatArray:
    """trace(I - A) for n samples and each lambda."""
    strength = 10.0 ** np.array(log10_lambda)
    R, QQ = _bands(n)
    # All lambdas at once: rows are diagonals of the unit lower factor, and of the inverse, of L D L'.
    lower, pivots = _factors((R[:, :1] + QQ[:, :1] * strength).T, n - 3)
    inverse = _inverse_diagonals(lower, pivots)
    traced = inverse[0] * R[0, 0] + 2 * (inverse[1] * R[1, 0] + inverse[2] * R[2, 0])
    out: FloatArray = n - 3 - traced
    out.flags.writeable = False
    return out


def _factors(diagonals: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """L (n, 3, m), below the diagonal, and D (n, m) of n-rowed Toeplitz matrices with diagonals 0 to 3 (m, 4)."""
    m = len(diagonals)
    lower, pivots = np.zeros((n + _BAND, _BAND, m)), np.zeros((n + _BAND, m))
    for j in range(n):
        pivot = diagonals[:, 0].copy()
        column = [diagonals[:, k].copy() for k in (1, 2, 3)]
        for back in range(1, min(_BAND, j) + 1):
            weight = lower[j - back, back - 1] * pivots[j - back]
            pivot -= weight * lower[j - back, back - 1]
            for k in range(1, _BAND - back + 1):
                column[k - 1] -= weight * lower[j - back, back + k - 1]
        pivots[j] = pivot
        for k in range(min(_BAND, n - 1 - j)):
            lower[j, k] = column[k] / pivot
    return lower[:n], pivots[:n]


def _inverse_diagonals(lower: FloatArray, pivots: FloatArray) -> FloatArray:
    """Sums along diagonals 0 to 3 of the inverse of L D L', (4, m)."""
    n, _, m = lower.shape
    sums = np.zeros((_BAND + 1, m))
    # Z[a][b]: the inverse at row j + a, column j + b, of the three rows below the one in hand.
    Z = np.zeros((_BAND, _BAND, m))
    for j in range(n - 1, -1, -1):
        row = -np.einsum("lm,lkm->km", lower[j], Z)
        corner = 1.0 / pivots[j] - (lower[j] * row).sum(axis=0)
        sums[0] += corner
        sums[1:] += row
        moved = np.empty_like(Z)
        moved[0, 0], moved[0, 1:], moved[1:, 0], moved[1:, 1:] = corner, row[:-1], row[:-1], Z[:-1, :-1]
        Z = moved
    return sums
