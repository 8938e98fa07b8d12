"""How alike the cycles are: every cycle of every trial over the others, and those that stand apart by name."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import ANGLE_VARIABLE, SIDES
from biomech_id.report.layout.numbers import DECIMALS, digits, written
from biomech_id.report.layout.records import records
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.panels.curve_panel import CYCLE, PERCENT
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.page import PageKind, of_each, register
from biomech_id.statistics.reliability import reliability
from biomech_id.values import dataclass

#: A cycle stands apart where its distance from the median curve passes the median distance by this many robust standard deviations
#: (Hampel's identifier, three and a half), and by no less than markers repeat.
_HAMPEL, _ROBUST_SD, _LEAST_DEG = 3.5, 1.4826, 3.0
#: With fewer cycles on a side the median curve is one of them.
_LEAST_CYCLES = 4
#: Curves whose repeatability is said: where clinics look first.
REPEATED = (
    ("PelvisAngles", "X"), ("HipAngles", "X"), ("HipAngles", "Y"), ("HipAngles", "Z"), ("KneeAngles", "X"), ("AnkleAngles", "X"),
    ("FootProgressAngles", "Z"), ("HipMoment", "X"), ("KneeMoment", "X"), ("AnkleMoment", "X"), ("AnklePower", ""),
)  # fmt: skip
_NAME_MM = 38.0
_TOP_MM, _PITCH_MM, _HEIGHT_MM, _MARGIN_MM, _GUTTER_MM, _TABLE_MM = 27.0, 56.0, 46.0, 11.0, 12.0, 84.0


@dataclass(frozen=True)
class Distance:
    """How far one cycle lies from the median of its side, in one angle.

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        "L" or "R".
    cycle : int
        Its number.
    joint : str
        "hip", "knee" or "ankle".
    rms_deg : float
        Root mean square distance from the median curve, degrees.
    limit_deg : float
        Beyond it a cycle stands apart, degrees; infinite with fewer than four cycles.
    """

    trial: str
    side: str
    cycle: int
    joint: str
    rms_deg: float
    limit_deg: float

    @property
    def apart(self) -> bool:
        """Whether the cycle stands apart."""
        return self.rms_deg > self.limit_deg


def distances(layer: Layer) -> list[Distance]:
    """Return how far each cycle lies from the median curve of its side, in the sagittal angles of hip, knee and ankle.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    """
    all_distances = []
    for joint in reversed(JOINTS):
        for side in SIDES:
            cycles, curves = _angles(layer, joint, side)
            if not len(curves):
                continue
            apart = np.sqrt(np.mean((curves - np.median(curves, axis=0)) ** 2, axis=1))
            typical = float(np.median(apart))
            spread = _ROBUST_SD * float(np.median(np.abs(apart - typical)))
            limit = max(typical + _HAMPEL * spread, _LEAST_DEG) if len(curves) >= _LEAST_CYCLES else float("inf")
            all_distances += [
                Distance(trial, side, number, joint, float(rms), limit) for (trial, number), rms in zip(cycles, apart, strict=True)
            ]
    return all_distances


def _angles(layer: Layer, joint: str, side: str) -> tuple[list[tuple[str, int]], FloatArray]:
    """Trial and number of each whole cycle of a side, and its sagittal angle (n, 101), degrees."""
    cycles = layer.cycles[(layer.cycles["side"] == side) & (layer.cycles["kinetics_valid"] != "stance_only")]
    names, curves = [], []
    for number in range(len(cycles)):
        curve = layer.tables.curves(side, ANGLE_VARIABLE[joint], "X", cycles=cycles.iloc[[number]])
        if len(curve) and np.isfinite(curve).all():
            names.append((str(cycles["trial"].iloc[number]), int(cycles["cycle"].iloc[number])))
            curves.append(curve[0])
    return names, np.array(curves).reshape(-1, len(PERCENT))


def consistency_page(layer: Layer, style: Style) -> Figure:
    """Draw every cycle over the others, those that stand apart in bold, and name these.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    """
    sheet = Sheet(style)
    all_distances = distances(layer)
    width = (RIGHT_MM - LEFT_MM - _TABLE_MM - len(SIDES) * (_MARGIN_MM + _GUTTER_MM)) / len(SIDES)
    for i, joint in enumerate(reversed(JOINTS)):
        for j, side in enumerate(SIDES):
            bold = {(each.trial, each.cycle) for each in all_distances if each.apart and (each.joint, each.side) == (joint, side)}
            place = (LEFT_MM + _MARGIN_MM + j * (width + _MARGIN_MM + _GUTTER_MM), _TOP_MM + i * _PITCH_MM, width, _HEIGHT_MM)
            _cycles(sheet, place, layer, joint, side, bold=bold)
    left, top = RIGHT_MM - _TABLE_MM, _TOP_MM
    sheet.heading(left, top, style.label("consistency.apart"), to_mm=RIGHT_MM)
    apart = [each for each in all_distances if each.apart]
    if apart:
        top = _table(sheet, apart, layer, left, top + 2.0)
    else:
        few = all(each.limit_deg == float("inf") for each in all_distances)
        top += 7.0
        sheet.text(left, top, style.label("consistency.few" if few else "consistency.none", n=_LEAST_CYCLES), size="small")
    text = style.label("consistency.note", least=digits(_LEAST_DEG, "g", style.decimal_mark))
    lines = wrapped(text, RIGHT_MM - left, style.size("tiny"))
    top = sheet.paragraph(left, top + 4.0, lines, size="tiny", colour="quiet")
    _repeatable(sheet, layer, left, top + 8.0)
    return sheet.figure


def _repeatable(sheet: Sheet, layer: Layer, left_mm: float, top_mm: float) -> None:
    """How repeatable the curves of the pages of means are within trials and between them: what has two cycles in the means."""
    style = sheet.style
    heads = [f"{side} {style.label(f'consistency.{key}')}" for side in SIDES for key in ("sem_cycle", "sem_trial", "cmc")]
    each = (_TABLE_MM - _NAME_MM) / len(heads)
    columns = (TableColumn("", _NAME_MM), *(TableColumn(head, each, "right") for head in heads))
    rows: list[list[Cell | str]] = []
    for name in REPEATED:
        row = ROWS[name]
        decimals, factor, mark = DECIMALS.get(style.unit(row), 2), style.factor(row), style.decimal_mark
        cells: list[Cell | str] = []
        for side in SIDES:
            how = reliability(_by_trial(layer, side, name))
            cells += [written(sem * factor, decimals, mark) for sem in (how.cycle_sem, how.group_sem)] + [written(how.cmc, 2, mark)]
        if set(cells) != {"–"}:
            rows.append([f"{style.word(row.title)}, {style.word(style.unit(row))}", *cells])
    if not rows:
        return
    sheet.heading(left_mm, top_mm, style.label("consistency.repeatable"), to_mm=RIGHT_MM)
    y, _ = TextTable(columns, rows, size="tiny", padding_mm=0.6).draw(
        sheet, left_mm, top_mm + 2.0, room_mm=BOTTOM_MM - top_mm - 18.0
    )
    sheet.note(style.label("consistency.repeatable_note"), y + 1.5, left_mm=left_mm)


def _by_trial(layer: Layer, side: str, name: tuple[str, str]) -> list[FloatArray]:
    """The curves of one side that enter means and are whole, those of each trial together."""
    of_trials = []
    for _, cycles in layer.used.groupby("trial", sort=False):
        curves = layer.tables.curves(side, *name, cycles=cycles)
        of_trials.append(curves[np.isfinite(curves).all(axis=1)])
    return of_trials


def _cycles(
    sheet: Sheet,
    place_mm: tuple[float, float, float, float],
    layer: Layer,
    joint: str,
    side: str,
    *,
    bold: set[tuple[str, int]],
) -> None:
    style, row = sheet.style, ROWS[ANGLE_VARIABLE[joint], "X"]
    panel = sheet.panel(*place_mm)
    panel.frame(CYCLE, style.scale(row, run=layer.run), x_numbers=joint == JOINTS[0])
    cycles, curves = _angles(layer, joint, side)
    title = f"{style.label(f'side.{side}')}: {style.word(row.title)}, {style.word(style.unit(row))}"
    panel.outside(0.0, _HEIGHT_MM + 1.3, title, size="body", weight="bold")
    panel.outside(place_mm[2], _HEIGHT_MM + 1.3, style.label("common.count", n=len(curves)), size="tiny", ha="right")
    if not len(curves):
        panel.notice(layer.missing(side, row, style))
    for name, curve in zip(cycles, curves, strict=True):
        colour, width = ("ink", "mean") if name in bold else (side, "cycle")
        trial, number = name
        path = [np.column_stack([PERCENT, curve])]
        panel.polylines(path, colour=colour, width=style.width(width), gid=f"{trial}|{side}|{number}|{joint}")


def _table(sheet: Sheet, apart: list[Distance], layer: Layer, left_mm: float, top_mm: float) -> float:
    style = sheet.style
    used = {(cycle.trial, cycle.side, cycle.cycle) for cycle in records(layer.used)}
    heads = (("trial", 30.0), ("cycle", 14.0), ("joint", 14.0), ("distance", 13.0), ("used", 13.0))
    columns = tuple(TableColumn(style.label(f"consistency.{name}"), width) for name, width in heads)
    rows: list[list[Cell | str]] = []
    for each in sorted(apart, key=lambda each: -each.rms_deg):
        in_mean = style.label("common.yes" if (each.trial, each.side, each.cycle) in used else "common.no")
        number = Cell(f"{each.side} {each.cycle}", colour=each.side)
        rows.append(
            [each.trial, number, style.label(f"joint.{each.joint}"), digits(each.rms_deg, ".1f", style.decimal_mark), in_mean]
        )
    y, left = TextTable(columns, rows, size="tiny").draw(sheet, left_mm, top_mm, room_mm=120.0)
    if left is not None:
        sheet.text(left_mm, y + 3.6, style.label("consistency.more", n=len(left.rows)), size="tiny", colour="quiet")
        y += 4.0
    return y


register(
    PageKind("consistency", 95, lambda content: [consistency_page(content.layers[0], content.style)], compare=of_each, sheets=1)
)
