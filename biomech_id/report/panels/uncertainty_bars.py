"""How sure a mean moment is: upright bars of 95 % about the curve, and in words where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import MOMENT_VARIABLE, SIDES, SignRow
from biomech_id.report.layout.numbers import digits
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.statistics.session_error import session_error

#: Standard deviations that 95 % of a normal distribution lie within.
COVERAGE = 1.96
#: Where the bars stand, percent of the cycle: sides apart, so that both can be read; and how wide their caps are.
BARS_AT: dict[str, range] = {"L": range(4, 101, 10), "R": range(6, 101, 10)}
CAP_WIDTH = 1.0
#: Sources named for each joint: the two largest tell the rest by their absence.
_NAMED = 2


def draw_bars(panel: Panel, side: str, mean: FloatArray, sd: Mapping[str, FloatArray], *, gid: str) -> None:
    """Draw a bar of 95 % about a mean curve (101,) at every tenth of the cycle; nothing where its uncertainty is not known.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    side : str
        Whose mean, "L" or "R".
    mean : FloatArray
        (101,), the curve that the bars stand on, in the panel's unit.
    sd : Mapping[str, FloatArray]
        Source of error -> standard deviation (101,) of the mean, and "total", in the plotted unit.
    gid : str
        Name of the drawn lines.
    """
    if not sd:
        return
    reach = COVERAGE * sd["total"]
    bars = [[(x, mean[x] - reach[x]), (x, mean[x] + reach[x])] for x in BARS_AT[side] if np.isfinite(mean[x] + reach[x])]
    caps = [[(x - CAP_WIDTH / 2, y), (x + CAP_WIDTH / 2, y)] for bar in bars for x, y in bar]
    panel.polylines([*bars, *caps], colour=side, width=0.5, zorder=2.5, gid=gid)


def measurement_sd(layer: Layer, side: str, row: SignRow, style: Style) -> FloatArray | None:
    """Return what a mean curve is off by because of the measurement, one SD (101,) in the plotted unit; None where nobody knows.

    What ``uncertainty.csv`` says of the mean; where nobody asked for that, what markers placed anew make of an unchanged walk.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        Whose mean, "L" or "R".
    row : SignRow
        The variable's row of the sign table.
    style : Style
        Colours, words, scales and units of the report.
    """
    by_source = layer.uncertainty(side, row, style)
    if by_source:
        return by_source["total"]
    legs = layer.tables.summary.get("subject", {}).get("leg_length_m") or {}
    placed = session_error(row.variable, row.component, leg_m=legs.get(side))
    return None if placed is None else placed.sd * style.factor(row)


def uncertainty_lines(layer: Layer, style: Style) -> Iterator[str]:
    """For hip, knee and ankle: 95 % limits of the mean sagittal moment in stance, and the sources that matter most.

    Root mean squares from 0 % to foot off over both sides; the shares are of the variance.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, words, scales and units of the report.
    """
    for joint in reversed(JOINTS):
        variance = _stance_variance(layer, MOMENT_VARIABLE[joint], style)
        total = variance.pop("total", 0.0)
        if total > 0:
            largest = sorted(variance, key=lambda source: variance[source], reverse=True)[:_NAMED]
            shares = ", ".join(f"{style.label(f'error.{source}')} {100 * variance[source] / total:.0f} %" for source in largest)
            limits = digits(COVERAGE * total**0.5, ".2f", style.decimal_mark)
            yield style.label("kinetics.sure", joint=style.label(f"joint.{joint}"), limits=limits, sources=shares)


def _stance_variance(layer: Layer, variable: str, style: Style) -> dict[str, float]:
    """Source, and "total" -> mean variance of the sagittal component from 0 % to foot off, over both sides."""
    variances: dict[str, list[float]] = {}
    for side in SIDES:
        off = layer.foot_off_percent(side)
        stance = slice(0, round(off) + 1 if np.isfinite(off) else None)
        for source, sd in layer.uncertainty(side, ROWS[variable, "X"], style).items():
            variances.setdefault(source, []).extend(sd[stance][np.isfinite(sd[stance])] ** 2)
    return {source: float(np.mean(values)) for source, values in variances.items() if values}
