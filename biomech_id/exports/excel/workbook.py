"""A session's tables as an .xlsx workbook: curves side by side, one row a percent, and parameters one row each.

Numbers are written as numbers, so that a spreadsheet shows them with the decimal sign of its own language: a German Excel opens the
file without turning 1.5 into the first of May. What is missing is an empty cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from biomech_id.errors import MissingInputError
from biomech_id.files.atomic import check_writable, whole_file
from biomech_id.session.tables.one_row import session_row
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables

#: Names of the sheets, in their order.
SHEETS = ("session", "curves", "spatiotemporal", "peaks", "scores")
#: Columns that a sheet of a workbook can have (ECMA-376, spreadsheets' own limit).
MOST_COLUMNS = 16384
#: Cells above the curves: what each column is.
CURVE_HEADS = ("trial", "side", "cycle", "variable", "component")


def write_workbook(tables: Tables, path: Path) -> Path:
    """Write a session as a workbook and return its path; it appears whole or not at all.

    Parameters
    ----------
    tables : Tables
        Tables of the session, fresh or read from its folder.
    path : Path
        The ``.xlsx`` file; an existing one is replaced.

    Returns
    -------
    Path
        The workbook that was written.

    Raises
    ------
    MissingInputError
        openpyxl, which writes workbooks, is not installed.
    OutputError
        The file cannot be written.
    """
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise MissingInputError(
            "A workbook needs the package openpyxl, which is not installed: type `pip install openpyxl`.",
            value="openpyxl", expected="openpyxl", where=str(path),
        ) from error  # fmt: skip
    check_writable(path)
    with whole_file(path) as part:
        book = Workbook(write_only=True)
        for name, rows in _sheets(tables):
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append([_cell(value) for value in row])
        book.save(part)
    return path


def _sheets(tables: Tables) -> Iterable[tuple[str, Iterable[Sequence[Any]]]]:
    """Name and rows of each; curves that one sheet cannot hold go on in "curves 2" and so on."""
    first, curves, *others = SHEETS
    row = session_row(tables)
    yield first, [list(row), list(row.values())]
    held = (MOST_COLUMNS - 1) * CURVE_POINTS
    for number, start in enumerate(range(0, max(len(tables.cycles), 1), held), start=1):
        yield f"{curves} {number}" if number > 1 else curves, _curves(tables, slice(start, start + held))
    for name in others:
        table = getattr(tables, name)
        yield name, [list(table.columns), *table.itertuples(index=False)]


def _curves(tables: Tables, held: slice) -> Iterable[Sequence[Any]]:
    """Five rows of names above, then one row a percent, one column a curve."""
    cycles = tables.cycles.iloc[held]
    heads = cycles.iloc[::CURVE_POINTS]
    for head in CURVE_HEADS:
        yield [head, *heads[head]]
    yield ["percent"]
    values = cycles["value"].to_numpy().reshape(-1, CURVE_POINTS).T
    for percent, row in enumerate(values):
        yield [percent, *row]


def _cell(value: Any) -> Any:
    """A value as a cell holds it: text and plain numbers, nothing where a number is missing."""
    if isinstance(value, str) or value is None:
        # A code that begins like a formula stays a text.
        return "'" + value if isinstance(value, str) and value[:1] in "=+@" and value[:1] else value
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
