"""Trials that hold no whole cycle, over time: hip, knee and ankle of both sides, with every strike and off that was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES, SignRow
from biomech_id.report.layout.layer import ROWS
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import NO_STRIDES, Style
from biomech_id.report.page import Content, PageKind, Shows, register
from biomech_id.results.tables.session_tables import SessionTables

#: Rows of a sheet, top to bottom; one that a trial has nothing of is left out, and the last stands in for missing kinetics.
_ROWS = (
    (("HipAngles", "X"), ("KneeAngles", "X"), ("AnkleAngles", "X")),
    (("HipMoment", "X"), ("KneeMoment", "X"), ("AnkleMoment", "X")),
    (("HipPower", ""), ("KneePower", ""), ("AnklePower", "")),
    (("PelvisAngles", "X"), ("PelvisAngles", "Y"), ("PelvisAngles", "Z")),
    (("HipAngles", "Y"), ("HipAngles", "Z"), ("FootProgressAngles", "Z")),
)
_MOST_ROWS, _COLUMNS = 3, 3
_TOP_MM, _PITCH_MM, _HEIGHT_MM, _GUTTER_MM, _NOTE_MM = 31.0, 53.0, 40.0, 13.0, 193.0
_WIDTH_MM = (RIGHT_MM - LEFT_MM - _COLUMNS * _GUTTER_MM) / _COLUMNS
#: Distances of ticks, s, of which the first that makes at most `_MOST_TICKS` is taken.
_STEPS_S, _MOST_TICKS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 300.0, 3600.0), 8
_EVENT_DASHES: Mapping[str, tuple[float, tuple[float, ...] | None]] = {
    "Foot Strike": (0.0, None),
    "Foot Off": (0.0, (1.5, 1.5)),
}


def trials_without_cycles(tables: SessionTables) -> list[Mapping[str, Any]]:
    """Return the trials of a session without any cycle that would have some: walks, runs, and movements that nothing names.

    Empty where some trial has cycles: what a session shows then are those.

    Parameters
    ----------
    tables : SessionTables
        The session's tables.
    """
    shown = [trial for trial in tables.summary.get("trials", ()) if trial["kind"] not in NO_STRIDES]
    return [] if any(trial["cycles"] for trial in shown) else [trial for trial in shown if trial["name"] in tables.frames]


def course_page(trial: Mapping[str, Any], frames: pd.DataFrame, style: Style) -> Figure:
    """Draw one trial over time.

    Parameters
    ----------
    trial : Mapping[str, Any]
        Its entry of ``summary["trials"]``.
    frames : pd.DataFrame
        As in ``trials/<stem>.csv``.
    style : Style
        Colours, words, scales and units of the report.
    """
    sheet, x = Sheet(style), LEFT_MM
    for side in SIDES:
        text = style.label(f"side.{side}")
        sheet.text(x, 20.6, text, size="small", weight="bold", colour=side)
        x += 16.0
    sheet.text(x, 20.6, style.label("course.legend", trial=trial["name"]), size="small")
    known = [names for names in _ROWS if any(_known(frames, side, ROWS[name]) for side in SIDES for name in names)]
    kinetics = len(known) > 1 and known[1][0][0].endswith("Moment")
    for number, names in enumerate(known[:_MOST_ROWS]):
        for column, name in enumerate(names):
            left, top = LEFT_MM + _GUTTER_MM + column * (_WIDTH_MM + _GUTTER_MM), _TOP_MM + number * _PITCH_MM
            _draw_one(sheet.panel(left, top, _WIDTH_MM, _HEIGHT_MM), ROWS[name], trial, frames)
    if not known:
        sheet.text(LEFT_MM, 30.0, style.label("absent.no_loads"), size="heading")
    sheet.note(style.label("course.note" if kinetics else "course.note_kinematics"), _NOTE_MM, most=2)
    return sheet.figure


def _values(frames: pd.DataFrame, side: str, row: SignRow) -> Any:
    name = row.column(side)
    return frames[name].to_numpy(dtype=float) if name in frames else np.full(len(frames), np.nan)


def _known(frames: pd.DataFrame, side: str, row: SignRow) -> bool:
    return bool(np.isfinite(_values(frames, side, row)).any())


def _draw_one(panel: Panel, row: SignRow, trial: Mapping[str, Any], frames: pd.DataFrame) -> None:
    style, time_s = panel.style, frames["time"].to_numpy(dtype=float)
    curves = {side: style.factor(row) * _values(frames, side, row) for side in SIDES if _known(frames, side, row)}
    across = _time_scale(time_s)
    ends = [end for values in curves.values() for end in (np.nanmin(values), np.nanmax(values))]
    up = style.scale(row, run=trial["kind"] == "run").holding(min(ends, default=np.nan), max(ends, default=np.nan))
    panel.frame(across, up, x_numbers=True)
    panel.end_words(style.word(row.positive), style.word(row.negative), left_mm=7.5)
    panel.outside(0.0, _HEIGHT_MM + 1.3, f"{style.word(row.title)}, {style.word(style.unit(row))}", size="small", weight="bold")
    panel.outside(_WIDTH_MM / 2, -6.2, style.label("course.time"), size="tiny", colour="quiet", ha="center")
    for event in trial["events"]:
        at = event["time_s"] - time_s[0]
        panel.polylines([[(at, up.low), (at, up.high)]], colour=event["side"], width=0.7, dashes=_EVENT_DASHES[event["kind"]],
                        zorder=1.5, gid=f"event {event['side']} {event['kind']}")  # fmt: skip
    for side, values in curves.items():
        path = np.stack([time_s - time_s[0], values], axis=1)
        panel.polylines([path], colour=side, width=1.0, dashes=style.dashes(side), gid=f"{side}|{row.column('')}|{trial['name']}")
    if not curves:
        panel.notice(style.label("course.none"))


def _time_scale(time_s: Any) -> Scale:
    """From the trial's first frame to its last, in steps that leave the ticks apart."""
    long_s = float(time_s[-1] - time_s[0])
    return Scale(0.0, long_s, next((step for step in _STEPS_S if long_s / step <= _MOST_TICKS), _STEPS_S[-1]))


def _draw(content: Content) -> Iterator[Figure]:
    trials: Sequence[Mapping[str, Any]] = trials_without_cycles(content.tables)
    for trial in trials:
        yield course_page(trial, content.tables.frames[trial["name"]], content.style)
    if not trials:
        sheet = Sheet(content.style)
        sheet.text(LEFT_MM, 30.0, content.style.label("course.every"), size="heading")
        yield sheet.figure


register(PageKind("course", 18, _draw, Shows.SESSION, spared=lambda content: not trials_without_cycles(content.tables)))
