"""Where the moments come from: ground reaction, gravity and three inertial parts, laid on one another up to the moment itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import BUDGET_PARTS, MOMENT_VARIABLE, SIDES
from biomech_id.report.layout.numbers import digits
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import width_mm
from biomech_id.report.panels.axes_label import axes_label
from biomech_id.report.panels.curve_panel import CYCLE, PERCENT
from biomech_id.report.panels.layer import ROWS, Layer, statistics
from biomech_id.report.panels.page import PageKind, of_each, register
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables

COMPONENTS: tuple[str, ...] = ("X", "Y")
_FIRST_TOP_MM, _PITCH_MM, _HEIGHT_MM = 33.0, 53.0, 43.0
_MARGIN_MM, _GUTTER_MM = 12.0, 17.0


def budget_page(layer: Layer, style: Style) -> Figure:
    """Draw ankle, knee and hip, sagittal and frontal, left and right, from the mean over cycles with a budget.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    """
    sheet = Sheet(style)
    _legend(sheet)
    columns = [(component, side) for component in COMPONENTS for side in SIDES]
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (len(columns) - 1) * _GUTTER_MM) / len(columns)
    residuals: list[float] = []
    for i, joint in enumerate(JOINTS):
        for j, (component, side) in enumerate(columns):
            left = LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM)
            panel = sheet.panel(left, _FIRST_TOP_MM + i * _PITCH_MM, width, _HEIGHT_MM)
            x_numbers = i == len(JOINTS) - 1
            residuals.append(draw_budget(panel, layer, side, MOMENT_VARIABLE[joint], component, x_numbers=x_numbers))
    note = axes_label(style, "budget.note", layer.tables)
    residuals = [x for x in residuals if np.isfinite(x)]
    if residuals:
        note += " " + style.label("budget.residual", residual=digits(max(residuals), ".0e", style.decimal_mark))
    sheet.note(note, 191.5, most=2)
    return sheet.figure


def draw_budget(
    panel: Panel, layer: Layer, side: str, variable: str, component: str, *, x_numbers: bool, words_left_mm: float = 7.5
) -> float:
    """Draw one joint's parts: band after band from zero, the first the ground reaction, the last edge the moment.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        "L" or "R".
    variable : str
        Its name without the side: "KneeMoment".
    component : str
        "X", "Y", "Z"; "" for a scalar.
    x_numbers : bool
        Whether numbers stand at the axis.
    words_left_mm : float, optional
        How far the words for up and down stand to the left.

    Returns
    -------
    float
        The largest difference between the sum of the parts and the moment, N m/kg; NaN where there is no budget.
    """
    row, style = ROWS[variable, component], panel.style
    name = f"{layer.name}|{side}|{row.column('')}"
    panel.frame(CYCLE, style.scale(row, run=layer.run), x_numbers=x_numbers)
    panel.end_words(style.word(row.positive), style.word(row.negative), left_mm=words_left_mm)
    width, height = panel.size_mm
    panel.outside(0.0, height + 1.3, style.word(row.title), size="small", weight="bold")
    panel.outside(width, height + 1.3, style.label(f"side.{side}"), size="small", weight="bold", colour=side, ha="right")
    parts = mean_parts(layer, side, variable, component)
    if parts is None:
        panel.notice(_why_not(layer, side, style))
        return float("nan")
    edges = np.concatenate([np.zeros((1, CURVE_POINTS)), np.cumsum([parts[part] for part in BUDGET_PARTS], axis=0)])
    for number, part in enumerate(BUDGET_PARTS):
        low, high = np.minimum(edges[number], edges[number + 1]), np.maximum(edges[number], edges[number + 1])
        order = 2.0 + 0.1 * number
        panel.band(PERCENT, low, high, colour=part, opacity=1.0, zorder=order, gid=f"{name}|{part}")
        panel.polylines([np.column_stack([PERCENT, edges[number + 1]])], colour=part, width=0.4, zorder=order)
    moment = mean_moment(layer, side, variable, component)
    panel.polylines([np.column_stack([PERCENT, moment])], colour="ink", width=1.2, zorder=3.5, gid=f"{name}|total")
    if x_numbers:
        panel.outside(width / 2, -6.2, style.label("common.percent_cycle"), size="tiny", colour="quiet", ha="center")
    apart = np.abs(edges[-1] - moment)
    return float(np.nanmax(apart)) if np.isfinite(apart).any() else float("nan")


def mean_parts(layer: Layer, side: str, variable: str, component: str) -> dict[str, FloatArray] | None:
    """Mean over the layer's cycles of each part, (101,), N m/kg; None where the tables hold no budget for this moment.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        "L" or "R".
    variable : str
        Its name without the side: "KneeMoment".
    component : str
        "X", "Y", "Z"; "" for a scalar.
    """
    curves = drawn_budget_curves(layer.tables, side, variable, component, _used(layer))
    return {part: statistics(curves[part]).mean for part in BUDGET_PARTS} if len(curves[BUDGET_PARTS[0]]) else None


def mean_moment(layer: Layer, side: str, variable: str, component: str) -> FloatArray:
    """Mean moment over the same cycles that have a budget, (101,), N m/kg.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        "L" or "R".
    variable : str
        Its name without the side: "KneeMoment".
    component : str
        "X", "Y", "Z"; "" for a scalar.
    """
    with_budget = budget_keys(layer.tables, side, variable, component) & _used(layer)
    keys = zip(layer.used["trial"], layer.used["side"], layer.used["cycle"], strict=True)
    cycles = layer.used[[key in with_budget for key in keys]]
    return statistics(layer.tables.curves(side, variable, component, cycles=cycles)).mean


def _used(layer: Layer) -> set[tuple[str, str, int]]:
    return set(zip(layer.used["trial"], layer.used["side"], layer.used["cycle"], strict=True))


def _heads(tables: Tables, side: str, variable: str, component: str) -> list[tuple[int, tuple[str, str, int], str]]:
    """Number of the curve in ``budget``, its cycle and its part, for one moment."""
    heads = tables.budget.iloc[::CURVE_POINTS]
    wanted = (heads["side"] == side) & (heads["variable"] == variable) & (heads["component"] == component)
    rows = heads[wanted]
    numbers = np.flatnonzero(wanted.to_numpy())
    fields = zip(numbers, rows["trial"], rows["cycle"], rows["part"], strict=True)
    return [(int(number), (trial, side, int(cycle)), part) for number, trial, cycle, part in fields]


def budget_keys(tables: Tables, side: str, variable: str, component: str) -> set[tuple[str, str, int]]:
    """Cycles (trial, side, number) whose budget of this moment is in the tables.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    side : str
        "L" or "R".
    variable : str
        Its name without the side: "KneeMoment".
    component : str
        "X", "Y", "Z"; "" for a scalar.
    """
    return {key for _, key, _ in _heads(tables, side, variable, component)}


def drawn_budget_curves(
    tables: Tables, side: str, variable: str, component: str, cycles: set[tuple[str, str, int]]
) -> dict[str, FloatArray]:
    """Part -> (n, 101) curves of the wanted cycles, N m/kg.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    side : str
        "L" or "R".
    variable : str
        Its name without the side: "KneeMoment".
    component : str
        "X", "Y", "Z"; "" for a scalar.
    cycles : set[tuple[str, str, int]]
        Trial, side and number of each cycle.
    """
    values = tables.budget["value"].to_numpy(dtype=float).reshape(-1, CURVE_POINTS)
    heads: Sequence[tuple[int, tuple[str, str, int], str]] = _heads(tables, side, variable, component)
    return {wanted: values[[number for number, key, part in heads if part == wanted and key in cycles]] for wanted in BUDGET_PARTS}


def _why_not(layer: Layer, side: str, style: Style) -> str:
    word = style.label(f"side.{side}")
    if not layer.count(side):
        return style.label(f"absent.cycles_{side}")
    row = ROWS["HipMoment", "X"]
    has_moments = len(layer.tables.curves(side, row.variable, row.component, cycles=layer.used))
    reason = style.label("absent.no_budget") if has_moments else layer.kinetics_reason(side, style)
    return style.label("absent.budget", side=word, reason=reason)


def _legend(sheet: Sheet) -> None:
    style, x, y = sheet.style, LEFT_MM, 21.4
    for part in BUDGET_PARTS:
        sheet.box(x, y - 2.6, 6.0, 3.0, face=part, edge=None)
        text = style.label(f"budget.{part}")
        sheet.text(x + 7.5, y, text, size="small")
        x += 7.5 + width_mm(text, style.size("small")) + 5.0
    sheet.rule(x, y - 1.1, x + 6.0, y - 1.1, colour="ink", width=1.2)
    sheet.text(x + 7.5, y, f"{style.label('budget.total')}, N m/kg", size="small")


register(PageKind("budget", 115, lambda content: [budget_page(content.layers[0], content.style)], compare=of_each, sheets=0))
