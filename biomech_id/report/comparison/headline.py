"""Headline numbers of a comparison: before, after, change with its scatter, norm; profile scores with the band of both visits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.report.comparison.facts import Comparison
from biomech_id.report.layout.numbers import mean_of, written
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.typography import shortened, width_mm, wrapped
from biomech_id.report.pages.scores import MCID_DEG
from biomech_id.report.panels.parameters import parameter_values
from biomech_id.session.output.scores_table import GPS, GPS_OVERALL
from biomech_id.statistics.sessions import change_of_parameter
from biomech_id.values import dataclass

#: Parameters of ``spatiotemporal.csv``, decimals, and whether they belong to a side.
_PARAMETERS = (
    ("speed", 2, False), ("speed_dimensionless", 2, False), ("cadence", 0, False), ("step_length", 2, True),
    ("single_support", 1, True), ("step_width", 2, False),
)  # fmt: skip
#: What of another speed moves by itself.
_WITH_SPEED = {"cadence", "step_length", "single_support", "gps", "gps_without"}
_ROW_MM, _LEAST_SPEED_CHANGE = 3.9, 0.10


@dataclass(frozen=True)
class HeadlineChange:
    """One row.

    Attributes
    ----------
    name, side : str
        Of its label; "L", "R" or empty.
    decimals : int
        How many decimals both numbers are printed with.
    before, after, band : float
        NaN where it is not known; the band is what 95 % of changes stay within where nothing changed.
    norm : tuple[float, float] | None
        Mean and SD of the norm, in the row's unit; None without one.
    sure : bool, optional
        Whether the cycles' own scatter leaves it a change.
    """

    name: str
    side: str
    decimals: int
    before: float
    after: float
    band: float
    norm: tuple[float, float] | None
    sure: bool = True

    @property
    def change(self) -> float:
        """Second less first."""
        return self.after - self.before

    @property
    def changed(self) -> bool:
        """Whether the change leaves its band, and more than a printed step."""
        return bool(self.sure and abs(self.change) > self.band and abs(self.change) >= 0.5 * 10.0**-self.decimals)

    @property
    def direction(self) -> str:
        """Label of where a change leads: towards the norm or away from it; empty where nobody can tell."""
        if self.norm is None or not self.changed:
            return ""
        nearer = abs(self.after - self.norm[0]) < abs(self.before - self.norm[0])
        return "towards" if nearer else "away"


def headline_changes(facts: Comparison) -> Iterator[HeadlineChange]:
    """Yield the rows in their order.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    of_layers = [{name: sides for name, (_, sides) in parameter_values(layer).items()} for layer in facts.layers]
    normal = facts.norm.scalars if facts.norm is not None else {}
    for name, decimals, of_side in _PARAMETERS:
        for side in SIDES if of_side else ("",):
            values = [
                each.get(name, {}).get(side, []) if side else [x for some in each.get(name, {}).values() for x in some]
                for each in of_layers
            ]
            change = change_of_parameter(facts.first.recording, facts.second.recording, name, values)
            band = float("nan") if facts.refused else change.carried
            means = (mean_of(values[0]), mean_of(values[1]))
            yield HeadlineChange(name, side, decimals, *means, band, normal.get(name), change.changed)
    for side in (*SIDES, ""):
        for hip, name in ((True, "gps"), (False, "gps_without")):
            score = facts.scores[hip].get(side)
            if score is not None:
                norm = normal.get(GPS if side else GPS_OVERALL) if hip else None
                yield HeadlineChange(name, side, 1, score.before, score.after, score.band, norm)


