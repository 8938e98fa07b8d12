"""A manifest attests what was analysed; whatever ends a run leaves nothing half-done; no drawing costs a number."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import ezc3d
import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.studies import killed_runs, replaced_inputs
from benchmarks.studies.pseudonyms import run_here, virtual_session
from biomech_id.cli.app import app
from biomech_id.errors import BiomechError
from biomech_id.files import atomic
from biomech_id.files.atomic import whole_file, whole_folder
from biomech_id.files.surroundings import NO_MEMORY
from biomech_id.files.unfinished import clear_beside
from biomech_id.pipeline.run import run_job
from biomech_id.pipeline.study.batch import run_study
from biomech_id.pipeline.study.resume import still_valid
from biomech_id.readers import read_recording
from biomech_id.request.job import Job
from biomech_id.session.values.step import Step

QUICK = replaced_inputs.QUICK


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return virtual_session(tmp_path_factory.mktemp("source"))


@pytest.fixture
def subject(source: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(source, tmp_path / "anna"))


def test_the_study_of_a_hundred_replacements_meets_its_gate() -> None:
    text = replaced_inputs.TABLE.read_text(encoding="utf-8")
    counts = [int(n) for n in re.search(r"^\| all \| (.*) \|$", text, re.MULTILINE)[1].split(" | ")]  # type: ignore[index]
    assert sum(counts[:3]) >= 100
    assert counts[3] == 0


def test_a_sample_of_replacements_is_as_the_table_says(tmp_path: Path) -> None:
    own, other = replaced_inputs.sessions(tmp_path)
    rng = np.random.default_rng(5)
    became = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        became.append(replaced_inputs.disturbed(own, other, tmp_path / str(number), rng))
    assert [right for *_, right in became] == [True] * 3


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_a_recording_that_changes_meanwhile_is_said(how: str, subject: Path, tmp_path: Path) -> None:
    path = subject / "walk01.c3d"
    was = replaced_inputs._hash(path)

    def change(step: Step) -> None:
        if step.stage == "analyse":
            path.unlink() if how == "removed" else path.write_bytes(path.read_bytes() + bytes(512))

    outcome = run_job(Job((subject,), QUICK), tmp_path / "out", progress=change)
    assert [said for said in outcome.complaints if said.startswith("Changed or gone while it was analysed: walk01.c3d")]
    assert json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["inputs"]["walk01.c3d"] == was


def test_what_was_gone_before_it_could_be_read_is_said_and_not_kept(subject: Path, tmp_path: Path) -> None:
    (subject / "subject.toml").write_text("mass_kg = 71\n", encoding="utf-8")
    job, out = Job((subject,), QUICK), tmp_path / "out"
    outcome = run_job(job, out, progress=lambda step: (subject / "subject.toml").unlink(missing_ok=True))
    assert any("Changed or gone while it was analysed: subject.toml" in said for said in outcome.complaints)
    assert "subject.toml" not in json.loads((out / "manifest.json").read_text(encoding="utf-8"))["inputs"]
    assert still_valid(job, out) is None
    run_job(job, out)
    assert still_valid(job, out) is not None


def test_a_recording_cut_down_to_one_frame_is_left_out_and_named_as_cut(subject: Path, tmp_path: Path) -> None:
    whole = read_recording(subject / "walk01.c3d", trust=True).facts.frames
    data = (subject / "walk01.c3d").read_bytes()
    begin = 512 * (int.from_bytes(data[16:18], "little") - 1)
    (subject / "walk02.c3d").write_bytes(data[: begin + (len(data) - begin) // whole + 8])
    outcome = run_job(Job((subject,), QUICK), tmp_path / "out")
    assert outcome.n_trials == 1
    (said,) = (words for words in outcome.complaints if words.startswith("walk02.c3d"))
    assert f"promises {whole} frames but holds 1: the end is missing." in said


def test_resume_restores_verdict_sentence_and_exit_code(source: Path, tmp_path: Path) -> None:
    study, out = tmp_path / "study", tmp_path / "out"
    for name in ("anna", "ben"):
        shutil.copytree(source, study / name)
    (study / "anna" / "cut.c3d").write_bytes(b"\x02\x50" + bytes(2000))
    job = Job((study,), recipe=QUICK)
    with_one = run_study(study, out, job)
    before = killed_runs.files_of(out)
    kept = run_study(study, out, job, resume=True)
    assert [v.kept for v in kept.verdicts] == [True, True]
    assert [(v.verdict, v.sentence) for v in kept.verdicts] == [(v.verdict, v.sentence) for v in with_one.verdicts]
    assert [v.verdict for v in kept.verdicts] == ["warnings", "done"]
    assert killed_runs.files_of(out) == before
    (tmp_path / "quick.toml").write_text("[output]\nreport = false\nbudget = false\nuncertainty = false\n", encoding="utf-8")
    words = ["batch", str(study), "-o", str(out), "--recipe", str(tmp_path / "quick.toml"), "--resume", "--workers", "1"]
    assert run_here(words) == 3


@pytest.mark.parametrize("name", ["report.pdf", "review.html"])
def test_a_drawing_that_fails_costs_no_number(name: str, subject: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biomech_id.pipeline import run

    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("No glyphs have been loaded.")

    monkeypatch.setattr(run, "draw_own_report" if name == "report.pdf" else "write_own_page", breaks)
    recipe = tmp_path / "recipe.toml"
    switch = "report = true" if name == "report.pdf" else "report = false\nreview_page = true"
    recipe.write_text(f"[output]\n{switch}\nbudget = false\nuncertainty = false\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(subject), "-o", str(tmp_path / "out"), "--recipe", str(recipe)])
    assert result.exit_code == 3, result.output
    assert f"{name} could not be drawn (RuntimeError: No glyphs have been loaded.); every table is there." in result.stderr
    assert (tmp_path / "out" / "cycles.csv").is_file()
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert name not in manifest["outputs"]
    assert not (tmp_path / "out" / name).exists()


@pytest.mark.parametrize("code", [False, True])
def test_what_the_machine_lacks_is_said_of_a_drawing_and_of_a_subject(
    code: bool, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biomech_id.pipeline import run
    from biomech_id.pipeline.study import batch

    def lacks(*_: object, **__: object) -> None:
        raise ImportError("/home/anna/lib/some.so: failed to map segment from shared object")

    monkeypatch.setattr(run, "draw_own_report", lacks)
    outcome = run_job(Job((source,), QUICK.replaced(report=True), code="P1" if code else None), tmp_path / "out")
    (said,) = (words for words in outcome.complaints if words.startswith("report.pdf"))
    assert said.startswith("report.pdf could not be drawn (There is not enough memory for this")
    assert "some.so" not in said
    monkeypatch.setattr(batch, "run_job", lacks)
    verdict = batch.analyse_subject("anna", Job((source,), QUICK, code="P1" if code else None), str(tmp_path / "study"), False)
    assert (verdict.verdict, verdict.sentence) == ("failed", NO_MEMORY)


def test_a_folder_interrupted_between_its_two_names_keeps_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    with whole_folder(out) as folder:
        (folder / "a").write_text("old", encoding="utf-8")
    real, calls = os.replace, []

    def interrupted(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(source, target)

    monkeypatch.setattr(atomic.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), whole_folder(out) as folder:
        (folder / "a").write_text("new", encoding="utf-8")
    assert [(path.name, path.is_dir()) for path in tmp_path.iterdir()] == [("out", True)]
    assert (out / "a").read_text(encoding="utf-8") == "old"


def test_everything_is_on_the_disk_before_its_name_appears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[int] = []
    named: list[int] = []
    real = os.replace
    monkeypatch.setattr(atomic.os, "fsync", lambda number: flushed.append(os.fstat(number).st_ino))

    def replaced(source: Path, target: Path) -> None:
        named.extend(path.stat().st_ino for path in (source, *source.rglob("*")) if path.is_file())
        assert set(named) <= set(flushed)
        real(source, target)

    monkeypatch.setattr(atomic.os, "replace", replaced)
    with whole_folder(tmp_path / "out") as folder:
        (folder / "trials").mkdir()
        (folder / "trials" / "a.csv").write_text("1", encoding="utf-8")
    with whole_file(tmp_path / "norm.csv") as part:
        part.write_text("1", encoding="utf-8")
    assert len(named) == 2


@pytest.mark.skipif(os.name == "nt", reason="whether a process lives is not known there")
def test_a_run_clears_what_a_killed_one_left_beside_it_and_nothing_else(tmp_path: Path) -> None:
    host = re.sub(r"[^A-Za-z0-9]", "", os.uname().nodename)[:12]
    dead, alive = f".part-{host}-999999999-0123abcd", f".part-{host}-{os.getpid()}-0123abcd"
    for name in (dead, alive, ".mine"):
        (tmp_path / name).mkdir()
    (tmp_path / f".old-{host}-999999999-0123abcd.out").mkdir()
    clear_beside(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([alive, ".mine", "out"])


def test_the_study_of_ended_commands_found_nothing_wrong_afterwards() -> None:
    text = killed_runs.TABLE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (run|batch) \| (KILL|TERM|INT) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    ended = {(command, name): int(n) for command, name, n, _, _ in rows}
    assert {ended["run", name] for name in killed_runs.SIGNALS} == {100}
    assert min(ended["batch", name] for name in killed_runs.SIGNALS) == 100
    assert min(int(programs) for *_, programs, _ in rows) >= 10, "some are programs as a person starts them"
    assert [int(wrong) for *_, wrong in rows] == [0] * 6


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a process is ended by a signal")
def test_a_command_that_was_ended_is_made_good_to_the_byte(tmp_path: Path) -> None:
    study = killed_runs.study_of_two(tmp_path)
    known = killed_runs.undisturbed("batch", study, tmp_path / "known", program=True)
    assert known[0] == 3
    assert killed_runs.ended("batch", study, tmp_path / "place", known, "TERM", 0.6, program=True) == []


@pytest.mark.skipif(os.name == "nt", reason="a process is ended by a signal")
def test_a_request_to_end_is_an_interruption(subject: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biomech_id.pipeline import run

    def asked(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(run, "write_replays", asked)
    before = signal.getsignal(signal.SIGTERM)
    result = CliRunner().invoke(app, ["run", str(subject), "-o", str(tmp_path / "out")])
    assert result.exit_code == 130, result.output
    assert result.stderr.endswith("Interrupted; nothing was left half-written.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["anna"]
    assert signal.getsignal(signal.SIGTERM) is before


def _program(words: list[str], *, cwd: Path, before: Callable[[], None] | None = None, **environment: str) -> None:
    command = [sys.executable, "-c", "from biomech_id.cli import main; main()", *words]
    paths = os.pathsep.join(filter(None, [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | {"PYTHONPATH": paths} | environment, preexec_fn=before, capture_output=True, text=True
    )
    assert done.returncode in (0, 3), done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX systems")
def test_the_bytes_are_the_same_under_every_limit_and_in_every_surrounding(subject: Path, tmp_path: Path) -> None:
    import resource

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
        resource.setrlimit(resource.RLIMIT_AS, (1500 * 1024**2,) * 2)

    (tmp_path / "elsewhere").mkdir()
    words = ["--review-page", "--write-c3d"]
    _program(
        ["run", str(subject), "-o", str(tmp_path / "out"), *words],
        cwd=tmp_path, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C.UTF-8",
    )  # fmt: skip
    _program(
        ["run", "../anna", "-o", "under", *words],
        cwd=tmp_path / "elsewhere", before=little, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", PYTHONHASHSEED="2",
        TZ="Pacific/Auckland", LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8", HOME="/dev/null/nobody", MPLCONFIGDIR="/dev/null/nobody",
    )  # fmt: skip
    here, there = (killed_runs.files_of(place) for place in (tmp_path / "out", tmp_path / "elsewhere" / "under"))
    assert {"report.pdf", "review.html", "manifest.json", "c3d/walk01.c3d", "replay/walk01.npz"} <= here.keys()
    assert [name for name in sorted(here.keys() | there.keys()) if here.get(name) != there.get(name)] == []


def _with_bytes(path: Path, first: bytes, second: bytes) -> None:
    """Put every byte value into the text fields of a C3D file, in places that were marked with letters of their own."""
    file = ezc3d.c3d(str(path))
    held = file["parameters"]
    held["SUBJECTS"]["NAMES"]["value"] = ["S" * 127]
    held["POINT"]["DESCRIPTIONS"]["value"] = ["D" * 127]
    held["POINT"]["LABELS"]["value"].append("P" * 127)
    points = file["data"]["points"]
    file["data"]["points"] = np.concatenate([points, points[:, -1:] + 30.0], axis=1)
    del file["data"]["meta_points"]
    held["ANALOG"]["LABELS"]["value"][-1] = "A" * 127
    held["ANALOG"]["DESCRIPTIONS"]["value"] = ["E" * 127]
    file.add_parameter("MANUFACTURER", "SOFTWARE", ["M" * 127])
    held["ANALOG"]["UNITS"]["value"][-1] = "U" * 127
    # One event more, in the middle of the recording, all of whose texts are bytes.
    if held["EVENT"].get("LABELS"):
        for name, letter in (("LABELS", "L"), ("CONTEXTS", "C"), ("DESCRIPTIONS", "T"), ("SUBJECTS", "B")):
            held["EVENT"][name]["value"].append(letter * 127)
        held["EVENT"]["TIMES"]["value"] = np.column_stack([held["EVENT"]["TIMES"]["value"], [0.0, 1.0]])
        for name in ("ICON_IDS", "GENERIC_FLAGS"):
            held["EVENT"][name]["value"] = np.append(held["EVENT"][name]["value"], 0)
        held["EVENT"]["USED"]["value"] = held["EVENT"]["USED"]["value"] + 1
    file.write(str(path))
    data = path.read_bytes()
    texts = (first, second, second, first, first, second, first, second, first, second, first)
    for letter, text in zip(b"SDPAEMULCTB", texts, strict=True):
        marked = bytes([letter]) * 127
        data = data.replace(marked, text[:127])
    path.write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("swapped", [False, True])
def test_every_byte_value_in_every_text_field_goes_through_a_run_with_report(subject: Path, tmp_path: Path, swapped: bool) -> None:
    halves = bytes([*range(1, 128), 0]), bytes(range(128, 256))
    for path in subject.glob("*.c3d"):
        _with_bytes(path, *(reversed(halves) if swapped else halves))
    result = CliRunner().invoke(app, ["run", str(subject), "-o", str(tmp_path / "out"), "--review-page"])
    assert result.exit_code in (0, 3), result.output
    assert "fault of the program" not in result.stderr
    assert "could not be drawn" not in result.stderr
    assert (tmp_path / "out" / "report.pdf").is_file()


#: What stands in a parameter section before the unit of points (two letters), and before those of the channels (twelve of three).
UNITS = {b"\x05\x01UNITS\x08\x00\xff\x01\x02": 2, b"\x05\x02UNITS+\x00\xff\x02\x03\x0c": 36}


@pytest.mark.parametrize("before", UNITS)
def test_every_byte_value_as_a_unit_is_read_or_refused_in_a_sentence(source: Path, tmp_path: Path, before: bytes) -> None:
    data, path, length = (source / "static.c3d").read_bytes(), tmp_path / "static.c3d", UNITS[before]
    at, values, said = data.index(before) + len(before), bytes(range(256)) + bytes(35), []
    for first in range(0, 256, length):
        path.write_bytes(data[:at] + values[first : first + length] + data[at + length :])
        try:
            said += [f"{read_recording(path, trust=True).trial.n_frames} frames."]
        except BiomechError as error:
            said += [str(error)]
    assert all(words.endswith(".") for words in said)
    assert sum(words.endswith("frames.") for words in said) >= 7


@pytest.mark.parametrize("character", ["\n", "\r", "\x85", "\u2028"])
def test_a_text_of_a_recording_stays_on_its_line(character: str) -> None:
    from biomech_id.readers.c3d.records import decode_text
    from biomech_id.report.layout.typography import width_mm

    assert decode_text(f"Anna{character}Berg".encode()) == "Anna Berg"
    assert width_mm("\n", 10.0) == width_mm(" ", 10.0) > 0.0


def _oddly_named(path: Path) -> None:
    """Labels and events as no program should write them, all in one file."""
    file = ezc3d.c3d(str(path))
    held, points = file["parameters"], file["data"]["points"]
    odd = [
        "x" * 127,
        "",
        "",
        "   ",
        "\t",
        "LKNE",
        "LASI",
        "same",
        "same",
        "\x1b[31mred",
        "a\nb",
        '"q"',
        "=1+1",
        "../../x",
        "<b>&amp;",
    ]
    odd += ["$\\frac{1}{$", "{x}", "%s%n", "\N{RIGHT-TO-LEFT OVERRIDE}abc"]
    file["data"]["points"] = np.concatenate([points, points[:, -1:] + 7.0 * np.arange(1, len(odd) + 1)[None, :, None]], axis=1)
    del file["data"]["meta_points"]
    held["POINT"]["LABELS"]["value"] += odd
    # One description for all points, none of most channels, one context for all events.
    held["POINT"]["DESCRIPTIONS"]["value"] = ["only one"]
    analog, channels = file["data"]["analogs"], ["a" * 255, "", "   ", "same", "same", "$x_{", "L $RF$_{"] * 43
    file["data"]["analogs"] = np.concatenate([analog, np.full((1, len(channels), analog.shape[2]), 1e-3)], axis=1)
    of_channels = held["ANALOG"]
    of_channels["LABELS"]["value"] += channels
    of_channels["UNITS"]["value"] += ["V"] * len(channels)
    of_channels["SCALE"]["value"] = np.append(of_channels["SCALE"]["value"], np.ones(len(channels)))
    of_channels["OFFSET"]["value"] = np.append(of_channels["OFFSET"]["value"], np.zeros(len(channels), dtype=int))
    of_channels["USED"]["value"] = np.array([analog.shape[1] + len(channels)])
    held["SUBJECTS"]["NAMES"]["value"] = ["", "   ", "$\\frac{1}{$ _^{ \\ %"]
    if held["EVENT"].get("LABELS"):
        later = (1000.0, -5.0, -0.001, 1e9, 0.5, 0.5)
        held["EVENT"]["LABELS"]["value"] += ["Foot Strike", "Foot Off", "Foot Strike", "Foot Off", "", "Event"]
        held["EVENT"]["CONTEXTS"]["value"] = ["Left"]
        held["EVENT"]["TIMES"]["value"] = np.column_stack([held["EVENT"]["TIMES"]["value"], [np.zeros(6), later]])
        held["EVENT"]["USED"]["value"] = held["EVENT"]["USED"]["value"] + len(later)
    file.write(str(path))


@pytest.mark.slow
def test_names_that_are_long_empty_double_or_full_of_signs_go_through_a_run_with_report(subject: Path, tmp_path: Path) -> None:
    for path in subject.glob("*.c3d"):
        _oddly_named(path)
    result = CliRunner().invoke(app, ["run", str(subject), "-o", str(tmp_path / "out"), "--review-page"])
    assert result.exit_code == 3, result.output
    assert "fault of the program" not in result.stderr
    assert {"report.pdf", "review.html", "summary.json"} <= {path.name for path in (tmp_path / "out").iterdir()}
    with np.load(next((tmp_path / "out" / "replay").iterdir())) as replay:
        assert replay.files
