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

import numpy as np
import pytest
from typer.testing import CliRunner

import biomech_id.judgement.check
from biomech_id import analyse, errors, markersets, pipeline
from biomech_id.cli.app import app
from biomech_id.cli.check import first_screen
from biomech_id.conventions import Aspect
from biomech_id.errors import Cure, typed
from biomech_id.judgement.check import CheckReport
from biomech_id.markersets import load_markerset
from biomech_id.pipeline.folder_verdict import FolderVerdict, folder_verdict
from biomech_id.readers.opensim.trc import MarkerTable
from biomech_id.readers.recording import with_marker_set
from biomech_id.request.intake import Refused
from biomech_id.sample import virtual_subject
from biomech_id.session.tables.means import counted
from biomech_id.session.tables.session_tables import finding_records
from biomech_id.trial import Markers, Trial
from biomech_id.writers.opensim_text import write_trc

PERSON = virtual_subject(duration_s=4.5)
STATIC, WALK = PERSON.static("static", duration_s=1.0).trial, PERSON.walk("walk").trial
DATA = Path(__file__).resolve().parents[3] / "data"


def judged(folder: Path, *trials: Trial, unreadable: int = 0) -> FolderVerdict:
    placed = [replace(trial, path=str(folder / f"{trial.name}.c3d")) for trial in trials]
    refused = [Refused(folder / f"broken{number}.c3d", "It is no C3D file.") for number in range(unreadable)]
    return folder_verdict(folder, placed, refused=refused)


def test_a_folder_that_runs(tmp_path: Path) -> None:
    verdict = judged(tmp_path, STATIC, WALK)
    assert verdict.to_dict() == {
        "schema": 3, "folder": str(tmp_path), "verdict": "runs", "model": "conventional", "static": "static", "lacks": [],
        "command": f"biomech-id run {tmp_path} -o OUT", "commands": [f"biomech-id run {tmp_path} -o OUT"],
        "cures": [Cure("condition", keys=("aid", "footwear")).to_dict()],
        "cycles": {"L": {"with_kinetics": 1, "without_kinetics": 3}, "R": {"with_kinetics": 1, "without_kinetics": 2}},
        "layers": {
            layer: dict.fromkeys("LR", "not measured" if layer in ("emg", "whole_body") else "accept")
            for layer in ("kinematics", "kinetics", "emg", "whole_body")
        },
        "findings": finding_records(verdict.findings),
    }  # fmt: skip
    assert "plates-not-told" in [finding.rule for finding in verdict.findings]
    assert str(verdict.sentence) == f"{tmp_path} will run with the conventional model, calibrated on static."
    # The very cycles that the analysis counts, with bands and all.
    cycles = analyse([STATIC, WALK]).tables().cycle_list
    for side, expected in verdict.cycles.items():
        own = cycles[cycles["side"] == side]
        assert expected.with_kinetics == len(counted(own, Aspect.KINETICS))
        assert expected.with_kinetics + expected.without_kinetics == len(counted(own))
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
    assert str(verdict.sentence) == f"{tmp_path} will not run as it is."


