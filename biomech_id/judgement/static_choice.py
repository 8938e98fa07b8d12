"""A static trial of another visit: on two segments and more, markers lie elsewhere than in the walks, and another static fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from biomech_id.anatomy import Part
from biomech_id.conventions import MM_PER_M
from biomech_id.errors import Finding
from biomech_id.movement.movement import CalibratedModel
from biomech_id.request.intake import stands_still
from biomech_id.trial import Markers, Trial

#: Median distance of two markers of one segment, static against walk: 8.4 mm at most in 14 of 18 sessions of one placement, 14 on a
#: thigh. A segment with a larger difference than the first fits no more; of a static that fits each stays below the second.
ELSEWHERE_M, FITS_M = 0.015, 0.012
#: Segments that have to speak against a static trial: each rests on markers of its own.
FEWEST_SEGMENTS = 2
#: Marker pair of a segment, and how far its distance is off, m.
Misfit = tuple[str, str, float]


def static_of_another_visit(model: CalibratedModel, static: Trial | None, trials: Sequence[Trial]) -> Iterator[Finding]:
    """Yield that a static trial does not fit the movements, where another standing trial of the session does.

    Parameters
    ----------
    model : CalibratedModel
        Calibrated on the static trial; it knows which markers move together.
    static : Trial | None
        The trial it is calibrated on; None says nothing.
    trials : Sequence[Trial]
        The session's recordings with markers, standing ones among them.

    Yields
    ------
    Finding
        ``static-of-another-visit``, with the worst pair of each segment that is off and the static trial that fits.
    """
    if static is None:
        return
    others = [trial for trial in trials if trial.name != static.name]
    standing = [trial for trial in others if stands_still(trial)]
    walks = [model.named(trial).markers for trial in others if trial not in standing]
    if not standing or not walks:
        return
    off = [each for each in _misfits(model, static, walks).values() if each[2] > ELSEWHERE_M]
    fitting = [trial for trial in standing if _fits(_misfits(model, trial, walks))]
    if len(off) >= FEWEST_SEGMENTS and len(fitting) == 1:
        pairs = [(first, second, MM_PER_M * apart_m) for first, second, apart_m in off]
        values = {"static": static.name, "pairs": pairs, "fits": fitting[0].name, "file": Path(fitting[0].path).name}
        yield Finding("static-of-another-visit", values, static.name)


def _fits(misfits: dict[Part, Misfit]) -> bool:
    return len(misfits) >= FEWEST_SEGMENTS and all(apart_m <= FITS_M for *_, apart_m in misfits.values())


def _misfits(model: CalibratedModel, static: Trial, walks: Sequence[Markers]) -> dict[Part, Misfit]:
    """Segment -> its pair of markers whose distance in the static trial is farthest from that in all movements."""
    standing, worst = model.named(static).markers, {}
    for part, names in model.marker_groups.items():
        off = [
            (first, second, _apart_m(standing, walks, first, second))
            for first, second in combinations([name for name in names if name in standing.names], 2)
        ]
        known = [each for each in off if np.isfinite(each[2])]
        if known:
            worst[part] = max(known, key=lambda each: each[2])
    return worst


def _apart_m(static: Markers, walks: Sequence[Markers], first: str, second: str) -> float:
    """Least difference of a distance between a static trial and the movements, so that one exchange in one of them is no misfit."""
    stood_m = _distance_m(static, first, second)
    off = [abs(_distance_m(walk, first, second) - stood_m) for walk in walks if first in walk.names and second in walk.names]
    return min((each for each in off if np.isfinite(each)), default=float("nan"))


def _distance_m(markers: Markers, first: str, second: str) -> float:
    distances = np.linalg.norm(markers[first] - markers[second], axis=1)
    return float(np.nanmedian(distances)) if np.isfinite(distances).any() else float("nan")
