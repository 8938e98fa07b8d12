"""Residuals of how the markers of a leg run: they need nothing but the markers of the walk."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import BoolArray, over_seen
from biomech_id.judgement.diagnosis.recorded import smooth
from biomech_id.trial import Markers

#: A marker that moves this fast (m/s) on a straight line to this second difference (m) was filled in and not measured.
STRAIGHT_M, MOVING_M_S = 2e-6, 0.3
#: How much the heel shakes in the walk.
HEEL_JERK = "jerk HEE"
#: Cut-off of jerk, Hz.
JERK_HZ = 15.0


@lru_cache(maxsize=16)
def of_paths(side: str, paths: Markers) -> dict[tuple[str, str], float]:
    """Return how smooth the markers of one leg run: shaking, filtered apart, or filled straight.

    Parameters
    ----------
    side : str
        Which leg, "L" or "R".
    paths : Markers
        Of the walk.

    Returns
    -------
    dict[tuple[str, str], float]
        (residual, side) -> value, in the units of ``spread.csv``.
    """
    rate_hz, shaken = paths.rate_hz, ("THI", "KNE", "TIB", "HEE")
    jerk = smooth(np.stack([paths[side + label] for label in shaken], axis=1), rate_hz, JERK_HZ)
    for _ in range(3):
        jerk = np.gradient(jerk, 1.0 / rate_hz, axis=0)
    rms = dict(zip(shaken, np.sqrt(over_seen(np.nanmean, (jerk**2).mean(axis=2), axis=0)), strict=True))
    longest = 0
    for label in ("THI", "KNE", "TIB", "ANK", "HEE", "TOE"):
        path = paths[side + label]
        second_m = np.linalg.norm(path[2:] - 2 * path[1:-1] + path[:-2], axis=1)
        speed_m_s = np.linalg.norm(path[2:] - path[:-2], axis=1) * 0.5 * rate_hz
        longest = max(longest, _longest_run((second_m < STRAIGHT_M) & (speed_m_s > MOVING_M_S)))
    return {
        (HEEL_JERK, side): float(np.log(rms["HEE"])),
        ("jerk KNE / neighbours", side): float(np.log(rms["KNE"] / np.sqrt(rms["THI"] * rms["TIB"]))),
        ("straight run", side): float(longest),
    }


def _longest_run(which: BoolArray) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], which.astype(int), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))
