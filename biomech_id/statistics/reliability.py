"""How repeatable curves are: within the trials of one session, and between its trials.

Cycles of one trial follow each other; those of another come after a rest. At each percent of the cycle the scatter is parted as in
a one-way analysis of variance with random groups of unequal size: variance of a cycle within its group, and of the groups. Their
roots over the cycle are standard errors of measurement (SEM) of one cycle and of one group, in the curve's unit; the coefficient
of multiple correlation (CMC) says how alike the curves' shapes are, 1 where they are the same (Kadaba et al. 1989, J Orthop Res
7:849, within-day form). An intraclass correlation needs several people: of one person there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Reliability:
    """How repeatable one curve is.

    Attributes
    ----------
    cycle_sem : float
        Of one cycle about its group's mean, root mean square over the cycle; NaN where no group has two cycles.
    group_sem : float
        Of one group's true mean about that of all; 0 where groups differ no more than their cycles explain, NaN for one group.
    cmc : float
        Of all cycles, 0 to 1; NaN for one cycle, and where the scatter is larger than the shape.
    n_cycles, n_groups : int
        How many there are.
    """

    cycle_sem: float
    group_sem: float
    cmc: float
    n_cycles: int
    n_groups: int


def reliability(groups: Sequence[FloatArray]) -> Reliability:
    """Return how repeatable a curve is within groups of cycles, and between the groups.

    Parameters
    ----------
    groups : Sequence[FloatArray]
        (n, points) each: the cycles of one trial, or of one session; without a missing value.

    Returns
    -------
    Reliability
        Standard deviations within and between groups, in the curves' unit.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.statistics.reliability import reliability
    >>> wave = 20.0 * np.sin(np.linspace(0.0, 6.0, 101))
    >>> found = reliability([wave + np.array([[-1.0], [1.0]]), wave + np.array([[4.0], [6.0]])])
    >>> round(found.cycle_sem, 2), round(found.group_sem, 2), round(found.cmc, 3)
    (1.41, 3.39, 0.977)
    """
    known = [group for group in groups if len(group)]
    counts = np.array([len(group) for group in known])
    n, m = int(counts.sum()), len(known)
    nothing = float("nan")
    if not n:
        return Reliability(nothing, nothing, nothing, 0, 0)
    every = np.concatenate(known)
    within = sum(((group - group.mean(axis=0)) ** 2).sum(axis=0) for group in known)
    cycle = float(np.mean(within / (n - m))) if n > m else nothing
    group_sem = nothing
    if m > 1 and n > m:
        between = sum(len(group) * (group.mean(axis=0) - every.mean(axis=0)) ** 2 for group in known) / (m - 1)
        size = (n - (counts**2).sum() / n) / (m - 1)
        # Clipped once, over the whole cycle: at single percents half of all estimates of nothing are negative.
        group_sem = float(np.sqrt(max(np.mean(between) - cycle, 0.0) / size))
    return Reliability(float(np.sqrt(cycle)), group_sem, _cmc(every), n, m)


def _cmc(curves: FloatArray) -> float:
    """Coefficient of multiple correlation of (n, points) curves."""
    n, points = curves.shape
    if n < 2:
        return float("nan")
    about_mean = ((curves - curves.mean(axis=0)) ** 2).sum() / (points * (n - 1))
    about_all = ((curves - curves.mean()) ** 2).sum() / (points * n - 1)
    squared = 1.0 - about_mean / about_all if about_all > 0 else float("nan")
    return float(np.sqrt(squared)) if squared >= 0 else float("nan")
