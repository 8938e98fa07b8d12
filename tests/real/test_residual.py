"""The whole body's residual on recorded walks: a sample of the study says what its table says, and pages and tables hold it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.residual import FAULTS, STAND_OUT, TABLE, Walk, detections
from biomech_id.gait.measures.residual import LARGEST_WEIGHT_PERCENT
from biomech_id.session.solved import Solved
from tests.real.sessions import Sessions

pytestmark = pytest.mark.real

CHILDREN = ("HC030A", "HC033A", "HC036A")
#: Walks of one subject, whose body mass does not fit his plates, and of another.
OTHERS = ("NP1002", "NP1006")


@cache
def others(shared: Path) -> tuple[Solved, ...]:
    return tuple(trial for name in OTHERS for trial in bid.analyse(shared / "c3d" / "norm_subjects" / name).computed.trials)


@pytest.fixture(scope="module")
def walks(sessions: Sessions, shared_dir: Path) -> dict[str, Walk]:
    trials = [trial for name in CHILDREN for trial in sessions[f"children/{name}"].result.trials]
    found = [Walk.of(trial, "children") for trial in trials] + [Walk.of(trial, "norm_subjects") for trial in others(shared_dir)]
    return {walk.name: walk for walk in found if walk is not None}


def numbers(cell: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", cell)]


def test_the_committed_table_is_what_the_study_finds(walks: dict[str, Walk]) -> None:
    known = {
        cells[0]: cells
        for line in TABLE.read_text(encoding="utf-8").splitlines()
        if line.startswith(("| HC", "| walk")) and len(cells := [cell.strip() for cell in line.strip("| ").split(" | ")]) == 11
    }
    assert len(walks) >= 9
    for name, walk in walks.items():
        test, row = walk.judged(), known[name]
        assert test is not None
        assert test.single.frames == int(row[2])
        assert test.single.mean_percent == pytest.approx(numbers(row[3]), abs=0.11)
        assert test.single.rms_percent == pytest.approx(numbers(row[4]), abs=0.11)
        assert test.slope == pytest.approx(numbers(row[8]), abs=0.011)
        assert 1000 * test.lag_s == pytest.approx(float(row[9]), abs=0.11)
        assert ", ".join(test.causes) == row[10].replace("-", "", 1 if row[10] == "-" else 0)


def test_faults_are_found_and_walks_as_they_are_are_not_accused(walks: dict[str, Walk]) -> None:
    accused = {name for name, walk in walks.items() if (test := walk.judged()) and test.causes}
    assert accused == set(STAND_OUT) & set(walks)
    for row in detections(walks.values()):
        assert row.judged >= 7
        assert row.share >= row.fault.least, row.fault.name
    assert {fault.least for fault in FAULTS} == {0.9, 0.7}


def test_a_body_mass_that_does_not_fit_is_said_with_the_one_that_would(shared_dir: Path) -> None:
    for trial in others(shared_dir)[:2]:
        (finding,) = [each for each in trial.findings if each.rule.startswith("residual-")]
        assert finding.rule == "residual-weight"
        assert finding.values["fitting_kg"] == pytest.approx(28.7, abs=0.1)
        graded = {row.rule: row for row in trial.quality}
        assert graded["residual-weight"].verdict == "warn"
        assert graded["residual-weight"].value > 3 * LARGEST_WEIGHT_PERCENT
    assert {row.verdict for row in others(shared_dir)[2].quality if row.rule.startswith("residual-")} <= {"accept", "not judged"}


def test_forces_and_markers_see_the_same_centre_of_mass(sessions: Sessions) -> None:
    """Twice integrated, forces leave a straight line open and nothing else: what is left is soft tissue, millimetres."""
    seen = 0
    for name in CHILDREN:
        for trial in sessions[f"children/{name}"].result.trials:
            whole = trial.whole_body
            assert whole is not None
            from_forces = whole.com_from_forces_lab_m()
            assert from_forces is not None
            apart = 1000.0 * (from_forces - whole.momentum.com_lab_m)
            known = np.isfinite(apart).all(axis=1)
            seen += int(known.sum())
            assert np.sqrt((apart[known] ** 2).mean(axis=0)).max() < 25.0, trial.name
    assert seen > 400


def test_straight_walks_have_margins_and_turns_have_none(sessions: Sessions) -> None:
    """A prototype on the same laboratory's straight walks: sideways 43 to 86 mm, fore-aft -91 to 61 mm (5 to 95 %)."""
    for name in CHILDREN:
        tables = sessions[f"children/{name}"].tables
        kinds = {trial["name"]: trial["kind"] for trial in tables.summary["trials"]}
        rows = tables.spatiotemporal[tables.spatiotemporal["parameter"].str.startswith("margin_of_stability")]
        assert {kinds[trial] for trial in rows["trial"]} == {"straight"}
        sideways = rows[rows["parameter"] == "margin_of_stability_sideways_ankle_strike"]["value"]
        assert 0.03 < sideways.median() < 0.1
        fore_aft = rows[rows["parameter"] == "margin_of_stability_fore_aft_toe_strike"]["value"]
        assert -0.15 < fore_aft.median() < 0.1


def test_whole_body_csv_is_in_the_folder_and_fits_the_frames(sessions: Sessions) -> None:
    tables = sessions["children/HC030A"].tables
    table = tables.whole_body
    assert table is not None
    for trial, mine in table[table["variable"] == "CentreOfMass"].groupby("trial"):
        frames = tables.frames[str(trial)]
        for component in "XYZ":
            rows = mine[mine["component"] == component]
            column = frames.set_index(frames["time"].round(6))[f"CentreOfMass.{component}"]
            np.testing.assert_allclose(rows["value"], column.loc[rows["time_s"].round(6)], atol=1e-6)
    assert set(table[table["variable"] == "ResidualForce"]["unit"]) == {"%BW"}
