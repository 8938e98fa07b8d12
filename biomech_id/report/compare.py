"""Two sessions or conditions laid over one another, and the differences of their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError
from biomech_id.files.atomic import check_writable
from biomech_id.report.book import Page, wanted_pages
from biomech_id.report.layout.curve_panel import Drawing
from biomech_id.report.layout.layer import ROWS, Layer, layers_of
from biomech_id.report.layout.numbers import DECIMALS, mean_of, mean_sd, written
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.norm import Norm, load_norm
from biomech_id.report.pages.budget import budget_page
from biomech_id.report.pages.cover import analysis_facts, draw_facts, draw_signature, draw_verdict, session_line, subject_facts
from biomech_id.report.pages.ground_reaction import ground_reaction_page
from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.kinetics import kinetics_page
from biomech_id.report.pages.methods import methods_pages
from biomech_id.report.pages.quality import quality_pages
from biomech_id.report.pages.scores import scores_page
from biomech_id.report.pages.spatiotemporal import UNIT_WORDS, parameter_values
from biomech_id.report.pages.values import NAMED_PEAK, NAMES, TABLED, picked
from biomech_id.report.pdf import Progress, made_with, no_collector, stamp, subject_code, write_pdf
from biomech_id.report.session_differences import session_differences
from biomech_id.results.tables.session_tables import SessionTables

_TOP_MM = 21.0
_WIDTH_MM = RIGHT_MM - LEFT_MM


def compare_report(
    tables_a: SessionTables,
    tables_b: SessionTables,
    path: str | Path,
    *,
    names: tuple[str, str] | None = None,
    norm: Any = None,
    pages: Iterable[str] | None = None,
    style: Style | str | Path | None = None,
    conditions: tuple[str | None, str | None] = (None, None),
    progress: Progress | None = None,
) -> Path:
    """Draw two sessions over one another: A solid, B dashed, the same pages, and B minus A in the tables.

    Parameters
    ----------
    tables_a, tables_b : the sessions.
    path : PDF to write; it appears whole or not at all.
    names : what the legend calls them; None takes code, session date, condition and whatever else tells them apart.
    conditions : which condition of each session; None takes one that both have, and of one session with itself its first two.
    norm, pages, style, progress : as for `draw_report`; the norm must fit both sessions.

    Returns
    -------
    The path.

    Raises
    ------
    MissingInputError : one of the sessions has no gait cycle to compare, or none of the condition asked for.
    OptionError, ShapeError, OutputError : as for `draw_report`.
    """
    check_writable(Path(path))
    wanted = wanted_pages(pages)
    look = style if isinstance(style, Style) else load_style(style)
    layers = _named(_chosen(tables_a, tables_b, conditions, look), names, look)
    norm = tables_a.norm if norm is None else norm
    reference = load_norm(norm, tables_a)
    load_norm(norm, tables_b)
    codes = list(dict.fromkeys(subject_code(tables, look) for tables in (tables_a, tables_b)))
    sessions = list(dict.fromkeys(session_line(tables.summary, look) for tables in (tables_a, tables_b)))
    with mpl.rc_context(look.rc), no_collector():
        made = list(_pages(layers, look, reference, wanted))
        stamp(made, look, code=" / ".join(codes), session=" / ".join(sessions), version=made_with(tables_b))
        return write_pdf(made, Path(path), look, title=f"{look.label('compare.title')}: {' / '.join(codes)}", progress=progress)


def _chosen(a: SessionTables, b: SessionTables, conditions: tuple[str | None, str | None], style: Style) -> tuple[Layer, Layer]:
    """Which movement and condition of each session: the first that both have, else each one's first."""
    first, second = _candidates("A", a, conditions[0], style), _candidates("B", b, conditions[1], style)
    if conditions == (None, None) and a.summary == b.summary and len(second) > 1:
        return first[0], second[1]
    alike = [(x, y) for x in first for y in second if (x.kind, x.condition) == (y.kind, y.condition)]
    return alike[0] if alike else (first[0], second[0])


def _candidates(letter: str, tables: SessionTables, condition: str | None, style: Style) -> list[Layer]:
    found = layers_of(tables)
    code, where = subject_code(tables, style), f"session {letter}"
    if not found:
        raise MissingInputError(
            f"Session {letter} ({code}) has no gait cycle, so there is nothing to compare.",
            value=0, expected="at least one gait cycle in each session", where=where,
        )  # fmt: skip
    wanted = [layer for layer in found if condition in (None, layer.condition)]
    if not wanted:
        there = ", ".join(dict.fromkeys(repr(layer.condition) for layer in found))
        raise MissingInputError(
            f"Session {letter} ({code}) has no gait cycle of the condition {condition!r}; it has {there}.",
            value=condition, expected=there, where=where,
        )  # fmt: skip
    return wanted


