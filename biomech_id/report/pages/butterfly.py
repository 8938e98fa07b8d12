"""Butterfly (Pedotti) diagram: the ground's force on the foot from the centre of pressure, frame by frame, seen from the side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import AXES, MM_PER_M
from biomech_id.feet.floor import Belt
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.records import records
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import PLOTTED_UNIT
from biomech_id.report.panels.curve_panel import SESSION_DASHES, Drawing, session_colour
from biomech_id.report.panels.layer import ROWS, Layer

PERCENT_BW_PER_N_KG = PLOTTED_UNIT["ground force"][1]
#: Floor millimetres drawn as long as one percent of body weight: with equal scales on paper, drawn forces keep their direction.
MM_PER_PERCENT_BW = 2.0
ALONG_MM = Scale(-50.0, 350.0, 50.0)
HEIGHT_PERCENT_BW = Scale(0.0, 150.0, 50.0)
#: Running: twice the height at half the length.
RUN_HEIGHT_PERCENT_BW = Scale(0.0, 300.0, 100.0)
_WIDTH_MM = 86.0


def draw_butterfly(sheet: Sheet, side: str, drawing: Drawing, *, left_mm: float, top_mm: float) -> Panel:
    """Draw one side's diagram with its words.

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
    style = drawing.style
    height = RUN_HEIGHT_PERCENT_BW if drawing.run else HEIGHT_PERCENT_BW
    scale = MM_PER_PERCENT_BW * HEIGHT_PERCENT_BW.high / height.high
    height_mm = _WIDTH_MM * height.high * scale / (ALONG_MM.high - ALONG_MM.low)
    panel = sheet.panel(left_mm, top_mm, _WIDTH_MM, height_mm)
    panel.frame(ALONG_MM, height, x_numbers=True)
    title = style.label("ground.butterfly", side=style.label(f"side.{side}").lower())
    panel.outside(0.0, height_mm + 1.3, title, size="body", weight="bold")
    panel.outside(_WIDTH_MM / 2, -6.2, style.label("ground.butterfly_x"), size="tiny", colour="quiet", ha="center")
    panel.outside(-8.0, height_mm / 2, style.label("ground.butterfly_y"), size="tiny", rotation=90, ha="center", va="center")
    drawn = [_draw_layer(panel, side, drawing, index, scale) for index in range(len(drawing.layers))]
    if not any(drawn):
        panel.notice(drawing.layers[0].missing(side, ROWS["GroundReactionForce", "Z"], style))
    return panel


def _draw_layer(panel: Panel, side: str, drawing: Drawing, index: int, scale: float) -> bool:
    """Draw one session's stances; of two sessions only the envelopes, which stay readable."""
    layer, alone = drawing.layers[index], len(drawing.layers) == 1
    stances = stance_forces(layer, side)
    for force, along in stances:
        foot = np.column_stack([along, np.zeros(len(along))])
        tip = foot + force * [scale, 1.0]
        name = f"{layer.name}|{side}|butterfly"
        if alone:
            panel.polylines(np.stack([foot, tip], axis=1), colour=side, width=0.45, opacity=0.75, gid=f"{name}|forces")
        dashes = SESSION_DASHES[index]
        panel.polylines([tip], colour=side if alone else session_colour(index), width=0.9, dashes=dashes, gid=f"{name}|envelope")
    return bool(stances)


def stance_forces(layer: Layer, side: str) -> list[tuple[FloatArray, FloatArray]]:
    """Force and centre of pressure of each stance with kinetics, in the vertical plane of progression.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        "L" or "R".

    Returns
    -------
    list[tuple[FloatArray, FloatArray]]
        One pair per cycle: force (n, 2), forward and up, %BW; place of the centre of pressure (n,), mm forward of its rearmost
        place: that is the heel also where the forefoot strikes first.
    """
    forces = []
    trials = {trial["name"]: trial for trial in layer.trials}
    for cycle in records(layer.used):
        frames, forward = layer.tables.frames.get(cycle.trial), trials[cycle.trial]["progression"]
        if cycle.side != side or cycle.kinetics_valid == "false" or forward is None or frames is None:
            continue
        columns = [f"{side}{variable}.{axis}" for variable in ("GroundReactionForce", "CentreOfPressure") for axis in AXES]
        if not set(columns) <= set(frames.columns):
            continue
        inside = (frames["time"] >= cycle.start_s) & (frames["time"] <= cycle.foot_off_s)
        stance, time_s = frames.loc[inside, columns].to_numpy(dtype=float), frames.loc[inside, "time"].to_numpy(dtype=float)
        # The height of the centre of pressure is the floor's, and may be empty.
        seen = np.isfinite(stance[:, :5]).all(axis=1)
        stance = stance[seen]
        if len(stance):
            ahead = np.asarray(forward, dtype=float)
            along = (stance[:, 3:5] - _belt_way_mm(trials[cycle.trial], side, time_s[seen])) @ ahead
            force = np.column_stack([stance[:, :2] @ ahead, stance[:, 2]]) * PERCENT_BW_PER_N_KG
            forces.append((force, along - along.min()))
    return forces


def _belt_way_mm(trial: Mapping[str, Any], side: str, time_s: FloatArray) -> FloatArray | float:
    """How far a treadmill's belt has carried the foot (n, 2), mm; nothing over ground."""
    belt = trial.get("belts", {}).get(side)
    if belt is None:
        return 0.0
    return MM_PER_M * Belt(np.asarray(belt["time_s"], dtype=float), np.asarray(belt["velocity_m_s"], dtype=float)).way_lab_m(time_s)
