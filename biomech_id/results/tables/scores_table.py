"""``scores.csv``: gait variable and profile scores of each side, from the mean of its used cycles, one condition at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from biomech_id.conventions import SIDES
from biomech_id.gait.scores import GAIT_VARIABLES, GaitScores, gait_scores
from biomech_id.results.norms.norm import norm_band
from biomech_id.results.tables.means import MeanCurves

#: Names of the scores among a norm's scalars:
#: the variable is put behind the first, "GVS.HipAngles".
GVS, GPS, GPS_OVERALL = "GVS", "GPS", "GPS.overall"


def score_rows(means: Mapping[str, MeanCurves], norm: pd.DataFrame, *, cycles: str = "used") -> list[Mapping[str, object]]:
    """Return rows of ``scores.csv``.

    Parameters
    ----------
    means : Mapping[str, MeanCurves]
        Condition -> mean curves of these cycles.
    norm : pd.DataFrame
        Its mean curves are compared with; its own scores, if it has them, go into ``norm_mean`` and ``norm_sd``.
    cycles : str, optional
        Which cycles the means are of: "used" or "all".
    """
    rows = [row for condition, curves in means.items() for row in _rows(condition, scores_against(curves, norm), norm)]
    return [{**row, "cycles": cycles} for row in rows]


def scores_against(curves: MeanCurves, norm: pd.DataFrame) -> GaitScores:
    """Return the scores of one person's mean curves against a norm.

    Parameters
    ----------
    curves : MeanCurves
        Means of one person's cycles.
    norm : pd.DataFrame
        A norm table.
    """
    bands = {name: norm_band(norm, *name) for name in GAIT_VARIABLES}
    return gait_scores(curves, {name: band.mean for name, band in bands.items() if band is not None})


def _rows(condition: str, scores: GaitScores, norm: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    for side in SIDES:
        for (of_side, variable, component), value in scores.variables.items():
            if of_side == side:
                known = _norm_of(norm, f"{GVS}.{variable}", component)
                yield _row(condition, side, GVS, variable, component, value) | known
        if side in scores.sides:
            yield _row(condition, side, GPS, "", "", scores.sides[side]) | _norm_of(norm, GPS, "")
    if np.isfinite(scores.overall):
        yield _row(condition, "", GPS, "", "", scores.overall) | _norm_of(norm, GPS_OVERALL, "")


def _row(condition: str, side: str, score: str, variable: str, component: str, value: float) -> dict[str, object]:
    names = {"condition": condition, "side": side, "score": score, "variable": variable, "component": component}
    return {**names, "value": value, "unit": "deg"}


def _norm_of(norm: pd.DataFrame, variable: str, component: str) -> dict[str, object]:
    band = norm_band(norm, variable, component)
    if band is None:
        return {"norm_mean": float("nan"), "norm_sd": float("nan")}
    return {"norm_mean": float(band.mean[0]), "norm_sd": float(band.sd[0])}
