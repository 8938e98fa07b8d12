"""What the floor did: force components, butterfly diagrams, the centre of pressure in the foot's outline, and the free moment."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.path import Path

from biomech_id.conventions import AXES, SIDES
from biomech_id.report.curve_panel import SECOND_DASHES, Drawing, draw_variable
from biomech_id.report.layer import ROWS, Layer
from biomech_id.report.legend import draw_legend
from biomech_id.report.panel import Panel
from biomech_id.report.records import records
from biomech_id.report.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.style import PLOTTED_UNIT, Scale, Style
from biomech_id.report.typography import wrapped

FloatArray = npt.NDArray[np.float64]

CURVES: tuple[tuple[str, str], ...] = (
    ("GroundReactionForce", "X"),
    ("GroundReactionForce", "Y"),
    ("GroundReactionForce", "Z"),
    ("FreeMoment", "Z"),
)
PERCENT_BW_PER_N_KG = PLOTTED_UNIT["ground force"][1]
#: Floor millimetres drawn as long as one percent of body weight: with equal scales on paper, drawn forces keep their direction.
MM_PER_PERCENT_BW = 2.0
ALONG_MM = Scale(-50.0, 350.0, 50.0)
HEIGHT_PERCENT_BW = Scale(0.0, 150.0, 50.0)
RUN_HEIGHT_PERCENT_BW = Scale(0.0, 300.0, 100.0)
_ROW_TOP_MM, _ROW_HEIGHT_MM = 31.0, 46.0
_LOW_TOP_MM = 99.0
_MARGIN_MM, _GUTTER_MM = 12.0, 17.0


def ground_reaction_page(drawing: Drawing) -> Figure:
    """Draw the ground reaction page."""
    sheet = Sheet(drawing.style)
    draw_legend(sheet, drawing)
    columns = len(CURVES)
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (columns - 1) * _GUTTER_MM) / columns
    for j, name in enumerate(CURVES):
        panel = sheet.panel(LEFT_MM + _MARGIN_MM + j * (width + _GUTTER_MM), _ROW_TOP_MM, width, _ROW_HEIGHT_MM)
        draw_variable(panel, ROWS[name], drawing, x_numbers=True)
    sheet.text(227.0, _LOW_TOP_MM - 5.0, drawing.style.label("ground.foot"), size="body", weight="bold")
    for number, side in enumerate(SIDES):
        butterfly_panel(sheet, side, drawing, left_mm=LEFT_MM + _MARGIN_MM - 4.0 + 103.0 * number, top_mm=_LOW_TOP_MM)
        foot_panel(sheet, side, drawing, left_mm=227.0 + 30.5 * number, top_mm=_LOW_TOP_MM)
    lines = wrapped(drawing.style.label("ground.note"), RIGHT_MM - LEFT_MM, drawing.style.size("tiny"), most=2)
    sheet.paragraph(LEFT_MM, 191.5, lines, size="tiny", colour="quiet")
    return sheet.figure


def butterfly_panel(sheet: Sheet, side: str, drawing: Drawing, *, left_mm: float, top_mm: float) -> Panel:
    """Draw one side's butterfly (Pedotti) diagram: the force from the centre of pressure, frame by frame, seen from the side."""
    style = drawing.style
    height = RUN_HEIGHT_PERCENT_BW if drawing.run else HEIGHT_PERCENT_BW
    width_mm = 86.0
    scale = MM_PER_PERCENT_BW * (HEIGHT_PERCENT_BW.high / height.high)
    height_mm = width_mm * height.high * scale / (ALONG_MM.high - ALONG_MM.low)
    panel = sheet.panel(left_mm, top_mm, width_mm, height_mm)
    panel.frame(ALONG_MM, height, x_numbers=True)
    panel.outside(
        0.0, height_mm + 1.3, style.label("ground.butterfly", side=style.label(f"side.{side}").lower()), size="body", weight="bold"
    )
    panel.outside(width_mm / 2, -6.2, style.label("ground.butterfly_x"), size="tiny", colour="quiet", ha="center")
    panel.outside(-8.0, height_mm / 2, style.label("ground.butterfly_y"), size="tiny", rotation=90, ha="center", va="center")
    drawn = False
    for index, layer in enumerate(drawing.layers):
        dashes = SECOND_DASHES if index else (0.0, None)
        for force, along in butterfly(layer, side):
            foot = np.column_stack([along, np.zeros(len(along))])
            tip = foot + force * [scale, 1.0]
            name = f"{layer.name}|{side}|butterfly"
            panel.polylines(np.stack([foot, tip], axis=1), colour=side, width=0.45, opacity=0.75, dashes=dashes, gid=name)
            panel.polylines([tip], colour=side, width=0.9, dashes=dashes, gid=f"{name} envelope")
            drawn = True
    if not drawn:
        panel.notice(drawing.layers[0].missing(side, ROWS["GroundReactionForce", "Z"], style))
    return panel


