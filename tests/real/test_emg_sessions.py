"""Muscle signals through the main job: tables of a child's session, their agreement with one another, exchanged leads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sessions import Sessions

import biomech_id as bid
from biomech_id.errors import OptionError
from biomech_id.session import trial_tables
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.values.summary import verdict_sentence

CHILD = "children/HC032A"


def test_channels_say_what_they_hold_and_only_live_ones_have_curves(sessions: Sessions) -> None:
    tables = sessions[CHILD].tables
    channels, emg = tables.channels, tables.emg
    assert channels is not None
    assert emg is not None
    walk = channels[channels["trial"] == "HC032A18"].set_index("label")
    assert dict(walk["verdict"][["Voltage.L Gast", "Voltage.R Gast"]]) == {"Voltage.L Gast": "live", "Voltage.R Gast": "dead"}
    assert (walk.loc["Voltage.L Gast", ["muscle", "side", "unit"]] == ["gastrocnemius", "L", "V"]).all()
    assert np.isnan(walk.loc["Voltage.R Gast", "peak"])
    assert walk.loc["Voltage.L Gast", "by_cycle"].startswith("1 live 0.0495; 2 live")
    assert set(channels["trial"]) == {"HC032A01", "HC032A03", "HC032A18"}, "the standing trial's channels are judged too"
    live = channels[channels["verdict"] == "live"]
    assert set(zip(emg["trial"], emg["label"], strict=True)) <= set(zip(live["trial"], live["label"], strict=True))
    assert len(channels.drop_duplicates(["trial", "label"])) == len(channels)


def test_curves_are_of_the_cycles_of_kinematics_and_their_mean_peaks_at_100(sessions: Sessions) -> None:
    tables = sessions[CHILD].tables
    emg, activity = tables.emg, tables.emg_activity
    assert emg is not None
    assert activity is not None
    cycles = tables.cycle_list
    known = set(zip(cycles["trial"], cycles["side"], cycles["cycle"], strict=True))
    assert set(zip(emg["trial"], emg["side"], emg["cycle"], strict=True)) <= known
    used = emg[emg["used"] == "true"]
    for _, curves in used.groupby(["side", "muscle"]):
        assert curves.groupby("percent")["percent_peak"].mean().max() == pytest.approx(100.0)
    inside = activity[activity["cycle"] > 0]
    assert ((inside["on_percent"] >= 0) & (inside["off_percent"] <= 100 + 1e-9) & (inside["off_s"] > inside["on_s"])).all()
    whole = activity[activity["cycle"] == 0]
    assert set(whole["label"]) == set(emg["label"])


def test_the_folder_gives_the_same_tables_back(sessions: Sessions) -> None:
    computed = sessions[CHILD]
    again = read_tables(computed.out)
    for name in ("channels", "emg", "emg_activity", "emg_pairs", "emg_raw"):
        written, read = getattr(computed.tables, name), getattr(again, name)
        assert list(written.columns) == list(read.columns)
        assert len(written) == len(read) > 0


def test_exchanged_leads_are_proposed_and_nothing_is_renamed(c3d_dir: Path) -> None:
    exchanged = {
        f"Voltage.{side} {word}": f"{other} {muscle}"
        for side, other in (("L", "R"), ("R", "L"))
        for word, muscle in (("Gast", "gastrocnemius"), ("Tib Ant", "tibialis_anterior"))
    }
    files = [c3d_dir / CHILD / f"HC032A{number}.c3d" for number in ("01", "03", "18")]
    result = bid.analyse(files, channels=exchanged, report=False, uncertainty=False, budget=False).computed
    found = [finding for finding in result.findings if finding.rule == "emg-exchanged"]
    assert sorted(str(finding.values["muscle"]) for finding in found) == ["gastrocnemius", "tibialis_anterior"]
    channels = result.tables().channels
    assert channels is not None
    assert (channels[channels["label"] == "Voltage.L Gast"]["side"] == "R").all()
    with pytest.raises(OptionError, match="no such recording"):
        bid.analyse(files, emg_reference="mvc")


def test_as_stored_nothing_is_exchanged_and_the_size_of_volts_is_doubted(sessions: Sessions) -> None:
    rules = [finding.rule for finding in sessions[CHILD].result.findings]
    assert "emg-exchanged" not in rules
    assert "emg-gain" in rules


def test_pages_show_live_muscles_and_say_what_the_others_hold(sessions: Sessions, tmp_path: Path) -> None:
    from pypdf import PdfReader

    from biomech_id.report import draw_report

    appendix = draw_report(sessions[CHILD].tables, tmp_path / "appendix.pdf", appendix=True)
    pages = [page.extract_text() for path in (sessions[CHILD].report, appendix) for page in PdfReader(path).pages]
    cycles = next(text for text in pages if "Muscle signals, every cycle" in text)
    assert "Left Gastrocnemius" in cycles
    assert cycles.count("no signal; not shown as muscle") == 4
    envelopes = next(text for text in pages if "mean envelope" in text)
    assert "L 1: 100 % = 0.0902 V" in envelopes
    assert "weakness is not visible" in envelopes
    raw = next(text for text in pages if "Muscle signals, whole trial" in text)
    assert "RMS" in raw, "the threshold is printed"
    quality = "".join(text for text in pages if "Data quality" in text)
    assert "noise without muscle" in quality


def test_envelopes_go_back_into_the_recording_and_to_opensim(c3d_dir: Path, tmp_path: Path) -> None:
    from biomech_id.exports.opensim.folder import envelope_table
    from biomech_id.pipeline.run import run_job
    from biomech_id.request.job import Job
    from biomech_id.request.recipe import Recipe

    files = tuple(c3d_dir / CHILD / f"HC032A{number}.c3d" for number in ("01", "03"))
    run_job(Job(files, recipe=Recipe(write_c3d=True, report=False, uncertainty=False, budget=False)), tmp_path / "out")
    copy = bid.read_c3d(tmp_path / "out" / "c3d" / "HC032A03.c3d", trust=True)
    written = {name for name in copy.model_outputs if "Envelope" in name}
    muscles = ("RectusFemoris", "Hamstrings", "Gastrocnemius", "TibialisAnterior")
    assert written == {f"L{muscle}Envelope_bid" for muscle in muscles}, "no dead channel becomes a curve"
    result = bid.analyse(files, report=False, uncertainty=False, budget=False).computed
    (walk,) = [one for one in result.emg.trials if one.trial == "HC032A03"]
    (calf,) = [channel for channel in walk.record.channels if channel.input.label == "Voltage.L Gast"]
    per_frame = round(walk.record.rate_hz / copy.rate_hz)
    assert copy.model_outputs["LGastrocnemiusEnvelope_bid"][:, 2] == pytest.approx(calf.envelope[::per_frame], rel=1e-5, abs=1e-7)
    table = envelope_table(result.emg, "HC032A03")
    assert table is not None
    assert table.columns == ("rectus_femoris_l", "hamstrings_l", "gastrocnemius_l", "tibialis_anterior_l")
    assert table.time_s[0] == pytest.approx(copy.first_time_s)
    assert table["gastrocnemius_l"] == pytest.approx(calf.envelope / result.emg.peaks["L", "gastrocnemius"])
    assert envelope_table(result.emg, "nowhere") is None


def test_a_norm_holds_muscles_and_its_number_is_that_of_movement(sessions: Sessions) -> None:
    from biomech_id.norms.from_sessions import norm_from_sessions
    from biomech_id.session.values.norm import norm_note

    tables = [sessions[f"children/{child}"].tables for child in ("HC032A", "HC036A", "HC002D")]
    norm = norm_from_sessions(tables, source="three children")
    calf = norm[norm["variable"] == "EMG.gastrocnemius"]
    assert len(calf) == 101
    assert calf["n"].iloc[0] == 3
    assert 30 <= calf.loc[calf["mean"].idxmax(), "percent"] <= 50
    assert (norm_note(norm) or {})["n"] == 3


def test_the_doctor_of_files_says_what_it_sees_and_proposes_exchanged_sides(c3d_dir: Path) -> None:
    from dataclasses import replace

    from biomech_id.judgement.check.check import inspect_muscles

    trial = bid.read_c3d(c3d_dir / CHILD / "HC032A18.c3d", trust=True)
    found = {finding.rule: finding for finding in inspect_muscles(trial)}
    assert set(found) == {"emg-not-shown", "emg-gain"}
    assert ("R gastrocnemius", "dead") in found["emg-not-shown"].values["channels"]
    names = tuple(
        name.replace(".L ", ".X ").replace(".R ", ".L ").replace(".X ", ".R ") if "Voltage" in name else name
        for name in trial.analog.names
    )
    exchanged = replace(trial, analog=replace(trial.analog, names=names))
    assert [f.values["muscle"] for f in inspect_muscles(exchanged) if f.rule == "emg-exchanged"] == [
        "gastrocnemius",
        "tibialis_anterior",
    ]


def test_a_figure_for_researchers(sessions: Sessions) -> None:
    from biomech_id.errors import MissingInputError

    tables = sessions[CHILD].tables
    mean, cycles = bid.plot.emg(tables), bid.plot.emg(tables, every_cycle=True)
    assert len(mean.axes) == 5
    assert len(cycles.axes) == 10
    from dataclasses import replace

    with pytest.raises(MissingInputError, match="no muscle signals"):
        bid.plot.emg(replace(tables, channels=None))


def test_a_named_recording_is_what_amplitudes_are_divided_by(c3d_dir: Path) -> None:
    files = [c3d_dir / CHILD / f"HC032A{number}.c3d" for number in ("01", "03", "18")]
    result = bid.analyse(files, emg_reference="HC032A18.c3d", report=False, uncertainty=False, budget=False).computed
    assert [trial.name for trial in result.trials] == ["HC032A03", "HC032A18"]
    (reference,) = [one.record for one in result.emg.trials if one.trial == "HC032A18"]
    (calf,) = [channel for channel in reference.channels if channel.input.label == "Voltage.L Gast"]
    inside = calf.envelope[round(0.1 * reference.rate_hz) : -round(0.1 * reference.rate_hz)]
    assert result.emg.peaks["L", "gastrocnemius"] == pytest.approx(inside.max(), rel=1e-3)
    words = [text.get_text() for text in bid.plot.emg(result).texts]
    assert "the largest envelope in HC032A18.c3d" in " ".join(" ".join(words).split())
    assert not any("own peak" in text for text in words)


@pytest.mark.parametrize(("subject", "reference"), [("NP1002", "walkNorm_NP1002a07"), ("NP1006", "walkNorm_NP1006a12.c3d")])
def test_a_walk_that_is_the_reference_is_analysed_as_every_walk(subject: str, reference: str, c3d_dir: Path) -> None:
    files = sorted((c3d_dir / "norm_subjects" / subject).glob("*.c3d"))
    plain, result = (bid.analyse(files, emg_reference=name, uncertainty=False, budget=False).computed for name in ("", reference))
    assert [trial.name for trial in result.trials] == [path.stem for path in files]
    for ours, theirs in zip(result.trials, plain.trials, strict=True):
        assert ours.has_kinetics
        assert np.array_equal(trial_tables.curves(ours).values, trial_tables.curves(theirs).values, equal_nan=True)
    assert verdict_sentence(result) == verdict_sentence(plain)
    assert [finding.rule for finding in result.findings] == [finding.rule for finding in plain.findings]
    assert result.emg.reference == Path(reference).stem
    assert result.emg.peaks
    assert all(peak > plain.emg.peaks.get(key, 0.0) for key, peak in result.emg.peaks.items())
