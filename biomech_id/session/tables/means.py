"""Mean curves of a session: over the cycles that count, one condition and one side at a time.

The session's means are those of straight walking; runs have means, and norms, of their own.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import LAYERS_OF_MEANS, SIDES, Aspect, cycle_rows
from biomech_id.session.tables.session_tables import Tables

#: (side, variable, component) -> curve (101,) in the unit of the sign table.
MeanCurves = dict[tuple[str, str, str], FloatArray]
#: Movements whose cycles are averaged, each with its own: straight walks, and runs.
WALKING, RUNNING = AVERAGED = ("walk", "run")
#: Movement -> kind of its trials in `Tables.cycle_list`.
_KINDS = {WALKING: "straight", RUNNING: "run"}


def counted(cycles: pd.DataFrame, layer: Aspect | None = None, *, by_rules: bool = False) -> pd.DataFrame:
    """Return the rows of `Tables.cycle_list` that are in the means of one layer, or of angles or loads; what every page counts.

    Parameters
    ----------
    cycles : pd.DataFrame
        Rows of `Tables.cycle_list`, of any trials and sides.
    layer : Aspect | None, optional
        The layer; None for those that angles or loads have.
    by_rules : bool, optional
        Whether what somebody decided about cycles is left aside.
    """
    ending = "_by_rules" if by_rules else ""
    layers = LAYERS_OF_MEANS if layer is None else (layer,)
    return cycles[cycles[[f"{each}{ending}" for each in layers]].astype(bool).any(axis=1)]


def averaged_cycles(tables: Tables, movement: str = WALKING, *, by_rules: bool = False) -> pd.DataFrame:
    """Return the rows of `Tables.cycle_list` that means of one movement are taken over.

    Parameters
    ----------
    tables : Tables
        Tables of the session, fresh or read back.
    movement : str, optional
        One of `AVERAGED`: straight walks or runs. Of either the cycles that count, as of `counted`.
    by_rules : bool, optional
        Whether what somebody decided about cycles is left aside.

    Returns
    -------
    pd.DataFrame
        One row a cycle, with the columns of ``cycle_list``; empty where no cycle counts.
    """
    cycles = tables.cycle_list
    return counted(cycles[cycles["kind"] == _KINDS[movement]], by_rules=by_rules)


def mean_curves(tables: Tables, *, by_rules: bool = False, movement: str = WALKING) -> dict[str, MeanCurves]:
    """Return condition -> mean curves over its used cycles; a curve that no used cycle has is left out.

    At each percent the mean is over the cycles that have a value there: a ``stance_only`` cycle counts in its stance.

    Parameters
    ----------
    tables : Tables
        Tables of the session, fresh or read back.
    by_rules : bool, optional
        Whether what somebody decided about cycles is left aside.
    movement : str, optional
        Movement whose cycles are taken: one of `AVERAGED`.

    Returns
    -------
    dict[str, MeanCurves]
        Condition -> (side, variable, component) -> (101,) mean, in the unit of ``cycles.csv``.
    """
    used = averaged_cycles(tables, movement, by_rules=by_rules)
    means: dict[str, MeanCurves] = {}
    for condition, cycles in used.groupby("condition", sort=False):
        for side in SIDES:
            of_side = cycles[cycles["side"] == side]
            for row in cycle_rows():
                curves = tables.curves(side, row.variable, row.component, cycles=of_side)
                if len(curves):
                    means.setdefault(str(condition), {})[side, row.variable, row.component] = mean_of_known(curves)
    return means


def mean_of_known(curves: FloatArray) -> FloatArray:
    """Return the mean (101,) of curves (n, 101) over those that have a value at each point; NaN where none has.

    Parameters
    ----------
    curves : FloatArray
        (n, 101), NaN where missing.
    """
    known = np.isfinite(curves)
    count = known.sum(axis=0)
    total = np.where(known, curves, 0.0).sum(axis=0)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))
