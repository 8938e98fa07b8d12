"""The recording that muscle signals are divided by: a walk is analysed all the same, maximal contractions are not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.sample import virtual_subject
from biomech_id.session import trial_tables
from biomech_id.trial import Markers, Trial

QUICK = {"uncertainty": False, "budget": False}


@cache
def session() -> tuple[Trial, Trial, Trial]:
    """Static trial and two walks that are no copies of each other, the second with muscle signals twice as large."""
    person = virtual_subject(muscles=True, rate_hz=100.0)
    static, walk = person.static().trial, person.walk().trial
    other = virtual_subject(muscles=True, rate_hz=100.0, duration_s=3.6, speed_m_s=1.15).walk("walk2").trial
    return static, walk, replace(other, path="walk2.c3d", analog=replace(other.analog, scale=2.0 * other.analog.scale))


def contractions(*, markers: bool) -> Trial:
    """The second walk's muscle signals of somebody who stands, or who wears no markers."""
    static, _, walk = session()
    if not markers:
        return replace(
            walk, name="mvc", path="mvc.c3d", markers=Markers((), np.empty((walk.n_frames, 0, 3)), walk.rate_hz), plates=()
        )
    still = np.repeat(static.markers.position_m[:1], walk.n_frames, axis=0)
    return replace(walk, name="mvc", path="mvc.c3d", markers=Markers(static.markers.names, still, walk.rate_hz), plates=())


@pytest.mark.parametrize("reference", ["walk2", "walk2.c3d"])
def test_a_walk_is_reference_and_walk(reference: str) -> None:
    trials = session()
    without = bid.analyse(trials, **QUICK).computed
    result = bid.analyse(trials, emg_reference=reference, **QUICK).computed
    assert [trial.name for trial in result.trials] == ["walk", "walk2"]
    for ours, theirs in zip(result.trials, without.trials, strict=True):
        assert ours.cycles
        assert np.array_equal(trial_tables.curves(ours).values, trial_tables.curves(theirs).values, equal_nan=True)
    assert result.emg.reference == "walk2"
    (record,) = [one.record for one in result.emg.trials if one.trial == "walk2"]
    inside = record.span(record.start_s + 0.1, record.start_s + record.n_samples / record.rate_hz - 0.1)
    for key, peak in result.emg.peaks.items():
        (envelope,) = [
            channel.envelope[inside] for channel in record.channels if (channel.input.named.side, channel.input.named.muscle) == key
        ]
        assert peak == pytest.approx(float(envelope.max()))
        assert peak > without.emg.peaks[key]
    emg = result.tables().emg
    assert set(emg["trial"]) == {"walk", "walk2"}


@pytest.mark.parametrize("reference", ["walk2", "walk2.c3d"])
def test_a_reference_that_copies_a_walk_is_not_left_out(reference: str) -> None:
    static, walk, _ = session()
    analog = replace(walk.analog, scale=2.0 * walk.analog.scale)
    copy = replace(walk, name="walk2", path="walk2.c3d", analog=analog)
    result = bid.analyse([static, walk, copy], emg_reference=reference, **QUICK)
    assert result.computed.emg.reference == "walk2"


def test_the_only_walk_may_be_the_reference_and_nothing_false_is_said() -> None:
    static, walk, _ = session()
    result = bid.analyse([static, walk], emg_reference="walk", plate_cutoff_hz=50.0, **QUICK).computed
    assert [trial.name for trial in result.trials] == ["walk"]
    assert result.trials[0].has_kinetics
    summary = result.tables().summary
    assert summary["sentence"] == bid.analyse([static, walk], **QUICK).computed.tables().summary["sentence"]
    why = {finding.values["why"] for finding in result.findings if finding.rule == "setting-without-effect"}
    assert "plates" not in why


@pytest.mark.parametrize("markers", [False, True])
def test_maximal_contractions_are_no_walk(markers: bool) -> None:
    static, walk, _ = session()
    result = bid.analyse([static, walk, contractions(markers=markers)], static=static, emg_reference="mvc", **QUICK).computed
    assert [trial.name for trial in result.trials] == ["walk"]
    assert not result.failed
    assert result.emg.reference == "mvc"
    peaks = bid.analyse(session(), emg_reference="walk2", **QUICK).computed.emg.peaks
    assert result.emg.peaks == pytest.approx(peaks)


def test_a_figure_says_what_the_reference_is() -> None:
    static, walk, _ = session()
    said = {
        name: " ".join(" ".join(text.get_text() for text in bid.plot.emg(result).texts).split())
        for name, result in {
            "walk": bid.analyse([static, walk], emg_reference="walk", **QUICK).computed,
            "mvc": bid.analyse([static, walk, contractions(markers=False)], emg_reference="mvc", **QUICK).computed,
        }.items()
    }
    assert "the largest envelope in walk" in said["walk"]
    assert "weakness is not visible" in said["walk"]
    assert "the maximal contractions in mvc" in said["mvc"]
