"""Whether a folder will run, and with what (issue M): the last object of ``check --json``, and the first lines for people."""

from __future__ import annotations

import gc
import json
import re
import shlex
import shutil
import weakref
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

import biomech_id.judgement.check
from biomech_id import markersets, pipeline
from biomech_id.cli.app import app
from biomech_id.errors import typed
from biomech_id.judgement.check import CheckReport
from biomech_id.markersets import load_markerset
from biomech_id.pipeline.folder_verdict import FolderVerdict, folder_verdict
from biomech_id.readers.recording import with_marker_set
from biomech_id.request import intake
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
        "schema": 3, "folder": str(tmp_path), "verdict": "runs", "model": "conventional", "static": "static", "lacks": [],
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


@pytest.mark.parametrize("case", ["runs", "static", "mass", "strange"])
@pytest.mark.parametrize("windows", [False, True])
def test_commands_can_be_typed_as_they_stand_whatever_the_folder_is_called(
    case: str, windows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (pipeline.choose_model, pipeline.folder_verdict, intake):
        monkeypatch.setattr(module, "typed", partial(typed, windows=windows))
    folder = tmp_path / "Anna's walk & second (visit)"
    folder.mkdir()
    if case in ("runs", "static"):
        verdict = judged(folder, STATIC, WALK) if case == "runs" else judged(folder, STATIC, replace(STATIC, name="up right"), WALK)
    elif case == "mass":
        unweighed = replace(WALK, subject=replace(WALK.subject, mass_kg=None), plates=WALK.plates[:1])
        verdict = judged(folder, replace(STATIC, subject=unweighed.subject, plates=()), unweighed)
    else:
        few = Markers(("A", "B", "C", "D"), WALK.markers.position_m[:, :4], WALK.rate_hz)
        verdict = judged(folder, replace(WALK, markers=few))
        assert verdict.command in verdict.lacks[0]
    named = folder / "walk.c3d" if case == "strange" else folder
    words = re.findall(r'"[^"]*"|\S+', verdict.command) if windows else shlex.split(verdict.command)
    assert words[2] == (f'"{named}"' if windows else str(named))


def test_a_marker_set_that_check_is_told_of_is_the_one_it_will_run_with(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = (Path(markersets.__file__).parent / "plug-in-gait.toml").read_text(encoding="utf-8")
    own.write_text(re.sub(r'"(\{s\}|[LR](?=[AP]SI))', r'"\1q', text), encoding="utf-8")

    def renamed(trial: Trial) -> Trial:
        names = tuple(name[0] + "q" + name[1:] if name[0] in "LR" else name for name in trial.markers.names)
        return replace(trial, markers=Markers(names, trial.markers.position_m, trial.rate_hz))

    placed = [replace(renamed(trial), path=str(tmp_path / f"{trial.name}.c3d")) for trial in (STATIC, WALK)]
    assert folder_verdict(tmp_path, placed).verdict != "runs"
    read = [replace(trial, markers=with_marker_set(trial.markers, load_markerset(str(own)))) for trial in placed]
    told = folder_verdict(tmp_path, read, marker_set=str(own))
    assert (told.verdict, told.lacks) == ("runs", ())
    assert told.command == f"biomech-id run {tmp_path} -o OUT --marker-set {own}"


def test_an_archive_is_held_one_folder_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a recording that has been shown nothing stays in memory once the next folder is read."""
    held: list[weakref.ref[CheckReport]] = []

    def one_after_another(paths: list[Path], **_: object) -> Iterator[CheckReport]:
        for session in ("anna", "ben", "cara"):
            for name in ("static", "walk"):
                gc.collect()
                alive = [report for ref in held if (report := ref()) is not None]
                other = [report.path for report in alive if Path(report.path).parent.name != session]
                del alive
                # The first file of the next folder is read while the one before is judged.
                assert name == "static" or other == []
                report = CheckReport(str(tmp_path / session / f"{name}.c3d"), "not read", None, ())
                held.append(weakref.ref(report))
                yield report
                del report

    monkeypatch.setattr(biomech_id.judgement.check, "iter_check", one_after_another)
    result = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert len(held) == 6


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
