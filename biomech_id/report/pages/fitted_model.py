"""The fit that the session's OpenSim model comes of: sizes with bands, which of them the recordings show, markers, what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.report.layout.findings import NotedFinding, all_findings, finding_lines
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.layout.typography import wrapped
from biomech_id.report.pages.cover import draw_banner
from biomech_id.report.panels.page import Content, PageKind, Shows, register
from biomech_id.report.panels.uncertainty_bars import COVERAGE

_Fit = Mapping[str, Any]
#: Where columns begin, and where they end above the note, mm.
_SIZES_MM, _MAP_MM, _BOTTOM_MM = 104.0, 206.0, 186.0
#: Errors of markers and their ways are drawn so many times as large as the body.
_ENLARGED = 3.0
#: Sentences on what is wrong, at most.
_MOST_FINDINGS = 7
_WAYS = ("forwards", "upwards", "to_the_right")
_CIRCLE = np.column_stack([f(np.linspace(0.0, 2.0 * np.pi, 25)) for f in (np.cos, np.sin)])


def _fit_of(content: Content) -> _Fit:
    fit: _Fit = content.tables.calibration.get("fit", {})
    return fit if fit.get("bodies") and fit.get("markers") else {}


def _draw(content: Content) -> Iterator[Figure]:
    fit, sheet, style = _fit_of(content), Sheet(content.style), content.style
    if not fit:
        sheet.text(LEFT_MM, 30.0, style.label("fitted_model.absent"), size="heading")
        yield sheet.figure
        return
    wrong = [each for each in all_findings(content.tables) if each["rule"].startswith("fit-")]
    top = _banner(sheet, fit, wrong)
    below = _table(sheet, top, "lengths", (44.0, 20.0, 20.0), _length_rows(fit, style))
    below = _table(sheet, below + 8.0, "recordings", (34.0, 13.0, 14.0, 23.0), _recording_rows(fit, style))
    if "forces" in fit:
        _table(sheet, below + 8.0, "forces", (44.0, 20.0, 20.0), _force_rows(fit["forces"], style))
    _sizes(sheet, fit["bodies"], top)
    _map(sheet, fit, top)
    sheet.note(style.label("fitted_model.note"), _BOTTOM_MM + 2.0, most=4)
    yield sheet.figure
    yield from _marker_sheets(fit, style)


def _banner(sheet: Sheet, fit: _Fit, wrong: Sequence[NotedFinding]) -> float:
    style = sheet.style
    shown = [known for body in fit["bodies"].values() for known in body["from_data"]]
    grade = "reject" if not fit["converged"] else "warn" if any(each["severity"] != "info" for each in wrong) else "accept"
    sentence = style.label("fitted_model.from_recordings", n=sum(shown), of=len(shown))
    top = draw_banner(sheet, 22.0, style.label(f"fitted_model.{grade}"), sentence, colour=grade)
    cells = finding_lines(wrong, style)
    if len(cells) > _MOST_FINDINGS:
        more = style.label("cover.more", n=len(cells) - _MOST_FINDINGS + 1, page=style.label("page.quality"))
        cells = [*cells[: _MOST_FINDINGS - 1], Cell(more, colour="quiet")]
    for cell in cells:
        lines = wrapped(cell.text, RIGHT_MM - LEFT_MM, style.size("small"), most=2)
        top = sheet.paragraph(LEFT_MM, top - 4.0, lines, size="small", colour=cell.colour) + 5.0
    return top + 2.0


def _table(sheet: Sheet, top_mm: float, name: str, widths_mm: Sequence[float], rows: Iterable[Sequence[str]]) -> float:
    style = sheet.style
    sheet.heading(LEFT_MM, top_mm, style.label(f"fitted_model.{name}"))
    first = TableColumn("", widths_mm[0])
    columns = [TableColumn(style.label(f"fitted_model.{name}_{k}"), mm, "right") for k, mm in enumerate(widths_mm[1:], 1)]
    return TextTable((first, *columns), list(rows)).draw(sheet, LEFT_MM, top_mm + 1.5)[0]


def _length_rows(fit: _Fit, style: Style) -> Iterator[list[str]]:
    def cell(value_m: float, sd_m: float) -> str:
        return f"{written(1e3 * value_m, 0, style.decimal_mark)} ± {written(1e3 * COVERAGE * sd_m, 0, style.decimal_mark)}"

    lengths = fit["lengths"]
    for name in dict.fromkeys(each[:-2] for each in lengths):
        own = [lengths.get(f"{name}_{side.lower()}") for side in SIDES]
        yield [style.label(f"segment.{name}"), *("–" if each is None else cell(each["m"], each["sd_m"]) for each in own)]
    hips = [fit["hip_in_pelvis"].get(side.lower()) for side in SIDES]
    for axis, way in enumerate(_WAYS if any(hips) else ()):
        own = ["–" if each is None else cell(each["m"][axis], each["sd_m"][axis]) for each in hips]
        yield [style.label(f"fitted_model.hip_{way}"), *own]


def _recording_rows(fit: _Fit, style: Style) -> list[list[str]]:
    return [
        [name, str(trial["frames"] - trial["frames_without_markers"]), written(1e3 * trial["rms_m"], 1, style.decimal_mark),
         str(trial["samples_out"])]
        for name, trial in fit["trials"].items()
    ]  # fmt: skip


def _force_rows(forces: _Fit, style: Style) -> Iterator[list[str]]:
    for name, factor in (("rms_force_N", 1.0), ("peak_force_share", 100.0), ("rms_moment_Nm", 1.0), ("peak_moment_share", 100.0)):
        values = [written(factor * forces[when][name], 1, style.decimal_mark) for when in ("before", "after")]
        yield [style.label(f"fitted_model.{name}"), *values]
    answer = "yes" if forces["dynamically_consistent"] else "no"
    yield [style.label("fitted_model.consistent"), "", style.label(f"common.{answer}")]


def _sizes(sheet: Sheet, bodies: Mapping[str, _Fit], top_mm: float) -> None:
    """A panel for each axis: a dot and 95 % for every body, hollow and grey where it is people's mean."""
    style, n = sheet.style, len(bodies)
    sheet.heading(_SIZES_MM, top_mm, style.label("fitted_model.sizes"))
    factor, sd, shown = (np.array([body[key] for body in bodies.values()]) for key in ("factors", "sd", "from_data"))
    low, middle, high = (100.0 * factor * np.exp(way * COVERAGE * sd) for way in (-1.0, 0.0, 1.0))
    scale = Scale(80.0, 120.0, 20.0).holding(float(low.min()), float(high.max()))
    height, y = min(5.0 * n, _BOTTOM_MM - top_mm - 16.0), n - 0.5 - np.arange(n)
    for axis, way in enumerate(_WAYS):
        panel = sheet.panel(_SIZES_MM + 20.0 + 26.0 * axis, top_mm + 8.0, 20.0, height)
        panel.frame(scale, Scale(0.0, n, n), x_numbers=True, y_numbers=False)
        panel.outside(10.0, height + 1.3, style.label(f"fitted_model.{way}"), size="small", ha="center")
        panel.polylines([[(100.0, 0.0), (100.0, n)]], colour="zero", width=0.7)
        for known, colour, name in ((True, "ink", "shown"), (False, "zero", "mean")):
            rows, shade = shown[:, axis] == known, style.colour(colour)
            bars = np.stack([np.column_stack([end[rows, axis], y[rows]]) for end in (low, high)], axis=1)
            panel.polylines(bars, colour=colour, width=0.9, gid=f"{name}|{way}")
            face = shade if known else "white"
            panel.scatter(middle[rows, axis], y[rows], 7.0, c=face, edgecolors=shade, linewidths=0.7, zorder=4)
        for name, at in zip(bodies, y, strict=True) if axis == 0 else ():
            panel.mark(scale.low, at, name, right_mm=-1.0, ha="right", va="center_baseline", colour="ink")


