"""The zero-lag filter against SciPy's two passes, its cut-off, and the choice whether to use it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from biomech_id.errors import InvalidValueError, OptionError, Severity
from biomech_id.signal.filter_choice import choose_filter, levelness, residual_above
from biomech_id.signal.filters import gain, lowpass

RATE_HZ = 100.0


def test_equals_two_passes_of_scipys_second_order_filter() -> None:
    x = np.cumsum(np.random.default_rng(1).normal(size=(500, 4)), axis=0)
    single_pass_hz = np.arctan(np.tan(np.pi * 8.0 / RATE_HZ) / (np.sqrt(2.0) - 1.0) ** 0.25) * RATE_HZ / np.pi
    sos = butter(2, single_pass_hz, fs=RATE_HZ, output="sos")
    theirs = sosfiltfilt(sos, x, axis=0, padtype="odd", padlen=len(x) - 2)
    assert np.abs(lowpass(x, RATE_HZ, 8.0) - theirs).max() < 1e-10  # of values up to 60


def test_the_effective_cut_off_passes_0_707() -> None:
    t = np.arange(4000) / RATE_HZ
    wave = np.sin(2 * np.pi * 8.0 * t)
    passed = lowpass(wave, RATE_HZ, 8.0)[1000:3000]  # whole periods
    assert np.sqrt(2.0) * passed.std() == pytest.approx(np.sqrt(0.5), abs=1e-9)


def test_a_gap_stays_missing_and_stretches_do_not_mix() -> None:
    x = np.random.default_rng(2).normal(size=(200, 2))
    holed = x.copy()
    holed[90:100, 1] = np.nan
    out = lowpass(holed, RATE_HZ, 10.0)
    assert np.isnan(out[90:100, 1]).all()
    assert np.array_equal(out[:90, 1], lowpass(x[:90, 1], RATE_HZ, 10.0))
    assert np.array_equal(out[:, 0], lowpass(x[:, 0], RATE_HZ, 10.0))


def test_straight_lines_and_the_input_array_are_left_alone() -> None:
    line = np.linspace(-3.0, 5.0, 50)
    kept = line.copy()
    assert np.abs(lowpass(line, RATE_HZ, 6.0) - line).max() < 1e-14
    assert np.array_equal(line, kept)


@pytest.mark.parametrize("cutoff_hz", [0.0, -1.0, 50.0, 80.0])
def test_impossible_cut_offs_are_refused(cutoff_hz: float) -> None:
    with pytest.raises(InvalidValueError, match="cutoff_hz"):
        lowpass(np.zeros(20), RATE_HZ, cutoff_hz)


def gait_like(noise_m: float, seed: int = 0) -> np.ndarray:
    """Five markers that swing at 1 Hz with harmonics up to 7 Hz, and white noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(400)[:, None, None] / RATE_HZ
    phase = rng.uniform(0, 2 * np.pi, size=(1, 5, 3, 7))
    harmonics = np.arange(1, 8)
    wave = (0.3 / harmonics**3 * np.sin(2 * np.pi * harmonics * t[..., None] + phase)).sum(axis=-1)
    return wave + rng.normal(scale=noise_m, size=wave.shape) if noise_m else wave


def test_residual_measures_the_noise_above_20_hz() -> None:
    residual = residual_above(gait_like(0.1e-3), RATE_HZ)
    removed = 1.0 - gain(np.linspace(0.0, 50.0, 1001)[:-1], RATE_HZ, 20.0)
    expected_m = 0.1e-3 * np.sqrt(np.mean(removed**2))
    assert residual == pytest.approx(np.full(5, expected_m), rel=0.08)  # 1200 samples of noise scatter by 3 %
    assert residual_above(gait_like(0.0), RATE_HZ).max() < 0.02e-3


@pytest.mark.parametrize(
    ("noise_m", "applied"),
    [(0.3e-3, True), (0.1e-3, True), (0.02e-3, True), (0.0, False)],
    ids=["camera noise", "above the limit", "level noise below the limit, as of 16-bit integers", "smoothed"],
)
def test_noise_is_filtered_and_smooth_paths_are_not(noise_m: float, applied: bool) -> None:
    choice = choose_filter(gait_like(noise_m), RATE_HZ)
    assert choice.apply is applied


def test_levelness_tells_noise_from_smoothed_paths() -> None:
    assert levelness(gait_like(0.1e-3), RATE_HZ) == pytest.approx(np.ones(5), abs=0.25)
    smoothed = lowpass(gait_like(0.1e-3), RATE_HZ, 8.0)
    assert levelness(smoothed, RATE_HZ).max() < 0.1


def test_levelness_looks_at_both_ends_of_what_is_above_20_hz_and_at_nothing_between() -> None:
    """A tone of 30 Hz (a lamp, a motor) among white noise at 100 Hz is neither."""
    tone_m = 0.3e-3 * np.sin(2 * np.pi * 30.0 * np.arange(400) / RATE_HZ)[:, None, None]
    assert levelness(gait_like(0.1e-3) + tone_m, RATE_HZ) == pytest.approx(np.ones(5), abs=0.3)
    assert np.isnan(levelness(gait_like(0.1e-3), 40.0)).all(), "a rate that holds nothing above 20 Hz"


def test_the_recipe_overrules_the_evidence_and_the_finding_says_so() -> None:
    never = choose_filter(gait_like(0.3e-3), RATE_HZ, mode="never")
    always = choose_filter(gait_like(0.0), RATE_HZ, mode="always", cutoff_hz=6.0)
    assert (never.apply, always.apply) == (False, True)
    finding = always.finding("walk")
    assert (finding.rule, finding.severity, finding.where) == ("marker-filter", Severity.INFO, "walk")
    assert "filtered at 6 Hz" in finding.message
    assert "always" in finding.message
    with pytest.raises(OptionError, match="sometimes"):
        choose_filter(gait_like(0.0), RATE_HZ, mode="sometimes")


def test_what_cannot_be_measured_is_left_alone() -> None:
    assert not choose_filter(np.full((50, 3, 3), np.nan), RATE_HZ).apply
    assert not choose_filter(gait_like(0.3e-3), 30.0).apply
