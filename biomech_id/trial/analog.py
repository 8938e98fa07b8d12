"""Analog channels: every voltage, force or muscle signal that was sampled beside the video."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray, float_array, keep_array
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, a_quantity, a_str, each, holds
from biomech_id.errors import MissingInputError, ShapeError, near_miss
from biomech_id.trial.markers import RATE_HZ, check_unique
from biomech_id.values import dataclass, field


@dataclass(frozen=True)
class PlateChannel:
    """Which channel of which force plate a signal is.

    Attributes
    ----------
    plate : str
        The plate's name, ``plate 1``; also of a plate that could not be used.
    number : int
        Its place among that plate's channels, counted from 1: Fx, Fy, Fz, Mx, My, Mz of a plate of type 2 are 1 to 6.
    """

    plate: str
    number: int


@holds(names=each(a_str()), units=each(a_str()), rate_hz=a_quantity(0.0, 1e6, "Hz"), plates=a(Sequence))
@compact_repr
@dataclass(frozen=True, eq=False)
class AnalogChannels:
    """Every analog channel of a recording, as recorded.

    The numbers are kept as the file holds them, so that a recording costs no more memory than its file, and become physical values
    when they are asked for.

    Attributes
    ----------
    names : tuple[str, ...], optional
        One for each channel, unique.
    units : tuple[str, ...], optional
        As the file writes them; empty where it says nothing.
    rate_hz : float
        Samples per second of every channel.
    stored : NDArray[Any], optional
        (n_samples, n_channels), integers or floats as recorded.
    scale : FloatArray | None, optional
        (n_channels,), unit per stored number; NaN for a channel without calibration. None is 1.
    offset : FloatArray | None, optional
        (n_channels,), stored number that means zero. None is 0.
    plates : tuple[PlateChannel | None, ...], optional
        For each channel the force plate that it belongs to, or None; an empty tuple means no plates.
    descriptions : tuple[str, ...], optional
        What the file says about each channel; an empty tuple means nothing.
    first_time_s : float, optional
        Time of the first sample on the recording's clock; a `Trial` says it.

    Raises
    ------
    InvalidValueError
        Duplicate names, or a rate that is not positive.
    ShapeError
        Arrays or tuples that do not fit the names.

    Examples
    --------
    >>> import numpy as np
    >>> emg = AnalogChannels(("tibialis", "soleus"), ("mV", "mV"), 1000.0, np.array([[1, 2], [3, 4]]), scale=np.array([0.5, 2.0]))
    >>> emg["soleus"]
    array([4., 8.])
    """

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    rate_hz: float = 0.0
    stored: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 0)))
    scale: FloatArray | None = None
    offset: FloatArray | None = None
    plates: tuple[PlateChannel | None, ...] = ()
    descriptions: tuple[str, ...] = ()
    first_time_s: float = 0.0

    def __post_init__(self) -> None:
        set_, n = object.__setattr__, len(self.names)
        given = self.stored
        stored = given if isinstance(given, np.ndarray) else float_array(given, name="stored", where="AnalogChannels")
        if stored.flags.writeable:
            stored = stored.copy()
            stored.flags.writeable = False
        set_(self, "stored", stored)
        for name, neutral in (("scale", 1.0), ("offset", 0.0)):
            if getattr(self, name) is None:
                set_(self, name, np.full(n, neutral))
            keep_array(self, name, (n,))
        set_(self, "plates", tuple(self.plates) or (None,) * n)
        set_(self, "descriptions", tuple(self.descriptions) or ("",) * n)
        if stored.ndim != 2 or {stored.shape[1], len(self.units), len(self.plates), len(self.descriptions)} != {n}:
            sizes = f"{n} names, {len(self.units)} units, {len(self.plates)} plate marks and numbers of shape {stored.shape}"
            raise ShapeError(f"Analog channels have {sizes}.", value=sizes, expected="as many of each", where="AnalogChannels")
        check_unique(self.names, "Analog channels of one name", "unique names", "AnalogChannels")
        if n:
            RATE_HZ.check(self.rate_hz, "rate_hz", "AnalogChannels")

    @property
    def n_samples(self) -> int:
        """Number of samples of each channel."""
        return int(self.stored.shape[0])

    @property
    def time_s(self) -> FloatArray:
        """Time of each sample, (n_samples,), seconds, on the recording's clock (``first_time_s``)."""
        return self.first_time_s + np.arange(self.n_samples, dtype=np.float64) / (self.rate_hz or 1.0)

    @cached_property
    def values(self) -> FloatArray:
        """(n_samples, n_channels), each in its unit:
        (stored - offset) * scale; missing is NaN and only NaN.
        """
        return self._physical(slice(None))

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> FloatArray:
        """Return one channel, (n_samples,), in its unit.

        Raises
        ------
        MissingInputError
            There is no such channel.
        """
        if name not in self.names:
            near = near_miss(name, self.names)
            raise MissingInputError(
                f"There is no analog channel {name}.{near}",
                value=name,
                expected=f"one of {', '.join(self.names)}",
                where=name,
            )
        return self._physical(self.names.index(name))

    def _physical(self, which: int | slice) -> FloatArray:
        assert self.scale is not None
        assert self.offset is not None
        with np.errstate(invalid="ignore", over="ignore"):
            physical = (self.stored[:, which].astype(np.float64) - self.offset[which]) * self.scale[which]
        physical[~np.isfinite(physical)] = np.nan
        physical.flags.writeable = False
        return physical
