"""A laboratory's own markers, named one by one by clicks: their marker set, the command line, and the numbers that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from benchmarks.studies.desk_folders import NUMBERED, PLACES, numbered_markers, virtual
from biomech_id.cli.app import app
from biomech_id.desk.command import check_words, decided_hash, run_words
from biomech_id.desk.look import read_look
from biomech_id.desk.marker_names import NAMES, proposed_names
from biomech_id.desk.record import MARKERS_FILE, VisitRecord
from biomech_id.desk.refusals import Refusal
from biomech_id.markersets import load_markerset


def write_visit(folder: Path, fault: Callable[[Path], None] = lambda _: None) -> Path:
    folder.mkdir(parents=True)
    virtual("static", "walk01", fault=fault)(folder)
    return folder


def looked(record: VisitRecord) -> dict[str, Any]:
    result = CliRunner().invoke(app, check_words(record))
    look = read_look(result.stdout, record.choices)
    assert look is not None
    return look


def cures(look: Mapping[str, Any]) -> dict[str, Any]:
    return {each["kind"]: each for each in look["cures"]}


def run(words: list[str], out: Path) -> pd.DataFrame:
    result = CliRunner().invoke(app, [*words, "-o", str(out), "--no-report"])
    assert result.exit_code in (0, 3), result.output
    return pd.read_csv(out / "cycles.csv")


def test_markers_that_are_named_by_hand_give_the_numbers_of_the_known_set(tmp_path: Path) -> None:
    record = VisitRecord(tmp_path / "desk", write_visit(tmp_path / "own", numbered_markers))
    record.folder.mkdir()
    assert set(cures(looked(record))["marker-set"]["labels"]) > set(NUMBERED.values())
    undecided = decided_hash(record)
    record.choose({"markers": {NUMBERED[label]: place for label, place in PLACES.items()}}, None)
    assert decided_hash(record) != undecided
    assert run_words(record)[-2:] == ["--marker-set", str(record.folder / MARKERS_FILE)]
    assert "marker-set" not in cures(looked(record))
    known = VisitRecord(tmp_path / "nothing", write_visit(tmp_path / "known"))
    pd.testing.assert_frame_equal(run(run_words(record), tmp_path / "a"), run(run_words(known), tmp_path / "b"))


def test_a_named_set_goes_where_a_known_one_is_chosen_and_where_it_is_undone(tmp_path: Path) -> None:
    record = VisitRecord(tmp_path / "desk", tmp_path)
    record.folder.mkdir()
    for after in ({"marker_set": "plug-in-gait"}, {"markers": None}):
        record.choose({"markers": PLACES, "marker_set": None}, None)
        assert load_markerset(record.folder / MARKERS_FILE).landmarks["L", "heel"] == "LHEE"
        record.choose(after, None)
        assert not (record.folder / MARKERS_FILE).exists()


def test_several_markers_of_a_segment_track_it(tmp_path: Path) -> None:
    record = VisitRecord(tmp_path / "desk", tmp_path)
    record.folder.mkdir()
    record.choose({"markers": {**PLACES, "up": "L thigh", "down": "L thigh", "back": "R foot"}}, None)
    markers = load_markerset(record.folder / MARKERS_FILE)
    assert {"up", "down"} < set(markers.tracking["L", "thigh"])
    assert "back" in markers.tracking["R", "foot"]
    assert not {"up", "down", "back"} & set(markers.landmarks.values())


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"second": "L heel"}, "LHEE and second are both called L heel"),
        ({label: None for label, place in PLACES.items() if place in ("R heel", "R toe")}, "No marker is named on the R foot"),
        ({"LHEE": "L tail"}, "tail"),
        ({"LHEE": ["L heel"]}, "L heel"),
    ],
)
def test_names_that_cannot_be_are_refused_and_nothing_is_written(change: dict[str, Any], why: str, tmp_path: Path) -> None:
    record = VisitRecord(tmp_path / "desk", tmp_path)
    record.folder.mkdir()
    with pytest.raises(Refusal, match=why):
        record.choose({"markers": {**PLACES, **change}}, None)
    assert list(record.folder.iterdir()) == []


def test_what_labels_say_is_proposed() -> None:
    labels = ["Right_Heel", "Left_Heel", "Right_Toe", "Left_Toe", "RCL_UL_CRAN", "Q7"]
    assert proposed_names(labels) == {"Right_Heel": "R heel", "Left_Heel": "L heel", "Right_Toe": "R toe", "Left_Toe": "L toe"}
    assert proposed_names(PLACES) == PLACES
    assert set(PLACES.values()) < set(NAMES)
