"""Copies of one recording among a session's: cut, smoothed or exported anew, their cycles would count twice in every mean.

No person walks the same path twice to millimetres. In 41 folders of recordings, those of the same movement lie up to 2.4 mm
apart (median over frames and common markers; some smoothed and cut, others not), and different ones at least 25 mm.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen, percentiles_seen
from biomech_id.trial import Trial

#: Copies lie no further apart than this (m), and share this much of the shorter one's frames.
COPIES_M, SHARED = 0.008, 0.5
#: Who moves less (m) may well stand in one place twice.
LEAST_MOVEMENT_M = 0.3
#: Fewer common markers do not tell a movement from another.
LEAST_COMMON_MARKERS = 4


def recorded_twice(trials: Sequence[Trial]) -> tuple[tuple[str, str], ...]:
    """Return the names of recordings, two by two, that show one and the same movement.

    Parameters
    ----------
    trials : Sequence[Trial]
        As read, laboratory axes.
    """
    return tuple((one.name, other.name) for one, other in combinations(trials, 2) if _same_movement(one, other))


def copies(trials: Sequence[Trial], kept: Collection[str] = ()) -> dict[str, str]:
    """Return the names of recordings that show a movement which another one shows at least as long -> that other one.

    Parameters
    ----------
    trials : Sequence[Trial]
        As read, laboratory axes, in the order of their names.
    kept : Collection[str], optional
        Names of copies that count all the same.
    """
    length = {trial.name: trial.n_frames for trial in trials}
    originals: dict[str, str] = {}
    for pair in recorded_twice(trials):
        first, second = sorted(pair, key=lambda name: -length[name])  # the earlier name of two of one length
        if second not in kept and first not in originals:
            originals.setdefault(second, first)
    return originals


def _same_movement(one: Trial, other: Trial) -> bool:
    names = [name for name in one.markers.names if name in other.markers]
    if one.rate_hz != other.rate_hz or len(names) < LEAST_COMMON_MARKERS:
        return False
    short_m, long_m = sorted((np.stack([each.markers[name] for name in names], axis=1) for each in (one, other)), key=len)
    seen = np.isfinite(short_m).all(axis=2).sum(axis=1)
    best = np.flatnonzero(seen == seen.max())
    if seen.max() < LEAST_COMMON_MARKERS or not _reach_m(short_m) > LEAST_MOVEMENT_M:
        return False
    # Where copies share half of their frames, they share one of these.
    anchors = {int(best[np.abs(best - share * len(short_m)).argmin()]) for share in (0.25, 0.5, 0.75)}
    return any(_lie_together(short_m, long_m, at) for at in sorted(anchors))


def _lie_together(short_m: FloatArray, long_m: FloatArray, at: int) -> bool:
    """Whether two recordings (n, k, 3) agree once frame ``at`` of the shorter lies on the most similar frame of the other."""
    apart_m = percentiles_seen(np.linalg.norm(long_m - short_m[at], axis=2).T, (50.0,))[0]
    if not np.isfinite(apart_m).any():
        return False
    later = int(np.nanargmin(apart_m)) - at
    first, last = max(0, -later), min(len(short_m), len(long_m) - later)
    both_m = np.linalg.norm(short_m[first:last] - long_m[first + later : last + later], axis=2)
    return last - first >= SHARED * len(short_m) and float(over_seen(np.nanmedian, both_m)) < COPIES_M


def _reach_m(path_m: FloatArray) -> float:
    """How far the marker that moves most goes."""
    ranges = over_seen(np.nanmax, path_m, axis=0) - over_seen(np.nanmin, path_m, axis=0)
    return float(over_seen(np.nanmax, np.linalg.norm(ranges, axis=-1)))
