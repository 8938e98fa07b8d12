"""Muscle signals of the recordings: names, channel doctor, filters and sides against what careful people found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.algebra.arrays import FloatArray
from biomech_id.emg.channels import find_inputs
from biomech_id.emg.doctor import ChannelVerdict, judge_channel
from biomech_id.emg.features import measure_channel, without_padding
from biomech_id.emg.muscles import MUSCLES
from biomech_id.emg.names import name_channels
from biomech_id.emg.onset import activity
from biomech_id.emg.processing import band_pass, envelope
from biomech_id.emg.record import cycle_curve, read_emg
from biomech_id.emg.sides import EXCHANGED_BELOW, side_evidence, tells_side
from biomech_id.trial import EventKind, Trial


class Labelled(NamedTuple):
    """A channel with what a careful observer says of it."""

    file: str
    place: int
    truth: str
    acceptable: frozenset[str]
    confidence: float


@pytest.fixture(scope="module")
def labelled(c3d_dir: Path) -> list[Labelled]:
    rows = json.loads((c3d_dir / "emg_channels.json").read_text(encoding="utf-8"))["channels"]
    return [
        Labelled(r["file"], r["channel"] - 1, r["truth"], frozenset({r["truth"], *r["also_acceptable"]}), r["confidence"])
        for r in rows
    ]


@pytest.fixture(scope="module")
def trials(c3d_dir: Path, labelled: list[Labelled]) -> dict[str, Trial]:
    return {file: bid.read_c3d(c3d_dir / file, trust=True) for file in dict.fromkeys(row.file for row in labelled)}


def judged(
    trials: dict[str, Trial], labelled: list[Labelled], change: Callable[[FloatArray, float], FloatArray]
) -> dict[tuple[str, int], ChannelVerdict]:
    """(file, place) -> verdict on every channel that is an EMG input by hand."""
    verdicts = {}
    for file, trial in trials.items():
        places = [row.place for row in labelled if row.file == file and row.truth != "not_emg"]
        rate_hz = trial.analog.rate_hz
        raw = without_padding(change(trial.analog.values[:, places], rate_hz), rate_hz)
        band = band_pass(raw, rate_hz)
        for column, place in enumerate(places):
            verdicts[file, place] = judge_channel(measure_channel(raw[:, column], band[:, column], rate_hz)).verdict
    return verdicts


@pytest.fixture(scope="module")
def verdicts(trials: dict[str, Trial], labelled: list[Labelled]) -> dict[tuple[str, int], ChannelVerdict]:
    return judged(trials, labelled, lambda values, _: values)


def test_every_label_has_its_muscle_and_side_and_nothing_is_guessed(c3d_dir: Path) -> None:
    rows = json.loads((c3d_dir / "emg_names.json").read_text(encoding="utf-8"))
    files: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        files.setdefault(row["file"], []).append(row)
    wrong = []
    for members in files.values():
        found = name_channels([row["label"] for row in members], [row["description"] for row in members])
        for row, named in zip(members, found, strict=True):
            code = MUSCLES[named.muscle].code if named.muscle else None
            if (code, named.side or None) != (row["muscle"], row["side"]):
                wrong.append((row["file"], row["label"], named))
    assert len(rows) == 216
    assert wrong == []


def test_what_is_a_muscles_channel_and_what_is_not(trials: dict[str, Trial], labelled: list[Labelled]) -> None:
    found = {
        (file, trial.analog.names.index(one.label)): one.refusal is None
        for file, trial in trials.items()
        for one in find_inputs(trial.analog)
    }
    wrong = [row for row in labelled if found.get((row.file, row.place), False) != (row.truth != "not_emg")]
    # Six inputs whose device is called "Analog EMG": by their signal they hold movement or nothing, and none is shown as muscle.
    assert {(row.file, row.place) for row in wrong} == {("vendors/Vicon.c3d", place) for place in range(6)}
    record = read_emg(trials["vendors/Vicon.c3d"].analog)
    assert {str(c.health.verdict) for c in record.channels if c.input.label.startswith("Voltage.")} == {"artefact", "dead"}


def test_the_doctor_agrees_with_a_careful_observer(
    labelled: list[Labelled], verdicts: dict[tuple[str, int], ChannelVerdict]
) -> None:
    sure = [row for row in labelled if row.truth != "not_emg" and row.confidence > 0.6]
    assert len(sure) == 787
    wrong = [(row, verdicts[row.file, row.place]) for row in sure if verdicts[row.file, row.place] not in row.acceptable]
    assert len(wrong) <= 0.03 * len(sure), wrong
    # Whether it may be used: live, or not; a second opinion that says the other is as right.
    unusable = [row for row, found in wrong if (found is ChannelVerdict.LIVE) != (row.truth == "live")]
    assert len(unusable) <= 0.01 * len(sure), unusable
    clear = Counter((row.truth, str(verdicts[row.file, row.place])) for row in sure if row.confidence == 0.95)
    assert clear["live", "dead"] == 0
    assert clear["dead", "live"] == 0


@pytest.mark.parametrize("factor", [1e-6, 1e6, -1.0])
def test_size_and_sign_decide_nothing(
    trials: dict[str, Trial], labelled: list[Labelled], verdicts: dict[tuple[str, int], ChannelVerdict], factor: float
) -> None:
    assert judged(trials, labelled, lambda values, _: factor * values) == verdicts


def test_an_offset_decides_nothing_and_padding_hardly(
    trials: dict[str, Trial], labelled: list[Labelled], verdicts: dict[tuple[str, int], ChannelVerdict]
) -> None:
    assert judged(trials, labelled, lambda values, _: values + 3.0 * np.nanmax(np.abs(values), axis=0)) == verdicts
    padded = judged(trials, labelled, lambda values, rate: np.pad(values, ((round(0.7 * rate), round(0.4 * rate)), (0, 0))))
    assert sum(padded[key] is not verdicts[key] for key in verdicts) <= 0.01 * len(verdicts)


def test_band_and_envelope_and_intervals_are_those_of_the_reference(
    reference: Callable[[str], Any], trials: dict[str, Trial]
) -> None:
    for known in reference("emg")["channels"]:
        analog = trials[known["file"]].analog
        raw = analog.values[:, known["channel"] - 1]
        band = band_pass(raw, analog.rate_hz)
        curve = envelope(band, analog.rate_hz)
        limit = 1e-9 * np.abs(band).max()
        assert max(abs(band[place] - value) for place, value in known["band_at"]) <= limit
        assert curve.max() == pytest.approx(known["envelope_max"], rel=1e-9)
        assert curve.mean() == pytest.approx(known["envelope_mean"], rel=1e-9)
        printed = np.asarray(known["envelope"])
        # The file prints nine digits of each value: half of the last is added.
        digit = 0.5 * 10.0 ** (np.floor(np.log10(np.maximum(printed, 1e-300))) - 8)
        assert (np.abs(curve[:: known["envelope_step_samples"]][: len(printed)] - printed) <= 1e-9 * curve.max() + digit).all()
        found = activity(band, analog.rate_hz)
        assert found.noise == pytest.approx(known["noise_sd"], rel=1e-9)
        assert np.asarray(found.intervals_s) == pytest.approx(np.asarray(known["intervals_s"]), abs=1.01 / analog.rate_hz)


def evidence(trial: Trial) -> Iterator[tuple[str, float, int]]:
    """What each calf and tibialis anterior that is live says: its name, its log ratio, where its mean envelope is largest (%)."""
    times: dict[tuple[str, EventKind], list[float]] = {}
    for event in trial.events:
        times.setdefault((event.side, event.kind), []).append(event.time_s)
    strikes = {side: times.get((side, EventKind.FOOT_STRIKE), []) for side in "LR"}
    cycles = {side: list(pairwise(of_side)) for side, of_side in strikes.items()}
    offs = {
        side: [100 * (off - start) / (end - start) for start, end in cycles[side] for off in times[side, EventKind.FOOT_OFF]
               if start < off < end]
        for side in "LR"
    }  # fmt: skip
    record = read_emg(trial.analog, first_time_s=trial.first_time_s)
    for channel in record.channels:
        side, muscle = channel.input.named.side, channel.input.named.muscle
        if not (channel.live and side and tells_side(muscle)):
            continue
        curves = {s: np.array([cycle_curve(record, channel, *cycle) for cycle in cycles[s]]) for s in "LR"}
        other = "R" if side == "L" else "L"
        given = {"own_off_percent": float(np.mean(offs[side])), "other_off_percent": float(np.mean(offs[other]))}
        ratio = side_evidence(muscle, curves[side], curves[other], **given)
        yield f"{trial.name} {channel.input.shown}", ratio, int(np.argmax(curves[side].mean(axis=0)))


#: Walks of healthy people with strikes of both feet stored.
WALKS = ("children/", "plug_in_gait/PiG_Motion-FlatFoot", "swaying_static/PiG_Motion4")


def test_calf_and_tibialis_anterior_know_their_side_and_exchanged_leads_are_flagged(trials: dict[str, Trial]) -> None:
    walks = [trial for file, trial in trials.items() if file.startswith(WALKS)]
    walks = [
        trial
        for trial in walks
        if all(sum(e.side == side and e.kind is EventKind.FOOT_STRIKE for e in trial.events) > 1 for side in "LR")
    ]
    found = {name: (ratio, peak) for trial in walks for name, ratio, peak in evidence(trial)}
    assert len(found) >= 29
    assert [name for name, (ratio, _) in found.items() if not ratio > EXCHANGED_BELOW] == []
    # Seen from the other foot's cycles the same ratio has the other sign: that is what exchanged leads look like.
    assert [name for name, (ratio, _) in found.items() if not -ratio < EXCHANGED_BELOW] == []
    calves = {name: peak for name, (_, peak) in found.items() if "gastrocnemius" in name}
    assert len(calves) == 15
    assert {name: peak for name, peak in calves.items() if not 30 <= peak <= 50} == {}


def test_the_whole_record_and_a_cut_agree(trials: dict[str, Trial]) -> None:
    apart: list[float] = []
    for file in ("children/HC032A/HC032A18.c3d", "norm_subjects/NP1003/walkNorm_NP1003a20.c3d", "walking/bmc_gait.c3d"):
        analog = trials[file].analog
        rate_hz = analog.rate_hz
        raw = np.stack([channel.raw for channel in read_emg(analog).channels if channel.live], axis=1)
        whole = envelope(band_pass(raw, rate_hz), rate_hz)
        margin = round(0.2 * rate_hz)
        for start_s in np.arange(0.3, analog.n_samples / rate_hz - 1.3, 0.25):
            cut = slice(round(start_s * rate_hz), round((start_s + 1.0) * rate_hz))
            again = envelope(band_pass(raw[cut.start - margin : cut.stop + margin], rate_hz), rate_hz)[margin:-margin]
            apart += (np.abs(again - whole[cut]).max(axis=0) / whole.max(axis=0)).tolist()
    # 2e-4 of the maximum; where movement below 20 Hz is larger than the muscle, up to twice that in single cuts.
    assert np.percentile(apart, 99) <= 2e-4
    assert max(apart) <= 4e-4
