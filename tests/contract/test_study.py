"""A study: every subject, however deep; nothing stops the rest; resumed by content; the same numbers again."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.pipeline.batch import run_study, run_subjects
from biomech_id.pipeline.job import Job
from biomech_id.pipeline.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d

QUICK = Recipe(report=False, budget=False)
runner = CliRunner()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three good subjects at different depths, and one whose only file is broken."""
    root = tmp_path_factory.mktemp("lab") / "study"
    for place, body in (("anna/2020", "adult"), ("anna/2021", "child"), ("ben", "adult")):
        folder = root / place
        folder.mkdir(parents=True)
        person = virtual_subject(body=body, code=place.replace("/", "-"))
        write_c3d(person.static("static"), folder / "static.c3d")
        write_c3d(person.walk("walk01"), folder / "walk01.c3d")
    (root / "carl").mkdir()
    (root / "carl" / "broken.c3d").write_bytes(b"no recording" * 200)
    return root


def files_of(out: Path) -> dict[str, bytes]:
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def undisturbed(study: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    run_study(study, out, Job((study,), recipe=QUICK), workers=1)
    return files_of(out)


def test_every_subject_has_its_folder_and_the_broken_one_a_sentence(undisturbed: dict[str, bytes]) -> None:
    for subject in ("anna/2020", "anna/2021", "ben"):
        assert f"{subject}/manifest.json" in undisturbed
    rows = list(csv.DictReader(undisturbed["verdicts.csv"].decode().splitlines()))
    assert [(row["subject"], row["verdict"]) for row in rows if row["verdict"] == "failed"] == [("carl", "failed")]
    assert "broken.c3d" in rows[-1]["sentence"]
    assert {name for name in undisturbed if name.startswith("study/")} >= {"study/study.json"}
    assert not [name for name in undisturbed if "/." in f"/{name}"]


def test_the_number_of_workers_changes_no_byte(study: Path, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    run_study(study, tmp_path / "out", Job((study,), recipe=QUICK), workers=2)
    assert files_of(tmp_path / "out") == undisturbed


def test_any_executor_will_do(study: Path, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    with ThreadPoolExecutor(1) as pool:
        run_study(study, tmp_path / "out", Job((study,), recipe=QUICK), executor=pool)
        # It was not ours to close.
        assert pool.submit(lambda: 1).result() == 1
    assert files_of(tmp_path / "out") == undisturbed


def test_resume_computes_only_what_is_missing_or_has_changed(study: Path, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    own = Path(shutil.copytree(study, tmp_path / "study"))
    out = tmp_path / "out"
    job = Job((own,), recipe=QUICK)
    run_study(own, out, job)
    shutil.rmtree(out / "ben")
    (out / "anna/2021/cycles.csv").write_text("spoiled", encoding="utf-8")
    verdicts = {v.subject: v.verdict for v in run_study(own, out, job, resume=True).verdicts}
    assert verdicts["anna/2020"] == "kept"
    assert verdicts["anna/2021"] != "kept"
    assert verdicts["ben"] != "kept"
    for name, content in undisturbed.items():
        if name != "verdicts.csv":
            assert (out / name).read_bytes() == content, name
    # File times do not count, content does.
    os.utime(own / "ben/walk01.c3d")
    assert {v.verdict for v in run_study(own, out, job, resume=True).verdicts} == {"kept", "failed"}
    person = virtual_subject(speed_m_s=1.0, code="ben")
    write_c3d(person.walk("walk01"), own / "ben/walk01.c3d")
    assert {v.subject: v.verdict for v in run_study(own, out, job, resume=True).verdicts}["ben"] != "kept"


class _DyingPool(Executor):
    """Loses the worker of one subject, as a process pool does: every task under way fails with it."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        from concurrent.futures.process import BrokenProcessPool

        future: Future[Any] = Future()
        if args[0] == "ben":
            future.set_exception(BrokenProcessPool("a process died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_dying_worker_is_blamed_on_its_subject_alone(study: Path, tmp_path: Path) -> None:
    folders = [study / "anna/2020", study / "ben", study / "anna/2021"]
    verdicts = run_subjects(folders, study, tmp_path / "out", Job((study,), recipe=QUICK), executor=_DyingPool())
    assert [v.failed for v in verdicts] == [False, True, False]
    assert "died" in verdicts[1].sentence


def workers_of(parent: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent and "spawn_main" in (entry / "cmdline").read_text():
                yield int(entry.name)


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
@pytest.mark.parametrize("moment", range(4))
def test_killed_at_any_instant_and_resumed(study: Path, tmp_path: Path, undisturbed: dict[str, bytes], moment: int) -> None:
    """SIGKILL of the parent: its workers end within two seconds, nothing is half-written, and resume gives the same bytes."""
    recipe = tmp_path / "quick.toml"
    recipe.write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    out = tmp_path / "out"
    code = "from biomech_id.cli import main; main()"
    words = [sys.executable, "-c", code, "batch", str(study), "-o", str(out), "--recipe", str(recipe), "--workers", "2"]
    parent = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 1.2 + 0.6 * moment
    while time.monotonic() < deadline and parent.poll() is None:
        time.sleep(0.02)
    workers = list(workers_of(parent.pid))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    ended = time.monotonic() + 2.0
    while time.monotonic() < ended and not all(map(gone, workers)):
        time.sleep(0.05)
    assert all(map(gone, workers))
    for name, content in files_of(out).items() if out.exists() else ():
        if not any(part.startswith(".") for part in name.split("/")):
            assert content == undisturbed[name], f"{name} was half-written"
    run_study(study, out, Job((study,), recipe=QUICK), resume=True)
    after = files_of(out)
    after.pop("verdicts.csv")
    assert after == {name: content for name, content in undisturbed.items() if name != "verdicts.csv"}


@pytest.fixture
def finished(study: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A subject's own copy of its recordings, and their results."""
    folder = Path(shutil.copytree(study / "ben", tmp_path / "ben"))
    recipe = tmp_path / "quick.toml"
    recipe.write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    ran = runner.invoke(app, ["run", str(folder), "-o", str(tmp_path / "out"), "--recipe", str(recipe)])
    assert ran.exit_code in (0, 3), ran.output
    return folder, tmp_path / "out"


def test_reproduce_is_equal_and_says_what_has_changed(finished: tuple[Path, Path]) -> None:
    folder, out = finished
    words = ["reproduce", str(out / "manifest.json"), "--input", str(folder)]
    same = runner.invoke(app, words)
    assert same.exit_code == 0, same.output
    assert "equal" in same.output

    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    manifest["recipe"]["filter"]["marker_filter"] = "always"
    manifest["dependencies"]["numpy"] = "1.0"
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    changed = runner.invoke(app, words)
    assert changed.exit_code == 1
    assert "version of numpy: was 1.0" in changed.output
    assert "cycles.csv: " in changed.output


def test_reproduce_names_the_input_that_has_changed(finished: tuple[Path, Path]) -> None:
    folder, out = finished
    content = bytearray((folder / "walk01.c3d").read_bytes())
    # One byte of one coordinate: the last but one of the file's data.
    content[-700] ^= 1
    (folder / "walk01.c3d").write_bytes(content)
    result = runner.invoke(app, ["reproduce", str(out / "manifest.json"), "--input", str(folder)])
    assert "input walk01.c3d: was" in result.output


def test_reproduce_without_recordings_says_so(finished: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = finished
    empty = tmp_path / "empty"
    empty.mkdir()
    result = runner.invoke(app, ["reproduce", str(out / "manifest.json"), "--input", str(empty)])
    assert result.exit_code == 1
    assert "Traceback" not in result.output


def test_a_norm_is_made_from_a_study_and_used(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_study(study, out, Job((study,), recipe=QUICK))
    made = runner.invoke(app, ["norm", str(out), "-o", str(tmp_path / "norm.csv")])
    assert made.exit_code == 0, made.output
    assert "not a clinical norm" in made.output
    ran = runner.invoke(app, ["run", str(study / "ben"), "-o", str(tmp_path / "ben"), "--norm", str(tmp_path / "norm.csv")])
    assert ran.exit_code in (0, 3), ran.output
    assert (tmp_path / "ben" / "norm.csv").is_file()
    scores = list(csv.DictReader((tmp_path / "ben" / "scores.csv").open(encoding="utf-8")))
    assert {row["score"] for row in scores} >= {"GPS"}
    other = runner.invoke(
        app, ["run", str(study / "ben"), "-o", str(tmp_path / "v"), "--kinetics", "vicon", "--norm", str(tmp_path / "norm.csv")]
    )
    assert other.exit_code == 1
    assert "vicon" in other.stderr
