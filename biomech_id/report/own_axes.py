"""Panels of the report in axes or figures of the user's own: the same drawing, with letters that can be read 600 pixels wide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import Bbox, TransformedBbox

from biomech_id.arguments import Kind
from biomech_id.errors import OptionError
from biomech_id.report.layout.panel import MM_PER_INCH, Panel
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell
from biomech_id.report.layout.typography import width_mm

#: Where a panel may be drawn.
AxesOrFigure = Axes | Figure | SubFigure | Sequence[Axes]
#: Least type sizes outside the report (points).
LETTERS_PT = {"heading": 9.0, "body": 8.0, "small": 8.0, "tiny": 8.0}
#: How far the words for up and down stand to the left of a panel (mm).
WORDS_MM = 10.5
#: A figure gets one column for every so much of its width (mm), rows of this height, and a legend above them.
_COLUMN_MM, _ROW_MM, _LEGEND_MM = 75.0, 66.0, 8.0
#: Around each panel: left, right, above, below (mm).
_LEFT_MM, _RIGHT_MM, _ABOVE_MM, _BELOW_MM = 17.0, 4.0, 9.0, 12.0
#: Height of a row of a table (mm).
_LINE_MM = 5.2


def _is_place(value: object) -> bool:
    return isinstance(value, Figure | SubFigure) or all(
        isinstance(each, Axes) for each in np.ravel(np.asarray(value, dtype=object))
    )


A_PLACE = Kind("axes or a figure of matplotlib", _is_place, hint="plt.subplots() or matplotlib.figure.Figure() makes them")


def given_axes(place: Axes | Sequence[Axes], number: int) -> list[Axes]:
    """Return the axes that were given, however they are nested.

    Parameters
    ----------
    place : Axes | Sequence[Axes]
        One, or several as ``Figure.subplots`` returns them.
    number : int
        How many panels there are to draw.

    Returns
    -------
    list[Axes]
        All of them; never fewer than asked for.

    Raises
    ------
    OptionError
        There are fewer axes than panels.
    """
    axes = list(np.ravel(np.asarray(place, dtype=object)))
    if len(axes) < number:
        words = f"There are {number} panels to draw, and {len(axes)} axes: give as many axes, or a figure."
        raise OptionError(words, value=len(axes), expected=f"{number} axes", where="ax")
    return axes


def figure_of(own: Axes) -> Figure:
    """Return the whole figure that axes stand in.

    Parameters
    ----------
    own : Axes
        In a figure, or in a part of one.

    Returns
    -------
    Figure
        The outermost one.
    """
    figure = own.get_figure(root=True)
    assert figure is not None
    return figure


def legible(style: Style) -> Style:
    """Return a style whose letters are no smaller than a notebook needs, and whose titles do not speak of the report's scales.

    Parameters
    ----------
    style : Style
        Of the report.
    """
    sizes = {name: max(least, style.size(name)) for name, least in LETTERS_PT.items()}
    settings = {**style.settings, "text": {**style.settings["text"], **sizes}}
    return replace(style, settings=settings, labels={**style.labels, "common.widened": "{unit}"})


def fill(
    place: AxesOrFigure,
    drawers: Sequence[Callable[[Panel], object]],
    style: Style,
    legend: Sequence[Artist],
    *,
    in_axes: bool = False,
) -> Figure:
    """Draw one panel after another: in the axes that are given, or in a figure, whose height becomes what they need.

    Parameters
    ----------
    place : AxesOrFigure
        Axes, as many as there are panels or more, or a figure.
    drawers : Sequence[Callable[[Panel], object]]
        Each fills a panel.
    style : Style
        As `legible` returns it.
    legend : Sequence[Artist]
        What stands above the panels of a figure.
    in_axes : bool, optional
        Whether it stands in axes too.

    Returns
    -------
    Figure
        The figure that was drawn in.

    Raises
    ------
    OptionError
        There are fewer axes than panels.
    """
    if isinstance(place, Figure | SubFigure):
        axes = _cells(place, len(drawers))
        place.legend(
            handles=legend, loc="upper left", ncols=len(legend), fontsize=style.size("small"), frameon=False, columnspacing=1.0,
            handlelength=1.8, handletextpad=0.5,
        )  # fmt: skip
    else:
        axes = given_axes(place, len(drawers))
    for own, draw in zip(axes, drawers, strict=False):
        panel = _panel_in(own, style)
        draw(panel)
        own.set(xlim=panel.get_xlim(), ylim=panel.get_ylim())
        if in_axes and not isinstance(place, Figure | SubFigure):
            own.legend(handles=legend, loc="best", fontsize=style.size("small"), frameon=False)
    return figure_of(axes[0])


def _cells(figure: Figure | SubFigure, number: int) -> list[Axes]:
    """Axes in rows over a figure, with room for words and numbers around each."""
    width, height = np.array(figure.bbox.size) / figure.dpi * MM_PER_INCH
    columns = int(np.clip(width // _COLUMN_MM, 1, number))
    rows = ceil(number / columns)
    if isinstance(figure, Figure) and rows * columns > 1:
        height = rows * _ROW_MM + _LEGEND_MM
        figure.set_size_inches(width / MM_PER_INCH, height / MM_PER_INCH)
    across, down = width / columns, (height - _LEGEND_MM) / rows
    inside = ((across - _LEFT_MM - _RIGHT_MM) / width, (down - _ABOVE_MM - _BELOW_MM) / height)
    return [
        figure.add_axes((
            (column * across + _LEFT_MM) / width, ((rows - 1 - row) * down + _BELOW_MM) / height, *inside,
        ))
        for row, column in (divmod(index, columns) for index in range(number))
    ]  # fmt: skip


def _panel_in(own: Axes, style: Style) -> Panel:
    """A panel that stays where the axes are, wherever a layout moves them; the axes keep the data's scales."""
    figure = own.get_figure(root=False)
    assert figure is not None
    own.set_axis_off()
    width, height = np.array(own.get_window_extent().size) / figure.dpi * MM_PER_INCH
    panel = Panel(figure, (0.0, 0.0, 1.0, 1.0), size_mm=(width, height), style=style)  # type: ignore[arg-type]
    panel.set_axes_locator(lambda *_: Bbox(TransformedBbox(own.bbox, figure.transSubfigure.inverted()).get_points()))
    own.add_child_axes(panel)
    return panel


