"""A run that takes over trials of an earlier one leaves the bytes of a full run, and solves no trial that is as it was."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.studies.killed_runs import files_of
from biomech_id.errors import OptionError
from biomech_id.files.kept_values import KeptValues
from biomech_id.movement.movement import CalibratedModel
from biomech_id.pipeline.prepare import Prepared
from biomech_id.pipeline.run import run_job
from biomech_id.pipeline.stage import trial
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.trial import Trial

DATA = Path(__file__).parents[3] / "data"
WALKS = tuple(DATA / f"{name}.c3d" for name in ("static", "walk01", "walk02"))
RECIPE = Recipe(report=False, budget=False)
MOVED = """schema = 2
[[event]]
trial = "walk02"
side = "L"
kind = "Foot Strike"
time_s = {time_s}
new_time_s = {new_time_s}
"""
LEFT_OUT = """schema = 2
[[cycle]]
trial = "walk02"
side = "L"
start_s = {time_s}
use = false
"""


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the trials that were prepared, and not taken over."""
    names: list[str] = []
    prepare: Callable[..., Prepared] = vars(trial)["prepare_trial"]

    def noted(recording: Trial, model: CalibratedModel, recipe: Recipe) -> Prepared:
        names.append(recording.name)
        return prepare(recording, model, recipe)

    monkeypatch.setattr(trial, "prepare_trial", noted)
    return names


def strike_s(out: Path) -> float:
    """The first left foot strike of walk02 that begins a cycle."""
    about = json.loads((out / "summary.json").read_text(encoding="utf-8"))["trials"]
    (walk,) = (each for each in about if each["name"] == "walk02")
    return float(min(each["start_s"] for each in walk["cycles"] if each["side"] == "L"))


def decided(decision: str, kept: Path, tmp_path: Path, solved: list[str]) -> list[str]:
    """Trials that are solved again for one decision, of which the results are those of a full run."""
    run_job(Job(WALKS, RECIPE), tmp_path / "first", reuse=kept)
    assert solved == ["walk01", "walk02"]
    time_s, review = strike_s(tmp_path / "first"), tmp_path / "review.toml"
    review.write_text(decision.format(time_s=time_s, new_time_s=time_s + 0.03), encoding="utf-8")
    solved.clear()
    run_job(Job(WALKS, RECIPE, review=review), tmp_path / "again", reuse=kept)
    again = solved.copy()
    run_job(Job(WALKS, RECIPE, review=review), tmp_path / "full")
    assert files_of(tmp_path / "again") == files_of(tmp_path / "full")
    return again


def test_one_decision_has_one_trial_solved_and_the_bytes_of_a_full_run(solved: list[str], tmp_path: Path) -> None:
    assert decided(LEFT_OUT, tmp_path / "kept", tmp_path, solved) == ["walk02"]


@pytest.mark.slow
def test_a_strike_that_moves_changes_the_mean_cycle_time_that_other_walks_rest_on(solved: list[str], tmp_path: Path) -> None:
    assert decided(MOVED, tmp_path / "kept", tmp_path, solved) == ["walk02", "walk01"]


def test_results_under_a_code_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot go together"):
        run_job(Job(WALKS, RECIPE, code="P1"), tmp_path / "out", reuse=tmp_path / "out")


class Runs:
    """What has a program run when it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("was-run",)


def test_a_foreign_file_is_not_kept_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = KeptValues(tmp_path / "kept")
    values.write("a", {"walk": (1.0, "x")})
    assert (values.read("a"), values.read("b")) == ({"walk": (1.0, "x")}, None)
    assert values.once("c", lambda: 1.0) == values.once("c", lambda: 2.0) == 1.0
    (tmp_path / "kept" / "b").write_bytes(pickle.dumps(Runs()))
    assert values.read("b") is None
    assert not (tmp_path / "was-run").exists()
