"""What changed of gait profile scores between two visits, with the band of what both draw anew.

A score is a distance, and never falls below what errors make of it: its error is no straight line in theirs. So the errors are
drawn: of each variable and side the difference from the norm moves by z times the curve's own SD, z normal, new in every visit::

    GVS^2 = mean((d + z sd)^2) = mean(d^2) + 2 z mean(d sd) + z^2 mean(sd^2)

The band is half of what 95 % of the drawn changes span, of the errors that the two visits do not share (``sessions``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.gait.measures.scores import GAIT_VARIABLES, SCORE_POINTS
from biomech_id.session.tables.means import mean_of_known
from biomech_id.statistics.sessions import ComparedCycles, sources_apart
from biomech_id.values import dataclass

#: Draws of the errors of both visits, and where they begin.
N_DRAWS, SEED = 4000, 1
#: Name of a side's score, and of the score of both; the pelvis counts once in it, from the left.
OVERALL = ""
#: What a turned knee axis makes most of.
HIP_ROTATION = ("HipAngles", "Z")


@dataclass(frozen=True)
class ScoreChange:
    """A gait profile score of two visits, deg.

    Attributes
    ----------
    before, after : float
        Score of the earlier and the later visit, deg.
    band : float
        What 95 % of changes stay within where nothing changed; NaN where a visit has no bands.
    """

    before: float
    after: float
    band: float

    @property
    def change(self) -> float:
        """Second less first."""
        return self.after - self.before

    @property
    def beyond_error(self) -> bool:
        """Whether the change leaves its band; never where there is none."""
        return abs(self.change) > self.band


def score_changes(
    first: ComparedCycles, second: ComparedCycles, norm: Mapping[tuple[str, str], FloatArray], *, hip_rotation: bool = True
) -> dict[str, ScoreChange]:
    """Return the change of the profile score of each side, and under "" of both; what lacks a variable is left out.

    Parameters
    ----------
    first, second : ComparedCycles
        Cycles of the earlier visit and of the later one.
    norm : Mapping[tuple[str, str], FloatArray]
        (variable, component) -> mean curve (101,), deg.
    hip_rotation : bool, optional
        Whether hip rotation counts.
    """
    names = [name for name in GAIT_VARIABLES if hip_rotation or name != HIP_ROTATION]
    if not all(name in norm for name in names):
        return {}
    apart: frozenset[str] = frozenset() if first.markers_of(second) else sources_apart(first, second)
    rng = np.random.default_rng(SEED)
    squares = [{(side, *name): _squares(each, (side, *name), norm[name], apart, rng) for side in SIDES for name in names}
               for each in (first, second)]  # fmt: skip
    of = {side: [(side, *name) for name in names] for side in SIDES}
    of[OVERALL] = [*of["L"], *(name for name in of["R"] if name[1] != "PelvisAngles")]
    changes = {}
    for label, variables in of.items():
        scores = [np.sqrt(np.mean([visit[name] for name in variables], axis=0)) for visit in squares]
        if all(np.isfinite(score[0]) for score in scores):
            low, high = np.percentile(scores[1][1:] - scores[0][1:], (2.5, 97.5))
            changes[label] = ScoreChange(float(scores[0][0]), float(scores[1][0]), float(high - low) / 2.0)
    return changes


def _squares(
    each: ComparedCycles, name: tuple[str, str, str], normal: FloatArray, apart: frozenset[str], rng: np.random.Generator
) -> FloatArray:
    """Mean square difference from the norm (1 + draws,): as it is, and with the errors drawn."""
    curves, sd = each.curves(*name), each.anew_sd(*name, apart)
    z = rng.standard_normal(N_DRAWS)
    if not len(curves):
        return np.full(1 + N_DRAWS, np.nan)
    every = (2 * SCORE_POINTS - 2) // (SCORE_POINTS - 1)
    d = (mean_of_known(curves) - normal)[::every]
    sd = (np.zeros(1) if not apart else np.full(1, np.nan)) if sd is None else sd[::every]
    drawn = np.mean(d**2) + 2.0 * z * np.mean(d * sd) + z**2 * np.mean(sd**2)
    return np.concatenate([[np.mean(d**2)], drawn])
