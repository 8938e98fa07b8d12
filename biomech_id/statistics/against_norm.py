"""``statistics.csv``: every mean curve and every number of a session against the norm, one row each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from biomech_id.conventions import SIDES
from biomech_id.session.tables.means import averaged_cycles, mean_curves
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import NormBand, movement_of, norm_bands
from biomech_id.statistics.one_person import AgainstNorm, crawford_howell, curve_against

#: How a row was tested.
WHOLE_CURVE, ONE_NUMBER = "whole curve", "one number"
#: (variable, component) -> the norm's.
Bands: TypeAlias = Mapping[tuple[str, str], NormBand]


def against_norm(tables: Tables, norm: pd.DataFrame) -> list[Mapping[str, object]]:
    """Return the rows of ``statistics.csv`` that say how a session lies against a norm.

    A curve that is not known at every percent, and one whose norm does not say how far whole curves reach, has no row. With a norm
    of runs only runs are compared, with one of walks only walks.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with its cycles and conditions.
    norm : pd.DataFrame
        What it is compared with.

    Returns
    -------
    list[Mapping[str, object]]
        One row for each condition, side and variable that session and norm share.
    """
    bands, of = norm_bands(norm), movement_of(norm)
    return [*_curves(tables, bands, of), *_numbers(tables, bands, of)]


def _curves(tables: Tables, bands: Bands, movement: str) -> Iterator[Mapping[str, object]]:
    for condition, curves in mean_curves(tables, movement=movement).items():
        for (side, variable, component), curve in curves.items():
            name = variable, component
            band = bands.get(name)
            compared = band and curve_against(curve, band.mean, band.sd, n=band.n, reach_sd=band.reach_sd, spread=band.spread)
            if band and compared:
                yield _row((condition, side, *name), WHOLE_CURVE, band.n, compared)


def _numbers(tables: Tables, bands: Bands, movement: str) -> Iterator[Mapping[str, object]]:
    used = averaged_cycles(tables, movement)
    rows = tables.spatiotemporal.merge(used[["trial", "side", "cycle", "condition"]], on=["trial", "side", "cycle"])
    for (condition, side, parameter), values in rows.groupby(["condition", "side", "parameter"], sort=False)["value"]:
        yield from _number((str(condition), str(side), str(parameter), ""), float(values.mean()), bands.get((str(parameter), "")))
    used_scores = tables.scores[tables.scores["score"] == "GPS"] if len(tables.scores) else tables.scores
    for row in used_scores.to_dict("records"):
        if row.get("cycles") != "all":
            band = bands.get(("GPS" if row["side"] in SIDES else "GPS.overall", ""))
            yield from _number((row["condition"], row["side"], "GPS", ""), row["value"], band)


def _number(name: tuple[str, str, str, str], value: float, band: NormBand | None) -> Iterator[Mapping[str, object]]:
    if band is not None and band.n > 1 and band.sd[0] > 0 and np.isfinite(value):
        yield _row(
            name, ONE_NUMBER, band.n, crawford_howell(value, float(band.mean[0]), float(band.sd[0]), band.n, spread=band.spread)
        )


def _row(name: tuple[str, str, str, str], test: str, n: int, compared: AgainstNorm) -> Mapping[str, object]:
    named = dict(zip(("condition", "side", "variable", "component"), name, strict=True))
    return {
        **named, "test": test, "n": n, "t": compared.t, "limit": compared.limit, "percent": compared.percent,
        "outside_percent": compared.outside_percent, "p": compared.p, "outside": str(compared.outside).lower(),
    }  # fmt: skip