def _named(layers: tuple[Layer, Layer], names: tuple[str, str] | None, style: Style) -> list[Layer]:
    """Both with the name that legends and titles use: code, date and condition, and what else differs between the two."""
    differing = [key for key in ("model", "kinetics") if len({str(layer.tables.summary.get(key)) for layer in layers}) > 1]
    kinds = len({layer.kind for layer in layers}) > 1
    named = []
    for number, layer in enumerate(layers):
        summary = layer.tables.summary
        told = [subject_code(layer.tables, style), summary.get("subject", {}).get("session_date"), layer.condition]
        told += [style.label(f"choice.{summary.get(key)}") for key in differing] + [style.label(f"kind.{layer.kind}")] * kinds
        name = names[number] if names else ", ".join(str(text) for text in told if text)
        named.append(Layer(layer.tables, layer.kind, layer.condition, name))
    return named


def _doubts(layers: Sequence[Layer], style: Style) -> Iterator[str]:
    """What a reader must know before believing a difference."""
    a, b = layers
    yield from session_differences(a.tables, b.tables)
    if a.kind != b.kind:
        yield style.label("compare.other_movement")
    if a.condition != b.condition and a.tables.summary == b.tables.summary:
        return
    for key, layer in zip("ab", layers, strict=True):
        others = [other.condition for other in layers_of(layer.tables) if other.condition != layer.condition]
        if others:
            names = ", ".join(dict.fromkeys(others))
            yield style.label("compare.not_shown", session=style.label(f"compare.{key}"), names=names)


def _pages(layers: Sequence[Layer], style: Style, norm: Norm | None, wanted: Sequence[str]) -> Iterator[Page]:
    every, mean = Drawing(layers, style, norm, every_cycle=True), Drawing(layers, style, norm)
    if "cover" in wanted:
        yield Page("cover", style.label("compare.title"), _cover(layers, style, norm))
    # What is of a whole session is drawn once where both are the same one.
    sessions = layers[:1] if layers[0].tables.summary == layers[1].tables.summary else layers
    if "quality" in wanted:
        for layer in sessions:
            yield from _of_each("quality", layer, style, quality_pages(layer.tables, style))
    if "spatiotemporal" in wanted:
        yield from _tabled("spatiotemporal", style, _parameter_table(layers, style))
    overlaid = {"kinematics_cycles": (kinematics_page, every), "kinematics_mean": (kinematics_page, mean)}
    overlaid |= {"kinetics_cycles": (kinetics_page, every), "kinetics_mean": (kinetics_page, mean)}
    overlaid |= {"ground_reaction": (ground_reaction_page, mean)}
    for name, (draw, drawing) in overlaid.items():
        if name in wanted:
            yield Page(name, style.label(f"compare.{name}"), draw(drawing))
    if "scores" in wanted:
        # Without scores both pages would say the same.
        for layer in [layer for layer in layers if len(layer.tables.scores)] or layers[:1]:
            yield from _of_each("scores", layer, style, [scores_page(layer.tables, style, norm, condition=layer.condition)])
    if "values" in wanted:
        yield from _tabled("values", style, _value_table(layers, style), _power_table(layers, style))
    for layer in layers:
        if "budget" in wanted:
            yield from _of_each("budget", layer, style, [budget_page(layer, style)])
    for layer in sessions:
        if "methods" in wanted:
            yield from _of_each("methods", layer, style, methods_pages(layer.tables, style))


def _of_each(name: str, layer: Layer, style: Style, figures: Iterable[Figure]) -> Iterator[Page]:
    """Pages that show one of the sessions, with its name in the title."""
    title = style.label("movement.title", title=style.label(f"page.{name}"), kind=layer.name)
    for figure in figures:
        yield Page(name, title, figure)


def _cover(layers: Sequence[Layer], style: Style, norm: Norm | None) -> Figure:
    sheet = Sheet(style)
    middle = (LEFT_MM + RIGHT_MM) / 2
    sheet.text(LEFT_MM, 22.5, style.label("compare.drawn"), size="body")
    top = 27.0
    for doubt in _doubts(layers, style):
        lines = wrapped(doubt, RIGHT_MM - LEFT_MM, style.size("body"), weight="bold")
        top = sheet.paragraph(LEFT_MM, top - 2.5, lines, size="body", colour="warn", weight="bold") + 2.5
    for key, layer in zip("ab", layers, strict=True):
        summary = layer.tables.summary
        head = style.label("movement.title", title=style.label(f"compare.{key}"), kind=layer.name)
        top = draw_verdict(sheet, summary, top, head=head) - 2.0
    ends = []
    for left, right, layer in ((LEFT_MM, middle - 4, layers[0]), (middle + 4, RIGHT_MM, layers[1])):
        summary = layer.tables.summary
        facts = [*subject_facts(summary, style), *analysis_facts(layer.tables, style, norm, cycles=layer.cycles)[1:]]
        ends.append(draw_facts(sheet, left, top + 5.0, right, layer.name, facts))
    draw_signature(sheet, max(165.0, max(ends) + 4.0), 30.0)
    return sheet.figure


