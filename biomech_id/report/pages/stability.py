"""Centre of mass and stability: how the whole body moves over the cycle, beside what each leg does to it and where it could fall.

Nothing here is good or bad by itself: patients who are not sure widen their steps, and their margins with them. No number is
coloured.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.report.layout.numbers import DECIMALS, mean_sd
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.records import records
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.pages.spatiotemporal import UNIT_WORDS
from biomech_id.report.panels.curve_panel import CYCLE, PERCENT
from biomech_id.report.panels.layer import Layer, statistics
from biomech_id.report.panels.page import Content, PageKind, of_each, register
from biomech_id.report.panels.parameters import parameter_values
from biomech_id.session.values.whole_body import WHOLE_BODY_PARAMETERS
from biomech_id.values import dataclass

_TOP_MM, _TABLE_MM = 30.0, 128.0
_PANELS_LEFT_MM, _PITCH_MM, _HEIGHT_MM, _GAP_MM = 152.0, 56.0, 38.0, 16.0
_WIDTH_MM = (RIGHT_MM - _PANELS_LEFT_MM - _GAP_MM) / 2


@dataclass(frozen=True)
class _Curve:
    """One panel: label of its title, unit, scale, the series of ``whole_body.csv`` it shows, and the one it shows beside it."""

    title: str
    unit: str
    scale: Scale
    variable: str
    component: str = ""
    beside: str = ""
    #: Of each its own side's series; towards that side positive; about the mean of the cycle; on the line between its ends.
    sided: bool = False
    own_way: bool = False
    centred: bool = False
    level: bool = False


#: Where the plates alone see it.
_FORCES = "CentreOfMassFromForces"
_CURVES = (
    _Curve("stability.height", "mm", Scale(-40, 40, 20), "CentreOfMass", "Z", _FORCES, centred=True),
    _Curve(
        "stability.sideways", "mm", Scale(-60, 60, 30), "CentreOfMass", "sideways", _FORCES, own_way=True, centred=True, level=True
    ),
    _Curve("stability.margin", "mm", Scale(-100, 200, 100), "MarginOfStabilityAnkle", sided=True),
    _Curve("stability.leg_power", "W/kg", Scale(-6, 6, 3), "LegPower", sided=True),
    _Curve("stability.spin", "m²/s", Scale(-0.08, 0.08, 0.04), "AngularMomentum", "Y"),
    _Curve("stability.residual", "%BW", Scale(-30, 30, 15), "ResidualForce", "Z"),
)


def stability_page(layer: Layer, style: Style) -> Figure:
    """Draw the table of numbers and six curves over the cycle.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    """
    sheet = Sheet(style)
    rows = stability_rows(layer, style)
    if layer.tables.whole_body is None or not rows:
        sheet.text(LEFT_MM, 30.0, style.label("stability.none"), size="heading")
        return sheet.figure
    columns = (
        TableColumn(style.label("parameter.heading"), 53.0), TableColumn(style.label("parameter.unit"), 15.0),
        TableColumn(style.label("side.L"), 25.0, "right"), TableColumn("n", 5.0, "right"),
        TableColumn(style.label("side.R"), 25.0, "right"), TableColumn("n", 5.0, "right"),
    )  # fmt: skip
    y, _ = TextTable(columns, rows, size="small").draw(sheet, LEFT_MM, 21.0, room_mm=150.0)
    sheet.note(style.label("stability.note"), y + 2.0, right_mm=LEFT_MM + _TABLE_MM)
    for number, curve in enumerate(_CURVES):
        left = _PANELS_LEFT_MM + (number % 2) * (_WIDTH_MM + _GAP_MM)
        _panel(sheet, layer, curve, left, _TOP_MM + (number // 2) * _PITCH_MM)
    return sheet.figure


def stability_rows(layer: Layer, style: Style) -> list[list[Cell | str]]:
    """Rows of the table: every parameter of the whole body, left and right, mean and standard deviation of the cycles.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    """
    rows: list[list[Cell | str]] = []
    for parameter, (unit, sides) in parameter_values(layer).items():
        if not parameter.startswith(WHOLE_BODY_PARAMETERS):
            continue
        row: list[Cell | str] = [style.label(f"parameter.{parameter}"), style.word(UNIT_WORDS.get(unit, unit))]
        for side in SIDES:
            values = sides.get(side, sides.get("", []))
            row += [mean_sd(values, DECIMALS.get(unit, 2), style.decimal_mark), str(int(np.isfinite(values).sum()))]
        rows.append(row)
    return rows


def whole_body_curves(layer: Layer, side: str, variable: str, component: str = "") -> FloatArray:
    """Return one series of ``whole_body.csv`` over every cycle of one side in the means, (n, 101); NaN where it is missing.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        "L" or "R".
    variable : str
        As the table has it.
    component : str, optional
        X, Y or Z; "sideways" is to the left of the way, from X and Y.
    """
    curves = []
    for cycle in records(layer.used[layer.used["side"] == side]):
        time_s, values = _series(layer, cycle.trial, variable, component)
        at = cycle.start_s + (cycle.end_s - cycle.start_s) * PERCENT / 100.0
        if len(time_s) > 1:
            curves.append(_within(at, time_s, values))
    return np.stack(curves) if curves else np.empty((0, len(PERCENT)))


def _series(layer: Layer, trial: str, variable: str, component: str) -> tuple[FloatArray, FloatArray]:
    table = layer.tables.whole_body
    assert table is not None
    of_variable = table[(table["trial"] == trial) & (table["variable"] == variable)]
    if component == "sideways":
        way = next((each["progression"] for each in layer.trials if each["name"] == trial), None)
        x, y = (of_variable[of_variable["component"] == axis] for axis in "XY")
        ahead = np.asarray(way if way is not None else (1.0, 0.0))
        return x["time_s"].to_numpy(), y["value"].to_numpy() * ahead[0] - x["value"].to_numpy() * ahead[1]
    of_variable = of_variable[of_variable["component"] == component]
    return of_variable["time_s"].to_numpy(), of_variable["value"].to_numpy()


def _within(at: FloatArray, time_s: FloatArray, values: FloatArray) -> FloatArray:
    """Values at times, between rows of the table that are neighbours in time; NaN elsewhere."""
    step = float(np.min(np.diff(time_s)))
    after = np.clip(np.searchsorted(time_s, at), 1, len(time_s) - 1)
    near = (time_s[after] - time_s[after - 1] < 1.5 * step) & (at >= time_s[after - 1] - 1e-9) & (at <= time_s[after] + 1e-9)
    return np.where(near, np.interp(at, time_s, values), np.nan)


def _shown(layer: Layer, side: str, curve: _Curve) -> tuple[FloatArray, FloatArray]:
    """Curves of a panel, and those beside them, which lack what they lack: (n, 101) each, as they are drawn."""
    curves = whole_body_curves(layer, side, (side if curve.sided else "") + curve.variable, curve.component)
    beside = whole_body_curves(layer, side, curve.beside, curve.component) if curve.beside else np.full_like(curves, np.nan)
    if len(curves) != len(beside):
        beside = np.full_like(curves, np.nan)
    if curve.own_way:
        curves, beside = SIDE_SIGN[side] * curves, SIDE_SIGN[side] * beside
    line = np.zeros_like(curves)
    if curve.level and len(curves):
        line = curves[:, :1] + (curves[:, -1:] - curves[:, :1]) * PERCENT / 100.0
    if curve.centred and len(curves):
        line = line + np.asarray(over_seen(np.nanmean, curves - line, axis=1))[:, None]
    beside = beside - line
    # A wrong mass or scale leads metres away within a step: page 2 says so.
    away = np.asarray(over_seen(np.nanmax, np.abs(beside), axis=1)) > curve.scale.high if len(beside) else np.zeros(0, dtype=bool)
    return curves - line, np.where(away[:, None], np.nan, beside)


def _panel(sheet: Sheet, layer: Layer, curve: _Curve, left_mm: float, top_mm: float) -> None:
    style = sheet.style
    panel = sheet.panel(left_mm, top_mm, _WIDTH_MM, _HEIGHT_MM)
    shown = {side: _shown(layer, side, curve) for side in SIDES}
    means = [mean for curves, _ in shown.values() for mean in statistics(curves).mean if np.isfinite(mean)]
    # A curve that leaves its panel would say nothing of how far.
    scale = curve.scale.holding(min(means, default=np.nan), max(means, default=np.nan))
    panel.frame(CYCLE, scale, x_numbers=True)
    panel.outside(0.0, _HEIGHT_MM + 1.3, style.label(curve.title), size="small", weight="bold")
    unit = style.label("common.widened", unit=style.word(curve.unit)) if scale.widened else style.word(curve.unit)
    panel.outside(_WIDTH_MM, _HEIGHT_MM + 1.3, unit, size="tiny", colour="quiet", ha="right")
    up, down = (style.label(f"{curve.title}_{way}") for way in ("up", "down"))
    panel.end_words(up, down, left_mm=8.5)
    panel.outside(_WIDTH_MM / 2, -6.2, style.label("common.percent_cycle"), size="tiny", colour="quiet", ha="center")
    drawn = [_draw_side(panel, side, *shown[side], f"{side}|{curve.variable}.{curve.component}") for side in SIDES]
    if not any(drawn):
        panel.notice(style.label("stability.no_curve"))


def _draw_side(panel: Panel, side: str, curves: FloatArray, beside: FloatArray, name: str) -> bool:
    """Mean and spread of one side's cycles, and the mean of what stands beside; return whether there was anything to draw."""
    style = panel.style
    if not np.isfinite(curves).any():
        return False
    own, other = statistics(curves), statistics(beside)
    panel.band(PERCENT, own.mean - own.sd, own.mean + own.sd, colour=side, opacity=0.2, zorder=2.0, gid=f"{name}|band")
    path, other_path = (np.stack([PERCENT, each.mean], axis=1) for each in (own, other))
    panel.polylines([path], colour=side, width=style.width("mean"), dashes=style.dashes(side), gid=f"{name}|mean")
    if np.isfinite(other.mean).any():
        panel.polylines([other_path], colour=side, width=0.7, dashes=(0.0, (1.0, 1.5)), gid=f"{name}|forces")
    return True


def _draw(content: Content) -> Iterator[Figure]:
    yield stability_page(content.layers[0], content.style)


register(PageKind("stability", 116, _draw, needs=("whole_body",), compare=of_each, sheets=0))
