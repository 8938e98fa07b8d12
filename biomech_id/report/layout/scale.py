"""A fixed vertical scale, the same for every subject, so that two sheets can be laid over one another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A fixed vertical scale: ``low`` to ``high`` with a tick every ``step``, in the plotted unit.

    Attributes
    ----------
    low, high : float
        Ends of the scale.
    step : float
        Between ticks.
    """

    low: float
    high: float
    step: float

    @property
    def ticks(self) -> tuple[float, ...]:
        """Tick positions that lie on the scale, multiples of ``step``, lowest first."""
        first = -(-self.low // self.step)
        last = self.high // self.step
        return tuple(round(k * self.step, 9) for k in range(int(first), int(last) + 1))
