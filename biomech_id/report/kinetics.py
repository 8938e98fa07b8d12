"""Internal moments and powers over the gait cycle, hip to ankle, and the ground reaction below them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import JOINTS, MOMENT_VARIABLE, POWER_VARIABLE, SIDES
from biomech_id.report.curve_panel import Drawing, draw_variable
from biomech_id.report.layer import ROWS, Layer
from biomech_id.report.legend import draw_absences, draw_legend
from biomech_id.report.panel import Panel
from biomech_id.report.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.typography import wrapped

GRID: tuple[tuple[tuple[str, str], ...], ...] = (
    *(
        ((MOMENT_VARIABLE[joint], "X"), (MOMENT_VARIABLE[joint], "Y"), (MOMENT_VARIABLE[joint], "Z"), (POWER_VARIABLE[joint], ""))
        for joint in reversed(JOINTS)
    ),
    (("GroundReactionForce", "X"), ("GroundReactionForce", "Y"), ("GroundReactionForce", "Z")),
)
_FIRST_TOP_MM, _PITCH_MM, _HEIGHT_MM = 31.0, 42.0, 34.0
_COLUMNS, _MARGIN_MM, _GUTTER_MM = 4, 12.0, 17.0


def kinetics_page(drawing: Drawing) -> Figure:
    """Draw the kinetics page: every cycle or mean and standard deviation, as the drawing says."""
    sheet = Sheet(drawing.style)
    draw_legend(sheet, drawing)
    absent: list[str] = []
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (_COLUMNS - 1) * _GUTTER_MM) / _COLUMNS
    for i, names in enumerate(GRID):
        for j, name in enumerate(names):
            left = LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM)
            panel = sheet.panel(left, _FIRST_TOP_MM + i * _PITCH_MM, width, _HEIGHT_MM)
            absent += draw_variable(panel, ROWS[name], drawing, x_numbers=i == len(GRID) - 1 or (j == 3 and i == 2))
            if name[0] in POWER_VARIABLE.values() and not drawing.every_cycle:
                _peaks(panel, name[0], drawing)
    draw_absences(sheet, absent)
    left = LEFT_MM + _MARGIN_MM + 3 * (width + _GUTTER_MM)
    _reading(sheet, left - 6.0, _FIRST_TOP_MM + 3 * _PITCH_MM + 2.0, drawing)
    return sheet.figure


def _peaks(panel: Panel, variable: str, drawing: Drawing) -> None:
    """Write A1, K2, H3 ... at the mean place of the peaks that the tables hold, once per side."""
    if len(drawing.layers) > 1:
        return
    low, high = panel.get_ylim()
    for side in SIDES:
        for name, percent, value in mean_peaks(drawing.layers[0], side, variable):
            if not low <= value <= high:
                continue
            up = value >= 0
            panel.mark(
                percent, value, name, below_mm=-0.7 if up else 0.7, colour=side, ha="right" if side == "L" else "left",
                va="bottom" if up else "top", zorder=5,
            )  # fmt: skip


def mean_peaks(layer: Layer, side: str, variable: str) -> list[tuple[str, float, float]]:
    """Power peaks of one side: name, mean percent of the cycle, mean value (W/kg) over the cycles in the mean."""
    peaks: Any = layer.tables.peaks
    mine = peaks[(peaks["side"] == side) & (peaks["variable"] == variable) & peaks["name"].str.fullmatch("[AKH][1-4]")]
    wanted = set(zip(layer.used["trial"], layer.used["side"], layer.used["cycle"], strict=True))
    inside = [key in wanted for key in zip(mine["trial"], mine["side"], mine["cycle"], strict=True)]
    mine = mine[np.asarray(inside, dtype=bool)]
    return [
        (str(n), float(g["percent"].mean()), float(g["value"].mean())) for n, g in mine.groupby("name") if g["value"].notna().any()
    ]


def _reading(sheet: Sheet, left_mm: float, top_mm: float, drawing: Drawing) -> None:
    """The words that must stand where the numbers are: internal, expressed where, normalised how."""
    style = sheet.style
    sheet.text(left_mm, top_mm + 3.0, style.label("common.internal"), size="body", weight="bold")
    six_dof = drawing.layers[0].tables.summary.get("model") == "six-dof"
    text = style.label("kinetics.note_six_dof" if six_dof else "kinetics.note")
    if not drawing.every_cycle and len(drawing.layers) == 1:
        text += "\n" + style.label("kinetics.peaks")
    lines = wrapped(text, RIGHT_MM - left_mm, style.size("tiny"))
    sheet.paragraph(left_mm, top_mm + 5.0, lines, size="tiny")