def _map(sheet: Sheet, fit: _Fit, top_mm: float) -> None:
    """The standing model from the front and from its right, with every marker's error and the way from its place on the model."""
    style, bodies, markers = sheet.style, fit["bodies"], list(fit["markers"].values())
    sheet.heading(_MAP_MM, top_mm, style.label("fitted_model.map"))
    ways = np.array([each["standing_m"] for each in markers])
    ends = [(bodies[body["above"]], body) for body in bodies.values() if body["above"]]
    bones = np.array([[end["standing_m"] for end in bone] for bone in ends]).reshape(-1, 2, 3)
    spokes = np.array([[bodies[each["body"]]["standing_m"], at] for each, at in zip(markers, ways[:, 1], strict=True)])
    low, high = (f(np.concatenate([spokes, bones]), axis=(0, 1)) for f in (np.min, np.max))
    width, height = (RIGHT_MM - _MAP_MM - 4.0) / 2.0, _BOTTOM_MM - top_mm - 12.0
    # Seen from the front the person's right is on the left.
    views = {"front": (2, -1.0), "right_side": (0, 1.0)}
    m_per_mm = max((high[1] - low[1]) / (height - 8.0), *((high[k] - low[k]) / (width - 12.0) for k, _ in views.values()))
    for number, (view, (k, sign)) in enumerate(views.items()):
        panel = sheet.panel(_MAP_MM + number * (width + 4.0), top_mm + 8.0, width, height)
        panel.outside(width / 2.0, height + 1.3, style.label(f"fitted_model.{view}"), size="small", ha="center")
        flat = np.zeros((3, 2))
        flat[k, 0], flat[1, 1] = sign, 1.0
        x, y = 0.5 * (low + high) @ flat
        panel.set_xlim(x - 0.5 * width * m_per_mm, x + 0.5 * width * m_per_mm)
        panel.set_ylim(y - 0.5 * height * m_per_mm, y + 0.5 * height * m_per_mm)
        panel.polylines(spokes @ flat, colour="grid", width=0.5, zorder=1.0)
        panel.polylines(bones @ flat, colour="grid", width=2.5, zorder=1.0)
        _draw_markers(panel, fit["markers"], ways @ flat, view)


