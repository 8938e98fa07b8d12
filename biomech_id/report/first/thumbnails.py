"""Small panels of one variable: the norm's band, both sides' means, and the phase that was judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import FOOT_PITCH, SIDES
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.typography import width_mm
from biomech_id.report.panels.curve_panel import PERCENT
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.small_title import TITLE_LINE_MM, small_title

_CYCLE = Scale(0.0, 100.0, 50.0)
#: Of the scale that every page has, so that a curve that hardly moves looks so.
_LEAST_SHARE = 0.3


def draw_thumbnail(
    sheet: Sheet, facts: SessionFacts, name: tuple[str, str], place_mm: tuple[float, float, float, float],
    phase: tuple[float, float] | None = None, *, title_lines: int = 1,
) -> None:  # fmt: skip
    """Draw one variable's means over the cycle.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : SessionFacts
        One condition of the session, and the norm.
    name : tuple[str, str]
        Variable and component.
    place_mm : tuple[float, float, float, float]
        Left, top, width and height with the title above and the numbers around it.
    phase : tuple[float, float] | None, optional
        What is shaded, percent of the cycle.
    title_lines : int, optional
        For how many lines of a title there is room at least, so that panels beside one another begin at one height.
    """
    style, row = sheet.style, ROWS[name]
    left, top, width, height = place_mm
    title = small_title(row, style, width)
    below = TITLE_LINE_MM * (max(len(title), title_lines) - 1)
    panel = sheet.panel(left + 6.5, top + 3.8 + below, width - 7.0, height - 7.0 - below)
    curves = {side: facts.layer.mean(side, row, style).mean for side in SIDES}
    curves = {side: curve for side, curve in curves.items() if np.isfinite(curve).any()}
    band = facts.norm.band(row, style) if facts.norm is not None else None
    edges = () if band is None else band[:2]
    drawn = [*curves.values(), *edges]
    usual = style.scale(row)
    panel.frame(_CYCLE, _scale(drawn, _LEAST_SHARE * (usual.high - usual.low)), x_numbers=True)
    first_mm = top + 2.4 + below - TITLE_LINE_MM * (len(title) - 1)
    # Titles of two lines, and of a row with such a one, begin above the numbers: they have no room above the panel alone.
    one_line = max(len(title), title_lines) == 1 and width_mm(title[0], style.size("tiny")) <= width - 6.5
    inset = 6.5 if one_line else 0.0
    for number, words in enumerate(title):
        sheet.text(left + inset, first_mm + TITLE_LINE_MM * number, words, size="tiny", colour="quiet")
    if phase is not None:
        _shade(panel, phase)
    if edges:
        panel.band(PERCENT, *edges, colour="norm", opacity=0.45, zorder=1.0, gid=f"norm {row.column('')}")
    for side, curve in curves.items():
        line = [np.column_stack([PERCENT, curve])]
        panel.polylines(line, colour=side, width=1.1, dashes=style.dashes(side), gid=f"first|{side}|{row.column('')}")
    if not curves:
        panel.notice(style.label("first.no_level" if row == FOOT_PITCH else "first.no_curve"))


def _scale(curves: Sequence[FloatArray], least_span: float) -> Scale:
    """A scale with two or three round ticks that holds all curves."""
    known = np.concatenate([curve[np.isfinite(curve)] for curve in curves]) if curves else np.zeros(0)
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, least_span)
    span = max(high - low, least_span)
    low, high = min(low, (low + high - span) / 2), max(high, (low + high + span) / 2)
    size = 10.0 ** np.floor(np.log10(span))
    step = next(float(size * part) for part in (0.5, 1.0, 2.0, 5.0, 10.0) if span / (size * part) <= 2.5)
    return Scale(low - 0.06 * span, high + 0.06 * span, step)


def _shade(panel: Panel, phase: tuple[float, float]) -> None:
    low, high = panel.get_ylim()
    start, end = max(0.0, phase[0]), min(100.0, max(phase[1], phase[0] + 2.0))
    ends = np.array([start, end])
    panel.band(ends, np.full(2, low), np.full(2, high), colour="judged", opacity=0.55, zorder=0.6, gid="judged phase")
