"""A vertical scale: the same for every subject, so that two sheets can be laid over one another, and wider where curves need it."""

from __future__ import annotations

import numpy as np

from biomech_id.values import dataclass

#: A curve leaves its panel where it passes the end by more than its own line is thick, as a share of the panel: the noise of an
#: unloaded plate does not.
EDGE = 0.01
#: More ticks than this are too near to each other: the distance between them doubles.
_MOST_TICKS = 9


@dataclass(frozen=True)
class Scale:
    """A vertical scale: ``low`` to ``high`` with a tick every ``step``, in the plotted unit.

    Attributes
    ----------
    low, high : float
        Ends of the scale.
    step : float
        Between ticks.
    widened : bool, optional
        Whether it is wider than the one that every subject has.
    """

    low: float
    high: float
    step: float
    widened: bool = False

    @property
    def ticks(self) -> tuple[float, ...]:
        """Tick positions that lie on the scale, multiples of ``step``, lowest first."""
        first = -(-self.low // self.step)
        last = self.high // self.step
        return tuple(round(k * self.step, 9) for k in range(int(first), int(last) + 1))

    def holding(self, low: float, high: float) -> Scale:
        """Return this scale, wider by whole steps where values would leave it.

        Parameters
        ----------
        low : float
            Lowest value to be shown, in the plotted unit; NaN for none.
        high : float
            Highest value, likewise.

        Examples
        --------
        >>> from biomech_id.report.layout.scale import Scale
        >>> Scale(-2.0, 5.0, 1.0).holding(-1.0, 6.3)
        Scale(low=-2.0, high=7.0, step=1.0, widened=True)
        """
        edge = EDGE * (self.high - self.low)
        below = np.ceil((self.low - low) / self.step) if low < self.low - edge else 0.0
        above = np.ceil((high - self.high) / self.step) if high > self.high + edge else 0.0
        if not below and not above:
            return self
        step = self.step
        ends = round(self.low - float(below) * step, 9), round(self.high + float(above) * step, 9)
        while (ends[1] - ends[0]) / step > _MOST_TICKS:
            step *= 2.0
        return Scale(*ends, step, widened=True)
