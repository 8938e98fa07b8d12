"""Numbers of the curves: at contact, extrema in stance and swing, power peaks; left and right, flagged outside the norm."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES, SignRow
from biomech_id.report.layout.axes_label import axes_label
from biomech_id.report.layout.change_table import TABLE_WIDTH_MM, change_cells, change_heads, draw_tables
from biomech_id.report.layout.findings import cycle_counts
from biomech_id.report.layout.layer import ROWS, Layer
from biomech_id.report.layout.numbers import DECIMALS, mean_of, mean_sd, written
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.norm import Norm
from biomech_id.report.page import Content, PageKind, register
from biomech_id.report.pages.kinematics import ANGLE_GRID
from biomech_id.report.pages.kinetics import KINETIC_GRID
from biomech_id.results.statistics.sessions import change_of_peak
from biomech_id.results.statistics.two_recordings import ScalarChange
from biomech_id.results.tables.session_tables import Table

#: The variables that the report plots, in the order of its pages.
TABLED: tuple[tuple[str, str], ...] = tuple(key for row in (*ANGLE_GRID, *KINETIC_GRID) for key in row)
#: Names of power peaks:
#: A1, K3, H2.
NAMED_PEAK = re.compile("[AKH][1-4]")
NAMES: tuple[str, ...] = ("value_contact", "max_stance", "min_stance", "max_swing", "min_swing")
_RIGHT_BLOCK_MM = 148.0


def values_page(layer: Layer, style: Style, norm: Norm | None) -> Figure:
    """Draw the tables of angles (left) and of moments, powers and ground reaction (right).

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
    peaks = picked(layer)
    if not len(peaks):
        sheet.text(LEFT_MM, 30.0, style.label("absent.no_peaks"), size="heading")
        return sheet.figure
    left = _block(sheet, peaks, "angle", "values.angles", LEFT_MM, top=25.0, right=_RIGHT_BLOCK_MM - 6.0, norm=norm)
    right = _block(sheet, peaks, "moment", "values.moments", _RIGHT_BLOCK_MM, top=25.0, right=RIGHT_MM, norm=norm)
    right = _block(sheet, peaks, "ground force", "values.forces", _RIGHT_BLOCK_MM, top=right + 7.0, right=RIGHT_MM, norm=norm)
    right = _powers(sheet, peaks, _RIGHT_BLOCK_MM, right + 7.0, norm)
    if not any(ROWS[key].quantity != "angle" for key in _variables(peaks)):
        reason = "\n".join(layer.missing(side, ROWS["HipMoment", "X"], style) for side in SIDES)
        lines = wrapped(reason, RIGHT_MM - _RIGHT_BLOCK_MM, style.size("body"))
        sheet.paragraph(_RIGHT_BLOCK_MM, 28.0, lines)
    parts = [style.label("values.note", counts=cycle_counts(layer.used, style))]
    parts += [style.label("values.flags")] * (norm is not None)
    said = " ".join([*parts, axes_label(style, "values.axes", layer.tables)])
    sheet.note(said, max(left, right, 186.0) + 2.5, most=2)
    return sheet.figure


def picked(layer: Layer) -> Table:
    """Rows of the peaks table that belong to the cycles in the means (a DataFrame).

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    """
    peaks = layer.tables.peaks
    wanted = set(zip(layer.used["trial"], layer.used["side"], layer.used["cycle"], strict=True))
    inside = [key in wanted for key in zip(peaks["trial"], peaks["side"], peaks["cycle"], strict=True)]
    known = [key in ROWS for key in zip(peaks["variable"], peaks["component"], strict=True)]
    chosen: Table = peaks[np.asarray(inside, dtype=bool) & np.asarray(known, dtype=bool)]
    return chosen


def _variables(peaks: Table) -> list[tuple[str, str]]:
    return list(dict.fromkeys(zip(peaks["variable"], peaks["component"], strict=True)))


