"""What the floor did: force components, butterfly diagrams, the centre of pressure in the foot's outline, and the free moment."""

from __future__ import annotations

from matplotlib.figure import Figure

from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.pages.butterfly import draw_butterfly
from biomech_id.report.pages.foot_pressure import draw_foot
from biomech_id.report.panels.curve_panel import Drawing, draw_variable
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.legend import draw_absences, draw_legend
from biomech_id.report.panels.page import Content, PageKind, overlaid, register

CURVES: tuple[tuple[str, str], ...] = (
    ("GroundReactionForce", "X"),
    ("GroundReactionForce", "Y"),
    ("GroundReactionForce", "Z"),
    ("FreeMoment", "Z"),
)
_ROW_TOP_MM, _ROW_HEIGHT_MM = 31.0, 46.0
_LOW_TOP_MM = 99.0
_MARGIN_MM, _GUTTER_MM = 12.0, 17.0
_BUTTERFLY_PITCH_MM = 103.0
_FEET_LEFT_MM, _FEET_PITCH_MM = 227.0, 30.5


def ground_reaction_page(drawing: Drawing) -> Figure:
    """Draw the ground reaction page.

    Parameters
    ----------
    drawing : Drawing
        What panels are drawn from.
    """
    sheet, style = Sheet(drawing.style), drawing.style
    draw_legend(sheet, drawing)
    columns = len(CURVES)
    absent: list[str] = []
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (columns - 1) * _GUTTER_MM) / columns
    for j, name in enumerate(CURVES):
        panel = sheet.panel(LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM), _ROW_TOP_MM, width, _ROW_HEIGHT_MM)
        absent += draw_variable(panel, ROWS[name], drawing, x_numbers=True)
    draw_absences(sheet, absent)
    sheet.text(_FEET_LEFT_MM, _LOW_TOP_MM - 5.0, style.label("ground.foot"), weight="bold")
    for number, side in enumerate(drawing.sides):
        left = LEFT_MM + _MARGIN_MM - 4.0 + _BUTTERFLY_PITCH_MM * number
        draw_butterfly(sheet, side, drawing, left_mm=left, top_mm=_LOW_TOP_MM)
        draw_foot(sheet, side, drawing, left_mm=_FEET_LEFT_MM + _FEET_PITCH_MM * number, top_mm=_LOW_TOP_MM)
    sheet.note(style.label("ground.note"), 191.5, most=2)
    return sheet.figure


def _draw(content: Content) -> list[Figure]:
    # Of two sessions the means are laid over one another: every cycle of both could not be told apart.
    return [ground_reaction_page(content.drawing(every_cycle=len(content.layers) == 1))]


register(PageKind("ground_reaction", 70, _draw, compare=overlaid, sheets=1))
