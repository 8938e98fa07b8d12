"""The analysis against a vendor's outputs stored in the same recordings: one line per variable and axis, over trials and sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import ARM_POINTS, CENTRE_OF_MASS, FOOT_TABLE, UPPER_BODY_TABLE, rows_of
from biomech_id.report.layout.numbers import digits
from biomech_id.report.layout.records import records
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import shortened, wrapped
from biomech_id.report.pages.cover import draw_banner
from biomech_id.report.panels.page import PageKind, Shows, register
from biomech_id.session.tables.session_tables import Tables
from biomech_id.statistics.parity import (
    EQUAL_WITHIN,
    MECHANICAL,
    STORED_OFFSETS,
    LeftOut,
    left_out_sentence,
    quantity_of,
    why_different,
)

#: Kinds of quantities in the left and in the right column, from the top.
COLUMNS: tuple[tuple[str, ...], ...] = (
    ("point", "centre of mass", "angle", "offset"),
    ("ground force", "force", "moment", "power"),
)
#: What stands on a sheet of its own: everything above the pelvis.
_UPPER = frozenset({row.variable for row in UPPER_BODY_TABLE} | {*ARM_POINTS.values(), CENTRE_OF_MASS})
#: The same of what is inside the foot.
_INSIDE_FOOT = frozenset(row.variable for row in FOOT_TABLE)
_GUTTER_MM = 6.0
_WIDTH_MM = (RIGHT_MM - LEFT_MM - _GUTTER_MM) / 2
_NAME_MM, _NUMBER_MM, _PLACE_MM = 39.0, 14.2, 24.0


class ParityLine(Protocol):
    """One row of the parity table."""

    trial: str
    side: str
    variable: str
    axis: str
    unit: str
    rmse: float
    largest: float
    correlation: float
    frames: int
    worst_frame: str
    left_out: str
    equal: str


def parity_pages(tables: Tables, style: Style) -> list[Figure]:
    """Draw the comparison, legs and what is above them on a sheet each; without a comparison it says how to make one.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    sheet = Sheet(style)
    if tables.parity is None:
        sheet.text(LEFT_MM, 30.0, style.label("absent.parity"), size="heading")
        return [sheet.figure]
    rows = list(records(tables.parity))
    verdict = verdict_of(rows, str(tables.summary.get("kinetics", "")), style)
    further = [[row for row in rows if row.variable in apart] for apart in (_UPPER, _INSIDE_FOOT)]
    first = _parity_sheet(sheet, [row for row in rows if row.variable not in _UPPER | _INSIDE_FOOT], verdict)
    return [first, *(_parity_sheet(Sheet(style), of_sheet, verdict) for of_sheet in further if of_sheet)]


def _parity_sheet(sheet: Sheet, rows: Sequence[ParityLine], verdict: tuple[str, str, str]) -> Figure:
    colour, head, sentence = verdict
    style, top = sheet.style, draw_banner(sheet, 22.0, head, sentence, colour=colour)
    for number, quantities in enumerate(COLUMNS):
        left, y = LEFT_MM + number * (_WIDTH_MM + _GUTTER_MM), top
        for quantity in quantities:
            of_quantity = [row for row in rows if quantity_of(row.variable) == quantity]
            if of_quantity:
                y = _block(sheet, quantity, of_quantity, left, y, heads=y == top)
    sheet.note(style.label("parity.note"), 193.0, most=2)
    return sheet.figure


def verdict_of(rows: Sequence[ParityLine], kinetics: str, style: Style) -> tuple[str, str, str]:
    """Whether the analysis equals what is stored.

    Parameters
    ----------
    rows : Sequence[ParityLine]
        Of the parity table.
    kinetics : str
        Mode of the analysis; textbook kinetics are meant to differ.
    style : Style
        Colours, words, scales and units of the report.

    Returns
    -------
    tuple[str, str, str]
        The verdict ("accept" or "warn"), its headline, and one sentence with the numbers.
    """
    compared = [row for row in rows if row.equal]
    different = [row for row in compared if row.equal != "true"]
    counts = {"equal": len(compared) - len(different), "n": len(compared)}
    if not different:
        return "accept", style.label("parity.same"), style.label("parity.sentence_same", **counts)
    names = ", ".join(dict.fromkeys(style.label(f"parity.{row.variable}") for row in different))
    sentence = style.label("parity.sentence_differs", names=names, **counts)
    if kinetics == "textbook" and all(quantity_of(row.variable) in MECHANICAL for row in different):
        return "accept", style.label("parity.same_but_textbook"), f"{sentence} {style.label('parity.textbook')}"
    apart = any(row.variable in STORED_OFFSETS for row in different)
    why = f" {why_different(different, kinetics).text(style.language)}" if apart else ""
    return "warn", style.label("parity.differs"), sentence + why


