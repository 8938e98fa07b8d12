"""Walks with an aid are not judged by their weight; a static trial in other footwear stops the session until it is answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biomech_id.errors import OptionError
from biomech_id.judgement.plausibility import OF_WEIGHT, PLAUSIBILITY_RULES
from biomech_id.pipeline.folder_verdict import folder_verdict
from biomech_id.pipeline.run import run_job
from biomech_id.readers import read
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d

QUICK = Recipe(report=False, budget=False, uncertainty=False)
PERSON = virtual_subject()


def recorded(folder: Path, static: str, walk: str, said: str = "") -> Path:
    write_c3d(PERSON.static(static), folder / f"{static}.c3d")
    write_c3d(PERSON.walk(walk), folder / f"{walk}.c3d")
    (folder / "subject.toml").write_text(said, encoding="utf-8")
    return folder


def run(folder: Path) -> dict[str, object]:
    run_job(Job((folder,), recipe=QUICK), folder / "out")
    summary = json.loads((folder / "out" / "summary.json").read_text(encoding="utf-8"))
    (trial,) = summary["trials"]
    return trial | {"rules": [finding["rule"] for finding in trial["findings"]]}


def test_a_walk_with_an_aid_says_so_and_is_not_weighed(tmp_path: Path) -> None:
    trial = run(recorded(tmp_path, "static", "walk_rollator", "mass_kg = 120.0\n"))
    assert (trial["aid"], trial["footwear"]) == ("walker", "not stated")
    assert "walked-with-aid" in trial["rules"]  # type: ignore[operator]
    assert not set(trial["rules"]) & OF_WEIGHT  # type: ignore[call-overload]


def test_without_it_the_same_walk_is_weighed(tmp_path: Path) -> None:
    trial = run(recorded(tmp_path, "static", "walk", "mass_kg = 120.0\n"))
    assert trial["aid"] == "not stated"
    assert "force-unlike-weight" in trial["rules"]  # type: ignore[operator]
    assert set(PLAUSIBILITY_RULES) >= OF_WEIGHT


def test_other_footwear_than_the_static_trials_is_asked(tmp_path: Path) -> None:
    folder = recorded(tmp_path, "static_barefoot", "walk_shoes")
    with pytest.raises(OptionError, match="static_barefoot was recorded barefoot and walk_shoes shod"):
        run(folder)
    (folder / "subject.toml").write_text("static_as_walked = true\n", encoding="utf-8")
    assert run(folder)["footwear"] == "shod"


def test_a_condition_by_hand_comes_first(tmp_path: Path) -> None:
    said = 'aid = "crutches"\n[conditions]\nwalk = "orthosis left, no aid"\n'
    trial = run(recorded(tmp_path, "static", "walk", said))
    assert (trial["aid"], trial["footwear"]) == ("none", "orthosis left")


def test_check_asks_for_it(tmp_path: Path) -> None:
    folder = recorded(tmp_path, "static_barefoot", "walk_shoes")
    trials = [read(path) for path in sorted(folder.glob("*.c3d"))]
    verdict = folder_verdict(folder, trials)
    assert verdict.verdict == "lacks"
    assert [(cure.lack, cure.keys) for cure in verdict.cures][:1] == [("condition", ("static_as_walked",))]


@pytest.mark.parametrize("mass_kg", [3.0, 300.0])
def test_people_of_any_mass_are_accepted(tmp_path: Path, mass_kg: float) -> None:
    person = virtual_subject(body="child" if mass_kg < 50.0 else "adult", mass_kg=mass_kg)
    for trial in (person.static("static"), person.walk("walk")):
        write_c3d(trial, tmp_path / f"{trial.trial.name}.c3d")
    trial = run(tmp_path)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary["subject"]["mass_kg"] == pytest.approx(mass_kg)
    assert summary["subject"]["sources"]["mass_kg"] == "PROCESSING:Bodymass"
    assert trial["verdict"] == "accept"
