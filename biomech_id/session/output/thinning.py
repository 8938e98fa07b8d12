"""Tables that would pass two million rows are thinned: every few percents of each curve, or every few frames, and that is said.

A session of hundreds of cycles (a treadmill) has tables that no spreadsheet opens and that take minutes to read. What is written
then is every second, fourth, fifth ... percent of every curve; what is read back has 101 percents again, by the natural spline
through those that were kept. ``summary.json`` and ``study.json`` name the tables and the steps.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import Finding
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables, finding_records
from biomech_id.signal.natural_spline import CUBIC, NaturalSpline

#: More rows than this are not written into one table.
TOO_MANY_ROWS = 2_000_000
#: Every how many percents or frames a row is kept; curves keep their first and last percent.
STEPS = (2, 4, 5, 10, 20, 25, 50, 100)
#: What a recipe may say of such tables.
LARGE_TABLES = ("auto", "thinned", "parts", "whole")
#: Tables of a session in which each curve is 101 rows, and those with a row for each frame.
CURVE_TABLES = ("cycles", "budget", "uncertainty", "emg", "muscles", "muscle_forces", "joint_contact")
FRAME_TABLES = ("whole_body",)


def thinning_step(rows: int, most: int | None = None) -> int:
    """Return every how many percents or frames a table has to be written, for at most so many rows; 1 for whole.

    Parameters
    ----------
    rows : int
        Of the whole table.
    most : int | None, optional
        Rows that are not too many; None for `TOO_MANY_ROWS`.

    Examples
    --------
    >>> from biomech_id.session.output.thinning import thinning_step
    >>> [thinning_step(rows) for rows in (2_000_000, 2_000_001, 5_000_000, 10**9)]
    [1, 2, 4, 100]
    """
    most = TOO_MANY_ROWS if most is None else most
    if rows <= most:
        return 1
    return next((step for step in STEPS if rows * (100 // step + 1) <= most * CURVE_POINTS), STEPS[-1])


def with_large_tables(tables: Tables, choice: str) -> Tables:
    """Return a session's tables with what is to be thinned, and a finding for each, in its summary.

    Parameters
    ----------
    tables : Tables
        Tables as computed, with every row.
    choice : str
        One of `LARGE_TABLES`; "whole" thins none.
    """
    rows = {name: len(table) for name in (*CURVE_TABLES, *FRAME_TABLES) if (table := tables.held(name)) is not None}
    steps = {name: thinning_step(count) for name, count in rows.items() if thinning_step(count) > 1}
    if not steps or choice == "whole":
        return tables
    notes = [
        Finding("table-thinned", {"table": name, "step": step, "rows": rows[name], "frames": name in FRAME_TABLES})
        for name, step in steps.items()
    ]
    findings = [*tables.summary.get("findings", ()), *finding_records(notes)]
    return tables.with_others(summary={**tables.summary, "findings": findings, "thinned": steps})


def thinned(table: pd.DataFrame, step: int) -> pd.DataFrame:
    """Return the rows of a table that are written.

    Parameters
    ----------
    table : pd.DataFrame
        With a column ``percent``, or ``trial`` and ``time_s``.
    step : int
        Every how many percents or frames.
    """
    if step == 1:
        return table
    if "percent" in table.columns:
        return table[table["percent"] % step == 0]
    frame = table.groupby("trial", sort=False)["time_s"].rank(method="dense") - 1
    return table[frame % step == 0]


def restored(table: pd.DataFrame, step: int) -> pd.DataFrame:
    """Return a table of curves with 101 rows a curve again; one of frames as it is.

    Parameters
    ----------
    table : pd.DataFrame
        The table as it was written, thinned.
    step : int
        Every how many percents its rows are.
    """
    if step == 1 or "percent" not in table.columns or not len(table):
        return table
    kept = np.arange(0, CURVE_POINTS, step)
    heads = np.repeat(np.arange(0, len(table), len(kept)), CURVE_POINTS)
    numbers = [name for name in table.columns if pd.api.types.is_float_dtype(table[name].dtype)]
    whole = {name: table[name].to_numpy()[heads] for name in table.columns if name not in numbers}
    whole["percent"] = np.tile(np.arange(CURVE_POINTS), len(heads) // CURVE_POINTS)
    whole |= {name: _restored(table[name].to_numpy(dtype=np.float64).reshape(-1, len(kept)), kept).ravel() for name in numbers}
    return pd.DataFrame({name: whole[name] for name in table.columns}).astype(table.dtypes.to_dict())


def _restored(curves: FloatArray, kept: NDArray[np.int64]) -> FloatArray:
    """Curves (n, 101) through those at the percents that were kept; what is nowhere below zero stays so."""
    percent = np.arange(CURVE_POINTS, dtype=np.float64)
    whole = np.full((len(curves), CURVE_POINTS), np.nan)
    known = np.isfinite(curves).all(axis=1)
    if known.any():
        whole[known] = NaturalSpline(kept.astype(np.float64), curves[known].T, CUBIC)(percent).T
        positive = known & (np.nan_to_num(curves).min(axis=1) >= 0.0)
        whole[positive] = np.maximum(whole[positive], 0.0)
    for row in np.flatnonzero(~known):
        # What a curve lacks, it lacks up to the next percent that is known.
        whole[row] = np.interp(percent, kept, curves[row])
    whole[:, kept] = curves
    return whole


def steps_of(summary: Mapping[str, object]) -> dict[str, int]:
    """Return table -> every how many percents or frames it was written.

    Parameters
    ----------
    summary : Mapping[str, object]
        What the session's ``summary.json`` holds.
    """
    thinned = summary.get("thinned")
    return {str(name): int(step) for name, step in thinned.items()} if isinstance(thinned, Mapping) else {}
