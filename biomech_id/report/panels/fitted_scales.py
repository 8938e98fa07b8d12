"""Scales that hold every curve of one kind of movement, the same for both sides and on all pages of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from biomech_id.conventions import SignRow
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.norm import Norm


def fitted(style: Style, layers: Sequence[Layer], norm: Norm | None = None) -> Style:
    """Return a style whose scales hold the curves of all cycles that were measured well enough, and the norm.

    A cycle that was refused may leave its panel, which then says how far: one lost marker would flatten every other curve.

    Parameters
    ----------
    style : Style
        Colours, words, scales and units of the report.
    layers : Sequence[Layer]
        Everything that is drawn of one kind of movement.
    norm : Norm | None, optional
        What stands behind straight walks; None for nothing.
    """
    run = any(layer.run for layer in layers)
    extremes = [layer.tables.extremes(layer.cycles[layer.cycles["sound"].astype(bool)]) for layer in layers]
    scales = {}
    for name, row in ROWS.items():
        label = f"{row.variable}.{row.component}".rstrip(".")
        if label not in style.scales and not row.scale:
            continue  # drawn by no page
        factor = style.factor(row)
        ends = [(each[name][0] * factor, each[name][1] * factor) for each in extremes if name in each]
        ends += [] if norm is None else _of_norm(norm, row, style)
        if ends:
            lowest, highest = min(low for low, _ in ends), max(high for _, high in ends)
            scales[label] = style.scale(row, run=run).holding(lowest, highest)
    if run:
        return replace(style, run_scales={**style.run_scales, **scales})
    return replace(style, scales={**style.scales, **scales})


def _of_norm(norm: Norm, row: SignRow, style: Style) -> Iterable[tuple[float, float]]:
    band, mean = norm.band(row, style), norm.curve(row, style)
    if band is None or mean is None:
        return []
    # Of one person there is no spread.
    below, above = (np.where(np.isnan(edge), mean[0], edge) for edge in band[:2])
    return [(float(np.nanmin(below)), float(np.nanmax(above)))]
