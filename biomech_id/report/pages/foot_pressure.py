"""The path of the centre of pressure inside the outline of the foot, seen from above, toes up."""

from __future__ import annotations

import numpy as np
from matplotlib.path import Path

from biomech_id.algebra.arrays import FloatArray
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.panels.curve_panel import SESSION_DASHES, Drawing, session_colour
from biomech_id.report.panels.layer import ROWS, Layer

_WIDTH_MM, _HEIGHT_MM = 27.0, 64.5
_MARGIN_MM = 20.0
#: Drawn to the right: the left foot's medial side, the right foot's lateral side, as one looks down on one's own feet.
MIRROR: dict[str, float] = {"L": 1.0, "R": -1.0}


def draw_foot(sheet: Sheet, side: str, drawing: Drawing, *, left_mm: float, top_mm: float) -> Panel:
    """Draw one foot with its words.

    Parameters
    ----------
    sheet : Sheet
        Where to draw.
    side : str
        "L" or "R".
    drawing : Drawing
        What panels are drawn from.
    left_mm : float
        From the sheet's left.
    top_mm : float
        From the sheet's top.
    """
    style, layers = drawing.style, drawing.layers
    panel = sheet.panel(left_mm, top_mm, _WIDTH_MM, _HEIGHT_MM)
    outline = foot_outline(layers[0], side)
    _limits(panel, side, outline)
    panel.outside(_WIDTH_MM / 2, _HEIGHT_MM + 1.3, style.label(f"side.{side}"), weight="bold", colour=side, ha="center")
    edges = [style.label("ground.lateral"), style.label("ground.medial")]
    for ha, x, word in zip(("left", "right"), (0.0, _WIDTH_MM), edges if side == "L" else edges[::-1], strict=True):
        panel.outside(x, -3.0, word, size="tiny", colour="quiet", ha=ha)
    if len(outline):
        closed = np.concatenate([outline, outline[:1]])
        panel.polylines([_seen(closed, side)], colour="ink", width=0.9, gid=f"{layers[0].name}|{side}|outline")
    else:
        panel.notice(style.label("absent.no_outline", side=style.label(f"side.{side}")), up_mm=2.0)
    paths = [pressure_paths(layer, side) for layer in layers]
    for index, (layer, of_layer) in enumerate(zip(layers, paths, strict=True)):
        dashes, colour = SESSION_DASHES[index], session_colour(index) if len(layers) > 1 else side
        if len(of_layer):
            seen = [_seen(path, side) for path in of_layer]
            panel.polylines(seen, colour=colour, width=0.9, dashes=dashes, gid=f"{layer.name}|{side}|pressure")
    if not any(len(of_layer) for of_layer in paths):
        # A foot is narrow, and the whole reason stands elsewhere on the page.
        panel.notice(layers[0].missing(side, ROWS["FootCentreOfPressure", "X"], style, brief=True))
    elif len(outline) and len(layers) == 1:
        text = style.label("ground.inside", percent=f"{percent_inside(outline, paths[0]):.0f}")
        panel.outside(_WIDTH_MM / 2, -6.6, text, size="tiny", colour="quiet", ha="center")
    return panel


def foot_outline(layer: Layer, side: str) -> FloatArray:
    """Outline of the layer's first trial that has one, (k, 2), mm from heel to toe and medially; (0, 2) where none has.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        "L" or "R".
    """
    for trial in layer.trials:
        if side in trial["foot_outline_mm"]:
            return np.asarray(trial["foot_outline_mm"][side]["points"], dtype=float)
    return np.empty((0, 2))


def pressure_paths(layer: Layer, side: str) -> FloatArray:
    """Centre of pressure of every cycle in the means, (n, 101, 2), mm in the axes of the outline; NaN off the plate.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        "L" or "R".
    """
    along, across = (layer.tables.curves(side, "FootCentreOfPressure", component, cycles=layer.used) for component in ("X", "Y"))
    return np.stack([along, across], axis=-1)


def percent_inside(outline: FloatArray, paths: FloatArray) -> float:
    """Share of the paths' points that lie inside the outline drawn, percent; NaN without any point.

    Parameters
    ----------
    outline : FloatArray
        (k, 2), points around the sole.
    paths : FloatArray
        Each (n, 2), data coordinates.
    """
    points = paths.reshape(-1, 2)
    points = points[np.isfinite(points).all(axis=1)]
    return float(100.0 * Path(outline).contains_points(points).mean()) if len(points) else float("nan")


def _seen(points: FloatArray, side: str) -> FloatArray:
    """Points of the foot (along, medially) as places on the page (to the right, up)."""
    return np.column_stack([MIRROR[side] * points[:, 1], points[:, 0]])


def _limits(panel: Panel, side: str, outline: FloatArray) -> None:
    """Equal scales both ways, so that a foot looks like one."""
    shape = outline if len(outline) else np.asarray([[-20.0, 0.0], [200.0, 0.0]])
    lowest, highest = float(shape[:, 0].min()) - _MARGIN_MM, float(shape[:, 0].max()) + _MARGIN_MM
    half = (highest - lowest) * _WIDTH_MM / _HEIGHT_MM / 2
    middle = MIRROR[side] * float(shape[:, 1].min() + shape[:, 1].max()) / 2
    panel.set_xlim(middle - half, middle + half)
    panel.set_ylim(lowest, highest)
