"""Jumps: heights by every method, contacts, landings and their symmetry, one column a jump."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from biomech_id.report.first.page import OWN_TOP_MM, draw_as_first, first_of
from biomech_id.report.layout.numbers import DECIMALS, written
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import NO_STRIDES, Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.panels.page import Content, PageKind, Shows, register
from biomech_id.session.tables.session_tables import Tables

#: Columns of one sheet, and how parameters of jumps are called.
_MOST_COLUMNS, _PREFIX = 8, "jump_"
#: Parameter of a jump -> value and unit.
Measured = dict[str, tuple[float, str]]


def jumps_of(tables: Tables, prefix: str = _PREFIX) -> dict[tuple[str, int], Measured]:
    """Return (trial, number of the jump) -> parameter -> value and unit, in the order of the tables.

    Parameters
    ----------
    tables : Tables
        Of a session.
    prefix : str, optional
        How the parameters are called; those of squats and rises have others.
    """
    table, jumps = tables.spatiotemporal, dict[tuple[str, int], Measured]()
    of_jumps = table[table["parameter"].astype(str).str.startswith(prefix)]
    fields = (of_jumps[name] for name in ("trial", "cycle", "parameter", "value", "unit"))
    for trial, number, parameter, value, unit in zip(*fields, strict=True):
        jumps.setdefault((str(trial), int(number)), {})[str(parameter)] = (float(value), str(unit))
    return jumps


def measures_table(jumps: dict[tuple[str, int], Measured], style: Style) -> TextTable:
    """Return a table of one row a measure, one column a jump.

    Parameters
    ----------
    jumps : dict[tuple[str, int], Measured]
        As `jumps_of` returns them.
    style : Style
        Words and numbers of the report.
    """
    names = dict.fromkeys(name for measured in jumps.values() for name in measured)
    width = min(32.0, (RIGHT_MM - LEFT_MM - 84.0) / max(len(jumps), 1))
    heads = [TableColumn(f"{trial} {number}", width, "right") for trial, number in jumps]
    columns = (TableColumn(style.label("parameter.heading"), 64.0), TableColumn(style.label("parameter.unit"), 20.0), *heads)
    rows: list[list[Cell | str]] = []
    for name in names:
        unit = next(measured[name][1] for measured in jumps.values() if name in measured)
        cells = [
            written(measured[name][0], DECIMALS.get(unit, 2), style.decimal_mark) if name in measured else "–"
            for measured in jumps.values()
        ]
        rows.append([style.label(f"parameter.{name}"), style.word(unit), *cells])
    return TextTable(columns, rows, size="body")


def _draw(content: Content) -> Iterator[Figure]:
    style, jumps = content.style, list(jumps_of(content.tables).items())
    if not jumps:
        sheet = Sheet(style)
        sheet.text(LEFT_MM, 30.0, style.label("jumps.none"), size="heading")
        yield sheet.figure
    yield from measures_sheets(content, "jump", jumps, style.label("jumps.note"))


def measures_sheets(content: Content, kind: str, each: Sequence[tuple[tuple[str, int], Measured]], note: str) -> Iterator[Figure]:
    """Draw tables of one column a jump, squat or rise, as many sheets as they need; the first may be a session's first page.

    Parameters
    ----------
    content : Content
        What pages are drawn from.
    kind : str
        "jump", "squat" or "rise".
    each : Sequence[tuple[tuple[str, int], Measured]]
        Items of `jumps_of`.
    note : str
        Small print below each table.
    """
    for start in range(0, len(each), _MOST_COLUMNS):
        sheet, first = Sheet(content.style), first_of(content, kind) if not start else None
        table = measures_table(dict(each[start : start + _MOST_COLUMNS]), content.style)
        y, _ = table.draw(sheet, LEFT_MM, 21.0 if first is None else OWN_TOP_MM, room_mm=120.0)
        y = sheet.note(note, y + 3.0, right_mm=RIGHT_MM)
        if first is not None:
            draw_as_first(sheet, first, y + 5.0)
        yield sheet.figure


register(PageKind("jumps", 3, _draw, Shows.SESSION, sheets=0, own=NO_STRIDES, spared=lambda content: not jumps_of(content.tables)))
