"""Whether a recording still needs smoothing, decided from what it holds above 20 Hz.

A gait marker moves with hardly anything above 20 Hz, so what is there is noise, or was left by a filter. Two things are measured:
how much there is (root mean square, per axis), and whether it dies away towards half the sampling rate, as smoothed paths do, or
stays level, as the noise of cameras and of coarse number formats does. Smoothing what is smooth already costs accuracy (filtering
the stored markers of a clinical laboratory again at 6 Hz moves its knee moments by 0.016 N m/kg); differentiating level noise
costs more. docs/decisions/filtering.md shows both numbers for real recordings.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import Finding, OptionError
from biomech_id.signal.filters import BUTTERWORTH, LowPass, lowpass, odd_spectrum
from biomech_id.signal.runs import channel_runs
from biomech_id.values import dataclass

#: Gait markers carry hardly any movement above this frequency.
NOISE_ABOVE_HZ = 20.0
#: Default limit of the residual above it for a recording that counts as smoothed.
SMOOTH_BELOW_M = 0.05e-3
#: Below this even level noise is better left alone: at 100 Hz it moves a hip moment by 0.014 N m/kg, as much as filtering at 8 Hz.
NEGLIGIBLE_M = 0.004e-3
#: Ratio of amplitude densities, just below half the sampling rate to just above 20 Hz: smoothed paths have 0.04, noise up to 1.
LEVEL_NOISE = 0.25
#: Share of the band above 20 Hz that counts as its bottom and as its top.
BAND_SHARE = 0.2
#: Default effective cut-off.
CUTOFF_HZ = 8.0
MODES = ("auto", "always", "never")


@dataclass(frozen=True)
class FilterChoice:
    """Whether to filter, and why.

    Attributes
    ----------
    apply : bool
        Whether markers (and the plates' wrenches, with the same cut-off) are to be filtered.
    cutoff_hz : float
        Effective cut-off of the filter.
    residual_m : float
        Median over the markers of the root mean square above 20 Hz, per axis; NaN when nothing can be said.
    levelness : float
        Median over the markers of the amplitude density near half the sampling rate over that near 20 Hz.
    mode : str
        "auto", "always" or "never".
    lowpass : LowPass, optional
        The filter that is applied where one is needed.
    """

    apply: bool
    cutoff_hz: float
    residual_m: float
    levelness: float
    mode: str
    lowpass: LowPass = BUTTERWORTH

    def raw_noise_m(self, rate_hz: float) -> float:
        """White noise on each axis of a raw path.

        White noise spreads evenly up to half the sampling rate; what lies above 20 Hz is its share of that band.

        Parameters
        ----------
        rate_hz : float
            Frames per second of the recording.

        Returns
        -------
        float
            Standard deviation, metres; NaN where the recording shows no level noise.
        """
        if not self.levelness >= LEVEL_NOISE:
            return float("nan")
        return float(self.residual_m / np.sqrt(1.0 - NOISE_ABOVE_HZ / (rate_hz / 2)))

    def finding(self, where: str) -> Finding:
        """State the choice and its evidence.

        Parameters
        ----------
        where : str
            Name of the trial that the finding is about.

        Returns
        -------
        Finding
            Of the rule "marker-filter"; lengths in mm, frequencies in Hz.
        """
        shape = "unknown" if not np.isfinite(self.levelness) else "noise" if self.levelness >= LEVEL_NOISE else "smooth"
        values = {
            "filtered": self.apply, "cutoff_hz": self.cutoff_hz, "seen": bool(self.residual_m > 0.0),
            "residual_mm": self.residual_m * 1e3, "above_hz": NOISE_ABOVE_HZ, "shape": shape, "mode": self.mode,
        }  # fmt: skip
        return Finding("marker-filter", values, where)


def choose_filter(
    position_m: FloatArray,
    rate_hz: float,
    *,
    mode: str = "auto",
    smooth_below_m: float = SMOOTH_BELOW_M,
    cutoff_hz: float = CUTOFF_HZ,
    kind: LowPass = BUTTERWORTH,
) -> FilterChoice:
    """Decide whether markers need a low-pass filter.

    Parameters
    ----------
    position_m : FloatArray
        (n, markers, 3), metres; the markers the model uses.
    rate_hz : float
        Frames per second of the recording.
    mode : str, optional
        "auto" filters unless the residual above 20 Hz is below ``smooth_below_m`` and either dies away towards half the sampling
        rate or is negligible; "always" and "never" overrule the evidence, which is measured all the same.
    smooth_below_m : float, optional
        Residual above 20 Hz, per axis, below which a recording counts as smoothed, metres.
    cutoff_hz : float, optional
        Effective cut-off of the filter where one is needed, Hz.
    kind : LowPass, optional
        The filter to use where one is needed; what decides is measured with the same one for all.

    Returns
    -------
    FilterChoice
        The decision with its evidence; where nothing can be measured (short recordings, low rates) the evidence is NaN and "auto"
        does not filter.

    Raises
    ------
    OptionError
        Another mode.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.filter_choice import choose_filter
    >>> time_s = np.arange(300) / 100.0
    >>> path_m = np.stack([np.sin(time_s), np.cos(time_s), time_s], axis=-1)[:, None]
    >>> choose_filter(path_m, 100.0).apply
    False
    >>> noise_m = np.random.default_rng(0).normal(scale=0.001, size=path_m.shape)
    >>> choose_filter(path_m + noise_m, 100.0).apply
    True
    """
    if mode not in MODES:
        raise OptionError(
            f"There is no marker filter mode {mode!r}.", value=mode, expected=" | ".join(MODES), where="marker_filter"
        )
    residual, level = (_median(measured(position_m, rate_hz)) for measured in (residual_above, levelness))
    # What cannot be measured (short recordings, low rates, no markers: NaN) shows no noise, and the paths are left alone.
    noisy = residual >= smooth_below_m or (residual >= NEGLIGIBLE_M and level >= LEVEL_NOISE)
    return FilterChoice(mode == "always" or (mode == "auto" and noisy), cutoff_hz, residual, level, mode, kind)


def residual_above(position_m: FloatArray, rate_hz: float, frequency_hz: float = NOISE_ABOVE_HZ) -> FloatArray:
    """How far each marker strays from its own path without what is above a frequency.

    Parameters
    ----------
    position_m : FloatArray
        (n, markers, 3), metres.
    rate_hz : float
        Frames per second of the recording.
    frequency_hz : float, optional
        Above it a body part hardly moves.

    Returns
    -------
    FloatArray
        (markers,), root mean square over all frames and axes, metres; NaN for a marker never seen. Zero at rates that hold nothing
        above ``frequency_hz``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.filter_choice import residual_above
    >>> time_s = np.arange(400) / 200.0
    >>> hum_m = np.stack([0.001 * np.sin(2 * np.pi * 50 * time_s)] * 3, axis=-1)[:, None]
    >>> residual_above(hum_m, 200.0).round(4)
    array([0.0007])
    """
    if frequency_hz >= rate_hz / 2:
        return np.where(np.isfinite(position_m).any(axis=(0, 2)), 0.0, np.nan)
    residual = position_m - lowpass(position_m, rate_hz, frequency_hz)
    seen = np.isfinite(residual)
    total = np.where(seen, residual**2, 0.0).sum(axis=(0, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        rms: FloatArray = np.sqrt(total / seen.sum(axis=(0, 2)))
    return rms


def levelness(position_m: FloatArray, rate_hz: float, frequency_hz: float = NOISE_ABOVE_HZ) -> FloatArray:
    """Amplitude density near half the sampling rate, over that just above a frequency.

    Near one: noise; near zero: a smoothed path.

    Parameters
    ----------
    position_m : FloatArray
        (n, markers, 3), laboratory axes, metres; missing is NaN.
    rate_hz : float
        Frames per second of the recording.
    frequency_hz : float, optional
        Above it a body part hardly moves.

    Returns
    -------
    FloatArray
        (markers,), a ratio; NaN for a marker without an uninterrupted second of recording, and at rates that hold nothing above
        ``frequency_hz``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.signal.filter_choice import levelness
    >>> white_m = np.random.default_rng(0).normal(scale=0.001, size=(1000, 1, 3))
    >>> bool(0.8 < levelness(white_m, 100.0)[0] < 1.2)
    True
    """
    flat = position_m.reshape(len(position_m), -1)
    power = np.zeros((2, flat.shape[1]))
    band = rate_hz / 2 - frequency_hz
    if band > 0:
        for channels, start, stop in channel_runs(flat, round(rate_hz)):
            _, frequency, spectrum = odd_spectrum(flat[start:stop, channels], rate_hz)
            bottom = (frequency >= frequency_hz) & (frequency < frequency_hz + BAND_SHARE * band)
            top = frequency >= rate_hz / 2 - BAND_SHARE * band
            power[:, channels] += [(np.abs(spectrum[part]) ** 2).sum(axis=0) for part in (bottom, top)]
    bottom_power, top_power = power.reshape(2, -1, 3).sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: FloatArray = np.sqrt(top_power / bottom_power)
    return ratio


def _median(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else float("nan")