def _block(
    sheet: Sheet, peaks: Table, quantity: str, heading: str, left: float, *, top: float, right: float, norm: Norm | None
) -> float:
    """One table: two lines per variable (left, right), one column per named value."""
    style = sheet.style
    present = set(_variables(peaks))
    variables = [key for key in TABLED if ROWS[key].quantity == quantity and key in present]
    mine = peaks[[key in set(variables) for key in zip(peaks["variable"], peaks["component"], strict=True)]]
    # In swing a foot has no ground under it.
    told = NAMES if quantity != "ground force" else tuple(name for name in NAMES if not name.endswith("swing"))
    names = [name for name in told if (mine["name"] == name).any()]
    if not variables or not names:
        return top - 7.0
    sheet.heading(left, top, style.label(heading))
    head = 36.0
    width = (right - left - head - 6.0) / len(names)
    columns = (
        TableColumn(style.label("values.variable"), head),
        TableColumn("", 6.0),
        *(TableColumn(style.label(f"values.{name}"), width, "right") for name in names),
    )
    groups = dict(list(mine.groupby(["variable", "component", "side", "name"], sort=False)))
    rows: list[list[Cell | str]] = []
    for key in variables:
        row = ROWS[key]
        for side in SIDES:
            # The name beside the left side's numbers, its positive direction beside the right's.
            title = Cell(style.word(row.title)) if side == "L" else Cell(f"+ {style.word(row.positive).lower()}", colour="quiet")
            cells = [_cell(groups.get((*key, side, name)), row, style, norm) for name in names]
            rows.append([title, Cell(side, colour=side, bold=True), *cells])
    y, _ = TextTable(columns, rows, size="tiny", padding_mm=0.8).draw(sheet, left, top + 1.5)
    return y


def _cell(group: Table | None, row: SignRow, style: Style, norm: Norm | None) -> Cell:
    """Mean and spread of one value, flagged against the norm at the same place of the cycle."""
    if group is None:
        return Cell("–")
    values = group["value"].to_numpy(dtype=float) * style.factor(row)
    decimals = DECIMALS.get(style.unit(row), 2)
    text = mean_sd(values.tolist(), decimals, style.decimal_mark)
    distance = norm_distance(group, row, style, norm)
    if abs(distance) > 2:
        return Cell(f"{'▲' if distance > 0 else '▼'}{text}", bold=True)
    return Cell(text)


def norm_distance(group: Table, row: SignRow, style: Style, norm: Norm | None) -> float:
    """Mean value minus the norm's mean at the mean percent of the cycle, in standard deviations of the norm.

    0 where it is not known, and where the two read the same in the decimals that are printed: what a reader cannot see is no flag.

    Parameters
    ----------
    group : Table
        Rows of one variable.
    row : SignRow
        The variable's row of the sign table.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    """
    band = norm.curve(row, style) if norm is not None else None
    values, percents = group["value"].to_numpy(dtype=float) * style.factor(row), group["percent"].to_numpy(dtype=float)
    if band is None or not np.isfinite(values).any() or not np.isfinite(percents).any():
        return 0.0
    at = round(float(np.nanmean(percents)))
    mean, sd, mine = float(band[0][at]), float(band[1][at]), float(np.nanmean(values))
    decimals = DECIMALS.get(style.unit(row), 2)
    if not (math.isfinite(mean) and sd > 0) or written(mine, decimals, ".") == written(mean, decimals, "."):
        return 0.0
    return (mine - mean) / sd


