"""Values of whole phases: each cycle's range of every curve, and its mean in the five phases of the gait cycle.

The phases end where events are, so that they fit whoever walks: loading response at opposite foot off, mid stance half way
through single support, terminal stance at opposite foot strike, pre-swing at foot off, swing at the next foot strike. A cycle
without one of these events has no mean in the phases beside it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import CYCLE_ROWS
from biomech_id.session.tables.extrema import QUANTITIES
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables

#: Phases of the cycle, in their order.
PHASES: tuple[str, ...] = ("loading", "mid_stance", "terminal_stance", "pre_swing", "swing")
RANGE = "range"
#: Names of the values, in the order of a page.
PHASE_NAMES: tuple[str, ...] = (RANGE, *(f"mean_{phase}" for phase in PHASES))
#: Values of ``peaks.csv`` that a page shows beside them; behind each the norm's name of where in the cycle it lies.
EXTREMA: tuple[str, ...] = ("value_contact", "max_stance", "min_stance", "max_swing", "min_swing")
PLACE = "percent_of_"


def phase_ends(opposite_off: FloatArray, opposite_strike: FloatArray, foot_off: FloatArray) -> FloatArray:
    """Return where phases begin and end, percent of the cycle, (n, 6); NaN where events are not known.

    Parameters
    ----------
    opposite_off, opposite_strike, foot_off : FloatArray
        (n,) percent of the cycle of these events.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.session.tables.phase_values import phase_ends
    >>> phase_ends(np.array([12.0]), np.array([50.0]), np.array([62.0]))
    array([[  0.,  12.,  31.,  50.,  62., 100.]])
    """
    middle = 0.5 * (opposite_off + opposite_strike)
    return np.stack([0.0 * foot_off, opposite_off, middle, opposite_strike, foot_off, 0.0 * foot_off + 100.0], axis=1)


def phase_values(tables: Tables, cycles: pd.DataFrame) -> pd.DataFrame:
    """Return the values as a table: trial, side, cycle, variable, component, name (`PHASE_NAMES`), value in the table's unit.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with its curves.
    cycles : pd.DataFrame
        Rows of `Tables.cycle_list` that are wanted.
    """
    keys = ["trial", "side", "cycle"]
    events = ["opposite_off_percent", "opposite_strike_percent", "foot_off_percent"]
    heads = tables.cycles.iloc[::CURVE_POINTS][[*keys, "variable", "component"]]
    heads = heads.assign(place=np.arange(len(heads)))
    tabled = [CYCLE_ROWS[name].quantity in QUANTITIES for name in zip(heads["variable"], heads["component"], strict=True)]
    wanted = heads[tabled].merge(cycles[[*keys, *events]], on=keys)
    curves = tables.cycles["value"].to_numpy(np.float64).reshape(-1, CURVE_POINTS)[wanted["place"].to_numpy()]
    ends = phase_ends(*(wanted[event].to_numpy(np.float64) for event in events))
    percent = np.arange(CURVE_POINTS)
    values_by_name = {RANGE: np.ptp(curves, axis=1) if len(curves) else np.empty(0)}
    for number, phase in enumerate(PHASES):
        low, high = ends[:, number, None], ends[:, number + 1, None]
        inside = np.where((percent >= low) & (percent <= high), curves, np.nan)
        values_by_name[f"mean_{phase}"] = np.asarray(over_seen(np.nanmean, inside, axis=1))
    named = [wanted[[*keys, "variable", "component"]].assign(name=name, value=values) for name, values in values_by_name.items()]
    table = pd.concat(named, ignore_index=True)
    return table.dropna(subset=["value"])


def named_values(tables: Tables, cycles: pd.DataFrame) -> pd.DataFrame:
    """Return `phase_values` together with the extrema and power peaks of ``peaks.csv``, their place in ``percent``.

    Parameters
    ----------
    tables : Tables
        Tables of the session, with curves and peaks.
    cycles : pd.DataFrame
        Rows of `Tables.cycle_list` that are wanted.
    """
    keys = ["trial", "side", "cycle"]
    columns = [*keys, "variable", "component", "name", "value", "percent"]
    picked = tables.peaks[tables.peaks["unit"] != "%"].merge(cycles[keys], on=keys)
    return pd.concat([picked[columns], phase_values(tables, cycles).assign(percent=np.nan)[columns]], ignore_index=True)
