"""OpenSim's marker files: ``.trc``.

Five lines of header (the third holds rate, counts and unit), marker names over three columns each, then a row for each frame. Blank
cells and NaN are missing. Axes are the file's own: Y up, as OpenSim wants them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray, median_seen
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.errors import FileRefusedError, InvalidValueError
from biomech_id.readers.opensim.storage import even_rate_hz, text_lines
from biomech_id.values import dataclass

METRES_PER_UNIT = {"m": 1.0, "meters": 1.0, "metres": 1.0, "cm": 1e-2, "mm": 1e-3}
#: Median distance of two markers of one person, m: beyond it the stated unit is wrong.
LARGEST_PERSON_M = 10.0
SMALLEST_PERSON_M = 0.02


@compact_repr
@dataclass(frozen=True, eq=False)
class MarkerTable:
    """Markers of one ``.trc`` file.

    Attributes
    ----------
    names : tuple[str, ...]
        Names of the markers, in the file's order.
    position_m : FloatArray
        (n, k, 3), metres, the file's axes (Y up); NaN where missing.
    rate_hz : float
        Frames per second, as stated.
    first_frame : int
        Number of the first frame, as written.
    time_s : FloatArray
        (n,), as written, possibly rounded.
    unit : str
        Of the file, before it was made metres.
    """

    names: tuple[str, ...]
    position_m: FloatArray
    rate_hz: float
    first_frame: int
    time_s: FloatArray
    unit: str


def read_trc(path: Path) -> MarkerTable:
    """Read a ``.trc`` file.

    Parameters
    ----------
    path : Path
        The ``.trc`` file, in any unit of ``METRES_PER_UNIT``.

    Returns
    -------
    MarkerTable
        Metres, the file's axes (Y up); NaN where a cell is empty.

    Raises
    ------
    FileRefusedError
        Not a ``.trc`` file, an unknown unit, or a row that does not fit; the message names the line.
    InvalidValueError
        Frames are missing, or the unit cannot be right (mm labelled m).
    """
    lines = text_lines(path)
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise FileRefusedError(
            f"{path.name} is not a .trc file: it does not begin with PathFileType.",
            value=lines[0][:80] if lines else "", expected="PathFileType ... and a header of five lines", where=str(path),
        )  # fmt: skip
    rate_hz, unit = _facts(path, lines)
    names = tuple(name.strip() for name in lines[3].rstrip().split("\t")[2:] if name.strip())
    first = next((i for i in range(4, len(lines)) if lines[i].split("\t")[0].strip().isdigit()), len(lines))
    numbers, time_s, values = _rows(path, lines, first, len(names))
    position = values.reshape(len(numbers), len(names), 3) * METRES_PER_UNIT[unit]
    _check_unit(position, unit, path)
    if not len(numbers):
        raise FileRefusedError(f"{path.name} holds no frame.", value=0, expected="at least one frame", where=str(path))
    skipped = np.flatnonzero(np.diff(numbers) != 1)
    if skipped.size:
        raise InvalidValueError(
            f"{path.name} jumps from frame {numbers[skipped[0]]} to {numbers[skipped[0] + 1]}; "
            "export it again without a gap, with missing markers left blank.",
            value=int(numbers[skipped[0]]), expected="frames without a gap", where=str(path),
        )  # fmt: skip
    if len(numbers) > 1:
        measured = even_rate_hz(time_s, path.name)
        if abs(measured - rate_hz) > 0.01 * rate_hz:
            raise InvalidValueError(
                f"{path.name} states {rate_hz:g} Hz, but its times are {1 / measured:.4g} s apart ({measured:g} Hz).",
                value=rate_hz, expected=f"{measured:g} Hz", where=str(path),
            )  # fmt: skip
    return MarkerTable(names, position, rate_hz, int(numbers[0]), time_s, unit)


def _facts(path: Path, lines: list[str]) -> tuple[float, str]:
    """Rate in Hz and unit of length."""
    keys, values = lines[1].split(), lines[2].split()
    header = dict(zip(keys, values, strict=False))
    unit = header.get("Units", "").lower()
    try:
        rate = float(header.get("DataRate", "nan"))
    except ValueError:
        rate = float("nan")
    if unit not in METRES_PER_UNIT or not (np.isfinite(rate) and rate > 0):
        raise FileRefusedError(
            f"The third line of {path.name} states a rate of {header.get('DataRate')} and the unit {header.get('Units')}.",
            value=lines[2], expected="a rate in Hz and one of " + ", ".join(METRES_PER_UNIT), where=str(path),
        )  # fmt: skip
    return rate, unit


def _rows(path: Path, lines: list[str], first: int, n_markers: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Frame numbers (n,), times (n,) and coordinates (n, 3 k); blank cells are NaN."""
    width = 2 + 3 * n_markers
    table = np.full((len(lines) - first, width), np.nan)
    used = 0
    for number, line in enumerate(lines[first:], start=first + 1):
        if not line.strip():
            continue
        cells = line.rstrip("\r\n").split("\t")
        try:
            row = [float(cell) if cell.strip() else np.nan for cell in cells[:width]]
        except ValueError:
            row = []
        if len(row) < 2 or any(cell.strip() for cell in cells[width:]):
            raise FileRefusedError(
                f"Line {number} of {path.name} does not hold {n_markers} markers' coordinates.",
                value=line[:80], expected=f"{width} tab-separated numbers, blank where missing", where=f"{path}, line {number}",
            )  # fmt: skip
        table[used, : len(row)] = row
        used += 1
    table = table[:used]
    return table[:, 0].astype(np.int64), table[:, 1], table[:, 2:]


def _check_unit(position_m: FloatArray, unit: str, path: Path) -> None:
    seen = position_m[np.asarray(np.isfinite(position_m).all(axis=2)).any(axis=1)]
    if position_m.shape[1] < 2 or not seen.size:
        return
    with np.errstate(invalid="ignore"):
        extent = float(median_seen(np.nanmax(seen, axis=1) - np.nanmin(seen, axis=1)).max())
    if SMALLEST_PERSON_M <= extent <= LARGEST_PERSON_M:
        return
    likely = next(
        (u for u in ("mm", "cm", "m") if SMALLEST_PERSON_M <= extent / METRES_PER_UNIT[unit] * METRES_PER_UNIT[u] <= 3.0), ""
    )
    raise InvalidValueError(
        f"{path.name} says its unit is {unit}, which makes the markers {extent:.3g} m apart"
        + (f"; they look like {likely}. Correct the word Units stands over." if likely else "."),
        value=unit, expected=likely or "markers of one person", where=str(path),
    )  # fmt: skip
