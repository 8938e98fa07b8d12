"""The channel doctor on signals made to be what they are called, whatever their size, sign, offset or padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.emg.findings import exchanged, record_findings, session_findings
from biomech_id.emg.neighbours import alike, co_contraction_percent
from biomech_id.emg.record import EmgSettings, cycle_verdict, read_emg, skin_microvolts, with_strikes
from biomech_id.emg.sides import side_evidence
from biomech_id.emg.spikes import heart_rate_hz, spike_times_s
from biomech_id.emg.timing import inside_bands
from biomech_id.trial import AnalogChannels

RATE = 1000.0
N = 5000


def kinds(bursts: Callable[..., Any]) -> dict[str, FloatArray]:
    """Label -> signal, V, which is what it is called by."""
    rng = np.random.default_rng(11)
    time_s = np.arange(N) / RATE
    live = bursts(2, RATE, 20.0).signal_V[:N]
    white = 1e-3 * rng.standard_normal(N)
    mains = 3e-4 * np.sin(2 * np.pi * 50 * time_s)
    contact = np.where((time_s > 1.5) & (time_s < 1.8), 1.0, 1e-5) * rng.standard_normal(N)
    sway = 100 * live.std() * np.sin(2 * np.pi * 1.3 * time_s) + live
    rest = np.fft.irfft(np.fft.rfft(rng.standard_normal(N)) / (1 + (np.fft.rfftfreq(N, 1 / RATE) / 350.0) ** 2), N)
    spike = rng.standard_normal(N)
    spike[2500] = 4000.0
    return {
        "live": live, "dead": white, "hum": mains + 0.02 * white, "railed": np.clip(3.0 * np.sign(mains) + white, -1, 1),
        "intermittent": contact, "artefact": sway, "quiet": 1e-5 * rest, "spike": spike, "flat": np.full(N, 0.3),
    }  # fmt: skip


EXPECTED = {"spike": "artefact", "flat": "dead"}
#: Label of the channel that holds each kind.
LABELS = ("R TA", "L TA", "R SOL", "L SOL", "R RF", "L RF", "R ST", "L ST", "R VL")


def verdicts(signals: dict[str, FloatArray]) -> dict[str, str]:
    stored = np.stack(list(signals.values()), axis=1)
    record = read_emg(AnalogChannels(LABELS[: len(signals)], ("V",) * len(signals), RATE, stored))
    return {kind: str(channel.health.verdict) for kind, channel in zip(signals, record.channels, strict=True)}


CHANGES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "as it is": lambda x: x,
    "smaller": lambda x: 1e-6 * x,
    "larger": lambda x: 1e6 * x,
    "upside down": lambda x: -x,
    "moved": lambda x: x + 7.0 * np.abs(x).max(),
    "padded": lambda x: np.pad(x, (700, 300)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_kind_is_called_what_it_is(bursts: Callable[..., Any], change: str) -> None:
    signals = {kind: CHANGES[change](signal) for kind, signal in kinds(bursts).items()}
    assert verdicts(signals) == {kind: EXPECTED.get(kind, kind) for kind in signals}


def test_names_that_change_later_are_read_anew(bursts: Callable[..., Any]) -> None:
    analog = AnalogChannels(("EMG 1",), ("V",), RATE, bursts(2, RATE, 20.0).signal_V[:, None])
    channels = {"EMG 1": "R tibialis_anterior"}
    settings = EmgSettings(channels=channels)
    first = read_emg(analog, settings)
    assert read_emg(analog, settings) is first
    channels["EMG 1"] = "none"
    assert read_emg(analog, settings).channels == ()


def test_a_dead_channel_has_no_activity_and_no_cycle_of_it_is_live(bursts: Callable[..., Any]) -> None:
    given = bursts(2, RATE, 20.0).signal_V
    stored = np.stack([given, 1e-3 * np.random.default_rng(1).standard_normal(len(given))], axis=1)
    stored[1000:2000, 0] = 0.0
    record = read_emg(AnalogChannels(("R TA", "L TA"), ("V", "V"), RATE, stored))
    live, dead = record.channels
    assert live.activity.intervals_s
    assert not dead.activity.intervals_s
    assert [str(cycle_verdict(record, live, start, start + 1.0)[0]) for start in (0.0, 1.0, 2.0)] == ["live", "dead", "live"]
    assert {str(cycle_verdict(record, dead, start, start + 1.0)[0]) for start in (0.0, 1.0, 2.0)} == {"dead"}


def test_a_cycle_at_the_limits_is_railed_and_its_neighbour_is_not(bursts: Callable[..., Any]) -> None:
    signal = bursts(2, RATE, 20.0).signal_V[:9000].copy()
    limit = 1.3 * np.abs(signal).max()
    signal[2400:2440] = limit
    record = read_emg(AnalogChannels(("R TA",), ("V",), RATE, signal[:, None]))
    channel = record.channels[0]
    assert channel.live
    assert [str(cycle_verdict(record, channel, start, start + 1.0)[0]) for start in (1.0, 2.0, 3.0)] == ["live", "railed", "live"]


def test_hum_in_a_live_channel_is_said_and_taken_out(bursts: Callable[..., Any]) -> None:
    given = bursts(4, RATE, 20.0).signal_V
    hum = 0.8 * given.std() * np.sin(2 * np.pi * 76.9 * np.arange(len(given)) / RATE)
    clean, humming = (read_emg(AnalogChannels(("R TA",), ("V",), RATE, x[:, None])).channels[0] for x in (given, given + hum))
    assert (clean.health.also, clean.lines_hz) == ((), ())
    assert (str(humming.health.verdict), humming.health.also) == ("live", ("hum",))
    assert humming.lines_hz[0] == pytest.approx(76.9, abs=1.0)


def test_a_channel_that_came_rectified_is_live_and_keeps_its_shape(bursts: Callable[..., Any]) -> None:
    given = np.abs(bursts(4, RATE, 20.0).signal_V)
    channel = read_emg(AnalogChannels(("R TA",), ("V",), RATE, given[:, None])).channels[0]
    assert channel.live
    assert "rectified" in channel.health.also
    assert channel.band == pytest.approx(given - given.min())


def test_two_inputs_of_one_lead_and_cross_talk_are_said_and_nobody_is_refused(bursts: Callable[..., Any]) -> None:
    one, other = (bursts(seed, RATE, 20.0).signal_V[:N] for seed in (1, 2))
    stored = np.stack([one, 2.0 * one, other, 0.8 * one / one.std() + 0.6 * other / other.std()], axis=1)
    record = read_emg(AnalogChannels(("R TA", "R PER", "R RF", "R VL"), ("V",) * 4, RATE, stored))
    assert [(pair.first, pair.second, pair.correlation > 0.95) for pair in record.alike] == [
        (0, 1, True),
        (0, 3, False),
        (1, 3, False),
    ]
    assert all(channel.live for channel in record.channels)
    assert [channel.health.also for channel in record.channels] == [("crosstalk",), ("crosstalk",), (), ("crosstalk",)]
    said = [finding.message for finding in record_findings(record, "walk") if finding.rule == "emg-alike"]
    assert [("one lead" in message, "possible cross-talk" in message) for message in said] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert alike([one]) == ()


def test_a_heart_beats_out_of_step_with_the_feet(bursts: Callable[..., Any]) -> None:
    rng = np.random.default_rng(3)
    time_s = np.arange(10_000) / RATE
    beats = np.arange(0.3, 9.9, 0.8) + rng.normal(0, 0.01, 12)
    heart = sum(np.exp(-0.5 * ((time_s - beat) / 0.006) ** 2) for beat in beats) - 0.0
    band = heart * np.sin(2 * np.pi * 40 * time_s + 1.0) + 0.01 * rng.standard_normal(len(time_s))
    times = spike_times_s(band, RATE)
    assert heart_rate_hz(times, stride_s=1.1) == pytest.approx(1.25, abs=0.05)
    assert np.isnan(heart_rate_hz(times, stride_s=0.8))
    assert np.isnan(heart_rate_hz(times, stride_s=1.6))
    assert np.isnan(heart_rate_hz(spike_times_s(bursts(2, RATE, 20.0).signal_V, RATE), stride_s=1.1))


def test_a_cable_that_moves_at_strikes_is_said(bursts: Callable[..., Any]) -> None:
    given = bursts(2, RATE, 20.0).signal_V[:6000]
    strikes = np.arange(0.5, 5.9, 0.55)
    time_s = np.arange(6000) / RATE
    jolt = sum(np.exp(-0.5 * ((time_s - strike) / 0.012) ** 2) for strike in strikes)
    record = read_emg(AnalogChannels(("R TA",), ("V",), RATE, (given + 60 * given.std() * jolt)[:, None]))
    assert "strikes" in with_strikes(record, strikes.tolist(), 1.1).channels[0].health.also
    assert "strikes" not in with_strikes(record, (strikes + 0.25).tolist(), 1.1).channels[0].health.also


def test_leads_exchanged_are_proposed_where_every_known_side_says_so() -> None:
    percent = np.linspace(0, 100, 101)
    own = 0.2 + inside_bands("gastrocnemius", percent, 60.0)[None, :].astype(float)
    other = np.roll(own, 50, axis=1)
    given = {"own_off_percent": 60.0, "other_off_percent": 60.0}
    right, wrong = side_evidence("gastrocnemius", own, other, **given), side_evidence("gastrocnemius", other, own, **given)
    assert right > 1.0
    assert wrong == pytest.approx(-right)
    assert np.isnan(side_evidence("rectus_femoris", own, other, **given))
    assert np.isnan(side_evidence("gastrocnemius", own, other[:0], **given))
    assert exchanged({("L", "gastrocnemius"): [wrong], ("R", "gastrocnemius"): [wrong, float("nan")]}) == ("gastrocnemius",)
    assert exchanged({("L", "gastrocnemius"): [wrong], ("R", "gastrocnemius"): [right]}) == ()
    assert exchanged({("L", "gastrocnemius"): [float("nan")]}) == ()
    said = next(iter(session_findings([], {("L", "gastrocnemius"): [wrong]})))
    assert (said.rule, str(said.severity)) == ("emg-exchanged", "warning")


def test_volts_are_believed_only_where_skin_could_have_them(bursts: Callable[..., Any]) -> None:
    given = bursts(2, RATE, 20.0).signal_V[:N]
    skin, amplified = (read_emg(AnalogChannels(("R TA",), ("V",), RATE, gain * given[:, None])) for gain in (1.0, 1000.0))
    assert skin_microvolts([skin]) == 1e6
    assert skin_microvolts([amplified]) is None
    assert skin_microvolts([amplified], gain=1000.0) == pytest.approx(1e3)
    assert [finding.rule for finding in session_findings([amplified], {})] == ["emg-gain"]


def test_a_late_telemetry_gets_a_sentence_and_no_correction(bursts: Callable[..., Any]) -> None:
    given = bursts(2, RATE, 20.0).signal_V[:N]
    told = ("Delsys Trigno EMG 2.0::Sensor 1 [13,1]",)
    record = read_emg(AnalogChannels(("R TA",), ("V",), RATE, given[:, None], descriptions=told))
    assert record.start_s == 0.0
    assert [finding.message for finding in record_findings(record, "walk")] == [
        "Trigno signals may be 48 ms late; the recipe's delay is 0."
    ]


def test_co_contraction_is_the_common_area() -> None:
    half = np.array([1.0, 1.0, 0.0, 0.0])
    assert co_contraction_percent(half, half) == pytest.approx(100.0)
    assert co_contraction_percent(half, half[::-1]) == pytest.approx(0.0)
    assert co_contraction_percent(half, np.array([0.0, 1.0, 1.0, 0.0])) == pytest.approx(50.0)
