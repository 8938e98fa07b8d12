"""Numbers of the curves: extrema and their place, range, means of phases, power peaks; left, right and norm, flagged outside."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import SIDES, SignRow
from biomech_id.languages import terms_of
from biomech_id.report.layout.change_table import TABLE_WIDTH_MM, change_cells, change_heads, draw_tables
from biomech_id.report.layout.findings import cycle_counts
from biomech_id.report.layout.numbers import DECIMALS, mean_of, mean_sd, within_a_step, written
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import width_mm
from biomech_id.report.pages.kinematics import ANGLE_GRID
from biomech_id.report.pages.kinetics import KINETIC_GRID
from biomech_id.report.panels.axes_label import axes_label
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import Content, PageKind, register
from biomech_id.report.panels.uncertainty_bars import COVERAGE, measurement_sd
from biomech_id.session.bands.band_values import WORK_NAMES, WORK_UNIT
from biomech_id.session.tables.phase_values import EXTREMA, PHASE_NAMES, PLACE, RANGE, named_values
from biomech_id.session.tables.session_tables import Table
from biomech_id.statistics.sessions import change_of_peak, change_of_work
from biomech_id.statistics.two_recordings import ScalarChange

#: The variables that the report plots, in the order of its pages.
TABLED: tuple[tuple[str, str], ...] = tuple(key for row in (*ANGLE_GRID, *KINETIC_GRID) for key in row)
#: Names of power peaks: A1, K3, H2.
NAMED_PEAK = re.compile("[AKH][1-4]")
#: What a joint generates and absorbs in each phase.
WORKS = tuple(name for names in WORK_NAMES.values() for name in names)
_TOP_MM, _GUTTER_MM = 20.5, 2.4
_WIDTH_MM = (RIGHT_MM - LEFT_MM - 3 * _GUTTER_MM) / 4
_NORM_MM, _SIDE_MM, PADDING_MM = 15.6, 17.5, 0.3
#: Powers have their named bursts.
_LOADS = tuple(tuple(key for key in row if key[1]) for row in KINETIC_GRID)
#: Values that a ground reaction does not have.
_OFF_GROUND = ("max_swing", "min_swing", "mean_swing", RANGE)
_NAME_MM = _WIDTH_MM - 2 * _SIDE_MM - _NORM_MM
#: Of the table of one variable: what a row is, left, right, norm.
VALUE_COLUMNS = tuple(
    TableColumn("", width, align)
    for align, width in (("left", _NAME_MM), ("right", _SIDE_MM), ("right", _SIDE_MM), ("right", _NORM_MM))
)


def values_pages(layer: Layer, style: Style, norm: Norm | None) -> Iterator[Figure]:
    """Draw the values of angles, and on a second sheet those of moments, ground reaction and powers: a column for each joint.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    """
    values = NamedValues(layer, style, norm)
    grids = [[[key for key in column if key in values.variables] for column in grid] for grid in (ANGLE_GRID, _LOADS)]
    drawn = [grid for grid in grids if any(grid)]
    if not drawn:
        sheet = Sheet(style)
        sheet.text(LEFT_MM, 30.0, style.label("absent.no_peaks"), size="heading")
        yield sheet.figure
    for grid in drawn:
        sheet = Sheet(style)
        bottom = 0.0
        for place, column in enumerate(grid):
            left = LEFT_MM + place * (_WIDTH_MM + _GUTTER_MM)
            y = _heads(sheet, left, norm) if column else _TOP_MM
            for key in column:
                y = _variable(sheet, values, key, left, y)
            if grid is grids[1] and place == len(grid) - 1:
                y = _powers(sheet, values, left, y)
            bottom = max(bottom, y)
        lacking = [] if any(grids[1]) else [layer.missing(side, ROWS["HipMoment", "X"], style) for side in SIDES]
        _notes(sheet, layer, norm, bottom, lacking)
        yield sheet.figure


def _notes(sheet: Sheet, layer: Layer, norm: Norm | None, bottom_mm: float, lacking: Sequence[str]) -> None:
    style = sheet.style
    parts = [
        *dict.fromkeys(lacking),
        style.label("values.note", counts=cycle_counts(layer.used, style)),
        style.label("values.phases"),
    ]
    parts += [style.label("values.flags")] * (norm is not None)
    sheet.note(" ".join([*parts, axes_label(style, "values.axes", layer.tables)]), max(bottom_mm, 183.5) + 2.0, most=4)


class NamedValues:
    """Named values of the curves of one movement: of its cycles, and of the norm, in the plotted unit.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    """

    def __init__(self, layer: Layer, style: Style, norm: Norm | None) -> None:
        self.layer, self.style, self.norm = layer, style, norm
        table = named_values(layer.tables, layer.used)
        names = (table[name] for name in ("variable", "component", "side", "name", "value", "percent"))
        self._of: dict[tuple[str, str, str, str], list[tuple[float, float]]] = {}
        for variable, component, side, name, value, percent in zip(*names, strict=True):
            if (variable, component) in ROWS:
                self._of.setdefault((variable, component, side, name), []).append((float(value), float(percent)))
        self.variables = {key[:2] for key in self._of}
        self._sd: dict[tuple[str, str, str], FloatArray | None] = {}

    def peaks(self) -> list[tuple[str, str, str]]:
        """Variable, component and name of every named burst of power, in the order of their names."""
        bursts = {(variable, component, name) for variable, component, _, name in self._of if NAMED_PEAK.fullmatch(name)}
        return sorted(bursts, key=lambda key: ("AKH".index(key[2][0]), key[2]))

    def of(self, key: tuple[str, str], side: str, name: str) -> tuple[list[float], list[float]]:
        """Value of each cycle in the plotted unit, and where in the cycle it lies.

        Parameters
        ----------
        key : tuple[str, str]
            Variable and component.
        side : str
            "L" or "R".
        name : str
            Of the value: "max_swing".
        """
        factor = self.style.factor(ROWS[key])
        pairs = self._of.get((*key, side, name), [])
        return [factor * value for value, _ in pairs], [percent for _, percent in pairs]

    def of_norm(self, key: tuple[str, str], name: str, percent: float) -> tuple[float, float] | None:
        """Mean and SD of the norm's subjects; of a norm that does not hold the value, those of its curve at that percent.

        Parameters
        ----------
        key : tuple[str, str]
            Variable and component.
        name : str
            Of the value.
        percent : float
            Where in the cycle it lies; NaN for a value of a whole phase.
        """
        if self.norm is None:
            return None
        row = ROWS[key]
        held = self.norm.named.get((f"{name}.{key[0]}", key[1]))
        if held is not None:
            factor = 1.0 if name.startswith(PLACE) else self.style.factor(row)
            return held[0] * factor, held[1] * factor
        band = self.norm.curve(row, self.style)
        if band is None or not math.isfinite(percent):
            return None
        return float(band[0][round(percent)]), float(band[1][round(percent)])

    def error_sd(self, key: tuple[str, str], side: str, percents: Sequence[float]) -> float:
        """What the mean value is off by because of the measurement, one SD in the plotted unit; NaN where nobody knows.

        What ``uncertainty.csv`` says of the mean; where nobody asked for that, what markers placed anew make of an unchanged walk.

        Parameters
        ----------
        key : tuple[str, str]
            Variable and component.
        side : str
            "L" or "R".
        percents : Sequence[float]
            Where in the cycle; none takes the mean over the cycle.
        """
        if (*key, side) not in self._sd:
            self._sd[*key, side] = measurement_sd(self.layer, side, ROWS[key], self.style)
        sd = self._sd[*key, side]
        at = mean_of(percents)
        if sd is None:
            return float("nan")
        return float(sd[round(at)]) if math.isfinite(at) else float(over_seen(np.nanmean, sd))


def beyond(value: float, norm: tuple[float, float] | None, error_sd: float) -> float:
    """How far a value lies from the norm, in limits: the larger of 2 SD of the norm and 1.96 SD of the measurement; 0 if unknown.

    Parameters
    ----------
    value : float
        Mean over the cycles.
    norm : tuple[float, float] | None
        Mean and SD of the norm.
    error_sd : float
        SD of the measurement; NaN where it is not known.
    """
    if norm is None or not (math.isfinite(value) and math.isfinite(norm[0]) and norm[1] > 0):
        return 0.0
    return (value - norm[0]) / max(2.0 * norm[1], COVERAGE * error_sd if math.isfinite(error_sd) else 0.0)


def _heads(sheet: Sheet, left: float, norm: Norm | None) -> float:
    style = sheet.style
    norm_head = style.label("values.norm", n=norm.n) if norm is not None else ""
    heads = (("", _NAME_MM), (style.label("side.L"), _SIDE_MM), (style.label("side.R"), _SIDE_MM), (norm_head, _NORM_MM))
    columns = tuple(TableColumn(head, width, "right" if head else "left") for head, width in heads)
    y, _ = TextTable(columns, [], size="tiny", padding_mm=0.4).draw(sheet, left, _TOP_MM)
    return y


def value_rows(layer: Layer, style: Style, norm: Norm | None, *, loads: bool) -> Iterator[tuple[str, list[list[Cell | str]]]]:
    """Name, with its unit, and rows of each variable that has values: what, left, right, norm.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    loads : bool
        Moments and ground reaction, and the powers' bursts, instead of angles.
    """
    values = NamedValues(layer, style, norm)
    for key in (key for column in (_LOADS if loads else ANGLE_GRID) for key in column if key in values.variables):
        row = ROWS[key]
        title = f"{style.word(row.title)}, {style.word(style.unit(row))}, + {_direction(row, style)}"
        yield title, [cells for name in _names(row) for cells in _rows(values, key, name)]
    if loads and (bursts := values.peaks()):
        rows = [cells for *key, name in bursts for cells in _rows(values, (key[0], key[1]), name, title=name)]
        yield style.label("values.powers"), rows


def _names(row: SignRow) -> list[str]:
    """Which values a variable has; in swing a foot has no ground under it."""
    grounded = row.quantity in ("ground force", "ground moment")
    return [name for name in (*EXTREMA, *PHASE_NAMES) if not (grounded and name in _OFF_GROUND)]


def _variable(sheet: Sheet, values: NamedValues, key: tuple[str, str], left: float, top: float) -> float:
    """The values of one variable, a row each."""
    style, row = sheet.style, ROWS[key]
    title, rest = style.word(row.title), f"{style.word(style.unit(row))}, + {_direction(row, style)}"
    sheet.text(left + 0.4, top + 3.4, title, size="tiny", weight="bold")
    sheet.text(left + 1.9 + width_mm(title, style.size("tiny"), weight="bold"), top + 3.4, rest, size="tiny", colour="quiet")
    rows = [cells for name in _names(row) for cells in _rows(values, key, name)]
    return _table(sheet, rows, left, top + 4.2) + 0.6


def _direction(row: SignRow, style: Style) -> str:
    """What is positive, in small letters where the language writes its nouns so."""
    word = style.word(row.positive)
    return word if terms_of(style.language, "language").get("capital_nouns") else word.lower()


def _table(sheet: Sheet, rows: list[list[Cell | str]], left: float, top: float) -> float:
    return TextTable(VALUE_COLUMNS, rows, size="tiny", padding_mm=PADDING_MM).draw(sheet, left, top)[0]


def _rows(values: NamedValues, key: tuple[str, str], name: str, title: str = "") -> Iterator[list[Cell | str]]:
    """The row of one named value and, of an extremum, the row of where in the cycle it lies; none where no side has it.

    At contact a row that reads zero on both sides says nothing and is left out.
    """
    style, row = values.style, ROWS[key]
    decimals = DECIMALS.get(style.unit(row), 2)
    of_sides = [values.of(key, side, name) for side in SIDES]
    means = [written(mean_of(numbers), decimals, ".") for numbers, _ in of_sides]
    if all(mean == "–" for mean in means) or (name == "value_contact" and not any(mean.strip("−–0.") for mean in means)):
        return
    at = mean_of([percent for _, percents in of_sides for percent in percents])
    norm = values.of_norm(key, name, at)
    norm_value = " ± ".join(written(value, decimals, style.decimal_mark) for value in norm) if norm else ""
    cells = [_cell(values, key, side, name, norm) for side in SIDES]
    yield [title or style.label(f"values.{name}"), *cells, Cell(norm_value, colour="quiet")]
    if name == "value_contact" or not math.isfinite(at):
        return
    place = values.of_norm(key, f"{PLACE}{name}", float("nan"))
    # Of a value that reads zero in every cycle, rounding decides where it lies.
    places = [
        mean_sd(percents, 0, style.decimal_mark) if any(written(abs(v), decimals, ".").strip("–0.") for v in numbers) else "–"
        for numbers, percents in of_sides
    ]
    norm_place = " ± ".join(written(value, 0, style.decimal_mark) for value in place) if place else ""
    yield [Cell(text, colour="quiet") for text in (style.label("values.at"), *places, norm_place)]


def _cell(values: NamedValues, key: tuple[str, str], side: str, name: str, norm: tuple[float, float] | None) -> Cell:
    """Mean and spread of one value, marked where it leaves the norm by more than the norm's spread."""
    style, row = values.style, ROWS[key]
    numbers, percents = values.of(key, side, name)
    decimals = DECIMALS.get(style.unit(row), 2)
    text = mean_sd(numbers, decimals, style.decimal_mark)
    value = mean_of(numbers)
    if norm is None or within_a_step(value, norm[0], decimals):
        return Cell(text)
    distance = beyond(value, norm, values.error_sd(key, side, percents))
    if abs(distance) > 1.0:
        return _in_a_line(f"{'▲' if distance > 0 else '▼'}{text}", style, bold=True)
    return _in_a_line(f"≈{text}" if abs(beyond(value, norm, float("nan"))) > 1.0 else text, style)


