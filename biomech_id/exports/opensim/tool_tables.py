"""Tables as OpenSim's tools write them: eight decimals in columns of sixteen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.opensim.storage import END_OF_HEADER

#: What the inverse kinematics tool says of its units.
KINEMATICS_NOTES = (
    "",
    "Units are S.I. units (second, meters, Newtons, ...)",
    "If the header above contains a line with 'inDegrees', this indicates whether rotational values are in degrees (yes) or "
    "radians (no).",
    "",
)


def write_tool_table(
    path: Path,
    title: str,
    columns: Sequence[str],
    time_s: FloatArray,
    values: FloatArray,
    *,
    in_degrees: bool = False,
    notes: Sequence[str] = (),
) -> Path:
    """Write a table and return its path.

    Parameters
    ----------
    path : Path
        The ``.mot`` or ``.sto`` file; its folder must be there.
    title : str
        First line.
    columns : Sequence[str]
        Names, without time.
    time_s : FloatArray
        (n,).
    values : FloatArray
        (n, columns).
    in_degrees : bool, optional
        What the header says of rotational coordinates.
    notes : Sequence[str], optional
        Further lines of the header.
    """
    table = np.column_stack([time_s, values])
    header = [
        title, "version=1", f"nRows={len(table)}", f"nColumns={table.shape[1]}",
        f"inDegrees={'yes' if in_degrees else 'no'}", *notes, END_OF_HEADER, "\t".join(("time", *columns)),
    ]  # fmt: skip
    form = "\t".join(["%16.8f"] * table.shape[1])
    rows = [form % tuple(row) for row in table.tolist()]
    path.write_text("\n".join([*header, *rows]) + "\n", encoding="utf-8", newline="\n")
    return path
