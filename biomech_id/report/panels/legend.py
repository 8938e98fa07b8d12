"""The line below a page's header that says what is drawn how."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.lines import Line2D

from biomech_id.report.layout.change_table import LETTERS
from biomech_id.report.layout.sheet import HEIGHT_MM, LEFT_MM, RIGHT_MM, WIDTH_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import shortened, width_mm
from biomech_id.report.panels.curve_panel import SESSION_DASHES, Drawing, session_colour

SAMPLE_MM = 9.0
BASELINE_MM, ABSENCES_MM = 20.6, 27.4
#: From one line to the next.
_LINE_MM = 3.4


def draw_legend(sheet: Sheet, drawing: Drawing, *, y_mm: float = BASELINE_MM, whiskers: bool = False) -> None:
    """Write samples of every line and band with its meaning, from left to right; ``whiskers`` are bars of uncertainty.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    drawing : Drawing
        What panels are drawn from.
    y_mm : float, optional
        From the sheet's top.
    whiskers : bool, optional
        Whether bars of uncertainty are drawn.
    """
    style, x = sheet.style, LEFT_MM
    comparing = len(drawing.layers) > 1
    for side in () if comparing else drawing.sides:
        x = _sample(sheet, x, y_mm, style.label(f"side.{side}"), side, style.dashes(side))
    if comparing:
        room = (RIGHT_MM - LEFT_MM) / len(drawing.layers) - SAMPLE_MM - 6.0
        for index, layer in enumerate(drawing.layers):
            meaning = shortened(f"{LETTERS[index]}: {layer.name}", room, style.size("small"))
            x = _sample(sheet, x, y_mm, meaning, session_colour(index), SESSION_DASHES[index])
        x, y_mm = LEFT_MM, y_mm + 3.8
    if drawing.norm is not None:
        sheet.box(x, y_mm - 2.6, SAMPLE_MM - 1.5, 3.0, face="norm", edge=None)
        ranked = style.norm_as_percentiles and drawing.norm.ranks
        meaning = style.label("common.norm_ranked" if ranked else "common.norm_named", n=drawing.norm.n)
        x = _word(sheet, x + SAMPLE_MM, y_mm, meaning)
    else:
        x = _word(sheet, x, y_mm, style.label("common.no_norm"))
    every = "common.every" if drawing.every_cycle else _mean(style)
    for text in map(style.label, ["common.foot_off", "common.changed" if comparing else every]):
        first, text = x == LEFT_MM, f"|  {text}"
        if not first and x + width_mm(text, style.size("small")) > RIGHT_MM:
            x, y_mm, text = LEFT_MM, y_mm + _LINE_MM, text.removeprefix("|  ")
        x = _word(sheet, x, y_mm, text)
    if whiskers and not comparing:
        drawn = style.label("common.measured_band" if style.measured_as_band else "common.whiskers")
        _word(sheet, LEFT_MM, y_mm + _LINE_MM, style.label("common.compare_with", drawn=drawn))


def _mean(style: Style) -> str:
    return "common.mean_pair" if style.measured_as_band else "common.mean_sd"


def draw_absences(sheet: Sheet, sentences: Iterable[str]) -> None:
    """Write below the legend why panels lack one side's curves, each different sentence once.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    sentences : Iterable[str]
        In any number; those that are equal are written once.
    """
    once = "   ".join(dict.fromkeys(sentences))
    if once:
        text = shortened(once, RIGHT_MM - LEFT_MM, sheet.style.size("small"), weight="bold")
        sheet.text(LEFT_MM, ABSENCES_MM, text, size="small", colour="warn", weight="bold")


def _sample(sheet: Sheet, x: float, y: float, text: str, colour: str, dashes: tuple[float, tuple[float, ...] | None]) -> float:
    style: Style = sheet.style
    offset, lengths = dashes
    across = [x / WIDTH_MM, (x + SAMPLE_MM / 2) / WIDTH_MM, (x + SAMPLE_MM) / WIDTH_MM]
    line = Line2D(
        across, [1 - (y - 1.1) / HEIGHT_MM] * 3,
        color=style.colour(colour), linewidth=style.width("mean"), linestyle=(offset, lengths) if lengths else "solid",
    )  # fmt: skip
    sheet.figure.add_artist(line)
    return _word(sheet, x + SAMPLE_MM + 1.5, y, text)


def _word(sheet: Sheet, x: float, y: float, text: str) -> float:
    """Write a word and return where the next thing may begin."""
    sheet.text(x, y, text, size="small", colour="ink")
    return x + width_mm(text, sheet.style.size("small")) + 4.0
