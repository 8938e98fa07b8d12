"""Movement analysis profile and gait profile score (Baker et al. 2009), left, right and overall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.report.layout.change_table import TABLE_WIDTH_MM, change_cells, change_heads, draw_tables
from biomech_id.report.layout.numbers import digits, mean_of, written
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.records import records
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import TextLook, width_mm, wrapped
from biomech_id.report.panels.curve_panel import BACKING
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import Content, PageKind, of_each, register
from biomech_id.session.tables.session_tables import Table, Tables
from biomech_id.statistics.score_change import ScoreChange, score_changes
from biomech_id.statistics.two_recordings import ScalarChange

#: Minimal clinically important difference of the gait profile score, deg (Baker et al. 2012, Gait Posture 35, 612).
MCID_DEG = 1.6
PROFILE = Scale(0.0, 30.0, 5.0)
_BAR_OFFSET = 0.19
_BAR_HALF = 0.16


def scores_page(tables: Tables, style: Style, norm: Norm | None, *, condition: str) -> Figure:
    """Draw the profile as bars and the scores as a table; without a norm, say how to get one.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    condition : str
        Of the trials: "barefoot".
    """
    sheet = Sheet(style)
    table = tables.scores
    scores = table[table["condition"] == condition] if len(table) else table
    if not len(scores):
        text = style.label("absent.no_norm_scores" if norm is None else "absent.no_scores")
        lines = wrapped(text, 200.0, style.size("heading"))
        sheet.paragraph(LEFT_MM, 30.0, lines, size="heading", spacing=1.5)
        return sheet.figure
    if condition:
        sheet.text(LEFT_MM, 21.4, style.label("scores.condition", condition=condition), size="small")
    _legend(sheet)
    _profile(sheet, scores)
    y = _table(sheet, scores)
    sheet.note(style.label("scores.note"), y + 3.0)
    return sheet.figure


def _profile(sheet: Sheet, scores: Table) -> None:
    """Paired bars per variable, and of the gait profile score."""
    style = sheet.style
    variables = list(dict.fromkeys(zip(scores["variable"], scores["component"], strict=True)))
    variables = [pair for pair in variables if pair in ROWS]
    places = [*variables, ("GPS", "")]
    panel = sheet.panel(LEFT_MM + 14.0, 33.0, RIGHT_MM - LEFT_MM - 14.0, 82.0)
    across = Scale(-0.6, len(places) - 0.2, 1.0)
    panel.frame(across, PROFILE, x_numbers=False)
    panel.outside(0.0, 83.5, style.label("scores.map"), size="body", weight="bold")
    panel.outside(-9.5, 41.0, style.label("scores.gvs"), size="small", rotation=90, ha="center", va="center")
    for place, (variable, component) in enumerate(places):
        of_variable = (
            scores[(scores["variable"] == variable) & (scores["component"] == component)] if variable != "GPS" else _gps(scores)
        )
        title = style.word(ROWS[variable, component].title) if variable != "GPS" else style.label("scores.gps")
        lines = wrapped(title, 24.0, style.size("small"))
        panel.mark(place, 0.0, "\n".join(lines), below_mm=1.5, size="small", colour="ink", ha="center", va="top")
        for score in records(of_variable):
            _bar(panel, place, score, style)


def _legend(sheet: Sheet) -> None:
    """What each bar and line is."""
    style, y = sheet.style, 27.0
    x = LEFT_MM + 14.0
    faces = ((style.label("side.L"), "L"), (style.label("side.R"), "R"), (style.label("scores.overall"), "ink"))
    for text, face in (*faces, (style.label("scores.norm"), "norm")):
        sheet.box(x, y - 2.6, 6.0, 3.0, face=face, edge=None)
        sheet.text(x + 7.5, y, text, size="small")
        x += 7.5 + width_mm(text, style.size("small")) + 5.0


def _gps(scores: Table) -> Table:
    return scores[scores["score"] == "GPS"]


def _bar(panel: Panel, place: int, score: Any, style: Style) -> None:
    """One bar with the norm's own score behind it."""
    # The overall score stands to the right of the two sides.
    at, half = place + {"L": -_BAR_OFFSET, "R": _BAR_OFFSET}.get(score.side, 3 * _BAR_OFFSET), _BAR_HALF
    colour = score.side if score.side in SIDES else "ink"
    x, wide = np.asarray([at - half, at + half]), np.asarray([at - half * 1.15, at + half * 1.15])
    if np.isfinite(score.norm_mean):
        spread = score.norm_sd if np.isfinite(score.norm_sd) else 0.0
        low, high = np.full(2, max(0.0, score.norm_mean - spread)), np.full(2, score.norm_mean + spread)
        panel.band(wide, low, high, colour="norm", opacity=0.6, zorder=1.2, gid="norm score")
    if not np.isfinite(score.value):
        panel.mark(at, 0.0, "–", below_mm=-1.0, ha="center", va="bottom", colour=colour)
        return
    name = f"{score.side}|{score.score}|{score.variable}.{score.component}"
    panel.band(x, np.zeros(2), np.full(2, score.value), colour=colour, opacity=0.85, zorder=2.0, gid=name)
    look: TextLook = {"ha": "center", "va": "bottom", "zorder": 5, "bbox": BACKING}
    number = digits(score.value, ".1f", style.decimal_mark)
    panel.mark(at, min(score.value, PROFILE.high), number, below_mm=-0.6, colour=colour, size="small", **look)


