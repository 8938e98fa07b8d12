"""Tables with A, B, and B minus A, on as many pages as they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from biomech_id.report.layout.numbers import mean_of, mean_sd, written
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable

TABLE_WIDTH_MM = RIGHT_MM - LEFT_MM
_TOP_MM = 21.0


def difference_heads(style: Style, side: str, width_mm: float) -> list[TableColumn]:
    """Return the three columns of one side.

    Parameters
    ----------
    style : Style
        Colours, words, scales and units of the report.
    side : str
        "L" or "R".
    width_mm : float
        Width.
    """
    word = style.label(f"side.{side}")
    return [TableColumn(f"{word} {head}", width_mm, "right") for head in ("A", "B", style.label("common.difference"))]


def difference_cells(a: Sequence[float], b: Sequence[float], decimals: int, *, spread: bool = True) -> list[Cell | str]:
    """Return A, B, and B minus A; A and B as mean ± SD, or the means alone.

    Parameters
    ----------
    a : Sequence[float]
        Values of the first.
    b : Sequence[float]
        Values of the second.
    decimals : int
        Decimals that are shown.
    spread : bool, optional
        Whether standard deviations are shown with the means.
    """
    difference = mean_of(b) - mean_of(a)
    text = written(difference, decimals)
    # A difference that the decimals do not show has no sign either.
    sign = "+" if difference > 0 and text.strip("0.") else ""
    told = [mean_sd(values, decimals) if spread else written(mean_of(values), decimals) for values in (a, b)]
    return [*told, Cell(sign + text, bold=True)]


def draw_tables(name: str, style: Style, *tables: TextTable) -> Iterator[tuple[str, Figure]]:
    """Draw each table on a page of its own, or on as many as it takes; with their titles.

    Parameters
    ----------
    name : str
        Its name.
    style : Style
        Colours, words, scales and units of the report.
    *tables : TextTable
        What is drawn, in this order.
    """
    title = style.label(f"page.{name}")
    for table in tables:
        left = table if table.rows else None
        while left is not None:
            sheet = Sheet(style)
            y, left = left.draw(sheet, LEFT_MM, _TOP_MM, room_mm=BOTTOM_MM - _TOP_MM - 5.0)
            sheet.paragraph(LEFT_MM, y + 1.5, [style.label("common.differs")], size="tiny", colour="quiet")
            yield title, sheet.figure
            title = style.label("page.continued", title=style.label(f"page.{name}"))
