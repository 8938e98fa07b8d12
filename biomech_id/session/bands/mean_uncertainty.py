"""How far a mean curve can be off, from the uncertainty of the cycles in it.

A bias is one draw for all cycles of a session: the mean of n cycles is off by as much as each of them. With the standard deviations
s_c of the cycles that is at most their mean, and just that where the bias acts alike in all of them. Noise is drawn anew in each::

    bias   s = sum s_c / n          noise   s = sqrt(sum s_c^2) / n          total   s = sqrt(sum of both squared)

A bias of a force plate is counted as if all cycles had stepped on one plate, which is the cautious side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import ERROR_SOURCES, NOISE_SOURCES
from biomech_id.session.bands.uncertainty import TOTAL
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables


def mean_uncertainty(tables: Tables, side: str, variable: str, component: str, cycles: pd.DataFrame) -> Mapping[str, FloatArray]:
    """Return source -> standard deviation (101,) of the mean over cycles, in the unit of the sign table, and "total".

    Parameters
    ----------
    tables : Tables
        Tables of a session that was analysed with uncertainty.
    side, variable, component : str
        Name of the curve, as in ``cycles.csv``.
    cycles : pd.DataFrame
        Rows of `Tables.cycle_list` that are in the mean.

    Returns
    -------
    Mapping[str, FloatArray]
        Empty where nobody asked for the uncertainty, or no such cycle has one. At each percent over the cycles that have a value.
    """
    return uncertainty_of_rows(tables, band_rows_of(tables, cycles).get((side, variable, component), ()))


def band_rows_of(tables: Tables, cycles: pd.DataFrame) -> dict[tuple[str, str, str], list[int]]:
    """Return (side, variable, component) -> which curves of ``uncertainty.csv`` are of these cycles.

    Parameters
    ----------
    tables : Tables
        Tables of a session that was analysed with uncertainty.
    cycles : pd.DataFrame
        Rows of `Tables.cycle_list` that are wanted.
    """
    table = tables.uncertainty
    if table is None or not len(table):
        return {}
    heads = table.iloc[::CURVE_POINTS]
    wanted = set(zip(cycles["trial"], cycles["side"], cycles["cycle"], strict=True))
    names = zip(heads["trial"], heads["side"], heads["cycle"], heads["variable"], heads["component"], strict=True)
    rows: dict[tuple[str, str, str], list[int]] = {}
    for number, (trial, side, cycle, variable, component) in enumerate(names):
        if (trial, side, int(cycle)) in wanted:
            rows.setdefault((side, variable, component), []).append(number)
    return rows


def uncertainty_of_rows(tables: Tables, rows: Sequence[int]) -> Mapping[str, FloatArray]:
    """Return source -> standard deviation (101,) of the mean of some curves of ``uncertainty.csv``, and "total"; empty for none.

    Parameters
    ----------
    tables : Tables
        Tables of a session that was analysed with uncertainty.
    rows : Sequence[int]
        Which curves, as of `band_rows_of`.
    """
    table = tables.uncertainty
    if table is None or not len(rows):
        return {}
    sd_by_source = {source: _of_mean(table, source, rows) for source in ERROR_SOURCES if source in table}
    # A source that an older table does not know, or that does nothing to this variable, takes nothing off the others.
    sd_by_source = {source: sd for source, sd in sd_by_source.items() if np.isfinite(sd).any()}
    if not sd_by_source:
        return {}
    return {**sd_by_source, TOTAL: np.sqrt(np.sum([sd**2 for sd in sd_by_source.values()], axis=0))}


def _of_mean(table: pd.DataFrame, source: str, rows: Sequence[int]) -> FloatArray:
    sd = table[source].to_numpy(dtype=np.float64).reshape(-1, CURVE_POINTS)[rows]
    known = np.isfinite(sd)
    n = known.sum(axis=0)
    filled = np.where(known, sd, 0.0)
    summed = np.sqrt((filled**2).sum(axis=0)) if source in NOISE_SOURCES else filled.sum(axis=0)
    return np.asarray(np.where(n > 0, summed / np.maximum(n, 1), np.nan))
