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
from biomech_id.signal.sections import band_pass_sections, both_ways, low_pass_sections, notch_section

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
    """Return the upper design frequency of the band-pass.

    Parameters
    ----------
    rate_hz : float
        Samples per second of the signal.

    Returns
    -------
    float
        450 Hz, or 0.45 of the rate of a slow recording.

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
        Samples per second of the signal.
    low_hz : float, optional
        Lower design frequency; the upper one is 450 Hz or 0.45 of the rate.
    lines_hz : Sequence[float], optional
        Narrow lines that were found in the signal and are taken out, harmonics included.

    Returns
    -------
    FloatArray
        Shape and unit of ``values``; NaN stays NaN, as do stretches of fewer than eight samples.

    Raises
    ------
    InvalidValueError
        Fewer than 300 samples per second, or a lower design frequency that is not between zero and the upper one.
    """
    high_hz = high_edge_hz(rate_hz)
    if not 0 < low_hz < high_hz:
        raise InvalidValueError(
            f"Muscle signals cannot be passed from {low_hz:g} to {high_hz:g} Hz.",
            value=low_hz, expected=f"more than 0 and less than {high_hz:g} Hz", where="low_hz",
        )  # fmt: skip
    sections = [band_pass_sections(rate_hz, low_hz, high_hz)]
    for line_hz in lines_hz:
        harmonics = np.arange(line_hz, high_hz, line_hz) if line_hz > 0 else ()
        sections += [notch_section(rate_hz, hz, line_hz / _NOTCH_Q) for hz in harmonics]
    return _both_ways(np.concatenate(sections), values, rate_hz, centred=True)


def envelope(band: FloatArray, rate_hz: float, *, cutoff_hz: float = ENVELOPE_HZ) -> FloatArray:
    """Return the linear envelope of band-passed signals.

    Parameters
    ----------
    band : FloatArray
        (n,) or (n, channels), band-passed, any unit.
    rate_hz : float
        Samples per second of the signal.
    cutoff_hz : float, optional
        Design frequency; the two passes have their -3 dB point at 0.802 of it.

    Returns
    -------
    FloatArray
        Shape and unit of ``band``: absolute value, Butterworth low-pass of order 2 forwards and backwards, nothing below zero.

    Raises
    ------
    InvalidValueError
        A cut-off that is not between zero and half the sampling rate.
    """
    if not 0 < cutoff_hz < rate_hz / 2:
        raise InvalidValueError(
            f"An envelope cannot be cut off at {cutoff_hz:g} Hz at {rate_hz:g} samples per second.",
            value=cutoff_hz, expected=f"more than 0 and less than {rate_hz / 2:g} Hz", where="cutoff_hz",
        )  # fmt: skip
    sections = low_pass_sections(rate_hz, cutoff_hz)
    # NaN stays NaN: np.maximum passes it on.
    return np.maximum(_both_ways(sections, np.abs(band), rate_hz, centred=False), 0.0)


def _both_ways(sections: FloatArray, values: FloatArray, rate_hz: float, *, centred: bool) -> FloatArray:
    # Channel by channel in memory: the recursion runs along the record.
    flat = np.array(np.reshape(values, (len(values), -1)), dtype=np.float64, order="F")
    done = np.full_like(flat, np.nan)
    for channels, start, stop in channel_runs(flat, _SHORTEST):
        stretch = flat[start:stop, channels].T
        if centred:
            stretch = stretch - stretch.mean(axis=1, keepdims=True)
        extension = min(round(EXTENSION_S * rate_hz), stop - start - 1)
        done[start:stop, channels] = both_ways(sections, stretch, extension).T
    return done.reshape(np.shape(values))