def _draw_markers(panel: Panel, markers: Mapping[str, _Fit], ways: FloatArray, view: str) -> None:
    """Circles of the errors; of bony landmarks the way from the model's place too, and the name of each on a wrong place."""
    for (name, marker), (before, after) in zip(markers.items(), ways, strict=True):
        wrong, bony = marker["verdict"] != "accept", marker["role"] == "landmark"
        colour = "warn" if wrong else "ink" if bony else "zero"
        circle = after + _ENLARGED * marker["rms_m"] * _CIRCLE
        way = [[after - _ENLARGED * (after - before), after]] if bony else []
        panel.polylines([circle, *way], colour=colour, width=0.7, gid=f"marker|{name}|{view}")
        if wrong:
            panel.mark(after[0], after[1], name, right_mm=1.5, va="center_baseline", colour=colour)


def _marker_sheets(fit: _Fit, style: Style) -> Iterator[Figure]:
    """Two tables a sheet until every marker has its row."""
    looks = ((34.0, "left"), (22.0, "left"), (22.0, "left"), (16.0, "right"), (14.0, "right"), (24.0, "left"))
    columns = [TableColumn(style.label(f"fitted_model.markers_{k}"), *look) for k, look in enumerate(looks)]
    rows = [_marker_row(name, marker, style) for name, marker in fit["markers"].items()]
    rest: TextTable | None = TextTable(tuple(columns), rows, size="tiny", padding_mm=0.8)
    while rest is not None:
        sheet = Sheet(style)
        for left in (LEFT_MM, LEFT_MM + 141.0):
            if rest is not None:
                _, rest = rest.draw(sheet, left, 23.0, room_mm=_BOTTOM_MM - 23.0)
        sheet.note(style.label("fitted_model.markers_note"), _BOTTOM_MM + 2.0, most=3)
        yield sheet.figure


def _marker_row(name: str, marker: _Fit, style: Style) -> list[Cell | str]:
    mark, wrong = style.decimal_mark, marker["verdict"] != "accept"
    moved, sd = 1e3 * float(np.linalg.norm(marker["moved_m"])), 1e3 * float(np.max(marker["sd_m"]))
    place = style.label(f"fitted_model.{marker['verdict']}_place") if marker["role"] == "landmark" else "–"
    return [
        Cell(name, bold=wrong), marker["body"], style.label(f"fitted_model.{marker['role']}"),
        f"{written(moved, 0, mark)} ± {written(COVERAGE * sd, 0, mark)}", written(1e3 * marker["rms_m"], 1, mark),
        Cell(place, colour="warn" if wrong else "ink"),
    ]  # fmt: skip


register(PageKind("fitted_model", 96, _draw, Shows.SESSION, spared=lambda content: not _fit_of(content), sheets=1))
