"""Movement analysis profile and gait profile score (Baker et al. 2009), left, right and overall."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.report.layout.curve_panel import BACKING
from biomech_id.report.layout.layer import ROWS
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.records import records
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import TextLook, width_mm, wrapped
from biomech_id.report.norm import Norm
from biomech_id.report.page import Content, PageKind, of_each, register
from biomech_id.results.tables.session_tables import SessionTables, Table

#: Minimal clinically important difference of the gait profile score, deg
#: (Baker et al. 2012, Gait Posture 35:612).
MCID_DEG = 1.6
MCID_DASHES: tuple[float, tuple[float, ...]] = (0.0, (2.0, 1.0))
PROFILE = Scale(0.0, 30.0, 5.0)
_BAR_OFFSET = 0.19
_BAR_HALF = 0.16


def scores_page(tables: SessionTables, style: Style, norm: Norm | None, *, condition: str) -> Figure:
    """Draw the profile as bars and the scores as a table; without a norm, say how to get one.

    Parameters
    ----------
    tables : SessionTables
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
    """Paired bars per variable, and of the gait profile score with its smallest difference that matters."""
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
        mine = scores[(scores["variable"] == variable) & (scores["component"] == component)] if variable != "GPS" else _gps(scores)
        title = style.word(ROWS[variable, component].title) if variable != "GPS" else style.label("scores.gps")
        lines = wrapped(title, 24.0, style.size("small"))
        panel.mark(place, 0.0, "\n".join(lines), below_mm=1.5, size="small", colour="ink", ha="center", va="top")
        for score in records(mine):
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
    sheet.rule(x, y - 1.1, x + 6.0, y - 1.1, colour="ink", width=1.0, dashes=MCID_DASHES)
    sheet.text(x + 7.5, y, style.label("scores.matters", mcid=f"{MCID_DEG:g}"), size="small")


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
    panel.mark(at, min(score.value, PROFILE.high), f"{score.value:.1f}", below_mm=-0.6, colour=colour, size="small", **look)
    if score.score == "GPS" and np.isfinite(score.norm_mean):
        edge = np.column_stack([wide, np.full(2, score.norm_mean + MCID_DEG)])
        panel.polylines([edge], colour="ink", width=1.0, dashes=MCID_DASHES, zorder=3.0)


def _table(sheet: Sheet, scores: Table) -> float:
    """Gait profile score of each side and overall against the norm."""
    style = sheet.style
    rows: list[list[Cell | str]] = []
    for score in records(_gps(scores)):
        beyond = np.isfinite(score.norm_mean) and score.value - score.norm_mean > MCID_DEG
        side = style.label(f"side.{score.side}") if score.side in SIDES else style.label("scores.overall")
        norm = f"{written(score.norm_mean, 1)} ± {written(score.norm_sd, 1)}"
        value, apart = (Cell(written(number, 1), bold=bool(beyond)) for number in (score.value, score.value - score.norm_mean))
        rows.append([side, value, norm, apart])
    columns = (
        TableColumn(style.label("scores.gps"), 50.0),
        TableColumn("deg", 22.0, "right"),
        TableColumn(style.label("scores.norm"), 50.0, "right"),
        TableColumn(style.label("scores.difference"), 30.0, "right"),
    )
    y, _ = TextTable(columns, rows).draw(sheet, LEFT_MM, 134.0)
    lines = wrapped(style.label("scores.mcid"), RIGHT_MM - LEFT_MM - 162.0, style.size("small"))
    sheet.paragraph(LEFT_MM + 162.0, 135.0, lines, size="small")
    return y


def _draw(content: Content) -> list[Figure]:
    return [scores_page(content.tables, content.style, content.norm, condition=content.layers[0].condition)]


def _compare(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    # Without scores both pages would say the same.
    scored = [layer for layer in content.layers if len(layer.tables.scores)] or content.layers[:1]
    yield from of_each(kind, replace(content, layers=scored))


register(PageKind("scores", 80, _draw, compare=_compare))
