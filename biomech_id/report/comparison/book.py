"""The pages of a comparison in their order: at most ten of two sessions, fourteen of six."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import CYCLE_ROWS, POWER_VARIABLE, SIDES
from biomech_id.interpretation.rules import PatternRules
from biomech_id.report.book import page_kinds
from biomech_id.report.comparison.facts import Comparison, comparison_of
from biomech_id.report.comparison.page import what_changed_page
from biomech_id.report.layout.change_table import LETTERS, TABLE_WIDTH_MM, change_heads
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TextTable
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.pages.cover import compared_cover
from biomech_id.report.pages.emg import draw_envelopes
from biomech_id.report.pages.sagittal import SAGITTAL_ROWS
from biomech_id.report.pages.scores import score_table
from biomech_id.report.pages.spatiotemporal import parameter_table
from biomech_id.report.pages.values import value_table
from biomech_id.report.panels.curve_panel import Drawing, draw_variable
from biomech_id.report.panels.emg_rows import EmgView
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.legend import draw_legend
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import Content, Page
from biomech_id.report.panels.session_differences import session_differences
from biomech_id.session.values.step import begin

#: Movements of which patterns of gait are judged.
_WALK = "straight"
_TOP_MM, _GAP_MM = 24.0, 7.5
#: Muscles of two sessions beside one another: few have room for their counts.
_FEW_MUSCLES, _ENVELOPE_ROWS = 8, 4
#: Room for values that changed.
_VALUES_MM = 135.0


def comparisons_of(layers: Sequence[Layer], style: Style, norm: Norm | None, rules: PatternRules) -> tuple[Comparison, ...]:
    """Return each other layer of straight walks as it is compared with the first; none for other movements.

    Parameters
    ----------
    layers : Sequence[Layer]
        The sessions, or conditions.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        By which all are judged.
    rules : PatternRules
        Of gait patterns.
    """
    if any(layer.kind != _WALK for layer in layers):
        return ()
    pairs = zip(LETTERS[1:], layers[1:], strict=False)
    return tuple(comparison_of(layers[0], other, style, norm, rules=rules, letter=letter) for letter, other in pairs)


def standard_pages(comparisons: Sequence[Comparison], content: Content) -> Iterator[Page]:
    """Draw the pages of a whole comparison.

    Parameters
    ----------
    comparisons : Sequence[Comparison]
        As of `comparisons_of`.
    content : Content
        What pages are drawn from.
    """
    style, two = content.style, len(content.layers) == 2
    for facts in comparisons:
        title = style.label("changed.title")
        named = title if two else style.label("movement.title", title=title, kind=facts.second.name)
        yield Page("changed", begin(named), what_changed_page(facts))
    begin(style.label("changed.quality"))
    cover = list(compared_cover(content.layers, style, content.norm))
    yield from (Page("quality", style.label("changed.quality"), figure) for figure in (cover if two else cover[:1]))
    if two:
        yield Page("spatiotemporal", begin(style.label("page.spatiotemporal")), _parameters(content))
        yield Page("sagittal", begin(style.label("changed.sagittal")), _sagittal(content))
    for kind in page_kinds():
        drawn = (*(() if two else ("spatiotemporal", "sagittal")), "kinematics_mean", "kinetics_mean")
        if kind.name in drawn and kind.compare is not None and not kind.lacks(content):
            yield from (Page(kind.name, title, figure) for title, figure in kind.compare(kind, content))
    if two:
        if any(layer.tables.emg is not None for layer in content.layers):
            yield Page("emg", begin(style.label("changed.emg")), _envelopes(content))
        yield Page("values", begin(style.label("changed.values")), _values(content))


def _parameters(content: Content) -> Figure:
    """Time and distance of both sides on one page."""
    style, layers = content.style, content.layers
    tables = [parameter_table(layers, style, side) for side in SIDES]
    width = (TABLE_WIDTH_MM - 78.0) / len(SIDES)
    heads = [replace(head, head=f"{side} {head.head}") for side in SIDES for head in change_heads(style, len(layers), width)]
    rows = [[*left, *right[2:]] for left, right in zip(tables[0].rows, tables[1].rows, strict=True)]
    sheet = Sheet(style)
    y, _ = TextTable((*tables[0].columns[:2], *heads), rows, size="tiny", padding_mm=0.8).draw(sheet, LEFT_MM, 20.5, room_mm=170.0)
    sheet.note(style.label("common.differs"), y + 1.0, most=2)
    scores = score_table(layers, style, content.norm)
    if scores.rows and any(len(layer.tables.scores) for layer in layers):
        top = y + 10.0
        y, _ = replace(scores, size="tiny", padding_mm=0.5).draw(sheet, LEFT_MM, top, room_mm=BOTTOM_MM - top - 6.0)
        sheet.note(style.label("compare.gps_matters"), y + 0.8, most=2)
    return sheet.figure


def _sagittal(content: Content) -> Figure:
    """Angle, moment and power of hip, knee and ankle in a column each, left and right below each other."""
    style, sheet = content.style, Sheet(content.style)
    drawing = Drawing(content.layers, style, content.norm)
    draw_legend(sheet, replace(drawing, side="L"))
    joints, gutter, margin = tuple(reversed(JOINTS)), 17.0, 13.0
    width = (RIGHT_MM - LEFT_MM - margin - (len(joints) - 1) * gutter) / len(joints)
    lines = [(variables, side) for variables in SAGITTAL_ROWS for side in SIDES]
    pitch = (BOTTOM_MM - 38.0) / len(lines)
    for i, (variables, side) in enumerate(lines):
        top = 35.5 + i * pitch
        sheet.text(LEFT_MM, top + pitch / 2 - 3.0, side, size="heading", colour=side, weight="bold")
        for j, joint in enumerate(joints):
            name = (variables[joint], "" if variables is POWER_VARIABLE else "X")
            panel = sheet.panel(LEFT_MM + margin + j * (width + gutter), top, width, pitch - _GAP_MM)
            draw_variable(panel, CYCLE_ROWS[name], replace(drawing, side=side), x_numbers=i == len(lines) - 1, words_left_mm=6.5)
    return sheet.figure


def _envelopes(content: Content) -> Figure:
    """Mean envelopes of each muscle, before and after beside one another."""
    style, sheet = content.style, Sheet(content.style)
    views = [EmgView(layer.tables, tuple(t["name"] for t in layer.trials)) if layer.tables.emg is not None else None
             for layer in content.layers]  # fmt: skip
    rows = [{row.name: row for row in view.rows if set(row.labels) & set(SIDES)} if view is not None else {} for view in views]
    muscles = list(dict.fromkeys(name for each in rows for name in each))
    counted = len(muscles) <= _FEW_MUSCLES
    columns = 4 if counted else 6
    lines = max(_ENVELOPE_ROWS, -(-2 * len(muscles) // columns))
    gutter = 12.0 if counted else 8.0
    width, pitch = (RIGHT_MM - LEFT_MM - 8.0 - (columns - 1) * gutter) / columns, (BOTTOM_MM - _TOP_MM - 6.0) / lines
    for number, (muscle, index) in enumerate((muscle, index) for muscle in muscles for index in (0, 1)):
        line, column = divmod(number, columns)
        left, top = LEFT_MM + 8.0 + column * (width + gutter), _TOP_MM + 6.0 + line * pitch
        view, row = views[index], rows[index].get(muscle)
        word = style.label("changed.after" if index else "changed.before")
        sheet.text(left, top - 4.6, word, size="tiny", weight="bold")
        if view is None or row is None:
            sheet.text(left, top + 6.0, style.label("changed.grade_not_measured"), size="tiny", colour="quiet")
            continue
        panel = sheet.panel(left, top, width, pitch - (13.0 if counted else 9.0))
        draw_envelopes(panel, content.layers[index], view, row, content.norm, counted=counted)
    return sheet.figure


def _values(content: Content) -> Figure:
    """Named values of curves that changed, left and right beside each other, and how both sessions were computed."""
    style, layers, sheet = content.style, content.layers, Sheet(content.style)
    sheet.note(style.label("changed.values_note"), 20.0, most=2)
    ends, half = [], (TABLE_WIDTH_MM - 8.0) / 2
    for side, left in zip(SIDES, (LEFT_MM, LEFT_MM + half + 8.0), strict=True):
        table = value_table(layers, style, side)
        changed = [row for row in table.rows if isinstance(row[-1], Cell) and row[-1].bold and _is_seen(row[-1].text)]
        heads = change_heads(style, len(layers), half - 77.0)
        columns = tuple(replace(head, width_mm=width) for head, width in zip(table.columns[:3], (34.0, 14.0, 29.0), strict=True))
        sheet.text(left, 27.5, style.label(f"side.{side}"), size="heading", colour=side, weight="bold")
        y, rest = TextTable((*columns, *heads), changed, size="tiny", padding_mm=0.6).draw(sheet, left, 29.0, room_mm=_VALUES_MM)
        text = style.label("changed.values_none") if not changed else ""
        text = style.label("changed.values_more", n=len(rest.rows)) if rest is not None else text
        sheet.text(left, y + 3.0, text, size="tiny", colour="quiet")
        ends.append(y)
    y = max(ends) + 10.0
    sheet.heading(LEFT_MM, y, style.label("changed.methods_alike"), to_mm=RIGHT_MM)
    y += 3.0
    lines = [style.label(f"model.{layers[0].tables.summary.get(key, '')}") for key in ("model", "kinetics")]
    lines += session_differences(layers[0].tables, layers[1].tables, language=style.language)
    for line in lines:
        broken = wrapped(line, RIGHT_MM - LEFT_MM, style.size("tiny"), most=2)
        if y + 3.0 * len(broken) < BOTTOM_MM:
            y = sheet.paragraph(LEFT_MM, y, broken, size="tiny") + 0.8
    return sheet.figure


def _is_seen(text: str) -> bool:
    """Whether a difference as it is printed is more than zero."""
    return bool(text.split(" ")[0].strip("+−0.,"))
