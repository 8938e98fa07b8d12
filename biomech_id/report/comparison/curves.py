"""Small panels of a comparison: both sides before (pale, thin) and after (full), over the norm, with the judged phase shaded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CYCLE_ROWS, SIDES
from biomech_id.report.comparison.facts import Comparison
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.records import records
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.typography import width_mm
from biomech_id.report.panels.curve_panel import PERCENT
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.small_title import TITLE_LINE_MM, small_title

_CYCLE = Scale(0.0, 100.0, 50.0)
_PALE = 0.42
#: What the profile shows, and the overview below it.
PROFILE_VARIABLES = (
    ("PelvisAngles", "X"), ("HipAngles", "X"), ("KneeAngles", "X"), ("AnkleAngles", "X"), ("PelvisAngles", "Y"), ("HipAngles", "Y"),
    ("PelvisAngles", "Z"), ("HipAngles", "Z"), ("FootProgressAngles", "Z"),
)  # fmt: skip
OVERVIEW = (("PelvisAngles", "X"), ("HipAngles", "X"), ("KneeAngles", "X"), ("AnkleAngles", "X"))
_LEAST_TOP_DEG = 12.0


def draw_before_after(
    sheet: Sheet, facts: Comparison, name: tuple[str, str], place_mm: tuple[float, float, float, float],
    phase: tuple[float, float] | None = None,
) -> None:  # fmt: skip
    """Draw one variable's means.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : Comparison
        What is compared.
    name : tuple[str, str]
        Variable and component.
    place_mm : tuple[float, float, float, float]
        Left, top, width and height with the title above and the numbers around it.
    phase : tuple[float, float] | None, optional
        What is shaded, percent of the cycle.
    """
    style, row = sheet.style, CYCLE_ROWS[name]
    left, top, width, height = place_mm
    title = small_title(row, style, width)
    below = TITLE_LINE_MM * (len(title) - 1)
    panel = sheet.panel(left + 6.5, top + 3.2 + below, width - 7.0, height - 6.2 - below)
    curves = [(side, after, layer.mean(side, row, style).mean) for side in SIDES for after, layer in enumerate(facts.layers)]
    curves = [each for each in curves if np.isfinite(each[2]).any()]
    band = facts.norm.band(row, style) if facts.norm is not None else None
    panel.frame(_CYCLE, _scale([*(each[2] for each in curves), *(band[:2] if band is not None else ())]), x_numbers=True)
    inset = 6.5 if all(width_mm(line, style.size("tiny")) <= width - 6.5 for line in title) else 0.0
    for number, words in enumerate(title):
        sheet.text(left + inset, top + 2.3 + TITLE_LINE_MM * number, words, size="tiny", colour="quiet")
    low, high = panel.get_ylim()
    if phase is not None:
        ends = np.array([max(0.0, phase[0]), min(100.0, max(phase[1], phase[0] + 2.0))])
        panel.band(ends, np.full(2, low), np.full(2, high), colour="shade", opacity=1.0, zorder=0.2, gid="judged phase")
        edges = [[(end, low), (end, high)] for end in ends]
        panel.polylines(edges, colour="zero", width=0.5, dashes=(0.0, (2.0, 1.5)), zorder=0.6)
    if band is not None:
        panel.band(PERCENT, band[0], band[1], colour="norm", opacity=0.45, zorder=1.0, gid=f"norm {row.column('')}")
    for side, after, curve in curves:
        look = {"width": 1.3, "opacity": 1.0} if after else {"width": 0.9, "opacity": _PALE}
        line = [np.column_stack([PERCENT, curve])]
        panel.polylines(line, colour=side, dashes=style.dashes(side), gid=f"{'AB'[after]}|{side}|{row.column('')}", **look)
    if not curves:
        panel.outside(panel.size_mm[0] / 2, panel.size_mm[1] / 2, "–", size="tiny", ha="center", va="center")


def _scale(curves: Sequence[FloatArray]) -> Scale:
    """A scale with two or three round ticks that holds all curves."""
    known = np.concatenate([curve[np.isfinite(curve)] for curve in curves]) if curves else np.zeros(0)
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    span = max(high - low, 1e-6)
    size = 10.0 ** np.floor(np.log10(span))
    step = next(float(size * part) for part in (0.5, 1.0, 2.0, 5.0, 10.0) if span / (size * part) <= 2.5)
    return Scale(low - 0.06 * span, high + 0.06 * span, step)


def draw_profiles(sheet: Sheet, facts: Comparison, left_mm: float, top_mm: float, right_mm: float, height_mm: float) -> None:
    """Draw the movement analysis profile: four bars a variable, left and right, pale before, full after; the norm behind them.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : Comparison
        What is compared.
    left_mm, top_mm, right_mm, height_mm : float
        Millimetres from the sheet's left and top, and how high the bars are.
    """
    style = sheet.style
    sheet.heading(left_mm, top_mm, style.label("changed.profile"))
    sheet.text(right_mm, top_mm, style.label("changed.profile_key"), size="tiny", colour="quiet", ha="right")
    scores = [_scores(layer) for layer in facts.layers]
    top_deg = max([_LEAST_TOP_DEG, *(value for each in scores for value in each.values() if np.isfinite(value))]) * 1.12
    pitch, bar = (right_mm - left_mm) / len(PROFILE_VARIABLES), (right_mm - left_mm) / len(PROFILE_VARIABLES) / 5.2
    floor = top_mm + 5.0 + height_mm
    scale = height_mm / top_deg
    for number, name in enumerate(PROFILE_VARIABLES):
        x = left_mm + number * pitch
        norm = _norm_of(facts, name)
        if norm is not None:
            sheet.box(x, floor - scale * (norm[0] + norm[1]), pitch - 1.0, scale * (norm[0] + norm[1]), face="norm", edge=None)
        for place, (side, after) in enumerate((side, after) for side in SIDES for after in (0, 1)):
            value = scores[after].get((side, *name), float("nan"))
            if np.isfinite(value):
                at = x + 0.3 + place * bar
                _bar(sheet, at, floor - scale * value, bar - 0.15, scale * value, side, pale=not after)
                if after:
                    text = written(value, 0, style.decimal_mark)
                    sheet.text(at + bar / 2, floor - scale * value - 0.6, text, size="tiny", ha="center")
        short = ".".join(name)
        words = style.label(f"changed.short_{short}").split(" ", 1)
        for line, word in enumerate(words):
            sheet.text(x + pitch / 2 - 0.5, floor + 2.9 + 2.7 * line, word, size="small", ha="center")
    sheet.rule(left_mm, floor, right_mm, floor, colour="zero")


def _bar(sheet: Sheet, left_mm: float, top_mm: float, width_mm: float, height_mm: float, side: str, *, pale: bool) -> None:
    """A bar; a pale one is an outline, so that a black and white print keeps both apart."""
    sheet.box(left_mm, top_mm, width_mm, height_mm, face=None if pale else side, edge=side)


def _norm_of(facts: Comparison, name: tuple[str, str]) -> tuple[float, float] | None:
    if facts.norm is None:
        return None
    rows = facts.norm.table
    own = rows[(rows["variable"] == f"GVS.{name[0]}") & (rows["component"] == name[1])]
    return (float(own["mean"].iloc[0]), float(own["sd"].iloc[0])) if len(own) else None


def _scores(layer: Layer) -> dict[tuple[str, str, str], float]:
    """(side, variable, component) -> gait variable score of one condition."""
    table = layer.tables.scores
    rows = [row for row in records(table) if row.score == "GVS" and row.condition == layer.condition] if len(table) else []
    return {(row.side, row.variable, row.component): float(row.value) for row in rows}


def draw_overview(sheet: Sheet, facts: Comparison, left_mm: float, top_mm: float, right_mm: float, height_mm: float) -> None:
    """Draw pelvis, hip, knee and ankle in the sagittal plane beside one another.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : Comparison
        What is compared.
    left_mm, top_mm, right_mm, height_mm : float
        Millimetres from the sheet's left and top, and how high the panels are with title and numbers.
    """
    sheet.heading(left_mm, top_mm, sheet.style.label("changed.overview"))
    sheet.text(right_mm, top_mm, sheet.style.label("changed.overview_key"), size="tiny", colour="quiet", ha="right")
    width = (right_mm - left_mm) / len(OVERVIEW)
    for number, name in enumerate(OVERVIEW):
        draw_before_after(sheet, facts, name, (left_mm + number * width, top_mm + 1.2, width - 0.5, height_mm))
