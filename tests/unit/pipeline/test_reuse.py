"""A run that takes over trials of an earlier one leaves the bytes of a full run, and solves no trial that is as it was."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.studies.killed_runs import files_of
from biomech_id.errors import FileRefusedError, OptionError, Severity
from biomech_id.files.digest import digest
from biomech_id.files.kept_values import KeptValues, made_once
from biomech_id.movement.movement import CalibratedModel
from biomech_id.pipeline import emg
from biomech_id.pipeline.prepare import Prepared
from biomech_id.pipeline.run import run_job
from biomech_id.pipeline.stage import recordings, reuse, trial
from biomech_id.pipeline.stage.reuse import kept_reader, versions
from biomech_id.readers import read
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d
from biomech_id.session.folder import replay
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables import csv_text
from biomech_id.trial import Trial
from biomech_id.trial.events import EventKind

DATA = Path(__file__).parents[3] / "data"
WALKS = tuple(DATA / f"{name}.c3d" for name in ("static", "walk01", "walk02"))
RECIPE = Recipe(report=False)
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
NO_KINETICS = """schema = 2
[[stance]]
trial = "walk02"
side = "R"
start_s = {start_s}
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


def stance_s(out: Path) -> float:
    """The first right stance of walk02 on a plate."""
    return float(read_tables(out).stances.query("trial == 'walk02' and side == 'R' and plate != ''")["start_s"].iloc[0])


