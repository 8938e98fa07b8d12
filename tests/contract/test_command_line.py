"""What people type and what other programs rely on: one clear sentence, the promised exit code, nothing half-written."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ezc3d
import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app
from biomech_id.sample import virtual_subject, write_c3d

runner = CliRunner()


def biomech_id(*words: str | Path) -> Result:
    return runner.invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static trial and one walk of the virtual subject."""
    folder = tmp_path_factory.mktemp("session")
    person = virtual_subject()
    write_c3d(person.static("static"), folder / "static.c3d")
    write_c3d(person.walk("walk01"), folder / "walk01.c3d")
    return folder


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe without report and budget, for tests that look at neither."""
    recipe = tmp_path_factory.mktemp("recipe") / "quick.toml"
    recipe.write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    return recipe


@pytest.fixture
def subject(session: Path, tmp_path: Path) -> Path:
    """A copy of the session that a test may spoil."""
    return Path(shutil.copytree(session, tmp_path / "anna"))


def edited(path: Path, change: Callable[[Any], None]) -> None:
    """Rewrite a C3D file with a change to what ezc3d holds of it."""
    file = ezc3d.c3d(str(path))
    change(file)
    file.write(str(path))


def without_processing(file: Any) -> None:
    for name in ("Bodymass", "BODYMASS"):
        file["parameters"].get("PROCESSING", {}).pop(name, None)


def without_plates(file: Any) -> None:
    file["parameters"]["FORCE_PLATFORM"]["USED"]["value"] = [0]


def refused(result: Result, out: Path, *words: str, code: int = 1) -> None:
    assert result.exit_code == code, result.output
    sentence = result.stderr.strip().splitlines()[-1]
    for word in words:
        assert word in sentence, sentence
    assert "Traceback" not in result.output + result.stderr
    assert not out.exists()
    assert not list(out.parent.glob(".*part*"))


@pytest.fixture(scope="module")
def whole_run(session: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """What a run with all tables and the report prints, and its folder, which is only looked at."""
    out = tmp_path_factory.mktemp("whole") / "out"
    return biomech_id("run", session, "-o", out), out


def test_run_writes_every_table_and_the_report(whole_run: tuple[Result, Path]) -> None:
    result, out = whole_run
    assert result.exit_code == 0, result.stderr
    names = {p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()}
    tables = ["cycles", "budget", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality", "uncertainty"]
    assert names == {
        "report.pdf", "trials/walk01.csv", "replay/walk01.npz", "calibration.json", "summary.json", "manifest.json",
        *(f"{t}.csv" for t in tables),
    }  # fmt: skip
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["inputs"]) == {"static.c3d", "walk01.c3d"}
    assert str(out.parent.parent) not in (out / "manifest.json").read_text(encoding="utf-8")
    # Plain lines where there is no terminal.
    assert "[1/2] read static.c3d" in result.stderr
    assert "\x1b" not in result.stderr + result.stdout


def test_the_same_run_gives_the_same_bytes(session: Path, whole_run: tuple[Result, Path], tmp_path: Path) -> None:
    outs = [whole_run[1], tmp_path / "out"]
    assert biomech_id("run", session, "-o", outs[1]).exit_code == 0
    files = sorted(p.relative_to(outs[0]) for p in outs[0].rglob("*") if p.is_file())
    assert len(files) > 10
    for name in files:
        assert (outs[0] / name).read_bytes() == (outs[1] / name).read_bytes(), name


def test_without_a_static_trial(subject: Path, tmp_path: Path, quick: Path) -> None:
    """The conventional model needs one; who names no model gets the other, and is told."""
    (subject / "static.c3d").unlink()
    out = tmp_path / "out"
    refused(biomech_id("run", subject, "-o", out, "--model", "conventional"), out, "static trial", "--static", "anna")
    result = biomech_id("run", subject, "-o", out, "--recipe", quick)
    assert result.exit_code == 3
    assert "lacks a static trial: the session is analysed with the six-dof model instead" in result.output


def test_two_candidates_for_the_static_trial(subject: Path, tmp_path: Path, quick: Path) -> None:
    shutil.copy(subject / "static.c3d", subject / "static2.c3d")
    out = tmp_path / "out"
    refused(biomech_id("run", subject, "-o", out, "--recipe", quick), out, "static.c3d, static2.c3d", "--static")
    assert biomech_id("run", subject, "-o", out, "--recipe", quick, "--static", subject / "static2.c3d").exit_code in (0, 3)


def test_an_unknown_marker_set_names_what_is_missing(subject: Path, tmp_path: Path) -> None:
    def rename(file: Any) -> None:
        labels = file["parameters"]["POINT"]["LABELS"]["value"]
        file["parameters"]["POINT"]["LABELS"]["value"] = [{"LTOE": "FOOT1", "RKNE": "KNEE2"}.get(x, x) for x in labels]

    for name in ("static.c3d", "walk01.c3d"):
        edited(subject / name, rename)
    refused(biomech_id("run", subject, "-o", tmp_path / "out"), tmp_path / "out", "LTOE", "RKNE", "conventional model")


def test_without_mass_quiet_standing_gives_it(subject: Path, tmp_path: Path, quick: Path) -> None:
    for name in ("static.c3d", "walk01.c3d"):
        edited(subject / name, without_processing)
    out = tmp_path / "out"
    assert biomech_id("run", subject, "-o", out, "--recipe", quick).exit_code in (0, 3)
    found = json.loads((out / "summary.json").read_text(encoding="utf-8"))["subject"]
    # The virtual subject weighs 72 kg and stands still; single precision is all that is lost.
    assert found["mass_kg"] == pytest.approx(72.0, abs=0.01)
    assert "quiet standing" in found["sources"]["mass_kg"]


def test_without_mass_and_standing_steps_give_it_and_say_so(subject: Path, tmp_path: Path, quick: Path) -> None:
    for name in ("static.c3d", "walk01.c3d"):
        edited(subject / name, without_processing)
    edited(subject / "static.c3d", without_plates)
    out = tmp_path / "out"
    result = biomech_id("run", subject, "-o", out, "--recipe", quick)
    assert result.exit_code == 3
    assert "The body mass is not recorded: 72.0 kg is what periodic stepping in walk01 shows." in result.output
    given = biomech_id("run", subject, "-o", out, "--recipe", quick, "--mass", "72")
    assert given.exit_code in (0, 3)
    assert "periodic stepping" not in given.output


def test_without_plates_there_are_kinematics_only_and_the_report_says_so(subject: Path, tmp_path: Path) -> None:
    from pypdf import PdfReader

    edited(subject / "walk01.c3d", without_plates)
    out = tmp_path / "out"
    assert biomech_id("run", subject, "-o", out).exit_code in (0, 3)
    with (out / "trials" / "walk01.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert all(row["LKneeAngles.X"] for row in rows)
    assert not any(row["LKneeMoment.X"] for row in rows)
    text = " ".join(page.extract_text() for page in PdfReader(out / "report.pdf").pages)
    assert "no force plate" in text.lower()


def test_a_broken_trial_among_good_ones(subject: Path, tmp_path: Path, quick: Path) -> None:
    whole = (subject / "walk01.c3d").read_bytes()
    (subject / "walk02.c3d").write_bytes(whole[:700])
    out = tmp_path / "out"
    result = biomech_id("run", subject, "-o", out, "--recipe", quick)
    assert result.exit_code == 3
    assert "walk02.c3d" in result.stderr
    assert result.stderr.count("walk02.c3d") == 2, "once while reading, once in the sentence"
    assert (out / "trials" / "walk01.csv").is_file()
    assert biomech_id("run", subject, "-o", out, "--recipe", quick, "--warnings-ok").exit_code == 0


def test_a_folder_of_broken_files_only(subject: Path, tmp_path: Path) -> None:
    for name in ("static.c3d", "walk01.c3d"):
        (subject / name).write_bytes(b"not a recording" * 100)
    refused(biomech_id("run", subject, "-o", tmp_path / "out"), tmp_path / "out", "static.c3d", "walk01.c3d")


def test_somebody_elses_files_are_not_overwritten(subject: Path, tmp_path: Path) -> None:
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "chapter1.txt").write_text("years of work", encoding="utf-8")
    result = biomech_id("run", subject, "-o", out)
    assert result.exit_code == 1
    assert "chapter1.txt" in result.stderr
    assert [p.name for p in out.iterdir()] == ["chapter1.txt"]


@pytest.mark.parametrize(
    "words",
    [
        ["run"],
        ["run", ".", "-o", "x", "--model", "plugin"],
        ["nonsense"],
        ["run", ".", "-o", "x", "--mass", "heavy"],
        ["report"],
        ["run", ".", "-o", "x", "--muscle-forces"],
        ["run", ".", "-o", "x", "--model", "conventional", "--muscle-forces"],
    ],
)
def test_a_wrong_command_line_is_two(words: list[str]) -> None:
    assert biomech_id(*words).exit_code == 2


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        (["compare", "a", "b", "-o", "c.docx"], ".pdf"),
        (["report", "a", "-o", "r.png"], ".pdf"),
        (["review", "a", "-o", "r.pdf"], ".html"),
        (["norm", "a", "-o", "n.xlsx"], ".csv"),
        (["export", "a", "-o", "x.pdf"], ".xlsx"),
        (["lab", "a", "-o", "l.png"], ".pdf"),
        (["plates", "a", "-o", "l.png"], ".pdf"),
        (["commission", "a", "-o", "l.html"], ".pdf"),
    ],
)
def test_a_file_is_what_its_name_says(words: list[str], ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workbook called x.pdf was written, and no program opened it."""
    monkeypatch.chdir(tmp_path)
    refused = biomech_id(*words)
    assert refused.exit_code == 2
    assert words[-1] in refused.output
    assert ending in refused.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["run", "{subject}", "-o", "{out}", "--mass", "7200"], "7200"),
        (["run", "{out}", "-o", "{out}"], "out"),
        (["run", "{subject}", "-o", "{out}", "--recipe", "{subject}/absent.toml"], "absent.toml"),
        (["run", "{subject}", "-o", "{out}", "--static", "{subject}/absent.c3d"], "absent.c3d"),
        (["run", "{subject}", "-o", "{out}", "--norm", "{subject}/absent.csv"], "absent.csv"),
        (["run", "{subject}", "-o", "{out}", "--model", "absent.osim", "--muscle-forces"], "absent.osim, which --model names"),
        (["report", "{subject}"], "anna"),
        (["run", "{subject}", "-o", "{out}", "--exclude", "*.c3d"], "--exclude *.c3d leaves none"),
        (["run", "{subject}", "-o", "{out}", "--code", ""], "--code is empty"),
        (["run", "{subject}", "-o", "{out}", "--model", "six-dof", "--kinetics", "vicon"], "conventional model"),
    ],
)
def test_an_impossible_request_is_one_and_named(words: list[str], named: str, subject: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = biomech_id(*(word.format(subject=subject, out=out) for word in words))
    refused(result, out, named)


@pytest.mark.parametrize("command", sorted(c.name or "" for c in app.registered_commands))
def test_every_command_has_help_with_an_example_and_a_version(command: str) -> None:
    shown = biomech_id(command, "--help")
    assert shown.exit_code == 0
    assert "Example: biomech-id " + command in " ".join(shown.output.split())
    assert biomech_id(command, "--version").output.startswith("biomech-id ")


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from biomech_id.cli import main; main()", "run", str(tmp_path), "-o", str(tmp_path / "o")]
    plain = subprocess.run(command, capture_output=True, text=True)
    debug = subprocess.run([*command, "--debug"], capture_output=True, text=True)
    assert plain.returncode == 1
    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr


def test_a_code_replaces_the_name_everywhere(subject: Path, tmp_path: Path) -> None:
    for name in ("static.c3d", "walk01.c3d"):
        edited(subject / name, lambda file: file["parameters"]["SUBJECTS"]["NAMES"].update({"value": ["ANNASMITH"]}))
        (subject / name).rename(subject / f"AnnaSmith_{name}")
    out = tmp_path / "out"
    assert biomech_id("run", subject, "-o", out, "--code", "P007").exit_code in (0, 3)
    assert (out / "trials" / "P007_walk01.csv").is_file()
    for path in out.rglob("*"):
        assert "annasmith" not in path.name.lower()
        if path.is_file():
            assert b"annasmith" not in path.read_bytes().lower(), path


def test_what_is_handed_to_opensim_can_be_read_back(subject: Path, tmp_path: Path, quick: Path) -> None:
    handed = tmp_path / "opensim"
    assert biomech_id("opensim", subject, "-o", handed).exit_code in (0, 3)
    assert biomech_id("check-opensim", handed).exit_code == 0
    outs = {"c3d": subject, "opensim": handed}
    knees = {}
    for name, folder in outs.items():
        assert biomech_id("run", folder, "-o", tmp_path / f"from_{name}", "--recipe", quick).exit_code in (0, 3)
        with (tmp_path / f"from_{name}" / "trials" / "walk01.csv").open(encoding="utf-8") as file:
            knees[name] = [float(row["LKneeAngles.X"]) for row in csv.DictReader(file)]
    # Markers pass through text with nine digits.
    assert knees["opensim"] == pytest.approx(knees["c3d"], abs=1e-4)


def test_results_are_written_back_into_copies(subject: Path, tmp_path: Path, quick: Path) -> None:
    out = tmp_path / "out"
    assert biomech_id("run", subject, "-o", out, "--recipe", quick, "--write-c3d").exit_code in (0, 3)
    copy = ezc3d.c3d(str(out / "c3d" / "walk01.c3d"))
    original = ezc3d.c3d(str(subject / "walk01.c3d"))
    labels = copy["parameters"]["POINT"]["LABELS"]["value"]
    ours = [label for label in labels if label.startswith("LKneeAngles")]
    assert len(ours) == 1
    with (out / "trials" / "walk01.csv").open(encoding="utf-8") as file:
        angle = [float(row["LKneeAngles.X"]) for row in csv.DictReader(file)]
    assert copy["data"]["points"][0, labels.index(ours[0])] == pytest.approx(angle, abs=1e-4)
    assert set(original["parameters"]["POINT"]["LABELS"]["value"]) < set(labels)
    both = biomech_id("run", subject, "-o", tmp_path / "o2", "--write-c3d", "--code", "P1")
    refused(both, tmp_path / "o2", "--write-c3d", "--code")


@pytest.mark.skipif(os.name == "nt", reason="a terminal is made with pty, which Windows lacks")
def test_on_a_terminal_progress_is_a_bar(session: Path, tmp_path: Path, quick: Path) -> None:
    import pty

    words = ["biomech-id", "run", str(session), "-o", str(tmp_path / "o"), "--recipe", str(quick)]
    code = f"from biomech_id.cli import main; import sys; sys.argv = {words!r}; main()"
    seen: list[bytes] = []

    def reader(descriptor: int) -> bytes:
        data = os.read(descriptor, 4096)
        seen.append(data)
        return data

    pty.spawn([sys.executable, "-c", code], reader)
    assert "━" in b"".join(seen).decode("utf-8", "replace")