def butterfly(layer: Layer, side: str) -> list[tuple[FloatArray, FloatArray]]:
    """Force and centre of pressure of each stance with kinetics, in the vertical plane of progression.

    Returns
    -------
    One pair per cycle: force (n, 2), forward and up, %BW; place of the centre of pressure (n,), mm forward of the first contact.
    """
    found = []
    progression = {trial["name"]: trial["progression"] for trial in layer.trials}
    for cycle in records(layer.used):
        frames, forward = layer.tables.frames.get(cycle.trial), progression[cycle.trial]
        column = f"{side}GroundReactionForce.X"
        if cycle.side != side or cycle.kinetics_valid == "false" or forward is None or frames is None or column not in frames:
            continue
        stance = frames[(frames["time"] >= cycle.start_s) & (frames["time"] <= cycle.foot_off_s)]
        force = stance[[f"{side}GroundReactionForce.{a}" for a in AXES]].to_numpy(dtype=float) * PERCENT_BW_PER_N_KG
        pressure = stance[[f"{side}CentreOfPressure.{a}" for a in AXES]].to_numpy(dtype=float)
        known = np.isfinite(force).all(axis=1) & np.isfinite(pressure[:, :2]).all(axis=1)
        if known.any():
            along = pressure[known, :2] @ np.asarray(forward, dtype=float)
            found.append(
                (np.column_stack([force[known, :2] @ np.asarray(forward, dtype=float), force[known, 2]]), along - along[0])
            )
    return found


def foot_panel(sheet: Sheet, side: str, drawing: Drawing, *, left_mm: float, top_mm: float) -> Panel:
    """Draw the path of the centre of pressure inside the outline of the foot, toes up, medial sides facing each other."""
    style, width_mm, height_mm = drawing.style, 27.0, 64.5
    panel = sheet.panel(left_mm, top_mm, width_mm, height_mm)
    layer = drawing.layers[0]
    outlines = [
        np.asarray(trial["foot_outline_mm"][side]["points"], dtype=float)
        for trial in layer.trials
        if side in trial["foot_outline_mm"]
    ]
    along, across = _paths(layer, side, style)
    highest = max([float(o[:, 0].max()) for o in outlines] + [200.0]) + 20.0
    lowest = min([float(o[:, 0].min()) for o in outlines] + [-20.0]) - 20.0
    # Equal scales both ways: a foot that looks like one.
    half = (highest - lowest) * width_mm / height_mm / 2
    middle = float(np.mean([o[:, 1].mean() for o in outlines])) if outlines else 0.0
    # The left foot's medial side is drawn to the right, the right foot's to the left.
    mirror = 1.0 if side == "L" else -1.0
    panel.set_xlim(mirror * middle - half, mirror * middle + half)
    panel.set_ylim(lowest, highest)
    panel.outside(width_mm / 2, height_mm + 1.3, style.label(f"side.{side}"), size="body", weight="bold", colour=side, ha="center")
    edge = [style.label("ground.lateral"), style.label("ground.medial")]
    for ha, x, word in zip(("left", "right"), (0.0, width_mm), edge if side == "L" else edge[::-1], strict=True):
        panel.outside(x, -3.0, word, size="tiny", colour="quiet", ha=ha)
    if not outlines:
        panel.notice(style.label("absent.no_outline", side=style.label(f"side.{side}")), up_mm=2.0)
    for outline in outlines[:1]:
        closed = np.concatenate([outline, outline[:1]])
        panel.polylines(
            [np.column_stack([mirror * closed[:, 1], closed[:, 0]])], colour="ink", width=0.9, gid=f"{layer.name}|{side}|outline"
        )
    paths = [np.column_stack([mirror * y, x]) for x, y in zip(along, across, strict=True)]
    if paths:
        panel.polylines(paths, colour=side, width=0.9, gid=f"{layer.name}|{side}|pressure")
        if outlines:
            text = style.label("ground.inside", percent=f"{percent_inside(layer, side, style):.0f}")
            panel.outside(width_mm / 2, -6.6, text, size="tiny", colour="quiet", ha="center")
    else:
        panel.notice(layer.missing(side, ROWS["FootCentreOfPressure", "X"], style))
    return panel


def _paths(layer: Layer, side: str, style: Style) -> tuple[FloatArray, FloatArray]:
    along, _ = layer.every(side, ROWS["FootCentreOfPressure", "X"], style)
    across, _ = layer.every(side, ROWS["FootCentreOfPressure", "Y"], style)
    return along, across


def percent_inside(layer: Layer, side: str, style: Style) -> float:
    """Share of the path's points that lie inside the outline drawn, percent; NaN where either is missing."""
    outline: list[Any] = [t["foot_outline_mm"][side]["points"] for t in layer.trials if side in t["foot_outline_mm"]]
    along, across = _paths(layer, side, style)
    points = np.column_stack([along.ravel(), across.ravel()])
    points = points[np.isfinite(points).all(axis=1)]
    if not outline or not len(points):
        return float("nan")
    return float(100.0 * Path(np.asarray(outline[0], dtype=float)).contains_points(points).mean())
