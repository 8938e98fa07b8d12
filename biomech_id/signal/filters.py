"""Zero-lag low-pass filtering.

A second-order Butterworth filter run forwards and backwards has no lag and the gain ::

    G(f) = 1 / (1 + (tan(pi f / f_s) / tan(pi f_1 / f_s))^4),

that of a fourth-order filter. At the cut-off f_1 of each single pass it is a half; the cut-off the result really has is where
G = 1/sqrt(2), so that an effective cut-off f_c needs tan(pi f_1 / f_s) = tan(pi f_c / f_s) / (sqrt(2) - 1)^(1/4) (Winter,
Biomechanics and Motor Control of Human Movement, 4th ed. 2009, section 3.4.4.2).

Here the gain is applied as it stands, to the discrete Fourier transform of the path continued as an odd function about both its
ends: what the two recursive passes converge to when they start far outside, without their start-up transients.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import a_quantity, an_array, takes
from biomech_id.errors import InvalidValueError
from biomech_id.plugins import Registry
from biomech_id.signal.runs import channel_runs, few_at_a_time
from biomech_id.values import dataclass

#: Fewer samples than this hold nothing but a straight line between their ends.
SHORTEST_RUN = 3


@takes(values=an_array(), rate_hz=a_quantity(unit="Hz"), cutoff_hz=a_quantity(unit="Hz"))
def lowpass(values: FloatArray, rate_hz: float, cutoff_hz: float) -> FloatArray:
    """Filter with a fourth-order zero-lag Butterworth filter.

    Parameters
    ----------
    values : FloatArray
        (n, ...), any number of channels, any unit. NaN stays NaN; every uninterrupted stretch is filtered by itself, and its first
        and last sample keep their values.
    rate_hz : float
        Samples per second; the samples are evenly spaced.
    cutoff_hz : float
        Effective cut-off: the frequency whose amplitude is multiplied by 0.707.

    Returns
    -------
    FloatArray
        The shape and unit of ``values``; missing where they are.

    Raises
    ------
    InvalidValueError
        A cut-off that is not between zero and half the sampling rate.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.filters import lowpass
    >>> time_s = np.arange(200) / 100.0
    >>> step, tremor = np.sin(2 * np.pi * time_s), 0.1 * np.sin(2 * np.pi * 25.0 * time_s)
    >>> smooth = lowpass(step + tremor, 100.0, 6.0)
    >>> float(np.abs(smooth - step)[20:-20].max().round(3))
    0.001
    """
    if not 0 < cutoff_hz < rate_hz / 2:
        raise InvalidValueError(
            f"A cutoff_hz of {cutoff_hz:g} Hz cannot be used at a rate_hz of {rate_hz:g} Hz.",
            value=cutoff_hz, expected=f"more than 0 and less than {rate_hz / 2:g} Hz", where="cutoff_hz",
        )  # fmt: skip
    return _each_run(values, rate_hz, lambda frequency_hz: gain(frequency_hz, rate_hz, cutoff_hz))


def spline_lowpass(values: FloatArray, rate_hz: float, half_amplitude_hz: float) -> FloatArray:
    """Filter with the response of a smoothing spline, 1 / (1 + (f / f_c)^6), without lag.

    What camera software leaves of markers (`signal.bandwidth`). Its amplitude is 0.707 at 0.86 f_c.

    Parameters
    ----------
    values : FloatArray
        (n, ...), as for `lowpass`.
    rate_hz : float
        Samples per second; the samples are evenly spaced.
    half_amplitude_hz : float
        f_c, the frequency whose amplitude is halved.

    Returns
    -------
    FloatArray
        The shape and unit of ``values``; missing where they are.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.filters import spline_lowpass
    >>> time_s = np.arange(200) / 100.0
    >>> step, tremor = np.sin(2 * np.pi * time_s), 0.1 * np.sin(2 * np.pi * 25.0 * time_s)
    >>> smooth = spline_lowpass(step + tremor, 100.0, 7.0)
    >>> float(np.abs(smooth - step)[20:-20].max().round(3))
    0.0
    """
    return _each_run(values, rate_hz, lambda frequency_hz: 1.0 / (1.0 + (frequency_hz / half_amplitude_hz) ** 6))


def gain(frequency_hz: FloatArray, rate_hz: float, cutoff_hz: float) -> FloatArray:
    """Gain G(f) of `lowpass`.

    Parameters
    ----------
    frequency_hz : FloatArray
        (...,), from zero to half the sampling rate.
    rate_hz : float
        Samples per second of what is filtered.
    cutoff_hz : float
        Effective cut-off: the frequency whose amplitude is multiplied by 0.707.

    Returns
    -------
    FloatArray
        The shape of ``frequency_hz``, the factor by which the amplitude of each frequency is multiplied, 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.filters import gain
    >>> gain(np.array([0.0, 6.0, 12.0]), 100.0, 6.0).round(3)
    array([1.   , 0.707, 0.115])
    """
    with np.errstate(over="ignore"):
        ratio = np.tan(np.pi * frequency_hz / rate_hz) / np.tan(np.pi * cutoff_hz / rate_hz)
        factor: FloatArray = 1.0 / (1.0 + (np.sqrt(2.0) - 1.0) * ratio**4)
    return factor


def _each_run(values: FloatArray, rate_hz: float, response: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Every uninterrupted stretch of every channel through a response without lag, NaN where it was."""
    flat = np.array(values, dtype=np.float64).reshape(len(values), -1)
    for every, start, stop in list(channel_runs(flat, SHORTEST_RUN)):
        n = stop - start
        for channels in few_at_a_time(every, n):
            line, frequency_hz, spectrum = odd_spectrum(flat[start:stop, channels], rate_hz)
            filtered = np.fft.irfft(spectrum * response(frequency_hz)[:, None], n=2 * (n - 1), axis=0)
            flat[start:stop, channels] = line + filtered[:n]
    return flat.reshape(np.shape(values))


