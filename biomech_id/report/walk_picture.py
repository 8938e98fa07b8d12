"""A picture of what a walk's markers are taken for: from the side and from behind, for the one question whether it is right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from biomech_id.markersets.walking import WalkNames, WalkShape

_SIDES = {"L": "#b02a2a", "R": "#1f5fa8", "": "black"}


def draw_walk_names(shape: WalkShape, names: WalkNames, path: Path) -> Path:
    """Draw the markers of a walk at their mean places, those that are offered with their names.

    Parameters
    ----------
    shape : WalkShape
        Of the walk.
    names : WalkNames
        What its markers lie on.
    path : Path
        PNG to write.

    Returns
    -------
    Path
        The same.
    """
    offered = names.offered()
    origin = shape.names.index(names.labels["L", "asis"])
    place_m = np.column_stack([shape.vector_m[origin, :, :2], shape.height_m])
    place_m[origin, :2] = 0.0
    figure = Figure(figsize=(9.0, 7.0), dpi=110, layout="constrained")
    for number, (axis, words) in enumerate(((0, "forward (m)"), (1, "left (m)"))):
        panel = figure.add_subplot(1, 2, number + 1)
        flip = -1.0 if axis == 1 else 1.0  # from behind, left is left
        panel.plot(flip * place_m[:, axis], place_m[:, 2], ".", color="0.6", markersize=4)
        for (side, role), label in names.labels.items():
            x, z = flip * place_m[shape.names.index(label), axis], place_m[shape.names.index(label), 2]
            sure = (side, role) in offered
            panel.plot(x, z, "o", color=_SIDES[side], markersize=5, fillstyle="full" if sure else "none")
            text = f"{side} {role.replace('_', ' ')}{'' if sure else '?'}: {label}".strip()
            outward = -1 if side == "L" else 1
            panel.annotate(text, (x, z), (5 * outward, 2), textcoords="offset points", fontsize=6, color=_SIDES[side],
                           ha="left" if outward == 1 else "right")  # fmt: skip
        panel.set_aspect("equal", adjustable="datalim")
        panel.margins(0.6, 0.05)
        panel.set_xlabel(words if axis == 0 else "right of the left spine (m)")
        panel.set_ylabel("height (m)")
    figure.savefig(path, metadata={"Software": None})
    return path
