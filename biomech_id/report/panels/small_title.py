"""Titles of small panels: the variable and its unit, whole, on as many lines as they need."""

from __future__ import annotations

from biomech_id.conventions import SignRow
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import width_mm, wrapped

#: Height of a line of a title, mm.
TITLE_LINE_MM = 2.5


def small_title(row: SignRow, style: Style, room_mm: float) -> list[str]:
    """Return the lines of a small panel's title: name and unit on one, or the unit on one of its own.

    Parameters
    ----------
    row : SignRow
        The variable's row of the sign table.
    style : Style
        Colours, words, scales and units of the report.
    room_mm : float
        Width of the panel with its numbers.
    """
    name, unit, size = style.word(row.title), style.word(style.unit(row)), style.size("tiny")
    whole = f"{name}, {'°' if style.unit(row) == 'deg' else unit}"
    return [whole] if width_mm(whole, size) <= room_mm else [*wrapped(name, room_mm, size), unit]
