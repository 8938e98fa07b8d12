"""One variable over the gait cycle: both sides over the norm, foot off, words at the axis ends, and why a side is empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES, SignRow
from biomech_id.report.layout.numbers import three_digits
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import width_mm
from biomech_id.report.panels.layer import ROWS, Layer, Statistics
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.uncertainty_bars import COVERAGE, draw_bars, measurement_sd
from biomech_id.statistics.sessions import change_of_curve
from biomech_id.values import dataclass

PERCENT = np.arange(101.0)
CYCLE = Scale(0.0, 100.0, 20.0)
#: Of sessions compared each has a colour, and dashes for who sees no colours.
SESSION_DASHES: tuple[tuple[float, tuple[float, ...] | None], ...] = (
    (0.0, None), (0.0, (5.0, 1.4)), (0.0, (2.2, 1.0)), (0.0, (6.0, 1.2, 1.2, 1.2)), (0.0, (1.0, 1.0)), (0.0, (8.0, 2.0)),
)  # fmt: skip
#: Height of the bars that show where a session has changed from the first, mm.
CHANGED_MM = 0.9
#: What a number stands on where curves may pass below it.
BACKING: dict[str, object] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}


@dataclass(frozen=True)
class Drawing:
    """What a page draws in each of its panels.

    Attributes
    ----------
    layers : Sequence[Layer]
        One, or several to compare.
    style : Style
        Colours, sizes and language of the report.
    norm : Norm | None, optional
        Behind the curves, or None.
    every_cycle : bool, optional
        One line per cycle, or mean and standard deviation.
    side : str, optional
        The only one that is drawn; both where empty.
    """

    layers: Sequence[Layer]
    style: Style
    norm: Norm | None = None
    every_cycle: bool = False
    side: str = ""

    @property
    def sides(self) -> tuple[str, ...]:
        """Which are drawn."""
        return (self.side,) if self.side else SIDES

    @property
    def run(self) -> bool:
        """Whether the scales of running apply."""
        return any(layer.run for layer in self.layers)

    def one_curve(self, grid: Iterable[Iterable[tuple[str, str]]]) -> bool:
        """Whether no side has more than one cycle in the mean of any of these variables, and some side has one.

        Parameters
        ----------
        grid : Iterable[Iterable[tuple[str, str]]]
            Rows of (variable, component).
        """
        rows = [ROWS[name] for names in grid for name in names]
        layers = ((layer, side, row) for layer in self.layers for side in self.sides for row in rows)
        return max((len(layer.every(side, row, self.style)[0]) for layer, side, row in layers), default=0) == 1


def draw_variable(panel: Panel, row: SignRow, drawing: Drawing, *, x_numbers: bool, words_left_mm: float = 7.5) -> list[str]:
    """Fill a panel with one variable: frame, norm, curves, foot off, words and counts.

    Parameters
    ----------
    panel : Panel
        Axes of one variable, still empty.
    row : SignRow
        The variable's row of the sign table.
    drawing : Drawing
        What panels are drawn from.
    x_numbers : bool
        Whether numbers stand at the axis.
    words_left_mm : float, optional
        How far the words for up and down stand to the left.

    Returns
    -------
    list[str]
        Why one side has no curve while the other has, for the page to say; a panel without any curve says it itself.
    """
    style = drawing.style
    panel.frame(CYCLE, style.scale(row, run=drawing.run), x_numbers=x_numbers)
    panel.end_words(style.word(row.positive), style.word(row.negative), left_mm=words_left_mm)
    _title(panel, row, drawing)
    if drawing.norm is not None:
        _norm(panel, row, drawing.norm, style)
    missing = []
    for side in drawing.sides:
        drawn = [_curves(panel, side, row, drawing, index) for index in range(len(drawing.layers))]
        if not any(drawn):
            missing.append(drawing.layers[0].missing(side, row, style))
    if x_numbers:
        panel.outside(panel.size_mm[0] / 2, -6.2, style.label("common.percent_cycle"), size="tiny", colour="quiet", ha="center")
    if len(missing) < len(drawing.sides):
        return missing
    _notice(panel, row, drawing)
    return []


def _title(panel: Panel, row: SignRow, drawing: Drawing) -> None:
    """Name and unit on the left; number of cycles of each side, and of subjects where the norm has more elsewhere, on the right."""
    style, (width, height) = drawing.style, panel.size_mm
    right = width
    for side in reversed(drawing.sides):
        counts = "+".join(str(len(layer.every(side, row, style)[0])) for layer in drawing.layers)
        panel.outside(right, height + 1.3, f"{side} {counts}", size="tiny", colour=side, ha="right")
        right -= width_mm(f"{side} {counts}", style.size("tiny")) + 1.8
    of_norm = drawing.norm.counts.get((row.variable, row.component)) if drawing.norm is not None else None
    if drawing.norm is not None and of_norm not in (None, drawing.norm.n):
        subjects = style.label("common.norm_n", n=of_norm)
        panel.outside(right, height + 1.3, subjects, size="tiny", colour="quiet", ha="right")
        right -= width_mm(subjects, style.size("tiny")) + 1.8
    title, unit = style.word(row.title), style.word(style.unit(row))
    if style.scale(row, run=drawing.run).widened:
        unit = style.label("common.widened", unit=unit)
    room = right - width_mm(unit, style.size("tiny")) - 2.0
    fits = width_mm(title, style.size("body"), weight="bold") <= room
    size = "body" if fits else "small"
    left = min(0.0, room - width_mm(title, style.size(size), weight="bold"))
    panel.outside(left, height + 1.3, title, size=size, weight="bold")
    panel.outside(left + width_mm(title, style.size(size), weight="bold") + 1.5, height + 1.3, unit, size="tiny", colour="quiet")


def _norm(panel: Panel, row: SignRow, norm: Norm, style: Style) -> None:
    band = norm.band(row, style)
    if band is not None:
        below, above, middle = band
        panel.band(PERCENT, below, above, colour="norm", opacity=0.45, zorder=1.0, gid=f"norm {row.column('')}")
        if middle is not None:
            line = np.column_stack([PERCENT, middle])
            panel.polylines([line], colour="quiet", width=0.6, zorder=1.2, gid=f"norm middle {row.column('')}")
    low, high = panel.get_ylim()
    if np.isfinite(norm.foot_off_percent):
        at = norm.foot_off_percent
        panel.polylines([[(at, low), (at, high)]], colour="quiet", width=0.8, dashes=(0.0, (1.0, 1.6)), zorder=1.5)


def _curves(panel: Panel, side: str, row: SignRow, drawing: Drawing, index: int) -> bool:
    """Draw one layer's curves of one side; return whether there was anything to draw."""
    layer, style = drawing.layers[index], drawing.style
    name = f"{layer.name}|{side}|{row.column('')}"
    comparing = len(drawing.layers) > 1
    colour = session_colour(index) if comparing else side
    used, unused = layer.every(side, row, style)
    if not len(used) and not (drawing.every_cycle and len(unused)):
        return False
    dashes = SESSION_DASHES[index] if comparing else style.dashes(side)
    if drawing.every_cycle:
        width = style.width("cycle")
        if len(unused):
            faint = (0.0, (1.0, 1.5))
            panel.polylines(_paths(unused), colour=colour, width=width * 0.8, dashes=faint, opacity=0.7, gid=f"{name}|unused")
        panel.polylines(_paths(used), colour=colour, width=width, dashes=dashes, gid=f"{name}|cycles")
        if len(used) == 1 and not comparing:
            _bars(panel, side, row, layer, style, name)
        _off_scale(panel, side, np.concatenate([used, unused]), style)
    else:
        mean = layer.mean(side, row, style)
        if not comparing:
            _scatter(panel, side, mean, style, name)
            _bars(panel, side, row, layer, style, name)
        panel.polylines(_paths(mean.mean[None]), colour=colour, width=style.width("mean"), dashes=dashes, gid=f"{name}|mean")
        if index:
            _changed(panel, (side, row.variable, row.component), drawing, index, name)
        _off_scale(panel, side, mean.mean[None], style)
    _foot_off(panel, side, layer, dashes if comparing else (0.0, None), colour)
    return True


