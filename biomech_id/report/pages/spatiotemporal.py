"""Time and distance: every parameter left and right with its spread, its norm and its asymmetry, and the phases of the cycle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.gait.measures.running import RUNNING_PARAMETERS
from biomech_id.gait.measures.spatiotemporal import symmetry_index
from biomech_id.report.layout.change_table import TABLE_WIDTH_MM, change_cells, change_heads, draw_tables
from biomech_id.report.layout.numbers import DECIMALS, mean_of, mean_sd, within_a_step, written
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import Content, PageKind, register
from biomech_id.report.panels.parameters import parameter_values
from biomech_id.session.values.norm import ASYMMETRY
from biomech_id.session.values.whole_body import WHOLE_BODY_PARAMETERS
from biomech_id.statistics.sessions import change_of_parameter

#: How units of the tables are written for readers.
UNIT_WORDS: dict[str, str] = {"1": "–", "": "–", "1/min": "steps/min"}
_TABLE_RIGHT_MM = 196.0
_BARS_LEFT_MM = 203.0


def spatiotemporal_page(layer: Layer, style: Style, norm: Norm | None) -> Figure:
    """Draw the table of parameters and the phases of both sides' cycles.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    """
    sheet = Sheet(style)
    rows = parameter_rows(layer, style, norm)
    if not rows:
        sheet.text(LEFT_MM, 30.0, style.label("absent.no_spatiotemporal"), size="heading")
        return sheet.figure
    columns: tuple[TableColumn, ...] = (
        TableColumn(style.label("parameter.heading"), 42.0 if norm is not None else 78.0),
        TableColumn(style.label("parameter.unit"), 19.0),
        TableColumn(style.label("side.L"), 23.0, "right"),
        TableColumn("n", 7.0, "right"),
        TableColumn(style.label("side.R"), 23.0, "right"),
        TableColumn("n", 7.0, "right"),
        TableColumn(style.label("parameter.symmetry"), 22.0, "right"),
    )
    if norm is not None:
        columns = (*columns[:6], TableColumn(style.label("parameter.norm"), 22.0, "right"))
        columns += (
            TableColumn(style.label("parameter.symmetry"), 22.0, "right"),
            TableColumn(style.label("parameter.norm"), 18.0, "right"),
        )
    y, _ = TextTable(columns, rows, size="body" if len(rows) <= 30 else "small").draw(sheet, LEFT_MM, 20.5, room_mm=160.0)
    notes = [style.label("parameter.symmetry_note")] + ([style.label("parameter.outside")] if norm is not None else [])
    sheet.note("\n".join(notes), y + 1.5, right_mm=_TABLE_RIGHT_MM)
    _phases(sheet, layer, 26.0)
    return sheet.figure


def parameter_rows(layer: Layer, style: Style, norm: Norm | None) -> list[list[Cell | str]]:
    """Rows of the page's table.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    """
    rows: list[list[Cell | str]] = []
    for parameter, (unit, sides) in parameter_values(layer).items():
        if of_whole_body(parameter, layer) or (layer.run and parameter in RUNNING_PARAMETERS):
            continue
        decimals = DECIMALS.get(unit, 2)
        reference = norm.scalars.get(parameter) if norm is not None else None
        row: list[Cell | str] = [style.label(f"parameter.{parameter}"), style.word(UNIT_WORDS.get(unit, unit))]
        for side in SIDES:
            values = sides.get(side, sides.get("", []))
            mean = mean_sd(values, decimals, style.decimal_mark)
            row += [flagged(mean, values, reference, decimals), str(int(np.isfinite(values).sum()))]
        if norm is not None:
            row.append(" ± ".join(written(value, decimals, style.decimal_mark) for value in reference) if reference else "–")
        row.append(asymmetry(sides, style))
        if norm is not None:
            row[-1] = _asymmetry_cell(row[-1], sides, own := norm.scalars.get(f"{ASYMMETRY}{parameter}"))
            row.append(" ± ".join(written(value, 1, style.decimal_mark) for value in own) if own else "–")
        rows.append(row)
    return rows


def of_whole_body(parameter: str, *layers: Layer) -> bool:
    """Whether a parameter has its place on the page of the whole body, and that page is drawn.

    Parameters
    ----------
    parameter : str
        Its name in the table.
    layers : Layer
        What is drawn.
    """
    return parameter.startswith(WHOLE_BODY_PARAMETERS) and any(layer.tables.whole_body is not None for layer in layers)


def flagged(text: str, values: Sequence[float], reference: tuple[float, float] | None, decimals: int) -> Cell:
    """Mark a mean that lies more than two standard deviations, and more than a printed step, from the norm: bold and a triangle.

    Parameters
    ----------
    text : str
        What is written.
    values : Sequence[float]
        NaN is missing.
    reference : tuple[float, float] | None
        Mean and standard deviation of the norm; None without.
    decimals : int
        Of what is printed.
    """
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if reference is None or not len(known):
        return Cell(text)
    distance = float(known.mean()) - reference[0]
    if not abs(distance) > 2 * reference[1] or within_a_step(float(known.mean()), reference[0], decimals):
        return Cell(text)
    return Cell(f"{'▲' if distance > 0 else '▼'} {text}", bold=True)


