"""Sections and spectrum against SciPy's, which the library does without for what it costs to load."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from biomech_id.signal.sections import band_pass_sections, both_ways, low_pass_sections, notch_section
from biomech_id.signal.spectrum import power_density

RATES_HZ = (300.0, 400.0, 960.0, 1000.0, 1500.0, 2000.0)


def pairs(rate_hz: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Design -> its sections here and SciPy's."""
    high_hz = min(450.0, 0.45 * rate_hz)
    notches = [signal.tf2sos(*signal.iirnotch(hz, hz / 2.5, fs=rate_hz)) for hz in (50.0, 100.0)]
    return {
        "low-pass": (low_pass_sections(rate_hz, 9.0), signal.butter(2, 9.0, fs=rate_hz, output="sos")),
        **{
            f"band-pass from {low_hz:g} Hz": (
                band_pass_sections(rate_hz, low_hz, high_hz),
                signal.butter(4, [low_hz, high_hz], "bandpass", fs=rate_hz, output="sos"),
            )
            for low_hz in (5.0, 20.0, 100.0)
        },
        "notch": (np.concatenate([notch_section(rate_hz, hz, 2.5) for hz in (50.0, 100.0)]), np.concatenate(notches)),
    }


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("design", ["low-pass", "band-pass from 5 Hz", "band-pass from 20 Hz", "band-pass from 100 Hz", "notch"])
def test_both_passes_are_scipys(design: str, rate_hz: float) -> None:
    ours, theirs = pairs(rate_hz)[design]
    values = np.random.default_rng(7).normal(size=(5, round(5.3 * rate_hz)))
    extension = round(0.5 * rate_hz)
    expected = signal.sosfiltfilt(theirs, values, axis=1, padtype="odd", padlen=extension)
    assert np.abs(both_ways(ours, values, extension) - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("n", [8, 63, 64, 65, 200])
def test_short_records_are_continued_as_far_as_they_reach(n: int) -> None:
    ours, theirs = pairs(1000.0)["band-pass from 20 Hz"]
    values = np.random.default_rng(n).normal(size=(3, n))
    expected = signal.sosfiltfilt(theirs, values, axis=1, padtype="odd", padlen=n - 1)
    assert np.abs(both_ways(ours, values, n - 1) - expected).max() < 1e-12 * np.abs(expected).max()


def test_a_constant_passes_a_low_pass_and_no_band_pass() -> None:
    values = np.full((1, 500), 3.0)
    assert both_ways(low_pass_sections(1000.0, 9.0), values, 100) == pytest.approx(values, rel=1e-12)
    assert np.abs(both_ways(band_pass_sections(1000.0, 20.0, 450.0), values, 100)).max() < 1e-12


@pytest.mark.parametrize(("n", "segment"), [(2550, 1024), (501, 501), (3000, 1000), (120, 120)])
def test_the_power_density_is_scipys(n: int, segment: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    hz, density = signal.welch(values, 1000.0, nperseg=segment, noverlap=segment // 2)
    ours_hz, ours = power_density(values, 1000.0, segment)
    assert np.array_equal(ours_hz, hz)
    assert np.abs(ours - density).max() < 1e-12 * density.max()
