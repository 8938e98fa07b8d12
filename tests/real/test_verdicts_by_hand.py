"""A verdict set by hand on a real turn (issue L, case 1): believed where a foot stands on the plate, never where nobody does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.pipeline.run import Outcome, run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables

CHILD = "HC032A"


def run(c3d_dir: Path, out: Path, *said: str, review: str = "") -> tuple[Outcome, Tables]:
    folder = c3d_dir / "children" / CHILD
    named = out.with_suffix(".toml")
    named.write_text(review, encoding="utf-8")
    recipe = Recipe(stance_verdicts=said, report=False, uncertainty=False, budget=False)
    paths = tuple(folder / f"{CHILD}{number}.c3d" for number in ("01", "18"))
    outcome = run_job(Job(paths, recipe, review=named if review else None), out)
    return outcome, read_tables(out)


def of_stance(tables: Tables, start_s: float) -> tuple[str, str, float]:
    """Verdict and `kinetics_valid` of the left stance and cycle that begin there, and the largest force in that stance, N/kg."""
    stances, cycles, frames = tables.stances, tables.cycle_list, tables.frames[f"{CHILD}18"]
    (stance,) = stances[(stances["side"] == "L") & ((stances["start_s"] - start_s).abs() < 0.005)].itertuples()
    cycle = cycles[(cycles["side"] == "L") & ((cycles["start_s"] - start_s).abs() < 0.005)]
    standing = (frames["time"] > stance.start_s) & (frames["time"] < stance.end_s)
    force = frames.loc[standing, "LGroundReactionForce.Z"].to_numpy(float)
    valid = cycle["kinetics_valid"].item() if len(cycle) else ""
    return stance.verdict, valid, float(np.nanmax(np.append(force, 0.0)))


def test_a_plate_that_nobody_stands_on_gives_no_kinetics_and_a_warning(c3d_dir: Path, tmp_path: Path) -> None:
    outcome, tables = run(c3d_dir, tmp_path / "out", f"{CHILD}18 L 2 = plate 1")
    assert of_stance(tables, 1.21) == ("no_plate", "false", 0.0)
    (finding,) = [f for trial in tables.summary["trials"] for f in trial["findings"] if f["rule"].startswith("verdict-")]
    assert (finding["rule"], finding["severity"]) == ("verdict-unloaded", "warning")
    assert any("not followed: plate 1 carries load in only 0 % of it" in words for words in outcome.complaints)


def test_the_plate_a_foot_stands_on_is_believed_by_time_and_the_review_wins(c3d_dir: Path, tmp_path: Path) -> None:
    """The rules refuse the stance at 2.33 s because the force ends early; somebody who knows better says otherwise."""
    outcome, tables = run(c3d_dir, tmp_path / "out", f"{CHILD}18 L 2.33 s = plate 1")
    verdict, valid, force = of_stance(tables, 2.33)
    assert (verdict, valid) == ("override", "true")
    assert force > 8.0
    assert not any("verdict" in words for words in outcome.complaints)
    table = f'schema = 1\n[[verdict]]\ntrial = "{CHILD}18"\nside = "L"\nstart_s = 2.35\nplate = "none"\nauthor = "AB"\n'
    _, tables = run(c3d_dir, tmp_path / "reviewed", f"{CHILD}18 L 2.33 s = plate 1", review=table)
    assert of_stance(tables, 2.33) == ("no_plate", "false", 0.0)
    assert tables.stances["reason"].str.startswith("set by hand to no plate by AB; the rules say left_plate").any()
    assert "reviewed.toml" in tables.manifest["inputs"]
    assert "--review reviewed.toml" in tables.manifest["command"]


@pytest.mark.parametrize("start_s", [2.38, 2.28])
def test_a_time_without_a_stance_is_refused_with_the_nearest(c3d_dir: Path, tmp_path: Path, start_s: float) -> None:
    folder = c3d_dir / "children" / CHILD
    recipe = Recipe(stance_verdicts=(f"{CHILD}18 L {start_s} s = plate 1",), report=False)
    paths = tuple(folder / f"{CHILD}{number}.c3d" for number in ("01", "03", "18"))
    outcome = run_job(Job(paths, recipe), tmp_path / "out")
    assert outcome.n_trials == 1
    assert any("the nearest left one begins at 2.330 s" in words for words in outcome.complaints)