def _tabled(name: str, style: Style, *tables: TextTable) -> Iterator[Page]:
    """Each table on a page of its own, or on as many as it takes."""
    title = style.label(f"page.{name}")
    for table in tables:
        left = table if table.rows else None
        while left is not None:
            sheet = Sheet(style)
            y, left = left.draw(sheet, LEFT_MM, _TOP_MM, room_mm=BOTTOM_MM - _TOP_MM - 5.0)
            sheet.paragraph(LEFT_MM, y + 1.5, [style.label("common.differs")], size="tiny", colour="quiet")
            yield Page(name, title, sheet.figure)
            title = style.label("page.continued", title=style.label(f"page.{name}"))


def _triple(a: Sequence[float], b: Sequence[float], decimals: int, *, spread: bool = True) -> list[Cell | str]:
    """A, B, and B minus A; A and B as mean ± SD, or the means alone."""
    difference = mean_of(b) - mean_of(a)
    text = written(difference, decimals)
    # A difference that the decimals do not show has no sign either.
    sign = "+" if difference > 0 and text.strip("0.") else ""
    told = [mean_sd(values, decimals) if spread else written(mean_of(values), decimals) for values in (a, b)]
    return [*told, Cell(sign + text, bold=True)]


def _heads(style: Style, side: str, width: float) -> list[TableColumn]:
    word = style.label(f"side.{side}")
    return [TableColumn(f"{word} {head}", width, "right") for head in ("A", "B", style.label("common.difference"))]


def _parameter_table(layers: Sequence[Layer], style: Style) -> TextTable:
    a, b = (parameter_values(layer) for layer in layers)
    columns = [TableColumn(style.label("parameter.heading"), 66.0), TableColumn(style.label("parameter.unit"), 21.0)]
    for side in SIDES:
        columns += _heads(style, side, (_WIDTH_MM - 87.0) / 6)
    rows: list[list[Cell | str]] = []
    empty: tuple[str, Mapping[str, list[float]]] = ("", {})
    for parameter in dict.fromkeys([*a, *b]):
        unit = (a.get(parameter) or b[parameter])[0]
        row: list[Cell | str] = [style.label(f"parameter.{parameter}"), UNIT_WORDS.get(unit, unit)]
        for side in SIDES:
            of_a, of_b = ((found.get(parameter) or empty)[1] for found in (a, b))
            row += _triple(of_a.get(side, of_a.get("", [])), of_b.get(side, of_b.get("", [])), DECIMALS.get(unit, 2))
        rows.append(row)
    return TextTable(tuple(columns), rows, size="body" if len(rows) <= 30 else "small")


def _value_table(layers: Sequence[Layer], style: Style) -> TextTable:
    """Two lines per variable (left, right), three columns (A, B, difference) per named value."""
    groups = [_by_name(picked(layer)) for layer in layers]
    columns = [TableColumn(style.label("values.variable"), 36.0), TableColumn("", 6.0)]
    width = (_WIDTH_MM - 42.0) / (3 * len(NAMES))
    for name in NAMES:
        # The name stands over the first of its three columns, the letters over each.
        columns.append(TableColumn(f"{style.label('values.' + name)}\nA", width, "right"))
        columns += [TableColumn(f"\n{head}", width, "right") for head in ("B", style.label("common.difference"))]
    rows: list[list[Cell | str]] = []
    for key in TABLED:
        row = ROWS[key]
        if row.quantity == "power" or not any((*key, side, name) in group for group in groups for side in SIDES for name in NAMES):
            continue
        for side in SIDES:
            cells: list[Cell | str] = []
            for name in NAMES:
                a, b = (np.asarray(group.get((*key, side, name), []), dtype=float) * style.factor(row) for group in groups)
                cells += _triple(a.tolist(), b.tolist(), DECIMALS.get(style.unit(row), 2), spread=False)
            title = f"{style.word(row.title)}" if side == "L" else style.unit(row)
            rows.append([Cell(title, colour="ink" if side == "L" else "quiet"), Cell(side, colour=side, bold=True), *cells])
    return TextTable(tuple(columns), rows, size="tiny", padding_mm=0.7)


def _power_table(layers: Sequence[Layer], style: Style) -> TextTable:
    """One line per named power peak, three columns (A, B, difference) per side, W/kg."""
    groups = [_by_name(picked(layer)) for layer in layers]
    found = {(name, (variable, part)) for group in groups for variable, part, _, name in group if NAMED_PEAK.fullmatch(name)}
    columns = [TableColumn(style.label("values.powers"), 80.0)]
    for side in SIDES:
        columns += _heads(style, side, (_WIDTH_MM - 80.0) / 6)
    rows: list[list[Cell | str]] = []
    for name, key in sorted(found):
        row: list[Cell | str] = [Cell(name, bold=True)]
        for side in SIDES:
            a, b = (group.get((*key, side, name), []) for group in groups)
            row += _triple(a, b, DECIMALS["W/kg"])
        rows.append(row)
    return TextTable(tuple(columns), rows, size="body")


def _by_name(peaks: Any) -> dict[tuple[str, str, str, str], list[float]]:
    found: dict[tuple[str, str, str, str], list[float]] = {}
    fields = (peaks[name] for name in ("variable", "component", "side", "name", "value"))
    for variable, component, side, name, value in zip(*fields, strict=True):
        found.setdefault((variable, component, side, name), []).append(float(value))
    return found
