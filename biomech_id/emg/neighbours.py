"""What channels have in common: one lead in two inputs, cross-talk, and how much two muscles are on together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.values import dataclass

#: Two raw channels that agree so well are one electrode, or one lead in two inputs...
ONE_LEAD = 0.95
#: ... and so well, possibly cross-talk: said, and no channel is refused for it.
CROSSTALK = 0.7


@dataclass(frozen=True)
class Likeness:
    """Two channels that look alike.

    Attributes
    ----------
    first : int
        Place of the one among the channels compared.
    second : int
        Place of the other.
    correlation : float
        Of their band-passed signals at zero lag.
    """

    first: int
    second: int
    correlation: float


def alike(bands: Sequence[FloatArray]) -> tuple[Likeness, ...]:
    """Return the pairs of channels whose signals agree at zero lag.

    Parameters
    ----------
    bands : Sequence[FloatArray]
        Each (n,), band-passed, any unit; NaN is left out.

    Returns
    -------
    tuple[Likeness, ...]
        The most alike first; empty where no correlation exceeds 0.7.
    """
    if len(bands) < 2:
        return ()
    stacked = np.nan_to_num(np.stack([band / np.nanmax(np.abs(band)) for band in bands]))
    matrix = np.corrcoef(stacked)
    pairs = np.argwhere(np.triu(np.abs(matrix) > CROSSTALK, k=1))
    likenesses = [Likeness(int(i), int(j), float(matrix[i, j])) for i, j in pairs]
    return tuple(sorted(likenesses, key=lambda pair: -abs(pair.correlation)))


def co_contraction_percent(first: FloatArray, second: FloatArray) -> float:
    """Return how much of two muscles' activity is common.

    Falconer and Winter 1985, Electromyogr Clin Neurophysiol 25:135.

    Parameters
    ----------
    first : FloatArray
        (n,), one envelope over a cycle, normalised.
    second : FloatArray
        (n,), the other, normalised in the same way, or the number means nothing.

    Returns
    -------
    float
        Percent: twice the area under the smaller over the sum of both; NaN without any activity.
    """
    both = float(np.nansum(first + second))
    return 200.0 * float(np.nansum(np.minimum(first, second))) / both if both > 0 else float("nan")
