"""One person against a norm, and one recording against another: whole curves and numbers, each p with what it is a chance of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.report.layout.change_table import LETTERS, TABLE_WIDTH_MM, draw_tables
from biomech_id.report.layout.numbers import DECIMALS, written
from biomech_id.report.layout.records import records
from biomech_id.report.layout.sheet import LEFT_MM, TOP_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.pages.kinematics import ANGLE_GRID
from biomech_id.report.pages.kinetics import KINETIC_GRID
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.page import Content, PageKind, register
from biomech_id.statistics.reliability import reliability
from biomech_id.statistics.sessions import change_of_curve

_NAME_MM, _UNIT_MM = 46.0, 13.0
#: Every curve that the pages of means show, in their order; the pelvis has one of its own on each side.
SHOWN = tuple(dict.fromkeys(name for grid in (ANGLE_GRID, KINETIC_GRID) for row in grid for name in row))


def p_written(p: float, style: Style) -> str:
    """Return a chance with three decimals, and "<" where these show nothing; an en dash where there is none.

    Parameters
    ----------
    p : float
        The chance; NaN for none.
    style : Style
        Names the decimal mark.
    """
    return f"< {written(0.001, 3, style.decimal_mark)}" if p < 0.0005 else written(p, 3, style.decimal_mark)


def _against_norm(content: Content, layer: Layer) -> TextTable:
    """One line for each variable of ``statistics.csv``, left and right beside each other."""
    table, style = content.tables.statistics, content.style
    each = (TABLE_WIDTH_MM - _NAME_MM) / len(SIDES) / 4
    columns = [TableColumn(style.label("statistics.variable"), _NAME_MM)]
    for side in SIDES:
        heads = (f"{style.label(f'side.{side}')}: t", *(style.label(f"statistics.{key}") for key in ("at", "outside", "p")))
        columns += [TableColumn(head, each, "right") for head in heads]
    lines: dict[str, dict[str, list[Cell | str]]] = {}
    for row in () if table is None else records(table[table["condition"] == layer.condition]):
        bold = str(row.outside) == "true"
        texts = [written(row.t, 1, style.decimal_mark), *(_percent(value, style) for value in (row.percent, row.outside_percent))]
        cells: list[Cell | str] = [Cell(text, bold=bold) for text in (*texts, p_written(row.p, style))]
        lines.setdefault(_called(row.variable, row.component, style), {})[row.side] = cells
    dashes: list[Cell | str] = ["–"] * 4
    rows = [[name, *(cell for side in SIDES for cell in sides.get(side, dashes))] for name, sides in lines.items()]
    return TextTable(tuple(columns), rows, size="tiny", padding_mm=0.7)


def _percent(value: float, style: Style) -> str:
    return written(value, 0, style.decimal_mark) if value == value else ""


def _called(variable: str, component: str, style: Style) -> str:
    row = ROWS.get((variable, component))
    if row is not None:
        return style.word(row.title)
    return style.label("statistics.gps") if variable == "GPS" else style.label(f"parameter.{variable}")


def _draw(content: Content) -> Iterator[Figure]:
    table = _against_norm(content, content.layers[0])
    if not table.rows:
        sheet = Sheet(content.style)
        sheet.text(LEFT_MM, TOP_MM + 6.0, content.style.label("statistics.no_norm"))
        yield sheet.figure
    for _, figure in draw_tables("statistics", content.style, ("", table), note="statistics.note"):
        yield figure


def _changes(layers: Sequence[Layer], style: Style, side: str) -> TextTable:
    """One line for each curve of one side: how each other session differs from A, and how repeatable the curve is over all."""
    name_mm, sem_mm, p_mm = 38.0, 12.0, 11.0
    each = (TABLE_WIDTH_MM - name_mm - _UNIT_MM - 3 * sem_mm) / (len(layers) - 1) - p_mm
    columns = [TableColumn(style.label("statistics.variable"), name_mm), TableColumn("", _UNIT_MM)]
    for letter in LETTERS[1 : len(layers)]:
        difference = f"{style.label('common.change', letter=letter)} @ %"
        columns += [TableColumn(difference, each, "right"), TableColumn("p", p_mm, "right")]
    columns += [TableColumn(style.label(f"statistics.{key}"), sem_mm, "right") for key in ("sem_cycle", "sem_session", "cmc")]
    rows: list[list[Cell | str]] = []
    for name in SHOWN:
        cells = [cell for other in layers[1:] for cell in _change_cells(layers[0], other, (side, *name), style)]
        if any(str(cell.text) != "–" for cell in cells):
            row = ROWS[name]
            how = reliability([layer.recording.curves(side, *name) for layer in layers])
            decimals, factor = DECIMALS.get(style.unit(row), 2), style.factor(row)
            sems = [written(sem * factor, decimals, style.decimal_mark) for sem in (how.cycle_sem, how.group_sem)]
            alike = written(how.cmc, 2, style.decimal_mark)
            rows.append([style.word(row.title), style.word(style.unit(row)), *cells, *sems, alike])
    return TextTable(tuple(columns), rows, size="tiny", padding_mm=0.7)


def _change_cells(first: Layer, other: Layer, name: tuple[str, str, str], style: Style) -> list[Cell]:
    """The largest difference and where it is, with what it must leave there; the cycles' p. Bold: called a change."""
    change = change_of_curve(first.recording, other.recording, name)
    if change is None:
        return [Cell("–"), Cell("–")]
    row, at = ROWS[name[1:]], round(change.percent)
    decimals, factor, bold = DECIMALS.get(style.unit(row), 2), style.factor(row), bool(change.changed.any())
    difference, carried = change.difference[at] * factor, change.carried[at] * factor
    text = f"{'+' if difference > 0 else ''}{written(difference, decimals, style.decimal_mark)}"
    text += f" ({written(carried, decimals, style.decimal_mark)})" if carried == carried else ""
    p = p_written(change.test.p, style) if change.test is not None else "–"
    return [Cell(f"{text} @ {at}", bold=bold), Cell(p)]


def _compare(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    tables = ((side, _changes(content.layers, content.style, side)) for side in SIDES)
    return draw_tables(kind.name, content.style, *tables, note="statistics.compare_note")


register(
    PageKind(
        "statistics", 117, _draw, compare=_compare, sheets=0,
        spared=lambda content: content.tables.statistics is None,
    )
)  # fmt: skip