def line(label: str, colour: str, style: Style, dashes: tuple[float, tuple[float, ...] | None] = (0.0, None)) -> Artist:
    """Return a line of a legend.

    Parameters
    ----------
    label : str
        What it stands for.
    colour : str
        Name of its colour in the style.
    style : Style
        Colours and widths.
    dashes : tuple[float, tuple[float, ...] | None], optional
        As matplotlib writes them.
    """
    drawn = Line2D([], [], color=style.colour(colour), linewidth=style.width("mean"), label=label)
    drawn.set_linestyle(dashes)  # type: ignore[arg-type]  # the stubs know no (0, None)
    return drawn


def area(label: str, colour: str, style: Style, opacity: float = 0.45) -> Artist:
    """Return a band of a legend.

    Parameters
    ----------
    label : str
        What it stands for.
    colour : str
        Name of its colour in the style.
    style : Style
        Colours.
    opacity : float, optional
        As it is drawn in the panels; that of a norm unless given.
    """
    return Patch(facecolor=style.colour(colour), alpha=opacity, linewidth=0, label=label)


def write_table(place: AxesOrFigure, rows: Sequence[Sequence[Cell | str]], style: Style) -> Figure:
    """Write rows of text, the first in bold: names on the left, numbers right-aligned.

    Parameters
    ----------
    place : AxesOrFigure
        One axes, or a figure, whose height becomes what the rows need.
    rows : Sequence[Sequence[Cell | str]]
        All of one length.
    style : Style
        As `legible` returns it.

    Returns
    -------
    Figure
        The figure that was drawn in.
    """
    if isinstance(place, Figure):
        place.set_size_inches(place.get_figwidth(), len(rows) * _LINE_MM / MM_PER_INCH)
    own = place.add_axes((0.02, 0.0, 0.96, 1.0)) if isinstance(place, Figure | SubFigure) else given_axes(place, 1)[0]
    own.set_axis_off()
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    size, room_mm = style.size("body"), own.bbox.width / own.figure.dpi * MM_PER_INCH
    widths = np.array([max(width_mm(cell.text, size, weight="bold") for cell in column) for column in zip(*cells, strict=True)])
    gap = (room_mm - widths.sum()) / max(1, len(widths) - 1)
    ends = (np.cumsum(widths) + gap * np.arange(len(widths))) / room_mm
    for number, row in enumerate(cells):
        for index, shown in enumerate(row):
            own.text(
                ends[index] if index else 0.0, 1.0 - (number + 0.5) / len(rows), shown.text, transform=own.transAxes,
                ha="right" if index else "left", va="center", fontsize=size, color=style.colour(shown.colour),
                weight="bold" if shown.bold or not number else "normal", parse_math=False, family=style.family,
            )  # fmt: skip
    return figure_of(own)
