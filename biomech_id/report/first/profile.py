"""The movement analysis profile as a strip of bars, each with its number, and the norm's own scores behind them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.interpretation.deviations import BAND_SDS, LIMIT_SD, small_norm_factor
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.numbers import ScoreLine
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.records import records
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.typography import shortened
from biomech_id.report.panels.layer import ROWS

_ROW_MM, _BAR_MM, _NAME_MM = 4.5, 1.9, 27.0
#: The strip is at least so many degrees wide, so that small scores look small.
_LEAST_WIDTH_DEG = 15.0


def draw_profile(sheet: Sheet, facts: SessionFacts, left_mm: float, top_mm: float, right_mm: float) -> float:
    """Draw a row for each variable; return where they end, which is the top where there are no scores.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : SessionFacts
        The session, judged.
    left_mm, top_mm, right_mm : float
        Millimetres from the sheet's left and top.
    """
    style, table = sheet.style, facts.tables.scores
    rows = [row for row in records(table) if row.condition == facts.layer.condition and row.side in SIDES] if len(table) else []
    if not rows:
        return top_mm
    sheet.heading(left_mm, top_mm, style.label("first.profile"))
    sheet.text(right_mm, top_mm, style.label("first.profile_norm"), size="tiny", colour="quiet", ha="right")
    names = dict.fromkeys((row.variable, row.component) for row in rows)
    ends = [end for row in rows for end in (row.value, _reach(row)) if np.isfinite(end)]
    widest = max([_LEAST_WIDTH_DEG, *ends])
    bars_mm = right_mm - left_mm - _NAME_MM - 5.0
    y = top_mm + 2.0
    for name in names:
        title = style.word(ROWS[name].title) if name in ROWS else style.label("first.gps_short")
        sheet.text(left_mm, y + 3.0, shortened(title, _NAME_MM - 1.0, style.size("small")), size="small")
        own = {row.side: row for row in rows if (row.variable, row.component) == name}
        reach = max(_reach(row) for row in own.values())
        if np.isfinite(reach):
            sheet.box(left_mm + _NAME_MM, y, bars_mm * reach / widest, 2 * _BAR_MM + 0.2, face="norm", edge=None)
        for number, side in enumerate(SIDES):
            top, value = y + number * (_BAR_MM + 0.2), own[side].value if side in own else float("nan")
            score = written(value, 0, style.decimal_mark)
            length = bars_mm * value / widest if np.isfinite(value) else 0.0
            if length:
                sheet.box(left_mm + _NAME_MM, top + 0.25, length, _BAR_MM - 0.5, face=side, edge=None)
            beyond = max(length, bars_mm * reach / widest if np.isfinite(reach) else 0.0)
            sheet.text(left_mm + _NAME_MM + beyond + 0.6, top + 1.75, score, size="tiny", colour=side)
        y += _ROW_MM
    return y


def _reach(row: ScoreLine) -> float:
    """End of the norm's own band, mean + SD; NaN where the norm does not say."""
    return float(row.norm_mean + row.norm_sd)


def band_of(facts: SessionFacts, name: tuple[str, str]) -> float:
    """Return what 95 % of errors of a mean curve stay within over the cycle, deg; of the worse side, NaN without bands.

    Parameters
    ----------
    facts : SessionFacts
        One condition of the session, and the norm.
    name : tuple[str, str]
        Variable and component.
    """
    bands = [facts.layer.uncertainty(side, ROWS[name], facts.style).get("total") for side in SIDES]
    known = [BAND_SDS * float(np.sqrt(np.nanmean(np.square(sd)))) for sd in bands if sd is not None and np.isfinite(sd).any()]
    return max(known, default=float("nan"))


def beyond_norm(facts: SessionFacts) -> Mapping[tuple[str, str], Mapping[str, float]]:
    """Return the variables whose score lies beyond the norm's two SDs and beyond the session's error, with each such side's, deg.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    """
    beyond: dict[tuple[str, str], dict[str, float]] = {}
    factor = LIMIT_SD * small_norm_factor(facts.people)
    for row in records(facts.tables.scores):
        name = row.variable, row.component
        if row.condition != facts.layer.condition or row.side not in SIDES or name not in ROWS:
            continue
        if row.value > max(row.norm_mean + factor * row.norm_sd, band_of(facts, name)):
            beyond.setdefault(name, {})[row.side] = row.value
    return beyond
