"""``scores.csv``: gait variable and profile scores of each side, from the mean of its used cycles, one condition at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd

from biomech_id.conventions import SIDES
from biomech_id.gait.measures.scores import GAIT_VARIABLES, GaitScores, gait_scores
from biomech_id.session.bands.band_values import score_bands
from biomech_id.session.bands.bands import CycleBand
from biomech_id.session.tables.means import WALKING, MeanCurves
from biomech_id.session.values.norm import movement_of, norm_band

#: Names of the scores among a norm's scalars: the variable is put behind the first, "GVS.HipAngles".
GVS, GPS, GPS_OVERALL = "GVS", "GPS", "GPS.overall"


def score_rows(
    means: Mapping[str, MeanCurves],
    norm: pd.DataFrame,
    *,
    cycles: str = "used",
    bands: Mapping[str, Sequence[CycleBand]] = MappingProxyType({}),
) -> list[Mapping[str, object]]:
    """Return rows of ``scores.csv``; none for a norm of runs, for gait scores are defined for walking.

    Parameters
    ----------
    means : Mapping[str, MeanCurves]
        Condition -> mean curves of these cycles.
    norm : pd.DataFrame
        Its mean curves are compared with; its own scores, if it has them, go into ``norm_mean`` and ``norm_sd``.
    cycles : str, optional
        Which cycles the means are of: "used" or "all".
    bands : Mapping[str, Sequence[CycleBand]], optional
        Condition -> how far each of these cycles can be off.
    """
    rows: list[Mapping[str, object]] = []
    if movement_of(norm) != WALKING:
        return rows
    normal = {name: band.mean for name in GAIT_VARIABLES if (band := norm_band(norm, *name)) is not None}
    for condition, curves in means.items():
        ends = score_bands(bands.get(condition, ()), curves, normal)
        for row in _rows(condition, scores_against(curves, norm), norm):
            key = (str(row["side"]), str(row["variable"]), str(row["component"]))
            low, high, sd = ends.get(key, (float("nan"),) * 3)
            rows.append({**row, "cycles": cycles, "low": low, "high": high, "sd": sd})
    return rows


def scores_against(curves: MeanCurves, norm: pd.DataFrame) -> GaitScores:
    """Return the scores of one person's mean curves against a norm.

    Parameters
    ----------
    curves : MeanCurves
        Means of one person's cycles.
    norm : pd.DataFrame
        A whole norm, as `read_norm` returns it.
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
