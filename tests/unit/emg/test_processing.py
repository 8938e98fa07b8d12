"""Band-pass, envelope and on and off: against what is known of the signal, and against cutting it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from biomech_id.emg.cycles import TrialEmg
from biomech_id.emg.onset import activity
from biomech_id.emg.processing import band_pass, envelope, high_edge_hz
from biomech_id.emg.record import EmgSettings, cycle_curve, read_emg
from biomech_id.errors import InvalidValueError
from biomech_id.session.values.emg import envelopes_at, session_emg
from biomech_id.trial import AnalogChannels


def onset_errors(bursts: Callable[..., Any], rate_hz: float, snr_db: float) -> tuple[np.ndarray, int, int]:
    """Errors of every onset (ms) over seeds 0 to 19, bursts missed, intervals that belong to none."""
    errors, missed, extra = [], 0, 0
    for seed in range(20):
        given = bursts(seed, rate_hz, snr_db)
        found = np.array(activity(band_pass(given.signal_V, rate_hz), rate_hz).intervals_s)
        hit = (found[:, None, 0] < given.off_s) & (found[:, None, 1] > given.on_s)
        missed += int((~hit.any(axis=0)).sum())
        extra += int((~hit.any(axis=1)).sum())
        errors += [1000 * (found[np.argmax(hit[:, i]), 0] - on) for i, on in enumerate(given.on_s) if hit[:, i].any()]
    return np.abs(errors), missed, extra


@pytest.mark.parametrize(("snr_db", "median_ms", "worst_ms"), [(10.0, 2.0, 10.0), (6.0, 3.5, 22.0)])
def test_onsets_of_synthetic_bursts(bursts: Callable[..., Any], snr_db: float, median_ms: float, worst_ms: float) -> None:
    errors, missed, extra = onset_errors(bursts, 1000.0, snr_db)
    assert np.median(errors) <= median_ms
    assert np.percentile(errors, 95) <= worst_ms
    assert (missed, extra <= 4) == (0, True)


def test_a_whole_record_and_any_cut_longer_by_a_fifth_of_a_second_agree(bursts: Callable[..., Any]) -> None:
    given = bursts(3, 1500.0, 15.0)
    whole = envelope(band_pass(given.signal_V, 1500.0), 1500.0)
    margin = round(0.2 * 1500)
    for start_s in np.arange(1.0, 20.0, 1.3):
        cut = slice(round(start_s * 1500), round((start_s + 1.1) * 1500))
        longer = slice(cut.start - margin, cut.stop + margin)
        again = envelope(band_pass(given.signal_V[longer], 1500.0), 1500.0)[margin:-margin]
        assert np.abs(again - whole[cut]).max() < 2e-4 * whole.max()


def test_a_cycle_is_cut_from_the_whole_record(bursts: Callable[..., Any]) -> None:
    given = bursts(0, 1000.0, 20.0)
    analog = AnalogChannels(("R TA",), ("V",), 1000.0, given.signal_V[:, None])
    record = read_emg(analog, first_time_s=2.5)
    curve = cycle_curve(record, record.channels[0], 4.5, 5.6)
    whole = envelope(band_pass(given.signal_V, 1000.0), 1000.0)
    assert curve == pytest.approx(np.interp(np.linspace(2.0, 3.1, 101), np.arange(len(whole)) / 1000.0, whole), rel=1e-12)
    assert record.near_edge(2.55, 3.6)
    assert not record.near_edge(2.65, 3.6)


def test_a_gap_stays_a_gap_and_leaves_the_other_channels_alone(bursts: Callable[..., Any]) -> None:
    given = bursts(1, 1000.0, 20.0).signal_V[:5000]
    two = np.stack([given, given], axis=1)
    two[2000:2100, 1] = np.nan
    filtered = envelope(band_pass(two, 1000.0), 1000.0)
    assert filtered[:, 0] == pytest.approx(envelope(band_pass(given, 1000.0), 1000.0), abs=1e-18)
    assert np.isnan(filtered[2000:2100, 1]).all()
    assert np.isfinite(np.delete(filtered[:, 1], np.arange(2000, 2100))).all()


def test_a_line_is_taken_out_and_its_neighbours_stay() -> None:
    rate = 1000.0
    time_s = np.arange(8000) / rate
    keep, line = np.sin(2 * np.pi * 90 * time_s), np.sin(2 * np.pi * 76.9 * time_s) + 0.3 * np.sin(2 * np.pi * 153.8 * time_s)
    middle = slice(2000, 6000)
    assert np.abs(band_pass(line, rate, lines_hz=(76.9,))[middle]).max() < 0.01
    assert np.abs(band_pass(keep, rate, lines_hz=(76.9,))[middle]).max() == pytest.approx(1.0, abs=0.08)


@pytest.mark.parametrize(("rate_hz", "high_hz"), [(400.0, 180.0), (1000.0, 450.0), (4000.0, 450.0)])
def test_the_band_ends_below_half_the_rate(rate_hz: float, high_hz: float) -> None:
    assert high_edge_hz(rate_hz) == pytest.approx(high_hz)


def test_a_rate_that_holds_no_muscle_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="200 Hz cannot be judged"):
        band_pass(np.zeros(1000), 200.0)
    with pytest.raises(InvalidValueError, match="600 Hz"):
        envelope(np.zeros(1000), 1000.0, cutoff_hz=600.0)
    with pytest.raises(InvalidValueError, match="from 460 to 450 Hz"):
        band_pass(np.zeros(1000), 1000.0, low_hz=460.0)


def test_the_threshold_is_said_and_is_relative_where_bursts_are_strong(bursts: Callable[..., Any]) -> None:
    weak, strong = (activity(band_pass(bursts(5, 1000.0, snr).signal_V, 1000.0), 1000.0) for snr in (6.0, 30.0))
    assert not weak.relative
    assert strong.relative
    assert weak.threshold == pytest.approx(1.6 * weak.noise)
    assert strong.threshold > 1.6 * strong.noise


def test_a_delay_moves_the_muscle_back_in_time(bursts: Callable[..., Any]) -> None:
    analog = AnalogChannels(("R TA",), ("V",), 1000.0, bursts(0, 1000.0, 20.0).signal_V[:, None])
    assert read_emg(analog, EmgSettings(delay_s=0.048), first_time_s=1.0).start_s == pytest.approx(0.952)


def test_a_recording_is_read_once_for_who_asks_the_same(bursts: Callable[..., Any]) -> None:
    analog = AnalogChannels(("R TA",), ("V",), 1000.0, bursts(0, 1000.0, 20.0).signal_V[:, None])
    first = read_emg(analog)
    assert read_emg(analog, EmgSettings()) is first
    assert read_emg(analog, EmgSettings(envelope_hz=6.0)).channels[0].envelope is not first.channels[0].envelope
    assert read_emg(analog, first_time_s=2.0).start_s == pytest.approx(2.0)


def test_envelopes_of_three_channels_of_one_muscle_have_a_name_each(bursts: Callable[..., Any]) -> None:
    signals = np.stack([bursts(seed, 1000.0, 15.0).signal_V for seed in range(3)], axis=1)
    names = ("R Rectus femoris", "R_Rectus_femoris", "R RECTUS FEMORIS")
    analog = AnalogChannels(names, ("V",) * 3, 1000.0, signals, np.ones(3), np.zeros(3), (None,) * 3)
    muscles = session_emg((TrialEmg("walk", read_emg(analog)), TrialEmg("other", read_emg(analog))))
    envelopes = envelopes_at(muscles, "walk", np.array([5.0, 1e4]))
    assert list(envelopes) == [f"RRectusFemorisEnvelope{number}" for number in ("", 2, 3)]
    assert [np.isfinite(values).tolist() for values in envelopes.values()] == [[True, False]] * 3
