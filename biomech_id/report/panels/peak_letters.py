"""Names of the power peaks beside the curves: A1, K3, H2, each as near its peak as it can stand without touching a curve."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.typography import MM_PER_POINT, width_mm
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.values import dataclass, field

#: White around a letter.
_GAP_MM = 0.7
#: Height of a capital over the type size (DejaVu Sans).
_CAPITAL = 0.73
#: Steps to the side that are tried, in widths of the name.
_STEPS = (0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5, -2.0, 2.0, -3.0, 3.0)
#: What standing on a line of foot off costs, against a millimetre of distance.
_ON_FOOT_OFF = 4.0


def draw_peaks(panel: Panel, variable: str, layer: Layer) -> None:
    """Write the names of one joint's power peaks, once per side in its colour.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    variable : str
        Its name without the side: "KneeMoment".
    layer : Layer
        Cycles of one movement and one condition.
    """
    style = panel.style
    size, row = style.size("tiny"), ROWS[variable, ""]
    curves = np.stack([layer.mean(side, row, style).mean for side in SIDES])
    room = _Room(panel, curves, np.array([layer.foot_off_percent(side) for side in SIDES]), size * MM_PER_POINT * _CAPITAL)
    for side in SIDES:
        for name, percent, value in mean_peaks(layer, side, variable):
            x, y = room.place(percent, width_mm(name, size), upwards=value >= 0)
            panel.outside(x, y, name, size="tiny", colour=side, ha="center", va="baseline", zorder=5)


def mean_peaks(layer: Layer, side: str, variable: str) -> list[tuple[str, float, float]]:
    """Power peaks of one side: name, mean percent of the cycle, mean value (W/kg) over the cycles in the mean.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    side : str
        Whose cycles, "L" or "R".
    variable : str
        Its name without the side: "KneeMoment".
    """
    peaks = layer.tables.peaks
    of_curve = peaks[(peaks["side"] == side) & (peaks["variable"] == variable) & peaks["name"].str.fullmatch("[AKH][1-4]")]
    wanted = set(zip(layer.used["trial"], layer.used["side"], layer.used["cycle"], strict=True))
    inside = [key in wanted for key in zip(of_curve["trial"], of_curve["side"], of_curve["cycle"], strict=True)]
    of_curve = of_curve[np.asarray(inside, dtype=bool)]
    return [
        (str(n), float(g["percent"].mean()), float(g["value"].mean()))
        for n, g in of_curve.groupby("name")
        if g["value"].notna().any()
    ]


@dataclass
class _Room:
    """Where letters may stand in one panel; millimetres from the frame's lower left corner.

    Attributes
    ----------
    panel : Panel
        With its scales set.
    curves : FloatArray
        (sides, 101), in the plotted unit.
    foot_off_percent : FloatArray
        (sides,).
    height_mm : float
        Of a letter.
    taken : list[tuple[float, float, float, float]], optional
        Boxes of the letters that stand already: left, right, bottom, top.
    """

    panel: Panel
    curves: FloatArray
    foot_off_percent: FloatArray
    height_mm: float
    taken: list[tuple[float, float, float, float]] = field(default_factory=list)

    def place(self, percent: float, width: float, *, upwards: bool) -> tuple[float, float]:
        """Return where the name of a peak at ``percent`` stands, the middle of its baseline, and keep the place for it."""
        places = [self._beside(percent, step * width, width, upwards) for step in _STEPS]
        _, x, bottom = min(places)
        self.taken.append((x - width / 2, x + width / 2, bottom, bottom + self.height_mm))
        return x, bottom

    def _beside(self, percent: float, aside: float, width: float, upwards: bool) -> tuple[float, float, float]:
        """Cost of standing ``aside`` of a peak, beyond every curve there and every letter, and the place."""
        panel_width, panel_height = self.panel.size_mm
        least = width / 2 + _GAP_MM
        x = float(np.clip(percent / 100 * panel_width + aside, least, panel_width - least))
        left, right = x - least, x + least
        # A letter above a peak is a letter below one, seen in a mirror.
        way = 1.0 if upwards else -1.0
        near = way * self._heights(left, right)
        base = (float(near.max()) if near.size else (0.0 if upwards else -panel_height)) + _GAP_MM
        for box_left, box_right, bottom, top in sorted(self.taken, key=lambda box: way * box[2]):
            low, high = (bottom, top) if upwards else (-top, -bottom)
            if box_left < right and box_right > left and low < base + self.height_mm + _GAP_MM and high + _GAP_MM > base:
                base = high + _GAP_MM
        bottom = base if upwards else -base - self.height_mm
        inside = float(np.clip(bottom, _GAP_MM, panel_height - self.height_mm - _GAP_MM))
        peak = way * self._heights(percent / 100 * panel_width - 0.5, percent / 100 * panel_width + 0.5)
        distance = abs(base - float(peak.max())) if peak.size else 0.0
        crossed = np.any((self.foot_off_percent / 100 * panel_width > left) & (self.foot_off_percent / 100 * panel_width < right))
        # Off the frame means on a curve: last of all choices.
        cost = abs(x - percent / 100 * panel_width) + distance + _ON_FOOT_OFF * bool(crossed) + 100.0 * abs(bottom - inside)
        return cost, x, inside

    def _heights(self, left: float, right: float) -> FloatArray:
        """Heights of every curve between two places, mm; between its points a curve is straight."""
        panel_width, panel_height = self.panel.size_mm
        low, high = self.panel.get_ylim()
        at = np.linspace(max(left, 0.0), min(right, panel_width), 21) / panel_width * 100.0
        values = np.stack([np.interp(at, np.arange(101.0), curve) for curve in self.curves])
        heights = (values[np.isfinite(values)] - low) / (high - low) * panel_height
        return np.asarray(heights, dtype=float)
