"""Raw muscle signals of a whole trial, each with the bars in which it is on, over both feet's stances: nothing is left out here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.report.layout.numbers import digits, three_digits
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.emg_rows import EmgView, MuscleRow, draw_active, draw_trace, muscle_title, row_heading
from biomech_id.report.panels.page import Content, PageKind, Shows, of_each, register

_TOP_MM, _MOST_ROWS, _TALLEST_MM, _GAP_MM = 33.0, 10, 17.0, 5.6
_GUTTER_MM, _STANCE_MM = 12.0, 1.6
_WIDTH_MM = (RIGHT_MM - LEFT_MM - _GUTTER_MM) / 2
#: A trace is not drawn finer than this along the page.
_TIME_STEPS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)


def raw_pages(view: EmgView, trial: str, style: Style) -> Iterator[Figure]:
    """Draw every muscle's channel of one trial on as many sheets as it takes.

    Parameters
    ----------
    view : EmgView
        The session's muscle signals.
    trial : str
        Name of the trial.
    style : Style
        Colours, words, scales and units of the report.
    """
    rows = [row for row in view.rows if any(view.channel(trial, label) is not None for label in row.labels.values())]
    for first in range(0, len(rows), _MOST_ROWS):
        yield _sheet(view, trial, rows[first : first + _MOST_ROWS], style)


def _sheet(view: EmgView, trial: str, rows: list[MuscleRow], style: Style) -> Figure:
    sheet = Sheet(style)
    sheet.text(LEFT_MM, 21.4, trial, size="body", weight="bold")
    sheet.note(style.label("emg.raw_note", half=digits(view.scale, "g", style.decimal_mark), unit=view.unit), 22.4)
    pitch = min(_TALLEST_MM + _GAP_MM, (BOTTOM_MM - 6.0 - _TOP_MM) / len(rows))
    spans = [trace[[0, -1], 0] for row in rows for label in row.labels.values() if len(trace := view.raw(trial, label))]
    start, end = (float(pick([span[i] for span in spans])) for pick, i in ((min, 0), (max, 1))) if spans else (0.0, 1.0)
    step = next((step for step in _TIME_STEPS_S if (end - start) / step <= 10), _TIME_STEPS_S[-1])
    for number, row in enumerate(rows):
        for column, side in enumerate(SIDES):
            # A channel without a side stands alone, on the left.
            label = row.labels.get(side) or (row.labels.get("") if side == "L" else None)
            if label is None and set(row.labels) == {""}:
                continue
            left, top = LEFT_MM + column * (_WIDTH_MM + _GUTTER_MM), _TOP_MM + number * pitch
            panel = sheet.panel(left, top, _WIDTH_MM, pitch - _GAP_MM)
            panel.frame(Scale(start, end, step), Scale(-1.35, 1.0, 10.0), x_numbers=number == len(rows) - 1, y_numbers=False)
            _stances(panel, view, trial, style)
            _channel(panel, view, trial, row, label, style)
            if number == len(rows) - 1:
                panel.outside(_WIDTH_MM / 2, -6.2, style.label("emg.seconds"), size="tiny", colour="quiet", ha="center")
    return sheet.figure


def _channel(panel: Panel, view: EmgView, trial: str, row: MuscleRow, label: str | None, style: Style) -> None:
    line = view.channel(trial, label) if label else None
    if label is None or line is None:
        return
    colour = (line.side or "ink") if line.verdict == "live" else "norm"
    side = [style.label(f"side.{line.side}")] if line.side else []
    remarks = [] if line.verdict == "live" else [style.label(f"emg.verdict_{line.verdict}")]
    remarks += [style.label(f"emg.also_{word}") for word in line.also.split()]
    if line.verdict == "live":
        unit = {"uV": "µV"}.get(line.unit, line.unit)
        remarks.append(style.label("emg.threshold", value=three_digits(line.threshold, style.decimal_mark), unit=unit))
    row_heading(panel, " ".join([*side, muscle_title(row.name, style)]), [", ".join(remarks)] if remarks else [])
    trace = view.raw(trial, label)
    # What is no muscle may have any size: it is drawn by its own.
    half = view.scale if line.verdict == "live" else float(np.abs(trace[:, 1:]).max()) or 1.0 if len(trace) else 1.0
    draw_trace(panel, trace, half, colour=colour)
    draw_active(panel, view.active(trial, label), -1.17, colour="ink")


def _stances(panel: Panel, view: EmgView, trial: str, style: Style) -> None:
    """Shade the panel's own side's stances lightly, and mark both sides' as thin bars at the top."""
    events: list[Mapping[str, object]] = next(
        (entry["events"] for entry in view.tables.summary.get("trials", ()) if entry["name"] == trial), []
    )
    for level, side in ((0.94, "L"), (0.82, "R")):
        of_side = sorted((event["time_s"], event["kind"]) for event in events if event["side"] == side)
        spans = [
            (time, after) for (time, kind), (after, next_kind) in pairwise(of_side)
            if kind == "Foot Strike" and next_kind == "Foot Off"
        ]  # fmt: skip
        bars = [np.array([[start, level], [end, level]]) for start, end in spans]
        if bars:
            panel.polylines(bars, colour=side, width=_STANCE_MM, zorder=2.0)


def _draw(content: Content) -> Iterator[Figure]:
    names = tuple(trial["name"] for trial in content.tables.summary.get("trials", ()))
    channels = content.tables.channels
    if channels is None:
        sheet = Sheet(content.style)
        sheet.text(LEFT_MM, 30.0, content.style.label("emg.none"), size="heading")
        yield sheet.figure
        return
    # Recordings without gait (standing, contractions, muscle signals alone) come where nothing else is there.
    names = names or tuple(dict.fromkeys(channels["trial"]))
    view = EmgView(content.tables, names)
    for name in names:
        yield from raw_pages(view, name, content.style)


register(PageKind("emg_raw", 111, _draw, shows=Shows.SESSION, needs=("channels",), compare=of_each, sheets=0))
