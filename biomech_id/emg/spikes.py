"""Narrow spikes in a channel: those of the heart, and those of a cable at foot strikes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.signal.runs import runs

#: A spike stands so many times above the channel's typical absolute value, and is over after this long.
_HEIGHT, _WIDEST_S = 8.0, 0.08
#: Hearts beat in this range, Hz, with intervals that differ by this share at most; so many beats must be seen.
_HEART_HZ, _REGULAR, _LEAST_BEATS = (0.7, 3.0), 0.15, 5
#: Intervals this near to a stride's, or half of one, are the gait's.
_IN_STEP = 0.1
#: A cable moves within this time of a strike.
_AT_STRIKE_S = 0.05


def spike_times_s(band: FloatArray, rate_hz: float) -> FloatArray:
    """Return when narrow spikes stand out of a channel.

    Parameters
    ----------
    band : FloatArray
        (n,), band-passed, any unit.
    rate_hz : float
        Samples per second of the signal.

    Returns
    -------
    FloatArray
        (k,), seconds from its first sample; empty where there are none.
    """
    size = np.abs(np.nan_to_num(band))
    typical = float(np.median(size))
    if typical <= 0:
        return np.zeros(0)
    width = max(1, round(0.02 * rate_hz))
    wide = np.convolve(size > _HEIGHT * typical, np.ones(width), mode="same") > 0
    spans = [(start, stop) for start, stop in runs(wide) if (stop - start - width) / rate_hz <= _WIDEST_S]
    return np.array([(start + int(np.argmax(size[start:stop]))) / rate_hz for start, stop in spans])


def heart_rate_hz(times_s: FloatArray, stride_s: float = float("nan")) -> float:
    """Return the rate of the heart whose beats spikes are.

    Parameters
    ----------
    times_s : FloatArray
        (n,), when the spikes are, seconds.
    stride_s : float, optional
        Duration of a gait cycle: what comes as often, or twice, is the gait's. NaN where nobody walks.

    Returns
    -------
    float
        Beats per second; NaN where they are none.
    """
    if len(times_s) < _LEAST_BEATS:
        return float("nan")
    gaps = np.diff(times_s)
    typical = float(np.median(gaps))
    in_step = any(abs(typical - step) <= _IN_STEP * step for step in (stride_s, 0.5 * stride_s))
    regular = float(np.std(gaps)) <= _REGULAR * typical
    return 1.0 / typical if regular and not in_step and _HEART_HZ[0] <= 1.0 / typical <= _HEART_HZ[1] else float("nan")


def spikes_at_strikes(times_s: FloatArray, strikes_s: Sequence[float]) -> float:
    """Return the share of spikes within 50 ms of a foot strike.

    Parameters
    ----------
    times_s : FloatArray
        (n,), when the spikes are, seconds.
    strikes_s : Sequence[float]
        Strikes on the same clock, seconds.

    Returns
    -------
    float
        0 to 1; 0 where there are no spikes or no strikes.
    """
    if not len(times_s) or not len(strikes_s):
        return 0.0
    apart = np.abs(times_s[:, None] - np.asarray(strikes_s)[None, :]).min(axis=1)
    return float(np.mean(apart <= _AT_STRIKE_S))
