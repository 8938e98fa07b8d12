"""However somebody walks: PDF, tables and review page print one count for each layer and side."""

from __future__ import annotations

from pathlib import Path

import pytest
from printed_counts import counts, folder_counts

from benchmarks.studies.gait_events import PATTERNS
from biomech_id.pipeline.run import run_job
from biomech_id.report.pdf import draw_report
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.subject import virtual_subject
from biomech_id.session.folder.read_write import read_tables

pytestmark = pytest.mark.slow

#: Pages that print counts: cover, quality, parameters, values, and panels of angles and of loads.
PAGES = ("session", "quality", "spatiotemporal", "values", "kinematics_mean", "kinetics_mean")


#: How -> virtual subject; toes that move sooner change no count of the walk's.
WALKS: dict[str, dict[str, object]] = {
    **{name: {"pattern": pattern} for name, pattern in PATTERNS.items() if name != "healthy"},
    **{floor: {"floor": floor} for floor in ("stairs up", "stairs down", "ramp up", "ramp down", "curb up")},
    "turn": {"direction": "turn"},
    "belt": {"belt": True},
    "run on a belt": {"belt": True, "run": True, "speed_m_s": 2.8},
}


@pytest.mark.parametrize("name", WALKS)
def test_one_number_of_cycles_stands_wherever_it_is_printed(name: str, tmp_path: Path) -> None:
    """Steps fall on plates as they do: some cycles have angles alone, and the two layers' numbers differ."""
    person = virtual_subject(**{"duration_s": 3.0, "rate_hz": 60.0, **WALKS[name]})
    folder, out = tmp_path / "subject", tmp_path / "out"
    folder.mkdir()
    write_c3d(person.static("static", duration_s=0.5), folder / "static.c3d")
    write_c3d(person.walk("walk"), folder / "walk.c3d")
    run_job(Job((folder,), Recipe(report=False, uncertainty=False, budget=False)), out)
    tables = read_tables(out)
    found = [*counts(draw_report(tables, tmp_path / "report.pdf", pages=PAGES), tables), *folder_counts(tables, out)]
    assert [count for count in found if not count.agrees] == []
    assert {count.what.partition(":")[0] for count in found} >= {
        "cover", "quality", "time and distance", "Values", "Kinematics, mean ± SD", "Kinetics, mean ± SD", "session", "review page",
    }  # fmt: skip
    known = {side: sum(cycle["side"] == side for trial in tables.summary["trials"] for cycle in trial["cycles"]) for side in "LR"}
    assert min(known.values()) > 0
