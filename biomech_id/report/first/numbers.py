"""Headline numbers of the first page: pace, steps and profile scores of each side beside the norm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.interpretation.deviations import LEAST_SAID_CYCLES, LIMIT_SD, small_norm_factor
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.layout.numbers import mean_of, within_a_step, written
from biomech_id.report.layout.records import records
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.typography import shortened, width_mm, wrapped
from biomech_id.report.panels.parameters import parameter_values
from biomech_id.values import dataclass, field

#: Parameters of ``spatiotemporal.csv``, decimals, and whether they belong to a side.
_PARAMETERS = (
    ("speed", 2, False), ("speed_dimensionless", 2, False), ("cadence", 0, False), ("step_length", 2, True),
    ("single_support", 1, True), ("foot_off", 1, True), ("step_width", 2, False),
)  # fmt: skip
#: Below this speed the ratio of step length and cadence is no constant of a person (m/s).
_STEADY_RATIO_M_S = 1.0
_ROW_MM = 4.0
_HIP_ROTATION = ("HipAngles", "Z")


class ScoreLine(Protocol):
    """A row of ``scores.csv``."""

    side: str
    score: str
    variable: str
    component: str
    value: float
    norm_mean: float
    norm_sd: float


@dataclass(frozen=True)
class Headline:
    """One row of the headline numbers.

    Attributes
    ----------
    name : str
        Of its label.
    decimals : int
        How many decimals it is printed with.
    values : Mapping[str, float]
        Side -> mean; of both sides under "".
    norm : tuple[float, float] | None, optional
        Mean and SD of the norm.
    bands : Mapping[str, float], optional
        Side -> half of what 95 % of errors stay within.
    quiet : bool, optional
        Whether it is printed in grey.
    """

    name: str
    decimals: int
    values: Mapping[str, float]
    norm: tuple[float, float] | None = None
    bands: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    quiet: bool = False

    def arrow(self, side: str, people: int) -> str:
        """Return the mark of a number outside the norm's two SDs, widened for a small norm; empty inside.

        Parameters
        ----------
        side : str
            "L", "R" or empty.
        people : int
            Number of people in the norm.
        """
        value = self.values.get(side, float("nan"))
        if self.norm is None or not np.isfinite([value, *self.norm]).all() or people < 2:
            return ""
        distance = value - self.norm[0]
        inside = abs(distance) <= LIMIT_SD * small_norm_factor(people) * self.norm[1]
        return "" if inside or within_a_step(value, self.norm[0], self.decimals) else "▲" if distance > 0 else "▼"


def headlines(facts: SessionFacts) -> Iterator[Headline]:
    """Yield the headline numbers in their order.

    Parameters
    ----------
    facts : SessionFacts
        The session, judged.
    """
    values = {name: sides for name, (_, sides) in parameter_values(facts.layer).items()}
    normal = facts.norm.scalars if facts.norm is not None else {}
    for name, decimals, of_side in _PARAMETERS:
        sides = values.get(name, {})
        means = {side: mean_of(sides.get(side, ())) for side in SIDES} if of_side else {"": mean_of(_together(sides))}
        yield Headline(name, decimals, means, normal.get(name))
    speed, cadence = (mean_of(_together(values.get(name, {}))) for name in ("speed", "cadence"))
    step_m = mean_of(_together(values.get("step_length", {})))
    yield Headline("walk_ratio", 1, {"": 1000.0 * step_m / cadence}, quiet=speed < _STEADY_RATIO_M_S)
    yield from _scores(facts)


def _together(sides: Mapping[str, list[float]]) -> list[float]:
    return [value for values in sides.values() for value in values]


def _scores(facts: SessionFacts) -> Iterator[Headline]:
    table = facts.tables.scores
    rows = [row for row in records(table) if row.condition == facts.layer.condition] if len(table) else []
    whole = {row.side: row for row in rows if row.score == "GPS"}
    sides = [side for side in SIDES if side in whole]
    if sides:
        norm = (whole[sides[0]].norm_mean, whole[sides[0]].norm_sd)
        bands = {side: (whole[side].high - whole[side].low) / 2 for side in sides}
        yield Headline("gps", 1, {side: whole[side].value for side in sides}, norm, bands)
        yield Headline("gps_without", 1, {side: _without_hip_rotation(rows, side) for side in sides})
    if "" in whole:
        of_both = whole[""]
        bands = {"": (of_both.high - of_both.low) / 2}
        yield Headline("gps_overall", 1, {"": of_both.value}, (of_both.norm_mean, of_both.norm_sd), bands)


def _without_hip_rotation(rows: Sequence[ScoreLine], side: str) -> float:
    own = [row.value for row in rows if row.score == "GVS" and row.side == side and (row.variable, row.component) != _HIP_ROTATION]
    return float(np.sqrt(np.mean(np.square(own)))) if own else float("nan")


def draw_numbers(sheet: Sheet, facts: SessionFacts, left_mm: float, top_mm: float, right_mm: float) -> float:
    """Draw the headline numbers; return where they end.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    facts : SessionFacts
        The session, judged.
    left_mm, top_mm, right_mm : float
        Millimetres from the sheet's left and top.
    """
    style, people = sheet.style, facts.people
    # Beside a norm a GPS has its band behind it.
    at = {"L": left_mm + (37.0 if facts.norm is None else 35.6), "R": left_mm + 51.0}
    at[""] = (at["L"] + at["R"]) / 2
    sheet.heading(left_mm, top_mm, style.label("first.numbers"))
    y = top_mm + 4.6
    for side in SIDES:
        sheet.text(at[side], y, style.label(f"side.{side}").lower(), size="small", colour=side, weight="bold", ha="right")
    if facts.norm is not None:
        sheet.text(right_mm, y, style.label("first.norm_sd"), size="small", colour="quiet", ha="right")
    few = {side: n for side in SIDES if (n := facts.layer.count(side)) < LEAST_SAID_CYCLES}
    y += 2.6 if few else 0.0
    for side, n in few.items():
        sheet.text(at[side], y, f"n = {n}", size="tiny", colour="quiet", ha="right")
    rows = list(headlines(facts))
    for number, row in enumerate(rows):
        y += _ROW_MM
        if number % 2 == 0:
            sheet.box(left_mm - 1.0, y - 2.9, right_mm - left_mm + 2.0, _ROW_MM, face="shade", edge=None)
        room_mm = min(at[side] for side in row.values) - 8.5 - left_mm
        name = shortened(style.label(f"first.{row.name}"), room_mm, style.size("small"))
        sheet.text(left_mm, y, name, size="small", colour="quiet" if row.quiet else "ink")
        for side in row.values:
            _draw_number(sheet, row, side, people, at[side], y)
        if row.norm is not None:
            mean_and_sd = " ± ".join(written(value, row.decimals, style.decimal_mark) for value in row.norm)
            sheet.text(right_mm, y, mean_and_sd, size="tiny", colour="quiet", ha="right")
    note = wrapped(_note(facts, rows), right_mm - left_mm, style.size("tiny"), most=4)
    return sheet.paragraph(left_mm, y + 1.8, note, size="tiny", colour="quiet", spacing=1.2)


def _draw_number(sheet: Sheet, row: Headline, side: str, people: int, x_mm: float, y_mm: float) -> None:
    style = sheet.style
    value, arrow = row.values[side], row.arrow(side, people)
    band = row.bands.get(side, float("nan"))
    text = written(value, row.decimals, style.decimal_mark)
    look = "bold" if arrow else "normal"
    size = "body" if arrow else "small"
    sheet.text(x_mm, y_mm, text, size=size, colour="quiet" if row.quiet else "ink", weight=look, ha="right")
    if arrow:
        before = width_mm(text, style.size(size), weight=look) + 0.3
        sheet.text(x_mm - before, y_mm, arrow, size="tiny", ha="right")
    if np.isfinite(band):
        sheet.text(x_mm + 0.2, y_mm, f"±{written(band, row.decimals, style.decimal_mark)}", size="tiny", colour="quiet")


def _note(facts: SessionFacts, rows: list[Headline]) -> str:
    style = facts.style
    if facts.norm is None:
        return style.label("first.numbers_no_norm")
    notes = [style.label("first.numbers_note", n=facts.people)]
    if any(np.isfinite(list(row.bands.values())).any() for row in rows):
        notes.append(style.label("first.numbers_error"))
    if any(row.name.startswith("gps") for row in rows):
        notes.append(style.label("first.numbers_change"))
    return " ".join(notes)
