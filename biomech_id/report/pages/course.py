"""Trials that hold no whole cycle, over time: hip, knee and ankle of both sides, with every strike and off that was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES, SignRow
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import NO_STRIDES, Style
from biomech_id.report.pages.jumps import jumps_of
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.page import Content, PageKind, Shows, register
from biomech_id.session.tables.session_tables import Table, Tables
from biomech_id.values import dataclass

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


@dataclass(frozen=True, eq=False)
class Course:
    """A trial over time.

    Attributes
    ----------
    name : str
        Name of the trial.
    kind : str
        Of movement.
    events : tuple[tuple[float, str, str], ...]
        Absolute seconds, side and kind of each.
    frames : Table
        As in ``trials/<stem>.csv``.
    """

    name: str
    kind: str
    events: tuple[tuple[float, str, str], ...]
    frames: Table

    @property
    def time_s(self) -> FloatArray:
        """Of every frame, absolute seconds, (n,)."""
        return np.asarray(self.frames["time"], dtype=np.float64)

    def values(self, side: str, row: SignRow) -> FloatArray:
        """Return a variable of one side in the tables' unit, (n,); NaN where there is none.

        Parameters
        ----------
        side : str
            "L" or "R".
        row : SignRow
            The variable's row of the sign table.
        """
        name = row.column(side)
        return np.asarray(self.frames[name], dtype=np.float64) if name in self.frames else np.full(len(self.frames), np.nan)

    def knows(self, side: str, row: SignRow) -> bool:
        """Return whether any frame has a variable of one side.

        Parameters
        ----------
        side : str
            "L" or "R".
        row : SignRow
            The variable's row of the sign table.
        """
        return bool(np.isfinite(self.values(side, row)).any())


def trials_without_cycles(tables: Tables) -> list[Course]:
    """Return the trials of a session that no other page shows.

    Walks, runs and movements that nothing names where none of them has a cycle: where some trial has, the session shows those.
    Jumps, squats and rises of which nothing was measured, whatever else there is: a landing from a box is no whole jump.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    """
    trials = tables.summary.get("trials", ())
    walked = [trial for trial in trials if trial["kind"] not in NO_STRIDES]
    walked = [] if any(trial["cycles"] for trial in walked) else walked
    measured = {(name, prefix) for prefix in NO_STRIDES for name, _ in jumps_of(tables, f"{prefix}_")}
    others = [trial for trial in trials if trial["kind"] in NO_STRIDES and (trial["name"], trial["kind"]) not in measured]
    shown = [trial for trial in trials if trial in walked or trial in others]
    events = {trial["name"]: tuple((e["time_s"], e["side"], e["kind"]) for e in trial.get("events", ())) for trial in shown}
    without = [(trial["name"], trial["kind"]) for trial in shown if trial["name"] in tables.frames]
    return [Course(name, kind, events[name], tables.frames[name]) for name, kind in without]


def course_page(course: Course, style: Style) -> Figure:
    """Draw one trial over time.

    Parameters
    ----------
    course : Course
        The trial.
    style : Style
        Colours, words, scales and units of the report.
    """
    sheet, x = Sheet(style), LEFT_MM
    for side in SIDES:
        text = style.label(f"side.{side}")
        sheet.text(x, 20.6, text, size="small", weight="bold", colour=side)
        x += 16.0
    sheet.text(x, 20.6, style.label("course.legend", trial=course.name), size="small")
    known = [names for names in _ROWS if any(course.knows(side, ROWS[name]) for side in SIDES for name in names)]
    kinetics = len(known) > 1 and known[1][0][0].endswith("Moment")
    for number, names in enumerate(known[:_MOST_ROWS]):
        for column, name in enumerate(names):
            left, top = LEFT_MM + _GUTTER_MM + column * (_WIDTH_MM + _GUTTER_MM), _TOP_MM + number * _PITCH_MM
            _draw_one(sheet.panel(left, top, _WIDTH_MM, _HEIGHT_MM), ROWS[name], course)
    if not known:
        sheet.text(LEFT_MM, 30.0, style.label("absent.no_loads"), size="heading")
    sheet.note(style.label("course.note" if kinetics else "course.note_kinematics"), _NOTE_MM, most=2)
    return sheet.figure


def _draw_one(panel: Panel, row: SignRow, course: Course) -> None:
    style, time_s = panel.style, course.time_s
    curves = {side: style.factor(row) * course.values(side, row) for side in SIDES if course.knows(side, row)}
    across = _time_scale(time_s)
    ends = [end for values in curves.values() for end in (np.nanmin(values), np.nanmax(values))]
    up = style.scale(row, run=course.kind == "run").holding(min(ends, default=np.nan), max(ends, default=np.nan))
    panel.frame(across, up, x_numbers=True)
    panel.end_words(style.word(row.positive), style.word(row.negative), left_mm=7.5)
    panel.outside(0.0, _HEIGHT_MM + 1.3, f"{style.word(row.title)}, {style.word(style.unit(row))}", size="small", weight="bold")
    panel.outside(_WIDTH_MM / 2, -6.2, style.label("course.time"), size="tiny", colour="quiet", ha="center")
    for event_s, side, kind in course.events:
        at = event_s - time_s[0]
        line = [(at, up.low), (at, up.high)]
        panel.polylines([line], colour=side, width=0.7, dashes=_EVENT_DASHES[kind], zorder=1.5, gid=f"event {side} {kind}")
    for side, values in curves.items():
        path = np.stack([time_s - time_s[0], values], axis=1)
        panel.polylines([path], colour=side, width=1.0, dashes=style.dashes(side), gid=f"{side}|{row.column('')}|{course.name}")
    if not curves:
        panel.notice(style.label("course.none"))


def _time_scale(time_s: FloatArray) -> Scale:
    """From the trial's first frame to its last, in steps that leave the ticks apart."""
    long_s = float(time_s[-1] - time_s[0])
    return Scale(0.0, long_s, next((step for step in _STEPS_S if long_s / step <= _MOST_TICKS), _STEPS_S[-1]))


def _draw(content: Content) -> Iterator[Figure]:
    trials = trials_without_cycles(content.tables)
    for course in trials:
        yield course_page(course, content.style)
    if not trials:
        sheet = Sheet(content.style)
        sheet.text(LEFT_MM, 30.0, content.style.label("course.every"), size="heading")
        yield sheet.figure


register(
    PageKind(
        "course",
        18,
        _draw,
        Shows.SESSION,
        sheets=0,
        own=NO_STRIDES,
        spared=lambda content: not trials_without_cycles(content.tables),
    )
)