def title_of(variable: str, axis: str, style: Style) -> str:
    """Name of a compared curve in the report's language.

    Parameters
    ----------
    variable : str
        Its name without the side: "KneeMoment".
    axis : str
        "X", "Y" or "Z".
    style : Style
        Colours, words, scales and units of the report.
    """
    row = next((row for row in rows_of(variable) if row.component == axis), None)
    if row is not None:
        return style.word(row.title)
    name = style.label(f"parity.{variable}")
    return f"{name} {axis}" if axis else name


def _block(sheet: Sheet, quantity: str, rows: Sequence[ParityLine], left_mm: float, top_mm: float, *, heads: bool) -> float:
    """One table: a line per variable and axis; below it what counts as equal, and frames left out. Return where it ends.

    The first table of a column has heads, which hold for those below it too.
    """
    style = sheet.style
    unit = rows[0].unit
    sheet.heading(left_mm, top_mm, f"{style.label(f'parity.{quantity}')}, {style.word(unit)}")
    names = ("rmse", "largest", "correlation", "frames", "equal", "where")
    heads_row = [style.label(f"parity.{name}") if heads else "" for name in names]
    columns = (
        TableColumn("", _NAME_MM),
        *(TableColumn(head, _NUMBER_MM, "right") for head in heads_row[:-1]),
        TableColumn(heads_row[-1], _PLACE_MM),
    )
    keys = dict.fromkeys((row.variable, row.axis) for row in rows)
    lines = [_line([row for row in rows if (row.variable, row.axis) == key], style) for key in keys]
    y, _ = TextTable(columns, lines, size="tiny", padding_mm=0.7).draw(sheet, left_mm, top_mm + 1.2)
    rms, largest = EQUAL_WITHIN[quantity]
    note = style.label(
        "parity.limits",
        rms=digits(rms, "g", style.decimal_mark),
        largest=digits(largest, "g", style.decimal_mark),
        unit=style.word(unit),
    )
    left_out = most_left_out(rows)
    if left_out:
        omitted = "; ".join(left_out_sentence(reason, count).text(style.language) for reason, count in left_out.items())
        note += " " + style.label("parity.left_out", told=omitted)
    return sheet.paragraph(left_mm, y + 0.6, wrapped(note, _WIDTH_MM, style.size("tiny")), size="tiny", colour="quiet") + 5.5


def most_left_out(rows: Sequence[ParityLine]) -> dict[str, int]:
    """Reason -> number of frames left out, over every trial and side, of the variable and axis that lost most.

    Parameters
    ----------
    rows : Sequence[ParityLine]
        Rows of the comparison.
    """
    lines: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        lines.setdefault((row.variable, row.axis), Counter()).update(
            {reason: int(n) for reason in LeftOut if (n := getattr(row, reason)) > 0}
        )
    most: Counter[str] = Counter()
    for line in lines.values():
        most |= line
    return dict(most)


def _line(rows: Sequence[ParityLine], style: Style) -> list[Cell | str]:
    """One variable and axis over every trial and side."""
    title, mark = title_of(rows[0].variable, rows[0].axis, style), style.decimal_mark
    compared = [row for row in rows if row.equal]
    if not compared:
        return [title, "–", "–", "–", "0", "–", ""]
    overall = pooled(compared)
    worst = max(compared, key=lambda row: float(row.largest))
    equal = sum(row.equal == "true" for row in compared)
    colour = "ink" if equal == len(compared) else "warn"
    frame = f" {worst.worst_frame}" if worst.worst_frame else ""
    # The frame must stay readable, however long the trial's name.
    name = shortened(worst.trial, _PLACE_MM - 11.0, style.size("tiny"))
    return [
        title, digits(overall["rmse"], ".2g", mark), digits(overall["largest"], ".2g", mark),
        _correlation(overall["correlation"], mark), f"{overall['frames']:.0f}",
        Cell(style.label("parity.of", equal=equal, n=len(compared)), colour=colour, bold=colour == "warn"),
        f"{name} {worst.side}{frame}",
    ]  # fmt: skip


def pooled(rows: Sequence[ParityLine]) -> Mapping[str, float]:
    """Rows of one variable together: RMSE over all frames, the largest difference, the lowest correlation, frames compared.

    Parameters
    ----------
    rows : Sequence[ParityLine]
        Rows of the comparison.
    """
    frames = np.array([row.frames for row in rows], dtype=float)
    rmse = np.array([row.rmse for row in rows], dtype=float)
    correlations = [float(row.correlation) for row in rows if np.isfinite(row.correlation)]
    return {
        "rmse": float(np.sqrt((frames * rmse**2).sum() / frames.sum())),
        "largest": max(float(row.largest) for row in rows),
        "correlation": min(correlations, default=float("nan")),
        "frames": float(frames.sum()),
    }


def _correlation(value: float, mark: str) -> str:
    return digits(value, ".4f", mark) if np.isfinite(value) else "–"


register(
    PageKind("parity", 130, lambda content: parity_pages(content.tables, content.style), Shows.SESSION, needs=("parity",), sheets=1)
)
