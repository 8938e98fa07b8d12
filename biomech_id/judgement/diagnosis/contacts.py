"""When feet meet and leave the floor, by their markers alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.recorded import Recorded, WalkPaths

#: A foot is down while its marker (12 Hz) moves slower than this share of the walk.
SHARE_OF_WALK = 0.6
#: Kind of event -> marker, and whether its speed rises there.
_KINDS: Mapping[str, tuple[str, bool]] = {"strike": ("HEE", False), "off": ("TOE", True)}


def contacts(session: Recorded) -> Mapping[tuple[str, str], FloatArray]:
    """Return strikes and offs of both feet.

    Parameters
    ----------
    session : Recorded
        The session in memory.

    Returns
    -------
    Mapping[tuple[str, str], FloatArray]
        (side, "strike" | "off") -> times, seconds from the first frame.
    """
    return _contacts(session.paths)


@lru_cache(maxsize=8)
def _contacts(paths: WalkPaths) -> Mapping[tuple[str, str], FloatArray]:
    return {(side, kind): _crossings(paths, side + label, rising) for side in SIDES for kind, (label, rising) in _KINDS.items()}


def _crossings(paths: WalkPaths, label: str, rising: bool) -> FloatArray:
    above = paths.foot_speed_m_s[label] - SHARE_OF_WALK * paths.speed_m_s
    above = above if rising else -above
    at = np.flatnonzero((above[:-1] < 0) & (above[1:] >= 0))
    return np.asarray((at - above[at] / (above[at + 1] - above[at])) / paths.markers.rate_hz)


def nearest_time(times_s: FloatArray, time_s: float) -> float:
    """Return the time nearest to another; NaN where there is none.

    Parameters
    ----------
    times_s : FloatArray
        (n,), seconds.
    time_s : float
        The other one, seconds.
    """
    return float(times_s[np.argmin(np.abs(times_s - time_s))]) if times_s.size else float("nan")