def _table(sheet: Sheet, scores: Table) -> float:
    """Gait profile score of each side and overall against the norm."""
    style, mark = sheet.style, sheet.style.decimal_mark
    rows: list[list[Cell | str]] = []
    for score in records(_gps(scores)):
        side = style.label(f"side.{score.side}") if score.side in SIDES else style.label("scores.overall")
        norm = " ± ".join(written(value, 1, mark) for value in (score.norm_mean, score.norm_sd))
        rows.append([side, written(score.value, 1, mark), norm, written(score.value - score.norm_mean, 1, mark)])
    columns = (
        TableColumn(style.label("scores.gps"), 50.0),
        TableColumn(style.word("deg"), 22.0, "right"),
        TableColumn(style.label("scores.norm"), 50.0, "right"),
        TableColumn(style.label("scores.difference"), 30.0, "right"),
    )
    y, _ = TextTable(columns, rows).draw(sheet, LEFT_MM, 134.0)
    return y


def _draw(content: Content) -> list[Figure]:
    return [scores_page(content.tables, content.style, content.norm, condition=content.layers[0].condition)]


def _compare(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    layers, style = content.layers, content.style
    # Without scores all pages would say the same.
    if not any(len(layer.tables.scores) for layer in layers):
        yield from of_each(kind, replace(content, layers=layers[:1]))
        return
    yield from draw_tables(kind.name, style, ("", score_table(layers, style, content.norm)), note="compare.gps_matters")


def score_table(layers: Sequence[Layer], style: Style, norm: Norm | None) -> TextTable:
    """Return one line for each score of several sessions; profile scores with what a change must leave.

    Parameters
    ----------
    layers : Sequence[Layer]
        The sessions.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        That all are scored by.
    """
    of_layers = [_scores_of(layer) for layer in layers]
    columns = [TableColumn(style.label("scores.gvs"), 62.0), TableColumn(style.label("common.side"), 20.0)]
    columns += change_heads(style, len(layers), TABLE_WIDTH_MM - 82.0)
    normal = {name: mean for name, (mean, _) in norm.curves.items()} if norm is not None else {}
    bands = [score_changes(layers[0].recording, layer.recording, normal) for layer in layers[1:]]
    rows = [_row_of(key, of_layers, bands, style) for key in dict.fromkeys(key for each in of_layers for key in each)]
    return TextTable(tuple(columns), rows)


def _scores_of(layer: Layer) -> dict[tuple[str, str, str, str], float]:
    """(score, variable, component, side) -> score, deg, of one condition."""
    scores = layer.tables.scores
    of_condition = scores[scores["condition"] == layer.condition] if len(scores) else scores
    return {(row.score, row.variable, row.component, row.side): float(row.value) for row in records(of_condition)}


def _row_of(
    key: tuple[str, str, str, str], of_layers: Sequence[Mapping[Any, float]], bands: Sequence[Mapping[str, ScoreChange]],
    style: Style,
) -> list[Cell | str]:  # fmt: skip
    score, variable, component, side = key
    title = style.label("scores.gps") if score == "GPS" else style.word(ROWS[variable, component].title)
    values = [[each[key]] if key in each else [] for each in of_layers]
    changes = []
    for own, known in zip(values[1:], bands, strict=True):
        band = known[side].band if score == "GPS" and side in known else float("nan")
        difference = mean_of(own) - mean_of(values[0])
        matters = abs(difference) >= MCID_DEG and abs(difference) > band
        changes.append(ScalarChange(difference, float("nan"), band, 0.0 if matters else 1.0))
    word = style.label(f"side.{side}") if side else style.label("scores.overall")
    return [Cell(title, bold=score == "GPS"), word, *change_cells(values, changes, 1, style)]


register(
    PageKind("scores", 113, _draw, compare=_compare, walks=True, sheets=0, spared=lambda content: not len(content.tables.scores))
)
