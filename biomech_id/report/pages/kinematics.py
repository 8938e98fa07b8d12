"""Joint angles over the gait cycle: four rows of three."""

from __future__ import annotations

from matplotlib.figure import Figure

from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.panels.axes_label import axes_label
from biomech_id.report.panels.curve_panel import Drawing, draw_variable
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.legend import draw_absences, draw_legend
from biomech_id.report.panels.page import PageKind, overlaid, register

ANGLE_GRID: tuple[tuple[tuple[str, str], ...], ...] = (
    (("PelvisAngles", "X"), ("PelvisAngles", "Y"), ("PelvisAngles", "Z")),
    (("HipAngles", "X"), ("HipAngles", "Y"), ("HipAngles", "Z")),
    (("KneeAngles", "X"), ("KneeAngles", "Y"), ("KneeAngles", "Z")),
    (("AnkleAngles", "X"), ("FootProgressAngles", "Z"), ("AnkleAngles", "Z")),
)
_FIRST_TOP_MM, _PITCH_MM, _HEIGHT_MM = 31.0, 40.0, 33.0
_MARGIN_MM, _GUTTER_MM = 11.0, 17.0


def kinematics_page(drawing: Drawing) -> Figure:
    """Draw the kinematics page: every cycle or mean and standard deviation, as the drawing says.

    Parameters
    ----------
    drawing : Drawing
        What panels are drawn from.
    """
    sheet = Sheet(drawing.style)
    draw_legend(sheet, drawing, whiskers=drawing.style.measured_as_band and not drawing.every_cycle)
    columns = len(ANGLE_GRID[0])
    absent: list[str] = []
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (columns - 1) * _GUTTER_MM) / columns
    for i, names in enumerate(ANGLE_GRID):
        for j, name in enumerate(names):
            left = LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM)
            panel = sheet.panel(left, _FIRST_TOP_MM + i * _PITCH_MM, width, _HEIGHT_MM)
            absent += draw_variable(panel, ROWS[name], drawing, x_numbers=i == len(ANGLE_GRID) - 1)
    draw_absences(sheet, absent)
    sheet.note(axes_label(drawing.style, "kinematics.note", drawing.layers[0].tables), 193.2, most=2)
    return sheet.figure


register(
    PageKind(
        "kinematics_cycles", 45, lambda content: [kinematics_page(content.drawing(every_cycle=True))], compare=overlaid, sheets=1
    )
)
register(PageKind(
    "kinematics_mean", 40, lambda content: [kinematics_page(content.drawing())], compare=overlaid,
    spared=lambda content: content.drawing().one_curve(ANGLE_GRID), sheets=1,
))  # fmt: skip
