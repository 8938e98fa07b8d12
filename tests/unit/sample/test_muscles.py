"""The virtual subject's muscles: bursts where the truth says, exact envelopes; found, judged and timed by the library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.emg.processing import envelope
from biomech_id.emg.record import read_emg
from biomech_id.sample import virtual_subject
from biomech_id.sample.c3d import write_c3d


@pytest.fixture(scope="module")
def walk():
    return virtual_subject(muscles=True, duration_s=6.0).walk(first_frame=101)


def test_channels_are_named_and_judged_as_they_are_made(walk) -> None:
    record = read_emg(walk.trial.analog, first_time_s=walk.trial.first_time_s)
    found = {channel.input.label: channel for channel in record.channels}
    for true in walk.truth.muscles:
        channel = found[true.label]
        assert (channel.input.named.side, channel.input.named.muscle) == (true.side, true.muscle)
        assert str(channel.health.verdict) == true.kind
    assert {true.kind for true in walk.truth.muscles} == {"live", "dead", "hum"}


def test_on_and_off_are_found_within_milliseconds(walk) -> None:
    record = read_emg(walk.trial.analog, first_time_s=walk.trial.first_time_s)
    errors = []
    for true in walk.truth.muscles:
        channel = next(channel for channel in record.channels if channel.input.label == true.label)
        spans = np.array(channel.activity.intervals_s).reshape(-1, 2) + record.start_s
        whole = [(on, off) for on, off in true.bursts_s if on > record.time_s[0] + 0.1 and off < record.time_s[-1] - 0.1]
        # Of a burst that the record cuts to less than 50 ms nobody can tell.
        seen = [min(off, record.time_s[-1]) - max(on, record.time_s[0]) > 0.06 for on, off in true.bursts_s]
        assert sum(seen) == len(spans), true.label
        for on, off in whole:
            nearest = spans[np.argmin(np.abs(spans[:, 0] - on))]
            errors += [abs(nearest[0] - on), abs(nearest[1] - off)]
    assert len(errors) > 40
    assert np.median(errors) <= 0.002
    assert np.percentile(errors, 95) <= 0.01


def test_the_envelope_is_the_expected_absolute_value(walk) -> None:
    for place, true in enumerate(walk.truth.muscles):
        raw = walk.trial.analog.values[:, place]
        assert np.abs(raw).mean() == pytest.approx(true.envelope_V.mean(), rel=0.05), true.label
        if true.kind == "live":
            exact, drawn = (envelope(signal, 1000.0) for signal in (true.envelope_V, np.abs(raw)))
            inside = slice(100, -100)
            assert np.corrcoef(exact[inside], drawn[inside])[0, 1] > 0.9, true.label


def test_the_file_holds_the_same_channels(walk, tmp_path: Path) -> None:
    read = bid.read_c3d(write_c3d(walk, tmp_path / "walk.c3d"), trust=True)
    for label in walk.trial.analog.names:
        assert np.array_equal(read.analog[label], walk.trial.analog[label])
    assert [plate is None for plate in read.analog.plates] == [False] * 12 + [True] * 8


def test_markers_and_plates_are_the_same_without_electrodes() -> None:
    with_muscles, without = (virtual_subject(muscles=muscles, noise_m=0.001, duration_s=2.0).walk() for muscles in (True, False))
    assert np.array_equal(with_muscles.trial.markers.position_m, without.trial.markers.position_m, equal_nan=True)
    assert not without.trial.analog.names
