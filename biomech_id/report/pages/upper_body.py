"""Above the pelvis, over the gait cycle: the trunk with the pelvis and the hip's abductor moment beside it, and the upper limbs."""

from __future__ import annotations

from matplotlib.figure import Figure

from biomech_id.conventions import UPPER_BODY_TABLE
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.panels.curve_panel import Drawing, draw_variable
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.legend import draw_absences, draw_legend
from biomech_id.report.panels.page import Content, PageKind, overlaid, register

Grid = tuple[tuple[tuple[str, str], ...], ...]
#: Where the trunk leans, whether the pelvis goes along, and what the hip has to do about it.
TRUNK_GRID: Grid = (
    (("ThoraxAngles", "X"), ("ThoraxAngles", "Y"), ("ThoraxAngles", "Z"), ("HipMoment", "Y")),
    (("PelvisAngles", "X"), ("PelvisAngles", "Y"), ("PelvisAngles", "Z"), ("HipAngles", "Y")),
    (("SpineAngles", "X"), ("SpineAngles", "Y"), ("SpineAngles", "Z"), ("WaistMoment", "Y")),
    (("HeadAngles", "X"), ("HeadAngles", "Y"), ("HeadAngles", "Z"), ("NeckAngles", "X")),
)
LIMBS_GRID: Grid = (
    (("ShoulderAngles", "X"), ("ShoulderAngles", "Y"), ("ShoulderAngles", "Z"), ("ElbowAngles", "X")),
    (("WristAngles", "X"), ("WristAngles", "Y"), ("WristAngles", "Z"), ("ElbowMoment", "X")),
    (("ShoulderMoment", "X"), ("ShoulderMoment", "Y"), ("ShoulderMoment", "Z"), ("ShoulderPower", "")),
    (("ElbowMoment", "Y"), ("ElbowPower", ""), ("WristMoment", "X"), ("WristPower", "")),
)
_FIRST_TOP_MM, _PITCH_MM, _HEIGHT_MM = 31.0, 40.0, 33.0
_MARGIN_MM, _GUTTER_MM = 11.0, 17.0
_ANGLES = tuple(dict.fromkeys(row.variable for row in UPPER_BODY_TABLE if row.quantity == "angle"))


def grid_page(drawing: Drawing, grid: Grid, note: str) -> Figure:
    """Draw rows of panels and what they mean below them.

    Parameters
    ----------
    drawing : Drawing
        What panels are drawn from.
    grid : Grid
        (variable, component) of every panel, row by row.
    note : str
        Label of the words below.
    """
    sheet = Sheet(drawing.style)
    draw_legend(sheet, drawing)
    columns = max(map(len, grid))
    absent: list[str] = []
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (columns - 1) * _GUTTER_MM) / columns
    for i, names in enumerate(grid):
        for j, name in enumerate(names):
            panel = sheet.panel(LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM), _FIRST_TOP_MM + i * _PITCH_MM, width, _HEIGHT_MM)
            absent += draw_variable(panel, ROWS[name], drawing, x_numbers=i == len(grid) - 1)
    draw_absences(sheet, absent)
    sheet.note(drawing.style.label(note), 193.2, most=2)
    return sheet.figure


def _page(name: str, order: float, grid: Grid, variables: tuple[str, ...], *, sheets: int) -> None:
    def draw(content: Content) -> list[Figure]:
        # Of two sessions the means are laid over one another: every cycle of both could not be told apart.
        return [grid_page(content.drawing(every_cycle=len(content.layers) == 1), grid, f"{name}.note")]

    register(PageKind(name, order, draw, compare=overlaid, variables=variables, sheets=sheets))


_page(
    "trunk_and_pelvis",
    62,
    TRUNK_GRID,
    tuple(name for name in _ANGLES if name in ("ThoraxAngles", "SpineAngles", "HeadAngles")),
    sheets=1,
)
_page(
    "upper_limbs",
    114,
    LIMBS_GRID,
    tuple(name for name in _ANGLES if name in ("ShoulderAngles", "ElbowAngles", "WristAngles")),
    sheets=0,
)