@pytest.mark.parametrize("case", ["runs", "static", "mass", "strange"])
@pytest.mark.parametrize("windows", [False, True])
def test_commands_can_be_typed_as_they_stand_whatever_the_folder_is_called(
    case: str, windows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (pipeline.choose_model, pipeline.folder_verdict, errors):
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
    assert shown[-2] == f"  type: biomech-id run {tmp_path} -o OUT"
    assert sum("static trial" in line for line in shown) == 0
    everything = CliRunner().invoke(app, ["check", str(tmp_path), "--all"]).stdout.splitlines()
    assert sum("static trial" in line for line in everything) == 1
    assert str(tmp_path / "walk01.c3d") in everything
    one = CliRunner().invoke(app, ["check", str(tmp_path / "walk01.c3d"), "--json"])
    assert len(one.stdout.splitlines()) == 1


def without(trial: Trial, *fields: str) -> Trial:
    return replace(trial, subject=replace(trial.subject, **{name: {} if name.endswith("_m") else None for name in fields}))


def test_everything_that_is_lacking_is_named_at_once_with_what_cures_it(tmp_path: Path) -> None:
    """Two static trials, no leg measurements, and no mass that a plate could tell: three lacks, one behind the other."""
    walk = replace(without(WALK, "leg_length_m", "knee_width_m", "mass_kg"), plates=WALK.plates[:1])
    static = replace(without(STATIC, "leg_length_m", "knee_width_m", "mass_kg"), plates=())
    verdict = judged(tmp_path, static, replace(static, name="again"), walk)
    assert [cure.lack for cure in verdict.cures] == ["static", "measurements", "mass"]
    assert verdict.cures[0].options == ("--static static", "--static again")
    assert verdict.cures[1].keys == ("leg_length_mm", "knee_width_mm")
    assert verdict.commands == (
        f"biomech-id subject {tmp_path}", f"biomech-id run {tmp_path} -o OUT --static static --mass KG",
    )  # fmt: skip
    assert sum(side.with_kinetics + side.without_kinetics for side in verdict.cycles.values()) == 7


def test_below_will_not_run_no_command_is_printed_that_does_not_help(tmp_path: Path) -> None:
    bare = [name for name in WALK.markers.names if name not in ("LHEE", "RHEE")]
    headless = [
        replace(trial, markers=Markers(tuple(bare), np.stack([trial.markers[name] for name in bare], axis=1), trial.rate_hz))
        for trial in (STATIC, WALK)
    ]
    verdict = judged(tmp_path, *headless)
    assert (verdict.verdict, verdict.command, verdict.commands) == ("lacks", "", ())
    screen = first_screen(verdict, ())
    assert not any("type:" in line for line in screen)
    assert any("LHEE, RHEE: nothing that is typed" in line for line in screen)


def test_the_exit_code_of_a_folder_follows_its_verdict(tmp_path: Path) -> None:
    """A finding about a file that changes nothing is none of the session's; a lack is."""
    for name in ("static", "walk01"):
        shutil.copy(DATA / f"{name}.c3d", tmp_path)
    assert CliRunner().invoke(app, ["check", str(tmp_path)]).exit_code == 0
    (tmp_path / "broken.c3d").write_bytes(b"no recording")
    assert CliRunner().invoke(app, ["check", str(tmp_path)]).exit_code == 3
    shutil.copy(tmp_path / "static.c3d", tmp_path / "again.c3d")
    assert CliRunner().invoke(app, ["check", str(tmp_path)]).exit_code == 1
    assert CliRunner().invoke(app, ["check", str(tmp_path), "--json"]).exit_code == 1


def test_an_analysis_that_breaks_does_not_end_the_doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(pipeline.folder_verdict, "analyse_intake", broken)
    verdict = judged(tmp_path, STATIC, WALK)
    assert verdict.verdict == "lacks"
    assert verdict.lacks == ("Unexpected ZeroDivisionError: division by zero. This is a fault of the program.",)
    assert len(first_screen(verdict, ())) <= 24


def test_a_folder_of_opensims_markers_is_judged_as_run_reads_it(tmp_path: Path) -> None:
    y_up_m = WALK.markers.position_m[..., [1, 2, 0]]
    write_trc(tmp_path / "walk.trc", MarkerTable(WALK.markers.names, y_up_m, WALK.rate_hz, 1, WALK.time_s, "m"))
    result = CliRunner().invoke(app, ["check", str(tmp_path), "--json"])
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line.get("path") for line in lines] == [str(tmp_path / "walk.trc"), None]
    assert lines[0]["readable"]
    assert lines[0]["frames"] == WALK.n_frames


def test_one_screen_has_24_lines_whatever_there_is_to_say(tmp_path: Path) -> None:
    verdict = replace(judged(tmp_path, STATIC, WALK), verdict="runs_with_warnings", lacks=("A long sentence. " * 20,) * 60)
    screen = first_screen(verdict, ())
    assert sum(-(-len(line) // 100) for line in screen) <= 24
    assert screen[-2].strip().endswith("more warnings")
    assert len(first_screen(verdict, (), short=False)) > 60


def test_one_file_is_one_file(tmp_path: Path) -> None:
    """A folder of one recording was "1 files, 1 of their findings"."""
    (tmp_path / "cut.c3d").touch()
    screen = CliRunner().invoke(app, ["check", str(tmp_path)]).stdout.splitlines()
    assert screen[-1] == "  1 file, 1 finding to look at in the files themselves: --all shows every file."
    (tmp_path / "again.c3d").touch()
    screen = CliRunner().invoke(app, ["check", str(tmp_path)]).stdout.splitlines()
    assert screen[-1] == "  2 files, 2 findings to look at in the files themselves: --all shows every file."
