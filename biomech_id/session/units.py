"""The unit of every column and variable of a session's tables, for ``DataFrame.attrs``."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from biomech_id.conventions import (
    ARM_POINTS,
    CENTRE_OF_MASS,
    CYCLE_ROWS,
    POINT_VARIABLES,
    RESIDUAL_SUFFIX,
    SIGN_TABLE,
    TABLES,
    UNITS,
)
from biomech_id.session.output.further_tables import FURTHER_TABLES

_POINTS = (*POINT_VARIABLES, *ARM_POINTS.values(), CENTRE_OF_MASS)


def column_unit(column: str) -> str:
    """Return the unit of a column of ``trials/<stem>.csv``; "" where it has none, or nobody knows it.

    Parameters
    ----------
    column : str
        With its side and component: "LHipAngles.X".

    Examples
    --------
    >>> from biomech_id.session.units import column_unit
    >>> column_unit("LHipAngles.X"), column_unit("RKneePower"), column_unit("time"), column_unit("LKJC.Z")
    ('deg', 'W/kg', 's', 'mm')
    """
    name, _, component = column.partition(".")
    known = {(row.variable, row.component): row.unit for row in SIGN_TABLE} | {key: row.unit for key, row in CYCLE_ROWS.items()}
    for variable in (name, name[1:] if name[:1] in "LR" else name):
        if (variable, component) in known:
            return known[variable, component]
        if variable in _POINTS or (component and variable.endswith("Outline")):
            return UNITS["point"]
    return {"time": "s"}.get(name, UNITS["point"] if name.endswith(RESIDUAL_SUFFIX) and not component else "")


def with_units(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table that says its units: ``attrs["units"]``, column or variable -> unit, those without one left out.

    Parameters
    ----------
    table : pd.DataFrame
        A table of a session, which itself stays as it is.
    name : str
        Its name in the data dictionary, or "frames".
    """
    labelled = table.copy(deep=False)
    labelled.attrs = {"table": name, "units": {key: unit for key, unit in _units(table, name) if unit}}
    return labelled


def _units(table: pd.DataFrame, name: str) -> Iterable[tuple[str, str]]:
    if name == "frames":
        yield from ((str(column), column_unit(str(column))) for column in table.columns)
        return
    rows = {each.name: each for each in (*TABLES, *(further.table for further in FURTHER_TABLES.values()))}
    if name in rows:
        yield from ((column.name, column.unit) for column in rows[name].columns)
    if name in ("cycles", "budget", "uncertainty"):
        yield from {variable: row.unit for (variable, _), row in CYCLE_ROWS.items()}.items()