def draw_headline(sheet: Sheet, facts: Comparison, left_mm: float, top_mm: float, right_mm: float) -> float:
    """Draw the headline numbers; return where they end.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : Comparison
        What is compared.
    left_mm, top_mm, right_mm : float
        Millimetres from the sheet's left and top.
    """
    style, mark = sheet.style, sheet.style.decimal_mark
    sheet.heading(left_mm, top_mm, style.label("changed.numbers"))
    sheet.text(right_mm, top_mm, style.label("changed.numbers_key"), size="tiny", colour="quiet", ha="right")
    at = (left_mm + 43.0, left_mm + 53.0)
    y = top_mm + 4.4
    for x, name in zip(at, ("before", "after"), strict=True):
        sheet.text(x, y, style.label(f"changed.{name}"), size="tiny", colour="quiet", ha="right")
    sheet.text(at[1] + 2.5, y, style.label("changed.change"), size="tiny", colour="quiet")
    if facts.norm is not None:
        sheet.text(right_mm, y, style.label("changed.norm_sd"), size="tiny", colour="quiet", ha="right")
    rows = list(headline_changes(facts))
    faster = _speed_changed(rows)
    for number, row in enumerate(rows):
        y += _ROW_MM
        if number % 2 == 0:
            sheet.box(left_mm - 1.0, y - 2.8, right_mm - left_mm + 2.0, _ROW_MM, face="shade", edge=None)
        inner, words = row.name in ("gps_without", "speed_dimensionless"), style.label(f"changed.{row.name}")
        words = f"{words}, {style.label(f'side.{row.side}').lower()}" if row.side and not inner else words
        name = shortened(words, at[0] - 8.0 - left_mm - 2.0 * inner, style.size("small"))
        sheet.text(left_mm + 2.0 * inner, y, name, size="small", colour="quiet" if inner else "ink")
        for x, value in zip(at, (row.before, row.after), strict=True):
            sheet.text(x, y, written(value, row.decimals, mark), size="small", ha="right")
        _draw_change(sheet, facts, row, at[1] + 2.5, y, dagger=faster and row.name in _WITH_SPEED)
        if row.norm is not None:
            text = " ± ".join(written(value, row.decimals, mark) for value in row.norm)
            sheet.text(right_mm, y, text, size="tiny", colour="quiet", ha="right")
    notes = [style.label("changed.numbers_note", mcid=written(MCID_DEG, 1, mark))] if any(row.name == "gps" for row in rows) else []
    notes = [style.label("changed.by_speed"), *notes] if faster else notes
    if apart := [reason for reason in facts.reasons if reason in ("knee-axis", "static")]:
        notes.append(style.label("changed.no_scores", reason=style.label(f"changed.reason_{apart[0]}")))
    lines = wrapped(" ".join(notes), right_mm - left_mm, style.size("tiny"), most=3) if notes else []
    return sheet.paragraph(left_mm, y + 1.6, lines, size="tiny", colour="quiet", spacing=1.2)


def _draw_change(sheet: Sheet, facts: Comparison, row: HeadlineChange, x_mm: float, y_mm: float, *, dagger: bool) -> None:
    """The change with its band: bold with an arrow beyond it, else in words."""
    style, mark = sheet.style, sheet.style.decimal_mark
    if facts.refused or not np.isfinite([row.change, row.band]).all():
        text = style.label("changed.not_compared" if facts.refused else "changed.no_band")
        sheet.text(x_mm, y_mm, text if np.isfinite(row.change) else "", size="tiny", colour="quiet")
        return
    number = f"{'+' if row.change > 0 else ''}{written(row.change, row.decimals, mark)} ± {written(row.band, row.decimals, mark)}"
    if not row.changed:
        of_score = row.name.startswith("gps")
        text = style.label("changed.within", change=number) if of_score else style.label("changed.within_scatter")
        sheet.text(x_mm, y_mm, text, size="tiny", colour="quiet")
        return
    text = f"{'↑' if row.change > 0 else '↓'} {number}"
    sheet.text(x_mm, y_mm, text, size="small", weight="bold")
    x_mm += width_mm(text, style.size("small"), weight="bold") + 1.2
    if row.name.startswith("gps"):
        times = style.label("changed.times", times=written(abs(row.change) / MCID_DEG, 1, mark), mcid=written(MCID_DEG, 1, mark))
        sheet.text(x_mm, y_mm, times + " †" * dagger, size="tiny", colour="quiet")
    elif row.direction:
        words = style.label(f"changed.{row.direction}_short") + " †" * dagger
        sheet.text(x_mm, y_mm, words, size="tiny")


def _speed_changed(rows: list[HeadlineChange]) -> bool:
    """Whether the walk is a tenth faster or slower, relative to the leg."""
    return any(_relative(row) > _LEAST_SPEED_CHANGE for row in rows if row.name == "speed_dimensionless")


def speed_change_percent(facts: Comparison) -> float:
    """Return by how much the second walks faster, percent of the first; NaN where nobody knows.

    Parameters
    ----------
    facts : Comparison
        What is compared.
    """
    row = next(row for row in headline_changes(facts) if row.name == "speed_dimensionless")
    return 100.0 * row.change / row.before if row.before else float("nan")


def _relative(row: HeadlineChange) -> float:
    return abs(row.change) / row.before if row.before else 0.0