def _scatter(panel: Panel, side: str, mean: Statistics, style: Style, name: str) -> None:
    """One SD of the cycles about their mean: a band, or a pair of lines where the band is the measurement's."""
    low, high = mean.mean - mean.sd, mean.mean + mean.sd
    if style.measured_as_band:
        panel.polylines(
            _paths(np.stack([low, high])), colour=side, width=0.5, dashes=(0.0, (3.0, 1.5)), zorder=2.2, gid=f"{name}|sd"
        )
    else:
        opacity = float(style.settings["lines"]["band_opacity"])
        panel.band(PERCENT, low, high, colour=side, opacity=opacity, zorder=2.0, gid=f"{name}|sd")


def _bars(panel: Panel, side: str, row: SignRow, layer: Layer, style: Style, name: str) -> None:
    if style.measured_as_band:
        mean, sd = layer.mean(side, row, style).mean, measurement_sd(layer, side, row, style)
        if sd is not None:
            opacity = float(style.settings["lines"]["band_opacity"])
            reach = COVERAGE * sd
            panel.band(PERCENT, mean - reach, mean + reach, colour=side, opacity=opacity, zorder=2.0, gid=f"{name}|uncertainty")
    elif row.quantity == "moment" or row.joint == "muscle":  # on powers the bars would run into the letters of the peaks
        middle = layer.mean(side, row, style).mean
        draw_bars(panel, side, middle, layer.uncertainty(side, row, style), gid=f"{name}|uncertainty")


