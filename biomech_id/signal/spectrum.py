"""How the power of a signal lies over its frequencies: the mean of periodograms of overlapping segments (Welch 1967)."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from biomech_id.algebra.arrays import FloatArray


def power_density(values: FloatArray, rate_hz: float, segment: int) -> tuple[FloatArray, FloatArray]:
    """Return the power density of a signal, one-sided: what ``scipy.signal.welch`` returns, without loading it.

    Segments overlap by half; each is taken without its mean and through a Hann window. What is left over behind the last one counts
    for nothing.

    Parameters
    ----------
    values : FloatArray
        (n,), finite, any unit.
    rate_hz : float
        Samples of the signal per second.
    segment : int
        Samples of a segment, n at most.

    Returns
    -------
    frequency_hz : FloatArray
        (segment // 2 + 1,), from zero to half the rate.
    density : FloatArray
        (segment // 2 + 1,), square of the signal's unit per Hz.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.spectrum import power_density
    >>> time_s = np.arange(2000) / 1000.0
    >>> hz, density = power_density(np.sqrt(2.0) * np.sin(2 * np.pi * 50.0 * time_s), 1000.0, 500)
    >>> float(hz[np.argmax(density)]), float((density.sum() * hz[1]).round(6))
    (50.0, 1.0)
    """
    window = 0.5 + 0.5 * np.cos(np.linspace(-np.pi, np.pi, segment + 1)[:-1])
    window /= np.sqrt((window**2).sum() * rate_hz)
    parts = sliding_window_view(values, segment)[:: segment - segment // 2]
    spectra = np.fft.rfft((parts - parts.mean(axis=1, keepdims=True)) * window, axis=1)
    density: FloatArray = np.mean(np.abs(spectra) ** 2, axis=0)
    # Frequencies below zero, which a real signal holds as much of; zero and half the rate have no such counterpart.
    density[1 : -1 if segment % 2 == 0 else None] *= 2.0
    return np.asarray(np.fft.rfftfreq(segment, 1.0 / rate_hz), dtype=np.float64), density
