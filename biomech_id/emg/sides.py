"""Were left and right leads exchanged? Seen in the phase: a calf works before its own foot leaves, not before the other's does.

Only gastrocnemius and tibialis anterior are asked: the own side wins in every healthy channel at hand. The bursts of rectus femoris
and hamstrings lie half a cycle apart, so that they look much the same from either foot's strikes. What is found is a proposal with
its number; nothing is ever renamed.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.emg.muscles import is_part_of
from biomech_id.emg.timing import inside_bands

#: Below this log ratio left and right are exchanged, or the events are.
EXCHANGED_BELOW = -0.4
#: Muscles that tell.
TELLING = ("gastrocnemius", "tibialis_anterior")


def tells_side(muscle: str) -> bool:
    """Whether a muscle's phase says which leg it is on.

    Parameters
    ----------
    muscle : str
        Name in `MUSCLES`, or "".
    """
    return bool(muscle) and any(muscle == name or is_part_of(muscle, name) for name in TELLING)


def side_evidence(muscle: str, own: FloatArray, other: FloatArray, *, own_off_percent: float, other_off_percent: float) -> float:
    """Return how much better a muscle's activity fits its own side's cycles than the other's.

    Each side's ratio is the mean envelope inside the muscle's normal bands over that outside.

    Parameters
    ----------
    muscle : str
        Its name in `MUSCLES`.
    own : FloatArray
        (n, k), its envelope over the cycles of the side it is named by, any unit.
    other : FloatArray
        (m, k), the same envelope over the other foot's cycles.
    own_off_percent : float
        Mean foot off of those cycles, percent.
    other_off_percent : float
        That of the other foot's.

    Returns
    -------
    float
        Log ratio, positive for the side it is named by; below -0.4 the leads are probably exchanged; NaN where either side has no
        cycle.
    """
    if not tells_side(muscle) or not len(own) or not len(other):
        return float("nan")
    ratios = [_contrast(muscle, cycles, off) for cycles, off in ((own, own_off_percent), (other, other_off_percent))]
    return float(np.log(ratios[0] / ratios[1])) if min(ratios) > 0 else float("nan")


def _contrast(muscle: str, cycles: FloatArray, foot_off_percent: float) -> float:
    mean = np.nanmean(cycles, axis=0)
    inside = inside_bands(muscle, np.linspace(0.0, 100.0, len(mean)), foot_off_percent)
    return float(mean[inside].mean() / mean[~inside].mean())
