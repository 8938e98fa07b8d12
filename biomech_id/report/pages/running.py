"""Running: what runs are measured by, left and right, and what the floor did in contact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.gait.measures.running import RUNNING_PARAMETERS, strike_type, strike_type_of_force
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.page import OWN_TOP_MM, draw_as_first, first_of
from biomech_id.report.layout.numbers import DECIMALS, mean_sd, written
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, TOP_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.pages.spatiotemporal import UNIT_WORDS, asymmetry, flagged
from biomech_id.report.panels.curve_panel import Drawing, draw_variable
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.legend import draw_absences
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import Content, PageKind, Shows, register
from biomech_id.report.panels.parameters import parameter_values

_CURVES: tuple[tuple[str, str], ...] = (("GroundReactionForce", "Z"), ("GroundReactionForce", "X"), ("KneeAngles", "X"))
_TABLE_MM, _PANEL_LEFT_MM, _TOP_MM, _PITCH_MM, _HEIGHT_MM = 162.0, 190.0, 30.0, 54.0, 40.0


def running_page(layer: Layer, style: Style, norm: Norm | None = None, first: SessionFacts | None = None) -> Figure:
    """Draw the table of a run's measures, and forces and knee over the stride on the scales of running.

    Parameters
    ----------
    layer : Layer
        Cycles of runs under one condition.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None, optional
        One of runs, to be shown; None for none.
    first : SessionFacts | None, optional
        What the page says as a session's first one; None where it is not.
    """
    sheet = Sheet(style)
    down_mm = OWN_TOP_MM - TOP_MM if first is not None else 0.0
    name_mm, each_mm, last_mm = (49.0, 30.0, 24.0) if norm is None else (36.0, 26.0, 22.0)
    columns = [
        TableColumn(style.label("parameter.heading"), name_mm),
        TableColumn(style.label("parameter.unit"), 18.0 if norm is None else 17.0),
    ]
    for side in SIDES:
        columns += [TableColumn(style.label(f"side.{side}"), each_mm, "right"), TableColumn("n", 6.0, "right")]
    columns.append(TableColumn(style.label("parameter.symmetry"), last_mm, "right"))
    columns += [TableColumn(style.label("parameter.norm"), 24.0, "right")] if norm is not None else []
    y, _ = TextTable(tuple(columns), running_rows(layer, style, norm), size="body").draw(
        sheet, LEFT_MM, 21.0 + down_mm, room_mm=120.0
    )
    notes = [style.label("running.note")] + ([style.label("parameter.outside")] if norm is not None else [])
    y = sheet.note("\n".join(notes), y + 3.0, right_mm=LEFT_MM + _TABLE_MM)
    drawing, absent = Drawing([layer], style, norm, True, ""), []
    for number, name in enumerate(_CURVES):
        top_mm = _TOP_MM + number * _PITCH_MM + down_mm * (1.0 - number / 2)
        panel = sheet.panel(_PANEL_LEFT_MM, top_mm, RIGHT_MM - _PANEL_LEFT_MM, _HEIGHT_MM - down_mm / 4)
        absent += draw_variable(panel, ROWS[name], drawing, x_numbers=True)
    draw_absences(sheet, absent)
    if first is not None:
        draw_as_first(sheet, first, y + 5.0)
    return sheet.figure


def running_rows(layer: Layer, style: Style, norm: Norm | None = None) -> list[list[Cell | str]]:
    """Rows of the table: strike types first, then every measure with mean, SD, number, asymmetry and what the norm has.

    A mean more than two standard deviations from that of the norm is flagged as on the page of time and distance.

    Parameters
    ----------
    layer : Layer
        Cycles of runs under one condition.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None, optional
        One of runs; None for none.
    """
    measures = {name: each for name, each in parameter_values(layer).items() if name in (*RUNNING_PARAMETERS, "speed")}
    strikes: list[Cell | str] = [style.label("running.strike"), ""]
    for side in SIDES:
        by = [
            _commonest([kind(value) for value in measures.get(name, ("", {}))[1].get(side, [])])
            for name, kind in (("strike_angle", strike_type), ("strike_index", strike_type_of_force))
        ]
        strikes += [" / ".join(style.label(f"running.{each}") if each else "–" for each in by), ""]
    rows: list[list[Cell | str]] = [[*strikes, ""] + [""] * (norm is not None)]
    for name, (unit, sides) in measures.items():
        own = norm.scalars.get(name) if norm is not None else None
        row: list[Cell | str] = [style.label(f"parameter.{name}"), style.word(UNIT_WORDS.get(unit, unit))]
        for side in SIDES:
            values = sides.get(side, [])
            text = mean_sd(values, DECIMALS.get(unit, 2), style.decimal_mark)
            row += [flagged(text, values, own, DECIMALS.get(unit, 2)), str(int(np.isfinite(values).sum()))]
        # Of an angle about zero a share of the mean says nothing.
        row.append("–" if name == "strike_angle" else asymmetry(sides, style))
        if norm is not None:
            row.append(" ± ".join(written(value, DECIMALS.get(unit, 2), style.decimal_mark) for value in own) if own else "–")
        rows.append(row)
    return rows


def _commonest(words: Sequence[str]) -> str:
    """The word that most strides have; "" where none has any."""
    counted = Counter(word for word in words if word)
    return counted.most_common(1)[0][0] if counted else ""


def _draw(content: Content) -> Iterator[Figure]:
    runs = [layer for layer in content.layers if layer.run]
    norm = content.norm.behind("run") if content.norm is not None else None
    for number, layer in enumerate(runs):
        first = first_of(content, layer.kind) if not number else None
        yield running_page(layer, fitted(content.style, [layer], norm), norm, first)
    if not runs:
        sheet = Sheet(content.style)
        sheet.text(LEFT_MM, 30.0, content.style.label("running.none"), size="heading")
        yield sheet.figure


def _no_run(content: Content) -> bool:
    return not any(layer.run for layer in content.layers)


register(PageKind("running", 2, _draw, Shows.SESSION, spared=_no_run, sheets=0, own=frozenset({"run"})))
