"""Tables as CSV text: UTF-8, LF, decimal point, nine significant digits, empty cell = missing.

The text is byte for byte that of `pandas.DataFrame.to_csv` with the same float format, in a third of its time: numbers are
formatted a column at a time. In a study of a thousand trials that is a minute. One thing differs: text that a spreadsheet would run
as a formula gets an apostrophe in front, which reading takes off again.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import Column
from biomech_id.errors import FileRefusedError
from biomech_id.files.atomic import whole_file
from biomech_id.files.digest import digest
from biomech_id.files.inputs import read_input, reads_once
from biomech_id.files.json_text import FLOAT_FORMAT
from biomech_id.files.kept_values import KeptValues, made_once
from biomech_id.files.text import read_problem

_QUOTED = frozenset(',"\n\r')
#: Rows of fewer cells are written again sooner than they are looked up.
LEAST_CELLS = 5000
#: How text begins that a spreadsheet takes for a formula; a number or a lone sign is none. Apostrophes before it are counted in, so
#: that what is read is what was written.
_FORMULA = re.compile(r"'*(?:[=@\t\r]|[+-](?!$|[\d.]+(?:e[+-]?\d+)?$))")


def csv_text(table: pd.DataFrame) -> str:
    """Return any table as CSV text; numbers by `FLOAT_FORMAT`, NaN and None as empty cells.

    Parameters
    ----------
    table : pd.DataFrame
        Any table, with or without numbers.
    """
    return header_line(map(str, table.columns)) + _rows(table)


def csv_pieces(pieces: Iterable[pd.DataFrame]) -> Iterator[bytes]:
    """Yield the bytes of a CSV file piece by piece.

    Parameters
    ----------
    pieces : Iterable[pd.DataFrame]
        Rows of one table, in their order; the first piece names the columns.
    """
    for number, piece in enumerate(pieces):
        yield (_rows(piece) if number else csv_text(piece)).encode()


def csv_bytes(table: pd.DataFrame, kept: KeptValues | None = None, rows: Mapping[str, object] | None = None) -> bytes:
    """Return any table as the bytes of a CSV file.

    Parameters
    ----------
    table : pd.DataFrame
        Any table, with or without numbers.
    kept : KeptValues | None, optional
        Where the rows of each trial lie, by the hash of their cells, from another run; those that are new are kept there.
    rows : Mapping[str, object] | None, optional
        Trial -> what its rows follow from, where that is known: their cells are then not hashed. "" in a table of one trial.
    """
    if kept is None or table.size < LEAST_CELLS:
        return csv_text(table).encode()
    codes, trials = pd.factorize(table["trial"]) if "trial" in table else (np.zeros(len(table), dtype=np.int64), [""])
    changes = np.flatnonzero(np.diff(codes)) + 1
    if table.size < LEAST_CELLS * (len(changes) + 1):
        return csv_text(table).encode()
    known = rows if rows and len(trials) == len(changes) + 1 else {}
    parts, columns = [header_line(map(str, table.columns)).encode()], list[tuple[str, npt.NDArray[Any]]]()
    for start, end in pairwise((0, *changes.tolist(), len(table))):
        given = known.get(trials[codes[start]])
        if given is None:
            columns = columns or [(name, _cell_keys(table[name])) for name in table.columns]
            given = [(name, keys[start:end]) for name, keys in columns]
        parts.append(made_once(kept, partial(_row_bytes, table.iloc[start:end]), "rows", given))
    return b"".join(parts)


def _row_bytes(table: pd.DataFrame) -> bytes:
    return _rows(table).encode()


def _rows(table: pd.DataFrame) -> str:
    cells = [_cells(table[name]) for name in table.columns]
    return "\n".join([*map(",".join, zip(*cells, strict=True)), ""])


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, whole or not at all.

    Parameters
    ----------
    table : pd.DataFrame
        Any table, with or without numbers.
    path : Path
        The CSV file; an existing one is replaced.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    with whole_file(path) as part:
        part.write_text(csv_text(table), encoding="utf-8", newline="\n")


def number_texts(values: FloatArray) -> list[str]:
    """Return each number of (n,) as text, NaN as empty text.

    Parameters
    ----------
    values : FloatArray
        (n,), NaN where missing.
    """
    if not len(values):
        return []
    text = ("\n".join([FLOAT_FORMAT] * len(values))) % tuple(values.tolist())
    return text.replace("nan", "").split("\n")


def read_csv(path: Path, columns: Sequence[Column]) -> pd.DataFrame:
    """Read one tidy table.

    Parameters
    ----------
    path : Path
        The CSV file, as this package writes it.
    columns : Sequence[conventions.Column]
        Columns that are expected, in the file's order.

    Raises
    ------
    FileRefusedError
        The file is missing, is no CSV, lacks a column or holds text where a number belongs.
    """
    present = header_of(path)
    missing = [column.name for column in columns if column.name not in present and not column.added]
    if missing:
        raise FileRefusedError(
            f"{path.name} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}.{_separator_hint(present)}",
            value=present, expected=", ".join(column.name for column in columns), where=str(path),
        )  # fmt: skip
    table = _parsed(path, {column.name: str if column.kind == "text" else float for column in columns if column.name in present})
    for column in columns:
        if column.name not in present:
            table[column.name] = "" if column.kind == "text" else np.nan
        if column.kind == "integer" and not table[column.name].isna().any():
            table[column.name] = table[column.name].astype(np.int64)
    return table[[column.name for column in columns]]


def _separator_hint(header: Sequence[str]) -> str:
    """What to say of a header that a spreadsheet of the continent wrote."""
    semicolons = len(header) == 1 and ";" in header[0]
    return " Its cells are separated by semicolons; save it with commas, and with points in decimals." if semicolons else ""


def read_frames_csv(path: Path) -> pd.DataFrame:
    """Read ``trials/<stem>.csv``: ``frame`` as integers, everything else as numbers.

    Parameters
    ----------
    path : Path
        The CSV file of one trial.

    Raises
    ------
    FileRefusedError
        The file is missing, is no CSV, lacks ``frame`` or ``time``, or holds text.
    """
    present = header_of(path)
    if present[:2] != ["frame", "time"]:
        raise FileRefusedError(
            f"{path.name} does not begin with the columns frame and time.",
            value=present[:2], expected="frame,time,...", where=str(path),
        )  # fmt: skip
    return _parsed(path, {name: int if name == "frame" else float for name in present})


def header_line(names: Iterable[str]) -> str:
    """Return one line of CSV with these texts as its cells.

    Parameters
    ----------
    names : Iterable[str]
        Texts of the cells.
    """
    return ",".join(map(_cell, names)) + "\n"


def header_of(path: Path) -> list[str]:
    """Return the column names in the first line of a CSV file written by this package.

    Parameters
    ----------
    path : Path
        The CSV file, of which one line is read.

    Raises
    ------
    FileRefusedError
        The file cannot be read, or is no text.
    """
    try:
        # Excel puts a mark in front of a norm that somebody has edited.
        opened = io.BytesIO(read_input(path)) if reads_once() else path.open("rb")
        with io.TextIOWrapper(opened, encoding="utf-8-sig", newline="") as file:
            return file.readline().rstrip("\r\n").split(",")
    except (OSError, UnicodeDecodeError) as error:
        raise FileRefusedError.at(path, f"{path} cannot be read: {read_problem(error)}.", "a readable CSV file in UTF-8") from error


def _parsed(path: Path, types: Mapping[str, type]) -> pd.DataFrame:
    """Read a CSV with a type for each column; an empty cell is missing among numbers and empty text among texts."""
    numbers = [name for name, kind in types.items() if kind is not str]
    try:
        source = io.BytesIO(read_input(path)) if reads_once() else path
        table = pd.read_csv(source, dtype=dict(types), na_values={name: [""] for name in numbers}, keep_default_na=False)
    except (ValueError, UnicodeDecodeError) as error:
        raise FileRefusedError(
            f"{path.name} is not the table it should be: {error}.",
            value=str(error), expected="numbers where numbers belong", where=str(path),
        ) from error  # fmt: skip
    for name in types.keys() - set(numbers):
        shown = {text: text[1:] for text in table[name].unique() if text[:1] == "'" and _FORMULA.match(text[1:])}
        if shown:
            table[name] = pd.Series([shown.get(text, text) for text in table[name]], index=table.index, dtype="str")
    if not isinstance(table.index, pd.RangeIndex):
        # Rows longer than the header: pandas would take their first cells for row names.
        raise FileRefusedError(
            f"{path.name} is not the table it should be: its rows have more cells than its header.",
            value=list(types), expected="one cell for each column", where=str(path),
        )  # fmt: skip
    return table


def _cell(text: str) -> str:
    text = "'" + text if _FORMULA.match(text) else text
    return '"' + text.replace('"', '""') + '"' if _QUOTED.intersection(text) else text


def _cell_keys(column: pd.Series) -> npt.NDArray[Any]:
    """(n,), numbers that differ where two cells do: the column's own, or 60 bits of the hash of each text."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy()
    codes, texts = pd.factorize(column)
    return np.array([*(int(digest(text)[:15], 16) for text in texts.tolist()), -1])[codes]


def _cells(column: pd.Series) -> list[str]:
    if pd.api.types.is_float_dtype(column.dtype):
        return number_texts(column.to_numpy(dtype=np.float64))
    values = column.tolist()
    # Texts and whole numbers repeat a lot: each different cell is written once.
    if pd.api.types.is_integer_dtype(column.dtype):
        written = {value: str(value) for value in set(values)}
        return [written[value] for value in values]
    quoted = {value: "" if value is None or value != value else _cell(str(value)) for value in set(values)}
    return [quoted[value] for value in values]