def asymmetry(sides: dict[str, list[float]], style: Style) -> str:
    """Left minus right over the mean of the two, percent (Robinson et al. 1987); a dash where a side is missing.

    Parameters
    ----------
    sides : dict[str, list[float]]
        Side -> values.
    style : Style
        Colours, words, scales and units of the report.
    """
    means = [float(np.nanmean(sides[s])) if s in sides and np.isfinite(sides[s]).any() else float("nan") for s in SIDES]
    half = (means[0] + means[1]) / 2
    return f"{written(symmetry_index(*means), 1, style.decimal_mark)} %" if np.isfinite(half) and half != 0 else "–"


def _asymmetry_cell(text: Cell | str, sides: dict[str, list[float]], own: tuple[float, float] | None) -> Cell:
    """The asymmetry, marked where it lies outside the norm's own range of asymmetries."""
    means = [mean_of(sides.get(side, ())) for side in SIDES]
    number = text.text if isinstance(text, Cell) else text
    return Cell(number) if number == "–" else flagged(number, [symmetry_index(*means)], own, 1)


def _phases(sheet: Sheet, layer: Layer, top_mm: float) -> None:
    """Two bars per side's cycle: when this foot and when the other one is on the floor."""
    style, width = sheet.style, RIGHT_MM - _BARS_LEFT_MM
    sheet.heading(_BARS_LEFT_MM, top_mm - 1.0, style.label("parameter.phases"), to_mm=RIGHT_MM)
    y = top_mm + 8.0
    for side, other in (SIDES, SIDES[::-1]):
        of_side = layer.used[layer.used["side"] == side]
        off, opposite_off, opposite_strike = (
            float(of_side[f"{name}_percent"].mean()) for name in ("foot_off", "opposite_off", "opposite_strike")
        )
        sheet.text(_BARS_LEFT_MM, y, style.label(f"side.{side}"), size="body", colour=side, weight="bold")
        if not np.isfinite(off):
            sheet.text(_BARS_LEFT_MM, y + 9.0, style.label(f"absent.cycles_{side}"), size="small")
            y += 33.0
            continue
        bars = ((side, [(0.0, off)]), (other, [(0.0, opposite_off), (opposite_strike, 100.0)]))
        for number, (foot, stretches) in enumerate(bars):
            top = y + 5.5 + 6.0 * number
            sheet.box(_BARS_LEFT_MM, top, width, 4.6, face="shade", edge=None)
            for start, end in stretches:
                if np.isfinite(start) and np.isfinite(end):
                    sheet.box(_BARS_LEFT_MM + width * start / 100, top, width * (end - start) / 100, 4.6, face=foot, edge=None)
        marks = [(0.0, "0"), (off, f"{off:.0f} %"), (100.0, "100")]
        for percent, text in marks:
            ha = "left" if percent == 0 else "right" if percent == 100 else "center"
            sheet.text(_BARS_LEFT_MM + width * percent / 100, y + 20.2, text, size="tiny", colour="quiet", ha=ha)
        for percent in (opposite_off, opposite_strike):
            if np.isfinite(percent):
                text = f"{percent:.0f} %"
                sheet.text(_BARS_LEFT_MM + width * percent / 100, y + 4.6, text, size="tiny", colour=other, ha="center")
        y += 33.0
    sheet.note(style.label("parameter.phases_note"), y - 6.0, left_mm=_BARS_LEFT_MM)


def parameter_table(layers: Sequence[Layer], style: Style, side: str) -> TextTable:
    """Return one line for each parameter of one side of several sessions.

    Parameters
    ----------
    layers : Sequence[Layer]
        The sessions.
    style : Style
        Colours, words, scales and units of the report.
    side : str
        "L" or "R".
    """
    of_layers = [parameter_values(layer) for layer in layers]
    recordings = [layer.recording for layer in layers]
    columns = [TableColumn(style.label("parameter.heading"), 60.0), TableColumn(style.label("parameter.unit"), 18.0)]
    columns += change_heads(style, len(layers), TABLE_WIDTH_MM - 78.0)
    rows: list[list[Cell | str]] = []
    for parameter in dict.fromkeys(name for each in of_layers for name in each):
        if of_whole_body(parameter, *layers):
            continue
        unit = next(each[parameter][0] for each in of_layers if parameter in each)
        sides = [each[parameter][1] if parameter in each else {} for each in of_layers]
        values = [each.get(side, each.get("", [])) for each in sides]
        changes = [
            change_of_parameter(recordings[0], other, parameter, (values[0], own))
            for other, own in zip(recordings[1:], values[1:], strict=True)
        ]
        named = [style.label(f"parameter.{parameter}"), style.word(UNIT_WORDS.get(unit, unit))]
        rows.append([*named, *change_cells(values, changes, DECIMALS.get(unit, 2), style)])
    return TextTable(tuple(columns), rows, size="small" if len(layers) < 4 else "tiny")


def _compare(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    tables = ((side, parameter_table(content.layers, content.style, side)) for side in SIDES)
    return draw_tables(kind.name, content.style, *tables)


register(PageKind("spatiotemporal", 20, lambda c: [spatiotemporal_page(c.layers[0], c.style, c.norm)], compare=_compare, sheets=1))
