"""Writing OpenSim's tables: ``.trc``, ``.mot``, ``.sto``. Numbers are written so that reading them gives the same bits."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.opensim.storage import END_OF_HEADER, StorageTable
from biomech_id.readers.opensim.trc import METRES_PER_UNIT, MarkerTable

MISSING = "NaN"


def write_storage(path: Path, table: StorageTable) -> Path:
    """Write a ``.mot`` or ``.sto`` file and return its path.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    table : StorageTable
        What is written.
    """
    n_rows, n_columns = table.values.shape
    header = [
        table.name, "version=1", f"nRows={n_rows}", f"nColumns={n_columns + 1}",
        f"inDegrees={'yes' if table.in_degrees else 'no'}", *table.notes, END_OF_HEADER, "\t".join(("time", *table.columns)),
    ]  # fmt: skip
    rows = (numbers((time, *row)) for time, row in zip(table.time_s.tolist(), table.values.tolist(), strict=True))
    return _write(path, [*header, *rows])


def write_trc(path: Path, table: MarkerTable) -> Path:
    """Write a ``.trc`` file in the table's unit and return its path; what is missing is NaN: OpenSim drops a blank last cell.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    table : MarkerTable
        What is written.
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
    """Return the shortest text that reads as the same number; whole numbers without a point.

    Parameters
    ----------
    value : float
        Any number.
    """
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def numbers(values: Iterable[float]) -> str:
    """Return numbers separated by tabs.

    Parameters
    ----------
    values : Iterable[float]
        In one row.
    """
    return "\t".join(map(number, values))


def _write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path
