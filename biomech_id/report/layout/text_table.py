"""Tables of text on a page: columns of given widths, rows as high as their longest cell, broken over pages where they must be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import MM_PER_POINT, width_mm, wrapped
from biomech_id.values import dataclass

LINE_SPACING = 1.25


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and how it differs from its neighbours.

    Attributes
    ----------
    text : str
        Words or number that stand in it.
    colour : str, optional
        A colour as matplotlib takes it.
    bold : bool, optional
        Whether it is set in bold.
    """

    text: str
    colour: str = "ink"
    bold: bool = False


@dataclass(frozen=True)
class TableColumn:
    """One column: its head, its width, and which side its text leans to ("left", "right", "center").

    Attributes
    ----------
    head : str
        What stands above it.
    width_mm : float
        Width of the column, millimetres.
    align : str, optional
        "left", "right" or "center".
    """

    head: str
    width_mm: float
    align: str = "left"


@dataclass(frozen=True)
class TextTable:
    """A table ready to be drawn.

    Attributes
    ----------
    columns : tuple[TableColumn, ...]
        From left to right.
    rows : Sequence[Sequence[Cell | str]]
        Cells by row; a plain ``str`` is a cell without emphasis.
    size : str, optional
        Type size by name.
    padding_mm : float, optional
        Space to the left and right of each cell's text, and half of it above and below.
    """

    columns: tuple[TableColumn, ...]
    rows: Sequence[Sequence[Cell | str]]
    size: str = "small"
    padding_mm: float = 1.2

    @property
    def width_mm(self) -> float:
        """Width of the whole table."""
        return sum(column.width_mm for column in self.columns)

    def height_mm(self, style: Style) -> float:
        """Height of the whole table with its head.

        Parameters
        ----------
        style : Style
            Colours, words, scales and units of the report.
        """
        return self._head_height(style) + sum(self._height(self._broken(row, style), style) for row in self.rows)

    def draw(self, sheet: Sheet, left_mm: float, top_mm: float, *, room_mm: float | None = None) -> tuple[float, TextTable | None]:
        """Draw as many rows as there is room for.

        Parameters
        ----------
        sheet : Sheet
            Page that the table is drawn on.
        left_mm : float
            From the sheet's left.
        top_mm : float
            From the sheet's top.
        room_mm : float | None, optional
            How wide or high at most; None for no limit.

        Returns
        -------
        tuple[float, TextTable | None]
            Where the drawn part ends (mm from the top), and what is left over as a table of its own, or None.
        """
        style = sheet.style
        y = self._draw_head(sheet, left_mm, top_mm)
        bottom = float("inf") if room_mm is None else top_mm + room_mm
        for number, row in enumerate(self.rows):
            broken = self._broken(row, style)
            height = self._height(broken, style)
            if y + height > bottom and number > 0:
                return y, TextTable(self.columns, self.rows[number:], self.size, self.padding_mm)
            if number % 2:
                sheet.box(left_mm, y, self.width_mm, height, face="shade", edge=None)
            self._draw_row(sheet, left_mm, y, row, broken)
            y += height
        sheet.rule(left_mm, y, left_mm + self.width_mm, y, colour="zero", width=0.5)
        return y, None

    def _broken(self, row: Sequence[Cell | str], style: Style) -> list[list[str]]:
        size = style.size(self.size)
        cells = zip(row, self.columns, strict=True)
        return [
            wrapped(_cell(cell).text, column.width_mm - 2 * self.padding_mm, size, weight="bold" if _cell(cell).bold else "normal")
            for cell, column in cells
        ]

    def _line(self, style: Style) -> float:
        return style.size(self.size) * MM_PER_POINT * LINE_SPACING

    def _height(self, broken: list[list[str]], style: Style) -> float:
        return max(len(lines) for lines in broken) * self._line(style) + self.padding_mm

    def _heads(self, style: Style) -> list[list[str]]:
        size = style.size(self.size)
        return [wrapped(c.head, c.width_mm - 2 * self.padding_mm, size, weight="bold") for c in self.columns]

    def _head_height(self, style: Style) -> float:
        heads = self._heads(style)
        return self._height(heads, style) + 0.6 if any(text for lines in heads for text in lines) else 0.0

    def _draw_head(self, sheet: Sheet, left_mm: float, top_mm: float) -> float:
        height = self._head_height(sheet.style)
        if height:
            heads = self._heads(sheet.style)
            self._draw_row(sheet, left_mm, top_mm, [Cell("", bold=True)] * len(heads), heads)
            sheet.rule(left_mm, top_mm + height, left_mm + self.width_mm, top_mm + height, colour="ink", width=0.7)
        return top_mm + height

    def _draw_row(self, sheet: Sheet, left_mm: float, top_mm: float, row: Sequence[Cell | str], broken: list[list[str]]) -> None:
        x = left_mm
        for cell, lines, column in zip(row, broken, self.columns, strict=True):
            at = {"left": x + self.padding_mm, "right": x + column.width_mm - self.padding_mm, "center": x + column.width_mm / 2}
            x += column.width_mm
            if any(lines):
                cell = _cell(cell)
                sheet.paragraph(
                    at[column.align], top_mm + self.padding_mm / 2, lines, size=self.size, spacing=LINE_SPACING,
                    colour=cell.colour, weight="bold" if cell.bold else "normal", ha=column.align,
                )  # fmt: skip


def widths_for(heads: Sequence[str], room_mm: float, style: Style, *, size: str = "small", padding_mm: float = 1.2) -> list[float]:
    """Return how wide columns are that share a room so that no word of their heads breaks, as far as there is room for that.

    Parameters
    ----------
    heads : Sequence[str]
        Heads of the columns, from the left.
    room_mm : float
        Of all of them.
    style : Style
        Colours, words, scales and units of the report.
    size : str, optional
        Type size by name.
    padding_mm : float, optional
        As of the table.
    """
    points = style.size(size)
    # A tenth of a millimetre, lest rounding breaks what just fits.
    needs = [max((width_mm(w, points, weight="bold") for w in head.split()), default=0.0) + 2 * padding_mm + 0.1 for head in heads]
    spare = room_mm - sum(needs)
    if spare < 0:
        return [need * room_mm / sum(needs) for need in needs]
    # What is left goes to the narrow ones first, so that numbers below short heads have room too.
    level = _level(needs, spare)
    return [max(need, level) for need in needs]


def _level(needs: Sequence[float], spare: float) -> float:
    """Up to where narrow columns are filled, as water fills a vessel with steps."""
    steps = sorted(needs)
    for count, (low, high) in enumerate(pairwise(steps), 1):
        if spare < count * (high - low):
            return low + spare / count
        spare -= count * (high - low)
    return steps[-1] + spare / len(steps)


def _cell(cell: Cell | str) -> Cell:
    return Cell(cell) if isinstance(cell, str) else cell
