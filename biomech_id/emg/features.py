"""What is measured of a channel before it is judged: shape and spectrum, never size.

Every number here is the same for a channel multiplied by any factor, turned upside down or moved by an offset: units of recordings
are not to be trusted, and dead inputs of one laboratory are larger than living muscle of another. What a vendor padded with a
constant before and after the measurement is left out.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.emg.onset import window_rms
from biomech_id.emg.processing import LOW_HZ, high_edge_hz
from biomech_id.signal.runs import runs
from biomech_id.signal.spectrum import power_density
from biomech_id.values import dataclass

#: A constant end of the record as long as this is padding.
_PADDING_S = 0.02
#: Samples within this share of the range from its end are on a rail, if so long a run of them is.
_RAIL_SHARE, _RAIL_RUN_S, _LONE_PERCENT = 0.002, 0.008, 0.1
#: A line is a bin of the spectrum so much above its neighbours' median within 15 Hz.
_LINE_FACTOR, _LINE_NEIGHBOURS_HZ, _LINES_FROM_HZ = 12.0, 15.0, 15.0
_MUSCLE_HZ, _NOISE_FROM, _LEAST_NOISE_HZ = (30.0, 120.0), 0.6, 150.0
#: Shorter than this nothing can be said.
SHORTEST_RECORD_S = 0.2


@dataclass(frozen=True)
class Features:
    """What is measured of one channel.

    Attributes
    ----------
    sd : float
        Standard deviation of the band-passed signal, in its own unit.
    burst_ratio : float
        95th over 10th percentile of the RMS in 50 ms windows.
    strong_ratio : float
        99th over 50th percentile of the same.
    span_ratio : float
        99th over 10th percentile of the same.
    kurtosis : float
        Of the band-passed signal; 3 for noise.
    slope : float
        Median power density from 30 to 120 Hz over that of the upper 0.4 of the band, lines left out; 1 for white noise, NaN where
        the recording is too slow to hold anything above the muscle's own frequencies.
    line_share : float
        Share of narrow lines in the power above 15 Hz.
    line_hz : float
        Frequency of the strongest line, Hz; NaN without one.
    low_share : float
        Share of the power below 20 Hz.
    rail_share : float
        Share of samples in runs of at least 8 ms on a limit of the range.
    one_sided : bool
        Whether the signal only goes one way from its rest, as one that was rectified.
    flat : bool
        Whether it holds nothing but one value.
    """

    sd: float = 0.0
    burst_ratio: float = float("nan")
    strong_ratio: float = float("nan")
    span_ratio: float = float("nan")
    kurtosis: float = float("nan")
    slope: float = float("nan")
    line_share: float = 0.0
    line_hz: float = float("nan")
    low_share: float = float("nan")
    rail_share: float = 0.0
    one_sided: bool = False
    flat: bool = True


def without_padding(values: FloatArray, rate_hz: float) -> FloatArray:
    """Return signals without the constant ends that a vendor added.

    Parameters
    ----------
    values : FloatArray
        (n, channels), any unit.
    rate_hz : float
        Samples per second of the signal.

    Returns
    -------
    FloatArray
        (n, channels), a copy, with NaN in those ends; all NaN for a channel of one value.
    """
    kept = np.array(values, dtype=np.float64)
    shortest = max(2, round(_PADDING_S * rate_hz))
    for channel in range(kept.shape[1]):
        path = kept[:, channel]
        known = np.flatnonzero(np.isfinite(path))
        changes = known[1:][np.diff(path[known]) != 0.0] if len(known) else known
        if not len(changes):
            path[:] = np.nan
            continue
        first, last = int(changes[0]), int(changes[-1])
        if first - int(known[0]) >= shortest:
            path[:first] = np.nan
        if int(known[-1]) - last + 1 >= shortest:
            path[last:] = np.nan
    return kept


def measure_channel(values: FloatArray, band: FloatArray, rate_hz: float) -> Features:
    """Return what is measured of one channel.

    Parameters
    ----------
    values : FloatArray
        (n,), as recorded, without padding; any unit.
    band : FloatArray
        (n,), the same band-passed.
    rate_hz : float
        Samples per second of the signal.

    Returns
    -------
    Features
        The defaults, ``flat`` among them, for a signal shorter than 0.2 s or of one value.
    """
    known = np.isfinite(values) & np.isfinite(band)
    raw, band = values[known], band[known]
    if len(raw) < SHORTEST_RECORD_S * rate_hz or raw.min() == raw.max():
        return Features()
    raw = raw - raw.mean()
    sd = float(band.std())
    # Largest first: squares of microvolts in volts, and of converter counts, both stay within the numbers there are.
    raw = raw / np.abs(raw).max()
    if sd <= 1e-9 * float(np.abs(values[known] - values[known].mean()).max()):
        return Features()
    one_sided = is_one_sided(raw)
    ratios = _ratios(_rectified_level(raw, rate_hz) if one_sided else window_rms(band / sd, rate_hz))
    shape = band / sd
    spectrum = _spectrum(raw, rate_hz)
    return Features(sd, *ratios, float(np.mean(shape**4)), *spectrum, rail_share(raw, rate_hz), one_sided, flat=False)


def _ratios(level: FloatArray) -> tuple[float, float, float]:
    weak, half, strong, strongest = np.percentile(level, [10.0, 50.0, 95.0, 99.0])
    least = np.finfo(float).tiny
    return float(strong / max(weak, least)), float(strongest / max(half, least)), float(strongest / max(weak, least))


def is_one_sided(centred: FloatArray) -> bool:
    """Whether a signal rests at one end of its range and only leaves it one way.

    Parameters
    ----------
    centred : FloatArray
        (n,), without its mean, any unit.
    """
    lowest, middle, highest = np.percentile(centred, [0.0, 50.0, 100.0])
    below, above = middle - lowest, highest - middle
    return bool(min(below, above) < 0.1 * max(below, above))


def _rectified_level(centred: FloatArray, rate_hz: float) -> FloatArray:
    """Mean over 50 ms of a signal that is rectified already, from its rest."""
    lowest, middle, highest = np.percentile(centred, [0.0, 50.0, 100.0])
    from_rest = centred - lowest if highest - middle > middle - lowest else highest - centred
    # The mean of a rectified signal is its RMS up to a factor, and leaves the rest's own noise in.
    return window_rms(np.sqrt(np.maximum(from_rest, 0.0)), rate_hz) ** 2


def rail_share(centred: FloatArray, rate_hz: float) -> float:
    """Return the share of samples in runs of at least 8 ms on a limit of the range.

    Parameters
    ----------
    centred : FloatArray
        (n,), without padding, any unit.
    rate_hz : float
        Samples per second of the signal.

    Returns
    -------
    float
        0 to 1.
    """
    # A lone spike is no limit, and beside it all else would be near the other one.
    lowest, highest = np.percentile(centred, [_LONE_PERCENT, 100.0 - _LONE_PERCENT])
    near = _RAIL_SHARE * (highest - lowest)
    on_rail: BoolArray = np.asarray((centred <= lowest + near) | (centred >= highest - near))
    return sum(stop - start for start, stop in runs(on_rail) if stop - start >= _RAIL_RUN_S * rate_hz) / len(centred)


def _spectrum(centred: FloatArray, rate_hz: float) -> tuple[float, float, float, float]:
    """Slope, share of lines, frequency of the strongest, share of the power below 20 Hz."""
    hz, power = power_density(centred, rate_hz, min(len(centred), 2 ** round(np.log2(rate_hz))))
    reach = round(_LINE_NEIGHBOURS_HZ / hz[1])
    around = np.median(sliding_window_view(np.pad(power, reach, mode="edge"), 2 * reach + 1), axis=1)
    high = high_edge_hz(rate_hz)
    # What the band-pass takes away anyway is nobody's hum.
    above = (hz >= _LINES_FROM_HZ) & (hz <= high)
    line = above & (power > _LINE_FACTOR * around)
    # The window spreads a line over its neighbours.
    wide = above & (line | np.roll(line, 1) | np.roll(line, -1))
    share = float(np.maximum(power - around, 0.0)[wide].sum() / power[above].sum())
    strongest = float(hz[np.argmax(np.where(line, power, 0.0))]) if line.any() else float("nan")
    muscle = power[(hz >= _MUSCLE_HZ[0]) & (hz <= _MUSCLE_HZ[1]) & ~wide]
    if _NOISE_FROM * high < _LEAST_NOISE_HZ:
        return float("nan"), share, strongest, float(power[hz < LOW_HZ].sum() / power.sum())
    noise = power[(hz >= _NOISE_FROM * high) & (hz <= high) & ~wide]
    slope = float(np.median(muscle) / np.median(noise)) if len(muscle) and len(noise) and np.median(noise) > 0 else float("inf")
    return slope, share, strongest, float(power[hz < LOW_HZ].sum() / power.sum())