def decided(decision: str, kept: Path, tmp_path: Path, solved: list[str], walks: tuple[Path, ...] = WALKS) -> list[str]:
    """Trials that are solved again for one decision, of which the results are those of a full run."""
    run_job(Job(walks, RECIPE), tmp_path / "first", reuse=kept)
    assert solved == ["walk01", "walk02"]
    time_s, review = strike_s(tmp_path / "first"), tmp_path / "review.toml"
    text = decision.format(time_s=time_s, new_time_s=time_s + 0.03, start_s=stance_s(tmp_path / "first"))
    review.write_text(text, encoding="utf-8")
    solved.clear()
    run_job(Job(walks, RECIPE, review=review), tmp_path / "again", reuse=kept)
    again = solved.copy()
    run_job(Job(walks, RECIPE, review=review), tmp_path / "full")
    assert files_of(tmp_path / "first") != files_of(tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(tmp_path / "full")
    return again


def test_one_decision_has_one_trial_solved_and_the_bytes_of_a_full_run(solved: list[str], tmp_path: Path) -> None:
    assert decided(LEFT_OUT, tmp_path / "kept", tmp_path, solved) == ["walk02"]


def test_a_run_says_how_many_trials_it_took_over(tmp_path: Path) -> None:
    """Twice it had taken over nothing at all, and nobody was told."""
    kept = tmp_path / "results"
    first, second = (run_job(Job(WALKS, RECIPE), tmp_path / "out", reuse=kept).taken_over for _ in range(2))
    assert first == f"No trial was taken over: nothing is kept beside {kept} yet; this run is, for the next one."
    assert second == f"2 of 2 trials were taken over from beside {kept}."
    other = run_job(Job(WALKS, RECIPE.replaced(budget=False)), tmp_path / "out", reuse=kept, language="de")
    assert other.taken_over.startswith("Keine Messung wurde übernommen: Was neben")
    assert run_job(Job(WALKS, RECIPE), tmp_path / "out").taken_over == ""


@pytest.mark.slow
def test_a_strike_that_moves_changes_the_mean_cycle_time_that_other_walks_rest_on(solved: list[str], tmp_path: Path) -> None:
    assert decided(MOVED, tmp_path / "kept", tmp_path, solved) == ["walk02", "walk01"]


def test_muscle_signals_replays_and_rows_are_made_once(solved: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person = virtual_subject(noise_m=0.0003, muscles=True)
    trials = person.static("static"), person.walk("walk01"), person.walk("walk02", speed_m_s=0.9 * person.speed)
    walks = tuple(tmp_path / f"{each.trial.name}.c3d" for each in trials)
    for each, path in zip(trials, walks, strict=True):
        write_c3d(each, path)
    made: list[Any] = []
    of = ((recordings, "read_file"), (emg, "read_emg"), (replay, "_npz_bytes"), (csv_text, "_row_bytes"), (csv_text, "_cell_keys"))
    monkeypatch.setattr(KeptValues, "_whole", noted(made, "bands", vars(KeptValues)["_whole"]))
    for module, name in of:
        monkeypatch.setattr(module, name, noted(made, name, vars(module)[name]))
    assert decided(NO_KINETICS, tmp_path / "kept", tmp_path, solved, walks) == ["walk02"]
    for name in ("read_file", "read_emg"):
        assert [each for each, _ in made].count(name) == 3 + 3  # those of the first run and of the full one
    assert [name for name, _ in made].count("_npz_bytes") == 2 + 2
    rows = [table for name, table in made if name == "_row_bytes" and "trial" in table]
    of_walk01 = [tuple(table.columns) for table in rows if table["trial"].iloc[0] == "walk01"]
    assert len(of_walk01) == len(set(of_walk01)) > 3
    assert not {column.name for name, column in made if name == "_cell_keys"} & {"hip_centre"}
    assert "bands" not in [name for name, _ in made]
    tables = read_tables(tmp_path / "again")
    assert tables.emg is not None
    assert tables.uncertainty is not None
    assert {"walk01", "walk02"} <= set(tables.emg["trial"]) & set(tables.uncertainty["trial"])


def test_a_trial_without_its_bands_is_solved_again(solved: list[str], tmp_path: Path) -> None:
    run_job(Job(WALKS, RECIPE), tmp_path / "out", reuse=tmp_path / "out")
    for path in (tmp_path / ".out.reuse").glob("*-bands"):
        path.unlink()
    solved.clear()
    run_job(Job(WALKS, RECIPE), tmp_path / "out", reuse=tmp_path / "out")
    assert solved == ["walk01", "walk02"]


def test_a_recording_is_read_anew_where_its_bytes_or_what_is_asked_of_them_are_others(tmp_path: Path) -> None:
    values, asked, path = KeptValues(tmp_path / "kept"), list[Path](), tmp_path / "walk01.c3d"

    def reader(file: Path) -> Trial:
        asked.append(file)
        trial = read(file, trust=True)
        path.write_bytes(WALKS[2].read_bytes())  # somebody exports again while it is read
        return trial

    path.write_bytes(WALKS[1].read_bytes())
    first = kept_reader(values, reader, "default")(path)
    assert digest(kept_reader(values, reader, "default")(path)) != digest(first)
    path.write_bytes(WALKS[1].read_bytes())
    assert digest(kept_reader(values, reader, "default")(path)) == digest(first)
    kept_reader(values, reader, "other")(path)
    kept_reader(None, reader)(path)
    assert len(asked) == 4
    moved = tmp_path / "there" / path.name
    moved.parent.mkdir()
    moved.write_bytes(WALKS[1].read_bytes())
    assert kept_reader(values, reader, "default")(moved).path == str(moved)


def test_a_recording_that_changes_while_it_is_read_is_not_kept(tmp_path: Path) -> None:
    values, path = KeptValues(tmp_path / "kept"), tmp_path / "walk01.c3d"

    def late(file: Path) -> Trial:
        file.write_bytes(WALKS[2].read_bytes())
        return read(file, trust=True)

    path.write_bytes(WALKS[1].read_bytes())
    kept_reader(values, late)(path)
    assert not (tmp_path / "kept").exists()


def test_rows_of_a_trial_go_by_what_they_follow_from_only_where_it_has_one_block(tmp_path: Path) -> None:
    values, numbers = KeptValues(tmp_path / "kept"), np.arange(6000.0)
    table = pd.DataFrame({"trial": np.repeat(["a", "b"], 3000), "x": numbers, "y": numbers, "z": numbers})
    text = csv_text.csv_text(table).encode()
    assert csv_text.csv_bytes(table, values, {"a": 1, "b": 2}) == text
    assert csv_text.csv_bytes(table.assign(x=0.0), values, {"a": 1, "b": 2}) == text  # as they said that it follows from the same
    assert csv_text.csv_bytes(table.assign(x=0.0), values, {"a": 1}) != text
    again = table.assign(trial=np.repeat(["a", "b", "a", "b"], [1700, 1300, 1700, 1300]))
    assert csv_text.csv_bytes(again.iloc[:4700], values, {"a": 3, "b": 4}) == csv_text.csv_text(again.iloc[:4700]).encode()


def noted(made: list[Any], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that notes its name and what it is given first whenever it is called."""

    def called(*given: Any, **settings: Any) -> Any:
        made.append((name, given[0]))
        return function(*given, **settings)

    return called


def test_results_under_a_code_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot go together"):
        run_job(Job(WALKS, RECIPE, code="P1"), tmp_path / "out", reuse=tmp_path / "out")


class Runs:
    """What has a program run when it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("was-run",)


def test_members_of_enumerations_are_kept_on_every_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11.0 to 3.11.3 make them again by ``getattr``, which no file may name."""
    kinds = [EventKind.FOOT_STRIKE, Severity.WARNING]
    for kind in kinds:
        monkeypatch.setattr(type(kind), "__reduce_ex__", lambda self, protocol: (getattr, (type(self), self.name)))
    assert b"getattr" in pickle.dumps(kinds)
    KeptValues(tmp_path).write("kinds", kinds)
    assert KeptValues(tmp_path).read("kinds") == kinds


def test_a_foreign_file_is_not_kept_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = KeptValues(tmp_path / "kept")
    values.write("a", {"walk": (1.0, "x")})
    assert (values.read("a"), values.read("b")) == ({"walk": (1.0, "x")}, None)
    assert made_once(values, lambda: 1.0, "number", "c") == made_once(values, lambda: 2.0, "number", "c") == 1.0
    assert made_once(values, lambda: 2.0, "number", "d") == made_once(None, lambda: 2.0, "number", "c") == 2.0
    assert values.later("c") is None
    later = values.later("a")
    assert later is not None
    assert later() == values.read("a")
    (tmp_path / "kept" / "a").write_bytes(b"")
    with pytest.raises(FileRefusedError, match="damaged; delete it and run again"):
        later()
    (tmp_path / "kept" / "b").write_bytes(pickle.dumps(Runs()))
    assert values.read("b") is None
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize("module", ["laboratory_of_one_file", "__main__"])
def test_nothing_made_with_another_plugin_is_taken_over(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A laboratory's filter changes without a version; one without a file is another one each time."""
    source = tmp_path / "laboratory_of_one_file.py"
    source.write_text("from biomech_id.plugins import Registry\nFILTERS = Registry('filter')\nFILTERS.add('ours', 1)\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(reuse, "REGISTERING", set())
    monkeypatch.setattr(sys.modules["__main__"], "__file__", None, raising=False)
    without = versions()
    if module == "__main__":
        reuse.REGISTERING.add(module)
    else:
        monkeypatch.setattr("biomech_id.plugins.REGISTERING", reuse.REGISTERING)
        import_module(module)
    first = versions()
    assert without != first == versions()
    source.write_text(source.read_text("utf-8").replace("1", "2"), "utf-8")
    reuse._sources.cache_clear()
    assert versions() not in (without, first)
    sys.modules.pop("laboratory_of_one_file", None)
