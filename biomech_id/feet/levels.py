"""On what levels the feet stand: stairs, ramps and curbs are read from where the feet rest, never from the shape of the steps.

A foot rests while its middle hardly moves and the body goes on: who stands may hold a foot in the air. Its level is the height of
the lower of heel and toe marker then, a constant of the foot above the surface; between successive rests, of either foot, the
level of flat ground changes by less than markers are placed apart.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.feet.landmarks import Landmarks, path_velocity
from biomech_id.movement.feet import SAME_PLACE_M
from biomech_id.movement.feet import Levels as Levels
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: A foot that rests moves slower than this share of the speed of travel, and never needs to be slower than the second figure.
REST_SHARE, REST_M_S = 0.25, 0.15
#: A rest is at least this long.
REST_S = 0.10


@dataclass(frozen=True)
class Rest:
    """One foot at rest: when, where (horizontal, laboratory axes) and how high.

    Attributes
    ----------
    side : str
        Foot that rests: "L" or "R".
    time_s : float
        Middle of the rest, absolute seconds.
    place_m : tuple[float, float]
        Middle of the foot, metres.
    level_m : float
        Height of the lower of heel and toe marker, metres.
    """

    side: str
    time_s: float
    place_m: tuple[float, float]
    level_m: float


def find_levels(landmarks: Landmarks, speed_m_s: float, moving: BoolArray) -> Levels:
    """Return the levels on which the feet rest one after the other, over ground.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    speed_m_s : float
        Speed of travel: a foot rests while it is slower than a share of it.
    moving : BoolArray
        (n,), frames in which the body goes on.

    Returns
    -------
    Levels
        Rise and way from each rest to the next, m.
    """
    unsorted = (rest for side in landmarks.sides for rest in _rests(landmarks, side, speed_m_s, moving))
    rests = sorted(unsorted, key=lambda rest: rest.time_s)
    rises = tuple(b.level_m - a.level_m for a, b in pairwise(rests))
    ways = tuple(float(np.hypot(b.place_m[0] - a.place_m[0], b.place_m[1] - a.place_m[1])) for a, b in pairwise(rests))
    return Levels(rises, ways)


def _rests(landmarks: Landmarks, side: str, speed_m_s: float, moving: BoolArray) -> list[Rest]:
    heel, toe = landmarks.heel_lab_m[side], landmarks.toe_lab_m[side]
    middle: FloatArray = 0.5 * (heel + toe)
    with np.errstate(invalid="ignore"):
        slow = np.linalg.norm(path_velocity(middle, landmarks.rate_hz), axis=1) < max(REST_SHARE * speed_m_s, REST_M_S)
    rests: list[Rest] = []
    for first, last in runs(slow):
        if np.count_nonzero(moving[first:last]) < REST_S * landmarks.rate_hz:
            continue
        x, y = (float(np.median(middle[first:last, axis])) for axis in (0, 1))
        level = float(np.median(np.minimum(heel[first:last, 2], toe[first:last, 2])))
        time_s = landmarks.first_time_s + 0.5 * (first + last - 1) / landmarks.rate_hz
        if rests and np.hypot(x - rests[-1].place_m[0], y - rests[-1].place_m[1]) < SAME_PLACE_M:
            # Rolling on, a foot rests again where it stood: the lower level is the flat foot's.
            before = rests.pop()
            rests.append(Rest(side, before.time_s, before.place_m, min(before.level_m, level)))
        else:
            rests.append(Rest(side, time_s, (x, y), level))
    return rests
