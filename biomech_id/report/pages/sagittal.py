"""Sagittal overview: angle, moment and power of hip, knee and ankle in a column each, muscles and what the clinic found below."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import ANGLE_VARIABLE, MOMENT_VARIABLE, POWER_VARIABLE, SIDES
from biomech_id.emg.muscles import MUSCLES
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.pages.emg import draw_envelopes
from biomech_id.report.panels.axes_label import axes_label
from biomech_id.report.panels.clinic import clinic_of_session, found_at
from biomech_id.report.panels.curve_panel import Drawing, draw_variable
from biomech_id.report.panels.emg_rows import EmgView, MuscleRow
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.legend import draw_absences, draw_legend
from biomech_id.report.panels.page import PageKind, overlaid, register
from biomech_id.report.panels.peak_letters import draw_peaks

#: Down a column: everything over the same percent of the cycle.
SAGITTAL_ROWS: tuple[dict[str, str], ...] = (ANGLE_VARIABLE, MOMENT_VARIABLE, POWER_VARIABLE)
_FIRST_TOP_MM, _MARGIN_MM, _GUTTER_MM, _GAP_MM = 31.0, 11.0, 17.0, 7.5
_NOTE_MM, _CLINIC_MM, _MOST_LINES = 192.5, 2.9, 5
#: Muscles below a joint, and their height.
_MOST_MUSCLES, _EMG_MM, _EMG_GAP_MM = 3, 19.0, 4.0


def sagittal_page(drawing: Drawing) -> Figure:
    """Draw the sagittal overview.

    Parameters
    ----------
    drawing : Drawing
        What panels are drawn from.
    """
    sheet, layer, style = Sheet(drawing.style), drawing.layers[0], drawing.style
    draw_legend(sheet, drawing)
    joints = tuple(reversed(JOINTS))
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (len(joints) - 1) * _GUTTER_MM) / len(joints)
    single = len(drawing.layers) == 1
    muscles = {joint: _muscles_of(joint, layer, style) if single else () for joint in joints}
    clinic = clinic_of_session(layer.tables) if single else {}
    examined = {joint: _wrapped(found_at(joint, clinic), width, drawing) for joint in joints}
    below = _CLINIC_MM * max(map(len, examined.values())) + (_EMG_MM + 10.0 if any(muscles.values()) else 0.0)
    pitch = (_NOTE_MM - 9.0 - below - _FIRST_TOP_MM) / len(SAGITTAL_ROWS)
    absent: list[str] = []
    for j, joint in enumerate(joints):
        left = LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM)
        for i, variables in enumerate(SAGITTAL_ROWS):
            name = (variables[joint], "" if variables is POWER_VARIABLE else "X")
            panel = sheet.panel(left, _FIRST_TOP_MM + i * pitch, width, pitch - _GAP_MM)
            absent += draw_variable(panel, ROWS[name], drawing, x_numbers=i == len(SAGITTAL_ROWS) - 1)
            if variables is POWER_VARIABLE and single:
                draw_peaks(panel, name[0], layer)
        top = _FIRST_TOP_MM + len(SAGITTAL_ROWS) * pitch + 5.0
        if muscles[joint]:
            _draw_muscles(sheet, muscles[joint], drawing, left_mm=left, top_mm=top, width_mm=width)
            top += _EMG_MM + 6.0
        sheet.paragraph(left, top, examined[joint], size="tiny", spacing=1.15)
    draw_absences(sheet, absent)
    sheet.note(f"{style.label('sagittal.note')} {axes_label(style, 'kinetics.note', layer.tables)}", _NOTE_MM, most=2)
    return sheet.figure


def _muscles_of(joint: str, layer: Layer, style: Style) -> tuple[MuscleRow, ...]:
    """The muscles of a session that act on one joint, proximal first: as many as there is room for."""
    if layer.tables.emg is None:
        return ()
    view = EmgView(layer.tables, tuple(trial["name"] for trial in layer.trials))
    live = [row for row in view.rows if any(side in SIDES and not view.refusal(row.labels[side], style) for side in row.labels)]
    acting = [row for row in live if row.name in MUSCLES and joint in MUSCLES[row.name].joints]
    # A muscle of two joints stands where fewer others do.
    return tuple(sorted(acting, key=lambda row: len(MUSCLES[row.name].joints))[:_MOST_MUSCLES])


def _draw_muscles(
    sheet: Sheet, rows: Sequence[MuscleRow], drawing: Drawing, *, left_mm: float, top_mm: float, width_mm: float
) -> None:
    layer = drawing.layers[0]
    view = EmgView(layer.tables, tuple(trial["name"] for trial in layer.trials))
    each = (width_mm - (_MOST_MUSCLES - 1) * _EMG_GAP_MM) / _MOST_MUSCLES
    for number, row in enumerate(rows):
        panel = sheet.panel(left_mm + number * (each + _EMG_GAP_MM), top_mm, each, _EMG_MM)
        draw_envelopes(panel, layer, view, row, drawing.norm, y_numbers=number == 0, counted=False)


def _wrapped(sentences: Sequence[str], width_mm: float, drawing: Drawing) -> list[str]:
    """What the clinic found, in lines that fit below a column; what does not fit stands on its own page."""
    size = drawing.style.size("tiny")
    lines = [line for each in sentences for line in wrapped(each, width_mm, size)]
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], drawing.style.label("sagittal.more_clinic")]


register(PageKind("sagittal", 25, lambda content: [sagittal_page(content.drawing())], compare=overlaid, sheets=1))
