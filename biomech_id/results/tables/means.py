"""Mean curves of a session: over the cycles that count, one condition and one side at a time."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES, cycle_rows
from biomech_id.results.tables.session_tables import SessionTables

#: (side, variable, component) -> curve (101,) in the unit of the sign table.
MeanCurves = dict[tuple[str, str, str], FloatArray]


def mean_curves(tables: SessionTables, *, by_rules: bool = False) -> dict[str, MeanCurves]:
    """Return condition -> mean curves over its used cycles; a curve that no used cycle has is left out.

    At each percent the mean is over the cycles that have a value there: a ``stance_only`` cycle counts in its stance.

    Parameters
    ----------
    tables : SessionTables
        The session's tables.
    by_rules : bool, optional
        Whether what somebody decided about cycles is left aside.
    """
    used = tables.cycle_list[tables.cycle_list["used_by_rules" if by_rules else "used"].astype(bool)]
    means: dict[str, MeanCurves] = {}
    for condition, cycles in used.groupby("condition", sort=False):
        for side in SIDES:
            mine = cycles[cycles["side"] == side]
            for row in cycle_rows():
                curves = tables.curves(side, row.variable, row.component, cycles=mine)
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
