"""From a raw channel to a band-passed signal and its envelope: the whole record at once, zero lag, never a cycle by itself.

A cycle that is filtered by itself differs at its ends by up to the whole envelope; from 0.2 s inside a cut the result of the whole
record and that of the cut agree to 2e-4 of the maximum. A pass forwards and one backwards lower the -3 dB point of a second-order
low-pass to 0.802 of its design frequency; every cut-off here is the design frequency, and is said to be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError
from biomech_id.signal.runs import channel_runs

#: Below this rate the signal's band is cut so far that nobody can judge_channel it.
LEAST_RATE_HZ = 300.0
#: Design frequencies of the band-pass: surface signals hold little outside, cables and skin move below.
LOW_HZ, HIGH_HZ = 20.0, 450.0
#: Low edge of a channel that moves so much that most of its power lies below 20 Hz.
MOVING_LOW_HZ = 40.0
#: Design frequency of the envelope's low-pass.
ENVELOPE_HZ = 9.0
#: The record is continued as an odd function about both its ends for this long.
EXTENSION_S = 0.5
#: What lies nearer to an end of the record than this depends on how the record was continued.
EDGE_S = 0.1
#: Quality factor of a notch: its width is a twentieth of its frequency.
_NOTCH_Q = 20.0
_SHORTEST = 8


def high_edge_hz(rate_hz: float) -> float:
    """Return the upper design frequency of the band-pass, which a slow recording moves down.

    Parameters
    ----------
    rate_hz : float
        Samples per second.

    Raises
    ------
    InvalidValueError
        Fewer than 300 samples per second.
    """
    if not rate_hz >= LEAST_RATE_HZ:
        raise InvalidValueError(
            f"Muscle signals sampled at {rate_hz:g} Hz cannot be judged.",
            value=rate_hz, expected=f"at least {LEAST_RATE_HZ:g} Hz", where="rate_hz",
        )  # fmt: skip
    return min(HIGH_HZ, 0.45 * rate_hz)


def band_pass(values: FloatArray, rate_hz: float, *, low_hz: float = LOW_HZ, lines_hz: Sequence[float] = ()) -> FloatArray:
    """Return signals without their mean through a Butterworth band-pass of order 4, forwards and backwards.

    Parameters
    ----------
    values : FloatArray
        (n,) or (n, channels), any unit; NaN stays NaN, every uninterrupted stretch is filtered by itself.
    rate_hz : float
        Samples per second.
    low_hz : float, optional
        Lower design frequency; the upper one is 450 Hz or 0.45 of the rate.
    lines_hz : Sequence[float], optional
        Narrow lines that were found in the signal and are taken out, harmonics included.

    Raises
    ------
    InvalidValueError
        Fewer than 300 samples per second.
    """
    from scipy import signal

    high_hz = high_edge_hz(rate_hz)
    sections = [signal.butter(4, [low_hz, high_hz], "bandpass", fs=rate_hz, output="sos")]
    for line_hz in lines_hz:
        harmonics = np.arange(line_hz, high_hz, line_hz) if line_hz > 0 else ()
        sections += [signal.tf2sos(*signal.iirnotch(hz, _NOTCH_Q * hz / line_hz, fs=rate_hz)) for hz in harmonics]
    return _both_ways(np.concatenate(sections), values, rate_hz, centred=True)


def envelope(band: FloatArray, rate_hz: float, *, cutoff_hz: float = ENVELOPE_HZ) -> FloatArray:
    """Return the linear envelope: absolute value, Butterworth low-pass of order 2 forwards and backwards, nothing below zero.

    Parameters
    ----------
    band : FloatArray
        (n,) or (n, channels), band-passed, any unit.
    rate_hz : float
        Samples per second.
    cutoff_hz : float, optional
        Design frequency; the two passes have their -3 dB point at 0.802 of it.

    Raises
    ------
    InvalidValueError
        A cut-off that is not between zero and half the sampling rate.
    """
    from scipy import signal

    if not 0 < cutoff_hz < rate_hz / 2:
        raise InvalidValueError(
            f"An envelope cannot be cut off at {cutoff_hz:g} Hz at {rate_hz:g} samples per second.",
            value=cutoff_hz, expected=f"more than 0 and less than {rate_hz / 2:g} Hz", where="cutoff_hz",
        )  # fmt: skip
    sections = signal.butter(2, cutoff_hz, "lowpass", fs=rate_hz, output="sos")
    # NaN stays NaN: np.maximum passes it on.
    return np.maximum(_both_ways(sections, np.abs(band), rate_hz, centred=False), 0.0)


def _both_ways(sections: FloatArray, values: FloatArray, rate_hz: float, *, centred: bool) -> FloatArray:
    from scipy import signal

    # Channel by channel in memory: the recursion runs along the record.
    flat = np.array(np.reshape(values, (len(values), -1)), dtype=np.float64, order="F")
    done = np.full_like(flat, np.nan)
    for channels, start, stop in channel_runs(flat, _SHORTEST):
        stretch = flat[start:stop, channels].T
        if centred:
            stretch = stretch - stretch.mean(axis=1, keepdims=True)
        extension = min(round(EXTENSION_S * rate_hz), stop - start - 1)
        done[start:stop, channels] = signal.sosfiltfilt(sections, stretch, axis=1, padtype="odd", padlen=extension).T
    return done.reshape(np.shape(values))
