"""The examination beside the gait of the same joint: the values of both sides, and last what gait did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.layout.numbers import mean_of, written
from biomech_id.report.layout.records import records
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import shortened, wrapped
from biomech_id.report.panels.clinic import clinic_of_session, examined_words, found_at
from biomech_id.trial.examination import Examined

#: Joint -> values of gait beside it: name and variable of ``peaks.csv``.
GAIT_VALUES: dict[str, tuple[tuple[str, str], ...]] = {
    "hip": (("min_stance", "HipAngles"),),
    "knee": (("min_stance", "KneeAngles"), ("max_swing", "KneeAngles")),
    "ankle": (("max_stance", "AnkleAngles"),),
}
_ROW_MM, _MOST_ROWS = 3.3, 4
#: Width of the column of joints, and of a value.
_JOINT_MM, _VALUE_MM = 11.5, 10.5


def draw_examination(sheet: Sheet, facts: SessionFacts, left_mm: float, top_mm: float, right_mm: float, bottom_mm: float) -> None:
    """Draw what was examined at hip, knee and ankle, each with the gait of that joint; without an examination gait alone.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : SessionFacts
        One condition of the session, and the norm.
    left_mm, top_mm, right_mm, bottom_mm : float
        Millimetres from the sheet's left and top.
    """
    style = sheet.style
    sheet.heading(left_mm, top_mm, style.label("first.examination"))
    columns = {"L": right_mm - 14.0, "R": right_mm}
    for side in SIDES:
        sheet.text(columns[side], top_mm, style.label(f"side.{side}").lower(), size="small", colour=side, weight="bold", ha="right")
    rows = {joint: list(examined_rows(facts, joint)) for joint in GAIT_VALUES}
    free = int((bottom_mm - top_mm - 2.0) / _ROW_MM) - len(GAIT_VALUES)
    most = max(0, min(_MOST_ROWS, free // len(GAIT_VALUES)))
    y = top_mm + 1.0
    for joint, examined in rows.items():
        sheet.rule(left_mm, y + 0.6, right_mm, y + 0.6, colour="grid")
        sheet.text(left_mm, y + _ROW_MM, style.label(f"joint.{joint}"), size="small", weight="bold")
        room = columns["L"] - _VALUE_MM - left_mm - _JOINT_MM
        labels = _distinct([name for name, _ in examined[:most]], room, style.size("small"))
        labels.append(shortened(style.label(f"first.gait_{joint}"), room, style.size("small"), weight="bold"))
        for label, (name, values) in zip(labels, [*examined[:most], *gait_rows(facts, joint)], strict=True):
            y += _ROW_MM
            bold = "bold" if name is None else "normal"
            sheet.text(left_mm + _JOINT_MM, y, label, size="small", weight=bold)
            for side, cell in sorted(values.items()):
                sheet.text(columns[side], y, shortened(cell, 13.5, style.size("small")), size="small", ha="right", weight=bold)
        y += 0.9
    notes = [style.label("first.not_examined")] if not any(rows.values()) else []
    notes += [style.label("first.more_examined")] if any(len(of_joint) > most for of_joint in rows.values()) else []
    lines = [line for note in notes for line in wrapped(note, right_mm - left_mm, style.size("tiny"))]
    sheet.paragraph(left_mm, y + 0.8, lines, size="tiny", colour="quiet")


def _distinct(names: Sequence[str], room_mm: float, size_pt: float) -> list[str]:
    """The names as far as there is room; those that would read the same keep their ends."""
    cut = [shortened(name, room_mm, size_pt) for name in names]
    return [
        shortened(name[::-1], room_mm, size_pt)[::-1] if cut.count(short) > 1 else short
        for name, short in zip(names, cut, strict=True)
    ]


def examined_rows(facts: SessionFacts, joint: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what was examined at a joint: a name, and what each side has.

    Parameters
    ----------
    facts : SessionFacts
        One condition of the session, and the norm.
    joint : str
        "hip", "knee" or "ankle".
    """
    table, style = facts.tables.examination, facts.style
    by_name: dict[str, dict[str, str]] = {}
    for row in () if table is None else records(table):
        if row.joint == joint and row.side in SIDES and Examined(raw=row.raw).seen:
            by_name.setdefault(examined_words(style, row.muscle, row.test, row.position), {})[row.side] = _printed(row, style)
    yield from by_name.items()
    for written_by_hand in found_at(joint, clinic_of_session(facts.tables)):
        key, _, text = written_by_hand.rpartition(": ")
        side = next((side for side in SIDES if key.endswith(f" {side}")), "R")
        yield key.removesuffix(f" {side}"), {side: text}


def _printed(row: Examined, style: Style) -> str:
    return (
        f"{row.raw}°" if row.unit == "deg" and np.isfinite(row.value) else " ".join(filter(None, (row.raw, style.word(row.unit))))
    )


def gait_rows(facts: SessionFacts, joint: str) -> Iterator[tuple[None, dict[str, str]]]:
    """Yield what gait did at a joint, of each side the means of values in ``peaks.csv``.

    Parameters
    ----------
    facts : SessionFacts
        One condition of the session, and the norm.
    joint : str
        "hip", "knee" or "ankle".
    """
    peaks, used = facts.tables.peaks, facts.layer.used
    wanted = set(zip(used["trial"], used["side"], used["cycle"], strict=True))
    means: dict[str, list[str]] = {side: [] for side in SIDES}
    for name, variable in GAIT_VALUES[joint]:
        rows = peaks[(peaks["name"] == name) & (peaks["variable"] == variable) & (peaks["component"] == "X")]
        for side in SIDES:
            values = [row.value for row in records(rows[rows["side"] == side]) if (row.trial, row.side, row.cycle) in wanted]
            means[side].append(written(mean_of(values), 0, facts.style.decimal_mark))
    yield None, {side: f"{' / '.join(values)}°" if any(v != "–" for v in values) else "–" for side, values in means.items()}
