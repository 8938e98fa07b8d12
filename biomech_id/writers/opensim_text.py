"""Writing OpenSim's tables: ``.trc``, ``.mot``, ``.sto``. Numbers are written so that reading them gives the same bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.opensim.storage import END_OF_HEADER, StorageTable
from biomech_id.readers.opensim.trc import METRES_PER_UNIT, MarkerTable

MISSING = "NaN"
#: What the inverse kinematics tool says of its units.
KINEMATICS_NOTES = (
    "",
    "Units are S.I. units (second, meters, Newtons, ...)",
    "If the header above contains a line with 'inDegrees', this indicates whether rotational values are in degrees (yes) or "
    "radians (no).",
    "",
)


def write_storage(path: Path, table: StorageTable) -> Path:
    """Write a ``.mot`` or ``.sto`` file.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    table : StorageTable
        Times, columns and header that are written.

    Returns
    -------
    Path
        ``path``.
    """
    header = _storage_header(
        table.name, (table.values.shape[0], table.values.shape[1] + 1), table.columns, table.in_degrees, table.notes
    )
    rows = (numbers((time, *row)) for time, row in zip(table.time_s.tolist(), table.values.tolist(), strict=True))
    return _write(path, [*header, *rows])


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
    """Write a table as OpenSim's tools do: eight decimals in columns of sixteen.

    Parameters
    ----------
    path : Path
        The ``.mot`` or ``.sto`` file; its folder must be there.
    title : str
        First line of the file.
    columns : Sequence[str]
        Names of the columns, without time.
    time_s : FloatArray
        (n,), first column, s.
    values : FloatArray
        (n, columns), written with eight decimals.
    in_degrees : bool, optional
        What the header says of rotational coordinates.
    notes : Sequence[str], optional
        Further lines of the header.

    Returns
    -------
    Path
        ``path``.
    """
    table = np.column_stack([time_s, values])
    form = "\t".join(["%16.8f"] * table.shape[1])
    header = _storage_header(title, table.shape, columns, in_degrees, notes)
    return _write(path, [*header, *(form % tuple(row) for row in table.tolist())])


def _storage_header(
    title: str, shape: tuple[int, ...], columns: Sequence[str], in_degrees: bool, notes: Sequence[str]
) -> list[str]:
    """Lines up to the names of the columns; ``shape`` counts time among them."""
    return [
        title, "version=1", f"nRows={shape[0]}", f"nColumns={shape[1]}", f"inDegrees={'yes' if in_degrees else 'no'}",
        *notes, END_OF_HEADER, "\t".join(("time", *columns)),
    ]  # fmt: skip


def write_trc(path: Path, table: MarkerTable) -> Path:
    """Write a ``.trc`` file in the table's unit; what is missing is NaN, for OpenSim drops a blank last cell.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    table : MarkerTable
        Markers, rate and numbering that are written.

    Returns
    -------
    Path
        ``path``.
    """
    n_frames, n_markers = table.position_m.shape[:2]
    rate = number(table.rate_hz)
    header = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        "\t".join((rate, rate, str(n_frames), str(n_markers), table.unit, rate, str(table.first_frame), str(n_frames))),
        "\t".join(("Frame#", "Time", *(f"{name}\t\t" for name in table.names))),
        "\t".join(("", "", *(f"X{i}\tY{i}\tZ{i}" for i in range(1, n_markers + 1)))),
        "",
    ]
    coordinates: FloatArray = table.position_m.reshape(n_frames, -1) / METRES_PER_UNIT[table.unit]
    rows = (
        f"{table.first_frame + i}\t{numbers((time, *row))}"
        for i, (time, row) in enumerate(zip(table.time_s.tolist(), coordinates.tolist(), strict=True))
    )
    return _write(path, [*header, *(row.replace("nan", MISSING) for row in rows)])


def number(value: float) -> str:
    """The shortest text that reads as the same number.

    Parameters
    ----------
    value : float
        Any number, also nan and inf.

    Returns
    -------
    str
        Whole numbers without a point.
    """
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def numbers(values: Iterable[float]) -> str:
    """Write numbers of one row.

    Parameters
    ----------
    values : Iterable[float]
        Numbers of the row, in order.

    Returns
    -------
    str
        Separated by tabs, without a line's end.
    """
    return "\t".join(map(number, values))


def _write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path