def _paths(curves: FloatArray) -> FloatArray:
    """(n, 101) values -> (n, 101, 2) points."""
    return np.stack([np.broadcast_to(PERCENT, curves.shape), curves], axis=-1)


def session_colour(index: int) -> str:
    """Return the name of a compared session's colour in the style file.

    Parameters
    ----------
    index : int
        Of the session, from 0.
    """
    return f"session_{'abcdef'[index]}"


def _changed(panel: Panel, name: tuple[str, str, str], drawing: Drawing, index: int, gid: str) -> None:
    """Bars along the panel's foot where a session's curve has changed from the first one's."""
    first, other = (drawing.layers[at].recording for at in (0, index))
    change = change_of_curve(first, other, name)
    if change is None or not change.changed.any():
        return
    low, high = panel.get_ylim()
    height = (high - low) * CHANGED_MM / panel.size_mm[1]
    bottom = low + (index - 1) * height
    shown = np.where(change.changed, bottom + height, bottom)
    panel.band(PERCENT, np.full(101, bottom), shown, colour=session_colour(index), opacity=1.0, zorder=4.0, gid=f"{gid}|changed")


def _foot_off(panel: Panel, side: str, layer: Layer, dashes: tuple[float, tuple[float, ...] | None], colour: str) -> None:
    at = layer.foot_off_percent(side)
    if np.isfinite(at):
        low, high = panel.get_ylim()
        panel.polylines(
            [[(at, low), (at, high)]], colour=colour, width=0.6, dashes=dashes, zorder=1.8, gid=f"{layer.name}|{side}|foot off"
        )


def _off_scale(panel: Panel, side: str, curves: FloatArray, style: Style) -> None:
    """Where curves leave the fixed scale, write how far they go at the edge they leave by."""
    if not np.isfinite(curves).any():
        return
    low, high = panel.get_ylim()
    # The two sides write on different halves, so that their numbers cannot collide.
    ha, x = ("left", 1.0) if side == "L" else ("right", 99.0)
    top, bottom = float(np.nanmax(curves)), float(np.nanmin(curves))
    for beyond, value, y, va, arrow in ((top > high, top, high, "top", "▲"), (bottom < low, bottom, low, "bottom", "▼")):
        if beyond:
            text = style.label("common.off_scale", arrow=arrow, value=three_digits(value, style.decimal_mark))
            panel.mark(x, y, text, below_mm=0.6 if va == "top" else -0.6, colour=side, ha=ha, va=va, zorder=5, bbox=BACKING)


def _notice(panel: Panel, row: SignRow, drawing: Drawing) -> None:
    """Say why neither side has a curve, once where both lack it for the same reason."""
    style, layer = drawing.style, drawing.layers[0]
    why = {layer.absence(side, row, style) for side in drawing.sides}
    if len(why) > 1 or drawing.side:
        panel.notice("\n".join(layer.missing(side, row, style) for side in drawing.sides))
    for label, reason in why if len(why) == 1 and not drawing.side else ():
        panel.notice(style.label(label, side=f"{style.label('side.L')}, {style.label('side.R').lower()}", reason=reason))