def odd_spectrum(path: FloatArray, rate_hz: float) -> tuple[FloatArray, FloatArray, NDArray[np.complex128]]:
    """Split an uninterrupted stretch into the line between its ends and the spectrum of the rest, odd about both ends.

    Parameters
    ----------
    path : FloatArray
        (n, m), m channels without a missing sample, any unit; n at least two.
    rate_hz : float
        Samples per second; the samples are evenly spaced.

    Returns
    -------
    line : FloatArray
        (n, m), in the unit of ``path``.
    frequency_hz : FloatArray
        (n,), from zero to half the sampling rate.
    spectrum : NDArray[np.complex128]
        (n, m), discrete Fourier transform of the rest, continued to 2 (n - 1) samples.
    """
    line = path[0] + np.linspace(0.0, 1.0, len(path))[:, None] * (path[-1] - path[0])
    rest = path - line
    odd = np.concatenate([rest[:-1], -rest[:0:-1]])
    frequency_hz = np.asarray(np.fft.rfftfreq(len(odd), 1.0 / rate_hz), dtype=np.float64)
    return line, frequency_hz, np.fft.rfft(odd, axis=0)


@dataclass(frozen=True)
class LowPass:
    """A low-pass filter that a recipe can name.

    Attributes
    ----------
    name : str
        As recipes write it.
    words : str
        What it is, for the history of a trial: "fourth order, zero lag".
    apply : Callable[[FloatArray, float, float], FloatArray]
        Filters (n, ...) samples, given the sampling rate and the effective cut-off in Hz; any unit, NaN stays NaN.
    """

    name: str
    words: str
    apply: Callable[[FloatArray, float, float], FloatArray]


BUTTERWORTH = LowPass("butterworth", "fourth order, zero lag", lowpass)
_FILTERS: Registry[str, LowPass] = Registry("low-pass filter", {BUTTERWORTH.name: BUTTERWORTH})


def register_filter(kind: LowPass) -> None:
    """Let recipes name one more filter; a name that is known already is given a new meaning.

    Parameters
    ----------
    kind : LowPass
        The filter, under its ``name``.
    """
    _FILTERS[kind.name] = kind


def filter_as(kind: LowPass) -> AbstractContextManager[None]:
    """Let recipes name one more filter until the end of the block.

    Parameters
    ----------
    kind : LowPass
        The filter, under its ``name``.

    Returns
    -------
    AbstractContextManager[None]
        Recipes know the filter within the block.
    """
    return _FILTERS.within(kind.name, kind)


def filter_named(name: str) -> LowPass:
    """Look a filter up by its name in recipes.

    Parameters
    ----------
    name : str
        "butterworth", or that of a registered filter.

    Returns
    -------
    LowPass
        The filter registered last under that name.

    Raises
    ------
    OptionError
        There is no such filter.

    Examples
    --------
    >>> from biomech_id.signal.filters import filter_named
    >>> filter_named("butterworth").name
    'butterworth'
    """
    return _FILTERS.named(name, "lowpass")
