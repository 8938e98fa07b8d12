"""How far a gait is from a norm, in one number per variable and per side: gait variable score and gait profile score.

Baker et al. 2009 (Gait Posture 30:265): the gait variable score (GVS) is the root mean square, over 51 points of the cycle, of the
difference between a person's curve and the norm's mean; the gait profile score (GPS) of a side is the root mean square of its nine
GVS, the overall one that of fifteen, the pelvis counted once, from the left. The minimal clinically important difference of the GPS
is 1.6 deg (Baker et al. 2012, Gait Posture 35:612).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.errors import ShapeError
from biomech_id.values import dataclass, field

#: The nine variables of the movement analysis profile: variable and component of the sign table.
GAIT_VARIABLES: tuple[tuple[str, str], ...] = (
    ("PelvisAngles", "X"), ("PelvisAngles", "Y"), ("PelvisAngles", "Z"),
    ("HipAngles", "X"), ("HipAngles", "Y"), ("HipAngles", "Z"),
    ("KneeAngles", "X"), ("AnkleAngles", "X"), ("FootProgressAngles", "Z"),
)  # fmt: skip
#: Points of the cycle that are compared: 0, 2 ... 100 %.
SCORE_POINTS = 51
#: Part of these points that both curves must have.
LEAST_SCORED = 0.9


@dataclass(frozen=True)
class GaitScores:
    """Scores of one person, in the unit of the curves (deg in tables).

    Attributes
    ----------
    variables : Mapping[tuple[str, str, str], float], optional
        (side, variable, component) -> gait variable score; what has no curve or no norm is not there.
    sides : Mapping[str, float], optional
        Side -> gait profile score; only where all nine variables exist.
    overall : float, optional
        Gait profile score of both sides; NaN unless all fifteen exist.
    """

    variables: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    sides: Mapping[str, float] = field(default_factory=dict)
    overall: float = float("nan")


def gait_variable_score(curve: FloatArray, norm_mean: FloatArray) -> float:
    """Root mean square difference of two curves over 51 points of the cycle, in their unit.

    A point that either misses does not count; NaN if that leaves fewer than `LEAST_SCORED` of them.

    Parameters
    ----------
    curve, norm_mean : FloatArray
        (101,) or (51,), from 0 to 100 %.

    Returns
    -------
    float
        In the curves' unit, deg in tables; NaN where too few of the points are known.

    Raises
    ------
    ShapeError
        Any other length.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.gait.measures.scores import gait_variable_score
    >>> round(gait_variable_score(np.full(51, 12.0), np.full(51, 7.0)), 6)
    5.0
    """
    difference = _scored(curve) - _scored(norm_mean)
    known = np.isfinite(difference)
    return _root_mean_square(difference[known]) if known.mean() >= LEAST_SCORED else float("nan")


def gait_scores(curves: Mapping[tuple[str, str, str], FloatArray], norm: Mapping[tuple[str, str], FloatArray]) -> GaitScores:
    """Score one person against a norm.

    Parameters
    ----------
    curves : Mapping[tuple[str, str, str], FloatArray]
        (side, variable, component) -> the person's curve (101,) or (51,): as a rule the mean of their steady straight cycles.
    norm : Mapping[tuple[str, str], FloatArray]
        (variable, component) -> the norm's mean curve.

    Returns
    -------
    GaitScores
        Gait variable scores, and profile scores of each side and overall, deg.
    """
    scores: dict[tuple[str, str, str], float] = {}
    for side in SIDES:
        for variable, component in GAIT_VARIABLES:
            curve, mean = curves.get((side, variable, component)), norm.get((variable, component))
            if curve is not None and mean is not None:
                score = gait_variable_score(curve, mean)
                if np.isfinite(score):
                    scores[side, variable, component] = score
    per_side = {side: [scores.get((side, *name), np.nan) for name in GAIT_VARIABLES] for side in SIDES}
    # Fifteen variables: the pelvis is one body, so the right side adds only what is its own.
    own_right = [s for name, s in zip(GAIT_VARIABLES, per_side["R"], strict=True) if name[0] != "PelvisAngles"]
    profile = {side: _root_mean_square(values) for side, values in per_side.items()}
    sides = {side: value for side, value in profile.items() if np.isfinite(value)}
    return GaitScores(scores, sides, _root_mean_square([*per_side["L"], *own_right]))


def _scored(curve: FloatArray) -> FloatArray:
    """The 51 points of a curve that are compared."""
    if curve.shape == (2 * SCORE_POINTS - 1,):
        return curve[::2]
    if curve.shape == (SCORE_POINTS,):
        return curve
    raise ShapeError(
        f"A curve of shape {curve.shape} cannot be scored.",
        value=curve.shape, expected=f"({2 * SCORE_POINTS - 1},) or ({SCORE_POINTS},)", where="gait scores",
    )  # fmt: skip


def _root_mean_square(values: FloatArray | Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
