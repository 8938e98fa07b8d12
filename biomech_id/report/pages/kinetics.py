"""Internal moments and powers over the gait cycle, hip to ankle, and the ground reaction below them."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import MOMENT_VARIABLE, POWER_VARIABLE
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.typography import MM_PER_POINT, wrapped
from biomech_id.report.panels.axes_label import axes_label
from biomech_id.report.panels.curve_panel import Drawing, draw_variable
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.legend import draw_absences, draw_legend
from biomech_id.report.panels.page import PageKind, overlaid, register
from biomech_id.report.panels.peak_letters import draw_peaks
from biomech_id.report.panels.uncertainty_bars import uncertainty_lines

KINETIC_GRID: tuple[tuple[tuple[str, str], ...], ...] = (
    *(
        ((MOMENT_VARIABLE[joint], "X"), (MOMENT_VARIABLE[joint], "Y"), (MOMENT_VARIABLE[joint], "Z"), (POWER_VARIABLE[joint], ""))
        for joint in reversed(JOINTS)
    ),
    (("GroundReactionForce", "X"), ("GroundReactionForce", "Y"), ("GroundReactionForce", "Z")),
)
_FIRST_TOP_MM, _PITCH_MM, _HEIGHT_MM = 31.0, 42.0, 34.0
_COLUMNS, _MARGIN_MM, _GUTTER_MM = 4, 12.0, 17.0
#: What the two headings of the words take, and the distance between lines where there is room, in type sizes.
_HEADS_MM, _SPACING = 9.4, 1.3


def kinetics_page(drawing: Drawing) -> Figure:
    """Draw the kinetics page: every cycle or mean and standard deviation, as the drawing says.

    Parameters
    ----------
    drawing : Drawing
        What panels are drawn from.
    """
    sheet = Sheet(drawing.style)
    # A page of every cycle that has but one says what the page of means would, which is left out then.
    marked = len(drawing.layers) == 1 and (not drawing.every_cycle or drawing.one_curve(KINETIC_GRID))
    sure = list(uncertainty_lines(drawing.layers[0], drawing.style)) if marked else []
    draw_legend(sheet, drawing, whiskers=bool(sure))
    absent: list[str] = []
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (_COLUMNS - 1) * _GUTTER_MM) / _COLUMNS
    for i, names in enumerate(KINETIC_GRID):
        for j, name in enumerate(names):
            left = LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM)
            panel = sheet.panel(left, _FIRST_TOP_MM + i * _PITCH_MM, width, _HEIGHT_MM)
            absent += draw_variable(panel, ROWS[name], drawing, x_numbers=i == len(KINETIC_GRID) - 1 or (j == 3 and i == 2))
            if name[0] in POWER_VARIABLE.values() and marked:
                draw_peaks(panel, name[0], drawing.layers[0])
    draw_absences(sheet, absent)
    left = LEFT_MM + _MARGIN_MM + 3 * (width + _GUTTER_MM)
    _reading(sheet, left - 6.0, _FIRST_TOP_MM + 3 * _PITCH_MM + 2.0, drawing, sure, marked)
    return sheet.figure


def _reading(sheet: Sheet, left_mm: float, top_mm: float, drawing: Drawing, sure: Sequence[str], marked: bool) -> None:
    """The words that must stand where the numbers are: internal, expressed where, normalised how, and how sure."""
    style = sheet.style
    sheet.text(left_mm, top_mm + 3.0, style.label("common.internal"), size="body", weight="bold")
    text = axes_label(style, "kinetics.note", drawing.layers[0].tables)
    if marked:
        text += "\n" + style.label("kinetics.peaks")
    room, size = RIGHT_MM - left_mm, style.size("tiny")
    lines, limits = wrapped(text, room, size), wrapped("; ".join(sure), room, size)
    # A language with longer words has its lines nearer to each other, so that the last stands on the sheet.
    free = BOTTOM_MM - top_mm - _HEADS_MM
    spacing = min(_SPACING, free / ((len(lines) + len(limits)) * size * MM_PER_POINT))
    y = sheet.paragraph(left_mm, top_mm + 5.0, lines, size="tiny", spacing=spacing)
    if sure:
        sheet.text(left_mm, y + 3.6, style.label("kinetics.how_sure"), size="tiny", weight="bold")
        sheet.paragraph(left_mm, y + 4.4, limits, size="tiny", spacing=spacing)


register(
    PageKind("kinetics_cycles", 65, lambda content: [kinetics_page(content.drawing(every_cycle=True))], compare=overlaid, sheets=1)
)
register(PageKind(
    "kinetics_mean", 60, lambda content: [kinetics_page(content.drawing())], compare=overlaid,
    spared=lambda content: content.drawing().one_curve(KINETIC_GRID), sheets=1,
))  # fmt: skip
