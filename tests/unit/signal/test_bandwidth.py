"""The low-pass that markers were stored with, on paths whose own is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from biomech_id.signal.bandwidth import UNSMOOTHED_FROM_HZ, acceleration_bands, marker_bandwidth
from biomech_id.signal.filters import gain, lowpass, spline_lowpass


def walk_m(rate_hz: float = 100.0, seconds: float = 4.0, seed: int = 0, fall: float = 0.8) -> np.ndarray:
    """Paths (n, 6, 3) whose accelerations fall as f^-fall, of the size of a walking foot's."""
    n = round(seconds * rate_hz)
    frequency_hz = np.fft.rfftfreq(n, 1.0 / rate_hz)
    rough = np.random.default_rng(seed).normal(size=(n, 18))
    shape = 1.0 / np.maximum(frequency_hz, 1.0) ** (2.0 + fall)
    return np.fft.irfft(np.fft.rfft(rough, axis=0) * shape[:, None], n=n, axis=0).reshape(n, 6, 3)


@pytest.mark.parametrize("rate_hz", [100.0, 150.0, 250.0])
@pytest.mark.parametrize("half_hz", [5.0, 6.5, 8.0, 10.0])
def test_the_response_of_a_smoothing_spline_is_found(rate_hz: float, half_hz: float) -> None:
    found = marker_bandwidth(spline_lowpass(walk_m(rate_hz), rate_hz, half_hz), rate_hz)
    assert found.smoothed
    assert found.half_amplitude_hz == pytest.approx(half_hz, rel=0.12)


@pytest.mark.parametrize("noise_m", [0.0, 1e-4])
def test_unsmoothed_markers_are_not_called_smooth(noise_m: float) -> None:
    path = walk_m() + np.random.default_rng(1).normal(scale=noise_m, size=(400, 6, 3))
    found = marker_bandwidth(path, 100.0)
    assert found.decided
    assert not found.smoothed
    assert found.half_amplitude_hz > UNSMOOTHED_FROM_HZ


def test_another_laboratorys_butterworth_is_found_by_its_half_amplitude() -> None:
    """6 Hz effective are 0.707; half amplitude lies 25 % higher, and the fall is less steep than the one that is fitted."""
    found = marker_bandwidth(lowpass(walk_m(), 100.0, 6.0), 100.0)
    assert found.smoothed
    assert 0.8 < found.half_amplitude_hz / (6.0 * (1 / (np.sqrt(2) - 1)) ** 0.25) < 1.3


def test_gaps_do_not_change_what_is_found() -> None:
    path = spline_lowpass(walk_m(seconds=6.0), 100.0, 7.0)
    holed = path.copy()
    holed[250:260, 2], holed[:40, 4] = np.nan, np.nan
    whole, found = marker_bandwidth(path, 100.0), marker_bandwidth(holed, 100.0)
    assert found.half_amplitude_hz == pytest.approx(whole.half_amplitude_hz, rel=0.05)


@pytest.mark.parametrize(("path", "rate_hz"), [
    (walk_m(seconds=0.9), 100.0), (walk_m(25.0), 25.0), (np.zeros((300, 6, 3)), 100.0), (np.full((300, 6, 3), np.nan), 100.0),
    (np.zeros((300, 0, 3)), 100.0),
], ids=["short", "slow", "still", "unseen", "without markers"])  # fmt: skip
def test_what_shows_nothing_decides_nothing(path: np.ndarray, rate_hz: float) -> None:
    found = marker_bandwidth(path, rate_hz)
    assert not found.decided
    assert not found.smoothed
    assert np.isnan(found.half_amplitude_hz)


def test_a_mixture_is_undecided() -> None:
    """Half of the markers hum at 13 Hz: no response of a smoothing describes that."""
    path = spline_lowpass(walk_m(), 100.0, 6.0)
    path[:, ::2] += 2e-4 * np.sin(2 * np.pi * 13.0 * np.arange(400) / 100.0)[:, None, None]
    found = marker_bandwidth(path, 100.0)
    assert np.isfinite(found.half_amplitude_hz)
    assert not found.decided


def test_bands_are_densities_of_acceleration() -> None:
    """White acceleration has one density in every band, whatever the rate and length; a second's stretch suffices."""
    for n in (102, 4000):
        acceleration = np.random.default_rng(2).normal(size=(n, 60, 3))
        path = np.cumsum(np.cumsum(acceleration, axis=0), axis=0) / 100.0**2
        frequency_hz, amplitude = acceleration_bands(path, 100.0)
        assert frequency_hz[[0, -1]].tolist() == [4.75, 28.75]
        np.testing.assert_allclose(amplitude, 1.0, rtol=0.12)


@pytest.mark.parametrize("frequency_hz", [2.0, 7.0, 14.0])
def test_the_splines_response_is_that_of_its_formula(frequency_hz: float) -> None:
    time_s = np.arange(4000) / 1000.0
    wave = np.sin(2 * np.pi * frequency_hz * time_s)
    left = spline_lowpass(wave, 1000.0, 7.0)
    middle = slice(1500, 2500)
    assert left[middle].max() == pytest.approx(1.0 / (1.0 + (frequency_hz / 7.0) ** 6), rel=1e-3)
    assert np.argmax(left[middle]) == pytest.approx(np.argmax(wave[middle]), abs=1), "no lag"


def test_missing_samples_stay_missing_and_ends_keep_their_values() -> None:
    wave = np.random.default_rng(3).normal(size=(300, 2))
    wave[100:110, 1] = np.nan
    left = spline_lowpass(wave, 100.0, 7.0)
    np.testing.assert_array_equal(np.isnan(left), np.isnan(wave))
    np.testing.assert_allclose(left[[0, -1]], wave[[0, -1]])
    np.testing.assert_allclose(gain(np.array([0.0]), 100.0, 7.0), 1.0)


@pytest.mark.parametrize("half_hz", [5.0, 7.0, 9.0, 12.0, 25.0])
def test_the_search_ends_where_another_one_does(half_hz: float) -> None:
    """SciPy's search over the same description, from many more beginnings."""
    path_m = spline_lowpass(walk_m(seed=int(half_hz)), 100.0, half_hz)
    path_m += np.random.default_rng(3).normal(scale=1e-5, size=path_m.shape)
    frequency_hz, amplitude = acceleration_bands(path_m, 100.0)
    measured_ln = np.log(amplitude)

    def residuals(values: np.ndarray) -> np.ndarray:
        level, fall, half_ln, noise_ln = values
        body = np.exp(level - fall * np.log(frequency_hz)) / (1.0 + (frequency_hz / np.exp(half_ln)) ** 6)
        described = np.log(body + np.exp(noise_ln) * frequency_hz**2)
        return np.append(described - measured_ln, (fall - 0.8) / 0.7)

    low = [measured_ln[0] - 20, -1.0, np.log(3.0), measured_ln[-1] - 40]
    high = [measured_ln[0] + 22, 3.0, np.log(30.0), measured_ln[-1] + 10]
    fits = [
        least_squares(
            residuals, [measured_ln[0] + 1.4, 0.8, np.log(start_hz), measured_ln[-1] - noise], bounds=(low, high), loss="soft_l1",
            xtol=1e-12, ftol=1e-12, gtol=1e-12,
        )
        for start_hz in (4.0, 6.0, 9.0, 15.0, 25.0) for noise in (7.0, 9.0)
    ]  # fmt: skip
    best = min(fits, key=lambda fit: float(fit.cost))
    assert marker_bandwidth(path_m, 100.0).half_amplitude_hz == pytest.approx(np.exp(best.x[2]), abs=0.01)