def _powers(sheet: Sheet, peaks: Table, left: float, top: float, norm: Norm | None) -> float:
    """Power peaks by name, left and right, with their place in the cycle."""
    style = sheet.style
    mine = peaks[peaks["name"].str.fullmatch(NAMED_PEAK)]
    if not len(mine):
        return top - 7.0
    sheet.heading(left, top, style.label("values.powers"))
    names: Sequence[str] = sorted(mine["name"].unique(), key=lambda name: ("AKH".index(name[0]), name))
    width = (RIGHT_MM - left - 12.0) / 4
    heads = [style.label(f"side.{SIDES[0]}"), "", style.label(f"side.{SIDES[1]}"), ""]
    columns = (TableColumn("", 12.0), *(TableColumn(head, width, "right") for head in heads))
    rows: list[list[Cell | str]] = []
    for name in names:
        cells: list[Cell | str] = [Cell(name, bold=True)]
        for side in SIDES:
            group = mine[(mine["name"] == name) & (mine["side"] == side)]
            if not len(group):
                cells += ["–", ""]
                continue
            row = ROWS[group["variable"].iloc[0], group["component"].iloc[0]]
            place = mean_sd(group["percent"].to_numpy(dtype=float).tolist(), 0, style.decimal_mark)
            cells += [_cell(group, row, style, norm), style.label("values.at", percent=place)]
        rows.append(cells)
    y, _ = TextTable(columns, rows, size="tiny", padding_mm=0.8).draw(sheet, left, top + 1.5)
    return y


def _value_table(layers: Sequence[Layer], style: Style, side: str) -> TextTable:
    """One line for each named value of each variable, and for each power peak, of one side."""
    groups = [_by_name(picked(layer)) for layer in layers]
    recordings = [layer.recording for layer in layers]
    columns = [TableColumn(style.label("values.variable"), 44.0), TableColumn("", 14.0), TableColumn("", 34.0)]
    columns += change_heads(style, len(layers), TABLE_WIDTH_MM - 92.0)
    rows: list[list[Cell | str]] = []
    peaks = sorted({key for group in groups for key in group if NAMED_PEAK.fullmatch(key[3])}, key=lambda key: key[3])
    named = [(*key, side, name) for key in TABLED if ROWS[key].quantity != "power" for name in NAMES]
    for key in (*named, *(key for key in peaks if key[2] == side)):
        if not any(key in group for group in groups):
            continue
        row, name = ROWS[key[:2]], key[3]
        decimals, factor = DECIMALS.get(style.unit(row), 2), style.factor(row)
        values = [[factor * value for value, _ in group.get(key, [])] for group in groups]
        percent = mean_of([at for group in groups for _, at in group.get(key, [])])
        changes = [
            _scaled(change_of_peak(recordings[0], other, key[:2], _unscaled((values[0], mine), factor), percent), factor)
            for other, mine in zip(recordings[1:], values[1:], strict=True)
        ]
        words = name if NAMED_PEAK.fullmatch(name) else style.label(f"values.{name}")
        rows.append([style.word(row.title), style.word(style.unit(row)), words, *change_cells(values, changes, decimals, style)])
    return TextTable(tuple(columns), rows, size="tiny", padding_mm=0.7)


def _unscaled(values: Sequence[Sequence[float]], factor: float) -> list[list[float]]:
    return [[value / factor for value in each] for each in values]


def _scaled(change: ScalarChange, factor: float) -> ScalarChange:
    """A change in the plotted unit."""
    return replace(change, difference=change.difference * factor, sd=change.sd * factor, carried=change.carried * factor)


def _by_name(peaks: Table) -> dict[tuple[str, str, str, str], list[tuple[float, float]]]:
    """(variable, component, side, name) -> value and percent of each cycle."""
    found: dict[tuple[str, str, str, str], list[tuple[float, float]]] = {}
    fields = (peaks[name] for name in ("variable", "component", "side", "name", "value", "percent"))
    for variable, component, side, name, value, percent in zip(*fields, strict=True):
        found.setdefault((variable, component, side, name), []).append((float(value), float(percent)))
    return found


def _compare(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    tables = ((side, _value_table(content.layers, content.style, side)) for side in SIDES)
    return draw_tables(kind.name, content.style, *tables)


register(PageKind("values", 90, lambda content: [values_page(content.layers[0], content.style, content.norm)], compare=_compare))