def _in_a_line(text: str, style: Style, *, bold: bool = False) -> Cell:
    """A cell whose number and spread stand on one line: nearer to each other where they would not."""
    fits = width_mm(text, style.size("tiny"), weight="bold" if bold else "normal") <= _SIDE_MM - 2 * PADDING_MM
    return Cell(text if fits else text.replace(" ± ", "±"), bold=bold)


def _powers(sheet: Sheet, values: NamedValues, left: float, top: float) -> float:
    """Power peaks by name, left and right, with their place in the cycle."""
    rows = [row for *key, name in values.peaks() for row in _rows(values, (key[0], key[1]), name, title=name)]
    if not rows:
        return top
    style = sheet.style
    top = top if top > _TOP_MM else _heads(sheet, left, values.norm)
    sheet.text(left + 0.4, top + 3.4, style.label("values.powers"), size="tiny", weight="bold")
    return _table(sheet, rows, left, top + 4.2)


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


def value_table(layers: Sequence[Layer], style: Style, side: str) -> TextTable:
    """Return one line for each named value of each variable, and for each power peak, of one side of several sessions.

    Parameters
    ----------
    layers : Sequence[Layer]
        The sessions.
    style : Style
        Colours, words, scales and units of the report.
    side : str
        "L" or "R".
    """
    groups = [_by_name(picked(layer)) for layer in layers]
    recordings = [layer.recording for layer in layers]
    columns = [TableColumn(style.label("values.variable"), 44.0), TableColumn("", 14.0), TableColumn("", 34.0)]
    columns += change_heads(style, len(layers), TABLE_WIDTH_MM - 92.0)
    rows: list[list[Cell | str]] = []
    peaks = sorted({key for group in groups for key in group if NAMED_PEAK.fullmatch(key[3])}, key=lambda key: key[3])
    named = [(*key, side, name) for key in TABLED if ROWS[key].quantity != "power" for name in EXTREMA]
    works = [(*key, side, name) for key in TABLED if ROWS[key].quantity == "power" for name in WORKS]
    for key in (*named, *(key for key in peaks if key[2] == side), *works):
        if not any(key in group for group in groups):
            continue
        row, name = ROWS[key[:2]], key[3]
        decimals, factor = DECIMALS.get(style.unit(row), 2), style.factor(row)
        values = [[factor * value for value, _ in group.get(key, [])] for group in groups]
        percent = mean_of([at for group in groups for _, at in group.get(key, [])])
        changes = []
        for other, own in zip(recordings[1:], values[1:], strict=True):
            both = _unscaled((values[0], own), factor)
            changed = (
                change_of_work(recordings[0], other, (side, key[0], name), both) if name in WORKS
                else change_of_peak(recordings[0], other, key[:2], both, percent)
            )  # fmt: skip
            changes.append(_scaled(changed, factor))
        words = name if NAMED_PEAK.fullmatch(name) else style.label(f"values.{name}")
        unit = WORK_UNIT if name in WORKS else style.word(style.unit(row))
        rows.append([style.word(row.title), unit, words, *change_cells(values, changes, decimals, style)])
    return TextTable(tuple(columns), rows, size="tiny", padding_mm=0.7)


def _unscaled(values: Sequence[Sequence[float]], factor: float) -> list[list[float]]:
    return [[value / factor for value in each] for each in values]


def _scaled(change: ScalarChange, factor: float) -> ScalarChange:
    """A change in the plotted unit."""
    return replace(change, difference=change.difference * factor, sd=change.sd * factor, carried=change.carried * factor)


def _by_name(peaks: Table) -> dict[tuple[str, str, str, str], list[tuple[float, float]]]:
    """(variable, component, side, name) -> value and percent of each cycle."""
    by_name: dict[tuple[str, str, str, str], list[tuple[float, float]]] = {}
    fields = (peaks[name] for name in ("variable", "component", "side", "name", "value", "percent"))
    for variable, component, side, name, value, percent in zip(*fields, strict=True):
        by_name.setdefault((variable, component, side, name), []).append((float(value), float(percent)))
    return by_name


def _compare(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    tables = ((side, value_table(content.layers, content.style, side)) for side in SIDES)
    return draw_tables(kind.name, content.style, *tables)


register(
    PageKind("values", 90, lambda content: values_pages(content.layers[0], content.style, content.norm), compare=_compare, sheets=1)
)
