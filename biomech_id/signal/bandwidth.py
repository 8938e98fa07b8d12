"""How smooth markers are: the low-pass that camera software put on them before they were stored, measured from their own spectrum.

The amplitude density a(f) of the markers' accelerations between 4 and 30 Hz is described by ::

    a(f) = exp(A) f^-p / (1 + (f / f_c)^6) + b f^2

a body part's own fall with frequency, the response of a smoothing spline that penalises the third derivative (Woltring 1986, Adv
Eng Softw 8:104), and white noise of the positions.  f_c is the frequency of half amplitude.  Unsmoothed markers of walking people
have p near 0.8 and f_c at the upper end of the band.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.signal.runs import channel_runs
from biomech_id.values import dataclass

#: Edges of the bands whose power is compared, Hz.
BAND_EDGES_HZ = np.arange(4.0, 30.1, 1.5)
#: Fewer bands than this, below half the sampling rate, show no fall of the spectrum.
LEAST_BANDS = 8
#: Shortest stretch without gaps that shows a spectrum, seconds.
SHORTEST_S = 1.0
#: Half amplitude from which markers count as not smoothed, Hz: what walking holds is below.
UNSMOOTHED_FROM_HZ = 15.0
#: Root mean square misfit of the logarithm above which nothing is decided: mixed or damaged recordings.
LARGEST_MISFIT_LN = 0.3
#: How a body part's own acceleration falls with frequency: exponent of unsmoothed markers, and its spread.
OWN_FALL, OWN_FALL_SD = 0.8, 0.7
#: Bounds of half amplitude: below, walking itself would be gone; above, nothing of it is seen within the bands.
SLOWEST_HZ, FASTEST_HZ = 3.0, 30.0
#: Half amplitudes the search begins from, Hz.
_STARTS_HZ = (5.0, 8.0, 20.0)
#: The search ends with a step below this, of natural logarithms, or after so many.
_SMALLEST_STEP, _MOST_STEPS = 1e-7, 100


@dataclass(frozen=True)
class MarkerBandwidth:
    """The markers' measured low-pass response, 1 / (1 + (f / f_c)^6).

    Attributes
    ----------
    half_amplitude_hz : float
        f_c; NaN where nothing could be measured.
    misfit_ln : float
        Root mean square difference of measured and described spectrum, of the natural logarithm.
    """

    half_amplitude_hz: float
    misfit_ln: float

    @property
    def decided(self) -> bool:
        """Whether the description fits; False also where nothing could be measured."""
        return self.misfit_ln <= LARGEST_MISFIT_LN

    @property
    def smoothed(self) -> bool:
        """Whether the markers were smoothed within the band of walking."""
        return self.decided and self.half_amplitude_hz < UNSMOOTHED_FROM_HZ


#: Of recordings without a second of gapless markers, or too slow.
NOT_MEASURED = MarkerBandwidth(float("nan"), float("nan"))


def marker_bandwidth(position_m: FloatArray, rate_hz: float) -> MarkerBandwidth:
    """Measure the low-pass response that markers were stored with.

    Parameters
    ----------
    position_m : FloatArray
        (n, markers, 3), laboratory axes, metres, as stored: unfilled; missing is NaN. Markers of shank and foot show it best.
    rate_hz : float
        Frames per second of the recording.

    Returns
    -------
    MarkerBandwidth
        `NOT_MEASURED` for recordings without a second of gapless markers, or too slow to show enough bands.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.bandwidth import marker_bandwidth
    >>> from biomech_id.signal.filters import spline_lowpass
    >>> rough = np.random.default_rng(0).normal(size=(400, 12)) * 0.01
    >>> frequency_hz = np.fft.rfftfreq(400, 0.01)
    >>> fall = 1 / np.maximum(frequency_hz, 1.0) ** 2.8  # accelerations that fall as f^-0.8
    >>> path_m = np.fft.irfft(np.fft.rfft(rough, axis=0) * fall[:, None], axis=0)
    >>> stored_m = spline_lowpass(path_m, 100.0, 7.0).reshape(400, 4, 3)
    >>> 6.2 < marker_bandwidth(stored_m, 100.0).half_amplitude_hz < 7.8
    True
    """
    frequency_hz, amplitude = acceleration_bands(position_m, rate_hz)
    if len(frequency_hz) < LEAST_BANDS or not (amplitude > 0).all():
        return NOT_MEASURED
    return _fitted(frequency_hz, np.log(amplitude))


def acceleration_bands(position_m: FloatArray, rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """Amplitude density of the markers' accelerations in bands of frequency.

    Second differences of every gapless stretch of at least a second, mean taken off, Hann window; power is averaged over
    coordinates and stretches, by their length.

    Parameters
    ----------
    position_m : FloatArray
        (n, markers, 3), laboratory axes, metres; missing is NaN.
    rate_hz : float
        Frames per second; bands above half of it are left out.

    Returns
    -------
    frequency_hz : FloatArray
        (k,), middles of the bands of `BAND_EDGES_HZ`, Hz.
    amplitude : FloatArray
        (k,), m/s^2 per square root of a sample. Both are empty where no stretch is long enough.
    """
    edges_hz = BAND_EDGES_HZ[rate_hz > 2 * BAND_EDGES_HZ]
    flat = position_m.reshape(len(position_m), -1)
    power, weight = np.zeros(max(len(edges_hz) - 1, 0)), 0
    for channels, start, stop in channel_runs(flat, round(SHORTEST_S * rate_hz) + 2):
        acceleration = np.diff(flat[start:stop, channels], 2, axis=0) * rate_hz**2
        window = np.hanning(len(acceleration))[:, None]
        spectrum = np.abs(np.fft.rfft((acceleration - acceleration.mean(axis=0)) * window, axis=0)) ** 2 / (window**2).sum()
        band = np.digitize(np.fft.rfftfreq(len(acceleration), 1.0 / rate_hz), edges_hz) - 1
        for k in set(range(len(power))) & set(band.tolist()):
            power[k] += len(acceleration) * spectrum[band == k].mean(axis=0).sum()
        weight += len(acceleration) * int(channels.sum())
    if not weight:
        return np.empty(0), np.empty(0)
    return (edges_hz[1:] + edges_hz[:-1]) / 2, np.asarray(np.sqrt(power / weight))


def _fitted(frequency_hz: FloatArray, measured_ln: FloatArray) -> MarkerBandwidth:
    """Least squares of the logarithm (soft L1), with the body's own fall held near that of unsmoothed markers.

    Damped Newton steps within bounds, from several half amplitudes. SciPy's search, which takes longer to import than the rest of a
    verdict on a folder takes, ends within 1e-5 of the same minimum.
    """
    f_ln = np.log(frequency_hz)
    level, noise_ln = measured_ln[0] + f_ln[0], measured_ln[-1] - 2 * f_ln[-1] - 1.0
    low = np.array([level - 20, -1.0, np.log(SLOWEST_HZ), noise_ln - 30])
    high = np.array([level + 20, 3.0, np.log(FASTEST_HZ), noise_ln + 10])
    ends = [
        _descended(f_ln, measured_ln, np.array([level, OWN_FALL, np.log(start_hz), noise_ln]), low, high) for start_hz in _STARTS_HZ
    ]
    _, best = min(ends, key=lambda end: end[0])
    misfit = float(np.sqrt(np.mean((_described_ln(f_ln, best)[0] - measured_ln) ** 2)))
    # The estimate is good to a tenth of itself: further digits mean nothing.
    return MarkerBandwidth(round(float(np.exp(best[2])), 2), misfit)


def _descended(
    f_ln: FloatArray, measured_ln: FloatArray, values: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[float, FloatArray]:
    """Cost and place of the nearest minimum downhill: (A, p, ln f_c, ln b)."""
    damping = 1.0
    cost, slope, curvature = _cost(f_ln, measured_ln, values)
    for _ in range(_MOST_STEPS):
        free = np.flatnonzero(~(((values <= low) & (slope > 0)) | ((values >= high) & (slope < 0))))
        step = np.zeros(4)
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)] + damping * np.eye(len(free)), slope[free])
        further = np.clip(values + step, low, high)
        there = _cost(f_ln, measured_ln, further)
        lower = there[0] < cost
        if lower:
            values, (cost, slope, curvature) = further, there
        if np.abs(step).max() < _SMALLEST_STEP:
            break
        damping = damping / 8 if lower else max(8 * damping, 1e-6)
    return cost, values


def _cost(f_ln: FloatArray, measured_ln: FloatArray, values: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """What the search makes small, with its first and second derivatives."""
    total, share, rises, bend = _described_ln(f_ln, values)
    # Of the body's part less the noise's, which rises with its own level alone.
    apart = rises - [0.0, 0.0, 0.0, 1.0]
    residual = np.append(total - measured_ln, (values[1] - OWN_FALL) / OWN_FALL_SD)
    J = np.vstack([share[:, None] * apart + [0.0, 0.0, 0.0, 1.0], [0.0, 1.0 / OWN_FALL_SD, 0.0, 0.0]])
    root = np.sqrt(1.0 + residual**2)
    pull = residual / root
    curvature = (J.T / root**3) @ J + (apart.T * (pull[:-1] * share * (1.0 - share))) @ apart
    curvature[2, 2] += (pull[:-1] * share * bend).sum()
    return float((root - 1.0).sum()), J.T @ pull, curvature


def _described_ln(f_ln: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Logarithm of the described spectrum; the body's share in it; how the logarithm of that part rises with each value (k, 4), and
    the second derivative with respect to ln f_c.
    """
    level, fall, half_ln, noise_ln = values
    x = np.exp(6.0 * (f_ln - half_ln))
    body_ln, noise_ln = level - fall * f_ln - np.log1p(x), noise_ln + 2.0 * f_ln
    total = np.logaddexp(body_ln, noise_ln)
    rises = np.stack([np.ones_like(x), -f_ln, 6.0 * x / (1.0 + x), np.zeros_like(x)], axis=1)
    return total, np.exp(body_ln - total), rises, -36.0 * x / (1.0 + x) ** 2
