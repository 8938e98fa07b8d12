"""Walks with an aid are not judged by their weight; a static trial in other footwear stops the session until it is answered."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from biomech_id.errors import OptionError
from biomech_id.judgement.plausibility import OF_WEIGHT, PLAUSIBILITY_RULES
from biomech_id.pipeline.choose_model import choose_model
from biomech_id.pipeline.folder_verdict import folder_verdict
from biomech_id.pipeline.run import run_job
from biomech_id.pipeline.worn import refuse_unlike_footwear
from biomech_id.readers import read
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.request.subject_file import apply_subject_file, condition_of
from biomech_id.sample import virtual_subject, write_c3d

#: How it can be said what is on the feet; the last two are said of the whole folder.
WAYS = ("folder", "file", "field", "conditions", "condition", "footwear")
#: How a folder or file says it.
WORDS = {"barefoot": "barefoot", "shod": "shoes", "orthosis": "AFO"}
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


def said_in(folder: Path, stood: tuple[str, str], walked: tuple[str, str]) -> tuple[Any, Any, Any]:
    """A static trial and a walk that say so, read, and the function that tells their conditions."""
    lines, of_files, trials = [], ["[conditions]"], []
    for name, (way, footwear) in (("standing", stood), ("moving", walked)):
        below = folder / (f"s {WORDS[footwear]}" if way == "folder" else f"s {name}")
        file = below / (f"{name}_{WORDS[footwear]}.c3d" if way == "file" else f"{name}.c3d")
        below.mkdir()
        shutil.copy(folder / "any.c3d", file)
        trial = read(file)
        trials.append(replace(trial, subject=replace(trial.subject, footwear=footwear)) if way == "field" else trial)
        lines += [f'{way} = "{footwear}"'] * (way in WAYS[-2:])
        of_files += [f'{file.stem} = "{footwear}"'] * (way == "conditions")
    (folder / "subject.toml").write_text("\n".join(lines + of_files), encoding="utf-8")
    subject = apply_subject_file(PERSON.subject(), folder / "subject.toml")
    chosen = SimpleNamespace(static=trials[0], subject=subject, job=SimpleNamespace(subject_toml=folder / "subject.toml"))
    return trials[1], chosen, condition_of(folder / "subject.toml")


@pytest.fixture(scope="module")
def any_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("any")
    write_c3d(PERSON.static("any", duration_s=0.05, plates="none"), folder / "any.c3d")
    return folder / "any.c3d"


@pytest.mark.parametrize(("stands", "walks"), [("barefoot", "shod"), ("shod", "barefoot"), ("barefoot", "orthosis")])
def test_unlike_footwear_is_asked_however_it_is_said(tmp_path: Path, any_recording: Path, stands: str, walks: str) -> None:
    asked, told = [], []
    for number, (one, other) in enumerate(product(WAYS, WAYS)):
        if {one, other} <= set(WAYS[-2:]):
            continue  # one folder cannot be two things
        for footwear, found in ((walks, asked), (stands, told))[: 1 + (walks == "shod")]:
            folder = tmp_path / f"{number} {footwear}"
            folder.mkdir()
            shutil.copy(any_recording, folder / "any.c3d")
            if footwear == stands and (one, other) == ("folder", "folder"):
                continue  # then it is one folder
            walk, chosen, condition = said_in(folder, (one, stands), (other, footwear))
            try:
                refuse_unlike_footwear([(walk, chosen)], condition)
            except OptionError:
                found.append((one, other))
    assert (len(asked), told) == (32, [])


def test_an_answer_ends_the_question(tmp_path: Path, any_recording: Path) -> None:
    shutil.copy(any_recording, tmp_path / "any.c3d")
    walk, chosen, condition = said_in(tmp_path, ("file", "barefoot"), ("footwear", "shod"))
    with pytest.raises(OptionError, match="barefoot and moving shod"):
        refuse_unlike_footwear([(walk, chosen)], condition)
    (tmp_path / "subject.toml").write_text('footwear = "shod"\nstatic_as_walked = true\n', encoding="utf-8")
    refuse_unlike_footwear([(walk, chosen)], condition_of(tmp_path / "subject.toml"))
    (tmp_path / "subject.toml").write_text('[conditions]\nstanding_barefoot = "shod"\nmoving = "shod"\n', encoding="utf-8")
    refuse_unlike_footwear([(walk, chosen)], condition_of(tmp_path / "subject.toml"))


def without_mass(folder: Path, static: str, said: str) -> Job:
    trial = PERSON.static(static)
    write_c3d(
        replace(trial, trial=replace(trial.trial, subject=replace(trial.trial.subject, mass_kg=None))), folder / f"{static}.c3d"
    )
    (folder / "subject.toml").write_text(said, encoding="utf-8")
    return Job((folder,), recipe=QUICK)


def test_standing_with_an_aid_gives_no_body_mass(tmp_path: Path) -> None:
    job = without_mass(tmp_path, "static", "")
    trials = [read(path) for path in job.files()]
    assert choose_model(job, trials).subject.mass_kg == pytest.approx(72.0, rel=0.01)
    (tmp_path / "subject.toml").write_text('[conditions]\nstatic = "crutches"\n', encoding="utf-8")
    assert choose_model(job, trials).subject.mass_kg is None


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
