"""No count on any page contradicts the tables, or another page (issue L, case 4)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
from printed_counts import counts, folder_counts

from benchmarks.studies import layer_faults
from biomech_id.pipeline.run import run_job
from biomech_id.report.pdf import draw_report
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.subject import virtual_subject
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables
from tests.older_cycles import as_before


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A walk with one refused cycle and a plate 60 mm off, one whose cycles are all refused, and a turn."""
    folder = tmp_path_factory.mktemp("faulty")
    person = virtual_subject(duration_s=3.6)
    (folder / "subject").mkdir()
    write_c3d(person.static("static", duration_s=1.0), folder / "subject" / "static.c3d")
    for name, frames, direction in (("partly", slice(150, 260), "+X"), ("wholly", slice(None), "+X"), ("turn", slice(0), "turn")):
        # Another walk: a copy of the first would be left out as one.
        walker = virtual_subject(duration_s=3.6, speed_m_s=1.15) if name == "wholly" else person
        sample = walker.walk(name, direction=direction)
        position = sample.trial.markers.position_m.copy()
        for marker, by in (("LTHI", 0.15), ("RTHI", -0.15)):
            position[frames, sample.trial.markers.names.index(marker), 1] += by
        trial = replace(sample.trial, markers=sample.trial.markers.with_positions(position))
        moved = layer_faults.plate_moved(trial) if name == "partly" else trial
        write_c3d(replace(sample, trial=moved), folder / "subject" / f"{name}.c3d")
    run_job(Job((folder / "subject",), Recipe(report=False, uncertainty=False)), folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def faulty(out: Path) -> Tables:
    return read_tables(out)


#: Pages that print counts.
PAGES = ("cover", "quality", "spatiotemporal", "kinematics_cycles", "kinematics_mean", "kinetics_mean", "values", "other_movements")


@pytest.fixture(scope="module")
def report(faulty: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_report(faulty, tmp_path_factory.mktemp("report") / "report.pdf", pages=PAGES)


def test_every_count_of_the_report_is_that_of_the_tables(out: Path, faulty: Tables, report: Path) -> None:
    verdicts = {trial["name"]: trial["verdict"] for trial in faulty.summary["trials"]}
    assert verdicts == {"partly": "warn", "turn": "accept", "wholly": "reject"}
    assert 0 < sum(cycle["used"] for cycle in faulty.summary["trials"][0]["cycles"]) < len(faulty.summary["trials"][0]["cycles"])
    found = [*counts(report, faulty), *folder_counts(faulty, out)]
    assert [count for count in found if not count.agrees] == []
    assert len(found) > 90
    pages = {count.what.partition(":")[0] for count in found}
    assert pages >= {"cover", "quality", "time and distance", "Values", "Kinematics, every cycle", "Kinematics, mean ± SD"}
    assert any(count.what.startswith("Kinetics, every cycle: Turn") for count in found)


def test_a_session_without_a_cycle_in_the_means_says_so_on_every_page(faulty: Tables, tmp_path: Path) -> None:
    trials = [trial for trial in faulty.summary["trials"] if trial["name"] == "wholly"]
    rejected = replace(faulty, summary={**faulty.summary, "trials": trials})
    draw_report(rejected, tmp_path / "report.pdf", pages=("cover", "quality", "kinematics_mean", "values"))
    found = counts(tmp_path / "report.pdf", rejected)
    assert [count for count in found if not count.agrees] == []
    assert {count.printed for count in found if count.what.startswith("Kinematics")} == {(0, 0)}
    # And each empty side says why: its markers, by name, and not only that a page elsewhere knows.
    text = " ".join(" ".join(page.extract_text().split()) for page in pypdf.PdfReader(tmp_path / "report.pdf").pages)
    assert "Left: no cycle in the means. Distances on the left thigh differ by" in text
    assert "Right: no cycle in the means. Distances on the right thigh differ by" in text


def test_a_wrong_count_is_seen(faulty: Tables, report: Path) -> None:
    trials = [{**trial, "cycles": [as_before(cycle) for cycle in trial["cycles"]]} for trial in faulty.summary["trials"]]
    next(cycle for cycle in trials[0]["cycles"] if cycle["used"])["used"] = False
    other = replace(faulty, summary={**faulty.summary, "trials": trials})
    wrong = {count.what.partition(":")[0] for count in counts(report, other) if not count.agrees}
    assert wrong >= {"cover", "quality", "time and distance", "Values", "Kinematics, every cycle", "Kinematics, mean ± SD"}
