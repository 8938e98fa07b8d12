"""Whether a folder will run, and with what (issue M): the last object of ``check --json``, and the first lines for people."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.pipeline.folder_verdict import FolderVerdict, folder_verdict
from biomech_id.sample import virtual_subject
from biomech_id.trial import Markers, Trial

PERSON = virtual_subject(duration_s=4.5)
STATIC, WALK = PERSON.static("static", duration_s=1.0).trial, PERSON.walk("walk").trial
DATA = Path(__file__).resolve().parents[3] / "data"


def judged(folder: Path, *trials: Trial, unreadable: int = 0) -> FolderVerdict:
    placed = [replace(trial, path=str(folder / f"{trial.name}.c3d")) for trial in trials]
    return folder_verdict(folder, placed, unreadable=unreadable)


def test_a_folder_that_runs(tmp_path: Path) -> None:
    verdict = judged(tmp_path, STATIC, WALK)
    assert verdict.to_dict() == {
        "schema": 2, "folder": str(tmp_path), "verdict": "runs", "model": "conventional", "static": "static", "lacks": [],
        "command": f"biomech-id run {tmp_path} -o OUT",
    }  # fmt: skip
    assert verdict.sentence == f"{tmp_path} will run with the conventional model, calibrated on static."
    assert judged(tmp_path, STATIC, WALK, unreadable=1).verdict == "runs_with_warnings"


def test_what_it_will_be_warned_of(tmp_path: Path) -> None:
    unweighed = [replace(trial, subject=replace(trial.subject, mass_kg=None)) for trial in (STATIC, WALK)]
    verdict = judged(tmp_path, *unweighed)
    assert verdict.verdict == "runs_with_warnings"
    assert any("quiet standing in static" in sentence for sentence in verdict.lacks)


@pytest.mark.parametrize("case", ["static", "mass", "strange"])
def test_what_it_lacks_and_the_command_that_gives_it(tmp_path: Path, case: str) -> None:
    if case == "static":
        verdict = judged(tmp_path, STATIC, replace(STATIC, name="again"), WALK)
        assert verdict.command == f"biomech-id run {tmp_path} -o OUT --static static"
    elif case == "mass":
        unweighed = replace(WALK, subject=replace(WALK.subject, mass_kg=None), plates=WALK.plates[:1])
        verdict = judged(tmp_path, replace(STATIC, subject=unweighed.subject, plates=()), unweighed)
        assert verdict.command == f"biomech-id run {tmp_path} -o OUT --mass KG"
    else:
        few = Markers(("A", "B", "C", "D"), WALK.markers.position_m[:, :4], WALK.rate_hz)
        verdict = judged(tmp_path, replace(WALK, markers=few))
        assert verdict.command == f"biomech-id markerset {tmp_path / 'walk.c3d'} > markers.toml"
    assert (verdict.verdict, verdict.model, verdict.static) == ("lacks", None, None)
    assert len(verdict.lacks) == 1
    assert verdict.sentence == f"{tmp_path} will not run as it is."


def test_check_says_it_last_for_programs_and_first_for_people(tmp_path: Path) -> None:
    for name in ("static", "walk01"):
        shutil.copy(DATA / f"{name}.c3d", tmp_path)
    result = CliRunner().invoke(app, ["check", str(tmp_path), "--json"])
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line.get("path", line.get("folder")) for line in lines] == [
        str(tmp_path / "static.c3d"), str(tmp_path / "walk01.c3d"), str(tmp_path),
    ]  # fmt: skip
    assert (lines[-1]["verdict"], lines[-1]["model"], lines[-1]["static"]) == ("runs", "conventional", "static")
    shown = CliRunner().invoke(app, ["check", str(tmp_path)]).stdout.splitlines()
    assert shown[0].endswith("will run with the conventional model, calibrated on static.")
    assert shown[1] == f"  type: biomech-id run {tmp_path} -o OUT"
    assert "static trial" in shown[2]
    one = CliRunner().invoke(app, ["check", str(tmp_path / "walk01.c3d"), "--json"])
    assert len(one.stdout.splitlines()) == 1
