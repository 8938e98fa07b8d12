"""Tables of several sessions: the first, and of each other one its value and what changed, on as many pages as they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from biomech_id.report.layout.numbers import mean_of, mean_sd, written
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.statistics.two_recordings import ScalarChange

TABLE_WIDTH_MM = RIGHT_MM - LEFT_MM
#: What sessions are called, in their order.
LETTERS = "ABCDEF"
_TOP_MM = 21.0


def change_heads(style: Style, sessions: int, width_mm: float) -> list[TableColumn]:
    """Return the columns of one side: the first session, then each other one and its change.

    Parameters
    ----------
    style : Style
        Colours, words, scales and units of the report.
    sessions : int
        Number of sessions that are compared.
    width_mm : float
        Of all of them.
    """
    first, each = _widths(sessions, width_mm)
    heads = [TableColumn("A", first, "right")]
    for letter in LETTERS[1:sessions]:
        heads += [
            TableColumn(letter, each * 0.4, "right"),
            TableColumn(style.label("common.change", letter=letter), each * 0.6, "right"),
        ]
    return heads


def _widths(sessions: int, width_mm: float) -> tuple[float, float]:
    first = min(32.0, width_mm / sessions)
    return first, (width_mm - first) / (sessions - 1)


def change_cells(
    values: Sequence[Sequence[float]], changes: Sequence[ScalarChange], decimals: int, style: Style
) -> list[Cell | str]:
    """Return the cells of one row: mean and SD of the first; of each other one its mean, and its change with what it must leave.

    Parameters
    ----------
    values : Sequence[Sequence[float]]
        Of the cycles of each session.
    changes : Sequence[ScalarChange]
        From the first session to each other one.
    decimals : int
        Decimals that are shown.
    style : Style
        Colours, words, scales and units of the report.
    """
    cells: list[Cell | str] = [mean_sd(values[0], decimals, style.decimal_mark)]
    for own, change in zip(values[1:], changes, strict=True):
        cells += [written(mean_of(own), decimals, style.decimal_mark), change_cell(change, decimals, style)]
    return cells


def change_cell(change: ScalarChange, decimals: int, style: Style) -> Cell:
    """Return a difference with its sign and what it must leave; bold where it is called a change.

    Parameters
    ----------
    change : ScalarChange
        The change and what it has to leave behind.
    decimals : int
        Decimals that are shown.
    style : Style
        Colours, words, scales and units of the report.
    """
    text = written(change.difference, decimals, style.decimal_mark)
    # A difference that the decimals do not show has no sign either.
    sign = "+" if change.difference > 0 and text.strip("0.,") else ""
    carried = f" ({written(change.carried, decimals, style.decimal_mark)})" if change.carried == change.carried else ""
    return Cell(f"{sign}{text}{carried}", bold=change.changed)


def draw_tables(
    name: str, style: Style, *tables: tuple[str, TextTable], note: str = "common.differs"
) -> Iterator[tuple[str, Figure]]:
    """Draw each table on a page of its own, or on as many as it takes; with their titles.

    Parameters
    ----------
    name : str
        Name of the page, for its title.
    style : Style
        Colours, words, scales and units of the report.
    *tables : tuple[str, TextTable]
        A side, or nothing, and what is drawn, in this order.
    note : str, optional
        Label of what stands below each.
    """
    for side, table in tables:
        title = style.label(f"page.{name}")
        title = style.label("movement.title", title=title, kind=style.label(f"side.{side}")) if side else title
        left = table if table.rows else None
        while left is not None:
            sheet = Sheet(style)
            y, left = left.draw(sheet, LEFT_MM, _TOP_MM, room_mm=BOTTOM_MM - _TOP_MM - 9.0)
            sheet.note(style.label(note), y + 1.5, most=2)
            yield title, sheet.figure
