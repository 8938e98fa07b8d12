"""Muscle signals through the main job: tables of a child's session, their agreement with one another, exchanged leads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sessions import Sessions

import biomech_id as bid
from biomech_id.errors import OptionError
from biomech_id.results.folder.read_write import read_folder

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
    again = read_folder(computed.out)
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
    result = bid.analyse(files, channels=exchanged, report=False, uncertainty=False, budget=False)
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
